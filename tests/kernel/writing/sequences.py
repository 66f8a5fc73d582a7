"""Writes collections: lists, piles, several piles, grids."""

from __future__ import annotations

from collections.abc import Callable

from tests.kernel.writing.text import NUMBER, Local, NoWayError, Text, holds
from tests.kernel.writing.values import Values

REACH = ["", " diagonally", " in all directions"]
SEVERAL = ["directions", "diagonals", "all directions", "(directions + diagonals)"]


class Sequences(Values):
    """Writes collections: lists, piles, several piles, grids."""

    def sequence(self, kind: str, depth: int) -> Text:
        """A list, or what is used as one."""
        element = kind.partition(":")[2]
        w = self.write

        def T(*parts: str | Text) -> Text:
            return Text(kind, parts)

        leaves: list[tuple[int, Callable[[], Text]]] = [(5, lambda: self.local(kind))]
        if element == "direction":
            leaves.append((5, lambda: T(self.one(["directions", "diagonals", "all directions"]))))
        if element in ("player", "goal"):
            leaves.append((5, lambda: T(f"{element}s")))
        names = [v.name for v in self.ruleset.variables.values() if v.type.kind == "list" and element == "cell"]
        leaves.append((2, lambda: T(self.one(names))))
        matched, board = self.place.matched, self.place.board
        leaves.append((8, lambda: self.placed(element.removeprefix("face:"), depth)))
        if matched and element == f"face:{matched.component}":
            leaves.append((8, lambda: T(self.one([name for name, count in matched.names if count > 1]))))
        if board is not None and element == f"face:{board.element.component}":
            leaves.append((6, lambda: T(self.one([board.element.component, "buried"]))))
        more: list[tuple[int, Callable[[], Text]]] = [
            (2, lambda: T("(", w(kind, depth - 1), ") + (", w(element, depth - 1), ")")),
            (2, lambda: T("(", w(self.as_list(element), depth - 1), ") + (", w(self.as_list(element), depth - 1), ")")),
            (3, lambda: T("(", w(self.as_list(element), depth - 1), ") - (", w(self.as_list(element), depth - 1), ")")),
            (1, lambda: T("(", w(kind, depth - 1), ") - (", w(element, depth - 1), ")")),
            (1, lambda: T("if ", w("bool", depth - 1), " then ", w(kind, depth - 1), " else ", w(kind, depth - 1))),
            (2, lambda: self.define(kind, depth)),
            (5, lambda: self.restricted(kind, element, depth)),
        ]  # fmt: skip
        if element.startswith(("face", NUMBER)):
            several = [f"piles:{element}"] + ([f"grid:{element[5:]}"] * 2 if element.startswith("face") else [])
            more.append((6, lambda: T(self.one(["tops of (", "cards of ("]), w(self.one(several), depth - 1), ")")))
        if element == "cell":
            leaves.append((3, lambda: T("cells of ", self.grid_zone(depth - 1, lambda z: not z.floating)[0])))
            more += [
                (5, lambda: T("neighbours of (", w("cell", depth - 1), f"){self.one(REACH)}")),
                (5, lambda: T("cells from (", w("cell", depth - 1), ") towards (", w("direction", depth - 1), ")")),
                (3, lambda: T("cells from (", w("cell", depth - 1), f") towards {self.one(SEVERAL)}")),
                (5, lambda: self.group(kind, depth)),
                (5, lambda: T("cells between (", w("cell", depth - 1), ") and (", w("cell", depth - 1), ")")),
                (9, lambda: T("cells at { (", w("cell", depth - 1), "), (", w("cell?", depth - 1), ") }")),
            ]  # fmt: skip
        return self.choose(kind, depth, leaves, more)

    def group(self, kind: str, depth: int) -> Text:
        """What hangs together with a cell."""
        name, start = self.name(), self.write("cell", depth - 1)
        with self.bound(Local(name, "cell")):
            return Text(
                kind, (f"(group {name} around (", start, f"){self.one(REACH)}: ", self.write("bool", depth - 1), ")")
            )

    def restricted(self, kind: str, element: str, depth: int) -> Text:
        """Those of a collection that fulfil a condition."""
        collection = self.one(["list", "list", "pile", "bag"]) if element.startswith(("face", NUMBER)) else "list"
        domain = self.write(f"{collection}:{element}", depth - 1)
        if element.startswith("face") and self.rng.random() < 0.6:
            with self.at(subject=element):
                return Text(kind, ("((", domain, ") where ", self.write("bool", depth - 1), ")"))
        local = Local(self.name(), element)
        with self.bound(local):
            return Text(kind, (f"({local.name} in (", domain, ") where ", self.write("bool", depth - 1), ")"))

    def pile(self, kind: str, depth: int) -> Text:
        """A pile or a bag."""
        what, _, element = kind.partition(":")

        def zone() -> Text:
            found = self.zones(
                lambda z: holds(z) == element and z.kind != "grid" and (z.kind == "bag") == (what == "bag")
            )
            if not found:
                raise NoWayError
            return Text(kind, tuple(self.zone(self.rng.choice(found), depth)))

        leaves: list[tuple[int, Callable[[], Text]]] = [(5, lambda: self.local(kind)), (5, zone)]
        more: list[tuple[int, Callable[[], Text]]] = [
            (1, lambda: Text(kind, ("if ", self.write("bool", depth - 1), " then ", self.write(kind, depth - 1), " else ", self.write(kind, depth - 1)))),
            (2, lambda: self.define(kind, depth)),
        ]  # fmt: skip
        if what == "bag":
            held = [(v.name, v.type.element) for v in self.ruleset.variables.values() if v.type.kind == "bag"]
            names = [name for name, of in held if of is not None and element == f"face:{of.component}"]
            leaves.append((3, lambda: Text(kind, (self.one(names),))))
        elif element.startswith("face:"):
            more.append((8, lambda: self.pile_at(kind, depth)))
        return self.choose(kind, depth, leaves, more)

    def pile_at(self, kind: str, depth: int) -> Text:
        component = kind.partition(":")[2][5:]
        cell = self.write("cell" + self.one(["", "", "?"]), depth - 1)
        if self.rng.random() < 0.4:
            return Text(kind, ("(", self.write(f"grid:{component}", depth - 1), ")[", cell, "]"))
        grid, _ = self.grid_zone(depth - 1, lambda z: z.element.component == component)
        text = str(grid)
        return Text(kind, (text.removesuffix("]") + (", " if text.endswith("]") else "["), cell, "]"))

    def piles(self, kind: str, depth: int) -> Text:
        element = kind.partition(":")[2]
        more: list[tuple[int, Callable[[], Text]]] = [
            (1, lambda: Text(kind, ("if ", self.write("bool", depth - 1), " then ", self.write(kind, depth - 1), " else ", self.write(kind, depth - 1)))),
            (1, lambda: self.define(kind, depth)),
        ]  # fmt: skip
        return self.choose(kind, depth, [(4, lambda: self.local(kind)), (6, lambda: self.family(element, depth))], more)

    def grid(self, kind: str, depth: int) -> Text:
        component = kind.partition(":")[2]

        def either() -> Text:
            first, zone = self.grid_zone(depth - 1, lambda z: z.element.component == component)
            second, _ = self.grid_zone(
                depth - 1, lambda z: z is zone or (z.element.component == component and self.rng.random() < 0.05)
            )
            return Text(kind, ("if ", self.write("bool", depth - 1), " then ", first, " else ", second))

        leaves: list[tuple[int, Callable[[], Text]]] = [
            (4, lambda: self.local(kind)), (6, lambda: self.grid_zone(depth, lambda z: z.element.component == component)[0]),
        ]  # fmt: skip
        return self.choose(kind, depth, leaves, [(1, either), (1, lambda: self.define(kind, depth))])
