"""Checks what strangers can guess (codes, keys, tokens, the host PIN), and rate-limits wrong guesses."""

import secrets

from web.security.caller import Caller
from web.security.rate_limit import RateLimits
from web.wire.errors import ApiError


class Guesses:
    """All wrong guesses count as `failures` of their caller."""

    def __init__(self, rate_limits: RateLimits, host_pin: str) -> None:
        self._failures = rate_limits.failures
        self._host_pin = host_pin

    def failure(self, caller: Caller, code: str) -> ApiError:
        """Count a failed guess, and return its error."""
        self._failures.count(caller.address)
        return ApiError(code)

    def check_key(self, caller: Caller, is_right: bool, code: str) -> None:
        """Refuse a wrong key, and rate-limit wrong ones. A right key is never refused: nobody guesses one, so
        whoever has it is no stranger."""
        if not is_right:
            self._failures.check(caller.address)
            raise self.failure(caller, code)

    def check_pin(self, caller: Caller, pin: str | None) -> None:
        """If the settings have a host PIN, refuse host actions without it. A PIN can be guessed, so after too
        many wrong ones the right one is refused too."""
        if not self._host_pin:
            return
        is_right = secrets.compare_digest((pin or "").encode(), self._host_pin.encode())
        self._failures.guess(caller.address, is_right)
        if not is_right:
            raise ApiError("bad-pin")
