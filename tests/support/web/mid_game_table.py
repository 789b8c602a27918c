"""A table in mid-game, and a check that a call changed nothing there."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.support.web.http_client import Client, Phone, Table, without_presence
from tests.support.web.journal import journal, sizes
from tests.support.web.random_player import hide
from tests.support.web.server_process import Running


@dataclass(frozen=True)
class Scene:
    """A table where TARGET (1 2 3 hidden) is to play against MASK (4 5 6), and one that waits for MASK."""

    server: Running
    table: Table
    target: Phone
    mask: Phone
    waiting: Table
    early: Phone

    @property
    def code(self) -> str:
        return self.table.code

    def everything(self) -> dict[str, Any]:
        """All that a call could have changed."""
        return {
            "public": without_presence(self.table.view()),
            "target": without_presence(self.target.view()),
            "mask": without_presence(self.mask.view()),
            "waiting": without_presence(self.waiting.view()),
            "journal": journal(self.server, self.code) + journal(self.server, self.waiting.code),
            "sizes": sizes(self.server),
        }

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Check that the block changes nothing and notifies nobody."""
        before = self.everything()
        version = before["public"]["version"]
        with self.table.events() as screen, self.mask.events() as phone:
            screen.view(version)
            phone.view(version)
            yield
            self.target.moves("attack_from_hand", card=0, house=1)  # the first thing that is told again
            for stream in (screen, phone):
                stream.view(version + 1)
                assert [event.id for event in stream.all("view")] == [str(version), str(version + 1)]

    def same_after(self, before: dict[str, Any]) -> None:
        assert self.everything() == before


def set_up(server: Running, client: Client) -> Scene:
    table = client.open_table(desk=None, options={"first": "target"})
    phones = table.everybody()
    hide(phones)
    waiting = client.open_table(desk=None)
    return Scene(server, table, phones["target"], phones["mask"], waiting, waiting.join("target", "Early"))
