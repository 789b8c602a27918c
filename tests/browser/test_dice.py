"""Phones add to the dice when they sit down, keep what they sent, and check that it counted."""

import re
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.support.browser.windows import PHONE, Window
from tests.support.web.http_client import Client, Table
from tests.support.web.server_process import Running

DIGITS = re.compile("[0-9a-f]{64}")


def sits(page: Page, table: Table, seat: str) -> Page:
    page.goto(f"/j/{table.code}/{seat}/{table.keys[seat]}")
    page.locator("#name").fill(seat.title())
    page.locator("form.sit > .button").click()
    expect(page).to_have_url(re.compile(rf"/t/{table.code}/s/{seat}$"))
    return page


def stops(client: Client, code: str, host: str, pages: dict[str, Page]) -> None:
    """The host asks to stop and show everything, and both phones agree."""
    path = f"/api/tables/{code}"
    ask = {"version": client.get(path).json["version"], "kind": "abandon", "show": True}
    assert client.bearing(host).post(f"{path}/ask", ask).status == 200
    for seat, page in pages.items():
        held = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
        token = held[f"seat_{code}_{seat}"]
        assert client.bearing(token).post(f"{path}/answer", {"accept": True}).status == 200


def kept(page: Page) -> dict[str, Any]:
    return dict(page.evaluate("() => JSON.parse(localStorage.getItem('dice'))"))


def test_what_a_phone_adds_to_the_dice_is_checked_to_the_end(window: Window, server: Running) -> None:
    table = server.client.open_table(desk=None)
    bound = table.view()["dice"]["seed_hash"]
    pages = {seat: sits(window(PHONE), table, seat) for seat in ("target", "mask")}
    nonces = table.view()["dice"]["nonces"]
    assert all(map(DIGITS.fullmatch, nonces.values())) and len(set(nonces.values())) == 2
    for seat, page in pages.items():
        assert kept(page) == {f"{table.code}/{seat}": {"nonce": nonces[seat], "seed": bound}}
        expect(page.locator("[data-own-dice]")).to_be_hidden()
    stops(server.client, table.code, table.host, pages)
    page = pages["target"]
    page.goto(f"/t/{table.code}/record")
    fine = page.locator("#browser .is-fine").filter(
        has_text="le nombre ajouté par cet appareil est dans la chaîne"
    )
    expect(fine).to_be_visible()
    page.goto(f"/t/{table.code}/s/target")
    page.locator("form.again button").click()
    expect(page).not_to_have_url(re.compile(table.code))
    code = page.url.split("/t/")[1][:5]
    before = server.client.get(f"/api/tables/{code}").json["dice"]["before"]
    assert before["nonce"] == kept(page)[f"{table.code}/rematch"]["nonce"] and DIGITS.fullmatch(
        before["nonce"]
    )
    pages["mask"].goto(f"/t/{table.code}/next?seat=mask")
    stops(server.client, code, table.host, pages)
    page.goto(f"/t/{code}/record")
    checks = page.locator("#browser .checks")
    expect(checks).to_contain_text(f"était déjà fixée quand la table {table.code} a été ouverte")
    expect(checks).to_contain_text(
        "Le nombre que cet appareil a envoyé en demandant cette partie est dans la chaîne"
    )
    expect(page.locator("#browser .verdict")).to_have_text("Les empreintes concordent")


def test_a_phone_whose_number_is_missing_says_so(window: Window, server: Running) -> None:
    table = server.client.open_table(desk=None)
    pages = {seat: sits(window(PHONE), table, seat) for seat in ("target", "mask")}
    page = pages["target"]
    for part in ("nonce", "seed"):
        page.evaluate(
            """([key, part]) => {
                const mine = JSON.parse(localStorage.getItem("dice"));
                mine[key][part] = "0".repeat(64);
                localStorage.setItem("dice", JSON.stringify(mine));
            }""",
            [f"{table.code}/target", part],
        )
        page.reload()
        expect(page.locator("[data-own-dice]")).to_contain_text("Dites-le aux autres")
    stops(server.client, table.code, table.host, pages)
    page.goto(f"/t/{table.code}/record")
    wrong = page.locator("#browser .is-wrong").filter(has_text="Le hasard n’est pas celui qui était annoncé")
    expect(wrong).to_be_visible()
    expect(page.locator("#browser .verdict")).to_have_text("Quelque chose ne va pas")


def test_a_number_is_kept_for_a_retry(window: Window, server: Running) -> None:
    table, page = server.client.open_table(desk=None), window(PHONE)

    def lose(route: Route) -> None:
        """The form never arrives."""
        if route.request.method == "POST":
            route.fulfill(content_type="text/html", body="<p id='gone'>?</p>")
        else:
            route.continue_()

    page.route("**/j/**", lose)
    page.goto(f"/j/{table.code}/mask/{table.keys['mask']}")
    page.locator("#name").fill("Bo")
    page.locator("form.sit > .button").click()
    expect(page.locator("#gone")).to_be_visible()
    first = kept(page)
    page.unroute_all()
    sits(page, table, "mask")
    assert kept(page) == first
    assert table.view()["dice"]["nonces"] == {"mask": first[f"{table.code}/mask"]["nonce"]}
