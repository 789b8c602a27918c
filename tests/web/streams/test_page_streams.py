"""Open pages: they show what a fresh page does, are sent only what changed, and only what is for them."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.games import GAMES
from tests.support.waiting import eventually
from tests.support.web.event_loops import let_others_run
from tests.support.web.http_client import Answer, Client, Phone, Table
from tests.support.web.page_stream import READ_APART, OpenPage, Shown, opened, read_apart
from tests.support.web.questions import answers, asks
from tests.support.web.random_player import picked, play_on
from tests.support.web.sse_reader import Stream, events_in
from tests.support.web.table_service import HERE, HIDE, joined
from tests.support.web.table_service import opened as at_house
from web.pages.live_pages import MOST_CHUNKS, Audience, Feed, LivePages, Regions
from web.pages.rendering import DRAWN, MOST_KEPT, LastDrawing, drawn_once, in_language
from web.server.flask_app import create_app
from web.service.desks import Desks
from web.service.live_table import LiveTable
from web.service.tables import TableService
from web.streams.subscribers import PAGE_QUEUE, Subscriber

MOVES = 40  # of a random game
AT_ONCE = 40  # entries of a table whose seats move at once


@pytest.fixture
def pages() -> Iterator[ExitStack]:
    """Closes the pages that a test opens in it."""
    with ExitStack() as until_done:
        yield until_done


def is_up_to_date(page: OpenPage, version: int) -> None:
    """What it was sent is what a fresh page shows."""
    assert page.at(version).page == page.fresh()


def with_defaults(watching: list[OpenPage]) -> None:
    """Until each shows who is there by now."""
    for page in watching:
        eventually(lambda page=page: page.now().page == page.fresh())  # type: ignore[misc]


def all_open(pages: ExitStack, table: Table, phones: dict[str, Phone]) -> list[OpenPage]:
    """The pages of all seats and a screen."""
    everybody: list[Phone | Table] = [*phones.values(), table]
    watching = [pages.enter_context(opened(who)) for who in everybody]
    with_defaults(watching)
    return watching


def something_happens(table: Table, phones: dict[str, Phone], dice: Random) -> None:
    """A random move; now and then a question instead, and its answer."""
    asked = table.view()["question"]
    if asked:
        seat = next(iter(set(phones) - {asked["by"]}))
        assert answers(phones[seat], accept=dice.random() < 0.6).status == 200
    elif dice.random() < 0.2:
        asks(phones[dice.choice(list(phones))], "undo", table)  # refused where there is nothing to take back
    else:
        play_on(phones, dice, moves=1)


# ---- the same as a fresh page


@pytest.mark.parametrize("game", GAMES)
def test_after_every_event_an_open_page_shows_what_a_fresh_one_does(
    client: Client, pages: ExitStack, game: str
) -> None:
    table, dice = client.open_table(game=game, desk=None), Random(f"live {game}")
    phones = table.everybody()
    french = next(iter(phones.values()))
    others = [OpenPage(table.host_browser, f"/t/{table.code}"), opened(french, "fr")]
    watching = [*all_open(pages, table, phones), *map(pages.enter_context, others)]
    with_defaults(watching)
    for _ in range(MOVES):
        something_happens(table, phones, dice)
        version = table.view()["version"]
        for page in watching:
            is_up_to_date(page, version)
        if dice.random() < 0.2:
            one = dice.randrange(len(watching))
            watching[one].close()
            watching[one] = pages.enter_context(watching[one].again())
            with_defaults(watching)
    for page in watching:
        assert set(page.now().idle) <= {READ_APART}, "sent, though it was shown already"


@pytest.mark.parametrize("who", ["mask", "screen"])
def test_a_page_that_was_loaded_again_loses_what_is_gone(
    playing: dict[str, Phone], table: Table, pages: ExitStack, who: str
) -> None:
    """Its stream begins anew while nothing has happened; then a question comes, and is settled."""
    pages.enter_context(opened(playing["target"])).at(4)
    playing["target"].moves("attack_from_hand", card=0, house=1)
    whose = playing.get(who, table)
    steps: list[Callable[[], Answer]] = [
        lambda: asks(playing["mask"], "undo", table),
        lambda: answers(playing["target"]),
    ]
    for version, happens in enumerate(steps, 5):
        with opened(whose) as page:
            before = page.at(version).page
        eventually(lambda: who == "screen" or not table.view()["seats"][who]["connected"])
        page.fresh()
        with opened(whose) as page:
            assert page.at(version).page == before
            assert happens().status == 200
            is_up_to_date(page, version + 1)


def test_two_phones_of_one_seat_one_of_which_came_late(
    playing: dict[str, Phone], table: Table, pages: ExitStack
) -> None:
    dice = Random("late")
    first, *_ = all_open(pages, table, playing)
    for _ in range(4):
        something_happens(table, playing, dice)
    late = pages.enter_context(opened(playing["target"]))
    for _ in range(6):
        something_happens(table, playing, dice)
        version = table.view()["version"]
        is_up_to_date(first, version)
        is_up_to_date(late, version)
    news = [event.get("new") for event in late.told()]
    assert news[:2] == [1, 1], "the dictionary began anew for both"
    assert not any(news[2:]), "and was kept from then on"


# ---- only what changed


def test_a_decision_that_stays_is_not_sent_again(
    phones: dict[str, Phone], table: Table, pages: ExitStack
) -> None:
    """Neither a version nor a nonce in it tells that somebody else has moved."""
    page, *_ = all_open(pages, table, phones)
    was = page.at(2).regions["decision"]
    phones["mask"].moves("hide", houses=[4, 5, 6])
    told = page.last(3)
    assert not {"decision", "hand", "people"} & told["regions"].keys()
    assert page.at(3).regions["decision"] == was


@pytest.mark.parametrize("game", GAMES)
def test_nothing_in_a_page_marks_the_moment_at_which_it_was_made(client: Client, game: str) -> None:
    table = client.open_table(game=game, desk=None)
    play_on(table.everybody(), Random(f"twice {game}"), moves=6)
    asked = [client.with_(Accept="application/json").get(f"/t/{table.code}").json for _ in range(2)]
    assert asked[0] == asked[1]


def regions(version: int, **pieces: str) -> Regions:
    return Regions(version, version, 0, "head", pieces, {"title": "Ana"})


def told(event: bytes | None) -> dict[str, Any]:
    assert event
    [one] = events_in(event.decode())
    assert one.kind == "regions"
    return dict(one.json)


def test_a_version_that_changes_nothing_is_told_alone() -> None:
    feed = Feed()
    feed.whole(regions(1, todo="Lay a card.", decision="Which?"), is_only=True)
    told(feed.changes(regions(2, todo="Wait.", decision="Which?"), []))
    assert feed.changes(regions(2, todo="Wait.", decision="Which?"), []) is None
    assert told(feed.changes(regions(3, todo="Wait.", decision="Which?"), [])) == {"v": 3, "head": "head"}


def test_a_region_that_is_gone_is_emptied_once_and_an_answer_stays_until_it_is_read() -> None:
    feed, shown = Feed(), Shown()
    shown.take(told(feed.whole(regions(1, todo="Lay a card.", answer="PLUS"), is_only=True)))
    emptied = told(feed.changes(regions(2), []))
    assert emptied["regions"] == {"todo": []}
    shown.take(emptied)
    assert shown.regions == {"todo": "", "answer": "PLUS"}
    assert "regions" not in told(feed.changes(regions(3), []))


@pytest.mark.parametrize("is_only", [True, False])
def test_known_chunks_go_as_numbers_until_the_dictionary_is_full(is_only: bool) -> None:
    """The only page of its audience has the chunks of its first event, too."""
    feed, shown, dice = Feed(), Shown(), Random("lines")
    lines = [f"<li>{n}</li>\n" for n in range(200)]
    shown.take(told(feed.whole(regions(0, todo="".join(lines)), is_only)))
    for version in range(1, 60):
        lines = [dice.choice(lines) for _ in lines] + [f"<li>new in {version}</li>\n<p>{version}</p>\n"] * 2
        event = told(feed.changes(regions(version, todo="".join(lines)), []))
        shown.take(event)
        assert shown.regions["todo"] == "".join(lines)
        assert event.get("new") == (1 if version == 1 and not is_only else None)
    many = [[f"<li>{n}-{part}</li>\n" for n in range(MOST_CHUNKS)] for part in range(2)]
    begun = [told(feed.changes(regions(60 + part, todo="".join(many[part])), [])) for part in range(2)]
    for event in begun:
        shown.take(event)
    assert [event.get("new") for event in begun] == [None, 1]
    assert shown.regions["todo"] == "".join(many[1])


def test_a_drawing_is_made_once_for_the_same_things_in_one_language(
    service: TableService, tmp_path: Path
) -> None:
    desks, drawn = Desks(service, tmp_path, lambda: "http://localhost"), list[Any]()
    app = create_app(service, desks)

    def draws(*what: Any) -> str:
        drawn.append(what)
        return f"{what} {len(drawn)}"

    def wanted(language: str, *what: Any) -> str:
        with in_language(app, language):
            return drawn_once(draws, *what)

    first = wanted("en", {"a": 1}, [2])
    assert wanted("en", {"a": 1}, [2]) == first
    assert len({first, wanted("fr", {"a": 1}, [2]), wanted("en", {"a": 1}, [3])}) == len(drawn) == 3
    for n in range(DRAWN):
        wanted("en", n)
        assert wanted("en", {"a": 1}, [2]) == first, "what is looked at stays"
    before = len(drawn)
    wanted("fr", {"a": 1}, [2])
    assert len(drawn) == before + 1, "what nobody looked at is let go"


def test_a_page_draws_again_only_what_has_changed_and_keeps_few_drawings() -> None:
    kept, drawn = LastDrawing(), list[Any]()

    def draws(*what: Any) -> str:
        drawn.append(what)
        return f"{what}"

    assert [kept(draws, n) for n in (1, 1, 2, 1)] == ["(1,)", "(1,)", "(2,)", "(1,)"]
    assert drawn == [(1,), (2,), (1,)]
    for n in range(3 * MOST_KEPT):
        assert kept(lambda n: f"{n}", n) == f"{n}"
        assert len(kept) <= MOST_KEPT


def test_a_page_keeps_no_more_drawings_the_longer_it_is_open(service: TableService, tmp_path: Path) -> None:
    desks = Desks(service, tmp_path, lambda: "http://localhost")
    live = LivePages(service, desks, create_app(service, desks))
    game = at_house(service)
    people = joined(service, game)

    async def story() -> list[int]:
        table, sizes = await service.find_async(game.code, HERE), []
        audience = Audience("seat", "mask", "en", ("mask",))
        live.watch(table, Subscriber("mask", "en", asyncio.get_running_loop()), audience, "")
        for seat in ("target", "mask", *("target", "mask") * 4):
            move = HIDE if table.match.version < 4 else {"type": "attack_from_hand", "card": 0, "house": 1}
            await service.move(table.code, {**move, "version": table.match.version}, people[seat], "en")
            await let_others_run()
            sizes.append(len(table.feeds[audience].drawings))
        return sizes

    sizes = service.wait(story())
    assert max(sizes) == sizes[3] > 0, "all that the page has was drawn by then"


# ---- slow pages


async def read(subscriber: Subscriber, into: Shown) -> None:
    """Show what a stream is sent, until it ends."""
    while (event := await subscriber.next()) is not None:
        into.take(told(event))


def test_a_slow_page_gets_the_newest_state_and_not_the_backlog(service: TableService, tmp_path: Path) -> None:
    """Beside one of the same seat that keeps up; both go on together."""
    desks = Desks(service, tmp_path, lambda: "http://localhost")
    live = LivePages(service, desks, create_app(service, desks))
    game = at_house(service)
    people, moves = joined(service, game), 3 * PAGE_QUEUE

    async def attacks(table: LiveTable) -> None:
        seat = next(seat for seat in people if table.match.choices.get(seat))
        move = {"version": table.match.version, "type": "attack_from_hand", "card": 0, "house": 1}
        await service.move(table.code, move, people[seat], "en")

    async def story() -> None:
        table = await service.find_async(game.code, HERE)
        for seat in ("target", "mask"):
            await service.move(table.code, {**HIDE, "version": table.match.version}, people[seat], "en")
        audience, loop = Audience("seat", "mask", "en", ("mask",)), asyncio.get_running_loop()
        slow, quick = Subscriber("mask", "en", loop), Subscriber("mask", "en", loop)
        shown, kept_up = Shown(), Shown()
        for subscriber in (slow, quick):
            live.watch(table, subscriber, audience, "")
        reading = [asyncio.create_task(read(quick, kept_up))]
        for _ in range(moves):
            await attacks(table)
        await let_others_run()
        assert (kept_up.version, kept_up.events) == (table.match.version, moves + 1)
        reading.append(asyncio.create_task(read(slow, shown)))
        await let_others_run()
        assert (shown.version, shown.events) == (table.match.version, 1)
        await attacks(table)
        await let_others_run()
        assert shown.events == 2
        now = live.render(table, audience, LastDrawing())
        assert shown.page == kept_up.page == (now.version, read_apart(dict(now.pieces)), now.state)
        for subscriber in (slow, quick):
            subscriber.stop()
        await asyncio.gather(*reading)

    service.wait(story())


# ---- the order


@pytest.mark.parametrize("game", GAMES)
def test_pages_hear_of_every_entry_in_its_order_however_many_move_at_once(
    client: Client, pages: ExitStack, game: str
) -> None:
    table = client.open_table(game=game, desk=None)
    phones = table.everybody()
    watching = all_open(pages, table, phones)

    def plays(phone: Phone, n: int) -> None:
        dice = Random(f"{game} {phone.seat} {n}")
        while (view := phone.view())["status"] == "playing" and view["version"] < AT_ONCE:
            if view["me"]["choices"] and not view["question"]:
                move = picked(view["me"]["choices"], dice)
                phone.tries(move.pop("type"), view["version"], **move)

    with ThreadPoolExecutor(4) as at_once:
        for playing in [at_once.submit(plays, phone, n) for phone in phones.values() for n in range(2)]:
            playing.result()
    end = table.view()["version"]
    for page in watching:
        is_up_to_date(page, end)
        heard = [event["v"] for event in page.told()]
        assert heard == sorted(heard) and set(heard) >= set(range(3, end + 1))


# ---- a shared phone


PRIVATE = ("decision", "hand", "question", "problem", "keys")


class SharedPhone:
    """A phone that holds all seats of a table."""

    def __init__(self, table: Table, phones: dict[str, Phone]) -> None:
        self._client, self._code = table.client, table.code
        self._held = "; ".join(f"seat_{table.code}_{seat}={phone.token}" for seat, phone in phones.items())

    def follows(self, seat: str, opened: str = "", query: str = "") -> Stream:
        """The stream of a seat's page, where the curtain was opened for this version and seat."""
        held = f"{self._held}; curtain_{self._code}={opened}" if opened else self._held
        return self._client.with_(Cookie=held).follow(f"/t/{self._code}/s/{seat}/live{query}")


