"""Where the rules page of Agent Hunter speaks of what goes on."""

from referee.game import Passages

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
