"""Records that somebody has tampered with: every key and every value of the file changed, or single bytes."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from referee.core.entries import Answered, Entry
from referee.core.game import Say
from referee.core.moves import canonical
from referee.core.questions import question
from referee.fairness.record import FORMAT, record_of
from referee.games import GAMES
from referee.program.simulate import opened, steps

TOKEN = re.compile(r'"(?:[^"\\]|\\.)+"|-?\d+|true|false|null')
OTHERS = {"true": "false", "false": "true", "null": "0"}
BYTES = ' !"#0123456789:,.[]{}aAbBeEfzZ-+_\\'
MOVES = 6  # in a short game, before it is abandoned with all hands shown


@dataclass(frozen=True)
class Edit:
    """What stands from `start` to `end` in the text of a record, replaced."""

    start: int
    end: int
    text: str

    def of(self, whole: str) -> str:
        return whole[: self.start] + self.text + whole[self.end :]


def short_game(game: str) -> list[Entry]:
    """Some moves, then all agree to stop and show everything."""
    match = opened(GAMES[game], "tampered")
    entries = list[Entry]()
    for step in steps(match, "tampered"):
        if len(entries) == len(match.seats) + MOVES or step.match.outcome:
            break
        match = step.match
        entries.append(step.entry)
    asked = question(match, match.seats[0], "abandon", {"show": True}, match.version)
    return [*entries, asked, *(Answered(seat, True) for seat in asked.of)]


@cache
def record_text(game: str) -> str:
    """The record of a short game, as a file."""
    record = record_of(opened(GAMES[game], "tampered"), short_game(game))
    return json.dumps(record, ensure_ascii=False)


def every_leaf(text: str) -> Iterator[Edit]:
    """Each key and each value changed: a string or a number in one character, a word into another."""
    for found in TOKEN.finditer(text):
        token, at = found[0], found.end() - 2
        if token in OTHERS:
            yield Edit(found.start(), found.end(), OTHERS[token])
        elif token.startswith('"'):
            yield Edit(at, at + 1, "0" if text[at] != "0" else "1")
        else:
            yield Edit(at + 1, at + 2, str((int(token[-1]) + 1) % 10))


def any_bytes(text: str, count: int) -> Iterator[Edit]:
    """Single characters, anywhere, replaced by others."""
    dice = Random(f"bytes of {text}")
    for _ in range(count):
        at = dice.randrange(len(text))
        yield Edit(at, at + 1, dice.choice([c for c in BYTES if c != text[at]]))


def every_byte(text: str) -> Iterator[Edit]:
    dice = Random("every byte")
    yield from (Edit(at, at + 1, dice.choice([c for c in BYTES if c != text[at]])) for at in range(len(text)))


def parsed(text: str) -> Any:
    """What a text holds; None where it is no JSON any more."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def is_same(one: Any, other: Any) -> bool:
    """Whether two texts hold the same record: white space, and how a character is written, say nothing."""
    return one is not None and canonical(one) == canonical(other)


def entry_at(text: str, edit: Edit) -> int | None:
    """The number of the entry that an edit is in."""
    end = text.index('"entries"')
    for item in json.loads(text)["entries"]:
        start = text.index(written := json.dumps(item, ensure_ascii=False), end)
        end = start + len(written)
        if start < edit.start < end - 1:
            return int(item["n"])
    return None


def _cut(record: dict[str, Any]) -> None:
    """The last line is gone, as if it had never been."""
    record["entries"].pop()
    record.update(head=record["entries"][-1]["head"], outcome=None)


def _seat(record: dict[str, Any]) -> str:
    return str(next(iter(record["names"])))


FORMS: dict[str, tuple[Callable[[dict[str, Any]], object], Say]] = {
    "another format": (lambda r: r.update(format=FORMAT + 1), Say("verify.format")),
    "an earlier format": (lambda r: r.update(format=FORMAT - 1), Say("verify.format")),
    "a format that is true": (lambda r: r.update(format=True), Say("verify.format")),
    "no format": (lambda r: r.pop("format"), Say("verify.format")),
    "one part more": (lambda r: r.update(note="cheated"), Say("verify.unknown", {"name": "note"})),
    "a name that is a number": (lambda r: r["names"].update({_seat(r): 5}), Say("verify.names")),
    "no name": (lambda r: r["names"].update({_seat(r): None}), Say("verify.names")),
    "one name more": (lambda r: r["names"].update(nobody="Eve"), Say("verify.names")),
    "one name less": (lambda r: r["names"].pop(_seat(r)), Say("verify.names")),
    "an end cut off": (_cut, Say("verify.unfinished")),
    "another winner": (lambda r: r["outcome"].update(winners=[_seat(r)]), Say("verify.outcome")),
}
