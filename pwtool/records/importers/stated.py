"""What a file of another program states of its rules, compared with the ruleset that is to judge it: a variant, a set
of rules or a board that the ruleset does not have is a finding, whichever ruleset is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from pwtool.lang import tree
from pwtool.text import Diagnostic
from pwtool.text.source import Span
from pwtool.text.speech import Told

if TYPE_CHECKING:
    from pwtool.play.game import Game

__all__ = ["Agreed", "Stated", "has_board", "is_called"]

_WORD = re.compile(r"[^\W\d_]+|\d+")
_LARGE = re.compile(r"\d+|\b[^\W\d_a-z][^\W\d_]*")


class Stated(Struct, frozen=True):
    """A statement: whether it holds for a ruleset, and what is said at its place (None: where the game begins) if it does
    not: an error, or a warning if the moves can be judged all the same.
    """

    holds: Callable[[Game], bool]
    span: Span | None
    message: Told
    help: Told | None = None
    warns: bool = False

    def problem(self, game: Game, locate: Callable[[tuple[str | int, ...]], Span]) -> Diagnostic | None:
        """The finding if the ruleset is a different one; `locate` finds the places of the parts of the record."""
        if self.holds(game):
            return None
        code, span = "PW719" if self.warns else "PW704", locate(()) if self.span is None else self.span
        return Diagnostic(code, self.message, span, help=self.help)


class Agreed(Struct, frozen=True):
    """A result on which players agree by what no rule decides, although the rules end the game: what is said if the totals
    of the seats by the ruleset are others (None: they fit), which leaves open who is right.
    """

    differs: Callable[[Game, Sequence[int]], Told | None]
    span: Span
    help: Told

    def problem(self, game: Game, totals: Sequence[int | None]) -> Diagnostic | None:
        """The finding if the ruleset counts otherwise."""
        known = [total for total in totals if total is not None]
        message = self.differs(game, known) if known and len(known) == len(totals) else None
        return None if message is None else Diagnostic("PW620", message, self.span, help=self.help)


@lru_cache(maxsize=256)
def is_called(game: Game, name: str) -> bool:
    """Whether a ruleset bears a name: its words are in its own name or title, in those of a variant or an edition, or in
    the title of a source. One of them has to be more than a filler: a name, a number, or a word that is written large.
    """
    words = _words(name)
    merged = game.ruleset.merged
    names = [_words(header.name.name) for header in merged.headers]
    titles = [header.text for header in merged.headers]
    titles += [item.title for item in merged.items.values() if isinstance(item, tree.Source)]
    large = frozenset[str]().union(*names, *(_words(" ".join(_LARGE.findall(title))) for title in titles))
    return bool(words & large) and any(words <= text for text in (*names, *map(_words, titles)))


@lru_cache(maxsize=256)
def has_board(game: Game, width: int, height: int) -> bool:
    """Whether a ruleset has a grid of this size."""
    zones = game.ruleset.zones.values()
    return any(z.kind == "grid" and not z.floating and (z.width, z.height) == (width, height) for z in zones)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
