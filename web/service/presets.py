"""Presets: values of game options that people save by name and reuse at later tables."""

from typing import Any

from referee.core.options import Data
from referee.games import GAMES
from web.service.opening import bad_option
from web.service.tables import TableService
from web.store import statements
from web.wire.errors import ApiError
from web.wire.names import clean_name

MOST = 50  # presets of one option


def option_of(game: str, option: str) -> Data:
    """The option of this name, if it can have presets."""
    if game not in GAMES:
        raise ApiError("unknown-game")
    found = next((o for o in GAMES[game].options if o.name == option), None)
    if not isinstance(found, Data):
        raise ApiError("unknown-page")
    return found


def permitted_presets(service: TableService, game: str, option: str) -> dict[str, Any]:
    """The presets that this option still permits, by name."""
    wanted = option_of(game, option)
    return {n: value for n, value in service.store.presets(game, option).items() if wanted.permits(value)}


async def save(service: TableService, game: str, option: str, name: str, value: Any) -> str:
    """Save a preset; it replaces one of the same name. Returns the cleaned name."""
    wanted = option_of(game, option)
    name = clean_name(name)
    if not wanted.permits(value):
        raise bad_option(game, option, wanted.why(value))
    there = service.store.presets(game, option)
    if name not in there and len(there) >= MOST:
        raise ApiError("shelf-full", {"n": MOST})
    await service.commit([statements.preset_saved(game, option, name, value)])
    return name


async def delete(service: TableService, game: str, option: str, name: str) -> None:
    """Delete a preset. Tables that were opened with it keep the value."""
    option_of(game, option)
    await service.commit([statements.preset_deleted(game, option, name)])
