"""A browser without a window, driven by the DevTools protocol through a pipe: keys, sizes, schemes, pictures, paper."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support import BROWSER

PATIENCE = 20
"""So many seconds an answer may take."""
KEYS = {
    "ArrowLeft": 37, "ArrowRight": 39, "ArrowUp": 38, "ArrowDown": 40, "Home": 36, "End": 35, " ": 32, "Tab": 9, "Enter": 13,
    "Escape": 27, "Backspace": 8, "s": 83, "z": 90,
}  # fmt: skip
CTRL, SHIFT = 2, 8


class Page:
    """One page of the browser."""

    def __init__(self, browser: Browser, session: str, target: str) -> None:
        self.browser, self.session, self.target = browser, session, target
        self.call("Page.enable")
        self.call("Runtime.enable")
        self.call("Log.enable")

    def close(self) -> None:
        """Close it, whatever it says against that."""
        self.browser.call("Target.closeTarget", targetId=self.target)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command of the protocol, with its answer."""
        return self.browser.call(method, self.session, **parameters)

    def size(self, width: int, height: int = 900, dark: bool = False) -> None:
        """The window, and whether the reader's system is dark."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="", features=[scheme])

    def open(self, address: Path | str) -> None:
        """Go to a page and wait for it."""
        # Another place of the page that is there would only be gone to.
        for url in ("about:blank", address if isinstance(address, str) else address.as_uri()):
            self.browser.forget("Page.loadEventFired")
            self.call("Page.navigate", url=url)
            self.browser.wait_for("Page.loadEventFired")

    def run(self, code: str) -> Any:
        """The value of an expression."""
        answer = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def text(self, css: str) -> str:
        """What can be read in the first element that there is."""
        return str(self.run(f"document.querySelector({json.dumps(css)}).textContent.replace(/\\s+/g, ' ').trim()"))

    def press(self, key: str, modifiers: int = 0) -> None:
        """A key of the keyboard."""
        named = {" ": "Space"}.get(key, f"Key{key.upper()}" if len(key) == 1 else key)
        code = {"key": key, "code": named, "windowsVirtualKeyCode": KEYS[key], "modifiers": modifiers}
        text = {" ": " ", "Enter": "\r"}.get(key)
        self.call("Input.dispatchKeyEvent", type="keyDown", **code, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **code)

    def type(self, text: str) -> None:
        """Write where the cursor is."""
        self.call("Input.insertText", text=text)

    def until(self, code: str, patience: float = PATIENCE) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + patience
        while not self.run(f"Boolean({code})"):
            assert time.monotonic() < end, f"never true: {code}"
            time.sleep(0.05)

    def click(self, css: str) -> None:
        """The mouse on the middle of an element."""
        self.run(f"document.querySelector({json.dumps(css)}).scrollIntoView({{block: 'center'}})")
        where = self.run(
            f"(function () {{ const r = document.querySelector({json.dumps(css)}).getBoundingClientRect();"
            " return [r.left + r.width / 2, r.top + r.height / 2]; }())"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=where[0], y=where[1], button="left", clickCount=1)

    def picture(self, path: Path, whole: bool = True) -> None:
        """A picture of the page."""
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(answer["data"]))

    def printed(self) -> bytes:
        """The page on paper, as PDF."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])

    @property
    def complaints(self) -> list[str]:
        """What the browser has to say against the page: errors of scripts, things that its policy forbids."""
        said = []
        for event in (e for e in self.browser.events if e.get("sessionId") == self.session):
            if event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                said.append(str(event["params"]["entry"]["text"]))
            if event["method"] == "Runtime.exceptionThrown":
                said.append(json.dumps(event["params"]["exceptionDetails"]))
        return said


class Browser:
    """The process: commands go to it by one pipe, answers and events come by another, each ended by a zero."""

    def __init__(self, folder: Path) -> None:
        to_browser, self._to = os.pipe()
        self._from, from_browser = os.pipe()
        self._number, self._rest = 0, b""
        self.events: list[dict[str, Any]] = []

        def place_pipes() -> None:
            os.setsid()
            # Both are copied out of the way first: either may be number 3 or 4 already.
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(
            [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars",
             f"--user-data-dir={folder / 'profile'}", "about:blank"],
            preexec_fn=place_pipes,  # noqa: PLW1509 - the pipes have to have these numbers
            close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(folder)},
        )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": parameters}
        data = json.dumps(message | ({"sessionId": session} if session else {})).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]
        while True:
            answer = self._read()
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def forget(self, event: str) -> None:
        self.events = [e for e in self.events if e.get("method") != event]

    def wait_for(self, event: str) -> None:
        while not any(e.get("method") == event for e in self.events):
            self.events.append(self._read())

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], PATIENCE)
            assert ready, "the browser does not answer"
            read = os.read(self._from, 1 << 16)
            assert read, "the browser is gone"
            self._rest += read
        message, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def page(self) -> Page:
        """A new page."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Page(self, session, target)

    def close(self) -> None:
        # It has processes of its own, which go with it.
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._to)
        os.close(self._from)


@contextlib.contextmanager
def browser(folder: Path) -> Iterator[Page]:
    """A page of a browser that is gone afterwards."""
    started = Browser(folder)
    try:
        yield started.page()
    finally:
        started.close()
