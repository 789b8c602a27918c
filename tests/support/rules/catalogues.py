"""The catalogues of words, as text."""

from collections.abc import Iterator
from pathlib import Path

import referee

HERE = Path(referee.__file__).parent


def catalogues(language: str) -> Iterator[str]:
    """The text of each catalogue of a language: the shared one, then those of the shipped games."""
    for file in (HERE / "words" / f"{language}.po", *sorted(HERE.glob(f"games/*/words/{language}.po"))):
        yield file.read_text(encoding="utf-8")
