"""No seat can tell a true world from its twins, in any registered game; and planted leaks are found.

What a game says aloud is public by definition, so a game that says too much in the news of an open move is
caught by its own tests and its golden playthrough, not here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import pytest

from referee.core.dice import Dice
from referee.core.game import Game, News, Say, Slice, State
from referee.core.moves import Choices, Move, One, Seat
from referee.core.options import Options
from referee.games import GAMES
from referee.games.agent_hunter import AGENT_HUNTER
from referee.games.agent_hunter.table import HunterHand, HunterTable, other
from referee.kit.twin_worlds import ENOUGH, History, Leak, history, look_for_leaks
from tests.support.soak import games

Hunter = Game[HunterTable, HunterHand]
HunterState = State[HunterTable, HunterHand]
HunterSlice = Slice[HunterTable, HunterHand]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
def test_no_seat_can_tell_a_world_from_its_twins(game: Game[Any, Any]) -> None:
    found = look_for_leaks(game, [f"twin/{i}" for i in games(30)])
    secret = {kind for kind, shape in game.moves.items() if shape.secret}
    assert all(found.searches[kind] >= ENOUGH for kind in secret), "too few games had such a move"
    lasting = min(10, longest_secret(game))
    assert found.worlds > 4 * lasting * len(games(30)), "too few twins that differ"
    assert found.farthest >= lasting, "no twin went on for long"


def longest_secret(game: Game[Any, Any]) -> int:
    """For how many entries on end a hand holds a secret, at most: no twin can go on for longer."""
    longest = 0
    for i in range(10):
        past = history(game, f"twin/{i}")
        for seat in past.worlds[0].seats:
            longest = max(longest, *_runs(past, seat))
    return longest


def _runs(past: History, seat: Seat) -> Iterator[int]:
    """The lengths of the times in which a hand is not as it was dealt."""
    hands = [world.state.hands[seat] for world in past.worlds if world.state]
    for holds, run in groupby(hands, key=lambda hand: hand != hands[0]):
        yield len(list(run)) if holds else 0


class Peeker:
    """A cheat's notebook: the whole state behind every table that was ever made."""

    def __init__(self) -> None:
        self._states: dict[int, HunterState] = {}

    def game(self, **changes: Any) -> Hunter:
        return replace(AGENT_HUNTER, deal=self._deal, play=self._play, **changes)

    def behind(self, table: HunterTable) -> HunterState:
        return self._states[id(table)]

    def enemy_of(self, seen: HunterSlice) -> HunterHand:
        return self.behind(seen.table).hands[other(str(seen.seat))]

    def _noted(self, state: HunterState) -> HunterState:
        self._states[id(state.table)] = state
        return state

    def _deal(self, options: Options, dice: Dice) -> HunterState:
        return self._noted(AGENT_HUNTER.deal(options, dice))

    def _play(self, state: HunterState, seat: Seat, move: Move, dice: Dice) -> HunterState:
        return self._noted(AGENT_HUNTER.play(state, seat, move, dice))


def changing(change: Callable[[HunterState, HunterState, Seat, Move], HunterState]) -> Hunter:
    """The game with something done after each move: change(before, after, seat, move)."""

    def play(state: HunterState, seat: Seat, move: Move, dice: Dice) -> HunterState:
        return change(state, AGENT_HUNTER.play(state, seat, move, dice), seat, move)

    return replace(AGENT_HUNTER, play=play)


def table_remembers_what_was_known() -> Hunter:
    """A card once seen in hand stays known when it was not the one laid down: so one knows it was not."""

    def change(before: HunterState, after: HunterState, seat: Seat, move: Move) -> HunterState:
        if move.type not in ("swap", "refill"):
            return after
        still = before.table.sides[seat].known_in_hand & after.hands[seat].cards
        sides = {**after.table.sides, seat: replace(after.table.sides[seat], known_in_hand=still)}
        return replace(after, table=replace(after.table, sides=sides))

    return changing(change)


@dataclass(frozen=True, kw_only=True)
class TableWithANote(HunterTable):
    """A table with something written under it, which no view shows."""

    note: int | None = None


