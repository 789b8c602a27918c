"""Faults planted in Liar's Dice: `referee check` names each, and none keeps other games from being used."""

import re
from pathlib import Path

import pytest

from referee.games import GAMES, SHIPPED
from tests.support.rules.installed_package import Changes, install, name_entry_point, referee

GAME = "liars_dice"
IMPORTS = "from referee.core.game import Facts, Game, Passages\n"
ROLLED = 'DiceHand(tuple(sorted(roll)), mine.earlier)).say("rolled", by=seat)'
HIDDEN: Changes = {  # the table remembers something of the rolls, which no view shows
    "table.py": ("    palifico: bool = False", "    odd: bool = False\n    palifico: bool = False"),
    "rules.py": (
        "        rolled=rolled,",
        "        odd=sum(sum(each.dice) for each in state.hands.values()) % 2 == 1,\n        rolled=rolled,",
    ),
}

FEWER = "tuple(range(least, table.total() + 1 - (table.odd and least < table.total())))"
FAULTS: dict[str, tuple[Changes, str]] = {
    "a leak in news": (
        {"rules.py": (ROLLED, ROLLED.replace("by=seat", "by=seat, aces=roll.count(1)"))},
        "leak: the news of roll tells what was entered",
    ),
    "a leak in choices": (
        {**HIDDEN, "choices.py": ("tuple(range(least, table.total() + 1))", FEWER)},
        "leak: ",
    ),
    "a leak in todo": (
        {**HIDDEN, "todo.py": ('"bid_or_doubt" if table.bid', '"bid_or_doubt" if table.odd')},
        "leak: ",
    ),
    "a leak in a cue": (
        {
            "rules.py": (ROLLED, ROLLED.replace("by=seat", "by=seat, high=sum(roll) > 10")),
            "cues.py": (
                '"rolled": Cue(',
                '"rolled.True": Cue(lamp="plus", pattern=(0.1,)),\n    "rolled": Cue(',
            ),
            "__init__.py": ('{"doubted": ("right",)}', '{"doubted": ("right",), "rolled": ("high",)}'),
        },
        "leak: the news of roll tells what was entered",
    ),
    "a wrong type": (
        {"table.py": ("[seat for seat in table.dice if seat in table.rolled]", "table.rolled")},
        "cannot be sent as JSON",
    ),
    "an endless loop at import": (
        {"__init__.py": (IMPORTS, f"{IMPORTS}while True:\n    pass\n")},
        "__init__.py",
    ),
    "an endless loop in a game": (
        {"rules.py": ("    if not left:\n", "    while not left:\n        pass\n    if not left:\n")},
        "rules.py",
    ),
    "a crash at import": ({"__init__.py": (IMPORTS, f"{IMPORTS}1 / 0\n")}, "ZeroDivisionError"),
    "missing words": (
        {"words/fr.po": ('msgid "liars_dice.news.out"', 'msgid "liars_dice.news.uot"')},
        "fr.po lacks liars_dice.news.out",
    ),
    "a clash": (
        {"choices.py": ("dict.fromkeys(DICE, int)", '{**dict.fromkeys(DICE, int), "version": int}')},
        "'version'",
    ),
    "chance besides the dice": (
        {
            "rules.py": (
                "found = count(state, bid.face)",
                "found = count(state, bid.face) + (__import__('random').random() < 0.3)",
            )
        },
        "the same seed gives another game",
    ),
}


LEAKS = [fault for fault in FAULTS if "leak" in fault]


@pytest.mark.parametrize("fault", FAULTS)
def test_the_kit_names_a_planted_fault(fault: str, tmp_path: Path) -> None:
    """The trial finds what would keep a game from being played, `referee check` what leaks."""
    changes, named = FAULTS[fault]
    site, data = tmp_path / "site", tmp_path / "data"
    install(site, GAME, changes)
    listed = referee(site, data, "games").stdout
    assert all(re.search(f"^{game} ", listed, re.M) for game in GAMES if game in SHIPPED), listed
    if fault in LEAKS:
        checked = referee(site, data, "check", GAME, "--games", "3")
        assert checked.returncode == 1, checked.stderr
        listed = checked.stdout
    assert named in listed


def test_the_game_without_them_has_none(tmp_path: Path) -> None:
    install(tmp_path / "site", GAME)
    said = referee(tmp_path / "site", tmp_path / "data", "check", GAME, "--games", "3")
    assert said.stdout == f"✓ {GAME}: no faults\n", said.stdout + said.stderr


def test_a_game_under_a_shipped_id_is_refused(tmp_path: Path) -> None:
    install(tmp_path / "site", GAME)
    name_entry_point(tmp_path / "site", "agent_avenue", f"{GAME}:GAME", "a_clash")
    said = referee(tmp_path / "site", tmp_path / "data", "games").stdout
    assert "agent_avenue (package a_clash): left out. A game that comes with the referee" in said
