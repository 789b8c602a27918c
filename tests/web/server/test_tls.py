"""https beside http: a certificate made by `referee tls`, real handshakes, streams, and the end of it all."""

import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from referee.program.cli import main
from referee.program.settings import BadSettings, ServerSettings
from tests.support.fixtures import Start
from tests.support.waiting import TIMEOUT
from tests.support.web.http_client import Client
from tests.support.web.server_process import ROOT, Running
from web.security.hosts import own_names
from web.server import certificate
from web.server.certificate import HOTSPOT, make_certificate, own_hosts

STARTS_WITHIN = 1.0  # seconds from the start of the process to the first page
ENDS_WITHIN = 2.0
TRIES = 3  # where the time is short and this machine may have other things to do
ANY_PORT = "[server]\ntls_port = 0\n"
NETWORKS = {  # as openssl writes them
    *("10.0.0.0/255.0.0.0", "172.16.0.0/255.240.0.0", "192.168.0.0/255.255.0.0"),
    *("169.254.0.0/255.255.0.0", "127.0.0.0/255.0.0.0"),
    *("FC00:0:0:0:0:0:0:0/FE00:0:0:0:0:0:0:0", "FE80:0:0:0:0:0:0:0/FFC0:0:0:0:0:0:0:0"),
    "0:0:0:0:0:0:0:1/FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `referee tls` made, which tests only copy."""
    data = tmp_path_factory.mktemp("made") / "data"
    assert main(["tls", "--data", str(data)]) == 0
    return data / "tls"


@pytest.fixture
def server(made: Path, tmp_path: Path, start: Start) -> Running:
    """A server that speaks both, each at a port of its own."""
    shutil.copytree(made, tmp_path / "data" / "tls")
    return start(ANY_PORT)


def secure(server: Running, host: str = "localhost") -> Client:
    """A device that trusts the authority, and nothing else."""
    return Client(f"https://{host}:{secure_port(server)}", trust=trusting(server.data / "tls/authority.crt"))


def secure_port(server: Running) -> int:
    assert server.process.stdout is not None
    while not (found := re.search(r"https://\S+\.local:(\d+)", server.told)):
        server.told += server.process.stdout.readline()
    return int(found[1])


def trusting(authority: Path) -> ssl.SSLContext:
    strict = ssl.create_default_context(cafile=authority)
    strict.verify_flags |= ssl.VERIFY_X509_STRICT  # as every Python does from 3.13 on
    return strict


def openssl(*arguments: str | Path) -> str:
    done = subprocess.run(("openssl", *arguments), capture_output=True, text=True, check=False, timeout=60)
    return done.stdout + done.stderr


# ---- the certificate


def test_the_authority_is_bound_to_own_names_and_private_addresses(made: Path) -> None:
    text = openssl("x509", "-in", made / "authority.crt", "-noout", "-text")
    assert "X509v3 Name Constraints: critical\n" in text
    assert "CA:TRUE, pathlen:0" in text
    permitted = set(re.findall(r"^ +(?:DNS|IP):(\S+)$", text.partition("Permitted:")[2], re.M))
    assert permitted == {"localhost", *own_names(), *NETWORKS}
    assert "Excluded" not in text


@pytest.mark.parametrize(
    "foreign", ["DNS.99 = bank.example", "IP.99 = 9.9.9.9", "DNS.99 = localhost.example"]
)
def test_what_it_signed_for_anybody_else_would_be_worth_nothing(tmp_path: Path, foreign: str) -> None:
    """Its key is gone; but had it signed this too, nobody would believe it."""
    text = certificate._configuration(*own_hosts(ServerSettings()))
    for folder, hosts in (("own", "[hosts]\n"), ("foreign", f"[hosts]\n{foreign}\n")):
        (tmp_path / folder / "tls").mkdir(parents=True)
        certificate._sign(tmp_path / folder / "tls", text.replace("[hosts]\n", hosts))

    def judged(folder: str) -> str:
        signed = tmp_path / folder / "tls"
        return openssl("verify", "-x509_strict", "-CAfile", signed / "authority.crt", signed / "server.crt")

    assert judged("own").endswith("OK\n")
    assert "permitted subtree violation" in judged("foreign")


def test_the_authoritys_key_is_never_on_a_disk(tmp_path: Path) -> None:
    data, trace = tmp_path / "data", tmp_path / "trace"
    command = [sys.executable, "-m", "referee.program.cli", "tls", "--data", str(data)]
    traced = ["strace", "--follow-forks", "--trace=open,openat,creat,memfd_create", f"--output={trace}"]
    done = subprocess.run([*traced, *command], cwd=ROOT, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    calls = trace.read_text()
    assert "memfd_create(" in calls
    written = set(re.findall(r'"([^"]+)", O_(?:WRONLY|RDWR)\S*O_CREAT', calls))
    assert {Path(file).name for file in written if not re.fullmatch(r"/proc/self/fd/\d+", file)} == {
        *("openssl.cnf", "authority.crt", "server.key", "request", "server.crt")
    }
    assert {file.name for file in (data / "tls").iterdir()} == {"authority.crt", "server.crt", "server.key"}
    assert list(data.iterdir()) == [data / "tls"]
    keys = [file for file in data.rglob("*.*") if "PRIVATE KEY" in file.read_text()]
    assert keys == [data / "tls/server.key"]
    of_key = openssl("pkey", "-in", keys[0], "-pubout")
    assert of_key == openssl("x509", "-in", data / "tls/server.crt", "-noout", "-pubkey")
    assert of_key != openssl("x509", "-in", data / "tls/authority.crt", "-noout", "-pubkey")
    modes = {file.name: file.stat().st_mode & 0o777 for file in (data / "tls", keys[0])}
    assert modes == {"tls": 0o700, "server.key": 0o600}


def test_phones_accept_how_long_it_lasts(made: Path) -> None:
    text = openssl("x509", "-in", made / "server.crt", "-noout", "-dates")
    since, until = (
        datetime.strptime(date, "%b %d %H:%M:%S %Y %Z") for date in re.findall(r"=(.+ GMT)$", text, re.M)
    )
    assert 700 < (until - since).days <= 825


def test_the_names_of_the_settings_are_in_it_and_public_addresses_are_not() -> None:
    server = ServerSettings(
        address="https://Spiele.example:8443", names=("club.home", "192.168.7.7"), host="9.9.9.9"
    )
    names, addresses = own_hosts(server)
    assert {"spiele.example", "club.home", "localhost", *own_names()} == set(names)
    assert {"192.168.7.7", "127.0.0.1", "::1", HOTSPOT} <= set(addresses)
    assert "9.9.9.9" not in addresses


def test_no_name_writes_into_the_configuration() -> None:
    for name in ("a\nIP.99 = 9.9.9.9", "*.example", "a b", "-"):
        with pytest.raises(BadSettings, match="cannot be made for the host name"):
            own_hosts(ServerSettings(names=(name,)))


@pytest.mark.parametrize("zone", ["eth0", "\n[authority]\nnameConstraints = permitted;DNS:example"])
def test_no_zone_of_an_address_does_either(zone: str) -> None:
    _, addresses = own_hosts(ServerSettings(host=f"fe80::1%{zone}"))
    assert "fe80::1" in addresses and not any("%" in address for address in addresses)


def test_without_openssl_a_sentence_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["tls", "--data", str(tmp_path / "data")]) == 2
    assert "openssl is missing: install it with" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_with_a_wrong_clock_none_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificate, "RELEASED", datetime(2100, 1, 1, tzinfo=UTC))
    with pytest.raises(OSError, match="clock of this machine is wrong"):
        make_certificate(tmp_path, ServerSettings())
    assert list(tmp_path.iterdir()) == []


