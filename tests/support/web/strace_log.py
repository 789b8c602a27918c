"""Reads a log of strace: system calls, in the order in which they began and returned."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CALL = re.compile(r"(?P<thread>\d+) +(?P<name>\w+)\((?P<said>.*)")
RESUMED = re.compile(r"(?P<thread>\d+) +<\.\.\. (?P<name>\w+) resumed>(?P<said>.*)")
SYNCS = ("fsync", "fdatasync")
READS = ("recvfrom", "read", "recvmsg")
WRITES = ("sendto", "write", "writev", "sendmsg")

# -D: strace is the grandchild, so that the server is ours to stop
STRACE = ("strace", "-D", "-f", "-y", "-s", "65536", "-e", f"trace={','.join(SYNCS + READS + WRITES)}", "-o")


@dataclass(frozen=True)
class Step:
    """A system call that began (`returned` false) or came back; what it was about."""

    name: str
    about: str
    returned: bool


def steps(trace: Path) -> Iterator[Step]:
    """Each call twice, once as it begins and once as it returns; threads may overlap."""
    under_way: dict[str, str] = {}
    for line in trace.read_text(errors="replace").splitlines():
        if call := CALL.match(line):
            name, said = call["name"], call["said"]
            yield Step(name, said, returned=False)
            if "<unfinished ...>" in said:
                under_way[call["thread"]] = said
            else:
                yield Step(name, said, returned=True)
        elif back := RESUMED.match(line):
            yield Step(back["name"], under_way.pop(back["thread"], "") + back["said"], returned=True)


def is_whole(trace: Path, process: int) -> bool:
    """Whether strace has written all that this process did."""
    return (
        re.search(rf"^{process} +\+\+\+ exited", trace.read_text(errors="replace"), re.MULTILINE) is not None
    )


def synced_before_told(trace: Path, request: str, told: str) -> bool:
    """Whether, after this request was read, a sync of the journal came back well before it was told."""
    seen = list(steps(trace))
    asked = _first(seen, 0, READS, request, returned=True)
    answered = _first(seen, asked, WRITES, told, returned=False)
    return any(
        step.name in SYNCS and step.returned and "referee.db-wal" in step.about and step.about.endswith("= 0")
        for step in seen[asked:answered]
    )


def _first(seen: list[Step], start: int, names: tuple[str, ...], text: str, *, returned: bool) -> int:
    for i, step in enumerate(seen[start:], start):
        if step.name in names and step.returned is returned and text in step.about:
            return i
    raise AssertionError(f"the trace has no {text!r}")
