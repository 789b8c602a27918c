"""History queries: tallies, head to head, figures of a game."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.core.entries import DESK_TAKEN, Joined, write
from web.store import Store, history_queries, results, statements
from web.store.backups import open_store
from web.store.history_queries import Rival, Tally
from web.store.statements import TableRow

TEAMS = ("green_1", "green_2", "blue_1", "blue_2")
START, END = "2026-11-17T20:00:00+00:00", "2026-11-17T20:25:00+00:00"
MOVE = "mask attack_from_hand card=1 house=1"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = open_store(tmp_path / "referee.db")
    yield store
    store.close()


def outcome(winners: tuple[str, ...], reason: str = "destroyed") -> dict[str, Any]:
    draw = not winners and reason != "abandoned"
    return {"winners": list(winners), "draw": draw, "reason": reason, "scores": {}, "debrief": None}


def played(
    store: Store,
    code: str,
    names: dict[str, str],
    ended: dict[str, Any],
    game: str = "agent_hunter",
    moves: int = 3,
) -> None:
    """A game that was played to this end."""
    options = {"players": len(names)} if game == "agent_avenue" else {}
    row = TableRow(code, game, 1, options, "00", "host", None, START, "ticket", "root", 0)
    lines = [write(Joined(seat, name)) for seat, name in names.items()] + [MOVE] * moves + ["mask answers no"]
    entries = [statements.entry_written(code, n, START, line, "head") for n, line in enumerate(lines, 1)]
    over = statements.table_finished(code, END, ended)
    store.commit(
        [
            statements.table_opened(row),
            *entries,
            over,
            *results.result_added(code, game, ended, dict(names), {}),
        ]
    )


def duel(store: Store, code: str, target: str, mask: str, *winners: str, **more: Any) -> None:
    played(store, code, {"target": target, "mask": mask}, outcome(winners), **more)


def test_a_tally_for_each_game_and_person(store: Store) -> None:
    duel(store, "AAAAA", "Ana", "Bo", "target")
    duel(store, "BBBBB", "Bo", "ANA", "target")
    duel(store, "CCCCC", "Ana", "Bo")
    played(store, "DDDDD", {"target": "Ana", "mask": "Bo"}, outcome((), "abandoned"))
    ana = history_queries.person(store, "ana")
    assert ana is not None
    assert (ana.name, ana.games) == ("Ana", {"agent_hunter": Tally(3, 1, 1)})
    assert ana.all.lost == 1
    assert history_queries.rivals(store, "ana", 9) == [
        Rival("bo", "Bo", met=3, won=1, lost=1, drawn=1, together=0)
    ]
    assert history_queries.recent_results(store, "ana", 2) == [("BBBBB", "lost"), ("CCCCC", "drawn")]
    assert history_queries.person(store, "") is None


def test_a_team_plays_together_not_against_itself(store: Store) -> None:
    names = dict(zip(TEAMS, ("Ana", "Bo", "Cy", "Di"), strict=True))
    played(store, "AAAAA", names, outcome(("green_1", "green_2")), game="agent_avenue")
    rivals = {rival.name: rival for rival in history_queries.rivals(store, "ana", 9)}
    assert rivals["Bo"] == Rival("bo", "Bo", met=0, won=0, lost=0, drawn=0, together=1)
    assert rivals["Cy"] == Rival("cy", "Cy", met=1, won=1, lost=0, drawn=0, together=0)
    assert history_queries.figures(store, "agent_avenue").sides == {"green": (1, 1), "blue": (0, 1)}


def test_whoever_takes_both_seats_played_once_and_met_nobody(store: Store) -> None:
    duel(store, "AAAAA", "Ana", "ana", "mask")
    ana = history_queries.person(store, "ana")
    assert ana is not None
    assert ana.all == Tally(1, 1, 0)
    assert history_queries.rivals(store, "ana", 9) == []


def test_whoever_only_left_is_in_no_list(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_queries, "RECENT", 3)
    duel(store, "AAAAA", "Ana", "Bo", "target")
    for n in range(4):
        played(store, f"L{n}", {"target": f"Loud {n}", "mask": "Ana"}, outcome((), "abandoned"))
    assert {person.name for person in history_queries.people(store)} == {"Ana", "Bo"}
    assert history_queries.count_people(store) == 2
    assert set(history_queries.suggestions(store)) == {"Ana", "Bo"}


def test_a_game_in_figures(store: Store) -> None:
    duel(store, "AAAAA", "Ana", "Bo", "target", moves=3)
    duel(store, "BBBBB", "Ana", "Bo", "target", moves=9)
    played(store, "CCCCC", {"target": "Ana", "mask": "Bo"}, outcome((), "turn_cap"), moves=3)
    played(store, "DDDDD", {"target": "Ana", "mask": "Bo"}, outcome((), "abandoned"))
    figures = history_queries.figures(store, "agent_hunter")
    assert (figures.played, figures.abandoned, figures.drawn) == (3, 1, 1)
    assert figures.sides == {"target": (2, 3), "mask": (0, 3)}
    assert figures.reasons == {"destroyed": 2, "turn_cap": 1}
    assert (figures.moves, figures.minutes) == ({3: 2, 9: 1}, {25: 3})


def test_a_table_whose_desk_went_on_waits_since_its_last_move(store: Store) -> None:
    row = TableRow("ABCDE", "agent_hunter", 1, {}, "00", "host", "main", START, "ticket", "root", 0)
    later = "2026-11-17T20:55:00+00:00"
    moved = statements.entry_written("ABCDE", 1, END, MOVE, "head")
    store.commit(
        [statements.table_opened(row), moved, statements.entry_written("ABCDE", 2, later, DESK_TAKEN, "head")]
    )
    assert history_queries.unfinished(store, 1) == [("ABCDE", END)]
