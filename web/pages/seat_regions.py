"""A seat's page as regions: pieces of HTML that live pages replace one by one.

`context` gathers what the templates need, from one moment of the match; `regions` renders those that are not
empty. Both need Flask's application context (for words and settings) and no request, so that the event loop
can render for every phone that watches.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from referee.aids import has_aid
from referee.match import Match, Seen
from referee.moves import Seat, canonical
from referee.views import Voice
from web import bgstats, mending
from web.api import desks, house
from web.bodies import move_in
from web.house import check_move
from web.pages import mend
from web.pages.aloud import is_repaired, is_settled, latest_answers, new_answers, next_answer
from web.pages.device import Device
from web.pages.drafts import Draft
from web.pages.forms import Action, Case, Forms, complete, fields_in, inputs
from web.pages.join import free_seats, invitations
from web.pages.look import look
from web.pages.mend import Correction
from web.pages.page import and_list, fragment, pieces, say, tidy
from web.pages.rules import missing, passage_now
from web.refusals import Refusal
from web.table import LiveTable

Context = dict[str, Any]

FOLDS = ("table", "history", "mend")  # rendered when the page is first loaded, and when one is opened


def context(
    table: LiveTable, match: Match, seat: Seat, voice: Voice, device: Device, problem: Any = None
) -> Context:
    """All that the page of a seat shows of this moment."""
    seen = match.seen_by(seat, table.public(match))
    looked = look(table, seen, voice)
    news, aloud = looked["news"], looked["aloud"]
    mending_part = mend.part(table, match, seen, seat, voice, news, device.args)
    turned = mend.turned_over(table, match, seat, voice, device.args)
    decision = _decision(table, match, seen, voice, device, is_checked="check" in device.args and not problem)
    question, action = mending_part["question"], decision["action"]
    choosing = bool(seen.choices)
    asking = question or mending_part["lost"] or (turned and turned["asked"] and not turned["mine"])
    is_inside = action and len(decision["actions"]) > 1 and not decision["unasked"]
    return {
        **looked,
        **mending_part,
        **decision,
        "problem": problem,
        "seat": seat,
        "number": voice.number(seat),
        "mine": question["asked"] if question else choosing,
        "asking": asking,
        "inside": bool(decision["correcting"] or decision["echo"] or is_inside),
        "put_right_now": any(item.kind == "restated" for item in aloud),
        "tells": is_settled(aloud) or not looked["view"]["me"]["todo"],
        "answers": _answers(news, device) if device.is_live or not (problem or question) else [],
        "all_answers": is_repaired(news, device.since or 0),
        "winners": and_list([voice.name(won) for won in match.outcome.winners]) if match.outcome else "",
        "absent": and_list([voice.title(s) for s, name in seen.names.items() if name is None]),
        "fragment": fragment(seen.game.id, "phone.html"),
        "turned": turned,
        "bgstats": bgstats.link(house(), table, voice, desks().finished(table)) if match.outcome else "",
        "keys": invitations(table, table.handed_keys(seat), voice),
        "holds": len(device.held),
        "shared": device.is_shared and match.state is not None and not match.outcome,
        "also": free_seats(table, voice) if device.is_host and match.state is None else [],
        "rules": passage_now(seen, action.type if action else None),
        "missing": missing(seen, voice),
        "aid": f"/t/{table.code}/s/{seat}/aid" if has_aid(match) else "",
        "has_menu": mending_part["may_mend"] and mend.has_menu(match, seat),
    }


def page_state(ctx: Context) -> Mapping[str, Any]:
    """What live pages are told of the page as a whole."""
    question, code, seat = ctx["question"], ctx["code"], ctx["seat"]
    name = say("page.your_turn") if ctx["mine"] else ctx["voice"].name(seat)
    return {
        "title": f"{tidy(question['title']) if question else name} · {code}",
        "kind": f"phone {ctx['view']['status']}",
        "mine": int(bool(ctx["mine"])),
        "asked": int(bool(question and question["asked"])),
        "key": ctx["key"] or "",
        "follow": f"/t/{code}/next?seat={seat}" if ctx["view"]["next"] else "",
        "shared": int(ctx["shared"]),
        "folds": [name for name in FOLDS if _has_fold(ctx, name)],
    }


def _has_fold(ctx: Context, name: str) -> bool:
    return {
        "table": bool(ctx["view"]["public"]["step"]),
        "history": bool(ctx["news"]),
        "mend": bool(ctx["has_menu"]),
    }[name]


def regions(ctx: Context) -> dict[str, str]:
    """The regions of a page, without its folds; those that are not named are empty."""
    view, question = ctx["view"], ctx["question"]
    is_playing = view["status"] == "playing"
    shows_todo = is_playing or ctx["put_right_now"]
    needed = {
        "answer": ctx["answers"] or ctx["all_answers"],
        "question": ctx["asking"],
        "room": ctx["room"] is not None,
        "asked-before": view["asked_before"] and ctx["before"],
        "keys": ctx["keys"],
        "problem": ctx["problem"],
        "aloud": shows_todo and ctx["tells"] and ctx["aloud"],
        "todo": shows_todo and (view["me"]["todo"] or ctx["turned"]),
        "decision": True,
        "seals": is_playing and any(item.commitment for item in ctx["aloud"]),
        "close": ctx["shared"] and not ctx["mine"],
        "aid-fold": ctx["aid"],
        "people": True,
        "before": ctx["before"],
        "hand": is_playing and not question and any(view["me"]["hand"].values()),
        "rules": ctx["rules"],
    }
    return pieces("seat", [name for name, is_there in needed.items() if is_there], ctx)


def folds(
    ctx: Context, voice: Voice, match: Match, device: Device, names: Iterable[str] = FOLDS
) -> dict[str, str]:
    """These folds of a page, as far as it has them."""
    wanted = [name for name in names if name in FOLDS and _has_fold(ctx, name)]
    if "mend" in wanted:
        ctx = {**ctx, "menu": mend.menu(match, ctx["seat"], voice, device.args)}
    return pieces("seat", wanted, ctx)


def _answers(news: list[Any], device: Device) -> list[Any]:
    """The answers to be shown large, one after the other."""
    if device.is_live:
        return latest_answers(news) if device.since is None else new_answers(news, device.since)
    found = next_answer(news, device.seen)
    return [found] if found else []


# ---- the decision


def _key(choices: list[Any], since: int) -> str:
    """The same as long as the choices are: then a form that is half filled in stays.

    Choices may read the same and yet be new: a form from before would be refused as too old.
    """
    return hashlib.sha256(canonical([choices, since]).encode()).hexdigest()[:16] if choices else ""


def _decision(
    table: LiveTable, match: Match, seen: Seen, voice: Voice, device: Device, is_checked: bool
) -> dict[str, Any]:
    """Which of the decision's screens to show: the actions, the cases of one, its form, or its echo."""
    seat, since = str(seen.seat), match.changed.get(str(seen.seat), 0)
    mended = mend.correction(table, match, seat, device.args) if device.args else None
    choices = [choice.wire() for choice in seen.choices]
    actions = actions_of(seen, voice, mended, mended.choices if mended else choices, device)
    action = _action(actions, device.args.get("do"))
    case = action.case(device.args.get("case")) if action else None
    draft, echo = device.draft, None
    if is_checked and action and case and draft and draft.type == action.type:
        echo = _echo(table, seat, voice, draft, case, mended)
    unasked = action is not None and device.args.get("do") != action.type
    return {
        "actions": actions,
        "action": action,
        "unasked": unasked,
        "open": [action] if unasked else actions,
        "case": case,
        "echo": echo,
        "here": address_of(action.type, case, mended) if action and case else "?",
        "correcting": mended.n if mended else None,
        "which": mend.label_of(match, mended, voice) if mended else "",
        "since": match.version if mended else since,
        "key": _key(choices, since),
    }


