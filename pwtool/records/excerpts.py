"""The part of a refused document that may be wrong.

What the decoder accepted need not be checked again, and the beginning is enough to report something that is far too
long: finding all other errors then costs the same for documents of any size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pwtool.records.json_form import Malformed, Path
from pwtool.records.words import MAX_ITEMS, MAX_PLAYERS

MAX_ACTIONS = 1000
"""The number of actions, and of turns, that are examined if the decoder did not reach the turns."""
_BEFORE_TURNS = ("format", "players", "setup", "start")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a document; `turns` are the numbers of the turns in it, each with the numbers of its actions."""

    data: Any
    turns: Sequence[tuple[int, Sequence[int]]] = ()

    def path(self, path: Path) -> Path:
        """The path in the document for a path in the excerpt."""
        if path[:1] != ("turns",) or len(path) < 2 or not isinstance(path[1], int) or path[1] >= len(self.turns):
            return path
        number, actions = self.turns[path[1]]
        if path[2:3] == ("actions",) and len(path) > 3 and isinstance(path[3], int) and path[3] < len(actions):
            return ("turns", number, "actions", actions[path[3]], *path[4:])
        return ("turns", number, *path[2:])


def excerpt(data: Any, problems: Sequence[Malformed]) -> Excerpt:
    """The parts of a document that may be wrong, given what the decoder reported."""
    if not isinstance(data, dict):
        return Excerpt(_cut(data))
    kept = {key: value if key == "meta" else _cut(value) for key, value in data.items() if key != "turns"}
    if len(kept) > MAX_ITEMS:
        kept = dict(list(kept.items())[:MAX_ITEMS])
    if isinstance(kept.get("players"), list):
        kept["players"] = kept["players"][: MAX_PLAYERS + 1]
    turns = data.get("turns")
    if not isinstance(turns, list):
        return Excerpt(kept if "turns" not in data else {**kept, "turns": _cut(turns)})
    reached = all(problem.path[:1] not in ((), *((key,) for key in _BEFORE_TURNS)) for problem in problems)
    wanted = _refused(turns, problems) if reached else _first(turns)
    kept["turns"] = [_with_actions(turns[number], actions) for number, actions in wanted]
    return Excerpt(kept, wanted)


def _refused(turns: list[Any], problems: Sequence[Malformed]) -> list[tuple[int, list[int]]]:
    """The turns with problems, each with the actions that have problems."""
    found: dict[int, set[int]] = {}
    for problem in problems:
        if problem.path[:1] == ("turns",) and len(problem.path) > 1:
            actions = found.setdefault(int(problem.path[1]), set())
            if problem.path[2:3] == ("actions",) and len(problem.path) > 3:
                actions.add(int(problem.path[3]))
    return [(number, sorted(found[number])) for number in sorted(found)]


def _first(turns: list[Any]) -> list[tuple[int, list[int]]]:
    left, found = MAX_ACTIONS, []
    for number, turn in enumerate(turns[:MAX_ACTIONS]):
        actions = turn.get("actions") if isinstance(turn, dict) else None
        count = min(left, len(actions)) if isinstance(actions, list) else 0
        left -= count
        found.append((number, list(range(count))))
    return found


def _with_actions(turn: Any, numbers: Sequence[int]) -> Any:
    if not isinstance(turn, dict) or not isinstance(turn.get("actions"), list):
        return _cut(turn)
    return {**_cut(turn), "actions": [_cut(turn["actions"][number]) for number in numbers]}


def _cut(value: Any) -> Any:
    """A value with its lists and objects cut to just above the limit."""
    if isinstance(value, list):
        return [_cut(part) for part in value[: MAX_ITEMS + 1]]
    if isinstance(value, dict):
        return {key: _cut(part) for key, part in list(value.items())[: MAX_ITEMS + 1]}
    return value
