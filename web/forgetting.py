"""Forgetting: a name goes out of all games, or a game goes whole; every record that stays still verifies."""

from referee.record import Joined
from web import memory
from web.house import House
from web.people import known_as
from web.refusals import Refusal


def sat_down(house: House, name: str) -> list[tuple[str, int, Joined]]:
    """Every time that this person took a seat, at tables that never ended too."""
    return memory.joins_of(known_as(name), house.store.joins())


def forget_person(house: House, name: str) -> int:
    """Make a person anonymous wherever they sat down; at how many tables that was."""
    with house.opening:  # a rematch that opens meanwhile would carry the name on
        joins = sat_down(house, name)
        if not joins:
            raise Refusal("unknown-person")
        house.commit(memory.person_forgotten(known_as(name), joins))
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
