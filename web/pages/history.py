"""What was played here: the history, a page for each game, and files to take along."""

from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, make_response, request

from referee.games import GAMES
from referee.views import Voice, begun, called
from referee.words import words
from web import exports
from web.api import house
from web.api_memory import wanted
from web.pages.page import and_list, language, say, show, voice_of
from web.refusals import Refusal
from web.store import annals
from web.store.annals import Past, Wanted

history = Blueprint("history", __name__)

PAGE = 30  # games
ALL = -1
COLUMNS = 12  # of a drawing of lengths
FILES: dict[str, tuple[str, Callable[[Iterable[Past], str], str]]] = {
    "csv": ("text/csv", exports.as_csv),
    "json": ("application/json", lambda games, _: exports.as_json(games)),
}


@history.get("/history")
def look() -> Response:
    asked = wanted()
    store, everything = house().store, Wanted(asked.game, asked.person)
    games = annals.history(store, asked, PAGE + 1)
    person = annals.person(store, asked.person)
    typed = {"game": asked.game, "player": request.args.get("player", "")[:80]}
    chosen = {name: value for name, value in typed.items() if value}
    return show(
        "history.html",
        games=[shown(game) for game in games[:PAGE]],
        total=annals.count(store, everything),
        older=urlencode({**chosen, "before": games[PAGE - 1].n}) if len(games) > PAGE else "",
        newer=urlencode(chosen) if asked.before else "",
        chosen=urlencode(chosen),
        asked=asked,
        typed=person.name if person else typed["player"],
        catalogue=[(game, voice_of(game).of_game("name")) for game in GAMES],
        names=annals.suggestions(store),
        done=request.args.get("done"),
        is_first=asked.before is None,
    )


@history.get("/history.<form>")
def export(form: str) -> Response:
    """All games that the query asks for, as a file."""
    if form not in FILES:
        raise Refusal("unknown-page")
    kind, write = FILES[form]
    response = make_response(write(annals.history(house().store, wanted(), ALL), language()))
    response.mimetype = kind
    response.headers["Content-Disposition"] = f'attachment; filename="games.{form}"'
    return response


@history.get("/games/<game>")
def one_game(game: str) -> Response:
    if game not in GAMES:
        raise Refusal("unknown-game")
    figures, voice = annals.figures(house().store, game), voice_of(game)
    return show(
        "game.html",
        game=game,
        voice=voice,
        figures=figures,
        sides=[
            {"name": voice.title(side), "won": won, "played": played}
            for side, (won, played) in figures.sides.items()
        ],
        reasons=[(voice.of_game(f"reason.{reason}"), n) for reason, n in figures.reasons.items()],
        moves=_length(figures.moves),
        minutes=_length(figures.minutes),
    )


def _length(counts: dict[int, int]) -> dict[str, Any] | None:
    """How long games were: the shortest, the one in the middle, the longest, and a few columns."""
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
        "middle": _middle(counts),
        "most": highest,
        "columns": list(zip(names, columns, strict=True)),
    }


def _middle(counts: dict[int, int]) -> int:
    half, so_far = (sum(counts.values()) + 1) // 2, 0
    for length, n in sorted(counts.items()):
        so_far += n
        if so_far >= half:
            return length
    raise ValueError("nothing was counted")


def shown(game: Past) -> dict[str, Any]:
    """A finished game in words. One whose rules are gone is told by what is left."""
    if game.game not in GAMES:
        return {"past": game, "name": game.game, "ending": "", "players": players(game)}
    voice = voice_of(game.game)
    return {
        "past": game,
        "name": voice.of_game("name"),
        "ending": _ending(game, voice),
        "players": players(game),
    }


def players(game: Past) -> list[dict[str, Any]]:
    return [{"sat": sat, "name": called(sat.name, words(language()))} for sat in game.players]


def _ending(game: Past, voice: Voice) -> str:
    if game.is_abandoned:
        return say("page.past.abandoned")
    why = voice.of_game(f"reason.{game.reason}")
    names = [player["name"] for player in players(game) if player["sat"].won]
    if not names:
        return say("page.past.drawn", why=why)
    return begun(say("page.past.won", names=and_list(names), n=len(names), why=why), voice.words)
