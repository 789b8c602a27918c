"""Questions to the other players on the pages: undo, correct, new key, abandon; and the rematch."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, request

from referee.core.corrections import choices_then, own_secret, own_secrets
from referee.core.match import Match, PlayerView
from referee.core.moves import Choice, Move, Seat
from referee.core.questions import HOST, Question, question
from referee.core.replay import StandingMove, place
from referee.presentation.views import Localizer
from web.pages.forms import Forms
from web.pages.news_items import NewsItem
from web.pages.rendering import (
    and_list,
    held,
    host_token,
    redirect_to,
    say,
    seat_caller,
    set_cookie,
    table_of,
)
from web.request_context import caller, service
from web.security.caller import Caller, host_cookie, seat_cookie
from web.service import questions
from web.service.after_the_end import why_closed
from web.service.idempotency import form_retry
from web.service.live_table import LiveTable
from web.service.tables import TableService
from web.wire.errors import malformed
from web.wire.parsing import whole

repair = Blueprint("repair", __name__)

LATEST = 5  # secrets that the menu offers to correct; `my_secrets` lists all


# ---- asking and answering


async def send(
    service: TableService, table: LiveTable, who: Caller, language: str, form: Mapping[str, str]
) -> None:
    """Ask or answer as the form says. Its nonce makes a resubmission idempotent."""
    version, nonce = form_version(form), form.get("nonce", "")
    if "again" in form:
        await _ask_again(service, table, who, language, form, version)
        return
    body, call = (
        (_asked(form, version), questions.ask)
        if "ask" in form
        else (_answer(form, version), questions.answer)
    )
    await call(service, table.code, body, who, language, form_retry(table.code, version, body, nonce))


async def _ask_again(
    service: TableService, table: LiveTable, who: Caller, language: str, form: Mapping[str, str], version: int
) -> None:
    """Withdraw a question for a new key and ask it again, without phones that have disconnected since."""
    asked, seat, nonce = table.match.question, form.get("of", ""), form.get("nonce", "")
    if seat not in table.seats or (asked and (asked.kind, asked.about.get("seat")) != ("reissue", seat)):
        raise malformed("of")
    questions.check_rate_limit(service, table, who)  # before the open question is withdrawn
    no = {"accept": False, "version": version}
    await questions.answer(service, table.code, no, who, language, form_retry(table.code, version, no, nonce))
    body = {"version": version, "kind": "reissue", "seat": seat}
    again = {**body, "version": table.match.version}
    retry = form_retry(table.code, version, body, nonce)  # the key is bound to the body as the form sent it
    await questions.ask(service, table.code, again, who, language, retry)


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


def questions_context(
    table: LiveTable,
    match: Match,
    seen: PlayerView,
    by: Seat | None,
    localizer: Localizer,
    news: list[NewsItem],
    args: Mapping[str, str],
) -> dict[str, Any]:
    """The template context of questions. `by` is a seat, the host, or None for a viewer who may not ask."""
    return {
        "question": sheet(seen, localizer, news, by, table),
        "may_repair": by is not None and may_correct(table, match),
        "lost": _lost_phone(table, match, by, localizer, args.get("lost", "")) if by else None,
        "rematch_asker": rematch_asker(table, localizer),
        "before": table.before,
    }


def may_correct(table: LiveTable, match: Match) -> bool:
    """Whether a question may be asked now. Once the game is over, only corrections can be."""
    return not match.question and not match.ended and why_closed(service(), table) is None


def has_menu(match: Match, by: Seat) -> bool:
    """Whether the menu of a seat or the host has any entry, if asking is possible at all."""
    return match.outcome is None or bool(own_secrets(match, by))


def menu(match: Match, by: Seat, localizer: Localizer, args: Mapping[str, str]) -> dict[str, Any]:
    """The entries of the menu of a seat or the host."""
    own, wanted, goes_on = own_secrets(match, by), _wanted(match, by, args), match.outcome is None
    latest = own[-LATEST:]
    shown = [wanted, *latest] if wanted and wanted not in latest else latest
    return {
        "joining": match.state is None,
        "undo": goes_on and bool(match.made),
        "secrets": labelled(match, shown, localizer),
        "entered": f"/t/{match.code}/s/{by}/entered" if len(own) > LATEST else "",
        "seats": [(seat, localizer.name(seat)) for seat in match.taken if seat != by] if goes_on else [],
        "own": by if by != HOST and goes_on else "",
        "abandon": goes_on,
    }


def labelled(match: Match, secrets: Sequence[StandingMove], localizer: Localizer) -> list[dict[str, Any]]:
    """Number and label of each secret, latest first. Secrets with equal labels get longer, distinct ones."""
    forms = Forms(localizer)
    labels = [", ".join(_parts(match, forms, made.entry.move)) for made in secrets]
    alike = Counter(labels)
    told = [
        {"n": made.n, "label": label if alike[label] == 1 else _distinct_label(match, forms, made, label)}
        for made, label in zip(secrets, labels, strict=True)
    ]
    return told[::-1]


def label_of(match: Match, correcting: "Correction", localizer: Localizer) -> str:
    """The label of the secret that is being corrected, distinct from the other secrets of its seat."""
    own = own_secrets(match, match.made[place(match, correcting.n)].entry.seat)
    shown = {made.n: made for made in (*own[-LATEST:], match.made[place(match, correcting.n)])}
    told = labelled(match, list(shown.values()), localizer)
    return next(str(secret["label"]) for secret in told if secret["n"] == correcting.n)


def _distinct_label(match: Match, forms: Forms, made: StandingMove, label: str) -> str:
    """A distinct label for a secret whose label is not unique: adds the last public move before it and the
    number of its news."""
    before = (match.made[at].entry.move for at in reversed(range(place(match, made.n))))
    moves = ([*_parts(match, forms, move)] for move in before)
    done, *of = next((parts for parts in moves if len(parts) > 1), ("",))
    own, otherwise = f"page.{match.game.id}.entered.{made.entry.move.type}", "page.repair.secret"
    key = own if own in forms.localizer.words else f"{otherwise}.after" if done else otherwise
    return say(key, what=label, n=made.n, before=", ".join((done, *of)), of=", ".join(of))


def _parts(match: Match, forms: Forms, move: Move) -> Iterator[str]:
    """The name of a move, then its public fields."""
    yield forms.do(move.type)
    yield from (forms.label(name, value) for name, value in _open_fields(match, move).items())


def _open_fields(match: Match, move: Move) -> dict[str, Any]:
    secret = match.game.moves[move.type].secret
    return {name: value for name, value in move.fields.items() if name not in secret}


@dataclass(frozen=True)
class Correction:
    """A secret that is about to be corrected: the number of its move, its public fields, which stay, and the
    choices that were offered then."""

    n: int
    open: dict[str, Any]
    choices: list[dict[str, Any]]

    def body(self, version: int, fields: dict[str, Any]) -> dict[str, Any]:
        return {"version": version, "kind": "correct", "n": self.n, "fields": fields}


def correction(table: LiveTable, match: Match, seat: Seat, args: Mapping[str, str]) -> Correction | None:
    """The correction that the query string asks for, if it is one of this seat's own secrets."""
    made = _wanted(match, seat, args)
    if made is None or (match.outcome and not may_correct(table, match)):
        return None
    move = made.entry.move
    choices = (choice for choice in choices_then(match, made) if _differs_in_secrets(choice, move))
    return Correction(made.n, _open_fields(match, move), [_secrets_of(choice) for choice in choices])


