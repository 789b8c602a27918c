"""The record of random games with questions verifies, and changes in it are found."""

import json
from collections.abc import Iterator
from functools import cache, reduce
from itertools import islice
from random import Random
from typing import Any

import pytest

from referee.core.dice import Dice
from referee.core.entries import Answered, Asked, DeskTaken, Entry, Moved, read, write
from referee.core.game import Say
from referee.core.match import Match
from referee.core.moves import canonical
from referee.core.questions import HOST, question
from referee.core.story import story
from referee.fairness.record import MARKS, canonical_texts, checksum, record_of
from referee.fairness.verify import verify
from referee.games import GAMES
from referee.presentation.words import LANGUAGES, words
from referee.program.simulate import opened, steps
from tests.support.soak import games

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
BYTES = b' !"#0123456789:,.[]{}aAbBeEzZ-+_\\'


def written(game: Any, seed: str) -> tuple[Match, list[Entry]]:
    start = opened(game, seed)
    return start, [step.entry for step in steps(start, seed, thorough=True)]


@cache
def texts(game: str, count: int) -> tuple[str, ...]:
    """Records of random games, as files."""
    records = (record_of(*written(GAMES[game], f"archive/{i}")) for i in range(count))
    return tuple(json.dumps(record, ensure_ascii=False) for record in records)


@every_game
def test_every_archive_verifies_as_it_was_written(game: Any) -> None:
    kinds = set[str]()
    for i in games(60):
        start, entries = written(game, f"verifies/{i}")
        kinds |= {entry.kind for entry in entries if isinstance(entry, Asked)}
        record = record_of(start, entries)
        assert verify(json.loads(json.dumps(record))) == []
        assert len(record["entries"]) == len(entries)
    assert kinds == {"undo", "correct", "reissue", "abandon"}


@every_game
def test_every_salt_and_every_secret_is_there(game: Any) -> None:
    start, entries = written(game, "salts")
    record = record_of(start, entries)
    salts = [item["salt"] for item in record["entries"] if "sealed" in item]
    assert salts == [e.salt for e in entries if isinstance(e, Moved | Asked) and e.salt]
    assert all(item["commitment"] for item in record["entries"] if "sealed" in item)


@every_game
def test_what_was_taken_back_or_corrected_stays_and_is_marked(game: Any) -> None:
    seen = set[str]()
    for i in games(20):
        start, entries = written(game, f"verifies/{i}")
        items = record_of(start, entries)["entries"]
        stands = reduce(Match.after, entries, start).made
        moves = [item for item, entry in zip(items, entries, strict=True) if isinstance(entry, Moved)]
        assert sum(item.get("mark") != "taken_back" for item in moves) == len(stands)
        assert sum(item.get("mark") == "corrected" for item in moves) == sum(m.corrected for m in stands)
        seen |= {item["mark"] for item in items if "mark" in item}
    assert seen == {"taken_back", "corrected"}


def taken_back_together(game: Any) -> tuple[Match, list[Entry], list[int]]:
    """The last three of six moves are taken back in one question; the numbers of their entries."""
    start = opened(game, "together")
    made = [step.entry for step in islice(steps(start, "together"), len(start.seats) + 6)]
    match = reduce(Match.after, made, start)
    undo = question(match, HOST, "undo", {"n": match.made[-3].n}, match.version)
    stop = question(match, HOST, "abandon", {"show": True}, match.version)
    agreed = [Answered(seat, True) for seat in undo.of]
    return start, [*made, undo, *agreed, stop, *agreed], [len(made) - 2, len(made) - 1, len(made)]


@every_game
def test_a_move_and_all_since_are_marked_each(game: Any) -> None:
    start, entries, past = taken_back_together(game)
    record = record_of(start, entries)
    assert [item["n"] for item in record["entries"] if item.get("mark") == "taken_back"] == past
    told = story(start, entries).steps()
    assert [step.match.entries for step in told if step.line.became == "taken_back"] == past
    assert verify(json.loads(json.dumps(record))) == []
    for n in past:
        items = [
            {name: item[name] for name in item if item["n"] != n or name != "mark"}
            for item in record["entries"]
        ]
        assert Say("verify.entry", {"n": n}) in verify({**record, "entries": items})


@every_game
def test_a_journal_in_which_moves_were_taken_back_together_is_read_as_it_was_written(game: Any) -> None:
    start, entries, past = taken_back_together(game)
    end = reduce(Match.after, entries, start)
    assert reduce(Match.after, map(read, map(write, entries)), start) == end
    assert [made.throw for made in end.made] == list(range(len(start.seats) + 1, past[0]))


