"""The desk's own screen. It follows the desk's newest table and shows its QR code; without one, scenes of the
games."""

from flask import Blueprint, Response

from referee.games import GAMES
from web.output import qr
from web.pages.home import card
from web.pages.rendering import is_own_screen, redirect_to, render_page, say, set_cookie
from web.pages.screens.screen import screen_of
from web.pages.screens.screen_regions import wifi_card
from web.request_context import caller, desks, service
from web.security.caller import SCREEN_COOKIE

kiosk = Blueprint("kiosk", __name__)

YEARS = 10 * 365 * 24 * 3600


@kiosk.get("/desk/<name>/screen")
def newest(name: str) -> Response:
    """The table at the desk. Without one, and long after a game: scenes, and the code of the home page."""
    desks().check(name)
    is_ours = is_own_screen(name)
    table = desks().table_at(name)
    if table and not table.is_at_rest():
        return screen_of(table, desk=name, shows_keys=is_ours)
    address = desks().base()
    return render_page(
        "kiosk.html",
        stream=f"/desk/{name}/events?beats=1",
        address=address,
        home=qr.svg(address, say("page.kiosk.code")),
        wifi=wifi_card() if is_ours else None,
        games=[card(game) for game in GAMES.values()],
    )


@kiosk.get("/desk/<name>/screen/<screen_key>")
def enter(name: str, screen_key: str) -> Response:
    """Mark this browser as the desk's own screen. The server writes the key to a file."""
    desks().check(name)
    service().guesses.check_key(caller(), desks().is_screen(name, screen_key), "bad-key")
    return set_cookie(redirect_to(f"/desk/{name}/screen"), SCREEN_COOKIE, screen_key, age=YEARS)
