"""The record page: refused while anything is hidden, and every step of every game with all hands open."""

import html
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from referee.core import story as stories
from referee.core.entries import Joined
from referee.core.match import Match
from referee.core.story import APART
from referee.fairness.commitments import grouped, short
from referee.fairness.verify import verify
from referee.games import GAMES
from referee.presentation.views import Localizer, view
from referee.presentation.words import words
from tests.support.web.seated_table import SeatedTable, as_json
from tests.support.web.table_service import HERE
from web.pages.archive import record as page
from web.pages.rendering import game_macros
from web.server.flask_app import create_app
from web.service import questions, record_cache, rematch
from web.service.desks import Desks
from web.service.tables import TableService
from web.store import statements

every_game = pytest.mark.parametrize("game", GAMES)


@pytest.fixture
def browser(service: TableService, tmp_path: Path) -> FlaskClient:
    return create_app(service, Desks(service, tmp_path, lambda: "http://localhost")).test_client()


def _text(source: str) -> str:
    return html.unescape(source).replace("\N{NO-BREAK SPACE}", " ")


# ---- refused in plain words


@every_game
def test_no_record_page_before_the_end(service: TableService, browser: FlaskClient, game: str) -> None:
    table = SeatedTable(service, game)
    table.play(3)
    for query in ("", "?step=1", "?step=99", "?printed=0"):
        answer = browser.get(f"/t/{table.code}/record{query}")
        assert answer.status_code == 403
        assert "Ce qui est caché sera montré à la fin de la partie" in _text(answer.text)
        assert 'id="step"' not in answer.text
    assert f"/t/{table.code}/record" not in browser.get(f"/t/{table.code}").text


@every_game
@pytest.mark.parametrize("shows", [True, False])
def test_an_abandoned_game_shows_what_all_agreed_to(
    service: TableService, browser: FlaskClient, game: str, shows: bool
) -> None:
    table = SeatedTable(service, game)
    table.play(3)
    table.agrees("abandon", show=shows)
    answer = browser.get(f"/t/{table.code}/record")
    assert answer.status_code == (200 if shows else 403)
    assert ("cela reste caché" in _text(answer.text)) != shows
    assert answer.status_code == browser.get(f"/api/tables/{table.code}/record").status_code
    for path in (f"/t/{table.code}", f"/t/{table.code}/sheet"):
        assert (f'href="/t/{table.code}/record"' in browser.get(path).text) == shows


@every_game
def test_no_step_and_no_picture_of_the_result_before_the_end(
    service: TableService, browser: FlaskClient, game: str
) -> None:
    table = SeatedTable(service, game)
    table.play(3)
    for path in ("record/steps", "record/steps?from=1", "picture.png"):
        answer = browser.get(f"/t/{table.code}/{path}")
        assert answer.status_code == 403
        assert "Ce qui est caché sera montré à la fin de la partie" in _text(answer.text)


def test_an_unknown_table_has_no_record(browser: FlaskClient) -> None:
    assert browser.get("/t/ABCDE/record").status_code == 404


# ---- every step of every game


@every_game
def test_every_step_is_shown_with_all_hands_open(
    service: TableService, browser: FlaskClient, game: str
) -> None:
    table = SeatedTable(service, game)
    table.play(4)
    table.agrees("undo")
    table.play(2000)
    record = browser.get(f"/api/tables/{table.code}/record").json
    assert record
    count = len(record["entries"])
    for step in (*range(1, min(count, 12) + 1), count, count + 1):
        answer = browser.get(f"/t/{table.code}/record?step={step}")
        assert answer.status_code == 200
        shown = _text(answer.text)
        assert f'data-n="{step}"' in shown
        if step <= count:
            assert f'data-head="{record["entries"][step - 1]["head"]}"' in shown
            assert ('class="open-table' in shown) == (step >= len(table.people))
    assert "Retournez les vraies cartes" in shown
    assert 'class="is-fine"' in shown
    assert 'class="is-wrong"' not in shown
    assert grouped(record["head"]) in shown


