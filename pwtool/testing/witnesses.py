"""Positions that tell two readings of a ruleset apart, looked for by chance and made small."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from pwtool.diagnostics import InternalError
from pwtool.engine.examples import BadExample, ExampleRunner
from pwtool.engine.game import Game
from pwtool.engine.state import State
from pwtool.evaluation.compiled import Compiler
from pwtool.evaluation.values import UNKNOWN, Grid
from pwtool.semantics.model import Ruleset
from pwtool.syntax import nodes as n
from pwtool.syntax.traversal import exchange, walk

BOARDS = 600
VARIATIONS = 200
_Verdict = Callable[[Grid], bool]


def find_board(original: Ruleset, changed: Ruleset, name: str, rng: random.Random) -> tuple[str, bool] | None:
    """A small board that an objective judges differently in the two rulesets, as an example writes it, and what the
    original says of it; None when none was found among `BOARDS`.
    """
    board = original.board
    if board is None or name not in changed.objectives:
        return None
    position = State(original, 1, [])
    first, second = Compiler(original).objective(name), Compiler(changed).objective(name)

    def differs(grid: Grid) -> bool:
        return bool(first(position, grid)) != bool(second(position, grid))

    codes = original.components[board.element.component].codes
    known = _example_boards(original, name)
    for number in range(BOARDS):
        if known and number % 2 == 0:
            grid = _varied(rng.choice(known), board.width, board.height, len(codes), rng)
        else:
            grid = _random(board.width, board.height, len(codes), rng)
        if grid and differs(grid):
            grid = _shrunk(grid, differs)
            return _written(grid, codes), bool(first(position, grid))
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
                found.append({(c.column, c.row): [numbers[c.content.split("+")[-1]]] for c in cells})
    return found


def _random(width: int, height: int, faces: int, rng: random.Random) -> Grid:
    chance = rng.choice((0.4, 0.7, 1.0))
    # Few different faces make boards on which things agree.
    pool = [rng.randrange(faces) for _ in range(rng.choice((2, 4, 9, faces)))]
    cells = [(x, y) for y in range(height) for x in range(width)]
    return {cell: [rng.choice(pool)] for cell in cells if rng.random() < chance}


def _varied(grid: Grid, width: int, height: int, faces: int, rng: random.Random) -> Grid:
    varied = {cell: list(pile) for cell, pile in grid.items()}
    for _ in range(rng.choice((1, 1, 2, 3))):
        cell = (rng.randrange(width), rng.randrange(height))
        if rng.random() < 0.25:
            varied.pop(cell, None)
        elif rng.random() < 0.5 and varied:
            varied[rng.choice(list(varied))] = [rng.randrange(faces)]
        else:
            varied[cell] = [
                rng.choice(list(varied.values()))[-1] if varied and rng.random() < 0.4 else rng.randrange(faces)
            ]
    return varied


def _shrunk(grid: Grid, differs: _Verdict) -> Grid:
    """The board without the cards that make no difference, in the corner where its place makes none."""
    for cell in sorted(grid, reverse=True):
        smaller = {c: pile for c, pile in grid.items() if c != cell}
        if smaller and differs(smaller):
            grid = smaller
    left, top = min(x for x, _ in grid), min(y for _, y in grid)
    corner = {(x - left, y - top): pile for (x, y), pile in grid.items()}
    return corner if differs(corner) else grid


def _written(grid: Grid, codes: tuple[str, ...]) -> str:
    width, height = max(x for x, _ in grid) + 1, max(y for _, y in grid) + 1
    rows = [" ".join(codes[grid[x, y][-1]] if (x, y) in grid else "." for x in range(width)) for y in range(height)]
    return f"[ {' / '.join(rows)} ]"


# ---- variations of the examples that are there


def find_variation(
    original: Game, changed: Game, examples: list[n.Example], rng: random.Random
) -> tuple[n.Example, n.Outcome, Any] | None:
    """A variation of one of the examples on which the two games disagree, and what the original says of it."""
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
    """What comes out of an example, None where it is no example at all."""
    try:
        verdict = ExampleRunner(game, example).verdict(outcome)
    except (BadExample, InternalError):
        return None
    if verdict is UNKNOWN:
        return None
    if not isinstance(verdict, tuple):
        return verdict
    # An action: refused by what the example is of, legal, or refused by others only, which no example can say.
    if example.name.name in verdict:
        return False
    return "other" if verdict else True


class _Words:
    """What can stand in an example in place of something else of its kind."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.faces: dict[str, tuple[str, ...]] = {}
        for component in ruleset.components.values():
            self.faces |= dict.fromkeys(component.codes, component.codes)
            for attribute in component.attributes.values():
                if attribute.type.kind == "member":
                    values = tuple(str(v) for v in dict.fromkeys(attribute.table))
                    self.faces |= dict.fromkeys(values, values)

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
    """An example as lines of a rules file, with the verdict that it has."""
    lines = [f"example {example.name.name} {{"]
    for given in example.givens:
        if given.kind == "players":
            lines.append(f"  given {given.number} players")
            continue
        name = given.name.name if given.name else ""
        if given.kind == "token" and isinstance(given.value, n.CellValue):
            lines.append(f"  given {name} on {given.indices[0]}[{given.value.x}, {given.value.y}]")
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
