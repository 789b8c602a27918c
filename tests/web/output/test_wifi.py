"""The guests' Wi-Fi: its QR code on the host's screen and on the join slips."""

import re
from io import BytesIO
from pathlib import Path

import pytest
import zxingcpp
from PIL import Image

from referee.program.settings import WifiSettings
from tests.support.fixtures import Start
from tests.support.web.http_client import Client
from web.output.wifi import network, wifi_with_code

NAMES = ("Table Referee", "Chez Zoé", 'a;b,c:d"e\\f', "\\", ";;", "été d'ici")


def read(code: str) -> dict[str, str]:
    """What a phone makes of such a code: fields up to a bare semicolon, a backslash before what is meant."""
    kind, _, rest = code.partition(":")
    assert kind == "WIFI"
    fields = re.findall(r"([TSP]):((?:\\.|[^\\;])*);", rest)
    assert "".join(f"{name}:{value};" for name, value in fields) + ";" == rest
    return {name: re.sub(r"\\(.)", r"\1", value) for name, value in fields}


@pytest.mark.parametrize("ssid", NAMES)
@pytest.mark.parametrize("password", ["secret12", *NAMES[2:]])
def test_a_phone_reads_name_and_password_whatever_is_in_them(ssid: str, password: str) -> None:
    assert read(wifi_with_code(ssid, password).code) == {"T": "WPA", "S": ssid, "P": password}


def test_the_code_of_the_contract() -> None:
    assert wifi_with_code("Table Referee", "ab;c").code == "WIFI:T:WPA;S:Table Referee;P:ab\\;c;;"
    assert wifi_with_code("Open", "").code == "WIFI:T:nopass;S:Open;;"


def test_the_hotspot_goes_before_the_settings_while_it_is_on(tmp_path: Path) -> None:
    file = tmp_path / "wifi"
    chosen = WifiSettings("At home", "secret12", str(file))
    assert network(WifiSettings(hotspot=str(file))) is None
    assert network(chosen) == wifi_with_code("At home", "secret12")
    file.write_text('# the hotspot\nSSID="Table Referee"\nPASSWORD=abc2345678\n')
    assert network(chosen) == wifi_with_code("Table Referee", "abc2345678")
    file.write_text("SSID=Chez Zoé d'ici\n")
    assert network(chosen) == wifi_with_code("Chez Zoé d'ici", "")
    file.unlink()
    assert network(chosen) == wifi_with_code("At home", "secret12")


def codes(picture: bytes) -> list[str]:
    return [found.text for found in zxingcpp.read_barcodes(Image.open(BytesIO(picture)))]


def test_host_screen_and_slips_have_both_codes_and_others_neither(start: Start) -> None:
    server = start('[wifi]\nssid = "Table & co"\npassword = "abc;2345"\n')
    client: Client = server.client.with_(Accept_Language="en")
    table = client.open_table(options={"language": "en"})
    host = client.with_(Cookie=f"host_{table.code}={table.host}")
    shown = host.get(f"/t/{table.code}").content.decode()
    assert "QR code for Wi-Fi Table &amp; co" in shown
    assert "abc;2345" in shown
    assert "abc;2345" not in client.get(f"/t/{table.code}").content.decode()
    keyed = client.bearing(server.desk_key())
    with keyed.follow("/api/desks/main/events") as desk:
        assert keyed.post(f"{table.path}/print", {"what": "join"}).status == 202
        blocks = desk.first("job").json["blocks"]
    said = [block["data"] for block in blocks if block["kind"] == "code"]
    assert said[0] == "WIFI:T:WPA;S:Table & co;P:abc\\;2345;;"
    assert len(said) == 4, "two seats, two codes each"
    slip = codes(host.get("/desk/main/paper/1.png").content)
    assert set(slip) == set(said)
