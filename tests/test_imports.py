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
PRESENTED = {"referee", "referee.presentation", "referee.program.settings"} | {
    f"referee.presentation.{name}" for name in ("cues", "dots", "letters", "sheets", "words")
}

IMPORT_ALL = """
import importlib, pkgutil, sys
before = set(sys.modules)
sys.path.insert(0, sys.argv[1])
import referee
for module in pkgutil.walk_packages(referee.__path__, "referee."):
    if module.name != "referee.program.cli":
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
    assert "referee.program.cli" not in names
    foreign = {top(name) for name in names} - sys.stdlib_module_names - {"referee"}
    assert not foreign


@pytest.mark.parametrize("file", modules("referee"), ids=lambda file: str(file.relative_to(PRODUCT)))
def test_referee_imports_itself_and_the_standard_library(file: Path) -> None:
    if file.name == "machine_commands.py":  # it starts the others
        return
    assert {top(name) for name in imported(file)} <= {"referee"} | sys.stdlib_module_names
    assert "referee.program.cli" not in imported(file)


@pytest.mark.parametrize("file", modules("referee/games"), ids=lambda file: str(file.relative_to(PRODUCT)))
def test_games_know_nothing_of_matches_views_words_or_one_another(file: Path) -> None:
    own = ".".join(file.relative_to(PRODUCT).parts[:3])
    core = ("frozen", "game", "append_only", "moves", "options", "dice")
    allowed = {
        "referee.presentation.sheets",
        "referee.presentation.cues",
        "referee.presentation.poster",
        *(f"referee.core.{name}" for name in core),
    }
    for name in imported(file):
        if top(name) == "referee" and file.parent.name != "games":
            assert name in allowed or f"{name}.".startswith(f"{own}."), name


RULES = ("core", "fairness", "presentation")


def test_the_rules_ask_no_clock_no_file_no_thread_and_no_chance_but_the_dice() -> None:
    banned = {"time", "datetime", "threading", "asyncio", "socket", "os", "pathlib", "secrets", "uuid", "io"}
    files = [file for folder in (*RULES, "games") for file in modules(f"referee/{folder}")]
    for file in files:
        found = {top(name) for name in imported(file)}
        assert not found & banned, file
        assert "random" not in found or file.name == "dice.py", file


def test_hardware_knows_words_cues_and_sheets_alone() -> None:
    for file in modules("hardware"):
        for name in imported(file):
            assert top(name) != "web", file
            if top(name) == "referee":
                assert name in PRESENTED, f"{file} imports {name}"


RUN_DESK = """
import sys
import hardware.desk.process
hardware.desk.process.run_desk = lambda *_arguments: print("\\n".join(sorted(sys.modules)))
from referee.program.cli import main
sys.exit(main(["desk", "--virtual", "--server", "http://127.0.0.1:9", "--key", sys.argv[1]]))
"""


def test_the_desk_process_loads_neither_store_nor_games(tmp_path: Path) -> None:
    (tmp_path / "desk.key").write_text("key")
    command = [sys.executable, "-W", "error", "-c", RUN_DESK, str(tmp_path / "desk.key")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=PRODUCT)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert {
        "hardware.desk.process",
        "hardware.printing.printer",
        "referee.presentation.cues",
        "web.server.logs",
    } <= loaded
    assert not {name for name in loaded if f"{name}.".startswith(("web.store.", "referee.games."))}
    ours = {name for name in loaded if top(name) in OURS}
    assert (
        ours & {"referee.core.match", "referee.core.game", "web.service.tables", "web.server.flask_app"}
        == set()
    )
    assert not {"sqlite3", "flask", "granian"} & loaded


LAYERS = ("wire", "clock", "security", "store", "streams", "output", "service", "request_context", "api")
WEB = (*LAYERS, "pages", "server")  # from the lowest to the highest


def test_folders_of_web_import_lower_ones_alone() -> None:
    for file in modules("web"):
        own = file.relative_to(PRODUCT / "web").parts[0].removesuffix(".py")
        used = {name.split(".")[1] for name in imported(file) if top(name) == "web" and "." in name}
        higher = WEB[WEB.index(own) + 1 :] if own != "__init__" else ()
        assert not used & set(higher), file


def test_web_does_not_know_the_hardware() -> None:
    for file in modules("web"):
        assert all(top(name) != "hardware" for name in imported(file)), file


def test_the_store_alone_knows_its_engine() -> None:
    knowing = {file.parent for file in modules("web") if "sqlite3" in imported(file)}
    assert knowing == {PRODUCT / "web" / "store"}


def test_the_import_reader_sees_every_form(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    imports = "import a.b, c\nfrom referee.presentation import words\n"
    file.write_text(imports + "from referee.presentation.words import LANGUAGES\n")
    assert list(imported(file)) == ["a.b", "c", "referee.presentation.words", "referee.presentation.words"]
    file.write_text("def f():\n    import flask\n")
    assert list(imported(file)) == ["flask"]


# ---- the tests themselves


def is_test_file(module: str) -> bool:
    last = module.rpartition(".")[2]
    return top(module) == "tests" and (last == "conftest" or last.startswith("test_"))


def test_no_file_imports_a_test_file_or_a_conftest() -> None:
    for file in modules("tests"):
        assert not [name for name in imported(file) if is_test_file(name)], file


def test_what_tests_share_stands_in_the_support_package() -> None:
    for folder in ("browser", "hardware", "referee", "secrecy", "web"):
        for file in modules(f"tests/{folder}"):
            assert file.name in ("__init__.py", "conftest.py") or file.name.startswith("test_"), file


def test_the_support_package_imports_nothing_else_of_the_tests() -> None:
    for file in modules("tests/support"):
        for name in imported(file):
            assert top(name) != "tests" or name.startswith("tests.support"), f"{file} imports {name}"
