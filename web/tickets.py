"""Return tickets: a page's own way back to its seat, should the referee be found at another address.

Cookies belong to an address. A ticket is a token sealed with a key that never leaves this machine, so that
no script and nobody who reads the address can use it as one.
"""

import base64
import binascii
import hmac

LONGEST = 64  # bytes of a token: as many as the pad has
TAG = 16


class Tickets:
    """Sealed with one key, a text from the server's folder."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()

    def seal(self, token: str, about: str) -> str:
        """The ticket of this token, good for one seat or screen."""
        text = token.encode()[:LONGEST]
        tag = self._made("tag", about, text)[:TAG]
        return base64.urlsafe_b64encode(tag + self._covered(text, about, tag)).decode()

    def open(self, ticket: str, about: str) -> str | None:
        """The token of a ticket that we made for this."""
        try:
            raw = base64.urlsafe_b64decode(ticket)
        except (binascii.Error, ValueError):
            return None
        tag, text = raw[:TAG], self._covered(raw[TAG : TAG + LONGEST], about, raw[:TAG])
        if not hmac.compare_digest(tag, self._made("tag", about, text)[:TAG]):
            return None
        return text.decode()

    def _covered(self, text: bytes, about: str, tag: bytes) -> bytes:
        """A text under its pad, or from under it."""
        return bytes(a ^ b for a, b in zip(text, self._made("pad", about, tag), strict=False))

    def _made(self, what: str, about: str, text: bytes) -> bytes:
        return hmac.digest(self._key, f"{what}\n{about}\n".encode() + text, "sha512")
