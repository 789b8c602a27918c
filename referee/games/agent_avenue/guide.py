"""The lessons of a first game of Agent Avenue: which of them matter to a seat now."""

from collections.abc import Iterator

from referee.core.game import Guide, Slice
from referee.games.agent_avenue.choices import choices
from referee.games.agent_avenue.table import AvenueHand, AvenueTable

DISCARD_FROM = 2  # completed turns from which discarding and the three special captures are explained
OFFERED = {  # the lesson of the moves that a seat may make
    "market_setup": "market",
    "show": "show",
    "conceal": "conceal",
    "take": "take",
    "market_pick": "market_pick",
    "market_refill": "market_refill",
    "recruit_from_hand": "effect",
    "recruit_from_deck": "effect",
    "take_from": "effect",
    "take_back": "effect",
}


def lessons(seen: Slice[AvenueTable, AvenueHand]) -> tuple[str, ...]:
    return tuple(_now(seen))


def _now(seen: Slice[AvenueTable, AvenueHand]) -> Iterator[str]:
    table = seen.table
    if any(news.kind == "moved" for news in table.said):
        yield "moved"
        yield "goal"
    offered = [choice.type for choice in choices(seen)]
    yield from (OFFERED[type_] for type_ in offered if type_ in OFFERED)
    if "discard" in offered and table.turns >= DISCARD_FROM:
        yield "discard"
    if not offered and table.step == "show":
        yield "wait"


GUIDE = Guide(
    sections={
        "show": "play",
        "conceal": "play",
        "wait": "play",
        "take": "recruit",
        "moved": "agents",
        "goal": "end",
        "discard": "discard",
        "market": "market",
        "market_pick": "market",
        "market_refill": "market",
        "effect": "market-cards",
    },
    now=lessons,
)
