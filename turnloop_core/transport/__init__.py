"""HTTP for provider plugins: client, event streams, error meanings, retries."""
