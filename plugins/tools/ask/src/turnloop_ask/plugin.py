"""Registers the tools of this plugin."""