@every_game
def test_the_script_gets_the_same_steps_in_blocks(
    service: TableService, browser: FlaskClient, game: str
) -> None:
    table = SeatedTable(service, game)
    table.play(2000)
    path, count = f"/t/{table.code}/record", table.match.entries
    for first in (1, 1 + page.BLOCK, count):
        steps: Any = browser.get(f"{path}/steps?from={first}").json
        assert [step["n"] for step in steps] == list(range(first, min(first + page.BLOCK, count + 1)))
        for step in (steps[0], steps[-1]):
            shown = browser.get(f"{path}?step={step['n']}").text
            assert step["said"].strip() in shown and step["picture"].strip() in shown
            assert f'data-head="{step["head"]}"' in shown and step["label"] in shown
    for invalid in ("", "0", "-3", "x", "9" * 40):
        steps = browser.get(f"{path}/steps?from={invalid}").json
        assert 1 <= len(steps) <= page.BLOCK


@every_game
def test_the_replay_begins_with_the_deal_and_counts_from_there(
    service: TableService, browser: FlaskClient, game: str
) -> None:
    table = SeatedTable(service, game)
    table.play(4)
    table.agrees("abandon", show=True)
    people, count = len(table.people), table.match.entries
    shown = _text(browser.get(f"/t/{table.code}/record").text)
    assert f'data-n="{people}"' in shown and '<span class="step-label">Début</span>' in shown
    assert f'rel="next" href="?step={people + 1}"' in shown
    for step, label in (
        (people - 1, "Avant le début"),
        (people + 1, f"Étape 1 sur {count - people}"),
        (count, f"Étape {count - people} sur {count - people}"),
    ):
        assert f">{label}<" in _text(browser.get(f"/t/{table.code}/record?step={step}").text)


@every_game
def test_fingerprints_are_below_the_replay_only(
    service: TableService, browser: FlaskClient, game: str
) -> None:
    table = SeatedTable(service, game)
    table.play(2000)
    shown = browser.get(f"/t/{table.code}/record").text
    replay = re.sub(r"<[^>]*>", " ", shown.partition('class="replay"')[2].partition('id="proof"')[0])
    assert not re.search(r"[0-9a-f]{4} [0-9a-f]{4}|[0-9a-f]{16}", replay)


@every_game
def test_a_game_without_pages_of_its_own_has_a_record_page(
    service: TableService, browser: FlaskClient, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "game_macros", lambda _game, name: game_macros("any", name))
    table = SeatedTable(service, game)
    table.play(2000)
    n = len(table.people) + 2
    shown = _text(browser.get(f"/t/{table.code}/record?step={n}").text)
    assert shown.count('class="plain-hand"') == len(table.people)


@every_game
def test_the_hands_are_those_of_that_moment(service: TableService, browser: FlaskClient, game: str) -> None:
    """The page is made of what each seat saw then, and of nothing that came later."""
    table = SeatedTable(service, game)
    table.play(5)
    then = {seat: view(table.match.seen_by(seat), words("fr"))["me"]["hand"] for seat in table.people}
    at = table.match.entries
    table.play(2000)
    shown = _shown(service, table.code, at)
    assert {seat: shown[seat]["me"]["hand"] for seat in table.people} == then
    assert shown[""]["me"] is None


def _shown(service: TableService, code: str, n: int) -> dict[str, dict[str, Any]]:
    table = service.table(code)
    assert table
    [step] = service.records.get(table).story.steps(n, n)
    return page.views_of(step, Localizer(words("fr"), table.match.game, table.match.names))


def test_what_was_taken_back_or_corrected_is_marked(service: TableService, browser: FlaskClient) -> None:
    table = SeatedTable(service, "agent_hunter")
    for seat, houses in (("target", [1, 2, 3]), ("mask", [4, 5, 6])):
        table.moves(seat, "hide", houses=houses)
    n = table.match.made[-1].n
    table.asks(table.people["mask"], "correct", n=n, fields={"houses": [4, 5, 7]})
    table.answers(table.people["target"])
    table.play(1)
    table.agrees("undo")
    table.play(2000)
    shown = _text(browser.get(f"/t/{table.code}/record?step=9999").text)
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
    service: TableService, browser: FlaskClient, game: str
) -> None:
    table = SeatedTable(service, game)
    table.play(6)
    taken = [made.throw for made in table.match.made[-3:]]
    table.agrees("undo", n=table.match.made[-3].n)
    table.agrees("abandon", show=True)
    shown = _text(browser.get(f"/t/{table.code}/record").text)
    marked = re.findall(r'data-line="(\d+)" class="is-past">.*?class="became">(.*?)</p>', shown)
    assert marked == [(str(n), "Repris ensuite : ne compte plus.") for n in taken]


