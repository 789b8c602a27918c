"""Plays a plan at a real server, and records what those who must not know its secrets receive.

Randomness is fixed, so that twin worlds have the same codes, keys, tokens and salts.
"""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

from referee.core.dice import Dice
from referee.core.entries import Entry, Joined, Moved
from referee.core.game import Game
from referee.core.match import Match, open_match
from referee.core.moves import Seat
from referee.core.options import AIDS
from referee.fairness.commitments import grouped
from referee.program.simulate import random_options
from tests.support.secrecy.picture_reader import seen
from tests.support.secrecy.recording_client import (
    Exchange,
    MeasuredClient,
    RecordingClient,
    RecordingStream,
)
from tests.support.secrecy.twin_plans import Plan
from tests.support.web.http_client import Answer, Client
from tests.support.web.journal import rows
from tests.support.web.server_process import Running

ODD: Mapping[Any, Any] = {int: -7, str: "?", bool: False, (int,): [-7], (str,): ["?"]}
HASH = re.compile(rb"\b(?:[0-9a-f]{64}|[0-9a-f]{4}(?:(?:\s+|\xc2\xa0)[0-9a-f]{4})+)\b")  # also in fours
SHEETS = tuple(f"/sheet.{form}" for form in ("txt", "html", "png", "pdf"))
Received = dict[tuple[str, str], list[bytes]]


