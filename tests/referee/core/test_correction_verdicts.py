"""No seat learns another's secret from whether it may correct its own; and a planted leak is found."""

from typing import Any

import pytest

from referee.core import corrections
from referee.core.game import Game
from referee.core.moves import Choices, Seat, offered
from referee.core.replay import StandingMove
from referee.games import GAMES
from referee.games.agent_avenue import AGENT_AVENUE
from referee.games.agent_hunter import AGENT_HUNTER
from referee.kit.twin_worlds import Leak
from tests.support.rules.correction_verdicts import look_for_verdicts
from tests.support.soak import LONG, games

ENOUGH = 600  # verdicts, and half of them on what others have moved since

SAME = {"illegal-move refusal.same_secret"}


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
def test_whether_a_secret_may_be_corrected_tells_nothing_of_anothers(game: Game[Any, Any]) -> None:
    heard = look_for_verdicts(game, [f"verdict/{i}" for i in games(60)], ENOUGH * LONG)
    assert len(heard) >= ENOUGH * LONG, heard
    assert heard.since * 2 > len(heard), heard
    said = {verdict.partition(": ")[2].partition(",")[0] for verdict in heard.verdicts}
    assert said - SAME == {"asked", "illegal-move refusal.take_back_first"}, "both were heard"


def is_still_possible(made: StandingMove, _by: Seat, _was: Choices, now: Choices) -> bool:
    """The rule that tells too much: every later move, another seat's too, must just be possible."""
    return offered(now, made.entry.move) is not None


@pytest.mark.parametrize("game", [AGENT_HUNTER, AGENT_AVENUE], ids=lambda game: str(game.id))
def test_a_rule_that_asks_what_others_could_still_have_played_is_found(
    game: Game[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corrections, "_stays", is_still_possible)
    with pytest.raises(Leak, match="take_back_first"):
        look_for_verdicts(game, [f"verdict/{i}" for i in range(60)], 10 * ENOUGH)
