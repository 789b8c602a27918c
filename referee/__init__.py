"""A referee for real tabletop games: the rules, the match and its words, with no input or output."""

__version__ = "0.1.0"
