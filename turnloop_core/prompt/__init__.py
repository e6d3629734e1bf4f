"""The system prompt in sections, and the project's own instructions."""
