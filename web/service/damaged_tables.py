"""Refuses a table whose journal is damaged, with a sentence that names the row and the way out."""

import logging

from referee.core.game import Say
from web.service.live_table import LiveTable
from web.store import DamagedJournal, Store
from web.store.journal_rows import JournalRow
from web.wire.errors import ApiError

log = logging.getLogger("referee")


def damaged(error: DamagedJournal) -> ApiError:
    """The refusal of a damaged table. Other tables are not affected."""
    log.error(
        "%s; to bring it back, stop the referee and run: referee restore FILE --table %s", error, error.code
    )
    about = {"code": error.code, "n": error.n}
    return ApiError("broken", why=Say("refusal.damaged.detail", about), title="refusal.damaged")


def read_journal(store: Store, code: str) -> list[JournalRow]:
    """The rows of a journal, or the refusal of a damaged one."""
    try:
        return store.journal(code)
    except DamagedJournal as error:
        raise damaged(error) from error


def has_less(store: Store, table: LiveTable, version: int, head: str = "") -> bool:
    """Whether somebody who saw this version, with this head, saw more than the journal has: its end was
    cut off, or it went on differently."""
    match = table.match
    if version > match.version:
        return True
    if not version or not head:
        return False
    desk_entries = match.entries - match.version
    return not store.has_head(table.code, version, version + desk_entries, head)
