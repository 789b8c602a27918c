"""The match: joining, versions, what is stored, who is told what."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from referee.core.append_only import AppendOnlyList
from referee.core.dice import Dice
from referee.core.entries import DeskTaken, Joined, Moved
from referee.core.errors import IllegalMove
from referee.core.game import Game, Hand, News, Outcome, Say, Slice, State, Table
from referee.core.match import RECENT, Match, NewsEntry, PlayerView, open_match
from referee.core.moves import Arrange, Choice, Move, One, Shape
from referee.core.options import Number, OneOf
from referee.games import GAMES
from referee.games.agent_hunter import AGENT_HUNTER
from referee.presentation.views import Localizer, view
from referee.presentation.words import words
from referee.program.simulate import opened as simulated
from referee.program.simulate import steps
from tests.support.rules.agent_hunter_language import play, sit_down
from tests.support.rules.table_language import SEED


def opened(**options: Any) -> Match:
    return open_match("KX7QF", AGENT_HUNTER, {"first": "target", **options}, SEED)


def test_a_new_match_waits_for_its_people() -> None:
    match = opened()
    assert (match.version, match.seats, match.outcome) == (0, ("target", "mask"), None)
    seen = match.seen_by()
    assert (seen.status, seen.waiting_for, seen.choices, seen.news) == ("joining", (), (), ())
    assert seen.names == {"target": None, "mask": None}


def test_the_last_to_join_deals() -> None:
    match = opened().after(Joined("mask", "Bob"))
    assert match.state is None
    assert [t.news.kind for t in match.news] == ["joined"]
    match = match.after(Joined("target", "Ana"))
    assert [(t.n, t.entry, t.news.kind) for t in match.news] == [
        (1, 1, "joined"),
        (2, 2, "joined"),
        (3, 2, "began"),
    ]
    assert match.seen_by().status == "playing"
    assert match.seats == ("target", "mask")  # whoever came first


def test_the_answer_to_a_move_carries_its_own_news() -> None:
    table, ana, _ = play(ana=(1, 2, 3), bob=(4, 5, 6))
    ana.attacks(house=1, card=4)
    mine = [t for t in table.match.news if t.entry == table.match.entries]
    assert [t.news.kind for t in mine] == ["attack", "destroyed", "turn"]


def test_the_latest_twenty_news_stay_in_the_view_and_numbers_go_on() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    for _turn in range(40):
        ana.misses()
        bob.misses()
    assert len(table.match.news) == RECENT >= 20
    numbers = [t.n for t in table.match.news]
    assert numbers == list(range(numbers[0], numbers[0] + RECENT))
    assert numbers[-1] > 100


def test_only_the_own_salts_are_seen() -> None:
    table, _, _ = play(ana=(1, 2, 3), bob=(4, 5, 6))
    assert [n for n, _ in table.match.seen_by("target").salts] == [4]
    assert [n for n, _ in table.match.seen_by("mask").salts] == [5]
    assert table.match.seen_by().salts == ()


def test_what_nobody_in_particular_sees_has_no_hand_and_no_choices() -> None:
    table, _, _ = play(ana=(1, 2, 3), bob=(4, 5, 6))
    seen = table.match.seen_by()
    assert seen.slice is not None
    assert seen.slice.hand is None
    assert seen.choices == ()
    with pytest.raises(LookupError):
        seen.slice.mine()


def test_the_desk_leaving_is_told_and_changes_nothing_else() -> None:
    table, _, _ = play(ana=(1, 2, 3), bob=(4, 5, 6))
    before = table.match
    after = before.after(DeskTaken())
    assert after.version == before.version
    assert after.head != before.head
    assert after.news[-1].news == News("desk_taken")
    assert (after.state, after.choices, after.changed) == (before.state, before.choices, before.changed)
    after.check("target", Move("attack_from_hand", {"card": 9, "house": 1}), before.version)  # not stale


def test_the_desk_may_leave_while_people_still_join() -> None:
    match = opened().after(DeskTaken()).after(Joined("mask", "Bob"))
    assert match.state is None
    assert match.after(DeskTaken()).after(Joined("target", "Ana")).version == 2


def test_checks_come_in_the_order_of_the_contract() -> None:
    """400 malformed, 409 not-started, 409 stale, 422 illegal-move."""
    fine, odd = Move("hide", {"houses": (1, 2, 3)}), Move("hide", {"house": 1})
    assert _code(opened(), odd, 0) == "malformed"
    assert _code(opened(), fine, 0) == "not-started"
    table, _, _ = sit_down()
    assert _code(table.match, odd, 99) == "malformed"
    assert _code(table.match, fine, 99) == "stale"
    assert _code(table.match, fine, 1) == "stale"
    assert _code(table.match, Move("hide", {"houses": (1, 1, 1)}), 2) == "illegal-move"
    assert _code(table.match, Move("nonsense", {"x": 1}), 2) == "illegal-move"
    table.match.check("target", fine, 2)


def _code(match: Match, move: Move, version: int) -> str:
    with pytest.raises(IllegalMove) as refused:
        match.check("target", move, version)
    return refused.value.code


def test_a_view_of_the_contract_has_its_fields() -> None:
    table, _, _ = play(ana=(1, 2, 3), bob=(4, 5, 6))
    shown = view(table.match.seen_by("target"), words("fr"), connected={"mask"})
    fields = "table game options version status seats waiting_for public news question me outcome next"
    assert shown.keys() >= set(fields.split())
    assert shown["seats"]["target"] == {
        "name": "Ana",
        "avatar": None,
        "joined": True,
        "connected": False,
        "bot": False,
    }
    assert shown["seats"]["mask"]["connected"]
    assert shown["waiting_for"] == ["target"]
    assert shown["me"].keys() >= {"seat", "hand", "choices", "todo"}
    assert shown["news"][-1]["text"] == "À Ana de jouer."
    assert view(table.match.seen_by(), words("en"))["news"][-1]["text"] == "It’s Ana’s turn."
    assert view(table.match.seen_by(), words("fr"))["me"] is None


def test_a_view_tells_everybody_what_to_do_and_each_seat_its_own_part() -> None:
    table, ana, _ = play(ana=(1, 2, 3), bob=(4, 5, 6))
    ana.attacks(house=1, card=9)
    of_ana, of_bob, of_all = (
        view(table.match.seen_by(seat), words("en")) for seat in ("target", "mask", None)
    )
    public = ["Ana takes the 9 back."]
    assert of_ana["todo"] == of_bob["todo"] == of_all["todo"] == public
    assert of_ana["me"]["todo"] == ["Take your 9 back into your hand."]
    assert of_bob["me"]["todo"] == public


def test_an_outcome_of_the_contract_has_its_fields() -> None:
    table, ana, bob = play(ana=(1, 2, 3), bob=(4, 5, 6))
    for house, card in ((1, 4), (2, 5), (3, 6)):
        ana.attacks(house=house, card=card)
        if house < 3:
            bob.misses()
    outcome = view(table.match.seen_by(), words("fr"))["outcome"]
    assert outcome.keys() == {"winners", "draw", "reason", "scores", "tie_break", "debrief"}
    assert outcome["winners"] == ["target"]
    assert outcome["debrief"]["mask"]["first"]["houses"] == {"1": 4, "2": 5, "3": 6}


def test_a_name_with_braces_is_only_a_name() -> None:
    match = opened().after(Joined("target", "{by} {0}")).after(Joined("mask", "{card.__class__}"))
    texts = [item["text"] for item in view(match.seen_by(), words("fr"))["news"]]
    assert texts[0] == "{by} {0} est à table."
    assert texts[1] == "{card.__class__} est à table."


# ---- a tiny game, for what Agent Hunter never does


def _count_to_three() -> Game[Any, Any]:
    """One seat says "one more" three times: its choices stay the same all along."""
    more = Choice("more", (One("by", (1,)),))

    def play_on(state: Any, _seat: str, _move: Move, _dice: Dice) -> Any:
        step = int(state.table.step) + 1
        over = Outcome(("a",), "done") if step == 3 else None
        return State(Table(turn="a", step=str(step), said=(News("counted"),), outcome=over), state.hands)

    def choices(seen: Slice[Any, Any]) -> tuple[Choice, ...]:
        return () if seen.table.outcome or seen.seat != "a" else (more,)

    def deal(_options: Any, _dice: Dice) -> Any:
        return State(Table(turn="a", step="0"), {"a": Hand(), "b": Hand()})

    return replace(
        AGENT_HUNTER,
        id="count",
        seats=lambda _options: ("a", "b"),
        options=(),
        moves={"more": Shape({"by": int})},
        deal=deal,
        choices=choices,
        play=play_on,
        variants={},
        why_not=lambda _seen, _move: Say("sorry"),
    )


def test_a_turn_that_stays_is_not_told_again() -> None:
    match = open_match("T", _count_to_three(), {}, SEED).after(Joined("a", "A")).after(Joined("b", "B"))
    assert [t.news.kind for t in match.news] == ["joined", "joined", "turn"]
    match = match.after(Moved("a", Move("more", {"by": 1})))
    assert [t.news.kind for t in match.news if t.entry == match.entries] == ["counted"]


def test_the_same_tap_twice_plays_once_even_if_the_choices_stay_the_same() -> None:
    """A seat's own move changes what it may do: its older version is stale."""
    match = open_match("T", _count_to_three(), {}, SEED).after(Joined("a", "A")).after(Joined("b", "B"))
    move = Move("more", {"by": 1})
    match.check("a", move, match.version)
    after = match.after(Moved("a", move))
    with pytest.raises(IllegalMove, match="stale"):
        after.check("a", move, match.version)
    after.check("a", move, after.version)


