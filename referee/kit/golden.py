"""Golden playthroughs: one recorded game each, as text that shows what every seat saw at each step.

The parts of the public table stand there when they change; what a seat holds and may do, at every step.
A test compares the recorded text with what the game does now. After a change that was meant, look at the
difference of `referee record GAME` with git, and commit it with the change.
"""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from referee.core.entries import Joined, Moved, write
from referee.core.game import Game
from referee.core.match import Match, PlayerView
from referee.core.moves import Arrange, Choice, Text
from referee.presentation.game_folders import folders
from referee.presentation.papers import score_sheet
from referee.presentation.sheets import Picture, PrintedLine, lay_out
from referee.presentation.views import view
from referee.presentation.words import DEFAULT, words
from referee.program.simulate import SimulatedMove, opened, steps

TRIES = 400  # games to choose the recorded ones from

Recorded = tuple[str, dict[str, Any]]  # the seed of a playthrough and its options


def paths(game: Game[Any, Any]) -> list[Path]:
    """The playthroughs of a game: one, or several where no single one shows all there is."""
    return sorted(folder(game).glob("golden*.txt"))


def folder(game: Game[Any, Any]) -> Path:
    """The folder of a game, where its playthroughs lie beside its code."""
    return Path(str(folders()[game.id]))


def recorded(text: str) -> Recorded:
    """The seed and the options that a recorded playthrough names in its first two lines."""
    found = re.match(r".* · seed (\S+)\noptions (.+)\n", text)
    if not found:
        raise ValueError("the first lines of a playthrough name its seed and its options")
    return found[1], json.loads(found[2])


def best(game: Game[Any, Any]) -> list[Recorded]:
    """The games to record: as few as show every move, each the one that adds most, and then the shortest.

    A table as it is when nobody settles anything comes first; further ones have any options.
    """
    chosen: list[Recorded] = []
    seen: set[str] = set()
    while not chosen or not game.moves.keys() <= seen:
        found = {i: _played(game, f"golden-{i}", {} if not chosen else None) for i in range(TRIES)}
        i = max(found, key=lambda i: (len(shown_in(game, found[i]) - seen), -len(found[i])))
        seen |= shown_in(game, found[i])
        chosen.append((f"golden-{i}", dict(found[i][-1].match.options)))
    return chosen


def _played(game: Game[Any, Any], seed: str, options: dict[str, Any] | None) -> list[SimulatedMove]:
    return list(steps(opened(game, seed, options), seed))


def shown_in(game: Game[Any, Any], played: list[SimulatedMove]) -> set[str]:
    """The types of move and the kinds of news that a game has to show."""
    return {game.key(told.news) for step in played for told in step.match.news} | moves_in(played)


def moves_in(played: list[SimulatedMove]) -> set[str]:
    return {step.entry.move.type for step in played if isinstance(step.entry, Moved)}


def playthrough(game: Game[Any, Any], seed: str, options: dict[str, Any]) -> str:
    return "\n".join(_lines(game, seed, options)) + "\n"


def _lines(game: Game[Any, Any], seed: str, options: dict[str, Any]) -> Iterator[str]:
    match = opened(game, seed, options)
    yield f"{game.id} · rules {game.rules} · seed {seed}"
    yield f"options {_json(match.options)}"
    yield from ("", "version 0 · the table is opened", *_shown(match, None))
    for step in steps(match, seed):
        before, match = match, step.match
        yield from ("", f"version {match.version} · {_entry(step)}", *_shown(match, before))
    yield from ("", "outcome", *(f"  {line}" for line in _outcome(match.seen_by())))
    yield from ("", "sheet", *(f"  | {line}".rstrip() for line in _sheet(match.seen_by())))


def _entry(step: SimulatedMove) -> str:
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


def _seat(me: dict[str, Any], seen: PlayerView) -> Iterator[str]:
    yield f"  {seen.seat} holds {_json(me['hand'])}"
    yield from (f"    may {_choice(choice)}" for choice in seen.choices)
    yield from (f"    todo « {text} »" for text in me["todo"])


def _choice(choice: Choice) -> str:
    return " ".join((choice.type, *(_field(field) for field in choice.fields)))


def _field(field: Any) -> str:
    if isinstance(field, Text):
        return f"{field.name}=text of at most {field.max}"
    count = f"{field.count} of " if isinstance(field, Arrange) else ""
    return f"{field.name}{'*' if field.secret else ''}={count}{_json(field.options)}"


def _outcome(seen: PlayerView) -> Iterator[str]:
    for name, value in view(seen, words(DEFAULT))["outcome"].items():
        yield f"{name} {_json(value)}"


def _sheet(seen: PlayerView) -> Iterator[str]:
    for printed in lay_out(score_sheet(seen, words(DEFAULT), "2026-01-31 20:15"), 32):
        shown = f": {printed.words}" if isinstance(printed, Picture) else ""
        yield (
            printed.text if isinstance(printed, PrintedLine) else f"[{type(printed).__name__.lower()}{shown}]"
        )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _list(seats: list[str]) -> str:
    return ", ".join(seats) or "nobody"


def record(games: Iterable[Game[Any, Any]]) -> None:
    """Write the playthroughs of these games: the recorded ones anew, or the best there are."""
    for game in games:
        files = {file: recorded(file.read_text(encoding="utf-8")) for file in paths(game)}
        for file, (seed, options) in (files or _new_files(game)).items():
            file.write_text(playthrough(game, seed, options), encoding="utf-8")


def _new_files(game: Game[Any, Any]) -> dict[Path, Recorded]:
    files = (f"golden{f'.{n}' if n > 1 else ''}.txt" for n in count(1))
    return {folder(game) / name: one for name, one in zip(files, best(game), strict=False)}
