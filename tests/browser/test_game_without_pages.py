"""A game without templates or page texts: its forms are made from its choices, and it can be played."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from referee.games.agent_hunter import AGENT_HUNTER
from referee.presentation.views import Localizer
from referee.presentation.words import LANGUAGES, words
from tests.support.web.table_service import BrowserWithoutScript
from web.pages import rendering
from web.pages.play import form_parts, forms
from web.security.caller import Caller
from web.server.application import AsgiApplication
from web.server.flask_app import create_app
from web.service.desks import Desks
from web.service.tables import TableService
from web.wire.requests import OpenTableRequest

HERE = Caller("127.0.0.1")


@pytest.fixture
def phone(service: TableService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BrowserWithoutScript:
    """A browser without script or pictures, at a server whose game has neither words nor pieces of page."""
    bare = {
        language: replace(
            words(language),
            messages={
                key: text
                for key, text in words(language).messages.items()
                if not key.startswith("page.agent_hunter.")
            },
        )
        for language in LANGUAGES
    }
    monkeypatch.setattr(rendering, "words", bare.__getitem__)
    monkeypatch.setattr("web.pages.home.fragment", lambda _game, name: f"games/any/{name}")
    of_any = rendering.game_macros
    for part in ("table_context", "play.seat_regions"):
        monkeypatch.setattr(f"web.pages.{part}.game_macros", lambda _game, name: of_any("any", name))
    desks = Desks(service, tmp_path, lambda: "http://localhost")
    return BrowserWithoutScript(service, AsgiApplication(service, desks, create_app(service, desks)))


def test_a_game_without_pages_of_its_own_can_be_played(
    service: TableService, phone: BrowserWithoutScript
) -> None:
    opened = service.wait(service.open(OpenTableRequest("agent_hunter", {"first": "target"}), HERE))
    seats = {seat: f"/t/{opened.code}/s/{seat}" for seat in opened.keys}
    for seat, key in opened.keys.items():
        phone.post(f"/j/{opened.code}/{seat}/{key}", name=seat.title())
    for path in seats.values():
        phone.post(f"{path}/curtain")
        assert "<legend" in phone.get(path)
        _send(
            phone, path, {"field.houses.1": "4", "field.houses.2": "7", "field.houses.3": "0", "check": "1"}
        )
        _send(phone, f"{path}?do=hide&case=0&check=1", {})

    phone.post(f"{seats['target']}/curtain")
    mine = phone.get(seats["target"])
    assert re.findall(r'href="\?do=(\w+)"', mine) == ["attack_from_hand", "attack_from_house", "swap"]
    assert "<b>Attack from hand</b>" in mine
    assert re.findall(r"case=(\d)", phone.get(f"{seats['target']}?do=swap")) == ["0", "1", "2"]
    _send(phone, f"{seats['target']}?do=attack_from_hand", {"field.card": "5", "field.house": "2"})
    assert "PLUS" in phone.get(seats["target"])
    assert "Target attaque la planque 2" in phone.get(f"/t/{opened.code}")
    assert "agent_hunter" in phone.get("/")


def _send(phone: BrowserWithoutScript, path: str, picked: dict[str, str]) -> None:
    """Send the form of a page: its hidden inputs, and what was picked."""
    form = re.search(r'<form class="move".*?</form>', phone.get(path), re.S)
    assert form
    hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form[0])
    assert phone.post(path, **{**dict(hidden), **picked}) == 303


def test_positions_are_read_in_the_order_of_their_numbers() -> None:
    many = {f"field.row.{n}": str(n) for n in (10, 2, 1, 9)}
    assert form_parts.fields_in({**many, "field.card": '"x"', "type": "t"}) == {
        "row": [1, 2, 9, 10],
        "card": "x",
    }


def test_a_field_is_settled_only_where_every_case_settles_it() -> None:
    one = {"name": "tile", "kind": "one", "options": [0]}
    cases = [[one, {"name": "cell", "kind": "one", "options": cells}] for cells in (["A1"], ["A1", "B1"])]
    choices = [{"type": "place", "fields": fields} for fields in cases]
    localizer = Localizer(words("fr"), AGENT_HUNTER, {"target": "Ana", "mask": "Bo"})
    (action,) = forms.Forms(localizer).actions(choices, {})
    assert [case.fixed for case in action.cases] == [{"tile": 0}, {"tile": 0}]
    assert [len(case.asked[0].options) for case in action.cases] == [1, 2]


def test_free_text_is_written_into_a_labelled_input_and_sent_as_it_is() -> None:
    localizer = Localizer(words("fr"), AGENT_HUNTER, {"target": "Ana", "mask": "Bo"})
    choices = [{"type": "act", "fields": [{"name": "name", "kind": "text", "max": 40}]}]
    (action,) = forms.Forms(localizer).actions(choices, {"act": {"name": "so far"}, "other": {"name": "no"}})
    (asked,) = action.cases[0].asked
    assert (asked.kind, asked.input, asked.written, asked.max) == ("text", "text.name", "so far", 40)
    sent = form_parts.fields_in({"text.name": '"1"', "type": "act"})
    assert sent == {"name": '"1"'}
    assert form_parts.complete(action.cases[0], sent)
    assert not form_parts.complete(action.cases[0], {})
    assert list(form_parts.inputs(action.cases[0], sent)) == [("text.name", '"1"')]


def test_a_name_is_written_on_the_page_and_shown_as_text(
    service: TableService, phone: BrowserWithoutScript
) -> None:
    opened = service.wait(service.open(OpenTableRequest("agent_double", {"first": "red"}), HERE))
    seats = {seat: f"/t/{opened.code}/s/{seat}" for seat in opened.keys}
    for seat, key in opened.keys.items():
        phone.post(f"/j/{opened.code}/{seat}/{key}", name=seat.title())
    tokens = {f"field.tokens.{n}": value for n, value in enumerate("122345", 1)}
    for path in seats.values():
        phone.post(f"{path}/curtain")
        _send(phone, path, {**tokens, "check": "1"})
        _send(phone, f"{path}?do=assign_loyalty&case=0&check=1", {})
    phone.post(f"{seats['red']}/curtain")
    form = phone.get(f"{seats['red']}?do=act")
    assert '<label class="question" for="text.name">' in form
    assert 'name="text.name" maxlength="40"' in form
    _send(phone, f"{seats['red']}?do=act", {"text.name": '"><script>x</script>'})
    shown = phone.get(f"/t/{opened.code}")
    assert "<script>x" not in shown
    assert "&lt;script&gt;x&lt;/script&gt;" in shown
