"""Forgetting: a name goes out of all games, or a game goes whole; every record that stays still verifies."""

from web import memory
from web.house import House
from web.people import known_as
from web.refusals import Refusal


def forget_person(house: House, name: str) -> int:
    """Make a person anonymous wherever they played; in how many tables they sat."""
    person = known_as(name)
    with house.opening:  # a rematch that opens meanwhile would carry the name on
        joins = memory.joins_of(person, house.store.joins())
        if not person or not joins:
            raise Refusal("unknown-person")
        house.commit(memory.person_forgotten(person, joins))
    house.store.scrub()
    codes = {code for code, _, _ in joins}
    for code in codes:
        house.reread(code)
    return len(codes)


def forget_game(house: House, code: str) -> None:
    """Delete a finished game with all that belongs to it."""
    table = house.table(code)
    if table is None:
        raise Refusal("unknown-table")
    if not table.match.outcome:
        raise Refusal("not-over")
    with house.opening:
        before = house.store.before(code)
        with table.lock:
            house.commit(memory.game_forgotten(code))
        house.drop(code)
    house.store.scrub()
    if before:
        house.reread(before)
