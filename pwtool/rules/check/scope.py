"""The meaning of names while an expression is checked, and the findings about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir.grids import Grid
from pwtool.ir.model import (
    ComponentModel,
    DeckModel,
    ObjectiveModel,
    TokenModel,
    VariableModel,
    ZoneModel,
)
from pwtool.ir.nodes import Expr
from pwtool.ir.types import ERROR, Type, list_of, number, place
from pwtool.lang import tree as n
from pwtool.lang.traversal import walk
from pwtool.text import MAX_MISTAKES, Diagnostic, Fix, Severity, did_you_mean, name_fix, too_many
from pwtool.text.source import Span
from pwtool.text.speech import Told, mark, told_later

MAX_PARTS = 20_000
MAX_ALL_PARTS = 80_000
MAX_LEVELS = 200
TOO_MANY = mark("only the first {most} mistakes are reported")
_OF_ALL = mark("a round is nobody's turn: ask of all (`some q in players: ...`), or name one: `seat 1`")
_NAMED = mark(
    "use definitions less often inside each other; `let` and `var` keep a value, a definition is computed again at each use"
)


class Beyond(Exception):
    """A ruleset exceeds a limit, which is reported. Never leaves the building of a ruleset."""


class AsksWhere(Exception):
    """A condition depends on where the cards of a shape lie, which its local (`slot`) does not say. Never leaves the check of the
    shape: it is checked again with a local that holds their cells.
    """

    def __init__(self, slot: int) -> None:
        self.slot = slot


class Division(Struct, frozen=True):
    """What a variable or a zone is divided by: the type of an index and its values, and what people call it."""

    told: Told | str
    type: Type
    values: tuple[Any, ...]


class Divided(Struct, frozen=True):
    """The variables that one declaration stands for, by their indices; `each`: every player has them."""

    name: str
    divisions: tuple[Division, ...]
    parts: dict[tuple[Any, ...], VariableModel]
    each: bool

    @property
    def indices(self) -> list[Told | str]:
        """What it is indexed by, in words."""
        return [Told("player")] * self.each + [division.told for division in self.divisions]


class Declared(Struct):
    """Everything that the items of a ruleset have declared so far.

    `parts` counts all parts of its expressions, with definitions expanded wherever they are used; `begun` is the item that is
    being built, its location and the number of parts before it.
    """

    min_players: int = 1
    max_players: int = 1
    components: dict[str, ComponentModel] = field(default_factory=dict)
    decks: dict[str, DeckModel] = field(default_factory=dict)
    zones: dict[str, ZoneModel] = field(default_factory=dict)
    tokens: dict[str, TokenModel] = field(default_factory=dict)
    variables: dict[str, VariableModel] = field(default_factory=dict)
    divided: dict[str, Divided] = field(default_factory=dict)
    zone_divisions: dict[str, Division] = field(default_factory=dict)
    defines: dict[str, n.Define] = field(default_factory=dict)
    shapes: dict[str, n.Shape] = field(default_factory=dict)
    actions: dict[str, int] = field(default_factory=dict)
    objectives: dict[str, ObjectiveModel] = field(default_factory=dict)
    goal_names: tuple[str, ...] = ()
    board: ZoneModel | None = None
    rounds: bool = False
    goal_zone: str = ""
    histories: dict[tuple[Expr, ...], int] = field(default_factory=dict)
    used: set[tuple[str, str]] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    """What is declared, but so that it could not be understood: who uses it made no mistake."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    slots: int = 2
    faces: int = 0
    parts: int = 0
    level: int = 0
    begun: tuple[str, Span | None, int] = (mark("the ruleset"), None, 0)
    own: frozenset[str] = frozenset()
    """The files of the last layer, by their names in findings; empty if there is only one."""
    watch: Callable[[n.Node, Scope, Expr], None] | None = None
    """Called for each expression that was checked, with the meaning of names and the types of values there."""

    @property
    def players(self) -> str:
        """The number of players, in words."""
        low, high = self.min_players, self.max_players
        return str(low) if low == high else Told("{low} to {high}", low=low, high=high)

    def begin(self, name: str, span: Span | None) -> None:
        """From here on, parts belong to this item."""
        self.begun = name, span, self.parts

    def count(self, parts: int = 1) -> None:
        """Count that many parts; raises `Beyond` if there are too many."""
        self.parts += parts
        name, span, before = self.begun
        if self.parts - before > MAX_PARTS:
            message = "{name} has more than {most} parts with its definitions expanded"
            raise self.stop(message, span, _NAMED, name=told_later(name, {}), most=MAX_PARTS)
        if self.parts > MAX_ALL_PARTS:
            message = "with {name} the ruleset has more than {most} parts, definitions put in"
            raise self.stop(message, span, _NAMED, name=told_later(name, {}), most=MAX_ALL_PARTS)

    def deeper(self) -> None:
        """Go one level deeper; raises `Beyond` if it is too deep. The caller resets `level`."""
        self.level += 1
        if self.level > MAX_LEVELS:
            name, span, _ = self.begun
            message = "{name} is more than {most} levels deep with its definitions expanded"
            raise self.stop(message, span, "compute parts of it first, with `let` or a variable", name=told_later(name, {}), most=MAX_LEVELS)  # fmt: skip

    def stop(self, message: str, span: Span | None, help_line: str | None = None, /, **values: Any) -> Beyond:
        """The exception for an exceeded limit; the finding is noted."""
        self.diagnostics.append(Diagnostic.of("PW308", message, span, help=help_line, **values))
        return Beyond()

    def zone_of(self, expr: Expr | None) -> ZoneModel | None:
        """The zone that an expression refers to; None for anything else."""
        if not isinstance(expr, ir.Zone):
            return None
        return next((z for z in self.zones.values() if z.number == expr.zone), None)

    def grid_of(self, token: TokenModel) -> Grid:
        """The grid on whose cells a token lies."""
        return next(z.grid for z in self.zones.values() if z.number == token.zone)

    @property
    def grid(self) -> Grid | None:
        """The grid whose cells are meant if none is named; None if there are several."""
        grids = {zone.grid for zone in self.zones.values() if zone.kind == "grid"}
        return grids.pop() if len(grids) == 1 else None

    def between_actions(self) -> Scope:
        """The scope of everything that is judged between actions: in a round it is nobody's turn."""
        return Scope(self, has_player=not self.rounds, nobody=_OF_ALL)

    def is_own(self, span: Span | None) -> bool:
        """Whether a place is in the files of the ruleset itself, not in those that it builds on."""
        return span is None or not self.own or span.file.name in self.own

    def warn(self, code: str, message: str, span: Span | None, help_line: str | None = None, /, **values: Any) -> None:
        """Note something that is certainly not intended but can be played."""
        level = Severity.WARNING if self.is_own(span) else Severity.NOTE
        self.diagnostics.append(Diagnostic.of(code, message, span, help=help_line, severity=level, **values))

    def report(
        self, code: str, message: str, span: Span | None, help_line: str | None = None, fix: Fix | None = None, /, **values: Any
    ) -> Expr:  # fmt: skip
        """Note a finding, whose gaps are filled; the returned expression fits everywhere, so that each mistake is reported once."""
        if too_many(self.diagnostics):
            raise self.stop(TOO_MANY, span, most=MAX_MISTAKES)
        self.diagnostics.append(Diagnostic.of(code, message, span, help=help_line, fix=fix, **values))
        return ir.Const(ERROR, None, span=span)

    def unknown(
        self, what: str, name: n.Name, known: Iterable[str], code: str = "PW201", help_line: str | None = None
    ) -> Expr:
        if name.name in self.broken:
            return ir.Const(ERROR, None, span=name.span)
        names = list(known)
        fix = name_fix(name.span, names) if name.span.text == name.name else None
        help_line = help_line or did_you_mean(name.name, names)
        return self.report(code, "there is no {what} {name}", name.span, help_line, fix, what=told_later(what, {}), name=f"`{name.name}`")  # fmt: skip


