"""QR codes as inline SVG: one path, a unit to a module, black on white whatever the page's colours."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from markupsafe import Markup

QUIET = 4  # modules of white around a code; with less, cameras miss it


def svg(data: str, label: str) -> Markup:
    """The code of `data`; `label` is what a screen reader says of it."""
    rows = modules(data)
    size = len(rows) + 2 * QUIET
    path = "".join(
        f"M{x + QUIET} {y + QUIET}h{run}v1h-{run}z" for y, cells in enumerate(rows) for x, run in _runs(cells)
    )
    return Markup(
        '<svg class="qr" viewBox="0 0 {size} {size}" role="img" aria-label="{label}"'
        ' shape-rendering="crispEdges">'
        '<path fill="#fff" d="M0 0h{size}v{size}H0z"/><path fill="#000" d="{path}"/></svg>'
    ).format(size=size, label=label, path=path)


def _runs(cells: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Where dark modules begin in a row, and how many follow one another."""
    x = 0
    for dark, group in groupby(cells):
        length = len(list(group))
        if dark:
            yield x, length
        x += length


def modules(data: str) -> list[list[bool]]:
    """The dark and light modules of a code, row by row."""
    import qrcode  # noqa: PLC0415  # it brings Pillow along, which an idle server does without

    code = qrcode.QRCode(border=0, error_correction=qrcode.ERROR_CORRECT_M)
    code.add_data(data)
    return code.get_matrix()
