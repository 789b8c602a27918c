"""The lights, on mock pins, in simulated time."""

import pytest

from hardware.devices.health import Health
from hardware.devices.inbox import Inbox
from hardware.devices.lights import Dark, Flash, Lights, Order, SeatLamps, Status
from referee.presentation.cues import PAUSE, STATES, counting
from referee.program import settings
from tests.support.hardware.mock_board import Board, Script, run_to_end
from tests.support.rules.all_cues import ALL

PINS = settings.LightSettings()
PLUS, MOINS, REUSSITE, SEAT_1, SEAT_2 = 17, 27, 22, 5, 6
NO_PINS = settings.NO_LIGHTS


def flash(key: str, lamp: str = "") -> Flash:
    cue = ALL[key]
    return Flash((lamp or cue.lamp,), cue.pattern, cue.stays)


def played(
    *arrivals: tuple[float, Order], pins: settings.LightSettings = PINS
) -> list[tuple[float, int, bool]]:
    """What the pins did while these orders arrived."""
    script = Script(*arrivals)
    board = Board(script)
    healths: list[Health] = []
    lights = Lights(pins, board.factory, healths.append, script)
    run_to_end(lights)
    lights.close()
    assert set(healths) == {Health(True, "ready")}
    return board.lights


def test_plus_blinks_twice_slowly_and_stays() -> None:
    assert played((0.0, flash("attack.plus"))) == [
        (0.0, PLUS, True),
        (0.6, PLUS, False),
        (0.8, PLUS, True),
        (1.4, PLUS, False),
        (1.6, PLUS, True),
    ]


def test_moins_blinks_three_times_quickly_and_stays() -> None:
    states = played((0.0, flash("attack.moins")))
    assert [(at, lit) for at, _, lit in states] == [
        (0.0, True),
        (0.2, False),
        (0.4, True),
        (0.6, False),
        (0.8, True),
        (1.0, False),
        (1.2, True),
    ]
    assert {pin for _, pin, _ in states} == {MOINS}


def test_figures_are_counted_out_before_the_lamp_of_the_turn_stays_lit() -> None:
    """The turn passes while the figures are still being counted: it cuts none of them short."""
    (one, two), _ = counting((1, 2))
    counts = (Flash(("seat_1",), one, False), Flash(("seat_2",), two, False))
    states = played((0.0, counts[0]), (0.0, counts[1]), (0.0, flash("turn", "seat_2")))
    assert [(pin, lit) for _, pin, lit in states] == [
        *((SEAT_1, True), (SEAT_1, False)),
        *((SEAT_2, True), (SEAT_2, False)) * 2,
        (SEAT_2, True),
    ]
    assert states[0][0] == PAUSE
    assert states[-1][0] == pytest.approx(sum(two))


def test_a_result_stays_until_the_next_result() -> None:
    states = played((0.0, flash("attack.plus")), (60.0, flash("attack.reussite")))
    assert states[4:7] == [(1.6, PLUS, True), (60.0, PLUS, False), (60.0, REUSSITE, True)]
    assert states[-1] == (61.0, REUSSITE, True)


def test_a_result_cuts_short_the_pattern_of_the_one_before() -> None:
    states = played((0.0, flash("attack.plus")), (0.3, flash("attack.moins")))
    assert states[:3] == [(0.0, PLUS, True), (0.3, PLUS, False), (0.3, MOINS, True)]
    assert all(pin == MOINS for _, pin, _ in states[2:])


def test_the_same_result_again_starts_again() -> None:
    states = played((0.0, flash("attack.plus")), (0.7, flash("attack.plus")))
    assert [(at, lit) for at, _, lit in states] == [
        (0.0, True),
        (0.6, False),
        (0.7, True),
        (1.3, False),
        (1.5, True),
        (2.1, False),
        (2.3, True),
    ]


def test_the_lamp_of_the_turn_moves_on() -> None:
    states = played((0.0, flash("turn", "seat_1")), (5.0, flash("turn", "seat_2")))
    assert states == [(0.0, SEAT_1, True), (5.0, SEAT_1, False), (5.0, SEAT_2, True)]


def test_another_seats_blinking_leaves_the_turn_alone() -> None:
    states = played((0.0, flash("turn", "seat_1")), (1.0, flash("hidden", "seat_2")))
    assert states[1:] == [
        (1.0, SEAT_2, True),
        (1.1, SEAT_2, False),
        (1.2, SEAT_2, True),
        (1.3, SEAT_2, False),
    ]


def test_the_turns_own_lamp_blinks_and_stays_lit() -> None:
    states = played((0.0, flash("turn", "seat_1")), (1.0, flash("hidden", "seat_1")))
    blinks = [(1.1, SEAT_1, False), (1.2, SEAT_1, True), (1.3, SEAT_1, False), (1.4, SEAT_1, True)]
    assert states == [(0.0, SEAT_1, True), *blinks]


def test_cues_of_one_move_play_at_the_same_time() -> None:
    """What one move tells comes at once: the result blinks, while the turn has moved on already."""
    states = played(
        (0.0, flash("turn", "seat_1")), (9.0, flash("attack.plus")), (9.0, flash("turn", "seat_2"))
    )
    assert states[1:4] == [(9.0, PLUS, True), (9.0, SEAT_1, False), (9.0, SEAT_2, True)]
    assert states[4:] == [(9.6, PLUS, False), (9.8, PLUS, True), (10.4, PLUS, False), (10.6, PLUS, True)]


