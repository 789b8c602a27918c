"""Output for people: JSON views, message catalogues, rules pages, light and sound cues, printable blocks."""
