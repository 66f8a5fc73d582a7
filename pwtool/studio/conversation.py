"""What one page and its language server say to each other, whatever carries their messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from pygls.exceptions import JsonRpcInternalError

from pwtool.lsp.server import make_server
from pwtool.studio.folder import ELSEWHERE, Folder
from pwtool.studio.requests import REFUSED, Studio

MAX_MESSAGE = 8_000_000


class Conversation:
    """A page's messages in, by `receive`, and the server's out, by `send`, each a text in JSON. `put` keeps a page of a game and returns
    its address. Needs a running event loop.
    """

    def __init__(
        self,
        folder: Folder,
        put: Callable[[str], str],
        language: str,
        cache: Path | None,
        send: Callable[[str], None],
    ) -> None:
        self.folder, self._send = folder, send
        self.server = make_server(cache)
        self.studio = Studio(self.server, folder, put, language)
        self.server.protocol.set_writer(self, include_headers=False)

    def write(self, data: bytes) -> None:
        """Called by the server to send a message."""
        self._send(data.decode())

    def close(self) -> None:
        """The page is closed: keep the latest draft."""
        self.studio.close()

    def receive(self, text: str) -> None:
        """Handle a message. What is none is passed over, and what is not allowed is refused."""
        message = _read(text)
        if message is None or not self._allowed(message):
            return
        try:
            self.server.protocol.handle_message(message)
        except Exception:
            self._refuse(message, JsonRpcInternalError.CODE, "internal error")

    def _refuse(self, message: dict[str, Any], code: int, words: str) -> None:
        if "id" in message and "method" in message:
            error = {"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": words}}
            self._send(json.dumps(error))

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
            self._refuse(message, REFUSED, self.studio.voice.tell(ELSEWHERE))
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
