"""The join pages: of a seat's QR code, and of the table's, where a seat is chosen. GET changes nothing; POST
takes the seat."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, request

from referee.core.game import Say
from referee.core.moves import Seat
from referee.core.questions import HOST
from referee.presentation.avatars import AVATARS
from referee.presentation.views import Localizer
from web.output import qr
from web.output.address import join_path, table_join_path
from web.pages.rendering import (
    held,
    host_token,
    localizer_of,
    nonce,
    redirect_to,
    render_with_error,
    retry,
    say,
    set_cookie,
    table_of,
)
from web.request_context import caller, desks, service
from web.security.caller import seat_cookie
from web.security.tokens import hashed
from web.service.live_table import LiveTable
from web.store.history_queries import suggestions
from web.wire.errors import ApiError
from web.wire.names import LONGEST, checked_name

join = Blueprint("join", __name__)

NAME_COOKIE, AVATAR_COOKIE = "name", "avatar"
DAY = 24 * 3600
YEAR = 365 * DAY


@join.route("/j/<code>/<seat>/<key>", methods=["GET", "POST"])
def sit(code: str, seat: str, key: str) -> Response:
    """The page of a seat's own QR code."""
    fits = service().is_seat_key(code, seat, key)
    table = table_of(code, trusted=fits)
    if seat not in table.seats:
        raise ApiError("unknown-seat")
    if seat in held(table):
        return redirect_to(f"/t/{code}/s/{seat}")
    if not fits:
        raise service().guesses.failure(caller(), "bad-key")
    mark = request.cookies.get(_mark_cookie(table, seat)) or request.form.get("nonce")
    if table.seats[seat].token and mark is None:
        raise ApiError("seat-taken")
    form = SeatForm(table, seat, {"key": key})
    return form.sit_down() if request.method == "POST" else form.page()


@join.route("/j/<code>/<key>", methods=["GET", "POST"])
def choose(code: str, key: str) -> Response:
    """The page of the table's QR code: a seat is chosen there."""
    fits = service().is_table_key(code, key)
    table = table_of(code, trusted=fits)
    if mine := held(table):
        return redirect_to(f"/t/{code}/s/{mine[0]}")
    if not fits:
        raise service().guesses.failure(caller(), "bad-key")
    mark = request.cookies.get(_mark_cookie(table), "")
    if mark and (tokens := service().seats_taken_by(table, key, mark)):
        return _seated(table, tokens)  # it sat down, and the response was lost
    if table.match.state:
        raise ApiError(
            "seat-taken", why=Say("refusal.seat-taken.begun"), title="refusal.seat-taken.begun.title"
        )
    form = SeatForm(table, "", {"table_key": key})
    return form.sit_down() if request.method == "POST" else form.page()


