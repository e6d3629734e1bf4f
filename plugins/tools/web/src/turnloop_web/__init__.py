"""Fetches pages and searches the web."""
