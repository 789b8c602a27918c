"""The game that `referee new-game` copies: it holds the place of a new one."""
