"""Games of other programs in text formats: the formats by file suffix, and where each game in a file begins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from pwtool.text import Diagnostic, Result
from pwtool.text.source import SourceFile
from pwtool.text.speech import Told

if TYPE_CHECKING:
    from pwtool.records.notation.places import Notes

__all__ = ["TEXTS", "Text", "games_of", "import_text"]


class Reader(Protocol):
    """The record of one game, with the places of its parts in `notes`; None if a problem was reported there."""

    def __call__(self, notes: Notes) -> dict[str, object] | None: ...


class Text(Struct, frozen=True):
    """A text format: how a file is split into games, what reads one, and the library it needs."""

    split: Callable[[bytes], Iterator[int]]
    reader: Callable[[], Reader]
    library: str


# The parts of a PGN file that tell where games begin and end. Words of a line are one part, and nothing is scanned twice.
_PGN_PART = re.compile(
    r"""[\r\n]++|(?<![^\r\n])(?:%[^\r\n]*+|[ \t]*+(?:
        (?P<tags>(?:\[[ \t]*+[\w+#=:-]++[ \t]*+"(?:[^"\\\r\n]|\\.)*+"[ \t]*+\][ \t]*+)++|\[[^\r\n]*+)
        |(?P<first>1\.)(?!\s*+\.)))
    |(?P<words>(?:[A-Za-z][^\s{};()]*+[ \t]*+(?:\d++\.++[ \t]*+)?)++)|\s++|(?P<comment>\{)|;[^\r\n]*+
    |(?P<open>\(++)|(?P<close>\)++)|(?P<result>1-0|0-1|1/2-1/2|\*)(?![^\s{};()])|\$\d++|(?P<number>\d++\.++)|[!?]++
    |(?P<word>[^\s{};()!?]++)|[^{;()]""",
    re.VERBOSE,
)
_TAG_NAME = re.compile(r"\[[ \t]*+([\w+#=:-]++)[ \t]*+\"")
_BRACE = re.compile(r"[{}]")
_TAG_BEHIND_A_BLANK_LINE = re.compile(r"(?:(?<=\n\n)|(?<=\n\r\n)|(?<=\r\r))\[\w++[ \t]++\"")


def _split_pgn(data: bytes) -> Iterator[int]:
    """A game begins with the tags or moves behind the result of another one, with tags behind moves, with a tag that
    comes again after a blank line, and at a move 1 behind other moves. Comments and side lines do not count.
    """
    # One character for each byte; what matters is ASCII. The first line begins behind a byte order mark.
    text = data.replace(b"\xef\xbb\xbf", b"\n\n\n", int(data.startswith(b"\xef\xbb\xbf"))).decode("latin-1")
    tags: set[str] = set()
    at, depth, moves, over, tag_end = 0, 0, False, False, 0
    yield 0
    while part := _PGN_PART.match(text, at):
        at = part.end()
        match part.lastgroup:
            case "comment":
                at, is_closed = _comment_end(text, at)
                moves = moves or not is_closed
            case "tags":
                names = _TAG_NAME.findall(part["tags"])
                # A line break ends the tag before; another one makes a blank line.
                again = not tags.isdisjoint(names) and len(text[tag_end : part.start()].splitlines()) > 1
                if moves or again:
                    yield part.start()
                    tags, moves, over = set(), False, False
                tags.update(names)
                depth, tag_end = 0, at
            case "open" | "close" as side:
                depth = max(0, depth + (at - part.start()) * (1 if side == "open" else -1))
            case "result" if depth == 0:
                over = moves = True
            case "words" | "word" | "number" | "first" as kind:
                if depth == 0 and (over or (moves and kind == "first")):
                    yield part.start()
                    tags, moves, over = set(), False, False
                moves = moves or kind in ("words", "word")


def _comment_end(text: str, begin: int) -> tuple[int, bool]:
    """Where a comment ends, and whether it is closed. One that is not, and goes on over the beginning of another comment
    or the end of the file, ends before the tags of the next game.
    """
    at, is_nested = begin, False
    while True:
        brace = _BRACE.search(text, at)
        stop = brace.start() if brace else len(text)
        is_nested = is_nested or brace is None or brace[0] == "{"
        tag = _TAG_BEHIND_A_BLANK_LINE.search(text, at, stop) if is_nested else None
        if tag is not None:
            return tag.start(), False
        if brace is None or brace[0] == "}":
            return (brace.end(), True) if brace else (stop, False)
        at = brace.end()


# An unterminated value counts as one value, so that nothing is scanned twice.
_SGF_PART = re.compile(rb"\[(?:[^\]\\]++|\\.)*+\]?|[()]", re.DOTALL)


def _split_sgf(data: bytes) -> Iterator[int]:
    """A game is a bracket with everything in it."""
    depth = 0
    found = False
    for part in _SGF_PART.finditer(data):
        if part.group() == b"(":
            if depth == 0:
                yield part.start() if found else 0
                found = True
            depth += 1
        elif part.group() == b")":
            depth = max(0, depth - 1)
    if not found:
        yield 0


def _pgn() -> Reader:
    from pwtool.records.importers.pgn import read_pgn

    return read_pgn


def _sgf() -> Reader:
    from pwtool.records.importers.sgf import read_sgf

    return read_sgf


TEXTS: Mapping[str, Text] = MappingProxyType(
    {".pgn": Text(_split_pgn, _pgn, "chess"), ".sgf": Text(_split_sgf, _sgf, "sgfmill")}
)


def games_of(data: bytes, suffix: str) -> list[tuple[int, bytes]]:
    """The games of a file, each with the line (counted from 1) in which it begins."""
    starts = list(TEXTS[suffix].split(data))
    games: list[tuple[int, bytes]] = []
    line, before = 1, 0
    for start, end in zip(starts, [*starts[1:], len(data)], strict=True):
        line += data.count(b"\n", before, start)
        before = start
        games.append((line, data[start:end]))
    return games


def import_text(file: SourceFile, suffix: str) -> Result[tuple[dict[str, object], Notes]]:
    """The record of one game and the places of its parts, or PW704 findings that say why there is none."""
    # Imported here: a plain check reads no such text and does not need the libraries.
    from pwtool.records.notation.places import Notes

    form, notes = TEXTS[suffix], Notes(file)
    try:
        read = form.reader()
    except ModuleNotFoundError as missing:
        if missing.name != form.library:
            raise
        help_line = Told("install it with the extra: {command}", command="`pip install 'pwtool[import]'`")
        message = Told(
            "reading {suffix} files needs the package {package}", suffix=f"`{suffix}`", package=f"`{form.library}`"
        )
        return Result(None, (Diagnostic("PW704", message, notes.locate(()), help=help_line),))
    record = read(notes)
    return Result(None if record is None else (record, notes), tuple(notes.problems))
