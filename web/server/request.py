"""One HTTP request: its headers, cookies, address and language, parsed once; and checks of its origin."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, parse_qsl

from referee.program.settings import ServerSettings
from web.security.caller import Caller, language
from web.security.hosts import known_host, same_origin
from web.server.asgi import Scope, address, cookies, headers, is_https
from web.wire.errors import ApiError, malformed

MAX_FIELDS = 500  # of a form or a query; our own forms have some dozens


class Request:
    """The head of a request."""

    __slots__ = ("address", "cookies", "headers", "language", "method", "path", "scope")

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.path: str = scope["path"]
        self.method: str = scope["method"]
        self.headers = headers(scope)
        self.cookies = cookies(self.headers)
        self.address = address(scope, self.headers)
        self.language = language(self.headers, self.cookies)

    @property
    def is_from_script(self) -> bool:
        """Whether the script of a page sent this request. It gets the regions of the page, as JSON."""
        return self.headers.get("accept") == "application/json"

    @property
    def accepts_gzip(self) -> bool:
        return "gzip" in map(str.strip, self.headers.get("accept-encoding", "").split(","))

    def query(self) -> dict[str, str]:
        """The query string; the first value of a repeated field counts."""
        return fields_of(self._query_string()) if self.scope["query_string"] else {}

    def query_lists(self) -> dict[str, list[str]]:
        if not self.scope["query_string"]:
            return {}
        with _few_fields():
            return parse_qs(self._query_string(), max_num_fields=MAX_FIELDS)

    def _query_string(self) -> str:
        text: bytes = self.scope["query_string"]
        return text.decode("latin-1")

    def caller(self, token: str | None) -> Caller:
        return Caller(self.address, token)

    def is_secure(self, settings: ServerSettings) -> bool:
        """Whether the caller uses HTTPS."""
        return is_https(self.scope, self.headers, settings.address)

    def check_host(self, settings: ServerSettings) -> None:
        """Refuse a missing or foreign Host header."""
        if "host" not in self.headers:
            raise malformed("Host")
        if not known_host(self.headers["host"], settings):
            raise ApiError("not-allowed")

    def check_origin(self, settings: ServerSettings) -> None:
        """Refuse a change with a foreign Host header, or from a page of another origin (CSRF)."""
        self.check_host(settings)
        sent = self.headers
        if not same_origin(sent.get("origin"), sent.get("sec-fetch-site"), sent["host"]):
            raise ApiError("not-allowed")

    def check_method(self, allowed: str) -> None:
        if self.method != allowed:
            raise ApiError("wrong-method", extra={"allow": allowed})


def fields_of(text: str) -> dict[str, str]:
    """The fields of a form or a query; the first value of a repeated field counts."""
    fields: dict[str, str] = {}
    with _few_fields():
        for name, value in parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS):
            fields.setdefault(name, value)
    return fields


@contextmanager
def _few_fields() -> Iterator[None]:
    """Refuse a form or a query with too many fields."""
    try:
        yield
    except ValueError:
        raise malformed("HTTP") from None
