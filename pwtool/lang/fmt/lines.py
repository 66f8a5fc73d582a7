"""Lines as the formatter writes them: cells, and the columns that the author has aligned."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

WIDTH = 120
# How far away a line may be that another one is lined up with.
_NEAR = 2


@dataclass(slots=True)
class Cell:
    """A word of a line with at least `space` spaces before it, or more (`lined_up`) to be in `column`, counted from
    the beginning of the line.
    """

    text: str
    space: int
    column: int
    lined_up: bool


@dataclass(slots=True, eq=False)
class Line:
    """The cells of a line, followed by a comment (or only a comment). It begins `offset` columns to the right of a
    cell of an earlier line, or of the margin. `kind`: only lines of the same kind are aligned.
    """

    cells: list[Cell]
    anchor: Line | None = None
    anchor_cell: int = 0
    offset: int = 0
    comment: Cell | None = None
    kind: str = ""

    def all_cells(self) -> list[Cell]:
        return [*self.cells, self.comment] if self.comment else self.cells


def render_lines(lines: list[Line | None]) -> str:
    """The text of the lines. Columns that several nearby lines share stay; other spaces are reduced to the minimum."""
    columns = _Columns(lines)
    columns.settle()
    return "".join(columns.text(line) + "\n" for line in lines)


class _Columns:
    """The column where each cell of each line begins."""

    def __init__(self, lines: list[Line | None]) -> None:
        self.starts: dict[Line, list[int]] = {}
        self.near: dict[Line, list[Line]] = {}
        self.anchored: dict[Line, list[Line]] = defaultdict(list)
        self.order = [line for line in lines if line is not None and line.cells]
        paragraph: list[Line] = []
        for line in [*lines, None]:
            if line is None:
                for number, own in enumerate(paragraph):
                    self.near[own] = (
                        paragraph[max(0, number - _NEAR) : number] + paragraph[number + 1 : number + 1 + _NEAR]
                    )
                paragraph = []
                continue
            self._place(line)
            if line.anchor is not None:
                self.anchored[line.anchor].append(line)
            if line.cells:
                paragraph.append(line)

    def _place(self, line: Line) -> None:
        begin = line.offset + (self.starts[line.anchor][line.anchor_cell] if line.anchor else 0)
        at = 0
        starts: list[int] = []
        for cell in line.all_cells():
            at += cell.space if starts else 0
            if cell.lined_up:
                at = max(at, cell.column)
            starts.append(begin + at)
            at += len(cell.text)
        self.starts[line] = starts

    def settle(self) -> None:
        """Drop the columns that no nearby line shares, and all columns of a line that they make too long."""
        pending = list(reversed(self.order))
        waiting = set(pending)
        while pending:
            line = pending.pop()
            waiting.discard(line)
            if not self._give_up(line):
                continue
            changed = [line]
            for moved in changed:
                self._place(moved)
                changed += self.anchored[moved]
            for again in [n for moved in changed if moved.cells for n in (moved, *self.near[moved])]:
                if again not in waiting:
                    waiting.add(again)
                    pending.append(again)

    def _give_up(self, line: Line) -> bool:
        cells = line.all_cells()
        wide = [number for number, cell in enumerate(cells) if cell.lined_up]
        if not wide:
            return False
        code = len(line.cells) - 1
        too_long = self.starts[line][code] + len(cells[code].text) > WIDTH
        lost = [n for n in wide if (too_long and n <= code) or not self._is_shared(line, n)]
        for number in lost:
            cells[number].lined_up = False
        return bool(lost)

    def _is_shared(self, line: Line, number: int) -> bool:
        start, text = self.starts[line][number], line.all_cells()[number].text
        if number == len(line.cells):
            return any(other.comment and self.starts[other][-1] == start for other in self.near[line])
        # Numbers may also end below each other.
        end = start + len(text) if text.isdigit() else None
        return any(
            at == start or (cell.text.isdigit() and at + len(cell.text) == end)
            for other in self.near[line]
            if other.kind == line.kind
            for at, cell in zip(self.starts[other], other.cells, strict=False)
        )

    def text(self, line: Line | None) -> str:
        if line is None:
            return ""
        text = ""
        for start, cell in zip(self.starts[line], line.all_cells(), strict=True):
            text = text.ljust(start) + cell.text
        return text
