"""The contract described for machines: OpenAPI 3.1, served at /api/openapi.json."""

from typing import Any

from web.house import LONGEST_KEY
from web.refusals import STATUS
from web.schemas import SCHEMAS, TEXT, Schema, ref

Operation = dict[str, Any]
Needs = dict[str, list[str]]

SEAT: Needs = {"seat": []}
HOST: Needs = {"host": []}
DESK: Needs = {"desk": []}
ANYWHERE = ("not-allowed", "unknown-page")  # a Host or an Origin that is not ours; no such address
AT_TABLE = ("unknown-table", "slow-down")
WITH_TOKEN = ("no-token", "bad-token", "slow-down")
WRITES = ("malformed", "not-saved")


def _parameter(name: str, where: str, about: str, schema: Schema) -> Schema:
    return {"name": name, "in": where, "required": where == "path", "description": about, "schema": schema}


LANGUAGE = _parameter("Accept-Language", "header", "`fr` (default) or `en`, for every sentence.", TEXT)
TABLE = _parameter("table", "path", "The table's code.", ref("Code"))
SEAT_NAME = _parameter(
    "seat", "path", "One of the table's seats.", {"type": "string", "pattern": "^[a-z_]+$"}
)
DESK_NAME = _parameter("desk", "path", "The desk's name.", {"type": "string", "pattern": "^[^/]+$"})
GAME = _parameter("game", "path", "A game of the catalogue.", {"type": "string", "pattern": "^[a-z_]+$"})
OPTION = _parameter("option", "path", "An option of it.", {"type": "string", "pattern": "^[a-z_]+$"})
SHELF_NAME = _parameter("name", "path", "The name of a value.", {"type": "string", "pattern": "^[^/?#]+$"})
JOB = _parameter("job", "path", "The print job's number.", {"type": "integer", "minimum": 1})
HELD_SEAT = _parameter(
    "seat", "query", "Which of the seats held by this device's cookies; a bearer token needs none.", TEXT
)
RETRY = _parameter(
    "Idempotency-Key",
    "header",
    "The same key again gets the first accepted answer, and nothing is applied twice.",
    {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[!-~]([ -~]*[!-~])?$"},
)
SEATS_TOO = _parameter(
    "seats", "query", "If given, `event: seats` tells who is connected whenever that changes.", TEXT
)

BEATS_TOO = _parameter(
    "beats", "query", "If given, each sign of life comes as `event: beat` too, for a browser's script.", TEXT
)


def _content(schema: Schema, kind: str = "application/json") -> dict[str, Any]:
    return {"content": {kind: {"schema": schema}}}


def _refusals(*codes: str) -> dict[str, Any]:
    """One response a status, with the codes it may carry."""
    by_status: dict[int, list[str]] = {}
    for code in sorted({*codes, *ANYWHERE}):
        by_status.setdefault(STATUS[code], []).append(code)
    return {str(status): _refusal(of_status) for status, of_status in sorted(by_status.items())}


def _refusal(codes: list[str]) -> dict[str, Any]:
    schema = {"allOf": [ref("Problem"), {"properties": {"code": {"enum": codes}}}]}
    told = {"description": ", ".join(codes), **_content(schema, "application/problem+json")}
    wait = {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}, "required": True}
    return {**told, "headers": {"Retry-After": wait}} if "slow-down" in codes else told


def _get(
    name: str, about: str, good: dict[str, Any], *refusals: str, needs: list[Needs] | None = None, **more: Any
) -> Operation:
    return {
        "operationId": name,
        "summary": about,
        "parameters": [LANGUAGE, *more.pop("parameters", ())],
        "security": needs or [],
        "responses": {"200": {"description": "Here it is.", **good}, **_refusals(*refusals)},
        **more,
    }


def _post(
    name: str, about: str, body: str, good: tuple[int, str], *refusals: str, needs: list[Needs], **more: Any
) -> Operation:
    status, schema = good
    return {
        "operationId": name,
        "summary": about,
        "parameters": [LANGUAGE, *more.pop("parameters", ())],
        "security": needs,
        "requestBody": {"required": more.pop("needs_body", True), **_content(ref(body))},
        "responses": {
            str(status): {"description": "Done.", **_content(ref(schema))},
            **_refusals(*refusals, *WRITES),
        },
        **more,
    }


def _stream(
    name: str, about: str, events: str, *refusals: str, needs: list[Needs] | None = None, **more: Any
) -> Operation:
    """Server-sent events, with a comment line every 15 seconds."""
    return _get(name, about, _content(ref(events), "text/event-stream"), *refusals, needs=needs, **more)


