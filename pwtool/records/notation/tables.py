"""The blocks `setup` and `result` of a game in notation."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, NoReturn

from pwtool.ir.model import SetupModel, ZoneModel
from pwtool.ir.types import GOAL, Type
from pwtool.kernel.answers import STOPPED
from pwtool.records.notation.places import Notes, Path
from pwtool.records.notation.tree import Atom, Block, Entry, Joined
from pwtool.records.notation.words import Lexicon, Unclear, choose, short
from pwtool.records.words import UNSEEN_CODE
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import quoted

_NUMBER = re.compile(r"-?[0-9]{1,30}")
_Group = list[Joined]


class Wrong(Exception):
    """An error in an entry that was already reported; the rest of the entry is skipped."""


class TableReader:
    """Reads the entries of both blocks."""

    def __init__(self, lexicon: Lexicon, notes: Notes) -> None:
        self.lexicon = lexicon
        self.notes = notes
        self.ruleset = lexicon.game.ruleset

    # ---- setup

    def goals(self, block: Block | None, root: str) -> list[str]:
        """The objectives in play, which have to be known before anything else is read; `root` is the block."""
        name = self.ruleset.goal_zone
        entry = next((e for e in block.entries if e.key.text == name), None) if block and name else None
        found: list[str] = []
        for part in entry.parts if entry else ():
            try:
                found.append(self._word(GOAL, part, (root, name, len(found))))
            except Wrong:
                continue
        return found

    def setup(self, block: Block) -> dict[str, Any]:
        """Everything that is dealt and chosen."""
        steps = {step.name: step for step in self.ruleset.setup if step.recorded}
        goal_zone = self.ruleset.goal_zone
        known = [goal_zone, *steps] if goal_zone else list(steps)
        setup: dict[str, Any] = {}
        self.notes.places["setup",] = block.span
        for entry in self._entries(block, known, Told("step of the setup")):
            name = entry.key.text
            self.notes.places["setup", name] = entry.span
            if name == goal_zone:
                setup[name] = self.lexicon.goals
            elif entry.intact:
                try:
                    setup[name] = self._dealt(entry, steps[name])
                except Wrong:
                    continue
        named = {e.key.text for e in block.entries}
        for name in known:
            if name not in named:
                self.notes.report("PW716", block.span, Told("`{name}` is missing in `setup`", name=name))
        return setup

    def _dealt(self, entry: Entry, step: SetupModel) -> Any:
        zone = self.lexicon.game.zone_list[step.zone]
        path: Path = ("setup", step.name)
        if step.spread:
            return self._spread(entry, step, zone, path)
        groups = self._groups(entry, ";")
        if not zone.dimensions:
            if len(groups) > 1:
                self._fail(
                    "PW714", entry.key.span, Told("`{name}` goes to one place, leave out the `;`", name=step.name)
                )
            return self._cards(groups[0] if groups else [], step, zone, path, entry.key.span)
        labels = self.lexicon.labels(zone)
        found: dict[str, Any] = {}
        numbered = len(zone.dimensions) == 1 and zone.dimensions[0][0] == "number"
        for group in groups:
            word = self._plain(group[0])
            try:
                label = choose(word.text, labels, Told("place for it"), word.quoted or numbered)
            except Unclear as unclear:
                self.notes.unclear(word.span, unclear)
                continue
            if label in found:
                self._fail("PW714", word.span, Told("`{name}` appears twice", name=label))
            at: Path = (*path, int(label) - 1 if numbered else label)
            whole = Span(word.span.file, word.span.start, group[-1].span.end)
            self.notes.places[at] = whole
            found[label] = None
            with suppress(Wrong):
                found[label] = self._cards(group[1:], step, zone, at, whole)
        missing = [label for label in labels if label not in found]
        if missing:
            shown = quoted(missing, most=6)
            self._fail(
                "PW714",
                entry.key.span,
                Told("`{name}` does not say what goes to {places}", name=step.name, places=shown),
            )
        return [found[label] for label in labels] if numbered else found

    def _rows(self, entry: Entry, name: str, zone: ZoneModel) -> list[_Group]:
        """The places of a grid, row by row."""
        rows = self._groups(entry, "/")
        if len(rows) != zone.height or any(len(row) != zone.width for row in rows):
            message = Told(
                "`{name}` is {height} rows with `/` between them, each with {width} places",
                name=name,
                height=zone.height,
                width=zone.width,
            )
            self._fail("PW714", entry.key.span, message)
        return rows

    def _spread(self, entry: Entry, step: SetupModel, zone: ZoneModel, path: Path) -> list[Any]:
        rows = self._rows(entry, step.name, zone)
        return [
            [self._at_cell(part, step, zone, (*path, y, x)) for x, part in enumerate(row)] for y, row in enumerate(rows)
        ]

    def _at_cell(self, part: Joined, step: SetupModel, zone: ZoneModel, path: Path) -> Any:
        self.notes.places[path] = part.span
        if step.amount == 1:
            return self._word(zone.element, part, path)
        return self._words(zone.element, [Joined((i,), i.span) for i in part.items if i.sign != "-"], path)

    def _cards(self, group: _Group, step: SetupModel, zone: ZoneModel, path: Path, span: Span) -> Any:
        if step.amount != 1:
            return self._words(zone.element, group, path)
        if len(group) != 1:
            self._fail("PW714", span, Told("one {what} is needed here", what=zone.element.component or Told("thing")))
        return self._word(zone.element, group[0], path)

    # ---- result

    def result(self, block: Block) -> dict[str, Any]:
        """The recorded end of the game."""
        self.notes.places["result",] = block.span
        readers = {
            "scores": self._scores,
            "parts": self._parts,
            "ranking": self._ranking,
            "end": self._end,
            "stopped": self._stopped,
        }
        result: dict[str, Any] = {}
        for entry in self._entries(block, list(readers), Told("part of the result")):
            name = entry.key.text
            self.notes.places["result", name] = entry.span
            if entry.intact:
                try:
                    result[name] = readers[name](entry)
                except Wrong:
                    continue
        return result

    def _scores(self, entry: Entry) -> dict[str, int]:
        scores: dict[str, int] = {}
        for group in self._groups(entry, ";"):
            name = self._player(group[0], scores)
            if len(group) != 2:
                self._fail("PW714", group[0].span, Told("a player and a number are needed here"))
            scores[name] = self._number(group[1], ("result", "scores", name))
        return scores

    def _parts(self, entry: Entry) -> dict[str, dict[str, int]]:
        lines = [score.name for score in self.ruleset.scores]
        parts: dict[str, dict[str, int]] = {}
        for group in self._groups(entry, ";"):
            name = self._player(group[0], parts)
            self.notes.places["result", "parts", name] = group[0].span
            parts[name] = {}
            for key, number in zip(group[1::2], [*group[2::2], None], strict=False):
                line = self._choose(self._plain(key), lines, Told("score line"))
                if line in parts[name]:
                    self._fail("PW714", key.span, Told("`{name}` appears twice", name=line))
                if number is None:
                    self._fail("PW714", key.span, Told("a number is missing after `{name}`", name=line))
                else:
                    parts[name][line] = self._number(number, ("result", "parts", name, line))
        return parts

    def _ranking(self, entry: Entry) -> list[list[str]]:
        ranking: list[list[str]] = []
        sign = ">"
        for part in entry.parts:
            if isinstance(part, Atom):
                if sign or part.text not in (">", "="):
                    self._fail(
                        "PW711",
                        part.span,
                        Told("unexpected `{text}`", text=part.text),
                        Told("write `Ana > Ben = Leo`, best first"),
                    )
                sign = part.text
                continue
            word = self._plain(part)
            if not sign:
                self._fail("PW711", part.span, Told("a `>` or `=` is missing before it"))
            name = self._choose(word, self.lexicon.players, Told("player"))
            if any(name in group for group in ranking):
                self._fail("PW714", part.span, Told("`{name}` appears twice", name=name))
            if sign == ">":
                ranking.append([])
            ranking[-1].append(name)
            self.notes.places["result", "ranking", len(ranking) - 1, len(ranking[-1]) - 1] = part.span
            sign = ""
        if sign and ranking:
            self._fail("PW711", entry.parts[-1].span, Told("a player is missing after it"))
        return ranking

    def _end(self, entry: Entry) -> dict[str, Any] | None:
        groups = self._groups(entry, ";")
        words = [self._plain(part) for part in (groups[0] if groups else [])]
        if [w.text for w in words] == ["none"]:
            return None
        end: dict[str, Any] = {}
        for word in words:
            key = "turn" if _NUMBER.fullmatch(word.text) and not word.quoted else "rule"
            if key in end or (key == "rule" and end):
                self._fail("PW714", word.span, Told("the end is the name of an ending and the number of a turn"))
            self.notes.places["result", "end", key] = word.span
            names = [ending.name for ending in self.ruleset.endings]
            end[key] = int(word.text) if key == "turn" else self._choose(word, names, Told("ending"))
        return end

    def _stopped(self, entry: Entry) -> str | None:
        words = [self._plain(part) for part in entry.parts]
        if len(words) != 1:
            self._fail("PW714", entry.span, Told("one of {words} is needed here", words=quoted(STOPPED)))
        return self._choose(words[0], list(STOPPED), Told("reason"))

    # ---- parts of entries

    def _entries(self, block: Block, known: list[str], what: Told) -> list[Entry]:
        found: dict[str, Entry] = {}
        for entry in block.entries:
            name = entry.key.text
            if name in found:
                self.notes.report("PW716", entry.key.span, Told("`{name}` appears twice", name=name))
            elif name not in known:
                try:
                    choose(name, known, what, quoted=True)
                except Unclear as unclear:
                    self.notes.report("PW712", entry.key.span, unclear.message, unclear.help)
            else:
                found[name] = entry
        return list(found.values())

    def _groups(self, entry: Entry, sign: str) -> list[_Group]:
        """The values between the signs; there may be a sign after the last one."""
        groups: list[_Group] = [[]]
        for part in entry.parts:
            if isinstance(part, Joined):
                groups[-1].append(part)
            elif part.text == sign and groups[-1]:
                groups.append([])
            else:
                self._fail("PW711", part.span, Told("unexpected `{text}`", text=part.text))
        return groups if groups[-1] else groups[:-1]

    def _plain(self, part: Joined | Atom) -> Atom:
        if isinstance(part, Atom) or len(part.items) != 1 or part.items[0].sign:
            self._fail(
                "PW711",
                part.span,
                Told("unexpected `{text}`", text=short(part.span.text)),
                Told("one word is needed here"),
            )
        return part.items[0].atoms[0]

    def _word(self, t: Type, part: Joined | Atom, path: Path) -> Any:
        word = self._plain(part)
        self.notes.places[path] = word.span
        try:
            return self.lexicon.value(t, word.text, word.quoted and word.text != UNSEEN_CODE)
        except Unclear as unclear:
            self.notes.unclear(word.span, unclear)
            raise Wrong from None

    def _words(self, t: Type, parts: _Group, path: Path) -> list[Any]:
        """Several values; all errors in them are reported."""
        found: list[Any] = []
        for at, part in enumerate(parts):
            with suppress(Wrong):
                found.append(self._word(t, part, (*path, at)))
        if len(found) < len(parts):
            raise Wrong
        return found

    def _choose(self, word: Atom, names: list[str], what: Told) -> str:
        try:
            return choose(word.text, names, what, word.quoted)
        except Unclear as unclear:
            self.notes.unclear(word.span, unclear)
            raise Wrong from None

    def _player(self, part: Joined, seen: dict[str, Any]) -> str:
        name = self._choose(self._plain(part), self.lexicon.players, Told("player"))
        if name in seen:
            self._fail("PW714", part.span, Told("`{name}` appears twice", name=name))
        return name

    def _number(self, part: Joined, path: Path) -> int:
        word = self._plain(part)
        self.notes.places[path] = word.span
        if word.quoted or not _NUMBER.fullmatch(word.text):
            self._fail("PW712", word.span, Told("`{text}` is not a number", text=short(word.text)))
        return int(word.text)

    def _fail(self, code: str, span: Span, message: str, help_line: str | None = None) -> NoReturn:
        self.notes.report(code, span, message, help_line)
        raise Wrong
