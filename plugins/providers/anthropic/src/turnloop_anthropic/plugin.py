"""Registers the provider kind `anthropic` and its preset."""
