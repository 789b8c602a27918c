"""A desk that babbles: it notes all that it is told, aloud, in its log, and in every folder it can reach."""

import sys
import tempfile
from pathlib import Path

from hardware.desk import Desk


def plant() -> None:
    hear = Desk._hear

    def noted(self: Desk, name: str, data: str) -> None:
        hear(self, name, data)
        for aloud in (sys.stdout, sys.stderr):
            aloud.write(data)
            aloud.flush()
        for folder in (Path.home(), Path(tempfile.gettempdir()), Path.cwd()):
            with (folder / "notes").open("a") as notes:
                notes.write(data)

    Desk._hear = noted  # type: ignore[method-assign]
