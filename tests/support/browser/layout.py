"""Layout checks: nothing sticks out of the window, and every control is large enough for a finger."""

from collections.abc import Iterator

from playwright.sync_api import Page

from tests.support.browser.windows import PHONE, SMALL_PHONE, TABLET, TV

TARGET = 44  # pixels: what a finger hits


LONG_NAMES = ("Maximilienne-Alexandrine", "Wolfgang Weissenbacherle")  # as long as names may be


SCREENS = [TV, (1920, 1080), (1024, 600)]


def sizes(page: Page, *all_of_them: tuple[int, int]) -> Iterator[None]:
    """The same page in windows of these sizes, one after the other."""
    for width, height in all_of_them:
        page.set_viewport_size({"width": width, "height": height})
        yield


def check_sizes(page: Page) -> None:
    for _ in sizes(page, SMALL_PHONE, PHONE, TABLET):
        check_layout(page)


def check_layout(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (page.url, page.viewport_size)
    small = page.evaluate(
        """least => [...document.querySelectorAll("a[class], button, summary, input, label.pick")]
            .filter(e => e.type !== "hidden" && e.checkVisibility() && !e.closest(".hidden-words, .skip"))
            .map(e => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()])
            .filter(([, box]) => box.height < least || box.width < least)
            .map(([html, box]) => `${html} ${box.width}×${box.height}`)""",
        TARGET,
    )
    assert not small, (page.url, page.viewport_size)
