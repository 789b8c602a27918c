"""The JSON API as a Flask blueprint, except what the event loop serves itself.

Each view reads the request, checks it, makes the change and responds.
"""

import os
import signal
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from flask import Blueprint, Response, jsonify, request

from referee.core.moves import Seat
from referee.core.questions import HOST
from referee.games import GAMES
from referee.presentation.sheets import Block
from referee.presentation.words import words
from web.api.openapi import DESCRIPTION
from web.output import paper
from web.request_context import (
    any_caller,
    body,
    caller,
    desks,
    my_language,
    retry,
    seat_caller,
    service,
)
from web.security.caller import bearer, host_token, language
from web.security.hosts import network_key
from web.service import presets, questions
from web.service.live_table import LiveTable
from web.service.opening import Opened
from web.service.rematch import open_rematch
from web.wire.errors import ApiError, malformed
from web.wire.json_schema import fits
from web.wire.parsing import request_in
from web.wire.requests import (
    DESK_HEALTH,
    ClockRequest,
    EmptyRequest,
    JobDoneRequest,
    OpenTableRequest,
    PrintRequest,
    SavePresetRequest,
    Sound,
)

api = Blueprint("api", __name__, url_prefix="/api")

DRAWN = 16  # rendered sheets cached per format
SHEETS: dict[str, tuple[str, Callable[[tuple[Block, ...], int], str | bytes]]] = {
    "txt": ("text/plain", paper.as_text),
    "png": ("image/png", lru_cache(DRAWN)(paper.as_png)),
    "pdf": ("application/pdf", lru_cache(DRAWN)(paper.as_pdf)),
}


@api.post("/clock")
def clock() -> Response:
    """Take a phone's time into account, for a machine without a real-time clock."""
    told = request_in(ClockRequest, body())
    service().clock.learn(datetime.fromtimestamp(told.now, UTC), network_key(caller().address))
    return jsonify({"sure": service().clock.is_sure()})


@api.get("/openapi.json")
def openapi() -> Response:
    return jsonify(DESCRIPTION)


