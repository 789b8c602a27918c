"""The OpenAPI 3.1 description of the JSON API, served at /api/openapi.json."""

from typing import Any

from web.api.operations import HOST_PIN, NOTHING, call, paths, query, stream
from web.api.schemas import SCHEMAS
from web.service.tables import LONG_KEY
from web.wire.json_schema import TEXT, ref

SEAT_OR_HOST = ("seat", "host")
CHANGED = ("not-started", "question-open", "stale", "table-full", "illegal-move")
COUNT_FROM_ONE = {"type": "integer", "minimum": 1, "maximum": 2**63 - 1}
IRREVERSIBLE = "Needs the host PIN, if one is set. This cannot be undone."
SHEETS = {"txt": "text/plain", "html": "text/html", "png": "image/png", "pdf": "application/pdf"}
IN_STREAMS = [
    query("seats", "If given, `event: seats` is sent whenever the set of connected seats changes."),
    query("beats", "If given, each keep-alive comment is also sent as `event: beat`, for scripts."),
    query("held", "If given, all seats held by the cookies count as connected while the stream is open."),
]
IN_HISTORY = [
    query("game", "Only this game of the catalogue."),
    query("player", "Only games of this person; case, accents and spaces do not matter."),
    query("before", "Only games that ended before the one with this `n`.", COUNT_FROM_ONE),
    query("limit", "The maximum number of games: 50 by default, at most 500.", COUNT_FROM_ONE),
]

