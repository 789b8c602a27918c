"""Rate limits measured: how many codes can be guessed in an hour, and that players are not slowed down."""

from referee.program.settings import Limits
from tests.support.fixtures import Start
from tests.support.web.http_client import Phone, Table
from tests.support.web.raw_sockets import ClientAtAddress
from web.security.tokens import LETTERS, new_code, new_key, new_token


def test_how_far_guessing_gets_in_an_hour() -> None:
    one, all_ = (
        60 * Limits().failures,
        60 * Limits().failures_total,
    )  # guesses an hour of one address, and of all together
    tables = 100  # that one of is found would do
    assert len(set(LETTERS)) == 31
    codes, keys, tokens = 31 ** len(new_code()), 31 ** len(new_key()), 64 ** len(new_token())
    assert one * tables / codes < 0.003  # and a code shows what everyone at the table may see
    assert all_ * tables / codes < 0.05
    assert all_ * 24 * 365 * tables * 4 / keys < 1e-7  # a year, and four free seats at each of them
    assert all_ * 24 * 365 * tables * 4 / tokens < 1e-40
    assert one / 10**6 < 0.001  # a pin of six digits, for each address; with four, it is one in seventeen


def test_guessers_at_many_addresses_are_slowed_down_and_players_are_not(start: Start) -> None:
    server = start("limits.failures_total = 40")
    table = server.client.open_table(desk=None)
    guessers = [ClientAtAddress(server.url, f"127.0.1.{n}") for n in range(1, 61)]
    codes = [guesser.get("/api/tables/ZZZZZ").code for guesser in guessers]
    assert codes == ["unknown-table"] * 40 + ["slow-down"] * 20
    ana = ClientAtAddress(server.url, "127.0.2.1")
    assert ana.get(table.path).code == "slow-down"
    path, body = f"{table.path}/seats/mask", {"key": table.keys["mask"], "name": "Ana"}
    assert ana.post(path, {**body, "key": table.keys["target"]}).code == "slow-down"
    assert ana.get(f"/j/{table.code}/mask/{table.keys['target']}").status == 429
    assert ana.get(f"/j/{table.code}/mask/{table.keys['mask']}").status == 200
    joined = ana.post(path, body)
    assert joined.status == 200, "whoever has the key is let in"
    phone = Phone(Table(ana, {"table": table.code, "host": "", "seats": []}), "mask", joined.json["token"])
    assert phone.view()["me"]["seat"] == "mask"


def test_an_address_is_the_one_that_calls_unless_this_machine_says_otherwise(start: Start) -> None:
    server = start("limits.failures = 3")
    liar = ClientAtAddress(server.url, "127.0.1.1")
    told = [liar.with_(X_Forwarded_For=f"10.0.0.{n}").get("/api/tables/ZZZZZ").code for n in range(5)]
    assert told == ["unknown-table"] * 3 + ["slow-down"] * 2
    proxy = server.client
    told = [proxy.with_(X_Forwarded_For="1.1.1.1, 10.9.9.9").get("/api/tables/ZZZZZ").code for n in range(5)]
    assert told == ["unknown-table"] * 3 + ["slow-down"] * 2
    assert proxy.with_(X_Forwarded_For="10.8.8.8").get("/api/tables/ZZZZZ").code == "unknown-table"
