"""Builds the database changes that open a table: its row, seat keys, and the bots of a demonstration."""

import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from referee.core.entries import Joined, write
from referee.core.game import Say
from referee.core.match import Match
from referee.core.moves import Seat
from referee.core.options import BadOption, with_defaults
from referee.fairness.commitments import chained_seed
from referee.games import GAMES
from referee.presentation.avatars import ROBOT
from referee.presentation.words import words
from web.security.tokens import hashed, new_key, new_ticket, new_token
from web.store import statements
from web.store.statements import SeatRow, TableRow
from web.wire.errors import ApiError
from web.wire.requests import OpenTableRequest

REMATCHES = 255  # of one table whose seeds are bound when it is opened; then a new row of seeds begins


@dataclass(frozen=True)
class Opened:
    """A new table: its code, the host's token, each seat's key, and the key that takes any free seat."""

    code: str
    host: str = field(repr=False)
    keys: Mapping[Seat, str] = field(repr=False)
    table_key: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Seeds:
    """The seeds of a table and its rematches, a hash chain: the first commitment binds them all."""

    root: str = field(repr=False)
    rematches: int  # how many are left

    @property
    def seed(self) -> str:
        return chained_seed(self.root, self.rematches)


def new_seeds() -> Seeds:
    return Seeds(secrets.token_hex(32), REMATCHES)


def opening(opened: Opened, match: Match, seeds: Seeds, desk: str | None, at: str) -> list[statements.Change]:
    """The changes that add a table and its free seats."""
    row = TableRow(
        code=opened.code,
        game=match.game.id,
        rules=match.game.rules,
        options=dict(match.options),
        seed=match.seed,
        host=hashed(opened.host),
        desk=desk,
        opened=at,
        ticket=new_ticket(),
        root=seeds.root,
        rematches=seeds.rematches,
        key=opened.table_key,
        key_hash=hashed(opened.table_key or new_key()),
    )
    seats = (free_seat(seat, key) for seat, key in opened.keys.items())
    return [statements.table_opened(row), *(statements.seat_added(opened.code, seat) for seat in seats)]


def free_seat(seat: Seat, key: str, asker: str | None = None) -> SeatRow:
    """The row of a free seat with this key."""
    return SeatRow(seat, key, hashed(key), None, secrets.token_hex(32), new_ticket(), asker)


# ---- bots


def with_bots_at_other_seats(asked: OpenTableRequest) -> OpenTableRequest:
    """The same request with bots at all seats but the first, and without a desk, which others may use."""
    game = GAMES[asked.game]
    try:
        seats = game.seats(with_defaults(game.options, asked.options))
    except BadOption:
        seats = ()  # refused when the table is opened
    return replace(asked, desk=None, bots=tuple(seats[1:]))


def bots_in(asked: OpenTableRequest, match: Match) -> tuple[Seat, ...]:
    """The seats for bots, in the order of the seats; at least one seat must be left for a person."""
    wanted = set(asked.bots)
    if len(wanted) < len(asked.bots) or not wanted <= set(match.seats) or wanted == set(match.seats):
        raise ApiError("bad-options", {"name": "bots"})
    return tuple(seat for seat in match.seats if seat in wanted)


def bots_sit(match: Match, bots: tuple[Seat, ...], at: str) -> Iterator[statements.Change]:
    """The changes that seat the bots. Nobody knows their tokens; they are in the journal like people."""
    for seat in bots:
        row = bot_seat(seat)
        yield statements.seat_added(match.code, row)
        yield statements.bot_added(match.code, row)
    people = (Joined(seat, _name(match, bots, n), avatar=ROBOT) for n, seat in enumerate(bots, 1))
    yield from joins_written(match, people, at)


def joins_written(match: Match, people: Iterable[Joined], at: str) -> Iterator[statements.Change]:
    """The first rows of a new journal."""
    for entry in people:
        match = match.after(entry)
        yield statements.entry_written(match.code, match.entries, at, write(entry), match.head)


def bot_seat(seat: Seat) -> SeatRow:
    token = hashed(new_token())
    return SeatRow(seat, None, hashed(new_key()), token, secrets.token_hex(32), new_ticket(), is_bot=True)


def _name(match: Match, bots: tuple[Seat, ...], n: int) -> str:
    texts = words(match.options["language"])
    return texts.say("bot") if len(bots) == 1 else texts.say("bot.numbered", {"n": n})


def bad_option(game: str, name: str, why: Say | None) -> ApiError:
    """The error for an invalid option, with the game's own sentence if it has one."""
    said = why and Say(f"{game}.why.{why.key}", why.fields)
    return ApiError("bad-options", {"name": name[:40]}, why=said)
