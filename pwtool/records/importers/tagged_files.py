"""How files with tags and moves, as in PGN and PDN, are cut into games."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pwtool.records.importers.formats import Format
from pwtool.records.importers.tagged_writing import number_of

__all__ = ["TaggedFormat", "parts_of"]

_UNSURE = 4096
"""How far from the end of what was read a part may still change with what follows."""
_TAG_NAME = re.compile(r"\[[ \t]*+([\w+#=:-]++)[ \t]*+\"")
_BRACE = re.compile(r"[{}]")
_TAG_BEHIND_A_BLANK_LINE = re.compile(r"(?:(?<=\n\n)|(?<=\n\r\n)|(?<=\r\r))\[\w++[ \t]++\"")


def parts_of(results: str, move: str, open_result: str = "") -> re.Pattern[str]:
    """The parts of a file that tell where games begin and end. `results` and `move` are patterns: how games may end, and
    how a move begins. `open_result` is a sign that ends a game wherever it stands, also behind a move. Words of lines
    that follow one another are one part, and nothing is scanned twice.
    """
    # Not before what says more at the beginning of a line than within it.
    behind = r"[ \t]*+(?:\r?\n(?![ \t]*+(?:1\.|[%\[])))?+"
    end = rf"(?P<result>(?:{results})(?![^\s{{}};()]){f'|{re.escape(open_result)}' if open_result else ''})"
    return re.compile(
        rf"""[\r\n]++|(?<![^\r\n])(?:%[^\r\n]*+|[ \t]*+(?:
            (?P<tags>(?:\[[ \t]*+[\w+#=:-]++[ \t]*+"(?:[^"\\\r\n]|\\.)*+"[ \t]*+\][ \t]*+)++|\[[^\r\n]*+)
            |(?P<first>1\.)(?!\s*+\.)))
        |(?P<words>(?:{move}[^\s{{}};(){open_result}]*+{behind}(?:\d++\.++{behind})?)++)|\s++|(?P<comment>\{{)|;[^\r\n]*+
        |(?P<open>\(++)|(?P<close>\)++)|{end}|\$\d++|(?P<number>\d++\.++)|[!?]++
        |(?P<word>[^\s{{}};()!?{open_result}]++)|[^{{;()]""",
        re.VERBOSE,
    )


class TaggedFormat(Format):
    """A format of games with tags and moves. `begin`: how files begin; `parts`: see `parts_of`."""

    shares_lines = True
    is_written = True
    begin: re.Pattern[bytes]
    parts: re.Pattern[str]

    def recognises(self, begin: bytes) -> bool:
        return self.begin.match(begin) is not None

    def starts(self, data: bytes, is_end: bool) -> Iterator[int]:
        return _game_starts(data, is_end, self.parts)

    def number_of(self, turn: int, seat: int) -> str | None:
        return number_of(turn, seat)


def _game_starts(data: bytes, is_end: bool, parts: re.Pattern[str]) -> Iterator[int]:
    """A game begins with the tags or moves behind the result of another one, with tags behind moves, with a tag that
    comes again after a blank line, and at a move 1 behind other moves. Comments and side lines do not count. What may
    change with what follows is not told (unless it is the end).
    """
    # One character for each byte; what matters is ASCII. The first line begins behind a byte order mark.
    text = data.replace(b"\xef\xbb\xbf", b"\n\n\n", int(data.startswith(b"\xef\xbb\xbf"))).decode("latin-1")
    tags: set[str] = set()
    at, depth, moves, over, tag_end = 0, 0, False, False, 0
    yield 0
    while part := parts.match(text, at):
        at = part.end()
        if not is_end and at > len(text) - _UNSURE:
            return
        match part.lastgroup:
            case "comment":
                at, is_closed = _comment_end(text, at)
                if not (is_closed or is_end) and at == len(text):
                    return
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
