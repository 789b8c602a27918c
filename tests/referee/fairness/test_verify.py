"""`referee verify FILE`: what it says of a record, in which language, and how it ends."""

import json
from pathlib import Path
from typing import Any
from unicodedata import category

import pytest

from referee.core.entries import Closed, Joined
from referee.core.game import Say
from referee.core.match import open_match
from referee.fairness.record import record_of
from referee.fairness.verify import read_record, verify
from referee.games.agent_hunter import AGENT_HUNTER
from referee.program.cli import main
from referee.program.simulate import opened, steps


@pytest.fixture
def record() -> dict[str, Any]:
    start = opened(AGENT_HUNTER, "verify")
    return record_of(start, [step.entry for step in steps(start, "verify")])


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("fr_FR.UTF-8", "L’enregistrement de la table RANDM est exact"),
        ("en_GB.UTF-8", "The record of table RANDM is correct"),
        ("C.UTF-8", "L’enregistrement"),
        (None, "L’enregistrement"),
    ],
)
def test_a_record_that_holds(
    record: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    language: str | None,
    sentence: str,
) -> None:
    if language:
        monkeypatch.setenv("LANG", language)
    else:
        monkeypatch.delenv("LANG", raising=False)
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record))
    assert main(["verify", str(file)]) == 0
    assert capsys.readouterr().out.startswith(sentence)


def test_everything_that_does_not_hold_is_named(
    record: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    record["entries"][3]["fields"]["house"] = 77
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record))
    assert main(["verify", str(file)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "The record has been changed since it was written: the checksum doesn’t match.",
        "Entry 4: the chain breaks here.",
        "Entry 4: when replayed, the rules give a different result.",
    ]


def test_nothing_in_a_forged_record_reaches_the_terminal_as_a_command(
    record: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A title of the window, a colour, a line above that says "exact": `cat` would show what was meant."""
    escape = "\x1b]0;title\x07\x1b[2K\r\x9b1A\u202e"
    start = open_match(f"RANDM{escape}", AGENT_HUNTER, {}, "5e" * 32)
    closed = record_of(start, [Joined("target", "Ana"), Closed()])
    for text in (json.dumps({**record, escape: 1}), json.dumps(closed), '{"\\u001b":1,"\\u001b":2}'):
        (tmp_path / "record.json").write_text(text)
        main(["verify", str(tmp_path / "record.json")])
        said = capsys.readouterr().out
        assert said and set(said) <= {"\n"} | {char for char in said if category(char) not in ("Cc", "Cf")}


def test_a_record_with_values_hundreds_deep_is_unreadable(record: dict[str, Any]) -> None:
    deep: Any = 1
    for _ in range(500):
        deep = [deep]
    for n in range(2, 6):
        changed = json.loads(json.dumps(record))
        item = changed["entries"][n]
        item.get("sealed", item)["fields"]["houses"] = deep
        assert Say("verify.checksum") in verify(changed)


@pytest.mark.parametrize("content", [b"", b"hello", b"[" * 100_000, b"\xff", b"null", b"[]", b"{}"])
def test_what_is_no_record(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "en")
    file = tmp_path / "record.json"
    file.write_bytes(content)
    assert main(["verify", str(file)]) == 1
    assert capsys.readouterr().out == "This isn’t the record of a game, or part of it can’t be read.\n"


def test_a_file_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "en")
    assert main(["verify", str(tmp_path / "none.json")]) == 1
    assert capsys.readouterr().out.endswith("none.json.\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [('{"format"', '{"outcome":null,"format"'), ('"names": {', '"names": {"mask":"Eve",')],
)
def test_a_key_that_stands_twice_is_named(
    record: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    before: str,
    after: str,
) -> None:
    monkeypatch.setenv("LANG", "en")
    file = tmp_path / "record.json"
    text = json.dumps(record)
    assert before in text
    file.write_text(text.replace(before, after, 1))
    assert main(["verify", str(file)]) == 1
    name = "outcome" if "outcome" in after else "mask"
    assert (
        capsys.readouterr().out
        == f"“{name}” appears twice in the same place, so there’s no telling which one counts.\n"
    )


def test_a_number_that_readers_take_differently_is_not_read(record: dict[str, Any]) -> None:
    """A browser tells -0 from 0, and says so of a record; what Python reads must be no other."""
    text = json.dumps({**record, "options": {"n": 0}})
    assert read_record(text)[1] == []
    assert read_record(text.replace('"n": 0', '"n":-0', 1))[1] == [Say("verify.unreadable")]
