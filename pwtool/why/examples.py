"""The examples of a ruleset, run as tests: positions built from `given` lines, verdicts compared with `yes`, `no` and
`then`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pwtool.eval.kleene import negate
from pwtool.eval.values import UNKNOWN, Cell, Grid
from pwtool.ir.grids import cells_of
from pwtool.ir.model import ParameterModel, Ruleset, VariableModel, ZoneModel, refusal
from pwtool.ir.nodes import Expr
from pwtool.ir.types import PLAYER, Type
from pwtool.lang import tree as n
from pwtool.lang.merged import quoted as quoted_key
from pwtool.play.actions import Runner
from pwtool.play.game import Game
from pwtool.play.play import Play
from pwtool.play.score import score_game
from pwtool.play.setup import put
from pwtool.play.state import State
from pwtool.text import Diagnostic, codes_like, did_you_mean
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import quoted
from pwtool.why.refusals import Refusals, refusals


class BadExample(Exception):
    """An example that cannot be built; reported as a finding."""

    def __init__(self, message: str, span: Span, help_line: str | None = None, /, **values: Any) -> None:
        self.diagnostic = Diagnostic.of("PW402", message, span, help=help_line, **values)
        super().__init__(self.diagnostic.message)


@dataclass(frozen=True, slots=True)
class Failed:
    """An example that fails: the finding, and the outcome that differs (None: the example cannot be built)."""

    diagnostic: Diagnostic
    example: n.Example
    outcome: n.Outcome | None


def check_examples(game: Game) -> list[Diagnostic]:
    """Run every example of the ruleset; a finding for each that fails."""
    return [failed.diagnostic for failed in failed_examples(game)]


def failed_examples(game: Game, examples: Iterable[n.Example] | None = None) -> Iterator[Failed]:
    """Run the examples of the ruleset (or these ones) and return each that fails."""
    for example in game.ruleset.merged.examples if examples is None else examples:
        runner = ExampleRunner(game, example)
        try:
            runner.check_name()
        except BadExample as bad:
            yield Failed(bad.diagnostic, example, None)
            continue
        for outcome in example.outcomes:
            try:
                problem = runner.outcome(outcome)
            except BadExample as bad:
                yield Failed(bad.diagnostic, example, None)
                if any(bad.diagnostic.span == given.span for given in example.givens):
                    break
                continue
            if problem:
                diagnostic = Diagnostic.of("PW402", "example of `{name}`: {problem}", outcome.span, name=example.name.name, problem=problem)  # fmt: skip
                yield Failed(diagnostic, example, outcome)


def missing_examples(game: Game) -> list[Diagnostic]:
    """A finding for every rule, objective and parameter text without an accepted and a rejected example."""
    ruleset = game.ruleset
    seen: dict[str, set[str]] = {}
    for example in ruleset.merged.examples:
        seen.setdefault(example.name.name, set()).update(o.kind for o in example.outcomes)
    wanted: list[tuple[str, str, Span]] = [("objective", o.name, o.span) for o in ruleset.objectives.values()]
    for action in (*ruleset.actions.values(), *ruleset.consequences.values()):
        wanted += [("rule", r.id, r.span) for r in action.rules]
    wanted += [("rule", r.id, r.span) for r in ruleset.turn_rules]
    wanted += [("invariant", i.name, i.span) for i in ruleset.invariants]
    wanted += [("ending", e.name, e.span) for e in ruleset.endings]
    findings = []
    for kind, name, span in wanted:
        shown = seen.get(name, set()) & {"yes", "no"}
        message = "{item} lacks an accepted and a rejected example"
        if shown:
            message = "{item} lacks a rejected example" if "yes" in shown else "{item} lacks an accepted example"
        if len(shown) < 2:
            findings.append(Diagnostic.of("PW403", message, span, item=quoted_key((kind, name))))
    return findings


class ExampleRunner:
    """One example of a ruleset, to be built and judged. Raises `BadExample` if it cannot be built."""

    def __init__(self, game: Game, example: n.Example) -> None:
        self.game = game
        self.example = example
        self.name = example.name.name

    def check_name(self) -> None:
        ruleset = self.game.ruleset
        known = [
            *ruleset.objectives,
            "score",
            *(i.name for i in ruleset.invariants),
            *(e.name for e in ruleset.endings),
        ]
        for action in (*ruleset.actions.values(), *ruleset.consequences.values()):
            known += [
                action.name,
                *(r.id for r in action.rules),
                *(f"{action.name}.{p.name}" for p in action.parameters),
            ]
        known += [r.id for r in (*ruleset.turn_rules, *ruleset.setup_rules)]
        if self.name not in known:
            span = self.example.name.span
            raise BadExample("there is nothing called `{name}` to give an example of", span, did_you_mean(self.name, known), name=self.name)  # fmt: skip

    # ---- positions

    def state(self) -> State:
        game, ruleset = self.game, self.game.ruleset
        players = ruleset.min_players
        goals: list[str] = []
        for step in ruleset.setup:
            if step.kind == "choose":
                goals = [self.name] if self.name in ruleset.objectives else []
                goals += [o for o in ruleset.objectives if o not in goals][: step.amount - len(goals)]
        for given in self.example.givens:
            if given.kind == "players":
                players = given.number
                if not ruleset.min_players <= players <= ruleset.max_players:
                    raise BadExample("the game is for {low} to {high} players", given.span, low=ruleset.min_players, high=ruleset.max_players)  # fmt: skip
            elif given.name is not None and given.name.name == ruleset.goal_zone and isinstance(given.value, n.ItemSet):
                goals = [code for code, _ in given.value.items]
        for goal in goals:
            if goal not in ruleset.objectives:
                raise BadExample(
                    "there is no {what} {name}", self.example.span, did_you_mean(goal, ruleset.objectives), what=Told("objective"), name=f"`{goal}`",
                )  # fmt: skip
        state = State(ruleset, players, goals)
        for step in ruleset.setup:
            if step.kind == "put":
                put(game, step, state)
        Play(game, state)
        game.fresh_variables(state, "game")
        for given in self.example.givens:
            if given.name is not None and given.name.name == "player":
                state.player = self.acting(given, state)
        game.fresh_variables(state, "turn")
        for given in self.example.givens:
            self.given(given, state)
        return state

    def acting(self, given: n.Given, state: State) -> int:
        """The player who acts: `given player = 2`."""
        if given.indices or not isinstance(given.value, n.Number):
            raise BadExample("this is not a value of {type}", given.span, "a player is the number of the seat: 2", type=PLAYER)  # fmt: skip
        return self.seat(given.value.value, given.value.span, state)

    def given(self, given: n.Given, state: State) -> None:
        ruleset = self.game.ruleset
        if given.kind == "players" or given.name is None or given.name.name in (ruleset.goal_zone, "player"):
            return
        name = given.name.name
        variable, owners = _part(ruleset, name, given.indices)
        if given.kind == "token":
            token = ruleset.tokens.get(name)
            if token is None:
                raise BadExample(
                    "there is no {what} {name}", given.name.span, did_you_mean(name, ruleset.tokens), what=Told("token"), name=f"`{name}`",
                )  # fmt: skip
            assert isinstance(given.value, n.CellValue)
            whose = n.Given(given.span, "value", given.name, given.indices[1:], given.value, 0)
            grid = self.zone_index(self.game.zone_list[token.zone], whose, state)
            state.tokens[token.number] = (grid, (given.value.x, given.value.y))
        elif name in ruleset.zones:
            zone = ruleset.zones[name]
            state.zones[zone.number][self.zone_index(zone, given, state)] = self.content(zone, given)
        elif variable is not None:
            assert given.value is not None
            value = self.variable(variable.type, given.value, state)
            if variable.each:
                state.variables[variable.number][self.whose(variable, owners, given, state)] = value
            elif owners:
                raise BadExample("there is one `{variable}`, not one of each player", given.span, variable=name)
            else:
                state.variables[variable.number] = value
        else:
            known = [*ruleset.zones, *ruleset.variables, *ruleset.tokens]
            raise BadExample(
                "there is no {what} {name}", given.name.span, did_you_mean(name, known), what=Told("zone or variable"), name=f"`{name}`",
            )  # fmt: skip

    def whose(self, variable: VariableModel, owners: Sequence[str], given: n.Given, state: State) -> int:
        """The owner of a given variable: the player who acts if none is named."""
        if len(owners) > 1 or not all(map(str.isdigit, owners)):
            raise BadExample("`{variable}` is indexed by the seat of a player", given.span, variable=variable.name)
        return self.seat(int(owners[0]), given.span, state) if owners else state.player

    def zone_index(self, zone: ZoneModel, given: n.Given, state: State) -> int:
        indices = list(given.indices)
        if len(indices) < len(zone.dimensions) and zone.dimensions[0][0] == "player":
            indices.insert(0, str(state.player + 1))
        if len(indices) != len(zone.dimensions):
            raise BadExample("`{zone}` needs an index for each of its {count} divisions", given.span, zone=zone.name, count=len(zone.dimensions))  # fmt: skip
        at = 0
        for (dimension, size), stride, index in zip(zone.dimensions, state.strides[zone.number], indices, strict=True):
            count = {"player": state.players, "goal": len(state.goals)}.get(dimension, size)
            known: Sequence[str] = zone.places if dimension == "number" else state.goals
            place = known.index(index) + 1 if index in known else int(index) if index.isdigit() else 0
            if not 1 <= place <= count:
                raise BadExample("`{zone}` has no part `{index}`", given.span, zone=zone.name, index=index)
            at += stride * (place - 1)
        return at

    def content(self, zone: ZoneModel, given: n.Given) -> Any:
        value = given.value
        if zone.kind == "grid":
            if isinstance(value, n.Picture):
                strange = next((c for c in value.cells if not zone.grid.has((c.column, c.row))), None)
                if strange is not None:
                    raise BadExample("{name} has no cell {cell}", strange.span, name=f"`{zone.name}`", cell=f"({strange.column}, {strange.row})")  # fmt: skip
                return self.grid(value, zone.element.component)
            if isinstance(value, n.ItemSet) and not value.items:
                return {}
        elif isinstance(value, n.ItemSet):
            return [self.item(zone.element, code, given.span) for code, _ in value.items]
        message = "`{zone}` is given as a picture" if zone.kind == "grid" else "`{zone}` is given as {form}"
        raise BadExample(message, given.span, zone=zone.name, form="`{ ... }`")

    def grid(self, picture: n.Picture, component: str) -> Grid:
        """A board picture; the upper left cell is (0, 0)."""
        return {
            (c.column, c.row): [self.face(component, code, c.span) for code in c.sign.split("+")] for c in picture.cells
        }

    def face(self, component: str, code: str, span: Span) -> int:
        model = self.game.ruleset.components[component]
        if code not in model.numbers:
            raise BadExample("there is no {what} {name}", span, codes_like(code, model.codes), what=component, name=f"`{code}`")  # fmt: skip
        return model.numbers[code]

    def item(self, element: Type, code: str, span: Span) -> Any:
        if element.kind == "face":
            return self.face(element.component, code, span)
        if element.kind == "cell":
            return self.cell(element, code, span)
        if not code.lstrip("-").isdigit():
            raise BadExample("`{name}` is not a number", span, name=code)
        return int(code)

    def cell(self, t: Type, name: str, span: Span) -> Cell:
        """A cell by the name that people give it."""
        found = self.game.ruleset.cell_named(name, t.grid)
        if found is None:
            zones = [z for z in self.game.zone_list if z.names_cells and t.grid in (None, z.grid)]
            numbers = Told("a cell is its column and row: `(4, 0)`")
            if not zones:
                raise BadExample("{type} is needed here", span, numbers, type=t)
            if any(zone.cell_named(name) for zone in zones):
                raise BadExample("{zones} do not call the same cell {cell}", span, numbers, zones=quoted(z.name for z in zones), cell=f"`{name}`")  # fmt: skip
            zone = zones[0]
            known = [own for cell in cells_of(zone.grid) if (own := zone.own_name(cell))]
            raise BadExample("{name} has no cell {cell}", span, did_you_mean(name, known), name=f"`{zone.name}`", cell=f"`{name}`")  # fmt: skip
        return found

    def seat(self, seat: int, span: Span, state: State) -> int:
        """A player, written as the number of the seat."""
        if not 1 <= seat <= state.players:
            raise BadExample("there is no seat {wrong}, players sit from 1 to {most}", span, wrong=str(seat), most=state.players)  # fmt: skip
        return seat - 1

    def variable(self, t: Type, value: n.Node, state: State) -> Any:
        if isinstance(value, n.ItemSet) and t.element is not None:
            return [self.item(t.element, code, value.span) for code, _ in value.items]
        if isinstance(value, n.CellValue) and (
            t.kind == "cell" or (t.element is not None and t.element.kind == "cell")
        ):
            cell = (value.x, value.y)
            self.check_inside([cell], t.element or t, value.span)
            return [cell] if t.is_collection else cell
        if isinstance(value, n.Number) and t.kind == "int":
            if not t.low <= value.value <= t.high:
                raise BadExample("this goes from {low} to {high}", value.span, low=str(t.low), high=str(t.high))
            return value.value
        if isinstance(value, n.CellSet) and t.element is not None and t.element.kind == "cell":
            self.check_inside(value.cells, t.element, value.span)
            return list(value.cells)
        if isinstance(value, n.Number) and t.kind == "player":
            return self.seat(value.value, value.span, state)
        if isinstance(value, n.Name) and value.name in ("true", "false") and t.kind == "bool":
            return value.name == "true"
        if isinstance(value, n.Name) and value.name == "none" and t.optional:
            return None
        if isinstance(value, n.Name) and t.kind == "face":
            return self.face(t.component, value.name, value.span)
        if isinstance(value, n.Name) and t.kind == "member":
            return self.member(t, value.name, value.span)
        if isinstance(value, n.Name) and t.kind == "goal" and value.name in state.goals:
            return state.goals.index(value.name)
        if isinstance(value, n.Name | n.Number) and (t.element or t).kind == "cell":
            cell = self.cell(t.element or t, _written(value), value.span)
            return [cell] if t.is_collection else cell
        raise BadExample("this is not a value of {type}", value.span, type=t)

    def check_inside(self, cells: Iterable[tuple[int, int]], t: Type, span: Span) -> None:
        for x, y in cells:
            if t.grid is not None and not t.grid.has((x, y)):
                inside = x in range(t.grid.width) and y in range(t.grid.height)
                message = (
                    "{cell} is none of the cells of the {size} grid"
                    if inside
                    else "{cell} lies outside of the {size} grid"
                )
                raise BadExample(message, span, cell=f"({x}, {y})", size=f"{t.grid.width}x{t.grid.height}")

    # ---- verdicts

    def outcome(self, outcome: n.Outcome) -> str | None:
        """What is wrong with the outcome, None if it is as expected."""
        if outcome.kind == "then":
            return self.score(outcome)
        wanted = outcome.kind == "yes"
        if isinstance(outcome.what, n.Picture):
            return self.board(outcome.what, wanted)
        if isinstance(outcome.what, n.CallExample):
            return self.call(outcome.what, wanted)
        return self.condition(outcome, wanted)

    def verdict(self, outcome: n.Outcome) -> Any:
        """The outcome, in a form that can be compared."""
        if outcome.kind == "then":
            return self.score_lines(outcome)[outcome.name.name if outcome.name else ""]
        if isinstance(outcome.what, n.Picture):
            return bool(self.fulfils(outcome.what))
        if isinstance(outcome.what, n.CallExample):
            found = self.refusals(outcome.what)
            return UNKNOWN if found.unknown and not found.names else (found.names, self.is_refused(found))
        verdict = self.holds(outcome)
        return verdict if verdict is UNKNOWN else bool(verdict)

    def score(self, outcome: n.Outcome) -> str | None:
        lines = self.score_lines(outcome)
        name = outcome.name.name if outcome.name else ""
        return (
            None if lines[name] == outcome.number else Told("`{name}` is {right}, not {given}", name=name, right=str(lines[name]), given=str(outcome.number))
        )  # fmt: skip

    def score_lines(self, outcome: n.Outcome) -> dict[str, Any]:
        """All score lines of the player who acts and their total, including the one that the example is about."""
        assert outcome.name is not None
        state = self.state()
        seat, name = state.player, outcome.name.name
        result = score_game(self.game, state)
        lines = {**result.parts[seat], "total": result.totals[seat]}
        if name not in lines:
            raise BadExample(
                "there is no {what} {name}", outcome.name.span, did_you_mean(name, lines), what=Told("score line"), name=f"`{name}`",
            )  # fmt: skip
        return lines

    def board(self, picture: n.Picture, wanted: bool) -> str | None:
        holds = self.fulfils(picture)
        if bool(holds) == wanted:
            return None
        return Told("the board fulfils it") if holds else Told("the board does not fulfil it")

    def fulfils(self, picture: n.Picture) -> Any:
        """Whether the board fulfils the objective."""
        board = self.game.ruleset.board
        if self.name not in self.game.ruleset.objectives or board is None:
            raise BadExample("a board is an example of an objective, `{name}` is none", picture.span, name=self.name)
        if picture.width > board.width or picture.height > board.height:
            size, room = f"{picture.width}x{picture.height}", f"{board.width}x{board.height}"
            raise BadExample("a board of {size} cells does not fit on the {room} grid", picture.span, size=size, room=room)  # fmt: skip
        grid = self.grid(picture, board.element.component)
        return self.game.interpreter.objective(self.name)(State(self.game.ruleset, 1, []), grid)

    def call(self, call: n.CallExample, wanted: bool) -> str | None:
        found = self.refusals(call)
        if wanted and found.names:
            return Told("the action is refused by {names}", names=quoted(found.names))
        if found.unknown and (wanted or not found.names):
            return Told("it cannot be known in this position")
        if wanted or self.is_refused(found):
            return None
        return (Told("the action is refused only by {names}", names=quoted(found.names)) if found.names else Told("the action is legal"))  # fmt: skip

    def is_refused(self, found: Refusals) -> bool:
        """Whether what the example is about refuses: a rule or a parameter, or anything if it is the action as a whole."""
        return bool(found.names) if self.name == found.model.name else self.name in found.items

    def refusals(self, call: n.CallExample, state: State | None = None) -> Refusals:
        """What refuses an action, or a consequence, in the given position."""
        game, ruleset, name = self.game, self.game.ruleset, call.action.name
        if state is None:
            state = self.state()
        if name not in ruleset.actions and name not in ruleset.consequences:
            raise BadExample(
                "there is no {what} {name}", call.action.span, did_you_mean(name, [*ruleset.actions, *ruleset.consequences]), what=Told("action"),
                name=f"`{name}`",
            )  # fmt: skip
        if name != self.name.partition(".")[0]:
            raise BadExample("an example of `{name}` asks about no other action", call.action.span, name=self.name)
        if name in ruleset.consequences:
            runner = game.careful.consequences[game.consequence_numbers[name]]
            e = Play(game, state).consequence_locals(runner, self.arguments(runner, call, state))
            broken, unknown = runner.judge(state, e)
            return Refusals(runner.model, tuple(broken), tuple(unknown))
        runner = game.careful.actions[game.action_numbers[name]]
        arguments = self.arguments(runner, call, state)
        found = refusals(game, runner, state, arguments, bounds=self.name == name)
        for parameter, argument in zip(runner.model.parameters, arguments, strict=True):
            if parameter.kind == "cell" and self.name not in (name, f"{name}.{parameter.name}"):
                # A rule says nothing about it.
                self.check_inside([argument], parameter.type, call.span)
        return found

    def arguments(self, runner: Runner, call: n.CallExample, state: State) -> tuple[Any, ...]:
        parameters = [p for p in runner.model.parameters if p.kind != "derived"]
        given: dict[str, n.Node] = {}
        for at, (label, value) in enumerate(call.arguments):
            if not label and at >= len(parameters):
                raise BadExample("`{action}` takes {count} values", value.span, action=call.action.name, count=len(parameters))  # fmt: skip
            name = label or parameters[at].name
            if name not in {p.name for p in parameters}:
                raise BadExample(
                    "`{action}` has no parameter `{name}`", value.span, did_you_mean(name, [p.name for p in parameters]), action=call.action.name,
                    name=name,
                )  # fmt: skip
            given[name] = value
        return tuple(self.argument(p, given.get(p.name), call, state) for p in parameters)

    def argument(self, p: ParameterModel, value: n.Node | None, call: n.CallExample, state: State) -> Any:
        if value is None:
            if p.listed or p.kind == "tops":
                return []
            raise BadExample("`{action}` needs `{name}`", call.span, action=call.action.name, name=p.name)
        element = p.type.element
        if p.each:
            return self.of_each(p.type, value, state)
        if isinstance(value, n.ItemSet) and element is not None:
            faces = [(number, self.item(element, code, value.span)) for code, number in value.items]
            return faces if p.kind == "tops" else [face for _, face in faces]
        if isinstance(value, n.CellValue) and p.type.kind == "cell":
            return (value.x, value.y)
        if isinstance(value, n.Number) and p.type.kind == "player":
            return self.seat(value.value, value.span, state)
        if isinstance(value, n.Number) and p.type.kind in ("int", "key"):
            return value.value
        if isinstance(value, n.Name) and value.name in ("true", "false") and p.type.kind == "bool":
            return value.name == "true"
        if isinstance(value, n.Name) and p.type.kind == "goal" and value.name in state.goals:
            return state.goals.index(value.name)
        if isinstance(value, n.Name) and p.type.kind == "face":
            return self.face(p.type.component, value.name, value.span)
        if isinstance(value, n.Name) and p.type.kind in ("member", "key"):
            return self.member(p.type, value.name, value.span)
        if isinstance(value, n.Name | n.Number) and p.type.kind == "cell":
            return self.cell(p.type, _written(value), value.span)
        help_line = "a player is the number of the seat: 2" if p.type.kind == "player" else None
        raise BadExample("{type} is needed here", value.span, help_line, type=p.type)

    def member(self, t: Type, name: str, span: Span) -> str:
        """A value of an attribute, or of one of several attributes."""
        options = t.options or (t,)
        known = [
            str(v)
            for o in options
            if o.kind == "member"
            for v in dict.fromkeys(self.game.ruleset.components[o.component].attributes[o.attribute].table)
        ]
        if name not in known:
            raise BadExample("`{name}` is not a value here", span, did_you_mean(name, known), name=name)
        return name

    def of_each(self, t: Type, value: n.Node, state: State) -> tuple[Any, ...]:
        """The arguments that all players name at once: `{ 3 0 5 }` in the order of their seats."""
        if not isinstance(value, n.ItemSet):
            raise BadExample("every player names a value", value.span, "write them by seat: `{ ... ... }`")
        if len(value.items) != state.players:
            message = "{count} values for {players} players"
            raise BadExample(message, value.span, "`given 3 players` says how many play", count=len(value.items), players=state.players)  # fmt: skip
        named = [code for code, _ in value.items]
        if t.kind == "int":
            return tuple(self.item(t, code, value.span) for code in named)
        return tuple(self.member(t, code, value.span) for code in named)

    def condition(self, outcome: n.Outcome, wanted: bool) -> str | None:
        verdict = self.holds(outcome)
        if verdict is UNKNOWN:
            return Told("it cannot be known in this position")
        if bool(verdict) == wanted:
            return None
        return Told("it holds in this position") if verdict else Told("it does not hold in this position")

    def holds(self, outcome: n.Outcome) -> Any:
        """A rule of a turn's end or of the setup, an invariant or an ending, in the given position."""
        ruleset, state = self.game.ruleset, self.state()
        rule = next((r for r in (*ruleset.turn_rules, *ruleset.setup_rules) if r.id == self.name), None)
        invariant = next((i for i in ruleset.invariants if i.name == self.name), None)
        if rule is not None:
            return self.judge(rule.when, rule.require, state)
        if invariant is not None:
            players = range(state.players) if invariant.each_player else [state.player]
            verdicts = []
            for state.player in players:
                verdicts.append(self.judge(invariant.when, invariant.require, state))
            return next((v for v in verdicts if v is UNKNOWN or not v), True)
        ending = next((e for e in ruleset.endings if e.name == self.name), None)
        if ending is None:
            raise BadExample("`{name}` needs an action or a board after `{kind}`", outcome.span, name=self.name, kind=outcome.kind)  # fmt: skip
        return self.game.interpreter.evaluate(ending.condition, state, self.game.locals())

    def judge(self, when: Expr | None, require: Expr, state: State) -> Any:
        return negate(self.game.interpreter.compile(refusal(when, require))(state, self.game.locals()))


def _written(value: n.Name | n.Number) -> str:
    """A word that is the name of a cell, with the zeros before a number."""
    if isinstance(value, n.Name):
        return value.name
    text = value.span.text
    return text if text.isdigit() and int(text) == value.value else str(value.value)


def _part(ruleset: Ruleset, name: str, indices: Sequence[str]) -> tuple[VariableModel | None, Sequence[str]]:
    """The variable that is meant, and the indices left: `own[2, red]` is `own_red` of the second player."""
    for owners in (0, 1):
        part = "_".join([name, *indices[owners:]])
        if part in ruleset.variables and len(indices) > owners:
            return ruleset.variables[part], indices[:owners]
    return ruleset.variables.get(name), indices
