"""The tests: one folder for each package, and `support` for what they share."""
