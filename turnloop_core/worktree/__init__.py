"""The one scanner of the project's files: what is there, and what changed since."""
