"""The pieces that a description of a call is made of: parameters, answers, refusals."""

from typing import Any

from web.refusals import STATUS
from web.retries import LONGEST_KEY
from web.schemas import TEXT, Schema, ref
from web.store.changes import EACH_TOKENS

Operation = dict[str, Any]
Needs = dict[str, list[str]]

SEAT: Needs = {"seat": []}
HOST: Needs = {"host": []}
DESK: Needs = {"desk": []}
ANYWHERE = ("not-allowed", "unknown-page", "busy")  # not our Host or Origin; no such address; too many wait
AT_TABLE = ("unknown-table", "slow-down")
WITH_TOKEN = ("no-token", "bad-token", "slow-down")
WAITING = {"slow-down", "busy"}  # told together with how long to wait
WRITES = ("malformed", "too-large", "too-slow", "not-saved")


def parameter(name: str, where: str, about: str, schema: Schema) -> Schema:
    return {"name": name, "in": where, "required": where == "path", "description": about, "schema": schema}


LANGUAGE = parameter("Accept-Language", "header", "`fr` (default) or `en`, for every sentence.", TEXT)
TABLE = parameter("table", "path", "The table's code.", ref("Code"))
SEAT_NAME = parameter("seat", "path", "One of the table's seats.", {"type": "string", "pattern": "^[a-z_]+$"})
DESK_NAME = parameter("desk", "path", "The desk's name.", {"type": "string", "pattern": "^[^/]+$"})
GAME = parameter("game", "path", "A game of the catalogue.", {"type": "string", "pattern": "^[a-z_]+$"})
OPTION = parameter("option", "path", "An option of it.", {"type": "string", "pattern": "^[a-z_]+$"})
SHELF_NAME = parameter("name", "path", "The name of a value.", {"type": "string", "pattern": "^[^/?#]+$"})
JOB = parameter("job", "path", "The print job's number.", {"type": "integer", "minimum": 1})
HELD_SEAT = parameter(
    "seat", "query", "Which of the seats held by this device's cookies; a bearer token needs none.", TEXT
)
RETRY = parameter(
    "Idempotency-Key",
    "header",
    "The same key again gets the first accepted answer, and nothing is applied twice."
    f" The last {EACH_TOKENS} answers of a token are kept.",
    {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[!-~]([ -~]*[!-~])?$"},
)
SEATS_TOO = parameter(
    "seats", "query", "If given, `event: seats` tells who is connected whenever that changes.", TEXT
)

HELD_TOO = parameter(
    "held",
    "query",
    "If given, all seats that the cookies hold count as there while the stream is open.",
    TEXT,
)
BEATS_TOO = parameter(
    "beats", "query", "If given, each sign of life comes as `event: beat` too, for a browser's script.", TEXT
)


def content(schema: Schema, kind: str = "application/json") -> dict[str, Any]:
    return {"content": {kind: {"schema": schema}}}


def refused_as(*codes: str) -> dict[str, Any]:
    """One response a status, with the codes it may carry."""
    by_status: dict[int, list[str]] = {}
    for code in sorted({*codes, *ANYWHERE}):
        by_status.setdefault(STATUS[code], []).append(code)
    return {str(status): refusal(of_status) for status, of_status in sorted(by_status.items())}


def refusal(codes: list[str]) -> dict[str, Any]:
    schema = {"allOf": [ref("Problem"), {"properties": {"code": {"enum": codes}}}]}
    told = {"description": ", ".join(codes), **content(schema, "application/problem+json")}
    wait = {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}
    if not WAITING & {*codes}:
        return told
    return {**told, "headers": {"Retry-After": {**wait, "required": {*codes} <= WAITING}}}


def get(
    name: str, about: str, good: dict[str, Any], *refusals: str, needs: list[Needs] | None = None, **more: Any
) -> Operation:
    return {
        "operationId": name,
        "summary": about,
        "parameters": [LANGUAGE, *more.pop("parameters", ())],
        "security": needs or [],
        "responses": {"200": {"description": "Here it is.", **good}, **refused_as(*refusals)},
        **more,
    }


def post(
    name: str, about: str, body: str, good: tuple[int, str], *refusals: str, needs: list[Needs], **more: Any
) -> Operation:
    status, schema = good
    return {
        "operationId": name,
        "summary": about,
        "parameters": [LANGUAGE, *more.pop("parameters", ())],
        "security": needs,
        "requestBody": {"required": more.pop("needs_body", True), **content(ref(body))},
        "responses": {
            str(status): {"description": "Done.", **content(ref(schema))},
            **refused_as(*refusals, *WRITES),
        },
        **more,
    }


def stream(
    name: str, about: str, events: str, *refusals: str, needs: list[Needs] | None = None, **more: Any
) -> Operation:
    """Server-sent events, with a comment line every 15 seconds."""
    return get(name, about, content(ref(events), "text/event-stream"), *refusals, needs=needs, **more)
