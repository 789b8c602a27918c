"""Golden playthroughs: one recorded game each, as text that shows what every seat saw at each step.

The parts of the public table stand there when they change; what a seat holds and may do, at every step.
A test compares the recorded text with what the game does now. After a change that was meant, look at the
difference of `python -m tests.referee.golden` with git, and commit it with the change.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from referee.game import Game
from referee.games import GAMES
from referee.match import Match, Seen
from referee.moves import Arrange, Choice
from referee.papers import score_sheet
from referee.record import Joined, Moved, write
from referee.sheets import Line, Picture, lay_out
from referee.simulate import Step, opened, steps
from referee.views import view
from referee.words import DEFAULT, words

FOLDER = Path(__file__).parent / "golden"
OPTIONS: dict[str, Any] = {}  # a table as it is when nobody settles anything


def path(game: Game[Any, Any]) -> Path:
    return FOLDER / f"{game.id}.txt"


def seed_of(text: str) -> str:
    """The seed that a recorded playthrough names in its first line."""
    found = re.match(r".* · seed (\S+)\n", text)
    if not found:
        raise ValueError("the first line of a playthrough names its seed")
    return found[1]


def best_seed(game: Game[Any, Any], tries: int = 400) -> str:
    """The game to record: the one that shows most, and of those the shortest."""

    def worth(seed: str) -> tuple[int, int]:
        played = list(steps(opened(game, seed, OPTIONS), seed))
        kinds = {game.key(told.news) for step in played for told in step.match.news}
        return len(kinds | moves_in(played)), -len(played)

    return max((f"golden-{i}" for i in range(tries)), key=worth)


def moves_in(played: list[Step]) -> set[str]:
    return {step.entry.move.type for step in played if isinstance(step.entry, Moved)}


def playthrough(game: Game[Any, Any], seed: str) -> str:
    return "\n".join(_lines(game, seed)) + "\n"


def _lines(game: Game[Any, Any], seed: str) -> Iterator[str]:
    match = opened(game, seed, OPTIONS)
    yield f"{game.id} · rules {game.rules} · seed {seed}"
    yield f"options {_json(match.options)}"
    yield from ("", "version 0 · the table is opened", *_shown(match, None))
    for step in steps(match, seed):
        before, match = match, step.match
        yield from ("", f"version {match.version} · {_entry(step)}", *_shown(match, before))
    yield from ("", "outcome", *(f"  {line}" for line in _outcome(match.seen_by())))
    yield from ("", "sheet", *(f"  | {line}".rstrip() for line in _sheet(match.seen_by())))


def _entry(step: Step) -> str:
    """The record's line of this entry; a salt is as good as its first digits here."""
    if isinstance(step.entry, Joined | Moved):
        return re.sub(r"#([0-9a-f]{8})[0-9a-f]+", r"#\1…", write(step.entry))
    return write(step.entry)


def _shown(match: Match, before: Match | None) -> Iterator[str]:
    """What everybody sees now, then what each seat sees besides."""
    public = view(match.seen_by(), words(DEFAULT))
    yield f"  head {match.head[:16]}… · {public['status']} · waiting for {_list(public['waiting_for'])}"
    fresh = {told.n for told in match.news if told.entry == match.entries}
    for item in public["news"]:
        if item["n"] in fresh:
            told = {k: v for k, v in item.items() if k not in ("n", "kind", "text", "commitment")}
            bound = f" commitment {item['commitment'][:8]}…" if "commitment" in item else ""
            yield f"  news {item['n']} {item['kind']} {_json(told)}{bound}"
            yield f"    « {item['text']} »"
    old = _table(before) if before else []
    yield from (line for line in _table(match) if line not in old)
    yield from (f"  todo « {text} »" for text in public["todo"])
    for seat in match.seats:
        yield from _seat(view(match.seen_by(seat), words(DEFAULT))["me"], match.seen_by(seat))


def _table(match: Match) -> list[str]:
    public = view(match.seen_by(), words(DEFAULT))["public"]
    return [line for name, value in public.items() for line in _value(name, value)]


def _value(name: str, value: Any) -> Iterator[str]:
    """A part of the public table; what is told of several sides stands on a line each."""
    if isinstance(value, dict) and value and all(isinstance(each, dict) for each in value.values()):
        yield from (f"  {name} {key} {_json(each)}" for key, each in value.items())
    else:
        yield f"  {name} {_json(value)}"


def _seat(me: dict[str, Any], seen: Seen) -> Iterator[str]:
    yield f"  {seen.seat} holds {_json(me['hand'])}"
    yield from (f"    may {_choice(choice)}" for choice in seen.choices)
    yield from (f"    todo « {text} »" for text in me["todo"])


def _choice(choice: Choice) -> str:
    return " ".join((choice.type, *(_field(field) for field in choice.fields)))


def _field(field: Any) -> str:
    count = f"{field.count} of " if isinstance(field, Arrange) else ""
    return f"{field.name}{'*' if field.secret else ''}={count}{_json(field.options)}"


def _outcome(seen: Seen) -> Iterator[str]:
    for name, value in view(seen, words(DEFAULT))["outcome"].items():
        yield f"{name} {_json(value)}"


def _sheet(seen: Seen) -> Iterator[str]:
    for printed in lay_out(score_sheet(seen, words(DEFAULT), "2026-01-31 20:15"), 32):
        shown = f": {printed.words}" if isinstance(printed, Picture) else ""
        yield printed.text if isinstance(printed, Line) else f"[{type(printed).__name__.lower()}{shown}]"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _list(seats: list[str]) -> str:
    return ", ".join(seats) or "nobody"


def record() -> None:
    """Write the playthrough of every game: the recorded one anew, or the best there is."""
    for game in GAMES.values():
        file = path(game)
        seed = seed_of(file.read_text(encoding="utf-8")) if file.exists() else best_seed(game)
        file.write_text(playthrough(game, seed), encoding="utf-8")


if __name__ == "__main__":
    record()
