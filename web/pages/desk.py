"""The virtual desk: the lamps, the tones and the paper of a desk, on a page."""

from dataclasses import asdict
from typing import Any

from flask import Blueprint, Response

from referee.cues import BETWEEN, BLINK, COUNT_NOTES, CUES, NOUGHT, NOUGHT_NOTE, RESULT_LAMPS, SEAT_LAMPS
from referee.moves import Seat
from referee.words import words
from web.api import desks, house
from web.pages.aloud import Said, last_words, said
from web.pages.page import host_token, language, say, show, speak_as, speech
from web.paper import as_png
from web.refusals import Refusal
from web.store import Job
from web.table import LiveTable

desk = Blueprint("desk", __name__)

PAPERS = 8  # the latest
COUNTING = {
    "blink": BLINK,
    "nought": NOUGHT,
    "nought_note": NOUGHT_NOTE,
    "between": BETWEEN,
    "notes": COUNT_NOTES,
}


@desk.get("/desk/<name>")
def virtual(name: str) -> Response:
    desks().check(name)
    table = desks().table_at(name)
    if table:
        speak_as(table)
    voice = speech(table.seen()) if table else None
    news = said(table.seen(), voice) if table and voice else []
    jobs = [job for job in house().store.jobs(name, PAPERS) if job.state != "void"]
    return show(
        "desk.html",
        name=name,
        at=table.code if table else None,
        voice=voice,
        stamp=_stamp(table) if table else "",
        stream=f"/desk/{name}/events?beats=1",
        lamps=list(_lamps(table, news)),
        aloud=last_words(news),
        papers=[_paper(job) for job in reversed(jobs)],
        devices=_devices(name),
        cues={key: asdict(cue) for key, cue in CUES.items()},
        results=RESULT_LAMPS,
        counting=COUNTING,
    )


@desk.get("/desk/<name>/paper/<int:number>.png")
def picture(name: str, number: int) -> Response:
    """A paper as a picture. Join slips carry keys: only the host of their table may see them."""
    desks().check(name)
    job = house().store.job(name, number)
    if job is None:
        raise Refusal("unknown-job")
    if not _may_see(job):
        raise Refusal("not-allowed")
    blocks = desks().paper(job)
    if not blocks:
        raise Refusal("unknown-job")
    return Response(as_png(blocks, house().settings.printer.columns), mimetype="image/png")


def _stamp(table: LiveTable) -> str:
    """Which view this page shows, as the script knows it."""
    return ":".join(filter(None, (table.code, str(table.match.version), table.row.next)))


def _may_see(job: Job) -> bool:
    table = house().table(job.code)
    return table is not None and (job.what != "join" or bool(host_token(table)))


def _lamps(table: LiveTable | None, news: list[Said]) -> list[dict[str, Any]]:
    """Each lamp with its label, and whether it is lit: the last result, and whose turn it is."""
    seats: list[Seat] = list(table.match.seats) if table else []
    result = next((item.lamp for item in reversed(news) if item.lamp), "")
    turn = _at_turn(table)
    shown = [
        {"id": lamp, "label": say(f"page.answer.{lamp}"), "lit": lamp == result} for lamp in RESULT_LAMPS
    ]
    for number, lamp in enumerate(SEAT_LAMPS, 1):
        here = table is not None and number <= len(seats)
        label = speech(table.seen()).name(seats[number - 1]) if here and table else say("page.desk.no_seat")
        lit = here and seats[number - 1] in turn
        shown.append({"id": lamp, "label": label, "lit": lit, "number": number, "free": not here})
    return shown


def _at_turn(table: LiveTable | None) -> list[Seat]:
    """The seats whose turn it is: one, or a whole team."""
    if table is None or table.seen().status != "playing":
        return []
    view = table.view(None, language())
    return list(view["sides"].get(view["public"]["turn"], []))


def _paper(job: Job) -> dict[str, Any]:
    return {
        "job": job.job,
        "what": say(f"page.paper.{job.what}"),
        "code": job.code,
        "state": say(f"page.job.{job.state}"),
        "reason": _health_words(job.reason) if job.reason else "",
        "picture": _may_see(job) and bool(desks().paper(job)),
    }


def _devices(name: str) -> list[dict[str, Any]]:
    """How each device of the desk is, in words."""
    known = words(language())
    told = desks().health.get(name, {}) if desks().is_connected(name) else {}
    return [
        {
            "name": say(key) if (key := f"page.device.{device}") in known else device,
            "ok": health["ok"],
            "words": _health_words(health["detail"]),
        }
        for device, health in told.items()
    ]


def _health_words(detail: str) -> str:
    key = f"page.health.{detail}"
    return say(key) if key in words(language()) else detail
