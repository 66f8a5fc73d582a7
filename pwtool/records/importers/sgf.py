"""Games in SGF, read with sgfmill: games in which a move is one stone (or disc) put on a cell, or a pass."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from sgfmill import sgf

from pwtool.records.notation.places import Notes
from pwtool.records.words import FORMAT, MAX_NAME
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import shorten


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of game: its ruleset, the size of its board, the action that puts something on a cell, what is on the
    board at the start, and the default size of files if it is different.
    """

    ruleset: str
    size: int
    place: str
    start: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))
    unsaid: int | None = None


KINDS: Mapping[int, Kind] = MappingProxyType(
    {
        1: Kind("go", 9, "place", unsaid=19),
        2: Kind("othello", 8, "lay", {"AB": frozenset(("ed", "de")), "AW": frozenset(("dd", "ee"))}),
        4: Kind("gomoku", 15, "place"),
    }
)
"""By the SGF number of the game (`GM`)."""
_COLORS = ("B", "W")
# Everything before the first closed bracket is the main line: the first variation is always the one to follow.
_PART = re.compile(r"(?P<value>\[(?:[^\]\\]++|\\.)*+\])|(?P<name>[A-Za-z]+)|(?P<end>\))|(?P<node>;)", re.DOTALL)
_MOST_TAGS = 100


def read_sgf(notes: Notes) -> dict[str, object] | None:
    """The record of the main line of one game."""
    try:
        game = sgf.Sgf_game.from_string(notes.file.text)
    except (ValueError, UnicodeError) as error:
        notes.report("PW704", notes.locate(()), Told("this is not an SGF: {error}", error=str(error)))
        return None
    root = game.get_root()
    kind = _kind(root, notes)
    if kind is None:
        return None
    size = game.get_size() if root.has_property("SZ") else kind.unsaid or kind.size
    names = _names(root)
    spans = _places(notes)
    turns: list[dict[str, object]] = []
    for number, node in enumerate(game.get_main_sequence()):
        if not _is_start(node, kind, number == 0):
            notes.report("PW704", notes.locate(()), Told("stones are set up, which a record has no place for"))
            return None
        for seat, color in enumerate(_COLORS):
            if not node.has_property(color):
                continue
            span = spans.get((number, color), notes.locate(()))
            action = _action(_text(node, color), kind, size)
            if action is None:
                notes.report(
                    "PW704",
                    span,
                    Told(
                        "`{text}` is not a cell of a board of {size} lines",
                        text=shorten(_text(node, color), 80),
                        size=size,
                    ),
                )
                return None
            if node.has_property("C"):
                action["comment"] = " ".join(_text(node, "C").split())
            notes.places["turns", len(turns)] = span
            turns.append({"player": names[seat], "actions": [action]})
    tags = {name: _text(root, name) for name in sorted(root.properties())[:_MOST_TAGS] if name not in ("AB", "AW")}
    # Another size needs another ruleset, which only the caller can name.
    named = {"ruleset": kind.ruleset} if size == kind.size else {}
    return {"format": FORMAT, **named, "players": names, "meta": tags, "turns": turns}


def _kind(root: sgf.Tree_node, notes: Notes) -> Kind | None:
    number = _text(root, "GM") if root.has_property("GM") else "1"
    kind = KINDS.get(int(number)) if number.isdecimal() and len(number) < 4 else None
    if kind is None:
        known = ", ".join(f"{n} ({known.ruleset})" for n, known in KINDS.items())
        notes.report(
            "PW704",
            notes.locate(()),
            Told("games of the kind `{number}` are not read", number=shorten(number, 80)),
            Told("those of the kinds {known} are", known=known),
        )
    return kind


def _names(root: sgf.Tree_node) -> list[str]:
    """The players in seat order; a side without a name, or with the same name, is called by its color."""
    names = [_text(root, tag).strip()[:MAX_NAME] if root.has_property(tag) else "" for tag in ("PB", "PW")]
    plain = [name or side for name, side in zip(names, ("Black", "White"), strict=True)]
    return plain if plain[0] != plain[1] else ["Black", "White"]


def _is_start(node: sgf.Tree_node, kind: Kind, first: bool) -> bool:
    """Whether a node sets up nothing but the usual start position."""
    found = {name: node.get_raw_list(name) for name in ("AB", "AW", "AE") if node.has_property(name)}
    if not found:
        return True
    cells = {name: frozenset(_letters(raw.decode("utf-8", "replace")) for raw in raws) for name, raws in found.items()}
    return first and cells == kind.start


def _letters(cell: str) -> str:
    """A cell from two letters; a letter and a number are accepted too."""
    cell = cell.strip().lower()
    return cell[0] + chr(ord("a") + int(cell[1:]) - 1) if re.fullmatch(r"[a-z][1-9][0-9]?", cell) else cell


def _action(value: str, kind: Kind, size: int) -> dict[str, object] | None:
    cell = _letters(value)
    if not cell or (cell == "tt" and size <= 19):
        return {"action": "pass"}
    if not re.fullmatch(r"[a-z]{2}", cell):
        return None
    column, row = (ord(letter) - ord("a") for letter in cell)
    return {"action": kind.place, "at": [column, row]} if max(column, row) < size else None


def _text(node: sgf.Tree_node, name: str) -> str:
    raw: bytes = node.get_raw(name)
    return re.sub(r"\\(.)", r"\1", raw.decode("utf-8", "replace"), flags=re.DOTALL)


def _places(notes: Notes) -> dict[tuple[int, str], Span]:
    """Where the moves of the main line are, by the number of the node and the color."""
    places: dict[tuple[int, str], Span] = {}
    text = notes.file.text
    node, name, start = -1, "", 0
    for part in _PART.finditer(text, max(0, text.find("("))):
        if part["end"]:
            break
        if part["node"]:
            node += 1
        elif part["name"]:
            # Old files write names in full; their capital letters count.
            name, start = re.sub("[a-z]", "", part["name"]), part.start()
        elif name in _COLORS:
            places.setdefault((node, name), Span(notes.file, start, part.end()))
    return places
