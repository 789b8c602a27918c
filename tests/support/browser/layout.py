"""Layout checks: nothing sticks out of the window, and every control is large enough for a finger."""

from collections.abc import Iterator

from playwright.sync_api import Page

from tests.support.browser.windows import PHONE, SMALL_PHONE, TABLET, TV

TARGET = 44  # pixels: what a finger hits


LONG_NAMES = ("Maximilienne-Alexandrine", "Wolfgang Weissenbacherle")  # as long as names may be


STAGES = [TV, (3840, 2160), (1080, 1920)]  # televisions, one of them upright
SMALLEST_TEXT = 20  # pixels where the shorter side has 720: read from three metres


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


# Words that a line break goes through: their letters stand in more than one row. A hyphen may end a row.
BROKEN_WORDS = """() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    const found = [];
    const isRead = (e) => e.checkVisibility() && getComputedStyle(e).clipPath === "none"
        && !e.closest("svg, .link-text, .hidden-words, option");
    const boxes = () => [...range.getClientRects()].filter((box) => box.width);
    const rows = () => new Set(boxes().map((box) => Math.round(box.top))).size;
    while (texts.nextNode()) {
        const { currentNode: node } = texts;
        if (!isRead(node.parentElement)) continue;
        for (const word of node.data.matchAll(/[\\p{L}\\p{N}’']{2,}/gu)) {
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            const { outerHTML } = node.parentElement;
            if (rows() > 1) found.push(`“${word[0]}” breaks in ${outerHTML}`.slice(0, 150));
        }
    }
    return found;
}"""


def check_stage(page: Page) -> None:
    """Everything on the stage is inside the window, no text is too small, no word is broken or cut."""
    faults = page.evaluate(STAGE_FAULTS, SMALLEST_TEXT)
    assert not faults, (page.url, page.viewport_size, faults)


STAGE_FAULTS = """least => {
    const faults = new Set();
    const front = document.querySelector(".front");
    const bottom = front.getBoundingClientRect().bottom;
    if (bottom > innerHeight + 1) faults.add("the stage is higher than the window");
    if (document.documentElement.scrollWidth > innerWidth) faults.add("the page is wider than the window");
    for (const move of front.querySelectorAll(".moves:not(:has(.put-right)) li")) {
        const { left, bottom } = move.getBoundingClientRect();
        const frame = move.closest(".moves").getBoundingClientRect();
        const isOut = frame.height && (left >= frame.right - 1 || bottom > frame.bottom + 1);
        if (isOut) faults.add(`out of view: ${move.textContent}`);
    }
    const aside = ".hidden-words, .over .stamp, .over .house-name, .there, .espion .counts span, "
        + ".seen-shout + span, .said-too";
    const words = document.createTreeWalker(front, NodeFilter.SHOW_TEXT);
    for (let node; (node = words.nextNode()); ) {
        const text = node.data.trim(), element = node.parentElement, range = document.createRange();
        if (!text || element.closest(aside) || !element.checkVisibility()) continue;
        range.selectNodeContents(node);
        const box = range.getBoundingClientRect();
        const frame = element.closest(".moves ol, .todo ul, .would ol, .side h2")?.getBoundingClientRect();
        const isOut = frame && (box.left >= frame.right - 1 || box.top >= frame.bottom - 1);
        if (!box.width || isOut) continue; // what does not fit is left out as a whole
        const svg = element.closest("svg");
        const zoom = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
        const scale = zoom * 720 / Math.min(innerWidth, innerHeight);
        const size = parseFloat(getComputedStyle(element).fontSize) * scale;
        if (size < least - 0.1) faults.add(`small: ${text} ${size}`);
        const isInside = box.bottom <= innerHeight + 1 && box.right <= innerWidth + 1 && box.left >= -1;
        if (!isInside) faults.add(`outside: ${text}`);
        const answer = element.closest(".latest")?.getBoundingClientRect();
        const isCut = answer?.height && !element.closest(".shout") && box.bottom > answer.bottom + 1;
        if (isCut) faults.add(`cut: ${text}`);
        const place = element.closest(".over .stage > *")?.getBoundingClientRect();
        const isBeyond = place?.height && (box.top < place.top - 2 || box.bottom > place.bottom + 2);
        if (isBeyond) faults.add(`beyond its place: ${text}`);
        for (const word of node.data.matchAll(/[\\p{L}\\p{N}]{2,}/gu)) {
            range.setStart(node, word.index);
            range.setEnd(node, word.index + word[0].length);
            const rows = [...range.getClientRects()].filter(row => row.width > 1);
            const lines = new Set(rows.map(row => Math.round(row.top)));
            if (lines.size > 1) faults.add(`broken: ${word[0]}`);
        }
    }
    return [...faults];
}"""
