"""The virtual desk: the lamps, the tones and the paper of a desk, on a page."""

from dataclasses import asdict
from typing import Any
from urllib.parse import quote

from flask import Blueprint, Response, request

from referee.cues import CUES, RESULT_LAMPS, SEAT_LAMPS, SOUNDS, STATES
from referee.moves import Seat
from referee.sheets import FAULTS
from referee.views import Voice
from referee.words import words
from web.api import desks, house
from web.pages.aloud import Said, last_words, said
from web.pages.page import (
    desk_words,
    go,
    host_token,
    is_own_screen,
    language,
    may_print,
    nonce,
    retry,
    say,
    show,
    speak_as,
    speech,
)
from web.paper import as_png
from web.refusals import Refusal, malformed
from web.store.changes import Job
from web.table import LiveTable

desk = Blueprint("desk", __name__)

PAPERS = 8  # the latest


@desk.get("/desk")
def any_desk() -> Response:
    """The desk of this house, for whoever does not know its name."""
    return go(f"/desk/{quote(house().settings.desk.name)}")


@desk.get("/desk/<name>")
def virtual(name: str) -> Response:
    desks().check(name)
    table = desks().table_at(name)
    if table:
        speak_as(table)
    jobs = [job for job in house().store.jobs(name, PAPERS) if job.state != "void"]
    return show(
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
        cues={key: asdict(cue) for key, cue in CUES.items()},
        results=RESULT_LAMPS,
        state=desks().status(name),
        states=STATES,
    )


@desk.get("/desk/<name>/paper/<int:number>.png")
def picture(name: str, number: int) -> Response:
    """A paper as a picture. Join slips carry keys: only the host and the desk's own screen may see them."""
    job = desks().job(name, number)
    if not _may_see(job):
        raise Refusal("not-allowed")
    blocks = desks().paper(job)
    if not blocks:
        raise Refusal("unknown-job")
    return Response(as_png(blocks, house().settings.printer.columns), mimetype="image/png")


@desk.post("/desk/<name>/sound")
def choose_sound(name: str) -> Response:
    desks().check(name)
    if (sound := request.form.get("sound", "")) not in SOUNDS:
        raise malformed("sound")
    house().wait(desks().choose_sound(name, sound))
    return go(f"/desk/{name}")


@desk.post("/desk/<name>/fault")
def choose_fault(name: str) -> Response:
    """Try out what happens when the printer fails. A real one can do that by itself."""
    desks().check(name)
    if not _is_virtual(name):
        raise Refusal("not-allowed")
    if (fault := request.form.get("fault", "")) not in FAULTS:
        raise malformed("fault")
    desks().choose_fault(name, fault)
    return go(f"/desk/{name}")


@desk.post("/desk/<name>/paper/<int:number>")
def print_again(name: str, number: int) -> Response:
    """The same paper once more, for whoever may print it."""
    job = desks().job(name, number)
    table = house().readable(job.code)
    token = may_print(table, job.what) if table else None
    if table is None or token is None:
        raise Refusal("not-allowed")
    house().wait(desks().print(table, job.what, token, retry(str(number))))
    return go(f"/desk/{name}")


def _is_virtual(name: str) -> bool:
    printer = desks().health.get(name, {}).get("printer", {})
    return printer.get("detail") == "virtual" or bool(desks().faults.get(name))


def _may_see(job: Job) -> bool:
    table = house().readable(job.code)
    if table is None:
        return False
    return job.what != "join" or bool(host_token(table)) or is_own_screen(job.desk)


def _shown(table: LiveTable | None) -> dict[str, Any]:
    """What there is to see of the table at the desk, all from one moment."""
    if table is None:
        return {"lamps": _lamps(None, None, [])}
    seen = table.seen()
    voice = speech(seen)
    view = table.shown(seen, voice.words.language)
    news = said(seen, voice, view)
    shown = {"at": table.code, "voice": voice, "view": view, "aloud": last_words(news)}
    return {**shown, "lamps": _lamps(voice, view, news)}


def _lamps(voice: Voice | None, view: dict[str, Any] | None, news: list[Said]) -> list[dict[str, Any]]:
    """Each lamp with its label, and whether it is lit: the last result, and whose turn it is."""
    seats = list(voice.names) if voice else []
    result = next((item.lamp for item in reversed(news) if item.lamp), "")
    turn = _at_turn(view)
    shown = [
        {"id": lamp, "label": say(f"page.answer.{lamp}"), "lit": lamp == result} for lamp in RESULT_LAMPS
    ]
    for number, lamp in enumerate(SEAT_LAMPS, 1):
        seat = seats[number - 1] if number <= len(seats) else None
        label = voice.name(seat) if voice and seat else say("page.desk.no_seat")
        shown.append({"id": lamp, "label": label, "lit": seat in turn, "number": number, "free": not seat})
    return shown


def _at_turn(view: dict[str, Any] | None) -> list[Seat]:
    """The seats whose turn it is: one, or a whole team."""
    if view is None or view["status"] != "playing":
        return []
    return list(view["sides"].get(view["public"]["turn"], []))


def _paper(job: Job) -> dict[str, Any]:
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
    """How each device of the desk is, in words."""
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


def _may_repeat(job: Job) -> bool:
    table = house().readable(job.code) if job.state != "waiting" else None
    return table is not None and bool(may_print(table, job.what)) and bool(desks().paper(job))
