"""`make bench`: how heavy an idle referee is and how soon it answers."""

import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

REPEATS = 5
MOST_MEGABYTES = 75.0
MOST_SECONDS = 1.0


def main() -> int:
    rounds = [measure() for _ in range(REPEATS)]
    seconds = statistics.median(first for first, _ in rounds)
    megabytes = statistics.median(weight for _, weight in rounds)
    good = seconds < MOST_SECONDS and megabytes < MOST_MEGABYTES
    print(f"start to first answer: {seconds:.2f} s (at most {MOST_SECONDS} s)")
    print(f"idle server, resident: {megabytes:.1f} MB (at most {MOST_MEGABYTES} MB)")
    print("good" if good else "TOO MUCH")
    return 0 if good else 1


def measure() -> tuple[float, float]:
    """Start a server on an empty data folder: seconds to its first answer, megabytes resident then."""
    with tempfile.TemporaryDirectory() as data:
        where = ["--host", "127.0.0.1", "--port", "0", "--data", data, "--desk", "off"]
        began = time.perf_counter()
        command = [sys.executable, "-m", "referee.cli", "serve", *where]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            address = next(word for word in server.stdout.readline().split() if word.startswith("http"))
            answer(address)
            return time.perf_counter() - began, resident(server.pid)
        finally:
            server.terminate()
            server.communicate()


def answer(address: str) -> None:
    while True:
        try:
            with urllib.request.urlopen(f"{address}/healthz", timeout=2) as answered:
                assert answered.status == 200
                return
        except urllib.error.URLError:
            continue


def resident(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    sys.exit(main())
