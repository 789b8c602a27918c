"""How long a refusal takes does not tell how near a guess came: no secret is compared letter by letter.

`make bench` measures the time as well.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from referee.games import GAMES
from referee.program.settings import ServerSettings, Settings
from web.security.caller import Caller
from web.server.flask_app import create_app
from web.service.desks import Desks
from web.service.tables import TableService
from web.wire.requests import OpenTableRequest

HERE = Caller("127.0.0.1")
PIN = "KTQ7Z3MHX5VBN2TR"
GAME = next(iter(GAMES))


class Sealed(str):
    """A secret that does not let itself be compared letter by letter."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        raise AssertionError("a secret is compared letter by letter")

    def __ne__(self, other: object) -> bool:
        raise AssertionError("a secret is compared letter by letter")


@pytest.fixture
def settings() -> Settings:
    return Settings(server=ServerSettings(host_pin=Sealed(PIN)))


@pytest.fixture
def phone(service: TableService, tmp_path: Path) -> FlaskClient:
    desks = Desks(service, tmp_path, lambda: "http://localhost")
    desks._keys = {name: Sealed(key) for name, key in desks._keys.items()}
    return create_app(service, desks).test_client()


def sealed(text: str | None) -> str | None:
    return Sealed(text) if text else text


def test_no_secret_is_compared_letter_by_letter(
    service: TableService, phone: FlaskClient, tmp_path: Path
) -> None:
    opened = service.wait(service.open(OpenTableRequest(GAME), HERE))
    table, (seat, key) = service.find(opened.code, HERE), next(iter(opened.keys.items()))
    table.row = replace(table.row, host=Sealed(table.row.host))
    for name, row in table.seats.items():
        table.seats[name] = replace(row, key=sealed(row.key), key_hash=Sealed(row.key_hash))
    api, join = f"/api/tables/{opened.code}", f"/j/{opened.code}/{seat}/"
    desk = (tmp_path / "desk-main.key").read_text()
    for given, fits in ((PIN[:-1] + "S", False), (PIN, True)):
        made = phone.post("/api/tables", json={"game": GAME}, headers={"X-Host-Pin": given})
        assert (made.status_code == 201) is fits
    for given, fits in ((key[:-1] + "0", False), (key, True)):
        assert (phone.get(join + given).status_code == 200) is fits
        sat = phone.post(f"{api}/seats/{seat}", json={"key": given, "name": "Ana"})
        assert (sat.status_code == 200) is fits
    table.seats[seat] = replace(table.seats[seat], token=Sealed(table.seats[seat].token or ""))
    token = sat.get_json()["token"]
    for given, fits in ((token[:-1] + "?", False), (token, True)):
        assert (phone.get(f"{api}/me", headers=_bearing(given)).status_code == 200) is fits
    for given, fits in (
        (opened.host[:-1] + "?", False),
        (opened.host, True),
        (desk, True),
        (desk[1:], False),
    ):
        printing = phone.post(f"{api}/print", json={"what": "join"}, headers=_bearing(given))
        assert (printing.status_code == 202) is fits


def _bearing(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


COMPARED: tuple[Callable[[str, str], bool], ...] = (
    lambda kept, given: kept == given,
    lambda kept, given: given == kept,
    lambda kept, given: given != kept,
    lambda kept, given: given in [kept],
)


@pytest.mark.parametrize("compare", COMPARED)
def test_a_secret_compared_letter_by_letter_is_noticed(compare: Callable[[str, str], bool]) -> None:
    with pytest.raises(AssertionError, match="letter by letter"):
        compare(Sealed("a"), "a")
