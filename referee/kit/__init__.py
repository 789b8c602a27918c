"""The kit with which games are made: what is wrong with a game, and how a new one begins."""