def test_made_again_it_replaces_what_was_there(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "tls")
    make_certificate(tmp_path, ServerSettings())
    assert (tmp_path / "tls/server.crt").read_bytes() != (made / "server.crt").read_bytes()
    assert openssl("verify", "-CAfile", tmp_path / "tls/authority.crt", tmp_path / "tls/server.crt").endswith(
        "OK\n"
    )
    assert [file.name for file in tmp_path.iterdir()] == ["tls"]


# ---- the server


def test_http_and_https_are_the_same_table(server: Running) -> None:
    plain, encrypted = server.client, secure(server)
    for host in ("localhost", "127.0.0.1"):
        assert secure(server, host).get("/healthz").json["status"] == "ok"
    table = encrypted.open_table()
    assert plain.get(table.path).json["table"] == table.code
    with encrypted.follow(f"{table.path}/events") as one, plain.follow(f"{table.path}/events") as other:
        assert plain.post(f"{table.path}/seats/mask", {"key": table.keys["mask"], "name": "Bo"}).status == 200
        for stream in (one, other):
            stream.wait(lambda event: event.kind == "view" and '"Bo"' in event.data)


def test_a_form_by_https_is_accepted_from_its_own_page_alone(server: Running) -> None:
    device = secure(server)
    at_home = device.with_(Origin=device.url).post("/api/tables", {"game": "agent_hunter"})
    elsewhere = device.with_(Origin="https://elsewhere.example").post("/api/tables", {"game": "agent_hunter"})
    assert (at_home.status, elsewhere.status) == (201, 403)


