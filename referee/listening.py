"""Listening: what somebody believes who only hears the news of a table, with all that was restated applied.

The check behind every undo and correction: such a listener must believe exactly what a fresh game, played
with the moves that stand now, would have told. Which moves stand is worked out here from the entries alone.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from referee.dice import Dice
from referee.game import News, State
from referee.match import Match, Told
from referee.moves import Move, Seat
from referee.record import Asked, Entry, Moved


class Misheard(Exception):
    """News that does not fit what was heard before."""


@dataclass
class Heard:
    """A move: who made it with which entry, and what holds of all that it said, with the numbers."""

    at: int
    seat: Seat
    move: Move
    said: list[tuple[int, News]]


class Listener:
    """Hears a table entry by entry. Keeps the moves that stand, by their numbers, and what holds of each."""

    def __init__(self) -> None:
        self._moves: dict[int, Heard] = {}
        self._asked: Asked | None = None

    def hears(self, entry: Entry, match: Match) -> None:
        """An entry, and what it told: `match` is the match after it."""
        told = match.told()
        if isinstance(entry, Asked):
            self._asked = entry
        if isinstance(entry, Moved):
            said = [(one.n, one.news) for one in told]
            self._moves[told[0].n] = Heard(match.entries, entry.seat, entry.move, said)
        for one in told:
            self._hears(one, match)

    def _hears(self, told: Told, match: Match) -> None:
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
        """Replace, remove or insert one thing that was said."""
        of, was, now = fields["of"], fields["was"], fields["now"]
        places = ((said, at) for said in self._all() for at, (number, _) in enumerate(said) if number == of)
        said, at = next(places, (None, 0))
        if said is None or (was is not None and said[at][1] != News(**was)):
            raise Misheard("what is put right was never said")
        new = [(n if was is None else of, News(**now))] if now else []
        said[at + (was is None) : at + 1] = new

    def _all(self) -> Iterable[list[tuple[int, News]]]:
        return (heard.said for heard in self._moves.values())

    def believes(self) -> list[News]:
        """All that holds, in the order of the moves."""
        return [news for said in self._all() for _, news in said]

    def told_afresh(self, match: Match) -> tuple[State[Any, Any], list[News]]:
        """How a fresh game with the moves that stand ends up, and all that they tell."""
        state, news = match.game.deal(match.options, Dice(match.seed, match.dealt)), list[News]()
        for heard in self._moves.values():
            before = state
            state = match.game.play(state, heard.seat, heard.move, Dice(match.seed, heard.at))
            news += match.said(before, state)
        return state, news
