"""Every cache has a bound, and returns what the function would compute.

Each is filled beyond its bound. A cache that is added without a line here fails `test_every_cache_is_known`.
"""

import asyncio
import importlib
import pkgutil
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import combinations, count, islice
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, FunctionLoader

import hardware
import referee
import web
from referee.core.moves import One
from referee.core.options import with_defaults
from referee.games import GAMES
from referee.games.espion_contre_espion.board import FACINGS, SEATS, Edges
from referee.games.espion_contre_espion.sight import camera_view
from referee.games.espion_contre_espion.tiles import BARE, Ground, Tile
from referee.presentation.sheets import Paragraph
from referee.presentation.views import Localizer
from referee.presentation.words import LANGUAGES, words
from referee.program.simulate import opened, steps
from tests.support.web.table_service import HERE
from tests.support.web.table_service import opened as opened_table
from web.api.contract import SHEETS
from web.output.paper import as_png
from web.output.result_picture import Result
from web.pages.live_pages import CACHED_PAGES, Audience, LivePages
from web.pages.play.forms import MOST_OPTIONS, Forms, count_common_options
from web.pages.rendering import in_language
from web.pages.screens.host_keys import MOST_KEYS, HostKeys
from web.security import rate_limit
from web.security.caller import Caller
from web.security.hosts import LONGEST_HOST
from web.security.rate_limit import RateLimiter
from web.server import application
from web.server.application import AsgiApplication
from web.server.flask_app import create_app
from web.service import table_cache
from web.service.bounded_cache import BoundedCache
from web.service.desks import Desks
from web.service.tables import TableService
from web.streams.subscribers import Subscriber
from web.wire.errors import malformed
from web.wire.requests import OpenTableRequest

LARGEST = 4 * 1024 * 1024  # bytes that one cache of the rules may take
BEYOND = 50  # entries that are put into a full cache
PLAYED = 60  # entries of a game that is played with and without caches

Arguments = Iterator[tuple[Any, ...]]
Cached = Any  # a function with `cache_info`
CACHE: Any = type(words)  # what `lru_cache` and `cache` make of a function


def modules() -> Iterator[Any]:
    for package in (referee, web, hardware):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield importlib.import_module(found.name)


def caches() -> dict[str, Cached]:
    """Every cached function, by its module and name."""
    found = {
        f"{module.__name__}.{name}": thing
        for module in modules()
        for name, thing in vars(module).items()
        if type(thing) is CACHE and thing.__module__ == module.__name__
    }
    return found | {
        f"web.api.contract.{form}": make for form, (_, make) in SHEETS.items() if type(make) is CACHE
    }


# ---- arguments to fill them with


def walls() -> Iterator[Edges]:
    return (Edges(n, n >> 1) for n in range(1, 10**6))


def tiles() -> Iterator[Tile]:
    edges = [((x, y), side) for x in range(3) for y in range(3) for side in FACINGS]
    return (Tile(3, 3, frozenset(some)) for n in range(4) for some in combinations(edges, n))


EMPTY = Environment(loader=FunctionLoader(lambda _name: ""), autoescape=True)  # any template is empty
FILLED_WITH: dict[str, Callable[[], Arguments]] = {
    "referee.games.espion_contre_espion.tiles.places": lambda: (
        (tile, 0, ground, seat) for tile in tiles() for ground in (BARE, Ground(covered=1)) for seat in SEATS
    ),
    "referee.games.espion_contre_espion.board.edge_names": lambda: ((edges,) for edges in walls()),
    "referee.games.espion_contre_espion.sight.looks": lambda: ((edges,) for edges in walls()),
    "referee.games.espion_contre_espion.sketch._named": lambda: (
        (camera_view, edges, "panoramic", 30) for edges in walls()
    ),
    "referee.games.espion_contre_espion.sketch._runs_in": lambda: ((mask,) for mask in count(1)),
    "referee.games.espion_contre_espion.sketch._seen_from": lambda: (
        (camera_view, edges, "panoramic") for edges in walls()
    ),
    "referee.kit.legal_moves._texts": lambda: ((One("card", (n,)),) for n in count()),
    "web.pages.rendering._text_of": lambda: ((f"x{n}", "page.brand") for n in count()),
    "web.pages.rendering._region": lambda: ((EMPTY, "seat", f"{n}") for n in count()),
    "web.pages.rendering._of_game": lambda: ((EMPTY, "chess", f"{n}") for n in count()),
    "web.pages.rendering._for_regions": lambda: ((Environment(loader=EMPTY.loader),) for _ in count()),
    "web.security.caller._accepted": lambda: ((f"fr;q=0.{n}",) for n in count()),
    "web.security.hosts._is_address": lambda: ((f"10.0.0.1:{n}".zfill(LONGEST_HOST),) for n in count()),
    "web.security.hosts.shares": lambda: ((f"fd00::{n:x}",) for n in count()),
    "web.api.contract.png": lambda: (((Paragraph(f"{n}"),), 32) for n in count()),
    "web.api.contract.pdf": lambda: (((Paragraph(f"{n}"),), 32) for n in count()),
    "web.output.result_picture.as_png": lambda: ((result(f"{n}"),) for n in count()),
}
MAKES_NEW_OBJECTS = tuple(f"web.pages.rendering.{name}" for name in ("_region", "_of_game", "_for_regions"))
FEW: dict[str, int] = {  # caches without a bound, of functions with so few possible arguments
    "referee.presentation.words.words": len(LANGUAGES),
    "referee.presentation.words._fields_of": len(LANGUAGES) * len(words("fr").messages),
    "referee.presentation.rulebook.rulebook": len(LANGUAGES) * len(GAMES),
    "web.pages.assets._all": 1,
    "web.output.paper._cell_font": 4,  # sizes of letters
    "web.output.paper._font_file": 1,
}


