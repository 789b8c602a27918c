"""WebKit, driven over WebDriver: the browser of every iPhone, as Debian builds it."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any

from tests.support.waiting import eventually
from tests.support.web.server_process import free_port

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of an element, as the WebDriver standard has it
TIMEOUT = 60.0  # seconds


class Refused(AssertionError):
    """The driver could not do it."""


class Driver:
    """WebKit's own driver, each of whose windows is a browser that shares nothing with the others."""

    def __init__(self, port: int) -> None:
        self._port = port

    def call(self, method: str, path: str, body: Any = None) -> Any:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=TIMEOUT)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            response = connection.getresponse()
            value = json.load(response)["value"]
        finally:
            connection.close()
        if response.status != 200:
            raise Refused(f"{path}: {value['error']}: {value['message']}")
        return value

    def is_up(self) -> bool:
        try:
            return bool(self.call("GET", "/status")["ready"])
        except OSError:
            return False

    @contextmanager
    def window(self) -> Iterator["Window"]:
        path = f"/session/{self.call('POST', '/session', {'capabilities': {}})['sessionId']}"
        try:
            yield Window(self, path)
        finally:
            self.call("DELETE", path)


class Window:
    """A window of WebKit."""

    def __init__(self, driver: Driver, path: str) -> None:
        self._driver, self._path = driver, path
        self._call("POST", "/window/rect", {"width": 390, "height": 760})

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        return self._driver.call(method, self._path + path, body)

    def open(self, url: str) -> None:
        self._call("POST", "/url", {"url": url})

    def reload(self) -> None:
        self._call("POST", "/refresh", {})

    def asks(self, script: str) -> Any:
        """What an expression is worth on the page."""
        return self._call("POST", "/execute/sync", {"script": f"return {script}", "args": []})

    def waits_until(self, script: str) -> None:
        eventually(lambda: bool(self.asks(script)))

    def text(self, selector: str) -> str:
        """The visible text of the first element so selected; nothing where there is none."""
        return str(self.asks(f"(document.querySelector({json.dumps(selector)})?.innerText ?? '').trim()"))

    def sees(self, selector: str, text: str) -> None:
        eventually(lambda: text in self.text(selector))

    def taps(self, selector: str) -> None:
        """Taps what is there, or will be."""
        self.waits_until(f"!!document.querySelector({json.dumps(selector)})")
        self._call("POST", f"/element/{self._find(selector)}/click", {})

    def uses(self, which: str) -> None:
        """Taps the element that an expression names; whatever is to be written is `x`.

        A page may draw itself anew between the look and the tap: then one looks again.
        """
        eventually(lambda: self._used(str(self.asks(which)[ELEMENT])))

    def _used(self, element: str) -> bool:
        try:
            is_text = self._call("GET", f"/element/{element}/property/type") == "text"
            how, body = ("value", {"text": "x"}) if is_text else ("click", {})
            self._call("POST", f"/element/{element}/{how}", body)
        except Refused:
            return False
        return True

    def cookie(self, name: str) -> str:
        return str(self._call("GET", f"/cookie/{name}")["value"])

    def holds_cookie(self, name: str, value: str) -> None:
        self._call("POST", "/cookie", {"cookie": {"name": name, "value": value, "path": "/"}})

    def types(self, selector: str, text: str) -> None:
        self._call("POST", f"/element/{self._find(selector)}/value", {"text": text})

    def _find(self, selector: str) -> str:
        found = self._call("POST", "/element", {"using": "css selector", "value": selector})
        return str(found[ELEMENT])

    def holds(self, selector: str) -> None:
        """Puts the finger down and leaves it there, until it `lets_go`."""
        at = {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": {ELEMENT: self._find(selector)}}
        self._points([at, {"type": "pointerDown", "button": 0}])

    def lets_go(self) -> None:
        self._points([{"type": "pointerUp", "button": 0}])

    def _points(self, actions: list[dict[str, Any]]) -> None:
        finger = {
            "type": "pointer",
            "id": "finger",
            "parameters": {"pointerType": "mouse"},
            "actions": actions,
        }
        self._call("POST", "/actions", {"actions": [finger]})

    def picture(self) -> str:
        """The page as a PNG, in base64."""
        return str(self._call("GET", "/screenshot"))


@contextmanager
def webkit() -> Iterator[Driver]:
    """A driver on a display that nobody sees."""
    for program in ("Xvfb", "WebKitWebDriver"):
        assert shutil.which(program), f"The WebKit tests need {program}: sh tests/tools.sh"
    port = free_port()
    with _display() as display:
        env = {**os.environ, "DISPLAY": display, "GDK_BACKEND": "x11"}
        driver = subprocess.Popen(["WebKitWebDriver", f"--port={port}"], env=env)
        try:
            eventually(Driver(port).is_up)
            yield Driver(port)
        finally:
            driver.terminate()
            driver.wait()


@contextmanager
def _display() -> Iterator[str]:
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            yield f":{told.readline().strip()}"
    finally:
        server.terminate()
        server.wait()
