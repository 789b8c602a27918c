"""Games from other packages: tried, listed with the reason if they fail; the rest starts."""

import json
import time
from pathlib import Path

import pytest

from referee.games import GAMES, SHIPPED
from tests.support.rules.installed_package import Changes, install, name_entry_point, referee


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "site"


def listed(site: Path, tmp_path: Path) -> tuple[list[str], str]:
    """The ids of the games, and what is said of those left out."""
    said = referee(site, tmp_path / "data", "games")
    assert "Traceback" not in said.stderr, said.stderr
    lines = said.stdout.splitlines()
    refused = next((n for n, line in enumerate(lines) if "left out" in line), len(lines))
    return [line.split()[0] for line in lines[:refused]], "\n".join(lines[refused:])


def test_a_new_game_of_the_kit_is_used(site: Path, tmp_path: Path) -> None:
    install(site)
    games, refused = listed(site, tmp_path)
    assert (games, refused) == ([*_shipped(), "marbles"], "")
    checked = referee(site, tmp_path / "data", "check", "marbles", "--games", "20")
    assert checked.stdout == "✓ marbles: no faults\n", checked.stdout + checked.stderr


def _shipped() -> list[str]:
    return [game for game in GAMES if game in SHIPPED]


IMPORT = "from referee.core.game import Facts, Game, Passages\n"
SAY = 'say("missed", by=seat, owner=other, number=number, left=left)'
FAULTS: dict[str, tuple[Changes, str]] = {
    "an exit at import": ({"__init__.py": (IMPORT, f"{IMPORT}raise SystemExit\n")}, "SystemExit"),
    "a reserved field": ({"rules.py": (SAY, SAY.replace("left=left", "n=left"))}, "'n'"),
    "a reserved kind": ({"rules.py": ('say("hidden"', 'say("joined"')}, "'joined'"),
    "a missing cue": ({"cues.py": ('"hidden": Cue(', '"hiddem": Cue(')}, "'hidden' has no cue"),
    "no end": ({"rules.py": ("if len(alive) == 1:", "if not alive:")}, "seed check/"),
    "another protocol": ({"__init__.py": ("protocol=1", "protocol=99")}, "protocol"),
    "another id": ({"__init__.py": ('id="marbles"', 'id="pebbles"')}, "pebbles"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_game_with_a_fault_is_left_out_with_its_reason(fault: str, site: Path, tmp_path: Path) -> None:
    changes, named = FAULTS[fault]
    install(site, changes=changes)
    games, refused = listed(site, tmp_path)
    assert games == _shipped()
    assert "marbles (package table_referee_marbles): left out." in refused
    assert named in refused


def test_a_shipped_game_cannot_be_replaced(site: Path, tmp_path: Path) -> None:
    install(site)
    name_entry_point(site, "agent_hunter", "marbles:GAME", "a_thief")
    games, refused = listed(site, tmp_path)
    assert games == [*_shipped(), "marbles"]
    assert refused.startswith("agent_hunter (package a_thief): left out.")


def test_two_packages_with_one_game_are_both_left_out(site: Path, tmp_path: Path) -> None:
    install(site)
    name_entry_point(site, "marbles", "marbles:GAME", "another")
    games, refused = listed(site, tmp_path)
    assert games == _shipped()
    assert refused.count("left out") == 2


def test_a_trial_is_remembered_until_a_file_changes(site: Path, tmp_path: Path) -> None:
    package = install(site)
    listed(site, tmp_path)
    notes = tmp_path / "data" / "table-referee" / "games.json"
    [(digest, found)] = json.loads(notes.read_text())["trials"].items()
    assert found == {"why": "", "details": []}
    begun = time.monotonic()
    assert listed(site, tmp_path)[0][-1] == "marbles"
    assert time.monotonic() - begun < 2, "it was tried again"
    (package / "rules.en.md").write_text("no title")
    games, refused = listed(site, tmp_path)
    assert games == _shipped()
    assert "rules.en.md" in refused
    assert digest not in json.loads(notes.read_text())["trials"]


def test_without_packages_nothing_is_written(tmp_path: Path) -> None:
    listed(tmp_path / "none", tmp_path)
    assert not (tmp_path / "data").exists()
