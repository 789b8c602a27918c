"""Load: 400 phones at 200 tables at the same time, on one small machine."""

import asyncio
import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from tests.support.fixtures import Start
from tests.support.web.event_loops import run_in_loop
from tests.support.web.http_client import Phone, Table
from tests.support.web.server_process import Running

TABLES = 200
MOST_MEGABYTES = 150.0
KILOBYTES_EACH = 40.0  # of a phone's stream; its table is there already
TIMEOUT = 60.0


async def view_of(stream: asyncio.StreamReader) -> int:
    """The version of the next view on this stream."""
    while not (line := await stream.readline()).startswith(b"data: "):
        assert line, "the stream ended"
    return int(json.loads(line.removeprefix(b"data: "))["version"])


async def phone_opens(server: Running, phone: Phone) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=2**20)
    head = (
        f"GET {phone.table.path}/me/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {phone.token}"
    )
    writer.write(f"{head}\r\n\r\n".encode())
    await writer.drain()
    return reader, writer


async def post(server: Running, phone: Phone, body: dict[str, object]) -> int:
    """Make a move; the status of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    content = json.dumps(body)
    head = f"POST {phone.table.path}/moves HTTP/1.1\r\nHost: localhost\r\nConnection: close"
    head += f"\r\nAuthorization: Bearer {phone.token}\r\nContent-Length: {len(content)}"
    writer.write(f"{head}\r\n\r\n{content}".encode())
    status = int((await reader.readline()).split()[1])
    await reader.read()
    writer.close()
    await writer.wait_closed()
    return status


async def evening(server: Running, phones: list[Phone]) -> None:
    before = server.heap()
    opened = await asyncio.gather(*(phone_opens(server, phone) for phone in phones))
    streams = [reader for reader, _ in opened]
    assert set(await asyncio.gather(*map(view_of, streams))) == {2}
    each = (server.heap() - before) * 1024 / len(phones)
    assert each <= KILOBYTES_EACH
    hiding = {"version": 2, "type": "hide", "houses": [1, 2, 3]}
    targets = [phone for phone in phones if phone.seat == "target"]
    masks = [phone for phone in phones if phone.seat == "mask"]
    for version, seats in ((3, targets), (4, masks)):
        assert set(await asyncio.gather(*(post(server, phone, hiding) for phone in seats))) == {200}
        assert set(await asyncio.gather(*map(view_of, streams))) == {version}
    assert server.megabytes() < MOST_MEGABYTES
    for _, writer in opened:
        writer.close()
    await asyncio.gather(*(writer.wait_closed() for _, writer in opened), return_exceptions=True)


def everybody(tables: Iterable[Table]) -> list[Phone]:
    with ThreadPoolExecutor(8) as pool:
        return [phone for phones in pool.map(Table.everybody, tables) for phone in phones.values()]


def test_400_phones_on_200_tables_are_live_at_once(start: Start) -> None:
    server = start()
    with ThreadPoolExecutor(8) as pool:
        tables = list(pool.map(lambda _: server.client.open_table(desk=None), range(TABLES)))
    phones = everybody(tables)
    assert len(phones) == 2 * TABLES
    run_in_loop(asyncio.wait_for(evening(server, phones), TIMEOUT))
    assert server.stop() == 0
    assert server.said() == ""
