"""Addresses that people type by hand, and the pages behind them."""

from tests.support.web.http_client import Client, Table


def test_a_code_or_key_typed_in_small_letters_leads_to_the_same_page(client: Client, table: Table) -> None:
    key = table.keys["mask"]
    typed = client.get(f"/j/{table.code.lower()}/mask/{key.lower()}?x=1")
    assert (typed.status, typed.headers["Location"]) == (308, f"/j/{table.code}/mask/{key}?x=1")
    screen = client.get(f"/t/{table.code.lower()}")
    assert (screen.status, screen.headers["Location"]) == (308, f"/t/{table.code}")
    assert client.get(f"/t/{table.code}").status == 200


def test_a_name_without_a_letter_is_asked_for_again(client: Client, table: Table) -> None:
    answer = client.post_form(f"/j/{table.code}/mask/{table.keys['mask']}", name="   ", nonce="abc")
    assert answer.status == 400
    assert b"Enter a name" in answer.content
    assert table.view()["version"] == 0
