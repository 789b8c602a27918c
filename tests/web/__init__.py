"""The web tests: a real server process, spoken to in the words of the contract."""
