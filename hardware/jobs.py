"""Print jobs: each on paper once, in order, as soon as the printer can."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Condition, Thread
from typing import Any

from hardware.health import Health, Notice
from hardware.printer import Paper, Trouble
from referee.sheets import Block

log = logging.getLogger(__name__)

ROOM = 128  # jobs that wait: more than a server sends; one more is refused until the next connection
MEMORY = 1024  # jobs remembered as printed

Report = Callable[[int, Mapping[str, Any]], None]


@dataclass(frozen=True)
class Job:
    """A piece of work for the printer. The table tells apart the jobs of a server that began anew."""

    number: int
    table: str
    blocks: tuple[Block, ...] = field(repr=False)  # join slips carry keys

    @property
    def id(self) -> tuple[int, str]:
        return self.number, self.table


class Jobs:
    """The jobs of the desk. A worker of its own prints them, so that a slow printer holds up nothing."""

    def __init__(
        self, printer: Paper, report: Report, notice: Notice, retry: float = 3.0, idle: float = 20.0
    ) -> None:
        self._printer, self._report, self._notice = printer, report, notice
        self._retry, self._idle = retry, idle
        self._waiting: OrderedDict[tuple[int, str], Job] = OrderedDict()
        self._printed: OrderedDict[tuple[int, str], None] = OrderedDict()
        self._told: dict[tuple[int, str], str] = {}  # the reason last given for a job that waits
        self._changed = Condition()
        self._closed = False
        self._nudged = False
        self._worker = Thread(target=self._work, name="printer", daemon=True)
        self._worker.start()

    def take(self, job: Job) -> None:
        """Print this job, unless it is printed already: then only say so again. One with nothing on it was
        withdrawn."""
        with self._changed:
            if not job.blocks:
                self._waiting.pop(job.id, None)
            elif job.id in self._printed:
                self._report(job.number, {"state": "printed"})
            elif len(self._waiting) >= ROOM and job.id not in self._waiting:
                self._report(job.number, {"state": "failed", "reason": "too-many"})
            else:
                self._waiting[job.id] = job
                self._changed.notify_all()

    def forget(self) -> None:
        """The server is gone: with the next connection it sends again what is not printed."""
        with self._changed:
            self._waiting.clear()
            self._told.clear()

    def nudge(self) -> None:
        """The printer may be another now: have a look at it."""
        with self._changed:
            self._nudged = True
            self._changed.notify_all()

    @property
    def is_alive(self) -> bool:
        return self._worker.is_alive()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._worker.join(0.3)

    def _work(self) -> None:
        self._notice(self._printer.check())
        while not self._closed:
            job = self._next()
            if job is not None and not self._done(job):
                self._rest()
            elif job is None and not self._closed:
                self._notice(self._printer.check())

    def _next(self) -> Job | None:
        """The oldest job; None when there was none for a while."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._nudged or self._closed, self._idle)
            self._nudged = False
            return next(iter(self._waiting.values()), None)

    def _rest(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._nudged or self._closed, self._retry)

    def _done(self, job: Job) -> bool:
        """Try to print; False when it should be tried again."""
        try:
            health = self._printer.print(job.blocks)
        except Trouble as trouble:
            self._notice(Health(False, trouble.reason))
            self._failed(job, trouble.reason)
            return False
        except Exception:
            log.exception("Job %s cannot be printed.", job.number)
            self._failed(job, "unreadable")
            self._leave(job)
            return True
        self._succeeded(job, health)
        return True

    def _failed(self, job: Job, reason: str) -> None:
        with self._changed:
            if job.id in self._waiting and self._told.get(job.id) != reason:
                self._told[job.id] = reason
                self._report(job.number, {"state": "failed", "reason": reason})

    def _succeeded(self, job: Job, health: Health) -> None:
        with self._changed:
            self._printed[job.id] = None
            if len(self._printed) > MEMORY:
                self._printed.popitem(last=False)
        self._leave(job)
        self._notice(health)
        self._report(job.number, {"state": "printed"})

    def _leave(self, job: Job) -> None:
        with self._changed:
            self._waiting.pop(job.id, None)
            self._told.pop(job.id, None)
