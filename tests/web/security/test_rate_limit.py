"""Rate limits: wrong guesses and new tables are limited; holders of a token are not."""

import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from referee.program.settings import Limits, settings_from
from tests.support.fixtures import Start
from tests.support.web.http_client import Answer, Client, Phone, Table
from tests.support.web.random_player import hide
from tests.support.web.server_process import Running
from web.security.caller import Caller
from web.security.rate_limit import HOUR, MINUTE, MOMENT, RateLimiter, RateLimits
from web.service.tables import TableService
from web.store import Store
from web.wire.errors import ApiError

STRICT = "[limits]\nexempt = []\nfailures = 4\ntables = 6\n"


@pytest.fixture
def strict(start: Start) -> Running:
    return start(STRICT)


@pytest.fixture
def client(strict: Running) -> Client:
    return strict.client


@pytest.fixture
def table(client: Client) -> Table:
    return client.open_table(options={"first": "target"})


@pytest.fixture
def playing(table: Table) -> dict[str, Phone]:
    phones = table.everybody()
    hide(phones)
    return phones


def is_told_to_wait(answer: Answer) -> None:
    assert (answer.status, answer.code) == (429, "slow-down")
    assert answer.json.keys() == {"code", "title", "detail"}
    wait = int(answer.headers["Retry-After"])
    assert 0 < wait <= HOUR
    assert str(wait) in answer.json["detail"]


Wrong = Callable[[Client, Table], Answer]

