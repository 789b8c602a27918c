"""Agent Avenue: two sides chase each other around a loop; the referee keeps count and the face-down card."""

from referee.core.game import Facts, Game, last_turned_up_by
from referee.games.agent_avenue.choices import MOVES, choices
from referee.games.agent_avenue.cues import CUES, SPOKEN
from referee.games.agent_avenue.guide import GUIDE
from referee.games.agent_avenue.invariants import invariants
from referee.games.agent_avenue.passages import PASSAGES
from referee.games.agent_avenue.poster import poster
from referee.games.agent_avenue.repairs import put_back, put_right
from referee.games.agent_avenue.rules import OPTIONS, deal, debrief, play
from referee.games.agent_avenue.score import score_meaning
from referee.games.agent_avenue.sheet import score_parts, sheet
from referee.games.agent_avenue.sketch import sketch
from referee.games.agent_avenue.table import SEATS, AvenueHand, AvenueTable, hand, public, sides
from referee.games.agent_avenue.todo import awaited, todo
from referee.games.agent_avenue.why_not import why_not

AGENT_AVENUE: Game[AvenueTable, AvenueHand] = Game(
    id="agent_avenue",
    protocol=1,
    rules=1,
    seats=lambda options: SEATS[options["players"]],
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
    score_meaning=score_meaning,
    poster=poster,
    colours=("#1d6b34", "#1d4f9c"),
    passages=PASSAGES,
    guide=GUIDE,
    sides=sides,
    reveals=frozenset({"shown", "taken", "market_row", "market_effect"}),
    turned_up=last_turned_up_by("take"),
    sketch=sketch,
    variants={"moved": ("way",), "market_effect": ("result",), "taken": ("card",)},
    why_not=why_not,
    invariants=invariants,
    cues=CUES,
    spoken=SPOKEN,
    facts=Facts(minutes=(10, 20), age=8, difficulty=1),
)
