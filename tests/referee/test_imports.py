"""Imports point one way, and the rules core needs nothing but the standard library."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import referee

PRODUCT = Path(referee.__file__).parent.parent
OURS = ("referee", "web", "hardware")
WORDS_AND_CUES = {"referee"} | {
    f"referee.{name}" for name in ("cues", "sheets", "words", "settings", "dots", "letters")
}

IMPORT_ALL = """
import importlib, pkgutil, sys
before = set(sys.modules)
sys.path.insert(0, sys.argv[1])
import referee
for module in pkgutil.walk_packages(referee.__path__, "referee."):
    if module.name != "referee.cli":
        importlib.import_module(module.name)
print("\\n".join(sorted(set(sys.modules) - before)))
"""


def modules(package: str) -> list[Path]:
    return sorted((PRODUCT / package).rglob("*.py"))


def imported(file: Path) -> Iterator[str]:
    """The full names of the modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: write imports in full"
            module = str(node.module)
            names = [f"{module}.{alias.name}" for alias in node.names]
            yield from (name if _is_module(name) else module for name in names)


def _is_module(name: str) -> bool:
    path = PRODUCT / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").exists()


def top(name: str) -> str:
    return name.partition(".")[0]


def test_importing_referee_imports_nothing_but_the_standard_library() -> None:
    command = [sys.executable, "-S", "-W", "error", "-c", IMPORT_ALL, str(PRODUCT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stderr
    names = done.stdout.split()
    assert "referee.games.agent_hunter.rules" in names
    assert "referee.cli" not in names
    foreign = {top(name) for name in names} - sys.stdlib_module_names - {"referee"}
    assert not foreign


@pytest.mark.parametrize("file", modules("referee"), ids=lambda file: str(file.relative_to(PRODUCT)))
def test_referee_imports_itself_and_the_standard_library(file: Path) -> None:
    if file.name == "cli.py":  # it starts the others
        return
    assert {top(name) for name in imported(file)} <= {"referee"} | sys.stdlib_module_names
    assert "referee.cli" not in imported(file)


@pytest.mark.parametrize("file", modules("referee/games"), ids=lambda file: str(file.relative_to(PRODUCT)))
def test_games_know_nothing_of_matches_views_words_or_one_another(file: Path) -> None:
    own = ".".join(file.relative_to(PRODUCT).parts[:3])
    common = ("altered", "game", "growing", "moves", "options", "dice", "sheets")
    allowed = {f"referee.{name}" for name in common}
    for name in imported(file):
        if top(name) == "referee" and file.parent.name != "games":
            assert name in allowed or f"{name}.".startswith(f"{own}."), name


RULES = ("game", "moves", "options", "dice", "sheets", "fairness", "record", "match", "cues")


def test_the_rules_ask_no_clock_no_file_no_thread_and_no_chance_but_the_dice() -> None:
    banned = {"time", "datetime", "threading", "asyncio", "socket", "os", "pathlib", "secrets", "uuid", "io"}
    files = [PRODUCT / "referee" / f"{name}.py" for name in RULES] + modules("referee/games")
    for file in files:
        found = {top(name) for name in imported(file)}
        assert not found & banned, file
        assert "random" not in found or file.name == "dice.py", file


def test_hardware_knows_words_cues_and_sheets_alone() -> None:
    for file in modules("hardware"):
        for name in imported(file):
            assert top(name) != "web", file
            if top(name) == "referee":
                assert name in WORDS_AND_CUES, f"{file} imports {name}"


def test_web_does_not_know_the_hardware() -> None:
    for file in modules("web"):
        assert all(top(name) != "hardware" for name in imported(file)), file


def test_the_store_alone_knows_its_engine() -> None:
    knowing = {file.parent for file in modules("web") if "sqlite3" in imported(file)}
    assert knowing == {PRODUCT / "web" / "store"}


def test_the_import_reader_sees_every_form(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text("import a.b, c\nfrom referee import words\nfrom referee.words import LANGUAGES\n")
    assert list(imported(file)) == ["a.b", "c", "referee.words", "referee.words"]
    file.write_text("def f():\n    import flask\n")
    assert list(imported(file)) == ["flask"]