@pytest.mark.parametrize("step", ["", "x", "-1", "0", "1e3", "9" * 30, "١"])
def test_an_invalid_step_shows_some_step(service: TableService, browser: FlaskClient, step: str) -> None:
    table = SeatedTable(service, "agent_hunter")
    table.play(2000)
    assert browser.get(f"/t/{table.code}/record?step={step}").status_code == 200


def test_the_printed_fingerprint_is_compared_without_script(
    service: TableService, browser: FlaskClient
) -> None:
    table = SeatedTable(service, "agent_hunter")
    table.play(2000)
    head = table.match.head
    for typed, sentence in (
        (short(head), "C’est la même empreinte."),
        (f" {head.upper()} ", "C’est la même empreinte."),
        ("0" * 64, "Ce n’est pas la même empreinte"),
        (head[:15], "Il faut au moins les seize premiers caractères"),
        ("<script>", "Il faut au moins les seize premiers caractères"),
    ):
        shown = browser.get(f"/t/{table.code}/record", query_string={"printed": typed}).text
        assert sentence in _text(shown.partition('id="compared"')[2].partition("</ul>")[0]), typed


# ---- rematches


FORGED: dict[str, tuple[str, str]] = {
    "": ("is-fine", "La part de l’arbitre dans le hasard de cette revanche était déjà fixée quand la table"),
    "seed": ("is-wrong", "La graine de cette revanche n’est pas celle que la partie précédente avait fixée."),
    "head": ("is-wrong", "La partie précédente ne s’est pas terminée sur l’empreinte dont part cette"),
    "nonce": ("is-wrong", "Une place déjà occupée a ajouté un nombre au hasard de cette revanche."),
    "table": ("is-unsure", "n’est pas disponible : son hasard ne peut pas être comparé."),
}


