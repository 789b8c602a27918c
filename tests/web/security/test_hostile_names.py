"""Hostile names are only names wherever they are shown, and no page runs a script but ours."""

import re
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.support.fixtures import Start
from tests.support.web.http_client import Client, Table
from tests.support.web.server_process import ROOT

# ---- names, everywhere they are shown

HOSTILE = {
    "markup": "<img src=x onerror=a()>",
    "quotes": "\"'><b>&amp;",
    "template": "{{7*7}}${7*7}%(x)s{seat}",
    "formula": "=1+1|cmd",
    "bidi": "Ana\u202e\u2066gro\u200f",
    "terminal": "\x1b[31mAna\x1b]0;x\x07",
    "lines": "Ana\r\nERROR: all is lost",
    "marks": "Z" + "\u0336\u0489\u0300" * 8,
    "emoji": "👩\u200d👩\u200d👧\ufe0f🏳\ufe0f",
    "printer": "A\x1bm\x1d(k\x00B",
}
UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")


def test_a_hostile_name_is_only_a_name_wherever_it_is_shown(start: Start) -> None:
    server = start()
    for hostile in HOSTILE.values():
        shown_everywhere(server.client, hostile)
    server.stop()
    assert server.said() == ""


def shown_everywhere(client: Client, hostile: str) -> None:
    table = client.open_table()
    phone = table.join("mask", hostile)
    name = table.view()["seats"]["mask"]["name"]
    phone.client.post(f"{table.path}/ask", {"version": 1, "kind": "abandon"})
    browser = client.with_(Cookie=f"seat_{table.code}_mask={phone.token}; host_{table.code}={table.host}")
    pages = (f"/t/{table.code}", f"/t/{table.code}/s/mask", f"/t/{table.code}/sheet", "/desk/main", "/")
    known = urlencode({"name": name})
    remembered = ("/history", "/people", "/overview", f"/person?{known}", f"/forget?{known}")
    sheets = (f"{table.path}/sheet.{form}" for form in ("html", "txt"))
    for path in (*pages, *remembered, *sheets):
        answer = browser.get(path)
        text = answer.content.decode()
        assert answer.status == 200, path
        assert UNSEEN.sub("", text) == text, path
        assert answer.kind != "text/html" or "<" not in name or name not in text, path
    for form in ("png", "pdf"):
        assert browser.get(f"{table.path}/sheet.{form}").status == 200


@pytest.mark.parametrize(
    "name",
    [
        "\u3164",
        "\u2800\u2800",
        "\u115f\u1160",
        "\uffa0",
        "\u034f\u034f",
        "\ufe0f",
        "\u00ad",
        "\U0001d159",
        "\u17b4\u17b5",
    ],
)
def test_a_name_that_shows_nothing_is_refused(table: Table, name: str) -> None:
    assert table.take("mask", name).code == "malformed"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ana", "Ana (Men in Mask)"),
        ("ANA", "ANA (Men in Mask)"),
        ("Ána.", "Ána. (Men in Mask)"),
        ("\u0410n\u0430", "\u0410n\u0430 (Men in Mask)"),  # Cyrillic
        ("\u0391\u039d\u0391", "\u0391\u039d\u0391 (Men in Mask)"),  # Greek
        ("\u0410\u043d\u043d\u0430", "\u0410\u043d\u043d\u0430"),
        ("the HOST", "the HOST (Men in Mask)"),
        ("T.A.R.G.E.T. Agency", "T.A.R.G.E.T. Agency (Men in Mask)"),
        ("Anna", "Anna"),
        ("😀", "😀"),
    ],
)
def test_nobody_asks_in_the_name_of_another(client: Client, name: str, shown: str) -> None:
    """Where a name could be heard as somebody else's, as the host's or as a seat's, the seat is told too."""
    table = client.with_(Accept_Language="en").open_table(options={"language": "en"})
    table.join("target", "Ana")
    phone = table.join("mask", name)
    asked = phone.client.post(f"{table.path}/ask", {"version": 2, "kind": "abandon"}).json
    assert asked["news"][0]["text"].startswith(f"{shown} ")


@pytest.mark.parametrize("unseen", ["\ufe0f", "\u180b", "\u17b4", "\U000e0101", "\u034f", "\U000e0041"])
def test_two_names_that_look_alike_are_one(table: Table, unseen: str) -> None:
    table.join("mask", f"Zoe{unseen}\u0301 {unseen} Z{unseen}")
    assert table.view()["seats"]["mask"]["name"] == "Zoé Z"


def test_accents_do_not_climb_over_the_lines_above(table: Table) -> None:
    table.join("mask", "e" + "\u0323\u0302\u0336" * 7 + "n")
    name = table.view()["seats"]["mask"]["name"]
    assert (name[0], name[-1], len(name)) == ("ệ", "n", 5)


# ---- pages run no script but ours

TEMPLATES = sorted({*ROOT.glob("web/templates/**/*.*"), *ROOT.glob("referee/games/*/templates/**/*.*")})


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_template_has_script_or_style_of_its_own(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    scripts = re.findall(r"<script\b[^>]*>", text)
    assert all(" src=" in tag or 'type="application/json"' in tag for tag in scripts), scripts
    assert not re.search(
        r"<style\b|\sstyle\s*=|\son[a-z]+\s*=\s*[\"']|javascript:|<iframe|<object|<embed", text
    )
    assert not re.search(r"\|\s*safe\b|autoescape false", text)
