"""The picture of a result: who won, the final position and the date, and no deleted name."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from PIL import Image

from referee.core.game import Finished
from referee.games import GAMES
from referee.presentation.papers import finished
from referee.presentation.poster import HEIGHT, WIDTH, Box, Disc, Drawn, Text
from referee.presentation.views import Localizer
from referee.presentation.words import LANGUAGES, words
from tests.support.web.seated_table import SeatedTable
from web.output.result_picture import PALETTE, Result, Side, as_png
from web.pages.archive import sheet as page
from web.server.flask_app import create_app
from web.service.desks import Desks
from web.service.erasure import forget_person
from web.service.tables import TableService

COLOURS = {*PALETTE, "one", "two", "one-light", "two-light", ""}
every_game = pytest.mark.parametrize("game", GAMES)


@pytest.fixture
def browser(service: TableService, tmp_path: Path) -> FlaskClient:
    return create_app(service, Desks(service, tmp_path, lambda: "http://localhost")).test_client()


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Result]:
    """What the pictures are made of."""
    found = list[Result]()

    def noted(result: Result) -> bytes:
        found.append(result)
        return as_png(result)

    monkeypatch.setattr(page, "as_png", noted)
    return found


def over(service: TableService, game: str) -> SeatedTable:
    table = SeatedTable(service, game)
    table.play(2000)
    return table


def game_of(table: SeatedTable, language: str) -> Finished:
    seen = table.table.seen()
    return finished(seen, Localizer(words(language), seen.game, seen.names))


@every_game
def test_it_shows_the_winner_the_scores_and_the_final_position(
    service: TableService, browser: FlaskClient, game: str, drawn: list[Result]
) -> None:
    table = over(service, game)
    for language in LANGUAGES:
        answer = browser.get(f"/t/{table.code}/picture.png", headers={"Accept-Language": language})
        assert (answer.status_code, answer.mimetype) == (200, "image/png")
        picture = Image.open(BytesIO(answer.data))
        assert picture.width == 1080 and 1080 <= picture.height <= 1500
        assert len(answer.data) < 150_000
    outcome = table.match.outcome
    assert outcome
    for result in drawn:
        assert result.position and result.ending and table.code in result.table
        assert [side.won for side in result.sides] == [
            bool({side, *team} & set(outcome.winners)) for side, team in _sides(table).items()
        ]
        assert [bool(side.score) for side in result.sides] == [bool(outcome.scores)] * len(result.sides)
    assert drawn[0].ending != drawn[1].ending, "each in its language"


def _sides(table: SeatedTable) -> dict[str, tuple[str, ...]]:
    return dict(table.match.game.sides(tuple(table.people)))


@every_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_position_lies_in_its_box_and_uses_known_colours(
    service: TableService, game: str, language: str
) -> None:
    shapes = list(GAMES[game].poster(game_of(over(service, game), language)))
    assert shapes
    for shape in shapes:
        assert _colours(shape) <= COLOURS, shape
        for x, y in _extent(shape):
            assert -1 <= x <= WIDTH + 1 and -1 <= y <= HEIGHT + 1, shape


def _colours(shape: Drawn) -> set[str]:
    return {colour for name in ("fill", "line") if (colour := getattr(shape, name, ""))}


def _extent(shape: Drawn) -> Iterator[tuple[float, float]]:
    if isinstance(shape, Box):
        yield from ((shape.x, shape.y), (shape.x + shape.width, shape.y + shape.height))
    elif isinstance(shape, Disc):
        yield from ((shape.x + sign * shape.radius, shape.y + sign * shape.radius) for sign in (-1, 1))
    elif isinstance(shape, Text):
        yield shape.x, shape.y
    else:
        yield from shape.points


def test_a_deleted_name_is_on_no_later_picture(
    service: TableService, browser: FlaskClient, drawn: list[Result]
) -> None:
    table = over(service, "agent_hunter")
    path = f"/t/{table.code}/picture.png"
    before = browser.get(path).data
    service.wait(forget_person(service, "Mask"))
    assert browser.get(path).data != before
    names = [[side.name for side in result.sides] for result in drawn]
    assert names == [["Target", "Mask"], ["Target", "quelqu’un"]]
    assert "Mask" not in drawn[1].ending


@pytest.mark.parametrize("shows", [True, False])
def test_a_game_that_was_stopped_has_a_picture_without_a_position(
    service: TableService, browser: FlaskClient, drawn: list[Result], shows: bool
) -> None:
    table = SeatedTable(service, "agent_double")
    table.play(8)
    table.agrees("abandon", show=shows)
    assert browser.get(f"/t/{table.code}/picture.png").status_code == 200
    assert drawn[0].position == () and not any(side.won or side.score for side in drawn[0].sides)


def test_long_and_strange_names_are_drawn() -> None:
    names = ("Maximilienne-Alexandrine de la Tour d’Auvergne et de plus loin", "日本" * 20, "\u202e" * 9, "")
    for name in names:
        result = Result(
            "A" * 60, "", name * 3, "", (Side(3, name, "7", won=True),), (), ("#000000", "#ffffff")
        )
        assert as_png(result).startswith(b"\x89PNG")
