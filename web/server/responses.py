"""Sends responses from the event loop, without Flask."""

import json
from typing import Any

from referee.presentation.words import words
from web.server.asgi import Header, Send
from web.server.flask_app import HEADERS
from web.wire.errors import ApiError
from web.wire.json_bytes import json_bytes

Answer = tuple[int, list[Header], bytes]

SERVER = HEADERS["Server"].encode()
COMMON_HEADERS = [
    (b"cache-control", b"no-store"),
    *((name.lower().encode(), value.encode()) for name, value in HEADERS.items()),
]
SHORT_HEADERS = [
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"server", SERVER),
]
JSON_HEADERS = [(b"content-type", b"application/json"), *COMMON_HEADERS]


async def respond(send: Send, status: int, response_headers: list[Header], content: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": response_headers})
    await send({"type": "http.response.body", "body": content})


async def respond_to_form(
    send: Send, path: str, is_script: bool, payload: dict[str, Any], cookie: str | None = None
) -> None:
    """The response to a form that leads to another page: a redirect, or JSON for a script."""
    cookies = [(b"set-cookie", cookie.encode("latin-1"))] if cookie else []
    if is_script:
        await respond(send, 200, [*SHORT_HEADERS, *cookies], json_bytes(payload))
    else:
        await respond(send, 303, [(b"location", path.encode()), *COMMON_HEADERS, *cookies], b"")


async def respond_accepted(send: Send, version: int, cookie: str | None = None) -> None:
    """The response to a script whose form was accepted: the version of the table, as the entity tag of its
    page. It has no content whose type could be guessed, and answers to a POST are not cached."""
    cookies = [(b"set-cookie", cookie.encode("latin-1"))] if cookie else []
    await respond(send, 204, [(b"etag", b'"%d"' % version), (b"server", SERVER), *cookies], b"")


def problem_response(refusal: ApiError, language: str) -> Answer:
    """An error as problem+json."""
    own = [(name.lower().encode(), value.encode()) for name, value in refusal.headers().items()]
    response_headers = [(b"content-type", b"application/problem+json"), *COMMON_HEADERS, *own]
    return refusal.status, response_headers, json.dumps(refusal.problem(words(language))).encode()
