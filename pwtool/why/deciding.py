"""What decided a condition: the decisive part, its values, and the nearest candidate."""

from __future__ import annotations

from typing import Any

from pwtool.eval.kleene import is_unknown
from pwtool.eval.values import bounds
from pwtool.ir import nodes as ir
from pwtool.ir.nodes import Expr
from pwtool.play.game import Game
from pwtool.text.speech import Listed, Told, mark
from pwtool.text.words import one_line, shorten
from pwtool.why.describe import face_code, format_value

MAX_LINES = 6
MAX_SHOWN = 9
MAX_TEXT = 70

_NEEDED: dict[ir.Sign, str] = {
    "==": mark("{condition} is {value}, {wanted} needed"), "!=": mark("{condition} is {value}, anything but {wanted} needed"),
    "<": mark("{condition} is {value}, less than {wanted} needed"), "<=": mark("{condition} is {value}, at most {wanted} needed"),
    ">": mark("{condition} is {value}, more than {wanted} needed"), ">=": mark("{condition} is {value}, at least {wanted} needed"),
}  # fmt: skip

_OfThings = ir.Alike | ir.Reads
_NEEDED_OF_ALL = {
    "same": mark("{condition} is {value}, all alike needed"), "distinct": mark("{condition} is {value}, no two alike needed"),
    "ascending": mark("{condition} is {value}, each higher than the one before needed"),
}  # fmt: skip
_MANY = {"least": mark("at least {number} needed"), "most": mark("at most {number} needed"), "exactly": mark("exactly {number} needed")}  # fmt: skip


