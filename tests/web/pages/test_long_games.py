"""Pages of long games: every secret can be corrected, and a page costs the same at any move."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from referee.core.append_only import AppendOnlyList
from referee.core.corrections import own_secrets
from referee.core.dice import Dice
from referee.core.entries import Answered, Asked, Entry
from referee.core.match import Match
from referee.core.moves import Seat, random_move
from referee.core.replay import StandingMove
from referee.games import GAMES
from referee.presentation.words import COMPLETE
from tests.support.web.seated_table import SeatedTable
from web.pages.play import question_forms
from web.pages.play.corrections import LATEST
from web.server.flask_app import create_app
from web.service.desks import Desks
from web.service.move_entries import entry_of
from web.service.tables import TableService

TRIES = 60  # random moves of which one at least does not end the game
MANY = 800  # moves of a long game
ROUND = 8  # moves in which everybody is shown every kind of page
FEW = 100  # moves that a page may look at; each of the latest secrets is found by halves
every_game = pytest.mark.parametrize("game", GAMES)


class LongGame(SeatedTable):
    """Everybody has a browser and nobody hurries to win; what is played stays in memory."""

    def __init__(self, service: TableService, folder: Path, game: str) -> None:
        super().__init__(service, game)
        self.path = f"/t/{self.code}"
        self.dice = Dice(f"long/{game}")
        self.app = create_app(service, Desks(service, folder, lambda: "http://localhost"))
        self.screen = self.browser(f"host_{self.code}", self.opened.host)
        self.phones = {
            seat: self.browser(f"seat_{self.code}_{seat}", str(who.token))
            for seat, who in self.people.items()
        }

    def browser(self, cookie: str, token: str) -> FlaskClient:
        browser = self.app.test_client()
        browser.set_cookie(cookie, token)
        return browser

    def play_on(self, moves: int) -> bool:
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
def game_on(service: TableService, tmp_path: Path, game: str) -> LongGame:
    return LongGame(service, tmp_path, game)


@every_game
@pytest.mark.parametrize("language", COMPLETE)
def test_every_secret_that_stands_can_be_entered_anew(game_on: LongGame, language: str) -> None:
    game_on.play_on(40)
    for seat in game_on.phones:
        for made in own_secrets(game_on.match, seat):
            query = f"?correct={made.n}"
            assert f'action="{query}"' in game_on.page(seat, query, language)


# ---- the menu offers the latest, a page of its own has them all


def offered_in(html: str) -> list[int]:
    """The secrets that a page offers to correct."""
    return [int(n) for n in re.findall(r'href="[^"]*\?correct=(\d+)"', html)]


@every_game
def test_the_menu_offers_the_latest_secrets_and_a_page_all_of_them(game_on: LongGame) -> None:
    game_on.play_on(60)
    for seat in game_on.phones:
        own = [made.n for made in reversed(own_secrets(game_on.match, seat))]
        menu, entered = game_on.page(seat), f"{game_on.path}/s/{seat}/entered"
        assert offered_in(menu) == own[:LATEST]
        assert (f'href="{entered}"' in menu) == (len(own) > LATEST)
        assert offered_in(game_on.phones[seat].get(entered).text) == own


@pytest.mark.parametrize("game", ["espion_contre_espion"])
def test_secrets_that_read_alike_are_told_apart_by_the_number_that_everyone_is_told(
    game_on: LongGame,
) -> None:
    game_on.play_on(60)
    for seat, phone in game_on.phones.items():
        for html in (game_on.page(seat), phone.get(f"{game_on.path}/s/{seat}/entered").text):
            told = re.findall(r'\?correct=(\d+)">([^<]+)<', html)
            labels = [label for _, label in told]
            assert len(set(labels)) == len(labels)
            assert all(
                label.endswith(f"(no.\N{NO-BREAK SPACE}{n})") for n, label in told if "right after" in label
            )
            assert any("right after" in label for label in labels)
        first, *_, last = own_secrets(game_on.match, seat)
        assert f"(no.\N{NO-BREAK SPACE}{last.n})</p>" in game_on.page(seat, f"?correct={last.n}")
        assert "(no." not in game_on.page(seat, f"?correct={first.n}").partition("<details")[0], "it is alone"


@every_game
def test_nobody_else_is_shown_what_a_seat_entered(game_on: LongGame) -> None:
    game_on.play_on(5)
    mine, theirs, *_ = game_on.phones
    path = f"{game_on.path}/s/{mine}/entered"
    assert game_on.phones[theirs].get(path).status_code == 401
    assert game_on.screen.get(path).status_code == 401


@every_game
def test_while_a_question_is_open_nothing_is_offered_to_correct(game_on: LongGame) -> None:
    game_on.play_on(5)
    seat, *_ = game_on.phones
    game_on.table.match = game_on.match.after(
        Asked(seat, "undo", game_on.match.seats, {"n": game_on.match.made[-1].n})
    )
    led = game_on.phones[seat].get(f"{game_on.path}/s/{seat}/entered")
    assert (led.status_code, led.headers["Location"]) == (303, f"{game_on.path}/s/{seat}")


# ---- what a page costs


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[StandingMove]:
    """Every move that somebody looks at, among those that stand."""
    seen: list[StandingMove] = []
    each, some = AppendOnlyList.__iter__, AppendOnlyList.__getitem__

    def looked_at_each(row: AppendOnlyList[StandingMove]) -> Iterator[StandingMove]:
        for made in each(row):
            seen.append(made)
            yield made

    def looked_at(row: AppendOnlyList[StandingMove], at: Any) -> Any:
        found = some(row, at)
        seen.extend(found if isinstance(at, slice) else (found,))
        return found

    monkeypatch.setattr(AppendOnlyList, "__iter__", looked_at_each)
    monkeypatch.setattr(AppendOnlyList, "__getitem__", looked_at)
    return seen


@every_game
def test_a_page_looks_at_as_few_moves_late_in_a_game_as_early(
    game_on: LongGame, looks: list[StandingMove]
) -> None:
    for moves in (20, MANY):
        game_on.play_on(moves)
        for seat in game_on.phones:
            looks.clear()
            game_on.page(seat)
            game_on.screen.get(game_on.path)
            assert len(looks) < FEW, (moves, seat)


@pytest.mark.parametrize("game", ["agent_hunter"])
def test_what_is_taken_back_is_played_again_once(game_on: LongGame, monkeypatch: pytest.MonkeyPatch) -> None:
    game_on.play_on(40)
    after, heard = Match.after, list[type[Entry]]()

    def counted(match: Match, entry: Entry) -> Match:
        heard.append(type(entry))
        return after(match, entry)

    monkeypatch.setattr(Match, "after", counted)
    for seat, form in (("target", {"ask": "undo"}), ("mask", {"accept": "yes"})):
        table, who = game_on.table, game_on.people[seat]
        form["version"] = str(game_on.match.version)
        game_on.service.wait(question_forms.send(game_on.service, table, who, "fr", form))
    assert len(game_on.match.made) == 39
    assert heard == [Asked, Answered]


def bytes_of(game_on: LongGame) -> int:
    """What all pages weigh, move after move for a while: whoever is to move is shown more than who waits."""
    weight = 0
    for _ in range(ROUND):
        game_on.play_on(len(game_on.match.made) + 1)
        weight += sum(len(game_on.page(seat)) for seat in game_on.phones)
        weight += len(game_on.screen.get(game_on.path).text)
    return weight


@pytest.mark.parametrize("game", ["agent_hunter", "espion_contre_espion"])
def test_pages_do_not_grow_during_a_long_game(game_on: LongGame) -> None:
    assert game_on.play_on(MANY // 4)  # by then all pieces lie on the table
    early = bytes_of(game_on)
    assert game_on.play_on(MANY)
    assert bytes_of(game_on) < 1.1 * early
