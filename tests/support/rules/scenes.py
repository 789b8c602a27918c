"""Rare situations of each game, which random games seldom reach; their texts must exist in each language."""

from collections.abc import Callable, Iterable

from referee.core.match import Match
from referee.core.moves import Move, Seat
from tests.support.rules import agent_avenue_scenes as avenue_scenes
from tests.support.rules import agent_double_scenes as double_scenes
from tests.support.rules import agent_hunter_scenes as hunter_scenes
from tests.support.rules import espion_contre_espion_scenes as spy_scenes

Scene = tuple[Match, Seat, Move]  # a table as it stands, and something that somebody tries

SCENES: dict[str, Callable[[], Iterable[Scene]]] = {
    "agent_avenue": avenue_scenes.scenes,
    "agent_double": double_scenes.scenes,
    "agent_hunter": hunter_scenes.scenes,
    "espion_contre_espion": spy_scenes.scenes,
}
