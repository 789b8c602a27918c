"""The tests that every game gets: random games, looked at closely at each step.

A test file of a game has all of them, if it gives them the game:

    from referee.kit.game_tests import *

    @pytest.fixture
    def game() -> Game[Any, Any]:
        return MY_GAME
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import FrozenInstanceError, is_dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

from referee.core.dice import Dice
from referee.core.entries import Moved, read, write
from referee.core.errors import IllegalMove
from referee.core.game import Game
from referee.core.match import Match, open_match
from referee.core.moves import Arrange, Choices, Move, Seat, Text
from referee.core.options import BadOption, OneOf
from referee.kit.check import trial_faults
from referee.kit.golden import moves_in, paths, playthrough, recorded
from referee.kit.legal_moves import almost, every_move, is_legal, name_of, some_moves, worded
from referee.kit.twin_worlds import look_for_leaks
from referee.presentation.papers import score_sheet
from referee.presentation.sheets import PrintedLine, lay_out
from referee.presentation.views import Localizer, view
from referee.presentation.words import LANGUAGES, words
from referee.program.installed_games import add_game, remove_game
from referee.program.simulate import SimulatedMove, opened, steps


def games(few: int) -> range:
    """The numbers of so many random games; with REFEREE_SOAK=1 forty times as many."""
    times = os.environ.get("REFEREE_SOAK_TIMES", "40") if os.environ.get("REFEREE_SOAK") == "1" else "1"
    return range(few * int(times))


@contextmanager
def raises(*kinds: type[BaseException]) -> Iterator[list[Any]]:
    """The block raises one of these exceptions, which is then in the list."""
    caught: list[Any] = []
    try:
        yield caught
    except kinds as error:
        caught.append(error)
    assert caught, f"none of {kinds} was raised"


@contextmanager
def registered(game: Game[Any, Any], package: str) -> Iterator[None]:
    """The game is in the registry, with the words of this package, while the block runs."""
    add_game(game, package)
    try:
        yield
    finally:
        remove_game(game)


def played(game: Game[Any, Any], name: str, n: int) -> Iterator[tuple[Match, list[SimulatedMove], Dice]]:
    """Random games: how each was opened, all its steps, and dice to look around with.

    As many as asked for, and fewer of a game so long that they would have more than 40 steps each.
    """
    looked_at = 0
    for i in games(n):
        seed = f"{name}/{i}"
        start = opened(game, seed)
        made = list(steps(start, seed))
        yield start, made, Dice(seed, 1)
        looked_at += len(made)
        if looked_at > 40 * len(games(n)):
            return


def refusal(match: Match, seat: Seat, move: Move, version: int | None = None) -> IllegalMove | None:
    try:
        match.check(seat, move, match.version if version is None else version)
    except IllegalMove as refused:
        return refused
    return None


def test_somebody_can_act_or_it_is_over_and_never_both(game: Game[Any, Any]) -> None:
    for start, all_steps, _ in played(game, "act", 100):
        assert start.seen_by().status == "joining"
        for version, step in enumerate(all_steps, 1):
            seen = step.match.seen_by()
            assert seen.version == version
            if seen.status != "joining":
                assert bool(seen.waiting_for) != bool(seen.outcome)
            assert all(bool(step.match.choices.get(s)) == (s in seen.waiting_for) for s in step.match.seats)
        assert all_steps[-1].match.seen_by().status == "over"


def test_what_a_seat_sees_is_the_same_made_from_what_all_see(game: Game[Any, Any]) -> None:
    before = opened(game, "seen")
    for step in steps(before, "seen", thorough=True):
        match, public = step.match, step.match.seen_by()
        for seat in match.seats:
            assert match.seen_by(seat, public) == match.seen_by(seat)
            for wrong in (match.seen_by(seat), before.seen_by()):
                with raises(AssertionError):
                    match.seen_by(seat, wrong)
        before = match


def test_every_offered_move_is_accepted(game: Game[Any, Any]) -> None:
    for _, all_steps, dice in played(game, "offered", 6):
        for match in (step.match for step in all_steps):
            for seat in match.seen_by().waiting_for:
                for move in some_moves(match.choices[seat], dice, most=12):
                    assert refusal(match, seat, move) is None
                    after = match.after(Moved(seat, move, "00" * 32))
                    assert after.version == match.version + 1
                    assert after.outcome or after.seen_by().waiting_for
                    assert not list(game.invariants(after.state)) if after.state else False


def test_everything_else_is_refused_in_words(game: Game[Any, Any]) -> None:
    """Moves that differ a little from legal ones, moves of other steps, moves of other seats."""
    for _, all_steps, dice in played(game, "refused", 8):
        made = [step.entry.move for step in all_steps if isinstance(step.entry, Moved)]
        for match in (step.match for step in all_steps if step.match.state):
            for seat in match.seats:
                some = some_moves(match.choices[seat], dice, most=2, in_all=6)
                near = [m for move in some for m in almost(move, game, dice)]
                for move in (*near, *dice.arrange(made, min(5, len(made)))):
                    _refused_unless_legal(match, seat, move, match.choices[seat])


def _refused_unless_legal(match: Match, seat: Seat, move: Move, choices: Choices) -> None:
    refused = refusal(match, seat, move)
    assert (refused is None) == is_legal(choices, move)
    if refused:
        assert refused.code in ("illegal-move", "malformed")
        assert all(worded(refused, words(language)) for language in LANGUAGES)


def test_a_move_of_the_wrong_form_is_malformed_and_a_wrong_one_is_illegal(game: Game[Any, Any]) -> None:
    for _, all_steps, dice in played(game, "form", 3):
        for match in (step.match for step in all_steps if step.match.state):
            for seat in match.seen_by().waiting_for:
                (move,) = dice.arrange(some_moves(match.choices[seat], dice, 1), 1)
                shape = game.moves[move.type]
                for other in almost(move, game, dice):
                    refused = refusal(match, seat, other)
                    if refused and other.type in game.moves:
                        wrong = list(game.moves[other.type].misfits(other.fields))
                        assert (refused.code == "malformed") == bool(wrong)
                assert not list(shape.misfits(move.fields))


def test_choices_and_moves_agree_on_fields_and_on_what_is_secret(game: Game[Any, Any]) -> None:
    met = set()
    for _, all_steps, _dice in played(game, "shape", 30):
        for choice in (c for step in all_steps for cs in step.match.choices.values() for c in cs):
            shape = game.moves[choice.type]
            names = {field.name for field in choice.fields}
            assert shape.fields.keys() - shape.optional <= names <= shape.fields.keys()
            assert choice.secrets() == shape.secret & names
            assert {f.name for f in choice.fields if isinstance(f, Text)} <= shape.texts
            assert all(isinstance(field, Text) or field.options for field in choice.fields)
            assert all(f.count <= len(f.options) for f in choice.fields if isinstance(f, Arrange))
            met.add(choice.type)
    assert met == game.moves.keys()


def test_no_two_choices_offer_the_same_move(game: Game[Any, Any]) -> None:
    for _, all_steps, _dice in played(game, "twice", 4):
        for choices in (cs for step in all_steps for cs in step.match.choices.values()):
            names = [name_of(move) for choice in choices for move in every_move(choice)]
            assert len(names) == len(set(names))


def test_before_everybody_sits_nothing_can_be_played(game: Game[Any, Any]) -> None:
    for start, all_steps, _ in played(game, "joining", 5):
        move = next(step.entry.move for step in all_steps if isinstance(step.entry, Moved))
        joining = [start, *(step.match for step in all_steps if step.match.state is None)]
        assert len(joining) == len(start.seats)
        for match in joining:
            refused = refusal(match, match.seats[0], move)
            assert refused is not None
            assert refused.code == "not-started"
            assert all(worded(refused, words(language)) for language in LANGUAGES)


def test_a_stale_version_is_refused(game: Game[Any, Any]) -> None:
    """Old: what this seat may do changed since. New: from a table that does not exist yet."""
    for _, all_steps, _dice in played(game, "stale", 20):
        for before, step in pairwise(all_steps):
            if not isinstance(step.entry, Moved):
                continue
            seat, move, match = step.entry.seat, step.entry.move, before.match
            assert refusal(match, seat, move) is None
            assert refusal(match, seat, move, match.changed[seat]) is None
            for version in (match.changed[seat] - 1, -1, match.version + 1):
                refused = refusal(match, seat, move, version)
                assert refused is not None
                assert refused.code == "stale"
                assert all(worded(refused, words(language)) for language in LANGUAGES)
            again = refusal(step.match, seat, move, match.version)
            assert again is not None, "the same tap twice played twice"


def test_an_entry_that_leaves_a_seats_choices_alone_makes_it_not_stale(game: Game[Any, Any]) -> None:
    for _, all_steps, dice in played(game, "simultaneous", 20):
        for before, step in pairwise(all_steps):
            mover = step.entry.seat if isinstance(step.entry, Moved) else None
            for seat in (seat for seat in step.match.seats if seat != mover):
                choices = step.match.choices.get(seat)
                if isinstance(step.entry, Moved) and step.entry.seat == seat:
                    continue  # whoever moved must look again
                if choices and choices == before.match.choices.get(seat):
                    move = some_moves(choices, dice, 1)[0]
                    assert refusal(step.match, seat, move, before.match.version) is None


def test_the_record_replays_to_the_same_match(game: Game[Any, Any]) -> None:
    for start, all_steps, _ in played(game, "replay", 60):
        entries = [step.entry for step in all_steps]
        lines = "\n".join(map(write, entries)).split("\n")
        assert [read(line) for line in lines] == entries
        again = start
        for line, step in zip(lines, all_steps, strict=True):
            again = again.after(read(line))
            assert again == step.match


def test_the_same_seed_gives_the_same_game_and_another_does_not(game: Game[Any, Any]) -> None:
    def text(seed: str) -> list[str]:
        return [write(step.entry) for step in steps(opened(game, seed), seed)]

    assert text("dice/1") == text("dice/1")
    assert text("dice/1") != text("dice/2")


def test_playing_changes_nothing_of_the_match_before(game: Game[Any, Any]) -> None:
    for start, all_steps, _ in played(game, "pure", 10):
        texts = [(step.match.head, view(step.match.seen_by(), words("fr"))) for step in all_steps]
        reduce(Match.after, (step.entry for step in all_steps), start)
        assert texts == [(step.match.head, view(step.match.seen_by(), words("fr"))) for step in all_steps]
        with raises(FrozenInstanceError):
            all_steps[-1].match.state.table.turn = "x"  # type: ignore[union-attr]


def _inside(thing: object) -> Iterator[object]:
    """A thing and everything it is made of."""
    yield thing
    parts: tuple[object, ...] = ()
    if is_dataclass(thing):
        parts = tuple(vars(thing).values())
    elif isinstance(thing, Mapping):
        parts = tuple(thing.values())
    elif isinstance(thing, tuple | list | frozenset | set):
        parts = tuple(thing)
    for part in parts:
        yield from _inside(part)


def test_all_data_is_frozen(game: Game[Any, Any]) -> None:
    for _, all_steps, _dice in played(game, "frozen", 3):
        for step in all_steps:
            for thing in _inside((step.entry, step.match.state, step.match.news, step.match.choices)):
                params: Any = getattr(thing, "__dataclass_params__", None)
                assert params is None or params.frozen, type(thing)


def test_options_that_are_unknown_or_cannot_be_are_refused(game: Game[Any, Any]) -> None:
    for option in game.options:
        for strange in (object(), "no such value", -(10**9), 0.5, (), {}, 10**9):
            with raises(BadOption) as refused:
                open_match("KX7QF", game, {option.name: strange}, "00" * 32)
            assert refused[0].name == option.name
        assert option.permits(option.default)
    with raises(BadOption):
        open_match("KX7QF", game, {"no_such_option": 1}, "00" * 32)


def test_the_common_options_are_there(game: Game[Any, Any]) -> None:
    options = {option.name: option for option in game.options}
    language, first = options["language"], options["first"]
    assert isinstance(language, OneOf)
    assert isinstance(first, OneOf)
    assert language.options == LANGUAGES
    assert first.default == "random"


def test_all_can_be_said_in_every_language_for_every_seat(game: Game[Any, Any]) -> None:
    for start, all_steps, _ in played(game, "said", 15):
        for match in (start, *(step.match for step in all_steps)):
            for language in LANGUAGES:
                for seat in (None, *match.seats):
                    shown = view(match.seen_by(seat), words(language))
                    assert all(item["text"] for item in shown["news"])
                    assert (shown["me"] is None) == (seat is None)
        last = all_steps[-1].match.seen_by()
        for language in LANGUAGES:
            lines = list(lay_out(score_sheet(last, words(language), "2026-01-01"), 32))
            assert any(isinstance(line, PrintedLine) and line.large for line in lines)


def test_a_score_sheet_or_debrief_before_the_end_is_refused(game: Game[Any, Any]) -> None:
    for start, all_steps, _ in played(game, "early", 3):
        for match in (start, *(step.match for step in all_steps[:-1])):
            seen = match.seen_by(match.seats[0])
            assert seen.debrief is None
            with raises(PermissionError):
                list(score_sheet(seen, words("fr"), "now"))
            if match.state:
                with raises(PermissionError):
                    game.debrief(match.state)


def test_two_people_of_the_same_name_are_told_apart(game: Game[Any, Any]) -> None:
    for start, all_steps, _ in played(game, "names", 1):
        seats = start.seats
        localizer = Localizer(words("fr"), game, dict.fromkeys(seats, "Ana"))
        assert len({localizer.name(seat) for seat in seats}) == len(seats)
        assert Localizer(words("fr"), game, dict.fromkeys(seats)).name(seats[0]) == localizer.title(seats[0])
        assert all_steps


def test_news_is_numbered_without_gaps_and_names_its_entry(game: Game[Any, Any]) -> None:
    for _, all_steps, _dice in played(game, "numbers", 20):
        told = {t.n: t for step in all_steps for t in step.match.news}
        assert sorted(told) == list(range(1, len(told) + 1))
        for step in all_steps:
            mine = [t for t in step.match.news if t.entry == step.match.entries]
            assert mine, "an entry told nothing"
            secret = isinstance(step.entry, Moved) and bool(step.entry.salt)
            assert [bool(t.commitment) for t in mine] == [secret, *[False] * (len(mine) - 1)]


# ---- what is recorded, and what leaks


def test_the_game_goes_as_it_was_recorded(game: Game[Any, Any]) -> None:
    assert paths(game), "record it with: referee record ID"
    for file in paths(game):
        text = file.read_text(encoding="utf-8")
        assert playthrough(game, *recorded(text)).splitlines() == text.splitlines()


def test_the_recorded_games_show_every_move_and_every_seat(game: Game[Any, Any]) -> None:
    made = set()
    for file in paths(game):
        text = file.read_text(encoding="utf-8")
        seed, options = recorded(text)
        made |= moves_in(list(steps(opened(game, seed, options), seed)))
        for seat in game.seats(options):
            assert f"\n  {seat} holds " in text
    assert made == game.moves.keys()


def test_no_seat_can_tell_a_world_from_its_twins(game: Game[Any, Any]) -> None:
    look_for_leaks(game, [f"twin/{i}" for i in games(30)])


def test_the_kit_finds_no_fault(game: Game[Any, Any]) -> None:
    assert list(trial_faults(game)) == []
