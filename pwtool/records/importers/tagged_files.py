"""How files with tags and moves, as in PGN and PDN, are cut into games."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from pwtool.records.importers.formats import Draft, Format, GameText
from pwtool.records.importers.tagged_writing import number_of
from pwtool.text.regex import regex

__all__ = ["TaggedFormat", "parts_of"]

_UNSURE = 4096
"""How far from the end of what was read a part may still change with what follows."""
_TAG_NAME = regex(r"\[[ \t]*+([\w+#=:-]++)[ \t]*+\"")
_BRACE = regex(r"[{}]")
_TAG_BEHIND_A_BLANK_LINE = regex(r"(?:(?<=\n\n)|(?<=\n\r\n)|(?<=\r\r))\[\w++[ \t]++\"")


def parts_of(results: str, move: str, open_result: str = "") -> re.Pattern[str]:
    """The parts of a file that tell where games begin and end. `results` and `move` are patterns: how games may end, and
    how a move begins. `open_result` is a sign that ends a game wherever it stands, also behind a move. Words of lines
    that follow one another are one part, and nothing is scanned twice.
    """
    # Not before what says more at the beginning of a line than within it.
    behind = r"[ \t]*+(?:\r?\n(?![ \t]*+(?:1\.|[%\[])))?+"
    end = rf"(?P<result>(?:{results})(?![^\s{{}};()]){f'|{re.escape(open_result)}' if open_result else ''})"
    tags = r'(?:\[[ \t]*+[\w+#=:-]++[ \t]*+"(?:[^"\\\r\n]|\\.|"(?![ \t]*+\]))*+"[ \t]*+\][ \t]*+)++'
    return regex(
        rf"""[\r\n]++|(?<![^\r\n])(?:%[^\r\n]*+|[ \t]*+(?:
            (?P<tags>{tags}|\[[^\r\n]*+)
            |(?P<first>1\.)(?!\s*+\.)))
        |(?P<words>(?:{move}[^\s{{}};(){open_result}]*+{behind}(?:\d++\.++{behind})?)++)|\s++|(?P<comment>\{{)|;[^\r\n]*+|(?P<behind>{tags})
        |(?P<open>\(++)|(?P<close>\)++)|{end}|\$\d++|(?P<number>\d++\.++)|[!?]++
        |(?P<word>[^\s{{}};()!?{open_result}]++)|[^{{;()]""",
        re.VERBOSE,
    )


class TaggedFormat(Format):
    """A format of games with tags and moves. `begin`: how files begin; `parts`: see `parts_of`; `results`: how games may
    end; `signs`: what moves and their numbers are written with, as in a set of a pattern.
    """

    shares_lines = True
    is_written = True
    writes_names = True
    begin: re.Pattern[bytes]
    parts: re.Pattern[str]
    results: frozenset[str]
    signs: str

    def recognises(self, begin: bytes) -> bool:
        return self.begin.match(begin) is not None

    def starts(self, data: bytes, is_end: bool) -> Iterator[int]:
        return (start for start, _ in self.drafted_starts(data, is_end))

    def drafted_starts(self, data: bytes, is_end: bool) -> Iterator[tuple[int, Draft | None]]:
        """A game begins with the tags or moves behind the result of another one, with tags behind moves, with a tag that
        comes again after a blank line, and at a move 1 behind other moves. Comments and side lines do not count. What may
        change with what follows is not told (unless it is the end).
        """
        # One character for each byte; what matters is ASCII. The first line begins behind a byte order mark.
        text = data.replace(b"\xef\xbb\xbf", b"\n\n\n", int(data.startswith(b"\xef\xbb\xbf"))).decode("latin-1")
        at: int | None = 0
        while at is not None:
            game = self._plain.match(text, at)
            if game is not None and game.end() == len(text) and not is_end:
                game = None
            draft = None if game is None else self.plain_draft(game[1], game[2])
            yield at, draft
            if game is not None and (draft is not None or self._is_one_game(game[2])):
                at = game.end() if game.end() < len(text) else None
            else:
                at = _next_start(text, at, is_end, self.parts)

    def draft(self, game: GameText) -> Draft | None:
        plain = self._plain.fullmatch(game.text)
        return None if plain is None else self.plain_draft(plain[1], plain[2])

    def plain_draft(self, tags: str, moves: str) -> Draft | None:
        """The draft of what is nothing but lines with tags and moves; None if there is none, or perhaps several games."""
        return None

    @cached_property
    def _plain(self) -> re.Pattern[str]:
        """What most games are, which is found at once: tags, and moves, before the tags of the next game."""
        tags = r'(?<![^\r\n])((?:\[\w++ "[^"\\\r\n\0]*+"\]\r?\n)++)'
        return regex(rf"{tags}\s*+([{self.signs}*/ \r\n]++)(?:(?<=\n)(?=\[)|\Z)")

    def _is_one_game(self, moves: str) -> bool:
        """Whether these are certainly the moves of one game: no result but at the end, no first move on another line."""
        if "\r" in moves and moves.count("\r") != moves.count("\r\n"):
            return False
        # A result may stand right behind a number, and the star behind anything.
        if "\n1." in moves or "\n " in moves or ".0" in moves or ".1" in moves or ".2" in moves:
            return False
        words = moves.split()
        if "*" in moves and (moves.count("*") > 1 or words[-1] != "*"):
            return False
        # A number alone is no move.
        return bool(words) and words[-1][-1] != "." and self.results.isdisjoint(words[:-1])

    def number_of(self, turn: int, seat: int) -> str | None:
        return number_of(turn, seat)


def _next_start(text: str, begin: int, is_end: bool, parts: re.Pattern[str]) -> int | None:
    """Where the game behind the one that begins here begins; None if there is none, or that depends on what follows."""
    tags: set[str] = set()
    at, depth, moves, over, tag_end = begin, 0, False, False, 0
    while part := parts.match(text, at):
        at = part.end()
        if not is_end and at > len(text) - _UNSURE:
            return None
        match part.lastgroup:
            case "comment":
                at, is_closed = _comment_end(text, at)
                if not (is_closed or is_end) and at == len(text):
                    return None
                moves = moves or not is_closed
            case "tags" | "behind" as kind:
                names = _TAG_NAME.findall(part[kind])
                # A line break ends the tag before; another one makes a blank line.
                again = not tags.isdisjoint(names) and len(text[tag_end : part.start()].splitlines()) > 1
                if moves or again:
                    return part.start()
                tags.update(names)
                depth, tag_end = 0, at
            case "open" | "close" as side:
                depth = max(0, depth + (at - part.start()) * (1 if side == "open" else -1))
            case "result" if depth == 0:
                over = moves = True
            case "words" | "word" | "number" | "first" as kind:
                if depth == 0 and (over or (moves and kind == "first")):
                    return part.start()
                moves = moves or kind in ("words", "word")
    return None


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
