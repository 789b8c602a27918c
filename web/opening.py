"""Opening a table: its keys, and the seats that the referee plays itself in a demonstration."""

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from referee.games import GAMES
from referee.match import Match
from referee.moves import Seat
from referee.options import BadOption, settle
from referee.record import Joined, write
from referee.words import words
from web.bodies import Wish
from web.door import hashed, new_key, new_token
from web.refusals import Refusal
from web.store import changes as kept
from web.store.changes import SeatRow, TableRow


@dataclass(frozen=True)
class Opened:
    """A new table: its code, the host's token and each seat's key."""

    code: str
    host: str = field(repr=False)
    keys: Mapping[Seat, str] = field(repr=False)


def opening(opened: Opened, match: Match, desk: str | None, at: str) -> list[kept.Change]:
    row = TableRow(
        code=opened.code,
        game=match.game.id,
        rules=match.game.rules,
        options=dict(match.options),
        seed=match.seed,
        host=hashed(opened.host),
        desk=desk,
        opened=at,
    )
    seats = (free_seat(seat, key) for seat, key in opened.keys.items())
    return [kept.table_opened(row), *(kept.seat_added(opened.code, seat) for seat in seats)]


def free_seat(seat: Seat, key: str, asker: str | None = None) -> SeatRow:
    """A seat that waits for whoever brings this key."""
    return SeatRow(seat, key, hashed(key), None, secrets.token_hex(32), asker)


# ---- bots


def alone(wish: Wish) -> Wish:
    """The same table with bots at all seats but the first, and away from the desk, where others may play."""
    game = GAMES[wish.game]
    try:
        seats = game.seats(settle(game.options, wish.options))
    except BadOption:
        seats = ()  # refused when the table is opened
    return replace(wish, desk=None, bots=tuple(seats[1:]))


def bots_in(wish: Wish, match: Match) -> tuple[Seat, ...]:
    """The seats a wish leaves to bots, in the order of the table; one at least is for somebody."""
    wanted = set(wish.bots)
    if len(wanted) < len(wish.bots) or not wanted <= set(match.seats) or wanted == set(match.seats):
        raise Refusal("bad-options", {"name": "bots"})
    return tuple(seat for seat in match.seats if seat in wanted)


def bots_sit(match: Match, bots: tuple[Seat, ...], at: str) -> Iterator[kept.Change]:
    """Bots hold their seats with a token that nobody knows, and are in the journal like anybody."""
    for n, seat in enumerate(bots, 1):
        row = bot_seat(seat)
        yield kept.seat_added(match.code, row)
        yield kept.bot_added(match.code, row)
        yield kept.entry_written(match.code, n, at, write(Joined(seat, _name(match, bots, n))))


def bot_seat(seat: Seat) -> SeatRow:
    token = hashed(new_token())
    return SeatRow(seat, None, hashed(new_key()), token, secrets.token_hex(32), is_bot=True)


def _name(match: Match, bots: tuple[Seat, ...], n: int) -> str:
    said = words(match.options["language"])
    return said.say("bot") if len(bots) == 1 else said.say("bot.numbered", {"n": n})
