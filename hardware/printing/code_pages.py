"""Encodes text in a printer's code page, with substitutes for characters that the page lacks."""

from referee.presentation.letters import base_letters, without_marks

HARD_SPACE = "\u00a0"  # keeps « and its word on one line; printed as an ordinary space

# Substitutes for characters that a page lacks.
SUBSTITUTES = {
    **dict.fromkeys("‘’‚‛′", "'"),
    **dict.fromkeys("“”„‟«»″", '"'),
    **dict.fromkeys("‹›", "'"),
    **dict.fromkeys("‐‑‒–—―−·•", "-"),
    "…": "...",
    "œ": "oe",
    "Œ": "OE",
    "æ": "ae",
    "Æ": "AE",
    "ß": "ss",
    "ø": "o",
    "Ø": "O",
    "ł": "l",
    "Ł": "L",
    "đ": "d",
    "Đ": "D",
    "€": "EUR",
    "×": "x",
    "→": "->",
    "←": "<-",
}


def legible(text: str, page: str) -> str:
    """The text with each character that this page lacks replaced by a substitute, or “?” if there is none."""
    return "".join(char if _has(page, char) else _substitute(char, page) for char in without_marks(text))


def encode(text: str, page: str) -> bytes:
    return legible(text, page).replace(HARD_SPACE, " ").encode(page)


def _has(page: str, char: str) -> bool:
    try:
        char.encode(page)
    except UnicodeEncodeError:
        return char == HARD_SPACE
    return True


def _substitute(char: str, page: str) -> str:
    base = SUBSTITUTES.get(char) or base_letters(char)
    return base if base and all(_has(page, letter) for letter in base) else "?"
