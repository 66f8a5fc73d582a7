"""Games with tags and moves, as in PGN and PDN: what is written in both in the same way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from pwtool.records.importers.formats import GameText
from pwtool.records.words import MARKS, MAX_NAME
from pwtool.text.regex import regex
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import shorten

__all__ = [
    "BOTH_LOST",
    "STOPPED",
    "TAGS",
    "TAG_NAME",
    "TurnReader",
    "compare_results",
    "find_result",
    "player_names",
    "read_tags",
    "tokens",
    "tokens_of",
]

TAG_NAME = regex(r"[\w+#=:-]+")
_TAG = regex(
    rf"""(?:\s+|(?<![^\r\n])%[^\r\n]*|;[^\r\n]*|\{{[^}}]*\}})*+
    (?P<tag>\[(?:[ \t]*({TAG_NAME.pattern})[ \t]*"((?:[^"\\\r\n]|\\.|"(?![ \t]*\]))*)"[ \t]*\]|[^\r\n]*\S)?)
    [ \t]*(?:\r\n?|\n)?""",
    re.VERBOSE,
)
"""A tag, with what may stand before it; or a line that begins like one, without a name. A quotation mark within a value
should be escaped, but often is not: the value ends with one before a bracket.
"""
TAGS = regex(r'^\[(\w++) "([^"]*+)"', re.MULTILINE)
"""Tags without anything else: their names and values."""
_MARKS = MappingProxyType({str(number): mark for number, mark in enumerate(MARKS, 1)})
"""The marks of an action by the numbers (NAG) that stand for them."""
STOPPED = MappingProxyType(
    {
        "time forfeit": "time",
        "abandoned": "abandonment",
        "adjudication": "adjudication",
        "rules infraction": "forfeit",
    }
)
"""Why a game was stopped, by the tag `Termination`."""
BOTH_LOST = "0-0"
"""The result if both sides lost, or nobody won."""


def read_tags(text: str, notes: GameText) -> tuple[dict[str, str], int]:
    """The tags, and where the moves begin."""
    tags: dict[str, str] = {}
    at = 0
    while (tag := _TAG.match(text, at)) is not None:
        _, name, value = tag.groups()
        at, span = tag.end(), Span(notes.file, *tag.span("tag"))
        if name is None:
            notes.report("PW704", span, Told("this is not a tag"), Told('tags are written as in `[White "Ana"]`'))
            continue
        if "\\" in value:
            value = re.sub(r"\\(.)", r"\1", value)
        if tags.setdefault(name, value) != value:
            notes.report("PW704", span, Told("the tag `{tag}` has another value before", tag=shorten(name, 80)))
        notes.places["meta", name] = span
    return tags, at


def player_names(tags: Mapping[str, str], sides: Sequence[str]) -> list[str]:
    """The players in the order of these two sides; one without a name, or with the same name, is called by its color."""
    names = [tags.get(side, "").strip()[:MAX_NAME] for side in sides]
    plain = [name if name.strip("?") else side for name, side in zip(names, sides, strict=True)]
    return plain if plain[0] != plain[1] else list(sides)


def compare_results(tags: Mapping[str, str], end: str, known: Mapping[str, object], notes: GameText) -> str:
    """The result in the tag or behind the moves (`known`: what each means); empty if there is none. Two that mean
    different things are a problem.
    """
    told = find_result(tags, end, known)
    if told is None:
        message = Told("the tag says {first}, and the moves end with {second}", first=tags["Result"], second=end)
        notes.report("PW704", notes.locate(("meta", "Result")), message)
    return told or ""


def find_result(tags: Mapping[str, str], end: str, known: Mapping[str, object]) -> str | None:
    """The result in the tag or behind the moves, empty if there is none; None if there are two that differ."""
    tag = tags.get("Result", "")
    if tag not in known:
        return end if end in known else ""
    return None if end in known and known[end] != known[tag] else tag


def tokens_of(
    results: str, move: str = r"[^\s{};()$!?]+", mark: str = "[!?]{1,2}", bare: str = r"\d{1,6}", open_result: str = ""
) -> re.Pattern[str]:
    """The parts of the moves of a game: `results`, `move`, `mark` and `bare` (a number without a point) are patterns,
    `open_result` is as for `parts_of`.
    """
    end = rf"(?P<result>(?:{results})(?![^\s{{}};()]){f'|{re.escape(open_result)}' if open_result else ''})"
    return regex(
        rf"""(?P<space>\s+|(?<![^\r\n])%[^\r\n]*)|\{{(?P<comment>[^}}]*)(?P<closed>\}}?)|;(?P<line>[^\r\n]*)
        |(?P<mark>{mark})|(?P<open>\()|(?P<close>\))|\$(?P<nag>\d{{1,3}})|{end}
        |(?P<number>\d{{1,6}}\.+|\.+|{bare}(?=\s))|(?P<move>{move})|(?P<other>.)""",
        re.VERBOSE,
    )


def tokens(text: str, start: int, notes: GameText, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """The parts of a game without side lines, which are counted."""
    depth, over = 0, False

    def problem(begin: int, end: int, what: Told) -> None:
        notes.report("PW704", Span(notes.file, begin, end), what)

    for token in pattern.finditer(text, start):
        if token["closed"] == "" or token["other"]:
            what = Told("this comment never ends") if token["closed"] == "" else Told("this is not a part of a game")
            return problem(token.start(), token.start() + 1, what)
        if token["open"]:
            depth += 1
            notes.side_lines += 1
        elif token["close"]:
            depth -= 1
            if depth < 0:
                return problem(token.start(), token.end(), Told("no side line begins before this"))
        elif depth == 0:
            if over and (token["result"] or token["move"]):
                return problem(token.start(), token.end(), Told("the result of the game is given before"))
            yield token
            over = over or token["result"] is not None
    if depth > 0:
        end = len(text.rstrip())
        problem(end - 1, end, Told("a side line never ends"))


class TurnReader:
    """The turns of a game as they are read. A format derives from it and says what a move is (`move`). `before`: the number
    of turns before the game if it begins from a position; the first number of a move says better.
    """

    def __init__(self, names: Sequence[str], notes: GameText, before: int | None = None) -> None:
        self.names, self.notes = names, notes
        self.before, self.is_begun = before or 0, before is None
        self.turns: list[dict[str, object]] = []
        self.comment = ""
        self.result = "*"
        self.end = 0, 1
        self.is_misnumbered = False
        self._last: dict[str, object] = {}

    def move(self, word: str, span: Span) -> None:
        """Add the turn of a move, or report why it is none."""
        raise NotImplementedError

    def add(self, actions: list[dict[str, object]], span: Span) -> None:
        """Add a turn of the player whose turn it is; marks and comments belong to its last action."""
        at = len(self.turns)
        self.turns.append({"player": self.names[(self.before + at) % 2], "actions": actions})
        self.notes.places["turns", at] = span
        self._last = actions[-1]

    def read(self, token: re.Match[str]) -> None:
        span = Span(self.notes.file, token.start(), token.end())
        comment = token["comment"] or token["line"]
        if token["move"]:
            self.move(token["move"], span)
        elif token["number"]:
            self._count(token["number"], span)
        elif comment and comment.strip():
            self._say(" ".join(comment.split()))
        elif token["mark"] or token["nag"]:
            mark = (token["mark"] or "").strip("()") or _MARKS.get(token["nag"])
            if not self.turns or mark not in MARKS or self._last.setdefault("mark", mark) != mark:
                self.notes.left_out[token[0]] += 1
        elif token["result"]:
            self.result, self.end = token["result"], token.span()

    def _say(self, comment: str) -> None:
        if not self.turns:
            self.comment = f"{self.comment} {comment}".strip()
            return
        self._last["comment"] = f"{self._last.get('comment', '')} {comment}".strip()

    def _count(self, number: str, span: Span) -> None:
        """Compare the number of a move with those before: if they do not fit, something is missing."""
        digits = number.rstrip(".")
        if digits and not (self.is_begun or self.turns):
            self.before, self.is_begun = 2 * max(0, int(digits) - 1) + self.before % 2, True
        at = self.before + len(self.turns)
        expected, seconds = at // 2 + 1, at % 2 == 1
        if (digits and int(digits) != expected) or (number.endswith("..") and not seconds):
            due = f"{expected}..." if seconds else f"{expected}."
            message = Told("this is move `{number}`, but `{due}` comes next", number=number, due=due)
            if not self.is_misnumbered and not self.notes.problems:
                self.notes.report("PW704", span, message)
            # Once it is wrong, all later ones are.
            self.is_misnumbered = True
