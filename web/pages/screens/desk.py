"""The desk page: a desk's lamps, sounds, papers and device health, shown in the browser."""

from typing import Any
from urllib.parse import quote

from flask import Blueprint, Response, request

from referee.core.moves import Seat
from referee.core.questions import HOST
from referee.presentation.cues import RESULT_LAMPS, SEAT_LAMPS, SOUNDS, STATES
from referee.presentation.sheets import FAULTS
from referee.presentation.views import Localizer
from referee.presentation.words import words
from web.output.paper import as_png
from web.pages.news_items import NewsItem, latest_news, news_items
from web.pages.rendering import (
    desk_words,
    host_token,
    is_own_screen,
    language,
    localizer_of,
    may_print,
    nonce,
    redirect_to,
    render_page,
    retry,
    say,
)
from web.request_context import desks, service
from web.service.live_table import LiveTable
from web.store.statements import JobRow
from web.wire.errors import ApiError, malformed

desk = Blueprint("desk", __name__)

PAPERS = 8  # the latest


@desk.get("/desk")
def any_desk() -> Response:
    """Redirect to the desk that the settings name."""
    return redirect_to(f"/desk/{quote(service().settings.desk.name)}")


@desk.get("/desk/<name>")
def virtual(name: str) -> Response:
    desks().check(name)
    table = desks().table_at(name)
    jobs = [job for job in service().store.jobs(name, PAPERS) if job.state != "void"]
    return render_page(
        "desk.html",
        name=name,
        stream=f"/desk/{name}/events?beats=1",
        **_shown(table),
        papers=[_paper(job) for job in reversed(jobs)],
        devices=devices(name),
        sounds=SOUNDS,
        sound=desks().sound(name),
        faults=FAULTS if _is_virtual(name) else (),
        fault=desks().faults.get(name, ""),
        nonce=nonce(),
        results=RESULT_LAMPS,
        state=desks().status(name),
        states=STATES,
    )


@desk.get("/desk/<name>/paper/<int:number>.png")
def picture(name: str, number: int) -> Response:
    """A paper as PNG. Join slips carry keys, so only the host and the desk's own screen may see them."""
    job = desks().job(name, number)
    if not _may_see(job):
        raise ApiError("not-allowed")
    blocks = desks().paper(job)
    if not blocks:
        raise ApiError("unknown-job")
    return Response(as_png(blocks, service().settings.printer.columns), mimetype="image/png")


@desk.post("/desk/<name>/sound")
def choose_sound(name: str) -> Response:
    desks().check(name)
    if (sound := request.form.get("sound", "")) not in SOUNDS:
        raise malformed("sound")
    service().wait(desks().choose_sound(name, sound))
    return redirect_to(f"/desk/{name}")


@desk.post("/desk/<name>/fault")
def choose_fault(name: str) -> Response:
    """Simulate a printer fault. Only a virtual printer can do that."""
    desks().check(name)
    if not _is_virtual(name):
        raise ApiError("not-allowed")
    if (fault := request.form.get("fault", "")) not in FAULTS:
        raise malformed("fault")
    desks().choose_fault(name, fault)
    return redirect_to(f"/desk/{name}")


@desk.post("/desk/<name>/paper/<int:number>")
def print_again(name: str, number: int) -> Response:
    """Print the same paper again, with the token by which this device may print it."""
    job = desks().job(name, number)
    table = service().readable(job.code)
    token = may_print(table, job.what) if table else None
    if table is None or token is None:
        raise ApiError("not-allowed")
    service().wait(desks().print(table, job.what, token, retry(str(number))))
    return redirect_to(f"/desk/{name}")


def _is_virtual(name: str) -> bool:
    printer = desks().health.get(name, {}).get("printer", {})
    return printer.get("detail") == "virtual" or bool(desks().faults.get(name))


def _may_see(job: JobRow) -> bool:
    table = service().readable(job.code)
    if table is None:
        return False
    if job.what != "join":
        return True
    if host_token(table):
        return job.asker in (None, HOST)
    return job.asker is None and is_own_screen(job.desk)


def _shown(table: LiveTable | None) -> dict[str, Any]:
    """The template context of the table at the desk, all from one snapshot of the match."""
    if table is None:
        return {"lamps": _lamps(None, None, [])}
    seen = table.seen()
    localizer = localizer_of(seen)
    view = table.shown(seen, localizer.words.language)
    news = news_items(seen, localizer, view)
    shown = {"at": table.code, "localizer": localizer, "view": view, "latest": latest_news(news)}
    return {**shown, "lamps": _lamps(localizer, view, news)}


def _lamps(
    localizer: Localizer | None, view: dict[str, Any] | None, news: list[NewsItem]
) -> list[dict[str, Any]]:
    """Each lamp with its label, and whether it is lit: the last result, and whose turn it is."""
    seats = list(localizer.names) if localizer else []
    result = next((item.lamp for item in reversed(news) if item.lamp), "")
    turn = _at_turn(view)
    shown = [
        {"id": lamp, "label": say(f"page.answer.{lamp}"), "lit": lamp == result} for lamp in RESULT_LAMPS
    ]
    for number, lamp in enumerate(SEAT_LAMPS, 1):
        seat = seats[number - 1] if number <= len(seats) else None
        label = localizer.name(seat) if localizer and seat else say("page.desk.no_seat")
        shown.append({"id": lamp, "label": label, "lit": seat in turn, "number": number, "free": not seat})
    return shown


def _at_turn(view: dict[str, Any] | None) -> list[Seat]:
    """The seats whose turn it is: one, or a whole team."""
    if view is None or view["status"] != "playing":
        return []
    return list(view["sides"].get(view["public"]["turn"], []))


def _paper(job: JobRow) -> dict[str, Any]:
    return {
        "job": job.job,
        "what": say(f"page.paper.{job.what}"),
        "code": job.code,
        "state": say(f"page.job.{job.state}"),
        "reason": desk_words(job.reason) if job.reason else "",
        "again": _may_repeat(job),
        "picture": _may_see(job) and bool(desks().paper(job)),
    }


def devices(name: str) -> list[dict[str, Any]]:
    """The health of each device of the desk, in words; empty while the desk is not connected."""
    known = words(language())
    told = desks().health.get(name, {}) if desks().is_connected(name) else {}
    return [
        {
            "name": say(key) if (key := f"page.device.{device}") in known else device,
            "id": device,
            "ok": health["ok"],
            "detail": health["detail"],
            "words": desk_words(health["detail"], device),
        }
        for device, health in told.items()
    ]


def _may_repeat(job: JobRow) -> bool:
    table = service().readable(job.code) if job.state != "waiting" else None
    return table is not None and bool(may_print(table, job.what)) and bool(desks().paper(job))
