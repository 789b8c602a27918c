"""The pages of a player: joining, the seat, its forms, questions and the rematch."""