class Board(Struct, frozen=True):
    """A grid on which shapes are placed: its piles by cell number and its visible faces, as expressions."""

    zone: ZoneModel
    cells: Expr
    faces: Expr


class Passed(Struct, frozen=True):
    """A collection that an enclosing loop ranges over: the local that holds its elements, how it is written, its expression; `other`:
    without the element that another local holds.
    """

    slot: int
    written: n.Node
    domain: Expr
    other: bool

    def goes_through(self, written: n.Node, domain: Expr) -> bool:
        """Whether a collection is the same one. Cards of a grid are compared as written, because each loop over their cells has a local
        of its own.
        """
        element = domain.type.element
        if element is not None and element.kind == "place":
            return self.domain.type == domain.type and self.written == written
        return self.domain == domain


class Matched(Struct, frozen=True):
    """The cells that a shape matched: the local with their faces in order, and the names given to some of them. `size` is None if it
    varies. `by_cell`: the local holds the numbers of the cells instead, `maybe` those that may have no card; `marked`: the number
    of cells that every picture has, including those that may be missing, None if it varies.
    """

    slot: int
    size: int | None
    names: dict[str, tuple[int, ...]]
    element: Type
    board: Board
    by_cell: bool = False
    missing: bool = False
    maybe: frozenset[int] = frozenset()
    marked: int | None = None

    @property
    def held(self) -> Type:
        """The type of the local."""
        return list_of(place(self.element.component) if self.by_cell else self.element)

    def holds(self, name: str, board: Board | None) -> bool:
        """Whether a name means the shape's own cards or piles: after `on` it means those of the grid named there."""
        return name in (self.element.component, "pile") and board is self.board