def rematch_of(table: SeatedTable, forged: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The code of a finished rematch, of which the server forges this part."""
    true_seeds = rematch._next_seeds

    def seeds(row: Any, match: Match, nonce: str) -> Any:
        seeds, before = true_seeds(row, match, nonce)
        if forged == "seed":
            seeds = replace(seeds, root="00" * 32)
        changes = {"head": "00" * 32, "table": "ABCDE"}
        return seeds, {**(before or {}), **{name: changes[name] for name in changes if name == forged}}

    def joined(seat: str, name: str, nonce: str, avatar: str) -> Joined:
        return Joined(seat, name, "0b" if forged == "nonce" else nonce, avatar)

    monkeypatch.setattr(rematch, "_next_seeds", seeds)
    monkeypatch.setattr(rematch, "Joined", joined)
    service = table.service
    code = service.wait(rematch.open_rematch(service, table.code, {"nonce": "0a"}, table.host))
    version = service.find(code, HERE).match.version
    ask = {"version": version, "kind": "abandon", "show": True}
    service.wait(questions.ask(service, code, ask, table.host, "fr"))
    for who in table.people.values():
        service.wait(questions.answer(service, code, {"accept": True}, who, "fr"))
    return code


@pytest.mark.parametrize("forged", FORGED)
def test_a_rematch_is_compared_with_the_game_before_without_script(
    service: TableService, browser: FlaskClient, monkeypatch: pytest.MonkeyPatch, forged: str
) -> None:
    table = SeatedTable(service)
    table.play(2000)
    code = rematch_of(table, forged, monkeypatch)
    kind, sentence = FORGED[forged]
    shown = _text(browser.get(f"/t/{code}/record").text)
    verdict = shown.partition('id="referee"')[2].partition("</ul>")[0]
    told = re.findall(r'<li class="([\w-]+)">(.*?)</li>', verdict)
    assert [name for name, _ in told] == ["is-fine", kind]
    assert sentence in told[1][1]


# ---- long games


@pytest.fixture
def long(service: TableService) -> SeatedTable:
    """A game of several pages."""
    table = SeatedTable(service, "agent_hunter")
    for seat, houses in (("target", [1, 2, 3]), ("mask", [4, 5, 6])):
        table.moves(seat, "hide", houses=houses)
    for _ in range(2 * APART):
        seat = next(seat for seat in table.match.seats if table.match.choices[seat])
        table.moves(seat, "attack_from_hand", card=9, house=1)
    table.agrees("abandon", show=True)
    return table


def lines_of(page: str) -> list[int]:
    return [int(n) for n in re.findall(r'data-line="(\d+)"', page)]


def test_a_page_lists_the_steps_around_the_one_it_shows(long: SeatedTable, browser: FlaskClient) -> None:
    count = long.match.entries
    lists = {1: (1, APART), APART: (1, APART), APART + 1: (APART + 1, 2 * APART)}
    lists |= {count: (2 * APART + 1, count), count + 1: (2 * APART + 1, count)}
    for step, (first, last) in lists.items():
        shown = browser.get(f"/t/{long.code}/record?step={step}").text
        assert lines_of(shown) == list(range(first, last + 1))
        ways = [int(n) for n in re.findall(r'href="/t/\w+/record\?step=(\d+)"', shown)]
        assert ways == [n for n in (first - APART, first + APART) if 1 <= n <= count]
        assert f'data-n="{step}"' in shown


def test_each_step_of_a_long_game_is_the_one_in_its_record(long: SeatedTable, browser: FlaskClient) -> None:
    record = browser.get(f"/api/tables/{long.code}/record").json
    assert record and verify(record) == []
    past = long.service.records.get(long.service.find(long.code, HERE))
    items = [{name: item[name] for name in item if name != "mark"} for item in record["entries"]]
    assert [as_json(dict(step.line.item)) for step in past.story.steps()] == items
    for n in (1, APART, APART + 1, 2 * APART, len(items)):
        [step] = past.story.steps(n, n)
        assert (step.line.item, step.match.entries, step.match.head) == (
            items[n - 1],
            n,
            items[n - 1]["head"],
        )


def test_a_record_is_made_once_and_again_when_something_changes(
    long: SeatedTable, browser: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[str]()

    def counted(opened: Match, entries: Any) -> Any:
        made.append(opened.code)
        return stories.story_in_slices(opened, entries)

    monkeypatch.setattr(record_cache, "story_in_slices", counted)
    for path in (
        f"/t/{long.code}/record",
        f"/api/tables/{long.code}/record",
        f"/t/{long.code}/record?step=3",
    ):
        assert browser.get(path).status_code == 200
    assert made == [long.code]
    [(at, head)] = long.service.store.read("SELECT at, head FROM journal WHERE n = 2")
    renamed = statements.entry_rewritten(long.code, 2, at, 'mask joins "Zoe"', head)
    long.service.wait(long.service.commit([renamed]))
    long.service.wait(long.service.reload(long.code))
    assert "Zoe" in browser.get(f"/api/tables/{long.code}/record").text
    assert made == [long.code] * 2


def test_cached_records_are_bounded_in_number_and_entries(
    service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = list[SeatedTable]()
    for _ in range(record_cache.MOST + 3):
        table = SeatedTable(service, "agent_hunter")
        table.play(3)
        table.agrees("abandon", show=True)
        over.append(table)
    for table in over:
        service.records.get(service.find(table.code, HERE))
    kept = service.records.recent
    assert (len(kept), kept.weight) == (record_cache.MOST, sum(e.match.entries for e in over[3:]))
    monkeypatch.setattr(record_cache, "ENTRIES", 20)
    service.records.get(service.find(over[0].code, HERE))
    assert kept.weight <= 20
    monkeypatch.setattr(record_cache, "ENTRIES", 1)
    service.records.get(service.find(over[1].code, HERE))
    assert len(kept) == 1, "the last one stays, or it would be made anew for each page"


def test_the_latest_secrets_are_listed_at_the_end(
    service: TableService, browser: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "LATEST", 2)
    monkeypatch.setattr(stories, "LATEST", 2)
    table = SeatedTable(service, "espion_contre_espion")
    table.play(40)
    table.agrees("abandon", show=True)
    shown = _text(browser.get(f"/t/{table.code}/record?step=999").text)
    own = [made.throw for made in table.match.secret_moves["dia"]]
    assert len(own) > 2
    listed = shown.partition('class="entered seat-1"')[2].partition("</section>")[0]
    assert [int(n) for n in re.findall(r"\?step=(\d+)", listed)] == own[-2:]
    assert "Seules les 2 dernières saisies figurent ici" in listed
