"""The studio without a server: in a worker of the browser, under Pyodide. `web/src/playground/worker.ts` carries the messages."""

from __future__ import annotations

import gc
from collections.abc import Awaitable, Callable
from pathlib import Path

from pwtool.studio.conversation import Conversation
from pwtool.studio.drafts import Drafts
from pwtool.studio.folder import Folder
from pwtool.studio.page_language import chosen


class Playground:
    """The rules in a folder that the browser keeps. `put` makes an address for a page of a game; what is written is kept after `settle`."""

    def __init__(self, home: Path, put: Callable[[str], str], settle: Callable[[], Awaitable[object]]) -> None:
        rules = home / "rules"
        rules.mkdir(exist_ok=True)
        self.folder, self._put = Folder(rules, Drafts(home / "drafts"), settle=settle), put

    def connect(self, language: str, send: Callable[[str], None]) -> Conversation:
        """Begin a conversation with a page."""
        return Conversation(self.folder, self._put, chosen(language, "en"), None, send)


def open_playground(home: str, put: Callable[[str], str], settle: Callable[[], Awaitable[object]]) -> Playground:
    """The playground of this browser, as its worker asks for it."""
    # As in a studio: scanning what is there now takes longer than an edit.
    gc.collect()
    gc.freeze()
    return Playground(Path(home), put, settle)
