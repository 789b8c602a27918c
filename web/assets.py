"""Style sheets, scripts and drawings: read once, sent small, kept by phones until they change."""

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from flask import Flask, Response, request
from werkzeug.exceptions import NotFound

FOLDER = Path(__file__).parent / "static"
FOREVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True)
class Asset:
    """A file as it is sent, and the mark that changes whenever it does."""

    content: bytes
    small: bytes
    kind: str
    mark: str


def serve(app: Flask) -> None:
    """Send the application's static files, whose addresses carry their mark."""
    app.view_functions["static"] = _send
    app.add_template_global(address, "static")


@cache
def _all() -> dict[str, Asset]:
    """All there are: an address that names none of them never reaches the disk."""
    return {str(path.relative_to(FOLDER)): _read(path) for path in FOLDER.rglob("*") if path.is_file()}


def _read(path: Path) -> Asset:
    content = path.read_bytes()
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return Asset(content, gzip.compress(content, mtime=0), kind, hashlib.sha256(content).hexdigest()[:12])


def asset(name: str) -> Asset | None:
    return _all().get(name)


def address(name: str) -> str:
    """Where a file is found: with its mark, so that phones may keep it."""
    return f"/static/{name}?v={_all()[name].mark}"


def _send(filename: str) -> Response:
    found = asset(filename)
    if found is None:
        raise NotFound
    small = request.accept_encodings.quality("gzip") > 0
    response = Response(found.small if small else found.content, mimetype=found.kind)
    if small:
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Vary"] = "Accept-Encoding"
    response.headers["Cache-Control"] = FOREVER if request.args.get("v") == found.mark else "no-cache"
    response.set_etag(f"{found.mark}{'-gzip' if small else ''}")
    response.make_conditional(request)
    return response
