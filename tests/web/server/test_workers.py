"""Workers: requests wait in turn, within bounds, and only while somebody waits for the answer."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tests.support.waiting import TIMEOUT
from tests.support.web.event_loops import run_in_loop
from web.server import workers
from web.server.workers import CallerGone, LoopTurns, Workers
from web.wire.errors import ApiError


class Scene:
    """One worker that is kept busy until it may go on, and a note of what was done."""

    def __init__(self) -> None:
        self.workers = Workers("test", 1, ["exempt"])
        self.done: list[str] = []
        self._go_on = threading.Event()

    def ask(self, caller: str, what: str = "", gone: asyncio.Event | None = None) -> asyncio.Task[None]:
        left = asyncio.ensure_future(_left(gone or asyncio.Event()))
        return asyncio.ensure_future(self.workers.run(caller, lambda: left, self._work, what or caller))

    def go_on(self) -> None:
        self._go_on.set()

    def _work(self, what: str) -> None:
        assert self._go_on.wait(TIMEOUT)
        self.done.append(what)


async def _left(gone: asyncio.Event) -> None:
    await gone.wait()


def played(story: Callable[[Scene], Coroutine[Any, Any, None]]) -> list[str]:
    async def told() -> list[str]:
        scene = Scene()
        first = scene.ask("first")
        await asyncio.sleep(0)
        await story(scene)
        scene.go_on()
        await first
        return scene.done

    return run_in_loop(told())


def test_callers_take_turns() -> None:
    async def story(scene: Scene) -> None:
        asked = [scene.ask("a", f"a{n}") for n in range(3)] + [scene.ask("b", f"b{n}") for n in range(2)]
        await asyncio.sleep(0)
        scene.go_on()
        await asyncio.gather(*asked)

    assert played(story) == ["first", "a0", "b0", "a1", "b1", "a2"]


def test_work_for_who_hung_up_is_not_begun() -> None:
    async def story(scene: Scene) -> None:
        gone = asyncio.Event()
        dropped, kept = scene.ask("a", "dropped", gone), scene.ask("a", "kept")
        await asyncio.sleep(0)
        gone.set()
        with pytest.raises(CallerGone):
            await dropped
        scene.go_on()
        await kept

    assert played(story) == ["first", "kept"]


@pytest.mark.parametrize(("each", "total", "caller"), [(2, 9, "a"), (9, 2, "a"), (1, 2, "exempt")])
def test_what_waits_is_bounded_for_each_and_in_all(
    monkeypatch: pytest.MonkeyPatch, each: int, total: int, caller: str
) -> None:
    monkeypatch.setattr(workers, "EACH", each)
    monkeypatch.setattr(workers, "TOTAL", total)

    async def story(scene: Scene) -> None:
        waiting = [scene.ask(caller) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(ApiError, match="busy") as refused:
            await scene.ask(caller)
        assert refused.value.status == 503 and refused.value.extra["retry_after"] > 0
        scene.go_on()
        await asyncio.gather(*waiting)
        await scene.ask(caller, "later")

    assert played(story) == ["first", caller, caller, "later"]


def test_work_that_fails_frees_its_worker() -> None:
    async def story(scene: Scene) -> None:
        def fails() -> None:
            raise ValueError("on purpose")

        failing = asyncio.ensure_future(scene.workers.run("a", asyncio.Future, fails))
        await asyncio.sleep(0)
        scene.go_on()
        with pytest.raises(ValueError, match="on purpose"):
            await failing
        await scene.ask("b")

    assert played(story) == ["first", "b"]


# ---- in the event loop


def begun(story: Callable[[Callable[..., asyncio.Task[None]]], Coroutine[Any, Any, None]]) -> list[str]:
    """What begins in which order, of requests that all come in the same turn of the loop."""

    async def told() -> list[str]:
        turns, order = LoopTurns(["exempt"]), list[str]()

        async def request(caller: str, what: str, gone: asyncio.Event) -> None:
            left = asyncio.ensure_future(_left(gone))
            await turns.wait(caller, lambda: left)
            order.append(what or caller)

        def ask(caller: str, what: str = "", gone: asyncio.Event | None = None) -> asyncio.Task[None]:
            return asyncio.ensure_future(request(caller, what, gone or asyncio.Event()))

        await story(ask)
        return order

    return run_in_loop(told())


def test_a_caller_who_asks_for_much_at_once_delays_others_by_little() -> None:
    async def story(ask: Any) -> None:
        await asyncio.gather(*[ask("a") for _ in range(50)], ask("b"), ask("c"))

    order = begun(story)
    assert order[:4] == ["a", "a", "b", "c"] and len(order) == 52


def test_a_turn_of_who_hung_up_is_not_begun() -> None:
    async def story(ask: Any) -> None:
        gone = asyncio.Event()
        gone.set()
        asked = [
            *[ask("a", f"{n}") for n in range(9)],  # meanwhile it is noticed
            *[ask("a", "gone", gone) for _ in range(3)],
            ask("a", "9"),
        ]
        outcomes = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes[9:12]] == [CallerGone] * 3

    assert begun(story) == list("0123456789")


@pytest.mark.parametrize(("each", "total", "caller"), [(2, 9, "a"), (9, 2, "a"), (1, 2, "exempt")])
def test_turns_that_wait_are_bounded(
    monkeypatch: pytest.MonkeyPatch, each: int, total: int, caller: str
) -> None:
    monkeypatch.setattr(workers, "EACH", each)
    monkeypatch.setattr(workers, "TOTAL", total)

    async def story(ask: Any) -> None:
        outcomes = await asyncio.gather(*[ask(caller) for _ in range(4)], return_exceptions=True)
        assert isinstance(outcomes[3], ApiError) and outcomes[3].status == 503
        await ask(caller, "later")

    assert begun(story) == [caller] * 3 + ["later"]
