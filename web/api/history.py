"""The JSON API of finished games and people: listing and deleting them."""

from flask import Blueprint, Response, jsonify, request

from referee.games import GAMES
from web.output import exports
from web.request_context import caller, service
from web.service import erasure
from web.store import HIGHEST, history_queries
from web.store.history_queries import HistoryFilter
from web.wire.errors import ApiError, malformed
from web.wire.names import person_key
from web.wire.parsing import whole

api_history = Blueprint("api_history", __name__, url_prefix="/api")

PAGE, MOST = 50, 500  # games in one response: by default, and at most


@api_history.get("/history")
def history() -> Response:
    asked = wanted()
    games = history_queries.history(service().store, asked, min(_number("limit") or PAGE, MOST))
    return jsonify([exports.game_as_json(game) for game in games])


@api_history.delete("/history/<code>")
def forget_game(code: str) -> Response:
    if service().store.ending(code) is None:
        service().find(code, caller())  # refuses the code, and counts it for the rate limit
    service().guesses.check_pin(caller(), request.headers.get("X-Host-Pin"))
    service().wait(erasure.forget_game(service(), code))
    return jsonify({})


@api_history.get("/players")
def players() -> Response:
    return jsonify([exports.person_as_json(person) for person in history_queries.people(service().store)])


@api_history.delete("/players/<path:name>")
def forget_person(name: str) -> Response:
    erasure.check_known(service(), name)
    service().guesses.check_pin(caller(), request.headers.get("X-Host-Pin"))
    return jsonify({"tables": service().wait(erasure.forget_person(service(), name))})


def wanted() -> HistoryFilter:
    """The filter in the query string."""
    game = request.args.get("game", "")
    if game and game not in GAMES:
        raise ApiError("unknown-game")
    return HistoryFilter(game, person_key(request.args.get("player", "")), _number("before"))


def _number(name: str) -> int | None:
    text = request.args.get(name)
    if text is None:
        return None
    number = whole(text, 19)
    if not number or number > HIGHEST:
        raise malformed(name)
    return number
