"""Drafts: a secret move between choosing and sealing, kept by its own phone in a cookie, never by us."""

import base64
import binascii
from dataclasses import asdict, dataclass, field
from typing import Any

from flask import request
from werkzeug.http import dump_cookie

from referee.moves import Seat, canonical
from web.bodies import parse


@dataclass(frozen=True)
class Draft:
    """What was picked so far: for which type of move, and at which version of the table."""

    type: str
    version: int
    fields: dict[str, Any] = field(repr=False)

    def body(self) -> dict[str, Any]:
        """The draft as the API takes a move."""
        return {**self.fields, "version": self.version, "type": self.type}


def cookie_name(code: str, seat: Seat) -> str:
    return f"draft_{code}_{seat}"


def read(code: str, seat: Seat) -> Draft | None:
    """The draft that this phone brings along, if it is one."""
    try:
        text = base64.urlsafe_b64decode(request.cookies.get(cookie_name(code, seat), ""))
    except (binascii.Error, ValueError):
        return None
    match parse(text):
        case {"type": str(type_), "version": int(version), "fields": dict(fields)}:
            return Draft(type_, version, fields)
    return None


def set_cookie(code: str, seat: Seat, draft: Draft, path: str) -> str:
    """The header that keeps a draft until the browser closes."""
    value = base64.urlsafe_b64encode(canonical(asdict(draft)).encode()).decode()
    return dump_cookie(cookie_name(code, seat), value, path=path, httponly=True, samesite="Lax")


def erase_cookie(code: str, seat: Seat, path: str) -> str:
    return dump_cookie(cookie_name(code, seat), "", max_age=0, path=path, httponly=True, samesite="Lax")
