"""Examples of rules by playing them: what somebody says of an action on the table, as an example of the rules file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pwtool.eval.kleene import is_unknown
from pwtool.eval.values import UNSEEN, Cell, bounds
from pwtool.eval.work import TooMuchWork
from pwtool.ir import nodes as ir
from pwtool.ir.access import Place, read_by, read_by_rules
from pwtool.ir.model import ActionModel, ParameterModel, VariableModel, ZoneModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type
from pwtool.ir.walk import walk
from pwtool.lang import tree as n
from pwtool.lang.fmt.text import format_rules
from pwtool.lang.parser import parse_rules
from pwtool.play.changes import bound_words
from pwtool.play.game import Game
from pwtool.play.legal import Arguments
from pwtool.play.play import Play
from pwtool.play.state import State, zone_labels
from pwtool.text.source import SourceFile
from pwtool.text.speech import Told
from pwtool.why.examples import BadExample, ExampleRunner
from pwtool.why.refusals import Refusals, refusals

_Part = tuple[Any, ...]
_HEAD = "part example of example\n"


class NoExample(Exception):
    """No example says this of an action; the `reason` is for the author of the rules."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _NotSaid(Exception):
    """Examples have no words for a value."""


@dataclass(frozen=True, slots=True)
class _Given:
    """A line of the position, or None if examples have no words for it, and the part that it is about: `("zone", 2, 0)`."""

    part: _Part
    line: str | None
    name: str


def example_of_action(play: Play, actor: int, action: int, arguments: Arguments, about: str, yes: bool) -> list[str]:
    """The lines of an example that says of an action in this position that it is legal (`yes`), or that it is refused by
    what the example is `about`: the action as a whole, one of its rules (`place.once`) or parameters (`place.card`).
    Arguments are those of the engine. Raises `NoExample`.

    In the position of the example, exactly the same refuses the action as in play: if the author agrees with the rules, the
    example holds, and only what the rules ask about is given; otherwise it fails until the rules are changed, and all is given.
    """
    game, model = play.game, play.game.action(action)
    if about not in (model.name, *(r.id for r in model.rules), *(f"{model.name}.{p.name}" for p in model.parameters)):
        raise NoExample(Told("an example of `{name}` asks about no other action", name=about))
    state = play.state.copy()
    state.player = max(0, actor)
    try:
        with game.work.limited():
            return _Writer(game, state, model, arguments, about, yes).lines()
    except TooMuchWork:
        raise NoExample(Told("it takes too many steps to judge this action")) from None
    except BadExample as bad:
        raise NoExample(bad.diagnostic.message) from None


