"""Output settings of a command: its language, color, and whether it is quiet.

These options apply to the whole run and may come before or after the command.
"""

from __future__ import annotations

import os
from typing import Literal, TextIO

from msgspec import Struct

from pwtool.text.speech import SPOKEN, Speech

When = Literal["auto", "always", "never"]


class OutputSettings(Struct):
    """`lang` is the requested language, otherwise that of the settings; `settled` are the options of the command whose
    values come from the settings; `panel` is the group of options whose help is wanted.
    """

    color: When = "auto"
    quiet: bool = False
    lang: str | None = None
    settled: frozenset[str] = frozenset()
    panel: str | None = None

    @property
    def language(self) -> str:
        """The requested language, otherwise the locale's, as a code."""
        wanted = (
            self.lang or os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or "en"
        )
        for sign in "-_.@":
            wanted = wanted.partition(sign)[0]
        return wanted.lower()

    @property
    def speech(self) -> Speech:
        """Messages in the language; in English if it has none."""
        return Speech(self.language if self.language in SPOKEN else "en")

    def reset(self) -> None:
        """Reset to the defaults: a process may run several commands."""
        self.color, self.quiet, self.lang, self.settled, self.panel = "auto", False, None, frozenset(), None

    def colors(self, stream: TextIO) -> bool:
        """Whether a stream is colored: `auto` means a terminal without NO_COLOR (no-color.org)."""
        if self.color == "auto":
            return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return self.color == "always"


output_settings = OutputSettings()
"""The settings of the running command."""
