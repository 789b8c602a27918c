"""People's names: cleans them, limits length and accents, and says which spellings are one person."""

import unicodedata
from collections.abc import Iterator

from referee.core.game import Say
from web.wire.errors import ApiError, malformed

NAME_LENGTH = 24
LONGEST = 100  # characters of a name that are used: normalizing a long text is slow
ACCENTS = range(0x300, 0x370)  # combining accents that people may leave out; marks of other scripts stay
INVISIBLE = frozenset(  # printable by category, yet invisible: fillers, blanks, variation selectors
    map(
        chr,
        (
            *(0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0x16FE4, 0x1D159),
            *(*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0x13441, 0x13443)),
            *range(0xE0000, 0xE1000),
        ),
    )
)
MARKS = 3  # combining marks on one letter; more would cover the lines above


def clean_name(text: str) -> str:
    """A name without control, bidi or invisible characters, cut to `NAME_LENGTH`."""
    name = _visible(text)[:NAME_LENGTH].strip()
    if not _is_name(name):
        raise malformed("name")
    return name


def checked_name(text: str) -> str:
    """The same for a form field: a name that is too long or empty is refused with a reason, not cut."""
    name = _visible(text)
    if len(name) <= NAME_LENGTH and _is_name(name):
        return name
    why = "too_long" if len(name) > NAME_LENGTH else "empty"
    raise ApiError("malformed", why=Say(f"page.name.{why}", {"n": NAME_LENGTH}), title="page.name.wrong")


def _is_name(text: str) -> bool:
    return any(c.isalnum() or unicodedata.category(c) == "So" for c in text)


def _visible(text: str) -> str:
    visible = "".join(char for char in text[:LONGEST] if char.isspace() or _is_visible(char))
    return "".join(_limit_marks(unicodedata.normalize("NFC", " ".join(visible.split()))))


def _is_visible(char: str) -> bool:
    return char.isprintable() and char not in INVISIBLE


def _limit_marks(text: str) -> Iterator[str]:
    """The characters of a text, with at most `MARKS` combining marks in a row."""
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if marks <= MARKS:
            yield char


def person_key(name: str) -> str:
    """The key of a person: the same for all spellings of a name, such as `Zoé` and ` zoe`.
    There are no accounts."""
    apart = unicodedata.normalize("NFKD", " ".join(name[:LONGEST].split()))
    bare = "".join(char for char in apart if ord(char) not in ACCENTS)
    return unicodedata.normalize("NFKC", bare.casefold())
