"""WTHOR: archives of Othello games in binary form, as the French federation publishes them. `wthor_reading` reads a game.

A file has a header of 16 bytes and 68 bytes for each game (Format WThor, Fédération française d'Othello). Passes are not
written.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

from pwtool.records.importers.formats import Draft, Format, GameText, read_block

__all__ = ["WTHOR"]

_HEADER = struct.Struct("<4B I H H 4B")
"""Century, year, month and day of the file; games; nothing; year of the games; size of the board, whether the games are
solitaires, depth of the theoretical score, nothing.
"""
_GAME = struct.Struct("<3H 2B 60s")
"""Numbers of the tournament, of Black and of White; Black's discs as played, and as they could have been; the moves."""
_PLAYED = struct.Struct("<QB")
"""Before which moves somebody has to pass, and Black's discs if the game is over."""
_COUNTED = struct.Struct("<2Q")
_MOVES = range(_GAME.size - 60, _GAME.size)
"""Where the moves of a game are."""
_AT_ONCE = 1024
"""How many games are read together."""
_CELLS = {10 * row + column: f"{'abcdefgh'[column - 1]}{row}" for row in range(1, 9) for column in range(1, 9)}
_WORDS = tuple(_CELLS.get(byte, f"?{byte}") for byte in range(256))
_FIRST = b"\x00\x22\x2b\x38\x41"
"""How a game may begin: not at all, or with one of four moves."""


class _Wthor(Format):
    holds = "Othello"
    is_binary = True
    names_moves_of = ("othello",)

    def recognises(self, begin: bytes) -> bool:
        """Whether it begins as a file with an 8x8 board and a first game does; the format has no sign of its own."""
        if len(begin) < _HEADER.size + _GAME.size:
            return False
        *_, size, _, _, _ = _HEADER.unpack_from(begin)
        return _is_dated(begin) and size in (0, 8) and begin[_HEADER.size + 8] in _FIRST

    def games(self, stream: BinaryIO) -> Iterator[tuple[int, bytes, Draft | None]]:
        """The games by their numbers: the header, the bytes of the game, and what playing its moves has shown.
        Games of another kind have only the first two. What is wrong with the file as a whole comes last: how many games there
        are, and bytes behind them. Where no header is, no game is either.
        """
        from pwtool.records.importers.wthor_passes import play_moves

        header = read_block(stream, _HEADER.size)
        if not _is_header(header):
            yield 1, header, None
            return
        told, is_read = _HEADER.unpack(header)[4], _is_othello(header)
        count = rest = 0
        while block := read_block(stream, _AT_ONCE * _GAME.size):
            found, rest = divmod(len(block), _GAME.size)
            records = [block[at : at + _GAME.size] for at in range(0, found * _GAME.size, _GAME.size)]
            if is_read:
                played = play_moves([block[at : found * _GAME.size : _GAME.size] for at in _MOVES])
                for number, (record, shown) in enumerate(zip(records, played, strict=True), count + 1):
                    yield number, header + record + _PLAYED.pack(*shown), _drafted(record, *shown)
            else:
                yield from ((number, header + record, None) for number, record in enumerate(records, count + 1))
            count += found
        if count != told or rest or not count:
            yield count + 1, header + _COUNTED.pack(count, rest), None

    def text(self, data: bytes) -> str:
        """A game in one line, with the passes."""
        from pwtool.records.importers.wthor_reading import insert_passes

        if len(data) < _HEADER.size:
            return f"{len(data)} bytes"
        if len(data) == _HEADER.size:
            return f"begins with {data.hex(' ')}"
        *_, told, _, year, size, solitaire, _, _ = _HEADER.unpack_from(data)
        if len(data) == _HEADER.size + _COUNTED.size:
            count, rest = _COUNTED.unpack_from(data, _HEADER.size)
            return f"games {told}: {count} and {rest} bytes"
        tournament, black, white, discs, best, moves = _GAME.unpack_from(data, _HEADER.size)
        if len(data) == _HEADER.size + _GAME.size:
            return (
                f"board {size or 8}, solitaire {solitaire}: {year}, tournament {tournament}, {black} - {white}, {discs}"
            )
        words = [*map(_WORDS.__getitem__, moves.rstrip(b"\0"))]
        passes, _ = _PLAYED.unpack_from(data, _HEADER.size + _GAME.size)
        insert_passes(words, passes, "--")
        return f"{year}, tournament {tournament}, {black} - {white}, {discs} ({best}): {' '.join(words)}"

    def read(self, game: GameText) -> dict[str, object] | None:
        from pwtool.records.importers.wthor_reading import read_wthor

        return read_wthor(game)

    def draft(self, game: GameText) -> Draft | None:
        if len(game.data) != _HEADER.size + _GAME.size + _PLAYED.size:
            return None
        shown = _PLAYED.unpack_from(game.data, _HEADER.size + _GAME.size)
        return _drafted(game.data[_HEADER.size : -_PLAYED.size], *shown)


def _drafted(record: bytes, passes: int, counted: int) -> Draft | None:
    from pwtool.records.importers.wthor_reading import draft_wthor

    _, black, white, discs, _, moves = _GAME.unpack(record)
    return draft_wthor(black, white, discs, moves.rstrip(b"\0"), passes, counted)


def _is_header(data: bytes) -> bool:
    """Whether a file begins as one of this format: with a known kind of games, or at least with a date."""
    if len(data) < _HEADER.size:
        return False
    *_, size, solitaire, _, _ = _HEADER.unpack(data)
    return (size in (0, 8, 10) and solitaire in (0, 1)) or _is_dated(data)


def _is_dated(header: bytes) -> bool:
    century, year, month, day, _, _, played, *_ = _HEADER.unpack_from(header)
    return century in (19, 20) and year < 100 and 1 <= month <= 12 and 1 <= day <= 31 and 1900 <= played < 2100


def _is_othello(header: bytes) -> bool:
    """Whether the games are played on 8x8 cells from the usual start."""
    *_, size, solitaire, _, _ = _HEADER.unpack(header)
    return size in (0, 8) and not solitaire


WTHOR = _Wthor()