def result(name: str) -> Result:
    return Result(name, "", "", "", (), (), ("#000000", "#ffffff"))


def test_every_cache_is_known() -> None:
    unbounded = {name for name, cached in caches().items() if cached.cache_parameters()["maxsize"] is None}
    assert unbounded == set(FEW)
    assert set(caches()) - unbounded == set(FILLED_WITH)


@pytest.mark.parametrize("name", FILLED_WITH)
def test_a_cache_that_is_filled_stays_within_its_bound_and_stays_right(name: str) -> None:
    cached = caches()[name]
    most = cached.cache_parameters()["maxsize"]
    cached.cache_clear()
    tracemalloc.start()
    try:
        for arguments in islice(FILLED_WITH[name](), most + BEYOND):
            cached(*arguments)
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    info = cached.cache_info()
    assert (info.misses, info.currsize) == (most + BEYOND, most), "the arguments fill it"
    assert size < LARGEST
    for dropped_or_kept in (0, most + BEYOND - 1):
        (arguments,) = islice(FILLED_WITH[name](), dropped_or_kept, dropped_or_kept + 1)
        if name not in MAKES_NEW_OBJECTS:
            assert cached(*arguments) == cached.__wrapped__(*arguments)
    cached.cache_clear()


@pytest.mark.parametrize("game", sorted({name.split(".")[2] for name in FILLED_WITH if ".games." in name}))
def test_a_game_goes_the_same_whatever_is_in_its_caches(game: str) -> None:
    def played(before_each: Callable[[], None]) -> Iterator[Any]:
        for step in islice(steps(opened(GAMES[game], "cached"), "cached"), PLAYED):
            yield step.match.head, step.match.choices, [step.match.seen_by(seat) for seat in step.match.seats]
            before_each()

    own = [cached for name, cached in caches().items() if f".games.{game}." in name]

    def clear() -> None:
        for cached in own:
            cached.cache_clear()

    cold, warm = (list(played(before_each)) for before_each in (clear, lambda: None))
    assert warm == cold
    assert any(cached.cache_info().hits for cached in own), "the caches were used"


def test_no_request_adds_to_a_cache_without_a_bound(service: TableService, tmp_path: Path) -> None:
    app = create_app(service, Desks(service, tmp_path, lambda: "http://localhost"))
    unbounded = [caches()[name] for name in FEW]
    for cached in unbounded:
        cached.cache_clear()

    def look(n: int | str, language: str) -> list[int]:
        """Visit pages of anything. Returns the sizes of the caches afterwards."""
        browser = app.test_client()
        browser.set_cookie("language", language)
        for path in ("/", f"/rules/{n}", "/rules/agent_hunter", f"/static/{n}.css", f"/t/{n}"):
            browser.get(path, headers={"Accept-Language": language})
        as_png((Paragraph(f"{n}"),), 32)
        return [cached.cache_info().currsize for cached in unbounded]

    for language in LANGUAGES:
        before = look("agent_hunter", language)
    assert all(before)
    assert [look(n, f"x{n}") for n in range(BEYOND)] == [before] * BEYOND
    assert all(size <= most for size, most in zip(before, FEW.values(), strict=True))


# ---- other caches


