"""Links from steps, moves and refusals of Agent Hunter to sections of its rules page."""

from referee.core.game import Passages

PASSAGES = Passages(
    steps={"hide": "setup", "act": "turn", "refill": "refill"},
    moves={
        "hide": "setup",
        "attack_from_hand": "attack-hand",
        "attack_from_house": "attack-house",
        "swap": "swap",
        "refill": "refill",
    },
    usual={"act": ("attack_from_hand", "attack_from_house", "swap")},
    refusals={"owed": "refill"},
)
