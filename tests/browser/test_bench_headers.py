"""The phones of the benchmark send what Chromium sends."""

from playwright.sync_api import Request

from tests.bench.phones import FORM
from tests.bench.wire import Device
from tests.support.browser.agent_hunter import Game

# Their values differ from browser to browser, or from one request to another.
ITS_OWN = {"user-agent", "accept-encoding", "cookie", "host", "origin", "content-length"}
SECURE = "sec-"  # sent to this machine and over https, never to a plain address of the local network


def test_a_move_has_the_same_headers_on_both(playing: Game) -> None:
    def is_move(request: Request) -> bool:
        return request.method == "POST"

    playing.ana.chooses("attack_from_hand")
    playing.ana.picks("card", 2)
    playing.ana.picks("house", 1)
    with playing.ana.page.expect_request(is_move) as sent:
        playing.ana.page.locator("form.move button.button").click()
    playing.ana.sees_answer("PLUS")
    move = sent.value
    chromium = {name: text for name, text in move.all_headers().items() if not name.startswith(SECURE)}

    body = (move.post_data or "").encode()
    device = Device("http://127.0.0.1", {"seat": "token"})
    bench = {name.lower(): text for name, text in device.headers("POST", FORM, body).items()}
    assert chromium.keys() == bench.keys()
    for name in chromium.keys() - ITS_OWN:
        assert chromium[name] == bench[name]
