"""Mending on the pages: what somebody may ask for, the sheet of an open question, new keys, playing again."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, request

from referee.corrections import choices_then, own_secret, own_secrets
from referee.match import Match, Seen
from referee.moves import Choice, Move, Seat
from referee.questions import HOST, Question, question
from referee.replaying import Made, place
from referee.views import Voice
from web import mending
from web.api import caller, house
from web.bodies import whole
from web.caller import Caller, host_cookie, seat_cookie
from web.house import House
from web.pages.aloud import Said
from web.pages.forms import Forms
from web.pages.page import and_list, go, held, host_token, keep, say, seat_caller, table_of
from web.refusals import malformed
from web.reopening import closed
from web.retries import form_retry
from web.table import LiveTable

mend = Blueprint("mend", __name__)

LATEST = 5  # secrets that the menu offers to correct; a page of its own has them all


# ---- asking and answering


async def send(house: House, table: LiveTable, who: Caller, language: str, form: Mapping[str, str]) -> None:
    """Ask or answer what a form says. Sent twice, it counts once."""
    version, nonce = form_version(form), form.get("nonce", "")
    if "again" in form:
        await _ask_again(house, table, who, language, form, version)
        return
    body, call = (
        (_asked(form, version), mending.ask) if "ask" in form else (_answer(form, version), mending.answer)
    )
    await call(house, table.code, body, who, language, form_retry(table.code, version, body, nonce))


async def _ask_again(
    house: House, table: LiveTable, who: Caller, language: str, form: Mapping[str, str], version: int
) -> None:
    """Ask for a new key once more, without waiting for a phone that has gone since."""
    asked, seat, nonce = table.match.question, form.get("of", ""), form.get("nonce", "")
    if seat not in table.seats or (asked and (asked.kind, asked.about.get("seat")) != ("reissue", seat)):
        raise malformed("of")
    mending.check_patience(house, table, who)  # before anything is taken back
    no = {"accept": False, "version": version}
    await mending.answer(house, table.code, no, who, language, form_retry(table.code, version, no, nonce))
    body = {"version": version, "kind": "reissue", "seat": seat}
    again = {**body, "version": table.match.version}
    retry = form_retry(table.code, version, body, nonce)  # as the form has it
    await mending.ask(house, table.code, again, who, language, retry)


def _asked(form: Mapping[str, str], version: int) -> dict[str, Any]:
    kind = form.get("ask", "reissue")
    more: dict[str, Any] = {"show": "show" in form} if kind == "abandon" else {}
    if kind == "undo" and (n := whole(form.get("n", ""))) is not None:
        more = {"n": n}
    if kind == "reissue":
        more = {"seat": form.get("of", "")}
    return {"version": version, "kind": kind, **more}


def _answer(form: Mapping[str, str], version: int) -> dict[str, Any]:
    return {"accept": form.get("accept") == "yes", "version": version}


def part(
    table: LiveTable,
    match: Match,
    seen: Seen,
    by: Seat | None,
    voice: Voice,
    news: list[Said],
    args: Mapping[str, str],
) -> dict[str, Any]:
    """What the page of a seat, of the host, or of somebody who may not ask shows of mending."""
    return {
        "question": sheet(seen, voice, news, by, table.connected()),
        "may_mend": by is not None and may_correct(table, match),
        "lost": _lost_phone(table, match, by, voice, args.get("lost", "")) if by else None,
        "led_on": led_on(table, voice),
        "before": table.before,
    }


def may_correct(table: LiveTable, match: Match) -> bool:
    """Whether a secret may be corrected now; once the game is over there is nothing else to ask for."""
    return not match.question and not match.ended and closed(house(), table) is None


def has_menu(match: Match, by: Seat) -> bool:
    """Whether a seat, or the host, may ask for anything, where it may ask at all."""
    return match.outcome is None or bool(own_secrets(match, by))


def menu(match: Match, by: Seat, voice: Voice, args: Mapping[str, str]) -> dict[str, Any]:
    """What a seat, or the host, may ask for now."""
    own, wanted, goes_on = own_secrets(match, by), _wanted(match, by, args), match.outcome is None
    latest = own[-LATEST:]
    shown = [wanted, *latest] if wanted and wanted not in latest else latest
    return {
        "joining": match.state is None,
        "undo": goes_on and bool(match.made),
        "secrets": told_apart(match, shown, voice),
        "entered": f"/t/{match.code}/s/{by}/entered" if len(own) > LATEST else "",
        "seats": [(seat, voice.name(seat)) for seat in match.taken if seat != by] if goes_on else [],
        "own": by if by != HOST and goes_on else "",
        "abandon": goes_on,
    }


def told_apart(match: Match, secrets: Sequence[Made], voice: Voice) -> list[dict[str, Any]]:
    """What a seat entered in secret, the latest first; what reads alike is told apart by what came before."""
    forms = Forms(voice)
    labels = [", ".join(_parts(match, forms, made.entry.move)) for made in secrets]
    alike = Counter(labels)
    told = [
        {"n": made.n, "label": label if alike[label] == 1 else _which(match, forms, made, label)}
        for made, label in zip(secrets, labels, strict=True)
    ]
    return told[::-1]


def label_of(match: Match, mended: "Correction", voice: Voice) -> str:
    """What the secret that is corrected is called beside the others of its seat."""
    own = own_secrets(match, match.made[place(match, mended.n)].entry.seat)
    shown = {made.n: made for made in (*own[-LATEST:], match.made[place(match, mended.n)])}
    told = told_apart(match, list(shown.values()), voice)
    return next(str(secret["label"]) for secret in told if secret["n"] == mended.n)


def _which(match: Match, forms: Forms, made: Made, label: str) -> str:
    """One of several that read alike: the last open move before it, and the number that everyone is told."""
    before = (match.made[at].entry.move for at in reversed(range(place(match, made.n))))
    moves = ([*_parts(match, forms, move)] for move in before)
    done, *of = next((parts for parts in moves if len(parts) > 1), ("",))
    own, otherwise = f"page.{match.game.id}.entered.{made.entry.move.type}", "page.mend.secret"
    key = own if own in forms.voice.words else f"{otherwise}.after" if done else otherwise
    return say(key, what=label, n=made.n, before=", ".join((done, *of)), of=", ".join(of))


def _parts(match: Match, forms: Forms, move: Move) -> Iterator[str]:
    """A move by its name and its public fields."""
    yield forms.do(move.type)
    yield from (forms.label(name, value) for name, value in _open_fields(match, move).items())


def _open_fields(match: Match, move: Move) -> dict[str, Any]:
    secret = match.game.moves[move.type].secret
    return {name: value for name, value in move.fields.items() if name not in secret}


@dataclass(frozen=True)
class Correction:
    """A secret that is about to be entered anew: the number of its move, what is open in it and stays, and
    what was offered then."""

    n: int
    open: dict[str, Any]
    choices: list[dict[str, Any]]

    def body(self, version: int, fields: dict[str, Any]) -> dict[str, Any]:
        return {"version": version, "kind": "correct", "n": self.n, "fields": fields}


def correction(table: LiveTable, match: Match, seat: Seat, args: Mapping[str, str]) -> Correction | None:
    """The correction that this page is about, if it is one of this seat's own secrets."""
    made = _wanted(match, seat, args)
    if made is None or (match.outcome and not may_correct(table, match)):
        return None
    move = made.entry.move
    choices = (choice for choice in choices_then(match, made) if _differs_in_secrets(choice, move))
    return Correction(made.n, _open_fields(match, move), [_secrets_of(choice) for choice in choices])


