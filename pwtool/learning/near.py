"""Which items may be behind a refusal: the refusing rule first, then what it reads, and what writes that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pwtool.lang import tree as n
from pwtool.lang.merged import Key
from pwtool.lang.traversal import walk
from pwtool.learning.texts import Items

UNTOUCHED = ("source", "section", "ambiguity", "erratum", "invariant", "players")
_WRITTEN = ("var", "zone", "token")
_BY_CODE = {
    "PW603": ("turn", "anytime", "ending"),
    "PW604": ("turn", "ending", "setup"),
    "PW605": ("consequence", "turn"),
    "PW606": ("ending", "turn"),
    "PW607": ("ending", "turn"),
    "PW608": ("score", "ranking", "ending"),
    "PW609": ("deck", "setup"),
    "PW612": ("turn", "ending", "anytime"),
    "PW615": ("turn", "ending"),
    "PW619": ("var", "zone"),
}
"""The kinds of items that findings of a code are about, whatever rule they name."""
MOST_CONDITIONS = 24
AWAY = 2
"""How many steps away an item is that is seldom behind a finding."""


@dataclass(slots=True)
class Near:
    """The items of a ruleset, and for each the items next to it."""

    items: Items
    _named: dict[str, list[Key]] = field(default_factory=lambda: defaultdict(list))
    _names: dict[Key, set[str]] = field(default_factory=dict)
    _writers: dict[str, list[Key]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for key, node in self.items.items():
            if key[0] in UNTOUCHED:
                continue
            if key[0] not in ("rule", "turn", "ranking", "score", "ending"):
                self._named[key[1]].append(key)
            for attribute in getattr(node, "attributes", ()):
                self._named[attribute.name.name].append(key)
        for key, node in self.items.items():
            if key[0] in UNTOUCHED:
                continue
            self._names[key] = {part.name for part in walk(node) if isinstance(part, n.Name)}
            if any(isinstance(part, n.Binary) and part.operator == "fulfils" for part in walk(node)):
                # Any objective may be meant.
                self._names[key] |= {name for kind, name in self.items if kind == "objective"}
            if isinstance(node, n.Action | n.Consequence):
                for name in _targets(node):
                    self._writers[name].append(key)

    def seeds(self, code: str, rule: str) -> list[Key]:
        """The items that a finding names or is about."""
        name = rule.partition(".")[0]
        found = [
            ("rule", rule), ("consequence", rule), ("ending", rule), ("score", rule.partition(".")[2]),
            ("setup", rule.partition(".")[2] if name == "setup" else ""),
        ]  # fmt: skip
        if code in ("PW602", "PW619"):
            found += [("action", name), ("consequence", name)]
        kinds = _BY_CODE.get(code, ())
        if rule in ("turn", "round"):
            found.append(("turn", ""))
        seeds = [key for key in found if key in self._names]
        # A score line that a finding names is all that it is about.
        if code != "PW608" or not seeds:
            away = self.away(code, rule)
            seeds += [key for key in self._names if key[0] in kinds and key not in (*seeds, *away)]
        return seeds

    def away(self, code: str, rule: str) -> list[Key]:
        """Items of the kinds that a finding is about that are seldom behind it: if play went on after an ending, the others."""
        if code != "PW606" or ("ending", rule) not in self._names:
            return []
        return [key for key in self._names if key[0] == "ending" and key[1] != rule]

    def around(self, seeds: Iterable[Key], most: int, away: Iterable[Key] = ()) -> Iterator[list[Key]]:
        """The seeds, then their neighbours, and so on, `most` times; what is `away`, beside the neighbours of neighbours. A
        definition is as near as what reads it.
        """
        level, seen = list(dict.fromkeys(seeds)), set[Key]()
        for distance in range(most + 1):
            if distance == AWAY:
                level += [key for key in away if key not in seen and key not in level]
            for at in level:
                read = dict.fromkeys(key for key in self._next_to(at) if key[0] == "define")
                level += [key for key in read if key not in seen and key not in level]
            if not level:
                return
            yield level
            seen.update(level)
            level = list(dict.fromkeys(key for at in level for key in self._next_to(at) if key not in seen))

    def _next_to(self, key: Key) -> Iterator[Key]:
        if key[0] == "rule":
            name = key[1].partition(".")[0]
            for other in (("action", name), ("consequence", name)):
                if other in self._names:
                    yield other
        for name in sorted(self._names[key]):
            for other in self._named.get(name, ()):
                yield other
                if other[0] in _WRITTEN:
                    yield from self._writers.get(name, ())
        if key[0] in ("action", "consequence"):
            yield from (other for other in self._names if other[0] == "rule" and other[1].startswith(f"{key[1]}."))
        if key[0] in _WRITTEN:
            yield from self._writers.get(key[1], ())

    def all(self) -> list[Key]:
        """Every item that a change may be about."""
        return list(self._names)


def _targets(node: n.Node) -> Iterator[str]:
    """The names that the effects of an action change."""
    for part in walk(node):
        if isinstance(part, n.Effect):
            for side in (part.what, part.target):
                for inner in walk(side) if side is not None else ():
                    if isinstance(inner, n.Name):
                        yield inner.name


def conditions_in(node: n.Node) -> Iterator[n.Node]:
    """What decides in an item whether something holds or happens."""
    for part in walk(node):
        for name in ("when", "require", "condition"):
            found = getattr(part, name, None)
            if isinstance(found, n.Node):
                yield found


def conditions_near(own: Key, items: Items) -> list[str]:
    """The conditions in the ruleset, those of the same action first."""
    name = own[1].partition(".")[0]
    found: dict[str, int] = {}
    for key, other in items.items():
        if isinstance(other, n.Invariant | n.Objective | n.Ambiguity | n.Erratum):
            continue
        near = 0 if key[1].partition(".")[0] == name else 1
        for condition in conditions_in(other):
            for text in _clauses(condition):
                found[text] = min(near, found.get(text, 1))
        if isinstance(other, n.Turn):
            for node in walk(other):
                guard = getattr(node, "guard", None)
                if isinstance(guard, n.Node):
                    found.setdefault(guard.span.text, 1)
        if isinstance(other, n.Var) and other.kind == "named" and other.type_name and other.type_name.name == "flag":
            found.setdefault(key[1], 1)
    return sorted(found, key=lambda text: found[text])[:MOST_CONDITIONS]


def _clauses(condition: n.Node) -> Iterator[str]:
    if isinstance(condition, n.Binary) and condition.operator in ("and", "or"):
        yield from _clauses(condition.left)
        yield from _clauses(condition.right)
    else:
        text = condition.span.text
        yield f"({text})" if isinstance(condition, n.Binary) and "(" in text else text
