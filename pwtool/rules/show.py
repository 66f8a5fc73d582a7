"""A checked ruleset in words: what every reader gets, after names are resolved, definitions expanded and editions merged.

    python -m pwtool.rules.show chess

Locals are `%0`, `%1`, ... in each action. Tables, such as the places of a shape, are shown by their size.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator

from pwtool.ir import nodes as ir
from pwtool.ir.model import ActionModel, EffectModel, OrderStep, ParameterModel, RuleModel, Ruleset
from pwtool.ir.nodes import Expr
from pwtool.ir.types import Type
from pwtool.ir.walk import operands
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library

_UNSAID = ("span", "type", "slot", "on", "component")
_MOST_VALUES = 12


class Shower:
    """The lines of one ruleset."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.zones = {zone.number: zone for zone in ruleset.zones.values()}
        self.tokens = {token.number: token.name for token in ruleset.tokens.values()}
        self.variables = {variable.number: variable.name for variable in ruleset.variables.values()}
        self.actions = {action.number: action.name for action in ruleset.actions.values()}

    def lines(self) -> Iterator[str]:
        """All of it."""
        ruleset = self.ruleset
        yield f"{ruleset.address} {ruleset.min_players}..{ruleset.max_players} players, {ruleset.cycle}s"
        for zone in ruleset.zones.values():
            size = f" {zone.width}x{zone.height}" if zone.kind == "grid" else ""
            of = "".join(f"[{name if name != 'number' else most}]" for name, most in zone.dimensions)
            yield f"zone {zone.name}{of}: {zone.kind}{size} of {self.type(zone.element)}"
        for variable in ruleset.variables.values():
            first = "" if variable.initial is None else f" = {self.text(variable.initial)}"
            each = " of each player" if variable.each else ""
            yield f"variable {variable.name}{each}: {self.type(variable.type)}{first} per {variable.per}"
        for number, kept in enumerate(ruleset.histories):
            yield f"history {number}: {', '.join(map(self.text, kept))}"
        for laid in ruleset.setup:
            whole = [
                laid.kind,
                laid.name,
                laid.deck,
                self.zones[laid.zone].name if laid.kind in ("deal", "put") else "",
            ]
            yield " ".join(["setup", *(word for word in whole if word)])
        yield from self._rules("setup", ruleset.setup_rules)
        for action in ruleset.actions.values():
            yield from self._action("action", action)
        order = ruleset.order
        for at, after in enumerate(order.follow):
            step = "begin" if at == 0 else self._step(order.steps[at - 1])
            yield f"order {at} {step} -> {sorted(after)}{' or end' if at in order.last else ''}"
        for anytime in ruleset.anytime:
            yield f"any time {self._step(anytime)}"
        yield from self._rules("turn", ruleset.turn_rules)
        for consequence in ruleset.consequences.values():
            when = "after each action" if consequence.each_action else "after a turn"
            repeated = f", repeated at most {consequence.rounds} times" if consequence.repeated else ""
            yield from self._action(f"consequence {when}{repeated}", consequence)
        for ending in ruleset.endings:
            more = "at once" if ending.at_once else f"after {ending.more_turns or 0} more turns"
            yield f"ending {ending.name}, {more}: {self.text(ending.condition)}"
        for score in ruleset.scores:
            yield f"score {score.name}: {self.text(score.value)}"
        for criterion in ruleset.ranking:
            yield f"rank by {criterion.kind}" + ("" if criterion.value is None else f" {self.text(criterion.value)}")
        for invariant in ruleset.invariants:
            yield f"invariant {invariant.name}{self._when(invariant.when)}: {self.text(invariant.require)}"
        for name, objective in ruleset.objectives.items():
            yield f"objective {name}: {self.text(objective.condition)}"

    # ---- actions

    def _action(self, head: str, action: ActionModel) -> Iterator[str]:
        yield f"{head} {action.name}"
        for p in action.parameters:
            yield f"  %{p.slot} {self._parameter(p)}"
        for name, slot, value in action.lets:
            yield f"  %{slot} {name} = {self.text(value)}"
        yield from (f"  {line}" for line in self._rules("rule", action.rules))
        yield from self._effects(action.effects, "  ")

    def _parameter(self, p: ParameterModel) -> str:
        found = f"{p.name}: {p.kind} {self.type(p.type)}"
        found += "" if p.origin is None else f" from {self.text(p.origin)}"
        found += "" if p.exact is None else f", as many as {self.text(p.exact)}"
        return found + (" by chance" if p.chance else "") + (" of each player" if p.each else "")

    def _rules(self, head: str, rules: Iterable[RuleModel]) -> Iterator[str]:
        for rule in rules:
            yield f"{head} {rule.id}{self._when(rule.when)}: {self.text(rule.require)}"

    def _effects(self, effects: Iterable[EffectModel], indent: str) -> Iterator[str]:
        for effect in effects:
            words = [effect.kind]
            if effect.kind in ("add", "set"):
                words.append(self.variables[effect.number])
            if effect.kind in ("put", "return"):
                words.append(self.tokens[effect.number])
            words += [f"from {effect.source}"] if effect.source else []
            words += [f"%{effect.slot}"] if effect.moves_parameter or effect.kind in ("each", "shuffle") else []
            for name in ("value", "seat", "origin", "amount", "target", "cell"):
                part = getattr(effect, name)
                words += [] if part is None else [f"{name} {self.text(part)}"]
            words += [f"faces {' '.join(map(str, effect.faces))}"] if effect.faces else []
            yield f"{indent}{' '.join(words)}{self._when(effect.when)}"
            yield from self._effects(effect.effects, indent + "  ")

    def _when(self, when: Expr | None) -> str:
        return "" if when is None else f" when {self.text(when)}"

    def _step(self, step: OrderStep) -> str:
        by = "" if step.actor is None else f" by {self.text(step.actor)}"
        return self.actions[step.action] + by + ("" if step.guard is None else f" if {self.text(step.guard)}")

    # ---- expressions

    def type(self, t: Type) -> str:
        """A type in short."""
        bounds = f" {t.low}..{t.high}" if t.kind in ("int", "direction") else ""
        of = t.attribute or t.component or (self.type(t.element) if t.element is not None else "")
        return f"{t.kind}{bounds}{f' of {of}' if of else ''}{' or none' if t.optional else ''}"

    def text(self, x: Expr) -> str:
        """An expression on one line."""
        match x:
            case ir.Const():
                return self._value(x.value, x.type)
            case ir.Local():
                return f"%{x.slot}"
            case ir.Variable():
                return self.variables[x.number]
            case ir.Zone() | ir.Family():
                return self.zones[x.zone].name + "".join(f"[{self.text(index)}]" for index in x.indices)
            case ir.And() | ir.Or():
                return f"({self.text(x.left)} {type(x).__name__.lower()} {self.text(x.right)})"
            case ir.Compare() | ir.Arithmetic():
                return f"({self.text(x.left)} {x.sign} {self.text(x.right)})"
            case ir.Not():
                return f"not {self.text(x.operand)}"
            case ir.If():
                return f"(if {self.text(x.condition)} then {self.text(x.then)} else {self.text(x.otherwise)})"
            case ir.Else():
                return f"({self.text(x.value)} else {self.text(x.default)})"
            case ir.Let():
                return f"(let %{x.slot} = {self.text(x.value)}: {self.text(x.body)})"
        if isinstance(x, ir.Loop):
            *domain, body = map(self.text, operands(x))
            return f"({self._named(x)} %{x.slot} in {', '.join(domain)}: {body})"
        inside = ", ".join(map(self.text, operands(x)))
        return self._named(x) + (f"({inside})" if inside else "")

    def _named(self, x: Expr) -> str:
        """The operation with everything that is not an operand."""
        if isinstance(x, ir.Quantified):
            return f"{x.kind} {x.number}" if x.kind in ("least", "most", "exactly") else x.kind
        said = []
        for name in x.__struct_fields__:
            value = getattr(x, name)
            if name in _UNSAID or value is None or value is False or _is_part(value):
                continue
            if name == "token":
                value = self.tokens[value]
            elif name == "zone":
                value = self.zones[value].name
            said.append(f"{len(value)} {name}" if isinstance(value, tuple) else str(value))
        words = re.sub(r"(?<!^)(?=[A-Z])", "_", type(x).__name__).lower()
        return words + (f"[{' '.join(said)}]" if said else "")

    def _value(self, value: object, t: Type) -> str:
        if isinstance(value, tuple) and t.element is not None:
            shown = [self._value(part, t.element) for part in value[:_MOST_VALUES]]
            return f"[{' '.join(shown)}{' ...' if len(value) > len(shown) else ''}]"
        if t.kind == "face" and isinstance(value, int):
            return self.ruleset.components[t.component].codes[value]
        if value is None or isinstance(value, bool):
            return {None: "none", True: "true", False: "false"}[value]
        return str(value)


def _is_part(value: object) -> bool:
    return isinstance(value, ir.Node) or (isinstance(value, tuple) and (not value or isinstance(value[0], ir.Node)))


def main() -> None:
    """Print the ruleset at an address."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m pwtool.rules.show ADDRESS")
    found = load_ruleset(sys.argv[1], Library())
    if found.value is None:
        sys.exit("\n".join(f"{d.code} {d.message}" for d in found.diagnostics))
    sys.stdout.writelines(f"{line}\n" for line in Shower(found.value).lines())


if __name__ == "__main__":
    main()
