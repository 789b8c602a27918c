"""A table of the canary game at a real server: every feature is used, and every client records."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import accumulate
from pathlib import Path
from typing import Any

from referee.core.entries import Asked, Moved, read
from referee.core.match import Match, reopen_match
from tests.support.secrecy.canary_game import CANARY, SEATS
from tests.support.secrecy.desk_process import DeskProcess
from tests.support.secrecy.recording_client import RecordingClient
from tests.support.secrecy.secret_search import Secret
from tests.support.waiting import eventually
from tests.support.web.http_client import Answer
from tests.support.web.journal import rows
from tests.support.web.server_process import Running, free_port
from web.output.qr import svg
from web.security.tokens import hashed

PIN = "pin-kq7wz3mhx5vbn2tr"
RETRY = "retry-h4nd9xw2qs8vk6bj"
CORE = re.compile(r"[a-z2-9]{20}")
SHEETS = ("sheet.txt", "sheet.html", "sheet.png", "sheet.pdf", "record")
ECHO = "?do=exchange&case=0&check=1"  # where a draft is read once more
PLAIN = ("/healthz", "/api/games", "/api/openapi.json")
WRONG_KEY = "ABCDEFGHJKMN"


class CanaryTable:
    """One table, its people, and those who only listen: a stranger, somebody at another table, the desk."""

    def __init__(self, server: Running, beside: DeskProcess) -> None:
        self.server, self.beside = server, beside
        self.north, self.south, self.host = self.tap("north"), self.tap("south"), self.tap("host")
        self.late, self.stranger, self.guest = self.tap("late"), self.tap("stranger"), self.tap("guest")
        self.desk = self.tap("desk", server.desk_key())
        self.machine = self.tap("machine")  # logs, processes, file names
        self.code, self.first, self.keys = "", "", dict[str, str]()
        self.secrets: set[Secret] = {
            Secret("the desk's key", server.desk_key(), frozenset({"desk"})),
            Secret("the host's pin", PIN, frozenset({"host"})),
            Secret("an Idempotency-Key", RETRY),
        }

    def tap(self, name: str, token: str | None = None) -> RecordingClient:
        return RecordingClient(name, self.server.url, token)

    @property
    def taps(self) -> list[RecordingClient]:
        people = [self.north, self.south, self.host, self.late, self.stranger, self.guest]
        return [*people, self.desk, self.machine]

    @property
    def path(self) -> str:
        return f"/api/tables/{self.code}"

    def move_to(self, server: Running) -> None:
        """Everybody finds the server again at its new port."""
        self.server = server
        for tap in self.taps:
            tap.url = server.url

    # ---- what happens

    def open(self) -> None:
        wish = {"game": CANARY.id, "option.language": '"en"', "pin": PIN}
        opened = self.host.post_form("/open", **wish)
        assert opened.status == 303, opened.content
        self.code = opened.headers["Location"].rpartition("/")[2]
        self.first = self.code
        self.keys = dict(self.rows("SELECT seat, key FROM seats WHERE code = ?"))
        self.guest.headers["X-Host-Pin"] = PIN
        other = self.guest.post("/api/tables", {"game": CANARY.id, "desk": None}).json
        del self.guest.headers["X-Host-Pin"]
        self.guest.get(other["seats"][0]["join_url"].removeprefix(self.server.url))
        self.guest.post_form(f"/j/{other['table']}/north/{other['seats'][0]['key']}", name="Guest")
        screen = self.host.get(f"/t/{self.code}").content.decode()
        key = re.findall(r'<b class="key">(\w+)</b>', screen)[0]
        self.secrets.add(Secret("the key to a second host screen", key, frozenset({"host"})))

    def join(self) -> None:
        for tap, seat, name in ((self.north, "north", "Ana"), (self.south, "south", "Bo")):
            self.sit(tap, seat, self.keys[seat], name)

    def sit(self, tap: RecordingClient, seat: str, key: str, name: str) -> None:
        tap.get(f"/j/{self.code}/{seat}/{key}")
        assert tap.post_form(f"/j/{self.code}/{seat}/{key}", name=name).status == 303

    def me(self, tap: RecordingClient) -> dict[str, Any]:
        return dict(tap.get(f"{self.path}/me").json)

    def draft(self, tap: RecordingClient, seat: str, kind: str, n: int = 0) -> str:
        """Fill in a secret on the page and look at its echo; the address of that page."""
        word, page = self.me(tap)["me"]["hand"]["words"][n], f"/t/{self.code}/s/{seat}?do={kind}&case=0"
        picked = {"field.word": json.dumps(word, ensure_ascii=False), "check": "1"}
        checked = tap.fill(page, **picked)
        assert checked.status == 303, checked.content
        echo = str(checked.headers["Location"])
        assert word[3:-2].encode() in tap.get(echo).content
        return echo

    def seal(self, tap: RecordingClient, echo: str) -> None:
        assert tap.fill(echo).status == 303

    def plays(self, tap: RecordingClient, kind: str, **fields: Any) -> Answer:
        body = {"version": self.me(tap)["version"], "type": kind, **fields}
        return tap.retrying(f"{RETRY}{body['version']}", f"{self.path}/moves", body)

    def exchanges(self, tap: RecordingClient) -> None:
        """Exchange what is buried for the first word in hand; the other seat tries to repeat it."""
        before, word = self.me(tap), self.me(tap)["me"]["hand"]["words"][0]
        assert self.plays(tap, "exchange", word=word).status == 200
        other = self.south if tap is not self.south else self.north
        body = {"version": before["version"], "type": "exchange", "word": "guess"}
        refused = other.retrying(f"{RETRY}{before['version']}", f"{self.path}/moves", body)
        assert refused.status >= 400

    def asks(self, tap: RecordingClient, kind: str, **fields: Any) -> None:
        version = tap.get(self.path).json["version"]
        asked = tap.post(f"{self.path}/ask", {"version": version, "kind": kind, **fields})
        assert asked.status == 200, asked.content

    def agrees(self, tap: RecordingClient) -> None:
        answered = tap.post(f"{self.path}/answer", {"accept": True})
        assert answered.status == 200, answered.content

    # ---- what everyone tries

    def everyone_looks(self, everywhere: bool = False) -> None:
        late = [self.late] if self.late.cookies else []
        for tap in (self.north, self.south, self.host, self.stranger, self.guest, self.desk, *late):
            glance(tap, self.code)
            if everywhere:
                look(tap, self.code)
        self.note()

    def note(self) -> None:
        """Take down all that is secret by now, as only the referee knows it."""
        for name, cookie in ((t.name, c) for t in self.taps for c in t.cookies.items()):
            if cookie[0].startswith(("seat_", "host_")) and cookie[1]:
                self.secrets.add(Secret(f"the token of {name}", cookie[1], frozenset({name})))
                self.secrets.add(Secret(f"the hash of the token of {name}", hashed(cookie[1])))
        for seat, key, salt in self.rows("SELECT seat, key, salt FROM seats WHERE code = ?"):
            self.secrets.add(Secret(f"the salt of {seat}'s seat", salt))
            if key:
                known = frozenset({"host", "desk", seat, "late"} - ({"late"} if seat == "south" else set()))
                link = f"{self.server.url}/j/{self.code}/{seat}/{key}"
                self.secrets.add(Secret(f"the key of {seat}", key, known))
                self.secrets.add(Secret(f"the QR code of {seat}", qr_path(link), known))
        self.secrets |= set(self.hidden())

    def hidden(self) -> Iterator[Secret]:
        """What is hidden in the game: all hands and the chest at any time, the salts, the seed."""
        ((rules, options, seed),) = self.rows("SELECT rules, options, seed FROM tables WHERE code = ?")
        entries = [read(line) for (line,) in self.rows("SELECT line FROM journal WHERE code = ? ORDER BY n")]
        opened = reopen_match(self.code, CANARY, rules, json.loads(options), seed)
        yield Secret("the seed", seed)
        for match in accumulate(entries, Match.after, initial=opened):
            yield from _held(match)
        for entry in entries:
            if isinstance(entry, Moved | Asked) and entry.salt:
                seat = entry.seat if isinstance(entry, Moved) else entry.by
                yield Secret(f"a salt of {seat}", entry.salt, _people(seat))

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return rows(self.server, sql, self.code)

    def hear_machine(self) -> None:
        """What another user of this machine may come across: logs, command lines, files that lie about."""
        for process in (self.server.process.pid, self.beside.process.pid):
            for kind in ("cmdline", "environ"):
                self.machine.keep(f"{kind} of {process}", Path(f"/proc/{process}/{kind}").read_bytes())
        names = "\n".join(str(file) for file in self.server.data.rglob("*"))
        self.machine.keep("names of files", names.encode())
        self.hear_desk()

    def hear_desk(self) -> None:
        """What came to the desk itself, and what it leaves lying about, which is for nobody."""
        self.desk.keep("traffic", self.beside.traffic())
        self.machine.heard.extend(self.beside.left())

    def hear_last_words(self, server: Running) -> None:
        """All that a server said from its first line to its last, and what it left in its scratch folder."""
        assert server.process.returncode is not None
        self.machine.keep("standard output", server.told.encode())
        self.machine.keep("log", server.said().encode())
        for file in scratch(server).rglob("*"):
            self.machine.keep("scratch", str(file).encode() + (file.read_bytes() if file.is_file() else b""))


def scratch(server: Running) -> Path:
    return server.data.with_name("scratch")


def settings(port: int) -> str:
    """With a pin, and a printer at this port."""
    printer = f'connection = "network"\nhost = "127.0.0.1"\nport = {port}'
    return f'server.host_pin = "{PIN}"\n[printer]\n{printer}\n'


def running(folder: Path, port: int, modifications: Sequence[str]) -> Running:
    """A server with a scratch folder of its own, always at the same port, and a printer at this one."""
    data = folder / "data"
    data.with_name("scratch").mkdir()
    own = ("env", f"TMPDIR={data.with_name('scratch')}", f"HOME={data.with_name('scratch')}")
    where = ("--host", "127.0.0.1", "--port", str(free_port()))
    return Running(data, settings(port), modifications, own, where)


def qr_path(link: str) -> str:
    """What a page draws for the QR code of a link."""
    return str(re.findall(r'fill="#000" d="([^"]+)"', svg(link, ""))[0])


def _people(seat: str) -> frozenset[str]:
    return frozenset({"north", "late"} if seat == "north" else {seat})


def _held(match: Match) -> Iterator[Secret]:
    if match.state is None:
        return
    words = {seat: json.dumps(CANARY.hand(match.state.hands[seat])) for seat in SEATS}
    for seat, held in words.items():
        yield from (Secret(f"a word of {seat}", core, _people(seat)) for core in CORE.findall(held))
    core = CORE.findall(match.state.box)[0]
    yield Secret("the chest", core, frozenset({"north", "late"}))  # only north ever digs


def glance(tap: RecordingClient, code: str) -> None:
    """Look at the table, at one's own view and at the pages of both seats, by right or not."""
    for path in ("", "/me"):
        tap.get(f"/api/tables/{code}{path}")
    for path in ("", "/s/north", f"/s/north{ECHO}", "/s/south"):
        tap.get(f"/t/{code}{path}")


