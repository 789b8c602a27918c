"""Agent Hunter: hidden safe houses; the referee answers PLUS, MOINS or RÉUSSITE."""

from referee.core.game import Facts, Game
from referee.games.agent_hunter.aid import AID
from referee.games.agent_hunter.choices import MOVES, choices
from referee.games.agent_hunter.clues import sketch
from referee.games.agent_hunter.cues import CUES, SILENT, SPOKEN
from referee.games.agent_hunter.guide import GUIDE
from referee.games.agent_hunter.invariants import invariants
from referee.games.agent_hunter.passages import PASSAGES
from referee.games.agent_hunter.poster import poster
from referee.games.agent_hunter.repairs import put_back, put_right
from referee.games.agent_hunter.rules import OPTIONS, deal, debrief, play
from referee.games.agent_hunter.sheet import score_parts, sheet
from referee.games.agent_hunter.table import SEATS, HunterHand, HunterTable, faces, hand, public
from referee.games.agent_hunter.todo import awaited, todo
from referee.games.agent_hunter.why_not import why_not

AGENT_HUNTER: Game[HunterTable, HunterHand] = Game(
    id="agent_hunter",
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
    sketch=sketch,
    poster=poster,
    colours=("#a02236", "#0e5c63"),
    passages=PASSAGES,
    guide=GUIDE,
    faces=faces,
    reveals=frozenset({"attack", "destroyed", "matched", "swapped"}),
    variants={"attack": ("answer", "origin"), "matched": ("origin",)},
    why_not=why_not,
    invariants=invariants,
    aid=AID,
    cues=CUES,
    spoken=SPOKEN,
    silent=SILENT,
    facts=Facts(minutes=(10, 20), age=8, difficulty=1),
)
