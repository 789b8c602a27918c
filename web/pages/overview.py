"""The overview of all tables, for the host of a club or a guest house. It shows public facts only."""

import secrets
from datetime import datetime
from typing import Any

from flask import Blueprint, Response, request

from web.output.dates import spoken
from web.pages import damaged, question_sheets, stick
from web.pages.desk import devices
from web.pages.news_items import news_items
from web.pages.rendering import (
    and_list,
    language,
    localizer_of,
    redirect_to,
    render_page,
    render_with_error,
    say,
    set_cookie,
)
from web.request_context import caller, desks, service
from web.service.live_table import LiveTable
from web.store import history_queries
from web.wire.errors import ApiError
from web.wire.parsing import whole

overview = Blueprint("overview", __name__)

MOST = 200  # tables
PAGE = 50  # tables per page: more would be slow to load
IDLE_AFTER = 3 * 3600  # seconds without change after which a table with no viewers is listed separately
COOKIE = "overview"
HOUR = 3600
VIRTUAL = ("virtual", "no-gpio")


@overview.get("/overview")
def show() -> Response:
    return _page() if _may_look() else _pin_form()


@overview.post("/overview")
def enter_pin() -> Response:
    try:
        service().check_pin(caller(), request.form.get("pin"))
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
    awake = sorted(
        (table for table in tables if not table["asleep"]), key=lambda table: not table["question"]
    )
    last = max(1, -(-len(awake) // PAGE))
    n = max(1, min(whole(request.args.get("page", ""), 3) or 1, last))
    return render_page(
        "overview.html",
        damage=damaged.damage_reports(),
        stick=stick.stick_note(),
        tables=awake[(n - 1) * PAGE : n * PAGE],
        n=n,
        last=last,
        most=MOST if len(open_) > MOST else None,
        demos=(demos := sum(table["demo"] for table in awake)),
        count=len(awake) - demos,
        asleep=[table for table in tables if table["asleep"]],
        desks=[_desk(name) for name in service().desks],
        back=f"/overview?page={n}" if n > 1 else "/overview",
    )


def _table(table: LiveTable, at: str) -> dict[str, Any]:
    seen, there = table.seen(), table.connected()
    localizer = localizer_of(seen)
    waits = seen.waiting_for or [seat for seat, name in seen.names.items() if name is None]
    news = news_items(seen, localizer, table.shown(seen, localizer.words.language)) if seen.question else []
    question = question_sheets.sheet(seen, localizer, news, None, table)
    return {
        "code": table.code,
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
        "asleep": not table.subscribers and not there and _age(at) > IDLE_AFTER,
    }


def _age(at: str) -> float:
    """Seconds since this moment, by this machine's clock."""
    return (service().clock.now() - datetime.fromisoformat(at)).total_seconds()


def _since(at: str) -> str:
    """Minutes ago; the date and time if that was more than an hour ago or lies in the future."""
    age = _age(at)
    if not 0 <= age < HOUR:
        return spoken(at, language())
    return say("page.overview.minutes", n=int(age) // 60) if age >= 60 else say("page.overview.just_now")


def _health(device: dict[str, Any]) -> str:
    """The health of a device in words. An output without hardware is shown on the desk's page instead."""
    is_shown = device["detail"] in VIRTUAL and device["id"] != "buttons"
    return say("page.overview.on_page") if is_shown else str(device["words"])


def _desk(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "at": service().store.table_at(name),
        "devices": [{**device, "words": _health(device)} for device in devices(name)],
        "waiting": len(service().store.waiting_jobs(name)),
    }
