"""Lets the model ask the user."""