def test_when_the_curtain_falls_a_shared_phone_is_sent_that_and_nothing_else(
    playing: dict[str, Phone], table: Table
) -> None:
    with SharedPhone(table, playing).follows("target", "4.target") as page:
        assert "decision" in page.first("regions").json["regions"]
        playing["target"].moves("attack_from_hand", card=0, house=1)
        assert page.first("elsewhere").json == {"curtain": True}
        page.until_end()
        assert {event.json["v"] for event in page.all("regions")} == {4}


def test_a_curtain_that_is_drawn_lets_no_page_of_its_seat_in(playing: dict[str, Phone], table: Table) -> None:
    shared = SharedPhone(table, playing)
    for seat, whose in (("target", ""), ("mask", "4.target"), ("target", "4.mask")):
        with shared.follows(seat, whose) as page:
            page.until_end()
            assert [event.kind for event in page.events] == ["elsewhere"]


def test_when_it_is_over_the_curtain_rises(playing: dict[str, Phone], table: Table) -> None:
    with SharedPhone(table, playing).follows("mask", query="?curtain=1") as page:
        page.first("regions")
        asks(playing["target"], "abandon", table)
        answers(playing["mask"])
        assert page.first("elsewhere").json == {"curtain": False}
        page.until_end()


@pytest.mark.parametrize("game", GAMES)
def test_a_drawn_curtain_is_never_sent_a_decision_or_a_hand(client: Client, game: str) -> None:
    table, dice = client.open_table(game=game, desk=None), Random(f"curtain {game}")
    phones = table.everybody()
    seat = next(iter(phones))
    with SharedPhone(table, phones).follows(seat, query="?curtain=1") as page:
        for _ in range(12):
            something_happens(table, phones, dice)
        version = table.view()["version"]
        page.wait(lambda event: event.kind == "elsewhere" or event.json.get("v") == version)
        for event in page.all("regions"):
            assert not set(PRIVATE) & event.json.get("regions", {}).keys()
            assert 'class=\\"move\\"' not in event.data and "secret-inside" not in event.data
