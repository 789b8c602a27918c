"""Agent Double: secret loyalties; the referee computes who takes the documents that an agent delivers."""

from referee.core.game import Facts, Game
from referee.games.agent_double.choices import MOVES, choices
from referee.games.agent_double.cues import CUES, SILENT, SPOKEN
from referee.games.agent_double.guide import GUIDE
from referee.games.agent_double.invariants import invariants
from referee.games.agent_double.passages import PASSAGES
from referee.games.agent_double.poster import poster
from referee.games.agent_double.repairs import put_back, put_right
from referee.games.agent_double.rules import OPTIONS, deal, debrief, play
from referee.games.agent_double.sheet import score_parts, sheet
from referee.games.agent_double.sketch import sketch
from referee.games.agent_double.table import (
    SEATS,
    DoubleHand,
    DoubleTable,
    hand,
    public,
    shown_in_private,
)
from referee.games.agent_double.todo import awaited, todo
from referee.games.agent_double.why_not import why_not

AGENT_DOUBLE: Game[DoubleTable, DoubleHand] = Game(
    id="agent_double",
    protocol=1,
    rules=1,
    seats=lambda _options: SEATS,
    options=OPTIONS,
    moves=MOVES,
    deal=deal,
    choices=choices,
    play=play,
    todo=todo,
    awaited=awaited,
    put_back=put_back,
    put_right=put_right,
    public=public,
    hand=hand,
    debrief=debrief,
    sheet=sheet,
    score_parts=score_parts,
    poster=poster,
    colours=("#b3142b", "#1a4fa3"),
    passages=PASSAGES,
    guide=GUIDE,
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
        "proposed": ("card",),
        "acted": ("card",),
        **dict.fromkeys(
            ("fx_move_file", "fx_remove_file", "did_move_file", "did_remove_file"), ("document",)
        ),
        "accepted": ("about",),
        "refused": ("about",),
    },
    why_not=why_not,
    invariants=invariants,
    cues=CUES,
    spoken=SPOKEN,
    silent=SILENT,
    facts=Facts(minutes=(30, 40), age=10, difficulty=3),
)
