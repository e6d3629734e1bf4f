"""Core's subcommands: one module each, imported when the command is called."""
