"""Builds the OpenAPI operations of the API's endpoints.

Parameters and errors that follow from a path, a body or a credential are added automatically.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from web.service.idempotency import LONGEST_KEY
from web.store.statements import EACH_TOKENS
from web.wire.errors import STATUS
from web.wire.json_schema import COUNT, TEXT, Schema, ref

Call = tuple[str, str, dict[str, Any]]  # method, path, operation

NOTHING = ""  # as a credential: none is needed
HOST_PIN = (NOTHING, "host_pin")  # needed if one is set
ANYWHERE = ("not-allowed", "unknown-page", "busy")  # wrong Host or Origin; no such path; server busy
WAITING = {"slow-down", "busy"}  # sent with Retry-After
REFUSED_FOR: dict[str, Sequence[str]] = {  # the errors that each trait of a call adds
    "table": ("unknown-table", "slow-down"),
    "seat": ("unknown-seat",),
    "game": ("unknown-game",),
    "desk": ("unknown-desk",),
    "job": ("unknown-job",),
    "pin": ("bad-pin", "slow-down"),
    "token": ("no-token", "bad-token", "slow-down"),
    "body": ("malformed", "too-large", "too-slow", "not-saved"),
    "DELETE": ("not-saved",),
}


def parameter(name: str, where: str, about: str, schema: Schema) -> Schema:
    return {"name": name, "in": where, "required": where == "path", "description": about, "schema": schema}


def query(name: str, about: str, schema: Schema = TEXT) -> Schema:
    return parameter(name, "query", about, schema)


def matching(pattern: str) -> Schema:
    return {**TEXT, "pattern": pattern}


IN_ADDRESSES = {
    "table": parameter("table", "path", "The table's code.", ref("Code")),
    "seat": parameter("seat", "path", "One of the table's seats.", matching("^[a-z_]+$")),
    "desk": parameter("desk", "path", "The desk's name.", matching("^[^/]+$")),
    "game": parameter("game", "path", "A game of the catalogue.", matching("^[a-z_]+$")),
    "option": parameter("option", "path", "An option of it.", matching("^[a-z_]+$")),
    "name": parameter("name", "path", "The name of the person or the value.", matching("^[^/?#]+$")),
    "job": parameter("job", "path", "The print job's number.", {**COUNT, "minimum": 1}),
}
LANGUAGE = parameter("Accept-Language", "header", "`fr` (default) or `en`, for every sentence.", TEXT)
HELD_SEAT = query("seat", "Which of the seats held by this device's cookies; not needed with a bearer token.")
RETRY = parameter(
    "Idempotency-Key",
    "header",
    "A repeated key gets the first successful response, and nothing is applied twice."
    f" The last {EACH_TOKENS} responses of a token are kept.",
    {"minLength": 1, "maxLength": LONGEST_KEY, **matching("^[!-~]([ -~]*[!-~])?$")},
)


def content(schema: Schema, kind: str = "application/json") -> dict[str, Any]:
    return {"content": {kind: {"schema": schema}}}


def call(
    made: str,
    about: str,
    answer: Schema,
    *refusals: str,
    status: int = 200,
    kind: str = "application/json",
    body: Schema | None = None,
    needs_body: bool = True,
    needs: Sequence[str] = (),
    parameters: Sequence[Schema] = (),
) -> Call:
    """The method, path and operation of a call. `made` is its request line, such as `GET /healthz`. One of
    the credentials in `needs` is enough."""
    method, address = made.split()
    held = [HELD_SEAT] if "seat" in needs else []
    retry = [RETRY] if method == "POST" and "{table}" in address else []
    traits = [*_in_address(address), *_credentials(needs), method, *(["body"] if body else [])]
    implied = [code for trait in traits for code in REFUSED_FOR.get(trait, ())]
    done = {"description": "OK." if method == "GET" else "Done.", **content(answer, kind)}
    operation: dict[str, Any] = {
        "summary": about,
        "parameters": [LANGUAGE, *held, *retry, *parameters],
        "security": [{each: []} if each else {} for each in needs],
        "responses": {str(status): done, **_refused_as({*refusals, *implied, *ANYWHERE})},
    }
    if body:
        operation["requestBody"] = {"required": needs_body, **content(body)}
    return method, address, operation


def stream(made: str, about: str, events: Schema, **rest: Any) -> Call:
    """Server-sent events, with a comment line every 15 seconds."""
    return call(made, about, events, kind="text/event-stream", **rest)


def paths(calls: Mapping[str, Call]) -> dict[str, dict[str, Any]]:
    """The OpenAPI `paths`, by path and method, of calls by their operationId."""
    found: dict[str, dict[str, Any]] = {}
    for name, (method, address, operation) in calls.items():
        given = [IN_ADDRESSES[each] for each in _in_address(address)]
        item = found.setdefault(address, {"parameters": given} if given else {})
        item[method.lower()] = {"operationId": name, **operation}
    return found


def _in_address(address: str) -> list[str]:
    return re.findall(r"{(\w+)}", address)


def _credentials(needs: Sequence[str]) -> Iterator[str]:
    """The traits in `REFUSED_FOR` that follow from the credentials of a call."""
    if "host_pin" in needs:
        yield "pin"
    if needs and NOTHING not in needs:
        yield "token"


def _refused_as(codes: Iterable[str]) -> dict[str, Any]:
    """One response per status, with the error codes it may carry."""
    by_status: dict[int, list[str]] = {}
    for code in sorted(codes):
        by_status.setdefault(STATUS[code], []).append(code)
    return {str(status): _refusal(of_status) for status, of_status in sorted(by_status.items())}


def _refusal(codes: list[str]) -> dict[str, Any]:
    schema = {"allOf": [ref("Problem"), {"properties": {"code": {"enum": codes}}}]}
    told = {"description": ", ".join(codes), **content(schema, "application/problem+json")}
    wait = {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}
    if not WAITING & {*codes}:
        return told
    return {**told, "headers": {"Retry-After": {**wait, "required": {*codes} <= WAITING}}}
