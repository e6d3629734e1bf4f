"""Scripted and echoing providers, and the demo."""
