"""Static files: loaded and compressed once; URLs carry a content hash, so that browsers cache the files."""

import gzip
import hashlib
import mimetypes
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path

from flask import Flask, Response, request
from werkzeug.exceptions import NotFound

from referee.presentation.game_folders import folders

FOLDER = Path(__file__).parents[1] / "static"
CACHE_FOREVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True)
class Asset:
    """A static file, its gzip form, and a hash of its content."""

    content: bytes
    gzipped: bytes
    kind: str
    digest: str


def serve(app: Flask) -> None:
    """Register the static files with Flask, and `static()` with its templates."""
    app.view_functions["static"] = _send
    app.add_template_global(address, "static")


@cache
def _all() -> dict[str, Asset]:
    """Every static file by name. A request for an unknown name does not touch the disk."""
    ours = {str(path.relative_to(FOLDER)): _read(path) for path in FOLDER.rglob("*") if path.is_file()}
    return ours | dict(_of_games())


def _of_games() -> Iterator[tuple[str, Asset]]:
    """The files of games, as `games/NAME`. Their names begin with the game's id, so no two games clash."""
    for game, folder in folders().items():
        static = folder.joinpath("static")
        for file in static.iterdir() if static.is_dir() else ():
            if file.is_file() and file.name.startswith(f"{game}."):
                yield f"games/{file.name}", _read(file)


def _read(path: Traversable) -> Asset:
    content = path.read_bytes()
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return Asset(content, gzip.compress(content, mtime=0), kind, hashlib.sha256(content).hexdigest()[:12])


def asset(name: str) -> Asset | None:
    return _all().get(name)


def address(name: str) -> str:
    """The URL of a file, with its content hash."""
    return f"/static/{name}?v={_all()[name].digest}"


def _send(filename: str) -> Response:
    found = asset(filename)
    if found is None:
        raise NotFound
    gzipped = request.accept_encodings.quality("gzip") > 0
    response = Response(found.gzipped if gzipped else found.content, mimetype=found.kind)
    if gzipped:
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Vary"] = "Accept-Encoding"
    response.headers["Cache-Control"] = CACHE_FOREVER if request.args.get("v") == found.digest else "no-cache"
    response.set_etag(f"{found.digest}{'-gzip' if gzipped else ''}")
    response.make_conditional(request)
    return response
