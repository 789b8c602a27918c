"""A scheduler for work that may take seconds, such as reading a long journal: time slices in two threads.

Two threads bound how much this work competes with requests; one can wait for the disk while the other
computes. After each slice of 20 ms the job with the fewest slices so far goes next, so a short job waits for
one slice of a long job, not for all of it.
"""

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Any, TypeVar

from referee.core.sliced_work import SlicedWork
from web.wire.errors import busy

T = TypeVar("T")

THREADS = 2
SLICE = 0.02  # seconds of a time slice
MOST = 256  # jobs at a time
LONGEST_WAIT = 1.0  # seconds for which a request waits for its job


@dataclass(order=True)
class _Job:
    """A job that is not finished, ordered by how many time slices it has had."""

    slices: int
    number: int
    key: Hashable = field(compare=False)
    work: SlicedWork[Any] = field(compare=False)
    done: Future[Any] = field(compare=False)


class BackgroundWork:
    """The scheduler. Callers that submit the same key while its job runs share that job."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="background")
        self._lock = threading.Lock()
        self._numbers = count()
        self._waiting: list[_Job] = []  # a heap
        self._jobs: dict[Hashable, _Job] = {}

    def submit(self, key: Hashable, begin: Callable[[], SlicedWork[T]]) -> Future[T]:
        """Start this job unless it runs already. Threads can wait for the future, the event loop can await
        it. Cancelling the wait does not stop the job, because others may wait for it too."""
        return self._job(key, begin).done

    def result_or_busy(self, key: Hashable, begin: Callable[[], SlicedWork[T]]) -> T:
        """The result of this job, if it is done within `LONGEST_WAIT`. Else the job continues and the caller
        gets 503 with Retry-After, so that no thread waits for a long job."""
        job = self._job(key, begin)
        try:
            wait = LONGEST_WAIT if job.slices * SLICE < LONGEST_WAIT else 0
            return job.done.result(wait)  # type: ignore[no-any-return]
        except TimeoutError:
            raise busy("refusal.long_game") from None

    def pending(self, key: Hashable) -> Future[Any] | None:
        with self._lock:
            job = self._jobs.get(key)
            return job.done if job else None

    def _job(self, key: Hashable, begin: Callable[[], SlicedWork[T]]) -> _Job:
        with self._lock:
            if key in self._jobs:
                return self._jobs[key]
            if len(self._jobs) >= MOST:
                raise busy()
            job = _Job(0, next(self._numbers), key, begin(), Future())
            job.done.set_running_or_notify_cancel()  # so that it cannot be cancelled
            self._jobs[key] = job
            heappush(self._waiting, job)
        self._pool.submit(self._run_slice)
        return job

    def _run_slice(self) -> None:
        """Run one time slice of the job that has had the fewest."""
        with self._lock:
            job = heappop(self._waiting)
        until = time.monotonic() + SLICE
        try:
            while time.monotonic() < until:
                next(job.work)
        except StopIteration as end:
            self._remove(job)
            job.done.set_result(end.value)
        except Exception as error:  # noqa: BLE001  # raised where the job is awaited
            self._remove(job)
            job.done.set_exception(error)
        else:
            with self._lock:
                job.slices += 1
                heappush(self._waiting, job)
            self._pool.submit(self._run_slice)

    def _remove(self, job: _Job) -> None:
        with self._lock:
            del self._jobs[job.key]
