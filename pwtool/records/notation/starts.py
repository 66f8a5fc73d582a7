"""The block `start` of a game in notation: the position that it begins from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from typing import Any

from pwtool.ir.model import VariableModel, ZoneModel
from pwtool.ir.types import GOAL, Type
from pwtool.play.state import zone_labels
from pwtool.records.json_form import is_list, label_key
from pwtool.records.notation.places import Path
from pwtool.records.notation.tables import TableReader, Wrong
from pwtool.records.notation.tree import Atom, Block, Entry, Item, Joined
from pwtool.records.notation.words import Lexicon, Unclear, choose, in_quotes, quote
from pwtool.records.variables_json import kept
from pwtool.records.words import MAX_ITEMS, UNSEEN_CODE
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import quoted

Words = list[list[str]]
_MANY = re.compile(r"(.+)\*([1-9][0-9]{0,4})")
_FEW = 4
"""Fewer of the same are written one by one."""
_EMPTY = ("tokens", "variables")
_OWN = ("player", "turn", "end", *_EMPTY)
"""The entries that every game has. What a ruleset calls by such a name is written in quotes."""


class StartReader(TableReader):
    """Reads the entries of a position."""

    def start(self, block: Block) -> dict[str, Any]:
        """The position in its JSON form."""
        self.notes.places["start",] = block.span
        found: dict[str, Any] = {}
        zones: dict[str, Any] = {}
        tokens: dict[str, Any] = {}
        variables: dict[str, Any] = {}
        seen: set[tuple[str, bool]] = set()
        for entry in block.entries:
            key = self._key(entry)
            if key in seen:
                self.notes.report("PW716", entry.key.span, Told("`{name}` appears twice", name=key[0]))
            if key in seen or not entry.intact:
                continue
            seen.add(key)
            name, own = key
            with suppress(Wrong):
                if own:
                    self.notes.places["start", name] = entry.span
                    found[name] = self._own(name, entry)
                elif name in self.ruleset.zones:
                    zones[name] = self._zone(entry, self.ruleset.zones[name])
                elif name in self.ruleset.tokens:
                    tokens[name] = self._token(entry, self.lexicon.game.zone_list[self.ruleset.tokens[name].zone])
                elif name in kept(self.ruleset):
                    variables[name] = self._variable(entry, kept(self.ruleset)[name])
                else:
                    self._unknown(entry)
        found["zones"] = zones
        return found | ({"tokens": tokens} if tokens else {}) | ({"variables": variables} if variables else {})

    def _key(self, entry: Entry) -> tuple[str, bool]:
        """What an entry is about, and whether every game has it."""
        own = (*_OWN, self.ruleset.goal_zone)
        return entry.key.text, not entry.key.quoted and entry.key.text in own

    def _unknown(self, entry: Entry) -> None:
        known = [*_OWN, self.ruleset.goal_zone, *self.ruleset.zones, *self.ruleset.tokens, *kept(self.ruleset)]
        try:
            choose(entry.key.text, filter(None, known), Told("part of a position"), quoted=True)
        except Unclear as unclear:
            self.notes.report("PW712", entry.key.span, unclear.message, unclear.help)

    def _own(self, name: str, entry: Entry) -> Any:
        if name == self.ruleset.goal_zone:
            return self.lexicon.goals
        parts = self._one_group(entry)
        if name in _EMPTY:
            # Only that there are none is said in one entry.
            if not _is_nothing(parts):
                self._fail("PW714", entry.key.span, Told("each of them is an entry of its own"))
            return {}
        if len(parts) != (2 if name == "end" else 1):
            one = Told("one word is needed here")
            two = Told("the name of an ending and the number of a turn are needed here")
            self._fail("PW714", entry.key.span, two if name == "end" else one)
        if name == "player":
            return self._choose(self._plain(parts[0]), self.lexicon.players, Told("player"))
        if name == "turn":
            return self._number(parts[0], ("start", "turn"))
        endings = [ending.name for ending in self.ruleset.endings]
        rule = self._choose(self._plain(parts[0]), endings, Told("ending"))
        self.notes.places["start", "end", "rule"] = parts[0].span
        return {"rule": rule, "turn": self._number(parts[1], ("start", "end", "turn"))}

    # ---- zones

    def _zone(self, entry: Entry, zone: ZoneModel) -> Any:
        path: Path = ("start", "zones", zone.name)
        self.notes.places[path] = entry.span
        if not zone.dimensions:
            if zone.kind == "grid" and not zone.floating:
                return self._picture(entry, zone, path)
            return self._content(self._one_group(entry), zone, path, entry.key.span)
        labels = {label_key(label): label for label in zone_labels(zone, self.lexicon.players, self.lexicon.goals)}
        found: dict[str, Any] = {}
        for label, rest, span in self._labelled(entry, list(labels), is_list(zone)):
            at: Path = (*path, int(label) - 1) if is_list(zone) else (*path, *map(str, labels[label]))
            self.notes.places[at] = span
            found[label] = self._content(rest, zone, at, span)
        if is_list(zone):
            return [found[label] for label in labels]
        nested: dict[str, Any] = {}
        for label, parts in labels.items():
            inner = nested
            for part in parts[:-1]:
                inner = inner.setdefault(str(part), {})
            inner[str(parts[-1])] = found[label]
        return nested

    def _one_group(self, entry: Entry) -> list[Joined]:
        groups = self._groups(entry, ";")
        if len(groups) > 1:
            self._fail("PW714", entry.key.span, Told("`{name}` is one place, leave out the `;`", name=entry.key.text))
        return groups[0] if groups else []

    def _labelled(self, entry: Entry, labels: list[str], exact: bool) -> Iterator[tuple[str, list[Joined], Span]]:
        """What an entry says of each of these places."""
        seen: set[str] = set()
        for group in self._groups(entry, ";"):
            word = self._plain(group[0])
            label = self._choose(Atom(word.text, word.quoted or exact, word.span), labels, Told("place for it"))
            if label in seen:
                self._fail("PW714", word.span, Told("`{name}` appears twice", name=label))
            seen.add(label)
            yield label, group[1:], Span(word.span.file, word.span.start, group[-1].span.end)
        missing = [label for label in labels if label not in seen]
        if missing:
            shown = quoted(missing, most=6)
            message = Told("`{name}` does not say what there is for {places}", name=entry.key.text, places=shown)
            self._fail("PW714", entry.key.span, message)

    def _content(self, group: list[Joined], zone: ZoneModel, path: Path, span: Span) -> Any:
        if zone.kind == "grid":
            if len(group) % 2:
                self._fail("PW714", span, Told("a cell and what lies on it are needed, one after the other"))
            return [
                [*self._cell(cell, zone), self._pile(things, zone, (*path, at, 2))]
                for at, (cell, things) in enumerate(zip(group[::2], group[1::2], strict=True))
            ]
        if zone.kind == "slot":
            if len(group) > 1:
                self._fail("PW714", group[1].span, Told("one thing lies here at most"))
            return self._word(zone.element, group[0], path) if group else None
        return self._words(zone.element, list(self._counted(group, zone)), path)

    def _counted(self, group: list[Joined], zone: ZoneModel) -> Iterator[Joined]:
        """The things of a list, with `X*3` for three of the same."""
        codes = zone.element.component and self.ruleset.components[zone.element.component].numbers
        for part in group:
            item = part.items[0]
            found = _MANY.fullmatch(item.atoms[0].text) if len(part.items) == 1 and item.sign == "" else None
            if found is None or item.atoms[0].quoted or item.atoms[0].text in (codes or ()):
                yield part
                continue
            if (count := int(found[2])) > MAX_ITEMS:
                self._fail("PW714", part.span, Told("at most {most} things lie in one place", most=MAX_ITEMS))
            yield from [Joined((Item("", (Atom(found[1], False, part.span),), part.span),), part.span)] * count

    def _pile(self, part: Joined, zone: ZoneModel, path: Path) -> list[Any]:
        self.notes.places[path[:-1]] = part.span
        return self._words(zone.element, [Joined((i,), i.span) for i in part.items if i.sign != "-"], path)

    def _picture(self, entry: Entry, zone: ZoneModel, path: Path) -> list[Any]:
        """A grid row by row, with a `-` for each empty cell."""
        found: list[Any] = []
        for y, row in enumerate(self._rows(entry, zone.name, zone)):
            for x, part in enumerate(row):
                if things := self._pile(part, zone, (*path, len(found), 2)):
                    found.append([x, y, things])
        return found

    def _cell(self, part: Joined, zone: ZoneModel | None) -> list[int]:
        item = part.items[0]
        words = tuple(atom.text for atom in item.atoms)
        cell = None
        if len(part.items) == 1 and item.sign == ",":
            with suppress(Unclear):
                cell = self.lexicon.coordinates(words)
        elif len(part.items) == 1 and item.sign == "":
            cell = self.lexicon.cell_in(zone, words[0])
        if cell is None:
            self._fail("PW712", part.span, Told("`{text}` is not a cell", text=part.span.text[:30]))
        return cell

    # ---- tokens and variables

    def _token(self, entry: Entry, zone: ZoneModel) -> Any:
        path: Path = ("start", "tokens", entry.key.text)
        self.notes.places[path] = entry.span
        group = self._one_group(entry)
        if _is_nothing(group):
            return None
        if len(group) != (2 if zone.dimensions else 1):
            needed = Told("a player and a cell are needed here") if zone.dimensions else Told("a cell is needed")
            self._fail("PW714", entry.key.span, needed)
        owner = {"player": self._player(group[0], {})} if zone.dimensions else {}
        self.notes.places[*path, "at"] = group[-1].span
        return owner | {"at": self._cell(group[-1], None if zone.floating else zone)}

    def _variable(self, entry: Entry, variable: VariableModel) -> Any:
        path: Path = ("start", "variables", variable.name)
        self.notes.places[path] = entry.span
        if not variable.each:
            return self._held(self._one_group(entry), variable.type, path, entry.key.span)
        found: dict[str, Any] = {}
        for name, rest, span in self._labelled(entry, self.lexicon.players, False):
            self.notes.places[*path, name] = span
            found[name] = self._held(rest, variable.type, (*path, name), span)
        return {name: found[name] for name in self.lexicon.players}

    def _held(self, group: list[Joined], t: Type, path: Path, span: Span) -> Any:
        if _is_unknown(group):
            return UNSEEN_CODE
        if t.is_collection and t.element is not None:
            return [self._one(part, t.element, (*path, at)) for at, part in enumerate(group)]
        if len(group) != 1:
            self._fail("PW714", span, Told("one value is needed here"))
        return None if t.optional and _is_nothing(group) else self._one(group[0], t, path)

    def _one(self, part: Joined, t: Type, path: Path) -> Any:
        if t.kind != "cell":
            return self._word(t, part, path)
        self.notes.places[path] = part.span
        return self._cell(part, self.lexicon.zone_with(t))


def _is_nothing(group: list[Joined]) -> bool:
    return len(group) == 1 and len(group[0].items) == 1 and group[0].items[0].sign == "-"


def _is_unknown(group: list[Joined]) -> bool:
    atoms = [atom for part in group for item in part.items for atom in item.atoms]
    return len(atoms) == 1 and atoms[0].text == UNSEEN_CODE and not atoms[0].quoted


# ---- writing


def start_entries(start: dict[str, Any], lexicon: Lexicon) -> Iterator[tuple[str, Words, str]]:
    """The entries of a position: a key, groups of words, and the sign between these."""
    ruleset, word = lexicon.game.ruleset, lexicon.word
    if "player" in start:
        yield "player", [[quote(start["player"])]], ";"
    if "turn" in start:
        yield "turn", [[str(start["turn"])]], ";"
    if "end" in start:
        yield "end", [[quote(start["end"]["rule"]), str(start["end"]["turn"])]], ";"
    if ruleset.goal_zone in start:
        yield ruleset.goal_zone, [[word(GOAL, goal) for goal in start[ruleset.goal_zone]]], ";"

    for name in _EMPTY:
        if start.get(name) == {}:
            yield name, [["-"]], ";"

    def key(name: str) -> str:
        return in_quotes(name) if name in (*_OWN, ruleset.goal_zone) else name

    for name, zone in ruleset.zones.items():
        if name in start["zones"]:
            yield (key(name), *_zone_words(zone, start["zones"][name], lexicon))
    for name, place in start.get("tokens", {}).items():
        zone = lexicon.game.zone_list[ruleset.tokens[name].zone]
        at = [] if place is None else [lexicon.word_in(None if zone.floating else zone, place["at"])]
        owner = [quote(place["player"])] if place is not None and "player" in place else []
        yield key(name), [[*owner, *at] or ["-"]], ";"
    for name, value in start.get("variables", {}).items():
        variable = kept(ruleset)[name]
        parts = [([quote(p)], value[p]) for p in lexicon.players] if variable.each else [([], value)]
        yield key(name), [[*label, *_held_words(part, variable.type, lexicon)] for label, part in parts], ";"


def _zone_words(zone: ZoneModel, content: Any, lexicon: Lexicon) -> tuple[Words, str]:
    if not zone.dimensions and zone.kind == "grid" and not zone.floating:
        lying = {(x, y): "+".join(lexicon.word(zone.element, item) for item in items) for x, y, items in content}
        width = max(map(len, lying.values()), default=1)
        rows = [[lying.get((x, y), "-").ljust(width) for x in range(zone.width)] for y in range(zone.height)]
        return [[*row[:-1], row[-1].rstrip()] for row in rows], " /"
    if not zone.dimensions:
        return [_content_words(zone, content, lexicon)], ";"
    groups = []
    for label in zone_labels(zone, lexicon.players, lexicon.goals):
        part = content
        for at in label:
            part = part[at - 1] if is_list(zone) else part[str(at)]
        groups.append([quote(label_key(label)), *_content_words(zone, part, lexicon)])
    return groups, ";"


def _content_words(zone: ZoneModel, content: Any, lexicon: Lexicon) -> list[str]:
    if zone.kind == "grid":
        place = None if zone.floating else zone
        cells = [(lexicon.word_in(place, [x, y]), items) for x, y, items in content]
        return [w for cell, items in cells for w in (cell, "+".join(lexicon.word(zone.element, i) for i in items))]
    things = ([] if content is None else [content]) if zone.kind == "slot" else content
    words = []
    for word, same in groupby(lexicon.word(zone.element, item) for item in things):
        count = len(list(same))
        words += [f"{word}*{count}"] if count >= _FEW and word == quote(word) else [word] * count
    return words


def _held_words(value: Any, t: Type, lexicon: Lexicon) -> list[str]:
    if value == UNSEEN_CODE:
        return [UNSEEN_CODE]
    if t.is_collection and t.element is not None:
        return [word for part in value for word in _held_words(part, t.element, lexicon)]
    if value is None:
        return ["-"]
    return [lexicon.word_in(lexicon.zone_with(t), value) if t.kind == "cell" else lexicon.word(t, value)]
