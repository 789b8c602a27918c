"""The shelf: values of options that owners of a game write once, kept for every later table."""

from typing import Any

from referee.games import GAMES
from referee.options import Data
from web.door import clean_name
from web.house import House, bad_option
from web.refusals import Refusal
from web.store import changes as kept

MOST = 50  # values of one option


def option_of(game: str, option: str) -> Data:
    """An option that has a shelf."""
    if game not in GAMES:
        raise Refusal("unknown-game")
    found = next((o for o in GAMES[game].options if o.name == option), None)
    if not isinstance(found, Data):
        raise Refusal("unknown-page")
    return found


def kept_values(house: House, game: str, option: str) -> dict[str, Any]:
    """The values on the shelf that this option still permits, by name."""
    wanted = option_of(game, option)
    return {n: value for n, value in house.store.shelf(game, option).items() if wanted.permits(value)}


async def keep(house: House, game: str, option: str, name: str, value: Any) -> str:
    """Put a value on the shelf; one of the same name makes room for it. Its name as it is kept."""
    wanted = option_of(game, option)
    name = clean_name(name)
    if not wanted.permits(value):
        raise bad_option(game, option, wanted.why(value))
    there = house.store.shelf(game, option)
    if name not in there and len(there) >= MOST:
        raise Refusal("shelf-full", {"n": MOST})
    await house.commit([kept.shelved(game, option, name, value)])
    return name


async def forget(house: House, game: str, option: str, name: str) -> None:
    """Take a value off the shelf. Tables that were opened with it keep it."""
    option_of(game, option)
    await house.commit([kept.taken_off_the_shelf(game, option, name)])
