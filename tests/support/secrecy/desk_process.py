"""A desk in its own process, as on another machine: own home, own temporary folder, behind a proxy."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.browser.cuttable_proxy import CuttableProxy
from tests.support.secrecy.recording_client import Received
from tests.support.web.server_process import ROOT, STOPS, Running

OWN = ("home", "scratch", "here")  # the folders of the desk's user: HOME, TMPDIR, where it was started


class DeskProcess:
    """A desk, the bytes it receives, and the files it leaves."""

    def __init__(self, folder: Path, server: Running, modifications: Sequence[str] = ()) -> None:
        self.folder, self.proxy = folder, CuttableProxy(server.port)
        for name in OWN:
            (folder / name).mkdir(parents=True)
        self._key = folder / "desk.key"
        self._key.write_text(server.desk_key())
        module = (
            ["tests.support.web.modified_server", ",".join(modifications)]
            if modifications
            else ["referee.program.cli"]
        )
        config = server.data.with_name(f"{server.data.name}.toml")
        command = [sys.executable, "-m", *module, "desk", "--server", self.proxy.url, "--key", str(self._key)]
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
        """Every byte it received: all input of its devices comes from there."""
        return b"".join(self.proxy.received)

    def left(self) -> Iterator[Received]:
        """All files of its user (except the key it was given), and its output so far."""
        yield Received("names of the desk's files", "\n".join(map(str, self.folder.rglob("*"))).encode())
        for file in self.folder.rglob("*"):
            if file.is_file() and file != self._key:
                yield Received(f"the desk's {file.relative_to(self.folder).parts[0]}", file.read_bytes())

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
            self.proxy.__exit__(None, None, None)
