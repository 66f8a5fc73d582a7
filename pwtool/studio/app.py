"""The studio as a small server on this machine: one page, and a socket that connects it to a language server."""

from __future__ import annotations

import asyncio
import gc
import hmac
import json
import logging
import secrets
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from pygls.exceptions import JsonRpcInternalError
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from pwtool.lsp.server import SWITCH, make_server
from pwtool.studio.folder import ELSEWHERE, Folder
from pwtool.studio.page_language import chosen, speak
from pwtool.studio.pages import Pages
from pwtool.studio.requests import REFUSED, Studio
from pwtool.text.speech import Speech, mark

HOST = "127.0.0.1"
MAX_MESSAGE = 8_000_000
STATIC = Path(__file__).parent / "static"
_TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".txt": "text/plain",
    ".svg": "image/svg+xml",
}
_SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_STUDIO = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# A page of games needs nothing else; it runs isolated from the studio, whatever it contains.
_APART = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; sandbox allow-scripts; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
_NO = mark("This is not the address that `pwtool studio` printed: it ends in a token. Start from that one.")


def make_app(folder: Folder, token: str, language: str = "en", cache: Path | None = None) -> Starlette:
    """The studio for a folder. Only clients with the token may use it, and only pages that this server sent."""
    pages = Pages()

    async def page(request: Request) -> Response:
        if not (_is_here(request) and _knows(request, token)):
            return _refuse(language)
        shown = speak(STATIC / "index.html", spoken(request), language)
        for name in (b"studio.css", b"studio.js"):
            shown = shown.replace(b'/static/%b"' % name, b'/static/%b?token=%b"' % (name, token.encode()))
        return Response(shown, media_type="text/html", headers={**_SAFE, "Content-Security-Policy": _STUDIO})

    def spoken(connection: HTTPConnection) -> str:
        return chosen(connection.query_params.get("lang"), language)

    async def static(request: Request) -> Response:
        known = _is_here(request) and _knows(request, token)
        return _file(request.path_params["name"]) if known else _refuse(language)

    async def game(request: Request) -> Response:
        found = pages.get(request.path_params["name"]) if _is_here(request) else None
        if found is None:
            return _refuse(language)
        return Response(found, media_type="text/html", headers={**_SAFE, "Content-Security-Policy": _APART})

    async def listen(socket: WebSocket) -> None:
        if not (_is_here(socket) and _knows(socket, token)):
            await socket.close(4403)
            return
        await socket.accept()
        await _Speaker(socket, folder, pages, spoken(socket), cache).run()

    return Starlette(
        routes=[
            Route("/", page),
            Route("/static/{name}", static),
            Route("/page/{name}", game),
            WebSocketRoute("/speak", listen),
        ]
    )


def _knows(connection: HTTPConnection, token: str) -> bool:
    return hmac.compare_digest(connection.query_params.get("token", "").encode(), token.encode())


def _is_here(connection: HTTPConnection) -> bool:
    """Whether a request was sent to this very server and by none but its own pages: other host names do not lead here."""
    host = connection.headers.get("host", "")
    origin = connection.headers.get("origin")
    try:
        named = urlsplit(f"//{host}").hostname in (HOST, "localhost")
        return named and (origin is None or urlsplit(origin).netloc == host)
    except ValueError:
        # No address at all.
        return False


def _refuse(language: str) -> Response:
    return PlainTextResponse(Speech(language).say(_NO) + "\n", 403, headers=_SAFE)


def _file(name: str) -> Response:
    path = next((path for path in STATIC.iterdir() if path.name == name), None)
    kind = _TYPES.get(path.suffix) if path is not None else None
    if path is None or kind is None:
        return PlainTextResponse("There is nothing of this name.\n", 404, headers=_SAFE)
    return Response(path.read_bytes(), media_type=kind, headers={**_SAFE, "Content-Security-Policy": _STUDIO})


