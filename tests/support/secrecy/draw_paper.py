"""Draws a paper from its blocks alone, in another process with another clock.

`python -m tests.support.secrecy.draw_paper png < blocks.json > paper.png`
"""

import json
import sys
import time
from collections.abc import Callable, Mapping

from hardware.printing.escpos_commands import commands
from referee.presentation.sheets import Block, from_wire
from referee.program.settings import PrinterSettings
from web.output import paper

FORMS: Mapping[str, Callable[[tuple[Block, ...]], bytes]] = {
    "txt": lambda blocks: paper.as_text(blocks, 32).encode(),
    "html": lambda blocks: paper.as_html(blocks).encode(),
    "png": lambda blocks: paper.as_png(blocks, 32),
    "pdf": lambda blocks: paper.as_pdf(blocks, 32),
    "escpos": lambda blocks: b"".join(commands(blocks, PrinterSettings())),
}


def main(form: str) -> None:
    long_ago = time.gmtime(1)
    time.gmtime = time.localtime = lambda _seconds=None: long_ago
    sys.stdout.buffer.write(FORMS[form](from_wire(json.load(sys.stdin))))


if __name__ == "__main__":
    main(sys.argv[1])