def test_a_bounded_cache_is_bounded_in_number_and_weight() -> None:
    kept: BoundedCache[int] = BoundedCache()
    for n in range(100):
        kept.put(f"{n}", n, 5, 10, 10**6)
    assert (len(kept), kept.weight) == (10, 50)
    assert [kept.get(f"{n}") for n in (0, 89, 90, 99)] == [None, None, 90, 99]
    kept.put("heavy", 0, 40, 10, 60)
    assert (len(kept), kept.weight) == (5, 60)
    kept.put("heavier", 0, 100, 10, 60)
    assert (len(kept), kept.get("heavier")) == (1, 0), "the last one always stays"
    kept.drop("heavier")
    kept.drop("heavier")
    assert (len(kept), kept.weight) == (0, 0)


def test_a_rate_limiter_counts_a_bounded_number_of_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "MOST", 1000)
    limiter = RateLimiter(60, 5, 10**9, (), lambda: 0.0)
    for n in range(3000):
        limiter.guess(f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}", is_right=False)
    assert len(limiter) == 1000
    assert limiter.callers == 1000


def test_tables_in_memory_are_bounded_in_number_and_entries(
    service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_cache, "RUNNING", 8)
    monkeypatch.setattr(table_cache, "ENTRIES", 12)
    here = Caller("127.0.0.1")
    tables = [service.wait(service.open(OpenTableRequest("agent_hunter"), here)) for _ in range(10)]
    kept = service.tables.running
    assert (len(kept), kept.weight) == (8, 0)
    for table in tables:
        for seat, key in table.keys.items():
            service.wait(service.join(table.code, seat, {"key": key, "name": "Ana"}, here))
        service.table(table.code)
        assert len(kept) <= 8 and kept.weight <= 12
    assert kept.weight == 12
    for table in tables:
        found = service.table(table.code)
        assert found and found.match.entries == 2, "the others come back from their journals"


def test_pages_of_refusals_are_bounded(service: TableService, tmp_path: Path) -> None:
    desks = Desks(service, tmp_path, lambda: "http://localhost")
    outside = AsgiApplication(service, desks, create_app(service, desks))
    most, heaviest = application.REFUSAL_PAGE_LIMITS
    for n in range(most + BEYOND):
        _, _, page = outside.refusal_page(malformed(f"field {n}"), "en")
        assert f"field {n}".encode() in page
    assert 1 < len(outside.refusal_pages) <= most
    assert outside.refusal_pages.weight <= heaviest


def test_options_that_all_tables_share_are_bounded_and_name_no_player(
    service: TableService, tmp_path: Path
) -> None:
    app = create_app(service, Desks(service, tmp_path, lambda: "http://localhost"))
    game = GAMES["agent_hunter"]
    seat = next(iter(game.seats(with_defaults(game.options, {}))))

    def texts(name: str, *values: Any) -> list[str]:
        """What options with these values say at the table of this player."""
        field = {"name": "house", "kind": "one", "options": values}
        made = Forms(Localizer(words("en"), game, {seat: name}))
        with in_language(app, "en"):
            [action] = made.actions([{"type": "swap", "fields": [field]}], {})
            [case] = action.cases
            return [option.text for option in case.asked[0].options]

    assert texts("Ana", seat, 1, True) == ["Ana", "1", "Yes"]
    assert texts("Bo", seat, 1, True) == ["Bo", "1", "Yes"]
    for first in range(0, 2 * MOST_OPTIONS, BEYOND):
        assert texts("Ana", *range(first, first + BEYOND)) == [str(n) for n in range(first, first + BEYOND)]
        assert count_common_options() <= MOST_OPTIONS


def test_whole_pages_of_open_pages_are_bounded(service: TableService, tmp_path: Path) -> None:
    desks = Desks(service, tmp_path, lambda: "http://localhost")
    live = LivePages(service, desks, create_app(service, desks))
    game = opened_table(service)

    async def open_pages() -> list[int]:
        table, sizes = await service.find_async(game.code, HERE), []
        for shown in range(2 * CACHED_PAGES):
            audience = Audience("screen", None, "en", held=("target",) * shown)
            page = Subscriber(None, "en", asyncio.get_running_loop())
            live.watch(table, page, audience, "")
            sizes.append(len(live._cache))
        return sizes

    assert service.wait(open_pages()) == [min(n + 1, CACHED_PAGES) for n in range(2 * CACHED_PAGES)]


def test_keys_of_host_screens_are_bounded(service: TableService) -> None:
    table = service.table(opened_table(service).code)
    assert table
    keys = HostKeys()
    for n in range(MOST_KEYS + BEYOND):
        keys.key(table, f"token {n}")
    assert len(keys._tokens) == MOST_KEYS
