"""The desk's own screen: the newest table of the desk, with the QR codes of its free seats, by itself."""

from flask import Blueprint, Response

from web import qr
from web.api import caller, desks, house
from web.caller import SCREEN_COOKIE
from web.pages.page import go, is_own_screen, keep, say, show
from web.pages.screen import screen_of
from web.pages.screen_regions import wifi_card

kiosk = Blueprint("kiosk", __name__)

YEARS = 10 * 365 * 24 * 3600


@kiosk.get("/desk/<name>/screen")
def newest(name: str) -> Response:
    """The table that the desk serves now; before the first, where to open one."""
    desks().check(name)
    is_ours = is_own_screen(name)
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
    house().check_guess(caller(), desks().is_screen(name, way), "bad-key")
    return keep(go(f"/desk/{name}/screen"), SCREEN_COOKIE, way, age=YEARS)
