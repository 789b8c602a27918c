"""Drafts: a secret move between choosing and confirming.

A draft is stored in a cookie of the phone that made it, never on the server.
"""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from werkzeug.http import dump_cookie

from referee.core.moves import Seat, canonical
from web.wire.parsing import parse


@dataclass(frozen=True)
class MoveDraft:
    """The fields picked so far, for a type of move and a version of the table."""

    type: str
    version: int
    fields: dict[str, Any] = field(repr=False)

    def body(self) -> dict[str, Any]:
        """The draft as the body of a move request."""
        return {**self.fields, "version": self.version, "type": self.type}


def cookie_name(code: str, seat: Seat) -> str:
    return f"draft_{code}_{seat}"


def read(code: str, seat: Seat, cookies: Mapping[str, str]) -> MoveDraft | None:
    """The draft in these cookies; None if there is none or it is malformed."""
    try:
        text = base64.urlsafe_b64decode(cookies.get(cookie_name(code, seat), ""))
    except (binascii.Error, ValueError):
        return None
    match parse(text):
        case {"type": str(type_), "version": int(version), "fields": dict(fields)}:
            return MoveDraft(type_, version, fields)
    return None


def set_cookie(code: str, seat: Seat, draft: MoveDraft, path: str, is_https: bool) -> str:
    """The Set-Cookie value that stores a draft until the browser closes."""
    value = base64.urlsafe_b64encode(canonical(asdict(draft)).encode()).decode()
    name = cookie_name(code, seat)
    return dump_cookie(name, value, path=path, secure=is_https, httponly=True, samesite="Lax")


def erase_cookie(code: str, seat: Seat, path: str, is_https: bool) -> str:
    name = cookie_name(code, seat)
    return dump_cookie(name, "", max_age=0, path=path, secure=is_https, httponly=True, samesite="Lax")
