"""Rate limits: sliding-window counters per caller, table or seat, and in total."""

import math
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection

from referee.core.game import Say
from referee.program.settings import Limits
from web.security.hosts import shares
from web.wire.errors import ApiError

MOMENT, MINUTE, HOUR = 10, 60, 3600
MOST = 20_000  # counts that a limiter stores
MOST_RIGHT = 256  # callers of right guesses that a limiter stores
PRINT_JOBS, PRINT_JOBS_TOTAL = 6, 30  # print jobs a minute, of one table and in total


def slow_down(wait: int, why: str = "") -> ApiError:
    """The error for a caller that must wait so many seconds; `why` is the key of a special sentence."""
    said = Say(why, {"n": wait}) if why else None
    return ApiError("slow-down", {"n": wait}, said, extra={"retry_after": wait})


Shares = tuple[tuple[str, int], ...]  # what a call counts for, and how many times the limit each has


class RateLimiter:
    """Counts events within a sliding window, per caller (or any other key, `who`), per IPv6 network and in
    total.

    Each operation takes constant amortized time. At most `MOST` counts are stored; beyond that the oldest is
    dropped early. Thread-safe.
    """

    def __init__(
        self,
        window: float,
        each: int,
        total: float,
        exempt: Collection[str],
        clock: Callable[[], float],
        why: str = "",
    ) -> None:
        self._window, self._each, self._total, self._why = window, each, total, why
        self._exempt = frozenset(exempt)
        self._clock = clock
        self._lock = threading.Lock()
        self._all: deque[tuple[float, Shares]] = deque()  # time and caller, oldest first
        self._by_caller: dict[str, deque[float]] = {}  # times by caller and by network, oldest first
        self._right: OrderedDict[str, None] = OrderedDict()  # callers that have guessed right

    def __len__(self) -> int:
        return len(self._all)

    @property
    def callers(self) -> int:
        """How many callers and networks have counts."""
        return len(self._by_caller)

    def check(self, address: str, who: str = "", alone: bool = False) -> None:
        """Refuse a caller that has reached its limit, or, unless `alone`, when the total limit is reached."""
        if address in self._exempt:
            return
        with self._lock:
            self._check(_shares(address, who), math.inf if alone else self._total)

    def count(self, address: str, who: str = "") -> None:
        if address in self._exempt:
            return
        with self._lock:
            self._count(_shares(address, who))

    def check_and_count(self, address: str, who: str) -> None:
        """Check the limits, then count."""
        if address in self._exempt:
            return
        with self._lock:
            self._check(_shares(address, who), self._total)
            self._count(_shares(address, who))

    def guess(self, address: str, is_right: bool) -> None:
        """Check a guess of a secret that is short enough to be guessed, such as a PIN.

        The total limit does not apply to a right guess, so that strangers cannot lock out its owner, nor does
        the limit of the network to a caller that has guessed right before. A wrong guess is counted unless
        its caller has reached its own limit, so that one caller cannot use up the limit of a network.
        """
        if address in self._exempt:
            return
        of = _shares(address)
        caller = of[0][0]
        with self._lock:
            self._check(of[:1] if caller in self._right else of, math.inf)
            if is_right:
                self._right[caller] = None
                self._right.move_to_end(caller)
                if len(self._right) > MOST_RIGHT:
                    self._right.popitem(last=False)
                return
            try:
                self._check(of, self._total)
            finally:
                self._count(of)

    def _check(self, of: Shares, total: float) -> None:
        now = self._clock()
        while self._all and self._all[0][0] <= now - self._window:
            self._drop_oldest()
        for who, times in of:
            counted = self._by_caller.get(who)
            if counted and len(counted) >= self._each * times:
                raise self._refusal(counted[0], now)
        if self._all and len(self._all) >= total:
            raise self._refusal(self._all[0][0], now)

    def _refusal(self, first: float, now: float) -> ApiError:
        """The error for a caller that must wait until the count at `first` leaves the window."""
        return slow_down(int(first + self._window - now) + 1, self._why)

    def _count(self, of: Shares) -> None:
        if len(self._all) >= MOST:
            self._drop_oldest()
        now = self._clock()
        self._all.append((now, of))
        for who, _ in of:
            self._by_caller.setdefault(who, deque()).append(now)

    def _drop_oldest(self) -> None:
        _, of = self._all.popleft()
        for who, _ in of:
            self._by_caller[who].popleft()
            if not self._by_caller[who]:
                del self._by_caller[who]


def _shares(address: str, who: str = "") -> Shares:
    return ((who, 1),) if who else shares(address)


class RateLimits:
    """All rate limits: failed guesses and opened tables by address; questions, rematches, moves and print
    jobs by table or seat."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.failures = RateLimiter(MINUTE, limits.failures, limits.failures_total, limits.exempt, clock)
        self.tables = RateLimiter(HOUR, limits.tables, limits.tables_total, limits.exempt, clock)
        asking = MINUTE, limits.questions, math.inf, limits.exempt, clock
        self.questions = RateLimiter(*asking, why="refusal.asked_too_often")
        self.rematches = RateLimiter(*asking)
        moving = MOMENT, limits.moves, math.inf, limits.exempt, clock
        self.moves = RateLimiter(*moving, why="refusal.moves_too_fast")
        self.print_jobs = RateLimiter(MINUTE, PRINT_JOBS, PRINT_JOBS_TOTAL, (), clock)