def test_a_turn_without_a_cue_interrupts_no_pattern() -> None:
    states = played((0.0, flash("attack.plus")), (0.3, SeatLamps(("seat_2",))), (0.4, SeatLamps(())))
    assert (0.3, SEAT_2, True) in states
    assert (0.4, SEAT_2, False) in states
    assert [state for state in states if state[1] == PLUS] == played((0.0, flash("attack.plus")))


def test_a_team_has_its_turn_on_all_its_lamps() -> None:
    team = Flash(("seat_1", "seat_2"), (), True)
    states = played((0.0, team), (1.0, flash("turn", "seat_3")), (2.0, SeatLamps(("seat_1", "seat_2"))))
    assert {state for state in states if state[0] == 0.0} == {(0.0, SEAT_1, True), (0.0, SEAT_2, True)}
    assert {(1.0, SEAT_1, False), (1.0, SEAT_2, False), (2.0, SEAT_1, True), (2.0, SEAT_2, True)} <= set(
        states
    )


def test_dark_puts_everything_out_and_ends_all_patterns() -> None:
    states = played(
        (0.0, flash("attack.plus")), (0.0, SeatLamps(("seat_1",))), (0.7, Dark()), (0.7, SeatLamps(()))
    )
    assert sorted(states[2:]) == [(0.6, PLUS, False), (0.7, SEAT_1, False)]


def status(*arrivals: tuple[float, Order]) -> list[tuple[float, bool]]:
    script = Script(*arrivals)
    board = Board(script)
    run_to_end(Lights(PINS, board.factory, lambda _: None, script))
    return [(at, lit) for at, _, lit in board.status]


def test_the_status_lamp_blinks_over_and_over_while_it_starts_and_stays_lit_when_ready() -> None:
    edges = [(round(n * 0.5, 3), n % 2 == 0) for n in range(60)]
    assert status((0.0, Status("starting")), (29.7, Status("ready"))) == [*edges, (29.7, True)]


def test_trouble_is_two_quick_flashes_over_and_over() -> None:
    told = status((1.0, Status("trouble")), (3.9, Status("ready")))
    assert told[:5] == [(1.0, True), (1.1, False), (1.25, True), (1.35, False), (2.5, True)]


def test_the_states_of_the_status_lamp_are_told_apart_by_rhythm() -> None:
    assert len(set(STATES.values())) == len(STATES)
    assert [state for state, pattern in STATES.items() if not pattern] == ["ready"]


def test_results_and_turns_leave_the_status_lamp_alone() -> None:
    told = status(
        (0.0, Status("ready")), (1.0, flash("attack.plus")), (9.0, Dark()), (9.5, SeatLamps(("seat_1",)))
    )
    assert told == [(0.0, True)]


def test_lamps_wired_the_other_way() -> None:
    low = settings.LightSettings(active_high=False)
    script: Script[Order] = Script((0.0, flash("attack.plus")))
    board = Board(script)
    lights = Lights(low, board.factory, lambda _: None, script)
    run_to_end(lights)
    assert [state for state in board.lights if state[1] == PLUS][-1] == (1.6, PLUS, False)


def test_a_lamp_without_a_pin_is_left_out() -> None:
    assert played((0.0, flash("attack.plus")), pins=settings.LightSettings(plus=None)) == []


@pytest.mark.parametrize(("pins", "detail"), [(PINS, "no-gpio"), (NO_PINS, "virtual")])
def test_without_pins_the_lights_are_virtual_and_say_so(pins: settings.LightSettings, detail: str) -> None:
    healths: list[Health] = []
    lights = Lights(pins, None, healths.append)
    lights.play(["plus"], (0.1,), True)
    lights.close()
    assert set(healths) == {Health(True, detail)}


def test_two_lamps_on_one_pin_are_refused_and_the_others_work() -> None:
    board = Board()
    healths: list[Health] = []
    lights = Lights(settings.LightSettings(plus=17, moins=17), board.factory, healths.append)
    lights.play(["plus"], (), True)
    board.await_lit(PLUS)
    lights.close()
    assert set(healths) == {Health(False, "pin-refused")}


def test_a_pin_that_breaks_is_told_and_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    board = Board()
    told: Inbox[Health] = Inbox(capacity=100)
    lights = Lights(PINS, board.factory, told.put)
    assert told.get(5) == Health(True, "ready")
    monkeypatch.setattr(board.factory.pin(PLUS), "_set_state", _breaks)
    lights.turn(["seat_1"])
    assert told.get(5) == Health(False, "gpio-error")
    monkeypatch.undo()
    lights.turn(["seat_2"])
    assert told.get(5) == Health(True, "ready")
    board.await_lit(SEAT_2)
    lights.close()


def _breaks(_value: float) -> None:
    raise OSError("the pin is on fire")


def test_in_real_time() -> None:
    board = Board()
    lights = Lights(PINS, board.factory, lambda _: None)
    lights.play(["plus"], (0.01, 0.01, 0.01), True)
    lights.play(["seat_1"], (0.01,), False)
    lights.play(["seat_9"], (0.01,), True)
    lights.play(["seat"], (), True)
    lights.turn(["seat_2"])
    board.await_lit(PLUS, SEAT_2)
    lights.darken()
    board.await_lit()
    lights.turn(["seat_1"])
    board.await_lit(SEAT_1)
    lights.close()
    assert not lights.is_alive
    assert board.lights[-1][1:] == (SEAT_1, False)


def test_an_inbox_keeps_the_newest() -> None:
    inbox: Inbox[int] = Inbox(capacity=3)
    for number in range(10):
        inbox.put(number)
    assert [inbox.get(0) for _ in range(4)] == [7, 8, 9, None]
    inbox.put(1)
    inbox.close()
    assert inbox.get(None) is None
    inbox.pause(1000)
