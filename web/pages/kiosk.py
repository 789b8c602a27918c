"""The desk's own screen: the newest table of the desk, with the QR codes of its free seats, by itself."""

import secrets

from flask import Blueprint, Response, request

from web import qr
from web.api import caller, desks, house
from web.pages.page import go, keep, say, show
from web.pages.screen import screen_of, wifi_card

kiosk = Blueprint("kiosk", __name__)

COOKIE = "screen"
YEARS = 10 * 365 * 24 * 3600


@kiosk.get("/desk/<name>/screen")
def newest(name: str) -> Response:
    """The table that the desk serves now; before the first, where to open one."""
    desks().check(name)
    is_ours = _is_key(name, request.cookies.get(COOKIE, ""))
    if table := desks().table_at(name):
        return screen_of(table, desk=name, shows_keys=is_ours)
    address = desks().base()
    return show(
        "kiosk.html",
        stream=f"/desk/{name}/events?beats=1",
        address=address,
        home=qr.svg(address, say("page.kiosk.code")),
        wifi=wifi_card() if is_ours else None,
    )


@kiosk.get("/desk/<name>/screen/<way>")
def enter(name: str, way: str) -> Response:
    """By the way in that the server left for it, a screen is known as the desk's own from now on."""
    desks().check(name)
    house().door.failures.check(caller().address)
    if not _is_key(name, way):
        raise house().failed(caller(), "bad-key")
    return keep(go(f"/desk/{name}/screen"), COOKIE, way, age=YEARS)


def _is_key(name: str, way: str) -> bool:
    return secrets.compare_digest(way.encode(), desks().screen_key(name).encode())
