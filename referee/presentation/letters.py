"""Text normalization for free text and printing: removes or replaces characters that cannot be shown."""

import unicodedata


def printable(text: str) -> str:
    """NFC text without control and invisible characters. All spaces become a space or a no-break space."""
    return "".join(map(_printable, unicodedata.normalize("NFC", text)))


def without_marks(text: str) -> str:
    """`printable` text without combining marks: a letter with no precomposed form loses its accent."""
    return "".join(char for char in printable(text) if not _is_mark(char))


def base_letters(char: str) -> str:
    """The base letters of a character, without accents."""
    return "".join(part for part in unicodedata.normalize("NFKD", char) if not _is_mark(part))


def _is_mark(char: str) -> bool:
    return unicodedata.category(char).startswith("M")


def _printable(char: str) -> str:
    kind = unicodedata.category(char)
    if char in "\u00a0\u2007\u202f":
        return "\u00a0"
    if char in "\t\n\v\f\r\x85" or kind in ("Zs", "Zl", "Zp"):
        return " "
    if kind == "Cs":  # a lone surrogate cannot be encoded
        return "?"
    return "" if kind in ("Cc", "Cf") else char
