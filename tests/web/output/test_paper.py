"""The paper on a screen: text, HTML, picture and PDF say what the printer prints."""

import re
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from io import BytesIO
from itertools import chain
from pathlib import Path

import pytest
import zxingcpp
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops

import web
from hardware.printing.escpos_commands import commands
from referee.presentation import dots
from referee.presentation.sheets import Block, Code, Cut, Gap, Heading, Paragraph, Picture, Row, Rule
from referee.presentation.words import LANGUAGES, words
from referee.program import settings
from tests.support.hardware.escpos_receiver import CommandReader
from tests.support.soak import examples
from web.output import paper
from web.output.qr import modules

LINK = "http://192.168.1.20:8000/j/KX7QF/target/Zq3-x9_TbLmWcYd2?a=1&b=<2>"
HOSTILE = "<script>alert('x')</script>\x1b[2J\x00\u202e\"&\ud83d"
SHEET: tuple[Block, ...] = (
    Heading("Agent Hunter"),
    Paragraph("Table KX7QF", centred=True),
    Rule(),
    Paragraph("Ève l’emporte : « Œuvre d’été »", bold=True),
    Gap(),
    Row("Planques détruites", "3"),
    Row("Leurres à côté", "2", bold=True),
    Cut(),
)
SLIPS: tuple[Block, ...] = (Heading("Cible"), Code(LINK), Cut(), Heading("Masque"), Code(LINK + "2"), Cut())
strokes = st.lists(st.tuples(*[st.integers(-9, 400)] * 4, st.integers(-9, 9)), max_size=4).map(tuple)
pictures = st.builds(Picture, st.integers(100, 400), st.integers(1, 400), strokes, st.just(""))
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
    words = Paragraph("une ligne plus longue que le papier n’est large, et même bien plus longue")
    lines = paper.as_text((words, Heading("x" * 99), Row("y" * 99, "z" * 99)), columns).splitlines()
    assert max(map(len, lines)) <= columns


def test_text_holds_no_control_characters() -> None:
    text = paper.as_text((Paragraph(HOSTILE), Row(HOSTILE, HOSTILE), Code(HOSTILE)), 48)
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
    every = (Heading(HOSTILE), Paragraph(HOSTILE), Row(HOSTILE, HOSTILE), Code(HOSTILE[:-1]))
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
    assert image.height == 2 * paper.MARGIN + len(rows) * 8 // image.width
    assert inked(image) == rows


def inked(image: Image.Image) -> bytes:
    """The dots between the margins, eight to a byte, a set bit for a black one."""
    middle = image.crop((0, paper.MARGIN, image.width, image.height - paper.MARGIN))
    return middle.convert("1", dither=Image.Dither.NONE).tobytes("raw", "1;I")


@examples(100)
@given(pictures, st.sampled_from((32, 48)))
def test_a_drawing_has_the_printers_dots_and_is_as_wide_as_the_paper(picture: Picture, columns: int) -> None:
    reader = CommandReader(columns)
    sent = b"".join(commands((picture,), settings.PrinterSettings(columns=columns)))
    reader.execute(BytesIO(sent).read, lambda _answer: None)
    image = opened(paper.as_png((picture,), columns))
    assert inked(image) == b"".join(reader.slips[0].dots)
    high = max(1, round(picture.height * columns * 12 / picture.width))
    assert image.size == (columns * 12, high + 2 * paper.MARGIN)


def test_strokes_are_drawn_where_they_are_and_white_ones_take_away() -> None:
    black = (10, 8, 30, 8, 4)
    image = opened(paper.as_png((Picture(384, 16, (black,), ""),), 32))
    top = paper.MARGIN
    assert ImageChops.invert(image).getbbox() == (8, top + 6, 32, top + 10), "its ends are round"
    assert image.crop((10, top + 6, 30, top + 10)).getextrema() == (0, 0), "and it is filled"
    gone = opened(paper.as_png((Picture(384, 16, (black, (10, 8, 30, 8, -8)), ""),), 32))
    assert gone.getextrema() == (255, 255)


@WIDTHS
@pytest.mark.parametrize("slope", [(0, 1), (1, 0), (1, 1), (1, -1), (3, 1), (1, 5)])
def test_a_stroke_of_no_width_is_thin_and_has_no_holes(slope: tuple[int, int], columns: int) -> None:
    across, down = slope
    for shift in (0.0, 0.1, 0.25, 0.5, 0.7):
        start, end = 50 - 10 * across + shift, 50 - 10 * down + shift
        stroke = (start, end, start + 20 * across, end + 20 * down, 0)
        image = opened(paper.as_png((Picture(384, 100, (stroke,), ""),), columns))
        left, top, right, bottom = ImageChops.invert(image).getbbox() or (0, 0, 0, 0)
        if bottom - top < right - left:
            lines = [(x, top, x + 1, bottom) for x in range(left, right)]
        else:
            lines = [(left, y, right, y + 1) for y in range(top, bottom)]
        assert {image.crop(line).tobytes().count(0) for line in lines} <= {1, 2, 3}
        assert len(lines) >= 20


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

    assert ink(Paragraph("Ana")) < ink(Paragraph("Ana", bold=True)) < ink(Heading("Ana"))


def test_what_the_font_lacks_is_a_question_mark_and_what_it_has_is_drawn() -> None:
    assert paper.drawable("Влад 日😀 œ\x1b ▲") == "Влад ?? œ ▲"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_font_has_every_character_of_our_words_and_of_european_names(language: str) -> None:
    forms = chain.from_iterable(words(language).messages.values())
    said = {char for form in forms for char in form if not char.isspace()}
    names = {chr(code) for code in range(0xA1, 0x180)} - {"\xad"}  # Latin-1 and Latin Extended-A
    signs = {*"€œŒ’“”«»…–—·×±→←↑↓▲△▼✓✗"}
    lacking = {char for char in said | names | signs if paper.drawable(char) != char}
    assert not lacking
    assert len(said) > 80


def test_the_font_is_ours_and_its_licence_lies_beside_it() -> None:
    fonts = Path(web.__file__).parent / "fonts"
    assert paper.font(1).getname() == ("DejaVu Sans Mono", "Book")
    assert (fonts / "DejaVuSansMono.ttf").is_file()
    assert "Bitstream Vera is a trademark" in (fonts / "LICENSE").read_text()
    project = tomllib.loads((fonts.parents[1] / "pyproject.toml").read_text())
    assert "web/fonts/LICENSE" in project["project"]["license-files"]
    assert "fonts/*" in project["tool"]["setuptools"]["package-data"]["web"]


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
    check = "import sys, web.output.paper; sys.exit(bool({'PIL', 'qrcode'} & set(sys.modules)))"
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", check], cwd=root, check=True)
