"""What programs do with their words: what they run, read, write."""
