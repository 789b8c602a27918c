"""The catalogues of words, as text."""

from pathlib import Path

import referee

WORDS = Path(referee.__file__).parent / "words"


def catalogue(language: str) -> str:
    return (WORDS / f"{language}.po").read_text(encoding="utf-8")
