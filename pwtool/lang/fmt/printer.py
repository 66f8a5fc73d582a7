"""From layouts to lines: which breaks end a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pwtool.lang.fmt.layout import BLOCK, CHAIN, FILL, ROWS, Break, Group, Part, first_leaf, measure
from pwtool.lang.fmt.lines import WIDTH, Cell, Line
from pwtool.lang.fmt.tokens import Comment, Leaf


@dataclass(frozen=True, slots=True)
class _Indent:
    """Where a line begins: an offset from the beginning of a cell of an earlier line (None: from the margin). `column`
    is the position before cells are aligned.
    """

    line: Line | None
    cell: int
    offset: int
    column: int

    def deeper(self, by: int) -> _Indent:
        return _Indent(self.line, self.cell, self.offset + by, self.column + by) if by else self


_MARGIN = _Indent(None, 0, 0, 0)


@dataclass(slots=True)
class Printer:
    """Prints the groups of a file one after the other; `lines` is the result, with None for an empty line."""

    lines: list[Line | None] = field(default_factory=list)
    indent: _Indent = _MARGIN
    column: int = 0
    shift: int = 0

    def item(self, group: Group) -> None:
        """Print a declaration on its own lines."""
        self._end_line(group.first, _MARGIN, Break(offset=0, item=True))
        self._group(group, 0)

    def comments(self, comments: Sequence[Comment]) -> None:
        """Print the comments after the last declaration."""
        self._comments(comments, _MARGIN, True)

    # ---- groups

    def _group(self, group: Group, tail: int) -> None:
        """Print a group; `tail` is the width of what follows it on its last line."""
        at_start = not self._line.cells
        if not group.broken and self._fits(group.width - (group.first.space if at_start else 0) + tail):
            for leaf in _leaves(group):
                self._leaf(leaf, self.indent)
            return
        base = self.indent
        if group.aligned and not at_start:
            column = self.column + group.first.space
            base = _Indent(self._line, len(self._line.cells), 0, column)
        elif group.kind in (CHAIN, FILL) and not at_start:
            base = base.deeper(2)
        ends = self._ends(group, base, tail)
        hang = base if group.aligned or group.kind in (CHAIN, FILL) else base.deeper(2)
        began = len(self.lines)
        for number, part in enumerate(group.parts):
            if isinstance(part, Leaf):
                self._leaf(part, hang)
            elif isinstance(part, Group):
                if first_leaf(part).forced and number and self._line.cells:
                    self._end_line(part.first, hang, Break())
                self._group(part, self._rest(group.parts, number + 1, ends, tail))
            elif number in ends or self._ends_here(group, number, tail, began):
                first = first_leaf(group.parts[number + 1])
                self._end_line(first, base.deeper(part.offset), part)
                if group.kind == ROWS and not part.closing and first.breaks:
                    # A row may begin below a later column of the first one.
                    self.shift = max(0, first.indent - first_leaf(group.parts[2]).indent)

    def _ends(self, group: Group, base: _Indent, tail: int) -> set[int]:
        """The breaks of a group that end a line, as far as that is known before it is printed."""
        breaks = {number: part for number, part in enumerate(group.parts) if isinstance(part, Break)}
        if group.kind == BLOCK:
            return set(breaks)
        ends = {number for number, part in breaks.items() if part.kept}
        if group.kind == ROWS:
            return ends | {min(breaks), max(breaks)}
        if group.kind == FILL:
            return ends
        ranks = {breaks[number].rank for number in ends if breaks[number].eager and not group.aligned}
        ends |= {number for number, part in breaks.items() if part.eager and part.rank in ranks}
        while True:
            more = self._more_ends(group, breaks, ends, base, tail)
            if not more:
                return ends
            ends |= more

    def _more_ends(self, group: Group, breaks: dict[int, Break], ends: set[int], base: _Indent, tail: int) -> set[int]:
        borders = [-1, *sorted(ends), len(group.parts)]
        for start, end in pairwise(borders):
            parts = group.parts[start + 1 : end]
            # A block that follows can end the line behind its bracket.
            block = next(
                (n for n, part in enumerate(parts) if isinstance(part, Group) and part.kind == BLOCK), len(parts)
            )
            pending = {number: part for number, part in breaks.items() if start < number <= start + block}
            if not pending:
                continue
            width, broken = measure(parts[:block], stop="forced")
            if block < len(parts) and not broken:
                width, broken = width + measure(parts[block:], stop="possible")[0], True
            eager = {number for number, part in pending.items() if part.eager}
            if broken and eager:
                return eager
            if start < 0 and self._line.cells:
                column = self.column
            else:
                column = (base.deeper(breaks[start].offset) if start >= 0 else base).column - first_leaf(parts[0]).space
            if column + width + (tail if end == len(group.parts) and not broken else 0) > WIDTH:
                rank = min(part.rank for part in pending.values())
                return {number for number, part in pending.items() if part.rank == rank}
        return set()

    def _ends_here(self, group: Group, number: int, tail: int, began: int) -> bool:
        """Whether a break ends the line; only known when it is reached."""
        part = group.parts[number]
        assert isinstance(part, Break)
        if part.trailing:
            return len(self.lines) > began and self._line.cells[0].text != "}"
        if group.kind not in (FILL, ROWS):
            return False
        following = group.parts[number + 1 :]
        length = next((i for i, p in enumerate(following) if isinstance(p, Break)), len(following))
        width, broken = measure(following[:length], stop="forced")
        return not self._fits(width + (tail if length == len(following) and not broken else 0))

    def _rest(self, parts: list[Part], start: int, ends: set[int], tail: int) -> int:
        """The width of what has to follow on the line."""
        width = 0
        for number, part in enumerate(parts[start:], start):
            if isinstance(part, Break):
                if number in ends:
                    return width
                continue
            lead, stopped = measure([part], stop="possible")
            width += lead
            if stopped:
                return width
        return width + tail

    # ---- lines

    @property
    def _line(self) -> Line:
        line = self.lines[-1]
        assert line is not None
        return line

    def _fits(self, width: int) -> bool:
        return self.column + width <= WIDTH

    def _leaf(self, leaf: Leaf, hang: _Indent) -> None:
        cells = self._line.cells
        if cells and leaf.forced:
            self._end_line(leaf, hang, Break())
            cells = self._line.cells
        if not cells:
            self._line.kind = leaf.kind
        if cells:
            cells.append(Cell(leaf.text, leaf.space, self.shift + leaf.column, leaf.run > leaf.space > 0))
            self.column += leaf.space
        elif self.shift:
            cells += Cell("", 0, 0, False), Cell(leaf.text, 0, self.shift, True)
        else:
            cells.append(Cell(leaf.text, 0, 0, False))
        self.column += len(leaf.text)

    def _end_line(self, leaf: Leaf, indent: _Indent, ending: Break) -> None:
        """End the line before a leaf, with the comments there."""
        self._comments(leaf.comments, indent.deeper(2) if ending.closing else indent, ending.item)
        if leaf.blank and ending.item and not ending.closing:
            self._blank()
        self.lines.append(Line([], indent.line, indent.cell, indent.offset))
        self.indent, self.column, self.shift = indent, indent.column, 0

    def _comments(self, comments: Sequence[Comment], indent: _Indent, blanks: bool) -> None:
        for comment in comments:
            if comment.behind:
                self._line.comment = Cell(comment.text, 2, comment.column, True)
                continue
            if comment.blank and blanks:
                self._blank()
            self.lines.append(Line([], indent.line, indent.cell, indent.offset, Cell(comment.text, 0, 0, False)))

    def _blank(self) -> None:
        """An empty line, except at the beginning of the file or of a block."""
        last = self.lines[-1] if self.lines else None
        if last is not None and not (last.cells and last.cells[-1].text == "{"):
            self.lines.append(None)


def _leaves(group: Group) -> list[Leaf]:
    found: list[Leaf] = []
    for part in group.parts:
        if isinstance(part, Group):
            found += _leaves(part)
        elif isinstance(part, Leaf):
            found.append(part)
    return found