def serve(folder: Folder, language: str, cache: Path | None, port: int, ready: Callable[[str], None]) -> None:
    """Run the studio until it is stopped; `ready` gets the address. Raises `OSError` if the port is in use."""
    sys.setswitchinterval(SWITCH)
    token = secrets.token_urlsafe(24)
    # Exclude all current objects from garbage collection: scanning them takes longer than an edit.
    gc.collect()
    gc.freeze()
    app = make_app(folder, token, language, cache)
    config = uvicorn.Config(
        app, HOST, port, log_level="critical", access_log=False, server_header=False, lifespan="off",
        ws_max_size=MAX_MESSAGE, timeout_graceful_shutdown=2,
    )  # fmt: skip
    logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)
    _Server(config, lambda at: ready(f"http://{HOST}:{at}/?token={token}")).run()


class _Server(uvicorn.Server):
    """Reports when it is ready, and on which port."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[int], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: Any = None) -> None:
        """Start listening."""
        await super().startup(sockets=sockets)
        if self.started:
            self._ready(self.servers[0].sockets[0].getsockname()[1])


class _Writer:
    """Sends a server's messages in order on a socket."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket = socket
        self.loop = asyncio.get_running_loop()
        self.queue: asyncio.Queue[str | None] = asyncio.Queue()

    def write(self, data: bytes) -> None:
        self.loop.call_soon_threadsafe(self.queue.put_nowait, data.decode())

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.queue.put_nowait, None)

    async def send(self) -> None:
        while (text := await self.queue.get()) is not None:
            await self.socket.send_text(text)


class _Speaker:
    """One page and the language server that it talks to."""

    def __init__(self, socket: WebSocket, folder: Folder, pages: Pages, language: str, cache: Path | None) -> None:
        self.socket, self.folder, self.writer = socket, folder, _Writer(socket)
        self.server = make_server(cache)
        self.studio = Studio(self.server, folder, pages, language)

    async def run(self) -> None:
        """Answer until the page is closed, then save the latest draft."""
        self.server.protocol.set_writer(self.writer, include_headers=False)
        sending = asyncio.create_task(self.writer.send())
        try:
            while True:
                message = _read(await self.socket.receive_text())
                if message is None or not self._allowed(message):
                    continue
                self._handle(message)
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            sending.cancel()
            self.studio.close()

    def _handle(self, message: dict[str, Any]) -> None:
        try:
            self.server.protocol.handle_message(message)
        except Exception:
            self._answer(message, JsonRpcInternalError.CODE, "internal error")

    def _answer(self, message: dict[str, Any], code: int, words: str) -> None:
        """Answer that a request is refused."""
        if "id" in message and "method" in message:
            error = {"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": words}}
            self.writer.write(json.dumps(error).encode())

    def _allowed(self, message: dict[str, Any]) -> bool:
        """Whether a message only refers to files that the page may see. The page may not choose which folder is open."""
        params = message.get("params")
        if message.get("method") == "initialize" and isinstance(params, dict):
            params["rootUri"] = self.folder.root.as_uri()
            params["workspaceFolders"] = None
            params.pop("rootPath", None)
            return True
        if message.get("method") in ("shutdown", "exit", "workspace/didChangeWorkspaceFolders"):
            return False
        strange = [uri for uri in _addresses(params) if not self.studio.may_see(uri)]
        if strange:
            self._answer(message, REFUSED, self.studio.voice.tell(ELSEWHERE))
        return not strange


def _read(text: str) -> dict[str, Any] | None:
    if len(text) > MAX_MESSAGE:
        return None
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
        return found if isinstance(found, dict) and found.get("jsonrpc") == "2.0" else None
    return None


def _addresses(value: Any) -> list[str]:
    """All document addresses in a message."""
    found: list[str] = []
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            found += [str(v) for k, v in part.items() if k == "uri"]
            pending += part.values()
        elif isinstance(part, list):
            pending += part
    return found
