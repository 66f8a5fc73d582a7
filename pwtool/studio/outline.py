"""The whole ruleset as the sections of a rulebook, with what an edition or a variant changes in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from msgspec import Struct, field

from pwtool.comparing.words import cards_in
from pwtool.ir.model import ComponentModel
from pwtool.lang import tree as n
from pwtool.lang.merged import Key, Step
from pwtool.show.text.item_words import ItemWords
from pwtool.studio.changing import may_change
from pwtool.studio.document_context import DocumentContext, game_of
from pwtool.text.speech import mark_many
from pwtool.text.words import one_line, shorten
from pwtool.why.citing import reason_text
from pwtool.why.voice import Voice, plain, raised

SECTIONS = {
    "box": ("players", "component", "deck"), "table": ("zone", "token"), "setup": ("setup",), "turn": ("turn", "anytime"),
    "actions": ("action",), "consequences": ("consequence",), "endings": ("ending",), "scores": ("score", "ranking"),
    "invariants": ("invariant",), "objectives": ("objective",), "points": ("ambiguity", "erratum"), "kept": ("var",),
    "words": ("define", "shape"),
}  # fmt: skip
"""The kinds of items in each section."""
OF_RULES = {"setup": "setup", "turn": "turn"}
"""The sections of rules that belong to no action."""
MAX_VALUES = 8
MAX_WRITTEN = 90
_VERBS = {"adds": "added", "changes": "changed"}


class Words(Struct):
    """A line, and those that belong to it: `ordered` if they come one after the other."""

    text: str
    parts: list[Words] = field(default_factory=list)
    ordered: bool = False


class Entry(Struct):
    """An item for players. `line` is its place in this file (None: it is in another one, `file` at `uri` and `there`);
    `own`: whether this file has added or changed it, with the reason; `stale`: it is as it was before a mistake; `changes`: this file may
    change it.
    """

    kind: str
    name: str
    text: str
    words: list[Words] = field(default_factory=list)
    parts: list[Entry] = field(default_factory=list)
    line: int | None = None
    file: str = ""
    uri: str = ""
    there: int = 0
    own: str = ""
    reason: str = ""
    stale: bool = False
    changes: bool = False


class Section(Struct):
    """A section of the rulebook."""

    name: str
    entries: list[Entry]


class Outline(Struct):
    """The sections that have something in them, and what this file has removed; `changes`: whether it changes another ruleset."""

    title: str
    sections: list[Section]
    removed: list[Entry]
    changes: bool


def outline(asked: DocumentContext, voice: Voice) -> Outline:
    """The ruleset of a file as a rulebook."""
    return _Writer(asked, voice).outline()


class _Writer:
    def __init__(self, asked: DocumentContext, voice: Voice) -> None:
        self.asked, self.voice, self.ruleset = asked, voice, asked.ruleset
        self.game = game_of(self.ruleset)
        self.words = ItemWords(voice, (self.game, self.game))
        analysis = asked.analysis
        self.changes = any(document.header.base is not None for document in analysis.own)
        self.layer = self.ruleset.merged.headers[-1].name.name if not analysis.layers else analysis.layers[-1].name
        self.now = analysis.merged.items if analysis.layers else {}

    def outline(self) -> Outline:
        merged, rules = self.ruleset.merged, dict[str, list[Entry]]()
        for key in merged.items:
            if key[0] == "rule":
                rules.setdefault(key[1].partition(".")[0], []).append(self._entry(key))
        sections = []
        for name, kinds in SECTIONS.items():
            found = [self._entry(key) for kind in kinds for key in merged.items if key[0] == kind]
            if name == "objectives" and found:
                # They have tabs of their own.
                told = self.voice.many("{count} objective", "{count} objectives", len(found))
                found = [Entry("objectives", "", told), *(entry for entry in found if entry.own)]
            for entry in found:
                if entry.kind in ("action", "consequence"):
                    entry.parts = rules.pop(entry.name, [])
            found += rules.pop(OF_RULES.get(name, ""), [])
            if found:
                sections.append(Section(self.ruleset.cycle if name == "turn" else name, found))
        removed = [self._removed(key, steps[-1]) for key, steps in merged.history.items() if key not in merged.items]
        own = [entry for entry in removed if entry is not None] if self.changes else []
        return Outline(self.voice.title(self.game) or self.ruleset.title, sections, own, self.changes)

    def _entry(self, key: Key) -> Entry:
        kind, name = key
        merged, analysis = self.ruleset.merged, self.asked.analysis
        node = self.now.get(key) or merged.items[key]
        entry = Entry(kind, name, raised(self._title(key, merged.items[key])), list(self._said(key, merged.items[key])))
        entry.stale = analysis.usable is None or (bool(name) and name in analysis.stale)
        file = node.span.file.name
        if file == analysis.file.name:
            entry.line = node.span.line
        else:
            path = analysis.path_of(file)
            entry.file, entry.there = "/".join(PurePath(file).parts[-2:]), node.span.line
            entry.uri = path.as_uri() if path is not None else ""
            entry.changes = may_change(self.asked, key)
        step = next(iter(merged.history.get(key, [])[-1:]), None)
        if self.changes and step is not None and step.layer == self.layer:
            entry.own, entry.reason = _VERBS.get(step.verb, ""), self._reason(step)
        return entry

    def _removed(self, key: Key, step: Step) -> Entry | None:
        if step.verb != "removes" or step.layer != self.layer or step.before is None:
            return None
        return Entry(*key, raised(self._title(key, step.before)), own="removed", reason=self._reason(step))

    def _reason(self, step: Step) -> str:
        return reason_text(self.ruleset, step.reason, self.voice)

    def _title(self, key: Key, node: n.Node) -> str:
        kind, name = key
        if kind == "players" and isinstance(node, n.Players):
            return self.words.players(node)
        if kind in ("component", "deck", "zone", "token", "var", "define", "shape"):
            return self.voice.called(self.ruleset, kind, name)
        written = str(getattr(node, "text", "") or "")
        if kind == "anytime" or not written:
            return self.voice.item(self.game, key)
        return self.voice.text(self.ruleset, key, written)

    # ---- what is said of an item besides its title

    def _said(self, key: Key, node: n.Node) -> Iterator[Words]:
        match node:
            case n.Component():
                component = self.ruleset.components.get(key[1])
                yield from self._component(component) if component is not None else ()
            case n.Deck() if all(part.when is None for part in node.parts):
                yield Words(self.voice.many("{count} piece", "{count} pieces", cards_in(node, self.ruleset).total()))
            case n.Zone():
                yield Words(raised(self.words.place(node)))
            case n.Turn():
                yield self._order(node.order)
            case n.Anytime():
                yield Words(self._by(self.voice.say("At any time"), node.actor))
            case n.Action() | n.Consequence():
                yield from self._action(node)
            case n.Ending():
                yield from self._ending(node)
            case n.Score() | n.Define() | n.Rule() | n.Invariant() if not getattr(node, "text", ""):
                yield Words(f"`{_written(node)}`")
            case n.Ranking():
                yield Words(self.words.ranking(node, 1))
            case n.Ambiguity():
                yield Words(self.voice.headed(self.voice.say("Read as"), self.voice.reading(self.game, node)))
                for other in node.alternatives:
                    text = self.voice.headed(self.voice.say("Otherwise"), self.voice.reading(self.game, node, other))
                    yield Words(f"{text} (`--reading {node.name.name}={other.name.name}`)")

    def _component(self, component: ComponentModel) -> Iterator[Words]:
        """The attributes of things, with their values."""

        def called(component: ComponentModel, name: str) -> str:
            return self.voice.text(self.ruleset, ("component", f"{component.name}.{name}"), plain(name))

        for attribute in component.attributes.values():
            if attribute.type.kind == "player":
                continue
            values = list(dict.fromkeys(v for v in attribute.table if v is not None and not isinstance(v, bool)))
            title = called(component, attribute.name)
            if values and all(isinstance(value, int) for value in values):
                said = self.voice.say("{low} to {high}", low=min(values), high=max(values))
            else:
                named = [called(component, str(value)) for value in values]
                said = ", ".join(named[:MAX_VALUES])
                if len(named) > MAX_VALUES:
                    said = self.voice.caption("and_more", said, len(named) - MAX_VALUES)
            yield Words(self.voice.headed(raised(title), said) if said else raised(title))

    def _action(self, node: n.Action | n.Consequence) -> Iterator[Words]:
        if isinstance(node, n.Consequence):
            yield Words(self._when(node))
        else:
            asked = [self._parameter(node, parameter) for parameter in node.parameters]
            if asked:
                yield Words(self.voice.say("Named with it"), asked)
        moved = [Words(raised(line)) for line in self.words.moved(node, 1)]
        if moved:
            yield Words(self.voice.say("What it does"), moved)

    def _parameter(self, action: n.Action, parameter: n.Parameter) -> Words:
        name = parameter.name.name
        text = self.voice.text(self.ruleset, ("param", f"{action.name.name}.{name}"), parameter.text)
        return Words(raised(text) or f"`{name}`")

    def _when(self, node: n.Consequence) -> str:
        say, rounds = self.voice.say, self.ruleset.rounds
        if node.each_action:
            text = say("After every action")
        else:
            text = say("At the end of each round") if rounds else say("At the end of each turn")
        return say("{when}, again and again", when=text) if node.repeated else text

    def _ending(self, node: n.Ending) -> Iterator[Words]:
        if not node.text:
            yield Words(f"`{_written(node.condition)}`")
        if node.at_once:
            yield Words(self.voice.say("The game ends at once"))
        elif node.more_turns is not None:
            forms = mark_many("Then everybody has {count} more turn", "Then everybody has {count} more turns")
            if node.others:
                forms = mark_many(
                    "Then everybody else has {count} more turn", "Then everybody else has {count} more turns"
                )
            elif self.ruleset.rounds:
                forms = mark_many("Then there is {count} more round", "Then there are {count} more rounds")
            yield Words(self.voice.many(*forms, node.more_turns))

    def _order(self, node: n.Node) -> Words:
        """The order of play in words."""
        say = self.voice.say
        match node:
            case n.Step():
                found = Words(raised(self.voice.action(self.game, node.action.name)))
            case n.Sequence(items=(item,)) | n.Choice(items=(item,)):
                return self._order(item)
            case n.Sequence():
                found = Words(say("In this order"), [self._order(item) for item in node.items], ordered=True)
            case n.Choice():
                found = Words(say("One of these"), [self._order(item) for item in node.items])
            case n.Repeat():
                found = self._order(node.item)
                found.text = self.voice.headed(self._times(node.low, node.high), found.text)
            case n.Group():
                found = self._order(node.order)
            case _:
                found = Words(f"`{_written(node)}`")
        if isinstance(node, n.Step | n.Group):
            match node.guard:
                case n.Unary(operator="not", operand=condition):
                    told = self.words.condition(condition, 1)
                    found.text = say("{action}, unless {condition}", action=found.text, condition=told)
                case n.Node() as condition:
                    told = self.words.condition(condition, 1)
                    found.text = say("{action}, if {condition}", action=found.text, condition=told)
            if node.actor is not None:
                found.text = self._by(found.text, node.actor)
        return found

    def _by(self, action: str, actor: n.Node) -> str:
        if isinstance(actor, n.Name) and actor.name == "player" and not self.ruleset.rounds:
            # Whose turn it is.
            return action
        return self.voice.say("{action}, by {who}", action=action, who=self.words.player(actor, 1))

    def _times(self, low: int, high: int | None) -> str:
        say = self.voice.say
        if high is None:
            if low == 0:
                return say("Any number of times")
            return say("At least once") if low == 1 else say("At least {count} times", count=low)
        if low == 0 and high == 1:
            return say("At most once")
        if low == high:
            return say("{count} times", count=low)
        return say("{low} to {high} times", low=low, high=high)


def _written(node: n.Node) -> str:
    return shorten(one_line(node.span.text), MAX_WRITTEN)
