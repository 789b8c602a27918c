"""The paper on a screen: text, HTML, picture and PDF say what the printer prints."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import pytest
import zxingcpp
from PIL import Image

from referee import dots
from referee.sheets import Block, Code, Cut, Gap, Heading, Row, Rule, Text
from web import paper
from web.qr import modules

LINK = "http://192.168.1.20:8000/j/KX7QF/target/Zq3-x9_TbLmWcYd2?a=1&b=<2>"
HOSTILE = "<script>alert('x')</script>\x1b[2J\x00\u202e\"&\ud83d"
SHEET: tuple[Block, ...] = (
    Heading("Agent Hunter"),
    Text("Table KX7QF", centred=True),
    Rule(),
    Text("Ève l’emporte : « Œuvre d’été »", bold=True),
    Gap(),
    Row("Planques détruites", "3"),
    Row("Leurres à côté", "2", bold=True),
    Cut(),
)
SLIPS: tuple[Block, ...] = (Heading("Cible"), Code(LINK), Cut(), Heading("Masque"), Code(LINK + "2"), Cut())
WIDTHS = pytest.mark.parametrize("columns", [32, 48])


def opened(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png)).convert("L")


# ---- text


def test_the_sheet_as_text() -> None:
    assert paper.as_text(SHEET, 32) == (
        "          Agent Hunter\n"
        "          Table KX7QF\n"
        "--------------------------------\n"
        "Ève l’emporte : « Œuvre d’été »\n"
        "\n"
        "Planques détruites             3\n"
        "Leurres à côté                 2\n"
    )


def test_a_code_in_text_is_what_it_says_and_a_cut_is_a_dashed_line() -> None:
    assert paper.as_text(SLIPS, 32) == (
        f"             Cible\n{LINK}\n\n- - - - - - - - - - - - - - - -\n\n             Masque\n{LINK}2\n"
    )


@WIDTHS
def test_no_line_of_text_is_too_long(columns: int) -> None:
    words = Text("une ligne plus longue que le papier n’est large, et même bien plus longue")
    lines = paper.as_text((words, Heading("x" * 99), Row("y" * 99, "z" * 99)), columns).splitlines()
    assert max(map(len, lines)) <= columns


def test_text_holds_no_control_characters() -> None:
    text = paper.as_text((Text(HOSTILE), Row(HOSTILE, HOSTILE), Code(HOSTILE)), 48)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e\ud800-\udfff]", text)
    text.encode()


# ---- HTML


class Reader(HTMLParser):
    """Reads a page piece: every element must be closed in its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag != "hr":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


def test_the_sheet_as_html() -> None:
    html = paper.as_html(SHEET)
    assert read(html).seen[:4] == ["section", "h2", "p", "hr"]
    assert "<p><strong>Ève l’emporte : « Œuvre d’été »</strong></p>" in html
    assert "<dt>Planques détruites</dt> <dd>3</dd>" in html
    assert html.count("<dl>") == 1


def test_a_section_for_each_slip_with_its_code_drawn() -> None:
    seen = read(paper.as_html(SLIPS)).seen
    assert seen.count("section") == seen.count("svg") == 2


def test_html_escapes_everything() -> None:
    every = (Heading(HOSTILE), Text(HOSTILE), Row(HOSTILE, HOSTILE), Code(HOSTILE[:-1]))
    html = paper.as_html(every)
    assert "script" not in read(html).seen
    assert "&lt;script&gt;" in html
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e\ud800-\udfff]", html)
    assert "style=" not in html


# ---- picture


@WIDTHS
def test_the_picture_is_as_wide_as_the_printer_prints(columns: int) -> None:
    image = opened(paper.as_png(SHEET, columns))
    assert image.size == (columns * 12, 48 + 6 * 30 + 2 * paper.MARGIN)


@WIDTHS
def test_codes_are_read_back_from_the_picture(columns: int) -> None:
    found = zxingcpp.read_barcodes(opened(paper.as_png(SLIPS, columns)))
    assert sorted(code.text for code in found) == [LINK, LINK + "2"]


@WIDTHS
def test_a_code_in_the_picture_has_the_printers_dots(columns: int) -> None:
    image = opened(paper.as_png((Code(LINK),), columns))
    rows = dots.code_rows(modules(LINK), columns)
    drawn = image.crop((0, paper.MARGIN, image.width, paper.MARGIN + len(rows)))
    assert drawn.point(lambda grey: 255 - grey).convert("1").tobytes() == b"".join(rows)


def test_a_cut_is_dashed_between_slips_and_not_at_the_end() -> None:
    one, two = (opened(paper.as_png(blocks, 32)) for blocks in (SLIPS[:3], SLIPS))
    mark = two.crop((0, one.height, two.width, one.height + dots.PITCH))
    assert mark.getcolors() is not None
    assert {shade for _, shade in mark.getcolors() or ()} == {255, 128}
    assert one.crop((0, one.height - paper.MARGIN, one.width, one.height)).getextrema() == (255, 255)


def test_every_character_stays_in_its_cell() -> None:
    image = opened(paper.as_png((Row("É", "g"),), 32))
    ink = image.point(lambda grey: 255 - grey).getbbox()
    assert ink is not None
    assert ink[0] < 12
    assert ink[2] > 31 * 12
    middle = image.crop((12, 0, 31 * 12, image.height))
    assert middle.getextrema() == (255, 255)


def test_bold_is_blacker_and_large_is_larger() -> None:
    def ink(block: Block) -> int:
        image = opened(paper.as_png((block,), 32))
        return sum(255 - shade for shade in image.tobytes())

    assert ink(Text("Ana")) < ink(Text("Ana", bold=True)) < ink(Heading("Ana"))


def test_what_the_font_lacks_is_a_question_mark_and_what_it_has_is_drawn() -> None:
    assert paper._drawable("Влад 日😀 œ\x1b ▲") == "Влад ?? œ ▲"


def test_a_picture_of_nothing_is_white_paper() -> None:
    assert opened(paper.as_png((Cut(),), 32)).getextrema() == (255, 255)
    assert paper.as_pdf((), 32).startswith(b"%PDF")


# ---- PDF


@pytest.mark.parametrize(("columns", "millimetres"), [(32, 58), (48, 80)])
def test_the_pdf_is_as_wide_as_the_paper_with_a_page_to_a_slip(columns: int, millimetres: int) -> None:
    pdf = paper.as_pdf(SLIPS, columns)
    boxes = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf)
    assert len(boxes) == 2
    assert all(float(width) * 25.4 / 72 == pytest.approx(millimetres, abs=0.1) for width, _ in boxes)


def test_an_idle_server_holds_no_pictures() -> None:
    """Importing the paper brings neither Pillow nor qrcode into memory."""
    check = "import sys, web.paper; sys.exit(bool({'PIL', 'qrcode'} & set(sys.modules)))"
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", check], cwd=root, check=True)
