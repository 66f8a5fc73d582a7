"""Rows of clean games, written from the words in which a kernel answers: a result for each would take longer than its
verdict.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from pwtool.checking.report import FileResult, Played, Verdict
from pwtool.checking.rows import Claim, Row, row_of
from pwtool.kernel.answers import Answer
from pwtool.kernel.module import Kernel
from pwtool.records.file_names import split_line
from pwtool.records.inputs import Text
from pwtool.text.regex import regex

if TYPE_CHECKING:
    from pwtool.checking.kernels import Named

MAX_PLAYERS = 10_000
"""How many lists of names are kept at once."""
# What everybody writes like this in JSON.
_STRING = rb'"[^"\\\x00-\x1f\x7f-\xff]*+"'
_NAMES = regex(rb"\[%b(?:,%b)*+\]" % (_STRING, _STRING))
_PLAIN = bytes(set(range(0x20, 0x7F)) - {*b'"\\'})


class _Form(Struct):
    """A row with holes, and which words of an answer fill those for numbers."""

    text: bytes
    numbers: Callable[[Any], tuple[int, ...]]


class CleanRows:
    """The rows of the clean games of one ruleset, as `row_of` has them."""

    def __init__(self, kernel: Kernel, named: Named) -> None:
        self._kernel, self._named = kernel, named
        self._forms: dict[tuple[int, int, int], _Form] = {}
        self._claims: dict[tuple[int, int], bytes] = {}
        self._players: set[bytes] = set()
        self._file, self._begin = "", b""

    def row(self, text: Text, words: array[int]) -> bytes | None:
        """The row of a game, a line of JSON, for this answer; None if the game has to be read for it."""
        data, answer = text.data, self._kernel.answer
        players = data[words[Answer.NAMES] : words[Answer.NAMES_END]]
        id_ = data[words[Answer.ID] : words[Answer.ID_END]] or b"null"
        if players not in self._players:
            if not _NAMES.fullmatch(players):
                return None
            if len(self._players) >= MAX_PLAYERS:
                self._players.clear()
            # The same people play many games.
            self._players.add(players)
        # Of a text that everybody writes alike, its quotes are left.
        if not ((id_ == b"null" or id_.translate(None, _PLAIN) == b'""') and self._begins(text)):
            return None
        key = words[Answer.PLAYERS], words[Answer.OVER], words[Answer.ENDING] if words[Answer.OVER] else -1
        form = self._forms.get(key)
        if form is None:
            form = self._forms[key] = self._form(*key)
        if key[1]:
            # Places count from 1.
            first = answer.TOTALS + answer.players * (1 + answer.lines)
            for at in range(first, first + key[0]):
                words[at] += 1
        claims = b""
        if self._named.objectives:
            found = iter(words[answer.claims :])
            claims = b",".join(
                [self._claims.get(claim) or self._claim(claim) for claim in zip(found, found, strict=True)]
            )
        return form.text % (self._begin, text.line, id_, players, *form.numbers(words), claims)

    def _begins(self, text: Text) -> bool:
        """Whether the row begins with the file and the line of a text."""
        if text.file != self._file:
            if split_line(text.name) != (text.file, text.line):
                return False
            try:
                self._file, self._begin = text.file, msgspec.json.encode(text.file)
            except UnicodeEncodeError:
                return False
        return text.name == f"{text.file}:{text.line}"

    def _claim(self, claim: tuple[int, int]) -> bytes:
        goal, turn = claim
        found = self._claims[claim] = msgspec.json.encode(Claim(self._named.objectives[goal], turn or None))
        return found

    def _form(self, players: int, over: int, ending: int) -> _Form:
        answer, scores = self._kernel.answer, self._named.scores
        seats, each = range(players), 1 + answer.lines
        numbers = [Answer.TURNS, Answer.ACTIONS]
        holes = {"file": b"%b", "line": b"%d", "id": b"%b", "players": b"%b", "turns": b"%d", "actions": b"%d"}
        played = Played(("",) * players, 0, 0, bool(over))
        if over:
            played = Played(("",) * players, 0, 0, True, (0,) * players, ending=self._named.endings[ending])
            first = answer.TOTALS + answer.players * each
            numbers += [
                Answer.ENDING_TURN,
                *(answer.TOTALS + seat * each for seat in seats),
                *range(first, first + players),
            ]
            numbers += [answer.TOTALS + seat * each + 1 + line for seat in seats for line in range(len(scores))]
            lines = b"{%b}" % b",".join(_constant(name) + b":%d" for name in scores)
            holes |= {"ending_turn": b"%d", "scores": _listed(b"%d", players), "places": _listed(b"%d", players)}
            holes["lines"] = _listed(lines, players)
        holes["claims"] = b"[%b]"
        result = FileResult("", self._kernel.address, Verdict.CLEAN, played=played, version=self._named.ruleset.version)
        sample = row_of(result)
        parts = ((name, holes.get(name) or _constant(getattr(sample, name))) for name in Row.__struct_fields__)
        text = b"{%b}" % b",".join(_constant(name) + b":" + part for name, part in parts)
        return _Form(text, itemgetter(*numbers))


def _constant(value: object) -> bytes:
    return msgspec.json.encode(value).replace(b"%", b"%%")


def _listed(part: bytes, count: int) -> bytes:
    return b"[%b]" % b",".join([part] * count)
