"""Read, Write and Edit."""
