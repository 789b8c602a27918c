"""Code pages: texts in the characters a printer has, one byte each."""

from referee.letters import bare, unmarked

HARD_SPACE = "\u00a0"  # keeps « and its word on one line; on paper it is a space like any other

# What stands for a character that a page lacks.
STANDS_FOR = {
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
    """The text in characters of this page: the nearest ones for those it lacks, “?” where there are none."""
    return "".join(char if _has(page, char) else _stand_in(char, page) for char in unmarked(text))


def encode(text: str, page: str) -> bytes:
    return legible(text, page).replace(HARD_SPACE, " ").encode(page)


def _has(page: str, char: str) -> bool:
    try:
        char.encode(page)
    except UnicodeEncodeError:
        return char == HARD_SPACE
    return True


def _stand_in(char: str, page: str) -> str:
    base = STANDS_FOR.get(char) or bare(char)
    return base if base and all(_has(page, letter) for letter in base) else "?"
