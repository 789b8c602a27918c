"""A fuzzer: phones, browsers and strangers make any calls in any order, and nothing breaks."""

import time
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from referee.core.options import Data
from referee.games import GAMES
from tests.support.fixtures import Start
from tests.support.soak import MINUTES, SOAK
from tests.support.web.checked_tables import CheckedTables, as_form, sound
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.random_player import picked
from tests.support.web.server_process import Running, free_port

EVENINGS = 30 if SOAK else 6  # and as many again while there is time
STEPS = 60

DICE = st.integers(0, 2**32).map(Random)
SCALAR = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=30)
)
ANYTHING = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    (
        "version",
        "type",
        "kind",
        "seat",
        "n",
        "fields",
        "accept",
        "show",
        "key",
        "name",
        "game",
        "what",
        "state",
    )
)
BODY = st.dictionaries(FIELDS | st.text(max_size=8), ANYTHING, max_size=5) | ANYTHING
INPUTS = (
    *(
        "type",
        "version",
        "check",
        "ask",
        "again",
        "of",
        "accept",
        "show",
        "nonce",
        "name",
        "key",
        "what",
        "seat",
    ),
    *("field.a", "field.a.1", "field.a.2", "field.", "field..", "field.a.x", "game", "pin", "option.first"),
    *("back", "language"),
)
WORDS = ("yes", "undo", "abandon", "reissue", "join", "sheet", "1", "[", "null")
SENT = st.dictionaries(st.sampled_from(INPUTS), st.text(max_size=20) | st.sampled_from(WORDS), max_size=6)
NAME = st.sampled_from(("Ana", "Bo", "<b>", "=1+1", "\u202eX", "", " ")) | st.text(max_size=40)
VERBS = ("moves", "ask", "answer", "rematch", "print", "seats/x")
PAGES = ("", "/sheet", "/record", "/next", "/host", "/host/AAAAAAAA", "/s/x", "/print", "/again")
SHOWN = (
    "",
    "/me",
    "/record",
    "/sheet.txt",
    "/sheet.html",
    "/sheet.png",
    "/sheet.pdf",
    "/sheet.exe",
    "/events/x",
)


STEP = st.sampled_from(("0", "1", "21", "999", "cards", "effect", "size", "walls", "name", "a", ""))
KIND = st.sampled_from(("", ":text", ":some", ":each", ":all", ":x"))
PIECE = st.sampled_from(("", "1", "[]", "[0,0]", "{}", '"A1:N"', "[[[0]]]", f"[{'0,' * 99}0]", "x"))
DEPTH = st.integers(0, 4) | st.just(300)  # how often the steps are repeated
DRAWN = st.lists(st.tuples(st.lists(STEP, max_size=4), DEPTH, KIND, PIECE), max_size=6)
DATA = [(game.id, option) for game in GAMES.values() for option in game.options if isinstance(option, Data)]


def _bent(whole: Any, piece: Any, dice: Random) -> Any:
    """The same with one thing in it replaced by this piece, anywhere."""
    if dice.random() < 0.2 or not isinstance(whole, dict | list | tuple) or not whole:
        return piece
    if isinstance(whole, dict):
        name = dice.choice(list(whole))
        return {**whole, name: _bent(whole[name], piece, dice)}
    at = dice.randrange(len(whole))
    return [*whole[:at], _bent(whole[at], piece, dice), *whole[at + 1 :]]


