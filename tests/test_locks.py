"""The lock files: all that the program and its tests need, on every system, each file with its hash."""

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import requires

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.web.server_process import ROOT

LOCKS = {"requirements.txt": "", "tests/requirements.txt": "test"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SYSTEMS = [
    {"python_version": python, "python_full_version": f"{python}.5", "platform_machine": machine}
    for python in ("3.11", "3.13")
    for machine in ("x86_64", "aarch64")
]


def locked(lock: str) -> dict[str, tuple[Requirement, list[str]]]:
    """Each package of a lock with the hashes of its files."""
    text = (ROOT / lock).read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    found = [
        (Requirement(line.partition(" --hash")[0].strip()), line.split(" --hash=")[1:]) for line in lines
    ]
    return {canonicalize_name(package.name): (package, hashes) for package, hashes in found}


def wanted(names: list[str], system: dict[str, str]) -> Iterator[Requirement]:
    """What these need on a system, and what that needs in turn, as the installed packages say."""
    asked, seen = [(name, "") for name in names], set[tuple[str, str]]()
    while asked:
        text, extra = asked.pop()
        need = Requirement(text)
        if (text, extra) in seen or (need.marker and not need.marker.evaluate({**system, "extra": extra})):
            continue
        seen.add((text, extra))
        yield need
        inner = requires(need.name) or []
        asked += [(name, each) for each in ("", *need.extras) for name in inner]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_has_one_version_and_hashes(lock: str) -> None:
    for package, hashes in locked(lock).values():
        assert re.fullmatch(r"==[\w.]+", str(package.specifier)), package
        assert hashes
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}\s*", each) for each in hashes), package


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: "-".join(system.values()))
@pytest.mark.parametrize(("lock", "extra"), LOCKS.items())
def test_nothing_is_missing_on_any_system(lock: str, extra: str, system: dict[str, str]) -> None:
    found, project = locked(lock), PROJECT["project"]
    asked = [*project["dependencies"], *PROJECT["build-system"]["requires"]]
    needs = list(wanted([*asked, *project["optional-dependencies"].get(extra, [])], system))
    assert len({need.name for need in needs}) > 15
    for need in needs:
        package, _ = found[canonicalize_name(need.name)]
        assert package.marker is None or package.marker.evaluate(system), f"{need} is not installed there"
        [version] = package.specifier
        assert need.specifier.contains(version.version, prereleases=True), f"{need}, locked {package}"


def test_the_tests_run_with_what_people_run() -> None:
    program, tests = (locked(lock) for lock in LOCKS)
    assert {name: tests[name][0] for name in program} == {
        name: package for name, (package, _) in program.items()
    }


def test_no_lock_says_where_packages_come_from() -> None:
    for lock in LOCKS:
        assert not re.search(r"https?:|index-url|find-links", (ROOT / lock).read_text())


@pytest.mark.parametrize("file", ["Makefile", "systemd/program"])
def test_nothing_is_installed_without_hashes(file: str) -> None:
    """Except this program itself, whose build uses what is installed already."""
    text = (ROOT / file).read_text().replace("\\\n", " ")
    text = text.partition("\nlocks:")[0]  # makes the locks, and is no part of the program
    asks = [line for line in text.splitlines() if re.search(r"\$\(PIP\)|\$\(LOCKED\)|pip\"? install", line)]
    assert len(asks) >= 2
    for ask in asks:
        is_locked = "--require-hashes" in ask or "$(LOCKED)" in ask
        is_program = "--no-deps --no-build-isolation" in ask
        assert is_locked or is_program or ask.startswith("PIP :="), ask
