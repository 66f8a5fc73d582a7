"""Examples that the page adds, and boards that ask the author what is meant: small changes of an objective that no example notices."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

from pwtool.boards.proofs import position_with
from pwtool.boards.reading import read_board
from pwtool.checking.accepting import place_example
from pwtool.checking.examples import run_examples
from pwtool.eval.values import Grid, bounds
from pwtool.lang import tree as n
from pwtool.lang.parser import parse_rules
from pwtool.play.game import Game
from pwtool.studio.cells import Board, cells_data, draw_grid, grid_of, picture_data
from pwtool.studio.document_context import DocumentContext, game_of, units
from pwtool.studio.refusing import Refused
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Told
from pwtool.why.mutation import Survivor, Tally, survivors_of
from pwtool.why.voice import Voice
from pwtool.why.witnesses import write_board

MAX_MUTANTS = 6


def add_example(asked: DocumentContext, name: str, board: Board, yes: bool, uri: Any) -> dict[str, Any]:
    """The edit that writes a board as an example of an objective; `uri` names files as the page does. If the rule
    disagrees, either the rule or the board is wrong, and the example shows that from then on.
    """
    ruleset = asked.valid
    asked.objective(name, ruleset)
    game, grid = game_of(ruleset), grid_of(ruleset, board)
    if not grid:
        raise Refused(Told("an example needs a board with something on it"))
    word = "yes" if yes else "no"
    for example in ruleset.merged.examples:
        for outcome in example.outcomes:
            same = example.name.name == name and outcome.what is not None and _shows(game, outcome.what.span.text, grid)
            if same and outcome.kind == word:
                raise Refused(Told("there is an example with this very board"))
            if same:
                raise Refused(Told("an example with this board says {word}: change it there", word=f"`{outcome.kind}`"))
    shown = f"{word} {write_board(ruleset, grid)}"
    placed = place_example(game, ("objective", name), [f"example {name} {{ {shown} }}"], asked.home)
    if placed is None:
        raise Refused(Told("the file of {name} cannot be changed here", name=f"`{name}`"))
    file, path, at, text = placed
    # Each board on its own line, as the formatter writes them.
    text = text.replace(f"{{ {shown} }}", f"{{\n  {shown}\n}}")
    holds = bool(game.interpreter.objective(name)(position_with(game, grid), grid))
    return {
        **edit_of(file, path, at, at, text, uri),
        "line": file.text.count("\n", 0, at) + 1,
        "disagrees": holds != yes,
    }


def remove_example(asked: DocumentContext, name: str, board: Board, yes: bool, uri: Any) -> dict[str, Any]:
    """The edit that removes an example of an objective: its board, or the whole declaration if that has no other."""
    ruleset = asked.valid
    word = "yes" if yes else "no"
    for example in ruleset.merged.examples:
        for outcome in example.outcomes if example.name.name == name else ():
            if not isinstance(outcome.what, n.Picture) or outcome.kind != word:
                continue
            if picture_data(outcome.what)["cells"] != [list(cell) for cell in board.cells]:
                continue
            span = outcome.span if len(example.outcomes) > 1 else example.span
            path = asked.home(span.file)
            if path is None:
                raise Refused(Told("the file of {name} cannot be changed here", name=f"`{name}`"))
            return edit_of(span.file, path, *_lines_of(span), "", uri)
    raise Refused(Told("this example is not there any more"))


def _lines_of(span: Span) -> tuple[int, int]:
    """The range to delete with a part of a text: its lines and the empty one before them if nothing else is on them,
    otherwise the blanks before it.
    """
    text = span.file.text
    end = span.start + len(span.text.rstrip())
    begins = text.rfind("\n", 0, span.start) + 1
    ends = text.find("\n", end)
    ends = len(text) if ends < 0 else ends + 1
    before, behind = text[begins : span.start], text[end:ends].strip()
    if before.strip() or (behind and not behind.startswith("#")):
        return span.start - (len(before) - len(before.rstrip())), end
    if text[:begins].endswith("\n\n"):
        begins -= 1
    return begins, ends


def edit_of(file: SourceFile, path: Path, start: int, end: int, text: str, uri: Any) -> dict[str, Any]:
    """An edit of a file for the page, which `uri` names as the page does."""
    return {"uri": uri(path), "at": units(file.text, start), "to": units(file.text, end), "insert": text}


def _shows(game: Game, picture: str, grid: Grid) -> bool:
    """Whether a picture shows a board, at any offset on a floating grid."""
    found = read_board(game, picture)
    board = game.ruleset.board
    if not isinstance(found, dict) or not found or board is None:
        return False
    return found == grid if not board.floating else _at_corner(found) == _at_corner(grid)


def _at_corner(grid: Grid) -> Grid:
    left, top = bounds(grid)[:2]
    return {(x - left, y - top): pile for (x, y), pile in grid.items()}


def mutants(asked: DocumentContext, name: str, uri: Any, voice: Voice) -> dict[str, Any]:
    """Small changes of an objective that no example notices, each with a board on which the two differ."""
    ruleset = asked.workspace.analysis(asked.path).ruleset
    if ruleset is None:
        return {"state": "invalid", "mutants": [], "more": 0}
    item = asked.objective(name, ruleset)
    game = game_of(ruleset)
    own = [example for example in ruleset.merged.examples if example.name.name == name]
    if run_examples(game, own)[0]:
        return {"state": "failing", "mutants": [], "more": 0}
    shown, told = [], set()
    survivors = survivors_of(game, ("objective", name), item, Tally(), unsaid=True)
    for survivor in islice(survivors, 4 * MAX_MUTANTS):
        board = _board_of(game, survivor, voice)
        if board is None or survivor.witness[0] in told:
            continue
        # One answer may settle several of them.
        told.add(survivor.witness[0])
        shown.append({**board, **_change(asked, survivor, uri)})
    return {"state": "done", "mutants": shown[:MAX_MUTANTS], "more": max(0, len(shown) - MAX_MUTANTS)}


def _board_of(game: Game, survivor: Survivor, voice: Voice) -> dict[str, Any] | None:
    """The board that shows the difference, and whether it fulfils the rule now."""
    if not survivor.witness:
        return None
    word, bracket, rest = survivor.witness[0].partition("{")[2].rpartition("}")[0].strip().partition("[")
    grid = read_board(game, bracket + rest) if bracket else None
    if not isinstance(grid, dict) or not grid:
        return None
    return {
        "board": cells_data(game.ruleset, grid),
        "svg": draw_grid(game, grid, voice),
        "fulfilled": word.strip() == "yes",
    }


def _change(asked: DocumentContext, survivor: Survivor, uri: Any) -> dict[str, Any]:
    mutant = survivor.mutant
    file, path, start = mutant.span.file, asked.home(mutant.span.file), mutant.span.start
    # The change may affect more or less of the text than the part in question.
    end = start + len(mutant.before)
    changed = file.text[:start] + mutant.after + file.text[end:]
    can_change = file.text[start:end] == mutant.before and parse_rules(SourceFile(file.name, changed)).value is not None
    return {
        "was": mutant.before,
        "now": mutant.after,
        "line": mutant.span.line,
        "replace": edit_of(file, path, start, end, mutant.after, uri) if can_change and path is not None else None,
    }
