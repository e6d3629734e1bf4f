"""The command line and the terminal."""
