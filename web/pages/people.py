"""People, known by their names alone: everybody, one person, and how a person or a game is forgotten."""

from math import ceil

from flask import Blueprint, Response, g, request

from web import forgetting
from web.api import caller, house
from web.bodies import whole
from web.pages.history import shown
from web.pages.page import go, name_of, show, show_again
from web.people import known_as
from web.refusals import Refusal
from web.store import annals
from web.store.annals import Past, Person, Wanted

people = Blueprint("people", __name__)

PAGE = 25  # people
RIVALS = 50
FORM = 20  # latest games
LATEST = 5


@people.get("/people")
def everybody() -> Response:
    pages = ceil(annals.count_people(house().store) / PAGE)
    number = max(1, min(whole(request.args.get("page", ""), 5) or 1, pages))
    here = annals.people(house().store, PAGE, (number - 1) * PAGE)
    return show("people.html", people=here, number=number, pages=pages)


@people.get("/person")
def one() -> Response:
    found, store = _person(), house().store
    return show(
        "person.html",
        person=found,
        games=[(game, name_of(game), tally) for game, tally in found.games.items()],
        rivals=annals.rivals(store, found.person, RIVALS),
        form=annals.form(store, found.person, FORM),
        latest=[shown(game) for game in annals.history(store, Wanted(person=found.person), LATEST)],
    )


def _person() -> Person:
    found = annals.person(house().store, known_as(request.args.get("name", "")))
    if found is None:
        raise Refusal("unknown-person")
    return found


# ---- forgetting


@people.get("/forget")
def ask() -> Response:
    """Asked first: what would be deleted, and what would stay."""
    return _ask()


@people.post("/forget")
def forget() -> Response:
    g.back = "/history"
    try:
        house().check_pin(caller(), request.form.get("pin"))
        if "table" in request.args:
            house().wait(forgetting.forget_game(house(), _past().code))
            return go("/history?done=game")
        house().wait(forgetting.forget_person(house(), request.args.get("name", "")))
    except Refusal as refusal:
        if refusal.code not in ("bad-pin", "not-over"):
            raise
        return _ask(refusal)
    return go("/history?done=person")


def _past() -> Past:
    """The finished game that is meant; tables in play are not told from those that never were."""
    found = annals.past(house().store, request.args["table"])
    if found is None:
        raise Refusal("unknown-table")
    return found


def _name() -> str:
    """The name that is meant: of somebody who played, or only sat down."""
    typed = request.args.get("name", "")
    found = annals.person(house().store, known_as(typed))
    if found is None and not _sat_down(typed, True) and not _sat_down(typed, False):
        raise Refusal("unknown-person")
    return found.name if found else typed


def _sat_down(name: str, is_over: bool) -> bool:
    return bool(forgetting.sat_down(house(), name, is_over))


def _ask(refusal: Refusal | None = None) -> Response:
    found = _past() if "table" in request.args else None
    name = "" if found else _name()
    return show_again(
        "forget.html",
        refusal,
        past=shown(found) if found else None,
        name=name,
        may_forget=bool(found) or _sat_down(name, is_over=True),
        is_playing=bool(name) and _sat_down(name, is_over=False),
        back=request.full_path,
    )
