"""The tables in play: opening, joining, moves, questions, rematches, bots, desks, and their caches."""
