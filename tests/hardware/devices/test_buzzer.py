"""The buzzer, on a mock PWM pin, in simulated time."""

import pytest

from hardware.devices.buzzer import LATE, QUIET_DUTY, Buzzer, Tune
from hardware.devices.health import Health
from hardware.devices.inbox import Inbox
from referee.presentation.cues import FANFARE, RISING, TICK
from tests.support.hardware.mock_board import Board, Script, run_to_end
from tests.support.rules.all_cues import ALL
from tests.support.waiting import eventually

PIN = 18


def played(*tunes: tuple[float, Tune]) -> list[tuple[float, float | None]]:
    script = Script(*tunes, late=LATE)
    board = Board(script)
    buzzer = Buzzer(PIN, board.factory, False, lambda _: None, script)
    run_to_end(buzzer)
    buzzer.close()
    return board.tones


def test_rising_is_c_e_g() -> None:
    assert played((0.0, RISING)) == [
        (0.0, 523),
        (0.105, None),
        (0.12, 659),
        (0.225, None),
        (0.24, 784),
        (0.425, None),
    ]


def test_two_equal_notes_are_two() -> None:
    tones = [tone for _, tone in played((0.0, FANFARE))]
    assert tones == [523, None, 523, None, 784, None, 1047, None]


def test_an_empty_note_is_silence() -> None:
    assert played((0.0, (("A4", 0.1), ("", 0.5), ("A4", 0.1)))) == [
        (0.0, 440),
        (0.085, None),
        (0.6, 440),
        (0.685, None),
    ]


def test_tunes_follow_one_another() -> None:
    tones = played((0.0, RISING), (0.0, TICK))
    assert tones[-2:] == [(0.44, 440), (0.475, None)]


def test_what_one_move_tells_is_heard_in_order() -> None:
    pair = (("A4", 0.1), ("B4", 0.1))
    tones = played((0.0, pair), (0.0, TICK), (0.0, pair))
    assert [round(at, 3) for at, tone in tones if tone] == [0.0, 0.1, 0.2, 0.25, 0.35]


def test_of_a_burst_what_has_waited_too_long_is_left_out() -> None:
    tones = played(*((0.0, RISING) for _ in range(20)), (0.1, TICK))
    assert [at for at, tone in tones if tone == 523] == [0.0, 0.44], "the third would have begun too late"
    assert tones[-2:] == [(0.88, 440), (0.915, None)]


@pytest.mark.parametrize("burst", [1, 5, 40])
@pytest.mark.parametrize("at", [0.0, 0.3, 0.6])
def test_however_long_a_burst_the_latest_waits_for_half_a_second_and_one_tune(burst: int, at: float) -> None:
    every = [ALL[key].tune for key in ALL if ALL[key].tune]
    longest = max(sum(seconds for _, seconds in tune) for tune in every)
    last = (("D7", 0.1),)
    tones = played(*((0.0, every[i % len(every)]) for i in range(burst)), (at, last))
    [begins] = [began for began, tone in tones if tone == 2349]
    assert begins - at <= LATE + longest


def test_night_mode_plays_the_same_notes_softly() -> None:
    board = Board()
    buzzer = Buzzer(PIN, board.factory, False, lambda _: None)
    buzzer.volume = "quiet"
    buzzer.play((("A4", 1000.0),))
    board.await_tones(1)
    pin = board.factory.pin(PIN)
    eventually(lambda: pin.state == pytest.approx(QUIET_DUTY))
    buzzer.close()
    assert board.tones[0][1] == 440


@pytest.mark.parametrize("key", ALL)
def test_every_tune_can_be_played(key: str) -> None:
    notes = [name for name, _ in ALL[key].tune if name]
    healths: list[Health] = []
    script = Script((0.0, ALL[key].tune))
    board = Board(script)
    run_to_end(Buzzer(PIN, board.factory, False, healths.append, script))
    assert len([tone for _, tone in board.tones if tone]) == len(notes)
    assert set(healths) == {Health(True, "ready")}


@pytest.mark.parametrize(
    ("pin", "mute", "detail"), [(PIN, True, "muted"), (None, False, "virtual"), (None, True, "virtual")]
)
def test_a_buzzer_that_is_silent_and_says_why(pin: int | None, mute: bool, detail: str) -> None:
    board = Board()
    healths: list[Health] = []
    buzzer = Buzzer(pin, board.factory, mute, healths.append)
    buzzer.play(RISING)
    buzzer.close()
    assert healths == [Health(True, detail)]
    assert board.tones == []


def test_no_gpio() -> None:
    healths: list[Health] = []
    Buzzer(PIN, None, False, healths.append).close()
    assert healths == [Health(True, "no-gpio")]


def test_a_pin_that_is_none() -> None:
    healths: list[Health] = []
    Buzzer(99, Board().factory, False, healths.append).close()
    assert healths == [Health(False, "pin-refused")]


def test_a_note_beyond_the_buzzer_is_told_and_stops_nothing() -> None:
    told: Inbox[Health] = Inbox(capacity=100)
    board = Board()
    buzzer = Buzzer(PIN, board.factory, False, told.put)
    assert told.get(5) == Health(True, "ready")
    buzzer.play((("C9", 0.02),))
    assert told.get(5) == Health(False, "gpio-error")
    buzzer.play((("A4", 0.02),))
    board.await_tones(2)
    buzzer.close()


def test_closing_ends_a_long_note_at_once() -> None:
    board = Board()
    buzzer = Buzzer(PIN, board.factory, False, lambda _: None)
    buzzer.play((("A4", 1000.0),))
    board.await_tones(1)
    buzzer.close()
    assert not buzzer.is_alive
    assert board.tones[-1][1] is None
