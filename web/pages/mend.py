"""Mending on the pages: what somebody may ask for, the sheet of an open question, new keys, playing again."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, request

from referee.match import Match, Seen
from referee.moves import Seat, canonical, offered
from referee.questions import choices_then, own_secrets
from referee.views import Voice
from web import mending, qr
from web.api import caller, desks, house
from web.caller import host_cookie, seat_cookie
from web.house import Caller
from web.pages.aloud import Said
from web.pages.forms import Forms
from web.pages.page import and_list, go, held, host_token, keep, language, retry, say, seat_caller, table_of
from web.refusals import Refusal, malformed
from web.table import LiveTable

mend = Blueprint("mend", __name__)


# ---- asking and answering


def send(table: LiveTable, who: Caller, version: int) -> None:
    """Ask or answer what a form says."""
    body = _asked(version) if "ask" in request.form else {"accept": request.form.get("accept") == "yes"}
    call = mending.ask if "ask" in request.form else mending.answer
    call(house(), table.code, body, who, language(), retry(canonical(body)))


def _asked(version: int) -> dict[str, Any]:
    kind = request.form.get("ask", "")
    more: dict[str, Any] = {"show": "show" in request.form} if kind == "abandon" else {}
    if kind == "reissue":
        more = {"seat": request.form.get("of", "")}
    return {"version": version, "kind": kind, **more}


def menu(match: Match, seat: Seat, voice: Voice) -> dict[str, Any]:
    """What a seat may ask for now."""
    if match.outcome or match.question:
        return {}
    forms = Forms(voice)
    return {
        "undo": bool(match.made),
        "secrets": [
            {"n": made.n, "label": ", ".join(_parts(match, forms, made.entry.move))}
            for made in reversed(own_secrets(match, seat))
        ],
        "seats": [
            (other, voice.name(other)) for other, name in match.names.items() if name and other != seat
        ],
    }


def _parts(match: Match, forms: Forms, move: Any) -> Iterator[str]:
    """A move by its name and its public fields."""
    yield forms.do(move.type)
    secret = match.game.moves[move.type].secret
    yield from (forms.label(name, value) for name, value in move.fields.items() if name not in secret)


@dataclass(frozen=True)
class Correction:
    """A secret that is about to be entered anew: the number of its move, and what was offered then."""

    n: int
    choice: dict[str, Any]

    def body(self, version: int, fields: dict[str, Any]) -> dict[str, Any]:
        return {"version": version, "kind": "correct", "n": self.n, "fields": fields}


def correction(match: Match, seat: Seat) -> Correction | None:
    """The correction that this page is about, if it is one of this seat's own secrets."""
    wanted = request.args.get("correct", "")
    made = next((m for m in own_secrets(match, seat) if str(m.n) == wanted), None)
    if made is None or match.outcome or match.question:
        return None
    choice = offered(choices_then(match, made), made.entry.move)
    assert choice is not None
    wire = choice.wire()
    return Correction(made.n, {**wire, "fields": [f for f in wire["fields"] if f.get("secret")]})


def sheet(seen: Seen, voice: Voice, news: list[Said]) -> dict[str, Any] | None:
    """The open question in words: who asks what, what it would do and show, whom it waits for."""
    asked = seen.question
    if asked is None:
        return None
    kind, of = asked.kind, asked.about.get("n")
    shows = "show" if asked.about.get("show") else "hide"
    return {
        "title": voice.say(f"news.asked.{kind}", {"by": asked.by, **asked.about}),
        "what": say(f"page.question.{kind}", by=voice.name(asked.by)),
        "more": say(f"page.question.abandon.{shows}") if kind == "abandon" else "",
        "move": next((item.text for item in news if item.n == of), "") if kind == "undo" else "",
        "reveals": asked.reveals,
        "mine": asked.by == seen.seat,
        "asked": seen.seat in asked.of and seen.seat not in asked.accepted,
        "waits": and_list([voice.name(s) for s in asked.of if s not in asked.accepted]),
    }


def keys(table: LiveTable, wanted: dict[Seat, str], voice: Voice) -> list[dict[str, Any]]:
    """The new keys to hand on, each as a QR code."""
    links = {seat: desks().join_url(table, seat, key) for seat, key in wanted.items()}
    return [
        {
            "seat": seat,
            "name": voice.name(seat),
            "link": link,
            "code": qr.svg(link, say("page.join.code", seat=voice.title(seat))),
        }
        for seat, link in links.items()
    ]


# ---- playing again


@mend.post("/t/<code>/again")
def again(code: str) -> Response:
    """Open the next table, for whoever holds a seat or the table; asked twice, it is the same one."""
    table = table_of(code)
    tokens = (host_token(table), *(seat_caller(table, seat).token for seat in held(table)))
    mending.rematch(house(), code, {}, caller(next(filter(None, tokens), None)))
    return _led_on(table)


@mend.get("/t/<code>/next")
def follow(code: str) -> Response:
    table = table_of(code)
    return _led_on(table) if table.row.next else go(f"/t/{code}")


def _led_on(table: LiveTable) -> Response:
    """To the next table, where the tokens of this device are good too."""
    code, seats = table.row.next, held(table)
    if code is None:
        raise Refusal("not-over")
    seat = request.values.get("seat")
    response = go(f"/t/{code}/s/{seat}" if seat in seats else f"/t/{code}")
    for mine in seats:
        keep(response, seat_cookie(code, mine), str(seat_caller(table, mine).token))
    if token := host_token(table):
        keep(response, host_cookie(code), token)
    return response


def version() -> int:
    """The version of the table that a form was made from."""
    text = request.form.get("version", "")
    if not text.isdecimal() or len(text) > 9:
        raise malformed("version")
    return int(text)
