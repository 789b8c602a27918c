"""Makes the certificate for https, signed by an authority that is valid only for our own names.

The system's `openssl` does it. The authority's key is kept in memory, for the two commands that need it, and
is never in a file: nothing else can ever be signed with it. A device that trusts the authority
therefore trusts this server under its own names and at private addresses, and nothing else.
"""

import ipaddress
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from referee import RELEASED
from referee.program.settings import BadSettings, ServerSettings
from web.output.address import interfaces
from web.security.hosts import own_names

FOLDER = "tls"  # in the data folder
DAYS = 820  # phones refuse certificates that are valid for more than 825 days
PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8")
PRIVATE_6 = ("fc00::/7", "fe80::/10", "::1/128")
HOTSPOT = "10.42.0.1"  # this machine's address on its own Wi-Fi
LOOPBACK = ("127.0.0.1", "::1")
NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*")
NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


class Certificate(NamedTuple):
    """The files of https."""

    authority: Path  # for devices that are to trust this server
    chain: Path
    key: Path


def certificate_in(data: Path) -> Certificate:
    """Where the files of https are in a data folder."""
    folder = data / FOLDER
    return Certificate(folder / "authority.crt", folder / "server.crt", folder / "server.key")


def found_certificate(data: Path) -> Certificate | None:
    """The certificate in a data folder, if one was made. Raises `OSError` if it cannot be used."""
    found = certificate_in(data)
    if not found.chain.parent.exists():
        return None
    import ssl  # noqa: PLC0415  # only who serves https needs it

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(found.chain, found.key)
    except OSError as error:
        folder = found.chain.parent
        raise OSError(
            f"The certificate in {folder} cannot be used ({error.strerror}). "
            "Run `referee tls` again, or remove that folder."
        ) from error
    return found


def make_certificate(data: Path, server: ServerSettings) -> Certificate:
    """Make a new authority and certificate for this machine's names and private addresses. They replace any
    that were made before."""
    if shutil.which("openssl") is None:
        raise OSError("The program openssl is missing: install it with `sudo apt-get install openssl`.")
    if (now := datetime.now(UTC)) < RELEASED:
        raise OSError(f"The clock of this machine is wrong ({now:%Y-%m-%d}): set it first.")
    names, addresses = own_hosts(server)
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(prefix=".tls-", dir=data) as scratch:  # readable by the owner only
        made = Path(scratch) / FOLDER
        made.mkdir(mode=0o700)
        _sign(made, _configuration(names, addresses))
        if (old := data / FOLDER).exists():
            old.rename(Path(scratch) / "old")
        made.rename(data / FOLDER)
    return certificate_in(data)


def own_hosts(server: ServerSettings) -> tuple[list[str], list[str]]:
    """This machine's names, and its private addresses, as far as they are known now."""
    given = urlsplit(f"//{server.address.rpartition('//')[2]}").hostname
    names, addresses = {"localhost", *own_names()}, {*LOOPBACK, HOTSPOT, *interfaces()}
    for host in filter(None, (given, server.host, *server.names)):
        if _is_address(host):
            addresses.add(host.partition("%")[0])  # without the zone of a link-local address
        else:
            names.add(host)
    for name in names:
        if not NAME.fullmatch(name.lower()):
            raise BadSettings(f"A certificate cannot be made for the host name {name!r}.")
    private = [address for address in addresses if _is_private(address)]
    return sorted({name.lower() for name in names}), sorted(private)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_private(address: str) -> bool:
    found = ipaddress.ip_address(address)
    networks = map(ipaddress.ip_network, (*PRIVATE, *PRIVATE_6))
    return any(found.version == network.version and found in network for network in networks)


def _configuration(names: Sequence[str], addresses: Sequence[str]) -> str:
    """The configuration of openssl. The name constraints are critical: a device that does not know them must
    refuse the authority."""
    networks = (ipaddress.ip_network(network) for network in (*PRIVATE, *PRIVATE_6))
    masks = [f"{network.network_address}/{network.netmask}" for network in networks]
    return "\n".join(
        (
            "[req]\ndistinguished_name = subject\n[subject]",
            "[authority]\nbasicConstraints = critical, CA:true, pathlen:0",
            "keyUsage = critical, keyCertSign\nextendedKeyUsage = serverAuth",
            "subjectKeyIdentifier = hash\nnameConstraints = critical, @permitted",
            "[permitted]",
            *_numbered("permitted;DNS", names),
            *_numbered("permitted;IP", masks),
            "[server]\nbasicConstraints = critical, CA:false\nkeyUsage = critical, digitalSignature",
            "extendedKeyUsage = serverAuth\nsubjectKeyIdentifier = hash",
            "authorityKeyIdentifier = keyid\nsubjectAltName = @hosts",
            "[hosts]",
            *_numbered("DNS", names),
            *_numbered("IP", addresses),
            "",
        )
    )


def _numbered(key: str, values: Sequence[str]) -> Iterator[str]:
    return (f"{key}.{number} = {value}" for number, value in enumerate(values))


def _sign(folder: Path, configuration: str) -> None:
    """Make the authority, the server's key and its certificate. The authority's key is a file in memory that
    ends with this call."""
    config, request = folder / "openssl.cnf", folder / "request"
    made = certificate_in(folder.parent)
    config.write_text(configuration)
    held = os.memfd_create("authority")
    try:
        key = f"/proc/self/fd/{held}"
        new, valid = (*NEW_KEY, "-config", config), ("-days", str(DAYS))
        root = ("-subj", f"/CN=Table Referee, {datetime.now(UTC):%Y-%m-%d %H:%M}")
        leaf = ("-subj", "/CN=Table Referee", "-keyout", made.key)
        authority = ("-x509", "-extensions", "authority", *root, *valid)
        _openssl(held, "req", *authority, *new, "-keyout", key, "-out", made.authority)
        _openssl(held, "req", "-new", *new, *leaf, "-out", request)
        signed = ("-extfile", config, "-extensions", "server", "-CA", made.authority, "-CAkey", key, *valid)
        _openssl(held, "x509", "-req", "-in", request, *signed, "-out", made.chain)
    finally:
        os.close(held)
    config.unlink()
    request.unlink()


def _openssl(held: int, *arguments: str | Path) -> None:
    done = subprocess.run(
        ("openssl", *arguments), capture_output=True, text=True, pass_fds=[held], check=False, timeout=60
    )
    if done.returncode:
        raise OSError(f"openssl cannot make the certificate: {done.stderr.strip()[-400:]}")
