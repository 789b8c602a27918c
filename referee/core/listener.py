"""A test listener: rebuilds the news that currently holds from the news of a table alone.

This is the check behind every undo and correction. With all restatements applied, the listener must hold
exactly the news that a fresh game with the standing moves would produce. Which moves stand is computed here
from the entries alone, independently of `Match`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from referee.core.dice import Dice
from referee.core.entries import Asked, Entry, Moved
from referee.core.game import News, State
from referee.core.match import Match, NewsEntry
from referee.core.moves import Move, Seat


class NewsMismatch(Exception):
    """A restatement that does not match the earlier news."""


@dataclass
class HeardMove:
    """A standing move: the number of its dice, its seat, and its news that still holds, with the numbers."""

    throw: int
    seat: Seat
    move: Move
    said: list[tuple[int, News]]


class Listener:
    """Follows a table entry by entry. Stores the standing moves by number, each with its current news."""

    def __init__(self) -> None:
        self._moves: dict[int, HeardMove] = {}
        self._asked: Asked | None = None

    def receive(self, entry: Entry, match: Match) -> None:
        """Process an entry and its news. `match` is the match after the entry."""
        told = match.told()
        if isinstance(entry, Asked):
            self._asked = entry
        if isinstance(entry, Moved):
            said = [(one.n, one.news) for one in told]
            self._moves[told[0].n] = HeardMove(match.throw, entry.seat, entry.move, said)
        for one in told:
            self._apply(one, match)

    def _apply(self, told: NewsEntry, match: Match) -> None:
        fields = told.news.fields
        match told.news.kind:
            case "restated":
                self._restated(told.n, fields)
            case "taken_back":
                for n in fields["moves"]:
                    del self._moves[n]
            case "corrected" if self._asked:
                heard = self._moves[fields["of"]]
                secret = match.game.moves[heard.move.type].secret
                kept = {name: value for name, value in heard.move.fields.items() if name not in secret}
                heard.move = Move(heard.move.type, {**kept, **self._asked.fields["fields"]})

    def _restated(self, n: int, fields: Mapping[str, Any]) -> None:
        """Replace, remove or insert one piece of news."""
        of, was, now = fields["of"], fields["was"], fields["now"]
        places = ((said, at) for said in self._all() for at, (number, _) in enumerate(said) if number == of)
        said, at = next(places, (None, 0))
        if said is None or (was is not None and said[at][1] != News(**was)):
            raise NewsMismatch("a restatement refers to news that was never announced")
        new = [(n if was is None else of, News(**now))] if now else []
        said[at + (was is None) : at + 1] = new

    def _all(self) -> Iterable[list[tuple[int, News]]]:
        return (heard.said for heard in self._moves.values())

    def current_news(self) -> list[News]:
        """All news that holds, in the order of the moves."""
        return [news for said in self._all() for _, news in said]

    def replay(self, match: Match) -> tuple[State[Any, Any], list[News]]:
        """The final state and all news of a fresh game played with the standing moves."""
        state, news = match.game.deal(match.options, Dice(match.dice, len(match.seats))), list[News]()
        for heard in self._moves.values():
            before = state
            state = match.game.play(state, heard.seat, heard.move, Dice(match.dice, heard.throw))
            news += match.said(before, state)
        return state, news
