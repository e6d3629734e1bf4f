"""Settings in layers, each value with the place it came from."""
