"""PDN: games of checkers (draughts) as text, several in a file. `pdn_reading` reads a game."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pwtool.records.importers.formats import Format, GameText
from pwtool.records.importers.pdn_reading import RESULTS, draft_pdn, read_pdn
from pwtool.records.importers.tagged_files import game_starts, parts_of

__all__ = ["PDN"]

_PARTS = parts_of(results=rf"{RESULTS}|\*", move=r"(?![012]-[012](?![^\s{};()]))\d++[-xX:]")
# A game without moves, or without a number before the first one, is recognised by the kind of game that it names.
_BEGIN = re.compile(
    rb"""(?:\xef\xbb\xbf)?(?:\s|[%;][^\r\n]*+|\{[^}]*+\}|\[[ \t]*+(?!GameType\b)\w++[ \t]*+"[^\r\n]*+)*+
    (?:\[[ \t]*+GameType[ \t]*+"(?:2\d|3[01]|4[01])\b|\d{1,3}\.[.\s]*+(?:\{[^}]*+\}\s*+)?\d{1,2}\s?[-x:]\s?[1-9])""",
    re.VERBOSE,
)


class _Pdn(Format):
    holds = "checkers"
    shares_lines = True

    def recognises(self, begin: bytes) -> bool:
        return _BEGIN.match(begin) is not None

    def starts(self, data: bytes, is_end: bool) -> Iterator[int]:
        return game_starts(data, is_end, _PARTS)

    def read(self, game: GameText) -> dict[str, object] | None:
        return read_pdn(game)

    def draft(self, game: GameText) -> dict[str, object] | None:
        return draft_pdn(game)


PDN = _Pdn()
