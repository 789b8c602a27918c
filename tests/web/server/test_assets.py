"""Static files: compressed, and cached for good under an address with their hash."""

import gzip
import re
from pathlib import Path

import pytest

import referee
import web
from tests.support.web.http_client import Client

WEB = Path(web.__file__).parent
GAMES = Path(referee.__file__).parent / "games"
SHEETS = sorted({*(WEB / "static").rglob("*.css"), *GAMES.rglob("*.css")})
SOURCES = "".join(
    path.read_text(encoding="utf-8")
    for path in (*WEB.rglob("*"), *GAMES.rglob("*"))
    if path.suffix in (".html", ".js", ".py", ".svg") and "assets" not in path.name
)


def _linked(client: Client) -> str:
    return str(re.findall(r'href="(/static/referee\.css[^"]*)"', client.get("/").content.decode())[0])


def test_the_address_on_a_page_has_the_hash_and_is_cached_for_good(client: Client) -> None:
    path = _linked(client)
    answer = client.get(path)
    assert re.search(r"\?v=[0-9a-f]{12}$", path)
    assert "immutable" in answer.headers["Cache-Control"]
    assert answer.content == (WEB / "static" / "referee.css").read_bytes()


@pytest.mark.parametrize("mark", ["", "?v=000000000000"])
def test_under_any_other_address_it_is_asked_for_again(client: Client, mark: str) -> None:
    answer = client.get(f"/static/referee.css{mark}")
    assert answer.headers["Cache-Control"] == "no-cache"
    again = client.with_(If_None_Match=answer.headers["ETag"]).get(f"/static/referee.css{mark}")
    assert (again.status, again.content) == (304, b"")


def test_it_is_sent_small_to_whoever_takes_it_so(client: Client) -> None:
    plain, small = client.get("/static/live.js"), client.with_(Accept_Encoding="gzip").get("/static/live.js")
    assert gzip.decompress(small.content) == plain.content
    assert len(small.content) < len(plain.content) / 2
    assert small.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
    assert small.headers["ETag"] != plain.headers["ETag"]
    assert "Content-Encoding" not in plain.headers


def test_pages_are_never_compressed(client: Client) -> None:
    """The length of a page that mixes secrets with what others wrote would tell of both."""
    assert "Content-Encoding" not in client.with_(Accept_Encoding="gzip").get("/").headers


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_no_style_is_for_what_is_nowhere(sheet: Path) -> None:
    """Every class in a style sheet stands in some page, script or program, whole or by its beginning."""
    text = sheet.read_text(encoding="utf-8")
    selectors = re.sub(r"/\*.*?\*/|\{[^{}]*\}", " ", text, flags=re.DOTALL)
    assert not [name for name in set(re.findall(r"\.([a-zA-Z][\w-]*)", selectors)) if not _is_used(name)]


def _is_used(name: str) -> bool:
    begins = re.sub(r"-[a-z0-9_]+$", "-", name)  # the rest is put there by whoever makes the page
    return bool(re.search(rf"(?<![\w-])(?:{name}(?![\w-])|{begins}(?=[{{'\"$]))", SOURCES))


def test_the_home_screen_of_a_phone_finds_a_name_and_icons(client: Client) -> None:
    page = client.get("/").content.decode()
    found = re.search(r'<link rel="manifest" href="([^"]+)"', page)
    assert found
    answer = client.get(found[1])
    assert answer.headers["Content-Type"].startswith("application/manifest+json")
    for icon in answer.json["icons"]:
        shown = client.get(f"/static/{icon['src']}")
        assert shown.status == 200
        assert shown.headers["Content-Type"] == "image/png"
    touch = re.search(r'<link rel="apple-touch-icon" href="([^"]+)"', page)
    assert touch and client.get(touch[1]).status == 200


@pytest.mark.parametrize("sheet", SHEETS)
def test_no_class_that_changes_restyles_everything_below(sheet: str) -> None:
    """What follows `[class*=…]` in a selector is restyled whenever any class above it changes."""
    text = re.sub(r"/\*.*?\*/", "", (WEB / "static" / sheet).read_text(encoding="utf-8"), flags=re.DOTALL)
    assert not re.findall(r"\[class[*^$|~]?=[^\]]*\][^\s,{)]*[\s>+~]+[^\s,{>+~)][^,{}]*[,{]", text)
