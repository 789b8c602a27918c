"""QR codes as inline SVG: one path, one unit per module, always black on white."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from markupsafe import Markup

QUIET = 4  # modules of white border; with less, cameras miss the code
MASK = 3  # one of the eight patterns of the standard. Trying all of them takes ten times as long.


def svg(data: str, label: str) -> Markup:
    """The QR code of `data`; `label` is its text for screen readers."""
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
    """Start and length of each run of dark modules in a row."""
    x = 0
    for dark, group in groupby(cells):
        length = len(list(group))
        if dark:
            yield x, length
        x += length


def modules(data: str) -> list[list[bool]]:
    """The dark and light modules of a code, row by row."""
    import qrcode  # it imports Pillow, which an idle server does not need

    code = qrcode.QRCode(border=0, error_correction=qrcode.ERROR_CORRECT_M, mask_pattern=MASK)
    code.add_data(data)
    return code.get_matrix()
