"""JSON is the same, byte by byte, with orjson and without."""

import json
from typing import Any

import pytest

from referee.core.game import Game
from referee.core.match import NewsEntry
from referee.games import GAMES
from referee.presentation.views import view
from referee.presentation.words import LANGUAGES, words
from referee.program.simulate import opened, steps
from web.wire import json_bytes as module
from web.wire.json_bytes import json_bytes, json_bytes_stdlib


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
def test_every_view_of_every_game_is_the_same_both_ways(game: Game[Any, Any]) -> None:
    for seed in ("written/1", "written/2"):
        for step in steps(opened(game, seed), seed, thorough=True):
            for seat in (None, *step.match.seats):
                for language in LANGUAGES:
                    shown = view(step.match.seen_by(seat), words(language))
                    assert json_bytes(shown) == json_bytes_stdlib(shown)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [True, False, 0, -1, 2**53, 2**63, -(2**70)],
        "".join(map(chr, (*range(0x100), 0x2028, 0x2029, 0xFEFF, 0xFFFF, 0x1F600))),
        {"é": (1, "2"), "": {}, "[]": []},
        {1: "one", "1": "1"},
        NewsEntry(1, 2, None),  # type: ignore[arg-type]
    ],
    ids=range(6),
)
def test_so_is_whatever_else_there_may_be(value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = json_bytes(value)
    monkeypatch.setattr(module, "orjson", None)
    assert json_bytes(value) == fast == json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
