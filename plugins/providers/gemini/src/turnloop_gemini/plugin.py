"""Registers the provider kind `gemini` and its preset."""
