"""How far games are accepted under changed rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import structs
from msgspec.structs import replace

from pwtool.eval.work import TooMuchWork
from pwtool.ir.model import ParameterModel, Ruleset
from pwtool.lang import tree as n
from pwtool.lang.merged import Key, Merged
from pwtool.learning.kinds import Variant
from pwtool.learning.texts import items_of
from pwtool.play import facts
from pwtool.play.finding import Finding
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.outcome import check_outcome
from pwtool.play.record import Record
from pwtool.play.replay import replay_record
from pwtool.records.decoding import Decoder
from pwtool.records.json_form import Malformed
from pwtool.records.ruleset_store import Rulebook
from pwtool.rules.build import Trial, build_trial
from pwtool.rules.content_hash import content_hash
from pwtool.text.diagnostic import MAX_PROBLEMS

Place = tuple[int, int, int]
"""How far a game is accepted: turn, action in it, and fewer findings at that place."""
CLEAN: Place = (1 << 30, 0, 0)
UNKNOWN = "PW611"
"""What cannot be known, because nobody saw some cards, refuses no game."""
_RESULT = 1 << 29
_ENDS = ("ending", "score", "ranking")
"""What decides how a game ends, and not what is legal before."""
MOST_READ = 24
"""The number of vocabularies for which a game is kept as rulesets of that vocabulary read it."""
_UNREADABLE: Place = (-2, 0, 0)


@dataclass(frozen=True, slots=True)
class Seen:
    """What rules say of a game: how far it is accepted, and what refuses it there; `about` tells refusals by one rule apart."""

    place: Place
    code: str = ""
    rule: str = ""
    about: str = ""
    later: Seen | None = None
    """Of a game whose setup is refused, what refuses it after that."""
    open: bool = False
    """Whether nothing refuses it, but something cannot be known."""

    @property
    def clean(self) -> bool:
        return self.place == CLEAN

    @property
    def group(self) -> tuple[str, str, str]:
        """What games that are refused alike share."""
        return self.code, self.rule, self.about

    @property
    def groups(self) -> list[tuple[str, str, str]]:
        """The group of a refusal, and of what is refused later."""
        return [self.group] if self.later is None else [self.group, self.later.group]


@dataclass(slots=True)
class Sample:
    """A game: its name, its JSON form, and for how many games it stands; records as rulesets of the same vocabulary read it, and the
    decisions in it under rules, by their hash.
    """

    name: str
    data: Any
    weight: float = 1.0
    records: dict[object, Record | None] = field(default_factory=dict)
    decisions: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Rules:
    """A ruleset under trial: its items, ready to judge."""

    merged: Merged
    game: Game
    legal: LegalActions
    decoder: Decoder
    vocabulary: object
    trial: Trial | None = None
    _hashes: tuple[str, str] | None = None
    _book: Rulebook | None = None

    @property
    def hashes(self) -> tuple[str, str]:
        """What the items mean, and what those do on which it depends what is legal in a game that goes on."""
        if self._hashes is None:
            going_on = {key: node for key, node in self.merged.items.items() if key[0] not in _ENDS}
            self._hashes = content_hash(self.merged), content_hash(replace(self.merged, items=going_on))
        return self._hashes

    @staticmethod
    def of(address: str, merged: Merged, like: Rules | None = None) -> Rules | None:
        """The rules with these items; None if they do not load. What is the same in rules that they are `like` is taken from
        them.
        """
        try:
            trial = build_trial(address, merged, None if like is None else like.trial)
        except (IndexError, AssertionError, ValueError, AttributeError, TypeError, KeyError):
            # A tree that no text makes.
            return None
        if trial is None:
            return None
        game = Game(trial.ruleset, None if like is None else like.game)
        legal = LegalActions(game, None if like is None else like.legal)
        return Rules(merged, game, legal, Decoder(game), vocabulary(trial.ruleset), trial)

    @staticmethod
    def made(address: str, merged: Merged, changes: Iterable[Variant]) -> Rules | None:
        """The rules with changes of these items, one after the other; None if they cannot be made together, or do not load."""
        after: Merged | None = merged
        for variant in changes:
            after = None if after is None else applied(after, variant)
        return None if after is None else Rules.of(address, after)

    def book(self) -> Rulebook:
        """The same for what takes a rulebook."""
        if self._book is None:
            self._book = Rulebook(self.game, self.decoder, self.legal)
        return self._book

    def record(self, sample: Sample) -> Record | None:
        """A game as these rules read it; None if they cannot."""
        if self.vocabulary not in sample.records:
            try:
                record = self.decoder.record(sample.data)
            except Malformed:
                record = None
            while len(sample.records) >= MOST_READ:
                del sample.records[next(iter(sample.records))]
            sample.records[self.vocabulary] = record
        return sample.records[self.vocabulary]

    def judge(self, sample: Sample) -> Seen:
        """How far a game is accepted."""
        record = self.record(sample)
        if record is None:
            return Seen(_UNREADABLE, "PW702")
        return self.judge_record(record)

    def judge_record(self, record: Record) -> Seen:
        """How far a game in the engine's form is accepted."""
        try:
            replay = replay_record(self.game, record, self.legal, most=1)
            if not replay.findings:
                return Seen(CLEAN)
            first = replay.findings[0]
            if first.code == UNKNOWN:
                replay = replay_record(self.game, record, self.legal, most=MAX_PROBLEMS)
                known = [finding for finding in replay.findings if finding.code != UNKNOWN]
                if not known:
                    return Seen(CLEAN, open=True)
                first = known[0]
            count, later = 1, None
            if first.path[:1] in (("result",), ("setup",)):
                replay = replay_record(self.game, record, self.legal, most=MAX_PROBLEMS)
                here = [f for f in replay.findings if f.path[:1] == first.path[:1]]
                count = len({f.path[:4] for f in here})
                after = next((f for f in replay.findings if f.path[:1] == ("turns",)), None)
                later = None if after is None else Seen(_place(after, 1), after.code, after.rule or "", _about(after))
        except (TooMuchWork, RecursionError, OverflowError):
            return Seen(_UNREADABLE, "PW617")
        return Seen(_place(first, count), first.code, first.rule or "", _about(first), later)

    def refusals(self, sample: Sample) -> set[tuple[str, str, str]]:
        """The groups of all refusals in a game, also of those that may only follow from others, and of totals that would be wrong if it
        were over.
        """
        record = self.record(sample)
        if record is None:
            return {("PW702", "", "")}
        try:
            replay = replay_record(self.game, record, self.legal, most=MAX_PROBLEMS)
            findings = list(replay.findings)
            if replay.result is not None and not replay.play.over:
                findings += check_outcome(self.game, replay.play, record, replay.result, True)
        except (TooMuchWork, RecursionError, OverflowError):
            return {("PW617", "", "")}
        return {(finding.code, finding.rule or "", _about(finding)) for finding in findings}


