"""The history page, the statistics page of each game, and the CSV and JSON exports."""

from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, make_response, request

from referee.games import GAMES
from referee.presentation.views import Localizer, capitalized, display_name
from referee.presentation.words import words
from web.api.history import wanted
from web.output import exports
from web.pages.rendering import and_list, game_localizer, language, render_page, say
from web.request_context import service
from web.store import history_queries
from web.store.history_queries import FinishedGame, HistoryFilter
from web.wire.errors import ApiError

history = Blueprint("history", __name__)

PAGE = 30  # games
ALL = -1
COLUMNS = 12  # of a histogram
FILES: dict[str, tuple[str, Callable[[Iterable[FinishedGame], str], str]]] = {
    "csv": ("text/csv", exports.as_csv),
    "json": ("application/json", lambda games, _: exports.as_json(games)),
}


@history.get("/history")
def show() -> Response:
    asked = wanted()
    store, everything = service().store, HistoryFilter(asked.game, asked.person)
    games = history_queries.history(store, asked, PAGE + 1)
    person = history_queries.person(store, asked.person)
    typed = {"game": asked.game, "player": request.args.get("player", "")[:80]}
    chosen = {name: value for name, value in typed.items() if value}
    return render_page(
        "history.html",
        games=[shown(game) for game in games[:PAGE]],
        total=history_queries.count_games(store, everything),
        damaged=history_queries.count_damaged(store),
        older=urlencode({**chosen, "before": games[PAGE - 1].n}) if len(games) > PAGE else "",
        newer=urlencode(chosen) if asked.before else "",
        chosen=urlencode(chosen),
        asked=asked,
        typed=person.name if person else typed["player"],
        catalogue=[(game, game_localizer(game).of_game("name")) for game in GAMES],
        names=history_queries.suggestions(store),
        done=request.args.get("done"),
        is_first=asked.before is None,
    )


@history.get("/history.<form>")
def export(form: str) -> Response:
    """All games that match the query, as a file to download."""
    if form not in FILES:
        raise ApiError("unknown-page")
    kind, write = FILES[form]
    response = make_response(write(history_queries.history(service().store, wanted(), ALL), language()))
    response.mimetype = kind
    response.headers["Content-Disposition"] = f'attachment; filename="games.{form}"'
    return response


@history.get("/games/<game>")
def one_game(game: str) -> Response:
    if game not in GAMES:
        raise ApiError("unknown-game")
    figures, localizer = history_queries.figures(service().store, game), game_localizer(game)
    return render_page(
        "game.html",
        game=game,
        localizer=localizer,
        figures=figures,
        sides=[
            {"name": localizer.title(side), "won": won, "played": played}
            for side, (won, played) in figures.sides.items()
            if f"{game}.seat.{side}" in localizer.words
        ],
        reasons=[(_why(reason, localizer), n) for reason, n in figures.reasons.items()],
        moves=_length(figures.moves),
        minutes=_length(figures.minutes),
    )


def _length(counts: dict[int, int]) -> dict[str, Any] | None:
    """The lengths of games: minimum, median, maximum, and a histogram."""
    if not counts:
        return None
    lowest, highest = min(counts), max(counts)
    wide = (highest - lowest) // COLUMNS + 1
    columns = [0] * ((highest - lowest) // wide + 1)
    for length, n in counts.items():
        columns[(length - lowest) // wide] += n
    names = [(lowest + i * wide, min(lowest + (i + 1) * wide - 1, highest)) for i in range(len(columns))]
    return {
        "least": lowest,
        "middle": _median(counts),
        "most": highest,
        "columns": list(zip(names, columns, strict=True)),
    }


def _median(counts: dict[int, int]) -> int:
    half, so_far = (sum(counts.values()) + 1) // 2, 0
    for length, n in sorted(counts.items()):
        so_far += n
        if so_far >= half:
            return length
    raise ValueError("nothing was counted")


def shown(game: FinishedGame) -> dict[str, Any]:
    """A finished game as templates show it. A game that left the catalogue has only its id."""
    if game.game not in GAMES:
        return {"past": game, "name": game.game, "ending": "", "players": players(game)}
    localizer = game_localizer(game.game)
    return {
        "past": game,
        "name": localizer.of_game("name"),
        "ending": _ending(game, localizer),
        "players": players(game),
    }


def players(game: FinishedGame) -> list[dict[str, Any]]:
    return [{"sat": sat, "name": display_name(sat.name, words(language()))} for sat in game.players]


def _ending(game: FinishedGame, localizer: Localizer) -> str:
    if game.is_abandoned:
        return say("page.past.abandoned")
    why = _why(game.reason, localizer)
    names = [player["name"] for player in players(game) if player["sat"].won]
    if not names:
        return say("page.past.drawn", why=why)
    return capitalized(say("page.past.won", names=and_list(names), n=len(names), why=why), localizer.words)


def _why(reason: str, localizer: Localizer) -> str:
    """Why a game ended, in words. A reason that the game does not have is damage."""
    key = f"reason.{reason}"
    is_known = f"{localizer.game.id}.{key}" in localizer.words
    return localizer.of_game(key) if is_known else say("page.past.damaged")
