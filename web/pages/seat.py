"""A seat's own page, for a phone: the answer, what to do with the cards, then one decision at a time."""

import hashlib
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, request

from referee.aids import has_aid
from referee.game import Say
from referee.match import Match, Seen
from referee.moves import Seat, canonical
from referee.views import Voice
from web import bgstats, mending
from web.api import desks, house
from web.bodies import move_in, whole
from web.caller import Caller
from web.house import check_move
from web.pages import curtain, drafts, mend, moved
from web.pages.aloud import is_settled, last_words, next_answer
from web.pages.drafts import Draft
from web.pages.forms import Action, Case, Forms, complete, fields_in, inputs
from web.pages.join import free_here, invitations
from web.pages.look import look
from web.pages.mend import Correction
from web.pages.page import (
    and_list,
    fragment,
    go,
    held,
    keep,
    language,
    nonce,
    problem,
    retry,
    say,
    seat_caller,
    show,
    speech,
    table_of,
)
from web.pages.rules import missing, passage_now, passage_of
from web.refusals import Refusal
from web.retries import UsedAgain
from web.table import LiveTable

seat = Blueprint("seat", __name__)


@seat.get("/t/<code>/s/<seat>")
def phone(code: str, seat: Seat) -> Response:
    table = table_of(code)
    sitting(table, seat)
    if curtain.is_drawn(table, table.match, seat):
        return curtain.drawn(table, table.match, seat)
    shown = request.args.get("seen", "")
    if whole(shown) is not None:
        onward = {name: value for name, value in request.args.items() if name in ("correct", "other_card")}
        path = f"{request.path}?{urlencode(onward)}" if onward else request.path
        return keep(go(path), _seen_cookie(table, seat), shown, path=request.path)
    return _page(table, seat)


@seat.post("/t/<code>/s/<seat>")
def play(code: str, seat: Seat) -> Response:
    """A move, or for a secret one first its draft, to be read once more before it is sealed."""
    table = table_of(code)
    who = sitting(table, seat)
    if curtain.is_drawn(table, table.match, seat):
        return go(request.path)
    if {"ask", "accept", "again"} & request.form.keys():
        return _mended(table, seat, who)
    draft = Draft(request.form.get("type", "")[:40], mend.version(), fields_in(request.form))
    seen, mended = table.seen(seat), mend.correction(table, table.match, seat)
    case = _case(_actions(seen, speech(seen), mended, _choices(seen, mended), draft), draft.type)
    draft = replace(draft, fields=case.whole(draft.fields)) if case else draft
    if case and not complete(case, draft.fields):
        return _page(table, seat, draft, {"detail": say("page.incomplete")}, 422)
    try:
        if case and case.secret and "check" in request.form:
            return _to_be_checked(table, seat, draft, case, mended)
        _send(table, who, draft, mended)
    except Refusal as refused:
        # A form that was sent before with another choice, which was taken, is just old.
        refusal = Refusal("stale") if isinstance(refused, UsedAgain) else refused
        told = {**problem(refusal), "rule": passage_of(refusal, table.match.seen_by(seat), draft.type)}
        return _page(table, seat, draft, told, refusal.status)
    return drafts.erase(go(request.path), code, seat)


def sitting(table: LiveTable, seat: Seat) -> Caller:
    """Whoever holds this very seat."""
    if seat not in table.seats:
        raise Refusal("unknown-seat")
    who = seat_caller(table, seat)
    try:
        sits = house().seat(table, who)
    except Refusal as refusal:
        raise _moved(table, seat) if refusal.code == "bad-token" else refusal from refusal
    if sits != seat:
        raise Refusal("not-allowed")
    return who


def _moved(table: LiveTable, seat: Seat) -> Refusal:
    """What a phone is told that held this seat before another one got it."""
    name = {"name": speech(table.seen()).name(seat)}
    return Refusal("bad-token", why=Say("refusal.seat_moved.detail", name), title="refusal.seat_moved")


def _mended(table: LiveTable, seat: Seat, who: Caller) -> Response:
    """A question or an answer, then the page as it is."""
    try:
        mend.send(table, who, mend.version())
    except Refusal as refusal:
        return _page(table, seat, problem=problem(refusal), status=refusal.status)
    return go(request.path)


def _send(table: LiveTable, who: Caller, draft: Draft, mended: Correction | None) -> None:
    """Make the move of a draft, or ask for the correction that it is."""
    if mended:
        body, call = mended.body(draft.version, draft.fields), mending.ask
        house().wait(call(house(), table.code, body, who, language(), retry(canonical(body))))
    else:
        house().wait(house().move(table.code, draft.body(), who, language(), retry(canonical(draft.body()))))


def _to_be_checked(
    table: LiveTable, seat: Seat, draft: Draft, case: Case, mended: Correction | None
) -> Response:
    _check(table, seat, draft, mended)
    response = go(f"{request.path}{_here(draft.type, case)}&check=1")
    return drafts.write(response, table.code, seat, draft)


def _here(type_: str, case: Case) -> str:
    """The address of a form on this page."""
    wanted = request.args.get("correct", "")
    return f"?correct={wanted}" if wanted.isdecimal() else f"?do={type_}&case={case.number}"


def _check(table: LiveTable, seat: Seat, draft: Draft, mended: Correction | None) -> None:
    """Refuse a draft that could not be played now."""
    if mended:
        mending.check(house(), table, seat, mended.body(draft.version, draft.fields))
        return
    version, move = move_in(table.match.game, draft.body())
    check_move(table, seat, move, version)


