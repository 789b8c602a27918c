"""Visits every page of every game: plays a random game, and opens each kind of page once.

Pages are also found by links, so a page that another one links to need not be named here. Every phase of a
game is visited in one of the languages. Of the other pages, those with a piece that no earlier page had are
visited, or all of them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from http.cookies import SimpleCookie
from random import Random
from typing import Any

from playwright.sync_api import Page

from referee.core.options import AIDS
from referee.presentation.words import LANGUAGES
from tests.support.browser.windows import goes_to
from tests.support.web.checked_tables import as_form
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.random_player import picked
from web.security.caller import LANGUAGE_COOKIE

Cookies = Mapping[str, str]

PAST = ("/history", "/people", "/person?name=Ana", "/forget?name=Ana", "/overview")
STRANGE = ("/nothing", "/t/ZZZZZ", "/join?code=zzzzz", "/t/ZZZZZ/s/none")
LINK = re.compile(r'<a\b[^>]*?href="([^"]*)"([^>]*)')
TAG = re.compile(r'<([a-z]\w*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*/?>')
ATTRIBUTE = re.compile(r'([\w:-]+)(?:="([^"]*)")?')
SAME = ("class", "role", "type")  # whose values make another piece of page; of other attributes the names do
ANSWER = re.compile(r'class="answer (answer--\w+)"')
NO_PAGE = re.compile(
    r"^/api/|^http|\.png$|/file\b|[?&]seen="
)  # downloads, pictures, and tapping an answer away


@dataclass(frozen=True)
class Sight:
    """A page to look at: its kind, its path, and the cookies of whoever looks."""

    kind: str
    path: str
    cookies: Cookies
    html: str
    is_fresh: bool  # it has a piece that no page before had

    def open(self, page: Page, url: str) -> None:
        open_as(page, url, self.path, self.cookies)


class Tour:
    """Through the pages of game after game; what was met is not shown again."""

    def __init__(self, client: Client, thorough: bool, seed: int = 1) -> None:
        self._client, self._thorough, self._dice = client, thorough, Random(seed)
        self._met: set[str] = set()
        self._pieces: set[str] = set()
        self._game = ""

    def strange(self) -> Iterator[Sight]:
        """What people see who ask for what is not there."""
        for path in STRANGE:
            yield Sight(path, path, {}, self._read(path, {}), True)

    def sights(self, game: str, moves: int) -> Iterator[Sight]:
        """All kinds of page of a game, from the open table to its record; at most so many moves are made."""
        self._game = game
        table = self._client.open_table(game=game, desk=None)
        yield from self._around(f"{game} joining", f"/t/{table.code}", _host(table))
        yield from self._once(f"{game} joining stranger", f"/t/{table.code}", {})
        phones = table.everybody()
        yield from self._played(table, phones, moves)
        if table.view()["status"] == "playing":
            yield from self._stopped(table, phones)
        for phone in phones.values():
            yield from self._around(f"{game} over", _path(phone), past(phone))
        yield from self._around(f"{game} screen over", f"/t/{table.code}", _host(table))

    def remembered(self) -> Iterator[Sight]:
        """What the games before have left, a desk with papers, deductions, and one phone for all seats."""
        table = self._client.open_table(options={AIDS.name: True})
        self._client.bearing(table.host).post(f"{table.path}/print", {"what": "join"})
        phones = table.everybody()
        yield from self._played(table, phones, 6)
        one, *_ = phones.values()
        for path in (*PAST, f"/games/{table.view()['game']}"):
            yield from self._once(f"late {path}", path, {})
        yield from self._once("papers", "/desk/main", _host(table))
        for page in ("aid", "entered"):
            yield from self._once(page, f"{_path(one)}/{page}", past(one))
        both = {name: value for phone in phones.values() for name, value in past(phone).items()}
        yield from self._once("curtain", _path(one), both)

    def _played(self, table: Table, phones: Mapping[str, Phone], moves: int) -> Iterator[Sight]:
        view = table.view()
        while moves and view["status"] == "playing":
            mover = phones[self._dice.choice(view["waiting_for"])]
            mine = mover.view()
            yield from self._moment(mover, phones, mine)
            move = picked(mine["me"]["choices"], self._dice)
            yield from self._echo(mover, mine, move)
            mover.moves(move.pop("type"), view["version"], **move)
            view, moves = table.view(), moves - 1

    def _moment(self, mover: Phone, phones: Mapping[str, Phone], view: Mapping[str, Any]) -> Iterator[Sight]:
        """The screen, whoever may move, whoever waits, and the answer to the move before."""
        table, at = mover.table, f"{view['game']} {view['public']['step']}"
        yield from self._around(f"{at} screen", f"/t/{table.code}", _host(table))
        types = "+".join(sorted({choice["type"] for choice in view["me"]["choices"]}))
        yield from self._around(f"{at} {types}", _path(mover), past(mover))
        for seat in phones.keys() - set(view["waiting_for"]):
            yield from self._around(f"{at} waits", _path(phones[seat]), past(phones[seat]))
        for told in view["news"][-3:]:
            yield from self._answer(f"{view['game']} {told['kind']}", mover)

    def _answer(self, kind: str, phone: Phone) -> Iterator[Sight]:
        """What was told last, where it fills the phone."""
        if f"told {kind}" not in self._met:
            self._met.add(f"told {kind}")
            if found := ANSWER.search(self._read(_path(phone), held(phone))):
                yield from self._beside(self._once(f"{kind} {found[1]}", _path(phone), held(phone)))

    def _echo(self, phone: Phone, view: Mapping[str, Any], move: Mapping[str, Any]) -> Iterator[Sight]:
        """A secret that is read once more before it is sealed."""
        kind = f"{view['game']} {view['public']['step']} {move['type']} echo"
        own = [choice["fields"] for choice in view["me"]["choices"] if choice["type"] == move["type"]]
        case = next(n for n, fields in enumerate(own) if all(_fits(field, move) for field in fields))
        if kind in self._met or not any(field.get("secret") for field in own[case]):
            return
        form = as_form({**move, "version": view["version"]})
        body = "&".join(f"{name}={_quoted(value)}" for name, value in {**form, "check": "1"}.items())
        sent = self._as(past(phone)).with_(Content_Type="application/x-www-form-urlencoded")
        answer = sent.call("POST", f"{_path(phone)}?do={move['type']}&case={case}", body.encode())
        assert answer.status == 303, answer.content
        draft = {m.key: m.value for m in SimpleCookie(answer.headers["Set-Cookie"]).values()}
        yield from self._beside(self._once(kind, answer.headers["Location"], {**past(phone), **draft}))

    def _stopped(self, table: Table, phones: Mapping[str, Phone]) -> Iterator[Sight]:
        """A question: who asks, who is asked, and the screen; then all agree to stop."""
        asks, *others = phones.values()
        version = table.view()["version"]
        asks.client.post(f"{table.path}/ask", {"version": version, "kind": "abandon", "show": True})
        for name, phone in (("asks", asks), ("is asked", others[0])):
            yield from self._once(name, _path(phone), past(phone))
        yield from self._once("asked aloud", f"/t/{table.code}", _host(table))
        for phone in others:
            phone.client.post(f"{table.path}/answer", {"accept": True})
        assert table.view()["status"] == "over"

    # ---- a page, and those it leads to

    def _around(self, kind: str, path: str, cookies: Cookies) -> Iterator[Sight]:
        """A page of a new kind, and every new kind of page that it leads to."""
        if kind not in self._met:
            yield from self._once(kind, path, cookies)
            for link in self._links(path, cookies):
                yield from self._beside(self._around(_pattern(link, self._game), link, cookies))

    def _beside(self, sights: Iterator[Sight]) -> Iterator[Sight]:
        return (sight for sight in sights if sight.is_fresh or self._thorough)

    def _once(self, kind: str, path: str, cookies: Cookies) -> Iterator[Sight]:
        if kind not in self._met:
            self._met.add(kind)
            cookies = {**cookies, LANGUAGE_COOKIE: LANGUAGES[len(self._met) % len(LANGUAGES)]}
            html = self._read(path, cookies)
            pieces = set(_pieces(html))
            sight = Sight(kind, path, cookies, html, not pieces <= self._pieces)
            self._pieces |= pieces
            yield sight

    def _links(self, path: str, cookies: Cookies) -> Iterator[str]:
        here = path.partition("?")[0]
        for href, more in LINK.findall(self._read(path, cookies)):
            target = unescape(href).partition("#")[0]
            if target not in ("", "?") and " download" not in more and not NO_PAGE.search(target):
                yield here + target if target.startswith("?") else target

    def _read(self, path: str, cookies: Cookies) -> str:
        return self._as(cookies).get(path).content.decode()

    def _as(self, cookies: Cookies) -> Client:
        return self._client.with_(Cookie="; ".join(f"{name}={value}" for name, value in cookies.items()))


def open_as(page: Page, url: str, path: str, cookies: Cookies) -> None:
    """Show a page in a window that holds these cookies and no others."""
    goes_to(page, "about:blank")  # a page that is alive would come back by itself without its cookies
    page.context.clear_cookies()
    page.context.add_cookies([{"name": n, "value": v, "url": url} for n, v in cookies.items()])
    goes_to(page, url + path)


def held(phone: Phone) -> Cookies:
    return {f"seat_{phone.table.code}_{phone.seat}": phone.token}


def past(phone: Phone) -> Cookies:
    """The cookies of a phone whose owner has tapped away all answers."""
    return {**held(phone), f"seen_{phone.table.code}_{phone.seat}": "999999999"}


def _host(table: Table) -> Cookies:
    return {f"host_{table.code}": table.host}


def _path(phone: Phone) -> str:
    return f"/t/{phone.table.code}/s/{phone.seat}"


def _pattern(link: str, game: str) -> str:
    """The kind of page a link leads to, without table, seat, key and numbers; decisions are a game's own."""
    plain = re.sub(r"^/t/\w{5}", "/t/…", re.sub(r"^/j/.*", "/j/…", link))
    plain = re.sub(r"\d+", "…", re.sub(r"/s/\w+|(?<=lost=)\w+", "/s/…", plain))
    return f"{game} {plain}" if "?do=" in link or "/record" in link or "/j/" in link else plain


def _pieces(html: str) -> Iterator[str]:
    """What a page is made of, whatever it says: each tag with its class, its role and what it carries."""
    for tag, more in TAG.findall(html):
        carried = ATTRIBUTE.findall(more)
        yield " ".join((tag, *sorted(f"{n}={value}" if n in SAME else n for n, value in carried)))


def _fits(field: Mapping[str, Any], move: Mapping[str, Any]) -> bool:
    value = move[field["name"]]
    values = value if field["kind"] == "arrange" else [value]
    return field["kind"] == "text" or all(each in field["options"] for each in values)


def _quoted(value: str) -> str:
    return "".join(f"%{byte:02x}" for byte in value.encode())
