"""The order of play as a position automaton.

Every action named in the order is a position; `follow` says which positions may come next. Constructed after Glushkov
(V. M. Glushkov, "The abstract theory of automata", 1961): no empty moves, one state more than there are names.
"""

from __future__ import annotations

import re

from msgspec import Struct, field

from pwtool.ir.model import OrderModel, OrderStep
from pwtool.ir.nodes import And, Expr
from pwtool.lang import tree as n
from pwtool.rules.check.expressions import check, check_condition
from pwtool.rules.check.scope import Declared
from pwtool.text.speech import Told
from pwtool.text.words import MAX_QUOTED, one_line, shorten

MAX_POSITIONS = 1000
MAX_REPEAT = 200
_APART = re.compile(r"\s+([+*?])\Z")


class _Part(Struct, frozen=True):
    nullable: bool
    first: frozenset[int]
    last: frozenset[int]


class _Builder(Struct):
    declared: Declared
    steps: list[OrderStep] = field(default_factory=list)
    follow: dict[int, set[int]] = field(default_factory=dict)
    joint: frozenset[str] = frozenset()
    actor: n.Node | None = None
    guards: tuple[n.Node, ...] = ()
    is_prose: bool = False

    def part(self, node: n.Node) -> _Part:
        match node:
            case n.Step():
                return self.step(node)
            case n.Sequence():
                result = _Part(True, frozenset(), frozenset())
                for item in node.items:
                    result = self.join(result, self.part(item))
                return result
            case n.Choice():
                parts = [self.part(item) for item in node.items]
                self.check_alternatives(node)
                return _Part(
                    any(p.nullable for p in parts),
                    frozenset().union(*(p.first for p in parts)),
                    frozenset().union(*(p.last for p in parts)),
                )
            case n.Repeat():
                return self.repeat(node)
            case n.Group():
                outer = self.actor, self.guards
                self.actor = node.actor or self.actor
                self.guards = (*self.guards, node.guard) if node.guard else self.guards
                part = self.part(node.order)
                self.actor, self.guards = outer
                return part
        raise AssertionError(node)

    def step(self, node: n.Step) -> _Part:
        name = node.action.name
        number = self.declared.actions.get(name, -1)
        if number < 0:
            self.unknown(node)
        self.declared.used.add(("action", name))
        scope = self.declared.between_actions()
        named = node.actor or self.actor
        actor = check(named, scope) if named else None
        if actor is not None and named is not None and actor.type.kind not in ("player", "error"):
            self.declared.report("PW301", "this is {type}, not a player", named.span, type=actor.type)
        if named is not None and name in self.joint:
            self.declared.report("PW301", "all players do `{name}` at once, nobody alone", named.span, name=name)
        if actor is None and self.declared.rounds and number >= 0 and name not in self.joint:
            self.declared.report("PW301", "who does `{name}`? a round is nobody's turn", node.span, "write `by` after it", name=name)  # fmt: skip
        guard: Expr | None = None
        for written in (*self.guards, node.guard) if node.guard else self.guards:
            condition = check_condition(written, scope)
            guard = condition if guard is None else And(guard, condition, span=written.span)
        if len(self.steps) >= MAX_POSITIONS:
            raise self.declared.stop("the order of play has more than {most} steps", node.span, most=str(MAX_POSITIONS))
        self.steps.append(OrderStep(number, actor, guard))
        position = len(self.steps)
        here = frozenset([position])
        return _Part(False, here, here)

    def unknown(self, node: n.Step) -> None:
        """A step that is no action. What stands behind a word such as `if` is about other things, and is not told again."""
        from pwtool.lang.mistakes.rewordings import NOTHING_DONE, PROSE

        name = node.action.name.lower()
        if self.is_prose:
            return
        said = PROSE.get(name)
        self.is_prose = said is not None
        if name in ("pass", "skip", "nothing") and self.declared.is_own(node.action.span):
            said = NOTHING_DONE
        self.declared.unknown("action", node.action, self.declared.actions, help_line=Told(said) if said else None)

    def connect(self, last: frozenset[int], first: frozenset[int]) -> None:
        for position in last:
            self.follow.setdefault(position, set()).update(first)

    def join(self, a: _Part, b: _Part) -> _Part:
        self.connect(a.last, b.first)
        return _Part(
            a.nullable and b.nullable,
            a.first | b.first if a.nullable else a.first,
            a.last | b.last if b.nullable else b.last,
        )

    def repeat(self, node: n.Repeat) -> _Part:
        self.check_sign(node)
        if node.high is None:
            part = self.part(node.item)
            self.connect(part.last, part.first)
            return _Part(part.nullable or node.low == 0, part.first, part.last)
        if not 0 < node.high <= MAX_REPEAT:
            self.declared.report("PW306", "a step cannot be repeated {high} times", node.span, high=node.high)
            return self.part(node.item)
        result = _Part(True, frozenset(), frozenset())
        for number in range(node.high):
            part = self.part(node.item)
            result = self.join(result, _Part(part.nullable or number >= node.low, part.first, part.last))
        return result

    def check_sign(self, node: n.Repeat) -> None:
        """`place + draw` looks like a sum of both, and would mean one of them several times; `*` and `?` between two likewise."""
        sign, behind = _APART.search(node.span.text), node.span.file.text[node.span.end :]
        if sign is not None and re.match(r"[ \t]*[A-Za-z_(]", behind):
            from pwtool.lang.mistakes.rewordings import SIDE_BY_SIDE

            message = "`{sign}` says how often something is done, and is written right behind it: `{written}`"
            written = shorten(one_line(node.span.text[: sign.start()]) + sign[1], MAX_QUOTED)
            self.declared.report("PW301", message, node.span, SIDE_BY_SIDE, sign=sign[1], written=written)

    def check_alternatives(self, node: n.Choice) -> None:
        # The same plain step twice in one choice: the second one never makes a difference.
        seen: set[str] = set()
        for item in node.items:
            if isinstance(item, n.Step) and item.actor is None and item.guard is None:
                name = item.action.name
                if name in seen:
                    self.declared.report("PW307", "`{name}` is already an alternative here", item.span, name=name)
                seen.add(name)


def build_order(turn: n.Turn, declared: Declared, joint: frozenset[str] = frozenset()) -> OrderModel:
    """The automaton of a `turn = ...` or `round = ...` declaration; `joint` are the actions that all players do at once."""
    builder = _Builder(declared, joint=joint)
    whole = builder.part(turn.order)
    if whole.nullable:
        message = "a round may be empty by this order" if turn.rounds else "a turn may be empty by this order"
        declared.report("PW301", message, turn.span, "add an action for a player who can do nothing else: `pass`")
    follow = [whole.first, *(frozenset(builder.follow.get(i, ())) for i in range(1, len(builder.steps) + 1))]
    return OrderModel(tuple(builder.steps), tuple(follow), whole.last)
