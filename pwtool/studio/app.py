"""The studio as a small server on this machine: one page, and a socket that connects it to a language server."""

from __future__ import annotations

import asyncio
import gc
import hmac
import logging
import secrets
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from pwtool.lsp.server import SWITCH
from pwtool.studio.conversation import MAX_MESSAGE, Conversation
from pwtool.studio.folder import Folder
from pwtool.studio.page_language import chosen, speak
from pwtool.studio.pages import Pages
from pwtool.text.speech import Speech, mark

HOST = "127.0.0.1"
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
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data:; sandbox allow-scripts; "
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
        writer = _Writer(socket)
        conversation = Conversation(folder, pages.put, spoken(socket), cache, writer.write)
        sending = asyncio.create_task(writer.send())
        try:
            while True:
                conversation.receive(await socket.receive_text())
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            sending.cancel()
            conversation.close()

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
    """Sends texts in order on a socket, whichever thread they come from."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket = socket
        self.loop = asyncio.get_running_loop()
        self.queue: asyncio.Queue[str] = asyncio.Queue()

    def write(self, text: str) -> None:
        self.loop.call_soon_threadsafe(self.queue.put_nowait, text)

    async def send(self) -> None:
        while True:
            await self.socket.send_text(await self.queue.get())
