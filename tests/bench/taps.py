"""From a tap to the other phone's pixels: our page and boardgame.io's React client, in a slowed Chromium."""

import shlex
import shutil
import statistics
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlencode, urljoin

from playwright.sync_api import Browser, Page, sync_playwright

from tests.bench.pages import SLOWER
from tests.bench.peers import BUILD, CORES, IN_REACT, REFEREE, Server, bundle, install, on_cores
from tests.support.browser.windows import FLAGS, PHONE
from tests.support.web.http_client import Client
from web.security.caller import seat_cookie

WARM, TIMES = 5, 60  # taps of each before anything is measured, and then
HIDDEN = [0, 1, 2]  # both hide the lowest cards and attack with higher ones: nobody ever hits
CARDS, HOUSES = range(3, 10), (1, 2, 3)
SHOWN = "#answer .answer:not([hidden]) h1"
# Two pages must not share a process, as they may in the tests: each phone has a processor of its own.
SEPARATE = [flag for flag in FLAGS if "process" not in flag and "isolation" not in flag]

# When a tap was made, as the browser stamped it; and when the frame after the one with the answer began.
TAPPED = """() => {
  const stamp = (event) => (window.tapped = performance.timeOrigin + event.timeStamp);
  addEventListener("click", stamp, { capture: true, once: true });
}"""
PAINTED = f"""() => {{
  window.painted = new Promise((done) => {{
    const now = () => done(performance.timeOrigin + performance.now());
    const look = () => {{
      if (!document.querySelector("{SHOWN}")) return;
      seen.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(now));
    }};
    const seen = new MutationObserver(look);
    seen.observe(document.body, {{ childList: true, subtree: true, characterData: true, attributes: true }});
  }});
}}"""


class Duel(Protocol):
    """Two phones side by side: whoever's turn it is picks, then attacks with one tap, then both go on."""

    @property
    def name(self) -> str: ...
    @property
    def phones(self) -> tuple[Page, Page]: ...
    def pick(self, phone: Page, card: int, house: int) -> None: ...
    def attack(self, phone: Page) -> None: ...
    def go_on(self, phone: Page) -> None: ...


@dataclass(frozen=True)
class Ours:
    phones: tuple[Page, Page]
    name: str = REFEREE.name

    def pick(self, phone: Page, card: int, house: int) -> None:
        phone.locator("a.action[href='?do=attack_from_hand']").tap()
        phone.locator(f"label:has(input[name='field.card'][value='{card}'])").tap()
        phone.locator(f"label:has(input[name='field.house'][value='{house}'])").tap()

    def attack(self, phone: Page) -> None:
        phone.locator("form.move button.button").tap()

    def go_on(self, phone: Page) -> None:
        phone.locator(".answer:not([hidden]) a.button").tap()


@dataclass(frozen=True)
class Theirs:
    phones: tuple[Page, Page]
    name: str = IN_REACT.name

    def pick(self, phone: Page, card: int, house: int) -> None:
        phone.locator(f"[data-pick='Carte-{card}']").tap()
        phone.locator(f"[data-pick='Planque-{house}']").tap()

    def attack(self, phone: Page) -> None:
        phone.locator("button.attack").tap()

    def go_on(self, phone: Page) -> None:
        phone.locator(".answer button").tap()


def measure(times: int = TIMES) -> list[dict[str, Any]]:
    """Milliseconds from the tap until the other phone has painted the answer, in turns."""
    install()
    bundle()
    with both() as duels:
        found: dict[str, list[float]] = {duel.name: [] for duel in duels}
        for turn in range(WARM + times):
            for duel in duels:
                found[duel.name].append(one(duel, turn))
    rows = [_row(name, taken[WARM:]) for name, taken in found.items()]
    for row in rows:
        print("  {peer}: tap to the other's pixels {p50:.0f} ms, p95 {p95:.0f} ms".format(**row))
    return rows


def _row(name: str, taken: list[float]) -> dict[str, Any]:
    return {
        "peer": name,
        "p50": statistics.median(taken),
        "p95": statistics.quantiles(taken, n=20)[-1],
        "taps": len(taken),
        "times": taken,
    }


