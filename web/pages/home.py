"""The home page: open a table, join one by its code, switch the language."""

from collections.abc import Iterator, Mapping
from typing import Any

from flask import Blueprint, Response, g, request

from referee.core.game import Game, Say
from referee.core.moves import canonical
from referee.core.options import Data, Number, Option
from referee.games import GAMES
from referee.presentation.views import Localizer
from referee.presentation.words import LANGUAGES
from web.pages import damaged, stick
from web.pages.join import NAME_COOKIE
from web.pages.my_tables import tables_here
from web.pages.option_labels import option_label, own_values, value_label
from web.pages.rendering import (
    fragment,
    game_localizer,
    held,
    host_token,
    language,
    redirect_to,
    render_with_error,
    say,
    set_cookie,
    site_path,
    table_of,
)
from web.request_context import caller, service
from web.security.caller import LANGUAGE_COOKIE, host_cookie, seat_cookie
from web.service.cleanup import idle_tables
from web.service.opening import with_bots_at_other_seats
from web.service.presets import permitted_presets
from web.wire.errors import ApiError
from web.wire.parsing import json_or_text
from web.wire.requests import OpenTableRequest

home = Blueprint("home", __name__)

YEAR = 365 * 24 * 3600
MOST_EXAMINED = 5  # tables examined to decide whether to link to the cleanup page
PRESET_PREFIX = "@"  # prefix of a preset's name in a form; no JSON begins with it


@home.get("/")
def show() -> Response:
    return _page()


@home.route("/open", methods=["GET", "POST"])
def open_table() -> Response:
    if request.method == "GET":
        return redirect_to("/")
    g.back = "/"
    try:
        opened = service().wait(service().open(_table_asked_for(), caller()))
    except ApiError as refusal:
        return _page(refusal)
    return set_cookie(redirect_to(f"/t/{opened.code}"), host_cookie(opened.code), opened.host)


@home.route("/try", methods=["GET", "POST"])
def try_alone() -> Response:
    """Open a demonstration: bots take all seats but one, and this device joins at the free one."""
    if request.method == "GET":
        return redirect_to("/")
    g.back = "/"
    try:
        opened = service().wait(service().open(with_bots_at_other_seats(_table_asked_for()), caller()))
    except ApiError as refusal:
        return _page(refusal)
    ((seat, key),) = opened.keys.items()
    who = {"key": key, "name": request.cookies.get(NAME_COOKIE) or say("page.demo.guest")}
    token = service().wait(service().join(opened.code, seat, who, caller()))
    response = set_cookie(redirect_to(f"/t/{opened.code}/s/{seat}"), seat_cookie(opened.code, seat), token)
    return set_cookie(response, host_cookie(opened.code), opened.host)


@home.get("/join")
def find() -> Response:
    """Redirect to the table of a typed code: to this device's only seat there, else to its screen."""
    code = "".join(request.args.get("code", "").split()).upper()
    try:
        table = table_of(code)
    except ApiError as refusal:
        return _page(refusal)
    seats = held(table)
    return redirect_to(
        f"/t/{code}/s/{seats[0]}" if len(seats) == 1 and not host_token(table) else f"/t/{code}"
    )


@home.post("/language")
def switch_language() -> Response:
    wanted = request.form.get("language", "")
    response = redirect_to(site_path(request.form.get("back", "/")))
    return set_cookie(response, LANGUAGE_COOKIE, wanted, age=YEAR) if wanted in LANGUAGES else response


def _page(refusal: ApiError | None = None) -> Response:
    return render_with_error(
        "home.html",
        refusal,
        games=[_card(game, refusal) for game in GAMES.values()],
        asked=_asked(),
        damage=damaged.damage_reports(),
        stick=stick.stick_note(),
        tables=list(tables_here()),
        has_idle_tables=any(idle_tables(service(), MOST_EXAMINED)),
        typed=request.args.get("code", ""),
        back=g.get("back", "/"),
    )


def _asked() -> str:
    """The game whose form was sent. An error is shown beside that form."""
    game = request.form.get("game", "")
    return game if game in GAMES else ""


def _card(game: Game[Any, Any], refusal: ApiError | None) -> dict[str, Any]:
    localizer = game_localizer(game.id)
    asked = request.form if _asked() == game.id else {}
    return {
        "id": game.id,
        "name": localizer.of_game("name"),
        "tagline": localizer.of_game("tagline"),
        "drawing": fragment(game.id, "drawing.svg"),
        "options": [_option(option, localizer, asked) for option in game.options],
        "rules": f"/rules/{game.id}" if game.passages else "",
        "open": bool(asked) and refusal is not None and refusal.code == "bad-options",
    }


# ---- options


def _option(option: Option, localizer: Localizer, asked: Mapping[str, str]) -> dict[str, Any]:
    name = f"option.{option.name}"
    shown = {"name": name, "label": option_label(option.name, localizer)}
    if isinstance(option, Number):
        value = asked.get(name, "" if option.default is None else option.default)
        return {**shown, "kind": "number", "min": option.min, "max": option.max, "value": value}
    if isinstance(option, Data):
        return {**shown, **_data(option, localizer), "chosen": asked.get(name, canonical(option.default))}
    default = language() if option.name == "language" else option.default
    chosen = asked.get(name, canonical(default))
    values = [(canonical(value), value_label(option, value, localizer)) for value in option.options]
    return {**shown, "kind": "one", "values": values, "chosen": chosen}


def _data(option: Data, localizer: Localizer) -> dict[str, Any]:
    """The values to choose from: the game's own, then the saved presets by name."""
    game = localizer.game.id
    theirs = [(f"{PRESET_PREFIX}{name}", name) for name in permitted_presets(service(), game, option.name)]
    has_presets = f"page.{game}.presets.{option.name}" in localizer.words
    presets = f"/presets/{game}/{option.name}" if has_presets else ""
    return {"kind": "one", "values": [*own_values(option, localizer), *theirs], "presets": presets}


def _table_asked_for() -> OpenTableRequest:
    """The request in the form. An unknown game is refused before a wrong PIN."""
    game = GAMES.get(request.form.get("game", ""))
    if game is None:
        raise ApiError("unknown-game")
    service().check_pin(caller(), request.form.get("pin"))
    return OpenTableRequest(game.id, dict(_chosen(game)), service().settings.desk.name)


def _chosen(game: Game[Any, Any]) -> Iterator[tuple[str, Any]]:
    """The game's options that the form sets; the others keep their defaults."""
    for option in game.options:
        text = request.form.get(f"option.{option.name}")
        if text:
            yield (
                option.name,
                _preset(game, option, text) if text.startswith(PRESET_PREFIX) else json_or_text(text),
            )


def _preset(game: Game[Any, Any], option: Option, text: str) -> Any:
    """The preset that the form names. It may have been deleted since the form was loaded."""
    name = text.removeprefix(PRESET_PREFIX)
    kept = permitted_presets(service(), game.id, option.name) if isinstance(option, Data) else {}
    if name not in kept:
        raise ApiError("bad-options", why=Say("page.presets.gone", {"name": name}))
    return kept[name]
