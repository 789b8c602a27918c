"""Letters: which characters may stand on paper and in free text, and what is left of the others."""

import unicodedata


def plain(text: str) -> str:
    """A text without controls and invisible characters, with only two spaces: the soft and the hard one."""
    return "".join(map(_plain, unicodedata.normalize("NFC", text)))


def unmarked(text: str) -> str:
    """A plain text without loose accents: a letter that exists only in two parts loses the second."""
    return "".join(char for char in plain(text) if not _is_mark(char))


def bare(char: str) -> str:
    """The letters that a character is made of, without their accents."""
    return "".join(part for part in unicodedata.normalize("NFKD", char) if not _is_mark(part))


def _is_mark(char: str) -> bool:
    return unicodedata.category(char).startswith("M")


def _plain(char: str) -> str:
    kind = unicodedata.category(char)
    if char in "\u00a0\u2007\u202f":
        return "\u00a0"
    if char in "\t\n\v\f\r\x85" or kind in ("Zs", "Zl", "Zp"):
        return " "
    if kind == "Cs":  # half a character: nothing can write it
        return "?"
    return "" if kind in ("Cc", "Cf") else char
