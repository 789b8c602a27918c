"""The score sheet of Agent Avenue: each side's progress, agents and market cards, and the hidden cards.
Also the parts of each score, for the ending on the table screen."""

from collections.abc import Iterator, Mapping
from typing import Any

from referee.core.game import Finished, Part, Say
from referee.core.moves import Seat, Side
from referee.games.agent_avenue.cards import SIDES, symbol
from referee.games.agent_avenue.table import side_of
from referee.presentation.sheets import Block, Gap, Paragraph, Row, Rule


def sheet(game: Finished) -> Iterator[Block]:
    for side in SIDES:
        yield from _side(game, side, game.public["sides"][side])
    yield Row(game.say("turns"), str(game.public["turns"]))
    yield Rule()
    yield Paragraph(game.say("hidden"), bold=True)
    for seat, name in game.names.items():
        yield from _concealed(game, seat, name)


def score_parts(public: Mapping[str, Any]) -> dict[Side, tuple[Part, ...]]:
    """The progress of each side: the symbols of its agents in play, and the rest from the market."""
    return {side: tuple(_parts(public["sides"][side])) for side in SIDES}


def _parts(team: Mapping[str, Any]) -> Iterator[Part]:
    left = team["progress"]
    for agent, copies in team["zone"].items():
        spaces = sum(symbol(agent, n) for n in range(1, copies + 1))
        left -= spaces
        yield Part(Say("agent", {"agent": agent, "n": copies}), spaces)
    if left:
        yield Part(Say("market"), left)


def _side(game: Finished, side: Side, shown: Any) -> Iterator[Block]:
    names = " & ".join(name for seat, name in game.names.items() if side_of(seat) == side)
    yield Paragraph(f"{names} ({game.title(side)})", bold=True)
    yield Row(game.say("progress"), str(game.outcome.scores[side]), bold=True)
    for agent, n in shown["zone"].items():
        yield Row(game.say("agent", agent=agent), str(n))
    if shown["market_cards"]:
        yield Paragraph(game.say("market"))
        yield from (Paragraph(f"- {game.say('card', card=card)}") for card in shown["market_cards"])
    yield Gap()


def _concealed(game: Finished, seat: Seat, name: str) -> Iterator[Block]:
    cards = game.debrief[seat]["concealed"]
    if not cards:
        return
    yield Paragraph(name)
    for number, card in enumerate(cards, 1):
        key = "whole_hand" if card["whole_hand"] else "agent"
        line = f"{number}. {game.say(key, agent=card['agent'])}"
        is_corrected = number in game.corrected.get(seat, ())
        yield Paragraph(f"{line} {game.say('corrected')}" if is_corrected else line)
