"""Pages of games that go on and on: every secret can be corrected, and a page costs the same at any move."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from referee.dice import Dice
from referee.games import GAMES
from referee.match import Match
from referee.moves import Seat, random_move
from referee.questions import own_secrets
from referee.settings import Settings
from referee.words import COMPLETE
from web.app import create_app
from web.bodies import Wish
from web.caller import Caller
from web.desks import Desks
from web.house import House, entry_of
from web.store import Store

HERE = "127.0.0.1"
TRIES = 60  # random moves of which one at least does not end the game
every_game = pytest.mark.parametrize("game", GAMES)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    store = Store(tmp_path / "referee.db")
    yield House(store, Settings())
    store.close()


class Evening:
    """A table where everybody sits and nobody hurries to win; what is played stays in memory."""

    def __init__(self, house: House, folder: Path, game: str) -> None:
        opened = house.open(Wish(game, {}, None), Caller(HERE))
        self.path = f"/t/{opened.code}"
        self.dice = Dice(f"long/{game}")
        self.app = create_app(house, Desks(house, folder, lambda: "http://localhost"))
        self.host = self.browser(f"host_{opened.code}", opened.host)
        self.phones = {
            seat: self.browser(
                f"seat_{opened.code}_{seat}",
                house.join(opened.code, seat, {"key": key, "name": seat.title()}, Caller(HERE)),
            )
            for seat, key in opened.keys.items()
        }
        table = house.table(opened.code)
        assert table
        self.table = table

    def browser(self, cookie: str, token: str) -> FlaskClient:
        browser = self.app.test_client()
        browser.set_cookie(cookie, token)
        return browser

    @property
    def match(self) -> Match:
        return self.table.match

    def play(self, moves: int) -> bool:
        """Play until so many moves stand, or just before the game would end."""
        while len(self.match.made) < moves:
            later = next((match for match in map(self._moved, range(TRIES)) if not match.outcome), None)
            if later is None:
                return False
            self.table.match = later
        return True

    def _moved(self, _try: int) -> Match:
        seat = self.dice.pick([seat for seat, choices in self.match.choices.items() if choices])
        move = random_move(self.match.choices[seat], self.dice)
        return self.match.after(entry_of(self.match, seat, move))

    def page(self, seat: Seat, query: str = "", language: str = "en") -> str:
        """What this seat's phone shows once every answer was tapped away."""
        phone, path = self.phones[seat], f"{self.path}/s/{seat}"
        phone.set_cookie("language", language)
        phone.set_cookie(f"seen{path.replace('/t/', '_').replace('/s/', '_')}", "99999", path=path)
        answer = phone.get(f"{path}{query}")
        assert answer.status_code == 200, query
        return answer.text


@pytest.fixture
def evening(house: House, tmp_path: Path, game: str) -> Evening:
    return Evening(house, tmp_path, game)


@every_game
@pytest.mark.parametrize("language", COMPLETE)
def test_every_secret_that_stands_can_be_entered_anew(evening: Evening, language: str) -> None:
    evening.play(40)
    for seat in evening.phones:
        for made in own_secrets(evening.match, seat):
            query = f"?correct={made.n}"
            assert f'action="{query}"' in evening.page(seat, query, language)
