"""Agent Double: secret loyalties; the referee knows who takes the documents that an agent delivers."""

from referee.game import Game
from referee.games.agent_double.choices import MOVES, choices, why_not
from referee.games.agent_double.invariants import invariants
from referee.games.agent_double.passages import PASSAGES
from referee.games.agent_double.rules import OPTIONS, deal, debrief, play
from referee.games.agent_double.sheet import sheet
from referee.games.agent_double.sketch import sketch
from referee.games.agent_double.table import (
    SEATS,
    DoubleHand,
    DoubleTable,
    hand,
    public,
    shown_in_private,
)
from referee.games.agent_double.todo import todo

AGENT_DOUBLE: Game[DoubleTable, DoubleHand] = Game(
    id="agent_double",
    rules=1,
    seats=lambda _options: SEATS,
    options=OPTIONS,
    moves=MOVES,
    deal=deal,
    choices=choices,
    play=play,
    todo=todo,
    public=public,
    hand=hand,
    debrief=debrief,
    sheet=sheet,
    passages=PASSAGES,
    shown_in_private=shown_in_private,
    texts=frozenset({"name"}),
    places=lambda options: {"tokens": tuple(options["agents"])},
    sketch=sketch,
    reveals=frozenset({"delivered", "asks", "did_peek", "did_peek_loyalty"}),
    discloses=frozenset({"delivered", "asks"}),
    variants={
        "delivered": ("why",),
        "asks": ("card",),
        "ruled": ("taker",),
        "accepted": ("about",),
        "refused": ("about",),
    },
    why_not=why_not,
    invariants=invariants,
)
