"""Handles the forms that ask a question, answer it, or ask it again."""

from collections.abc import Mapping
from typing import Any

from web.security.caller import Caller
from web.service import questions
from web.service.idempotency import form_retry
from web.service.live_table import LiveTable
from web.service.tables import TableService
from web.wire.errors import malformed
from web.wire.parsing import whole


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


def form_version(form: Mapping[str, str]) -> int:
    """The table's version in a form."""
    number = whole(form.get("version", ""))
    if number is None:
        raise malformed("version")
    return number
