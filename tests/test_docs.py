"""The documents are correct: links, commands, and tables that are generated from the code."""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from referee.core.game import Game
from referee.core.options import OneOf
from referee.games import GAMES
from referee.program.cli import main
from referee.program.settings import keys, settings_from
from tests import docs
from tests.docs import ROOT, documents

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
SOURCE_FILE = re.compile(r"[\w./-]+\.(py|js|css|svg|sh|rules)")
CLASS_MEMBER = re.compile(r"([A-Z][a-z]\w*)\.(\w+)")
WIDEST = 120  # characters of a line of a table
PAGE = 120  # lines of the README

every_document = pytest.mark.parametrize("file", documents(), ids=lambda file: str(file.relative_to(ROOT)))


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def prose(file: Path) -> str:
    """A document without its blocks of code."""
    return FENCE.sub("", file.read_text(encoding="utf-8"))


# ---- all documents


def anchors(file: Path) -> set[str]:
    """The anchors of a document's headings: lower case, without punctuation, a dash for each space."""
    headings = re.findall(r"^#+ (.+)$", prose(file), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(file: Path) -> Iterator[str]:
    for link in LINK.findall(prose(file)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = file.parent / path if path else file
        if not target.exists() or (anchor and anchor not in anchors(target)):
            yield link


@every_document
def test_every_link_leads_somewhere(file: Path) -> None:
    assert list(broken_links(file)) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    file = tmp_path / "x.md"
    file.write_text(
        "# A title\n[a](x.md#a-title) [b](#nowhere) [c](y.md) ![d](y.png) [e](https://example.org)\n"
    )
    assert list(broken_links(file)) == ["#nowhere", "y.md", "y.png"]


@every_document
def test_every_source_file_that_is_named_is_there(file: Path) -> None:
    named = [span for span in SPAN.findall(prose(file)) if SOURCE_FILE.fullmatch(span)]
    assert [name for name in named if not any((at / name).exists() for at in (file.parent, ROOT))] == []


@cache
def source() -> str:
    files = (file for folder in docs.FOLDERS for file in (ROOT / folder).rglob("*.py"))
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


@every_document
def test_every_class_and_member_that_is_named_is_there(file: Path) -> None:
    """So that a document does not keep a name that was changed in the code."""
    named = [found for span in SPAN.findall(prose(file)) if (found := CLASS_MEMBER.fullmatch(span))]
    for class_, member in (found.groups() for found in named):
        assert re.search(rf"^class {class_}\b", source(), re.MULTILINE), class_
        assert re.search(rf"\bdef {member}\b|^ +{member}: |\bself\.{member} = ", source(), re.MULTILINE), (
            member
        )


@every_document
def test_no_table_is_wider_than_a_screen(file: Path) -> None:
    rows = [line for line in prose(file).splitlines() if line.startswith("|")]
    assert [row for row in rows if len(row) > WIDEST] == []


@every_document
def test_every_make_target_that_is_named_exists(file: Path) -> None:
    named = {found for span in SPAN.findall(prose(file)) for found in re.findall(r"^make ([a-z]+)", span)}
    assert named <= targets()


def targets() -> set[str]:
    return set(re.findall(r"^([a-z]+)(?=.*:(?!=))", text_of("Makefile"), re.MULTILINE))


# ---- the README


def test_the_readme_is_one_page() -> None:
    assert len(text_of("README.md").splitlines()) <= PAGE


def test_exactly_two_commands_get_a_newcomer_going() -> None:
    assert [code.strip() for _, code in FENCE.findall(text_of("README.md"))] == ["make run", "make test"]


@pytest.mark.parametrize(("command", "ends_in"), [("make run", "referee serve"), ("make test", "tests")])
def test_the_two_commands_are_what_make_understands(command: str, ends_in: str) -> None:
    asked = [*command.split(), "--dry-run", "--no-print-directory"]
    would = subprocess.run(asked, cwd=ROOT, text=True, capture_output=True, check=True).stdout
    assert would.rstrip().endswith(ends_in)


def test_a_change_must_pass_the_readmes_test_command() -> None:
    assert "make test" in text_of(".ci/run").splitlines()


def test_every_game_is_listed() -> None:
    row = re.compile(r"^\| [A-Z][^|]+ \| `(\w+)` \| ([\d to]+) \|", re.MULTILINE)
    assert row.findall(text_of("README.md")) == [(game.id, players(game)) for game in GAMES.values()]


def players(game: Game[Any, Any]) -> str:
    """How many may play."""
    numbers = {option.name: option.options for option in game.options if isinstance(option, OneOf)}
    seats = sorted(len(game.seats({"players": number})) for number in numbers.get("players", (None,)))
    return f"{seats[0]} to {seats[-1]}" if len(seats) > 1 else str(seats[0])


# ---- commands and settings

COMMANDS = (
    *("serve", "desk", "doctor", "tls", "backup", "restore", "simulate", "verify"),
    *("new-game", "check", "record", "games"),
)


def sections(name: str) -> dict[str, str]:
    """The parts of a document below its headings of the second level."""
    parts = text_of(name).split("\n## ")[1:]
    return {title: body for title, _, body in (part.partition("\n") for part in parts)}


def test_every_command_has_its_section() -> None:
    assert list(sections("referee/COMMANDS.md")) == [f"referee {command}" for command in COMMANDS]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_a_command_is_told(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    options = set(re.findall(r"(--[a-z]+)", capsys.readouterr().out)) - {"--help", "--attached"}
    [(_, usage)] = FENCE.findall(sections("referee/COMMANDS.md")[f"referee {command}"])
    assert usage.startswith(f"referee {command}")
    assert set(re.findall(r"--[a-z]+", usage)) == options


def test_every_setting_is_described() -> None:
    rows = re.findall(r"^\| `([\w.]+)` \|.* \| (.*) \|$", text_of("referee/SETTINGS.md"), re.MULTILINE)
    assert [key for key, _ in rows] == [key for key, _ in keys()]
    assert [key for key, described in rows if not described] == []


def test_the_example_of_a_settings_file_is_one() -> None:
    [example] = [code for kind, code in FENCE.findall(text_of("referee/SETTINGS.md")) if kind == "toml"]
    assert settings_from(tomllib.loads(example)).printer.columns == 48


# ---- parts that are made from the code


@pytest.mark.parametrize("name", docs.PARTS)
def test_tables_are_those_of_the_code(name: str) -> None:
    """Out of date? `make docs` writes them."""
    assert docs.rewritten(name) == text_of(name)


def test_the_drawing_is_that_of_the_code() -> None:
    assert docs.DRAWING.read_text(encoding="utf-8") == docs.drawing()


def test_every_make_target_is_described() -> None:
    described = re.findall(r"^\| `make ([a-z]+)` \|", text_of("CONTRIBUTING.md"), re.MULTILINE)
    assert set(described) == targets() - {"tools"}
