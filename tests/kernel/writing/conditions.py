"""Writes conditions."""

from __future__ import annotations

from collections.abc import Callable

from tests.kernel.writing.sequences import Sequences
from tests.kernel.writing.text import NUMBER, Local, NoWayError, Text


class Conditions(Sequences):
    """Writes conditions."""

    def condition(self, kind: str, depth: int) -> Text:
        if kind == "bool?":
            return self.perhaps(kind, depth)
        w, p = self.write, self.place

        def T(*parts: str | Text) -> Text:
            return Text("bool", parts)

        def of_attributes(*kinds: str) -> tuple[str, str]:
            component = self.component().name
            return component, self.one(self.attributes(component, lambda a: not kinds or a.type.kind in kinds))

        def alike() -> Text:
            word = self.one(["same", "distinct", "ascending"])
            component, attribute = of_attributes(*(["int"] if word == "ascending" else []))
            if p.matched and p.matched.component == component and self.rng.random() < 0.7:
                # Shapes that have a name may have pictures of several sizes.
                high = word != "ascending" or p.matched.size is not None or p.matched.names
                return T(f"{word} {'height' if high and self.rng.random() < 0.4 else attribute}")
            return T(f"{word} {attribute} of (", w(self.things_of(component), depth - 1), ")")

        def number_compared() -> Text:
            left, right = (NUMBER + self.one(["", "", "?"]) for _ in range(2))
            return T(
                "(", w(left, depth - 1), f") {self.one(['<', '<=', '>', '>=', '==', '!='])} (", w(right, depth - 1), ")"
            )

        def compared() -> Text:
            what = self.one(["face", "member", "cell", "player", "goal", "bool", "face"])
            if what == "face":
                what = f"face:{self.component().name}"
            if what == "member":
                what = self.member()
            left, right = (what + self.one(["", "", "?"]) for _ in range(2))
            if self.rng.random() < 0.15:
                return T("(", w(what + "?", depth - 1), f") {self.one(['==', '!='])} none")
            return T("(", w(left, depth - 1), f") {self.one(['==', '!='])} (", w(right, depth - 1), ")")

        def seats() -> Text:
            component, attribute = of_attributes("player")
            return T(
                "(",
                w(f"face:{component}" + self.one(["", "?"]), depth - 1),
                f").{attribute} {self.one(['==', '!='])} (",
                w("player" + self.one(["", "?"]), depth - 1),
                ")",
            )

        def key() -> Text:
            name, options = p.keys[self.rng.randrange(len(p.keys))] if p.keys else ("", ())
            component, _, attribute = self.one(options).partition(".")
            return T(
                "(",
                w(f"face:{component}" + self.one(["", "?"]), depth - 1),
                f").{attribute} {self.one(['==', '!='])} {name}",
            )

        def member_of() -> Text:
            element = self.one([self.element(), "player", "goal"])
            item = element + self.one(["", "", "?"])
            kind_ = self.one(["list", "pile", "bag"]) if element.startswith(("face", NUMBER)) else "list"
            return T(
                "(", w(item, depth - 1), f") is{self.one(['', ' not'])} in (", w(f"{kind_}:{element}", depth - 1), ")"
            )

        def empty() -> Text:
            element = self.element()
            what = self.one(
                [
                    f"list:{element}",
                    f"pile:{element}",
                    f"bag:{element}",
                    f"piles:{element}",
                    f"grid:{self.component().name}",
                ]
            )
            return T("(", w(what, depth - 1), f") is{self.one(['', ' not'])} empty")

        def of_grid() -> Text:
            grid = w(f"grid:{self.component().name}", depth - 1)
            size = f"{self.rng.randint(1, 4)}x{self.rng.randint(1, 4)}"
            match self.rng.randrange(3):
                case 0:
                    return T("(", grid, ") is connected")
                case 1:
                    return T("(", grid, f") fits {size}")
            return T("(", grid, ") with (", w("cell", depth - 1), f") fits {size}")

        def fulfils() -> Text:
            board = self.ruleset.board
            if board is None or p.in_objective:
                raise NoWayError
            grid, _ = self.grid_zone(
                depth - 1, lambda z: z is board or (z.element == board.element and self.rng.random() < 0.1)
            )
            return T(grid, " fulfils ", self.local("goal"))

        def token() -> Text:
            found = list(self.ruleset.tokens.values())
            model = self.rng.choice(found)
            if p.has_player and self.rng.random() < 0.3:
                return T(f"holds {model.name}")
            grid, _ = self.grid_zone(depth - 1, lambda z: z.number == model.zone)
            text = str(grid)
            cell = w("cell" + self.one(["", "?"]), depth - 1)
            return T(f"{model.name} on ", text.removesuffix("]") + (", " if text.endswith("]") else "["), cell, "]")

        def can() -> Text:
            if not p.has_player:
                raise NoWayError
            return T(f"can {self.one(self.actions)}")

        def matched() -> Text:
            if p.matched is None:
                raise NoWayError
            if p.matched.size and self.rng.random() < 0.2:
                return T(f"height reads {' '.join(str(self.rng.choice([1, 1, 2, 3])) for _ in range(p.matched.size))}")
            if p.matched.size and self.rng.random() < (0.7 if p.matched.size < 3 else 0.2):
                component = self.ruleset.components[p.matched.component]
                attribute = component.attributes[
                    self.one(self.attributes(component.name, lambda a: a.type.kind == "int"))
                ]
                values = [
                    str(v)
                    for v in self.rng.choices(
                        range(max(0, attribute.type.low), attribute.type.high + 1), k=p.matched.size
                    )
                ]
                return T(f"{attribute.name} reads {' '.join(values)}")
            with self.at(subject=self.one(["", "pile:"]) + f"face:{p.matched.component}"):
                return T(f"{self.one(['all', 'any'])} (", w("bool", depth - 1), ")")

        def beside() -> Text:
            if p.board is None:
                raise NoWayError
            component, name = p.board.element.component, self.name()
            with self.bound(Local(name, f"face:{component}", placed=component)):
                things = self.placed(component, depth - 1)
                attribute = self.one(self.attributes(component, lambda a: True))
                said = self.one(
                    [f"count ({things}) >= 2", f"{self.one(['same', 'distinct'])} {attribute} of ({things})"]
                )
            return T(f"{self.quantifier()} {name} in {component}: {said}")

        def flag_of() -> Text:
            return w("bool?", depth - 1)

        leaves: list[tuple[int, Callable[[], Text]]] = [
            (1, lambda: T(self.one(["true", "false"]))),
            (4, lambda: self.local("bool")),
            (2, lambda: T(self.one([v.name for v in self.ruleset.variables.values() if v.type.kind == "bool"]))),
            (2, lambda: self.each_at("bool", depth)),
        ]
        more: list[tuple[int, Callable[[], Text]]] = [
            (4, lambda: T("(", w("bool", depth - 1), f") {self.one(['and', 'or'])} (", w("bool", depth - 1), ")")),
            (2, lambda: T("not (", w("bool", depth - 1), ")")),
            (1, lambda: T("if ", w("bool", depth - 1), " then ", w("bool", depth - 1), " else ", w("bool" + self.one(["", "?"]), depth - 1))),
            (8, number_compared), (6, compared), (1, seats), (3 * bool(p.keys) + 1, key), (5, member_of), (3, empty),
            (5, of_grid), (2, fulfils), (5, token), (3, can), (4, alike), (8 * (p.matched is not None) + 1, matched),
            (6, lambda: self.over(f"{self.quantifier()} ", "bool", depth, "bool")),
            (6, lambda: self.looked(f"{self.quantifier()} ", "bool", depth)),
            (5, beside), (3, flag_of),
            (2, lambda: T("((", w("bool?", depth - 1), ") else (", w("bool", depth - 1), "))")),
            (1, lambda: self.attribute("bool", depth)), (3, lambda: self.define("bool", depth)),
        ]  # fmt: skip
        if self.place.subject and self.rng.random() < 0.5:
            return self.choose("bool", depth, [(1, number_compared), (1, flag_of)], [])
        return self.choose("bool", depth, leaves, more)
