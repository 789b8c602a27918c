"""Room in a table's journal: it has a cap, so that no game grows for ever. Whoever plays is told before."""

from referee.match import Match
from referee.settings import Limits
from web.refusals import Refusal

FEW = 200  # entries before the cap from which on people are told
STILL = ("abandon", "reissue")  # asked at a full table all the same: to end the game, all seats must answer


def left(match: Match, limits: Limits) -> int:
    """How many entries there is room for."""
    return max(0, limits.entries - match.entries)


def check(match: Match, limits: Limits) -> None:
    """Refuse one more move where there is no room for it."""
    if not left(match, limits):
        raise Refusal("table-full")


def check_question(match: Match, kind: str, limits: Limits) -> None:
    """The same for a question; what the end of a game may need is never refused."""
    if kind not in STILL:
        check(match, limits)


def few_left(match: Match, limits: Limits) -> int | None:
    """How many entries are left where people should know it: little room, and a game that goes on."""
    room = left(match, limits)
    return room if room <= FEW and not match.outcome else None
