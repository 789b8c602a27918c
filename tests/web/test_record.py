"""The record page: refused while anything is hidden, and every step of every game with all hands open."""

import html
import re
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from referee import story as stories
from referee.dice import Dice
from referee.fairness import short, spelled
from referee.games import GAMES
from referee.match import Match
from referee.moves import random_move
from referee.story import APART
from referee.verify import verify
from referee.views import Voice, view
from referee.words import words
from web import mending, records
from web.app import create_app
from web.bodies import Wish
from web.caller import Caller
from web.desks import Desks
from web.house import House
from web.opening import Opened
from web.pages import record as page

HERE = "127.0.0.1"
every_game = pytest.mark.parametrize("game", GAMES)


@pytest.fixture
def browser(house: House, tmp_path: Path) -> FlaskClient:
    return create_app(house, Desks(house, tmp_path, lambda: "http://localhost")).test_client()


class Evening:
    """A table where everybody sits, and random players play on."""

    def __init__(self, house: House, game: str) -> None:
        self.house, self.game = house, game
        self.opened: Opened = house.wait(house.open(Wish(game, {}, None), Caller(HERE)))
        self.code = self.opened.code
        self.tokens = {
            seat: house.wait(house.join(self.code, seat, {"key": key, "name": seat.title()}, Caller(HERE)))
            for seat, key in self.opened.keys.items()
        }
        self.dice = Dice(f"evening/{game}")

    @property
    def match(self) -> Match:
        table = self.house.table(self.code)
        assert table
        return table.match

    def play(self, moves: int) -> None:
        while moves and not self.match.outcome:
            seat = self.dice.pick([seat for seat in self.match.seats if self.match.choices[seat]])
            move = random_move(self.match.choices[seat], self.dice)
            body = {"version": self.match.version, "type": move.type, **move.fields}
            mover = Caller(HERE, self.tokens[seat])
            self.house.wait(self.house.move(self.code, _listed(body), mover, "fr"))
            moves -= 1

    def ask(self, **fields: Any) -> None:
        """The host asks, and everybody agrees."""
        body = {"version": self.match.version, **fields}
        self.house.wait(mending.ask(self.house, self.code, body, Caller(HERE, self.opened.host), "fr"))
        for token in self.tokens.values():
            self.agree(token)

    def agree(self, token: str) -> None:
        self.house.wait(mending.answer(self.house, self.code, {"accept": True}, Caller(HERE, token), "fr"))


def _listed(value: Any) -> Any:
    """As JSON has it: lists, no tuples."""
    if isinstance(value, dict):
        return {name: _listed(item) for name, item in value.items()}
    return [_listed(item) for item in value] if isinstance(value, tuple | list) else value


def _text(source: str) -> str:
    return html.unescape(source).replace("\N{NO-BREAK SPACE}", " ")


# ---- refused in plain words


@every_game
def test_no_record_page_before_the_end(house: House, browser: FlaskClient, game: str) -> None:
    evening = Evening(house, game)
    evening.play(3)
    for query in ("", "?step=1", "?step=99", "?printed=0"):
        answer = browser.get(f"/t/{evening.code}/record{query}")
        assert answer.status_code == 403
        assert "Ce qui est caché se montre quand la partie est finie" in _text(answer.text)
        assert 'id="step"' not in answer.text
    assert f"/t/{evening.code}/record" not in browser.get(f"/t/{evening.code}").text


@every_game
@pytest.mark.parametrize("shows", [True, False])
def test_an_abandoned_game_shows_what_all_agreed_to(
    house: House, browser: FlaskClient, game: str, shows: bool
) -> None:
    evening = Evening(house, game)
    evening.play(3)
    evening.ask(kind="abandon", show=shows)
    answer = browser.get(f"/t/{evening.code}/record")
    assert answer.status_code == (200 if shows else 403)
    assert ("cela reste caché" in _text(answer.text)) != shows
    assert answer.status_code == browser.get(f"/api/tables/{evening.code}/record").status_code
    for path in (f"/t/{evening.code}", f"/t/{evening.code}/sheet"):
        assert (f'href="/t/{evening.code}/record"' in browser.get(path).text) == shows


def test_an_unknown_table_has_no_record(browser: FlaskClient) -> None:
    assert browser.get("/t/ABCDE/record").status_code == 404


# ---- every step of every game


@every_game
def test_every_step_is_shown_with_all_hands_open(house: House, browser: FlaskClient, game: str) -> None:
    evening = Evening(house, game)
    evening.play(4)
    evening.ask(kind="undo")
    evening.play(2000)
    record = browser.get(f"/api/tables/{evening.code}/record").json
    assert record
    count = len(record["entries"])
    for step in (*range(1, min(count, 12) + 1), count, count + 1):
        answer = browser.get(f"/t/{evening.code}/record?step={step}")
        assert answer.status_code == 200
        shown = _text(answer.text)
        assert f'data-n="{step}"' in shown
        if step <= count:
            assert f'data-head="{record["entries"][step - 1]["head"]}"' in shown
            assert len(re.findall(r'class="open-hand ', shown)) == (
                len(evening.tokens) if step >= len(evening.tokens) else 0
            )
    assert "Retournez les vraies cartes" in shown
    assert 'class="is-fine"' in shown
    assert 'class="is-wrong"' not in shown
    assert spelled(record["head"]) in shown


