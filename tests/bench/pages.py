"""The weight of a phone's first page, and when it is usable: slow Chromium (6 times), slow Wi-Fi."""

import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from referee.games import GAMES
from tests.support.browser.windows import FLAGS, PHONE
from tests.support.web.http_client import Phone
from tests.support.web.server_process import Running
from web.security.caller import seat_cookie

SLOWER = 6  # times, as a cheap phone is beside this machine
SLOW_WIFI = {
    "offline": False,
    "latency": 100,  # milliseconds
    "downloadThroughput": 1_500_000 / 8,  # bytes a second
    "uploadThroughput": 750_000 / 8,
}
USABLE = "main button, main a.action, main .pick"  # something to decide
REPEATS = 3


def measure(repeats: int = REPEATS) -> list[dict[str, Any]]:
    """The first page of a phone that has something to decide, with nothing in its cache, for each game."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    assert chromium, "This needs Chromium: sudo apt-get install chromium"
    with (
        tempfile.TemporaryDirectory() as folder,
        Running(Path(folder) / "data") as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        return [_game(browser, server, game, repeats) for game in GAMES]


def _game(browser: Browser, server: Running, game: str, repeats: int) -> dict[str, Any]:
    table = server.client.open_table(game=game)
    phones = table.everybody()
    phone = phones[table.view()["waiting_for"][0]]
    loads = [_load(browser, server.url, phone) for _ in range(repeats)]
    found: dict[str, Any] = {
        "game": game,
        "kilobytes": loads[0]["bytes"] / 1024,
        "requests": loads[0]["requests"],
        "usable_seconds": statistics.median(load["seconds"] for load in loads),
    }
    print("  {game}: {kilobytes:.0f} kB in {requests}, usable after {usable_seconds:.2f} s".format(**found))
    return found


def _load(browser: Browser, url: str, phone: Phone) -> dict[str, float]:
    """Open the page in a window that has never seen us."""
    width, height = PHONE
    context = browser.new_context(viewport={"width": width, "height": height}, locale="fr-FR")
    context.add_cookies(
        [{"name": seat_cookie(phone.table.code, phone.seat), "value": phone.token, "url": url}]
    )
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    sizes: list[float] = []
    devtools.on("Network.loadingFinished", lambda told: sizes.append(told["encodedDataLength"]))
    devtools.send("Network.enable")
    devtools.send("Network.emulateNetworkConditions", SLOW_WIFI)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    began = time.perf_counter()
    page.goto(f"{url}/t/{phone.table.code}/s/{phone.seat}", wait_until="load")
    page.locator(USABLE).first.wait_for(state="visible")
    seconds = time.perf_counter() - began
    context.close()
    return {"seconds": seconds, "bytes": sum(sizes), "requests": len(sizes)}
