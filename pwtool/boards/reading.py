"""Boards written as in examples."""

from __future__ import annotations

from pwtool.eval.values import Grid
from pwtool.play.game import Game
from pwtool.text import Diagnostic, codes_like
from pwtool.text.source import SourceFile, Span


def read_board(game: Game, text: str) -> Grid | list[Diagnostic]:
    """A board as written in examples, or what is wrong with it."""
    from pwtool.lang.pictures import build_picture

    source = SourceFile("board", text.strip())
    span = Span(source, 0, len(source.text))
    board = game.ruleset.board
    if board is None:
        return [Diagnostic.of("PW301", "the game has no grid for objectives", span)]
    if not source.text.endswith("]") or "[" in source.text[1:]:
        return [Diagnostic.of("PW102", "a board is written in brackets: `[ # # / # . ]`", span)]
    if not source.text[1:-1].strip():
        return {}
    drawn, problems = build_picture(span, may_be_empty=True)
    component = game.ruleset.components[board.element.component]
    grid: Grid = {}
    for cell in drawn.cells:
        faces = []
        for code in cell.sign.split("+"):
            face = component.numbers.get(code)
            if face is None:
                hint = codes_like(code, component.codes)
                problems.append(Diagnostic.of("PW304", "there is no {what} {name}", cell.span, help=hint, what=component.name, name=f"`{code}`"))  # fmt: skip
            else:
                faces.append(face)
        grid[cell.column, cell.row] = faces
    if drawn.width > board.width or drawn.height > board.height:
        message = "a board of {size} cells does not fit on the {room} grid"
        problems.append(Diagnostic.of("PW305", message, span, size=f"{drawn.width}x{drawn.height}", room=f"{board.width}x{board.height}"))  # fmt: skip
    return problems or grid
