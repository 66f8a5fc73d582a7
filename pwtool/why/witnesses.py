"""Positions that distinguish two versions of a ruleset, found at random and shrunk."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from pwtool.boards.chance import BOARDS, Chance, shrunk
from pwtool.eval.values import UNKNOWN, Grid, bounds
from pwtool.ir.grids import cells_of, near
from pwtool.ir.model import Ruleset
from pwtool.kernel.compiler import Compiler
from pwtool.lang import tree as n
from pwtool.lang.traversal import exchange, walk
from pwtool.play.game import Game
from pwtool.play.state import State
from pwtool.text import InternalError
from pwtool.why.examples import BadExample, ExampleRunner

VARIATIONS = 200


def find_board(original: Game, changed: Game, name: str, rng: random.Random) -> tuple[Grid, bool] | None:
    """A small board that an objective judges differently in the two rulesets, and the original's verdict on it; None if none was
    found among `BOARDS`.
    """
    ruleset = original.ruleset
    if ruleset.board is None or name not in changed.ruleset.objectives:
        return None
    position = State(ruleset, 1, [])
    first, second = Compiler(ruleset).objective(name), Compiler(changed.ruleset).objective(name)

    def differs(grid: Grid) -> bool:
        return bool(first(position, grid)) != bool(second(position, grid))

    known = _example_boards(ruleset, name)
    chance = Chance(original, rng)
    for number in range(BOARDS):
        tall = number % 4 > 1
        grid = chance.varied(rng.choice(known), tall) if known and number % 2 == 0 else chance.grid(tall)
        if grid and differs(grid):
            grid = shrunk(grid, differs)
            return grid, bool(first(position, grid))
    return None


def _example_boards(ruleset: Ruleset, name: str) -> list[Grid]:
    board = ruleset.board
    assert board is not None
    numbers = ruleset.components[board.element.component].numbers
    found: list[Grid] = []
    for example in ruleset.merged.examples:
        for outcome in example.outcomes if example.name.name == name else ():
            if isinstance(outcome.what, n.Picture):
                cells = outcome.what.cells
                found.append({(c.column, c.row): [numbers[code] for code in c.content.split("+")] for c in cells})
    return found


def write_board(ruleset: Ruleset, grid: Grid) -> str:
    """A board as written in examples: `[ Y1 . / G3+G4 B2 ]`."""
    board = ruleset.board
    assert board is not None
    codes = ruleset.components[board.element.component].codes
    left, top, right, bottom = bounds(grid)
    if not board.floating:
        left = top = 0

    def cell(x: int, y: int) -> str:
        return "+".join(codes[face] for face in grid.get((x, y), ())) or "."

    rows = [" ".join(cell(x, y) for x in range(left, right + 1)) for y in range(top, bottom + 1)]
    return f"[ {' / '.join(rows)} ]"


# ---- variations of existing examples


def find_variation(
    original: Game, changed: Game, examples: list[n.Example], rng: random.Random
) -> tuple[n.Example, n.Outcome, Any] | None:
    """A variation of one of the examples on which the two games disagree, and the original's verdict on it."""
    pairs = [(example, outcome) for example in examples for outcome in example.outcomes]
    if not pairs:
        return None
    words = _Words(original.ruleset)
    for number in range(VARIATIONS):
        example, outcome = pairs[number % len(pairs)]
        example, outcome = words.varied(example, outcome, rng)
        first = _verdict(original, example, outcome)
        second = _verdict(changed, example, outcome) if first is not None else None
        if first is not None and second is not None and first not in ("other", second):
            return example, outcome, first
    return None


def _verdict(game: Game, example: n.Example, outcome: n.Outcome) -> Any:
    """The outcome of an example, None if it is not a valid example."""
    try:
        verdict = ExampleRunner(game, example).verdict(outcome)
    except (BadExample, InternalError):
        return None
    if verdict is UNKNOWN:
        return None
    if not isinstance(verdict, tuple):
        return verdict
    # An action: refused by what the example is about, legal, or refused only by other rules, which no example can express.
    names, is_refused = verdict
    return False if is_refused else "other" if names else True