@every_game
def test_a_game_without_pages_of_its_own_has_a_record_page(
    house: House, browser: FlaskClient, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "fragment", lambda _game, name: f"games/any/{name}")
    evening = Evening(house, game)
    evening.play(2000)
    n = len(evening.tokens) + 2
    shown = _text(browser.get(f"/t/{evening.code}/record?step={n}").text)
    assert shown.count('class="plain-hand"') == len(evening.tokens)


@every_game
def test_the_hands_are_those_of_that_moment(house: House, browser: FlaskClient, game: str) -> None:
    """The page is made of what each seat saw then, and of nothing that came later."""
    evening = Evening(house, game)
    evening.play(5)
    then = {seat: view(evening.match.seen_by(seat), words("fr"))["me"]["hand"] for seat in evening.tokens}
    at = evening.match.entries
    evening.play(2000)
    shown = _shown(house, evening.code, at)
    assert {seat: shown[seat]["me"]["hand"] for seat in evening.tokens} == then
    assert shown[""]["me"] is None


def _shown(house: House, code: str, n: int) -> dict[str, dict[str, Any]]:
    table = house.table(code)
    assert table
    [step] = house.records.past(table).story.steps(n, n)
    return page.views_of(step, Voice(words("fr"), table.match.game, table.match.names))


def test_what_was_taken_back_or_corrected_is_marked(house: House, browser: FlaskClient) -> None:
    evening = Evening(house, "agent_hunter")
    for seat, houses in (("target", [1, 2, 3]), ("mask", [4, 5, 6])):
        body = {"version": evening.match.version, "type": "hide", "houses": houses}
        house.wait(house.move(evening.code, body, Caller(HERE, evening.tokens[seat]), "fr"))
    mask = Caller(HERE, evening.tokens["mask"])
    n = evening.match.made[-1].n
    body = {"version": evening.match.version, "kind": "correct", "n": n, "fields": {"houses": [4, 5, 7]}}
    house.wait(mending.ask(house, evening.code, body, mask, "fr"))
    evening.agree(evening.tokens["target"])
    evening.play(1)
    evening.ask(kind="undo")
    evening.play(2000)
    shown = _text(browser.get(f"/t/{evening.code}/record?step=9999").text)
    became = {
        int(n): sentence
        for n, sentence in re.findall(r'data-line="(\d+)" class="is-past">.*?class="became">(.*?)</p>', shown)
    }
    assert became == {4: "Corrigé ensuite.", 7: "Repris ensuite : ne compte plus."}
    mine = shown.partition("Mask a saisi")[2].partition("</article>")[0]
    assert re.findall(r"<dd>(\d)</dd>", mine)[:6] == ["4", "5", "6", "4", "5", "7"]
    assert "Correction" in mine


@every_game
def test_moves_that_were_taken_back_together_are_marked_each(
    house: House, browser: FlaskClient, game: str
) -> None:
    evening = Evening(house, game)
    evening.play(6)
    taken = [made.at for made in evening.match.made[-3:]]
    evening.ask(kind="undo", n=evening.match.made[-3].n)
    evening.ask(kind="abandon", show=True)
    shown = _text(browser.get(f"/t/{evening.code}/record").text)
    marked = re.findall(r'data-line="(\d+)" class="is-past">.*?class="became">(.*?)</p>', shown)
    assert marked == [(str(n), "Repris ensuite : ne compte plus.") for n in taken]


@pytest.mark.parametrize("step", ["", "x", "-1", "0", "1e3", "9" * 30, "١"])
def test_a_strange_step_is_some_step(house: House, browser: FlaskClient, step: str) -> None:
    evening = Evening(house, "agent_hunter")
    evening.play(2000)
    assert browser.get(f"/t/{evening.code}/record?step={step}").status_code == 200


def test_the_printed_fingerprint_is_compared_without_script(house: House, browser: FlaskClient) -> None:
    evening = Evening(house, "agent_hunter")
    evening.play(2000)
    head = evening.match.head
    for typed, sentence in (
        (short(head), "C’est la même empreinte."),
        (f" {head.upper()} ", "C’est la même empreinte."),
        ("0" * 64, "Ce n’est pas la même empreinte"),
        (head[:11], "Il faut au moins les douze premiers signes"),
        ("<script>", "Il faut au moins les douze premiers signes"),
    ):
        shown = browser.get(f"/t/{evening.code}/record", query_string={"printed": typed}).text
        assert sentence in _text(shown.partition('id="compared"')[2].partition("</ul>")[0]), typed


