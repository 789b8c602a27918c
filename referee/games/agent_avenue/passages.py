"""Links from steps, moves and refusals of Agent Avenue to sections of its rules page."""

from referee.core.game import Passages

PASSAGES = Passages(
    steps={
        "market_setup": "market",
        "show": "play",
        "conceal": "play",
        "take": "recruit",
        "market_pick": "market",
        "market_refill": "market",
        "effect": "market-cards",
    },
    moves={
        "market_setup": "market",
        "discard": "discard",
        "show": "play",
        "conceal": "play",
        "take": "recruit",
        "market_pick": "market",
        "market_refill": "market",
        "recruit_from_hand": "market-cards",
        "recruit_from_deck": "market-cards",
        "take_from": "market-cards",
        "take_back": "market-cards",
        "cannot": "market-cards",
    },
    usual={"show": ("show", "discard"), "conceal": ("conceal", "discard")},
    refusals={"partner_conceals": "teams", "partner_shows": "discard", "compulsory": "market"},
)
