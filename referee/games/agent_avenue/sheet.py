"""The score sheet of Agent Avenue: how far each side came, with which agents and market cards."""

from collections.abc import Iterator
from typing import Any

from referee.game import Finished
from referee.games.agent_avenue.cards import SIDES
from referee.games.agent_avenue.table import side_of
from referee.moves import Seat, Side
from referee.sheets import Block, Gap, Row, Rule, Text


def sheet(game: Finished) -> Iterator[Block]:
    for side in SIDES:
        yield from _side(game, side, game.public["sides"][side])
    yield Row(game.say("turns"), str(game.public["turns"]))
    yield Rule()
    yield Text(game.say("hidden"), bold=True)
    for seat, name in game.names.items():
        yield from _concealed(game, seat, name)


def _side(game: Finished, side: Side, shown: Any) -> Iterator[Block]:
    names = " & ".join(name for seat, name in game.names.items() if side_of(seat) == side)
    yield Text(f"{names} ({game.title(side)})", bold=True)
    yield Row(game.say("progress"), str(game.outcome.scores[side]), bold=True)
    for agent, n in shown["zone"].items():
        yield Row(game.say("agent", agent=agent), str(n))
    if shown["market_cards"]:
        yield Text(game.say("market"))
        yield from (Text(f"- {game.say('card', card=card)}") for card in shown["market_cards"])
    yield Gap()


def _concealed(game: Finished, seat: Seat, name: str) -> Iterator[Block]:
    cards = game.debrief[seat]["concealed"]
    if not cards:
        return
    yield Text(name)
    for number, card in enumerate(cards, 1):
        key = "whole_hand" if card["whole_hand"] else "agent"
        line = f"{number}. {game.say(key, agent=card['agent'])}"
        is_corrected = number in game.corrected.get(seat, ())
        yield Text(f"{line} {game.say('corrected')}" if is_corrected else line)
