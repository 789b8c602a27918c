"""Writes and reads a store's file without a server, and runs the `referee` command."""

import os
import sqlite3
import struct
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


def journal_that_names(file: Path, pages: int) -> bytes:
    """A rollback journal of SQLite without pages. It names another file as the journal of several databases,
    which SQLite deletes once the transaction is rolled back."""
    magic, name = bytes.fromhex("d9d505f920a163d7"), str(file).encode()
    head = magic + struct.pack(">IIIII", 0, 0, pages, 512, 4096)
    checksum = struct.pack(">II", len(name), sum(name))
    return head.ljust(512, b"\0") + struct.pack(">I", 2**30 // 4096 + 1) + name + checksum + magic
