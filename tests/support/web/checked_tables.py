"""Tables for a fuzzer: phones, browsers and streams, with checks after every call."""

import json
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any
from urllib.parse import urlencode

from tests.support.web.http_client import Answer, Client, Phone, Table, without_presence
from tests.support.web.random_player import picked
from tests.support.web.sse_reader import Stream
from web.wire.errors import STATUS

FORM = "application/x-www-form-urlencoded"


def sound(answer: Answer, path: str) -> Answer:
    """Every answer is sound: no fault of ours, the door's headers, a refusal of the contract."""
    assert answer.status < 500, (path, answer.status, answer.content)
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"], path
    assert b"Traceback" not in answer.content, path
    if answer.status >= 400 and path.startswith("/api/") and not path.partition("?")[0].endswith(".html"):
        assert STATUS[answer.code] == answer.status, (path, answer.content)
    return answer


class CheckedTables:
    """All that was opened, and who holds what."""

    def __init__(self) -> None:
        self.tables: list[Table] = []
        self.phones: list[Phone] = []
        self.ghosts: list[Phone] = []  # phones whose seat was given to another
        self.streams: list[tuple[Stream, Phone | Table]] = []

    # ---- calling

    def get(self, client: Client, path: str) -> Answer:
        return sound(client.get(path), path)

    def post(self, table: Table, client: Client, verb: str, body: Any) -> Answer:
        """A call to a table. Refused, it changes nothing; taken, it is what everyone sees."""
        before = without_presence(table.view())
        path = f"{table.path}/{verb}"
        answer = sound(client.post(path, body), path)
        if answer.status >= 400:
            assert without_presence(table.view()) == before, (path, body, answer.content)
        for handed in answer.json.get("seats", []) if answer.status == 200 else []:
            table.keys[handed["seat"]] = handed["key"]
        self.agree(table)
        return answer

    def submit(self, table: Table, client: Client, path: str, form: dict[str, str]) -> Answer:
        """A form of a page, sent as a browser does."""
        before = without_presence(table.view())
        sent = client.with_(Content_Type=FORM).call("POST", path, urlencode(form, errors="replace").encode())
        if sound(sent, path).status >= 400:
            assert without_presence(table.view()) == before, (path, form)
        self.agree(table)
        return sent

    # ---- who is who

    def at(self, table: Table) -> list[Phone]:
        return [phone for phone in self.phones if phone.table is table]

    def browser(self, table: Table, opened: str = "") -> Client:
        """A browser that holds every seat of a table, and the table; its curtain is open for one of them."""
        held = [f"seat_{table.code}_{phone.seat}={phone.token}" for phone in self.at(table)]
        curtain = f"curtain_{table.code}={table.view()['version']}.{opened}"
        return table.client.with_(Cookie="; ".join([*held, f"host_{table.code}={table.host}", curtain]))

    def with_defaults(self, table: Table) -> None:
        """A seat may have been given to another phone, or the next table opened: the table says so."""
        view = table.view()
        given = {news["seat"] for news in view["news"] if news["kind"] == "reissued"}
        for phone in self.at(table):
            mine = self.get(phone.client, f"{table.path}/me")
            if mine.status == 200:
                table.keys.update(mine.json["me"]["keys"])
                continue
            assert mine.code == "bad-token"
            assert phone.seat in given, "a token died for no reason"
            self.phones.remove(phone)
            self.ghosts.append(phone)
        if view["next"]:
            self.follow_on(table, view["next"])

    def follow_on(self, table: Table, code: str) -> None:
        """The next table, where the same tokens hold the same seats."""
        if code in {known.code for known in self.tables}:
            return
        later = Table(table.client, {"table": code, "host": table.host, "seats": []})
        self.tables.append(later)
        self.phones += [Phone(later, phone.seat, phone.token) for phone in self.at(table)]
        self.agree(later)

    # ---- what must hold

    def agree(self, table: Table) -> None:
        """Everybody sees the same table, each with their own hand; ghosts see nothing."""
        self.with_defaults(table)
        public = without_presence(table.view())
        for phone in self.at(table):
            mine = without_presence(phone.view())
            assert mine["me"]["seat"] == phone.seat
            assert bool(mine["me"]["choices"]) == (phone.seat in public["waiting_for"])
            for name in (
                "version",
                "status",
                "waiting_for",
                "public",
                "seats",
                "question",
                "outcome",
                "next",
            ):
                assert mine[name] == public[name], name
        for ghost in self.ghosts[-2:]:
            assert self.get(ghost.client, f"{ghost.table.path}/me").status == 401
        for stream, of in self.streams:
            if (of.table if isinstance(of, Phone) else of) is table:
                self._caught_up(stream, of)

    def _caught_up(self, stream: Stream, of: Phone | Table) -> None:
        """A stream that goes on shows what a look shows."""
        now = without_presence(of.view()) if of not in self.ghosts else None
        if now:
            stream.wait(
                lambda _: (
                    stream.ended
                    or [without_presence(event.json) for event in stream.all("view")[-1:]] == [now]
                )
            )

    # ---- at once

    def race(self, table: Table, dice: Random) -> None:
        """Every phone of a table sends at once, twice; what was accepted is what happened."""
        calls = []
        for phone in self.at(table) * 2:
            view = phone.view()
            choices = view["me"]["choices"]
            body = {"version": view["version"], **(picked(choices, dice) if choices else {"type": "none"})}
            calls.append((phone, body))
        before = table.view()["version"]
        with ThreadPoolExecutor(8) as pool:
            path = f"{table.path}/moves"
            answers = list(pool.map(lambda call: sound(call[0].client.post(path, call[1]), path), calls))
        taken = [answer.json["version"] for answer in answers if answer.status == 200]
        assert sorted(taken) == list(range(before + 1, before + 1 + len(taken)))
        assert table.view()["version"] == before + len(taken)
        self.agree(table)

    def watch(self, of: Phone | Table) -> None:
        if len(self.streams) >= 5:
            self.streams.pop(0)[0].close()
        self.streams.append((of.events(), of))

    def hang_up(self) -> None:
        while self.streams:
            self.streams.pop()[0].close()


def _last_view(stream: Stream) -> dict[str, Any] | None:
    views = stream.all("view")
    return without_presence(views[-1].json) if views else None


def as_form(move: dict[str, Any]) -> dict[str, str]:
    """A move as a page's form sends it."""
    form = {"type": str(move["type"]), "version": str(move["version"])}
    for name, value in move.items():
        if isinstance(value, list):
            form |= {f"field.{name}.{n}": json.dumps(item) for n, item in enumerate(value, 1)}
        elif name not in form:
            form[f"field.{name}"] = json.dumps(value)
    return form
