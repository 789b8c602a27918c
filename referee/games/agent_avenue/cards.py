"""The cards and the board of Agent Avenue, and how far a recruited agent moves the pawn of its side."""

from collections.abc import Collection

from referee.core.moves import Side

SIDES = ("green", "blue")
HOMES = {"green": 0, "blue": 7}
LOOP = 14  # spaces of the board, clockwise
MARKET_SPACES = frozenset({2, 5, 9, 12})  # the corners, on the advanced side of the board
CATCH = 7  # a lead of half the loop catches the other pawn, whichever of the two moved
HAND = 4
MANY = 3  # the third symbol applies to the third copy and all later ones

COPIES = {
    "double_agent": 6,
    "enforcer": 6,
    "codebreaker": 6,
    "saboteur": 6,
    "daredevil": 6,
    "sentinel": 6,
    "sidekick": 1,
    "mole": 1,
}
AGENTS = tuple(COPIES)
CARDS = sum(COPIES.values())

# The third Codebreaker wins and the third Daredevil loses: neither has a number, so neither moves.
_SYMBOLS = {
    "double_agent": (-1, 6, -1),
    "enforcer": (1, 2, 3),
    "codebreaker": (0, 0, 0),
    "saboteur": (-1, -1, -2),
    "daredevil": (2, 3, 0),
    "sentinel": (0, 2, 6),
    "sidekick": (4, 4, 4),
    "mole": (-3, -3, -3),
}

PERMANENT = (
    "watchtower",
    "leader_of_the_pack",
    "distraction_device",
    "getaway_car",
    "sinister_twin",
    "masterplan",
    "supercomputer",
    "security_system",
)
IMMEDIATE = (
    "outpost",
    "double_trouble",
    "smoke_screen",
    "mind_control",
    "spycation",
    "secret_recruit",
    "surveillance_truck",
)
MARKET = PERMANENT + IMMEDIATE
ROW = 3  # face-up market cards


def other(side: Side) -> Side:
    return SIDES[1 - SIDES.index(side)]


def space(side: Side, progress: int) -> int:
    """The space of a side's pawn after this much progress from its home."""
    return (HOMES[side] + progress) % LOOP


def symbol(agent: str, copies: int) -> int:
    """The symbol of an agent when its side has this many copies in play."""
    return _SYMBOLS[agent][min(copies, MANY) - 1]


def move_of(agent: str, copies: int, permanents: Collection[str]) -> int:
    """How far a recruit moves its side: the symbol, modified by the side's permanent cards."""
    move = symbol(agent, copies)
    if agent == "saboteur" and "distraction_device" in permanents:
        return -move
    if agent == "double_agent" and "sinister_twin" in permanents:
        return 2 * move
    if agent == "enforcer" and "watchtower" in permanents:
        return move + 2
    if agent == "codebreaker" and "supercomputer" in permanents:
        return move + 3
    return move
