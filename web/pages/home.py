"""The home page: choose a game and open a table, join one by its code; and the language of all pages."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from flask import Blueprint, Response, g, request

from referee.game import Game, Say
from referee.games import GAMES
from referee.moves import canonical
from referee.options import Data, Number, Option
from referee.views import Voice
from referee.words import LANGUAGES, words
from web.api import caller, house
from web.bodies import Wish, parse
from web.caller import LANGUAGE_COOKIE, host_cookie
from web.pages.mend import newest
from web.pages.page import (
    and_list,
    fragment,
    go,
    held,
    host_token,
    keep,
    language,
    problem,
    seat_caller,
    show,
    site_path,
    speech,
    table_of,
)
from web.pages.settled import option_label, own_values, value_label
from web.refusals import Refusal
from web.shelf import kept_values
from web.table import LiveTable
from web.tidying import resting

home = Blueprint("home", __name__)

YEAR = 365 * 24 * 3600
REMEMBERED = 6  # tables offered to a device that comes back
LOOKED_AT = 30  # cookies of tables that are looked at for that, newest first
GLANCE = 5  # tables that may rest, looked at to know whether to ask
KEPT = "@"  # before the name of a value on the shelf: no JSON begins like that
OF_TABLE = re.compile(r"(?:seat|host)_([A-Z0-9]{5})(?:_\w+)?")


@home.get("/")
def front_door() -> Response:
    return _page()


@home.route("/open", methods=["GET", "POST"])
def open_table() -> Response:
    if request.method == "GET":
        return go("/")
    g.back = "/"
    try:
        house().check_pin(caller(), request.form.get("pin"))
        opened = house().open(_wish(), caller())
    except Refusal as refusal:
        return _page(refusal)
    return keep(go(f"/t/{opened.code}"), host_cookie(opened.code), opened.host)


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
    return show(
        "home.html",
        refusal.status if refusal else 200,
        problem=problem(refusal) if refusal else None,
        games=[_card(game) for game in GAMES.values()],
        needs_pin=bool(house().settings.server.host_pin),
        tables=list(_tables_here()),
        resting=any(resting(house(), GLANCE)),
        typed=request.args.get("code", ""),
        back=g.get("back", "/"),
    )


def _card(game: Game[Any, Any]) -> dict[str, Any]:
    voice = Voice(words(language()), game, {})
    asked = request.form if request.form.get("game") == game.id else {}
    return {
        "id": game.id,
        "name": voice.of_game("name"),
        "tagline": voice.of_game("tagline"),
        "drawing": fragment(game.id, "drawing.svg"),
        "options": [_option(option, voice, asked) for option in game.options],
        "rules": f"/rules/{game.id}" if game.passages else "",
        "open": bool(asked),
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
    wanted = request.form.get("game", "")
    options = dict(_chosen(GAMES[wanted])) if wanted in GAMES else {}
    return Wish(wanted, options, house().settings.desk.name)


def _chosen(game: Game[Any, Any]) -> Iterator[tuple[str, Any]]:
    """The options of the form as the game has them; what is not there keeps its default."""
    for option in game.options:
        text = request.form.get(f"option.{option.name}")
        if text:
            yield option.name, _on_shelf(game, option, text) if text.startswith(KEPT) else _value(text)


def _on_shelf(game: Game[Any, Any], option: Option, text: str) -> Any:
    """A value that the form names. Somebody may have taken it away meanwhile."""
    name = text.removeprefix(KEPT)
    kept = kept_values(house(), game.id, option.name) if isinstance(option, Data) else {}
    if name not in kept:
        raise Refusal("bad-options", why=Say("page.shelf.gone", {"name": name}))
    return kept[name]


def _value(text: str) -> Any:
    """A value of the form; what is none is left as it is, for the game to refuse."""
    value = parse(text.encode())
    return text if value is None and text != "null" else value


# ---- coming back


def _tables_here() -> Iterator[dict[str, Any]]:
    """The tables where this device holds a seat or is the host, while they are not over."""
    found = (OF_TABLE.fullmatch(name) for name in reversed(list(request.cookies)))
    codes = dict.fromkeys(match[1] for match in found if match)
    tables = (_table_here(code) for code in islice(codes, LOOKED_AT))
    apart = {table["code"]: table for table in reversed([table for table in tables if table])}
    return islice(reversed(apart.values()), REMEMBERED)


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
    }


def _way(known: LiveTable, table: LiveTable, seat: str = "") -> str:
    """The address of a seat or a screen; past the table that this device knows, by way of it."""
    if known is not table:
        return f"/t/{known.code}/next?seat={seat}" if seat else f"/t/{known.code}/next"
    return f"/t/{table.code}/s/{seat}" if seat else f"/t/{table.code}"