class _Writer:
    """Writes one example. On the only grid that floats, the upper left cell of each player's grid becomes (0, 0)."""

    def __init__(
        self, game: Game, state: State, model: ActionModel, arguments: Arguments, about: str, yes: bool
    ) -> None:
        self.game, self.state, self.model = game, state, model
        self.arguments, self.about, self.yes = arguments, about, yes
        floating = [zone for zone in game.zone_list if zone.floating]
        self.corners: list[Cell] = []
        self.floating = floating[0] if len(floating) == 1 else None
        if self.floating is not None:
            grids = state.zones[self.floating.number]
            self.corners = [bounds(grid)[:2] if grid else (0, 0) for grid in grids]

    def lines(self) -> list[str]:
        runner = self.game.machine(self.state).actions[self.model.number]
        found = refusals(self.game, runner, self.state, self.arguments)
        if found.unknown:
            raise NoExample(Told("what refuses this action depends on things that nobody has seen"))
        if self.yes and found.bound is not None and self.about != self.model.name and not found.items:
            message = "it is no rule that refuses this action ({what}): say it of {name} as a whole"
            raise NoExample(Told(message, what=bound_words(found.bound.fact), name=f"`{self.model.name}`"))
        call = self.call()
        head = self.head()
        givens = self.givens(self.read(head, call)[0].state())
        missing = list(dict.fromkeys(f"`{given.name}`" for given in givens if given.line is None))
        not_said = Told("an example cannot say what is in {names}", names=missing)
        attempts = [[*head, *_lines(givens)]]
        if self.holds(found):
            read = self.parts_read()
            less = _lines(g for g in givens if not read.isdisjoint((g.part, g.part[:2])))
            attempts = [[*self.without_objectives(head), *less], [*head, *less], *attempts]
        elif missing:
            # What is not given may matter to the rules that the author has in mind.
            raise NoExample(not_said)
        for attempt in attempts:
            if lines := self.tried(attempt, call, found):
                return lines
        if missing:
            raise NoExample(not_said)
        raise NoExample(
            Told("whether this action is legal depends on more than the position, such as on earlier turns")
        )

    def holds(self, found: Refusals) -> bool:
        """Whether the author agrees with the rules."""
        if self.yes or self.about == self.model.name:
            return self.yes != bool(found.names)
        return self.about in found.items

    def tried(self, givens: list[str], call: str, found: Refusals) -> list[str]:
        """The lines of an example with these givens; none if something else refuses the action there."""
        runner, outcome, lines = self.read(givens, call)
        try:
            state = runner.state()
            assert isinstance(outcome.what, n.CallExample)
            careful = self.game.careful.actions[self.model.number]
            arguments = runner.arguments(careful, outcome.what, state)
            same = refusals(self.game, careful, state, arguments)
            holds = runner.outcome(outcome) is None
        except BadExample:
            return []
        alike = sorted(same.names) == sorted(found.names) and not same.unknown
        return lines if alike and holds == self.holds(found) else []

    def read(self, givens: list[str], call: str) -> tuple[ExampleRunner, n.Outcome, list[str]]:
        """An example as it is read from a rules file, and its lines in the style of the formatter."""
        text = "\n".join([_HEAD, f"example {self.about} {{", *givens, f"{'yes' if self.yes else 'no'} {call}", "}", ""])
        file = SourceFile("example", text)
        document, formatted = parse_rules(file).value, format_rules(file).value
        example = document.declarations[0] if document is not None and document.declarations else None
        if not isinstance(example, n.Example) or formatted is None:
            raise NoExample(Told("this action cannot be written down in an example"))
        lines = formatted.splitlines()
        return ExampleRunner(self.game, example), example.outcomes[0], lines[lines.index(f"example {self.about} {{") :]

    # ---- what is read

    def parts_read(self) -> set[_Part]:
        """The parts of the position that judging the action reads; zones with their index, except where a rule looks ahead."""
        game, interpreter = self.game, self.game.interpreter
        interpreter.reads = reads = set[_Part]()
        try:
            refusals(game, game.careful.actions[self.model.number], self.state, self.arguments)
        finally:
            interpreter.reads = None
        found: set[_Part] = {("zone", *key[1:3]) if key[0] == "cell" else key for key in reads}
        return found | {("var" if kind == "variable" else kind, number) for kind, number in self.parts_ahead()}

    def parts_ahead(self) -> frozenset[Place]:
        """What may be read where a rule looks ahead: to what the action leads, or whether another one is possible."""
        actions = self.game.ruleset.actions
        following = [c for c in self.game.ruleset.consequences.values() if c.each_action]
        found, pending, known = frozenset[Place](), [self.model], {self.model.name}
        while pending:
            for part in _asked_by(pending.pop()):
                if isinstance(part, ir.Can) and part.action not in known:
                    known.add(part.action)
                    pending.append(actions[part.action])
                    found |= read_by_rules(actions[part.action])
                elif isinstance(part, ir.After):
                    new = [model for model in following if model.name not in known]
                    known.update(model.name for model in new)
                    pending += new
                    effects = [e for model in (actions[part.action], *new) for e in model.all_effects]
                    asked = [e for effect in effects for e in (effect.when, effect.value, effect.cell, effect.amount)]
                    found = found.union(read_by(*asked), *map(read_by_rules, new))
        return found

    # ---- what is given

    def head(self) -> list[str]:
        """The number of players, who acts, and the objectives in play, if they are others than without such a line."""
        ruleset, state, lines = self.game.ruleset, self.state, list[str]()
        if state.players != ruleset.min_players:
            lines.append(f"given {state.players} players")
        if state.player:
            lines.append(f"given player = {state.player + 1}")
        if ruleset.goal_zone and state.goals:
            lines.append(f"given {ruleset.goal_zone} = {_braced(state.goals)}")
        return lines

    def without_objectives(self, head: list[str]) -> list[str]:
        """The same lines without the objectives in play, if no rule of the action asks about them."""
        kinds = ir.Goals | ir.Fulfils | ir.Can | ir.After
        if any(isinstance(part, kinds) or part.type.kind == "goal" for part in _asked_by(self.model)):
            return head
        return [line for line in head if not line.startswith(f"given {self.game.ruleset.goal_zone} =")]

    def givens(self, before: State) -> list[_Given]:
        """A line for each part of the position that is not as an example begins."""
        state = self.state
        found: list[_Given] = []
        for zone in self.game.zone_list:
            labels = zone_labels(zone, [str(seat + 1) for seat in range(state.players)], state.goals)
            for at, (label, now, then) in enumerate(
                zip(labels, state.zones[zone.number], before.zones[zone.number], strict=True)
            ):
                if now != then:
                    key = [zone.place_name(part) if isinstance(part, int) else part for part in label]
                    if zone.dimensions and zone.dimensions[0][0] == "player" and key[0] == str(state.player + 1):
                        # A zone without the index of a player belongs to the one who acts.
                        del key[0]
                    found.append(self.given(("zone", zone.number, at), zone.name, key, partial(self.content, zone, at)))
        for variable in self.game.variable_list:
            now, then = state.variables[variable.number], before.variables[variable.number]
            name, key = self.divided(variable)
            for seat in range(state.players) if variable.each else (-1,):
                one, other = (now, then) if seat < 0 else (now[seat], then[seat])
                if is_unknown(one) or one != other:
                    owner = [] if seat in (-1, state.player) else [str(seat + 1)]
                    words = partial(self.value, variable.type, one, seat if seat >= 0 else state.player)
                    found.append(self.given(("var", variable.number), name, [*owner, *key], words))
        for token in self.game.ruleset.tokens.values():
            if (place := state.tokens[token.number]) is not None:
                words = partial(self.token, self.game.zone_list[token.zone], *place)
                found.append(self.given(("token", token.number), token.name, [], words, " on "))
        return found

    def given(self, part: _Part, name: str, key: Sequence[str], words: Callable[[], str], sign: str = " = ") -> _Given:
        index = f"[{', '.join(key)}]" if key else ""
        try:
            return _Given(part, f"given {name}{index}{sign}{words()}", name)
        except _NotSaid:
            return _Given(part, None, name)

    def divided(self, variable: VariableModel) -> tuple[str, list[str]]:
        """The name of a variable as it is declared, and which part of it this is: `own_red` is `own[red]`."""
        items, name = self.game.ruleset.merged.items, variable.name
        if ("var", name) in items:
            return name, []
        for kind, whole in items:
            if kind == "var" and name.startswith(f"{whole}_"):
                node, rest = items[kind, whole], name[len(whole) + 1 :]
                return whole, [rest] if isinstance(node, n.Var) and len(node.over) == 1 else rest.split("_")
        return name, []

    def content(self, zone: ZoneModel, at: int) -> str:
        """What lies in a zone."""
        things = self.state.zones[zone.number][at]
        element = zone.element
        if not isinstance(things, dict):
            return _braced(self.value(element, thing, 0) for thing in things)
        if not things:
            return "{ }"
        if element.kind != "face":
            raise _NotSaid
        left, top = self.corners[at] if zone is self.floating else (0, 0)
        _, _, right, bottom = bounds(things)

        def pile(x: int, y: int) -> str:
            return "+".join(self.value(element, face, 0) for face in things.get((x, y), ())) or "."

        if zone.floating and zone is not self.floating and min(bounds(things)[:2]) < 0:
            raise _NotSaid
        rows = [" ".join(pile(x, y) for x in range(left, right + 1)) for y in range(top, bottom + 1)]
        return f"[ {' / '.join(rows)} ]"

    def token(self, zone: ZoneModel, at: int, cell: Cell) -> str:
        """Where a token lies."""
        x, y = self.shifted(zone, cell, at)
        return f"{zone.name}{f'[{at + 1}]' if zone.dimensions and at != self.state.player else ''}[{x}, {y}]"

    # ---- values

    def call(self) -> str:
        """The action with its arguments."""
        try:
            words = [self.argument(p, a) for p, a in zip(self.model.parameters, self.arguments, strict=True)]
        except _NotSaid:
            raise NoExample(Told("this action cannot be written down in an example")) from None
        while words and words[-1] == "{ }":
            words.pop()
        return f"{self.model.name}({', '.join(words)})"

    def argument(self, parameter: ParameterModel, argument: Any) -> str:
        type_, seat = parameter.type, self.state.player
        if parameter.each:
            return _braced(self.value(type_, value, seat) for value in argument)
        if parameter.kind == "tops":
            element = type_.element or type_
            return _braced(f"{self.value(element, face, seat)} from {number}" for number, face in argument)
        return self.value(type_, argument, seat)

    def value(self, type_: Type, value: Any, seat: int) -> str:
        """A value as examples say it; cells are those of a grid of the player at this seat."""
        if is_unknown(value) or (type_.kind == "face" and value == UNSEEN):
            raise _NotSaid
        if value is None:
            return "none"
        if isinstance(value, bool):
            return "true" if value else "false"
        if type_.element is not None and isinstance(value, list | tuple) and type_.kind != "cell":
            if type_.element.kind not in ("face", "int", "cell"):
                raise _NotSaid
            return _braced(self.value(type_.element, one, seat) for one in value)
        match type_.kind:
            case "face":
                return str(self.game.ruleset.components[type_.component].codes[value])
            case "player":
                return str(value + 1)
            case "goal":
                return str(self.state.goals[value])
            case "cell":
                name = self.game.ruleset.cell_name(value, type_.grid)
                if name != "none" and self.game.ruleset.cell_named(name, type_.grid) == value:
                    return name
                zone = self.floating if type_.grid is not None and type_.grid.floating else None
                x, y = self.shifted(zone, value, seat)
                return f"({x}, {y})"
            case "int" | "member" | "key":
                return str(value)
        raise _NotSaid

    def shifted(self, zone: ZoneModel | None, cell: Cell, at: int) -> Cell:
        """A cell as an example names it."""
        if zone is None or zone is not self.floating:
            return cell
        left, top = self.corners[at if len(self.corners) > 1 else 0]
        return cell[0] - left, cell[1] - top


def _lines(givens: Iterable[_Given]) -> list[str]:
    return [given.line for given in givens if given.line is not None]


def _asked_by(model: ActionModel) -> Iterator[Expr]:
    """All parts of what the rules and the named values of an action ask."""
    for expr in (*(e for r in model.rules for e in (r.when, r.require)), *(value for _, _, value in model.lets)):
        yield from () if expr is None else walk(expr)


def _braced(words: Iterable[str]) -> str:
    return "{ " + "".join(f"{word} " for word in words) + "}"
