"""Many random expressions in one ruleset: written, put where each can stand, checked; what is refused is left out."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from unittest.mock import patch

from pwtool.ir.model import Ruleset
from pwtool.lang.parser import parse_rules
from pwtool.rules.build import build_ruleset
from pwtool.rules.layers import merge_layers
from pwtool.rules.library import Layer, Library
from pwtool.text import Severity
from pwtool.text.source import SourceFile
from tests.kernel.writer import Definition, Local, NoWayError, Place, Text, Writer

RULES = Path(__file__).resolve().parent / "rules"
GAMES = ("quarry", "weir")
EDGES = ("brink",)
"""Games of large numbers."""


@cache
def library() -> Library:
    return Library(RULES)


@cache
def base_layers(game: str) -> tuple[Layer, ...]:
    found = library().layers(game)
    assert found.value is not None, found.diagnostics
    return tuple(found.value)


@cache
def base(game: str) -> Ruleset:
    """A game as it stands, without a single expression more."""
    result = build_ruleset(game, merge_layers(list(base_layers(game))))
    assert result.value is not None, [d.message for d in result.diagnostics]
    return result.value


@dataclass(frozen=True, slots=True)
class Written:
    """One expression: `what` it stands for (a condition, a number, a named value of an action ...) and its name."""

    what: str
    name: str
    text: Text
    when: Text | None = None

    @property
    def line(self) -> str:
        when = "" if self.when is None else f" when {self.when}"
        match self.what:
            case "invariant":
                return f'invariant {self.name} "I" for each player{when} require {self.text}'
            case "loose":
                return f'invariant {self.name} "I"{when} require {self.text}'
            case "score":
                return f'score {self.name} "S" = {self.text}'
            case "criterion":
                return f"most {self.text}"
            case "objective":
                return f'objective {self.name} "O" = {self.text}'
            case "let" | "derived":
                return f"let {self.name} = {self.text}"
            case "rule":
                return f'rule {self.name} "R"{when} require {self.text}'
        raise ValueError(self.what)


@dataclass(frozen=True, slots=True)
class Probe:
    """An action (or a consequence) that is there for its named values and rules."""

    name: str
    parameters: tuple[str, ...]
    inside: tuple[Written, ...]
    consequence: bool = False


@dataclass(frozen=True, slots=True)
class Batch:
    """What is put into a game."""

    game: str
    definitions: tuple[Definition, ...]
    written: tuple[Written, ...]
    probes: tuple[Probe, ...]

    def expressions(self) -> Iterator[Written]:
        yield from self.written
        for probe in self.probes:
            yield from probe.inside

    def __len__(self) -> int:
        return len(list(self.expressions()))

    def lines(self) -> list[tuple[str, str]]:
        """The lines of the rules file, each with the name of what may be left out there."""
        found = [(f'edition own of {self.game} "Own"', "")]
        found += [(str(d), d.name) for d in self.definitions]
        criteria = [w for w in self.written if w.what == "criterion"]
        found += [(w.line, w.name) for w in self.written if w.what != "criterion"]
        if criteria:
            found.append(("change ranking", ""))
            found += [(w.line + ",", w.name) for w in criteria]
            found.append(("shared", ""))
        for probe in self.probes:
            kind = "consequence" if probe.consequence else "action"
            found.append((f"{kind} {probe.name} (", ""))
            found += [(p + "," * (at < len(probe.parameters) - 1), probe.name) for at, p in enumerate(probe.parameters)]
            found.append((") {", ""))
            found += [(w.line, w.name) for w in probe.inside]
            found.append(("}", ""))
        return found

    def tidied(self) -> Batch:
        """The same without definitions that nobody uses."""
        bodies = {d.name: str(d.body) for d in self.definitions}
        used: set[str] = set()
        pending = [str(w.text) + str(w.when) for w in self.expressions()]
        while pending:
            found = set(re.findall(r"\bd\d+\b", pending.pop())) - used
            used |= found
            pending += [bodies[name] for name in found]
        return replace(self, definitions=tuple(d for d in self.definitions if d.name in used))

    def without(self, names: set[str]) -> Batch:
        """The same without what has these names."""
        return Batch(
            self.game,
            tuple(d for d in self.definitions if d.name not in names),
            tuple(w for w in self.written if w.name not in names),
            tuple(
                replace(p, inside=tuple(w for w in p.inside if w.name not in names))
                for p in self.probes
                if p.name not in names
            ),
        )


@cache
def numbers_at_edges(game: str) -> tuple[int, ...]:
    """Where something changes: the bounds of variables and attributes, of kernels and of words, and the numbers beside them."""
    if game not in EDGES:
        return ()
    found = {0, 1, 46340, 46341, 1 << 14, 1 << 15, 1 << 16, 1 << 28, 999_999_999, 1 << 31, -(1 << 31)}
    for variable in base(game).variables.values():
        found |= {variable.type.low, variable.type.high}
    for component in base(game).components.values():
        for attribute in component.attributes.values():
            found |= {value for value in attribute.table if type(value) is int}
    return tuple(sorted({number + step for number in found for step in (-1, 0, 1)}))


def edges(game: str) -> tuple[str, ...]:
    """The same as text, as far as they can be written."""
    found = [number for number in numbers_at_edges(game) if abs(number) < 10**9]
    return tuple(str(number) if number >= 0 else f"(- {-number})" for number in found)


class RefusedError(Exception):
    """Nothing of a batch is left."""


def checked(batch: Batch) -> tuple[Batch, Ruleset, list[str]]:
    """What the checker accepts of a batch, the ruleset of it, and why the others were refused."""
    why: list[str] = []
    while True:
        lines = batch.lines()
        text = "\n".join(line for line, _ in lines)
        parsed = parse_rules(SourceFile("own", text))
        problems = list(parsed.diagnostics)
        if parsed.value is not None:
            layers = [*base_layers(batch.game), Layer("own", parsed.value)]
            # Hundreds of expressions in one ruleset cost more than a game may; that bound is not what is asked here.
            with patch("pwtool.rules.build.check_cost", lambda ruleset: []):
                result = build_ruleset("own", merge_layers(layers))
            if result.value is not None:
                return batch, result.value, why
            problems = [d for d in result.diagnostics if d.level is Severity.ERROR]
        refused = set()
        for problem in problems:
            place = problem.span
            assert place is not None, problem
            if place.file.name != "own":
                # The game adds up all score lines: together they may be too large for its ranking.
                why.append(f"{problem.code} {problem.message}")
                refused |= {name for line, name in lines if name and line.startswith("score ")}
                continue
            # Where nothing of a line is wrong until the next begins, that next line may have no name; and a ranking that
            # says what the game's own says is refused at its head, before the first name.
            around = [*lines[place.line - 1 :: -1], *lines[place.line :]]
            name = next(name for _, name in around if name)
            why.append(f"{problem.code} {problem.message}: {lines[place.line - 1][0]}")
            refused.add(name)
        assert refused, problems
        batch = batch.without(refused)
        if not len(batch):
            raise RefusedError


# ---- writing ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Author:
    """Writes batches for one game."""

    game: str
    rng: random.Random
    depth: int = 5
    number: int = 0
    definitions: list[Definition] = field(default_factory=list)

    def writer(self, place: Place) -> Writer:
        ruleset = base(self.game)
        # What says quickly whether it is possible.
        quick = {
            "quarry": ("draw", "lift", "pass", "light"),
            "weir": ("raise", "cast", "idle"),
            "brink": ("draw", "pass"),
        }
        return Writer(ruleset, self.rng, place, self.definitions, quick[self.game], edges(self.game))

    def batch(self, size: int) -> Batch:
        """About so many expressions, in all the places where they can stand."""
        self.number, self.definitions = 0, []
        written = [w for what, line in SURE[self.game] for w in self.named(what, Text("bool", (line,)))]
        probes: list[Probe] = []
        while len(written) + sum(len(p.inside) for p in probes) < size:
            match self.rng.choices(
                ["condition", "number", "criterion", "objective", "probe", "joint"], [4, 3, 1, 4, 2, 1]
            )[0]:
                case "condition":
                    own = self.rng.random() < 0.8
                    when = self.text("bool", Place(has_player=own)) if self.rng.random() < 0.2 else None
                    written += self.named(
                        "invariant" if own else "loose", self.text("bool", Place(has_player=own)), when
                    )
                case "number":
                    written += self.named("score", self.text("number", Place()))
                case "criterion":
                    written += self.named("criterion", self.text("number", Place(in_ranking=True)))
                case "objective":
                    board = base(self.game).board
                    place = Place(has_player=False, in_objective=True, board=board)
                    written += self.named("objective", self.text("bool", place))
                case kind:
                    probe = self.probe(joint=kind == "joint")
                    if probe.inside:
                        probes.append(probe)
        return Batch(self.game, tuple(self.definitions), tuple(written), tuple(probes)).tidied()

    def text(self, kind: str, place: Place) -> Text | None:
        try:
            return self.writer(place).write(kind, self.rng.randint(1, self.depth))
        except NoWayError:
            return None

    def name(self) -> str:
        self.number += 1
        return f"e{self.number}"

    def named(self, what: str, text: Text | None, when: Text | None = None) -> list[Written]:
        return [] if text is None else [Written(what, self.name(), text, when)]

    def probe(self, joint: bool) -> Probe:
        """An action with a few parameters, named values that build on each other, and rules."""
        name = f"probe{self.name()}"
        parameters: list[str] = []
        found: list[Local] = []
        keys: list[tuple[str, tuple[str, ...]]] = []
        each: list[tuple[str, str]] = []
        consequence = not joint and self.rng.random() < 0.15
        choices = JOINT[self.game] if joint else GIVEN if consequence else PARAMETERS[self.game]
        for number, (text, kind) in enumerate(
            self.rng.sample(choices, min(len(choices), self.rng.choice([1, 2, 3, 4])))
        ):
            parameter = f"a{number}_{name}"
            parameters.append(f"{parameter}: {text}")
            if joint:
                each.append((parameter, kind))
            elif kind.startswith("key "):
                keys.append((parameter, tuple(kind[4:].split())))
            else:
                low, high = (int(x) for x in text.split("..")) if kind == "number" else (-999, 999)
                found.append(Local(parameter, kind, low, high))
        inside: list[Written] = []
        if not parameters:
            return Probe(name, (), ())
        for _ in range(self.rng.randint(4, 14)):
            place = Place(not joint, locals=tuple(found), each=tuple(each), keys=tuple(keys))
            if self.rng.random() < 0.5:
                # A named condition that may be nothing is false then in compiled rules, nothing in the interpreter.
                kind = self.writer(place).some_kind().replace("bool?", "bool")
                made = self.named("let", self.text(kind, place))
                found += [Local(w.name, kind) for w in made]
                inside += made
            else:
                made = self.named(
                    "rule", self.text("bool", place), self.text("bool", place) if self.rng.random() < 0.2 else None
                )
                inside += made
        # Named values stand before the rules that speak of them wherever they stand.
        return Probe(name, tuple(parameters), tuple(sorted(inside, key=lambda w: w.what != "let")), consequence)


# What is seldom written at random, or seldom both true and false.
SURE = {
    "quarry": [
        ("objective", "some c in tile: count (group d around c: d.hue == c.hue) >= 3"), ("objective", "some c in tile: c.size == count neighbours of c"),
        ("objective", "some [ # ]: size reads 2"), ("objective", "some [ u v ]: u.size < v.size"), ("objective", "some [ u u ] turned: same hue of u"),
        ("objective", "some [ u v? ]: distinct hue of neighbours of u"), ("objective", "at least 2 separate [ # # ] turned: same hue"),
        ("objective", "some [ # # ] turned: any height >= 2 and sum height > 2"), ("objective", "some c in tile: c.height > 1"),
        ("invariant", "some g in goals: field fulfils g"), ("invariant", "scout on field[place of scout]"),
        ("invariant", "some c in cells of plot: some d in directions: (c + d - (1, 0)) == (1, 1) of plot and plot[c] is empty"),
        ("invariant", "some c in cells of plot: some d in directions + diagonals: count (n in cells from c towards d: plot[n] is empty) == 2"),
        ("invariant", "some c in cells of plot: some d in cells of plot: count (n in cells between c and d: plot[n] is empty) == 2"),
    ],
    "weir": [
        ("objective", "some [ # ]: load reads 1"), ("objective", "some [ u v ]: u.load < v.load"), ("objective", "some [ u . / . u ]: same tone of u"),
        ("objective", "some [ u v? ]: distinct tone of neighbours of u"), ("objective", "at least 2 separate [ # # ] turned: same tone"),
        ("objective", "some [ # # ] turned: any height >= 2 and sum height > 2"), ("objective", "some c in stone: c.height > 1"),
        ("invariant", "every ticket on board: series == north"), ("loose", "some ticket on board: awake"),
        ("invariant", "some g in goals: weir fulfils g"), ("invariant", "heron on weir[hot]"),
        ("invariant", "some c in cells of weir: some d in directions: (c + d - (1, 0)) == (1, 1) of weir and weir[c] is empty"),
        ("invariant", "some c in cells of weir: some d in directions + diagonals: count (n in cells from c towards d: weir[n] is empty) == 2"),
        ("invariant", "some c in cells of weir: some d in cells of weir: count (n in cells between c and d: weir[n] is empty) == 1"),
    ],
    "brink": [],
}  # fmt: skip
PARAMETERS = {
    "quarry": [
        ("tile from hand", "face:tile"), ("tiles from hand", "list:face:tile"), ("tiles from tops of supply", "list:face:tile"),
        ("gem from vault", "face:gem"), ("gems from shelf[1]", "list:face:gem"), ("cell of field", "cell"), ("cell of plot", "cell"),
        ("cell of mine", "cell"), ("1..3", "number"), ("0..8", "number"), ("hue", "member:tile.hue"), ("kind", "member:gem.kind"),
        ("hue or size", "key tile.hue tile.size"), ("kind or cut or rank", "key gem.kind gem.cut gem.rank"), ("worn", "bool"),
        ("player", "player"), ("goal", "goal"),
    ],
    "weir": [
        ("stone from pool", "face:stone"), ("stones from creel", "list:face:stone"), ("ticket from purse", "face:ticket"),
        ("tickets from stack", "list:face:ticket"), ("cell of weir", "cell"), ("cell of board", "cell"), ("cell of drift", "cell"),
        ("1..2", "number"), ("3..12", "number"), ("tone", "member:stone.tone"), ("load or tone", "key stone.load stone.tone"),
        ("mossy or number", "key stone.mossy ticket.number"), ("mossy", "bool"), ("player", "player"), ("goal", "goal"),
    ],
    "brink": [
        ("coin from purse", "face:coin"), ("coins from purse", "list:face:coin"), ("cell of tray", "cell"), ("0..1", "number"),
        ("16384..16385", "number"), ("-46341..-46340", "number"), ("268435455..268435456", "number"), ("side", "member:coin.side"),
        ("worth or side", "key coin.worth coin.side"), ("player", "player"), ("goal", "goal"),
    ],
}  # fmt: skip
GIVEN = [("player", "player"), ("goal", "goal"), ("player", "player")]
JOINT = {
    "quarry": [
        ("0..4 per player", "number"), ("hue per player", "member:tile.hue"), ("worn per player", "bool"), ("player per player", "player"),
        ("kind per player", "member:gem.kind"),
    ],
    "weir": [
        ("0..9 per player", "number"), ("tone per player", "member:stone.tone"), ("mossy per player", "bool"), ("player per player", "player"),
    ],
    "brink": [("46340..46342 per player", "number"), ("side per player", "member:coin.side"), ("player per player", "player")],
}  # fmt: skip
