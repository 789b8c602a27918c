"""What the scores of Agent Avenue mean: by how much one pawn leads."""

from collections.abc import Mapping
from typing import Any

from referee.core.game import Say
from referee.games.agent_avenue.cards import CATCH, SIDES


def score_meaning(public: Mapping[str, Any]) -> Say:
    """By how many spaces a side leads, and how many a catch takes."""
    green, blue = SIDES
    ahead = public["sides"][green]["progress"] - public["sides"][blue]["progress"]
    if ahead == 0:
        return Say("score.level", {"n": CATCH})
    return Say("score.lead", {"side": green if ahead > 0 else blue, "lead": abs(ahead), "n": CATCH})