def _wanted(match: Match, seat: Seat, args: Mapping[str, str]) -> StandingMove | None:
    """This seat's secret that `?correct=` names, or None."""
    n = whole(args.get("correct", ""))
    return own_secret(match, seat, n) if n is not None else None


def _differs_in_secrets(choice: Choice, move: Move) -> bool:
    """Whether this choice permits the public fields of a move; its secret fields may differ."""
    opened = [f for f in choice.fields if not f.secret]
    return choice.type == move.type and all(f.permits(move.fields.get(f.name)) for f in opened)


def _secrets_of(choice: Choice) -> dict[str, Any]:
    return {"type": choice.type, "fields": [f.wire() for f in choice.fields if f.secret]}


def turned_over(
    table: LiveTable, match: Match, seat: Seat, localizer: Localizer, args: Mapping[str, str]
) -> dict[str, Any] | None:
    """The latest secret, if it has been turned over on the table since it was entered; else None.

    Its own player may correct it at once. The others are told who can. A bot's secret is never offered.
    """
    if not match.game.turns_over or not may_correct(table, match):
        return None
    last = (own[-1] for own in match.secret_moves.values() if own)
    laid = max(last, key=lambda made: made.n, default=None)
    after = match.made[place(match, laid.n) + 1 :] if laid else []
    opener = next((made for made in after if made.entry.move.type in match.game.turns_over), None)
    if laid is None or opener is None or laid.entry.seat in table.bots():
        return None
    return {
        "n": laid.n,
        "mine": laid.entry.seat == seat,
        "name": localizer.name(laid.entry.seat),
        "undo": opener is match.made[-1] and not match.outcome,
        "version": match.version,
        "asked": args.get("other_card") == str(match.version),
    }


def _lost_phone(
    table: LiveTable, match: Match, by: Seat, localizer: Localizer, seat: Seat
) -> dict[str, Any] | None:
    """The dialog about a new code for a seat: who must agree, and whether its phone is connected."""
    if match.outcome or match.question or seat not in match.taken:
        return None
    there, is_deserted = table.connected(), table.is_deserted()
    of = question(match, by, "reissue", {"seat": seat}, match.version, there, is_deserted).of
    return {
        "seat": seat,
        "name": localizer.name(seat),
        "own": seat == by,
        "asks": and_list([localizer.name(other) for other in of]),
        "is_there": seat in of,
        "is_deserted": is_deserted and by == HOST,
        "may_wait": by == HOST and bool(of) and there.isdisjoint(match.names),
    }


