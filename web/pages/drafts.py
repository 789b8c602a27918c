"""Drafts: a secret move between choosing and sealing, kept by its own phone in a cookie, never by us."""

import base64
import binascii
from dataclasses import asdict, dataclass, field
from typing import Any

from flask import Response, request

from referee.moves import Seat, canonical
from web.bodies import parse
from web.pages.page import keep


@dataclass(frozen=True)
class Draft:
    """What was picked so far: for which type of move, and at which version of the table."""

    type: str
    version: int
    fields: dict[str, Any] = field(repr=False)

    def body(self) -> dict[str, Any]:
        """The draft as the API takes a move."""
        return {**self.fields, "version": self.version, "type": self.type}


def _cookie(code: str, seat: Seat) -> str:
    return f"draft_{code}_{seat}"


def read(code: str, seat: Seat) -> Draft | None:
    """The draft that this phone brings along, if it is one."""
    try:
        text = base64.urlsafe_b64decode(request.cookies.get(_cookie(code, seat), ""))
    except (binascii.Error, ValueError):
        return None
    match parse(text):
        case {"type": str(type_), "version": int(version), "fields": dict(fields)}:
            return Draft(type_, version, fields)
    return None


def write(response: Response, code: str, seat: Seat, draft: Draft) -> Response:
    """Kept until the browser closes."""
    value = base64.urlsafe_b64encode(canonical(asdict(draft)).encode()).decode()
    return keep(response, _cookie(code, seat), value, path=request.path, age=None)


def erase(response: Response, code: str, seat: Seat) -> Response:
    response.delete_cookie(_cookie(code, seat), path=request.path, httponly=True, samesite="Lax")
    return response
