"""The registry of games, in the order in which pages list them.

The shipped games are here from the beginning. Games from other packages are added once, when the program
starts (`referee.program.installed_games`); what could not be used stands in `REFUSED` and `STOPPED`.
"""

from dataclasses import dataclass
from typing import Any

from referee.core.game import Game, Say
from referee.games.agent_avenue import AGENT_AVENUE
from referee.games.agent_double import AGENT_DOUBLE
from referee.games.agent_hunter import AGENT_HUNTER
from referee.games.espion_contre_espion import ESPION_CONTRE_ESPION


@dataclass(frozen=True)
class RefusedGame:
    """A game from another package that is not used, and why: a sentence, and details for its author."""

    id: str
    package: str
    why: Say
    details: tuple[str, ...] = ()


GAMES: dict[str, Game[Any, Any]] = {
    game.id: game for game in (AGENT_HUNTER, ESPION_CONTRE_ESPION, AGENT_AVENUE, AGENT_DOUBLE)
}
SHIPPED = frozenset(GAMES)
REFUSED: list[RefusedGame] = []
STOPPED: dict[str, str] = {}  # tables at which a call into their game did not return: code → the game's id