class Fuzzer(RuleBasedStateMachine):
    """Whatever may be sent, by whoever may send it. What is drawn never hangs on what the server says."""

    def __init__(self, server: Running) -> None:
        super().__init__()
        self.server = server
        self.checked = CheckedTables()
        self._open(Random(1))
        self.everybody_sits_down(Random(1))

    def _open(self, dice: Random) -> Table:
        game = dice.choice(list(GAMES))
        self.checked.tables.append(self.server.client.open_table(game=game, desk=dice.choice([None, "main"])))
        return self.checked.tables[-1]

    def _table(self, dice: Random) -> Table:
        """Mostly the newest."""
        return dice.choice(self.checked.tables[-3:])

    def _phone(self, dice: Random) -> Phone | None:
        """Mostly one that is at the newest tables."""
        phones = self.checked.at(self._table(dice)) or self.checked.phones
        return dice.choice(phones) if phones else None

    def _anybody(self, dice: Random, table: Table) -> Client:
        """A seat, a seat of another table, a ghost, the host, the desk, a stranger, a browser."""
        others = [*self.checked.phones[-4:], *self.checked.ghosts[-2:]]
        known = [phone.client for phone in (*self.checked.at(table), *others)]
        desk = table.client.bearing(self.server.desk_key())
        stranger, host = table.client.bearing("stranger"), table.client.bearing(table.host)
        return dice.choice([*known, *known, host, desk, stranger, table.client, self.checked.browser(table)])

    # ---- as it should be

    @rule(dice=DICE)
    def somebody_opens_a_table(self, dice: Random) -> None:
        if len(self.checked.tables) < 5:
            self._open(dice)

    @rule(dice=DICE, name=NAME)
    def somebody_sits_down(self, dice: Random, name: str) -> None:
        table = self._table(dice)
        if table.keys:
            self._sits_down(table, dice.choice(list(table.keys)), name)

    @rule(dice=DICE)
    def everybody_sits_down(self, dice: Random) -> None:
        table = self._table(dice)
        held = {phone.seat for phone in self.checked.at(table)}
        for seat in table.keys.keys() - held:
            self._sits_down(table, seat, "Ana")

    def _sits_down(self, table: Table, seat: str, name: str) -> None:
        body = {"key": table.keys[seat], "name": name}
        answer = self.checked.post(table, table.client, f"seats/{seat}", body)
        if answer.status == 200:
            self.checked.phones.append(Phone(table, seat, answer.json["token"]))
            self.checked.agree(table)

    @rule(dice=DICE, moves=st.integers(1, 8))
    def they_play(self, dice: Random, moves: int) -> None:
        table = self._table(dice)
        for _ in range(moves):
            able = [phone for phone in self.checked.at(table) if phone.seat in table.view()["waiting_for"]]
            if able and not table.view()["question"]:
                self._plays(dice.choice(able), dice)

    def _plays(self, phone: Phone, dice: Random) -> None:
        view = phone.view()
        move = {"version": view["version"], **picked(view["me"]["choices"], dice)}
        if dice.random() < 0.5:
            assert self.checked.post(phone.table, phone.client, "moves", move).status == 200
        else:
            path = f"/t/{phone.table.code}/s/{phone.seat}"
            sent = self.checked.submit(
                phone.table, self.checked.browser(phone.table, phone.seat), path, as_form(move)
            )
            assert sent.status == 303, sent.content
        assert phone.table.view()["version"] == view["version"] + 1

    @rule(dice=DICE, kind=st.sampled_from(("undo", "correct", "reissue", "abandon")), lag=st.integers(0, 2))
    def somebody_asks(self, dice: Random, kind: str, lag: int) -> None:
        phone = self._phone(dice)
        if phone is None:
            return
        view = phone.view()
        more: dict[str, Any] = {"abandon": {"show": dice.random() < 0.5}}.get(kind, {})
        if kind == "reissue":
            more = {"seat": dice.choice(list(view["seats"]))}
        if kind == "correct":
            more = self._correction(view, dice)
        if kind == "undo" and dice.random() < 0.5:
            more = {"n": dice.choice([0, *(item["n"] for item in view["news"])])}
        body = {"version": max(0, view["version"] - lag), "kind": kind, **more}
        self.checked.post(phone.table, phone.client, "ask", body)

    def _correction(self, view: dict[str, Any], dice: Random) -> dict[str, Any]:
        """Of one's own secret or of anything, by what could be entered now or by nothing at all."""
        own = [int(n) for n in view["me"]["salts"]]
        n = dice.choice(own) if own and dice.random() < 0.8 else dice.randrange(view["version"] + 2)
        choices = view["me"]["choices"]
        secret = {field["name"] for choice in choices for field in choice["fields"] if field.get("secret")}
        move = picked(choices, dice) if choices else {}
        return {"n": n, "fields": {name: value for name, value in move.items() if name in secret}}

    @rule(dice=DICE, accept=st.booleans(), everybody=st.booleans())
    def they_answer(self, dice: Random, accept: bool, everybody: bool) -> None:
        table = self._table(dice)
        for phone in self.checked.at(table) if everybody else self.checked.at(table)[:1]:
            if phone in self.checked.phones:  # and not given to another meanwhile
                self.checked.post(table, phone.client, "answer", {"accept": accept})

    @rule(dice=DICE)
    def they_stop(self, dice: Random) -> None:
        self.somebody_asks(dice, "abandon", 0)
        self.they_answer(dice, accept=True, everybody=True)

    @rule(dice=DICE)
    def somebody_plays_again(self, dice: Random) -> None:
        if (phone := self._phone(dice)) and len(self.checked.tables) < 8:
            self.checked.post(phone.table, phone.client, "rematch", {})

    @rule(dice=DICE)
    def all_send_at_once(self, dice: Random) -> None:
        self.checked.race(self._table(dice), dice)

    @rule(dice=DICE, public=st.booleans())
    def somebody_watches(self, dice: Random, public: bool) -> None:
        phone = self._phone(dice)
        self.checked.watch(self._table(dice) if public or phone is None else phone)

    @rule(gently=st.booleans(), dice=DICE)
    def the_server_comes_back(self, gently: bool, dice: Random) -> None:
        if dice.random() < 0.2:
            self.checked.hang_up()
            self.server.stop() if gently else self.server.kill()
            self.server.again()
        for table in self.checked.tables[-3:]:
            self.checked.agree(table)

    # ---- as it should not be

    @rule(dice=DICE, verb=st.sampled_from(VERBS), body=BODY)
    def anybody_sends_anything(self, dice: Random, verb: str, body: Any) -> None:
        table = self._table(dice)
        if isinstance(body, dict) and dice.random() < 0.5:
            body = {**body, "version": table.view()["version"]}
        self.checked.post(table, self._anybody(dice, table), verb, body)

    @rule(dice=DICE)
    def anybody_sends_what_others_may(self, dice: Random) -> None:
        table, phone = self._table(dice), self._phone(dice)
        if phone and (choices := phone.view()["me"]["choices"]):
            move = {"version": table.view()["version"], **picked(choices, dice)}
            self.checked.post(table, self._anybody(dice, table), "moves", move)

    @rule(dice=DICE, page=st.sampled_from(PAGES), form=SENT)
    def a_browser_sends_any_form(self, dice: Random, page: str, form: dict[str, str]) -> None:
        table = self._table(dice)
        self.checked.submit(table, self.checked.browser(table), f"/t/{table.code}{page}", form)

    @rule(dice=DICE, form=SENT)
    def a_phone_sends_any_form(self, dice: Random, form: dict[str, str]) -> None:
        if phone := self._phone(dice):
            choices = phone.view()["me"]["choices"]
            more = as_form(
                {"version": phone.view()["version"], **(picked(choices, dice) if choices else {"type": "x"})}
            )
            form = {**more, **form} if dice.random() < 0.7 else form
            path = f"/t/{phone.table.code}/s/{phone.seat}"
            self.checked.submit(phone.table, self.checked.browser(phone.table, phone.seat), path, form)

    @rule(dice=DICE, what=st.sampled_from(("sheet", "join")))
    def somebody_prints(self, dice: Random, what: str) -> None:
        table = self._table(dice)
        self.checked.post(table, self._anybody(dice, table), "print", {"what": what})

    @rule(dice=DICE, form=SENT, path=st.sampled_from(("/open", "/language", "/join", "/", "/desk/main")))
    def a_browser_sends_any_form_of_the_home_page(
        self, dice: Random, form: dict[str, str], path: str
    ) -> None:
        table = self._table(dice)
        self.checked.submit(table, self.checked.browser(table), path, form)

    @rule(
        dice=DICE,
        page=st.sampled_from(PAGES),
        query=st.text(max_size=20) | st.sampled_from(("seen=1", "correct=4", "do=x&check=1")),
    )
    def somebody_looks_at_a_page(self, dice: Random, page: str, query: str) -> None:
        table = self._table(dice)
        seats = [phone.seat for phone in self.checked.at(table)]
        here = page.replace("/x", f"/{dice.choice(seats)}") if seats else page
        client = dice.choice([self.checked.browser(table), table.client])
        for path in (f"/t/{table.code}{here}?{quote(query, safe='=&')}", "/", "/desk/main", "/join?code=x"):
            self.checked.get(client, path)

    @rule(dice=DICE, shown=st.sampled_from(SHOWN))
    def somebody_looks_at_the_table(self, dice: Random, shown: str) -> None:
        table = self._table(dice)
        self.checked.get(self._anybody(dice, table), f"{table.path}{shown}")

    @rule(
        dice=DICE,
        method=st.sampled_from(("GET", "POST", "HEAD", "PUT", "DELETE")),
        path=st.text(max_size=30),
        body=st.binary(max_size=50),
    )
    def a_stranger_tries_an_address(self, dice: Random, method: str, path: str, body: bytes) -> None:
        start = dice.choice(
            ("/", "/api/", "/api/tables/", "/t/", "/j/", "/static/", "/desk/", "/api/desks/main/jobs/")
        )
        address = start + quote(path, safe="/")
        sent = self.server.client.call(method, address, body)
        assert sent.status < 500, (address, sent.content)

    @rule(dice=DICE, name=NAME, value=ANYTHING)
    def somebody_shelves_anything(self, dice: Random, name: str, value: Any) -> None:
        """What owners of a game drew or wrote, bent somewhere; kept, opened with, and taken away again."""
        game, option = dice.choice(DATA)
        bent = _bent(dice.choice([option.default, *option.samples]), value, dice)
        path, anyone = f"/api/shelf/{game}/{option.name}", self.server.client
        sound(anyone.post(path, {"name": name, "value": bent}), path)
        sound(anyone.get(path), path)
        wish = {"game": game, "desk": None, "options": {option.name: bent}}
        sound(anyone.post("/api/tables", wish), "/api/tables")
        sound(anyone.call("DELETE", f"{path}/{quote(name, safe='/')}"), path)

    @rule(dice=DICE, drawn=DRAWN, keep=st.booleans())
    def somebody_draws_anything(
        self, dice: Random, drawn: list[tuple[list[str], int, str, str]], keep: bool
    ) -> None:
        game, option = dice.choice(DATA)
        path, anyone = f"/presets/{game}/{option.name}", self.server.client
        fields = [(".".join(["value", *steps * depth]) + kind, text) for steps, depth, kind, text in drawn]
        if keep:
            form = anyone.with_(Content_Type="application/x-www-form-urlencoded")
            sound(form.call("POST", path, urlencode([("name", "x"), *fields]).encode()), path)
        else:
            sound(anyone.get(f"{path}?{urlencode(fields)}"), path)

    @rule(
        body=BODY, what=st.sampled_from(("health", "jobs/1", "jobs/999999999999999999999")), key=st.booleans()
    )
    def a_desk_says_anything(self, body: Any, what: str, key: bool) -> None:
        desk = self.server.client.bearing(self.server.desk_key() if key else "wrong")
        sound(desk.post(f"/api/desks/main/{what}", body), f"/api/desks/main/{what}")
        sound(desk.post("/api/tables", body), "/api/tables")

    def teardown(self) -> None:
        for table in self.checked.tables[-3:]:
            self.checked.agree(table)
        self.checked.hang_up()


def test_any_calls_in_any_order_cause_no_fault(start: Start) -> None:
    server = start(options=["--host", "127.0.0.1", "--port", str(free_port())], modifications=["nosync"])
    budget = settings(
        max_examples=EVENINGS,
        stateful_step_count=STEPS,
        derandomize=not SOAK,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    ends, is_time = time.monotonic() + 60 * MINUTES, True
    try:
        while is_time:
            run_state_machine_as_test(lambda: Fuzzer(server), settings=budget)  # type: ignore[arg-type]  # it is called like a class
            is_time = time.monotonic() < ends
        assert "Traceback" not in server.said()
    finally:
        server.stop()
