r"""Untrusted text on its way to a terminal or a log: invisible characters and control sequences are escaped.

Escapes are those of JSON (`\u001b`, `\n`): inside a JSON text they change nothing, elsewhere they are readable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from textwrap import wrap

from pwtool.text.regex import regex

BOLD, GREEN, BLUE, RED, YELLOW, CYAN = "1", "32", "34;1", "31;1", "33;1", "36;1"
_STYLE = regex(r"(\x1b\[(?:0|1|32|34;1|31;1|33;1|36;1|1;38;5;\d{1,3})m)")
# Letters, marks and signs that leave no trace but are none of the format characters: joiners, fillers, selectors.
_INVISIBLE = regex("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
# GitHub's runner takes a line that begins with `::`, after blanks, for a command, and an older `##[` anywhere in a line.
# No command begins with `:::`.
_COMMAND = regex(r"^([ \t]*:):(?!:)|(##)\[", re.MULTILINE)


def paint(text: str, style: str, color: bool) -> str:
    """Text in one of the styles above, if color is wanted."""
    return f"\x1b[{style}m{text}\x1b[0m" if color else text


def ink(number: int) -> str:
    """The style of one of a terminal's 256 colors."""
    return f"1;38;5;{number}"


def laid_out(
    lines: Iterable[str], head: Callable[[str], tuple[int, str]], width: int | None, color: bool
) -> Iterator[str]:
    """Lines with their heads, of this length, in this style; no wider than `width`, if a word is not. What is too long
    goes on behind the head, or two columns behind the beginning of the line if the head is long.
    """
    for line in map(escape, lines):
        size, style = head(line)
        parts = [line]
        if width is not None and len(line) > width:
            begin = len(line) - len(line.lstrip())
            hang = " " * (size if begin <= size <= width // 3 else begin + 2)
            parts = wrap(
                line, width, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False
            )  # fmt: skip
        first = parts[0]
        yield f"{paint(first[:size], style, color and style != '')}{first[size:]}"
        yield from parts[1:]


NARROW = "\u202f"
"""The space that French puts before `:` and inside quotes."""


def escape(text: str) -> str:
    """Text on one line that cannot move the cursor, change colors, reverse the direction of reading or hide anything."""
    if text.isprintable() and (text.isascii() or not _INVISIBLE.search(text)):
        return text
    return "".join(
        c if c == NARROW or (c.isprintable() and not _INVISIBLE.match(c)) else json.dumps(c)[1:-1] for c in text
    )


def escape_lines(text: str, color: bool = False) -> str:
    """The same for a text of several lines; line ends stay, and so do the styles of `paint` if there is color."""
    if color and "\x1b" in text:
        parts = _STYLE.split(text)
        return "".join(part if at % 2 else escape_lines(part) for at, part in enumerate(parts))
    return "\n".join(map(escape, text.split("\n")))


def without_commands(text: str, before: str = "") -> str:
    """Text that contains no command for a build server that reads the log. `before`: the beginning of the line that it
    continues.
    """
    whole = before + text
    if "::" not in whole and "##[" not in whole:
        return text
    escaped = _COMMAND.sub(lambda match: f"{match[1]}\\u003a" if match[1] else "##\\u005b", whole)
    return escaped[len(before) :]


def is_plain(text: str) -> bool:
    """Whether a text of one line is harmless as it is."""
    return without_commands(escape(text)) == text


def line_so_far(text: str, before: str = "") -> str:
    """What `without_commands` has to know about the line that a text leaves open; `before` is the same for the earlier
    text.
    """
    line = text[text.rfind("\n") + 1 :] if "\n" in text else before + text
    begun = line.lstrip(" \t")
    return begun if begun in ("", ":") else "." + line[-2:]


def find_hidden(text: str) -> int | None:
    """The place of the first character that does not belong in a text file, or of a command for a build server; spaces
    of any width, tabs and line ends are harmless.
    """
    command = _COMMAND.search(text)
    if command is not None:
        return command.start()
    from unicodedata import category

    for at, c in enumerate(text):
        if not (c.isprintable() or c in "\n\t" or category(c) == "Zs") or _INVISIBLE.match(c):
            return at
    return None


def dump_json(data: object, *, indent: int | None = None, spaced: bool = False) -> str:
    """JSON text that is readable in any script, safe to print, and has line ends only where `indent` puts them. On one
    line it is compact unless `spaced`.
    """
    separators = (",", ":") if indent is None and not spaced else None
    text = json.dumps(data, indent=indent, ensure_ascii=False, separators=separators)
    return without_commands(escape_lines(text))
