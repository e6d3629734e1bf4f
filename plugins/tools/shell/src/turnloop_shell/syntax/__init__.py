"""Shell grammar: one parse of a command line, as values that the rest works on."""
