"""Nobody can tell a world from its twin by anything the server sends, in any registered game."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from referee.core.entries import Moved
from referee.core.game import Game
from referee.games import GAMES
from referee.games.agent_hunter import AGENT_HUNTER
from tests.support.secrecy.played_world import Received, World
from tests.support.secrecy.twin_plans import Twins
from tests.support.secrecy.twin_servers import open_twins, worlds
from tests.support.web.sse_reader import events_in

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())


def live(both: tuple[World, World], twins: Twins) -> tuple[Received, Received]:
    true, twin = (world.live(plan, twins.observer) for world, plan in zip(both, twins.plans, strict=True))
    return true, twin


def differences(true: Received, twin: Received) -> list[str]:
    """The calls whose answers tell the worlds apart."""
    assert true.keys() == twin.keys()
    return [
        f"{tap}: {where}: {_first(true[tap, where], twin[tap, where])}"
        for (tap, where) in true
        if true[tap, where] != twin[tap, where]
    ]


def _first(one: list[bytes], two: list[bytes]) -> str:
    """Where two rows of answers part, for whoever reads the failure."""
    if len(one) != len(two):
        return f"{len(one)} and {len(two)} of them"
    n = next(n for n, (a, b) in enumerate(zip(one, two, strict=True)) if a != b)
    pairs = zip(one[n].split(b"\n"), two[n].split(b"\n"), strict=False)
    return f"number {n}, " + next((f"{a!r} and {b!r}" for a, b in pairs if a != b), "in length")


@every_game
def test_no_byte_tells_a_world_from_its_twin(game: Game[Any, Any], tmp_path: Path) -> None:
    """Bodies, headers, lengths, the order and number of events: for a seat, the screen, host and desk."""
    if not any(shape.secret for shape in game.moves.values()):
        return  # nothing is ever hidden
    with worlds(tmp_path) as both:
        for observe in (0, -1):
            twins = open_twins(both, game, observe)
            true, twin = live(both, twins)
            assert differences(true, twin) == []
            assert sizes(true) == sizes(twin)
            assert answers(both[0]) == answers(both[1])
            assert sum(map(len, answers(both[0]).values())) > 3
            assert longer_calls(both) <= different_entries(twins)
            assert cues(true) == cues(twin)
            assert len(cues(true)) > 3


def sizes(received: Received) -> dict[tuple[str, str], list[int]]:
    """What somebody sees of the traffic of those who look on who can read only lengths."""
    return {where: [len(content) for content in all_] for where, all_ in received.items()}


def answers(world: World) -> dict[str, list[tuple[str, int]]]:
    """The same of the other seats: how long each answer was. What they sent is longer or shorter, as their
    secrets are; the answers to that are not."""
    return {
        seat: [(call.where, call.received) for call in traffic] for seat, traffic in world.traffic.items()
    }


def longer_calls(both: tuple[World, World]) -> Counter[str]:
    """By seat: the calls that it sent in both worlds with bodies of different lengths."""
    true, twin = (world.traffic for world in both)
    pairs = ((seat, zip(true[seat], twin[seat], strict=True)) for seat in true)
    return Counter(seat for seat, calls in pairs for one, two in calls if one.sent != two.sent)


def different_entries(twins: Twins) -> Counter[str]:
    """By seat: the entries that are not the same in both worlds."""
    pairs = zip(*(plan.entries for plan in twins.plans), strict=True)
    return Counter(one.seat for one, two in pairs if one != two and isinstance(one, Moved))


def cues(received: Received) -> list[dict[str, object] | None]:
    """The lights, tunes and print jobs of a desk that was told this."""
    lines = received["desk", "STREAM /api/desks/main/events"]
    told = (event.json for event in events_in(b"\n".join(lines).decode()) if event.kind)
    return [item["cue"] for item in told if "key" in item]


def test_planted_leaks_are_found(tmp_path: Path) -> None:
    with worlds(tmp_path, ["with_leaks"]) as both:
        true, twin = live(both, open_twins(both, AGENT_HUNTER, -1))
    told = {difference.partition(":")[0] for difference in differences(true, twin)}
    assert told == {"host", "screen", "observer", "desk"}
