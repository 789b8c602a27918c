"""What the tests of put_back and put_right share: repairs by consent, what is said then, random repairs."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from referee.core.corrections import choices_then, own_secrets
from referee.core.dice import Dice
from referee.core.entries import Answered
from referee.core.errors import IllegalMove
from referee.core.frozen import replaced
from referee.core.game import Game, Say
from referee.core.match import Match
from referee.core.moves import Seat, offered
from referee.core.questions import question
from referee.presentation.views import to_do, view
from referee.presentation.words import LANGUAGES, words
from referee.program.simulate import opened, random_options, steps
from tests.support.rules.table_language import NEW_SALT, AnyTable

REFUSALS = ("refusal.take_back_first", "refusal.depends_over", "refusal.same_secret")


def takes_back(table: AnyTable, by: Seat, moves: int = 1) -> None:
    """The last moves are taken back, and everybody agrees."""
    table.asks(by, "undo", n=table.match.made[-moves].n)
    if table.match.question:
        table.all_agree()


def corrects(table: AnyTable, by: Seat, entry: int = 1, **fields: Any) -> None:
    """A seat corrects the first, second or later of its secrets, and everybody agrees."""
    table.asks(by, "correct", n=own_secrets(table.match, by)[entry - 1].n, fields=fields)
    table.all_agree()


def told(table: AnyTable, seat: Seat | None = None, language: str = "fr") -> list[str]:
    """What a phone, or the table screen, asks for in words."""
    shown = view(table.match.seen_by(seat), words(language))
    return list(shown["me"]["todo"] if seat else shown["todo"])


def repaired(game: Game[Any, Any], seed: str, **chosen: Any) -> Iterator[Match]:
    """A random game in which, at every moment, some moves are taken back or a secret is corrected; each time
    it goes on as if they had not been."""
    dice = Dice(f"{seed}/repairs")
    options = {**random_options(game.options, Dice(f"{seed}/options")), **chosen}
    for step in steps(opened(game, seed, options), seed):
        if step.match.made and not step.match.outcome:
            n = dice.pick(step.match.made[-6:]).n
            yield _agreed(step.match, dice.pick(step.match.seats), "undo", {"n": n})
        for seat in step.match.seats if step.match.made else ():
            yield from _corrected(step.match, seat, dice)


def _corrected(match: Match, seat: Seat, dice: Dice) -> Iterator[Match]:
    mine = own_secrets(match, seat)
    if not mine:
        return
    made = dice.pick(mine[-3:])
    choice = offered(choices_then(match, made), made.entry.move)
    assert choice is not None
    picked = choice.pick(dice)
    fields = {name: picked[name] for name in choice.secrets()}
    try:
        yield _agreed(match, seat, "correct", {"n": made.n, "fields": fields})
    except IllegalMove as refused:
        assert refused.why and refused.why.key in REFUSALS


def _agreed(match: Match, by: Seat, kind: str, fields: dict[str, Any]) -> Match:
    asked = question(match, by, kind, fields, match.version)
    match = match.after(replaced(asked, salt=NEW_SALT) if kind == "correct" else asked)
    for seat in match.question.of if match.question else ():
        match = match.after(Answered(seat, True))
    return match


def instructions(match: Match, seat: Seat | None) -> tuple[Say, ...]:
    """What this seat is asked to change after a repair; all of it can be said in every language."""
    seen = match.seen_by(seat)
    for language, in_public in product(LANGUAGES, (False, True)):
        shown = view(seen, words(language))
        said = shown["todo"] if in_public or not seat else shown["me"]["todo"]
        assert len(said) == len(set(said)) <= len(to_do(seen, in_public)), "each sentence once"
    assert seen.slice is not None
    return to_do(seen)[: len(to_do(seen)) - len(match.game.awaited(seen.slice))]
