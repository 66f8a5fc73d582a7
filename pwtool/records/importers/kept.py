"""What is lost of a record that is written in the format of another program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["losses"]

_NOTES = ("mark", "comment")


def losses(record: Mapping[str, Any], again: Mapping[str, Any]) -> Counter[str]:
    """How often something in a record is not in what is read again of it, by the names of its parts: `meta.place`,
    `result.scores`, and of turns the notes and the actions, such as `comment` and `claim`.
    """
    found = Counter[str]()
    for name, part in record.items():
        if name == "turns":
            found.update(_of_turns(part, again["turns"]))
        elif isinstance(part, Mapping):
            other = again.get(name, {})
            found.update(f"{name}.{key}" for key in part if not _is_same(part[key], other.get(key)))
        elif not _is_same(part, again.get(name)):
            found[name] += 1
    return found


def other_turn(record: Mapping[str, Any], again: Mapping[str, Any]) -> int | None:
    """The first turn of a record that is read again as another one, which would be judged otherwise: that of another player, with
    actions that it had not, or none where it had none. What is only left out of a turn is told by `losses`.
    """
    turns, read = ([(_seat_of(turn, one), turn["actions"]) for turn in one["turns"]] for one in (record, again))
    for number, (seat, actions) in enumerate(turns):
        if number == len(read):
            return None if all(left for _, left in turns[number:]) else number
        known = [_plain(action) for action in actions]
        if read[number][0] != seat or any(_plain(action) not in known for action in read[number][1]):
            return number
    return len(turns) if len(read) > len(turns) else None


def _seat_of(turn: Mapping[str, Any], record: Mapping[str, Any]) -> int | None:
    players = record["players"]
    return players.index(turn["player"]) if turn.get("player") in players else None


def _of_turns(turns: Sequence[Mapping[str, Any]], again: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for number, turn in enumerate(turns):
        if turn.get("comment"):
            yield "comment"
        left = [*again[number]["actions"]] if number < len(again) else []
        for action in turn["actions"]:
            # Some actions are not written, as a draw that is claimed.
            at = next((at for at, one in enumerate(left) if _plain(one) == _plain(action)), None)
            same = left.pop(at) if at is not None else {}
            if at is None:
                yield action["action"]
            yield from (name for name in _NOTES if not _is_same(action.get(name), same.get(name)))


def _plain(action: Mapping[str, Any]) -> dict[str, Any]:
    """An action without notes."""
    return {name: value for name, value in action.items() if name not in _NOTES}


def _is_same(part: object, other: object) -> bool:
    """Whether two values are the same but for their order and spaces; nothing is lost of an empty one."""
    return part in (None, "", [], {}) or _ordered(part) == _ordered(other)


def _ordered(part: object) -> object:
    if isinstance(part, Mapping):
        return sorted((str(name), repr(_ordered(value))) for name, value in part.items())
    if isinstance(part, Sequence) and not isinstance(part, str):
        return sorted(repr(_ordered(one)) for one in part)
    return " ".join(str(part).split())
