"""A seat's page as regions: pieces of HTML that live pages replace one by one.

`context` collects what the templates need, from one snapshot of the match. `regions` renders those that are
not empty. Both need Flask's application context (for texts and settings) but no request, so that the event
loop can render for every subscribed phone.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import Any

from referee.core.aids import has_aid
from referee.core.match import Match, PlayerView
from referee.core.moves import Seat
from referee.presentation.views import Localizer, ending_news
from web.pages.archive import bgstats
from web.pages.device import Device
from web.pages.news_items import (
    decisive_move,
    ending_entry,
    follows,
    is_repaired,
    is_settled,
    latest_answers,
    new_answers,
    next_answer,
    spoken_to,
)
from web.pages.play import corrections, guide, question_sheets
from web.pages.play.corrections import Correction
from web.pages.play.drafts import MoveDraft
from web.pages.play.form_parts import Action, Case, complete, fields_in, inputs
from web.pages.play.forms import Forms
from web.pages.play.join import free_seats, invitations
from web.pages.rendering import and_list, game_macros, no_break, render_regions, say
from web.pages.rules import missing, passage_now
from web.pages.screens import stage
from web.pages.table_context import table_context
from web.request_context import desks, service
from web.service import questions
from web.service.live_table import LiveTable
from web.service.move_entries import check_move
from web.wire.errors import ApiError
from web.wire.json_bytes import json_bytes
from web.wire.parsing import move_in

Context = dict[str, Any]

FOLDS = ("table", "history", "repair")  # rendered when the page is first loaded, and when one is opened
TAPPED = ("question", "problem", "todo", "decision", "rules")  # regions that depend on the query string


def context(
    table: LiveTable, match: Match, seat: Seat, localizer: Localizer, device: Device, problem: Any = None
) -> Context:
    """The template context of a seat's page, from one snapshot of the match."""
    seen = match.seen_by(seat, table.public(match))
    looked = table_context(table, seen, localizer)
    own = localizer.speaking_to(seat)
    news, handed = looked["news"], looked["view"]["me"]["keys"]
    question_part = question_sheets.questions_context(table, match, seen, seat, localizer, news, device.args)
    turned = corrections.turned_over(table, match, seat, localizer, device.args)
    offered = looked["view"]["me"]["choices"]
    is_checked = "check" in device.args and not problem
    decision = _decision(table, match, seen, offered, localizer, device, is_checked)
    question, action = question_part["question"], decision["action"]
    choosing = bool(seen.choices)
    asking = question or question_part["lost"] or (turned and turned["asked"] and not turned["mine"])
    is_inside = action and len(decision["actions"]) > 1 and not decision["unasked"]
    answers = _answers(news, device) if device.is_live or not (problem or question) else []
    own_words = partial(spoken_to, seen=seen, localizer=own)
    latest, tells = looked["latest"], is_settled(looked["latest"]) or not looked["view"]["me"]["todo"]
    return {
        **looked,
        "localizer": own,
        "latest": own_words(latest) if tells else latest,
        **question_part,
        **decision,
        "problem": problem,
        "seat": seat,
        "number": localizer.number(seat),
        "mine": question["asked"] if question else choosing,
        "asking": asking,
        "inside": bool(decision["correcting"] or decision["echo"] or is_inside),
        "put_right_now": any(item.kind == "restated" for item in latest),
        "tells": tells,
        "answers": own_words(answers),
        "follows": lambda answer: [each.text for each in own_words(follows(news, answer))],
        "ended": ending_entry(news),
        "decisive": [item.text for item in own_words(decisive_move(news))],
        "ending": _ending(seen, looked["view"], own),
        "lessons": guide.lessons(seen, localizer, device),
        "all_answers": is_repaired(news, device.since or 0),
        "winners": and_list([localizer.name(won) for won in match.outcome.winners]) if match.outcome else "",
        "absent": and_list([localizer.title(s) for s, name in seen.names.items() if name is None]),
        "game": game_macros(seen.game.id, "phone.html"),
        "turned": turned,
        "bgstats": bgstats.link(table, localizer, desks().finished(table)) if match.outcome else "",
        "keys": invitations(table, handed, localizer),
        "handed": list(handed),
        "holds": len(device.held),
        "awaited": _awaited(seen, own),
        "cached": device.drawings,
        "marks": partial(seen.game.marks, seen.slice) if seen.slice else None,
        "shared": device.is_shared and match.state is not None and not match.outcome,
        "also": free_seats(table, localizer) if device.is_host and match.state is None else [],
        "rules": passage_now(seen, action.type if action else None),
        "missing": missing(seen, localizer),
        "aid": f"/t/{table.code}/s/{seat}/aid" if has_aid(match) else "",
        "has_menu": question_part["may_repair"] and question_sheets.has_menu(match, seat),
    }


