"""Espion contre Espion: two hidden spies; the referee announces how many cameras see each of them."""

from referee.core.game import Facts, Game
from referee.games.espion_contre_espion.aid import AID
from referee.games.espion_contre_espion.board import SEATS
from referee.games.espion_contre_espion.choices import MOVES, choices
from referee.games.espion_contre_espion.cues import CUES, SILENT, SPOKEN
from referee.games.espion_contre_espion.guide import GUIDE
from referee.games.espion_contre_espion.invariants import invariants
from referee.games.espion_contre_espion.passages import PASSAGES
from referee.games.espion_contre_espion.poster import poster
from referee.games.espion_contre_espion.repairs import put_back, put_right
from referee.games.espion_contre_espion.rules import OPTIONS, deal, debrief, play
from referee.games.espion_contre_espion.sheet import sheet
from referee.games.espion_contre_espion.sketch import marks, sketch
from referee.games.espion_contre_espion.table import SpyHand, SpyTable, hand, public
from referee.games.espion_contre_espion.todo import todo
from referee.games.espion_contre_espion.why_not import why_not

ESPION_CONTRE_ESPION: Game[SpyTable, SpyHand] = Game(
    id="espion_contre_espion",
    protocol=1,
    rules=1,
    seats=lambda _options: SEATS,
    options=OPTIONS,
    moves=MOVES,
    deal=deal,
    choices=choices,
    play=play,
    todo=todo,
    put_back=put_back,
    put_right=put_right,
    public=public,
    hand=hand,
    debrief=debrief,
    sheet=sheet,
    poster=poster,
    colours=("#1d4f91", "#a02236"),
    passages=PASSAGES,
    guide=GUIDE,
    sketch=sketch,
    marks=marks,
    reveals=frozenset({"camera_counts", "left_camp", "spotted", "stolen", "guess"}),
    variants={
        "building_placed": ("tile", "rotation"),
        "guess": ("right",),
        "camera_placed": ("camera",),
        "camera_moved": ("camera",),
        "killer_placed": ("facing",),
        "killer_moved": ("facing",),
    },
    why_not=why_not,
    invariants=invariants,
    aid=AID,
    cues=CUES,
    spoken=SPOKEN,
    silent=SILENT,
    facts=Facts(minutes=(15, 15), age=11, difficulty=2),
)
