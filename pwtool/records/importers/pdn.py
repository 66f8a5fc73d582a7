"""PDN: games of checkers (draughts) as text, several in a file. `pdn_reading` reads a game."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from pwtool.records.importers.formats import Draft, GameText
from pwtool.records.importers.pdn_reading import RESULTS, draft_pdn, read_pdn
from pwtool.records.importers.pdn_writing import name_move, write_pdn
from pwtool.records.importers.tagged_files import TaggedFormat, parts_of
from pwtool.records.importers.tagged_writing import OWN_TAGS
from pwtool.text.regex import regex

__all__ = ["PDN"]


class _Pdn(TaggedFormat):
    holds = "checkers"
    names_moves_of = ("checkers",)
    own_notes = OWN_TAGS | {"GameType", "Red"}
    # A game without moves, or without a number before the first one, is recognised by the kind of game that it names.
    begin = regex(
        rb"""(?:\xef\xbb\xbf)?(?:\s|[%;][^\r\n]*+|\{[^}]*+\}|\[[ \t]*+(?!GameType\b)\w++[ \t]*+"[^\r\n]*+)*+
        (?:\[[ \t]*+GameType[ \t]*+"(?:2\d|3[01]|4[01])\b|\d{1,3}\.[.\s]*+(?:\{[^}]*+\}\s*+)?\d{1,2}\s?[-x:]\s?[1-9])""",
        re.VERBOSE,
    )
    signs = "-x:0-9."
    results = frozenset(RESULTS.split("|"))
    parts = parts_of(results=rf"{RESULTS}|\*", move=r"(?![012]-[012](?![^\s{};()]))\d++[-xX:]")

    def read(self, game: GameText) -> dict[str, object] | None:
        return read_pdn(game)

    def plain_draft(self, tags: str, moves: str) -> Draft | None:
        return draft_pdn(tags, moves)

    def name_moves(self, position: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], str | None]:
        men = {(cell[0], cell[1]) for *cell, pile in position["zones"]["board"] if pile}
        return lambda action: name_move(action, men)

    def join_moves(self, names: Sequence[str]) -> str | None:
        """The jumps of a capture: 15x22 and 22x31 are 15x22x31."""
        jumps = [name.split("x") for name in names]
        if not all(len(jump) == 2 for jump in jumps) or any(a[1] != b[0] for a, b in pairwise(jumps)):
            return None
        return "x".join([jumps[0][0], *(to for _, to in jumps)])

    def write(self, record: Mapping[str, Any]) -> str:
        return write_pdn(record)


PDN = _Pdn()
