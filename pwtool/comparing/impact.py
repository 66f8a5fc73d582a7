"""What a change of rules means for recorded games: which stay legal, which do not and why, and which end differently.

A game is what its players did. Claims and the result are computed again under each ruleset, so that a different score
does not make a record illegal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from pwtool.eval.kleene import is_unknown
from pwtool.play.finding import Finding
from pwtool.play.record import Record
from pwtool.play.replay import Replay, replay_record
from pwtool.records.ruleset_store import Rulebook
from pwtool.text.speech import Told
from pwtool.why.causes import mark_causes
from pwtool.why.messages import Messages

CHANGES = ("stays legal", "becomes illegal", "becomes legal", "illegal under both", "undecided", "unreadable")
SETUP = Told("the setup alone")
PERHAPS_SETUP = Told("the setup, perhaps alone")
FORM = Told("form of the record")
"""The cause if a ruleset cannot even read a record: the record names something that the ruleset does not have."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One game under one ruleset.

    `verdict`: legal, illegal, undecided or unreadable; `causes`: the rules that root causes break, `setup_only`: whether all of
    them lie in the setup (None: perhaps), `searched`: whether they had to be searched for; `over`: whether the game is over
    (None: unknown); `totals`, `winners` and `lines` are None while it is not.
    """

    verdict: str
    causes: tuple[str, ...] = ()
    setup_only: bool | None = False
    totals: dict[str, int] | None = None
    winners: tuple[str, ...] | None = None
    lines: dict[str, dict[str, int]] | None = None
    happened: Counter[tuple[str, int]] | None = None
    message: str = ""
    help: str = ""
    searched: bool = False
    over: bool | None = None


@dataclass(frozen=True, slots=True)
class GameImpact:
    """One game under two rulesets."""

    name: str
    first: Judged
    second: Judged

    @property
    def change(self) -> str:
        """One of `CHANGES`."""
        verdicts = {self.first.verdict, self.second.verdict}
        if verdicts == {"unreadable"}:
            return "unreadable"
        if "undecided" in verdicts:
            return "undecided"
        before, after = self.first.verdict == "legal", self.second.verdict == "legal"
        return CHANGES[0 if before and after else 1 if before else 2 if after else 3]

    @property
    def other_score(self) -> bool:
        """Whether somebody has a different score; a game that is illegal under one ruleset is played on as recorded."""
        return None not in (self.first.totals, self.second.totals) and self.first.totals != self.second.totals

    @property
    def other_winner(self) -> bool:
        return None not in (self.first.winners, self.second.winners) and self.first.winners != self.second.winners

    @property
    def over_under_one(self) -> bool:
        """Whether the game is over under one of the rulesets, and not under the other."""
        return {self.first.over, self.second.over} == {True, False}

    @property
    def other_lines(self) -> tuple[str, ...]:
        """The score lines that have a different value for somebody."""
        a, b = self.first.lines, self.second.lines
        if not self.other_score or a is None or b is None:
            return ()
        names = dict.fromkeys(name for lines in (*a.values(), *b.values()) for name in lines)
        return tuple(name for name in names if any(a[p].get(name, 0) != b[p].get(name, 0) for p in a))

    @property
    def score_causes(self) -> tuple[str, ...]:
        """The score lines and consequences that make the scores differ; consequences where they are known."""
        found = [f"score {name}" for name in self.other_lines]
        here, there = self.first.happened, self.second.happened
        if found and here is not None and there is not None:
            found += sorted({text for text, _ in (here - there) + (there - here)})
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Impact:
    """All games of an archive under two rulesets, how many positions were among them, and in how many games the first broken rule
    is reported instead of the root causes.
    """

    first: str
    second: str
    games: tuple[GameImpact, ...]
    positions: int = 0
    unsearched: int = 0

    def named(self, change: str) -> list[str]:
        """The games with this change."""
        return [g.name for g in self.games if g.change == change]

    def table(self) -> Iterator[tuple[str, str, list[str]]]:
        """Line by line what happens to the games: a change, its cause (empty for all together), the games."""
        for change in CHANGES:
            names = self.named(change)
            if names or change in CHANGES[:3]:
                yield change, "", names
            yield from ((change, rule, games) for kind, rule, games in self.by_rule if kind == change)
            if change == "becomes illegal":
                alone = (SETUP, self.setup_only), (PERHAPS_SETUP, self.perhaps_setup_only)
                yield from ((change, cause, games) for cause, games in alone if games)
        yield "other score", "", self.other_scores
        yield from (("other score", cause, games) for cause, games in self.by_score)
        yield "other winner", "", self.other_winners
        yield "over under one only", "", self.over_under_one

    @property
    def by_rule(self) -> list[tuple[str, str, list[str]]]:
        """(change, rule, games) for the games that become illegal or legal, the most frequent rules first."""
        found: dict[tuple[str, str], list[str]] = {}
        for game in self.games:
            side = {"becomes illegal": game.second, "becomes legal": game.first}.get(game.change)
            for rule in side.causes if side else ():
                found.setdefault((game.change, rule), []).append(game.name)
        return [(*key, names) for key, names in sorted(found.items(), key=lambda i: (i[0][0], -len(i[1]), i[0][1]))]

    @property
    def setup_only(self) -> list[str]:
        """Games that become illegal only because of their setup: the play itself is legal."""
        return [g.name for g in self.games if g.change == "becomes illegal" and g.second.setup_only]

    @property
    def perhaps_setup_only(self) -> list[str]:
        """Games that become illegal by their setup, of which it is not known whether the play itself is legal."""
        return [g.name for g in self.games if g.change == "becomes illegal" and g.second.setup_only is None]

    @property
    def reasons(self) -> list[tuple[str, str, list[str]]]:
        """(why, what helps, games) for the games that neither ruleset can read."""
        found: dict[tuple[str, str], list[str]] = {}
        for game in self.games:
            if game.change == "unreadable":
                found.setdefault((game.second.message, game.second.help), []).append(game.name)
        return [(*key, names) for key, names in found.items()]

    @property
    def other_scores(self) -> list[str]:
        return [g.name for g in self.games if g.other_score]

    @property
    def other_winners(self) -> list[str]:
        return [g.name for g in self.games if g.other_winner]

    @property
    def over_under_one(self) -> list[str]:
        return [g.name for g in self.games if g.over_under_one]

    @property
    def by_score(self) -> list[tuple[str, list[str]]]:
        """(score line or consequence, games in which it makes the scores differ)."""
        found: dict[str, list[str]] = {}
        for game in self.games:
            for cause in game.score_causes:
                found.setdefault(cause, []).append(game.name)
        return sorted(found.items(), key=lambda i: (-len(i[1]), i[0]))


def judge(record: Record, book: Rulebook, search: bool = True) -> Judged:
    """What a ruleset says about a record that is `bare`. Without `search`, the first broken rule stands for all root causes if
    they would have to be searched for.
    """
    replay = replay_record(book.game, without_outcome(record), book.legal)
    certain = [f for f in replay.findings if not f.undetermined]
    verdict = "illegal" if certain else "undecided" if replay.findings else "legal"
    causes: tuple[str, ...] = ()
    setup_only: bool | None = False
    searched = False
    if certain:
        first, searched, complete = _first_causes(certain, replay, book, search)
        causes = tuple(dict.fromkeys(map(_cause, first)))
        complete |= all(map(in_setup, certain))
        open_ = any(f.undetermined and not f.follows and not in_setup(f) for f in replay.findings)
        setup_only = all(map(in_setup, first)) and (True if complete and not open_ and not replay.cut else None)
    names = record.players
    totals = lines = winners = None
    result = replay.result
    if result is not None and not any(is_unknown(t) for t in result.totals):
        totals = dict(zip(names, result.totals, strict=True))
        lines = dict(zip(names, result.parts, strict=True))
        winners = tuple(names[p] for p in result.ranking[0]) if result.ranking else None
    message = Messages(book.game, names).message(replay.findings[0]).text if replay.findings else ""
    play = replay.play
    over = None if replay.cut or (play.unsure and not play.over) else play.over
    return Judged(
        verdict,
        causes,
        setup_only,
        totals,
        winners,
        lines,
        _happened(book, replay),
        message,
        searched=searched,
        over=over,
    )


def _first_causes(
    certain: list[Finding], replay: Replay, book: Rulebook, search: bool
) -> tuple[list[Finding], bool, bool]:
    """The root causes among findings, as far as their rules go, whether they would have to be searched for, which costs as much
    as many replays, and whether these are surely all. The first finding is one of them, and if all others break the same
    rule, they add none.
    """
    if all((_cause(f), in_setup(f)) == (_cause(certain[0]), in_setup(certain[0])) for f in certain):
        return certain[:1], False, True
    if not search:
        return certain[:1], True, False
    complete = mark_causes(book.game, replay, book.legal).complete
    return [f for f in certain if not f.follows] or certain[:1], True, complete


def _cause(finding: Finding) -> str:
    return finding.rule or finding.code


def in_setup(finding: Finding) -> bool:
    """Whether a finding is about the setup, or the position that the game begins from."""
    return finding.path[:1] in (("setup",), ("start",))


def claims_of(book: Rulebook, other: Rulebook) -> frozenset[str]:
    """The consequences of two rulesets that records may contain, unless they are actions of the first."""
    ruleset = book.game.ruleset
    return frozenset((*ruleset.recordable, *other.game.ruleset.recordable)) - ruleset.actions.keys()


def bare(data: Any, claims: Collection[str]) -> Any:
    """The JSON form of a record, if it is one, without the consequences with these names and without its result: only what
    players did. What remains of the result is that there is one, and whether the game was stopped.
    """
    if not isinstance(data, dict):
        return data
    found = {key: value for key, value in data.items() if key != "recorded"}
    if isinstance(result := found.get("result"), dict):
        found["result"] = {key: value for key, value in result.items() if key == "stopped"}
    if isinstance(turns := found.get("turns"), list):
        found["turns"] = [_bare_turn(turn, claims) for turn in turns]
    return found


def _bare_turn(turn: Any, claims: Collection[str]) -> Any:
    if not isinstance(turn, dict) or not isinstance(turn.get("actions"), list):
        return turn
    return {**turn, "actions": [action for action in turn["actions"] if not _is_claim(action, claims)]}


def _is_claim(action: Any, claims: Collection[str]) -> bool:
    name = action.get("action") if isinstance(action, dict) else None
    return isinstance(name, str) and name in claims


def without_outcome(record: Record) -> Record:
    """The record without its result; a finished game stays a finished one."""
    return replace(record, outcome=None, whole=record.is_whole)


def _happened(book: Rulebook, replay: Replay) -> Counter[tuple[str, int]]:
    """How often each consequence happened, by its name with its objective, and by seat."""
    goals = replay.play.state.goals
    models = book.game.ruleset.consequences
    found: Counter[tuple[str, int]] = Counter()
    for _, seat, name, values in replay.consequences:
        named = zip(models[name].parameters, values, strict=False)
        parts = [goals[v] if isinstance(v, int) else str(v) for p, v in named if p.type.kind == "goal"]
        found[" ".join([name, *parts]), seat] += 1
    return found
