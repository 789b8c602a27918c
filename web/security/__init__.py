"""Authentication and abuse limits: tokens, callers, Host and Origin checks, rate limits."""