def _ending(seen: PlayerView, view: Mapping[str, Any], own: Localizer) -> dict[str, Any] | None:
    """How the game ended, in words to this player."""
    over = ending_news(seen)
    return stage.ending(seen, view, own, over) if over else None


def _awaited(seen: PlayerView, own: Localizer) -> list[str]:
    """What this seat must do next, in the words of its list of instructions."""
    if seen.slice is None or not seen.choices:
        return []
    return [own.of_game(f"todo.{say.key}", say.fields) for say in seen.game.awaited(seen.slice)]


def page_state(ctx: Context) -> Mapping[str, Any]:
    """The page-wide state that is sent to live pages beside the regions."""
    question, code, seat = ctx["question"], ctx["code"], ctx["seat"]
    name = say("page.your_turn") if ctx["mine"] else ctx["localizer"].name(seat)
    return {
        "title": f"{no_break(question['title']) if question else name} · {code}",
        "kind": f"phone seat-page {ctx['view']['status']}",
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
        "repair": bool(ctx["has_menu"]),
    }[name]


def tapped_regions(ctx: Context) -> dict[str, str]:
    """The regions of a page that a tap on one of its links can change; empty ones too."""
    return dict.fromkeys(TAPPED, "") | regions(ctx, TAPPED)


def regions(ctx: Context, among: Collection[str] | None = None) -> dict[str, str]:
    """The non-empty regions of a page, or those among these names; without its folds."""
    view, question = ctx["view"], ctx["question"]
    is_playing = view["status"] == "playing"
    shows_todo = is_playing or ctx["put_right_now"]
    needed = {
        "answer": ctx["answers"] or ctx["all_answers"],
        "guide": ctx["lessons"],
        "question": ctx["asking"],
        "room": ctx["room"] is not None,
        "asked-before": view["asked_before"] and ctx["before"],
        "keys": ctx["keys"],
        "problem": ctx["problem"],
        "latest": shows_todo and ctx["tells"] and ctx["latest"],
        "todo": shows_todo and (view["me"]["todo"] or ctx["turned"]),
        "decision": True,
        "seals": is_playing and any(item.commitment for item in ctx["latest"]),
        "close": ctx["shared"] and not ctx["mine"],
        "aid-fold": ctx["aid"],
        "people": True,
        "before": ctx["before"],
        "hand": is_playing and not question and any(view["me"]["hand"].values()),
        "rules": ctx["rules"],
        "clock": is_playing and ctx["clock_since"],
    }
    there = [name for name, is_there in needed.items() if is_there and (among is None or name in among)]
    return render_regions("seat", there, ctx)


def folds(
    ctx: Context, localizer: Localizer, match: Match, device: Device, names: Iterable[str] = FOLDS
) -> dict[str, str]:
    """Those of these folds that the page has."""
    wanted = [name for name in names if name in FOLDS and _has_fold(ctx, name)]
    if "repair" in wanted:
        ctx = {**ctx, "menu": question_sheets.menu(match, ctx["seat"], localizer, device.args)}
    return render_regions("seat", wanted, ctx)


def _answers(news: list[Any], device: Device) -> list[Any]:
    """The answers to show large, one after the other."""
    if device.is_live:
        return latest_answers(news) if device.since is None else new_answers(news, device.since)
    found = next_answer(news, device.seen)
    return [found] if found else []


