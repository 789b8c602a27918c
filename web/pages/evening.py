"""The evening: all tables at once, for whoever hosts a club or a guest house. Public facts alone."""

import secrets
from datetime import datetime
from typing import Any

from flask import Blueprint, Response, request

from web.api import caller, desks, house
from web.bodies import whole
from web.dates import spoken
from web.pages import damaged, mend
from web.pages.aloud import said
from web.pages.desk import devices
from web.pages.page import and_list, go, keep, language, say, show, show_again, speech
from web.refusals import Refusal
from web.store import annals
from web.table import LiveTable

evening = Blueprint("evening", __name__)

MOST = 200  # tables
PAGE = 50  # of them at once: more would be slow to load
ASLEEP = 3 * 3600  # seconds after which a table that nobody looks at is put aside
COOKIE = "evening"
HOUR = 3600
VIRTUAL = ("virtual", "no-gpio")


@evening.get("/evening")
def look() -> Response:
    return _page() if _may_look() else _at_the_door()


@evening.post("/evening")
def come_in() -> Response:
    try:
        house().check_pin(caller(), request.form.get("pin"))
    except Refusal as refusal:
        return _at_the_door(refusal)
    return keep(go("/evening"), COOKIE, _pass(), path="/evening")


def _pass() -> str:
    """What a device shows that was told the pin; another pin makes it void."""
    return desks().seal(f"evening {house().settings.server.host_pin}")


def _may_look() -> bool:
    shown = request.cookies.get(COOKIE, "").encode()
    return not house().settings.server.host_pin or secrets.compare_digest(shown, _pass().encode())


def _at_the_door(refusal: Refusal | None = None) -> Response:
    return show_again("evening_door.html", refusal, back="/evening")


def _page() -> Response:
    open_ = annals.unfinished(house().store, MOST + 1)
    found = [(house().readable(code), at) for code, at in open_[:MOST]]
    tables = [_table(table, at) for table, at in found if table]
    awake = sorted(
        (table for table in tables if not table["asleep"]), key=lambda table: not table["question"]
    )
    last = max(1, -(-len(awake) // PAGE))
    n = max(1, min(whole(request.args.get("page", ""), 3) or 1, last))
    return show(
        "evening.html",
        damage=damaged.told(),
        tables=awake[(n - 1) * PAGE : n * PAGE],
        n=n,
        last=last,
        most=MOST if len(open_) > MOST else None,
        demos=(demos := sum(table["demo"] for table in awake)),
        count=len(awake) - demos,
        asleep=[table for table in tables if table["asleep"]],
        desks=[_desk(name) for name in house().desks],
        back=f"/evening?page={n}" if n > 1 else "/evening",
    )


def _table(table: LiveTable, at: str) -> dict[str, Any]:
    seen, there = table.seen(), table.connected()
    voice = speech(seen)
    waits = seen.waiting_for or [seat for seat, name in seen.names.items() if name is None]
    news = said(seen, voice, table.shown(seen, voice.words.language)) if seen.question else []
    question = mend.sheet(seen, voice, news, None, there)
    return {
        "code": table.code,
        "game": voice.of_game("name"),
        "demo": table.row.is_demo,
        "status": seen.status,
        "people": [
            {"name": voice.name(seat), "number": voice.number(seat), "there": seat in there}
            for seat, name in seen.names.items()
            if name is not None
        ],
        "waits": question["waits"] if question else and_list([voice.name(seat) for seat in waits]),
        "question": question["title"] if question else "",
        "since": _since(at),
        "asleep": not table.watchers and not there and _age(at) > ASLEEP,
    }


def _age(at: str) -> float:
    """Seconds since then, by this machine's clock."""
    return (house().wall.now() - datetime.fromisoformat(at)).total_seconds()


def _since(at: str) -> str:
    """How long ago, or when, where the clock makes no sense of it or it is long ago."""
    age = _age(at)
    if not 0 <= age < HOUR:
        return spoken(at, language())
    return say("page.evening.minutes", n=int(age) // 60) if age >= 60 else say("page.evening.just_now")


def _health(device: dict[str, Any]) -> str:
    """How a device is; what is not there is shown on the desk's own page."""
    is_shown = device["detail"] in VIRTUAL and device["id"] != "buttons"
    return say("page.evening.on_page") if is_shown else str(device["words"])


def _desk(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "at": house().store.table_at(name),
        "devices": [{**device, "words": _health(device)} for device in devices(name)],
        "waiting": len(house().store.waiting_jobs(name)),
    }
