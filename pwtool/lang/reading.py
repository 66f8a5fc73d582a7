"""Reads rules files without mistakes, by the tables of the grammar.

Lark makes the tables, and finds out what is wrong where this reader stops. To import it and to make its parser takes
longer than to read all files of a game here. Trees have the form of Lark's: a rule whose name begins with `_` gives its
parts to the rule around it, as does one that passes a single part on; a missing optional part is None.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Any

from msgspec import Struct

from pwtool.lang.stored_tables import Match, Plain, first_of, matching, stored_tables

END = "$END"
_NOWHERE = -1


class Word(Struct):
    """A word or sign of the text, of one kind of the grammar, from `first` to `last`."""

    kind: str
    text: str
    first: int
    last: int


class Tree(Struct):
    """A construct with its parts: from `start` to `end`, or with signs around it that no part keeps, from `first` to `last`."""

    data: str
    parts: list[Any]
    start: int = _NOWHERE
    end: int = _NOWHERE
    first: int = _NOWHERE
    last: int = _NOWHERE


class _Rule(Struct):
    """How a rule makes a tree of so many values: those that are kept, each with whether its parts are taken in its place and
    with the number of missing parts before it. `passes`: a single part is passed on, `only_passes`: always.
    """

    origin: str
    name: str
    size: int
    kept: list[tuple[int, bool, int]]
    missing: int
    passes: bool
    only_passes: bool

    def made(self, values: list[Any]) -> Any:
        """The value of the rule."""
        parts: list[Any] = []
        for at, opened, before in self.kept:
            if before:
                parts += [None] * before
            if not opened:
                parts.append(values[at])
            elif parts:
                parts += values[at].parts
            else:
                # A list grows at its end: to copy it each time would take too long.
                parts = values[at].parts
        if self.missing:
            parts += [None] * self.missing
        made = parts[0] if self.passes and len(parts) == 1 else Tree(self.name, parts)
        if type(made) is Tree:
            for value in values:
                if value is not None and value.first >= 0:
                    made.first = value.first
                    made.start = value.first if made.start < 0 else made.start
                    break
            for value in reversed(values):
                if value is not None and value.last >= 0:
                    made.last = value.last
                    made.end = value.last if made.end < 0 else made.end
                    break
        return made


class Automaton:
    """The automaton of the grammar. What of it is needed is made when it is first needed."""

    def __init__(self, tables: Plain) -> None:
        self._tables = tables
        terminals = [(t["priority"], t["pattern"], t["name"]) for t in tables["terminals"]]
        # In this order, as Lark has it, the first that matches counts.
        terminals.sort(
            key=lambda t: (-t[0], -t[1].get("_width", (0, len(t[1]["value"])))[1], -len(t[1]["value"]), t[2])
        )
        self.terminals = {
            name: pattern["value"] if "_width" in pattern else re.escape(pattern["value"])
            for _, pattern, name in terminals
        }
        self._ignored = frozenset(tables["lexer"]["ignore"])
        ((_, self._begin, self._done),) = tables["ends"]
        self._origins = frozenset(rule[0] for rule in tables["rules"])
        self._steps: dict[int, dict[str, int]] = {}
        self._rules: dict[int, _Rule] = {}
        self._matching: dict[int, dict[str, list[tuple[str, Match, bool]]]] = {}
        self._all = [
            ((name, matching(pattern), name in self._ignored), first_of(pattern))
            for name, pattern in self.terminals.items()
        ]
        self._beginning: dict[str, list[tuple[str, Match, bool]]] = {}

    def tree(self, text: str) -> Tree | None:
        """The tree of a text; None if it has a mistake."""
        states, values = [self._begin], list[Any]()
        return self._read(text, states, values) if self._feed(text, states, values) else None

    def expected(self, text: str) -> frozenset[str]:
        """The terminals that may follow the beginning of a text."""
        states = [self._begin]
        self._feed(text, states, [])
        return frozenset(self._row(states[-1]))

    def _read(self, text: str, states: list[int], values: list[Any]) -> Tree | None:
        found = values[-1] if self._take(END, None, states, values) else None
        return found if isinstance(found, Tree) else None

    def _feed(self, text: str, states: list[int], values: list[Any]) -> bool:
        """Read a text; returns whether all of it can be read."""
        at, end, matching_ = 0, len(text), self._matching
        while at < end:
            state, first = states[-1], text[at]
            try:
                known = matching_[state][first]
            except KeyError:
                known = self._able(state, first)
            for kind, match, ignored in known:  # noqa: B007
                if found := match(text, at, end):
                    break
            else:
                return False
            begin, at = at, at + len(found)
            if not ignored and not self._take(kind, Word(kind, found, begin, at), states, values):
                return False
        return True

    def _take(self, kind: str, word: Word | None, states: list[int], values: list[Any]) -> bool:
        """Take a word (None: the end of the text) after all rules that are complete before it; returns whether it may follow."""
        steps = self._steps
        while (step := (steps.get(states[-1]) or self._row(states[-1])).get(kind)) is not None:
            if step >= 0:
                states.append(step)
                values.append(word)
                return True
            rule = self._rules.get(step) or self._rule(step)
            size = rule.size
            if rule.only_passes:
                del states[-1]
            elif size:
                made = rule.made(values[-size:])
                del values[-size:], states[-size:]
                values.append(made)
            else:
                values.append(rule.made([]))
            states.append((steps.get(states[-1]) or self._row(states[-1]))[rule.origin])
            if word is None and states[-1] == self._done:
                return True
        return False

    def _row(self, state: int) -> dict[str, int]:
        """What a state does with each symbol: the state that follows, or a rule that is complete (-1 less its number)."""
        row = self._steps.get(state)
        if row is None:
            shifted, targets, *reduced = self._tables["states"][state]
            sets = self._tables["sets"]
            row = dict(zip(sets[shifted], targets, strict=True))
            for symbols, rule in zip(reduced[::2], reduced[1::2], strict=True):
                row |= dict.fromkeys(sets[symbols], -1 - rule)
            # Kept when it is whole: other threads may read it then.
            self._steps[state] = row
        return row

    def _able(self, state: int, first: str) -> list[tuple[str, Match, bool]]:
        """The terminals that may come in a state and begin with a character."""
        known = self._matching.setdefault(state, {})
        if first not in known:
            if first not in self._beginning:
                self._beginning[first] = [able for able, begins in self._all if begins is None or first in begins]
            row = self._row(state)
            known[first] = [able for able in self._beginning[first] if able[0] in row or able[2]]
        return known[first]

    def _rule(self, step: int) -> _Rule:
        origin, symbols, _, alias, number = self._tables["rules"][-1 - step]
        option = self._tables["rule options"][number]
        # Each part that is missing stands for one or more symbols that are not there.
        absent = [at for at, is_absent in enumerate([*option["empty_indices"], False]) if not is_absent]
        gaps = [b - a - 1 for a, b in pairwise([-1, *absent])] if option["empty_indices"] else [0] * (len(symbols) + 1)
        kept: list[tuple[int, bool, int]] = []
        missing = 0
        for at, symbol in enumerate(symbols):
            missing += gaps[at]
            if option["keep_all_tokens"] or not symbol.startswith("-"):
                kept.append((at, symbol in self._origins and symbol.startswith("_"), missing))
                missing = 0
        name = alias or option["template_source"] or origin
        passes = option["expand1"] and not alias
        missing += gaps[-1]
        only_passes = passes and len(symbols) == 1 and kept == [(0, False, 0)] and not missing
        made = self._rules[step] = _Rule(origin, name, len(symbols), kept, missing, passes, only_passes)
        return made


@cache
def automaton() -> Automaton:
    """The automaton of the grammar."""
    tables = stored_tables()
    if tables is None:
        from pwtool.lang.tables import build_parser, tables_of

        tables = tables_of(build_parser())
    return Automaton(tables)
