"""History and people in the HTTP contract: what was played, by whom, and how it is forgotten."""

from flask import Blueprint, Response, jsonify, request

from referee.games import GAMES
from web import exports, forgetting
from web.api import caller, house
from web.bodies import whole
from web.people import known_as
from web.refusals import Refusal, malformed
from web.store import HIGHEST, annals
from web.store.annals import Wanted

api_memory = Blueprint("api_memory", __name__, url_prefix="/api")

PAGE, MOST = 50, 500  # games in one answer


@api_memory.get("/history")
def history() -> Response:
    asked = wanted()
    games = annals.history(house().store, asked, min(_number("limit") or PAGE, MOST))
    return jsonify([exports.past(game) for game in games])


@api_memory.delete("/history/<code>")
def forget_game(code: str) -> Response:
    if house().store.table(code) is None:
        house().find(code, caller())  # refused, and counted
    house().check_pin(caller(), request.headers.get("X-Host-Pin"))
    house().wait(forgetting.forget_game(house(), code))
    return jsonify({})


@api_memory.get("/players")
def players() -> Response:
    return jsonify([exports.player(person) for person in annals.people(house().store)])


@api_memory.delete("/players/<path:name>")
def forget_person(name: str) -> Response:
    forgetting.check_known(house(), name)
    house().check_pin(caller(), request.headers.get("X-Host-Pin"))
    return jsonify({"tables": house().wait(forgetting.forget_person(house(), name))})


def wanted() -> Wanted:
    """Which games the query asks for."""
    game = request.args.get("game", "")
    if game and game not in GAMES:
        raise Refusal("unknown-game")
    return Wanted(game, known_as(request.args.get("player", "")), _number("before"))


def _number(name: str) -> int | None:
    text = request.args.get(name)
    if text is None:
        return None
    number = whole(text, 19)
    if not number or number > HIGHEST:
        raise malformed(name)
    return number
