"""What a phone or a screen brings along besides the table it shows: read from its cookies and its address."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from flask import request

from referee.moves import Seat
from web.bodies import whole
from web.pages.drafts import Draft, read
from web.pages.page import held, host_token, wants_regions
from web.table import LiveTable


@dataclass(frozen=True)
class Device:
    """The seats that it holds at a table, and which screen of the page it shows.

    With no `args` it shows the page as everybody first sees it: that is what live pages are sent.
    """

    held: tuple[Seat, ...] = ()
    is_host: bool = False
    args: Mapping[str, str] = field(default_factory=dict)  # what its address asks for
    seen: int | None = None  # the number of the last answer that was read
    draft: Draft | None = None
    curtain: str = ""  # the version and seat for which somebody opened the curtain of a shared phone
    is_live: bool = False  # a page that is open: it knows itself which answers were read
    since: int | None = None  # how many entries it was told of: it has the answers of all of them

    @property
    def is_shared(self) -> bool:
        return len(self.held) > 1


def seen_cookie(code: str, seat: Seat) -> str:
    return f"seen_{code}_{seat}"


def curtain_cookie(code: str) -> str:
    return f"curtain_{code}"


def this_device(table: LiveTable, seat: Seat | None = None, draft: Draft | None = None) -> Device:
    """The device that sent the request."""
    return Device(
        held=tuple(held(table)),
        is_host=host_token(table) is not None,
        args=request.args,
        seen=whole(request.cookies.get(seen_cookie(table.code, seat), "")) if seat else None,
        draft=draft or (read(table.code, seat) if seat else None),
        curtain=request.cookies.get(curtain_cookie(table.code), ""),
        is_live=wants_regions(),
    )
