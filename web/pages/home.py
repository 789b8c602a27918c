"""The home page with all games at a glance, the page where a table is opened, the language switch."""

from collections.abc import Iterator, Mapping
from typing import Any

from flask import Blueprint, Response, g, request

from referee.core.game import Game, Say
from referee.core.moves import canonical
from referee.core.options import GUIDE, PLAYERS, Data, Number, OneOf, Option
from referee.games import GAMES
from referee.presentation.views import Localizer
from referee.presentation.words import LANGUAGES
from web.pages.admin import damaged, stick
from web.pages.device import NO_GUIDE_COOKIE
from web.pages.option_labels import option_label, own_values, value_label
from web.pages.play.join import NAME_COOKIE, usual_avatar
from web.pages.play.my_tables import tables_here
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
PLAYERS_FIELD = f"option.{PLAYERS}"
GUIDE_FIELD = f"option.{GUIDE.name}"
PRESET_PREFIX = "@"  # prefix of a preset's name in a form; no JSON begins with it


@home.get("/")
def show() -> Response:
    return _page()


@home.get("/play/<game>")
def one_game(game: str) -> Response:
    """Everything about opening a table of one game."""
    if game not in GAMES:
        raise ApiError("unknown-game")
    return _game_page(game, request.args)


@home.route("/open", methods=["GET", "POST"])
def open_table() -> Response:
    if request.method == "GET":
        return redirect_to("/")
    try:
        opened = service().wait(service().open(_table_asked_for(), caller()))
    except ApiError as refusal:
        return _refused(refusal)
    return set_cookie(redirect_to(f"/t/{opened.code}"), host_cookie(opened.code), opened.host)


@home.route("/try", methods=["GET", "POST"])
def try_alone() -> Response:
    """Open a demonstration: bots take all seats but one, and this device joins at the free one."""
    if request.method == "GET":
        return redirect_to("/")
    try:
        opened = service().wait(service().open(with_bots_at_other_seats(_table_asked_for()), caller()))
    except ApiError as refusal:
        return _refused(refusal)
    ((seat, key),) = opened.keys.items()
    name = request.cookies.get(NAME_COOKIE) or say("page.demo.guest")
    who = {"key": key, "name": name, "avatar": usual_avatar()}
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


def _refused(refusal: ApiError) -> Response:
    """The page from which a form was sent, with the error."""
    game = request.form.get("game", "")
    if game not in GAMES:
        g.back = "/"
        return _page(refusal)
    g.back = f"/play/{game}"
    return _game_page(game, request.form, refusal)


def _game_page(game: str, asked: Mapping[str, str], refusal: ApiError | None = None) -> Response:
    localizer = game_localizer(game)
    options = [_option(option, localizer, asked) for option in GAMES[game].options]
    return render_with_error(
        "play.html",
        refusal,
        game=card(GAMES[game]),
        players=next((option for option in options if option["name"] == PLAYERS_FIELD), None),
        guide=next((option for option in options if option["name"] == GUIDE_FIELD), None),
        options=[option for option in options if option["name"] not in (PLAYERS_FIELD, GUIDE_FIELD)],
        is_open=refusal is not None and refusal.code == "bad-options",
        rules=f"/rules/{game}" if GAMES[game].passages else "",
        back=g.get("back") or request.full_path.rstrip("?"),
    )


def _page(refusal: ApiError | None = None) -> Response:
    return render_with_error(
        "home.html",
        refusal,
        games=[card(game) for game in GAMES.values()],
        wants_guide=NO_GUIDE_COOKIE not in request.cookies,
        damage=damaged.damage_reports(),
        stick=stick.stick_note(),
        tables=list(tables_here()),
        has_idle_tables=any(idle_tables(service(), MOST_EXAMINED)),
        typed=request.args.get("code", ""),
        back=g.get("back", "/"),
    )


def card(game: Game[Any, Any]) -> dict[str, Any]:
    """A game at a glance."""
    localizer, counts = game_localizer(game.id), game.player_counts()
    return {
        "id": game.id,
        "name": localizer.of_game("name"),
        "tagline": localizer.of_game("tagline"),
        "drawing": fragment(game.id, "drawing.svg"),
        "counts": counts,
        "has_guide": game.guide is not None,
        "players": _from_to(min(counts), max(counts)),
        "facts": game.facts,
        "minutes": _from_to(*game.facts.minutes) if game.facts else "",
    }


def _from_to(least: int, most: int) -> str:
    return str(least) if least == most else f"{least}\N{EN DASH}{most}"


# ---- options


def _option(option: Option, localizer: Localizer, asked: Mapping[str, str]) -> dict[str, Any]:
    name = f"option.{option.name}"
    shown: dict[str, Any] = {"name": name, "label": option_label(option.name, localizer)}
    if isinstance(option, Number):
        value = asked.get(name, "" if option.default is None else option.default)
        return {**shown, "kind": "number", "min": option.min, "max": option.max, "value": value}
    if isinstance(option, Data):
        return {**shown, **_data(option, localizer), "chosen": asked.get(name, canonical(option.default))}
    default = language() if option.name == "language" else option.default
    chosen = asked.get(name, canonical(default))
    shown["only"] = dict(_only_for(option, localizer.game))
    values = [(canonical(value), value_label(option, value, localizer)) for value in option.options]
    return {**shown, "kind": "one", "values": values, "chosen": chosen}


def _only_for(option: OneOf, game: Game[Any, Any]) -> Iterator[tuple[str, str]]:
    """The values of an option that go only with some numbers of players, each with those numbers."""
    usual, counts = {each.name: each.default for each in game.options}, game.player_counts()
    for value in option.options:
        some = [n for n in counts if option.goes_with(value, {**usual, PLAYERS: n})]
        if len(some) < len(counts):
            yield canonical(value), " ".join(map(str, some))


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
    service().guesses.check_pin(caller(), request.form.get("pin"))
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
