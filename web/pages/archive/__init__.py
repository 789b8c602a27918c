"""The pages of finished games: history, people, records and score sheets."""
