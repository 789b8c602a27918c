"""The rules engine: the game protocol, moves and choices, and the match as a fold of its journal entries."""