class World:
    """One server and the table that was opened last, with all who look on."""

    def __init__(self, server: Running, url: str) -> None:
        self.server, self.url = server, url

    def open(self, game: Game[Any, Any], n: int) -> Match:
        """Open a table at the desk; the match as the referee has it."""
        self.host, self.screen = RecordingClient("host", self.url), RecordingClient("screen", self.url)
        self.watching, self.desk = (
            RecordingClient("observer", self.url),
            RecordingClient("desk", self.url, self.server.desk_key()),
        )
        options = {**random_options(game.options, Dice(f"world/{n}")), "language": "en"}
        options |= {AIDS.name: True} if AIDS in game.options else {}
        self.table = _fine(self.host.post("/api/tables", {"game": game.id, "options": options})).json
        self.code, self.api = self.table["table"], f"/api/tables/{self.table['table']}"
        self.host.cookies[f"host_{self.code}"] = self.table["host"]
        ((kept, seed),) = rows(self.server, "SELECT options, seed FROM tables WHERE code = ?", self.code)
        return open_match(self.code, game, json.loads(kept), seed)

    def live(self, plan: Plan, observer: Seat) -> Received:
        """Play this plan, then correct a few mistakes. Returns all that the observers received."""
        self.observer, self.phones = observer, dict[Seat, Client]()
        self.traffic: dict[Seat, list[Exchange]] = {}  # of all seats but the observer
        self.streams: list[RecordingStream] = []
        self.pages: list[RecordingStream] = []
        with ExitStack() as self.listening:
            self._watch(self.screen, f"/t/{self.code}/live")
            self._listen(self.screen, f"{self.api}/events?seats=1")
            self._listen(self.screen, "/desk/main/events")
            self._listen(self.desk, "/api/desks/main/events")
            for version, entry in enumerate(plan.entries):
                self._enter(entry, version)
                self._told(version + 1)
                self._glance()
            self._look(plan.end)
            self._mend(plan)
            self._abandon()
            self._last_news()
            return self._received()

    def play(self, plan: Plan, observer: Seat, listening: ExitStack) -> None:
        """Play this plan while nobody looks on but the seat that observes."""
        self.observer, self.phones, self.listening = observer, {}, listening
        self.traffic = {}
        self.streams, self.pages = [], []
        for version, entry in enumerate(plan.entries):
            self._enter(entry, version)

    def _listen(self, tap: RecordingClient, path: str) -> None:
        stream = self.listening.enter_context(tap.follow(path))
        stream.first("view")
        self.streams.append(stream)

    def _watch(self, tap: RecordingClient, path: str) -> None:
        """An open page: its regions come as they change."""
        stream = self.listening.enter_context(tap.follow(path))
        stream.first("regions")
        self.pages.append(stream)

    def _told(self, version: int) -> None:
        """Nobody goes on before everybody who listens was told."""
        for stream in self.streams:
            stream.view(version)
        for stream in self.pages:
            stream.wait(lambda event: event.kind == "regions" and event.json["v"] >= version)

    def _last_news(self) -> None:
        """The desks are told in words after the view: wait for the last of them."""
        last = self.screen.get(self.api).json["news"][-1]["n"]
        for stream in self.streams[1:3]:
            stream.wait(lambda event: event.kind == "news" and event.json["n"] == last)

    # ---- playing

    def _enter(self, entry: Entry, version: int) -> None:
        match entry:
            case Joined(seat, name):
                self._join(seat, name)
            case Moved(seat, move):
                body = {"version": version, "type": move.type, **move.fields}
                _fine(self.phones[seat].post(f"{self.api}/moves", body))

    def _join(self, seat: Seat, name: str) -> None:
        key = next(free["key"] for free in self.table["seats"] if free["seat"] == seat)
        phone = self.watching if seat == self.observer else self._measured(seat)
        token = _fine(phone.post(f"{self.api}/seats/{seat}", {"key": key, "name": name})).json["token"]
        self.phones[seat] = phone.bearing(token)
        if seat == self.observer:
            self.phones[seat] = self.watching
            self.watching.cookies[f"seat_{self.code}_{seat}"] = token
            self._listen(self.watching, f"{self.api}/me/events?seats=1")
            self._watch(self.watching, f"/t/{self.code}/s/{seat}/live")

    def _measured(self, seat: Seat) -> MeasuredClient:
        phone = MeasuredClient(self.url)
        phone.traffic = self.traffic.setdefault(seat, [])
        return phone

    def version(self) -> int:
        return int(self.screen.get(self.api).json["version"])

    # ---- looking on

    def _glance(self) -> None:
        self.screen.get(f"/t/{self.code}")
        self.watching.get(f"/t/{self.code}/s/{self.observer}")
        self.watching.get(f"/t/{self.code}/s/{self.observer}/aid")
        self.watching.get(f"{self.api}/me")

    def _look(self, now: Match) -> None:
        """All pages that there are, and all moves, for those who look on."""
        for tap in (self.host, self.screen, self.watching, self.desk):
            for path in ("", "/me", "/record", *SHEETS):
                tap.get(self.api + path)
            tap.post(f"{self.api}/print", {"what": "sheet"})
            own = [f"/s/{seat}{page}" for seat in now.seats for page in ("", "/aid", "/entered")]
            for path in ("", "/rules", *own):
                tap.get(f"/t/{self.code}{path}")
            for path in ("/", "/desk/main", "/healthz"):
                tap.get(path)
        for kind, shape in now.game.moves.items():
            self.watching.get(f"/t/{self.code}/s/{self.observer}?do={kind}&case=0")
            odd = {name: ODD.get(wanted, [[]]) for name, wanted in shape.fields.items()}
            for version in (0, now.version):
                self.watching.post(f"{self.api}/moves", {"version": version, "type": kind, **odd})

    # ---- mistakes

    def _mend(self, plan: Plan) -> None:
        """A secret is corrected, the last move taken back, a phone lost; what is stale is tried each time."""
        others = [seat for seat in self.phones if seat != self.observer]
        if asked := plan.correction:
            self._ask(self.phones[asked.by], "correct", asked.of, **asked.fields)
        self._ask(self.watching, "undo", others)
        self._ask(self.host, "reissue", self.phones, seat=others[0])

    def _abandon(self) -> None:
        """They stop without showing: the sheet is for all, and what was hidden stays hidden."""
        for seat, key in rows(self.server, "SELECT seat, key FROM seats WHERE code = ?", self.code):
            if key:  # of the phone that was lost
                self._join_again(seat, key)
        self._ask(self.host, "abandon", self.phones, show=False)
        assert self.screen.get(self.api).json["outcome"]["reason"] == "abandoned"
        for path in ("/record", *SHEETS[:-1]):  # the PDF is drawn as the picture is, only finer
            self.screen.get(self.api + path)

    def _join_again(self, seat: Seat, key: str) -> None:
        body = {"key": key, "name": "Zoé"}
        phone = self._measured(seat)
        token = _fine(phone.post(f"{self.api}/seats/{seat}", body)).json["token"]
        self.phones[seat] = phone.bearing(token)

    def _ask(self, asker: Client, kind: str, of: Collection[Seat], **about: Any) -> None:
        body = {"version": self.version(), "kind": kind, **about}
        if asker.post(f"{self.api}/ask", body).status == 200:
            self._glance()
            for seat in of:
                self.phones[seat].post(f"{self.api}/answer", {"accept": True})
        self._ask_late()
        self._told(self.version())
        self._glance()

    def _ask_late(self) -> None:
        """Ask to take back at versions gone by: what is stale must not tell whose choices changed."""
        now = self.version()
        for version in range(max(0, now - 2), now + 1):
            if self.watching.post(f"{self.api}/ask", {"version": version, "kind": "undo"}).status == 200:
                self.watching.post(f"{self.api}/answer", {"accept": False})

    # ---- what they received

    def _received(self) -> Received:
        """What came to each device in answer to each call, but for the hashes that bind secrets."""
        hashes, everything = set(self._hashes()), defaultdict(list)
        for tap in (self.host, self.screen, self.watching, self.desk):
            for heard in tap.heard:
                if not heard.content.startswith(b": "):  # a sign of life on a quiet stream
                    everything[tap.name, heard.where].append(_without(heard.content, hashes))
        return everything

    def _hashes(self) -> Iterator[bytes]:
        """Heads and commitments, in full and as pages shorten them."""
        for stream in self.streams:
            for view in (event.json for event in stream.all("view")):
                sealed = (news["commitment"] for news in view["news"] if "commitment" in news)
                for digest in (view["head"], *sealed):
                    yield from (digest.encode(), grouped(digest).encode())


def _without(content: bytes, hashes: set[bytes]) -> bytes:
    """The same bytes and as many of them, with the hashes blanked; and without the date of the answer.

    A picture is what stands in it: drawn with another hash, it has other bytes and another length.
    """
    if drawn := seen(content):
        content = content.partition(b"\n")[0] + drawn
        for digest in hashes:
            content = content.replace(digest, b"#" * len(digest))

    def blanked(found: re.Match[bytes]) -> bytes:
        piece = b" ".join(found[0].replace(b"\xc2\xa0", b" ").split())
        return b"#" * len(found[0]) if any(piece in digest for digest in hashes) else found[0]

    content = HASH.sub(blanked, content)
    return b"\n".join(line for line in content.split(b"\n") if not line.startswith(b"date: "))


def _fine(answer: Answer) -> Answer:
    assert answer.status in (200, 201), answer.content
    return answer
