"""Models that speak the Anthropic messages API."""
