"""The HTTP contract as a Flask blueprint: each view reads, checks, changes, answers."""

import os
import signal
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from flask import Blueprint, Response, current_app, g, jsonify, request

from referee.cues import SOUNDS
from referee.games import GAMES
from referee.moves import Seat
from referee.questions import HOST
from referee.sheets import Block
from referee.words import words
from web import mending, paper, shelf
from web.bodies import fields_of, parse, text_in, wish_in
from web.caller import Caller, any_token, bearer, host_token, language, seat_token
from web.desks import Desks
from web.house import House
from web.openapi import DESCRIPTION
from web.refusals import Refusal, malformed
from web.retries import Retry, retry_of
from web.table import LiveTable

api = Blueprint("api", __name__, url_prefix="/api")

DRAWN = 16  # pictures of sheets kept at hand
LAST_SECOND = 253_402_300_800  # of the year 9999, after which there are no dates
SHEETS: dict[str, tuple[str, Callable[[tuple[Block, ...], int], str | bytes]]] = {
    "txt": ("text/plain", paper.as_text),
    "png": ("image/png", lru_cache(DRAWN)(paper.as_png)),
    "pdf": ("application/pdf", lru_cache(DRAWN)(paper.as_pdf)),
}


def house() -> House:
    return current_app.extensions["house"]  # type: ignore[no-any-return]


def desks() -> Desks:
    return current_app.extensions["desks"]  # type: ignore[no-any-return]


def caller(token: str | None = None) -> Caller:
    return Caller(request.remote_addr or "", token)


def seat_caller(code: str) -> Caller:
    return caller(seat_token(request.headers, request.cookies, code, request.args.get("seat")))


def any_caller(code: str) -> Caller:
    """Whoever holds a seat, else the host."""
    return caller(any_token(request.headers, request.cookies, code, request.args.get("seat")))


def my_language() -> str:
    """The language of whoever calls: a page asks for it with every word, so it is found once."""
    if "asked_in" not in g:
        g.asked_in = language(request.headers, request.cookies)
    return str(g.asked_in)


def body() -> Any:
    return parse(request.get_data())


def retry() -> Retry | None:
    """The Idempotency-Key of this call, bound to its body and its address."""
    return retry_of(request.headers.get("Idempotency-Key"), request.path, request.get_data())


@api.post("/clock")
def clock() -> Response:
    """The time as a phone has it, for a machine that has no clock of its own."""
    told = fields_of(body(), ("now",))["now"]
    if type(told) is not int or not 0 <= told < LAST_SECOND:
        raise malformed("now")
    house().wall.learn(datetime.fromtimestamp(told, UTC))
    return jsonify({"sure": house().wall.is_sure()})


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
    _check_known(asked, "game", GAMES)
    _check_known(asked, "desk", house().desks)
    is_desk = desks().holds_key(token)
    if not is_desk:
        house().check_pin(caller(token), request.headers.get("X-Host-Pin"))
    wish = wish_in(asked, house().settings.desk.name)
    opened = house().wait(
        house().open(wish, caller(token), trusted=is_desk, retry=retry() if is_desk else None)
    )
    seats = _with_links(opened.code, opened.keys)
    return jsonify({"table": opened.code, "host": opened.host, "seats": seats}), 201


def _with_links(code: str, keys: Mapping[Seat, str]) -> list[dict[str, str]]:
    """Keys to hand on, each with the address where it is used."""
    return [
        {"seat": seat, "key": key, "join_url": desks().join_url(code, seat, key)}
        for seat, key in keys.items()
    ]


def _check_known(asked: Any, name: str, known: Collection[str]) -> None:
    """What is unknown is told before anything else."""
    wanted = asked.get(name) if isinstance(asked, dict) else None
    if isinstance(wanted, str) and wanted not in known:
        raise Refusal(f"unknown-{name}")


@api.get("/shelf/<game>/<option>")
def shelf_values(game: str, option: str) -> Response:
    values = shelf.kept_values(house(), game, option)
    return jsonify([{"name": name, "value": value} for name, value in values.items()])


@api.post("/shelf/<game>/<option>")
def shelve(game: str, option: str) -> tuple[Response, int]:
    shelf.option_of(game, option)
    house().check_pin(caller(), request.headers.get("X-Host-Pin"))
    fields = fields_of(body(), ("name", "value"))
    name = house().wait(shelf.keep(house(), game, option, text_in(fields, "name"), fields["value"]))
    return jsonify({"name": name}), 201


@api.delete("/shelf/<game>/<option>/<path:name>")
def unshelve(game: str, option: str, name: str) -> Response:
    shelf.option_of(game, option)
    house().check_pin(caller(), request.headers.get("X-Host-Pin"))
    house().wait(shelf.forget(house(), game, option, name))
    return jsonify({})


@api.post("/tables/<code>/seats/<seat>")
def join(code: str, seat: str) -> Response:
    return jsonify({"token": house().wait(house().join(code, seat, body(), caller(), retry()))})


@api.get("/tables/<code>")
def table_view(code: str) -> Response:
    table = house().find(code, any_caller(code))
    return jsonify({**table.view(None, my_language()), **_hosts_keys(table)})


