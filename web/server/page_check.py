"""Looks at all pages of a game while it is played at random: finds faults of its templates and words."""

import asyncio
import logging
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from flask import Flask

from referee.core.dice import Dice
from referee.core.game import Game
from referee.core.match import Match
from referee.core.moves import Seat, random_move
from referee.core.options import PLAYERS
from referee.kit.declared import Fault
from referee.kit.played import described
from referee.presentation.words import COMPLETE
from referee.program.settings import Settings
from web.security.caller import Caller, seat_cookie
from web.server.flask_app import create_app
from web.service.desks import Desks
from web.service.tables import TableService
from web.store import Store
from web.wire.requests import OpenTableRequest

MOST_MOVES = 40  # of a game that are played while its pages are looked at
HERE = "127.0.0.1"


def page_faults(game: Game[Any, Any]) -> list[Fault]:
    """What is wrong with the pages of a game, with as few and with as many players as it may have."""
    found = dict[Fault, None]()
    counts = game.player_counts()
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(Store(Path(folder) / "referee.db")) as store,
        _running_loop() as loop,
    ):
        service = TableService(store, Settings())
        service.loop = loop
        app = create_app(service, Desks(service, Path(folder), lambda: "http://localhost"))
        for count in dict.fromkeys((min(counts), max(counts))):
            options = {PLAYERS: count} if len(counts) > 1 else {}
            try:
                found.update(dict.fromkeys(_Evening(game, service, app, options).faults()))
            except Exception as error:  # noqa: BLE001  (whatever the game's code raises is its fault)
                found[f"a table of {count} players cannot be played: {described(error)}"] = None
    return list(found)


@contextmanager
def _running_loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class _Evening:
    """One table, played at random, with everybody's pages."""

    def __init__(
        self, game: Game[Any, Any], service: TableService, app: Flask, options: Mapping[str, Any]
    ) -> None:
        self.game, self.service, self.app = game, service, app
        asked = OpenTableRequest(game.id, dict(options), None)
        opened = service.wait(service.open(asked, Caller(HERE)))
        self.code = opened.code
        self.tokens = {
            seat: service.wait(
                service.join(opened.code, seat, {"key": key, "name": f"Ève {n}"}, Caller(HERE))
            )
            for n, (seat, key) in enumerate(opened.keys.items(), 1)
        }

    def faults(self) -> Iterator[Fault]:
        dice = Dice(f"pages/{len(self.tokens)}")
        rules = f"/rules/{self.game.id}" if self.game.passages else ""
        yield from self._looked_at(f"/play/{self.game.id}", rules)
        for _ in range(MOST_MOVES):
            table = self.service.table(self.code)
            assert table is not None
            match = table.match
            able = [seat for seat, choices in match.choices.items() if choices]
            yield from self._looked_at(f"/t/{self.code}")
            for seat in self._some(match, able, dice):
                types = dict.fromkeys(choice.type for choice in match.choices.get(seat, ()))
                forms = (f"?do={type_}{case}" for type_ in types for case in ("", "&case=0"))
                mine = f"/t/{self.code}/s/{seat}"
                yield from self._looked_at(mine, *(mine + form for form in forms), seat=seat)
            if not able:
                break
            seat = dice.pick(able)
            move = random_move(match.choices[seat], dice)
            body = {"version": match.version, "type": move.type, **move.fields}
            caller = Caller(HERE, self.tokens[seat])
            self.service.wait(self.service.move(self.code, body, caller, "en"))
        if match.outcome:
            yield from self._looked_at(f"/t/{self.code}/sheet", f"/t/{self.code}/record", "/history")
            yield from self._looked_at(f"/games/{self.game.id}")

    def _some(self, match: Match, able: list[Seat], dice: Dice) -> Iterable[Seat]:
        """Some of those who may act, and somebody else: all seats are looked at in the course of a game."""
        others = [seat for seat in match.seats if seat not in able]
        return (*dice.arrange(able, min(2, len(able))), *dice.arrange(others, min(1, len(others))))

    def _looked_at(self, *paths: str, seat: Seat | None = None) -> Iterator[Fault]:
        for path in filter(None, paths):
            for language in COMPLETE:
                client = self.app.test_client()
                if seat:
                    client.set_cookie(seat_cookie(self.code, seat), self.tokens[seat], domain="localhost")
                with _errors() as errors:
                    status = client.get(path, headers={"Accept-Language": language}).status_code
                name = path.replace(self.code, "CODE")
                for error in errors:
                    yield f"the page {name} cannot be made in {language}: {described(error)}"
                if status >= 400 and not errors:
                    yield f"the page {name} is answered with {status} in {language}"


@contextmanager
def _errors() -> Iterator[list[BaseException]]:
    """The exceptions that are logged while the block runs, instead of being logged."""
    found: list[BaseException] = []

    def note(record: logging.LogRecord) -> bool:
        if record.exc_info and record.exc_info[1]:
            found.append(record.exc_info[1])
        return False

    log = logging.getLogger("referee")
    log.addFilter(note)
    try:
        yield found
    finally:
        log.removeFilter(note)
