"""Reads tokens and language from headers and cookies, in the same way for pages, API and streams."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from referee.presentation.words import DEFAULT, LANGUAGES

LANGUAGE_COOKIE = "language"
SCREEN_COOKIE = "screen"  # set in the browser that is the desk's own screen
LONGEST = 200  # characters of Accept-Language that are parsed
HEADERS_KEPT = 256  # different headers in the cache: a browser sends the same one with every request


@dataclass(frozen=True)
class Caller:
    """The origin of a request: the IP address, and the token, if any."""

    address: str
    token: str | None = field(default=None, repr=False)


class Headers(Protocol):
    def get(self, name: str, /) -> str | None: ...


def seat_cookie(code: str, seat: str) -> str:
    return f"seat_{code}_{seat}"


def host_cookie(code: str) -> str:
    return f"host_{code}"


def bearer(headers: Headers) -> str | None:
    kind, _, token = (headers.get("authorization") or "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def seat_token(headers: Headers, cookies: Mapping[str, str], code: str, seat: str | None) -> str | None:
    """The token for a seat: the bearer token, else the cookie of this seat, else of any seat at the table."""
    if token := bearer(headers):
        return token
    if seat:
        return cookies.get(seat_cookie(code, seat))
    return next((value for name, value in cookies.items() if name.startswith(seat_cookie(code, ""))), None)


def any_token(headers: Headers, cookies: Mapping[str, str], code: str, seat: str | None) -> str | None:
    """The token for a seat, else the host's."""
    return seat_token(headers, cookies, code, seat) or cookies.get(host_cookie(code))


def host_token(headers: Headers, cookies: Mapping[str, str], code: str) -> str | None:
    return bearer(headers) or cookies.get(host_cookie(code))


def language(headers: Headers, cookies: Mapping[str, str], default: str = DEFAULT) -> str:
    """The language in the cookie, else the best in Accept-Language, else the default."""
    if (chosen := cookies.get(LANGUAGE_COOKIE)) in LANGUAGES:
        return str(chosen)
    return _accepted((headers.get("accept-language") or "")[:LONGEST]) or default


@lru_cache(maxsize=HEADERS_KEPT)
def _accepted(header: str) -> str | None:
    """The best supported language in an Accept-Language header."""
    accepted = parse_accept_header(header, LanguageAccept)  # best first
    asked = (tag.partition("-")[0].lower() for tag, quality in accepted if quality > 0)
    return next((language for language in asked if language in LANGUAGES), None)
