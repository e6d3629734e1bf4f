"""From a command line to the subjects of the call."""
