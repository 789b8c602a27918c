"""The contract described for machines: OpenAPI 3.1, served at /api/openapi.json."""

from typing import Any

from web.openapi_memory import MEMORY_PATHS, MEMORY_SCHEMAS
from web.operations import (
    AT_TABLE,
    BEATS_TOO,
    DESK,
    DESK_NAME,
    GAME,
    HELD_SEAT,
    HELD_TOO,
    HOST,
    JOB,
    LANGUAGE,
    OPTION,
    RETRY,
    SEAT,
    SEAT_NAME,
    SEATS_TOO,
    SHELF_NAME,
    TABLE,
    WITH_TOKEN,
    Operation,
    content,
    get,
    post,
    refused_as,
    stream,
)
from web.schemas import SCHEMAS, TEXT, ref


def _sheet(form: str, kind: str) -> Operation:
    schema = TEXT if kind.startswith("text/") else {"type": "string", "contentMediaType": kind}
    about = "The score sheet as the printer prints it, once the game is over."
    return get(f"sheet_{form}", about, content(schema, kind), *AT_TABLE, "not-over")


SHEETS = {"txt": "text/plain", "html": "text/html", "png": "image/png", "pdf": "application/pdf"}

PATHS: dict[str, dict[str, Any]] = {
    "/healthz": {"get": get("healthz", "The store answers.", content(ref("Healthy")))},
    "/api/games": {"get": get("games", "The catalogue of games.", content(ref("Catalogue")))},
    "/api/tables": {
        "post": post(
            "open_table",
            "Open a table. Where the house has a host pin, it is needed, or the desk's key. With that key, an"
            " Idempotency-Key is heeded: the same again gets the same table.",
            "Wish",
            (201, "Opened"),
            *("unknown-game", "unknown-desk", "bad-pin", "bad-options", "slow-down"),
            needs=[{}, {"host_pin": []}, DESK],
        )
    },
    "/api/clock": {
        "post": post(
            "clock",
            "Tell the time, in seconds since 1970 (UTC). Heeded only while our own cannot be right.",
            "Time",
            (200, "Sure"),
            needs=[],
        )
    },
    "/api/shelf/{game}/{option}": {
        "parameters": [GAME, OPTION],
        "get": get(
            "shelf",
            "The values that owners of a game keep for an option of kind `data`.",
            content(ref("Shelf")),
            "unknown-game",
        ),
        "post": post(
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
                "200": {"description": "Done.", **content(ref("Nothing"))},
                **refused_as("unknown-game", "bad-pin", "slow-down", "not-saved"),
            },
        },
    },
    "/api/tables/{table}/seats/{seat}": {
        "parameters": [TABLE, SEAT_NAME],
        "post": post(
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
        "get": get(
            "table",
            "The public view; with the host's token as bearer, also the new keys that the host asked for.",
            content({"oneOf": [ref("PublicView"), ref("HostView")]}),
            *AT_TABLE,
            needs=[{}, HOST],
        ),
    },
    "/api/tables/{table}/me": {
        "parameters": [TABLE],
        "get": get(
            "me",
            "The view of the seat that the token holds.",
            content(ref("SeatView")),
            *(*AT_TABLE, *WITH_TOKEN),
            needs=[SEAT],
            parameters=[HELD_SEAT],
        ),
    },
    "/api/tables/{table}/events": {
        "parameters": [TABLE],
        "get": stream(
            "events",
            "`event: view`, `id:` its version, `data:` the public view: now, then one for each change.",
            "TableEvent",
            *AT_TABLE,
            parameters=[SEATS_TOO, BEATS_TOO, HELD_TOO],
        ),
    },
    "/api/tables/{table}/me/events": {
        "parameters": [TABLE],
        "get": stream(
            "my_events",
            "The same with the view of the seat that the token holds.",
            "SeatEvent",
            *(*AT_TABLE, *WITH_TOKEN),
            needs=[SEAT],
            parameters=[HELD_SEAT, SEATS_TOO, BEATS_TOO, HELD_TOO],
        ),
    },
    "/api/tables/{table}/moves": {
        "parameters": [TABLE],
        "post": post(
            "move",
            "Make a move that the seat's choices offer.",
            "Move",
            (200, "Moved"),
            *(*AT_TABLE, *WITH_TOKEN, "not-started", "question-open", "stale", "table-full", "illegal-move"),
            needs=[SEAT],
            parameters=[HELD_SEAT, RETRY],
        ),
    },
    "/api/tables/{table}/ask": {
        "parameters": [TABLE],
        "post": post(
            "ask",
            "Ask the others to take back the last move, or the move `n` and all since; to correct one's own"
            " secret, reissue a seat or abandon. New keys are in the answer to whoever asked for them.",
            "Asking",
            (200, "Asked"),
            *(*AT_TABLE, *WITH_TOKEN, "unknown-seat"),
            *("not-started", "question-open", "stale", "table-full", "illegal-move"),
            needs=[SEAT, HOST],
            parameters=[HELD_SEAT, RETRY],
        ),
    },
    "/api/tables/{table}/answer": {
        "parameters": [TABLE],
        "post": post(
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
        "post": post(
            "rematch",
            "Play again: a new table with the same people, seats and tokens. Asked twice, it is the same.",
            "Rematch",
            (201, "Next"),
            *(*AT_TABLE, *WITH_TOKEN, "not-over"),
            needs=[SEAT, HOST],
            parameters=[HELD_SEAT, RETRY],
            needs_body=False,
        ),
    },
    "/api/tables/{table}/record": {
        "parameters": [TABLE],
        "get": get(
            "record",
            "All that happened, once it is over; not of an abandoned game that not all agreed to show.",
            content(ref("Record")),
            *(*AT_TABLE, "not-over"),
        ),
    },
    **{
        f"/api/tables/{{table}}/sheet.{form}": {"parameters": [TABLE], "get": _sheet(form, kind)}
        for form, kind in SHEETS.items()
    },
    "/api/tables/{table}/print": {
        "parameters": [TABLE],
        "post": post(
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
        "get": stream(
            "desk_events",
            "`event: view`: the public view of the table at this desk, now and at each change (null before"
            " the first); `event: news`: each piece of news with the `key` of its cue and its `seat_lamps`"
            " (and, where figures are counted out, how each lamp does);"
            " `event: job`: a paper to print, as blocks; `event: sound`: how loud to be; `event: fault`: what"
            " a virtual printer pretends; `event: screen`: whether a screen of the desk's own shows the codes"
            " of free seats. Jobs that wait come again with each connection, old news never.",
            "DeskEvent",
            *("unknown-desk", *WITH_TOKEN),
            needs=[DESK],
        ),
    },
    "/api/desks/{desk}/jobs/{job}": {
        "parameters": [DESK_NAME, JOB],
        "post": post(
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
        "post": post(
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
        "post": post(
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
        "post": post(
            "end",
            "End the server in good order: somebody holds the desk's shutdown button.",
            "Nothing",
            (202, "Nothing"),
            *("unknown-desk", *WITH_TOKEN),
            needs=[DESK],
        ),
    },
    **MEMORY_PATHS,
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
        "schemas": {**SCHEMAS, **MEMORY_SCHEMAS},
        "securitySchemes": {
            "seat": {**BEARER, "description": "A seat's token; or its HttpOnly cookie `seat_TABLE_SEAT`."},
            "host": {**BEARER, "description": "The token of whoever opened the table."},
            "desk": {**BEARER, "description": "The desk's key, from a file in the server's data folder."},
            "host_pin": {"type": "apiKey", "in": "header", "name": "X-Host-Pin"},
        },
    },
}
