"""Moves of a seat are limited far above the pace of people, whatever they are; addresses may be exempt."""

from dataclasses import replace
from pathlib import Path

import pytest

from referee.program.settings import Settings
from tests.support.web.table_service import HERE, HIDE, joined, opened, table_service
from web.security.caller import Caller
from web.wire.errors import ApiError

MOST = 3


def tried(folder: Path, exempt: tuple[str, ...]) -> list[str]:
    """What the target is told when it sends more moves than there may be, then the other seat, then later
    the target again."""
    now, told = [0.0], list[str]()
    limits = replace(Settings().limits, moves=MOST, exempt=exempt)
    with table_service(folder, replace(Settings(), limits=limits)) as service:
        service.rate_limits.moves._clock = lambda: now[0]
        game = opened(service)
        people = joined(service, game)

        def tries(who: Caller) -> None:
            try:
                service.wait(service.move(game.code, {**HIDE, "version": 2}, who, "en"))
                told.append("done")
            except ApiError as refusal:
                told.append(refusal.code)

        for _ in range(MOST + 1):
            tries(people["target"])
        tries(people["mask"])
        now[0] = 11.0
        tries(people["target"])
    return told


@pytest.mark.parametrize(
    ("exempt", "beyond"), [((), "slow-down"), ((HERE.address,), "stale")], ids=["limited", "exempt"]
)
def test_moves_of_a_seat_are_limited(tmp_path: Path, exempt: tuple[str, ...], beyond: str) -> None:
    told = tried(tmp_path, exempt)
    assert told[0] == "done"
    assert told[MOST:] == [beyond, "done", told[1]]
