"""Attempts and turns: the loop itself."""
