"""For tests of the rules: a test language per game, legal moves, twin worlds, playthroughs."""
