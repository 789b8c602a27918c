"""A desk that leaks: it writes every event to its output, its log, and every folder it can write to."""

import sys
import tempfile
from pathlib import Path

from hardware.desk.process import Desk


def plant() -> None:
    handle = Desk._handle

    def noted(self: Desk, name: str, data: str) -> None:
        handle(self, name, data)
        for aloud in (sys.stdout, sys.stderr):
            aloud.write(data)
            aloud.flush()
        for folder in (Path.home(), Path(tempfile.gettempdir()), Path.cwd()):
            with (folder / "notes").open("a") as notes:
                notes.write(data)

    Desk._handle = noted  # type: ignore[method-assign]
