"""The rules page of a game or a table with its options, and links to the passages that matter now."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response

from referee.core.match import PlayerView
from referee.core.options import with_defaults
from referee.games import GAMES
from referee.presentation.rulebook import rulebook
from referee.presentation.views import Localizer
from web.pages.option_labels import chosen_options
from web.pages.play.forms import Forms
from web.pages.rendering import (
    game_localizer,
    game_macros,
    held,
    language,
    localizer_of,
    render_page,
    table_of,
)
from web.wire.errors import ApiError

rules = Blueprint("rules", __name__)


@rules.get("/rules/<game>")
def of_game(game: str) -> Response:
    """The rules with every option at its default."""
    if game not in GAMES or not GAMES[game].passages:
        raise ApiError("unknown-game")
    known = GAMES[game]
    return _page(game_localizer(game), with_defaults(known.options, {}))


@rules.get("/t/<code>/rules")
def of_table(code: str) -> Response:
    table = table_of(code)
    if not table.match.game.passages:
        raise ApiError("unknown-page")
    return _page(localizer_of(table.seen()), table.match.options, code=code, mine=held(table))


def _page(localizer: Localizer, options: Mapping[str, Any], **about: Any) -> Response:
    book = rulebook(localizer.game.id, language())
    return render_page(
        "rules.html",
        localizer=localizer,
        sketches=game_macros(localizer.game.id, "sketches.html"),
        book=book,
        intro=book.sections[0].at(options),
        sections=[(section, section.at(options)) for section in book.sections[1:]],
        chosen_options=list(chosen_options(options, localizer)),
        **about,
    )


# ---- links to passages


def rules_path(code: str, section: str | None) -> str:
    return f"/t/{code}/rules#{section}" if section else f"/t/{code}/rules"


def passage_now(seen: PlayerView, doing: str | None) -> str | None:
    """The path of the passage about the move being made, else about the step of the turn."""
    passages = seen.game.passages
    if passages is None:
        return None
    step = seen.slice.table.step if seen.slice else ""
    section = passages.moves.get(doing or "") or passages.steps.get(step)
    return rules_path(seen.code, "end" if seen.outcome else section)


def passage_of(refusal: ApiError, seen: PlayerView, move: str) -> str | None:
    """The path of the rule by which a move was refused: that of the reason, else of the move or the step."""
    if refusal.code != "illegal-move" or seen.game.passages is None:
        return None
    why = refusal.sentence.key.removeprefix(f"{seen.game.id}.why.")
    if why == refusal.sentence.key:  # a reason common to all games, such as not your turn
        return passage_now(seen, None)
    passages = seen.game.passages
    return rules_path(seen.code, passages.refusals.get(why) or passages.moves.get(move))


def missing(seen: PlayerView, localizer: Localizer) -> list[dict[str, str]]:
    """The moves that this step usually offers and does not offer now, each with the path of the rule."""
    if not seen.choices or not seen.slice or seen.game.passages is None:
        return []
    passages, offered = seen.game.passages, {choice.type for choice in seen.choices}
    usual = passages.usual.get(seen.slice.table.step, ())
    return [
        {
            "type": type_,
            "label": Forms(localizer).do(type_),
            "why": rules_path(seen.code, passages.moves[type_]),
        }
        for type_ in usual
        if type_ not in offered
    ]
