"""`referee new-game`: copies the template of a game under another id, alone or as a package of its own."""

from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

TEMPLATE = resources.files("referee.kit").joinpath("template", "new_game")
MODULE, ID, NAME, CLASS = "referee.kit.template.new_game", "new_game", "New Game", "New"
TEXTS = (".py", ".po", ".md", ".html", ".css", ".svg", ".txt")

PROJECT = """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "table-referee-{dashed}"
version = "0.1.0"
description = "{name}, a game for Table Referee"
requires-python = ">=3.11"
dependencies = ["table-referee"]

[project.entry-points."table_referee.games"]
{id} = "{id}:GAME"

[tool.setuptools.packages.find]
include = ["{id}*"]

[tool.setuptools.package-data]
{id} = ["**/*.po", "**/*.md", "**/*.html", "**/*.css", "**/*.js", "**/*.svg", "golden*.txt", "py.typed"]
"""

TESTS = '''"""What every game must keep. Add tests of what is special about this one."""

from collections.abc import Iterator
from typing import Any

import pytest
from {module} import GAME

from referee.core.game import Game
from referee.kit.game_tests import *  # noqa: F403  (the tests that every game gets)
from referee.kit.game_tests import registered


@pytest.fixture
def game() -> Iterator[Game[Any, Any]]:
    with registered(GAME, "{module}"):
        yield GAME
'''
CONFTEST = '"""Its folder is where tests find the package, installed or not."""\n'


def files_of(game: str, *, package: bool) -> Iterator[tuple[str, str]]:
    """The files of a new game, each with its text. Without `package` they go into the registry's folder."""
    module = game if package else f"referee.games.{game}"
    for path, text in _files(TEMPLATE):
        yield f"{game}/{path}", renamed(text, game, module)
    if package:
        yield "pyproject.toml", PROJECT.format(id=game, dashed=game.replace("_", "-"), name=titled(game))
        yield f"{game}/py.typed", ""
        yield f"tests/test_{game}.py", TESTS.format(module=module)
        yield "conftest.py", CONFTEST


def _files(folder: Traversable, at: str = "") -> Iterator[tuple[str, str]]:
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_dir():
            yield from _files(each, f"{at}{each.name}/")
        elif each.name.endswith(TEXTS):
            yield at + each.name, each.read_text(encoding="utf-8")


def renamed(text: str, game: str, module: str) -> str:
    """A text of the template with the names of the new game."""
    title = titled(game)
    text = text.replace(MODULE, module).replace(ID, game).replace(NAME, title)
    for name in ("Table", "Hand", "State"):
        text = text.replace(f"{CLASS}{name}", f"{title.replace(' ', '')}{name}")
    return text


def titled(game: str) -> str:
    return game.replace("_", " ").title()


def write_game(game: str, folder: Path, *, package: bool) -> list[Path]:
    """Write a new game. Raises FileExistsError rather than change a file."""
    wanted = [(folder / path, text) for path, text in files_of(game, package=package)]
    if there := next((path for path, _ in wanted if path.exists()), None):
        raise FileExistsError(f"{there} is there already.")
    for path, text in wanted:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [path for path, _ in wanted]
