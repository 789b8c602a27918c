"""The queue of print jobs: prints each once, in order, and retries while the printer has a fault."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hardware.devices.health import Health, Notice
from hardware.devices.worker import QueueWorker
from hardware.printing.printer import UNSURE, PaperPrinter, PrinterError
from referee.presentation.sheets import Block

log = logging.getLogger(__name__)

CAPACITY = 128  # queued jobs: more than a server sends; further ones are refused until the next connection
MOST_REMEMBERED = 1024  # jobs remembered as printed

Report = Callable[[int, Mapping[str, Any]], None]


@dataclass(frozen=True)
class Job:
    """A print job. The table is part of its id, because a server with a new store starts numbering again."""

    number: int
    table: str
    blocks: tuple[Block, ...] = field(repr=False)  # join slips carry keys

    @property
    def id(self) -> tuple[int, str]:
        return self.number, self.table


class Jobs(QueueWorker):
    """The print queue of the desk. A worker thread prints, so that a slow printer delays nothing else."""

    def __init__(
        self, printer: PaperPrinter, report: Report, notice: Notice, retry: float = 3.0, idle: float = 20.0
    ) -> None:
        super().__init__("printer")
        self._printer, self._report, self._notice = printer, report, notice
        self._retry, self._idle = retry, idle
        self._waiting: OrderedDict[tuple[int, str], Job] = OrderedDict()
        self._printed: OrderedDict[tuple[int, str], None] = OrderedDict()
        self._reported: dict[tuple[int, str], str] = {}  # the reason last reported for each waiting job
        self._check_requested = False
        self._worker.start()

    def take(self, job: Job) -> None:
        """Queue a job. If it was printed before, report that again. No blocks: cancel the queued one."""
        with self._changed:
            if not job.blocks:
                self._waiting.pop(job.id, None)
            elif job.id in self._printed:
                self._report(job.number, {"state": "printed"})
            elif len(self._waiting) >= CAPACITY and job.id not in self._waiting:
                self._report(job.number, {"state": "failed", "reason": "too-many"})
            else:
                self._waiting[job.id] = job
                self._changed.notify_all()

    def clear(self) -> None:
        """Clear the queue after losing the server. It sends unprinted jobs again on the next connection."""
        with self._changed:
            self._waiting.clear()
            self._reported.clear()

    def check_now(self) -> None:
        """Check the printer at once: its state may have changed."""
        with self._changed:
            self._check_requested = True
            self._changed.notify_all()

    def _work(self) -> None:
        self._notice(self._printer.check())
        while not self._closed:
            job = self._next()
            if job is not None and not self._done(job):
                self._wait_to_retry()
            elif job is None and not self._closed:
                self._notice(self._printer.check())

    def _next(self) -> Job | None:
        """The oldest job; None on timeout."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._check_requested or self._closed, self._idle)
            self._check_requested = False
            return next(iter(self._waiting.values()), None)

    def _wait_to_retry(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._check_requested or self._closed, self._retry)

    def _done(self, job: Job) -> bool:
        """Try to print a job; False if it has to be retried."""
        try:
            health = self._printer.print(job.blocks)
        except PrinterError as trouble:
            self._notice(Health(False, trouble.reason))
            self._failed(job, trouble.reason)
            if trouble.reason != UNSURE:
                return False
            self._remove(job)  # somebody has to look; printing it again and again would only waste paper
            return True
        except Exception:
            log.exception("Job %s cannot be printed.", job.number)
            self._failed(job, "unreadable")
            self._remove(job)
            return True
        self._succeeded(job, health)
        return True

    def _failed(self, job: Job, reason: str) -> None:
        with self._changed:
            if job.id in self._waiting and self._reported.get(job.id) != reason:
                self._reported[job.id] = reason
                self._report(job.number, {"state": "failed", "reason": reason})

    def _succeeded(self, job: Job, health: Health) -> None:
        with self._changed:
            self._printed[job.id] = None
            if len(self._printed) > MOST_REMEMBERED:
                self._printed.popitem(last=False)
        self._remove(job)
        self._notice(health)
        self._report(job.number, {"state": "printed"})

    def _remove(self, job: Job) -> None:
        with self._changed:
            self._waiting.pop(job.id, None)
            self._reported.pop(job.id, None)