@api.get("/games")
def games() -> Response:
    texts = words(my_language())
    return jsonify(
        [
            {
                "game": game.id,
                "name": texts.say(f"{game.id}.name"),
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
    _check_known(asked, "desk", service().desks)
    is_desk = desks().holds_key(_desk_in(asked), token)
    if not is_desk:
        service().guesses.check_pin(caller(token), request.headers.get("X-Host-Pin"))
    wanted = request_in(OpenTableRequest, asked, desk=service().settings.desk.name)
    opened = service().wait(
        service().open(wanted, caller(token), trusted=is_desk, retry=retry() if is_desk else None)
    )
    told = {"table": opened.code, "host": opened.host, "seats": _with_links(opened.code, opened.keys)}
    return jsonify({**told, **_table_key(opened)}), 201


def _table_key(opened: Opened) -> dict[str, str]:
    """The key that takes any free seat, and its join URL; nothing once the game has begun."""
    if not opened.table_key:
        return {}
    url = desks().table_join_url(opened.code, opened.table_key)
    return {"table_key": opened.table_key, "join_url": url}


def _with_links(code: str, keys: Mapping[Seat, str]) -> list[dict[str, str]]:
    """Seats with their keys, each with its join URL."""
    return [
        {"seat": seat, "key": key, "join_url": desks().join_url(code, seat, key)}
        for seat, key in keys.items()
    ]


def _desk_in(asked: Any) -> str:
    """The desk at which a table is to be opened."""
    named = asked.get("desk") if isinstance(asked, dict) else None
    return named if isinstance(named, str) else service().settings.desk.name


def _check_known(asked: Any, name: str, known: Collection[str]) -> None:
    """Refuse an unknown name (404) before any other check."""
    wanted = asked.get(name) if isinstance(asked, dict) else None
    if isinstance(wanted, str) and wanted not in known:
        raise ApiError(f"unknown-{name}")


@api.get("/shelf/<game>/<option>")
def list_presets(game: str, option: str) -> Response:
    values = presets.permitted_presets(service(), game, option)
    return jsonify([{"name": name, "value": value} for name, value in values.items()])


@api.post("/shelf/<game>/<option>")
def save_preset(game: str, option: str) -> tuple[Response, int]:
    presets.option_of(game, option)
    service().guesses.check_pin(caller(), request.headers.get("X-Host-Pin"))
    asked = request_in(SavePresetRequest, body())
    name = service().wait(presets.save(service(), game, option, asked.name, asked.value))
    return jsonify({"name": name}), 201


@api.delete("/shelf/<game>/<option>/<path:name>")
def delete_preset(game: str, option: str, name: str) -> Response:
    presets.option_of(game, option)
    service().guesses.check_pin(caller(), request.headers.get("X-Host-Pin"))
    service().wait(presets.delete(service(), game, option, name))
    return jsonify({})


@api.post("/tables/<code>/seats/<seat>")
def join(code: str, seat: str) -> Response:
    return jsonify({"token": service().wait(service().join(code, seat, body(), caller(), retry()))})


@api.post("/tables/<code>/join")
def join_with_table_key(code: str) -> Response:
    token = service().wait(service().join_with_table_key(code, body(), caller(), retry()))
    return jsonify({"token": token})


@api.get("/tables/<code>")
def table_view(code: str) -> Response:
    table = service().find(code, any_caller(code))
    return jsonify({**table.view(None, my_language()), **_hosts_keys(table)})


def _hosts_keys(table: LiveTable) -> dict[str, Any]:
    """The new keys that the host asked for, if the request has the host's bearer token.

    A cookie is not enough: browsers send it with every request, those of a public screen included.
    """
    keys = table.handed_keys(HOST) if table.is_host(bearer(request.headers)) else {}
    return {"keys": keys} if keys else {}


@api.get("/tables/<code>/me")
def seat_view(code: str) -> Response:
    who = seat_caller(code)
    table = service().find(code, who)
    return jsonify(table.view(service().seat(table, who), my_language()))


@api.post("/tables/<code>/ask")
def ask(code: str) -> Response:
    told = service().wait(questions.ask(service(), code, body(), any_caller(code), my_language(), retry()))
    return jsonify({**told, **_handed(code)})


@api.post("/tables/<code>/answer")
def answer(code: str) -> Response:
    told = service().wait(questions.answer(service(), code, body(), any_caller(code), my_language(), retry()))
    return jsonify({**told, **_handed(code)})


def _handed(code: str) -> dict[str, Any]:
    """The new keys that this caller asked for, with their join URLs."""
    who = any_caller(code)
    table = service().find(code, who)
    asker = HOST if table.is_host(who.token) else table.seat_of(who.token)
    keys = table.handed_keys(asker) if asker else {}
    return {"seats": _with_links(code, keys)} if keys else {}


@api.post("/tables/<code>/rematch")
def rematch(code: str) -> tuple[Response, int]:
    asked = body() if request.get_data() else {}
    opened = service().wait(open_rematch(service(), code, asked, any_caller(code), retry()))
    return jsonify({"table": opened}), 201


@api.get("/tables/<code>/record")
def record(code: str) -> Response:
    past = service().records.get(service().find(code, any_caller(code)))
    return Response(past.record, mimetype="application/json")


@api.get("/tables/<code>/sheet.<form>")
def sheet(code: str, form: str) -> Response:
    table = service().find(code, any_caller(code))
    return sheet_as(table, form, language(request.headers, request.cookies, table.match.options["language"]))


def sheet_as(table: LiveTable, form: str, spoken_in: str) -> Response:
    """The score sheet of a finished game as text, PNG or PDF."""
    if form not in SHEETS:
        raise ApiError("unknown-page")
    if not table.match.outcome:
        raise ApiError("not-over")
    kind, make = SHEETS[form]
    blocks = desks().sheet(table, words(spoken_in))
    return Response(make(blocks, service().settings.printer.columns), mimetype=kind)


@api.post("/tables/<code>/print")
def print_paper(code: str) -> tuple[Response, int]:
    table, token = _who_prints(code)
    asked = body()
    if isinstance(asked, dict) and asked.get("what") == "sheet" and not table.match.outcome:
        raise ApiError("not-over")
    job = service().wait(desks().print(table, request_in(PrintRequest, asked).what, token, retry()))
    return jsonify({"job": job}), 202


def _who_prints(code: str) -> tuple[LiveTable, str]:
    """The table, and the first valid token of the request: a seat's, the host's, or the desk's key."""
    sent = (seat_caller(code).token, host_token(request.headers, request.cookies, code))
    tokens, table = [token for token in sent if token], service().table(code)
    good = next((token for token in tokens if _opens(table, token)), None)
    table = service().find(code, caller(good), trusted=good is not None)
    if good:
        return table, good
    raise service().guesses.failure(caller(), "bad-token") if tokens else ApiError("no-token")


def _opens(table: LiveTable | None, token: str) -> bool:
    if table is None:
        return any(desks().holds_key(desk, token) for desk in service().desks)
    is_ours = table.seat_of(token) is not None or table.is_host(token)
    return is_ours or desks().holds_key(desks().of_table(table), token)


@api.post("/desks/<desk>/jobs/<int:number>")
def job_done(desk: str, number: int) -> Response:
    job = desks().job(desk, number)
    _check_desk(desk)
    done = request_in(JobDoneRequest, body())
    service().wait(desks().answered(job, done.state, done.reason[:200]))
    return jsonify({})


@api.post("/desks/<desk>/health")
def health(desk: str) -> Response:
    _check_desk(desk)
    asked = body()
    if not fits(asked, DESK_HEALTH):
        raise malformed("JSON")
    desks().report_health(desk, asked)
    return jsonify({})


@api.post("/desks/<desk>/sound")
def sound(desk: str) -> Response:
    _check_desk(desk)
    service().wait(desks().choose_sound(desk, request_in(Sound, body()).sound))
    return jsonify({})


@api.post("/desks/<desk>/end")
def end(desk: str) -> tuple[Response, int]:
    """Shut the server down as SIGTERM does, because the desk's shutdown button was held."""
    _check_desk(desk)
    request_in(EmptyRequest, body())
    os.kill(os.getpid(), signal.SIGTERM)
    return jsonify({}), 202


def _check_desk(desk: str) -> None:
    desks().check_key(desk, caller(bearer(request.headers)))
