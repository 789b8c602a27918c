"""The forms of a seat's page: a move, a draft to be read once more, a question or an answer.

Runs in the event loop. What a form does goes the one way of every entry: `House.enter`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flask import Flask

from referee.match import Match
from referee.moves import Seat
from web import mending
from web.caller import Caller
from web.house import House
from web.pages import mend
from web.pages.device import Device
from web.pages.drafts import Draft
from web.pages.forms import Case, complete, fields_in, told_apart_by_secrets
from web.pages.mend import Correction, form_version
from web.pages.page import problem, say, speaking, speech
from web.pages.rules import passage_of
from web.pages.seat import Rejected
from web.pages.seat_regions import actions_of, address_of, case_of, check_draft
from web.refusals import Refusal
from web.retries import UsedAgain, form_retry
from web.table import LiveTable

QUESTIONS = {"ask", "accept", "again"}  # the names of the buttons that ask or answer


class NotDone(Exception):
    """A form that was refused; it comes again with what was picked."""

    def __init__(self, rejected: Rejected) -> None:
        super().__init__(rejected.status)
        self.rejected = rejected


class SeatForms:
    """Does what the forms of seat pages say."""

    def __init__(self, house: House, app: Flask) -> None:
        self._house, self._app = house, app

    async def send(
        self,
        table: LiveTable,
        seat: Seat,
        who: Caller,
        language: str,
        form: Mapping[str, str],
        args: Mapping[str, str],
    ) -> tuple[str, Draft] | None:
        """Do what a form says. Where it is to be read once more: the address for that, and the draft."""
        draft = None
        try:
            if QUESTIONS & form.keys():
                await mend.send(self._house, table, who, language, form)
                return None
            draft = Draft(form.get("type", "")[:40], form_version(form), fields_in(form))
            with speaking(self._app, language):
                mended = mend.correction(table, table.match, seat, args) if args else None
                if "check" in form:
                    return _to_be_checked(table, seat, draft, mended, args)
            draft = replace(draft, fields=_whole(table.match, seat, draft, mended))
            await self._play(table, who, draft, mended, language, form.get("nonce", ""))
        except Refusal as refusal:
            with speaking(self._app, language):
                raise NotDone(_rejected(table, seat, draft, refusal, args)) from refusal
        return None

    async def _play(
        self,
        table: LiveTable,
        who: Caller,
        draft: Draft,
        mended: Correction | None,
        language: str,
        nonce: str,
    ) -> None:
        """Make the move of a draft, or ask for the correction that it is."""
        body = mended.body(draft.version, draft.fields) if mended else draft.body()
        retry = form_retry(table.code, draft.version, body, nonce)
        if mended:
            await mending.ask(self._house, table.code, body, who, language, retry)
        else:
            await self._house.move(table.code, body, who, language, retry)


def _whole(match: Match, seat: Seat, draft: Draft, mended: Correction | None) -> dict[str, Any]:
    """What was picked, with what it implies."""
    choices = mended.choices if mended else [choice.wire() for choice in match.choices.get(seat, ())]
    implied = told_apart_by_secrets([c["fields"] for c in choices if c["type"] == draft.type])
    return Case.with_implied(implied, draft.fields)


def _to_be_checked(
    table: LiveTable, seat: Seat, draft: Draft, mended: Correction | None, args: Mapping[str, str]
) -> tuple[str, Draft]:
    """A secret that is to be read once more before it is sealed."""
    case = _case(table, seat, draft, mended, args)
    if case is None or not complete(case, case.whole(draft.fields)):
        raise Refusal("malformed", {"what": "fields"})
    draft = replace(draft, fields=case.whole(draft.fields))
    check_draft(table, seat, draft, mended)
    return f"{address_of(draft.type, case, mended)}&check=1", draft


def _case(
    table: LiveTable, seat: Seat, draft: Draft, mended: Correction | None, args: Mapping[str, str]
) -> Case | None:
    seen = table.seen(seat)
    choices = mended.choices if mended else [choice.wire() for choice in seen.choices]
    actions = actions_of(seen, speech(seen), mended, choices, Device(args=args, draft=draft))
    return case_of(actions, draft.type, args.get("case"))


def _rejected(
    table: LiveTable, seat: Seat, draft: Draft | None, refused: Refusal, args: Mapping[str, str]
) -> Rejected:
    """Why a form was refused, in words: a question that was left open, an old form, or the rule."""
    if draft is None:
        return Rejected(None, problem(refused), refused.status)
    mended = mend.correction(table, table.match, seat, args) if args else None
    case = _case(table, seat, draft, mended, args)
    if case and not complete(case, case.whole(draft.fields)):
        return Rejected(draft, {"detail": say("page.incomplete")}, 422)
    # A form that was sent before with another choice, which was taken, is just old.
    refusal = Refusal("stale") if isinstance(refused, UsedAgain) else refused
    told = {**problem(refusal), "rule": passage_of(refusal, table.seen(seat), draft.type)}
    return Rejected(draft, told, refusal.status)