class _Words:
    """The words that can replace others of the same kind in an example."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.faces: dict[str, tuple[str, ...]] = {}
        for component in ruleset.components.values():
            self.faces |= dict.fromkeys(component.codes, component.codes)
            for attribute in component.attributes.values():
                if attribute.type.kind == "member":
                    values = tuple(str(v) for v in dict.fromkeys(attribute.table))
                    self.faces |= dict.fromkeys(values, values)
        for zone in ruleset.zones.values():
            for cell in cells_of(zone.grid) if zone.names_cells else ():
                around = (cell, *near(zone.grid, cell), *near(zone.grid, cell, diagonally=True))
                self.faces.setdefault(zone.own_name(cell), tuple(filter(None, map(zone.own_name, around))))

    def varied(self, example: n.Example, outcome: n.Outcome, rng: random.Random) -> tuple[n.Example, n.Outcome]:
        whole = replace(example, outcomes=(outcome,))
        for _ in range(rng.choice((1, 1, 2, 3))):
            places = list(self._places(whole, rng))
            if not places:
                break
            old, new = rng.choice(places)
            whole = exchange(whole, old, new)
        return whole, whole.outcomes[0]

    def _places(self, example: n.Example, rng: random.Random) -> Iterator[tuple[n.Node, n.Node]]:
        nodes = [node for given in example.givens for node in walk(given)]
        nodes += [node for outcome in example.outcomes for node in walk(outcome)]
        for node in nodes:
            match node:
                case n.Name() if node.name in self.faces:
                    yield node, replace(node, name=rng.choice(self.faces[node.name]))
                case n.Number():
                    yield node, replace(node, value=max(0, node.value + rng.choice((-1, 1, 2))))
                case n.CellValue():
                    yield node, replace(node, x=node.x + rng.choice((-1, 0, 1)), y=node.y + rng.choice((-1, 0, 1)))
                case n.ItemSet():
                    yield node, self._items(node, rng)
                case n.PictureCell() if node.content.split("+")[-1] in self.faces:
                    codes = node.content.split("+")
                    codes[-1] = rng.choice(self.faces[codes[-1]])
                    yield node, replace(node, content="+".join(codes))
                case n.Picture() if len(node.cells) > 1:
                    gone = rng.choice(node.cells)
                    yield node, replace(node, cells=tuple(c for c in node.cells if c is not gone))

    def _items(self, node: n.ItemSet, rng: random.Random) -> n.ItemSet:
        items = list(node.items)
        known = [code for code, _ in items if code in self.faces]
        if items and rng.random() < 0.4:
            del items[rng.randrange(len(items))]
        elif known:
            at = rng.randrange(len(items))
            code = rng.choice(self.faces[rng.choice(known)])
            items[at : at + (rng.random() < 0.5)] = [(code, items[at][1])]
        return replace(node, items=tuple(items))


def write_example(example: n.Example, outcome: n.Outcome, verdict: Any) -> list[str]:
    """An example as lines of a rules file, with its verdict."""
    lines = [f"example {example.name.name} {{"]
    for given in example.givens:
        if given.kind == "players":
            lines.append(f"  given {given.number} players")
            continue
        name = given.name.name if given.name else ""
        if given.kind == "token" and isinstance(given.value, n.CellValue):
            grid = given.indices[0] + "".join(f"[{seat}]" for seat in given.indices[1:])
            lines.append(f"  given {name} on {grid}[{given.value.x}, {given.value.y}]")
            continue
        index = f"[{', '.join(given.indices)}]" if given.indices else ""
        lines.append(f"  given {name}{index} = {_value(given.value)}")
    if outcome.kind == "then" and outcome.name is not None:
        lines.append(f"  then {outcome.name.name} = {verdict}")
    elif isinstance(outcome.what, n.CallExample):
        call = outcome.what
        arguments = ", ".join((f"{label}: " if label else "") + _value(value) for label, value in call.arguments)
        word = "yes" if verdict else "no "
        lines.append(f"  {word} {call.action.name}({arguments})")
    elif isinstance(outcome.what, n.Picture):
        lines.append(f"  {'yes' if verdict else 'no '} {_value(outcome.what)}")
    else:
        lines.append("  yes" if verdict else "  no")
    return [*lines, "}"]


def _value(node: n.Node | None) -> str:
    match node:
        case n.Picture():
            signs = {(c.row, c.column): c.content for c in node.cells}
            rows = [" ".join(signs.get((r, c), ".") for c in range(node.width)) for r in range(node.height)]
            return f"[ {' / '.join(rows)} ]"
        case n.ItemSet():
            items = [code + (f" from {number}" if number else "") for code, number in node.items]
            return "{ " + "".join(f"{item} " for item in items) + "}"
        case n.CellValue():
            return f"({node.x}, {node.y})"
        case n.CellSet():
            return "{ " + "".join(f"({x}, {y}) " for x, y in node.cells) + "}"
        case n.Name():
            return node.name
        case n.Number():
            return str(node.value)
    return ""
