"""Corrections on the pages: which secrets a seat may correct, their labels, and the one being corrected."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.core.corrections import choices_then, own_secret, own_secrets
from referee.core.game import Made, none_turned_up
from referee.core.match import Match
from referee.core.moves import Choice, Move, Seat
from referee.core.replay import StandingMove, place
from referee.presentation.views import Localizer
from web.pages.play.forms import Forms
from web.pages.rendering import and_list, say
from web.request_context import service
from web.service.after_the_end import why_closed
from web.service.live_table import LiveTable
from web.wire.parsing import whole

LOOKED_BACK = 60  # latest moves among which a secret that was turned up is looked for
LATEST = 5  # secrets that the menu offers to correct; `my_secrets` lists all


def may_correct(table: LiveTable, match: Match) -> bool:
    """Whether a question may be asked now. Once the game is over, only corrections can be."""
    return not match.question and not match.ended and why_closed(service(), table) is None


def labelled(match: Match, secrets: Sequence[StandingMove], localizer: Localizer) -> list[dict[str, Any]]:
    """Number and label of each secret, latest first. Secrets with equal labels get longer, distinct ones."""
    forms = Forms(localizer)
    labels = [", ".join(_parts(match, forms, made.entry.move)) for made in secrets]
    alike = Counter(labels)
    told = [
        {"n": made.n, "label": label if alike[label] == 1 else _distinct_label(match, forms, made, label)}
        for made, label in zip(secrets, labels, strict=True)
    ]
    return told[::-1]


def label_of(match: Match, correcting: "Correction", localizer: Localizer) -> str:
    """The label of the secret that is being corrected, distinct from the other secrets of its seat."""
    own = own_secrets(match, match.made[place(match, correcting.n)].entry.seat)
    shown = {made.n: made for made in (*own[-LATEST:], match.made[place(match, correcting.n)])}
    told = labelled(match, list(shown.values()), localizer)
    return next(str(secret["label"]) for secret in told if secret["n"] == correcting.n)


def _distinct_label(match: Match, forms: Forms, made: StandingMove, label: str) -> str:
    """A distinct label for a secret whose label is not unique: adds the last public move before it and the
    number of its news."""
    before = (match.made[at].entry.move for at in reversed(range(place(match, made.n))))
    moves = ([*_parts(match, forms, move)] for move in before)
    done, *of = next((parts for parts in moves if len(parts) > 1), ("",))
    own, otherwise = f"page.{match.game.id}.entered.{made.entry.move.type}", "page.repair.secret"
    key = own if own in forms.localizer.words else f"{otherwise}.after" if done else otherwise
    return say(key, what=label, n=made.n, before=", ".join((done, *of)), of=", ".join(of))


def _parts(match: Match, forms: Forms, move: Move) -> Iterator[str]:
    """The name of a move, then its public fields."""
    yield forms.do(move.type)
    yield from (forms.label(name, value) for name, value in _open_fields(match, move).items())


def _open_fields(match: Match, move: Move) -> dict[str, Any]:
    secret = match.game.moves[move.type].secret
    return {name: value for name, value in move.fields.items() if name not in secret}


@dataclass(frozen=True)
class Correction:
    """A secret that is about to be corrected: the number of its move, its public fields, which stay, and the
    choices that were offered then."""

    n: int
    open: dict[str, Any]
    choices: list[dict[str, Any]]

    def body(self, version: int, fields: dict[str, Any]) -> dict[str, Any]:
        return {"version": version, "kind": "correct", "n": self.n, "fields": fields}


def correction(table: LiveTable, match: Match, seat: Seat, args: Mapping[str, str]) -> Correction | None:
    """The correction that the query string asks for, if it is one of this seat's own secrets."""
    made = wanted_secret(match, seat, args)
    if made is None or (match.outcome and not may_correct(table, match)):
        return None
    move = made.entry.move
    choices = (choice for choice in choices_then(match, made) if _differs_in_secrets(choice, move))
    return Correction(made.n, _open_fields(match, move), [_secrets_of(choice) for choice in choices])


def wanted_secret(match: Match, seat: Seat, args: Mapping[str, str]) -> StandingMove | None:
    """This seat's secret that `?correct=` names, or None."""
    n = whole(args.get("correct", ""))
    return own_secret(match, seat, n) if n is not None else None


def _differs_in_secrets(choice: Choice, move: Move) -> bool:
    """Whether this choice permits the public fields of a move; its secret fields may differ."""
    opened = [f for f in choice.fields if not f.secret]
    return choice.type == move.type and all(f.permits(move.fields.get(f.name)) for f in opened)


def _secrets_of(choice: Choice) -> dict[str, Any]:
    return {"type": choice.type, "fields": [f.wire() for f in choice.fields if f.secret]}


def turned_over(
    table: LiveTable, match: Match, seat: Seat, localizer: Localizer, args: Mapping[str, str]
) -> dict[str, Any] | None:
    """The secrets whose cards lie face up on the table now; None if there are none.

    A player with one may correct it at once. The others are told who can. A bot's secret is never offered.
    """
    if match.game.turned_up is none_turned_up or not may_correct(table, match):
        return None
    latest = [_made(match, made) for made in match.made[-LOOKED_BACK:]]
    up = _turned_up(match, latest, table.bots())
    if not up:
        return None
    mine = next((made.n for made in reversed(up) if made.seat == seat), None)
    names = dict.fromkeys(localizer.name(made.seat) for made in up if mine is None or made.seat == seat)
    by_last_move = up[-1].n not in match.game.turned_up(latest[:-1])
    return {
        "n": up[-1].n if mine is None else mine,
        "mine": mine is not None,
        "name": and_list(list(names)),
        "undo": by_last_move and not match.outcome,
        "version": match.version,
        "asked": args.get("other_card") == str(match.version),
    }


def _turned_up(match: Match, latest: list[Made], bots: Collection[Seat]) -> list[Made]:
    """Of the latest moves, those of people with secrets whose cards were turned up."""
    numbers = set(match.game.turned_up(latest))
    return [made for made in latest if made.n in numbers and made.is_secret and made.seat not in bots]


def _made(match: Match, made: StandingMove) -> Made:
    move = made.entry.move
    is_secret = bool(match.game.moves[move.type].secret)
    return Made(made.n, made.entry.seat, move.type, _open_fields(match, move), is_secret)