def sheet(
    seen: PlayerView, localizer: Localizer, news: list[NewsItem], by: Seat | None, table: LiveTable
) -> dict[str, Any] | None:
    """The open question in words: who asks what, what a yes would do and reveal, and who has not answered."""
    asked = seen.question
    if asked is None:
        return None
    waits = [seat for seat in asked.of if seat not in asked.accepted]
    lost = next((seat for seat in waits if seat == asked.about.get("seat")), None)
    return {
        "title": localizer.say(
            f"news.asked.{asked.kind}", {"by": asked.by, **asked.about, **_counted(asked)}
        ),
        "what": _what(asked, localizer),
        "move": _move(asked, localizer, news),
        "commitment": asked.commitment,
        "reveals": asked.reveals,
        "reopens": asked.reopens,
        "since": asked.since,
        "mine": asked.by == by,
        "asked": by in waits,
        "waits": and_list([localizer.name(seat) for seat in waits]),
        "lost": lost,
        "lost_name": localizer.name(lost) if lost else "",
        "is_there": lost in table.connected(),
    }


def _move(asked: Question, localizer: Localizer, news: list[NewsItem]) -> str:
    """The move that a question is about, as its public news text.

    If another news item has the same text, the item just before is prepended to distinguish them.
    """
    n = asked.about.get("n")
    if asked.quotes is None or n is None:
        return next((item.text for item in news if item.n == n), "")
    quoted = localizer.plain(asked.quotes)
    if all(item.n == n for item in news if item.text == quoted):
        return quoted
    before = [item.text for item in news if item.n < n and item.kind not in ("turn", "began")]
    return " ".join((*before[-1:], quoted))


def _counted(asked: Question) -> dict[str, int]:
    """How many moves an undo is about."""
    return {"n": len(asked.about["moves"])} if "moves" in asked.about else {}


def _what(asked: Question, localizer: Localizer) -> str:
    """What a yes would do."""
    own = ".own" if asked.about.get("seat") == asked.by else ""
    done = say(f"page.question.{asked.kind}{own}", by=localizer.name(asked.by), **_counted(asked))
    if asked.kind != "abandon":
        return done
    return f"{done} {say('page.question.abandon.' + ('show' if asked.about['show'] else 'hide'))}"


# ---- rematch


def rematch_asker(table: LiveTable, localizer: Localizer) -> str:
    """The notice that there is a rematch, and who opened it if that is still known; else empty."""
    if table.row.next is None:
        return ""
    if table.rematch_asked_by is None:
        return say("page.again.told", code=table.row.next)
    return say("page.again.told.by", name=localizer.name(table.rematch_asked_by), code=table.row.next)


@repair.post("/t/<code>/again")
def again(code: str) -> Response:
    """Open the rematch, or find it if it is already open. Needs a seat's or the host's token.

    A request from a seat's page uses that seat's token, even if the phone is the host's as well.
    """
    table = table_of(code)
    seats = sorted(held(table), key=lambda seat: seat != request.form.get("seat"))
    own = [seat_caller(table, seat).token for seat in seats]
    tokens = (*own, host_token(table)) if request.form.get("seat") in seats else (host_token(table), *own)
    nonce = {"nonce": request.form.get("dice", "")}
    service().wait(questions.rematch(service(), code, nonce, caller(next(filter(None, tokens), None))))
    return _redirect_to_newest(table)


@repair.get("/t/<code>/next")
def follow(code: str) -> Response:
    table = table_of(code)
    return _redirect_to_newest(table) if table.row.next else redirect_to(f"/t/{code}")


def newest(table: LiveTable) -> LiveTable:
    """The last table in the chain of rematches."""
    while table.row.next and (after := service().readable(table.row.next)):
        table = after
    return table


def _redirect_to_newest(table: LiveTable) -> Response:
    """Redirect to the last rematch, and set this device's cookies there: its tokens are valid there too."""
    after = newest(table)
    tokens = {seat: str(seat_caller(table, seat).token) for seat in held(table)}
    mine = {seat: token for seat, token in tokens.items() if after.seat_of(token) == seat}
    seat = request.values.get("seat")
    response = redirect_to(f"/t/{after.code}/s/{seat}" if seat in mine else f"/t/{after.code}")
    for own, token in mine.items():
        set_cookie(response, seat_cookie(after.code, own), token)
    if hosts := host_token(table):
        set_cookie(response, host_cookie(after.code), hosts)
    return response


def form_version(form: Mapping[str, str]) -> int:
    """The table's version in a form."""
    number = whole(form.get("version", ""))
    if number is None:
        raise malformed("version")
    return number
