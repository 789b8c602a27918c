"""Very long games, written directly into the journals of a stopped server."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import islice

from referee.core.dice import Dice
from referee.core.entries import Answered, Asked, Entry, Moved, read, write
from referee.core.match import Match, reopen_match
from referee.core.moves import random_move
from referee.core.questions import HOST
from referee.games import GAMES
from referee.presentation.views import outcome_item
from tests.support.web.journal import journal, rows
from tests.support.web.server_process import Running
from web.service.move_entries import entry_of
from web.store.statements import entry_written, table_finished

AT = "2026-01-01T20:00:00+00:00"
TRIES = 30  # random moves of which one at least does not end the game, or we go back
BACK = 40  # moves


def lengthen(server: Running, code: str, entries: int, is_over: bool = False) -> None:
    """Let people play on at a table where all sit, until there are so many entries; then end it, or not."""
    match = standing(server, code)
    before = match.entries
    lines = [*islice(played_on(match, code), entries - before)]
    if is_over:
        yes = [Answered(seat, True) for seat in match.seats]
        lines += [Asked(HOST, "abandon", match.seats, {"show": True}), *yes]
    with closing(sqlite3.connect(server.data / "referee.db")) as db, db:
        for entry in lines:
            match = match.after(entry)
            db.execute(*entry_written(code, match.entries, AT, write(entry), match.head))
        if is_over:
            seen = match.seen_by()
            assert seen.outcome
            db.execute(*table_finished(code, AT, outcome_item(seen.outcome, seen.debrief)))


def standing(server: Running, code: str) -> Match:
    [(game, rules, options, seed)] = rows(
        server, "SELECT game, rules, options, seed FROM tables WHERE code = ?", code
    )
    match = reopen_match(code, GAMES[game], rules, json.loads(options), seed)
    for line in journal(server, code):
        match = match.after(read(line))
    return match


def played_on(match: Match, dice: str) -> Iterator[Entry]:
    """Random moves that never end the game: from where only an end is left, we go back and try anew."""
    chance, past = Dice(dice), [match]
    made: list[Moved] = []
    while True:
        found = next(filter(None, (_moved(past[-1], chance) for _ in range(TRIES))), None)
        if found is None:
            keep = max(1, len(past) - BACK)
            past, made = past[:keep], made[: keep - 1]
            continue
        made.append(found[0])
        past.append(found[1])
        if len(past) > 2 * BACK:  # too far back to come back to
            yield from made[:BACK]
            past, made = past[BACK:], made[BACK:]


def _moved(match: Match, dice: Dice) -> tuple[Moved, Match] | None:
    seat = dice.pick([seat for seat, choices in match.choices.items() if choices])
    entry = entry_of(match, seat, random_move(match.choices[seat], dice))
    after = match.after(entry)
    return None if after.outcome else (entry, after)
