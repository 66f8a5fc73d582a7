"""Writes numbers, things, cells, players and what else has one value."""

from __future__ import annotations

from collections.abc import Callable

from tests.kernel.writing.base import Base
from tests.kernel.writing.text import NUMBER, Local, NoWayError, Text


class Values(Base):
    """Writes numbers, things, cells, players and what else has one value."""

    def perhaps(self, kind: str, depth: int) -> Text:
        """A value that may be nothing."""
        sure = kind[:-1]
        w = self.write
        leaves: list[tuple[int, Callable[[], Text]]] = [(3, lambda: self.local(kind))]
        more: list[tuple[int, Callable[[], Text]]] = [
            (2, lambda: Text(kind, ("(if ", w("bool", depth - 1), " then ", w(sure, depth - 1), " else none)"))),
            (1, lambda: Text(kind, ("(if ", w("bool", depth - 1), " then ", w(kind, depth - 1), " else ", w(sure, depth - 1), ")"))),
            (2, lambda: self.attribute(kind, depth)), (2, lambda: self.define(kind, depth)),
        ]  # fmt: skip
        if sure.startswith(("face:", NUMBER)):
            more.append(
                (6, lambda: Text(kind, ("top of (", w(f"{self.one(['pile', 'pile', 'bag'])}:{sure}", depth - 1), ")")))
            )
        if sure == "cell":
            grid = self.one([z.name for z in self.zones(lambda z: z.kind == "grid")])
            more += [
                (5, lambda: Text(kind, ("((", w(self.one(["cell", "cell?"]), depth - 1), f") {self.one(['+', '-'])} (", w("direction", depth - 1), "))"))),
                (4, lambda: Text(kind, ("((", w(NUMBER, depth - 2), "), (", w(NUMBER, depth - 2), f")) of {grid}"))),
                (3, lambda: Text(kind, (f"({self.rng.randint(-1, 2)}, ", w(NUMBER, depth - 2), f") of {grid}"))),
            ]  # fmt: skip
        if sure.startswith(("face:", NUMBER, "cell", "player", "goal", "direction")):
            more.append((5, lambda: self.pick(kind, depth)))
        if sure in ("cell", "player"):
            names = [v.name for v in self.ruleset.variables.values() if v.type.kind == sure]
            leaves.append((4, lambda: Text(kind, (self.one(names),))))
        if sure == "cell" and self.place.has_player:
            leaves.append((2, lambda: Text(kind, (f"place of {self.one(list(self.ruleset.tokens))}",))))
        if sure == NUMBER and self.place.matched is not None and ("v?", 1) in self.place.matched.names:
            leaves.append((6, lambda: Text(kind, ("v.height",))))
        if sure == NUMBER:
            more.append((8, lambda: self.extreme(kind, depth)))
            more.append((2, lambda: Text(kind, ("(", w("cell?", depth - 1), f").{self.one(['row', 'column'])}"))))
        if sure == "player":
            more.append((2, lambda: Text(kind, ("player after (", w("player?", depth - 1), ")"))))
        return self.choose(kind, depth, leaves, more)

    def extreme(self, kind: str, depth: int) -> Text:
        component = self.component().name
        word = self.one(["max", "min"])
        if any(x.placed == component for x in self.place.locals) and self.rng.random() < 0.4:
            return Text(kind, (f"{word} height of (", self.placed(component, depth - 1), ")"))
        attribute = self.one(self.attributes(component, lambda a: a.type.kind == "int"))
        of = self.write(self.things_of(component), depth - 1)
        return Text(kind, (f"{word} {attribute} of (", of, ")"))

    def pick(self, kind: str, depth: int) -> Text:
        """`first` or `last` of a collection."""
        sure, name = kind[:-1], self.name()
        collection = self.one(["list", "list", "pile", "bag"]) if sure.startswith(("face", NUMBER)) else "list"
        domain = self.write(f"{collection}:{sure}", depth - 1)
        with self.bound(Local(name, sure)):
            return Text(
                kind, (f"({self.one(['first', 'last'])} {name} in (", domain, "): ", self.write("bool", depth - 1), ")")
            )

    def attribute(self, kind: str, depth: int) -> Text:
        """An attribute of a thing."""
        sure = kind.rstrip("?")
        wanted = "int" if sure == NUMBER else sure.partition(":")[0]
        found = [
            (c.name, a.name) for c in self.ruleset.components.values() for a in c.attributes.values()
            if a.type.kind == wanted and (wanted != "member" or sure == f"member:{c.name}.{a.name}")
        ]  # fmt: skip
        if wanted == "player":
            # Where somebody is needed: a seat that is taken with any number of players.
            found = [
                (c, a)
                for c, a in found
                if max(self.ruleset.components[c].attributes[a].table) < self.ruleset.min_players
            ]
        if not found:
            raise NoWayError
        component, name = self.rng.choice(found)
        if kind == sure and self.place.subject == f"face:{component}" and self.rng.random() < 0.7:
            return Text(kind, (name,))
        thing = self.write(f"face:{component}" + ("?" if kind.endswith("?") else ""), depth - 1)
        return Text(kind, ("(", thing, f").{name}"))

    def each_at(self, kind: str, depth: int) -> Text:
        """What a player named, where all name something at once."""
        name = self.one([name for name, k in self.place.each if k == kind])
        return Text(kind, (f"{name}[", self.write("player", depth - 1), "]"))

    def member(self) -> str:
        return self.one(
            [
                f"member:{c.name}.{a.name}"
                for c in self.ruleset.components.values()
                for a in c.attributes.values()
                if a.type.kind == "member"
            ]
        )

    def common(self, kind: str, depth: int) -> list[tuple[int, Callable[[], Text]]]:
        """What can be written of every kind of value."""
        w = self.write
        return [
            (2, lambda: Text(kind, ("((", w(kind + "?", depth - 1), ") else (", w(kind, depth - 1), "))"))),
            (
                1,
                lambda: Text(
                    kind, ("if ", w("bool", depth - 1), " then ", w(kind, depth - 1), " else ", w(kind, depth - 1))
                ),
            ),
            (2, lambda: self.define(kind, depth)),
        ]

    def number(self, kind: str, depth: int) -> Text:
        if kind.endswith("?"):
            return self.perhaps(kind, depth)
        w, p = self.write, self.place

        def T(*parts: str | Text) -> Text:
            return Text(NUMBER, parts)

        def counted() -> Text:
            element = self.one([self.element(), "player", "goal"])
            what = self.one([f"list:{element}", f"grid:{self.component().name}"])
            if element.startswith(("face", NUMBER)):
                what = self.one([what, what, f"pile:{element}", f"bag:{element}", f"piles:{element}"])
            return T("count (", w(what, depth - 1), ")")

        def summed() -> Text:
            if self.rng.random() < 0.3:
                return T(
                    "sum (", w(self.one(["list:number", "pile:number", "piles:number", "bag:number"]), depth - 1), ")"
                )
            component = self.component().name
            attribute = self.one(self.attributes(component, lambda a: a.type.kind == "int"))
            if any(x.placed == component for x in p.locals) and self.rng.random() < 0.3:
                return T(f"{self.one(['sum', 'count distinct'])} height of (", self.placed(component, depth - 1), ")")
            if p.matched and p.matched.component == component and self.rng.random() < 0.7:
                return T(self.one([f"sum {attribute}", "sum height", "count distinct height"]))
            return T(f"sum {attribute} of (", w(self.things_of(component), depth - 1), ")")

        def different() -> Text:
            component = self.component().name
            attribute = self.one(self.attributes(component, lambda a: True))
            if p.matched and p.matched.component == component and self.rng.random() < 0.5:
                return T(f"count distinct {attribute}")
            return T(f"count distinct {attribute} of (", w(self.things_of(component), depth - 1), ")")

        def table() -> Text:
            rows = {self.rng.randint(0, 6): self.rng.randint(-4, 9) for _ in range(3)}
            written = "  ".join(f"{key}: {value}" for key, value in rows.items())
            component = self.component()
            if self.rng.random() < 0.4:
                of = component.attributes[
                    self.one(
                        self.attributes(component.name, lambda a: a.type.kind == "int" and a.type.high - a.type.low < 9)
                    )
                ]
                keys = range(of.type.low, of.type.high + 1)
                written = "  ".join(f"{key}: {self.rng.randint(-4, 9)}" for key in keys)
                return T("by (", w(f"face:{component.name}", depth - 1), f").{of.name} {{ {written} }}")
            return T(
                "by count (",
                w(f"list:{self.element()}", depth - 1),
                f") {{ {written}  else {self.rng.randint(-4, 9)} }}",
            )

        def groups() -> Text:
            on, zone = self.on_grid(depth)
            if on:
                on = [" in ", on[1]]
            attribute = self.one(self.attributes(zone.element.component, lambda a: True))
            return T(f"{self.one(['largest', 'smallest'])} group of same {attribute}", *on)

        def repeated() -> Text:
            if p.in_objective:
                raise NoWayError
            zones = self.zones(lambda z: not z.floating and "player" not in dict(z.dimensions))
            names = [*(z.name for z in zones), *(v.name for v in self.ruleset.variables.values())]
            some = self.rng.sample(names, self.rng.randint(1, 2))
            return T(f"repeats of {{ {', '.join(some)} }}" if len(some) > 1 else f"repeats of {some[0]}")

        leaves: list[tuple[int, Callable[[], Text]]] = [
            (3, lambda: T(str(self.rng.randint(0, 9)))), (1, lambda: T(f"(- {self.rng.randint(0, 9)})")),
            *([(8, lambda: T(self.one(self.edges)))] if self.edges else []),
            (6, lambda: self.local(NUMBER)),
            (2, lambda: T(self.one([v.name for v in self.ruleset.variables.values() if v.type.kind == "int"]))),
            (3, lambda: self.each_at(NUMBER, depth)),
        ]  # fmt: skip
        if p.in_ranking:
            leaves.append((6, lambda: T("total")))
        if p.subject.startswith("pile"):
            leaves.append((6, lambda: T("height")))
        if high := self.high():
            leaves.append((4, lambda: T(f"{self.one(high)}.height")))
        more: list[tuple[int, Callable[[], Text]]] = [
            (5, counted), (4, different), (5, summed), (2, table), (2, repeated), (2, groups), (4, lambda: self.attribute(NUMBER, depth)),
            (2, lambda: T("(", w("cell", depth - 1), f").{self.one(['row', 'column'])}")),
            (2, lambda: T("(", w("direction", depth - 1), f").{self.one(['rows', 'columns'])}")),
            (4, lambda: self.over("count (", NUMBER, depth, "bool", after=")")),
            (4, lambda: self.over("sum (", NUMBER, depth, NUMBER, after=")")),
            (3, lambda: self.looked("count (", NUMBER, depth, brackets=True)),
            (3, lambda: T("(", w(NUMBER, depth - 1), f") {self.one(['+', '-'])} (", w(NUMBER, depth - 1), ")")),
            (2, lambda: T("(", w(NUMBER, depth - 1), f") * {self.rng.randint(0, 3)}")),
            (5 if self.edges else 1, lambda: T("(", w(NUMBER, 1), ") * (", w(NUMBER, 1), ")")),
            (1, lambda: T("- (", w(NUMBER, depth - 1), ")")),
            (2, lambda: T("count { ", w("bool", depth - 1), ", ", w("bool", depth - 1), " }")),
            *self.common(NUMBER, depth),
        ]  # fmt: skip
        return self.choose(NUMBER, depth, leaves, more)

    def face(self, kind: str, depth: int) -> Text:
        matched = self.place.matched
        if kind.endswith("?"):
            if (
                matched
                and kind == f"face:{matched.component}?"
                and ("v?", 1) in matched.names
                and self.rng.random() < 0.7
            ):
                return Text(kind, ("v",))
            return self.perhaps(kind, depth)
        component = self.ruleset.components[kind.partition(":")[2]]
        leaves: list[tuple[int, Callable[[], Text]]] = [
            (8, lambda: self.local(kind)), (1, lambda: Text(kind, (self.one(component.codes),))),
        ]  # fmt: skip
        if matched and matched.component == component.name:
            sure = [name for name, count in matched.names if count == 1 and name != "v?"]
            leaves.append((8, lambda: Text(kind, (self.one(sure),))))
        return self.choose(kind, depth, leaves, self.common(kind, depth))

    def member_value(self, kind: str, depth: int) -> Text:
        if kind.endswith("?"):
            return self.perhaps(kind, depth)
        component, _, attribute = kind.partition(":")[2].partition(".")
        values = sorted(set(self.ruleset.components[component].attributes[attribute].table))
        leaves = [
            (3, lambda: Text(kind, (self.one(values),))),
            (4, lambda: self.local(kind)),
            (3, lambda: self.each_at(kind, depth)),
        ]
        return self.choose(kind, depth, leaves, [(5, lambda: self.attribute(kind, depth)), *self.common(kind, depth)])

    def cell(self, kind: str, depth: int) -> Text:
        if kind.endswith("?"):
            return self.perhaps(kind, depth)
        # Without one that is there nothing else can become one.
        return self.choose(
            kind, depth, [(8, lambda: self.local(kind))], self.common(kind, depth) if self.has(kind) else []
        )

    def direction(self, kind: str, depth: int) -> Text:
        if kind.endswith("?"):
            return self.perhaps(kind, depth)
        w, names = self.write, ["up", "down", "left", "right", "up_left", "up_right", "down_left", "down_right"]

        def T(*parts: str | Text) -> Text:
            return Text(kind, parts)

        leaves = [(8, lambda: self.local(kind)), (3, lambda: T(self.one(names)))]
        more: list[tuple[int, Callable[[], Text]]] = [
            (3, lambda: T("(", w("cell", depth - 1), ") - (", w("cell", depth - 1), ")")),
            (2, lambda: T("(", w(kind, depth - 1), f") {self.one(['+', '-'])} (", w(kind, depth - 1), ")")),
            (2, lambda: T("(", w(kind, depth - 1), f") * {self.rng.randint(0, 3)}")),
            (2, lambda: T("- (", w(kind, depth - 1), ")")),
            (3, lambda: T(f"right * {self.rng.randint(-3, 3)} + ({self.rng.randint(-2, 2)}, ", w(NUMBER, depth - 2), ")")),
            *self.common(kind, depth),
        ]  # fmt: skip
        return self.choose(kind, depth, leaves, more)

    def goal(self, kind: str, depth: int) -> Text:
        if kind.endswith("?"):
            return self.perhaps(kind, depth)
        # Without one that is there nothing else can become one.
        return self.choose(
            kind, depth, [(8, lambda: self.local(kind))], self.common(kind, depth) if self.has(kind) else []
        )

    def player(self, kind: str, depth: int) -> Text:
        if kind.endswith("?"):
            return self.perhaps(kind, depth)
        leaves: list[tuple[int, Callable[[], Text]]] = [
            (8, lambda: self.local(kind)),
            (2, lambda: self.each_at(kind, depth)),
        ]
        if self.place.has_player:
            leaves.append((4, lambda: Text(kind, ("player",))))
        seats = [
            (c.name, a.name)
            for c in self.ruleset.components.values()
            for a in c.attributes.values()
            if a.type.kind == "player"
        ]

        def after_seat() -> Text:
            if not seats:
                raise NoWayError
            component, name = self.rng.choice(seats)
            return Text(kind, ("player after (", self.write(f"face:{component}", depth - 1), f").{name}"))

        more = [
            (3, lambda: Text(kind, ("player after (", self.write(kind, depth - 1), ")"))), (2, lambda: self.attribute(kind, depth)),
            (1, after_seat), *self.common(kind, depth),
        ]  # fmt: skip
        return self.choose(kind, depth, leaves, more)
