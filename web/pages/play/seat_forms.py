"""Handles the forms of a seat's page: a move, a draft to confirm, a question or an answer.

Runs in the event loop. Every form ends in `TableService.enter`, like an API request.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flask import Flask

from referee.core.match import Match
from referee.core.moves import Seat
from web.pages.device import Device
from web.pages.play import corrections, question_forms
from web.pages.play.corrections import Correction
from web.pages.play.drafts import MoveDraft
from web.pages.play.form_parts import Case, complete, fields_in, implied_by_secrets
from web.pages.play.question_forms import form_version
from web.pages.play.seat import Rejected
from web.pages.play.seat_regions import actions_of, address_of, case_of, check_draft
from web.pages.rendering import in_language, localizer_of, problem, say
from web.pages.rules import passage_of
from web.security.caller import Caller
from web.service import questions
from web.service.idempotency import KeyReused, form_retry
from web.service.live_table import LiveTable
from web.service.tables import TableService
from web.wire.errors import ApiError

QUESTIONS = {"ask", "accept", "again"}  # names of the buttons that ask or answer


class NotDone(Exception):
    """A form was refused. Its page is rendered again with what was picked."""

    def __init__(self, rejected: Rejected) -> None:
        super().__init__(rejected.status)
        self.rejected = rejected


class SeatForms:
    """Processes the forms of seat pages."""

    def __init__(self, service: TableService, app: Flask) -> None:
        self._service, self._app = service, app

    async def send(
        self,
        table: LiveTable,
        seat: Seat,
        who: Caller,
        language: str,
        form: Mapping[str, str],
        args: Mapping[str, str],
    ) -> tuple[str, MoveDraft] | None:
        """Process a form. If it has to be confirmed first, return the query string for that and the draft."""
        draft = None
        try:
            if QUESTIONS & form.keys():
                await question_forms.send(self._service, table, who, language, form)
                return None
            draft = MoveDraft(form.get("type", "")[:40], form_version(form), fields_in(form))
            with in_language(self._app, language):
                correcting = corrections.correction(table, table.match, seat, args) if args else None
                if "check" in form:
                    return _to_be_checked(table, seat, draft, correcting, args)
            draft = replace(draft, fields=_whole(table.match, seat, draft, correcting))
            await self._play(table, who, draft, correcting, language, form.get("nonce", ""))
        except ApiError as refusal:
            with in_language(self._app, language):
                raise NotDone(_rejected(table, seat, draft, refusal, args)) from refusal
        return None

    async def _play(
        self,
        table: LiveTable,
        who: Caller,
        draft: MoveDraft,
        correcting: Correction | None,
        language: str,
        nonce: str,
    ) -> None:
        """Make the move of a draft, or ask for the correction."""
        body = correcting.body(draft.version, draft.fields) if correcting else draft.body()
        retry = form_retry(table.code, draft.version, body, nonce)
        if correcting:
            await questions.ask(self._service, table.code, body, who, language, retry)
        else:
            await self._service.move(table.code, body, who, language, retry)


def _whole(match: Match, seat: Seat, draft: MoveDraft, correcting: Correction | None) -> dict[str, Any]:
    """The picked fields together with those they imply."""
    own = (choice for choice in match.choices.get(seat, ()) if choice.type == draft.type)
    choices = correcting.choices if correcting else [choice.wire() for choice in own]
    implied = implied_by_secrets([c["fields"] for c in choices if c["type"] == draft.type])
    return Case.with_implied(implied, draft.fields)


def _to_be_checked(
    table: LiveTable, seat: Seat, draft: MoveDraft, correcting: Correction | None, args: Mapping[str, str]
) -> tuple[str, MoveDraft]:
    """Check a secret that has to be confirmed; return the query string of that page, and the draft."""
    case = _case(table, seat, draft, correcting, args)
    if case is None or not complete(case, case.whole(draft.fields)):
        raise ApiError("malformed", {"what": "fields"})
    draft = replace(draft, fields=case.whole(draft.fields))
    check_draft(table, seat, draft, correcting)
    return f"{address_of(draft.type, case, correcting)}&check=1", draft


def _case(
    table: LiveTable, seat: Seat, draft: MoveDraft, correcting: Correction | None, args: Mapping[str, str]
) -> Case | None:
    seen = table.seen(seat)
    choices = correcting.choices if correcting else [choice.wire() for choice in seen.choices]
    actions = actions_of(seen, localizer_of(seen), correcting, choices, Device(args=args, draft=draft))
    return case_of(actions, draft.type, args.get("case"))


def _rejected(
    table: LiveTable, seat: Seat, draft: MoveDraft | None, refused: ApiError, args: Mapping[str, str]
) -> Rejected:
    """The error of a refused form: a field that was left out, an outdated form, or the rule."""
    if draft is None:
        return Rejected(None, problem(refused), refused.status)
    correcting = corrections.correction(table, table.match, seat, args) if args else None
    case = _case(table, seat, draft, correcting, args)
    if case and not complete(case, case.whole(draft.fields)):
        return Rejected(draft, {"detail": say("page.incomplete")}, 422)
    # The form was sent before with another choice, which was accepted: this one is outdated.
    refusal = ApiError("stale") if isinstance(refused, KeyReused) else refused
    told = {**problem(refusal), "rule": passage_of(refusal, table.seen(seat), draft.type)}
    return Rejected(draft, told, refusal.status)