def test_a_games_own_reason_for_a_refusal_has_its_name() -> None:
    match = open_match("T", _count_to_three(), {}, SEED).after(Joined("a", "A")).after(Joined("b", "B"))
    with pytest.raises(IllegalMove) as refused:
        match.check("b", Move("more", {"by": 1}), match.version)
    assert refused.value.why == Say("count.why.sorry")


@pytest.mark.parametrize(
    "kind",
    [
        Match,
        PlayerView,
        NewsEntry,
        Joined,
        Moved,
        DeskTaken,
        Move,
        Choice,
        One,
        Arrange,
        Shape,
        OneOf,
        Number,
    ],
)
def test_what_is_shared_is_frozen(kind: type) -> None:
    assert issubclass(kind, tuple) or kind.__dataclass_params__.frozen  # type: ignore[attr-defined]


def test_the_end_of_a_tie_says_how_it_was_decided() -> None:
    match = next(
        step.match
        for i in range(400)
        for step in steps(simulated(AGENT_HUNTER, f"tie/{i}"), f"tie/{i}")
        if step.match.outcome and step.match.outcome.tie_break
    )
    told = Localizer(words("en"), match.game, match.names).news(match.news[-1].news)
    sums = match.outcome.tie_break["hand_sum"] if match.outcome and match.outcome.tie_break else {}
    assert "decided by the total of the cards in hand" in told
    assert all(f"{match.names[seat]} {figure}" in told for seat, figure in sums.items())


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
def test_no_row_that_grows_is_shared_by_two_games(game: Game[Any, Any]) -> None:
    """All lengths of such a row are one list: what one game put there would stay for ever."""
    one, other = (list(growing(simulated(game, seed), seed)) for seed in ("one", "other"))
    assert len(one) == len(other) > 0
    assert not {id(row) for row in one} & {id(row) for row in other}


def growing(match: Match, seed: str) -> Iterator[AppendOnlyList[Any]]:
    """The rows of a match that has just been dealt."""
    dealt = next(step.match for step in steps(match, seed) if step.match.state)
    assert dealt.state
    for part in (dealt, dealt.state.table, *dealt.state.hands.values()):
        yield from (value for value in vars(part).values() if isinstance(value, AppendOnlyList))


@pytest.mark.parametrize("game", GAMES)
def test_who_began_is_the_same_whatever_was_entered_before_the_deal(game: str) -> None:
    for n in range(8):
        match = open_match("KX7QF", GAMES[game], {}, f"{n:064x}").after(DeskTaken())
        for seat in match.seats:
            match = match.after(Joined(seat, seat))
        began = next(told.news for told in match.news if told.news.kind == "began")
        assert match.first == began.fields["first"]