def look(tap: RecordingClient, code: str) -> None:
    """Ask for everything else there is."""
    for sheet in SHEETS:
        tap.get(f"/api/tables/{code}/{sheet}")
    for path in ("/sheet", "/next", "/host/ABCDEFGH"):
        tap.get(f"/t/{code}{path}")
    for path in ("/", f"/join?code={code}", "/desk/main", "/desk/main/paper/1.png", *PLAIN):
        tap.get(path)
    tap.get(f"/j/{code}/north/{WRONG_KEY}")
    tries(tap, code)


def tries(tap: RecordingClient, code: str) -> None:
    """Do what is refused, in every way that there are words for."""
    api, page = f"/api/tables/{code}", f"/t/{code}"
    for wrong in (
        "{}",
        '{"version": 0, "type": "bury", "word": "x"}',
        '{"version": 99, "type": "dig"}',
        "[]",
    ):
        tap.call("POST", f"{api}/moves", wrong.encode())
    version = tap.get(api).json["version"]
    tap.post(f"{api}/moves", {"version": version, "type": "exchange", "word": "guess"})
    tap.retrying(f"of-{tap.name}", f"{api}/moves", {"version": version, "type": "fly"})
    correction = {"kind": "correct", "version": version, "n": 4, "fields": {"word": "guess"}}
    for path, body in (("ask", correction), ("print", {"what": "sheet"}), ("rematch", {})):
        tap.post(f"{api}/{path}", body)
    tap.post(f"{api}/seats/north", {"key": WRONG_KEY, "name": "Eve"})
    tap.post_form(f"{page}/s/north", type="exchange", version="1", check="1")
    if tap.name in ("stranger", "guest"):
        tap.get(f"{api}/me/events")
        tap.get("/api/desks/main/events")


