"""The overview of all tables, for the host of a club or a guest house, and the page where a host names or
closes one. They show public facts only."""

import secrets
from datetime import datetime
from typing import Any

from flask import Blueprint, Response, request

from referee.games import REFUSED
from web.output.dates import date_and_time
from web.pages.admin import damaged, stick
from web.pages.news_items import news_items
from web.pages.play import question_sheets
from web.pages.rendering import (
    and_list,
    desk_words,
    language,
    localizer_of,
    redirect_to,
    render_page,
    render_with_error,
    say,
    set_cookie,
    table_of,
)
from web.pages.screens.desk import devices
from web.request_context import caller, desks, service
from web.service import host_actions
from web.service.live_table import LiveTable
from web.store import history_queries
from web.store.statements import JobRow, TableNotes
from web.wire.errors import ApiError
from web.wire.names import NAME_LENGTH, checked_name
from web.wire.parsing import whole

overview = Blueprint("overview", __name__)

MOST = 200  # tables
ALL = -1
PAGE = 50  # tables per page: more would be slow to load
IDLE_AFTER = 3 * 3600  # seconds without change after which a table with no viewers is listed separately
COOKIE = "overview"
HOUR = 3600
VIRTUAL = ("virtual", "no-gpio")
STILL = (5, 10, 20, 30, 60)  # minutes after which a table counts as standing still, to choose from
STILL_AFTER = 10
DONE = ("closed", "asked", "noted")
JOBS = 4  # latest print jobs of a desk


@overview.get("/overview")
def show() -> Response:
    return _page() if _may_look() else _pin_form()


@overview.post("/overview")
def enter_pin() -> Response:
    try:
        service().guesses.check_pin(caller(), request.form.get("pin"))
    except ApiError as refusal:
        return _pin_form(refusal)
    return set_cookie(redirect_to("/overview"), COOKIE, _access_cookie(), path="/overview")


def _access_cookie() -> str:
    """The cookie of a device that entered the PIN. Changing the PIN invalidates it."""
    return desks().sign(f"overview {service().settings.server.host_pin}")


def _may_look() -> bool:
    shown = request.cookies.get(COOKIE, "").encode()
    return not service().settings.server.host_pin or secrets.compare_digest(shown, _access_cookie().encode())


def _pin_form(refusal: ApiError | None = None) -> Response:
    return render_with_error("overview_pin.html", refusal, back="/overview")


