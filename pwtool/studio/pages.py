"""Pages of games, kept for a while under names that cannot be guessed."""

from __future__ import annotations

import secrets
from collections import OrderedDict

MAX_KEPT = 16


class Pages:
    """The most recent pages."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, str] = OrderedDict()

    def put(self, html: str) -> str:
        """Store a page; returns its address on this server."""
        name = secrets.token_urlsafe(24)
        self._kept[name] = html
        if len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return f"/page/{name}"

    def get(self, name: str) -> str | None:
        """A stored page; None if there is none of this name any more."""
        return self._kept.get(name)
