"""Models that speak the Gemini API."""
