"""Health check of the server on this machine: `python -m web.server.probe SETTINGS`.

The installer runs it last.
"""

import sys
import time
import tomllib
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from referee.program.settings import settings_from
from web.output.address import local_url

PATIENCE = 15.0  # seconds that a server may need until it answers
PAUSE = 0.2


def answers(url: str, patience: float) -> bool:
    """Whether `/healthz` is answered with 200 within this time."""
    until = time.monotonic() + patience
    while True:
        try:
            with closing(HTTPConnection(urlsplit(url).netloc, timeout=patience)) as connection:
                connection.request("GET", "/healthz")
                return connection.getresponse().status == 200
        except (OSError, HTTPException):
            if time.monotonic() >= until:
                return False
        time.sleep(PAUSE)


def main() -> int:
    server = settings_from(tomllib.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))).server
    return 0 if answers(local_url(server.host, server.port), PATIENCE) else 1


if __name__ == "__main__":
    sys.exit(main())
