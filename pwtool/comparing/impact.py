"""What a change of rules means for recorded games: which stay legal, which not and why, which end otherwise.

A game is what its players did. What the rules make of it, claims and the result, is worked out anew under each ruleset,
so that another score is another score and no illegal record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from pwtool.checking.documents import Loaded, choose_rulebook, decode_loaded, own_address
from pwtool.checking.report import FileResult
from pwtool.eval.kleene import is_unknown
from pwtool.play.record import Record, Turn
from pwtool.play.replay import Replay, replay_record
from pwtool.records.shelf import Rulebook, Shelf
from pwtool.why.causes import mark_causes
from pwtool.why.messages import Messages

CHANGES = ("stays legal", "becomes illegal", "becomes legal", "illegal under both", "undecided", "unreadable")
SETUP = "the setup alone"
FORM = "form of the record"
"""The cause where a ruleset cannot even read a record: it names what the ruleset does not have."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One game under one ruleset.

    `verdict`: legal, illegal, undecided or unreadable; `causes` the rules that first causes break, `setup_only` whether
    all of them lie in the setup; `totals`, `winners` and `lines` are None while the game is not over.
    """

    verdict: str
    causes: tuple[str, ...] = ()
    setup_only: bool = False
    totals: dict[str, int] | None = None
    winners: tuple[str, ...] | None = None
    lines: dict[str, dict[str, int]] | None = None
    happened: Counter[tuple[str, int]] | None = None
    message: str = ""
    help: str = ""


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
        """Whether somebody has other points; where a game is illegal under one of them, as if played on as recorded."""
        return None not in (self.first.totals, self.second.totals) and self.first.totals != self.second.totals

    @property
    def other_winner(self) -> bool:
        return None not in (self.first.winners, self.second.winners) and self.first.winners != self.second.winners

    @property
    def score_causes(self) -> tuple[str, ...]:
        """The score lines and consequences that make the points other ones."""
        a, b = self.first, self.second
        if not self.other_score or a.lines is None or b.lines is None:
            return ()
        names = dict.fromkeys(name for lines in (*a.lines.values(), *b.lines.values()) for name in lines)
        found = [
            f"score {name}"
            for name in names
            if any(a.lines[p].get(name, 0) != b.lines[p].get(name, 0) for p in a.lines)
        ]
        here, there = a.happened or Counter(), b.happened or Counter()
        found += sorted({text for text, _ in (here - there) + (there - here)})
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Impact:
    """All games of an archive under two rulesets, and how many positions stood among them."""

    first: str
    second: str
    games: tuple[GameImpact, ...]
    positions: int = 0

    def named(self, change: str) -> list[str]:
        """The games with this change."""
        return [g.name for g in self.games if g.change == change]

    def table(self) -> Iterator[tuple[str, str, list[str]]]:
        """Line by line what happens to the games: a change, what causes it (nothing where all are meant), the games."""
        for change in CHANGES:
            names = self.named(change)
            if names or change in CHANGES[:3]:
                yield change, "", names
            yield from ((change, rule, games) for kind, rule, games in self.by_rule if kind == change)
            if change == "becomes illegal" and self.setup_only:
                yield change, SETUP, self.setup_only
        yield "other score", "", self.other_scores
        yield from (("other score", cause, games) for cause, games in self.by_score)
        yield "other winner", "", self.other_winners

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
        """Games that become illegal by their setup alone: the play itself is legal."""
        return [g.name for g in self.games if g.change == "becomes illegal" and g.second.setup_only]

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
    def by_score(self) -> list[tuple[str, list[str]]]:
        """(score line or consequence, games in which it makes the points other ones)."""
        found: dict[str, list[str]] = {}
        for game in self.games:
            for cause in game.score_causes:
                found.setdefault(cause, []).append(game.name)
        return sorted(found.items(), key=lambda i: (-len(i[1]), i[0]))


def measure_impact(
    documents: Iterable[Loaded | FileResult], addresses: tuple[str, str], shelves: tuple[Shelf, Shelf]
) -> Impact:
    """Judge every document under both rulesets, each from its own shelf (with its own readings); positions, which
    have no play, are left out.
    """
    games = []
    positions = 0
    for loaded in documents:
        if isinstance(loaded, FileResult):
            broken = _unread(loaded)
            games.append(GameImpact(loaded.name, broken, broken))
        elif loaded.is_state:
            positions += 1
        else:
            both = [_judge_loaded(loaded, a, shelf) for a, shelf in zip(addresses, shelves, strict=True)]
            games.append(GameImpact(loaded.document.name, *both))
    return Impact(*addresses, tuple(games), positions)


def _judge_loaded(loaded: Loaded, address: str, shelf: Shelf) -> Judged:
    chosen = choose_rulebook(loaded, shelf, address)
    if isinstance(chosen, FileResult):
        return _unread(chosen)
    record = decode_loaded(chosen[0], chosen[1])
    if not isinstance(record, FileResult):
        return judge(record, chosen[1])
    other = other_game(loaded, shelf, chosen[1])
    return Judged("unreadable", (FORM,), message=other) if other else _unread(record)


def other_game(loaded: Loaded, shelf: Shelf, book: Rulebook) -> str:
    """That a record names another game than the one it is asked about, which says more than all that it lacks."""
    named = own_address(loaded, shelf)
    own = shelf.get(named).value if isinstance(named, str) else None
    names = [b.game.ruleset.layer_names()[0] for b in (own, book) if b is not None]
    return f"this is a game of `{names[0]}`, not of `{names[1]}`" if names[0] != names[-1] else ""


def _unread(result: FileResult) -> Judged:
    first = result.diagnostics[0] if result.diagnostics else None
    return Judged(
        "unreadable", (FORM,), message=first.message if first else "", help=(first.help or "") if first else ""
    )


def judge(record: Record, book: Rulebook) -> Judged:
    """What a ruleset says of what the players of a record did."""
    played = bare(record)
    replay = replay_record(book.game, played, book.legal)
    certain = [f for f in replay.findings if not f.undetermined]
    verdict = "illegal" if certain else "undecided" if replay.findings else "legal"
    causes: tuple[str, ...] = ()
    setup_only = False
    if certain:
        mark_causes(book.game, replay, book.legal)
        first = [f for f in replay.findings if not f.follows and not f.undetermined] or certain[:1]
        causes = tuple(dict.fromkeys(f.rule or f.code for f in first))
        setup_only = all(f.path[:1] == ("setup",) for f in first)
    names = record.players
    totals = lines = winners = None
    result = replay.result
    if result is not None and not any(is_unknown(t) for t in result.totals):
        totals = dict(zip(names, result.totals, strict=True))
        lines = dict(zip(names, result.parts, strict=True))
        winners = tuple(names[p] for p in result.ranking[0]) if result.ranking else None
    message = Messages(book.game, names).message(replay.findings[0]).text if replay.findings else ""
    return Judged(verdict, causes, setup_only, totals, winners, lines, _happened(book, replay), message)


def bare(record: Record) -> Record:
    """The record without what it says of claims and result: what players did. A game with a result stays a whole one."""
    turns = [Turn(turn.player, [m for m in turn.moves if not m.consequence]) for turn in record.turns]
    return replace(record, turns=turns, outcome=None, whole=record.outcome is not None, recorded=frozenset())


def _happened(book: Rulebook, replay: Replay) -> Counter[tuple[str, int]]:
    """How often each consequence came about, by its name with its goal and by seat."""
    goals = replay.play.state.goals
    models = book.game.ruleset.consequences
    found: Counter[tuple[str, int]] = Counter()
    for _, seat, name, values in replay.consequences:
        named = zip(models[name].parameters, values, strict=False)
        parts = [goals[v] if isinstance(v, int) else str(v) for p, v in named if p.type.kind == "goal"]
        found[" ".join([name, *parts]), seat] += 1
    return found
