"""Row types of the store, and every SQL statement that changes tables, seats, journals, jobs and presets."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

Change = tuple[str, tuple[Any, ...]]

ANSWER = (
    "INSERT INTO answers (scope, key, body, n, answer)"
    " VALUES (?,?,?, (SELECT coalesce(max(n), 0) + 1 FROM answers),"
)
EACH_TOKENS = 20  # answers stored per token: a retry comes within minutes
ALL_ANSWERS = 5_000  # answers stored for all tokens
RANDOM = "lower(hex(randomblob(16)))"  # SQL: a ticket that nobody knows
CHECKSUM = 16  # hexadecimal digits of a row's checksum


@dataclass(frozen=True)
class TableRow:
    """A table as it was opened. `host` is the hash of the host's token, `ticket` the host's return ticket.

    `root` is the last seed of a row of rematches, `rematches` how many of them are left after this table.
    Both go over to the rematch when it is opened.
    `before` says of which table this is the rematch: see `referee.fairness.commitments.genesis`.
    `key` is the key of the table's own QR code, until the game begins; `key_hash` stays.
    `checksum` is that of what never changes, as `opening_checksum` computes it.
    """

    code: str
    game: str
    rules: int
    options: dict[str, Any]
    seed: str = field(repr=False)
    host: str
    desk: str | None
    opened: str
    ticket: str = field(repr=False)
    root: str = field(repr=False)
    rematches: int
    before: Mapping[str, str] | None = None
    finished: str | None = None
    outcome: dict[str, Any] | None = None
    next: str | None = None  # the table of the rematch
    is_demo: bool = False  # opened with bots: not in history or statistics
    checksum: str = ""
    key: str | None = field(default=None, repr=False)
    key_hash: str = ""


@dataclass(frozen=True)
class SeatRow:
    """A seat: its key until somebody takes it, then the hash of that person's token.

    `ticket` is its return ticket, valid while somebody holds the seat. `asker` is who asked for a new key
    and may see it.
    """

    seat: str
    key: str | None = field(repr=False)
    key_hash: str
    token: str | None
    salt: str = field(repr=False)
    ticket: str = field(repr=False)
    asker: str | None = None
    is_bot: bool = False  # until somebody takes the seat over


@dataclass(frozen=True)
class TableNotes:
    """What the host notes about a table: its name, and whether its pages show how long the turn takes."""

    name: str = ""
    has_clock: bool = False


@dataclass(frozen=True)
class JobRow:
    """A print job: waiting until it is printed; `reason` says what it waits for.

    Join slips with reissued keys are for `asker`, the seat (or the host) that asked for these keys.
    """

    job: int
    desk: str
    code: str
    what: str
    state: str
    reason: str
    asker: str | None = None


def row_checksum(code: str, n: int, at: str, line: str, head: str) -> str:
    """The checksum of a whole row of the journal."""
    whole = "\n".join((code, str(n), at, head, line)).encode(errors="surrogatepass")
    return sha256(whole).hexdigest()[:CHECKSUM]


def opening_checksum(row: TableRow) -> str:
    """The checksum of what a table was opened with. The chain covers most of that too, but is compared only
    where the rules of that time are still in force; which rules these were is part of it."""
    opened = (row.code, row.game, row.rules, row.options, row.seed, row.opened, row.before)
    return sha256(json.dumps(opened).encode()).hexdigest()[:CHECKSUM]


def table_opened(row: TableRow) -> Change:
    return (
        "INSERT INTO tables (code, game, rules, options, seed, host, desk, opened, ticket, root,"
        " rematches, before, checksum, key, key_hash) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (
            *(row.code, row.game, row.rules, json.dumps(row.options)),
            *(row.seed, row.host, row.desk, row.opened, row.ticket, row.root, row.rematches),
            row.before and json.dumps(dict(row.before)),
            *(opening_checksum(row), row.key, row.key_hash),
        ),
    )


def seat_added(code: str, seat: SeatRow) -> Change:
    return (
        "INSERT INTO seats (code, seat, key, key_hash, token, salt, ticket) VALUES (?,?,?,?,?,?,?)",
        (code, seat.seat, seat.key, seat.key_hash, seat.token, seat.salt, seat.ticket),
    )


def bot_added(code: str, seat: SeatRow) -> Change:
    return ("INSERT INTO bots (code, seat, token) VALUES (?,?,?)", (code, seat.seat, seat.token))


def seat_taken(code: str, seat: SeatRow) -> Change:
    return (
        "UPDATE seats SET key = NULL, token = ?, asker = NULL WHERE code = ? AND seat = ?",
        (seat.token, code, seat.seat),
    )


def table_key_spent(code: str) -> Change:
    """The game has begun: the key of the table's QR code is valid no longer."""
    return ("UPDATE tables SET key = NULL WHERE code = ?", (code,))


def seat_reissued(code: str, seat: SeatRow) -> Change:
    return (
        "UPDATE seats SET key = ?, key_hash = ?, token = NULL, salt = ?, ticket = ?, asker = ?"
        " WHERE code = ? AND seat = ?",
        (seat.key, seat.key_hash, seat.salt, seat.ticket, seat.asker, code, seat.seat),
    )


def token_replaced(old: str, new: str) -> tuple[Change, ...]:
    """Replace the hash of a token at every table. The return tickets of the old one are no longer valid."""
    return (
        (f"UPDATE seats SET token = ?, ticket = {RANDOM} WHERE token = ?", (new, old)),
        (f"UPDATE tables SET host = ?, ticket = {RANDOM} WHERE host = ?", (new, old)),
    )


