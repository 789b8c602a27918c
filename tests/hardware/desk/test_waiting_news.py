"""The desk plays each cue in step with the scene on the table screen."""

from queue import Empty, Queue
from typing import Any

import pytest

from hardware.desk.waiting_news import CAPACITY, WaitingNews
from tests.support.waiting import TIMEOUT


class Clock:
    """Time that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def _played() -> tuple[WaitingNews, Queue[Any], Clock]:
    played: Queue[Any] = Queue()
    clock = Clock()
    return WaitingNews(lambda news: played.put(news["key"]), clock), played, clock


def test_news_without_a_scene_are_played_at_once() -> None:
    waiting, played, _ = _played()
    waiting.put({"key": "turn"})
    assert played.get(timeout=TIMEOUT) == "turn"
    waiting.close()


def test_news_wait_for_the_breath_and_keep_their_order() -> None:
    waiting, played, clock = _played()
    waiting.put({"key": "attack", "wait": 1.0})
    waiting.put({"key": "turn", "wait": 1.0})
    with pytest.raises(Empty):
        played.get_nowait()
    clock.now += 1.0
    waiting.put({"key": "over", "wait": 0.0})  # wakes the thread: the clock of this test does not
    assert [played.get(timeout=TIMEOUT) for _ in range(3)] == ["attack", "turn", "over"]
    waiting.close()


def test_something_new_ends_the_scene_and_nothing_is_lost() -> None:
    waiting, played, _ = _played()
    waiting.put({"key": "attack", "wait": 1.0})
    waiting.put({"key": "over", "wait": 4.5})
    waiting.hurry()
    waiting.put({"key": "asked"})
    assert [played.get(timeout=TIMEOUT) for _ in range(3)] == ["attack", "over", "asked"]
    waiting.close()


def test_the_queue_is_bounded() -> None:
    waiting, played, _ = _played()
    for n in range(CAPACITY + 1):
        waiting.put({"key": n, "wait": 1.0})
    assert [played.get(timeout=TIMEOUT) for _ in range(CAPACITY)] == list(range(CAPACITY))
    waiting.close()
