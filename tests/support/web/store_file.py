"""Writes and reads a store's file without a server, and runs the `referee` command."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from tests.support.web.server_process import ROOT
from web.store import statements
from web.store.backups import open_store


def written(path: Path, *numbers: int) -> None:
    store = open_store(path)
    for n in numbers:
        store.commit([statements.entry_written("KX7QF", n, "now", f"line {n}", "head")])
    store.close()


def lines(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return [line for (line,) in db.execute("SELECT line FROM journal ORDER BY n")]


def referee(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "referee.program.cli", *map(str, arguments)]
    environment = {**os.environ, "LANG": "en_GB.UTF-8", "PYTHONUTF8": "1"}
    return subprocess.run(
        command, cwd=ROOT, env=environment, text=True, capture_output=True, timeout=60, check=False
    )
