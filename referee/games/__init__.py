"""The registry of games, in the order in which pages list them."""

from typing import Any

from referee.core.game import Game
from referee.games.agent_avenue import AGENT_AVENUE
from referee.games.agent_double import AGENT_DOUBLE
from referee.games.agent_hunter import AGENT_HUNTER
from referee.games.espion_contre_espion import ESPION_CONTRE_ESPION

GAMES: dict[str, Game[Any, Any]] = {
    game.id: game for game in (AGENT_HUNTER, ESPION_CONTRE_ESPION, AGENT_AVENUE, AGENT_DOUBLE)
}