@every_game
def test_a_mark_that_was_changed_is_found(game: Any) -> None:
    start, entries = next(
        (start, entries)
        for start, entries in (written(game, f"verifies/{i}") for i in range(60))
        if any("mark" in item for item in record_of(start, entries)["entries"])
    )
    record = record_of(start, entries)
    marked = next(item for item in record["entries"] if "mark" in item)
    for mark in ("seen", None, *(mark for mark in MARKS if mark != marked["mark"])):
        items = [{**item, "mark": mark} if item is marked else item for item in record["entries"]]
        other = {**record, "entries": items}
        other["checksum"] = checksum({name: other[name] for name in other if name != "checksum"})
        assert verify(other) == [Say("verify.entry", {"n": marked["n"]})]


@every_game
def test_a_desk_that_leaves_is_in_the_record(game: Any) -> None:
    """Late, because all that comes after has other numbers now, and questions name moves by theirs."""
    start, entries = written(game, "desk")
    record = record_of(start, [*entries[:-1], DeskTaken(), *entries[-1:]])
    assert verify(record) == []
    assert record["entries"][-2]["type"] == "taken"


@every_game
def test_an_abandoned_game_verifies(game: Any) -> None:
    for show in (False, True):
        start, entries = written(game, f"abandoned/{show}")
        entries, match = entries[: len(start.seats)], start
        for entry in entries:
            match = match.after(entry)
        asked = question(match, match.seats[0], "abandon", {"show": show}, match.version)
        record = record_of(start, [*entries, asked, *(Answered(seat, True) for seat in asked.of)])
        assert verify(record) == []
        assert (record["outcome"]["debrief"] is not None) == show


# ---- what was changed is found


def changes(text: str, dice: Random, count: int) -> Iterator[str]:
    """The text with one byte replaced, so that it still reads, as something else."""
    data, was = text.encode(), canonical(json.loads(text))
    while count:
        changed = bytearray(data)
        changed[dice.randrange(len(data))] = dice.choice(BYTES)
        try:
            other = json.loads(changed.decode())
        except ValueError:  # it no longer reads: draw another
            continue
        if canonical(other) != was:
            count -= 1
            yield changed.decode()


@every_game
def test_a_single_changed_byte_is_found_and_named(game: Any) -> None:
    dice = Random("bytes")
    for text in texts(game.id, 4):
        for changed in changes(text, dice, 60):
            wrong = verify(json.loads(changed))
            assert wrong, changed
            for language in LANGUAGES:
                assert all(words(language).say(say.key, say.fields) for say in wrong)


@every_game
def test_a_changed_entry_is_named_by_its_number(game: Any) -> None:
    record = json.loads(texts(game.id, 1)[0])
    for n, item in enumerate(record["entries"], 1):
        other = {**record, "entries": [*record["entries"]]}
        other["entries"][n - 1] = {**item, "seat": "nobody"}
        assert {"n": n} in [dict(say.fields) for say in verify(other)]


@every_game
def test_a_changed_secret_no_longer_opens_its_commitment(game: Any) -> None:
    record = json.loads(texts(game.id, 1)[0])
    sealed = next(item for item in record["entries"] if "sealed" in item)
    for part, value in (("salt", "00" * 32), ("sealed", {**sealed["sealed"], "fields": {}})):
        other = json.loads(json.dumps(record))
        other["entries"][sealed["n"] - 1][part] = value
        assert ("verify.commitment", {"n": sealed["n"]}) in [(s.key, s.fields) for s in verify(other)]


@every_game
def test_another_end_is_found_even_with_a_checksum_made_anew(game: Any) -> None:
    start, seed = opened(game, "end"), "end"
    entries = [step.entry for step in steps(start, seed)]
    record = record_of(start, entries)
    shorter = record_of(start, entries[:-1])
    forged = {**shorter, "outcome": record["outcome"]}
    assert "verify.outcome" in [say.key for say in verify(forged)]


STRANGE: tuple[Any, ...] = (None, 1, "", [], {}, {"entries": 1}, {"checksum": ""}, [[]], True)


@pytest.mark.parametrize("record", STRANGE, ids=repr)
def test_what_is_no_record_is_said_to_be_none(record: Any) -> None:
    assert "verify.unreadable" in [say.key for say in verify(record)]


@every_game
def test_missing_and_strange_parts_are_found(game: Any) -> None:
    record = json.loads(texts(game.id, 1)[0])
    dice = Dice("strange")
    for name in record:
        assert verify({key: value for key, value in record.items() if key != name})
        for strange in (*STRANGE, dice.pick(("x", -1, 0.5))):
            if canonical(strange) != canonical(record[name]):
                assert verify({**record, name: strange}), name


@every_game
def test_the_text_of_a_record_entry_by_entry_is_that_of_the_whole(game: Any) -> None:
    record = record_of(*written(game, "texts/0"))
    for some in (record, {**record, "entries": []}, {}, {"entries": [1, [], {}], "é": [None]}):
        assert "".join(canonical_texts(some)) == canonical(some)
