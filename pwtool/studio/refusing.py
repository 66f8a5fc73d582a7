"""Refused requests, in words for the person who asked."""

from __future__ import annotations

from typing import Any

from pwtool.text.speech import Speech


class Refused(Exception):
    """A refused request: the reason, and advice if there is any; `data` has more for the page."""

    def __init__(self, message: str, help: str | None = None, **data: Any) -> None:
        super().__init__(message)
        self.message, self.help, self.data = message, help, data

    def within(self, speech: Speech) -> str:
        """The same in a language."""
        message = speech.tell(self.message)
        return message if self.help is None else speech.headed(message, speech.tell(self.help))
