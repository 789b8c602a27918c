"""The README is true: its settings, its commands and its games are those of the code."""

import re
import tomllib
from pathlib import Path

import pytest

from referee.cli import main
from referee.games import GAMES
from referee.settings import keys
from tests import readme

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def test_settings_table_is_the_code() -> None:
    rows = re.findall(r"^\| `(\w+\.\w+)` \| `(.+?)` \|", README, re.MULTILINE)
    told = [(key, tomllib.loads(f"value = {default}")["value"]) for key, default in rows]
    code = [(key, list(value) if isinstance(value, tuple) else value) for key, value in keys()]
    assert told == code


def test_every_game_is_listed() -> None:
    assert re.findall(r"^\| [A-Z][^|]+ \| `(\w+)` \|", README, re.MULTILINE) == list(GAMES)


@pytest.mark.parametrize("command", ["serve", "desk", "doctor", "backup", "restore", "simulate", "verify"])
def test_every_option_of_a_command_is_told(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    options = set(re.findall(r"(--[a-z]+)", capsys.readouterr().out)) - {"--help", "--attached"}
    row = next(line for line in README.splitlines() if line.startswith(f"| `referee {command}"))
    assert options == set(re.findall(r"--[a-z]+", row))


def test_tables_and_drawing_are_those_of_the_code() -> None:
    """Out of date? `make readme` writes them anew."""
    assert readme.rewritten(README) == README
    assert readme.DRAWING.read_text(encoding="utf-8") == readme.drawing()


def test_exactly_two_commands_get_a_newcomer_going() -> None:
    opening = README.split("\n## ")[0]
    assert re.findall(r"```sh\n(.*?)\n```", opening, re.DOTALL) == ["make run", "make test"]


def test_the_readmes_pictures_are_there() -> None:
    pictures = re.findall(r"!\[.+?\]\((.+?)\)", README)
    assert pictures
    assert all((Path(__file__).parent.parent / picture).is_file() for picture in pictures)
