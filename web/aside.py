"""Work aside: what may take seconds, such as reading a long journal, is done piece by piece in two threads.

No more than these compete with the answers to everybody, however much there is to do; one may wait for the
disk while the other works. The work that has had the least time so far goes next, so that short work waits
for a piece of long work and never for all of it.
"""

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Any, TypeVar

from referee.pieces import Pieces
from web.workers import busy

T = TypeVar("T")

THREADS = 2
PIECE = 0.02  # seconds of work at a time
MOST = 256  # works under way
PATIENCE = 1.0  # second for which a request waits for its work


@dataclass(order=True)
class _Job:
    """Work under way, ordered by how many pieces of it are done."""

    pieces: int
    number: int
    key: Hashable = field(compare=False)
    work: Pieces[Any] = field(compare=False)
    done: Future[Any] = field(compare=False)


class Aside:
    """All work aside of one house. Two who ask for the same while it is under way wait for the same."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="aside")
        self._lock = threading.Lock()
        self._numbers = count()
        self._waiting: list[_Job] = []  # a heap
        self._under_way: dict[Hashable, _Job] = {}

    def do(self, key: Hashable, begin: Callable[[], Pieces[T]]) -> Future[T]:
        """Do this work, unless it is under way already. A thread may wait for the future, the event loop may
        await it; giving up does not stop the work, for others may wait too."""
        return self._job(key, begin).done

    def soon(self, key: Hashable, begin: Callable[[], Pieces[T]]) -> T:
        """What this work gives, if that takes only a moment. Else it goes on, and whoever asks is told to ask
        again: no thread waits for long work."""
        job = self._job(key, begin)
        try:
            return job.done.result(PATIENCE if job.pieces * PIECE < PATIENCE else 0)  # type: ignore[no-any-return]
        except TimeoutError:
            raise busy("refusal.long_game") from None

    def under_way(self, key: Hashable) -> Future[Any] | None:
        with self._lock:
            job = self._under_way.get(key)
            return job.done if job else None

    def _job(self, key: Hashable, begin: Callable[[], Pieces[T]]) -> _Job:
        with self._lock:
            if key in self._under_way:
                return self._under_way[key]
            if len(self._under_way) >= MOST:
                raise busy()
            job = _Job(0, next(self._numbers), key, begin(), Future())
            job.done.set_running_or_notify_cancel()  # from now on nobody can cancel it
            self._under_way[key] = job
            heappush(self._waiting, job)
        self._pool.submit(self._piece)
        return job

    def _piece(self) -> None:
        """Go on with the work that had the least time so far."""
        with self._lock:
            job = heappop(self._waiting)
        until = time.monotonic() + PIECE
        try:
            while time.monotonic() < until:
                next(job.work)
        except StopIteration as end:
            self._end(job)
            job.done.set_result(end.value)
        except Exception as error:  # noqa: BLE001  # told to whoever waits for it
            self._end(job)
            job.done.set_exception(error)
        else:
            with self._lock:
                job.pieces += 1
                heappush(self._waiting, job)
            self._pool.submit(self._piece)

    def _end(self, job: _Job) -> None:
        with self._lock:
            del self._under_way[job.key]
