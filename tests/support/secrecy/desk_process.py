"""A desk in a process of its own, as on another machine: a user, a home, a scratch folder, a wire."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.browser.cuttable_proxy import Wire
from tests.support.secrecy.recording_client import Heard
from tests.support.web.server_process import ROOT, STOPS, Running

OWN = ("home", "scratch", "here")  # the folders of the desk's user: HOME, TMPDIR, where it was started


class Beside:
    """The desk of a server, and all that comes to it or that it leaves lying about."""

    def __init__(self, folder: Path, server: Running, bends: Sequence[str] = ()) -> None:
        self.folder, self.wire = folder, Wire(server.port)
        for name in OWN:
            (folder / name).mkdir(parents=True)
        self._key = folder / "desk.key"
        self._key.write_text(server.desk_key())
        module = ["tests.support.web.modified_server", ",".join(bends)] if bends else ["referee.program.cli"]
        config = server.data.with_name(f"{server.data.name}.toml")
        command = [sys.executable, "-m", *module, "desk", "--server", self.wire.url, "--key", str(self._key)]
        home, scratch, here = (str(folder / name) for name in OWN)
        with (folder / "stdout").open("w") as out, (folder / "stderr").open("w") as err:
            self.process = subprocess.Popen(
                [*command, "--config", str(config)],
                cwd=here,
                env={
                    **os.environ,
                    "PYTHONPATH": str(ROOT),
                    "HOME": home,
                    "TMPDIR": scratch,
                    "LC_ALL": "C.UTF-8",
                },
                stdout=out,
                stderr=err,
            )

    def traffic(self) -> bytes:
        """Every byte that came to it: nothing else comes into the inboxes of its devices."""
        return b"".join(self.wire.brought)

    def left(self) -> Iterator[Heard]:
        """Everything in its user's files (but for the key it was given), and all it said so far."""
        yield Heard("names of the desk's files", "\n".join(map(str, self.folder.rglob("*"))).encode())
        for file in self.folder.rglob("*"):
            if file.is_file() and file != self._key:
                yield Heard(f"the desk's {file.relative_to(self.folder).parts[0]}", file.read_bytes())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _where: TracebackType | None
    ) -> None:
        self.process.terminate()
        try:
            self.process.wait(STOPS)
        finally:
            self.process.kill()
            self.process.wait()
            self.wire.__exit__(None, None, None)