def _page() -> Response:
    open_ = history_queries.unfinished(service().store, MOST + 1)
    found = [(service().readable(code), at) for code, at in open_[:MOST]]
    tables = [_table(table, at) for table, at in found if table]
    awake = sorted((table for table in tables if not table["asleep"]), key=_urgency)
    last = max(1, -(-len(awake) // PAGE))
    n = max(1, min(whole(request.args.get("page", ""), 3) or 1, last))
    return render_page(
        "overview.html",
        damage=damaged.damage_reports(),
        stick=stick.stick_note(),
        refused=[{"game": each, "why": say(each.why.key, **each.why.fields)} for each in REFUSED],
        tables=awake[(n - 1) * PAGE : n * PAGE],
        n=n,
        last=last,
        most=MOST if len(open_) > MOST else None,
        demos=(demos := sum(table["demo"] for table in awake)),
        count=len(awake) - demos,
        asleep=[table for table in tables if table["asleep"]],
        desks=[_desk(name) for name in service().desks],
        still_after=_still_after(),
        stills=STILL,
        still=sum(table["still"] for table in awake),
        done=done if (done := request.args.get("done")) in DONE else "",
        back=f"/overview?page={n}" if n > 1 else "/overview",
    )


def _still_after() -> int:
    """The minutes after which a table counts as standing still."""
    chosen = whole(request.args.get("still", ""), 3)
    return chosen if chosen in STILL else STILL_AFTER


def _urgency(table: dict[str, Any]) -> tuple[bool, bool, float]:
    """What needs the host comes first: questions, then tables that stand still, the longest first."""
    return not table["question"], not table["still"], -table["age"] if table["still"] else 0


def _table(table: LiveTable, at: str) -> dict[str, Any]:
    seen, there = table.seen(), table.connected()
    localizer = localizer_of(seen)
    waits = seen.waiting_for or [seat for seat, name in seen.names.items() if name is None]
    news = news_items(seen, localizer, table.shown(seen, localizer.words.language)) if seen.question else []
    question = question_sheets.sheet(seen, localizer, news, None, table)
    age, is_here = _age(at), bool(table.subscribers or there)
    return {
        "code": table.code,
        "name": table.notes.name,
        "has_clock": table.notes.has_clock,
        "age": age,
        "still": seen.status == "playing" and age >= _still_after() * 60 and (is_here or age <= IDLE_AFTER),
        "minutes": int(age) // 60,
        "game": localizer.of_game("name"),
        "demo": table.row.is_demo,
        "status": seen.status,
        "people": [
            {"name": localizer.name(seat), "number": localizer.number(seat), "there": seat in there}
            for seat, name in seen.names.items()
            if name is not None
        ],
        "waits": question["waits"] if question else and_list([localizer.name(seat) for seat in waits]),
        "question": question["title"] if question else "",
        "since": _since(at),
        "asleep": not is_here and age > IDLE_AFTER,
    }


def _age(at: str) -> float:
    """Seconds since this moment, by this machine's clock."""
    return (service().clock.now() - datetime.fromisoformat(at)).total_seconds()


def _since(at: str) -> str:
    """Minutes ago; the date and time if that was more than an hour ago or lies in the future."""
    age = _age(at)
    if not 0 <= age < HOUR:
        return date_and_time(at, language())
    return say("page.overview.minutes", n=int(age) // 60) if age >= 60 else say("page.overview.just_now")


def _health(device: dict[str, Any]) -> str:
    """The health of a device in words. An output without hardware is shown on the desk's page instead."""
    is_shown = device["detail"] in VIRTUAL and device["id"] != "buttons"
    return say("page.overview.on_page") if is_shown else str(device["words"])


def _desk(name: str) -> dict[str, Any]:
    jobs = [job for job in service().store.jobs(name, JOBS) if job.state != "void"]
    here, seen_at = desks().is_connected(name), desks().last_seen.get(name)
    return {
        "name": name,
        "at": service().store.table_at(name),
        "here": here,
        "seen": say("page.overview.seen", when=_since(seen_at)) if seen_at and not here else "",
        "devices": [{**device, "words": _health(device)} for device in devices(name)],
        "waiting": len(service().store.waiting_jobs(name)),
        "jobs": [_job(job) for job in reversed(jobs)],
    }


def _job(job: JobRow) -> dict[str, str]:
    return {
        "what": say(f"page.paper.{job.what}"),
        "code": job.code,
        "is": job.state,
        "state": say(f"page.job.{job.state}"),
        "reason": desk_words(job.reason, "printer") if job.reason else "",
    }


# ---- one table


@overview.get("/overview/<code>")
def manage(code: str) -> Response:
    return _managed(code) if _may_look() else _pin_form()


@overview.post("/overview/<code>")
def change(code: str) -> Response:
    """Name a table, switch its clock, or close it: see `web.service.host_actions`."""
    if not _may_look():
        return _pin_form()
    table = table_of(code, trusted=True)
    try:
        if "close" in request.form:
            closed = service().wait(host_actions.close(service(), table, caller()))
            return redirect_to(f"/overview?done={'closed' if closed else 'asked'}#tables")
        typed = request.form.get("name", "")
        name = checked_name(typed) if typed.strip() else ""
        notes = TableNotes(name, "clock" in request.form)
        service().wait(host_actions.note(service(), table, notes))
    except ApiError as refusal:
        return _managed(code, refusal)
    return redirect_to("/overview?done=noted")


def _managed(code: str, refusal: ApiError | None = None) -> Response:
    table = table_of(code, trusted=True)
    at = next((at for found, at in history_queries.unfinished(service().store, ALL) if found == code), None)
    return render_with_error(
        "overview_table.html",
        refusal,
        table=_table(table, at) if at else None,
        typed=request.form.get("name", table.notes.name),
        asks=host_actions.needs_consent(table),
        longest=NAME_LENGTH,
        back=f"/overview/{code}",
    )
