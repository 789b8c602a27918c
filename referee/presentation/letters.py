"""Text normalization for free text and printing: removes or replaces characters that cannot be shown."""

import unicodedata


def plain(text: str) -> str:
    """NFC text without control and invisible characters. All spaces become a space or a no-break space."""
    return "".join(map(_plain, unicodedata.normalize("NFC", text)))


def unmarked(text: str) -> str:
    """`plain` text without combining marks: a letter with no precomposed form loses its accent."""
    return "".join(char for char in plain(text) if not _is_mark(char))


def bare(char: str) -> str:
    """The base letters of a character, without accents."""
    return "".join(part for part in unicodedata.normalize("NFKD", char) if not _is_mark(part))


def _is_mark(char: str) -> bool:
    return unicodedata.category(char).startswith("M")


def _plain(char: str) -> str:
    kind = unicodedata.category(char)
    if char in "\u00a0\u2007\u202f":
        return "\u00a0"
    if char in "\t\n\v\f\r\x85" or kind in ("Zs", "Zl", "Zp"):
        return " "
    if kind == "Cs":  # a lone surrogate cannot be encoded
        return "?"
    return "" if kind in ("Cc", "Cf") else char