# ---- the page


def _page(
    table: LiveTable,
    seat: Seat,
    draft: Draft | None = None,
    problem: dict[str, Any] | None = None,
    status: int = 200,
) -> Response:
    match = table.match  # one look for the whole page: others go on playing meanwhile
    if curtain.is_drawn(table, match, seat):
        return curtain.drawn(table, match, seat)
    curtain.all_here(table)
    seen = match.seen_by(seat)
    voice = speech(seen)
    looked = look(table, seen, voice)
    news = looked["news"]
    draft = draft or drafts.read(table.code, seat)
    decision = _decision(table, match, seen, voice, draft, problem is None and "check" in request.args)
    doing = decision["action"].type if decision["action"] else None
    return show(
        "seat.html",
        status,
        problem=problem,
        **looked,
        **mend.part(table, match, seen, seat, voice, news),
        **decision,
        seat=seat,
        number=voice.number(seat),
        settled=is_settled(last_words(news)),
        answer=None if problem or seen.question else next_answer(news, _seen(table, seat)),
        winners=and_list([voice.name(won) for won in match.outcome.winners]) if match.outcome else "",
        absent=and_list([voice.title(s) for s, name in seen.names.items() if name is None]),
        fragment=fragment(seen.game.id, "phone.html"),
        stream=f"/api/tables/{table.code}/me/events?seat={seat}&held=1&seats=1&beats=1",
        turned=mend.turned_over(table, match, seat, voice),
        bgstats=bgstats.link(house(), table, voice, desks().finished(table)) if match.outcome else "",
        keys=invitations(table, table.handed_keys(seat), voice),
        holds=len(held(table)),
        shared=curtain.is_shared(table),
        moved=moved.way_back(table, seat),
        also=free_here(table, voice),
        rules=passage_now(seen, doing),
        missing=missing(seen, voice),
        aid=f"/t/{table.code}/s/{seat}/aid" if has_aid(match) else "",
        nonce=nonce(),
    )


def _key(choices: list[Any], since: int, screen: str) -> str | None:
    """The same as long as choices and screen are: then a form that is half filled in stays.

    Choices may read the same and yet be new: a form from before would be refused as too old.
    """
    return hashlib.sha256(canonical([choices, since, screen]).encode()).hexdigest()[:16] if choices else None


def _decision(
    table: LiveTable, match: Match, seen: Seen, voice: Voice, draft: Draft | None, checking: bool
) -> dict[str, Any]:
    """Which of the decision's screens to show: the actions, the cases of one, its form, or its echo."""
    seat = str(seen.seat)
    mended = mend.correction(table, match, seat)
    choices = _choices(seen, mended)
    actions = _actions(seen, voice, mended, choices, draft)
    action = _action(actions, request.args.get("do"))
    case = action.case(request.args.get("case")) if action else None
    echo = None
    if checking and action and case and draft and draft.type == action.type:
        echo = _echo(table, seat, voice, draft, case, mended)
    here = _here(action.type, case) if action and case else "?"
    return {
        "actions": actions,
        "action": action,
        "unasked": action is not None and request.args.get("do") != action.type,
        "case": case,
        "echo": echo,
        "here": here,
        "correcting": mended.n if mended else None,
        "key": _key(choices, match.changed.get(seat, 0), f"{action.type if action else ''} {here}"),
    }


def _echo(
    table: LiveTable, seat: Seat, voice: Voice, draft: Draft, case: Case, mended: Correction | None
) -> dict[str, Any] | None:
    """A draft to be read once more; none if the table moved on: then the form is there to choose again."""
    if not complete(case, draft.fields):
        return None
    try:
        _check(table, seat, draft, mended)
    except Refusal:
        return None
    return {
        "rows": list(Forms(voice).rows(case, draft.fields)),
        "inputs": list(inputs(case, draft.fields)),
        "fields": draft.fields,
        "version": draft.version,
    }


def _choices(seen: Seen, mended: Correction | None) -> list[dict[str, Any]]:
    """What is chosen from: what this seat may do, or what it might have entered in place of a secret."""
    return mended.choices if mended else [choice.wire() for choice in seen.choices]


def _actions(
    seen: Seen, voice: Voice, mended: Correction | None, choices: list[dict[str, Any]], draft: Draft | None
) -> list[Action]:
    filled = {draft.type: draft.fields} if draft else {}
    led = request.args.get("do", "")
    filled[led] = {**filled.get(led, {}), **fields_in(request.args)}
    faces = seen.game.faces(seen.slice.table) if seen.slice and not mended else {}
    forms = Forms(voice, faces, seen.game.places(seen.options), mended.open if mended else {})
    return forms.actions(choices, filled)


def _action(actions: list[Action], wanted: str | None) -> Action | None:
    """The action that is asked for; unasked the only one there is, or the only one that has a question."""
    asking = [action for action in actions if any(case.asked for case in action.cases)]
    only = next((some[0] for some in (actions, asking) if len(some) == 1), None)
    return next((action for action in actions if action.type == wanted), only)


def _case(actions: list[Action], type_: str) -> Case | None:
    action = next((action for action in actions if action.type == type_), None)
    return action.case(request.args.get("case")) if action else None


def _seen_cookie(table: LiveTable, seat: Seat) -> str:
    return f"seen_{table.code}_{seat}"


def _seen(table: LiveTable, seat: Seat) -> int | None:
    return whole(request.cookies.get(_seen_cookie(table, seat), ""))
