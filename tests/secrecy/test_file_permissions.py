"""What another user of the machine may read: nothing that is secret."""

import os
from pathlib import Path

from tests.support.web.server_process import Running

OPEN_HANDED = ("sh", "-c", 'umask 0; exec "$@"', "sh")  # a system that lets everyone read what is written


def test_the_games_and_the_key_of_the_desk_are_their_owners_alone(tmp_path: Path) -> None:
    """Even in a folder that was made for everyone."""
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o777)
    with Running(data, before=OPEN_HANDED) as server:
        server.client.open_table().everybody()
        files = {file.name: file.stat() for file in data.iterdir()}
    assert {"referee.db", "referee.db-wal", "referee.db-shm", "desk-main.key"} <= files.keys()
    for name, file in files.items():
        assert file.st_mode & 0o077 == 0 or file.st_size == 0, name
        assert file.st_uid == os.getuid(), name
