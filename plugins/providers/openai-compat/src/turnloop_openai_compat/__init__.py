"""Any endpoint that speaks OpenAI chat completions."""