class Decider:
    """Explains conditions of one game in one position. `names` are the players' names."""

    def __init__(self, game: Game, state: Any, e: list[Any], names: list[str]) -> None:
        self.game = game
        self.state = state
        self.e = e
        self.names = names
        self.offset = (0, 0)
        self.width = game.ruleset.board.width if game.ruleset.board else 1

    def reasons(self, expr: Expr) -> list[str]:
        """Sentences, the decisive ones first, on why the condition has its value."""
        lines = self._why(expr, bool(self._value(expr)))
        return list(dict.fromkeys(lines))[:MAX_LINES]

    # ---- values

    def _value(self, expr: Expr) -> Any:
        return self.game.interpreter.evaluate(expr, self.state, self.e)

    def _shown(self, expr: Expr) -> str | None:
        return format_value(self.game, expr.type, self._value(expr), self.names)

    def _text(self, expr: Expr) -> str | None:
        return shorten(one_line(expr.span.text), MAX_TEXT) or None if expr.span else None

    # ---- sentences

    def _why(self, expr: Expr, holds: bool) -> list[str]:
        match expr:
            case ir.Not():
                return self._why(expr.operand, not holds)
            case ir.And() | ir.Or():
                return self._junction(expr, holds)
            case ir.Let():
                self.e[expr.slot] = self._value(expr.value)
                return self._why(expr.body, holds)
            case ir.If():
                return self._why(expr.then if self._value(expr.condition) else expr.otherwise, holds)
            case ir.Compare():
                return self._comparison(expr, holds)
            case ir.Alike() | ir.Reads():
                return self._attributes(expr, holds)
            case ir.Quantified(domain=ir.Places() as places):
                return self._shape(expr, places, holds)
            case ir.Quantified():
                return self._quantifier(expr, holds)
            case ir.Empty():
                shown = self._shown(expr.of)
                told = Told("`{text}` is empty" if holds else "`{text}` is not empty", text=self._text(expr.of))
                return [told if holds or shown is None else Told("{head}: {text}", head=told, text=shown)]
            case ir.In():
                text, value, items = self._text(expr.item), self._shown(expr.item), self._shown(expr.items)
                message = (
                    "`{text}` is {value}, which is in {items}"
                    if holds
                    else "`{text}` is {value}, which is not in {items}"
                )
                return [Told(message, text=text, value=value, items=items)]
        return self._plain(expr, holds)

    def _plain(self, expr: Expr, holds: bool) -> list[str]:
        text = self._text(expr)
        return [] if text is None else [Told("`{text}` holds" if holds else "`{text}` does not hold", text=text)]

    def _junction(self, expr: ir.And | ir.Or, holds: bool) -> list[str]:
        values = [bool(self._value(part)) for part in (expr.left, expr.right)]
        if isinstance(expr, ir.And) == holds:
            # All operands contribute to this outcome.
            lines = self._why(expr.left, holds) + self._why(expr.right, holds)
        else:
            lines = self._why((expr.left, expr.right)[values.index(holds)], holds)
        return lines or self._plain(expr, holds)

    def _comparison(self, expr: ir.Compare, holds: bool) -> list[str]:
        left, right, sign = expr.left, expr.right, expr.sign
        if isinstance(left, ir.Const):
            left, right, sign = right, left, ir.TURNED[sign]
        text, shown, wanted = self._text(left), self._shown(left), self._shown(right)
        if left.span is None and isinstance(left, ir.Attribute):
            text = left.name
        if text is None or shown is None or wanted is None:
            return self._plain(expr, holds)
        if left.type.kind == "bool" or text == shown:
            return self._plain(expr, holds)
        other = self._text(right)
        if not isinstance(right, ir.Const) and holds and other:
            return [Told("{condition} is {value}, {other} is {wanted}", condition=text, value=shown, other=other, wanted=wanted)]  # fmt: skip
        return [Told("{condition} is {value}" if holds else _NEEDED[sign], condition=text, value=shown, wanted=wanted)]

    def _attributes(self, expr: _OfThings, holds: bool) -> list[str]:
        values = self._attribute_values(expr)
        if not values:
            return self._plain(expr, holds)
        shown = " ".join(values[:MAX_SHOWN]) + (" ..." if len(values) > MAX_SHOWN else "")
        wanted = " ".join(map(str, expr.values)) if isinstance(expr, ir.Reads) else ""
        needed = _NEEDED["=="] if isinstance(expr, ir.Reads) else _NEEDED_OF_ALL[expr.kind]
        return [Told("{condition} is {value}" if holds else needed, condition=expr.of.name, value=shown, wanted=wanted)]

    def _attribute_values(self, expr: _OfThings) -> list[str]:
        """The values of an attribute for some things."""
        model = self.game.ruleset.components[expr.of.component].attributes[expr.of.name]
        return [
            "?" if face < 0 else str(format_value(self.game, model.type, model.table[face], self.names))
            for face in self._value(expr.of.of)
        ]

    # ---- quantifiers

    def _quantifier(self, expr: ir.Quantified, holds: bool) -> list[str]:
        kind, slot, body = expr.kind, expr.slot, expr.body
        items = list(self._value(expr.domain))
        verdicts = []
        for item in items:
            self.e[slot] = item
            verdicts.append(self._value(body))
        element = expr.domain.type.element
        shown = [format_value(self.game, element, item, self.names) if element else None for item in items]
        labels = [text or Told("number {number}", number=str(at + 1)) for at, text in enumerate(shown)]
        yes = [at for at, v in enumerate(verdicts) if not is_unknown(v) and v]
        condition, all_ = self._text(body), str(len(items))
        if kind in ("least", "most", "exactly"):
            parts = [Told("{count} of {all} with `{condition}`", count=str(len(yes)), all=all_, condition=condition)]
            told = Told("{parts}", parts=Listed([*parts, *self._needed(kind, expr.number, holds)]))
            if not yes or not all(shown[at] for at in yes):
                return [told]
            return [Told("{head}: {text}", head=told, text=" ".join(labels[at] for at in yes[:MAX_SHOWN]))]
        if (kind == "some" and not holds) or (kind == "no" and holds):
            if not items:
                return [Told("there is nothing to look at")]
            if kind == "no":
                return [Told("none of {all} with `{condition}`", all=all_, condition=condition)]
            best = min(range(len(items)), key=lambda at: self._far(body, slot, items[at]))
            label = Told("none of {all}; nearest {nearest}", all=all_, nearest=labels[best])
            return self._about(body, slot, items[best], label, False)
        if kind == "every" and holds:
            return [Told("all {all} with `{condition}`", all=all_, condition=condition)]
        at = next((i for i in range(len(items)) if (i in yes) == (kind != "every")), 0)
        return self._about(body, slot, items[at], labels[at], kind != "every") if items else []

    def _about(self, body: Expr, slot: int, item: Any, label: str, holds: bool) -> list[str]:
        self.e[slot] = item
        first, *more = self._why(body, holds) or [""]
        return [Told("{head}: {text}", head=label, text=first) if first else label, *more]

    def _far(self, body: Expr, slot: int, item: Any) -> float:
        self.e[slot] = item
        return self._distance(body, True)

    # ---- shapes

    def _shape(self, expr: ir.Quantified, places: ir.Places, holds: bool) -> list[str]:
        kind, number, slot, body = expr.kind, expr.number, expr.slot, expr.body
        cells = self._value(places.piles)
        self._place_grid(places.piles)
        component = self._component(places.piles)
        lying: list[tuple[str, list[Any], Any]] = []
        for at, held in places.lying(cells):
            self.e[slot] = held
            lying.append((self._cells(at, [cells[cell][-1] for cell in at], component), held, self._value(body)))
        yes = [found for found in lying if not is_unknown(found[2]) and found[2]]
        few, all_ = Told("the shape lies nowhere"), str(len(lying))
        if lying:
            few = Told("{count} of {all} places fulfil it", count=str(len(yes)), all=all_)
        if not lying and kind != "no":
            return [few, *self._nearest_gap(cells, places.places)] if not holds else [few]
        decided_by_one = kind == "some" or (kind == "no" and not holds) or (kind == "every" and not holds)
        if not decided_by_one:
            return [
                Told("{parts}", parts=Listed([few, *self._apart(expr, places), *self._needed(kind, number, holds)]))
            ]
        wanted = kind == "every" if not holds else True
        if kind == "some" and not holds:
            where, held, _ = min(lying, key=lambda found: self._far(body, slot, found[1]))
            nearest = Told("none of {all} places; nearest {nearest}", all=all_, nearest=where)
            return self._about(body, slot, held, nearest if len(lying) > 1 else where, False)
        pool = [found for found in lying if bool(found[2]) != wanted] if kind == "every" else yes
        where, held, verdict = (pool or lying)[0]
        return self._about(body, slot, held, where, bool(verdict))

    def _needed(self, kind: str, number: int, holds: bool) -> list[Told]:
        """How many are needed, if there are not so many."""
        return [Told(_MANY[kind], number=str(number))] if not holds and kind in _MANY else []

    def _apart(self, expr: ir.Quantified, places: ir.Places) -> list[Told]:
        """How many of the placements share no card, if that matters."""
        if not places.separate:
            return []
        known = ir.CountWhere(expr.slot, places, expr.body)
        return [Told("{count} of them share no card", count=format_value(self.game, known.type, self._value(known), self.names))]  # fmt: skip

    def _place_grid(self, cells: Expr) -> None:
        """How far the grid was moved into the corner, so that cells are named as on the board."""
        if not isinstance(cells, ir.PilesByCell):
            return
        self.width = cells.width
        grid = self._value(cells.grid)
        self.offset = bounds(grid)[:2] if grid and cells.floating else (0, 0)

    def _component(self, piles: Expr) -> str:
        element = piles.type.element
        return element.element.component if element is not None and element.element is not None else ""

    def _cells(self, needs: tuple[int, ...], faces: list[int], component: str) -> str:
        codes = " ".join(face_code(self.game, component, face) for face in faces)
        return Told("{cards} at {cells}", cards=codes, cells=" ".join(self._cell(at) for at in needs))

    def _cell(self, at: int) -> str:
        cell = at % self.width + self.offset[0], at // self.width + self.offset[1]
        board = self.game.ruleset.board
        return f"({cell[0]}, {cell[1]})" if board is None else board.cell_name(cell)

    def _nearest_gap(self, cells: list[Any], placements: tuple[ir.Placement, ...]) -> list[str]:
        def wrong(placement: ir.Placement) -> list[int]:
            return [at for at in placement[0] if not cells[at]] + [at for at in placement[1] if cells[at]]

        best = min(placements, key=lambda placement: len(wrong(placement)))
        gaps = wrong(best)
        if len(gaps) == len(best[0]) + len(best[1]):
            return []
        missing = [self._cell(at) for at in gaps if not cells[at]]
        taken = [self._cell(at) for at in gaps if cells[at]]
        parts = [Told("{cells} would need a card", cells=" ".join(missing))] if missing else []
        parts += [Told("{cells} would have to be empty", cells=" ".join(taken))] if taken else []
        return [Told("nearest: {parts}", parts=Listed(parts))]

    # ---- how far a condition is from being met

    def _distance(self, expr: Expr, wanted: bool) -> float:
        """0 if the condition has the wanted value, up to 1 if no part of it has."""
        value = self._value(expr)
        if not is_unknown(value) and bool(value) == wanted:
            return 0.0
        match expr:
            case ir.Not():
                return self._distance(expr.operand, not wanted)
            case ir.And() | ir.Or():
                parts = [self._distance(part, wanted) for part in (expr.left, expr.right)]
                return sum(parts) / len(parts) if isinstance(expr, ir.And) == wanted else min(parts)
            case ir.Compare() if expr.sign != "!=" and expr.left.type.kind == "int":
                a, b = self._value(expr.left), self._value(expr.right)
                if isinstance(a, int) and isinstance(b, int):
                    return min(1.0, 0.05 + abs(a - b) / 20)
            case ir.Alike() | ir.Reads():
                return self._attribute_distance(expr)
            case ir.Quantified(domain=ir.Places()):
                return 1.0
            case ir.Quantified(kind="every" | "some"):
                parts = [self._far(expr.body, expr.slot, item) for item in self._value(expr.domain)]
                if parts:
                    return sum(parts) / len(parts) if expr.kind == "every" else min(parts)
        # It is not known how close anything else came.
        return 1.0

    def _attribute_distance(self, expr: _OfThings) -> float:
        values = self._attribute_values(expr)
        if not values:
            return 1.0
        match expr:
            case ir.Alike(kind="same"):
                wrong = len(values) - max(values.count(v) for v in values)
            case ir.Alike(kind="distinct"):
                wrong = len(values) - len(set(values))
            case ir.Alike():
                wrong = len(values) // 2
            case ir.Reads():
                wrong = sum(v != str(w) for v, w in zip(values, expr.values, strict=True))
        return wrong / len(values)
