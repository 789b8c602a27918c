"""The pages of questions and rematches, where somebody sends what no button would."""

from email.message import Message
from urllib.parse import urlencode

from tests.web.client import Answer, Client, Phone, Table


def holding(phone: Phone) -> Client:
    return phone.table.client.with_(Cookie=f"seat_{phone.table.code}_{phone.seat}={phone.token}")


def sends(phone: Phone, path: str = "", **form: str) -> Answer:
    client = holding(phone).with_(Content_Type="application/x-www-form-urlencoded")
    path = path or f"/t/{phone.table.code}/s/{phone.seat}"
    return client.call("POST", path, urlencode(form).encode())


def cookies(headers: Message) -> dict[str, str]:
    """The cookies that an answer sets."""
    pairs = (value.partition(";")[0].partition("=") for value in headers.get_all("Set-Cookie", []))
    return {name: value for name, _, value in pairs}


def stop(playing: dict[str, Phone]) -> None:
    assert sends(playing["target"], ask="abandon", version="4").status == 303
    assert sends(playing["mask"], accept="yes", version="5").status == 303


def test_what_cannot_be_asked_is_said_on_the_page(playing: dict[str, Phone], table: Table) -> None:
    before = table.view()
    cases: list[tuple[int, dict[str, str]]] = [
        (404, {"ask": "reissue", "of": "dealer", "version": "4"}),
        (400, {"ask": "dance", "version": "4"}),
        (400, {"ask": "undo", "version": "x"}),
        (400, {"accept": "yes"}),
        (409, {"ask": "undo", "version": "3"}),
        (409, {"accept": "yes", "version": "4"}),
    ]
    for status, form in cases:
        answer = sends(playing["target"], **form)
        assert (answer.status, answer.kind) == (status, "text/html"), form
    assert table.view() == before


def test_a_form_sent_twice_asks_once(playing: dict[str, Phone], table: Table) -> None:
    for _ in range(2):
        assert sends(playing["target"], ask="undo", version="4", nonce="n").status == 303
    assert table.view()["version"] == 5


def test_only_ones_own_secrets_have_a_form(playing: dict[str, Phone]) -> None:
    for n, is_form in (("4", True), ("5", False), ("99", False), ("x", False)):
        page = holding(playing["target"]).get(f"/t/{playing['target'].table.code}/s/target?correct={n}")
        assert page.status == 200
        assert (f'action="?correct={n}"' in page.content.decode()) == is_form


def test_an_impossible_correction_is_refused_before_it_is_asked(
    playing: dict[str, Phone], table: Table
) -> None:
    form = {"type": "hide", "version": "4", "check": "1"}
    fields = {f"field.houses.{n}": "7" for n in (1, 2, 3)}
    path = f"/t/{table.code}/s/target?correct=4"
    assert sends(playing["target"], path, **form, **fields).status == 422
    assert table.view()["question"] is None


def test_a_table_stopped_before_all_were_there_has_its_pages(table: Table) -> None:
    phone = table.join("mask", "Bo")
    assert sends(phone, ask="abandon", version="1").status == 303
    for path in (f"/t/{table.code}", f"/t/{table.code}/s/mask", f"/t/{table.code}/sheet"):
        assert holding(phone).get(path).status == 200, path


def test_playing_again_brings_the_tokens_along(playing: dict[str, Phone], table: Table) -> None:
    stop(playing)
    led = sends(playing["target"], f"/t/{table.code}/again", seat="target")
    code = table.view()["next"]
    assert (led.status, led.headers["Location"]) == (303, f"/t/{code}/s/target")
    assert cookies(led.headers) == {f"seat_{code}_target": playing["target"].token}
    followed = holding(playing["mask"]).get(f"/t/{table.code}/next?seat=mask")
    assert (followed.status, followed.headers["Location"]) == (303, f"/t/{code}/s/mask")
    stranger = table.client.get(f"/t/{table.code}/next?seat=mask")
    assert (stranger.headers["Location"], stranger.headers["Set-Cookie"]) == (f"/t/{code}", None)


def test_nobody_plays_again_before_the_end_and_no_stranger_ever(
    playing: dict[str, Phone], table: Table
) -> None:
    path = f"/t/{table.code}/again"
    assert sends(playing["target"], path).status == 403
    assert holding(playing["target"]).get(f"/t/{table.code}/next").headers["Location"] == f"/t/{table.code}"
    stop(playing)
    assert table.client.call("POST", path).status == 401
    assert table.view()["next"] is None