def _hosts_keys(table: LiveTable) -> dict[str, Any]:
    """The new keys that the host asked for, where the call itself shows the host's token: a cookie comes
    along with every call of a browser, a screen's too."""
    keys = table.handed_keys(HOST) if table.is_host(bearer(request.headers)) else {}
    return {"keys": keys} if keys else {}


@api.get("/tables/<code>/me")
def seat_view(code: str) -> Response:
    who = seat_caller(code)
    table = house().find(code, who)
    return jsonify(table.view(house().seat(table, who), my_language()))


@api.post("/tables/<code>/ask")
def ask(code: str) -> Response:
    told = house().wait(mending.ask(house(), code, body(), any_caller(code), my_language(), retry()))
    return jsonify({**told, **_handed(code)})


@api.post("/tables/<code>/answer")
def answer(code: str) -> Response:
    told = house().wait(mending.answer(house(), code, body(), any_caller(code), my_language(), retry()))
    return jsonify({**told, **_handed(code)})


def _handed(code: str) -> dict[str, Any]:
    """The new keys that this caller asked for, with their addresses."""
    who = any_caller(code)
    table = house().find(code, who)
    asker = HOST if table.is_host(who.token) else table.seat_of(who.token)
    keys = table.handed_keys(asker) if asker else {}
    return {"seats": _with_links(code, keys)} if keys else {}


@api.post("/tables/<code>/rematch")
def rematch(code: str) -> tuple[Response, int]:
    asked = body() if request.get_data() else {}
    opened = house().wait(mending.rematch(house(), code, asked, any_caller(code), retry()))
    return jsonify({"table": opened}), 201


@api.get("/tables/<code>/record")
def record(code: str) -> Response:
    past = house().records.past(house().find(code, any_caller(code)))
    return Response(past.record, mimetype="application/json")


@api.get("/tables/<code>/sheet.<form>")
def sheet(code: str, form: str) -> Response:
    table = house().find(code, any_caller(code))
    return sheet_as(table, form, language(request.headers, request.cookies, table.match.options["language"]))


def sheet_as(table: LiveTable, form: str, spoken_in: str) -> Response:
    """The score sheet of a finished game in one of its forms."""
    if form not in SHEETS:
        raise Refusal("unknown-page")
    if not table.match.outcome:
        raise Refusal("not-over")
    kind, make = SHEETS[form]
    blocks = desks().sheet(table, words(spoken_in))
    return Response(make(blocks, house().settings.printer.columns), mimetype=kind)


@api.post("/tables/<code>/print")
def print_paper(code: str) -> tuple[Response, int]:
    table, token = _who_prints(code)
    asked = body()
    if isinstance(asked, dict) and asked.get("what") == "sheet" and not table.match.outcome:
        raise Refusal("not-over")
    fields = fields_of(asked, ("what",))
    if fields["what"] not in ("sheet", "join"):
        raise malformed("what")
    job = house().wait(desks().print(table, fields["what"], token, retry()))
    return jsonify({"job": job}), 202


def _who_prints(code: str) -> tuple[LiveTable, str]:
    """The table, and the token of whoever holds a seat, the table, or the desk."""
    sent = (seat_caller(code).token, host_token(request.headers, request.cookies, code))
    tokens, table = [token for token in sent if token], house().table(code)
    good = next((token for token in tokens if _opens(table, token)), None)
    table = house().find(code, caller(good), trusted=good is not None)
    if good:
        return table, good
    raise house().failed(caller(), "bad-token") if tokens else Refusal("no-token")


def _opens(table: LiveTable | None, token: str) -> bool:
    here = table is not None and (table.seat_of(token) is not None or table.is_host(token))
    return here or desks().holds_key(token)


@api.post("/desks/<desk>/jobs/<int:number>")
def job_done(desk: str, number: int) -> Response:
    job = desks().job(desk, number)
    _check_desk(desk)
    fields = fields_of(body(), ("state",), ("reason",))
    if fields["state"] not in ("printed", "failed"):
        raise malformed("state")
    reason = text_in(fields, "reason") if "reason" in fields else ""
    house().wait(desks().answered(job, fields["state"], reason[:200]))
    return jsonify({})


@api.post("/desks/<desk>/health")
def health(desk: str) -> Response:
    _check_desk(desk)
    asked = body()
    if not isinstance(asked, dict) or not all(_is_health(value) for value in asked.values()):
        raise malformed("JSON")
    desks().hear(desk, asked)
    return jsonify({})


@api.post("/desks/<desk>/sound")
def sound(desk: str) -> Response:
    _check_desk(desk)
    fields = fields_of(body(), ("sound",))
    if fields["sound"] not in SOUNDS:
        raise malformed("sound")
    house().wait(desks().choose_sound(desk, fields["sound"]))
    return jsonify({})


@api.post("/desks/<desk>/end")
def end(desk: str) -> tuple[Response, int]:
    """Somebody holds the desk's button: the server ends as if the system had told it to."""
    _check_desk(desk)
    fields_of(body(), ())
    os.kill(os.getpid(), signal.SIGTERM)
    return jsonify({}), 202


def _is_health(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"ok", "detail"}
        and isinstance(value["ok"], bool)
        and isinstance(value["detail"], str)
    )


def _check_desk(desk: str) -> None:
    desks().check_key(desk, caller(bearer(request.headers)))
