"""A table in this process with somebody on every seat: calls as their phones would send them."""

from typing import Any

from referee.core.dice import Dice
from referee.core.match import Match
from referee.core.moves import Seat, random_move
from tests.support.web.table_service import HERE, joined
from web.security.caller import Caller
from web.service import questions
from web.service.live_table import LiveTable
from web.service.opening import Opened
from web.service.tables import TableService
from web.wire.requests import OpenTableRequest


class SeatedTable:
    """A table of a service without a server, where everybody has joined."""

    def __init__(
        self,
        service: TableService,
        game: str = "agent_hunter",
        options: dict[str, Any] | None = None,
        desk: str | None = None,
    ) -> None:
        self.service = service
        self.opened: Opened = service.wait(service.open(OpenTableRequest(game, options or {}, desk), HERE))
        self.code = self.opened.code
        self.host = Caller(HERE.address, self.opened.host)
        self.people = joined(service, self.opened)
        self.dice = Dice(f"evening/{game}")

    @property
    def table(self) -> LiveTable:
        return self.service.find(self.code, HERE)

    @property
    def match(self) -> Match:
        return self.table.match

    def joins(self, seat: Seat, key: str) -> Caller:
        """Somebody takes a seat with a new key."""
        body = {"key": key, "name": seat.title()}
        return Caller(HERE.address, self.service.wait(self.service.join(self.code, seat, body, HERE)))

    def moves(self, seat: Seat, kind: str, /, **fields: Any) -> dict[str, Any]:
        body = {"version": self.match.version, "type": kind, **fields}
        return self.service.wait(self.service.move(self.code, body, self.people[seat], "en"))

    def hide(self) -> None:
        """Both agencies lay out their houses: 1 2 3."""
        for seat in self.people:
            self.moves(seat, "hide", houses=[1, 2, 3])

    def play(self, moves: int) -> None:
        """Play so many random moves, or to the end."""
        while moves and not self.match.outcome:
            seat = self.dice.pick([seat for seat in self.match.seats if self.match.choices[seat]])
            move = random_move(self.match.choices[seat], self.dice)
            self.moves(seat, move.type, **as_json(dict(move.fields)))
            moves -= 1

    def asks(self, who: Caller, kind: str, /, **fields: Any) -> dict[str, Any]:
        body = {"version": self.match.version, "kind": kind, **fields}
        return self.service.wait(questions.ask(self.service, self.code, body, who, "en"))

    def answers(self, who: Caller, accept: bool = True) -> None:
        self.service.wait(questions.answer(self.service, self.code, {"accept": accept}, who, "en"))

    def agrees(self, kind: str, /, **fields: Any) -> None:
        """The host asks, and everybody agrees."""
        self.asks(self.host, kind, **fields)
        for who in self.people.values():
            self.answers(who)


def as_json(value: Any) -> Any:
    """As JSON has it: lists, no tuples."""
    if isinstance(value, dict):
        return {name: as_json(item) for name, item in value.items()}
    return [as_json(item) for item in value] if isinstance(value, tuple | list) else value