def _wanted(match: Match, seat: Seat, args: Mapping[str, str]) -> Made | None:
    """The secret that this page corrects."""
    n = whole(args.get("correct", ""))
    return own_secret(match, seat, n) if n is not None else None


def _differs_in_secrets(choice: Choice, move: Move) -> bool:
    """Whether this choice has the open fields of a move, whatever its secrets are."""
    opened = [f for f in choice.fields if not f.secret]
    return choice.type == move.type and all(f.permits(move.fields.get(f.name)) for f in opened)


def _secrets_of(choice: Choice) -> dict[str, Any]:
    return {"type": choice.type, "fields": [f.wire() for f in choice.fields if f.secret]}


def turned_over(
    table: LiveTable, match: Match, seat: Seat, voice: Voice, args: Mapping[str, str]
) -> dict[str, Any] | None:
    """The secret that was last turned over for all to see, as long as none was laid after it.

    Whoever entered it may correct it at once; the others are told who can. A bot mistypes nothing.
    """
    if not match.game.turns_over or not may_correct(table, match):
        return None
    last = (own[-1] for own in match.entered.values() if own)
    laid = max(last, key=lambda made: made.n, default=None)
    after = match.made[place(match, laid.n) + 1 :] if laid else []
    opener = next((made for made in after if made.entry.move.type in match.game.turns_over), None)
    if laid is None or opener is None or laid.entry.seat in table.bots():
        return None
    return {
        "n": laid.n,
        "mine": laid.entry.seat == seat,
        "name": voice.name(laid.entry.seat),
        "undo": opener is match.made[-1] and not match.outcome,
        "version": match.version,
        "asked": args.get("other_card") == str(match.version),
    }


