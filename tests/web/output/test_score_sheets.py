"""The score sheet in its forms, once the game is over; and print jobs."""

from io import BytesIO

import pytest
from PIL import Image

from tests.support.web.http_client import Client, Table
from tests.support.web.journal import rows
from tests.support.web.random_player import hide
from tests.support.web.server_process import Running


@pytest.fixture
def over(client: Client) -> Table:
    """Ana destroyed one house; Bo, whose name is a bad one, none."""
    table = client.open_table(desk=None, options={"first": "target", "turn_cap": 2})
    phones = {"target": table.join("target", "Ana"), "mask": table.join("mask", "<b>Bo</b>")}
    hide(phones)
    phones["target"].moves("attack_from_hand", card=4, house=1)
    phones["mask"].moves("attack_from_hand", card=0, house=1)
    return table


def test_as_text(over: Table) -> None:
    answer = over.client.get(f"{over.path}/sheet.txt")
    assert (answer.status, answer.kind) == (200, "text/plain")
    assert answer.headers.get_content_charset() == "utf-8"
    lines = answer.content.decode().splitlines()
    text = " ".join(" ".join(lines).split())
    assert all(len(line) <= 32 for line in lines)
    assert "Agent Hunter" in text
    assert over.code in text
    assert "Ana wins" in text
    assert "1 2 3" in text
    assert over.view()["head"] in text.replace(" ", "")


def test_as_text_in_french(over: Table) -> None:
    text = over.client.with_(Accept_Language="fr").get(f"{over.path}/sheet.txt").content.decode()
    assert "Ana wins" not in text
    assert "Ana" in text


def test_as_html(over: Table) -> None:
    answer = over.client.get(f"{over.path}/sheet.html")
    assert (answer.status, answer.kind) == (200, "text/html")
    html = answer.content.decode()
    assert "Ana" in html
    assert "&lt;b&gt;Bo&lt;/b&gt;" in html
    assert "<b>Bo" not in html


def test_the_sheet_as_a_picture(over: Table) -> None:
    answer = over.client.get(f"{over.path}/sheet.png")
    assert (answer.status, answer.kind) == (200, "image/png")
    picture = Image.open(BytesIO(answer.content))
    picture.load()
    assert picture.width == 384


def test_as_a_pdf(over: Table) -> None:
    answer = over.client.get(f"{over.path}/sheet.pdf")
    assert (answer.status, answer.kind) == (200, "application/pdf")
    assert answer.content.startswith(b"%PDF-")
    assert b"%%EOF" in answer.content[-10:]


def test_a_print_is_a_job_that_is_kept(server: Running, over: Table) -> None:
    answer = over.client.bearing(over.host).post(f"{over.path}/print", {"what": "sheet"})
    assert answer.status == 202
    [(what, state)] = rows(server, "SELECT what, state FROM jobs WHERE job = ?", answer.json["job"])
    assert (what, state) == ("sheet", "waiting")


def test_seat_host_and_desk_may_print(server: Running, client: Client) -> None:
    table = client.open_table(desk=None)
    phone = table.join("mask")
    host_cookie = client.with_(Cookie=f"host_{table.code}={table.host}")
    printers = (phone.client, client.bearing(table.host), host_cookie, client.bearing(server.desk_key()))
    for printer in printers:
        assert printer.post(f"{table.path}/print", {"what": "join"}).status == 202
