"""A page without a browser: it speaks with the studio as the real one does, through a socket or as in a worker of the browser."""

from __future__ import annotations

import asyncio
import http.client
import json
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pytest
import uvicorn
from starlette.applications import Starlette
from websockets.sync.client import ClientConnection, connect

from pwtool.lsp import watching
from pwtool.studio.app import HOST, make_app
from pwtool.studio.conversation import Conversation
from pwtool.studio.drafts import Drafts
from pwtool.studio.folder import Folder
from tests.daily import some

T = TypeVar("T")
TOKEN = "token-of-the-tests"
PATIENCE = 120


class Socket(Protocol):
    """What carries texts to a studio and back."""

    def send(self, message: str) -> None:
        """Hand over a text."""

    def recv(self, timeout: float | None = None) -> str | bytes:
        """Wait for the next one."""


class Page:
    """Asks and waits for the answer; what the server says by itself is kept in `told`."""

    def __init__(self, socket: Socket) -> None:
        self.socket = socket
        self.told: list[dict[str, Any]] = []
        self._number = 0
        self._version = 0

    def _send(self, message: Any) -> None:
        self.socket.send(json.dumps(message))

    def _receive(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.socket.recv(PATIENCE))
        return found

    def answer(self, method: str, params: Any = None) -> dict[str, Any]:
        """The whole answer to a request."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": {} if params is None else params})
        while True:
            found = self._receive()
            if "method" not in found and found.get("id") == self._number:
                return found
            self.told.append(found)

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request that is carried out."""
        found = self.answer(method, params)
        assert "error" not in found, found
        return found["result"]

    def refused(self, method: str, **params: Any) -> str:
        """Why a request is not carried out."""
        return str(self.answer(method, params)["error"]["message"])

    def tell(self, method: str, params: Any) -> None:
        """Say something that has no answer."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def wait_for(self, method: str) -> dict[str, Any]:
        """The next thing of this kind that the server says by itself."""
        while True:
            found = next((m for m in self.told if m.get("method") == method), None)
            if found is not None:
                self.told.remove(found)
                return found
            self.told.append(self._receive())

    def show(self, path: Path) -> str:
        """Open a file in the editor, as it was left."""
        uri = path.as_uri()
        opened = self.ask("studio/open", uri=uri)
        document = {"uri": uri, "languageId": "pwtool", "version": 0, "text": opened["text"]}
        self.tell("textDocument/didOpen", {"textDocument": document})
        return uri

    def type(self, uri: str, text: str) -> None:
        """Let a document have this text."""
        self._version += 1
        document = {"uri": uri, "version": self._version}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})


@dataclass(frozen=True)
class Got:
    """What came of a request over HTTP."""

    status: int
    text: str
    headers: dict[str, str]


@dataclass(frozen=True)
class Running:
    """A studio that runs, on a port of its own."""

    port: int

    def get(self, address: str, method: str = "GET", **headers: str) -> Got:
        """Ask over HTTP; the address is sent as it is."""
        connection = http.client.HTTPConnection(HOST, self.port, timeout=PATIENCE)
        connection.putrequest(method, address, skip_host="host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        found = connection.getresponse()
        got = Got(found.status, found.read().decode(), {name.lower(): value for name, value in found.getheaders()})
        connection.close()
        return got

    def connect(self, address: str = f"/speak?token={TOKEN}", **headers: str) -> ClientConnection:
        """The socket on which a page speaks."""
        host = {name: value for name, value in headers.items() if name != "host"}
        return connect(
            f"ws://{HOST}:{self.port}{address}", additional_headers=host, max_size=None, open_timeout=PATIENCE
        )

    @contextmanager
    def page(self, language: str = "en") -> Iterator[Page]:
        """An open page."""
        with self.connect(f"/speak?token={TOKEN}&lang={language}") as socket:
            yield begun(Page(socket))


@contextmanager
def studio(
    folder: Path, drafts: Path, first: Path | None = None, writable: bool = True, port: int = 0
) -> Iterator[Running]:
    """The studio of a folder."""
    with serving(make_app(Folder(folder, Drafts(drafts), first, writable), TOKEN), port) as running:
        yield running


@contextmanager
def serving(app: Starlette, port: int = 0) -> Iterator[Running]:
    """A studio that runs."""
    server = uvicorn.Server(
        uvicorn.Config(app, HOST, port, log_level="critical", lifespan="off", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield Running(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(PATIENCE)


class Worker:
    """A conversation in an event loop of its own and without other threads, as in a worker of the browser."""

    def __init__(self, folder: Folder) -> None:
        self.said: queue.Queue[str] = queue.Queue()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.conversation = self._call(lambda: Conversation(folder, lambda _: "blob:", "en", None, self.said.put))

    def _call(self, what: Callable[[], T]) -> T:
        async def called() -> T:
            return what()

        return asyncio.run_coroutine_threadsafe(called(), self.loop).result(PATIENCE)

    def send(self, message: str) -> None:
        self._call(lambda: self.conversation.receive(message))

    def recv(self, timeout: float | None = None) -> str:
        return self.said.get(timeout=timeout)

    def close(self) -> None:
        """The page is left."""
        self._call(self.conversation.close)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(PATIENCE)
        self.loop.close()


def begun(page: Page) -> Page:
    """A page after the first words that are exchanged."""
    page.answer("initialize", {"processId": None, "capabilities": {}, "rootUri": "file:///"})
    page.tell("initialized", {})
    return page


TRANSPORTS = some(["socket", "worker"], 1)
_transport = "socket"


@pytest.fixture(params=TRANSPORTS)
def transport(request: pytest.FixtureRequest) -> Iterator[str]:
    """What carries the messages of each `page`: one of the two every day, both in the full run."""
    global _transport  # noqa: PLW0603 - so that a page is opened in the same way whatever carries its messages
    _transport = request.param
    yield request.param
    _transport = "socket"


@contextmanager
def page(folder: Path, drafts: Path, first: Path | None = None, writable: bool = True) -> Iterator[Page]:
    """An open page of a folder, with a studio of its own."""
    if _transport == "socket":
        with studio(folder, drafts, first, writable) as running, running.page() as shown:
            yield shown
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watching, "THREADS", False)
        worker = Worker(Folder(folder, Drafts(drafts), first, writable))
        try:
            yield begun(Page(worker))
        finally:
            worker.close()
