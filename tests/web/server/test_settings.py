"""Settings: one file, every key optional; the command line takes precedence."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from referee.program.settings import BadSettings, Limits, Settings, settings_from
from tests.support.fixtures import Start
from tests.support.web.http_client import Client
from tests.support.web.server_process import ROOT, Running, free_port


def test_without_a_file_everything_has_its_default() -> None:
    assert settings_from({}) == Settings()
    assert Settings().limits == Limits(10, 200, 20, 400, 6, 200, 20_000, 100, ("127.0.0.1", "::1"))


def test_a_file_changes_what_it_names() -> None:
    settings = settings_from(
        {"server": {"port": 80, "names": ["a", "b"]}, "lights": {"plus": False, "moins": 4}}
    )
    assert (settings.server.port, settings.server.names) == (80, ("a", "b"))
    assert (settings.lights.plus, settings.lights.moins, settings.lights.reussite) == (None, 4, 22)


@pytest.mark.parametrize(
    ("document", "nearest"),
    [
        ({"sever": {}}, "server"),
        ({"server": {"prot": 1}}, "port"),
        ({"server": {"hostpin": ""}}, "host_pin"),
        ({"limits": {"exemptions": []}}, "exempt"),
        ({"printer": {"colums": 32}}, "columns"),
        ({"zzz": {}}, ""),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_name(document: dict[str, object], nearest: str) -> None:
    with pytest.raises(BadSettings, match=rf"Did you mean “{nearest}"):
        settings_from(document)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"server": {"port": "80"}}, "server.port cannot be '80': it is a whole number"),
        ({"server": {"port": True}}, "server.port cannot be True: it is a whole number"),
        ({"server": {"host": 1}}, "server.host cannot be 1: it is a text"),
        ({"server": {"names": "a"}}, "server.names cannot be 'a': it is a list of texts"),
        ({"server": {"names": [1]}}, "it is a list of texts"),
        ({"desk": {"mute": 1}}, "desk.mute cannot be 1: it is true or false"),
        ({"lights": {"plus": True}}, "lights.plus cannot be True: it is a whole number or false"),
        ({"printer": {"columns": 33}}, "printer.columns cannot be 33: one of 32, 48"),
        ({"printer": {"connection": "network"}}, "set printer.host too"),
        ({"printer": {"connection": "serial"}}, "set printer.device too"),
        ({"printer": {"connection": "pigeon"}}, "one of none, network, usb, serial, file"),
        ({"server": 8000}, r"\[server\] is a section"),
    ],
)
def test_a_wrong_value_is_refused_in_a_sentence(document: dict[str, object], said: str) -> None:
    with pytest.raises(BadSettings, match=said):
        settings_from(document)


def test_pin_and_password_are_in_no_error_and_no_repr() -> None:
    with pytest.raises(BadSettings) as refused:
        settings_from({"server": {"host_pin": 471199}})
    assert "server.host_pin" in str(refused.value) and "471199" not in str(refused.value)
    settings = settings_from(
        {"server": {"host_pin": "471199"}, "wifi": {"ssid": "a", "password": "s3same12"}}
    )
    assert "471199" not in repr(settings) and "s3same12" not in repr(settings)


def run(tmp_path: Path, *arguments: str, settings: str = "") -> subprocess.CompletedProcess[str]:
    file = tmp_path / "settings.toml"
    file.write_text(settings)
    command = [sys.executable, "-m", "referee.program.cli", "serve", "--data", str(tmp_path / "data")]
    command += ["--desk", "off", "--config", str(file), *arguments]
    return subprocess.run(command, cwd=ROOT, text=True, capture_output=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("[server]\nprot = 80", "Did you mean “port”?"),
        ("[server]\nport = 'http'", "it is a whole number"),
        ("port: 80", "is not a TOML file"),
    ],
)
def test_a_bad_file_is_a_sentence_not_a_traceback(tmp_path: Path, settings: str, said: str) -> None:
    ended = run(tmp_path, settings=settings)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_missing_file_is_a_sentence_too(tmp_path: Path) -> None:
    ended = run(tmp_path, "--config", str(tmp_path / "nowhere.toml"))
    assert (ended.returncode, "Traceback" in ended.stderr) == (2, False)
    assert "nowhere.toml" in ended.stderr


def test_a_port_in_use_is_a_sentence_too(tmp_path: Path, server: Running) -> None:
    ended = run(tmp_path, "--host", "127.0.0.1", "--port", str(server.port))
    assert (ended.returncode, "Traceback" in ended.stderr) == (2, False)
    assert "in use" in ended.stderr


def test_a_port_that_is_none_is_a_sentence_too(tmp_path: Path) -> None:
    ended = run(tmp_path, "--port", "65536")
    assert (ended.returncode, "Traceback" in ended.stderr) == (2, False)
    assert "65536" in ended.stderr


def test_a_desk_that_cannot_have_a_key_is_a_sentence_too(tmp_path: Path) -> None:
    ended = run(tmp_path, "--host", "127.0.0.1", "--port", "0", settings='desk.name = "up/stairs"')
    assert (ended.returncode, "Traceback" in ended.stderr) == (2, False)


def test_the_command_line_goes_before_the_file(start: Start) -> None:
    port = free_port()
    settings = '[server]\nhost = "192.0.2.77"\nport = 9\nnames = ["club"]'
    server = start(settings, options=["--host", "127.0.0.1", "--port", str(port)])
    assert server.url == f"http://127.0.0.1:{port}"
    assert server.client.with_(Host="club").get("/api/games").status == 200


def test_the_file_goes_before_the_defaults(start: Start) -> None:
    port = free_port()
    server = start(f'[server]\nhost = "127.0.0.1"\nport = {port}', options=[])
    assert server.url == f"http://127.0.0.1:{port}"


def test_the_host_of_all_ipv6_addresses_serves_ipv4_too(start: Start) -> None:
    port = free_port()
    settings = "[limits]\nexempt = ['127.0.0.1']\nfailures = 1"
    start(settings, options=["--host", "::", "--port", str(port)])
    client = Client(f"http://127.0.0.1:{port}")
    assert [client.get("/api/tables/ZZZZZ").status for _ in range(3)] == [404] * 3, (
        "127.0.0.1 is itself here too"
    )


@pytest.mark.parametrize(
    "line",
    [
        "printer.code_page_slot = 300",
        "printer.baud = 0",
        "server.port = 70000",
        "lights.plus = -1",
        "limits.failures = 0",
        'desk.name = "a/b"',
        'desk.name = ""',
    ],
)
def test_a_value_out_of_range_is_refused_by_its_name(line: str) -> None:
    with pytest.raises(BadSettings, match=line.partition(" ")[0]):
        settings_from(tomllib.loads(line))


def test_one_pin_cannot_serve_two_lamps() -> None:
    with pytest.raises(BadSettings, match=r"lights.plus and lights.moins are both pin 4"):
        settings_from({"lights": {"plus": 4, "moins": 4}})


def test_a_second_referee_on_the_same_folder_is_refused(start: Start) -> None:
    running = start()
    second = subprocess.run(
        [
            sys.executable,
            "-m",
            "referee.program.cli",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--data",
            running.data,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert second.returncode == 2
    assert "Another referee runs on" in second.stderr
    assert running.client.get("/healthz").status == 200


def test_a_port_that_is_taken_is_told_in_a_sentence(start: Start, tmp_path: Path) -> None:
    taken = start().port
    second = subprocess.run(
        [
            *(sys.executable, "-m", "referee.program.cli", "serve", "--host", "127.0.0.1"),
            *("--port", str(taken), "--data", str(tmp_path / "other")),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert second.returncode == 2
    assert f"Cannot listen on 127.0.0.1, port {taken}" in second.stderr
    assert "Traceback" not in second.stderr
