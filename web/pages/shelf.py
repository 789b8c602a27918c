"""The shelf on a page: what an owner of a game draws or writes once, to be picked for every later table."""

import json
from collections.abc import Iterator
from typing import Any

from flask import Blueprint, Response, g, make_response, request

from referee.game import Say
from web import shelf as shelves
from web.api import caller, house
from web.bodies import parse
from web.door import whole_name
from web.pages.nested import bounded, nested
from web.pages.page import fragment, go, show_again, voice_of
from web.refusals import Refusal

shelf = Blueprint("shelf", __name__)

FILE = "referee"  # what a file of ours says it is


@shelf.get("/shelf/<game>/<option>")
def look(game: str, option: str) -> Response:
    kept = shelves.kept_values(house(), game, option)
    name = request.args.get("name", "")
    value = nested(request.args, "value") or kept.get(name, shelves.option_of(game, option).default)
    return _page(game, option, name, value)


@shelf.post("/shelf/<game>/<option>")
def change(game: str, option: str) -> Response:
    """Keep what the form says, or what the file says that came with it; or take a value away."""
    shelves.option_of(game, option)
    name, value = request.form.get("name", ""), nested(request.form, "value")
    try:
        house().check_pin(caller(), request.form.get("pin"))
        if "forget" in request.form:
            house().wait(shelves.forget(house(), game, option, request.form["forget"]))
            return go(f"{request.path}?done=removed")
        if "file" in request.files:
            name, value = _in_file(game, option, request.files["file"].read())
        house().wait(shelves.keep(house(), game, option, whole_name(name), value))
    except Refusal as refusal:
        return _page(game, option, name, value, refusal)
    return go(f"{request.path}?done=kept")


@shelf.get("/shelf/<game>/<option>/file")
def export(game: str, option: str) -> Response:
    """A value as a small file, to be carried to another referee."""
    name = request.args.get("name", "")
    kept = shelves.kept_values(house(), game, option)
    if name not in kept:
        raise Refusal("unknown-page")
    text = json.dumps({FILE: option, "game": game, "name": name, "value": kept[name]}, ensure_ascii=False)
    response = make_response(text)
    response.mimetype = "application/json"
    response.headers["Content-Disposition"] = f'attachment; filename="{game}-{option}.json"'
    return response


def _in_file(game: str, option: str, text: bytes) -> tuple[str, Any]:
    """The name and the value in a file of ours for this option."""
    match parse(text):
        case {"referee": found, "game": of, "name": str(name), "value": value}:
            if (found, of) == (option, game):
                return name, bounded(value, "value")
    raise Refusal("malformed", why=Say("page.shelf.no_such_file"))


def _flaws(game: str, option: str, value: Any) -> Iterator[dict[str, Any]]:
    """Everything that is wrong with a value, in words; what it speaks of says where it stands."""
    voice = voice_of(game)
    for flaw in shelves.option_of(game, option).wrong(value):
        yield {"text": voice.of_game(f"why.{flaw.key}", flaw.fields), **flaw.fields}


def _sent(kept: list[str]) -> str:
    """Which of the page's forms was sent: a wrong pin is told there."""
    if request.form.get("forget") in kept:
        return f"forget-{kept.index(request.form['forget']) + 1}"
    return "file" if "file" in request.files else "keep"


def _page(game: str, option: str, name: str, value: Any, refusal: Refusal | None = None) -> Response:
    g.back = request.path
    kept = list(shelves.kept_values(house(), game, option))
    return show_again(
        "shelf.html",
        refusal,
        game=game,
        option=option,
        voice=voice_of(game),
        editor=fragment(game, f"shelf_{option}.html"),
        kept=kept,
        sent=_sent(kept),
        name=name,
        value=value,
        flaws=list(_flaws(game, option, value)) if refusal and refusal.code == "bad-options" else [],
        done=request.args.get("done") if request.method == "GET" else None,
        back=g.back,
    )