def address_of(type_: str, case: Case, mended: Correction | None) -> str:
    """The address of a form on this page."""
    return f"?correct={mended.n}" if mended else f"?do={type_}&case={case.number}"


def _echo(
    table: LiveTable, seat: Seat, voice: Voice, draft: Draft, case: Case, mended: Correction | None
) -> dict[str, Any] | None:
    """A draft to be read once more; none if the table moved on: then the form is there to choose again."""
    if not complete(case, draft.fields):
        return None
    try:
        check_draft(table, seat, draft, mended)
    except Refusal:
        return None
    return {
        "rows": list(Forms(voice).rows(case, draft.fields)),
        "inputs": list(inputs(case, draft.fields)),
        "fields": draft.fields,
        "version": draft.version,
    }


def check_draft(table: LiveTable, seat: Seat, draft: Draft, mended: Correction | None) -> None:
    """Refuse a draft that could not be played now."""
    if mended:
        mending.check(house(), table, seat, mended.body(draft.version, draft.fields))
        return
    version, move = move_in(table.match.game, draft.body())
    check_move(table, seat, move, version)


def actions_of(
    seen: Seen, voice: Voice, mended: Correction | None, choices: list[dict[str, Any]], device: Device
) -> list[Action]:
    draft, led = device.draft, device.args.get("do", "")
    filled = {draft.type: draft.fields} if draft else {}
    filled[led] = {**filled.get(led, {}), **fields_in(device.args)}
    faces = seen.game.faces(seen.slice.table) if seen.slice and not mended else {}
    forms = Forms(voice, faces, seen.game.places(seen.options), mended.open if mended else {})
    return forms.actions(choices, filled)


def _action(actions: list[Action], wanted: str | None) -> Action | None:
    """The action that is asked for; unasked the only one there is, or the only one that has a question."""
    asking = [action for action in actions if action.asks]
    only = next((some[0] for some in (actions, asking) if len(some) == 1), None)
    return next((action for action in actions if action.type == wanted), only)


def case_of(actions: list[Action], type_: str, number: str | None) -> Case | None:
    action = next((action for action in actions if action.type == type_), None)
    return action.case(number) if action else None
