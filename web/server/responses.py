"""Sends responses from the event loop, without Flask."""

import json
from typing import Any

from referee.presentation.words import words
from web.server.asgi import Header, Send
from web.server.flask_app import HEADERS
from web.wire.errors import ApiError
from web.wire.json_bytes import json_bytes

Answer = tuple[int, list[Header], bytes]

COMMON_HEADERS = [
    (b"cache-control", b"no-store"),
    *((name.lower().encode(), value.encode()) for name, value in HEADERS.items()),
]
SHORT_HEADERS = [
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"server", b"referee"),
]
JSON_HEADERS = [(b"content-type", b"application/json"), *COMMON_HEADERS]


async def respond(send: Send, status: int, response_headers: list[Header], content: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": response_headers})
    await send({"type": "http.response.body", "body": content})


async def respond_to_form(
    send: Send, path: str, is_script: bool, payload: dict[str, Any], cookie: str | None = None
) -> None:
    """The response to an accepted form: a redirect, or JSON for a script."""
    cookies = [(b"set-cookie", cookie.encode("latin-1"))] if cookie else []
    if is_script:
        await respond(send, 200, [*SHORT_HEADERS, *cookies], json_bytes(payload))
    else:
        await respond(send, 303, [(b"location", path.encode()), *COMMON_HEADERS, *cookies], b"")


def problem_response(refusal: ApiError, language: str) -> Answer:
    """An error as problem+json."""
    own = [(name.lower().encode(), value.encode()) for name, value in refusal.headers().items()]
    response_headers = [(b"content-type", b"application/problem+json"), *COMMON_HEADERS, *own]
    return refusal.status, response_headers, json.dumps(refusal.problem(words(language))).encode()
