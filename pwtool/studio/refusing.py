"""What cannot be done as asked, in words for the person who asked."""

from __future__ import annotations

from typing import Any


class Refused(Exception):
    """A request that is not carried out, and why; `data` tells the page more."""

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.data = data