def seat_returned(code: str, seat: SeatRow) -> Change:
    """The return ticket of a seat that is valid from now on."""
    return ("UPDATE seats SET ticket = ? WHERE code = ? AND seat = ?", (seat.ticket, code, seat.seat))


def host_returned(row: TableRow) -> Change:
    """The same for the host."""
    return ("UPDATE tables SET ticket = ? WHERE code = ?", (row.ticket, row.code))


def answers_dropped(token: str) -> Change:
    """Delete the stored answers of a token that is no longer valid."""
    return ("DELETE FROM answers WHERE scope = ?", (token,))


def rematch_opened(code: str, next_: str) -> Change:
    """A rematch takes over the seeds that are left: no other rematch of this table can have the same one."""
    return ("UPDATE tables SET next = ?, root = '', rematches = 0 WHERE code = ?", (next_, code))


def seeds_returned(code: str, root: str, rematches: int) -> Change:
    """The rematch was closed unplayed, and nobody saw its seed: the next rematch has the same one."""
    return ("UPDATE tables SET root = ?, rematches = ? WHERE code = ?", (root, rematches, code))


def entry_written(code: str, n: int, at: str, line: str, head: str) -> Change:
    """A row of the journal: an entry, the head of the chain after it, and the checksum of the row."""
    return (
        "INSERT INTO journal (code, n, at, line, head, checksum) VALUES (?,?,?,?,?,?)",
        (code, n, at, line, head, row_checksum(code, n, at, line, head)),
    )


def entry_rewritten(code: str, n: int, at: str, line: str, head: str) -> Change:
    """The same row with another line, from which a name was deleted. The chain does not cover names."""
    return (
        "UPDATE journal SET line = ?, checksum = ? WHERE code = ? AND n = ?",
        (line, row_checksum(code, n, at, line, head), code, n),
    )


def table_finished(code: str, at: str, outcome: dict[str, Any]) -> Change:
    return ("UPDATE tables SET finished = ?, outcome = ? WHERE code = ?", (at, json.dumps(outcome), code))


def table_reopened(code: str) -> Change:
    """Undo the end of a game after a correction."""
    return ("UPDATE tables SET finished = NULL, outcome = NULL, next = NULL WHERE code = ?", (code,))


def sheets_void(code: str) -> Change:
    """Withdraw an unprinted sheet of a game that is no longer over."""
    return ("UPDATE jobs SET state = 'void' WHERE code = ? AND what = 'sheet' AND state = 'waiting'", (code,))


def outcome_amended(code: str, outcome: dict[str, Any]) -> Change:
    return ("UPDATE tables SET outcome = ? WHERE code = ?", (json.dumps(outcome), code))


def rematch_closed(code: str, at: str, outcome: dict[str, Any], back: str) -> Change:
    """Close an unplayed rematch: `next` leads back to the reopened game, and the desk is released."""
    return (
        "UPDATE tables SET finished = ?, outcome = ?, next = ?, desk = NULL WHERE code = ?",
        (at, json.dumps(outcome), back, code),
    )


def answer_given(scope: str, key: str, body: str, answer: dict[str, Any]) -> Change:
    return (f"{ANSWER} ?)", (scope, key, body, json.dumps(answer)))


def job_answered(scope: str, key: str, body: str) -> Change:
    """Store the answer to a print request. Must directly follow the statement that adds the job."""
    return (f"{ANSWER} json_object('job', last_insert_rowid()))", (scope, key, body))


def early_answers_dropped(token: str) -> Change:
    """Delete all but the latest answers of a token: a long game would store thousands."""
    return (  # `+n` prevents the index on n: only the rows of this token are scanned
        "DELETE FROM answers WHERE scope = ?1 AND +n <="
        " (SELECT n FROM answers WHERE scope = ?1 ORDER BY +n DESC LIMIT 1 OFFSET ?2)",
        (token, EACH_TOKENS),
    )


def old_answers_dropped() -> Change:
    """Delete all but the latest answers of all tokens: tokens of finished tables are not used again."""
    return (
        "DELETE FROM answers WHERE n <= (SELECT n FROM answers ORDER BY n DESC LIMIT 1 OFFSET ?)",
        (ALL_ANSWERS,),
    )


def job_added(desk: str, code: str, what: str, at: str, asker: str | None = None) -> Change:
    return (
        "INSERT INTO jobs (desk, code, what, at, asker) VALUES (?,?,?,?,?)",
        (desk, code, what, at, asker),
    )


def job_changed(job: int, state: str, reason: str) -> Change:
    return ("UPDATE jobs SET state = ?, reason = ? WHERE job = ?", (state, reason, job))


def sound_chosen(desk: str, sound: str) -> Change:
    return ("INSERT OR REPLACE INTO desks (desk, sound) VALUES (?,?)", (desk, sound))


def table_kept(code: str, at: str) -> Change:
    return ("INSERT OR REPLACE INTO kept_tables (code, at) VALUES (?,?)", (code, at))


def table_noted(code: str, notes: TableNotes) -> Change:
    return (
        "INSERT OR REPLACE INTO table_notes (code, name, clock) VALUES (?,?,?)",
        (code, notes.name, notes.has_clock),
    )


def preset_saved(game: str, option: str, name: str, value: Any) -> Change:
    return (
        "INSERT OR REPLACE INTO presets (game, option, name, value) VALUES (?,?,?,?)",
        (game, option, name, json.dumps(value)),
    )


def preset_deleted(game: str, option: str, name: str) -> Change:
    return ("DELETE FROM presets WHERE game = ? AND option = ? AND name = ?", (game, option, name))
