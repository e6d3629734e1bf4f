"""Subcommands of `tl`."""
