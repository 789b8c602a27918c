"""The home page: choose a game and open a table, join one by its code; and the language of all pages."""

from collections.abc import Iterator, Mapping
from typing import Any

from flask import Blueprint, Response, g, request

from referee.game import Game, Say
from referee.games import GAMES
from referee.moves import canonical
from referee.options import Data, Number, Option
from referee.views import Voice
from referee.words import LANGUAGES
from web.api import caller, house
from web.bodies import Wish, typed
from web.caller import LANGUAGE_COOKIE, host_cookie, seat_cookie
from web.opening import alone
from web.pages import damaged
from web.pages.back import tables_here
from web.pages.join import NAME_COOKIE
from web.pages.page import (
    fragment,
    go,
    held,
    host_token,
    keep,
    language,
    say,
    show_again,
    site_path,
    table_of,
    voice_of,
)
from web.pages.settled import option_label, own_values, value_label
from web.refusals import Refusal
from web.shelf import kept_values
from web.tidying import resting

home = Blueprint("home", __name__)

YEAR = 365 * 24 * 3600
GLANCE = 5  # tables that may rest, looked at to know whether to ask
KEPT = "@"  # before the name of a value on the shelf: no JSON begins like that


@home.get("/")
def front_door() -> Response:
    return _page()


@home.route("/open", methods=["GET", "POST"])
def open_table() -> Response:
    if request.method == "GET":
        return go("/")
    g.back = "/"
    try:
        opened = house().wait(house().open(_wish(), caller()))
    except Refusal as refusal:
        return _page(refusal)
    return keep(go(f"/t/{opened.code}"), host_cookie(opened.code), opened.host)


@home.route("/try", methods=["GET", "POST"])
def try_alone() -> Response:
    """A demonstration: bots take all seats but one, and this device is seated there at once."""
    if request.method == "GET":
        return go("/")
    g.back = "/"
    try:
        opened = house().wait(house().open(alone(_wish()), caller()))
    except Refusal as refusal:
        return _page(refusal)
    ((seat, key),) = opened.keys.items()
    who = {"key": key, "name": request.cookies.get(NAME_COOKIE) or say("page.demo.guest")}
    token = house().wait(house().join(opened.code, seat, who, caller()))
    response = keep(go(f"/t/{opened.code}/s/{seat}"), seat_cookie(opened.code, seat), token)
    return keep(response, host_cookie(opened.code), opened.host)


@home.get("/join")
def find() -> Response:
    """A table by its code, however it was typed: one's own seat there, else its screen."""
    code = "".join(request.args.get("code", "").split()).upper()
    try:
        table = table_of(code)
    except Refusal as refusal:
        return _page(refusal)
    seats = held(table)
    return go(f"/t/{code}/s/{seats[0]}" if len(seats) == 1 and not host_token(table) else f"/t/{code}")


@home.post("/language")
def switch_language() -> Response:
    wanted = request.form.get("language", "")
    response = go(site_path(request.form.get("back", "/")))
    return keep(response, LANGUAGE_COOKIE, wanted, age=YEAR) if wanted in LANGUAGES else response


def _page(refusal: Refusal | None = None) -> Response:
    return show_again(
        "home.html",
        refusal,
        games=[_card(game, refusal) for game in GAMES.values()],
        asked=_asked(),
        damage=damaged.told(),
        tables=list(tables_here()),
        resting=any(resting(house(), GLANCE)),
        typed=request.args.get("code", ""),
        back=g.get("back", "/"),
    )


def _asked() -> str:
    """The game whose form was sent: a refusal is told there."""
    game = request.form.get("game", "")
    return game if game in GAMES else ""


def _card(game: Game[Any, Any], refusal: Refusal | None) -> dict[str, Any]:
    voice = voice_of(game.id)
    asked = request.form if _asked() == game.id else {}
    return {
        "id": game.id,
        "name": voice.of_game("name"),
        "tagline": voice.of_game("tagline"),
        "drawing": fragment(game.id, "drawing.svg"),
        "options": [_option(option, voice, asked) for option in game.options],
        "rules": f"/rules/{game.id}" if game.passages else "",
        "open": bool(asked) and refusal is not None and refusal.code == "bad-options",
    }


# ---- options


def _option(option: Option, voice: Voice, asked: Mapping[str, str]) -> dict[str, Any]:
    name = f"option.{option.name}"
    shown = {"name": name, "label": option_label(option.name, voice)}
    if isinstance(option, Number):
        value = asked.get(name, "" if option.default is None else option.default)
        return {**shown, "kind": "number", "min": option.min, "max": option.max, "value": value}
    if isinstance(option, Data):
        return {**shown, **_data(option, voice), "chosen": asked.get(name, canonical(option.default))}
    default = language() if option.name == "language" else option.default
    chosen = asked.get(name, canonical(default))
    values = [(canonical(value), value_label(option, value, voice)) for value in option.options]
    return {**shown, "kind": "one", "values": values, "chosen": chosen}


def _data(option: Data, voice: Voice) -> dict[str, Any]:
    """The values at hand for such an option: the game's own, and those on the shelf by their names."""
    game = voice.game.id
    theirs = [(f"{KEPT}{name}", name) for name in kept_values(house(), game, option.name)]
    shelf = f"/shelf/{game}/{option.name}" if f"page.{game}.shelf.{option.name}" in voice.words else ""
    return {"kind": "one", "values": [*own_values(option, voice), *theirs], "shelf": shelf}


def _wish() -> Wish:
    """What the form asks for. A game that is unknown is told first, then a wrong pin."""
    game = GAMES.get(request.form.get("game", ""))
    if game is None:
        raise Refusal("unknown-game")
    house().check_pin(caller(), request.form.get("pin"))
    return Wish(game.id, dict(_chosen(game)), house().settings.desk.name)


def _chosen(game: Game[Any, Any]) -> Iterator[tuple[str, Any]]:
    """The options of the form as the game has them; what is not there keeps its default."""
    for option in game.options:
        text = request.form.get(f"option.{option.name}")
        if text:
            yield option.name, _on_shelf(game, option, text) if text.startswith(KEPT) else typed(text)


def _on_shelf(game: Game[Any, Any], option: Option, text: str) -> Any:
    """A value that the form names. Somebody may have taken it away meanwhile."""
    name = text.removeprefix(KEPT)
    kept = kept_values(house(), game.id, option.name) if isinstance(option, Data) else {}
    if name not in kept:
        raise Refusal("bad-options", why=Say("page.shelf.gone", {"name": name}))
    return kept[name]
