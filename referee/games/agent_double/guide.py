"""The lessons of a first game of Agent Double: which of them matter to a seat now."""

from collections.abc import Iterator

from referee.core.game import Guide, Slice
from referee.games.agent_double.choices import waited_for
from referee.games.agent_double.table import DoubleHand, DoubleTable

STEPS = {  # the lesson of each step, for the seat that the step waits for
    "assign": "assign",
    "play": "place",
    "acting": "compose",
    "agree": "agree",
    "ruling": "ruling",
    "influence": "influence",
}


def lessons(seen: Slice[DoubleTable, DoubleHand]) -> tuple[str, ...]:
    return tuple(_now(seen))


def _now(seen: Slice[DoubleTable, DoubleHand]) -> Iterator[str]:
    table = seen.table
    for news in table.said:
        if news.kind == "placed" and news.fields["by"] != seen.seat:
            yield "placed"
        if news.kind == "delivered":
            yield "delivered"
    if seen.seat in waited_for(table):
        yield STEPS[table.step]
        if table.step == "play" and table.turns[str(seen.seat)]:
            yield "act"


GUIDE = Guide(
    sections={
        "assign": "setup",
        "place": "document",
        "placed": "document",
        "act": "action",
        "compose": "action",
        "agree": "agree",
        "influence": "influence",
        "delivered": "delivery",
        "ruling": "special",
    },
    now=lessons,
)
