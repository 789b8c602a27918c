"""The rematch over HTTP: the same people at the next table, who may ask, and what outlives a restart."""

from random import Random

from tests.support.fixtures import Start
from tests.support.web.http_client import Client, Phone, Table
from tests.support.web.questions import answers, asks, host, moved_to, next_table
from tests.support.web.random_player import hide, play_on


def test_the_same_people_play_again_with_the_same_tokens(over: dict[str, Phone], table: Table) -> None:
    with table.events() as screen, over["mask"].events() as phone:
        assert screen.first("view").json["next"] is None
        again = over["target"].client.post(f"{table.path}/rematch", {})
        assert again.status == 201, again.content
        code = again.json["table"]
        for stream in (screen, phone):
            stream.wait(lambda event: event.kind == "view" and event.json["next"] == code)
    new = next_table(table, code)
    view = new.view()
    assert (view["status"], view["waiting_for"], view["options"]) == (
        "playing",
        ["target", "mask"],
        table.view()["options"],
    )
    assert {seat: who["name"] for seat, who in view["seats"].items()} == {"target": "Ana", "mask": "Bo"}
    assert play_on(moved_to(over, new), Random(3))["status"] == "over"
    assert host(new).call("POST", f"{new.path}/rematch").status == 201


def test_asked_twice_it_is_the_same_table(over: dict[str, Phone], table: Table) -> None:
    callers = (over["target"].client, over["mask"].client, host(table))
    codes = {caller.post(f"{table.path}/rematch", {}).json["table"] for caller in callers}
    assert len(codes) == 1
    assert table.view()["next"] in codes


def test_no_rematch_before_the_end_or_for_strangers(playing: dict[str, Phone], table: Table) -> None:
    path = f"{table.path}/rematch"
    assert table.client.post(path, []).code == "no-token"
    assert table.client.bearing("A" * 32).post(path, []).code == "bad-token"
    assert playing["target"].client.post(path, []).code == "not-over"
    assert asks(playing["target"], "abandon", table).status == 200
    assert answers(playing["mask"]).status == 200
    assert playing["target"].client.post(path, {"more": 1}).code == "malformed"
    assert playing["target"].client.post(path).code == "malformed"
    assert table.view()["next"] is None
    assert playing["target"].client.post(path, {}).status == 201


def test_a_seat_whose_phone_is_still_lost_waits_at_the_next_table(client: Client) -> None:
    table = client.open_table(desk=None, options={"first": "target", "turn_cap": 1})
    phones = table.everybody()
    hide(phones)
    phones["mask"].goes_away()
    assert asks(phones["target"], "reissue", table, seat="mask").status == 200
    phones["target"].moves("attack_from_hand", card=0, house=1)
    code = phones["target"].client.post(f"{table.path}/rematch", {}).json["table"]
    view = next_table(table, code).view()
    assert view["status"] == "joining"
    assert [seat for seat, who in view["seats"].items() if who["joined"]] == ["target"]


def test_new_keys_and_the_next_table_outlive_a_power_cut(start: Start) -> None:
    server = start()
    table = server.client.open_table(desk=None, options={"first": "target"})
    phones = table.everybody()
    assert asks(phones["target"], "reissue", table, seat="mask").status == 200
    server.kill()
    with server.again() as later:
        target = phones["target"].at(later.url)
        key = target.view()["me"]["keys"]["mask"]
        joined = later.client.post(f"{table.path}/seats/mask", {"key": key, "name": "Bo"})
        mask = Phone(target.table, "mask", joined.json["token"])
        assert asks(target, "abandon", target.table).status == 200
        assert answers(mask).status == 200
        code = target.client.post(f"{table.path}/rematch", {}).json["table"]
        later.kill()
        with later.again() as last:
            here = target.at(last.url)
            assert here.view()["next"] == code
            assert next_table(here.table, code).view()["status"] == "playing"
