"""Telling callers apart: IPv6 networks, proxies, and right credentials that strangers cannot lock out."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from referee.program.settings import Limits, Settings, settings_from
from tests.support.fixtures import Start
from tests.support.web.event_loops import run_in_loop
from tests.support.web.http_client import Answer, Client, Table
from tests.support.web.random_player import hide
from tests.support.web.raw_sockets import ClientAtAddress
from tests.support.web.server_process import Running, free_port
from web.security.caller import Caller
from web.security.hosts import NETWORK, caller_key, network_key, shares
from web.security.rate_limit import MOST_RIGHT, RateLimiter, RateLimits
from web.server.asgi import is_https
from web.server.sockets import ConnectionShares, close_excess
from web.server.workers import EACH, Quota, Workers
from web.service.desks import Desks
from web.service.tables import TableService
from web.store import Store
from web.streams.stream_limits import OpenStreams
from web.streams.subscribers import Subscriber
from web.wire.errors import ApiError

HOME = "2001:db8:1:2"  # the network of a house
PHONE, LAPTOP = f"{HOME}::20", f"{HOME}::21"


def hopping(n: int) -> str:
    """An address of a device in the house that never uses one twice."""
    return f"{HOME}::ffff:{n:x}"


@pytest.mark.parametrize(
    ("address", "caller", "network"),
    [
        ("192.168.1.20", "192.168.1.20", "192.168.1.20"),
        ("", "", ""),
        ("a:b", "a:b", "a:b"),
        ("::ffff:10.0.0.1", "10.0.0.1", "10.0.0.1"),
        ("2001:DB8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:0:0:0:6", "2001:db8:1:2::6", "2001:db8:1:2::/64"),
        ("fe80::1%wlan0", "fe80::1", "fe80::/64"),
    ],
)
def test_a_caller_is_an_address_and_an_ipv6_network_has_a_larger_share(
    address: str, caller: str, network: str
) -> None:
    assert (caller_key(address), network_key(address)) == (caller, network)
    own = ((caller, 1),)
    assert shares(address) == (own if caller == network else (*own, (network, NETWORK)))


# ---- guesses


def refused(act: Callable[[], object]) -> bool:
    try:
        act()
    except ApiError as refusal:
        assert refusal.code in ("slow-down", "busy")
        return True
    return False


@pytest.fixture
def failures() -> RateLimiter:
    return RateLimits(Limits(failures=10, exempt=()), lambda: 1000.0).failures


def test_one_device_does_not_lock_out_its_home(failures: RateLimiter) -> None:
    for _ in range(1000):
        refused(lambda: failures.guess(LAPTOP, is_right=False))
    assert refused(lambda: failures.guess(LAPTOP, is_right=True))
    failures.guess(PHONE, is_right=True)
    failures.check(PHONE)


def test_ever_new_addresses_of_one_network_are_stopped_and_nobody_elsewhere_is(failures: RateLimiter) -> None:
    failures.guess(PHONE, is_right=True)  # the host's phone, earlier
    wrong = [refused(lambda n=n: failures.guess(hopping(n), is_right=False)) for n in range(100)]  # type: ignore[misc]
    assert wrong == [False] * 50 + [True] * 50
    assert refused(lambda: failures.guess(hopping(1000), is_right=True)), "else the network guesses for ever"
    failures.guess("192.168.1.20", is_right=True)
    failures.check("192.168.1.20")
    failures.guess("2001:db8:1:3::1", is_right=True)
    failures.guess(PHONE, is_right=True)


def test_who_was_right_is_not_remembered_without_end(failures: RateLimiter) -> None:
    failures.guess(PHONE, is_right=True)
    for n in range(MOST_RIGHT):
        failures.guess(f"10.0.{n >> 8}.{n & 255}", is_right=True)
    for n in range(100):
        refused(lambda n=n: failures.guess(hopping(n), is_right=False))  # type: ignore[misc]
    assert refused(lambda: failures.guess(PHONE, is_right=True))


def test_a_limit_of_networks_is_given_back_with_time() -> None:
    now = 1000.0
    failures = RateLimits(Limits(failures=2, exempt=()), lambda: now).failures
    for n in range(10):
        failures.count(hopping(n))
    assert refused(lambda: failures.check(PHONE))
    now += 61
    failures.check(PHONE)
    assert (len(failures), failures.callers) == (0, 0)


def test_the_host_of_a_home_is_not_locked_out_by_a_device_in_it(start: Start) -> None:
    """As the server is asked: wrong pins of one device, then the right one from another."""
    server = start('server.host_pin = "2468"\nlimits.failures = 3\n')
    wish = {"game": "agent_hunter"}

    def opens(address: str, pin: str) -> Answer:
        return server.client.with_(X_Forwarded_For=address, X_Host_Pin=pin).post("/api/tables", wish)

    told = [opens(LAPTOP, "1").code for _ in range(30)]
    assert told == ["bad-pin"] * 3 + ["slow-down"] * 27
    assert opens(PHONE, "2468").status == 201


# ---- right credentials

STRICT = {"limits": {"failures": 3, "failures_total": 6, "exempt": []}}


@pytest.fixture
def besieged(start: Start) -> tuple[Running, Table]:
    """A table, while strangers have used up the total limit of wrong guesses."""
    server = start("[limits]\nexempt = []\nfailures = 3\nfailures_total = 6\n")
    table = server.client.open_table(options={"first": "target"})
    for n in range(1, 20):
        ClientAtAddress(server.url, f"127.0.1.{n}").get("/api/tables/ZZZZZ")
    assert ClientAtAddress(server.url, "127.0.2.1").get(table.path).code == "slow-down"
    return server, table


def test_strangers_lock_out_nobody_who_has_a_right_key_or_token(besieged: tuple[Running, Table]) -> None:
    server, table = besieged
    new = ClientAtAddress(server.url, "127.0.3.1")
    screen = (server.data / "screen.html").read_text().partition("url=")[2].partition('"')[0]
    assert new.get(screen.removeprefix(server.url)).status == 303, "the key of the desk's own screen"
    host = new.with_(Cookie=f"host_{table.code}={table.host}")
    page = host.get(f"/t/{table.code}").content.decode()
    link = page.partition(f"/t/{table.code}/host/")[2][:8]
    assert len(link) == 8
    claimed = new.with_(Cookie=f"seat_{table.code}_mask={table.join('mask').token}")
    assert claimed.post_form(f"/t/{table.code}/host/{link}").status == 303, "the key of a host's screen"
    assert claimed.post_form(f"/t/{table.code}/host", key=link).status == 303
    desk = new.bearing(server.desk_key())
    assert desk.post("/api/desks/main/health", {}).status == 200
    assert desk.post(f"{table.path}/print", {"what": "join"}).status == 202
    joined = new.post(f"{table.path}/seats/target", {"key": table.keys["target"], "name": "Ana"})
    assert joined.status == 200
    assert new.bearing(joined.json["token"]).get(f"{table.path}/me").status == 200
    assert new.bearing(table.host).get(table.path).status == 200


def test_a_wrong_key_is_still_limited(besieged: tuple[Running, Table]) -> None:
    server, table = besieged
    new = ClientAtAddress(server.url, "127.0.3.1").with_(Cookie=f"host_{table.code}={table.host}")
    assert new.post_form(f"/t/{table.code}/host", key="AAAAAAAA").status == 429
    assert new.get("/desk/main/screen/wrong").status == 429


def test_a_right_key_is_never_refused_and_wrong_ones_are(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "referee.db")) as store:
        service = TableService(store, settings_from(STRICT))
        for n in range(20):
            with pytest.raises(ApiError):
                service.guesses.check_key(Caller(f"10.0.0.{n}"), False, "bad-key")
            service.guesses.check_key(Caller("10.0.1.1"), True, "bad-key")
        with pytest.raises(ApiError, match="slow-down"):
            service.guesses.check_key(Caller("10.0.1.1"), False, "bad-key")


class TwoDesks(TableService):
    """A referee with two desks."""

    @property
    def desks(self) -> tuple[str, ...]:
        return ("main", "other")


def test_each_desks_key_opens_that_desk_only(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "referee.db")) as store:
        desks = Desks(TwoDesks(store, Settings()), tmp_path, lambda: "http://here")
        keys = {desk: (tmp_path / f"desk-{desk}.key").read_text() for desk in ("main", "other")}
        assert keys["main"] != keys["other"]
        for desk, key in keys.items():
            desks.check_key(desk, Caller("10.0.0.1", key))
            for wrong in ({*keys.values()} - {key}, ("", "x", "é")):
                for token in wrong:
                    with pytest.raises(ApiError, match="bad-token"):
                        desks.check_key(desk, Caller("127.0.0.1", token))
        assert not desks.holds_key("unknown", keys["main"])
        assert not desks.holds_key("main", None)


def test_a_token_holds_its_seat_and_nothing_like_it_does(start: Start) -> None:
    client = start().client
    table = client.open_table(desk=None)
    phones = table.everybody()
    for seat, phone in phones.items():
        assert client.bearing(phone.token).get(f"{table.path}/me").json["me"]["seat"] == seat
        for like in (phone.token[:-1], phone.token.swapcase(), f"{phone.token}x", "é"):
            assert client.bearing(like).get(f"{table.path}/me").status == 401
    free = client.open_table(desk=None)
    assert client.bearing("").get(f"{free.path}/me").status == 401, "no token is not the token of a free seat"


# ---- queues, streams and connections


def test_one_phone_does_not_fill_the_queue_of_its_home() -> None:
    quota = Quota()
    with ExitStack() as held:
        for _ in range(EACH):
            held.enter_context(quota.hold(LAPTOP))
        assert refused(lambda: held.enter_context(quota.hold(LAPTOP)))
        held.enter_context(quota.hold(PHONE))
        for n in range(NETWORK * EACH - EACH - 1):
            held.enter_context(quota.hold(hopping(n)))
        assert refused(lambda: held.enter_context(quota.hold(hopping(9999)))), "nor does one network all"
        held.enter_context(quota.hold("2001:db8:1:3::1"))
    with ExitStack() as held:
        for n in range(NETWORK * EACH):
            held.enter_context(quota.hold(hopping(n)))


def test_networks_take_turns_and_so_do_the_callers_of_one() -> None:
    async def story() -> list[str]:
        workers, done, go_on = Workers("test", 1), list[str](), asyncio.Event()
        loop = asyncio.get_running_loop()
        never: asyncio.Future[None] = loop.create_future()

        async def asks(caller: str) -> None:
            await workers.run(caller, lambda: never, done.append, caller)

        holding = asyncio.ensure_future(_hold(workers, go_on, never))
        await asyncio.sleep(0)
        callers = [*(hopping(n) for n in range(4)), hopping(0), "10.0.0.1", "10.0.0.1"]
        asked = [asyncio.ensure_future(asks(caller)) for caller in callers]
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(holding, *asked)
        return done

    here = "10.0.0.1"
    wanted = [hopping(0), here, hopping(1), here, hopping(2), hopping(3), hopping(0)]
    assert run_in_loop(story()) == wanted


async def _hold(workers: Workers, go_on: asyncio.Event, never: asyncio.Future[None]) -> None:
    """Keep the only thread busy until `go_on`."""
    loop = asyncio.get_running_loop()
    released = asyncio.run_coroutine_threadsafe(go_on.wait(), loop)
    await workers.run("first", lambda: never, released.result)


def test_streams_of_one_phone_do_not_close_those_of_its_home() -> None:
    async def story() -> None:
        loop, streams = asyncio.get_running_loop(), OpenStreams(10, ())
        opened: dict[str, list[Subscriber]] = {}

        def opens(address: str) -> None:
            subscriber = Subscriber(None, "en", loop, address=address)
            opened.setdefault(address, []).append(subscriber)
            streams.add(subscriber, lambda _: None)

        opens(PHONE)
        for _ in range(30):
            opens(LAPTOP)
        closed = [await _is_closed(subscriber) for subscriber in opened[LAPTOP]]
        assert closed == [True] * 20 + [False] * 10
        assert not await _is_closed(opened[PHONE][0])
        opens("10.0.0.1")
        for n in range(100):
            opens(hopping(n))
        still = [address for address, all_ in opened.items() for one in all_ if not await _is_closed(one)]
        assert len([address for address in still if address.startswith(HOME)]) == 10 * NETWORK
        assert "10.0.0.1" in still

    run_in_loop(story())


async def _is_closed(subscriber: Subscriber) -> bool:
    try:
        return await asyncio.wait_for(subscriber.next(), 0.001) is None
    except TimeoutError:
        return False


def test_connections_of_a_proxy_on_this_machine_are_not_one_caller() -> None:
    with ExitStack() as until_done:
        listening = until_done.enter_context(socket.create_server(("127.0.0.1", 0)))
        where = listening.getsockname()
        lines = []
        for _ in range(8):
            lines.append(until_done.enter_context(socket.create_connection(where)))
            until_done.enter_context(listening.accept()[0])
        assert close_excess([where[1]], 2, ()) == 0


def kept_of(callers: list[str], most: int) -> list[str]:
    shares = ConnectionShares(callers, most)
    return [caller for caller in callers if shares.keeps(caller)]


def test_connections_of_one_phone_are_closed_before_those_of_its_home() -> None:
    few = [PHONE, PHONE, "10.0.0.1"]
    assert kept_of([*[LAPTOP] * 50, *few], 10) == [*[LAPTOP] * 7, *few]
    hopper = [hopping(n) for n in range(100)]
    assert kept_of([*hopper, "10.0.0.1", "10.0.0.1"], 10) == [*hopper[:8], "10.0.0.1", "10.0.0.1"]
    assert kept_of([*few, *hopper[:3]], 10) == [*few, *hopper[:3]]


# ---- behind a proxy


def behind_proxy(start: Start) -> Client:
    """A server whose address is that of a TLS proxy, and what the proxy passes on."""
    port = free_port()
    options = ["--host", "127.0.0.1", "--port", str(port)]
    start('server.address = "https://games.example"\n[limits]\nfailures = 3\n', options=options)
    return Client(f"http://127.0.0.1:{port}", {"Host": "games.example"})


def set_by(answer: Answer) -> list[str]:
    return [str(value) for value in answer.headers.get_all("Set-Cookie", [])]


@pytest.mark.parametrize("says", [{}, {"X_Forwarded_Proto": "https"}])
def test_cookies_are_secure_under_https(start: Start, says: dict[str, str]) -> None:
    phone = behind_proxy(start).with_(X_Forwarded_For="10.0.0.1", Accept_Language="en", **says)
    opened = phone.post_form("/open", game="agent_hunter")
    assert opened.status == 303
    (code,) = (name.removeprefix("host_") for name in opened.cookies)
    host = phone.with_(Cookie=f"host_{code}={opened.cookies[f'host_{code}']}")
    joining = host.get(f"/t/{code}").content.decode().partition(f"/j/{code}/target/")[2][:12]
    page = phone.get(f"/j/{code}/target/{joining}")
    joined = phone.post_form(f"/j/{code}/target/{joining}", name="Ana")
    switched = phone.post_form("/language", language="en", back="/")
    for answer in (opened, page, joined, switched):
        assert set_by(answer), answer.content
        assert all("; Secure" in value and "; SameSite=Lax" in value for value in set_by(answer))


def test_a_draft_is_secure_under_https(start: Start) -> None:
    """The cookie with a secret move that is not confirmed yet is set by the event loop, without Flask."""
    client = behind_proxy(start).with_(X_Forwarded_For="10.0.0.1")
    table = client.open_table(options={"first": "target"})
    phones = table.everybody()
    hide(phones)
    seat = f"seat_{table.code}_target={phones['target'].token}"
    swap = {"type": "swap", "field.house": "1", "field.card": "9", "field.decoy": "2", "version": "4"}
    path = f"/t/{table.code}/s/target?do=swap&case=0"
    sent = client.with_(Cookie=seat).post_form(path, check="1", **swap)
    ((name, draft),) = sent.cookies.items()
    sealed = client.with_(Cookie=f"{seat}; {name}={draft}").post_form(path, nonce="1", **swap)
    assert (sealed.status, sealed.cookies) == (303, {name: ""})
    for answer in (sent, sealed):
        assert ["; Secure" in value for value in set_by(answer)] == [True]


def test_cookies_are_not_secure_where_a_browser_would_drop_them(start: Start) -> None:
    client = behind_proxy(start)
    plain = client.with_(Host="127.0.0.1")
    for who in (plain, client.with_(X_Forwarded_Proto="http")):
        opened = who.post_form("/open", game="agent_hunter")
        assert opened.status == 303
        assert not any("Secure" in value for value in set_by(opened))


def test_only_a_proxy_on_this_machine_says_that_it_is_https() -> None:
    said = {"host": "games.example", "x-forwarded-proto": "https"}
    for peer in ("192.168.1.9", "127.0.0.9", ""):
        assert not is_https({"client": (peer, "1")}, said, "https://games.example")
    for peer in ("127.0.0.1", "::1", "::ffff:127.0.0.1"):
        assert is_https({"client": (peer, "1")}, said, "")
        assert not is_https({"client": (peer, "1")}, {"host": "games.example"}, "http://games.example")
        assert not is_https({"client": (peer, "1")}, {}, "https://games.example")
    assert not is_https({}, said, "https://games.example")
    assert is_https({"client": ("192.168.1.9", "1"), "scheme": "https"}, {}, ""), "our own"


def test_callers_behind_a_proxy_are_told_apart(start: Start) -> None:
    """Guesses, tables, streams, queues: each by the address that the proxy names."""
    client = behind_proxy(start)
    one, other = (client.with_(X_Forwarded_For=address) for address in ("10.0.0.1", "10.0.0.2"))
    told = [one.get("/api/tables/ZZZZZ").code for _ in range(5)]
    assert told == ["unknown-table"] * 3 + ["slow-down"] * 2
    assert one.get("/api/tables/ZZZZZ/events").code == "slow-down"
    assert one.post("/api/tables/ZZZZZ/moves", {}).code == "slow-down"
    assert other.get("/api/tables/ZZZZZ/events").code == "unknown-table"
    assert other.post("/api/tables/ZZZZZ/moves", {}).code == "unknown-table"
    forged = one.with_(X_Forwarded_For="10.0.0.2, 127.0.0.1, ::ffff:10.0.0.1")
    assert forged.get("/api/tables/ZZZZZ").code == "slow-down", "the last that the proxy added counts"