WRONG: dict[str, tuple[str, Wrong]] = {
    "codes": ("unknown-table", lambda client, _: client.get("/api/tables/ZZZZZ")),
    "codes of streams": ("unknown-table", lambda client, _: client.get("/api/tables/ZZZZZ/events")),
    "codes to move at": ("unknown-table", lambda client, _: client.post("/api/tables/ZZZZZ/moves", {})),
    "keys": (
        "bad-key",
        lambda client, table: client.post(f"{table.path}/seats/mask", {"key": "A", "name": "B"}),
    ),
    "tokens": ("bad-token", lambda client, table: client.bearing("A").get(f"{table.path}/me")),
    "tokens of streams": (
        "bad-token",
        lambda client, table: client.bearing("A").get(f"{table.path}/me/events"),
    ),
    "tokens to move with": (
        "bad-token",
        lambda client, table: client.bearing("A").post(f"{table.path}/moves", {}),
    ),
    "tokens to print with": (
        "bad-token",
        lambda client, table: client.bearing("A").post(f"{table.path}/print"),
    ),
    "desk keys": ("bad-token", lambda client, _: client.bearing("A").post("/api/desks/main/health", {})),
    "desk keys of streams": (
        "bad-token",
        lambda client, _: client.bearing("A").get("/api/desks/main/events"),
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_too_many_wrong_guesses_are_told_to_wait(client: Client, table: Table, what: str) -> None:
    code, guess = WRONG[what]
    assert [guess(client, table).code for _ in range(4)] == [code] * 4
    for _ in range(3):
        is_told_to_wait(guess(client, table))


def test_different_wrong_guesses_count_together(client: Client, table: Table) -> None:
    guesses = [guess for _, guess in WRONG.values()]
    for guess in guesses[2:6]:
        assert guess(client, table).status < 429
    for guess in guesses:
        is_told_to_wait(guess(client, table))


def test_pins_are_guesses_too(start: Start) -> None:
    server = start(f'server.host_pin = "2468"\n{STRICT}')
    wish = {"game": "agent_hunter"}
    assert [server.client.post("/api/tables", wish).code for _ in range(4)] == ["bad-pin"] * 4
    is_told_to_wait(server.client.with_(X_Host_Pin="2468").post("/api/tables", wish))
    with_key = server.client.bearing(server.desk_key())
    assert with_key.post("/api/tables", wish).status == 201


def test_who_holds_a_token_is_never_told_to_wait(
    strict: Running, client: Client, table: Table, playing: dict[str, Phone]
) -> None:
    for _ in range(5):
        client.get("/api/tables/ZZZZZ")
    is_told_to_wait(client.get(table.path))
    phone = playing["target"]
    assert phone.client.get(f"{table.path}/me").status == 200
    assert phone.client.get(table.path).status == 200
    assert phone.tries("attack_from_hand", version=4, card=0, house=1).status == 200
    assert phone.tries("attack_from_hand", version=4, card=0, house=1).code == "stale"
    with phone.events() as stream, client.bearing(table.host).follow(f"{table.path}/events") as screen:
        assert stream.view(5)
        assert screen.view(5)
    cookie = client.with_(Cookie=f"seat_{table.code}_mask={playing['mask'].token}")
    assert cookie.get(f"{table.path}/me").status == 200
    other = f"{table.path}/print"
    assert client.bearing(table.host).post(other, {"what": "join"}).code == "seat-taken"
    assert (
        client.with_(Cookie=f"host_{table.code}={table.host}").post(other, {"what": "join"}).code
        == "seat-taken"
    )
    desk = client.bearing(strict.desk_key())
    assert desk.post(other, {"what": "join"}).code == "seat-taken"
    assert desk.post("/api/desks/main/health", {}).status == 200
    with desk.follow("/api/desks/main/events") as stream:
        assert stream.first("view")


def test_right_calls_are_not_counted(client: Client, table: Table, playing: dict[str, Phone]) -> None:
    for _ in range(10):
        assert playing["mask"].client.get(f"{table.path}/me").status == 200
        assert playing["mask"].tries("attack_from_hand", version=4, card=0, house=1).code == "illegal-move"
        assert client.get(table.path).status == 200
        assert client.get(f"{table.path}/me").code == "no-token"


def test_too_many_tables_are_told_to_wait(strict: Running, client: Client) -> None:
    wish = {"game": "agent_hunter"}
    refused = [client.post("/api/tables", {**wish, "options": {"wager": 1}}).code for _ in range(8)]
    assert set(refused) == {"bad-options"}
    assert [client.post("/api/tables", wish).status for _ in range(6)] == [201] * 6
    is_told_to_wait(client.post("/api/tables", wish))
    assert client.bearing(strict.desk_key()).post("/api/tables", wish).status == 201


def test_this_machine_is_not_slowed_down_unless_settled(start: Start) -> None:
    relaxed = start("[limits]\nfailures = 1\ntables = 1\n")
    for _ in range(4):
        assert relaxed.client.get("/api/tables/ZZZZZ").code == "unknown-table"
        assert relaxed.client.post("/api/tables", {"game": "agent_hunter"}).status == 201


# ---- what people do with good tokens


@pytest.fixture
def patient(start: Start) -> Client:
    return start("[limits]\nexempt = []\nquestions = 3\n").client.with_(Accept_Language="en")


def asks(table: Table, who: Client) -> Answer:
    return who.post(f"{table.path}/ask", {"version": table.view()["version"], "kind": "abandon"})


def withdraws(table: Table, who: Client) -> None:
    assert who.post(f"{table.path}/answer", {"accept": False}).status == 200


def test_nobody_holds_up_a_game_with_questions(patient: Client) -> None:
    table = patient.open_table()
    ana, bo = (phone.client for phone in table.everybody().values())
    for _ in range(3):
        assert asks(table, ana).status == 200
        assert asks(table, ana).code == "question-open"  # which counts for nothing
        withdraws(table, ana)
    before = table.view()["version"]
    refused = asks(table, ana)
    is_told_to_wait(refused)
    assert "questions" in refused.json["detail"]
    assert table.view()["version"] == before
    for another in (bo, patient.bearing(table.host)):
        assert asks(table, another).status == 200
        withdraws(table, another)
    elsewhere = patient.open_table()
    assert asks(elsewhere, elsewhere.join("mask").client).status == 200


def test_a_question_that_would_be_refused_again_is_not_taken_back_first(patient: Client) -> None:
    table = patient.open_table()
    phones = table.everybody()
    ana = phones["target"]
    for n in range(3):
        phones["mask"].view()  # it is there, so it is asked too
        body = {"version": table.view()["version"], "kind": "reissue", "seat": "mask"}
        assert ana.client.post(f"{table.path}/ask", body).status == 200
        if n < 2:
            withdraws(table, ana.client)
    browser = patient.with_(
        Cookie=f"seat_{table.code}_target={ana.token}", Content_Type="application/x-www-form-urlencoded"
    )
    form = f"again=1&of=mask&version={table.view()['version']}".encode()
    assert browser.call("POST", f"/t/{table.code}/s/target", form).status == 429
    assert table.view()["question"]["about"] == {"seat": "mask"}


def test_a_table_is_not_followed_by_hundreds(patient: Client) -> None:
    table = patient.open_table(desk=None)
    ana = table.join("target")
    path = table.path
    for _ in range(3):
        assert ana.client.post(f"{path}/ask", {"version": 1, "kind": "abandon"}).status == 200
        answer = ana.client.post(f"{path}/rematch", {})
        assert ana.client.post(f"{path}/rematch", {}).json == answer.json  # the same one, however often
        path = f"/api/tables/{answer.json['table']}"
    assert ana.client.post(f"{path}/ask", {"version": 1, "kind": "abandon"}).status == 200
    is_told_to_wait(ana.client.post(f"{path}/rematch", {}))
    is_told_to_wait(patient.bearing(table.host).post(f"{path}/rematch", {}))
    assert patient.get(path).json["next"] is None


# ---- the count itself


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def refused(throttle: RateLimiter, address: str) -> int | None:
    """How long this address is told to wait."""
    try:
        throttle.check(address)
    except ApiError as refusal:
        return int(refusal.extra["retry_after"])
    return None


def test_a_limit_recovers_with_time() -> None:
    clock = Clock()
    failures = RateLimits(Limits(failures=2, exempt=()), clock).failures
    failures.count("a")
    clock.now += 20
    failures.count("a")
    assert refused(failures, "a") == 41
    assert refused(failures, "b") is None
    clock.now += 39.5
    assert refused(failures, "a") == 1
    clock.now += 0.5
    assert refused(failures, "a") is None
    failures.count("a")
    assert refused(failures, "a") == 20 + 1


def test_many_addresses_together_wear_it_out_too() -> None:
    clock = Clock()
    failures = RateLimits(Limits(failures=5, failures_total=10, exempt=("host",)), clock).failures
    for n in range(10):
        failures.count(f"10.0.0.{n}")
    assert refused(failures, "somebody else") == MINUTE + 1
    assert refused(failures, "host") is None


def guessing(pin: str, address: str, service: TableService) -> str:
    """What somebody at this address is told who says this pin."""
    try:
        service.guesses.check_pin(Caller(address), pin)
    except ApiError as refusal:
        return refusal.code
    return "welcome"


def test_whoever_knows_the_pin_is_not_locked_out_by_the_guesses_of_others(tmp_path: Path) -> None:
    settings = settings_from(
        {"server": {"host_pin": "2468"}, "limits": {"failures": 2, "failures_total": 4, "exempt": []}}
    )
    with closing(Store(tmp_path / "referee.db")) as store:
        service = TableService(store, settings)
        for n in range(4):
            assert guessing("1", f"10.0.0.{n}", service) == "bad-pin"
        assert guessing("2468", "10.0.0.9", service) == "welcome"
        assert [guessing(pin, "10.0.0.8", service) for pin in "123"] == ["slow-down"] * 3
        assert guessing("2468", "10.0.0.8", service) == "slow-down"  # two guesses were all it had


def test_what_is_forgotten_takes_no_room() -> None:
    clock = Clock()
    throttle = RateLimiter(60, 5, 10**9, (), clock)
    for n in range(1000):
        throttle.count(f"address {n}")
    assert len(throttle) == 1000
    clock.now += 61
    assert refused(throttle, "the last") is None
    assert len(throttle) == 0


def test_one_more_count_costs_the_same_however_many_there_are() -> None:
    """The clock is looked at once for each, whoever else is counted: nothing is walked through."""
    clock, times = Clock(), dict[int, float]()
    for many in (100, 10_000):
        throttle = RateLimiter(60, 5, 10**9, (), clock)
        for n in range(many):
            throttle.count(f"address {n}")
        steps = 0

        def step(*_: Any) -> None:
            nonlocal steps
            steps += 1

        sys.setprofile(step)
        throttle.check_and_count("somebody", "else")
        sys.setprofile(None)
        times[many] = steps
    assert times[100] == times[10_000]


# ---- moves


def test_moves_are_limited_per_seat_far_above_human_pace(start: Start) -> None:
    client = start("[limits]\nexempt = []\nmoves = 5\n").client.with_(Accept_Language="en")
    table = client.open_table(options={"first": "target"})
    phones = table.everybody()
    hide(phones)
    before = table.view()["version"]
    for _ in range(4):
        assert phones["target"].tries("attack_from_hand", card=9, house=7).code == "illegal-move"
    told = phones["target"].tries("attack_from_hand", card=9, house=1)
    is_told_to_wait(told)
    assert int(told.headers["Retry-After"]) <= MOMENT + 1
    assert "moves" in told.json["detail"]
    assert table.view()["version"] == before
    form = client.with_(
        Cookie=f"seat_{table.code}_target={phones['target'].token}",
        Content_Type="application/x-www-form-urlencoded",
    )
    body = f"type=attack_from_hand&field.card=9&field.house=1&version={before}".encode()
    assert form.call("POST", f"/t/{table.code}/s/target", body).status == 429, "the page takes the same way"
    assert phones["mask"].tries("attack_from_hand", card=9, house=1).code == "illegal-move", "the other seat"


def test_moves_from_this_machine_are_not_limited(start: Start) -> None:
    table = start("[limits]\nmoves = 1\n").client.open_table(options={"first": "target"})
    phones = table.everybody()
    hide(phones)
    for _ in range(5):
        assert phones["target"].tries("attack_from_hand", card=9, house=7).code == "illegal-move"


def test_a_seat_may_move_again_after_a_moment() -> None:
    clock = Clock()
    moves = RateLimits(Limits(exempt=()), clock).moves
    for _ in range(200):
        clock.now += 0.01
        moves.check_and_count("10.0.0.1", "KX7QF mask")
    with pytest.raises(ApiError) as refusal:
        moves.check_and_count("10.0.0.2", "KX7QF mask")
    assert refusal.value.extra["retry_after"] == MOMENT - 1
    moves.check_and_count("10.0.0.2", "KX7QF target")
    clock.now += MOMENT - 1.9
    moves.check_and_count("10.0.0.2", "KX7QF mask")


def test_the_hosts_screen_is_never_slowed_down(client: Client, table: Table) -> None:
    for _ in range(6):
        client.get("/api/tables/AAAAA")
    is_told_to_wait(client.get(table.path))
    screen = client.with_(Cookie=f"host_{table.code}={table.host}")
    assert screen.get(table.path).status == 200
    with screen.follow(f"{table.path}/events") as stream:
        assert stream.view(0)["table"] == table.code


def test_whoever_is_told_to_wait_is_not_told_which_tables_there_are(client: Client, table: Table) -> None:
    for _ in range(6):
        client.get("/api/tables/AAAAA")
    real, guessed = client.get(f"/t/{table.code}"), client.get("/t/AAAAA")
    assert (real.status, guessed.status) == (429, 429)
    assert real.content.replace(table.code.encode(), b"AAAAA") == guessed.content
