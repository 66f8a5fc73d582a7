"""The games of a club of Connect Four: who played, and into which column (from 1) each stone went."""

from pwtool.records.importers import Locate, Part, Problems, Result, SourceFile

COLUMNS, ROWS = 7, 6


def import_fourclub(data: object, file: SourceFile, locate: Locate | None = None) -> Result[dict[str, object]]:
    """The record of a game, or findings that say at which place there is none."""
    problems = Problems(file, locate, counted={"stones": "stone"})
    game = Part(problems, (), data)
    names = [name.text() if (name := game.key(key)) else None for key in ("red", "yellow")]
    stones = game.key("stones")
    turns = []
    height = [0] * COLUMNS
    for number, stone in enumerate((stones.entries() or []) if stones else []):
        column = stone.number(1, COLUMNS, f"a column from 1 to {COLUMNS}")
        if column is None:
            continue
        if height[column - 1] == ROWS:
            stone.report(f"falls into column {column}, which is full")
            continue
        # Rows are counted from above.
        at = [column - 1, ROWS - 1 - height[column - 1]]
        height[column - 1] += 1
        turns.append({"player": names[number % 2], "actions": [{"action": "drop", "at": at}]})
    if problems.found:
        return Result(None, problems.found)
    record: dict[str, object] = {
        "format": "pwtool/1",
        "ruleset": "connect_four",
        "players": names,
        "setup": {},
        "turns": turns,
    }
    return Result(record)