def _lost_phone(table: LiveTable, match: Match, by: Seat, voice: Voice, seat: Seat) -> dict[str, Any] | None:
    """The seat that this page would give a new code: who is asked first, and whether its phone is there."""
    if match.outcome or match.question or seat not in match.taken:
        return None
    there, is_deserted = table.connected(), table.is_deserted()
    of = question(match, by, "reissue", {"seat": seat}, match.version, there, is_deserted).of
    return {
        "seat": seat,
        "name": voice.name(seat),
        "own": seat == by,
        "asks": and_list([voice.name(other) for other in of]),
        "is_there": seat in of,
        "is_deserted": is_deserted and by == HOST,
        "may_wait": by == HOST and bool(of) and there.isdisjoint(match.names),
    }


def sheet(
    seen: Seen, voice: Voice, news: list[Said], by: Seat | None, connected: Collection[Seat]
) -> dict[str, Any] | None:
    """The open question in words: who asks what, what it would do and show, whom it waits for."""
    asked = seen.question
    if asked is None:
        return None
    waits = [seat for seat in asked.of if seat not in asked.accepted]
    lost = next((seat for seat in waits if seat == asked.about.get("seat")), None)
    return {
        "title": voice.say(f"news.asked.{asked.kind}", {"by": asked.by, **asked.about, **_counted(asked)}),
        "what": _what(asked, voice),
        "move": _move(asked, voice, news),
        "commitment": asked.commitment,
        "reveals": asked.reveals,
        "reopens": asked.reopens,
        "since": asked.since,
        "mine": asked.by == by,
        "asked": by in waits,
        "waits": and_list([voice.name(seat) for seat in waits]),
        "lost": lost,
        "lost_name": voice.name(lost) if lost else "",
        "is_there": lost in connected,
    }


def _move(asked: Question, voice: Voice, news: list[Said]) -> str:
    """The move that a question is about, as it was told; never what was secret in it.

    Where a secret reads like another one, what was said just before tells which of them it is.
    """
    n = asked.about.get("n")
    if asked.quotes is None or n is None:
        return next((item.text for item in news if item.n == n), "")
    quoted = voice.plain(asked.quotes)
    if all(item.n == n for item in news if item.text == quoted):
        return quoted
    before = [item.text for item in news if item.n < n and item.kind not in ("turn", "began")]
    return " ".join((*before[-1:], quoted))


def _counted(asked: Question) -> dict[str, int]:
    """How many moves an undo is about."""
    return {"n": len(asked.about["moves"])} if "moves" in asked.about else {}


def _what(asked: Question, voice: Voice) -> str:
    """What a yes would do."""
    own = ".own" if asked.about.get("seat") == asked.by else ""
    done = say(f"page.question.{asked.kind}{own}", by=voice.name(asked.by), **_counted(asked))
    if asked.kind != "abandon":
        return done
    return f"{done} {say('page.question.abandon.' + ('show' if asked.about['show'] else 'hide'))}"


# ---- playing again


def led_on(table: LiveTable, voice: Voice) -> str:
    """That there is a new table, and who opened it where that is still known."""
    if table.row.next is None:
        return ""
    if table.led_on_by is None:
        return say("page.again.told", code=table.row.next)
    return say("page.again.told.by", name=voice.name(table.led_on_by), code=table.row.next)


@mend.post("/t/<code>/again")
def again(code: str) -> Response:
    """Open the next table, for whoever holds a seat or the table; asked twice, it is the same one.

    Who asks from a seat's page asks as that person, though the phone may be the host's as well.
    """
    table = table_of(code)
    seats = sorted(held(table), key=lambda seat: seat != request.form.get("seat"))
    own = [seat_caller(table, seat).token for seat in seats]
    tokens = (*own, host_token(table)) if request.form.get("seat") in seats else (host_token(table), *own)
    house().wait(mending.rematch(house(), code, {}, caller(next(filter(None, tokens), None))))
    return _led_on(table)


@mend.get("/t/<code>/next")
def follow(code: str) -> Response:
    table = table_of(code)
    return _led_on(table) if table.row.next else go(f"/t/{code}")


def newest(table: LiveTable) -> LiveTable:
    """The last of the tables that followed this one."""
    while table.row.next and (after := house().readable(table.row.next)):
        table = after
    return table


def _led_on(table: LiveTable) -> Response:
    """To the last table that followed, where the tokens of this device are good too."""
    after = newest(table)
    tokens = {seat: str(seat_caller(table, seat).token) for seat in held(table)}
    mine = {seat: token for seat, token in tokens.items() if after.seat_of(token) == seat}
    seat = request.values.get("seat")
    response = go(f"/t/{after.code}/s/{seat}" if seat in mine else f"/t/{after.code}")
    for own, token in mine.items():
        keep(response, seat_cookie(after.code, own), token)
    if hosts := host_token(table):
        keep(response, host_cookie(after.code), hosts)
    return response


def form_version(form: Mapping[str, str]) -> int:
    """The version of the table that a form was made from."""
    number = whole(form.get("version", ""))
    if number is None:
        raise malformed("version")
    return number
