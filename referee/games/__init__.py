"""The registry: every game the referee knows, in the order people see them."""

from typing import Any

from referee.game import Game
from referee.games.agent_avenue import AGENT_AVENUE
from referee.games.agent_hunter import AGENT_HUNTER

GAMES: dict[str, Game[Any, Any]] = {game.id: game for game in (AGENT_HUNTER, AGENT_AVENUE)}
