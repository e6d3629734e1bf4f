"""The interactive front end."""
