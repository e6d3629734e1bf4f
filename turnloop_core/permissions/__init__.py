"""Who may touch what: rules, modes, and paths as they really are."""
