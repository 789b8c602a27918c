"""Subscribers: events wait in a bounded queue until the stream sends them."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tests.support.web.event_loops import let_others_run, run_in_loop
from web.streams.subscribers import QUEUE, Subscriber, from_thread


def watched(story: Callable[[Subscriber], Awaitable[None]]) -> list[bytes]:
    """What was sent at the end of a story."""
    sent: list[bytes] = []

    async def send(subscriber: Subscriber) -> None:
        while (what := await subscriber.next()) is not None:
            sent.append(what)

    async def told() -> None:
        subscriber = Subscriber(None, "en", asyncio.get_running_loop())
        sending = asyncio.create_task(send(subscriber))
        await story(subscriber)
        subscriber.stop()
        subscriber.push(b"after the end")
        await sending
        subscriber.push(b"long after the end")

    run_in_loop(told())
    return sent


def test_events_are_sent_in_order_also_those_from_before_the_stream_began() -> None:
    async def story(subscriber: Subscriber) -> None:
        subscriber.push(b"1")
        subscriber.push(b"2")
        await let_others_run()
        subscriber.push(b"3")
        await let_others_run()

    assert watched(story) == [b"1", b"2", b"3"]


def test_what_still_waits_at_the_end_is_not_sent() -> None:
    async def story(subscriber: Subscriber) -> None:
        await let_others_run()
        subscriber.push(b"1")

    assert watched(story) == []


def test_a_phone_that_is_too_far_behind_is_given_up() -> None:
    async def story(subscriber: Subscriber) -> None:
        for _ in range(QUEUE):
            subscriber.push(b"late")
        assert not subscriber.stopped
        subscriber.push(b"too late")
        assert subscriber.stopped

    assert watched(story) == []


def test_nobody_stumbles_over_a_loop_that_closes_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    monkeypatch.setattr(loop, "is_closed", lambda: False)  # it was not, the last time somebody asked
    from_thread([Subscriber(None, "en", loop)], b"1")


def test_what_threads_hand_over_is_sent_in_the_order_of_their_calls() -> None:
    async def story(subscriber: Subscriber) -> None:
        other = Subscriber(None, "en", asyncio.get_running_loop())
        for n in range(10):
            await asyncio.to_thread(from_thread, [other, subscriber], b"%d" % n)
        assert [await other.next() for _ in range(10)] == [b"%d" % n for n in range(10)]

    assert watched(story) == [b"%d" % n for n in range(10)]
