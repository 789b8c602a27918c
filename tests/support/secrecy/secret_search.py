"""Searches for a secret, in every encoding, in all that others received."""

import base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from urllib.parse import quote

from tests.support.secrecy.picture_reader import seen
from tests.support.secrecy.recording_client import Received, RecordingClient


@dataclass(frozen=True)
class Secret:
    """Something that only these devices may ever receive."""

    what: str
    text: str
    known_to: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Leak:
    """A secret that came to somebody who must not know it."""

    what: str
    to: str
    where: str


@cache
def forms(text: str) -> frozenset[bytes]:
    """The ways in which a text could be written: as it is, for an address, in base64, in hex."""
    plain = text.encode()
    encoded = {_base64(plain, shift) for shift in range(3)}
    safe = {form.replace(b"+", b"-").replace(b"/", b"_") for form in encoded}
    return frozenset({plain, quote(text, safe="").encode(), plain.hex().encode(), *encoded, *safe})


def _base64(plain: bytes, shift: int) -> bytes:
    """The characters that stand for this in the base64 of anything that holds it so many bytes in."""
    encoded = base64.b64encode(b"\0" * shift + plain + b"\0" * (-(len(plain) + shift) % 3))
    first = (shift * 8 + 5) // 6
    return encoded[first : (shift + len(plain)) * 8 // 6]


def leaks(secrets: Iterable[Secret], taps: Iterable[RecordingClient]) -> Iterator[Leak]:
    """Each secret that a device received and may not know."""
    for tap in taps:
        everything = b"\n".join(map(_readable, tap.heard))
        for secret in secrets:
            if tap.name not in secret.known_to and _in(secret, everything):
                for where in dict.fromkeys(
                    heard.where for heard in tap.heard if _in(secret, _readable(heard))
                ):
                    yield Leak(secret.what, tap.name, where)


def received(secret: Secret, tap: RecordingClient) -> bool:
    return any(_in(secret, _readable(heard)) for heard in tap.heard)


def _readable(heard: Received) -> bytes:
    """The bytes, and what stands in them where they are a picture; codes may be typed small."""
    return b"\n".join((heard.content, seen(heard.content))).lower()


def _in(secret: Secret, content: bytes) -> bool:
    """Whether it is there, in whichever form; capitals do not count."""
    return any(form.lower() in content for form in forms(secret.text))
