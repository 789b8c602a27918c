"""Pages of games that go on and on: every secret can be corrected, and a page costs the same at any move."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from referee.corrections import own_secrets
from referee.dice import Dice
from referee.games import GAMES
from referee.growing import Growing
from referee.match import Match
from referee.moves import Seat, random_move
from referee.record import Answered, Asked, Entry
from referee.replaying import Made
from referee.words import COMPLETE
from web.app import create_app
from web.bodies import Wish
from web.caller import Caller
from web.desks import Desks
from web.house import House, entry_of
from web.pages import mend
from web.pages.mend import LATEST

HERE = "127.0.0.1"
TRIES = 60  # random moves of which one at least does not end the game
MANY = 800  # moves of a long game
ROUND = 8  # moves in which everybody is shown every kind of page
FEW = 100  # moves that a page may look at; each of the latest secrets is found by halves
every_game = pytest.mark.parametrize("game", GAMES)


class Evening:
    """A table where everybody sits and nobody hurries to win; what is played stays in memory."""

    def __init__(self, house: House, folder: Path, game: str) -> None:
        opened = house.wait(house.open(Wish(game, {}, None), Caller(HERE)))
        self.path = f"/t/{opened.code}"
        self.dice = Dice(f"long/{game}")
        self.app = create_app(house, Desks(house, folder, lambda: "http://localhost"))
        self.host = self.browser(f"host_{opened.code}", opened.host)
        self.house, self.tokens = house, dict[str, str]()
        for seat, key in opened.keys.items():
            who = {"key": key, "name": seat.title()}
            self.tokens[seat] = house.wait(house.join(opened.code, seat, who, Caller(HERE)))
        self.phones = {
            seat: self.browser(f"seat_{opened.code}_{seat}", token) for seat, token in self.tokens.items()
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


# ---- the menu offers the latest, a page of its own has them all


def offered_in(html: str) -> list[int]:
    """The secrets that a page offers to correct."""
    return [int(n) for n in re.findall(r'href="[^"]*\?correct=(\d+)"', html)]


@every_game
def test_the_menu_offers_the_latest_secrets_and_a_page_all_of_them(evening: Evening) -> None:
    evening.play(60)
    for seat in evening.phones:
        own = [made.n for made in reversed(own_secrets(evening.match, seat))]
        menu, entered = evening.page(seat), f"{evening.path}/s/{seat}/entered"
        assert offered_in(menu) == own[:LATEST]
        assert (f'href="{entered}"' in menu) == (len(own) > LATEST)
        assert offered_in(evening.phones[seat].get(entered).text) == own


@pytest.mark.parametrize("game", ["espion_contre_espion"])
def test_secrets_that_read_alike_are_told_apart_by_the_number_that_everyone_is_told(evening: Evening) -> None:
    evening.play(60)
    for seat, phone in evening.phones.items():
        for html in (evening.page(seat), phone.get(f"{evening.path}/s/{seat}/entered").text):
            told = re.findall(r'\?correct=(\d+)">([^<]+)<', html)
            labels = [label for _, label in told]
            assert len(set(labels)) == len(labels)
            assert all(
                label.endswith(f"(no.\N{NO-BREAK SPACE}{n})") for n, label in told if "right after" in label
            )
            assert any("right after" in label for label in labels)
        first, *_, last = own_secrets(evening.match, seat)
        assert f"(no.\N{NO-BREAK SPACE}{last.n})</p>" in evening.page(seat, f"?correct={last.n}")
        assert "(no." not in evening.page(seat, f"?correct={first.n}").partition("<details")[0], "it is alone"


@every_game
def test_nobody_else_is_shown_what_a_seat_entered(evening: Evening) -> None:
    evening.play(5)
    mine, theirs, *_ = evening.phones
    path = f"{evening.path}/s/{mine}/entered"
    assert evening.phones[theirs].get(path).status_code == 401
    assert evening.host.get(path).status_code == 401


@every_game
def test_while_a_question_is_open_nothing_is_offered_to_correct(evening: Evening) -> None:
    evening.play(5)
    seat, *_ = evening.phones
    evening.table.match = evening.match.after(
        Asked(seat, "undo", evening.match.seats, {"n": evening.match.made[-1].n})
    )
    led = evening.phones[seat].get(f"{evening.path}/s/{seat}/entered")
    assert (led.status_code, led.headers["Location"]) == (303, f"{evening.path}/s/{seat}")


# ---- what a page costs


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Made]:
    """Every move that somebody looks at, among those that stand."""
    seen: list[Made] = []
    each, some = Growing.__iter__, Growing.__getitem__

    def looked_at_each(row: Growing[Made]) -> Iterator[Made]:
        for made in each(row):
            seen.append(made)
            yield made

    def looked_at(row: Growing[Made], at: Any) -> Any:
        found = some(row, at)
        seen.extend(found if isinstance(at, slice) else (found,))
        return found

    monkeypatch.setattr(Growing, "__iter__", looked_at_each)
    monkeypatch.setattr(Growing, "__getitem__", looked_at)
    return seen


@every_game
def test_a_page_looks_at_as_few_moves_late_in_a_game_as_early(evening: Evening, looks: list[Made]) -> None:
    for moves in (20, MANY):
        evening.play(moves)
        for seat in evening.phones:
            looks.clear()
            evening.page(seat)
            evening.host.get(evening.path)
            assert len(looks) < FEW, (moves, seat)


@pytest.mark.parametrize("game", ["agent_hunter"])
def test_what_is_taken_back_is_played_again_once(evening: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    evening.play(40)
    after, heard = Match.after, list[type[Entry]]()

    def counted(match: Match, entry: Entry) -> Match:
        heard.append(type(entry))
        return after(match, entry)

    monkeypatch.setattr(Match, "after", counted)
    for seat, form in (("target", {"ask": "undo"}), ("mask", {"accept": "yes"})):
        table, who = evening.table, Caller(HERE, evening.tokens[seat])
        form["version"] = str(evening.match.version)
        evening.house.wait(mend.send(evening.house, table, who, "fr", form))
    assert len(evening.match.made) == 39
    assert heard == [Asked, Answered]


def bytes_of(evening: Evening) -> int:
    """What all pages weigh, move after move for a while: whoever is to move is shown more than who waits."""
    weight = 0
    for _ in range(ROUND):
        evening.play(len(evening.match.made) + 1)
        weight += sum(len(evening.page(seat)) for seat in evening.phones)
        weight += len(evening.host.get(evening.path).text)
    return weight


@pytest.mark.parametrize("game", ["agent_hunter", "espion_contre_espion"])
def test_a_page_is_no_longer_late_in_a_game_than_early(evening: Evening) -> None:
    assert evening.play(MANY // 4)  # by then all pieces lie on the table
    early = bytes_of(evening)
    assert evening.play(MANY)
    assert bytes_of(evening) < 1.1 * early
