"""The state of a phone or screen that a page depends on, read from its cookies and its query string."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from flask import request

from referee.core.moves import Seat
from web.pages.play.drafts import MoveDraft, read
from web.pages.rendering import LastDrawing, wants_regions
from web.security.caller import host_cookie, seat_cookie
from web.service.live_table import LiveTable
from web.wire.parsing import whole


@dataclass(frozen=True)
class Device:
    """The seats that a device holds at a table, and which part of the page it shows.

    Without `args` it is the page as it is first loaded. Live updates are rendered that way.
    """

    held: tuple[Seat, ...] = ()
    is_host: bool = False
    args: Mapping[str, str] = field(default_factory=dict)  # the query string
    seen: int | None = None  # the number of the last answer that its player has read
    draft: MoveDraft | None = None
    learnt: frozenset[str] = (
        frozenset()
    )  # the lessons of a guided game that its player has read, or ALL_LESSONS
    curtain: str = ""  # `VERSION.SEAT` for which the curtain of a shared phone was opened
    is_live: bool = False  # an open page with script, which tracks by itself which answers were read
    since: int | None = None  # how many journal entries it has received, with all their answers
    drawings: LastDrawing = field(default_factory=LastDrawing)  # what its page was last rendered with

    @property
    def is_shared(self) -> bool:
        return len(self.held) > 1


def seen_cookie(code: str, seat: Seat) -> str:
    return f"seen_{code}_{seat}"


def learnt_cookie(code: str, seat: Seat) -> str:
    return f"learnt_{code}_{seat}"


NO_GUIDE_COOKIE = "no_guide"  # this device has skipped a guide: solo games begin without one


def curtain_cookie(code: str) -> str:
    return f"curtain_{code}"


def this_device(table: LiveTable, seat: Seat | None = None, draft: MoveDraft | None = None) -> Device:
    """The device that sent the request."""
    device = device_of(table, seat, request.cookies, request.args, is_live=wants_regions())
    return replace(device, draft=draft) if draft else device


def device_of(
    table: LiveTable, seat: Seat | None, cookies: Mapping[str, str], args: Mapping[str, str], is_live: bool
) -> Device:
    """The device with these cookies and this query string, on the page of a seat or (None) of a screen."""
    return Device(
        held=held_by(table, cookies),
        is_host=table.is_host(cookies.get(host_cookie(table.code))),
        args=args,
        seen=whole(cookies.get(seen_cookie(table.code, seat), "")) if seat else None,
        learnt=frozenset(cookies.get(learnt_cookie(table.code, seat), "").split(".") if seat else ()),
        draft=read(table.code, seat, cookies) if seat else None,
        curtain=cookies.get(curtain_cookie(table.code), ""),
        is_live=is_live,
    )


def held_by(table: LiveTable, cookies: Mapping[str, str]) -> tuple[Seat, ...]:
    """The seats of a table that the device with these cookies holds."""
    tokens = {seat: cookies.get(seat_cookie(table.code, seat)) for seat in table.match.seats}
    return tuple(seat for seat, token in tokens.items() if table.seat_of(token) == seat)