def is_good(rows: Sequence[dict[str, Any]]) -> bool:
    ours, theirs = rows
    return bool(ours["p50"] <= theirs["p50"])


@contextmanager
def both() -> Iterator[tuple[Duel, Duel]]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    assert chromium, "This needs Chromium: sudo apt-get install chromium"
    with ExitStack() as running:
        ours, theirs = (running.enter_context(peer.running()) for peer in (REFEREE, IN_REACT))
        playwright = running.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=_beside(chromium), args=SEPARATE)
        running.callback(browser.close)
        yield Ours(_ours(browser, ours)), Theirs(_theirs(browser, theirs))


def _beside(chromium: str) -> Path:
    """A command that starts Chromium on the cores that the servers do not have."""
    command = BUILD / "chromium"
    command.write_text(f'#!/bin/sh\nexec {shlex.join([*on_cores(CORES[1:] or CORES), chromium])} "$@"\n')
    command.chmod(0o755)
    return command


def one(duel: Duel, turn: int) -> float:
    mover, other = duel.phones[turn % 2], duel.phones[1 - turn % 2]
    duel.pick(mover, CARDS[turn % len(CARDS)], HOUSES[turn % len(HOUSES)])
    with slowed(duel.phones):
        mover.evaluate(TAPPED)
        other.evaluate(PAINTED)
        duel.attack(mover)
        painted = float(other.evaluate("window.painted"))
        tapped = float(mover.evaluate("window.tapped"))
    for phone in duel.phones:
        phone.locator(SHOWN).wait_for()
        duel.go_on(phone)
        phone.locator(SHOWN).wait_for(state="detached")
    return painted - tapped


@contextmanager
def slowed(phones: Sequence[Page]) -> Iterator[None]:
    """Slow these phones down. A slowed page takes half a core even if it is idle, so no others may be."""
    sessions = [phone.context.new_cdp_session(phone) for phone in phones]
    for session in sessions:
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    try:
        yield
    finally:
        for session in sessions:
            session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
            session.detach()


def _ours(browser: Browser, server: Server) -> tuple[Page, Page]:
    table = Client(server.url).open_table(game="agent_hunter", options={"first": "target"}, desk=None)
    seated = [table.join("target", "Ana"), table.join("mask", "Ben")]
    for phone in seated:
        phone.moves("hide", houses=HIDDEN)
    cookies = [(seat_cookie(table.code, phone.seat), phone.token) for phone in seated]
    paths = [f"{server.url}/t/{table.code}/s/{phone.seat}" for phone in seated]
    ana, ben = (_window(browser, path, cookie) for path, cookie in zip(paths, cookies, strict=True))
    return ana, ben


def _theirs(browser: Browser, server: Server) -> tuple[Page, Page]:
    client = Client(server.url, {"Content-Type": "application/json"})
    match = client.post("/games/duel/create", {"numPlayers": 2}).json["matchID"]
    joined = [
        client.post(f"/games/duel/{match}/join", {"playerID": player, "playerName": player}).json
        for player in "01"
    ]
    queries = [
        urlencode({"match": match, "player": n, "credentials": one["playerCredentials"]})
        for n, one in enumerate(joined)
    ]
    ana, ben = (_window(browser, f"{server.url}/phone?{query}") for query in queries)
    for page in (ana, ben):
        page.locator("button.hide").tap()
        page.locator("button.hide").wait_for(state="detached")
    ben.locator("#decision h1").wait_for()
    return (ben, ana) if ben.locator("button.attack").count() else (ana, ben)


def _window(browser: Browser, path: str, cookie: tuple[str, str] | None = None) -> Page:
    width, height = PHONE
    context = browser.new_context(
        viewport={"width": width, "height": height}, locale="fr-FR", has_touch=True, is_mobile=True
    )
    if cookie:
        context.add_cookies([{"name": cookie[0], "value": cookie[1], "url": urljoin(path, "/")}])
    page = context.new_page()
    page.goto(path)
    return page


if __name__ == "__main__":
    sys.exit(0 if is_good(measure(*map(int, sys.argv[1:]))) else 1)