class SeatForm:
    """The form with which a phone takes a seat. With the table's key, `seat` is empty: it is chosen."""

    def __init__(self, table: LiveTable, seat: Seat, key: dict[str, str]) -> None:
        self.table, self.seat, self.key = table, seat, key

    def sit_down(self) -> Response:
        """Take the seat, and those of other players on this phone. The nonce makes a resubmission
        idempotent."""
        seat = self.seat or request.form.get("seat", "")
        try:
            _check_chosen(self.table, seat)
            own = {**self.key, "name": request.form.get("name", ""), "nonce": request.form.get("dice", "")}
            people = {seat: own | {"avatar": _avatar_in_form()}, **self._also(seat)}
            for body in people.values():
                checked_name(body["name"])  # check every name before any seat is taken
            tokens = {each: self._join(each, body) for each, body in people.items()}
        except ApiError as refusal:
            if refusal.code != "malformed" and (self.seat or refusal.code != "seat-taken"):
                raise
            if self.table.match.state:  # the last seat was taken meanwhile
                raise
            return self.page(refusal)
        response = _seated(self.table, tokens)
        set_cookie(response, AVATAR_COOKIE, _avatar_in_form(), age=YEAR)
        return set_cookie(response, NAME_COOKIE, checked_name(request.form.get("name", "")))

    def _join(self, seat: Seat, body: dict[str, str]) -> str:
        code, again = self.table.code, retry("join", f".{seat}")
        if "table_key" in body:
            return service().wait(
                service().join_with_table_key(code, {**body, "seat": seat}, caller(), again)
            )
        return service().wait(service().join(code, seat, body, caller(), again))

    def _also(self, chosen: Seat) -> dict[Seat, dict[str, str]]:
        """Key and name of each other player who shares this phone, by seat."""
        named = {seat: request.form.get(f"name.{seat}", "").strip() for seat, _ in self._others()}
        keys = self._keys()
        return {seat: {**keys[seat], "name": name} for seat, name in named.items() if name and seat != chosen}

    def _keys(self) -> dict[Seat, dict[str, str]]:
        """The keys of the free seats that this device may take: all of them with the table's key or on the
        host's device; any other phone scans the code of each seat."""
        if not self.seat:
            return {seat: self.key for seat in self.table.seats if self.table.takes_table_key(seat)}
        is_host = host_token(self.table) and not self.table.match.state
        keys = self.table.free_keys(HOST) if is_host else {}
        return {seat: {"key": key} for seat, key in keys.items()}

    def _others(self) -> list[tuple[Seat, str]]:
        """The other seats that this phone can take too, with their titles."""
        localizer, free = localizer_of(self.table.seen()), self._keys()
        others = [(seat, localizer.title(seat)) for seat in free if seat != self.seat]
        return others if self.seat or len(others) > 1 else []

    def page(self, refusal: ApiError | None = None) -> Response:
        table, seat = self.table, self.seat
        marked = _mark_cookie(table, seat)
        mark = request.cookies.get(marked) or nonce()
        localizer = localizer_of(table.seen())
        was = table.match.names[seat] if seat and table.match.state else None  # whose phone is replaced
        chairs = self._chairs(localizer, mark)
        response = render_with_error(
            "join.html",
            refusal,
            code=table.code,
            localizer=localizer,
            seat=seat,
            number=localizer.number(seat) if seat else 0,
            others=[localizer.name(other) for other in table.match.taken if other != seat],
            chairs=chairs,
            stream=f"/api/tables/{table.code}/events?beats=1" if chairs else "",
            view=table.view(None, localizer.words.language) if chairs else None,
            nonce=mark,
            seed_hash=table.match.seed_hash,
            was=was,
            also=self._others(),
            written={name: text for name, text in request.form.items() if name.startswith("name.")},
            may_share=len(table.seats) > 1 and not table.match.state,
            name=request.form.get("name") or was or _usual_name(table),
            avatars=AVATARS,
            avatar=_avatar_in_form() or self._first_avatar(mark),
            longest=LONGEST,
            names=suggestions(service().store),
        )
        return set_cookie(response, marked, mark, path=request.path, age=DAY)

    def _chairs(self, localizer: Localizer, mark: str) -> list[dict[str, Any]]:
        """The seats to choose from, if there is a choice. Phones are offered different ones first, since two
        often come at once."""
        if self.seat:
            return []
        taken, avatars = self.table.match.taken, self.table.match.avatars
        free = [seat for seat in self.table.seats if self.table.takes_table_key(seat)]
        ours = request.form.get("seat", "")
        first = ours if ours in free else max(free, key=lambda seat: hashed(mark + seat), default="")
        return [
            {
                "seat": seat,
                "number": localizer.number(seat),
                "title": localizer.title(seat),
                "name": localizer.name(seat) if seat in taken else "",
                "avatar": avatars.get(seat, ""),
                "is_free": seat in free,
                "is_first": seat == first,
            }
            for seat in self.table.match.seats
        ]

    def _first_avatar(self, mark: str) -> str:
        """The avatar that this phone used last, or one of those that nobody at the table has."""
        taken = self.table.match.avatars.values()
        if (last := usual_avatar()) and last not in taken:
            return last
        free = [avatar for avatar in AVATARS if avatar not in taken]
        return free[sum(mark.encode()) % len(free)]


def _seated(table: LiveTable, tokens: Mapping[Seat, str]) -> Response:
    """To the page of the first of these seats, which this device now holds."""
    response = redirect_to(f"/t/{table.code}/s/{next(iter(tokens))}")
    for seat, token in tokens.items():
        set_cookie(response, seat_cookie(table.code, seat), token)
    return response


def _check_chosen(table: LiveTable, seat: Seat) -> None:
    if seat not in table.seats:
        raise ApiError("malformed", why=Say("page.join.none_chosen"), title="page.join.none_chosen.title")


def _mark_cookie(table: LiveTable, seat: Seat = "") -> str:
    return f"joining_{table.code}_{seat}" if seat else f"joining_{table.code}"


def _avatar_in_form() -> str:
    return _known_avatar(request.form.get("avatar", ""))


def usual_avatar() -> str:
    """The avatar that this device used last."""
    return _known_avatar(request.cookies.get(AVATAR_COOKIE, ""))


def _known_avatar(name: str) -> str:
    return name if name in AVATARS else ""


def table_invitation(table: LiveTable) -> dict[str, Any] | None:
    """The join link and QR code of the table's own key, until the game begins. Callers must check that the
    viewer may see keys."""
    key = table.row.key
    if key is None or table.match.state:
        return None
    link = desks().table_join_url(table.code, key)
    code = qr.svg(link, say("page.join.table_code", code=table.code))
    return {"path": table_join_path(table.code, key), "link": link, "code": code}


def invitations(table: LiveTable, keys: Mapping[Seat, str], localizer: Localizer) -> list[dict[str, Any]]:
    """The join link and QR code of each key. Callers must check that the viewer may see the keys."""
    links = {seat: desks().join_url(table.code, seat, key) for seat, key in keys.items()}
    return [
        {
            "seat": seat,
            "name": localizer.name(seat),
            "path": join_path(table.code, seat, keys[seat]),
            "link": link,
            "code": qr.svg(link, say("page.join.code", seat=localizer.title(seat))),
        }
        for seat, link in links.items()
    ]


def free_seats(table: LiveTable, localizer: Localizer) -> list[tuple[str, str, str]]:
    """The seat, title and join path of each free seat. Only for the host's device."""
    keys = table.free_keys(HOST)
    return [(seat, localizer.title(seat), join_path(table.code, seat, key)) for seat, key in keys.items()]


def _usual_name(table: LiveTable) -> str:
    """The name last used on this phone; empty if a player of that name already sits at this table."""
    name = request.cookies.get(NAME_COOKIE, "")
    return "" if name in table.match.taken.values() else name
