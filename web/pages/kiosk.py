"""The desk's own screen. It follows the desk's newest table and shows the QR codes of its free seats."""

from flask import Blueprint, Response

from web.output import qr
from web.pages.rendering import is_own_screen, redirect_to, render_page, say, set_cookie
from web.pages.screen import screen_of
from web.pages.screen_regions import wifi_card
from web.request_context import caller, desks, service
from web.security.caller import SCREEN_COOKIE

kiosk = Blueprint("kiosk", __name__)

YEARS = 10 * 365 * 24 * 3600


@kiosk.get("/desk/<name>/screen")
def newest(name: str) -> Response:
    """The table at the desk; before the first one, the address of the home page."""
    desks().check(name)
    is_ours = is_own_screen(name)
    if table := desks().table_at(name):
        return screen_of(table, desk=name, shows_keys=is_ours)
    address = desks().base()
    return render_page(
        "kiosk.html",
        stream=f"/desk/{name}/events?beats=1",
        address=address,
        home=qr.svg(address, say("page.kiosk.code")),
        wifi=wifi_card() if is_ours else None,
    )


@kiosk.get("/desk/<name>/screen/<screen_key>")
def enter(name: str, screen_key: str) -> Response:
    """Mark this browser as the desk's own screen. The server writes the key to a file."""
    desks().check(name)
    service().check_guess(caller(), desks().is_screen(name, screen_key), "bad-key")
    return set_cookie(redirect_to(f"/desk/{name}/screen"), SCREEN_COOKIE, screen_key, age=YEARS)
