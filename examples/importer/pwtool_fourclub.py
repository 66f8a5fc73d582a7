"""The games of a club of Connect Four, one a line: who played, and into which column (from 1) each stone went."""

import re
from collections.abc import Iterator

from pwtool.records.importers import Format, GameText

COLUMNS, ROWS = 7, 6
LINE = re.compile(r"\s*(\w+) - (\w+):")


class FourClub(Format):
    holds = "Connect Four"

    def recognises(self, begin: bytes) -> bool:
        return re.match(rb"\w+ - \w+: [1-7]( [1-7])*\r?\n", begin) is not None

    def starts(self, data: bytes, is_end: bool) -> Iterator[int]:
        yield 0
        # What stands behind a line break is another game; blank lines are none.
        yield from (line.end() for line in re.finditer(rb"(?<=\S)\s*\n\s*(?=\S)", data))

    def read(self, game: GameText) -> dict[str, object] | None:
        """The record of a game; None if a problem was reported."""
        head = LINE.match(game.text)
        if head is None:
            game.problem(0, len(game.text), "a game begins with its players", help="as in `Ana - Ben: 4 4 3`")
            return None
        names, turns, height = head.groups(), [], [0] * COLUMNS
        for stone in re.finditer(r"\S+", game.text[head.end() :]):
            start, end = head.end() + stone.start(), head.end() + stone.end()
            if stone[0] not in ("1", "2", "3", "4", "5", "6", "7"):
                game.problem(start, end, f"`{stone[0]}` is not a column from 1 to {COLUMNS}")
                continue
            column = int(stone[0]) - 1
            if height[column] == ROWS:
                game.problem(start, end, f"column {stone[0]} is full")
                continue
            # Rows are counted from above.
            at = [column, ROWS - 1 - height[column]]
            height[column] += 1
            # Findings about this turn point at the stone.
            game.place(("turns", len(turns)), start, end)
            turns.append({"player": names[len(turns) % 2], "actions": [{"action": "drop", "at": at}]})
        return {"format": "pwtool/1", "ruleset": "connect_four", "players": [*names], "setup": {}, "turns": turns}


FOURCLUB = FourClub()
