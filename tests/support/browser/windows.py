"""Browser windows: their sizes, their cookies, and windows that tests reuse."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Browser, Error, Page

PHONE, SMALL_PHONE, TABLET, TV = (360, 740), (320, 568), (820, 1180), (1280, 720)


TIMEOUT = 30_000  # milliseconds a window may take to show what it should


FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",  # or that limit does not hold: each page shown would start a process
)

# Letters twice as large as browsers begin with.
TWICE_AS_LARGE = "--blink-settings=defaultFontSize=32,defaultFixedFontSize=26"


Window = Callable[..., Page]


class Windows:
    """Windows that are lent to tests and come back empty: to open one anew costs more than most tests."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser, self._url = browser, url
        self._free: dict[str, list[Page]] = {}
        self._lent: list[tuple[str, Page]] = []
        self.errors: list[str] = []

    def lend(self, size: tuple[int, int] = PHONE, **more: Any) -> Page:
        asked = {"locale": "fr-FR", "reduced_motion": "reduce", "base_url": self._url, **more}
        kind = repr(sorted(asked.items()))
        page = self._free[kind].pop() if self._free.get(kind) else self._open(asked)
        page.set_viewport_size({"width": size[0], "height": size[1]})
        self._lent.append((kind, page))
        return page

    def _open(self, asked: dict[str, Any]) -> Page:
        context = self._browser.new_context(**asked)
        context.set_default_timeout(TIMEOUT)
        page = context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda message: self._heard(message.text))
        return page

    def _heard(self, text: str) -> None:
        """What a page complains of itself, above all what its content policy forbids."""
        if "Content Security Policy" in text or "Uncaught" in text:
            self.errors.append(text)

    def take_back(self) -> None:
        for kind, page in self._lent:
            for other in page.context.pages:
                if other != page:
                    other.close()
            page.unroute_all(behavior="ignoreErrors")
            self._forget(page)
            page.context.clear_cookies()
            self._free.setdefault(kind, []).append(page)
        self._lent.clear()

    def _forget(self, page: Page) -> None:
        """What a page kept is cleared from one that goes nowhere by itself; other servers are gone."""
        if page.url.startswith(self._url):
            goes_to(page, f"{self._url}/healthz")
            page.evaluate("localStorage.clear()")
        else:
            goes_to(page, "about:blank")


def holds(page: Page, name: str, value: str, url: str) -> None:
    page.context.add_cookies(
        [{"name": name, "value": value, "url": url, "httpOnly": True, "sameSite": "Lax"}]
    )


def switch_off(phone: Page) -> None:
    """Leave a seat's page while its stream is open, so that the server learns of it at once. Without an open
    stream, the call that loaded the page would count for a minute."""
    with phone.expect_response(lambda answer: answer.request.resource_type == "eventsource"):
        phone.reload()
    phone.goto("about:blank")


def looks_again(page: Page) -> None:
    """Reloads a page; one without script that does so by itself at this very moment is left to it."""
    try:
        page.reload()
    except Error as error:
        if "Not attached to an active page" not in error.message and "interrupted" not in error.message:
            raise
        page.wait_for_load_state()


ATTEMPTS = 4  # to go to a page


def goes_to(page: Page, address: str) -> None:
    """Shows a page in this window, though the one before may be on its way somewhere by itself."""
    for attempt in range(ATTEMPTS):
        try:
            page.goto(address)
        except Error as error:
            if f'interrupted by another navigation to "{address}"' in error.message:
                page.wait_for_url(address)  # the same navigation, begun anew
                return
            if "interrupted by another navigation" not in error.message or attempt == ATTEMPTS - 1:
                raise
        else:
            return
