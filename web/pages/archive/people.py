"""The pages of all people, of one person, and of deleting a person or a game. A name identifies a person."""

from math import ceil

from flask import Blueprint, Response, g, request

from web.pages.archive.history import shown
from web.pages.rendering import name_of, redirect_to, render_page, render_with_error
from web.request_context import caller, service
from web.service import erasure
from web.store import history_queries
from web.store.history_queries import FinishedGame, HistoryFilter, Person
from web.wire.errors import ApiError
from web.wire.names import person_key
from web.wire.parsing import whole

people = Blueprint("people", __name__)

PAGE = 25  # people
RIVALS = 50
FORM = 20  # latest games
LATEST = 5


@people.get("/people")
def everybody() -> Response:
    pages = ceil(history_queries.count_people(service().store) / PAGE)
    number = max(1, min(whole(request.args.get("page", ""), 5) or 1, pages))
    here = history_queries.people(service().store, PAGE, (number - 1) * PAGE)
    return render_page("people.html", people=here, number=number, pages=pages)


@people.get("/person")
def one() -> Response:
    found, store = _person(), service().store
    return render_page(
        "person.html",
        person=found,
        games=[(game, name_of(game), tally) for game, tally in found.games.items()],
        rivals=history_queries.rivals(store, found.person, RIVALS),
        form=history_queries.recent_results(store, found.person, FORM),
        latest=[
            shown(game) for game in history_queries.history(store, HistoryFilter(person=found.person), LATEST)
        ],
    )


def _person() -> Person:
    found = history_queries.person(service().store, person_key(request.args.get("name", "")))
    if found is None:
        raise ApiError("unknown-person")
    return found


# ---- forgetting


@people.get("/forget")
def ask() -> Response:
    """Show what would be deleted and what would stay, before asking to confirm."""
    return _ask()


@people.post("/forget")
def forget() -> Response:
    g.back = "/history"
    try:
        service().guesses.check_pin(caller(), request.form.get("pin"))
        if "table" in request.args:
            service().wait(erasure.forget_game(service(), _past().code))
            return redirect_to("/history?done=game")
        service().wait(erasure.forget_person(service(), request.args.get("name", "")))
    except ApiError as refusal:
        if refusal.code not in ("bad-pin", "not-over"):
            raise
        return _ask(refusal)
    return redirect_to("/history?done=person")


def _past() -> FinishedGame:
    """The finished game in the query. A table in play is refused like an unknown one."""
    found = history_queries.finished_game(service().store, request.args["table"])
    if found is None:
        raise ApiError("unknown-table")
    return found


def _name() -> str:
    """The name in the query, of a person who finished a game or only took a seat."""
    typed = request.args.get("name", "")
    found = history_queries.person(service().store, person_key(typed))
    if found is None and not _has_joined(typed, True) and not _has_joined(typed, False):
        raise ApiError("unknown-person")
    return found.name if found else typed


def _has_joined(name: str, is_over: bool) -> bool:
    return bool(erasure.joins_of_person(service(), name, is_over))


def _ask(refusal: ApiError | None = None) -> Response:
    found = _past() if "table" in request.args else None
    name = "" if found else _name()
    return render_with_error(
        "delete.html",
        refusal,
        past=shown(found) if found else None,
        name=name,
        may_forget=bool(found) or _has_joined(name, is_over=True),
        is_playing=bool(name) and _has_joined(name, is_over=False),
        back=request.full_path,
    )
