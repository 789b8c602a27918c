"""The HTTP contract as a Flask blueprint: each view reads, checks, changes, answers."""

import hashlib
from typing import Any

from flask import Blueprint, Response, current_app, jsonify, request

from referee.games import GAMES
from referee.papers import score_sheet
from referee.words import words
from web import paper
from web.bodies import fields_of, parse, text_in, wish_in
from web.caller import bearer, host_token, language, seat_token
from web.dates import spoken
from web.desks import Desks
from web.house import Caller, House, Retry
from web.openapi import DESCRIPTION
from web.refusals import Refusal, malformed
from web.table import LiveTable

api = Blueprint("api", __name__, url_prefix="/api")

SHEETS = {
    "txt": ("text/plain", paper.as_text),
    "png": ("image/png", paper.as_png),
    "pdf": ("application/pdf", paper.as_pdf),
}


def house() -> House:
    return current_app.extensions["house"]  # type: ignore[no-any-return]


def desks() -> Desks:
    return current_app.extensions["desks"]  # type: ignore[no-any-return]


def caller(token: str | None = None) -> Caller:
    return Caller(request.remote_addr or "", token)


def seat_caller(code: str) -> Caller:
    return caller(seat_token(request.headers, request.cookies, code, request.args.get("seat")))


def my_language() -> str:
    return language(request.headers, request.cookies)


def body() -> Any:
    return parse(request.get_data())


def retry() -> Retry | None:
    """The Idempotency-Key of this call, bound to its body and its address."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not 1 <= len(key) <= 128:
        raise malformed("Idempotency-Key")
    return Retry(key, hashlib.sha256(request.path.encode() + b"\n" + request.get_data()).hexdigest())


@api.get("/openapi.json")
def openapi() -> Response:
    return jsonify(DESCRIPTION)


@api.get("/games")
def games() -> Response:
    said = words(my_language())
    return jsonify(
        [
            {
                "game": game.id,
                "name": said.say(f"{game.id}.name"),
                "seats": list(game.seats({option.name: option.default for option in game.options})),
                "options": [option.wire() for option in game.options],
            }
            for game in GAMES.values()
        ]
    )


@api.post("/tables")
def open_table() -> tuple[Response, int]:
    asked, token = body(), bearer(request.headers)
    wanted = asked.get("game") if isinstance(asked, dict) else None
    if isinstance(wanted, str) and wanted not in GAMES:
        raise Refusal("unknown-game")
    if not desks().holds_key(token):
        house().check_pin(caller(token), request.headers.get("X-Host-Pin"))
    opened = house().open(wish_in(asked, house().settings.desk.name), caller(token))
    table = house().find(opened.code, caller(opened.host))
    seats = [
        {"seat": seat, "key": key, "join_url": desks().join_url(table, seat, key)}
        for seat, key in opened.keys.items()
    ]
    return jsonify({"table": opened.code, "host": opened.host, "seats": seats}), 201


@api.post("/tables/<code>/seats/<seat>")
def join(code: str, seat: str) -> Response:
    return jsonify({"token": house().join(code, seat, body(), caller(), retry())})


@api.get("/tables/<code>")
def table_view(code: str) -> Response:
    table = house().find(code, seat_caller(code))
    return jsonify(table.view(None, my_language()))


@api.get("/tables/<code>/me")
def seat_view(code: str) -> Response:
    who = seat_caller(code)
    table = house().find(code, who)
    return jsonify(table.view(house().seat(table, who), my_language()))


@api.post("/tables/<code>/moves")
def move(code: str) -> Response:
    return jsonify(house().move(code, body(), seat_caller(code), my_language(), retry()))


@api.get("/tables/<code>/sheet.<form>")
def sheet(code: str, form: str) -> Response:
    table = house().find(code, seat_caller(code))
    return sheet_as(table, form, my_language())


def sheet_as(table: LiveTable, form: str, spoken_in: str) -> Response:
    """The score sheet of a finished game in one of its forms."""
    if form not in SHEETS:
        raise Refusal("unknown-page")
    if not table.match.outcome:
        raise Refusal("not-over")
    when = spoken(desks().finished(table), spoken_in)
    blocks = tuple(score_sheet(table.seen(), words(spoken_in), when))
    kind, make = SHEETS[form]
    return Response(make(blocks, house().settings.printer.columns), mimetype=kind)


@api.post("/tables/<code>/print")
def print_paper(code: str) -> tuple[Response, int]:
    table = house().find(code, seat_caller(code))
    _check_may_print(table, code)
    fields = fields_of(body(), ("what",))
    if fields["what"] not in ("sheet", "join"):
        raise malformed("what")
    return jsonify({"job": desks().print(table, fields["what"])}), 202


def _check_may_print(table: LiveTable, code: str) -> None:
    """Whoever holds a seat, the table, or the desk."""
    tokens = [seat_caller(code).token, host_token(request.headers, request.cookies, code)]
    if not any(tokens):
        raise Refusal("no-token")
    if any(table.seat_of(t) or table.is_host(t) or desks().holds_key(t) for t in tokens):
        return
    raise house().failed(caller(), "bad-token")


@api.post("/desks/<desk>/jobs/<int:number>")
def job_done(desk: str, number: int) -> Response:
    _check_desk(desk)
    fields = fields_of(body(), ("state",), ("reason",))
    if fields["state"] not in ("printed", "failed"):
        raise malformed("state")
    reason = text_in(fields, "reason") if "reason" in fields else ""
    desks().answered(desk, number, fields["state"], reason[:200])
    return jsonify({})


@api.post("/desks/<desk>/health")
def health(desk: str) -> Response:
    _check_desk(desk)
    asked = body()
    if not isinstance(asked, dict) or not all(_is_health(value) for value in asked.values()):
        raise malformed("JSON")
    desks().health[desk] = asked
    return jsonify({})


def _is_health(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"ok", "detail"}
        and isinstance(value["ok"], bool)
        and isinstance(value["detail"], str)
    )


def _check_desk(desk: str) -> None:
    desks().check(desk)
    token = bearer(request.headers)
    if token is None:
        raise Refusal("no-token")
    if not desks().holds_key(token):
        raise house().failed(caller(token), "bad-token")
