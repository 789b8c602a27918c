"""The way back: the tables and seats that a device holds, by its cookies, offered wherever it is."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from flask import request

from web.api import house
from web.pages.mend import newest
from web.pages.page import and_list, held, host_token, say, seat_caller, speech
from web.table import LiveTable

REMEMBERED = 6  # tables offered to a device that comes back
LOOKED_AT = 30  # cookies of tables that are looked at for that, newest first
OF_TABLE = re.compile(r"(?:seat|host)_([A-Z0-9]{5})(?:_\w+)?")


def tables_here() -> Iterator[dict[str, Any]]:
    """The tables where this device holds a seat or is the host, while they are not over."""
    found = (OF_TABLE.fullmatch(name) for name in reversed(list(request.cookies)))
    codes = dict.fromkeys(match[1] for match in found if match)
    tables = (_table_here(code) for code in islice(codes, LOOKED_AT))
    apart = {table["code"]: table for table in reversed([table for table in tables if table])}
    return islice(reversed(apart.values()), REMEMBERED)


def ways_to_seat() -> list[tuple[str, str]]:
    """The seats that this device holds, by address and label: at this page's table, else at the newest."""
    code = (request.view_args or {}).get("code")
    table = house().readable(str(code)) if code else None
    if table and (mine := held(table)):
        voice = speech(table.seen())
        return [(_way(table, table, seat), say("page.to_seat", name=voice.name(seat))) for seat in mine]
    there = next((table for table in tables_here() if table["seats"]), None)
    seats, at = (there["seats"], there["code"]) if there else ((), "")
    return [(path, say("page.to_seat.at", name=name, code=at)) for path, name in seats]


def ways_out(refused: str) -> list[tuple[str, str]]:
    """The ways out of a refusal, by address and label: the seats that this device holds, a table's screen.

    Whoever is told to slow down is not told whether there is such a table. Where we broke down ourselves
    nothing more is looked up.
    """
    if refused == "broken":
        return []
    code = (request.view_args or {}).get("code")
    table = house().readable(str(code)) if code else None
    screen = [(f"/t/{table.code}", say("page.to_table", code=table.code))] if table else []
    is_told = table is not None and (refused != "slow-down" or bool(held(table)))
    return [*ways_to_seat(), *(screen if is_told else [])]


def _table_here(code: str) -> dict[str, Any] | None:
    """A table that waits for this device; where the others went on to play again, that one."""
    known = house().readable(code)
    table = newest(known) if known else None
    if known is None or table is None or table.match.outcome:
        return None
    voice, is_host = speech(table.seen()), bool(host_token(known))
    mine = [seat for seat in held(known) if table.seat_of(seat_caller(known, seat).token) == seat]
    if not mine and not is_host:
        return None
    there = [voice.name(seat) for seat in table.match.taken if seat not in mine]
    return {
        "code": table.code,
        "game": voice.of_game("name"),
        "with": and_list(there),
        "seats": [(_way(known, table, seat), voice.name(seat)) for seat in mine],
        "host": _way(known, table) if is_host else "",
        "demo": table.row.is_demo,
    }


def _way(known: LiveTable, table: LiveTable, seat: str = "") -> str:
    """The address of a seat or a screen; past the table that this device knows, by way of it."""
    if known is not table:
        return f"/t/{known.code}/next?seat={seat}" if seat else f"/t/{known.code}/next"
    return f"/t/{table.code}/s/{seat}" if seat else f"/t/{table.code}"
