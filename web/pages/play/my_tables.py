"""Links to the tables and seats that a device holds, found by its cookies."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from flask import request

from web.pages.play.rematch import newest
from web.pages.rendering import and_list, held, host_token, localizer_of, say, seat_caller
from web.request_context import service
from web.service.live_table import LiveTable

MOST_OFFERED = 6  # tables offered
MOST_EXAMINED = 30  # tables examined for that, those of the newest cookies first
OF_TABLE = re.compile(r"(?:seat|host)_([A-Z0-9]{5})(?:_\w+)?")


def tables_here() -> Iterator[dict[str, Any]]:
    """The unfinished tables where this device holds a seat or is the host, newest first."""
    found = (OF_TABLE.fullmatch(name) for name in reversed(list(request.cookies)))
    codes = dict.fromkeys(match[1] for match in found if match)
    tables = (_table_here(code) for code in islice(codes, MOST_EXAMINED))
    apart = {table["code"]: table for table in reversed([table for table in tables if table])}
    return islice(reversed(apart.values()), MOST_OFFERED)


def seat_links() -> list[tuple[str, str]]:
    """(path, label) of each seat that this device holds at this page's table, else at its newest table."""
    code = (request.view_args or {}).get("code")
    table = service().readable(str(code)) if code else None
    if table and (mine := held(table)):
        localizer = localizer_of(table.seen())
        return [(_path(table, table, seat), say("page.to_seat", name=localizer.name(seat))) for seat in mine]
    there = next((table for table in tables_here() if table["seats"]), None)
    seats, at = (there["seats"], there["code"]) if there else ((), "")
    return [(path, say("page.to_seat.at", name=name, code=at)) for path, name in seats]


def error_links(refused: str) -> list[tuple[str, str]]:
    """(path, label) of the links on an error page: this device's seats, and the table's screen.

    A rate-limited caller does not learn whether the table exists, unless it holds a seat there. After an
    internal error nothing is looked up.
    """
    if refused == "broken":
        return []
    code = (request.view_args or {}).get("code")
    table = service().readable(str(code)) if code else None
    screen = [(f"/t/{table.code}", say("page.to_table", code=table.code))] if table else []
    is_told = table is not None and (refused != "slow-down" or bool(held(table)))
    return [*seat_links(), *(screen if is_told else [])]


def _table_here(code: str) -> dict[str, Any] | None:
    """An unfinished table of this device, with its links; after a rematch, the newest table instead."""
    known = service().readable(code)
    table = newest(known) if known else None
    if known is None or table is None or table.match.outcome:
        return None
    localizer, is_host = localizer_of(table.seen()), bool(host_token(known))
    mine = [seat for seat in held(known) if table.seat_of(seat_caller(known, seat).token) == seat]
    if not mine and not is_host:
        return None
    there = [localizer.name(seat) for seat in table.match.taken if seat not in mine]
    return {
        "code": table.code,
        "game": localizer.of_game("name"),
        "with": and_list(there),
        "seats": [(_path(known, table, seat), localizer.name(seat)) for seat in mine],
        "host": _path(known, table) if is_host else "",
        "demo": table.row.is_demo,
    }


def _path(known: LiveTable, table: LiveTable, seat: str = "") -> str:
    """The path of a seat or a screen.

    The device has no cookies yet for a rematch. It goes there by the redirect of the table it knows.
    """
    if known is not table:
        return f"/t/{known.code}/next?seat={seat}" if seat else f"/t/{known.code}/next"
    return f"/t/{table.code}/s/{seat}" if seat else f"/t/{table.code}"
