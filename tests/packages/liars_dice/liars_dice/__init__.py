"""Liar's Dice: dice under cups, bids aloud; the referee knows every roll and answers a doubt exactly."""

from liars_dice.choices import MOVES, choices, why_not
from liars_dice.cues import CUES, SPOKEN
from liars_dice.rules import OPTIONS, deal, debrief, play
from liars_dice.sheet import score_parts, sheet
from liars_dice.table import DiceHand, DiceTable, faces, hand, invariants, public, seats
from liars_dice.todo import awaited, put_back, todo, turned_up
from referee.core.game import Facts, Game, Passages

GAME: Game[DiceTable, DiceHand] = Game(
    id="liars_dice",
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
    put_back=put_back,
    public=public,
    hand=hand,
    debrief=debrief,
    sheet=sheet,
    score_parts=score_parts,
    invariants=invariants,
    faces=faces,
    reveals=frozenset({"doubted"}),
    turned_up=turned_up,
    variants={"doubted": ("right",)},
    plurals={"bid": "count", "doubted": "found", "lost": "left"},
    cues=CUES,
    spoken=SPOKEN,
    passages=Passages(
        steps={"roll": "roll", "bid": "bid"},
        moves={"roll": "roll", "bid": "bid", "doubt": "doubt"},
        usual={"bid": ("bid", "doubt")},
        refusals={"too_low": "bid", "fixed_face": "palifico", "no_bid": "doubt"},
    ),
    facts=Facts(minutes=(15, 30), age=8, difficulty=1),
)