def play(server: Running, beside: DeskProcess, listening: ExitStack) -> CanaryTable:
    """The first hour: people sit down, bury, exchange, dig; half-filled forms lie about."""
    table = CanaryTable(server, beside)
    table.open()
    follow(table, listening)
    table.everyone_looks(everywhere=True)
    eventually(lambda: b"event: view" in beside.traffic())
    job = table.desk.post(f"{table.path}/print", {"what": "join"}).json["job"]
    for tap in (table.stranger, table.guest, table.host):
        assert (tap.get(f"/desk/main/paper/{job}.png").status == 200) is (tap is table.host)
    table.join()
    follow_seats(table, listening)
    for tap, seat in ((table.north, "north"), (table.south, "south")):
        echo = table.draft(tap, seat, "bury")
        table.everyone_looks()
        table.seal(tap, echo)
    table.seal(table.north, table.draft(table.north, "north", "exchange", 1))
    table.everyone_looks(everywhere=True)
    return table


def follow(table: CanaryTable, listening: ExitStack) -> None:
    """Everyone who needs no seat follows what there is to follow."""
    public = f"{table.path}/events?seats=1"
    for tap in (table.stranger, table.guest, table.host):
        listening.enter_context(tap.follow(public))
        listening.enter_context(tap.follow(f"/t/{table.path.rpartition('/')[2]}/live"))
        listening.enter_context(tap.follow("/desk/main/events"))
    listening.enter_context(table.desk.follow("/api/desks/main/events"))


def follow_seats(table: CanaryTable, listening: ExitStack) -> None:
    for tap, seat in ((table.north, "north"), (table.south, "south")):
        listening.enter_context(tap.follow(f"{table.path}/me/events?seats=1"))
        listening.enter_context(tap.follow(f"/t/{table.path.rpartition('/')[2]}/s/{seat}/live"))
