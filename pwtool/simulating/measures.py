"""What is measured in a game: named numbers, at most one of each per game, so that their mean over games has an interval."""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm
from typing import NamedTuple

from pwtool.ir.ahead import judged_late
from pwtool.ir.model import Ruleset
from pwtool.play.selfplay import MAX_TURNS, Endless, NoSetup, OutOfBounds
from pwtool.simulating.games import Played
from pwtool.text.speech import mark

Key = tuple[str, str]
"""A measure by its group and its name in it."""

STUCK: Key = ("end", "nobody can move")
PARTS = 1_000_000
"""The number of parts into which a share of a game's turns is divided."""
GROUPS = {
    "end": mark("games by how they come out"),
    "ending": mark("games over by what ended them"),
    "length": mark("length of games over"),
    "choice": mark("turns by what there is to choose"),
    "score": mark("score"),
    "line": mark("score lines of a player"),
    "wins": mark("games won, shared ones in parts"),
    "seat": mark("score by seat"),
    "action": mark("actions in a game"),
    "consequence": mark("consequences in a game"),
    "claimed": mark("games with the objective in which it is claimed"),
    "claims": mark("claims in a game with the objective"),
    "claim turn": mark("when it is claimed first"),
}
"""The groups of measures, and what people are shown of each."""


class Measure(NamedTuple):
    """A measure: its group, its name in it (of an item of the ruleset, or of a seat), whether it is a share of games (0
    or 1 in each), and the divisor of its counts.
    """

    group: str
    name: str
    share: bool = False
    divisor: int = 1

    @property
    def key(self) -> Key:
        return self.group, self.name

    @property
    def percent(self) -> bool:
        """Whether it is shown as a percentage."""
        return self.share or self.group in ("wins", "choice")


class Measures:
    """The measures of one ruleset with this number of players."""

    def __init__(self, ruleset: Ruleset, players: int) -> None:
        self.ruleset = ruleset
        # A win that two or three share counts as a half or a third.
        self.whole = lcm(*range(1, players + 1))
        self.cycles = f"{ruleset.cycle}s"
        # In the order of `counts`: consequences come last, the first of them at the very end.
        self.actions: list[Key] = [("action", name) for name in ruleset.actions]
        self.actions += [("consequence", name) for name in reversed(ruleset.consequences)]
        passing = any(not (model.effects or model.parameters) for model in ruleset.actions.values())
        # A record does not say what each action causes, so it is not known whether a turn changed nothing.
        self.passing = passing and not any(model.each_action for model in ruleset.consequences.values())
        # Actions that are judged late are only judged when drawn, so it is not known how many of them are legal.
        self.choosing = not any(map(judged_late, ruleset.actions.values()))
        self.all = tuple(self._all(players))

    def _all(self, players: int) -> Iterator[Measure]:
        ruleset = self.ruleset
        stopped = ("no setup", f"endless {ruleset.cycle}", "out of bounds")
        for name in ("over", STUCK[1], f"{MAX_TURNS:,} {self.cycles}", *stopped):
            yield Measure("end", name, share=True)
        for ending in ruleset.endings:
            yield Measure("ending", ending.name, share=True)
        yield Measure("length", self.cycles)
        yield Measure("length", "actions")
        if self.passing:
            yield Measure("length", f"{self.cycles} passed")
        if self.choosing:
            yield Measure("choice", "no choice", divisor=PARTS)
        yield Measure("score", "of a player", divisor=players)
        yield Measure("score", "of the first")
        for score in ruleset.scores:
            yield Measure("line", score.name, divisor=players)
        for seat in range(1, players + 1):
            yield Measure("wins", f"seat {seat}", divisor=self.whole)
        yield Measure("wins", "shared", share=True)
        yield Measure("wins", "by nobody", share=True)
        for seat in range(1, players + 1):
            yield Measure("seat", f"seat {seat}")
        for name in ruleset.actions:
            yield Measure("action", name)
        for name in ruleset.recordable:
            yield Measure("consequence", name)
        for group in ("claimed", "claims", "claim turn") if self.ruleset.claiming else ():
            for name in ruleset.objectives:
                yield Measure(group, name, share=group == "claimed")

    def of(self, game: Played) -> dict[Key, int]:
        """The measures of a game, before they are divided."""
        ends = [measure.key for measure in self.all[:6]]
        found = dict.fromkeys(ends, 0)
        if game.failed is not None:
            found[ends[3 + (NoSetup, Endless, OutOfBounds).index(game.failed)]] = 1
            return found
        found[ends[0 if game.over else 1 if game.turns < MAX_TURNS else 2]] = 1
        found |= zip(self.actions, game.counts, strict=True)
        for name in () if self.ruleset.recordable == tuple(self.ruleset.consequences) else self.ruleset.consequences:
            if name not in self.ruleset.recordable:
                del found["consequence", name]
        if self.ruleset.claiming:
            self._add_claims(found, game)
        if game.over:
            self._add_result(found, game)
        return found

    def _add_claims(self, found: dict[Key, int], game: Played) -> None:
        names = list(self.ruleset.objectives)
        for goal in game.goals:
            found["claimed", names[goal]] = found["claims", names[goal]] = 0
        for goal, turn in game.named:
            name = names[goal]
            found["claimed", name] = 1
            found["claims", name] += 1
            found.setdefault(("claim turn", name), turn)

    def _add_result(self, found: dict[Key, int], game: Played) -> None:
        for number, ending in enumerate(self.ruleset.endings):
            found["ending", ending.name] = int(number == game.ending)
        found["length", self.cycles] = game.turns
        found["length", "actions"] = sum(game.counts[: len(self.ruleset.actions)])
        if self.passing:
            found["length", f"{self.cycles} passed"] = game.idle
        if self.choosing:
            found["choice", "no choice"] = round(PARTS * game.single / max(1, game.turns))
        found["score", "of a player"] = sum(game.totals)
        for number, score in enumerate(self.ruleset.scores):
            found["line", score.name] = sum(lines[number] for lines in game.lines)
        first = [seat for seat, place in enumerate(game.places) if place == 0]
        if first:
            found["score", "of the first"] = game.totals[first[0]]
        for seat, total in enumerate(game.totals):
            found["wins", f"seat {seat + 1}"] = self.whole // len(first) if seat in first else 0
            found["seat", f"seat {seat + 1}"] = total
        found["wins", "shared"] = int(len(first) > 1)
        found["wins", "by nobody"] = int(not first)
