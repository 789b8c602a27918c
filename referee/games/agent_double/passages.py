"""Links from steps, moves and refusals of Agent Double to sections of its rules page."""

from referee.core.game import Passages
from referee.games.agent_double.effects import AIMS

PASSAGES = Passages(
    steps={
        "assign": "setup",
        "play": "turn",
        "acting": "action",
        "agree": "agree",
        "ruling": "special",
        "influence": "influence",
    },
    moves={
        "assign_loyalty": "setup",
        "place": "document",
        "act": "action",
        **dict.fromkeys(AIMS, "action"),
        "act_done": "action",
        "agree": "agree",
        "disagree": "agree",
        "ruling": "special",
        "influence": "influence",
    },
    usual={"play": ("place", "act")},
    refusals={"answer": "agree", "closed": "delivery", "acting": "action"},
)
