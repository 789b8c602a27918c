"""The paper on a screen: blocks as text, as HTML, as a picture and as a PDF."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from html import escape
from importlib import resources
from io import BytesIO
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

from referee import dots, letters
from referee.sheets import Block, Code, Heading, Line, Picture, Printed, Row, Rule, Text, lay_out
from web.qr import modules, svg

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

BASELINE = 19  # dots from the top of a cell to the foot of its letter
ADVANCE = 0.60205  # how wide the font's characters are for their size
MARGIN = 24  # dots of white above and below
FINE = 3  # how many times finer than the printer's a PDF's dots are
_CENTRED = ' class="centred"'


def as_text(blocks: Iterable[Block], columns: int) -> str:
    """The paper as plain text: a line of dashes where it is cut, a code as what it says."""
    cut = f"\n{'- ' * (columns // 2)}".rstrip() + "\n\n"
    slips = dots.slips(dots.rewrite(blocks, letters.plain))
    return cut.join("".join(f"{line}\n" for line in _text_lines(slip, columns)) for slip in slips)


def _text_lines(slip: Iterable[Block], columns: int) -> Iterator[str]:
    for printed in lay_out(slip, columns):
        if isinstance(printed, Code):
            yield letters.plain(printed.data)
        elif isinstance(printed, Picture):
            yield from textwrap.wrap(letters.plain(printed.words), columns)
        elif isinstance(printed, Line):
            yield printed.text.strip().center(columns).rstrip() if printed.large else printed.text


def as_html(blocks: Iterable[Block]) -> str:
    """The paper as a piece of a page: a section for each slip, a list for rows that follow one another."""
    slips = dots.slips(dots.rewrite(blocks, letters.plain))
    return "\n".join(f'<section class="slip">\n{_html_slip(slip)}</section>' for slip in slips)


def _html_slip(slip: Iterable[Block]) -> str:
    lines = []
    for are_rows, group in groupby(slip, lambda block: isinstance(block, Row)):
        inner = "".join(f"{piece}\n" for piece in map(_html, group) if piece)
        lines.append(f"<dl>\n{inner}</dl>\n" if are_rows else inner)
    return "".join(lines)


def _html(block: Block) -> str:
    match block:
        case Heading(text):
            return f"<h2>{escape(text)}</h2>"
        case Text(text, bold, centred):
            return f"<p{_CENTRED if centred else ''}>{_weight(text, bold)}</p>"
        case Row(left, right, bold):
            return f"<div><dt>{_weight(left, bold)}</dt> <dd>{_weight(right, bold)}</dd></div>"
        case Rule():
            return "<hr>"
        case Code(data):
            said = letters.plain(data)
            return f'<figure class="code">{svg(data, said)}<figcaption>{escape(said)}</figcaption></figure>'
        case Picture():
            return f'<figure class="picture">{_drawing(block)}</figure>'
        case _:
            return ""


def _drawing(picture: Picture) -> str:
    """The strokes as they are, as fine as a screen can show them."""
    lines = "".join(
        f'<line x1="{x:g}" y1="{y:g}" x2="{a:g}" y2="{b:g}" stroke-width="{abs(thick) or 1:g}"'
        f' stroke="{"#fff" if thick < 0 else "#000"}"/>'
        for x, y, a, b, thick in picture.strokes
    )
    box = f'viewBox="0 0 {picture.width} {picture.height}" stroke-linecap="round"'
    return f'<svg {box} role="img" aria-label="{escape(picture.words)}">{lines}</svg>'


def _weight(text: str, bold: bool) -> str:
    return f"<strong>{escape(text)}</strong>" if bold else escape(text)


def as_png(blocks: Iterable[Block], columns: int) -> bytes:
    """The paper as a picture, dot for dot as wide as the printer prints, dashed where it is cut."""
    from PIL import Image

    cut = _cut_mark(columns)
    pieces = [piece for slip in _pictures(blocks, columns) for piece in (cut, slip)][1:]
    paper = Image.new("L", (dots.width(columns), sum(piece.height for piece in pieces)), "white")
    top = 0
    for piece in pieces:
        paper.paste(piece, (0, top))
        top += piece.height
    return _saved(paper, "PNG", optimize=True)


def as_pdf(blocks: Iterable[Block], columns: int) -> bytes:
    """The paper as a PDF, a page to a slip, each as wide as the real paper."""
    from PIL import Image

    across = dots.paper_mm(columns) * dots.DOTS_PER_MM * FINE
    pages = []
    for slip in _pictures(blocks, columns, FINE):
        page = Image.new("L", (across, slip.height), "white")
        page.paste(slip, ((across - slip.width) // 2, 0))
        pages.append(page.convert("1", dither=Image.Dither.NONE))
    dpi = dots.DOTS_PER_MM * 25.4 * FINE
    timeless: dict[str, None] = {"creationDate": None, "modDate": None}  # a Pi may not know what time it is
    return _saved(pages[0], "PDF", resolution=dpi, save_all=True, append_images=pages[1:], **timeless)


def _pictures(blocks: Iterable[Block], columns: int, fine: int = 1) -> Iterator["Image"]:
    """Each slip as it comes out of the printer, its dots as many times finer as asked."""
    slips = list(dots.slips(dots.rewrite(blocks, _drawable)))
    for slip in slips or [()]:
        yield _picture(list(lay_out(slip, columns)), columns, fine)


def _picture(printed: list[Printed], columns: int, fine: int) -> "Image":
    from PIL import Image, ImageDraw

    images = {item: _image(item, columns, fine) for item in printed if isinstance(item, Code | Picture)}
    heights = [_height(item, images, fine) for item in printed]
    paper = Image.new("L", (dots.width(columns) * fine, sum(heights) + 2 * MARGIN * fine), "white")
    pen = ImageDraw.Draw(paper)
    for item, top in zip(printed, accumulate(heights, initial=MARGIN * fine), strict=False):
        if isinstance(item, Code | Picture):
            paper.paste(images[item], (0, top))
        elif isinstance(item, Line):
            _write(pen, item, top, fine)
    return paper


def _height(item: Printed, images: Mapping[Code | Picture, "Image"], fine: int) -> int:
    if isinstance(item, Code | Picture):
        return images[item].height
    large = isinstance(item, Line) and item.large
    return (2 * dots.CELL[1] if large else dots.PITCH) * fine


def _write(pen: "ImageDraw", line: Line, top: int, fine: int) -> None:
    """A character to a cell; bold ones are struck twice, a dot apart, as a printer does."""
    size = fine * 2 if line.large else fine
    font = _font(size)
    baseline = top + BASELINE * size
    for column, char in enumerate(line.text):
        for strike in range(1 + line.bold):
            at = (column * dots.CELL[0] * size + strike * fine, baseline)
            pen.text(at, char, fill="black", font=font, anchor="ls")


def _image(item: Code | Picture, columns: int, fine: int) -> "Image":
    from PIL import Image

    if isinstance(item, Code):
        rows = dots.code_rows(modules(item.data), columns)
    else:
        rows = dots.picture_rows(item, columns)
    image = Image.frombytes("1", (dots.width(columns), len(rows)), b"".join(rows), "raw", "1;I")
    return image.convert("L").resize((image.width * fine, image.height * fine), Image.Resampling.NEAREST)


def _cut_mark(columns: int) -> "Image":
    from PIL import Image, ImageDraw

    mark = Image.new("L", (dots.width(columns), dots.PITCH), "white")
    pen = ImageDraw.Draw(mark)
    for left in range(0, mark.width, 16):
        pen.line([(left, dots.PITCH // 2), (left + 7, dots.PITCH // 2)], fill="grey", width=2)
    return mark


@cache
def _font(size: int) -> "FreeTypeFont":
    """A monospaced font as wide as the printer's cells, so many times as large."""
    from PIL import ImageFont

    file = resources.files("barcode").joinpath("fonts", "DejaVuSansMono.ttf")
    return ImageFont.truetype(BytesIO(file.read_bytes()), dots.CELL[0] * size / ADVANCE)


def _drawable(text: str) -> str:
    """The text with a question mark for each character that the font lacks."""
    lacking = _drawn("\uffff")
    return "".join(
        char if char.isspace() or _drawn(char) != lacking else "?" for char in letters.unmarked(text)
    )


def _drawn(char: str) -> bytes:
    return bytes(_font(1).getmask(char))


def _saved(image: "Image", kind: str, **options: object) -> bytes:
    file = BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()
