"""The lessons of a first game of Agent Hunter: which of them matter to a seat now."""

from collections.abc import Iterator

from referee.core.game import Guide, Slice
from referee.games.agent_hunter.table import HunterHand, HunterTable

SWAP_FROM = 2  # completed turns from which the second and the third kind of action are explained
ATTACK_HOUSE_FROM = 4


def lessons(seen: Slice[HunterTable, HunterHand]) -> tuple[str, ...]:
    return tuple(_now(seen))


def _now(seen: Slice[HunterTable, HunterHand]) -> Iterator[str]:
    table, seat = seen.table, str(seen.seat)
    if table.step == "hide":
        yield "wait" if table.sides[seat].hidden else "hide"
        return
    yield from _after(seen)
    if table.owed:
        yield "refill" if table.owed.seat == seat else "wait_refill"
    elif table.turn == seat:
        yield "turn"
        if table.turns >= SWAP_FROM:
            yield "swap"
        if table.turns >= ATTACK_HOUSE_FROM:
            yield "attack_house"


def _after(seen: Slice[HunterTable, HunterHand]) -> Iterator[str]:
    """What the last move has shown for the first time."""
    for news in seen.table.said:
        if news.kind == "attack" and news.fields["answer"] != "reussite":
            yield "answer" if news.fields["by"] == seen.seat else "attacked"
        if news.kind == "destroyed":
            yield "destroyed"


GUIDE = Guide(
    sections={
        "hide": "setup",
        "wait": "setup",
        "turn": "attack-hand",
        "answer": "answer",
        "attacked": "answer",
        "destroyed": "end",
        "swap": "swap",
        "attack_house": "attack-house",
        "refill": "refill",
        "wait_refill": "refill",
    },
    now=lessons,
)
