"""Bash: runs commands, ends whole process trees."""
