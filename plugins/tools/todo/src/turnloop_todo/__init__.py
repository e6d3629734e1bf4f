"""TodoWrite."""
