"""The Acme desk for turnloop."""
