"""Rare situations of each game: what random games seldom meet and yet must be said, in every language."""

from collections.abc import Callable, Iterable

from referee.match import Match
from referee.moves import Move, Seat
from tests.referee import avenue_scenes, double_scenes, hunter_scenes, spy_scenes

Scene = tuple[Match, Seat, Move]  # a table as it stands, and something that somebody tries

SCENES: dict[str, Callable[[], Iterable[Scene]]] = {
    "agent_avenue": avenue_scenes.scenes,
    "agent_double": double_scenes.scenes,
    "agent_hunter": hunter_scenes.scenes,
    "espion_contre_espion": spy_scenes.scenes,
}
