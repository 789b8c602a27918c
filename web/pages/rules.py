"""The rules page: a game's rules with what this table has settled, and the ways to its passages."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response

from referee.games import GAMES
from referee.match import Seen
from referee.options import settle
from referee.rulebook import rulebook
from referee.views import Voice
from web.pages.forms import Forms
from web.pages.page import held, language, show, speech, table_of, voice_of
from web.pages.settled import settled
from web.refusals import Refusal

rules = Blueprint("rules", __name__)


@rules.get("/rules/<game>")
def of_game(game: str) -> Response:
    """The rules as a table has them where nobody settles anything."""
    if game not in GAMES or not GAMES[game].passages:
        raise Refusal("unknown-game")
    known = GAMES[game]
    return _page(voice_of(game), settle(known.options, {}))


@rules.get("/t/<code>/rules")
def of_table(code: str) -> Response:
    table = table_of(code)
    if not table.match.game.passages:
        raise Refusal("unknown-page")
    return _page(speech(table.seen()), table.match.options, code=code, mine=held(table))


def _page(voice: Voice, options: Mapping[str, Any], **about: Any) -> Response:
    book = rulebook(voice.game.id, language())
    return show(
        "rules.html",
        voice=voice,
        book=book,
        intro=book.sections[0].at(options),
        sections=[(section, section.at(options)) for section in book.sections[1:]],
        settled=list(settled(options, voice)),
        **about,
    )


# ---- the ways there


def rules_path(code: str, section: str | None) -> str:
    return f"/t/{code}/rules#{section}" if section else f"/t/{code}/rules"


def passage_now(seen: Seen, doing: str | None) -> str | None:
    """The path to what matters now: the move that is being made, or the step of the turn."""
    passages = seen.game.passages
    if passages is None:
        return None
    step = seen.slice.table.step if seen.slice else ""
    section = passages.moves.get(doing or "") or passages.steps.get(step)
    return rules_path(seen.code, "end" if seen.outcome else section)


def passage_of(refusal: Refusal, seen: Seen, move: str) -> str | None:
    """The path to the rule by which a move was refused: that of the reason, of the move, or of the step."""
    if refusal.code != "illegal-move" or seen.game.passages is None:
        return None
    why = refusal.sentence.key.removeprefix(f"{seen.game.id}.why.")
    if why == refusal.sentence.key:  # one of the general reasons: it is not your turn, not this step
        return passage_now(seen, None)
    passages = seen.game.passages
    return rules_path(seen.code, passages.refusals.get(why) or passages.moves.get(move))


def missing(seen: Seen, voice: Voice) -> list[dict[str, str]]:
    """What this step offers as a rule and does not offer now, each with the path to why."""
    if not seen.choices or not seen.slice or seen.game.passages is None:
        return []
    passages, offered = seen.game.passages, {choice.type for choice in seen.choices}
    usual = passages.usual.get(seen.slice.table.step, ())
    return [
        {"type": type_, "label": Forms(voice).do(type_), "why": rules_path(seen.code, passages.moves[type_])}
        for type_ in usual
        if type_ not in offered
    ]