# ---- the decision


def _key(choices: list[Any], since: int) -> str:
    """A key that changes with the choices. While it is the same, the page keeps a half-filled form.

    `since` is part of it: equal choices at a later version are new, and an old form would be stale.
    """
    return hashlib.sha256(json_bytes([choices, since])).hexdigest()[:16] if choices else ""


def _decision(
    table: LiveTable,
    match: Match,
    seen: PlayerView,
    choices: list[dict[str, Any]],
    localizer: Localizer,
    device: Device,
    is_checked: bool,
) -> dict[str, Any]:
    """The context of the decision: the list of actions, the cases of one, its form, or its confirmation.
    `choices` are those in the seat's view."""
    seat, since = str(seen.seat), match.changed.get(str(seen.seat), 0)
    correcting = corrections.correction(table, match, seat, device.args) if device.args else None
    actions = actions_of(seen, localizer, correcting, correcting.choices if correcting else choices, device)
    action = _action(actions, device.args.get("do"))
    case = action.case(device.args.get("case")) if action else None
    draft, echo = device.draft, None
    if is_checked and action and case and draft and draft.type == action.type:
        echo = _echo(table, seat, localizer, draft, case, correcting)
    unasked = action is not None and device.args.get("do") != action.type
    return {
        "actions": actions,
        "action": action,
        "unasked": unasked,
        "open": [action] if unasked else actions,
        "case": case,
        "echo": echo,
        "here": address_of(action.type, case, correcting) if action and case else "?",
        "correcting": correcting.n if correcting else None,
        "which": corrections.label_of(match, correcting, localizer) if correcting else "",
        "since": match.version if correcting else since,
        "key": _key(choices, since),
    }


def address_of(type_: str, case: Case, correcting: Correction | None) -> str:
    """The query string of a form on this page."""
    return f"?correct={correcting.n}" if correcting else f"?do={type_}&case={case.number}"


def _echo(
    table: LiveTable,
    seat: Seat,
    localizer: Localizer,
    draft: MoveDraft,
    case: Case,
    correcting: Correction | None,
) -> dict[str, Any] | None:
    """A draft to confirm; None if it is no longer legal, and then the form is shown again."""
    if not complete(case, draft.fields):
        return None
    try:
        check_draft(table, seat, draft, correcting)
    except ApiError:
        return None
    return {
        "rows": list(Forms(localizer).rows(case, draft.fields)),
        "inputs": list(inputs(case, draft.fields)),
        "fields": draft.fields,
        "version": draft.version,
    }


def check_draft(table: LiveTable, seat: Seat, draft: MoveDraft, correcting: Correction | None) -> None:
    """Refuse a draft that is not legal now."""
    if correcting:
        questions.check(service(), table, seat, correcting.body(draft.version, draft.fields))
        return
    version, move = move_in(table.match.game, draft.body())
    check_move(table, seat, move, version)


def actions_of(
    seen: PlayerView,
    localizer: Localizer,
    correcting: Correction | None,
    choices: list[dict[str, Any]],
    device: Device,
) -> list[Action]:
    draft, led = device.draft, device.args.get("do", "")
    filled = {draft.type: draft.fields} if draft else {}
    filled[led] = {**filled.get(led, {}), **fields_in(device.args)}
    faces = seen.game.faces(seen.slice.table) if seen.slice and not correcting else {}
    forms = Forms(localizer, faces, seen.game.places(seen.options), correcting.open if correcting else {})
    return forms.actions(choices, filled)


def _action(actions: list[Action], wanted: str | None) -> Action | None:
    """The action that is asked for; by default the only one, or the only one with anything to fill in."""
    asking = [action for action in actions if action.asks]
    only = next((some[0] for some in (actions, asking) if len(some) == 1), None)
    return next((action for action in actions if action.type == wanted), only)


def case_of(actions: list[Action], type_: str, number: str | None) -> Case | None:
    action = next((action for action in actions if action.type == type_), None)
    return action.case(number) if action else None