def marked_thing(held: Type, things: Expr, at: int, span: Span | None) -> Expr:
    """The thing on a cell of a shape, by its number in the picture."""
    return ir.Element(held.element or ERROR, things, ir.Const(number(at, at), at), span=span)


def marked_things(held: Type, things: Expr, cells: Iterable[int], span: Span | None) -> Expr:
    """The things on some cells of a shape."""
    return ir.Values(held, tuple(marked_thing(held, things, at, span) for at in cells), span=span)


def is_marked(x: Expr) -> bool:
    """Whether an expression is the thing on a cell of a shape."""
    return isinstance(x, ir.Element) and isinstance(x.at, ir.Const)


class This(Struct, frozen=True):
    """The action whose rules are checked, by its name and parameters; without a name, one that is already looked ahead."""

    name: str
    parameters: tuple[Expr, ...]


class Scope(Struct):
    """The local names of one place. Every local has its own slot number within its action, rule or score line; `origins` are the zones
    in which the things that locals hold were found, `in_loop` the locals of enclosing `for each` loops (-1: one that may hold the
    same thing twice).
    """

    declared: Declared
    locals: dict[str, tuple[int, Type]] = field(default_factory=dict)
    next_slot: list[int] = field(default_factory=lambda: [0])
    subject: tuple[int, Type] | None = None
    matched: Matched | None = None
    places: dict[int, Board] = field(default_factory=dict)
    """The grids of the locals that hold cells of a grid."""
    through: tuple[Passed, ...] = ()
    board: Board | None = None
    has_player: bool = True
    nobody: str = mark("write `for each player`, or name one: `seat 1`")
    in_action: bool = False
    in_objective: bool = False
    defining: tuple[str, ...] = ()
    in_ranking: bool = False
    cases: int = 1
    origins: dict[int, tuple[Expr, bool]] = field(default_factory=dict)
    grids: dict[int, Expr] = field(default_factory=dict)
    """The parameters of definitions that stand for a grid."""
    in_loop: tuple[int, ...] = ()
    this: This | None = None

    def new_slot(self) -> int:
        slot = self.next_slot[0]
        self.next_slot[0] += 1
        self.declared.slots = max(self.declared.slots, slot + 1)
        return slot

    def bind(self, name: str, type_: Type) -> tuple[Scope, int]:
        """A scope in which `name` is a new local."""
        slot = self.new_slot()
        return self.copy(locals={**self.locals, name: (slot, type_)}), slot

    def pointless(
        self, code: str, message: str, node: n.Node, help_line: str | None = None, /, **values: Any
    ) -> Expr | None:
        """The finding about a part that can be judged but decides nothing. None where that may come from elsewhere and the part stays:
        in a file that an overlay builds on, which gets a note, and in a definition whose parameters decide it at each use.
        """
        define = self.declared.defines.get(self.defining[-1]) if self.defining else None
        parameters = {p.name for p in define.parameters} if define is not None else set()
        if any(isinstance(part, n.Name) and part.name in parameters for part in walk(node)):
            return None
        if self.declared.is_own(node.span):
            return self.declared.report(code, message, node.span, help_line, **values)
        self.declared.warn(code, message, node.span, help_line, **values)
        return None

    def copy(self, **changes: object) -> Scope:
        return replace(self, **changes)
