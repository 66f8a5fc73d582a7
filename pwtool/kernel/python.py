"""Expressions as Python: the text of one function for each of them, for positions in which everything is known.

Nothing of a rules file becomes text: what is written are operations, numbers and names made here. Everything else, such
as tables, lists of cells and names of actions, is a constant that the function finds among its globals. Values that
are used twice get a name; loops are statements, because these are faster than generators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, assert_never

from pwtool.eval.backend import Let, Refuse
from pwtool.ir import nodes as ir
from pwtool.ir.grids import near_all, rays_all
from pwtool.ir.nodes import Expr
from pwtool.ir.walk import free_locals, like, loops_in, replaced, same_for_all, unchanged, walk
from pwtool.kernel.functions import all_moved, rays, themselves
from pwtool.kernel.lower import lower, lower_value
from pwtool.text import InternalError

if TYPE_CHECKING:
    from pwtool.kernel.compiler import Compiler

ROOM = 100
"""Loops over fewer elements than this all cost the same."""
PASSED = 16
"""The number of elements, traversed in one round of a loop, that cost an extra step if there can be many."""
_NESTED = 8
"""So many loops may stand inside one another: Python has a limit of 20."""
_DEEP = 30
"""So deep may expressions be nested: Python has limits for brackets, indentation and calls."""


class Writer:
    """Writes the function of one expression. `bound` has the text of the locals that are bound where it writes, `loops` is the
    number of loops around it. With `kept`, the last of the locals is a dictionary of what is found once for all ways to do
    an action; otherwise that is found once for each call.
    """

    def __init__(self, compiler: Compiler, loops: int, bound: Mapping[int, str], kept: bool = False) -> None:
        self.compiler, self.kept = compiler, kept
        self.same: set[int] = set()
        """The ids of conditions that are the same for all ways to do an action."""
        self._grouped: set[int] = set()
        self.lines: list[str] = []
        self.parameters = names_of(bound)
        self.bound = dict(bound)
        self.state = "s"
        self.loops = loops
        self._head: dict[str, str] = {}
        self._known: list[dict[str, str]] = [{}]
        self._names = max((int(name[1:]) for name in self.parameters), default=0)
        self._indent, self._nested, self._level = 1, 0, 0

    def value(self, x: Expr) -> str:
        """The text of the function `f` of a position, the locals and the names that are bound around it."""
        self._reads(x)
        self.write(f"return {self.text(x)}")
        return self._function()

    def allows(self, steps: Sequence[Let | Refuse]) -> str:
        """The text of a function that takes steps until one refuses: whether none did."""
        self._take(steps, lambda number: "return False")
        self.write("return True")
        return self._function()

    def refusals(self, steps: Sequence[Let | Refuse]) -> str:
        """The text of a function that takes all steps: the numbers of those that refuse, each with True."""
        with self._result("[]") as found:
            self._take(steps, lambda number: f"{found}.append(({number}, True))")
        self.write(f"return {found}")
        return self._function()

    def _take(self, steps: Sequence[Let | Refuse], refuse: Callable[[int], str]) -> None:
        for number, step in enumerate(steps):
            if isinstance(step, Refuse):
                condition = lower(step.condition)
                self._reads(condition)
                self.same = {id(x) for x in unchanged(condition) if loops_in(x)} if self.kept else set()
                self.write(f"if {self.text(condition)}: {refuse(number)}")
                continue
            value = lower_value(step.value)
            self._reads(value)
            name = self._named(f"stored({self.text(value)})" if step.stored else self.text(value))
            self.bound[step.slot] = name
            self.write(f"e[{step.slot}] = {name}")

    def _reads(self, x: Expr) -> None:
        """Read the locals of an expression that are not bound yet."""
        for slot in sorted(free_locals(x) - self.bound.keys()):
            self.bound[slot] = f"a{slot}"
            self._head[f"e[{slot}]"] = f"a{slot}"

    def _function(self) -> str:
        head = [f" {name} = {text}" for text, name in self._head.items()]
        return "\n".join([f"def f({', '.join(('s', 'e', *self.parameters))}):", *head, *self.lines])

    # ---- lines and names

    def write(self, line: str) -> None:
        self.lines.append(" " * self._indent + line)

    def _fresh(self) -> str:
        self._names += 1
        return f"v{self._names}"

    def _named(self, text: str, key: str | None = None) -> str:
        """A name for a value, written if it has none; values of the same text, or `key`, are equal."""
        if text.isidentifier() or text.isdecimal():
            return text
        key = key or text
        for known in self._known:
            if key in known:
                return known[key]
        name = self._known[-1][key] = self._fresh()
        self.write(f"{name} = {text}")
        return name

    def _read(self, text: str) -> str:
        """A part of the position; one that a loop needs is read before it."""
        if not self._nested or self.state != "s":
            return text
        if text not in self._head:
            self._head[text] = self._fresh()
        return self._head[text]

    def _constant(self, value: Any) -> str:
        return repr(value) if value is None or isinstance(value, int) else self.compiler.constant(value)

    def _table(self, x: ir.Attribute | ir.Attributes | ir.GroupSize) -> str:
        return self._constant(self.compiler.ruleset.components[x.component].attributes[x.name].table)

    @contextmanager
    def _inside(self) -> Iterator[None]:
        """What is written further in; values that get a name there have none behind it."""
        indent, nested = self._indent, self._nested
        self._known.append({})
        self._indent += 1
        yield
        self._known.pop()
        self._indent, self._nested = indent, nested

    @contextmanager
    def _block(self, head: str) -> Iterator[None]:
        self.write(head)
        with self._inside():
            yield

    def _apart(self, x: Expr) -> tuple[list[str], str]:
        """The lines that an operand needs before it, one step further in, and its text."""
        lines, self.lines = self.lines, []
        with self._inside():
            text = self.text(x)
        lines, self.lines = self.lines, lines
        return lines, text

    # ---- expressions

    def text(self, x: Expr) -> str:
        """The text of a value: a name, a literal, or an expression in brackets. What it needs is written before."""
        if self._level > _DEEP or (self._nested > _NESTED and isinstance(x, _LOOPS)):
            return self._called(x)
        if id(x) in self.same and self.state == "s":
            return self._found_once(x)
        if isinstance(x, _FOLDS) and self._is_of_group(x):
            return self._once_a_group(x)
        self._level += 1
        text = self._text(x)
        self._level -= 1
        return text

    def _called(self, x: Expr) -> str:
        """A value that a function of its own computes, because too much surrounds it."""
        bound = {slot: text for slot, text in self.bound.items() if not text.startswith("a")}
        function = self._constant(self.compiler.later(lambda writer: writer.value(x), self.loops, bound))
        return f"{function}({', '.join((self.state, 'e', *names_of(bound)))})"

    def _found_once(self, x: Expr) -> str:
        """A value that is kept for all ways to do an action."""
        self.same.remove(id(x))
        known, number = self._memory(), self.compiler.number(x)
        with self._block(f"if {number} not in {known}:"):
            self.write(f"{known}[{number}] = {self.text(x)}")
        self.same.add(id(x))
        return f"{known}[{number}]"

    def _fits(self, x: ir.Fits) -> str:
        """Whether the cells in use and another fit in a box: where these are is found once for all ways to do an action."""
        known, number = self._memory(), self.compiler.number(("box", x.grid))
        grid, cell = self._named(self._passed(x.grid)), "" if x.cell is None else f", {self.text(x.cell)}"
        with self._block(f"if {number} not in {known}:"):
            self.write(f"{known}[{number}] = bounds({grid}) if {grid} else None")
        return f"({known}[{number}] is None or within({known}[{number}], {x.width}, {x.height}{cell}))"

    def _is_of_group(self, x: ir.Quantified | ir.CountWhere) -> bool:
        """Whether a fold over a group is the same for all that the group belongs to, given the values of other locals
        than arguments, and not yet being written.
        """
        group = x.domain
        if not isinstance(group, ir.Around) or id(x) in self._grouped or not self._is_shared(group):
            return False
        others = free_locals(x.body) - {x.slot}
        return all(
            not (part.type.is_collection or self.bound[part.slot].startswith("a"))
            for part in walk(x.body)
            if isinstance(part, ir.Local) and part.slot in others
        )

    def _is_shared(self, x: ir.Around) -> bool:
        """Whether groups are found once for each call, or for all ways to do an action."""
        return self.state == "s" and (self.kept or self._nested > 0) and same_for_all(x)

    def _once_a_group(self, x: ir.Quantified | ir.CountWhere) -> str:
        """A fold over a group, which is kept for all that the group belongs to."""
        assert isinstance(x.domain, ir.Around)
        group = self._around(x.domain)
        asked = replaced(x.body, x.slot, ir.Local(x.domain.type.element or x.type, -1))
        known = self._memory((type(x), like(x.domain), asked, isinstance(x, ir.Quantified) and (x.kind, x.number)))
        others = "".join(f", {self.bound[slot]}" for slot in sorted(free_locals(x.body) - {x.slot}))
        found, key = self._fresh(), self._named(f"(id({group}){others})") if others else f"id({group})"
        self.write(f"{found} = {known}.get({key})")
        self._grouped.add(id(x))
        with self._block(f"if {found} is None:"):
            self.write(f"{found} = {known}[{key}] = {self.text(x)}")
        self._grouped.remove(id(x))
        return found

    def _memory(self, key: object = None) -> str:
        """The name of a dictionary of what is found once: everything, or what has this key."""
        text = "e[-1]" if self.kept else "{}"
        if key is not None:
            number = self.compiler.number(key)
            text = f"e[-1].setdefault(-{number}, {{}})" if self.kept else f"{{}}  # {number}"
        if text not in self._head:
            self._head[text] = self._fresh()
        return self._head[text]

    def _text(self, x: Expr) -> str:
        match x:
            # What is written most often comes first.
            case ir.Local():
                return self.bound[x.slot]
            case ir.Const():
                return self._constant(x.value)
            case ir.Actor():
                return f"{self.state}.player"
            case ir.Zone():
                pile = f"{self.state}.zones[{x.zone}][{self._index(x.zone, x.indices)}]"
                return self._read(pile) if all(isinstance(index, ir.Actor) for index in x.indices) else pile
            case ir.Compare(sign="=="):
                return self._equal(x, "==", "is")
            case ir.Compare() | ir.Arithmetic():
                return f"({self.text(x.left)} {x.sign} {self.text(x.right)})"
            case ir.Not():
                return self._negated(x.operand)
            case ir.Attribute():
                table = self._table(x)
                return self._perhaps(x.of, lambda of: f"{table}[{of}]")
            case ir.And():
                return self._junction("and", x.left, x.right)
            case ir.Or():
                return self._junction("or", x.left, x.right)
            case ir.Count(of=ir.Zone() | ir.PileAt() as pile):
                return f"len({self.text(pile)})"
            case ir.Count() if not isinstance(x.of, _FUSED):
                return f"len({self._passed(x.of)})"
            case ir.Count():
                with self._result("0") as found, self._fold(x.of):
                    self.write(f"{found} += 1")
                return found
            case ir.Let():
                with self._bound(x.slot, self._named(self.text(x.value))):
                    return self._named(self.text(x.body))
            case ir.Variable():
                return self._read(f"{self.state}.variables[{x.number}]")
            case ir.Total():
                return f"{self.state}.totals[{self.state}.player]"
            case ir.TokenIndex():
                return self._unless_none(f"{self.state}.tokens[{x.token}]", lambda place: f"{place}[0]")
            case ir.TokenCell():
                return self._unless_none(f"{self.state}.tokens[{x.token}]", lambda place: f"{place}[1]")
            case ir.ZoneIndex():
                return self._index(x.zone, x.indices)
            case ir.If():
                return self._if(x)
            case ir.Else():
                return self._else(x)
            case ir.Table():
                return f"{self._constant(dict(x.rows))}.get({self.text(x.operand)}, {x.otherwise})"
            case ir.Coordinate():
                return self._perhaps(x.cell, lambda cell: f"{cell}[{x.axis}]")
            case ir.CellAt():
                column, row = self.text(x.column), self.text(x.row)
                if x.on.floating:
                    return f"cell_at({self._constant(x.on)}, {column}, {row})"
                return f"{self._constant(themselves(x.on))}.get(({column}, {row}))"
            case ir.Direction():
                return f"({self.text(x.column)}, {self.text(x.row)})"
            case ir.Steps():
                return self._steps(x)
            case ir.Moved():
                return self._moved(x)
            case ir.Ray():
                cell = self.text(x.cell)
                if isinstance(x.step, ir.Const):
                    return f"{self._constant(rays_all(x.on, x.step.value))}.get({cell}, ())"
                return f"{self._constant(rays(x.on))}[{self.text(x.step)}].get({cell}, ())"
            case ir.Between():
                lines, on = self._constant(rays(x.on)), self._constant(x.on)
                return f"between({lines}, {on}, {self.text(x.left)}, {self.text(x.right)})"
            case ir.Neighbours():
                cell = self.text(x.cell)
                if x.on.floating:
                    return f"near({self._constant(x.on)}, {cell}, {x.diagonally})"
                return f"{self._constant(near_all(x.on, x.diagonally))}.get({cell}, ())"
            case ir.PlayerAfter():
                return self._perhaps(x.player, lambda seat: f"(({seat} + 1) % {self.state}.players)")
            case ir.Top():
                pile = self._named(self.text(x.pile))
                return f"({pile}[-1] if {pile} else None)"
            case ir.Element():
                return f"{self.text(x.of)}[{self.text(x.at)}]"
            case ir.Can():
                player = "" if x.player is None else f", {self.text(x.player)}"
                return f"{self.state}.can({self._constant(x.action)}{player})"
            case ir.After():
                return self._after(x)
            case ir.Fulfils():
                fulfils = self._constant(self.compiler.fulfils)
                return f"{fulfils}({self.state}, {self.text(x.grid)}, {self.text(x.goal)})"
            case ir.PileAt():
                return f"{self.text(x.grid)}.get({self.text(x.cell)}, ())"
            case ir.TopAt():
                return self._at(x, lambda pile: f"{pile}[-1]")
            case ir.HeightAt():
                return self._at(x, lambda pile: f"len({pile})")
            case ir.Values():
                return f"[{', '.join(map(self.text, x.items))}]"
            case ir.Players():
                return f"range({self.state}.players)"
            case ir.Goals():
                return f"range(len({self.state}.goals))"
            case ir.Family():
                if not x.indices:
                    return f"{self.state}.zones[{x.zone}]"
                indices = "".join(f", {self.text(index)}" for index in x.indices)
                return f"family({self.state}, {x.zone}, {x.open}{indices})"
            case ir.Piles():
                return f"{self.text(x.grid)}.values()"
            case ir.PilesByCell():
                return f"by_cell({self.text(x.grid)}, {x.width}, {x.height}, {x.floating})"
            case ir.Each() if x.part == "all":
                return f"list(chain.from_iterable({self.text(x.piles)}))"
            case ir.Each() if x.part == "covered":
                piles, pile, thing = self._named(self.text(x.piles)), self._fresh(), self._fresh()
                return f"[{thing} for {pile} in {piles} if {pile} for {thing} in {pile}[:-1]]"
            case ir.Beside():
                beside = {cell: [x.cells[at] for at in near] for cell, near in zip(x.cells, x.beside, strict=True)}
                return f"{self._constant(beside)}.get({self.text(x.of)}, ())"
            case ir.Around():
                return self._around(x)
            case ir.Each() | ir.Attributes() | ir.TopsAt() | ir.Where() | ir.Places():
                with self._result("[]") as found, self._loop(x) as element:
                    self.write(f"{found}.append({element})")
                return found
            case ir.Concat():
                return f"[*{self.text(x.left)}, *{self.text(x.right)}]"
            case ir.Without():
                return f"without({self.text(x.left)}, {self.text(x.right)})"
            case ir.Empty(of=ir.Zone() | ir.PileAt() as pile):
                return f"(not {self.text(pile)})"
            case ir.Empty() if not isinstance(x.of, _FUSED):
                return f"(len({self._passed(x.of)}) == 0)"
            case ir.Empty():
                with self._result("True") as found, self._fold(x.of):
                    self.write(f"{found} = False")
                    self.write("break")
                return found
            case ir.Quantified(kind="some"):
                with self._result("False") as found, self._loop_of(x), self._if_so(x.body):
                    self.write(f"{found} = True")
                    self.write("break")
                return found
            case ir.Quantified(kind="least", domain=ir.Places(separate=True) as places):
                return self._separate(x, places)
            case ir.Quantified(kind="least"):
                with self._result("0") as found, self._loop_of(x), self._if_so(x.body):
                    self.write(f"{found} += 1")
                    with self._block(f"if {found} == {x.number}:"):
                        self.write("break")
                return f"({found} == {x.number})"
            case ir.CountWhere():
                with self._result("0") as found, self._loop_of(x), self._if_so(x.body):
                    self.write(f"{found} += 1")
                return found
            case ir.Sum() if not isinstance(x.of, ir.Attributes):
                return f"sum({self._passed(x.of)})"
            case ir.Sum():
                with self._result("0") as found, self._fold(x.of) as element:
                    self.write(f"{found} += {element}")
                return found
            case ir.SumWhere():
                with self._result("0") as found, self._loop_of(x):
                    self.write(f"{found} += {self.text(x.body)}")
                return found
            case ir.Pick():
                with self._result("None") as found, self._loop_of(x) as element, self._if_so(x.body):
                    self.write(f"{found} = {element}")
                    self.write("break")
                return found
            case ir.Alike():
                return f"{x.kind}({self._passed(x.of)})"
            case ir.CountDistinct():
                return f"len(set({self._passed(x.of)}))"
            case ir.Extreme():
                return f"{x.which}({self._passed(x.of)}, default=None)"
            case ir.In():
                return f"({self.text(x.item)} in {self._passed(x.items)})"
            case ir.Connected():
                return f"connected({self._passed(x.grid)})"
            case ir.Fits() if self.kept and self.state == "s" and not free_locals(x.grid):
                return self._fits(x)
            case ir.Fits():
                cell = "" if x.cell is None else f", {self.text(x.cell)}"
                return f"fits({self._passed(x.grid)}, {x.width}, {x.height}{cell})"
            case ir.Repeats():
                return f"{self._constant(self.compiler.repeats(x.number))}({self.state}, e)"
            case ir.GroupSize():
                choose = "max" if x.which == "largest" else "min"
                return f"group({self._passed(x.piles)}, {self._table(x)}, {x.width}, {choose})"
            case ir.Quantified() | ir.Reads():
                raise InternalError(f"{type(x).__name__} is not lowered")
            case _:
                assert_never(x)

    @contextmanager
    def _bound(self, slot: int, text: str) -> Iterator[None]:
        before = self.bound.get(slot)
        self.bound[slot] = text
        yield
        if before is None:
            del self.bound[slot]
        else:
            self.bound[slot] = before

    def _unless_none(self, text: str, made: Callable[[str], str]) -> str:
        """A value made of another one; nothing if that is nothing."""
        name = self._named(text)
        return f"(None if {name} is None else {made(name)})"

    def _perhaps(self, x: Expr, made: Callable[[str], str]) -> str:
        return self._unless_none(self.text(x), made) if x.type.optional else made(self.text(x))

    def _equal(self, x: ir.Compare, sign: str, nothing: str) -> str:
        if isinstance(x.right, ir.Const) and x.right.value is None:
            return f"({self.text(x.left)} {nothing} None)"
        return f"({self.text(x.left)} {sign} {self.text(x.right)})"

    def _negated(self, x: Expr) -> str:
        match x:
            case ir.Compare(sign="=="):
                return self._equal(x, "!=", "is not")
            case ir.Compare():
                return f"({self.text(x.left)} >= {self.text(x.right)})"
        return f"(not {self.text(x)})"

    def _junction(self, word: str, left: Expr, right: Expr) -> str:
        """Two conditions, the second of which is only evaluated if the first does not decide."""
        first = self.text(left)
        lines, second = self._apart(right)
        if not lines:
            return f"({first} {word} {second})"
        found = self._fresh()
        self.write(f"{found} = {first}")
        with self._block(f"if {found}:" if word == "and" else f"if not {found}:"):
            self.lines += lines
            self.write(f"{found} = {second}")
        return found

    def _if(self, x: ir.If) -> str:
        condition = self.text(x.condition)
        (before_then, then), (before_otherwise, otherwise) = self._apart(x.then), self._apart(x.otherwise)
        if not before_then and not before_otherwise:
            return f"({then} if {condition} else {otherwise})"
        found = self._fresh()
        for head, lines, text in (
            (f"if {condition}:", before_then, then),
            ("else:", before_otherwise, otherwise),
        ):
            with self._block(head):
                self.lines += lines
                self.write(f"{found} = {text}")
        return found

    def _else(self, x: ir.Else) -> str:
        value = self._named(self.text(x.value))
        lines, default = self._apart(x.default)
        if not lines:
            return f"({default} if {value} is None else {value})"
        found = self._fresh()
        self.write(f"{found} = {value}")
        with self._block(f"if {found} is None:"):
            self.lines += lines
            self.write(f"{found} = {default}")
        return found

    def _index(self, zone: int, indices: tuple[Expr, ...]) -> str:
        """The index of a zone in the flat list of the zones of its name. Neighbours in the last dimension are adjacent."""
        if not indices:
            return "0"
        *far, near = map(self.text, indices)
        first = " - 1" if self.compiler.numbered[zone] else ""
        return "".join(f"{self.state}.strides[{zone}][{at}] * {text} + " for at, text in enumerate(far)) + near + first

    def _steps(self, x: ir.Steps) -> str:
        left, right = self._named(self.text(x.left)), self._named(self.text(x.right))
        if x.sign == "*":
            made = f"({left}[0] * {right}, {left}[1] * {right})"
        else:
            made = f"({left}[0] {x.sign} {right}[0], {left}[1] {x.sign} {right}[1])"
        optional = x.left.type.optional or x.right.type.optional
        return f"(None if {left} is None or {right} is None else {made})" if optional else made

    def _moved(self, x: ir.Moved) -> str:
        on, step = x.on, x.step
        if on.floating:
            return f"cell_from({self._constant(on)}, {self.text(x.cell)}, {self.text(step)})"
        if isinstance(step, ir.Const) and step.value is not None:
            return f"{self._constant(all_moved(on, step.value))}.get({self.text(x.cell)})"
        cell, by = self._named(self.text(x.cell)), self._named(self.text(step))
        there = f"{self._constant(themselves(on))}.get(({cell}[0] + {by}[0], {cell}[1] + {by}[1]))"
        return f"(None if {cell} is None or {by} is None else {there})"

    def _after(self, x: ir.After) -> str:
        """What holds in a position after an action, which finds its arguments in its own locals."""
        slots = [p.slot for p in self.compiler.ruleset.actions[x.action].parameters]
        arguments = [self.bound.get(slot, f"a{slot}") for slot in slots]
        for slot, text in zip(slots, arguments, strict=True):
            if text != f"a{slot}":
                self.write(f"e[{slot}] = {text}")
        text = f"{self.state}.ahead({self._constant(x.action)}, e)"
        before, self.state = self.state, self._named(text, f"{text} {arguments}")
        body = self.text(x.body)
        self.state = before
        return body

    def _at(self, x: ir.TopAt | ir.HeightAt, made: Callable[[str], str]) -> str:
        """The top or height of the pile on a cell; nothing on an empty one, or for no number."""
        at, piles = self._named(self.text(x.at)), self.text(x.piles)
        pile = self._named(f"(None if {at} is None else {piles}[{at}])")
        return f"({made(pile)} if {pile} else None)"

    # ---- loops

    @contextmanager
    def _result(self, first: str) -> Iterator[str]:
        """The name of a result that a loop changes."""
        name = self._fresh()
        self.write(f"{name} = {first}")
        yield name

    @contextmanager
    def _if_so(self, condition: Expr | None) -> Iterator[None]:
        """What is only done if a condition holds, if there is one."""
        with nullcontext() if condition is None else self._block(f"if {self.text(condition)}:"):
            yield

    @contextmanager
    def _loop_of(self, x: ir.Pick | ir.CountWhere | ir.SumWhere | ir.Quantified) -> Iterator[str]:
        """A loop in which a local is bound to each element."""
        backwards = isinstance(x, ir.Pick) and x.which == "last"
        with self._fold(x.domain, loops_in(x.body), backwards) as element, self._bound(x.slot, element):
            yield element

    @contextmanager
    def _fold(self, of: Expr, inner: int = 0, backwards: bool = False) -> Iterator[str]:
        """A loop with so many loops `inner`. Its length counts as work if it contains another one (for places of a
        shape: two more).
        """
        text = None
        if isinstance(of, ir.Places):
            if inner > 1:
                self._spend(str(len(of.places)))
        elif inner:
            text = self._named(self.text(of))
            self._spend(f"len({text})")
        elif backwards or self._long(of) or not isinstance(of, _FUSED):
            text = self._passed(of)
        text = f"reversed({text})" if backwards else text
        with self._loop(of, text) as element, self._body():
            yield element

    @contextmanager
    def _body(self) -> Iterator[None]:
        """The body of a loop, which is evaluated many times."""
        self.loops += 1
        yield
        self.loops -= 1

    @contextmanager
    def _loop(self, x: Expr, text: str | None = None) -> Iterator[str]:
        """A loop over a sequence, or over one that was computed before; gives the name of its element."""
        element = self._fresh()
        with self._inside():
            self._indent -= 1
            if text is None:
                self._open(x, element)
            else:
                self._for(element, text)
            yield element

    def _for(self, element: str, text: str) -> None:
        self.write(f"for {element} in {text}:")
        self._indent += 1
        self._nested += 1

    def _when(self, condition: str) -> None:
        self.write(f"if {condition}:")
        self._indent += 1

    def _open(self, x: Expr, element: str) -> None:
        """Begin a loop over a sequence without making the sequence; what follows is its body."""
        match x:
            case ir.Each() if x.part == "pile":
                self._for(element, self.text(x.piles))
                self._when(element)
            case ir.Each() if x.part == "top":
                pile = self._fresh()
                self._for(pile, self.text(x.piles))
                self._when(pile)
                self.write(f"{element} = {pile}[-1]")
            case ir.Attributes():
                table, thing = self._table(x), self._fresh()
                self._for(thing, self.text(x.of))
                self.write(f"{element} = {table}[{thing}]")
            case ir.TopsAt():
                piles, at = self._named(self.text(x.piles)), self._fresh()
                self._for(at, self.text(x.cells))
                self.write(f"{element} = {piles}[{at}][-1]")
            case ir.Where():
                if loops_in(x.body):
                    domain = self._named(self.text(x.domain))
                    self._spend(f"len({domain})")
                else:
                    domain = self._passed(x.domain)
                self._for(element, domain)
                with self._bound(x.slot, element), self._body():
                    self._when(self.text(x.body))
            case ir.Places():
                self._places(x, element)
            case _:
                self._for(element, self.text(x))

    def _places(self, x: ir.Places, element: str) -> tuple[str, str]:
        """A loop over the places of a shape at which everything lies that has to; gives the names of the piles and of the cells."""
        piles, needs, free, at = self._named(self.text(x.piles)), self._fresh(), self._fresh(), self._fresh()
        marked = f", {element}" if x.cells else ""
        known = [(*place, cells) for place, cells in zip(x.places, x.cells, strict=True)] if x.cells else x.places
        self._for(f"{needs}, {free}{marked}", self._constant(tuple(known)))
        for cells, sign in ((needs, "is"), (free, "is not")):
            if sign == "is" or any(place[1] for place in x.places):
                self.write(f"for {at} in {cells}:")
                self.write(f" if {piles}[{at}] {sign} None:")
                self.write("  break")
                self.write("else:")
                self._indent += 1
        if not x.cells:
            self.write(f"{element} = [{piles}[{at}][-1] for {at} in {needs}]")
        return piles, needs

    def _separate(self, x: ir.Quantified, of: ir.Places) -> str:
        """Whether a condition holds for a number of places that share no card."""
        if loops_in(x.body) > 1:
            self._spend(str(len(of.places)))
        with self._result("[]") as found:
            element = self._fresh()
            with self._inside():
                self._indent -= 1
                piles, needs = self._places(of, element)
                with self._bound(x.slot, element), self._body(), self._if_so(x.body):
                    place = f"taken({element}, {piles})" if of.cells else f"bits({needs})"
                    self.write(f"{found}.append({place})")
        return f"(len({found}) >= {x.number} and most_apart({found}, {x.number}, work) == {x.number})"

    def _around(self, x: ir.Around) -> str:
        """The cells that are connected to a start through cells for which the body holds, in order."""
        places, cells = {value: at for at, value in enumerate(x.cells)}, self._constant(x.cells)
        start = self._named(f"{self._constant(places)}.get({self.text(x.start)})")
        if not self._is_shared(x):
            return self._group(x, start, cells)
        # All cells of a group have the same group.
        known, found = self._memory(like(x)), self._fresh()
        self.write(f"{found} = {known}.get({start})")
        with self._block(f"if {found} is None:"):
            self.write(f"{found} = {known}[{start}] = {self._group(x, start, cells)}")
            self.write(f"for {self._fresh()} in {found}: {known}[{self._constant(places)}[v{self._names}]] = {found}")
        return found

    def _group(self, x: ir.Around, start: str, cells: str) -> str:
        seen, queue, other = self._fresh(), self._fresh(), self._fresh()
        self.write(f"{seen} = {{{start}}}")
        self.write(f"{queue} = [] if {start} is None else [{start}]")
        with self._result("[]") as reached, self._loop(x, queue) as at:
            cell = self._named(f"{cells}[{at}]")
            with self._bound(x.slot, cell), self._body(), self._if_so(x.body):
                self.write(f"{reached}.append({at})")
                self.write(f"for {other} in {self._constant(x.beside)}[{at}]:")
                self.write(f" if {other} not in {seen}:")
                self.write(f"  {seen}.add({other})")
                self.write(f"  {queue}.append({other})")
        if loops_in(x.body) or len(x.cells) > ROOM:
            self._spend(f"len({queue})")
        self.write(f"{reached}.sort()")
        return f"[{cells}[{other}] for {other} in {reached}]"

    def _passed(self, x: Expr) -> str:
        """A sequence that is only traversed; inside a loop it counts as work if it can be long."""
        if not self._long(x):
            return self.text(x)
        sequence = self._named(self.text(x))
        self._spend(f"len({sequence}) // {PASSED}")
        return sequence

    def _long(self, x: Expr) -> bool:
        few = (isinstance(x, ir.Values) and len(x.items) < ROOM) or isinstance(
            x, ir.Neighbours | ir.Ray | ir.Between | ir.Places
        )
        # The contents of a variable can grow as long as the game lasts.
        room = self.compiler.roomy or any(isinstance(part, ir.Variable) for part in walk(x))
        return room and not few and self.loops > 0

    def _spend(self, steps: str) -> None:
        self.write(f"work.left -= {steps}")
        self.write("if work.left < 0: raise TooMuchWork")


def names_of(bound: Mapping[int, str]) -> list[str]:
    """The names among the texts of locals, in order."""
    return sorted({text for text in bound.values() if text.startswith("v")})


_FOLDS = (ir.Quantified, ir.CountWhere)
_FUSED = ir.Each | ir.Attributes | ir.TopsAt | ir.Where | ir.Places
"""Sequences that need not be made if a loop goes through them."""
_LOOPS = ir.Loop | ir.Empty | ir.Count | ir.Sum | _FUSED
