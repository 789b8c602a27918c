"""Scenarios that are too rare for random games: a test of each game plays them, and names them."""

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "referee" / "games"


@cache
def _texts(game_id: str) -> tuple[str, ...]:
    files = sorted(FOLDER.glob(f"test_{game_id}*.py"))
    return tuple(file.read_text(encoding="utf-8") for file in files)


def is_in_a_scenario(game_id: str, what: str) -> bool:
    """Its key stands in a test, alone or in full."""
    return any(f'"{what}"' in text or f'.{what}"' in text for text in _texts(game_id))
