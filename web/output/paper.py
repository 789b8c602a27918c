"""Renders the blocks of a paper as text, HTML, PNG and PDF."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from html import escape
from importlib import resources
from io import BytesIO
from itertools import accumulate, groupby
from typing import TYPE_CHECKING

from referee.presentation import dots, letters
from referee.presentation.sheets import (
    Block,
    Code,
    Heading,
    Paragraph,
    Picture,
    Printed,
    PrintedLine,
    Row,
    Rule,
    lay_out,
)
from web.output.qr import modules, svg

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

BASELINE = 19  # dots from the top of a cell to the baseline
ADVANCE = 0.60205  # width of the font's characters per unit of size
MARGIN = 24  # dots of white above and below
FINE = 3  # a PDF's dots per printer dot, in each direction
_CENTRED = ' class="centred"'


def as_text(blocks: Iterable[Block], columns: int) -> str:
    """The paper as plain text: a dashed line for each cut, and the content of each QR code."""
    cut = f"\n{'- ' * (columns // 2)}".rstrip() + "\n\n"
    slips = dots.slips(dots.rewrite(blocks, letters.printable))
    return cut.join("".join(f"{line}\n" for line in _text_lines(slip, columns)) for slip in slips)


def _text_lines(slip: Iterable[Block], columns: int) -> Iterator[str]:
    for printed in lay_out(slip, columns):
        if isinstance(printed, Code):
            yield letters.printable(printed.data)
        elif isinstance(printed, Picture):
            yield from textwrap.wrap(letters.printable(printed.words), columns)
        elif isinstance(printed, PrintedLine):
            yield printed.text.strip().center(columns).rstrip() if printed.large else printed.text


def as_html(blocks: Iterable[Block]) -> str:
    """The paper as an HTML fragment: a section for each slip, a `<dl>` for consecutive rows."""
    slips = dots.slips(dots.rewrite(blocks, letters.printable))
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
        case Paragraph(text, bold, centred):
            return f"<p{_CENTRED if centred else ''}>{_weight(text, bold)}</p>"
        case Row(left, right, bold):
            return f"<div><dt>{_weight(left, bold)}</dt> <dd>{_weight(right, bold)}</dd></div>"
        case Rule():
            return "<hr>"
        case Code(data):
            said = letters.printable(data)
            return f'<figure class="code">{svg(data, said)}<figcaption>{escape(said)}</figcaption></figure>'
        case Picture():
            return f'<figure class="picture">{_drawing(block)}</figure>'
        case _:
            return ""


def _drawing(picture: Picture) -> str:
    """A drawing as SVG, with its strokes as vectors."""
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
    """The paper as PNG, one pixel per printer dot, with a dashed line for each cut."""
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
    """The paper as PDF, one page per slip, each as wide as the real paper."""
    from PIL import Image

    across = dots.paper_mm(columns) * dots.DOTS_PER_MM * FINE
    pages = []
    for slip in _pictures(blocks, columns, FINE):
        page = Image.new("L", (across, slip.height), "white")
        page.paste(slip, ((across - slip.width) // 2, 0))
        pages.append(page.convert("1", dither=Image.Dither.NONE))
    dpi = dots.DOTS_PER_MM * 25.4 * FINE
    timeless: dict[str, None] = {"creationDate": None, "modDate": None}  # a Pi's clock may be wrong
    return _saved(pages[0], "PDF", resolution=dpi, save_all=True, append_images=pages[1:], **timeless)


def _pictures(blocks: Iterable[Block], columns: int, fine: int = 1) -> Iterator["Image"]:
    """Each slip as an image of what the printer prints, with `fine` pixels per dot."""
    slips = list(dots.slips(dots.rewrite(blocks, drawable)))
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
        elif isinstance(item, PrintedLine):
            _write(pen, item, top, fine)
    return paper


def _height(item: Printed, images: Mapping[Code | Picture, "Image"], fine: int) -> int:
    if isinstance(item, Code | Picture):
        return images[item].height
    large = isinstance(item, PrintedLine) and item.large
    return (2 * dots.CELL[1] if large else dots.PITCH) * fine


def _write(pen: "ImageDraw", line: PrintedLine, top: int, fine: int) -> None:
    """Draw a line, one character per cell. Bold ones are drawn twice, one dot apart, as a printer does."""
    size = fine * 2 if line.large else fine
    font = _cell_font(size)
    baseline = top + BASELINE * size
    for column, char in enumerate(line.text):
        for strike in range(1 + line.bold):
            at = (column * dots.CELL[0] * size + strike * fine, baseline)
            pen.text(at, char, fill="black", font=font, anchor="ls")


def _image(item: Code | Picture, columns: int, fine: int) -> "Image":
    from PIL import Image, ImageDraw

    if isinstance(item, Code):
        rows, across = dots.code_rows(modules(item.data), columns), dots.width(columns)
        image = Image.frombytes("1", (across, len(rows) * 8 // across), rows, "raw", "1;I").convert("L")
    else:
        canvas = Image.new("L", dots.canvas(item, columns), "white")
        dots.draw(ImageDraw.Draw(canvas), item, columns)
        image = canvas.reduce(dots.FINER).point(dots.dot)
    return image.resize((image.width * fine, image.height * fine), Image.Resampling.NEAREST)


def _cut_mark(columns: int) -> "Image":
    from PIL import Image, ImageDraw

    mark = Image.new("L", (dots.width(columns), dots.PITCH), "white")
    pen = ImageDraw.Draw(mark)
    for left in range(0, mark.width, 16):
        pen.line([(left, dots.PITCH // 2), (left + 7, dots.PITCH // 2)], fill="grey", width=2)
    return mark


@cache
def _cell_font(size: int) -> "FreeTypeFont":
    """A monospaced font as wide as the printer's cells, scaled by `size`."""
    return font(dots.CELL[0] * size / ADVANCE)


def font(size: float) -> "FreeTypeFont":
    """The font of papers and pictures, in pixels."""
    from PIL import ImageFont

    return ImageFont.truetype(BytesIO(_font_file()), size)


@cache
def _font_file() -> bytes:
    return resources.files("web").joinpath("fonts", "DejaVuSansMono.ttf").read_bytes()


def drawable(text: str) -> str:
    """The text with a question mark for each character that the font lacks."""
    lacking = _drawn("\uffff")
    return "".join(
        char if char.isspace() or _drawn(char) != lacking else "?" for char in letters.without_marks(text)
    )


def _drawn(char: str) -> bytes:
    return bytes(_cell_font(1).getmask(char))


def _saved(image: "Image", kind: str, **options: object) -> bytes:
    file = BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()
