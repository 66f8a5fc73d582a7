"""PGN: chess games as text, several in a file. `pgn_reading` reads a game with python-chess."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pwtool.records.importers.formats import Draft, GameText
from pwtool.records.importers.tagged_files import TaggedFormat, parts_of
from pwtool.records.importers.tagged_writing import OWN_TAGS
from pwtool.text.regex import regex

__all__ = ["PGN"]


class _Pgn(TaggedFormat):
    holds = "chess"
    extra = ("chess", "import")
    names_moves_of = ("chess",)
    own_notes = OWN_TAGS | {"Variant"}
    begin = regex(rb'(?:\xef\xbb\xbf)?(?:\s|%[^\r\n]*[\r\n])*(?:\[[ \t]*\w+[ \t]+"[^\r\n]*"[ \t]*\]|1\.[ \t]*[A-Za-z])')
    signs = "-a-hxNBRQKO0-9.+#="
    results = frozenset(("1-0", "0-1", "1/2-1/2", "1/2"))
    parts = parts_of(results="|".join(sorted(results)), move="[A-Za-z]", open_result="*")

    def read(self, game: GameText) -> dict[str, object] | None:
        from pwtool.records.importers.pgn_reading import read_pgn

        return read_pgn(game)

    def draft(self, game: GameText) -> Draft | None:
        from pwtool.records.importers.pgn_reading import draft_pgn

        return draft_pgn(game)

    def name_moves(self, position: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], str | None]:
        from pwtool.records.importers.pgn_names import Names

        return Names(position).name

    def number_of(self, turn: int, seat: int) -> str | None:
        # Without the package, nothing is called otherwise.
        import chess  # noqa: F401

        return super().number_of(turn, seat)

    def write(self, record: Mapping[str, Any]) -> str:
        from pwtool.records.importers.pgn_writing import write_pgn

        return write_pgn(record)


PGN = _Pgn()