def table_holds_a_card_no_view_shows() -> Hunter:
    def change(_before: HunterState, after: HunterState, _seat: Seat, _move: Move) -> HunterState:
        note = after.hands["mask"].houses[1]
        fields = {name: value for name, value in vars(after.table).items() if name != "note"}
        return replace(after, table=TableWithANote(**fields, note=note))

    return changing(change)


def public_view_tells_if_a_house_is_high() -> Hunter:
    peeker = Peeker()

    def public(table: HunterTable) -> dict[str, Any]:
        high = (peeker.behind(table).hands["mask"].houses[1] or 0) > 4
        return {**AGENT_HUNTER.public(table), "high": high}

    return peeker.game(public=public)


def choices_come_in_the_order_of_the_hidden_cards() -> Hunter:
    peeker = Peeker()

    def choices(seen: HunterSlice) -> Choices:
        offered = AGENT_HUNTER.choices(seen)
        if not offered or offered[0].type != "attack_from_hand":
            return offered
        held = peeker.enemy_of(seen).houses
        houses = offered[0].fields[1].options
        ordered = One("house", tuple(sorted(houses, key=lambda house: held[house] or 0)))
        return (replace(offered[0], fields=(offered[0].fields[0], ordered)), *offered[1:])

    return peeker.game(choices=choices)


def choices_spare_a_hopeless_attack() -> Hunter:
    """Cards that cannot hit any enemy house are not offered: the missing button tells."""
    peeker = Peeker()

    def choices(seen: HunterSlice) -> Choices:
        offered = AGENT_HUNTER.choices(seen)
        if not offered or offered[0].type != "attack_from_hand":
            return offered
        held = peeker.enemy_of(seen).houses.values()
        cards = offered[0].fields[0].options
        some = One("card", tuple(card for card in cards if card in held) or cards)
        return (replace(offered[0], fields=(some, offered[0].fields[1])), *offered[1:])

    return peeker.game(choices=choices)


def todo_warns_of_a_zero() -> Hunter:
    peeker = Peeker()

    def todo(seen: HunterSlice) -> tuple[Say, ...]:
        warned = seen.seat and 0 in peeker.enemy_of(seen).houses.values()
        return (*AGENT_HUNTER.todo(seen), *([Say("lay_out")] if warned else []))

    return peeker.game(todo=todo)


def _also_telling(kind: str, **told: Callable[[HunterState, Seat], Any]) -> Hunter:
    """The news of this kind has further fields, made from the state and who moved."""

    def change(_before: HunterState, after: HunterState, seat: Seat, _move: Move) -> HunterState:
        said = tuple(
            News(kind, {**news.fields, **{name: tell(after, seat) for name, tell in told.items()}})
            if news.kind == kind
            else news
            for news in after.table.said
        )
        return replace(after, table=replace(after.table, said=said))

    return changing(change)


def news_of_a_refill_tells_the_card() -> Hunter:
    return _also_telling("refilled", cards=lambda state, seat: AGENT_HUNTER.hand(state.hands[seat])["houses"])


def news_of_hiding_tells_if_there_is_a_nine() -> Hunter:
    return _also_telling("hidden", nine=lambda state, seat: 9 in state.hands[seat].cards)


def news_of_a_swap_tells_if_it_is_the_same_card() -> Hunter:
    def tell(state: HunterState, seat: Seat) -> bool:
        return state.table.said[-1].fields["shown"] in state.hands[seat].cards

    return _also_telling("swapped", same=tell)


PLANTED = (
    table_remembers_what_was_known,
    table_holds_a_card_no_view_shows,
    public_view_tells_if_a_house_is_high,
    choices_come_in_the_order_of_the_hidden_cards,
    choices_spare_a_hopeless_attack,
    todo_warns_of_a_zero,
    news_of_a_refill_tells_the_card,
    news_of_hiding_tells_if_there_is_a_nine,
    news_of_a_swap_tells_if_it_is_the_same_card,
)


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: str(plant.__name__))
def test_a_planted_leak_is_found(plant: Callable[[], Hunter]) -> None:
    with pytest.raises(Leak, match="tells"):
        look_for_leaks(plant(), [f"twin/{i}" for i in range(50)])


def test_the_peeker_alone_leaks_nothing() -> None:
    look_for_leaks(Peeker().game(), [f"twin/{i}" for i in range(8)], budget=60)