CALLS = {
    "healthz": call("GET /healthz", "Health check: the store can be read.", ref("Healthy")),
    "games": call("GET /api/games", "The catalogue of games.", ref("Catalogue")),
    "open_table": call(
        "POST /api/tables",
        "Open a table. Needs the host PIN, if one is set, or the desk's key. With the desk's key, an"
        " Idempotency-Key is honoured: a repeated request gets the same table.",
        ref("Opened"),
        *("unknown-game", "unknown-desk", "bad-options"),
        status=201,
        body=ref("OpenTableRequest"),
        needs=(*HOST_PIN, "desk"),
    ),
    "clock": call(
        "POST /api/clock",
        "Tell the time, in seconds since 1970 (UTC). While the server's own clock is wrong, the middle of"
        " what its callers tell counts.",
        ref("Sure"),
        body=ref("ClockRequest"),
    ),
    "list_presets": call(
        "GET /api/shelf/{game}/{option}",
        "The presets that owners of a game saved for an option of kind `data`.",
        ref("Presets"),
    ),
    "save_preset": call(
        "POST /api/shelf/{game}/{option}",
        "Save a preset; it replaces one of the same name. Needs the host PIN, if one is set.",
        ref("PresetSaved"),
        *("shelf-full", "bad-options"),
        status=201,
        body=ref("SavePresetRequest"),
        needs=HOST_PIN,
    ),
    "delete_preset": call(
        "DELETE /api/shelf/{game}/{option}/{name}",
        "Delete a preset. Tables opened with it keep it. Needs the host PIN, if one is set.",
        ref("Nothing"),
        needs=HOST_PIN,
    ),
    "join": call(
        "POST /api/tables/{table}/seats/{seat}",
        "Take a seat with its key. A key works once.",
        ref("Joined"),
        *("bad-key", "seat-taken"),
        body=ref("JoinRequest"),
    ),
    "join_with_table_key": call(
        "POST /api/tables/{table}/join",
        "Take a free seat with the table's key, which takes any seat until the game has begun, but none that"
        f" got a new key. An Idempotency-Key has at least {LONG_KEY} characters here: whoever repeats it gets"
        " the seat, and everybody at the table has the key.",
        ref("Joined"),
        *("unknown-seat", "bad-key", "seat-taken"),
        body=ref("TableJoinRequest"),
    ),
    "table": call(
        "GET /api/tables/{table}",
        "The public view; with the host's token as bearer, also the new keys that the host asked for.",
        {"oneOf": [ref("PublicView"), ref("HostView")]},
        needs=(NOTHING, "host"),
    ),
    "me": call(
        "GET /api/tables/{table}/me",
        "The view of the seat that the token holds.",
        ref("SeatView"),
        needs=("seat",),
    ),
    "events": stream(
        "GET /api/tables/{table}/events",
        "`event: view`, `id:` its version, `data:` the public view: once now, then at each change.",
        ref("TableEvent"),
        parameters=IN_STREAMS,
    ),
    "my_events": stream(
        "GET /api/tables/{table}/me/events",
        "The same with the view of the seat that the token holds.",
        ref("SeatEvent"),
        needs=("seat",),
        parameters=IN_STREAMS,
    ),
    "move": call(
        "POST /api/tables/{table}/moves",
        "Make a move that the seat's choices offer.",
        ref("Moved"),
        *CHANGED,
        body=ref("Move"),
        needs=("seat",),
    ),
    "ask": call(
        "POST /api/tables/{table}/ask",
        "Ask the others to take back the last move, or the move `n` and all later ones; to correct one's"
        " own secret, reissue a seat or abandon. New keys are in the response to the caller who asked.",
        ref("Asked"),
        *("unknown-seat", *CHANGED),
        body=ref("AskRequest"),
        needs=SEAT_OR_HOST,
    ),
    "answer": call(
        "POST /api/tables/{table}/answer",
        "Answer the open question. It takes effect when all have agreed; one no closes it."
        " With `version`, the answer is refused if that question is no longer open.",
        ref("Asked"),
        "stale",
        body=ref("AnswerRequest"),
        needs=SEAT_OR_HOST,
    ),
    "rematch": call(
        "POST /api/tables/{table}/rematch",
        "Open a rematch: a new table with the same people, seats and tokens. Repeated, it is the same table.",
        ref("Next"),
        "not-over",
        status=201,
        body=ref("RematchRequest"),
        needs_body=False,
        needs=SEAT_OR_HOST,
    ),
    "record": call(
        "GET /api/tables/{table}/record",
        "The record of a finished game. Refused for an abandoned game whose secrets stay hidden.",
        ref("Record"),
        "not-over",
    ),
    **{
        f"sheet_{form}": call(
            f"GET /api/tables/{{table}}/sheet.{form}",
            "The score sheet as the printer prints it, once the game is over.",
            TEXT if kind.startswith("text/") else {**TEXT, "contentMediaType": kind},
            "not-over",
            kind=kind,
        )
        for form, kind in SHEETS.items()
    },
    "print": call(
        "POST /api/tables/{table}/print",
        "Print the score sheet, or a join slip for each free seat.",
        ref("Printing"),
        *("not-over", "seat-taken"),
        status=202,
        body=ref("PrintRequest"),
        needs=(*SEAT_OR_HOST, "desk"),
    ),
    "desk_events": stream(
        "GET /api/desks/{desk}/events",
        "`event: view`: the public view of the table at this desk, now and at each change (null before"
        " the first); `event: news`: each piece of news with the `key` of its cue and its `seat_lamps`,"
        " and how many seconds the cue waits, in step with the table screen (and, for figures that are"
        " counted out, a pattern per lamp);"
        " `event: job`: a paper to print, as blocks; `event: sound`: the volume; `event: fault`: the fault"
        " that a virtual printer simulates; `event: screen`: whether the desk's own screen shows the codes"
        " of free seats. Waiting jobs are sent again with each connection, old news never.",
        ref("DeskEvent"),
        needs=("desk",),
    ),
    "job_done": call(
        "POST /api/desks/{desk}/jobs/{job}",
        "Report that a job was printed, or why not yet.",
        ref("Nothing"),
        body=ref("JobDoneRequest"),
        needs=("desk",),
    ),
    "desk_health": call(
        "POST /api/desks/{desk}/health",
        "Report the health of the desk's devices.",
        ref("Nothing"),
        body=ref("DeskHealth"),
        needs=("desk",),
    ),
    "desk_sound": call(
        "POST /api/desks/{desk}/sound",
        "Set the desk's volume.",
        ref("Nothing"),
        body=ref("Sound"),
        needs=("desk",),
    ),
    "end": call(
        "POST /api/desks/{desk}/end",
        "Shut the server down gracefully, because the desk's shutdown button was held.",
        ref("Nothing"),
        status=202,
        body=ref("EmptyRequest"),
        needs=("desk",),
    ),
    "history": call(
        "GET /api/history",
        "Finished games, newest first.",
        ref("History"),
        *("unknown-game", "malformed"),
        parameters=IN_HISTORY,
    ),
    "forget_game": call(
        "DELETE /api/history/{table}",
        f"Delete a finished game with everything that belongs to it. {IRREVERSIBLE}",
        ref("Nothing"),
        "not-over",
        needs=HOST_PIN,
    ),
    "players": call(
        "GET /api/players",
        "Everybody who finished a game, with a tally for each game; the most recent player first.",
        ref("Players"),
    ),
    "forget_person": call(
        "DELETE /api/players/{name}",
        "Make a person anonymous in every finished game; the records still verify. A game in play"
        f" keeps the name; repeat the request once it is over. {IRREVERSIBLE}",
        ref("Forgotten"),
        *("unknown-person", "not-over"),
        needs=HOST_PIN,
    ),
}
PATHS = paths(CALLS)

BEARER = {"type": "http", "scheme": "bearer"}

DESCRIPTION: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {
        "title": "Table referee",
        "version": "1",
        "description": "Everything a phone, a screen, a desk or a script can do. Errors are"
        " application/problem+json, checked in this order: 404, 401, 403, 400, 409, 422. A refused"
        " request changes nothing. Bodies are at most 16 KiB.",
        "license": {"name": "MIT", "identifier": "MIT"},
    },
    "servers": [{"url": "/"}],
    "paths": PATHS,
    "components": {
        "schemas": SCHEMAS,
        "securitySchemes": {
            "seat": {**BEARER, "description": "A seat's token; or its HttpOnly cookie `seat_TABLE_SEAT`."},
            "host": {**BEARER, "description": "The token returned when the table was opened."},
            "desk": {**BEARER, "description": "The desk's key, from a file in the server's data folder."},
            "host_pin": {"type": "apiKey", "in": "header", "name": "X-Host-Pin"},
        },
    },
}