# ---- long games


@pytest.fixture
def long(house: House) -> Evening:
    """A game of several pages."""
    evening = Evening(house, "agent_hunter")
    for seat, houses in (("target", [1, 2, 3]), ("mask", [4, 5, 6])):
        body = {"version": evening.match.version, "type": "hide", "houses": houses}
        house.wait(house.move(evening.code, body, Caller(HERE, evening.tokens[seat]), "fr"))
    for _ in range(2 * APART):
        seat = next(seat for seat in evening.match.seats if evening.match.choices[seat])
        body = {"version": evening.match.version, "type": "attack_from_hand", "card": 9, "house": 1}
        house.wait(house.move(evening.code, body, Caller(HERE, evening.tokens[seat]), "fr"))
    evening.ask(kind="abandon", show=True)
    return evening


def lines_of(page: str) -> list[int]:
    return [int(n) for n in re.findall(r'data-line="(\d+)"', page)]


def test_a_page_lists_the_steps_around_the_one_it_shows(long: Evening, browser: FlaskClient) -> None:
    count = long.match.entries
    lists = {1: (1, APART), APART: (1, APART), APART + 1: (APART + 1, 2 * APART)}
    lists |= {count: (2 * APART + 1, count), count + 1: (2 * APART + 1, count)}
    for step, (first, last) in lists.items():
        shown = browser.get(f"/t/{long.code}/record?step={step}").text
        assert lines_of(shown) == list(range(first, last + 1))
        ways = [int(n) for n in re.findall(r'href="/t/\w+/record\?step=(\d+)#step"', shown)]
        assert ways == [n for n in (first - APART, first + APART) if 1 <= n <= count]
        assert f'data-n="{step}"' in shown


def test_each_step_of_a_long_game_is_the_one_in_its_record(long: Evening, browser: FlaskClient) -> None:
    record = browser.get(f"/api/tables/{long.code}/record").json
    assert record and verify(record) == []
    past = long.house.records.past(long.house.find(long.code, Caller(HERE)))
    items = [{name: item[name] for name in item if name != "mark"} for item in record["entries"]]
    assert [_listed(dict(step.line.item)) for step in past.story.steps()] == items
    for n in (1, APART, APART + 1, 2 * APART, len(items)):
        [step] = past.story.steps(n, n)
        assert (step.line.item, step.match.entries, step.match.head) == (
            items[n - 1],
            n,
            items[n - 1]["head"],
        )


def test_a_record_is_made_once_and_again_when_something_changes(
    long: Evening, browser: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[str]()

    def counted(opened: Match, entries: Any) -> Any:
        made.append(opened.code)
        return stories.telling(opened, entries)

    monkeypatch.setattr(records, "telling", counted)
    for path in (
        f"/t/{long.code}/record",
        f"/api/tables/{long.code}/record",
        f"/t/{long.code}/record?step=3",
    ):
        assert browser.get(path).status_code == 200
    assert made == [long.code]
    renamed = ("UPDATE journal SET line = 'mask joins \"Zoe\"' WHERE n = 2", ())
    long.house.wait(long.house.commit([renamed]))
    long.house.wait(long.house.reread(long.code))
    assert "Zoe" in browser.get(f"/api/tables/{long.code}/record").text
    assert made == [long.code] * 2


def test_so_many_records_are_kept_and_so_many_entries(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    over = list[Evening]()
    for _ in range(records.MOST + 3):
        evening = Evening(house, "agent_hunter")
        evening.play(3)
        evening.ask(kind="abandon", show=True)
        over.append(evening)
    for evening in over:
        house.records.past(house.find(evening.code, Caller(HERE)))
    kept = house.records.recent
    assert (len(kept), kept.weight) == (records.MOST, sum(e.match.entries for e in over[3:]))
    monkeypatch.setattr(records, "ENTRIES", 20)
    house.records.past(house.find(over[0].code, Caller(HERE)))
    assert kept.weight <= 20
    monkeypatch.setattr(records, "ENTRIES", 1)
    house.records.past(house.find(over[1].code, Caller(HERE)))
    assert len(kept) == 1, "the last one stays, or it would be made anew for each page"


def test_the_latest_secrets_are_listed_at_the_end(
    house: House, browser: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "LATEST", 2)
    monkeypatch.setattr(stories, "LATEST", 2)
    evening = Evening(house, "espion_contre_espion")
    evening.play(40)
    evening.ask(kind="abandon", show=True)
    shown = _text(browser.get(f"/t/{evening.code}/record?step=999").text)
    own = [made.at for made in evening.match.entered["dia"]]
    assert len(own) > 2
    listed = shown.partition('class="entered seat-1"')[2].partition("</section>")[0]
    assert [int(n) for n in re.findall(r"\?step=(\d+)#step", listed)] == own[-2:]
    assert "Seules les 2 dernières saisies figurent ici" in listed