def test_cookies_set_by_https_stay_there_and_those_by_http_work(server: Running) -> None:
    for client, is_secure in ((secure(server), True), (server.client, False)):
        opened = client.post_form("/open", game="agent_hunter")
        assert opened.status == 303
        assert ["; Secure" in value for value in opened.headers.get_all("Set-Cookie", [])] == [is_secure]


def test_guests_are_led_to_http_and_never_asked_to_trust_anything(server: Running) -> None:
    table = secure(server).open_table()
    assert all(link.startswith("http://") for link in table.links.values())
    for path in ("/", f"/t/{table.code}", table.links["mask"].removeprefix(server.url)):
        page = server.client.get(path).content
        assert b"https://" not in page.replace(b"https://www.bgstatsapp.com", b"")
        assert b"authority" not in page


def test_who_does_not_trust_the_authority_is_warned(server: Running) -> None:
    stranger = Client(secure(server).url, trust=ssl.create_default_context())
    with pytest.raises(ssl.SSLCertVerificationError):
        stranger.get("/")


def test_without_a_certificate_there_is_only_http(start: Start) -> None:
    server = start(ANY_PORT)
    assert server.client.get("/").status == 200
    server.stop()
    assert "https://" not in server.told


def test_it_ends_in_time_with_streams_on_both(server: Running) -> None:
    table = server.client.open_table()
    path, encrypted = f"{table.path}/events", secure(server)
    streams = [device.follow(path) for device in (server.client, encrypted) for _ in range(10)]
    for stream in streams:
        stream.first("view")
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < ENDS_WITHIN
    for stream in streams:
        stream.until_end()
        stream.close()
    assert server.said() == ""


def test_both_answer_within_a_second_of_the_start(made: Path, tmp_path: Path, start: Start) -> None:
    shutil.copytree(made, tmp_path / "data" / "tls")

    def took() -> float:
        began = time.monotonic()
        server = start(ANY_PORT, before=["env"])
        assert secure(server).get("/").status == server.client.get("/").status == 200
        seconds = time.monotonic() - began - server.kept_waiting()
        server.stop()
        return seconds

    assert any(took() <= STARTS_WITHIN for _ in range(TRIES))


def test_callers_who_never_shake_hands_hold_up_nobody(made: Path, tmp_path: Path, start: Start) -> None:
    shutil.copytree(made, tmp_path / "data" / "tls")
    server = start(ANY_PORT)
    encrypted = secure(server)
    where = ("127.0.0.1", secure_port(server))
    silent = [socket.create_connection(where, TIMEOUT) for _ in range(200)]
    assert encrypted.get("/").status == 200
    for line in silent:
        with closing(line):
            assert line.recv(1) == b"", "it was hung up on"


def refused(data: Path, settings: str) -> str:
    """What a server says that does not start."""
    file = data.with_name("settings.toml")
    file.write_text(settings)
    command = ["-m", "referee.program.cli", "serve", "--host", "127.0.0.1", "--port", "0", "--desk", "off"]
    done = subprocess.run(
        [sys.executable, *command, "--data", str(data), "--config", str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    return done.stderr


def test_a_broken_certificate_is_refused_with_a_sentence(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "data" / "tls")
    (tmp_path / "data/tls/server.key").write_text("no key")
    assert "Run `referee tls` again, or remove that folder." in refused(tmp_path / "data", ANY_PORT)


def test_a_port_that_is_taken_is_refused_with_a_sentence(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "data" / "tls")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused(tmp_path / "data", f"[server]\ntls_port = {port}\n")
    assert f"port {port}: Address already in use. Try another server.tls_port in the settings." in said
