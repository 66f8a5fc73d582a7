"""Regular expressions that are compiled when they are first used: a command is over sooner than all of them are ready."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile` has it, for the methods of a pattern; an error in the text shows when the first one is called."""
    return cast("re.Pattern[AnyStr]", _Regex(text, flags))


class _Regex:
    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        # Kept, so that this happens once for each method.
        found = self.__dict__[name] = getattr(re.compile(self._text, self._flags), name)
        return found
