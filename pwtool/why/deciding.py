"""What decided a condition: the part that made it so, the values it had, and what came nearest."""

from __future__ import annotations

from typing import Any

from pwtool.eval.kleene import is_unknown
from pwtool.eval.values import bounds
from pwtool.ir.model import Expr
from pwtool.play.explain import face_code, format_value
from pwtool.play.game import Game

MAX_LINES = 6
MAX_SHOWN = 9
MAX_TEXT = 70

_NEEDED = {
    "eq": "{} needed", "ne": "anything but {} needed", "lt": "less than {} needed", "le": "at most {} needed",
    "gt": "more than {} needed", "ge": "at least {} needed",
}  # fmt: skip
_FLIPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


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
        """Sentences, the deciding ones first, on why the condition is as it is."""
        lines = self._why(expr, bool(self._value(expr)))
        return list(dict.fromkeys(lines))[:MAX_LINES]

    # ---- values

    def _value(self, expr: Expr) -> Any:
        return self.game.interpreter.evaluate(expr, self.state, self.e)

    def _shown(self, expr: Expr) -> str | None:
        return format_value(self.game, expr.type, self._value(expr), self.names)

    def _text(self, expr: Expr) -> str | None:
        if expr.span is None:
            return None
        text = " ".join(expr.span.text.split())
        return (text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…") or None

    # ---- sentences

    def _why(self, expr: Expr, holds: bool) -> list[str]:
        match expr.op:
            case "not":
                return self._why(expr.args[0], not holds)
            case "and" | "or":
                return self._junction(expr, holds)
            case "let":
                self.e[expr.data] = self._value(expr.args[0])
                return self._why(expr.args[1], holds)
            case "if":
                chosen = expr.args[1] if self._value(expr.args[0]) else expr.args[2]
                return self._why(chosen, holds)
            case "eq" | "ne" | "lt" | "le" | "gt" | "ge":
                return self._comparison(expr, holds)
            case "same" | "distinct" | "ascending" | "reads":
                return self._attributes(expr, holds)
            case "quant":
                return self._quantifier(expr, holds)
            case "shape":
                return self._shape(expr, holds)
            case "empty":
                shown = self._shown(expr.args[0])
                held = "" if holds or shown is None else f": {shown}"
                return [f"`{self._text(expr.args[0])}` is {'empty' if holds else 'not empty'}{held}"]
            case "in":
                items = self._shown(expr.args[1])
                word = "is" if holds else "is not"
                return [f"`{self._text(expr.args[0])}` is {self._shown(expr.args[0])}, which {word} in {items}"]
        return self._plain(expr, holds)

    def _plain(self, expr: Expr, holds: bool) -> list[str]:
        text = self._text(expr)
        return [] if text is None else [f"`{text}` {'holds' if holds else 'does not hold'}"]

    def _junction(self, expr: Expr, holds: bool) -> list[str]:
        values = [bool(self._value(arg)) for arg in expr.args]
        if (expr.op == "and") == holds:
            # All operands are needed for this outcome.
            return [line for arg in expr.args for line in self._why(arg, holds)]
        return self._why(expr.args[values.index(holds)], holds)

    def _comparison(self, expr: Expr, holds: bool) -> list[str]:
        left, right, op = *expr.args, expr.op
        if left.op == "const":
            left, right, op = right, left, _FLIPPED.get(op, op)
        text, shown, wanted = self._text(left), self._shown(left), self._shown(right)
        if left.span is None and left.op == "attr":
            text = left.data[1]
        if text is None or shown is None or wanted is None:
            return self._plain(expr, holds)
        if left.type.kind == "bool" or text == shown:
            return self._plain(expr, holds)
        said = f"{text} is {shown}"
        if right.op != "const" and holds and self._text(right):
            return [f"{said}, {self._text(right)} is {wanted}"]
        return [said if holds else f"{said}, {_NEEDED[op].format(wanted)}"]

    def _attributes(self, expr: Expr, holds: bool) -> list[str]:
        faces = self._value(expr.args[0])
        name = expr.data[1]
        values = [self._attribute(expr, face) for face in faces]
        if not values:
            return self._plain(expr, holds)
        said = f"{name} is {' '.join(values[:MAX_SHOWN])}" + (" ..." if len(values) > MAX_SHOWN else "")
        if holds:
            return [said]
        wanted = " ".join(map(str, expr.data[2])) if expr.op == "reads" else ""
        needed = {
            "same": "all alike needed",
            "distinct": "no two alike needed",
            "ascending": "each higher than the one before needed",
        }
        return [f"{said}, {needed.get(expr.op, f'{wanted} needed')}"]

    def _attribute(self, expr: Expr, face: int) -> str:
        model = self.game.ruleset.components[expr.data[0]].attributes[expr.data[1]]
        return "?" if face < 0 else str(format_value(self.game, model.type, model.table[face], self.names))

    # ---- quantifiers

    def _quantifier(self, expr: Expr, holds: bool) -> list[str]:
        kind, number, slot = expr.data
        items = list(self._value(expr.args[0]))
        body = expr.args[1]
        verdicts = []
        for item in items:
            self.e[slot] = item
            verdicts.append(self._value(body))
        element = expr.args[0].type.element
        shown = [format_value(self.game, element, item, self.names) if element else None for item in items]
        labels = [text or f"number {at + 1}" for at, text in enumerate(shown)]
        yes = [at for at, v in enumerate(verdicts) if not is_unknown(v) and v]
        condition = self._text(body)
        if kind in ("least", "most", "exactly"):
            which = (
                f": {' '.join(labels[at] for at in yes[:MAX_SHOWN])}" if yes and all(shown[at] for at in yes) else ""
            )
            word = {"least": "at least", "most": "at most", "exactly": "exactly"}[kind]
            needed = "" if holds else f", {word} {number} needed"
            return [f"{len(yes)} of {len(items)} with `{condition}`{needed}{which}"]
        if (kind == "some" and not holds) or (kind == "no" and holds):
            if not items:
                return ["there is nothing to look at"]
            if kind == "no":
                return [f"none of {len(items)} with `{condition}`"]
            best = min(range(len(items)), key=lambda at: self._far(body, slot, items[at]))
            return self._about(body, slot, items[best], f"none of {len(items)}; nearest {labels[best]}", False)
        if kind == "every" and holds:
            return [f"all {len(items)} with `{condition}`"]
        at = next((i for i in range(len(items)) if (i in yes) == (kind != "every")), 0)
        return self._about(body, slot, items[at], labels[at], kind != "every") if items else []

    def _about(self, body: Expr, slot: int, item: Any, label: str, holds: bool) -> list[str]:
        self.e[slot] = item
        first, *more = self._why(body, holds) or [""]
        return [f"{label}: {first}" if first else label, *more]

    def _far(self, body: Expr, slot: int, item: Any) -> float:
        self.e[slot] = item
        return self._distance(body, True)

    # ---- shapes

    def _shape(self, expr: Expr, holds: bool) -> list[str]:
        kind, number, slot, placements = expr.data
        cells = self._value(expr.args[0])
        self._place_grid(expr.args[0])
        component = self._component(expr)
        lying: list[tuple[tuple[int, ...], list[int], Any]] = []
        for needs, free in placements:
            if all(cells[at] for at in needs) and not any(cells[at] for at in free):
                self.e[slot] = faces = [cells[at][-1] for at in needs]
                lying.append((needs, faces, self._value(expr.args[1])))
        yes = [found for found in lying if not is_unknown(found[2]) and found[2]]
        few = f"{len(yes)} of {len(lying)} places fulfil it" if lying else "the shape lies nowhere"
        if not lying and kind != "no":
            return [few, *self._nearest_gap(cells, placements)] if not holds else [few]
        decided_by_one = kind == "some" or (kind == "no" and not holds) or (kind == "every" and not holds)
        if not decided_by_one:
            word = {"least": f", at least {number} needed", "most": f", at most {number} needed"}
            return [
                few + (word.get(kind, f", exactly {number} needed" if kind == "exactly" else "") if not holds else "")
            ]
        wanted = kind == "every" if not holds else True
        if kind == "some" and not holds:
            needs, faces, _ = min(lying, key=lambda found: self._far(expr.args[1], slot, found[1]))
            head = f"none of {len(lying)} places; nearest" if len(lying) > 1 else ""
            return self._about(
                expr.args[1], slot, faces, f"{head} {self._cells(needs, faces, component)}".strip(), False
            )
        pool = [found for found in lying if bool(found[2]) != wanted] if kind == "every" else yes
        needs, faces, verdict = (pool or lying)[0]
        return self._about(expr.args[1], slot, faces, self._cells(needs, faces, component), bool(verdict))

    def _place_grid(self, cells: Expr) -> None:
        """How far the grid that is looked at was moved into the corner, so that cells are named as the board shows."""
        if cells.op != "cells":
            return
        self.width = cells.data[0]
        grid = self._value(cells.args[0])
        left, top = bounds(grid)[:2] if grid and cells.data[2] else (0, 0)
        self.offset = (left, top)

    def _component(self, expr: Expr) -> str:
        element = expr.args[0].type.element
        return element.element.component if element is not None and element.element is not None else ""

    def _cells(self, needs: tuple[int, ...], faces: list[int], component: str) -> str:
        codes = " ".join(face_code(self.game, component, face) for face in faces)
        return f"{codes} at {' '.join(self._cell(at) for at in needs)}"

    def _cell(self, at: int) -> str:
        return f"({at % self.width + self.offset[0]}, {at // self.width + self.offset[1]})"

    def _nearest_gap(self, cells: list[Any], placements: Any) -> list[str]:
        def wrong(placement: Any) -> list[int]:
            return [at for at in placement[0] if not cells[at]] + [at for at in placement[1] if cells[at]]

        best = min(placements, key=lambda placement: len(wrong(placement)))
        gaps = wrong(best)
        if len(gaps) == len(best[0]) + len(best[1]):
            return []
        missing = [self._cell(at) for at in gaps if not cells[at]]
        taken = [self._cell(at) for at in gaps if cells[at]]
        parts = [f"{' '.join(missing)} would need a card"] if missing else []
        parts += [f"{' '.join(taken)} would have to be empty"] if taken else []
        return [f"nearest: {', '.join(parts)}"]

    # ---- how far a condition is from holding

    def _distance(self, expr: Expr, wanted: bool) -> float:
        """0 where the condition is as wanted, up to 1 where nothing of it is."""
        value = self._value(expr)
        if not is_unknown(value) and bool(value) == wanted:
            return 0.0
        match expr.op:
            case "not":
                return self._distance(expr.args[0], not wanted)
            case "and" | "or":
                parts = [self._distance(arg, wanted) for arg in expr.args]
                return sum(parts) / len(parts) if (expr.op == "and") == wanted else min(parts)
            case "eq" | "lt" | "le" | "gt" | "ge":
                a, b = (self._value(arg) for arg in expr.args)
                if isinstance(a, int) and isinstance(b, int):
                    return min(1.0, 0.05 + abs(a - b) / 20)
            case "same" | "distinct" | "reads" | "ascending":
                return self._attribute_distance(expr)
            case "quant" if expr.data[0] in ("every", "some"):
                items = list(self._value(expr.args[0]))
                parts = [self._far(expr.args[1], expr.data[2], item) for item in items]
                if parts:
                    return sum(parts) / len(parts) if expr.data[0] == "every" else min(parts)
        return 1.0

    def _attribute_distance(self, expr: Expr) -> float:
        values = [self._attribute(expr, face) for face in self._value(expr.args[0])]
        if not values:
            return 1.0
        if expr.op == "same":
            wrong = len(values) - max(values.count(v) for v in values)
        elif expr.op == "distinct":
            wrong = len(values) - len(set(values))
        elif expr.op == "reads":
            wrong = sum(1 for v, w in zip(values, expr.data[2], strict=True) if v != str(w))
        else:
            wrong = len(values) // 2
        return wrong / len(values)
