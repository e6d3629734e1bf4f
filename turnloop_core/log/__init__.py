"""The record of a session, and what is computed from it."""