def _place(finding: Finding, count: int) -> Place:
    path = finding.path
    if path[:1] == ("result",):
        # A game has to be over before its totals count.
        return _RESULT, -1 if finding.code == "PW607" else 0, -count
    if path[:1] == ("turns",) and len(path) > 1:
        action = path[3] if path[2:3] == ("actions",) and len(path) > 3 else 1 << 20
        return int(path[1]), int(action), 0
    if path[:1] == ("turns",):
        return 0, -1, 0
    return -1, 0, -count


def _about(finding: Finding) -> str:
    fact = finding.fact
    if isinstance(fact, facts.OutOfOrder):
        return str(fact.action)
    return ""


def vocabulary(ruleset: Ruleset) -> object:
    """What decides how a record of a ruleset reads."""
    actions = (*ruleset.actions.values(), *ruleset.consequences.values())
    return (
        tuple((a.name, a.number, a.joint, a.each_action, tuple(map(_parameter, a.parameters))) for a in actions),
        tuple((s.name, s.kind, s.deck, s.zone, s.amount, s.recorded) for s in ruleset.setup),
        tuple((z.name, z.kind, z.element.kind, z.dimensions, z.width, z.height) for z in ruleset.zones.values()),
        tuple((name, len(c.numbers)) for name, c in ruleset.components.items()),
        tuple(s.name for s in ruleset.scores), tuple(ruleset.objectives), tuple(e.name for e in ruleset.endings),
        tuple(v.name for v in ruleset.variables.values()), ruleset.rounds,
    )  # fmt: skip


def _parameter(p: ParameterModel) -> object:
    return p.name, p.kind, p.type.kind, p.type.low, p.type.high, p.each, p.chance, p.zone


def applied(merged: Merged, variant: Variant) -> Merged | None:
    """The items with a variant instead of one of them; None if its text is none. The rules of an action stay as they are, unless
    the whole action is that of another ruleset.
    """
    items: dict[Key, n.Node] = dict(merged.items)
    for key, text in ((variant.key, variant.text), *variant.more):
        rules = [k for k in items if key[0] in ("action", "consequence") and is_rule_of(k, key[1])]
        if text is None:
            for k in (key, *rules):
                items.pop(k, None)
            continue
        new = items_of(text)
        if new is None or key not in new:
            return None
        if not variant.source:
            new = {key: new[key]}
        else:
            for k in rules:
                if k not in new:
                    del items[k]
        # What reads the same keeps its own place in a file.
        items.update({k: node for k, node in new.items() if items.get(k) != node})
    return replace(merged, items=items)


def is_rule_of(key: Key, action: str) -> bool:
    """Whether an item is a rule of an action."""
    return key[0] == "rule" and key[1].startswith(f"{action}.")


def judge_all(rules: Rules, samples: Sequence[Sample]) -> list[Seen]:
    """How far each game is accepted."""
    return [rules.judge(sample) for sample in samples]


def until(record: Record, place: Place) -> Record:
    """The whole turns of a game before a place."""
    turns = place[0]
    if turns >= len(record.turns):
        return record
    return structs.replace(record, turns=record.turns[: max(0, turns)], outcome=None)
