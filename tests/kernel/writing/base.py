"""What all ways of writing share: choosing, naming, defining, zones, and what is looked at on grids."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace

from pwtool.ir.model import AttributeModel, ComponentModel, Ruleset, ZoneModel
from pwtool.lang.tree import Shape
from pwtool.rules.check.patterns import check_shape
from pwtool.rules.check.scope import Declared
from tests.kernel.writing.text import NUMBER, Definition, Local, Matched, NoWayError, Place, Text, holds

LOWEST = -3
METHODS = {
    "bool": "condition", NUMBER: "number", "face": "face", "member": "member_value", "cell": "cell", "player": "player",
    "goal": "goal", "direction": "direction", "list": "sequence", "pile": "pile", "bag": "pile", "piles": "piles", "grid": "grid",
}  # fmt: skip
"""What writes an expression of a kind."""
Ways = list[tuple[int, Callable[[], Text]]]


@dataclass
class Base:
    """Writes expressions about a game. Definitions that it makes on the way are in `definitions`."""

    ruleset: Ruleset
    rng: random.Random
    place: Place = field(default_factory=Place)
    definitions: list[Definition] = field(default_factory=list)
    actions: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()
    """Numbers that are written more often than others."""
    fresh: int = 0
    in_definition: bool = False

    # ---- choosing

    def write(self, kind: str, depth: int) -> Text:
        """An expression of a kind."""
        made: Text = getattr(self, METHODS[kind.partition(":")[0].rstrip("?")])(kind, depth)
        return made if made.kind == kind else Text(kind, (made,))

    def choose(
        self,
        kind: str,
        depth: int,
        leaves: list[tuple[int, Callable[[], Text]]],
        more: list[tuple[int, Callable[[], Text]]],
    ) -> Text:
        """One of several ways to write something; at the bottom a leaf where there is one."""
        if depth <= LOWEST:
            raise NoWayError(kind)
        rounds = [leaves, more] if depth <= 0 else [[*leaves, *more]]
        for ways in rounds:
            left = list(ways)
            for _ in range(min(5, len(left))):
                at = self.rng.choices(range(len(left)), [weight for weight, _ in left])[0]
                try:
                    return left.pop(at)[1]()
                except NoWayError:
                    continue
        raise NoWayError(kind)

    def one(self, found: list[str] | tuple[str, ...]) -> str:
        if not found:
            raise NoWayError
        return self.rng.choice(list(found))

    def name(self) -> str:
        self.fresh += 1
        return f"x{self.fresh}"

    @contextmanager
    def at(self, **changes: object) -> Iterator[None]:
        """In another place."""
        before, self.place = self.place, replace(self.place, **changes)  # type: ignore[arg-type]
        try:
            yield
        finally:
            self.place = before

    def bound(self, *found: Local) -> AbstractContextManager[None]:
        return self.at(locals=(*self.place.locals, *found))

    def has(self, kind: str) -> bool:
        return any(x.kind == kind for x in self.place.locals)

    def local(self, kind: str) -> Text:
        """A local of a kind."""
        return Text(kind, (self.one([x.name for x in self.place.locals if x.kind == kind]),))

    def define(self, kind: str, depth: int) -> Text:
        """A call of a definition: of one that is there, or of a new one."""
        known = [
            d for d in self.definitions
            if d.body.kind == kind and (self.place.has_player or not d.has_player) and not self.place.in_objective
        ]  # fmt: skip
        if self.in_definition or self.place.board is not None:
            raise NoWayError
        if not known or self.rng.random() < 0.25:
            kinds = [self.some_kind() for _ in range(self.rng.choice([0, 1, 1, 1, 2, 2, 3]))]
            parameters = tuple((f"p{number}", k) for number, k in enumerate(kinds))
            self.in_definition = True
            try:
                with self.at(
                    locals=tuple(Local(n, k) for n, k in parameters), each=(), keys=(), subject="", matched=None
                ):
                    body = self.write(kind, min(depth, 3))
            finally:
                self.in_definition = False
            known = [Definition(f"d{len(self.definitions)}", parameters, body, self.place.has_player)]
            if not self.place.in_objective:
                self.definitions += known
            else:
                raise NoWayError
        definition = self.rng.choice(known)
        parts: list[str | Text] = [definition.name]
        for number, (_, wanted) in enumerate(definition.parameters):
            parts += ["(" if number == 0 else ", ", self.write(wanted, depth - 1)]
        return Text(kind, (*parts, ")" if definition.parameters else ""))

    # ---- what there is

    def some_kind(self) -> str:
        """Any kind of value or collection."""
        component = self.one(list(self.ruleset.components))
        members = [
            f"member:{c}.{a}"
            for c, model in self.ruleset.components.items()
            for a, m in model.attributes.items()
            if m.type.kind == "member"
        ]
        values = [f"face:{component}", NUMBER, "bool", "cell", "player", "direction", *members]
        found = [
            *values,
            *(f"{v}?" for v in values),
            f"list:face:{component}",
            "list:number",
            "list:cell",
            "list:direction",
        ]
        found += [
            f"pile:face:{component}",
            f"piles:face:{component}",
            f"grid:{component}",
            f"bag:face:{component}",
            "pile:number",
        ]
        return self.one(found)

    def zones(self, test: Callable[[ZoneModel], bool]) -> list[ZoneModel]:
        return [z for z in self.ruleset.zones.values() if test(z)]

    def component(self) -> ComponentModel:
        return self.ruleset.components[self.one(list(self.ruleset.components))]

    def attributes(self, component: str, test: Callable[[AttributeModel], bool]) -> list[str]:
        return [a.name for a in self.ruleset.components[component].attributes.values() if test(a)]

    def zone(self, zone: ZoneModel, depth: int, opened: int = 0) -> list[str | Text]:
        """A zone with its indices, the last `opened` of them left out."""
        dimensions = list(zone.dimensions)
        if opened:
            dimensions = dimensions[:-opened]
        if dimensions and dimensions[0][0] == "player" and self.place.has_player and self.rng.random() < 0.6:
            dimensions = dimensions[1:]
        if not dimensions:
            return [zone.name]
        parts: list[str | Text] = [zone.name, "["]
        for number, (dimension, size) in enumerate(dimensions):
            if number:
                parts.append(", ")
            parts.append(self.index(size, depth) if dimension == "number" else self.write(dimension, depth - 1))
        return [*parts, "]"]

    def index(self, size: int, depth: int) -> Text:
        """A number from 1 to `size`."""
        found = [x.name for x in self.place.locals if x.kind == NUMBER and x.low >= 1 and x.high <= size]
        if found and self.rng.random() < 0.7:
            return Text("index", (self.one(found),))
        if depth > 0 and self.rng.random() < 0.3:
            first, second = self.index(size, depth - 2), self.index(size, depth - 2)
            return Text("index", ("if ", self.write("bool", depth - 2), " then ", first, " else ", second))
        if depth > 0 and self.rng.random() < 0.2:
            rows = "  ".join(f"{key}: {self.rng.randint(1, size)}" for key in range(self.rng.choice([1, 2, 4])))
            counted = self.write("list:" + self.element(), depth - 2)
            return Text("index", ("by count (", counted, f") {{ {rows}  else {self.rng.randint(1, size)} }}"))
        return Text("index", (str(self.rng.randint(1, size)),))

    def element(self) -> str:
        if self.rng.random() < 0.1:
            return "direction"
        return self.one([NUMBER, "cell", *(f"face:{c}" for c in self.ruleset.components)])

    def family(self, element: str, depth: int) -> Text:
        """Several zones of a name."""
        found = self.zones(lambda z: z.kind != "grid" and len(z.dimensions) > 0 and holds(z) == element)
        if not found:
            raise NoWayError
        zone = self.rng.choice(found)
        least = 1
        if zone.dimensions[-1][0] == "player" and not self.place.has_player:
            raise NoWayError
        most = len(zone.dimensions)
        if zone.dimensions[0][0] == "player":
            # Without an index it is the actor's.
            most -= 1
        if most < least:
            raise NoWayError
        return Text(f"piles:{element}", tuple(self.zone(zone, depth, self.rng.randint(least, most))))

    def grid_zone(self, depth: int, test: Callable[[ZoneModel], bool] = lambda z: True) -> tuple[Text, ZoneModel]:
        """A grid that is a zone."""
        found = self.zones(lambda z: z.kind == "grid" and test(z))
        if not found:
            raise NoWayError
        zone = self.rng.choice(found)
        return Text(f"grid:{zone.element.component}", tuple(self.zone(zone, depth))), zone

    def domain(self, depth: int) -> tuple[list[str | Text], Local]:
        """What a quantifier goes through, and the name of its element."""
        element = self.element()
        name = self.name()

        def values() -> tuple[list[str | Text], Local]:
            component = self.component()
            found = [a for a in component.attributes.values() if a.type.kind in ("int", "member")]
            attribute = found[self.rng.randrange(len(found))] if found else None
            if attribute is None or sum(attribute.name in c.attributes for c in self.ruleset.components.values()) > 1:
                raise NoWayError
            kind = NUMBER if attribute.type.kind == "int" else f"member:{component.name}.{attribute.name}"
            return [attribute.name], Local(name, kind, attribute.type.low, attribute.type.high)

        def numbers() -> tuple[list[str | Text], Local]:
            low = self.rng.choice([0, 1, 1, 1, 2])
            high = low + self.rng.choice([0, 1, 2, 2, 3, 7, 8])
            return [f"{low}..{high}"], Local(name, NUMBER, low, high)

        def placed() -> tuple[list[str | Text], Local]:
            board = self.place.board
            if board is None:
                raise NoWayError
            component = board.element.component
            local = Local(name, f"face:{component}", placed=component)
            return [component if self.rng.random() < 0.6 else self.placed(component, depth - 1)], local

        def things() -> tuple[list[str | Text], Local]:
            kind = self.one(["list", "list", "pile", "bag"])
            return ["(", self.write(f"{kind}:{element}", depth - 1), ")"], Local(name, element)

        def piles() -> tuple[list[str | Text], Local]:
            return ["(", self.write(f"piles:{element}", depth - 1), ")"], Local(name, f"pile:{element}")

        def grid() -> tuple[list[str | Text], Local]:
            component = self.component().name
            return ["(", self.write(f"grid:{component}", depth - 1), ")"], Local(name, f"pile:face:{component}")

        def players() -> tuple[list[str | Text], Local]:
            return ["(", self.write("list:player", depth - 1), ")"], Local(name, "player")

        def goals() -> tuple[list[str | Text], Local]:
            return ["(", self.write("list:goal", depth - 1), ")"], Local(name, "goal")

        ways = [(2, values), (2, numbers), (6, placed), (6, things), (2, piles), (2, grid), (2, players), (2, goals)]
        while ways:
            at = self.rng.choices(range(len(ways)), [weight for weight, _ in ways])[0]
            try:
                return ways.pop(at)[1]()
            except NoWayError:
                continue
        raise NoWayError

    def placed(self, component: str, depth: int) -> Text:
        """The cards beside one of a grid, or its group."""
        start = self.one([x.name for x in self.place.locals if x.placed == component])
        kind = f"list:face:{component}"
        if self.rng.random() < 0.5:
            return Text(kind, (f"neighbours of {start}{self.one(['', ' diagonally', ' in all directions'])}",))
        local = Local(self.name(), f"face:{component}", placed=component)
        with self.bound(local):
            reach = self.one(["", " diagonally", " in all directions"])
            return Text(kind, (f"(group {local.name} around {start}{reach}: ", self.write("bool", depth - 1), ")"))

    def high(self) -> list[str]:
        """The cards of which it is known how high their piles are."""
        found = [x.name for x in self.place.locals if x.placed]
        if self.place.matched is not None:
            found += [name for name, count in self.place.matched.names if count == 1 and name != "v?"]
        return found

    def over(self, before: str, kind: str, depth: int, body: str, piles: bool = True, after: str = "") -> Text:
        """`before` name in domain: body."""
        for _ in range(4):
            domain, local = self.domain(depth)
            if piles or not local.kind.startswith("pile"):
                break
        else:
            raise NoWayError
        with self.bound(local):
            if self.rng.random() < 0.15:
                return self.twice(before, kind, depth, body, after, local, domain)
            where: list[str | Text] = [" where ", self.write("bool", depth - 2)] if self.rng.random() < 0.15 else []
            return Text(kind, (before, local.name, " in ", *domain, *where, ": ", self.write(body, depth - 1), after))

    def twice(
        self, before: str, kind: str, depth: int, body: str, after: str, local: Local, domain: list[str | Text]
    ) -> Text:
        """A loop over others in a loop over the same."""
        other = replace(local, name=self.name())
        with self.bound(other):
            inner = Text(
                "bool", (f"{self.quantifier()} other {other.name} in ", *domain, ": ", self.write("bool", depth - 1))
            )
        if body != "bool":
            inner = Text(
                body, ("if ", inner, " then ", self.write(body, depth - 2), " else ", self.write(body, depth - 2))
            )
        return Text(kind, (before, local.name, " in ", *domain, ": ", inner, after))

    def quantifier(self) -> str:
        return self.one(
            [
                "some",
                "some",
                "every",
                "every",
                "no",
                f"at least {self.rng.randint(0, 3)}",
                f"at most {self.rng.randint(0, 3)}",
                f"exactly {self.rng.randint(0, 3)}",
            ]
        )

    # ---- things on a grid

    def picture(self, zone: ZoneModel) -> tuple[str, Matched]:
        """A picture that fits on a grid."""
        component = self.ruleset.components[zone.element.component]
        width, height = self.rng.randint(1, min(3, zone.width)), self.rng.randint(1, min(3, zone.height))
        ranges = [a for a in component.attributes.values() if a.type.kind == "int" and a.in_code]
        signs = ["#", "#", ".", "_", "u", "u", "v"]
        if len(ranges) == 1:
            signs.append(str(self.rng.randint(ranges[0].type.low, ranges[0].type.high)))
        rows = [[self.rng.choice(signs) for _ in range(width)] for _ in range(height)]
        flat = [sign for row in rows for sign in row]
        if all(sign == "." for sign in flat):
            rows[0][0], flat = "#", ["#", *flat[1:]]
        names = tuple((name, flat.count(name)) for name in ("u", "v") if name in flat)
        size: int | None = sum(sign not in "._" for sign in flat)
        missing = "v" if names[-1:] and names[-1][0] == "v" and any(sign in "#u" for sign in flat) else ""
        if missing and self.rng.random() < 0.6:
            rows = [[sign + "?" * (sign == missing) for sign in row] for row in rows]
            names, size = (*names[:-1], ("v?", 1)) if names[-1][1] == 1 else names, None
        text = "[ " + " / ".join(" ".join(row) for row in rows) + " ]"
        if size is not None:
            text += self.one(["", "", " turned", " mirrored", " turned mirrored"])
        return text, Matched(component.name, size, names)

    def shapes(self, zone: ZoneModel) -> list[str]:
        """The shapes that fit on a grid."""
        shapes = [x for x in self.ruleset.merged.items.values() if isinstance(x, Shape)]
        declared = Declared(components=self.ruleset.components)
        return [x.name.name for x in shapes if check_shape((x.picture, *x.more), zone, declared) is not None]

    def on_grid(self, depth: int) -> tuple[list[str | Text], ZoneModel]:
        """` on GRID`, or nothing where a grid is looked at anyway."""
        board = self.place.board
        if board is not None and self.rng.random() < (0.9 if self.place.in_objective else 0.3):
            return [], board
        grid, zone = self.grid_zone(depth - 1, lambda z: not (self.place.in_objective and z is board))
        return [" on ", grid], zone

    def looked(self, before: str, kind: str, depth: int, brackets: bool = False) -> Text:
        """A quantifier (or `(`) over shapes, cards or piles of a grid."""
        on, zone = self.on_grid(depth)
        if brackets and not on:
            on, zone = [" on ", (found := self.grid_zone(depth - 1))[0]], found[1]
        component = zone.element.component
        what = self.one(["picture", "picture", "shape", component, component, "pile", "buried"])
        after = ")" if brackets else ""
        if (
            what in ("picture", "shape")
            and (brackets or before.startswith(("at", "exactly")))
            and self.rng.random() < 0.3
        ):
            before += "separate "
        if what == "picture" and not brackets:
            picture, matched = self.picture(zone)
            if "#" not in picture and not matched.names:
                before = before.removesuffix("separate ")
            if self.rng.random() < 0.15:
                return Text(kind, (before, picture, *on))
            with self.at(board=zone, matched=matched, subject=""):
                return Text(kind, (before, picture, *on, ": ", self.write("bool", depth - 1)))
        if what in ("picture", "shape"):
            with self.at(board=zone, matched=Matched(component, None), subject=""):
                return Text(
                    kind, (before, self.one(self.shapes(zone)), *on, ": ", self.write("bool", depth - 1), after)
                )
        subject = f"pile:face:{component}" if what == "pile" else f"face:{component}"
        with self.at(board=zone, subject=subject):
            return Text(kind, (before, what, *on, ": ", self.write("bool", depth - 1), after))

    # ---- kinds of collections

    def things_of(self, component: str) -> str:
        """A kind that an attribute of several things can be asked of."""
        return self.one(
            [
                f"list:face:{component}",
                f"pile:face:{component}",
                f"bag:face:{component}",
                f"piles:face:{component}",
                f"grid:{component}",
            ]
        )

    def as_list(self, element: str) -> str:
        """A kind that can be added to a collection or taken away from it."""
        return self.one(
            [f"list:{element}"] * 2
            + ([f"pile:{element}", f"bag:{element}"] if element.startswith(("face", NUMBER)) else [])
        )
