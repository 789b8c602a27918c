"""Rare situations of Agent Avenue, each with a move that somebody tries there."""

from collections.abc import Iterator

from referee.core.match import Match
from referee.core.moves import Move, Seat
from tests.support.rules.agent_avenue_language import Player, Table, in_market, sit_down, turn


def scenes() -> Iterator[tuple[Match, Seat, Move]]:
    yield from _cards_that_cannot_be()
    yield _an_ability_without_effect()
    yield _an_ability_that_must_be_used()
    yield _the_last_card()
    yield _a_last_card_discarded_for()
    yield _a_pawn_at_home()
    yield _nobody_can_go_on()
    yield _no_deck()
    yield _somebody_elses_card()
    yield from _ends()
    yield from _cards_set_right()
    yield from _moves_taken_back()


def _cards_set_right() -> Iterator[tuple[Match, Seat, Move]]:
    """A pawn that stands wrongly, a market space that is reached or not, a car that drives on or not."""
    table, ana, bob = sit_down(mode="advanced")
    table.team("blue", progress=-2, permanents=("getaway_car",))
    ana.does("market_setup", cards=("watchtower", "masterplan", "outpost"))
    ana.shows("sentinel")
    ana.conceals("enforcer")
    bob.takes("face_down")
    for agent in ("daredevil", "sidekick", "enforcer"):
        table.asks("green", "correct", n=table.match.made[2].n, fields={"agent": agent})
        table.all_agree()
        yield table.match, "green", Move("discard")


def _moves_taken_back() -> Iterator[tuple[Match, Seat, Move]]:
    """A card laid face down; then each move of a turn, with all since."""
    table, ana, _ = sit_down()
    ana.does("show", agent="enforcer")
    ana.does("conceal", agent="codebreaker")
    table.asks("blue", "undo")
    table.all_agree()
    yield table.match, "blue", Move("discard")
    for card, kind, agent in (
        ("smoke_screen", "recruit_from_deck", "mole"),
        ("mind_control", "take_from", "codebreaker"),
    ):
        table, ana, bob = sit_down(mode="advanced")
        table.team("green", progress=1)
        ana.does("market_setup", cards=(card, "watchtower", "masterplan"))
        ana.discards()
        turn(ana, bob, mine="enforcer", theirs="codebreaker")
        ana.picks(card, refill="spycation")
        ana.does(kind, agent=agent)
        played = table.match
        for made in played.made:
            table.match = played
            table.asks("blue", "undo", n=made.n)
            table.all_agree()
            yield table.match, "blue", Move("discard")


def _cards_that_cannot_be() -> Iterator[tuple[Match, Seat, Move]]:
    table, ana, _ = sit_down()
    table.team("blue", mole=1)
    yield table.match, "green", Move("show", {"agent": "mole"})
    ana.shows("enforcer")
    yield table.match, "green", Move("conceal", {"agent": "saboteur", "whole_hand": True})
    ana.conceals("saboteur")
    yield table.match, "green", Move("take", {"card": "face_up"})


def _an_ability_without_effect() -> tuple[Match, Seat, Move]:
    table, ana, bob = in_market(("smoke_screen", "outpost", "masterplan"))
    table.stands(deck=0)
    turn(ana, bob, mine="daredevil", theirs="codebreaker")
    ana.picks("smoke_screen", refill="spycation")
    return table.match, "green", Move("cannot")


def _an_ability_that_must_be_used() -> tuple[Match, Seat, Move]:
    """All of the only agent in play are in play: whatever is in hand is new."""
    table, ana, bob = in_market(("secret_recruit", "outpost", "masterplan"))
    table.team("green", progress=-1, enforcer=5)
    turn(ana, bob, mine="enforcer", theirs="codebreaker")
    ana.picks("secret_recruit", refill="spycation")
    return table.match, "green", Move("cannot")


def _the_last_card() -> tuple[Match, Seat, Move]:
    table = Table(players=4)
    table.stands(deck=1, reserved=True)
    Player(table, "green_1").shows("codebreaker")
    return table.match, "green_2", Move("discard")


def _a_last_card_discarded_for() -> tuple[Match, Seat, Move]:
    table = Table(players=4)
    table.stands(deck=1, reserved=True)
    Player(table, "green_1").discards()
    return table.match, "green_2", Move("show", {"agent": "mole"})


def _a_pawn_at_home() -> tuple[Match, Seat, Move]:
    table, ana, bob = in_market()
    table.team("green", progress=4, permanents=("security_system",))
    table.team("blue", progress=6)
    turn(ana, bob, mine="codebreaker", theirs="enforcer")
    return table.match, "green", Move("discard")


def _nobody_can_go_on() -> tuple[Match, Seat, Move]:
    table, ana, bob = sit_down()
    table.stands(deck=0)
    table.holds("blue", hand=1)
    turn(ana, bob, mine="codebreaker", theirs="sentinel")
    return table.match, "green", Move("discard")


def _no_deck() -> tuple[Match, Seat, Move]:
    table, _, _ = sit_down()
    table.stands(deck=0)
    return table.match, "green", Move("discard")


def _somebody_elses_card() -> tuple[Match, Seat, Move]:
    table, ana, bob = in_market(("outpost", "watchtower", "masterplan"))
    turn(ana, bob, mine="daredevil", theirs="codebreaker")
    ana.picks("outpost", refill="spycation")
    return table.match, "blue", Move("cannot")


def _ends() -> Iterator[tuple[Match, Seat, Move]]:
    """The ends that market cards bring, and a conflict."""
    agents = ("double_agent", "enforcer", "codebreaker", "saboteur", "daredevil", "mole")
    for cards, zone in (
        (("masterplan",), dict.fromkeys(agents, 1)),
        (("leader_of_the_pack",), {"daredevil": 3}),
        ((), {"daredevil": 3, "codebreaker": 3}),
    ):
        table, ana, bob = in_market(("outpost", "watchtower", "spycation"))
        table.team("green", None, cards, **zone)
        turn(ana, bob, mine="sentinel", theirs="saboteur")
        yield table.match, "green", Move("discard")