def _sheet(form: str, kind: str) -> Operation:
    schema = TEXT if kind.startswith("text/") else {"type": "string", "contentMediaType": kind}
    about = "The score sheet as the printer prints it, once the game is over."
    return _get(f"sheet_{form}", about, _content(schema, kind), *AT_TABLE, "not-over")


SHEETS = {"txt": "text/plain", "html": "text/html", "png": "image/png", "pdf": "application/pdf"}

PATHS: dict[str, dict[str, Any]] = {
    "/healthz": {"get": _get("healthz", "The store answers.", _content(ref("Healthy")))},
    "/api/games": {"get": _get("games", "The catalogue of games.", _content(ref("Catalogue")))},
    "/api/tables": {
        "post": _post(
            "open_table",
            "Open a table. Where the house has a host pin, it is needed, or the desk's key.",
            "Wish",
            (201, "Opened"),
            *("unknown-game", "unknown-desk", "bad-pin", "bad-options", "slow-down"),
            needs=[{}, {"host_pin": []}, DESK],
        )
    },
    "/api/clock": {
        "post": _post(
            "clock",
            "Tell the time, in seconds since 1970 (UTC). Heeded only while our own cannot be right.",
            "Time",
            (200, "Sure"),
            needs=[],
        )
    },
    "/api/shelf/{game}/{option}": {
        "parameters": [GAME, OPTION],
        "get": _get(
            "shelf",
            "The values that owners of a game keep for an option of kind `data`.",
            _content(ref("Shelf")),
            "unknown-game",
        ),
        "post": _post(
            "shelve",
            "Keep a value; one of the same name makes room for it. Where the house has a host pin, it is"
            " needed.",
            "Shelving",
            (201, "Shelved"),
            *("unknown-game", "bad-pin", "shelf-full", "bad-options", "slow-down"),
            needs=[{}, {"host_pin": []}],
        ),
    },
    "/api/shelf/{game}/{option}/{name}": {
        "parameters": [GAME, OPTION, SHELF_NAME],
        "delete": {
            "operationId": "unshelve",
            "summary": "Take a value off the shelf. Tables that were opened with it keep it.",
            "parameters": [LANGUAGE],
            "security": [{}, {"host_pin": []}],
            "responses": {
                "200": {"description": "Done.", **_content(ref("Nothing"))},
                **_refusals("unknown-game", "bad-pin", "slow-down", "not-saved"),
            },
        },
    },
    "/api/tables/{table}/seats/{seat}": {
        "parameters": [TABLE, SEAT_NAME],
        "post": _post(
            "join",
            "Take a seat with its key. A key works once.",
            "Joining",
            (200, "Joined"),
            *(*AT_TABLE, "unknown-seat", "bad-key", "seat-taken"),
            needs=[],
            parameters=[RETRY],
        ),
    },
    "/api/tables/{table}": {
        "parameters": [TABLE],
        "get": _get("table", "The public view.", _content(ref("PublicView")), *AT_TABLE),
    },
    "/api/tables/{table}/me": {
        "parameters": [TABLE],
        "get": _get(
            "me",
            "The view of the seat that the token holds.",
            _content(ref("SeatView")),
            *(*AT_TABLE, *WITH_TOKEN),
            needs=[SEAT],
            parameters=[HELD_SEAT],
        ),
    },
    "/api/tables/{table}/events": {
        "parameters": [TABLE],
        "get": _stream(
            "events",
            "`event: view`, `id:` its version, `data:` the public view: now, then one for each change.",
            "TableEvent",
            *AT_TABLE,
            parameters=[SEATS_TOO, BEATS_TOO],
        ),
    },
    "/api/tables/{table}/me/events": {
        "parameters": [TABLE],
        "get": _stream(
            "my_events",
            "The same with the view of the seat that the token holds.",
            "SeatEvent",
            *(*AT_TABLE, *WITH_TOKEN),
            needs=[SEAT],
            parameters=[HELD_SEAT, SEATS_TOO, BEATS_TOO],
        ),
    },
    "/api/tables/{table}/moves": {
        "parameters": [TABLE],
        "post": _post(
            "move",
            "Make a move that the seat's choices offer.",
            "Move",
            (200, "Moved"),
            *(*AT_TABLE, *WITH_TOKEN, "not-started", "question-open", "stale", "illegal-move"),
            needs=[SEAT],
            parameters=[HELD_SEAT, RETRY],
        ),
    },
    "/api/tables/{table}/ask": {
        "parameters": [TABLE],
        "post": _post(
            "ask",
            "Ask the others to take back the last move, correct one's own secret, reissue a seat or abandon.",
            "Asking",
            (200, "Asked"),
            *(*AT_TABLE, *WITH_TOKEN, "unknown-seat"),
            *("not-started", "question-open", "stale", "illegal-move"),
            needs=[SEAT, HOST],
            parameters=[HELD_SEAT, RETRY],
        ),
    },
    "/api/tables/{table}/answer": {
        "parameters": [TABLE],
        "post": _post(
            "answer",
            "Say yes or no to the open question. All say yes: it is done. One says no: it is closed."
            " With the version at which it was seen, it never answers a later one.",
            "Answer",
            (200, "Asked"),
            *(*AT_TABLE, *WITH_TOKEN, "stale"),
            needs=[SEAT, HOST],
            parameters=[HELD_SEAT, RETRY],
        ),
    },
    "/api/tables/{table}/rematch": {
        "parameters": [TABLE],
        "post": _post(
            "rematch",
            "Play again: a new table with the same people, seats and tokens. Asked twice, it is the same.",
            "Rematch",
            (201, "Next"),
            *(*AT_TABLE, *WITH_TOKEN, "not-over"),
            needs=[SEAT, HOST],
            parameters=[HELD_SEAT],
            needs_body=False,
        ),
    },
    "/api/tables/{table}/record": {
        "parameters": [TABLE],
        "get": _get(
            "record",
            "All that happened, once it is over; not of an abandoned game that not all agreed to show.",
            _content(ref("Record")),
            *(*AT_TABLE, "not-over"),
        ),
    },
    **{
        f"/api/tables/{{table}}/sheet.{form}": {"parameters": [TABLE], "get": _sheet(form, kind)}
        for form, kind in SHEETS.items()
    },
    "/api/tables/{table}/print": {
        "parameters": [TABLE],
        "post": _post(
            "print",
            "Print the score sheet, or a join slip for each free seat.",
            "Print",
            (202, "Printing"),
            *(*AT_TABLE, *WITH_TOKEN, "not-over", "seat-taken"),
            needs=[SEAT, HOST, DESK],
            parameters=[HELD_SEAT, RETRY],
        ),
    },
    "/api/desks/{desk}/events": {
        "parameters": [DESK_NAME],
        "get": _stream(
            "desk_events",
            "`event: view`: the public view of the table at this desk, now and at each change (null before"
            " the first); `event: news`: each piece of news with the `key` of its cue and its `seat_lamps`;"
            " `event: job`: a paper to print, as blocks; `event: sound`: how loud to be; `event: fault`: what"
            " a virtual printer pretends. Jobs that wait come again with each connection, old news never.",
            "DeskEvent",
            *("unknown-desk", *WITH_TOKEN),
            needs=[DESK],
        ),
    },
    "/api/desks/{desk}/jobs/{job}": {
        "parameters": [DESK_NAME, JOB],
        "post": _post(
            "job_done",
            "The desk has printed a job, or says why not yet.",
            "JobDone",
            (200, "Nothing"),
            *("unknown-desk", "unknown-job", *WITH_TOKEN),
            needs=[DESK],
        ),
    },
    "/api/desks/{desk}/health": {
        "parameters": [DESK_NAME],
        "post": _post(
            "desk_health",
            "How the devices of a desk are.",
            "DeskHealth",
            (200, "Nothing"),
            *("unknown-desk", *WITH_TOKEN),
            needs=[DESK],
        ),
    },
    "/api/desks/{desk}/sound": {
        "parameters": [DESK_NAME],
        "post": _post(
            "desk_sound",
            "How loud the desk is to be from now on.",
            "Sound",
            (200, "Nothing"),
            *("unknown-desk", *WITH_TOKEN),
            needs=[DESK],
        ),
    },
    "/api/desks/{desk}/end": {
        "parameters": [DESK_NAME],
        "post": _post(
            "end",
            "End the server in good order: somebody holds the desk's shutdown button.",
            "Nothing",
            (202, "Nothing"),
            *("unknown-desk", *WITH_TOKEN),
            needs=[DESK],
        ),
    },
}

BEARER = {"type": "http", "scheme": "bearer"}

DESCRIPTION: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {
        "title": "Table referee",
        "version": "1",
        "description": "Everything a phone, a screen, a desk or a script can do. A refusal is"
        " application/problem+json; checked in this order: 404, 401, 403, 400, 409, 422; a refused call"
        " changes nothing. Bodies are at most 16 KiB.",
        "license": {"name": "MIT", "identifier": "MIT"},
    },
    "servers": [{"url": "/"}],
    "paths": PATHS,
    "components": {
        "schemas": SCHEMAS,
        "securitySchemes": {
            "seat": {**BEARER, "description": "A seat's token; or its HttpOnly cookie `seat_TABLE_SEAT`."},
            "host": {**BEARER, "description": "The token of whoever opened the table."},
            "desk": {**BEARER, "description": "The desk's key, from a file in the server's data folder."},
            "host_pin": {"type": "apiKey", "in": "header", "name": "X-Host-Pin"},
        },
    },
}
