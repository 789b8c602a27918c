"""New Game: each player hides a number; the others guess it."""

from referee.core.game import Facts, Game, Passages
from referee.kit.template.new_game.cues import CUES, SPOKEN
from referee.kit.template.new_game.rules import MOVES, OPTIONS, choices, deal, debrief, play, why_not
from referee.kit.template.new_game.sheet import sheet
from referee.kit.template.new_game.table import NewHand, NewTable, hand, public, seats
from referee.kit.template.new_game.todo import awaited, todo

GAME: Game[NewTable, NewHand] = Game(
    id="new_game",
    protocol=1,
    rules=1,
    seats=seats,
    options=OPTIONS,
    moves=MOVES,
    deal=deal,
    choices=choices,
    play=play,
    why_not=why_not,
    todo=todo,
    awaited=awaited,
    public=public,
    hand=hand,
    debrief=debrief,
    sheet=sheet,
    reveals=frozenset({"found", "missed"}),
    discloses=frozenset(),
    plurals={"missed": "left"},
    cues=CUES,
    spoken=SPOKEN,
    passages=Passages(
        steps={"hide": "setup", "guess": "turn"},
        moves={"hide": "setup", "guess": "turn"},
        usual={"guess": ("guess",)},
    ),
    facts=Facts(minutes=(5, 10), age=6, difficulty=1),
)
