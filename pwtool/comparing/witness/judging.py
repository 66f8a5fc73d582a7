"""What a game shows: one ruleset accepts it, the other refuses it; by which rule?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pwtool.comparing.witness.translation import Key, Translation, Unknown
from pwtool.ir import nodes as ir
from pwtool.ir.walk import walk
from pwtool.play import facts
from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.record import Move, Record
from pwtool.play.replay import Replay, replay_record
from pwtool.why.messages import Messages

if TYPE_CHECKING:
    from pwtool.comparing.row import Row

_START = ("setup", "start", "players", "goals")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The first objection of the other ruleset to a game: the items in question, its place (None: at the start or at the result),
    its words, how many findings about the setup were set aside, and the broken rule, if it is one.
    """

    keys: frozenset[Key]
    turn: int | None
    at: int | None
    message: str
    aside: int = 0
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The objection of a kernel of the second ruleset to a game that one of the first has played, in the form of a `Reply`."""

    code: str
    rule: str
    turn: int | None
    action: int | None

    @property
    def path(self) -> Path:
        """The place in the record."""
        if self.turn is None:
            return ("result",)
        whole: Path = ("turns", self.turn - 1)
        return whole if self.action is None else (*whole, "actions", self.action)


class Pair:
    """Two rulesets in the order of a question: does the first accept, what does the second refuse?"""

    def __init__(
        self, first: Game, second: Game, rows: list[Row], legal: tuple[LegalActions, LegalActions] | None = None
    ) -> None:
        self.first, self.second, self.rows = first, second, rows
        self.legal = legal or (LegalActions(first), LegalActions(second))
        self.translation = Translation(first, second)
        self.changed = _changed_effects(first, second, rows)
        # The effect on the players' results is not distinguished from any other cause.
        self.laid_out = [("setup", row.name) for row in rows if row.kind == "setup" and row.nature == "setup"]

    def turned(self) -> Pair:
        """The same question with the rulesets swapped."""
        return Pair(self.second, self.first, self.rows, (self.legal[1], self.legal[0]))

    def judge(self, record: Record, refusal: Refusal | None = None) -> list[Verdict]:
        """Replay a game in both; nothing if the first does not accept it or the second has no objection. For a game whose setup the
        second cannot read: its objections to the setup and to the first action that it does not know. If a game takes more steps
        than the engine has, the kernels' answer (`refusal`) has to do.
        """
        ours = replay_record(self.first, record, self.legal[0])
        if not ours.clean:
            return [self._told(record, refusal)] if refusal is not None and _is_too_much(ours) else []
        try:
            carried = self.translation.record(record)
        except Unknown as found:
            return [*self._unreadable(record, ours, found)]
        return [*self._refused(record, ours, carried, refusal)]

    def _unreadable(self, record: Record, ours: Replay, found: Unknown) -> Iterator[Verdict]:
        if found.turn is None:
            yield Verdict(frozenset({found.key, *self._whole(ours, None)}), None, None, found.message)
        for unknown in [found] if found.turn is not None else self.translation.unknown_actions(record):
            # An action that does not exist cannot come in the order of play either.
            more = {("turn", ""), ("anytime", unknown.key[1])} if unknown.key[0] == "action" else set()
            aside = int(found.turn is None)
            yield Verdict(frozenset({unknown.key} | more), unknown.turn, unknown.at, unknown.message, aside)

    def _told(self, record: Record, refusal: Refusal) -> Verdict:
        """What a kernel says about a game."""
        finding = Finding(refusal.code, refusal.path, refusal.rule, facts.TooMuch(), refusal.turn)
        place = _place(finding)
        keys = set(self._keys(finding, record))
        keys |= set(self._effects(keys, record, place[0]))
        rule = refusal.rule if refusal.code == "PW601" else ""
        return Verdict(frozenset(keys), *place, f"{refusal.code} {refusal.rule}", 0, rule)

    def _refused(self, record: Record, ours: Replay, carried: Record, refusal: Refusal | None) -> Iterator[Verdict]:
        """The first objections of the second to a game that it can read: of several at the same place, one."""
        if carried.outcome is not None and carried.outcome.parts is not None:
            # A line that the other does not have is not a claim about the other's score.
            known = {s.name for s in self.second.ruleset.scores}
            parts = {p: {n: v for n, v in lines.items() if n in known} for p, lines in carried.outcome.parts.items()}
            carried = replace(carried, outcome=replace(carried.outcome, parts=parts))
        theirs = replay_record(self.second, carried, self.legal[1])
        real = [f for f in theirs.findings if not f.undetermined and f.path[0] not in _START]
        aside = len(theirs.findings) - len(real)
        if not real:
            if refusal is not None and _is_too_much(theirs):
                yield self._told(record, refusal)
            return
        place = _place(real[0])
        here = [f for f in real if _place(f) == place]
        shows = here
        if ours.result is not None and theirs.result is not None and ours.result.totals != theirs.result.totals:
            # Players with other points may well have other places.
            shows = [f for f in here if not (f.code == "PW608" and f.rule == "ranking")]
        keys = {key for finding in shows for key in self._keys(finding, record)}
        if place[0] is None and not any(key[0] == "ending" for key in keys):
            # A game that only one of them ends shows when it ends, not its result.
            keys |= set(self._whole(ours, theirs))
        keys |= set(self._effects(keys, record, place[0]))
        messages = Messages(self.second, record.players)
        for finding in shows:
            own = frozenset(self._keys(finding, record))
            rule = (finding.rule or "") if finding.code == "PW601" else ""
            yield Verdict(own, *place, messages.message(finding).text, aside, rule)
        # Items that several findings show together.
        yield Verdict(frozenset(keys), *place, messages.message(here[0]).text, aside, rule if len(here) == 1 else "")

    # ---- the items that a finding is about

    def _keys(self, finding: Finding, record: Record) -> Iterator[Key]:
        code, rule = finding.code, finding.rule or ""
        ruleset = self.second.ruleset
        move = _move(record, finding)
        if code in ("PW603", "PW615"):
            yield ("turn", "")
            if move is not None and not move.consequence:
                yield ("anytime", self.first.action(move.number).name)
        elif code == "PW602":
            name = rule.split(".")[0]
            yield ("action" if name in ruleset.actions else "consequence", name)
        elif code in ("PW606", "PW607"):
            yield ("ending", rule)
            yield from (("ending", e.name) for e in self.first.ruleset.endings)
        elif code == "PW605":
            yield ("consequence", rule)
            yield from self.laid_out
        elif code == "PW608" and rule.startswith("score."):
            yield ("score", rule.removeprefix("score."))
        elif code == "PW608":
            yield ("ranking", "") if rule == "ranking" else ("score" if rule == "score" else "ending", rule)
        elif code == "PW601":
            yield ("rule", rule)
            if move is not None and move.consequence:
                yield ("consequence", rule.split(".")[0])
                yield from self.laid_out
                if _asks_objective(self.second, rule):
                    yield from (("objective", name) for name in _goals_of(self.first, record, move))

    def _whole(self, ours: Replay, theirs: Replay | None) -> Iterator[Key]:
        """The score lines whose value differs; for a game that the other cannot read, those that only we count."""
        if ours.result is None:
            return
        if theirs is None:
            known = {s.name for s in self.second.ruleset.scores}
            for name in (s.name for s in self.first.ruleset.scores):
                if name not in known and any(lines[name] for lines in ours.result.parts):
                    yield ("score", name)
            return
        if theirs.result is None:
            return
        for a, b in zip(ours.result.parts, theirs.result.parts, strict=True):
            for name in (*a, *b):
                if a.get(name, 0) != b.get(name, 0):
                    yield ("score", name)
        if ours.result.ranking != theirs.result.ranking and ours.result.totals == theirs.result.totals:
            yield ("ranking", "")
        if ours.result.parts != theirs.result.parts:
            yield from self.laid_out

    def _effects(self, keys: set[Key], record: Record, turn: int | None) -> Iterator[Key]:
        """Actions that do different things in the two rulesets and were done earlier, if the finding can only be about their effects:
        a result, or a rule of the second that reads a variable which only one of them changes.
        """
        turns = record.turns if turn is None else record.turns[: turn + 1]
        played = {
            (move.consequence, self._name(move)) for t in turns for move in t.moves if (move.consequence, self._name(move)) in self.changed
        }  # fmt: skip
        for consequence, name in sorted(played):
            variables = self.changed[consequence, name]
            rules = {k[1] for k in keys if k[0] == "rule"}
            read = any(variables & _variables(self.second, rule) for rule in rules)
            if turn is None or read:
                yield ("consequence" if consequence else "action", name)

    def _name(self, move: Move) -> str:
        models = self.first.ruleset.consequences if move.consequence else self.first.ruleset.actions
        return [*models][move.number]


def _is_too_much(replay: Replay) -> bool:
    """Whether a game ran out of steps, and nothing was found before."""
    return bool(replay.findings) and all(finding.code == "PW617" for finding in replay.findings)


def _place(finding: Finding) -> tuple[int | None, int | None]:
    path = finding.path
    if path[0] != "turns" or len(path) < 2:
        return None, None
    at = path[3] if len(path) > 3 and path[2] == "actions" else None
    return (path[1] if isinstance(path[1], int) else None), (at if isinstance(at, int) else None)


def _move(record: Record, finding: Finding) -> Move | None:
    turn, at = _place(finding)
    if turn is None or at is None:
        return None
    return next((m for m in record.turns[turn].moves if m.index == at), None)


def _goals_of(game: Game, record: Record, move: Move) -> list[str]:
    model = [*game.ruleset.consequences.values()][move.number]
    return [
        record.goals[a] for p, a in zip(model.parameters, move.arguments, strict=True)
        if p.type.kind == "goal" and isinstance(a, int)
    ]  # fmt: skip


def _asks_objective(game: Game, rule: str) -> bool:
    rules = [r for c in game.ruleset.consequences.values() for r in c.rules if r.id == rule]
    return any(isinstance(part, ir.Fulfils) for r in rules for part in walk(r.require))


def _variables(game: Game, rule: str) -> set[str]:
    """The variables that a rule of an action or of the end of a turn reads."""
    ruleset = game.ruleset
    names = {v.number: v.name for v in ruleset.variables.values()}
    rules = [*ruleset.turn_rules, *(r for a in ruleset.actions.values() for r in a.rules)]
    both = [expr for r in rules if r.id == rule for expr in (r.when, r.require) if expr is not None]
    return {names[part.number] for expr in both for part in walk(expr) if isinstance(part, ir.Variable)}


def _changed_effects(first: Game, second: Game, rows: Iterable[Row]) -> dict[tuple[bool, str], set[str]]:
    """Actions and consequences that both have but whose effects differ, with the variables that only one of them changes."""
    found: dict[tuple[bool, str], set[str]] = {}
    for row in rows:
        if row.kind not in ("action", "consequence") or row.status != "different":
            continue
        written: list[set[str]] = []
        for ruleset in (first.ruleset, second.ruleset):
            models = ruleset.actions if row.kind == "action" else ruleset.consequences
            names = {v.number: v.name for v in ruleset.variables.values()}
            written.append({names[e.number] for e in models[row.name].effects if e.kind in ("add", "set")})
        found[row.kind == "consequence", row.name] = written[0] ^ written[1]
    return found
