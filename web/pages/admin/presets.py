"""The preset editor: owners of a game enter the components of their copy once, for every later table."""

import json
from collections.abc import Iterator
from typing import Any

from flask import Blueprint, Response, g, make_response, request

from referee.core.game import Say
from web.pages.admin.form_decoding import bounded, nested
from web.pages.rendering import fragment, game_localizer, redirect_to, render_with_error
from web.request_context import caller, service
from web.service import presets as service_presets
from web.wire.errors import ApiError
from web.wire.names import checked_name
from web.wire.parsing import parse

presets = Blueprint("presets", __name__)

FILE = "referee"  # the key that marks an exported file


@presets.get("/presets/<game>/<option>")
def show(game: str, option: str) -> Response:
    kept = service_presets.permitted_presets(service(), game, option)
    name = request.args.get("name", "")
    value = nested(request.args, "value") or kept.get(name, service_presets.option_of(game, option).default)
    return _page(game, option, name, value)


@presets.post("/presets/<game>/<option>")
def change(game: str, option: str) -> Response:
    """Save the preset in the form or in the uploaded file, or delete one."""
    service_presets.option_of(game, option)
    name, value = request.form.get("name", ""), nested(request.form, "value")
    try:
        service().guesses.check_pin(caller(), request.form.get("pin"))
        if "forget" in request.form:
            service().wait(service_presets.delete(service(), game, option, request.form["forget"]))
            return redirect_to(f"{request.path}?done=removed")
        if "file" in request.files:
            name, value = _read_file(game, option, request.files["file"].read())
        service().wait(service_presets.save(service(), game, option, checked_name(name), value))
    except ApiError as refusal:
        return _page(game, option, name, value, refusal)
    return redirect_to(f"{request.path}?done=kept")


@presets.get("/presets/<game>/<option>/file")
def export(game: str, option: str) -> Response:
    """A preset as a JSON file, to be imported on another server."""
    name = request.args.get("name", "")
    kept = service_presets.permitted_presets(service(), game, option)
    if name not in kept:
        raise ApiError("unknown-page")
    text = json.dumps({FILE: option, "game": game, "name": name, "value": kept[name]}, ensure_ascii=False)
    response = make_response(text)
    response.mimetype = "application/json"
    response.headers["Content-Disposition"] = f'attachment; filename="{game}-{option}.json"'
    return response


def _read_file(game: str, option: str, text: bytes) -> tuple[str, Any]:
    """The name and value in an exported file for this option."""
    match parse(text):
        case {"referee": found, "game": of, "name": str(name), "value": value}:
            if (found, of) == (option, game):
                return name, bounded(value, "value")
    raise ApiError("malformed", why=Say("page.presets.no_such_file"))


def _errors(game: str, option: str, value: Any) -> Iterator[dict[str, Any]]:
    """Every error in a value: its text, and the fields that locate it."""
    localizer = game_localizer(game)
    for flaw in service_presets.option_of(game, option).wrong(value):
        yield {"text": localizer.of_game(f"why.{flaw.key}", flaw.fields), **flaw.fields}


def _submitted_form(kept: list[str]) -> str:
    """Which of the page's forms was sent. A wrong PIN is reported beside it."""
    if request.form.get("forget") in kept:
        return f"forget-{kept.index(request.form['forget']) + 1}"
    return "file" if "file" in request.files else "keep"


def _page(game: str, option: str, name: str, value: Any, refusal: ApiError | None = None) -> Response:
    g.back = request.path
    kept = list(service_presets.permitted_presets(service(), game, option))
    return render_with_error(
        "presets.html",
        refusal,
        game=game,
        option=option,
        localizer=game_localizer(game),
        editor=fragment(game, f"presets_{option}.html"),
        kept=kept,
        sent=_submitted_form(kept),
        name=name,
        value=value,
        flaws=list(_errors(game, option, value)) if refusal and refusal.code == "bad-options" else [],
        done=request.args.get("done") if request.method == "GET" else None,
        back=g.back,
    )
