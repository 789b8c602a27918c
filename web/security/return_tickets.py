"""Return tickets: encrypted tokens in a URL, which move a page to another address of the server.

Cookies belong to one address. When the server gets another, the page follows with a ticket. The ticket is a
token encrypted and authenticated with a key that never leaves this machine, so scripts and people who see the
URL cannot use it as a token.
"""

import base64
import binascii
import hmac

LONGEST = 64  # bytes of a token: the length of the pad
TAG = 16


class ReturnTickets:
    """Makes and opens tickets with one secret key from the data folder."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()

    def seal(self, token: str, about: str) -> str:
        """The ticket of this token, bound to one seat or screen."""
        text = token.encode()[:LONGEST]
        tag = self._hmac("tag", about, text)[:TAG]
        return base64.urlsafe_b64encode(tag + self._xor_pad(text, about, tag)).decode()

    def open(self, ticket: str, about: str) -> str | None:
        """The token in a ticket that we made for this seat or screen, else None."""
        try:
            raw = base64.urlsafe_b64decode(ticket)
        except (binascii.Error, ValueError):
            return None
        tag, text = raw[:TAG], self._xor_pad(raw[TAG : TAG + LONGEST], about, raw[:TAG])
        if not hmac.compare_digest(tag, self._hmac("tag", about, text)[:TAG]):
            return None
        return text.decode()

    def _xor_pad(self, text: bytes, about: str, tag: bytes) -> bytes:
        """Encrypt or decrypt: XOR with a pad derived from the tag."""
        return bytes(a ^ b for a, b in zip(text, self._hmac("pad", about, tag), strict=False))

    def _hmac(self, what: str, about: str, text: bytes) -> bytes:
        return hmac.digest(self._key, f"{what}\n{about}\n".encode() + text, "sha512")
