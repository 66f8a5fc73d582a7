"""Games in SGF, read with sgfmill: games in which a move is one stone (or disc) put on a cell, or a pass."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from sgfmill import sgf

from pwtool.records.importers.formats import Draft, GameText, ToldResult
from pwtool.records.importers.sgf_plain import (
    COLORS,
    LARGEST_WITH_TT,
    Properties,
    laid_stones,
    read_plain,
    text_of,
    written,
)
from pwtool.records.importers.sgf_stated import DRAWN, Marked, edition_of, state_margin, state_rules
from pwtool.records.words import FORMAT, MAX_NAME
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import shorten


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of game: its ruleset, the size of its board, the action that puts something on a cell, what is on the
    board at the start, the default size of files if it is different, whether files may leave out a pass that the rules
    force, and whether the winner can be told from the board (not if players agree on what is dead). `sizes` are the
    variants with other boards, `rules` the editions by what files call their rules, `handicap` the variant in which stones
    are laid before the game, the action that lays one, and the most of them. `supply`: the zone with the stones (or
    discs) that a player has not put on the board yet, and with how many in all on a board of a size a player begins.
    """

    ruleset: str
    size: int
    place: str
    supply: tuple[str, Callable[[int], int]]
    start: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))
    unsaid: int | None = None
    omits_passes: bool = False
    is_counted: bool = True
    is_shared: bool = False
    sizes: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    rules: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    handicap: tuple[str, str, int] | None = None

    def address(self, root: Properties, size: int, has_handicap: bool) -> str:
        """The ruleset of a game; for rules or a size that it does not know, the nearest one, which is compared later."""
        named = edition_of(text_of(root, "RU"), self.rules) if root.has_property("RU") else None
        edition = "" if named is None else f"/{named}"
        variants = [self.sizes[size]] if size in self.sizes else []
        variants += [self.handicap[0]] if has_handicap and self.handicap is not None else []
        return "+".join([f"{self.ruleset}{edition}", *variants])


KINDS: Mapping[int, Kind] = MappingProxyType(
    {
        1: Kind(
            "go",
            9,
            "place",
            ("bowl", lambda size: size * size),
            unsaid=19,
            is_counted=False,
            sizes=MappingProxyType({13: "thirteen", 19: "nineteen"}),
            # Korean and Japanese rules differ only in which stones are dead, which is not in the record.
            rules=MappingProxyType(
                dict.fromkeys(("Japanese", "JP", "Korean", "KR"), "japanese")
                | dict.fromkeys(("Chinese", "CN"), "chinese")
                | {"AGA": "aga"}
                | dict.fromkeys(("New Zealand", "NZ"), "new_zealand")
            ),
            handicap=("handicap", "lay", 9),
        ),
        2: Kind(
            "othello",
            8,
            "lay",
            ("stock", lambda size: size * size + 2),
            {"AB": frozenset(("ed", "de")), "AW": frozenset(("dd", "ee"))},
            omits_passes=True,
            is_shared=True,
        ),
        4: Kind("gomoku", 15, "place", ("bowl", lambda size: (size * size + 1) // 2)),
    }
)
"""By the SGF number of the game (`GM`)."""
# Everything before the first closed bracket is the main line: the first variation is always the one to follow.
_PART = re.compile(
    r"(?P<value>\[(?:[^\]\\]++|\\.)*+\])|(?P<name>[A-Za-z]+)|(?P<open>\()|(?P<end>\))|(?P<node>;)", re.DOTALL
)
_BEGIN = re.compile(r"\(\s*+;")
_BLANK = " \t\r\n\f\v\x00\x1a\ufeff"
_SET_UP = ("AB", "AW", "AE")
_TERRITORY = ("TB", "TW")
OUTSIDE, PASS = "…", "pass"
"""How text outside of a game, and passes behind the end, are called among what a record has no place for."""
_MOST_TAGS = 100
_LARGEST = 26
"""The size of the largest board of which sgfmill reads a game."""
_STOPPED = MappingProxyType({"R": "resignation", "T": "time", "F": "forfeit"})
_MARGIN = re.compile(r"[BW]\+(\d{1,3})(?:\.0*)?")
_BEGINS = ("FF", "GM", "SZ", "HA")
"""Properties before the first move, each with one value: the kind of game and how it begins."""


def read_sgf(notes: GameText) -> dict[str, object] | None:
    """The record of the main line of one game."""
    try:
        game = sgf.Sgf_game.from_string(notes.file.text)
    except (ValueError, UnicodeError) as error:
        notes.report("PW704", notes.locate(()), Told("this is not an SGF: {error}", error=str(error)))
        return None
    root = game.get_root()
    spans = _places(notes)
    kind = _kind(root, spans, notes)
    if kind is None or notes.problems:
        return None
    turns = _Turns(root, kind, game.get_size() if root.has_property("SZ") else kind.unsaid or kind.size, notes)
    nodes = game.get_main_sequence()
    moved = [color for node in nodes for color in COLORS if node.has_property(color)]
    first_move = next((at for at, node in enumerate(nodes) if any(map(node.has_property, COLORS))), len(nodes))
    # Some programs set stones up in a node behind the first one.
    heads = nodes[: max(1, first_move)]
    if not turns.set_up(heads, spans, "".join(moved[:1])):
        return None
    stone = 0
    for number, node in enumerate(nodes):
        is_head = number < len(heads)
        misplaced = next((name for name in _misplaced(number, is_head) if node.has_property(name)), None)
        if misplaced is not None:
            told = (
                Told("stones are set up within the game, which a record has no place for")
                if misplaced in _SET_UP
                else Told("`{name}` belongs to the first node, but another game begins here", name=misplaced)
            )
            notes.report("PW704", spans.get((number, misplaced), notes.locate(())), told)
        for color in COLORS:
            if not node.has_property(color):
                continue
            span = spans.get((number, color), notes.locate(()))
            _is_single(node, color, span, notes)
            if not turns.add(color, text_of(node, color), span, text_of(node, "C") if node.has_property("C") else ""):
                return None
            stone = stone if turns.are_passes(1) else number
        used = (*COLORS, "HA", "PL", *_SET_UP) if is_head else COLORS
        notes.left_out.update(name for name in node.properties() if _is_left_out(node, name, number == 0, used))
        if notes.problems:
            return None
    # What is marked before the last stone may have changed.
    return _whole(root, kind, turns, spans, notes, _territory([root, *nodes[stone:]], turns.size))


def _territory(nodes: Sequence[Properties], size: int) -> Mapping[tuple[int, int], str]:
    """Whose territory the last node with such marks says that cells are; a cell that is not on the board is none."""
    last = next((node for node in reversed(nodes) if any(map(node.has_property, _TERRITORY))), None)
    found: dict[tuple[int, int], str] = {}
    for name, color in zip(_TERRITORY, COLORS, strict=True):
        for value in last.get_raw_list(name) if last is not None and last.has_property(name) else ():
            found |= dict.fromkeys(_rectangle(value.decode("utf-8", "replace"), size) or (), color)
    return found


def _misplaced(number: int, is_head: bool) -> Sequence[str]:
    """The properties that do not belong into a node of this number; `is_head`: before the first move."""
    return () if number == 0 else _BEGINS[:3] if is_head else (*_BEGINS, *_SET_UP)


def draft_sgf(notes: GameText) -> Draft | None:
    """A plain game; None if only `read_sgf` can tell."""
    plain = read_plain(notes.text)
    if plain is None:
        return None
    spans = {(0, name): notes.span(*place) for name, place in plain.places.items()}
    kind = _kind(plain, spans, notes)
    if kind is None or notes.problems:
        return None
    told = text_of(plain, "SZ") if plain.has_property("SZ") else str(kind.unsaid or kind.size)
    size = int(told) if told.isdecimal() and len(told) < 3 else 0
    if not 1 <= size <= _LARGEST:
        return None
    begun = _Turns(plain, kind, size, notes)
    if not begun.set_up([plain], spans, plain.moves[0][:1] if plain.moves else ""):
        return None
    turns_on = written(kind.place, size, "" if kind.handicap is None else kind.handicap[1])
    first, turns = turns_on.alternate(plain.moves, kind.omits_passes)
    if turns is None or (begun.has_handicap and first == 0 and turns):
        return None
    is_scored = len(turns) > 1 and turns_on.passes.issuperset(turns[-2:])
    while not kind.is_counted and len(turns) > 2 and turns_on.passes.issuperset(turns[-3:]):
        turns.pop()
        notes.left_out[PASS] += 1
    state_rules(plain, kind.ruleset, kind.rules, size, is_scored, begun.has_handicap, spans, notes)
    if is_scored and not kind.is_counted and plain.has_property("RE"):
        if any(f"{name}[" in notes.text for name in _TERRITORY):
            return None
        state_margin(plain, begun.has_handicap, spans.get((0, "RE"), notes.locate(())), notes)
    if begun.has_handicap:
        first, turns = 0, [tuple(begun.laid), *turns]
    address = kind.address(plain, size, begun.has_handicap)
    count = begun.first_count + sum(turn not in turns_on.passes for turn in turns) if kind.is_shared else 0
    result = _told_result(plain, kind, size, count)
    return Draft(address, begun.names, turns, turns_on, first, start=begun.start, result=result)


class _Turns:
    """The turns of a game as its moves are read."""

    def __init__(self, root: Properties, kind: Kind, size: int, notes: GameText) -> None:
        self.kind, self.size, self.notes, self.names = kind, size, notes, _names(root)
        self.turns: list[dict[str, object]] = []
        self.moves: list[dict[str, object]] = []
        self.laid: list[tuple[int, int]] = []
        """The stones that were laid before the game."""
        self.start: dict[str, object] | None = None
        self.first_count = sum(map(len, kind.start.values()))
        """How much lies on the board before the first move."""

    @property
    def has_handicap(self) -> bool:
        """Whether stones were laid before the game."""
        return len(self.laid) > 0

    def set_up(self, heads: Sequence[Properties], spans: Mapping[tuple[int, str], Span], first: str) -> bool:
        """What the nodes before the first move set up: nothing but the usual beginning, a handicap, or a position to begin
        from; False if it is reported as none. `first`: the color of the first move.
        """
        said: dict[str, tuple[str, Span]] = {}
        laid: dict[tuple[int, int], str] = {}
        is_set_up = False
        place = self.notes.locate(())
        for number, node in enumerate(heads):
            names: dict[tuple[int, int], str] = {}
            for name in (*_SET_UP, "HA", "PL"):
                if not node.has_property(name):
                    continue
                span = spans.get((number, name), place)
                if name in ("HA", "PL"):
                    if not _is_single(node, name, span, self.notes):
                        return False
                    said[name] = text_of(node, name).strip(), span
                    continue
                cells = self._cells(node.get_raw_list(name), span)
                if cells is None or not self._are_apart(cells, name, names, span):
                    return False
                is_set_up = True
                laid |= dict.fromkeys(cells, name[1])
                said.setdefault("", ("", span))
        laid = {at: color for at, color in laid.items() if color in COLORS}
        first = said["PL"][0].upper()[:1] if "PL" in said else first
        span = next((said[name][1] for name in ("", "HA", "PL") if name in said), place)
        return self._begin(laid, said.get("HA", ("", span)), is_set_up, first, "PL" in said, span)

    def _begin(
        self,
        laid: Mapping[tuple[int, int], str],
        handicap: tuple[str, Span],
        is_set_up: bool,
        first: str,
        is_said: bool,
        span: Span,
    ) -> bool:
        """Begin with these stones; `is_said`: the file says who is first."""
        black = [at for at, color in laid.items() if color == COLORS[0]]
        wanted, count, is_black = handicap[0], len(black), len(black) == len(laid)
        # A position that is set up may be from a game that began with a handicap.
        is_other = is_black and wanted != str(count)
        if wanted not in ("", "0", "1") and (self.kind.handicap is None or is_other):
            told = Told("the handicap is {wanted}, but {count} stones are set up", wanted=wanted, count=count)
            self.notes.report("PW704", handicap[1], told)
            return False
        usual = {point: tag[1] for tag, cells in self.kind.start.items() for point in cells}
        is_usual = not is_set_up or {_named(at): color for at, color in laid.items()} == usual
        # Whoever moves first then, the rules say who has to.
        if is_usual and (not is_said or first in ("", COLORS[0])):
            return True
        if self.kind.handicap is not None and is_black and first == "W" and 1 < count <= self.kind.handicap[2]:
            self.laid = black
            self.notes.places["turns", 0] = span
            actions = [*laid_stones(self.kind.handicap[1], tuple(self.laid))]
            self.turns.append({"player": self.names[0], "actions": actions})
            return True
        by_color = {color: [at for at, other in laid.items() if other == color] for color in COLORS}
        self._start_from(by_color, COLORS.index(first) if first in COLORS else 0, span)
        return True

    def _cells(self, values: Sequence[bytes], span: Span) -> list[tuple[int, int]] | None:
        """The cells of a list of points, in which `aa:cc` is a rectangle; None if one is not on the board."""
        found: list[tuple[int, int]] = []
        for value in values:
            text = value.decode("utf-8", "replace")
            cells = _rectangle(text, self.size)
            if cells is None:
                told = Told("`{text}` is not a cell of a board of {size} lines", text=shorten(text, 80), size=self.size)
                self.notes.report("PW704", span, told)
                return None
            found += cells
        return found

    def _are_apart(
        self, cells: Sequence[tuple[int, int]], name: str, names: dict[tuple[int, int], str], span: Span
    ) -> bool:
        """Whether no other property of the node (`names`: by cell) sets these cells up; a finding if one does. What is
        listed twice counts once, with a warning.
        """
        for cell in cells:
            other = names.setdefault(cell, name)
            if other != name:
                told = Told(
                    "`{text}` is set up by `{first}` and by `{second}`", text=_named(cell), first=other, second=name
                )
                self.notes.report("PW704", span, told)
                return False
        for cell, count in Counter(cells).items():
            if count > 1:
                self.notes.left_out[name] += count - 1
                self.notes.warn(
                    "PW717",
                    span,
                    Told("`{text}` is listed twice in `{name}`, and counts once", text=_named(cell), name=name),
                )
        return True

    def are_passes(self, count: int) -> bool:
        """Whether so many passes are the last turns."""
        return [move["action"] for move in self.moves[-count:]] == ["pass"] * count

    def _start_from(self, laid: Mapping[str, list[tuple[int, int]]], seat: int, span: Span) -> None:
        zone, most = self.kind.supply
        left = {
            name: [color] * (most(self.size) - len(laid[color])) for name, color in zip(self.names, COLORS, strict=True)
        }
        board = [[x, y, [color]] for color in COLORS for x, y in laid[color]]
        self.first_count = len(board)
        self.start = {"player": self.names[seat], "zones": {"board": board, zone: left}}
        self.notes.places["start",] = span

    def add(self, color: str, value: str, span: Span, comment: str = "") -> bool:
        """Add a move; False if it is reported as none."""
        seat = COLORS.index(color)
        action = _action(value, self.kind, self.size)
        if action is None:
            told = Told("`{text}` is not a cell of a board of {size} lines", text=shorten(value, 80), size=self.size)
            self.notes.report("PW704", span, told)
            return False
        if comment:
            action["comment"] = " ".join(comment.split())
        if self.kind.omits_passes and self.turns and self.turns[-1]["player"] == self.names[seat]:
            self.notes.places["turns", len(self.turns)] = span
            self.turns.append({"player": self.names[1 - seat], "actions": [{"action": "pass"}]})
        self.notes.places["turns", len(self.turns)] = span
        self.turns.append({"player": self.names[seat], "actions": [action]})
        self.moves.append(action)
        return True


def _whole(
    root: Properties,
    kind: Kind,
    turns: _Turns,
    spans: Mapping[tuple[int, str], Span],
    notes: GameText,
    territory: Mapping[tuple[int, int], str],
) -> dict[str, object]:
    """The record with what the first node says of the game and its result."""
    is_scored = turns.are_passes(2)
    while not kind.is_counted and turns.are_passes(3):
        # Some servers let players pass once more to agree on what is dead.
        turns.turns.pop()
        notes.left_out.update([PASS, *(["C"] if "comment" in turns.moves.pop() else [])])
    state_rules(root, kind.ruleset, kind.rules, turns.size, is_scored, turns.has_handicap, spans, notes)
    # sgfmill adds a charset.
    named = [name for name in sorted(root.properties()) if name not in ("AB", "AW", *COLORS) and (0, name) in spans]
    notes.left_out.update(named[_MOST_TAGS:])
    notes.left_out.update(name for name in named[:_MOST_TAGS] if name != "AE" for _ in root.get_raw_list(name)[1:])
    tags = {name: text_of(root, name) for name in named[:_MOST_TAGS]}
    record: dict[str, object] = {
        "format": FORMAT,
        "ruleset": kind.address(root, turns.size, turns.has_handicap),
        "players": turns.names,
        "meta": tags,
    }
    if turns.start is not None:
        record["start"] = turns.start
    record["turns"] = turns.turns
    count = turns.first_count + sum(move["action"] == kind.place for move in turns.moves)
    result = _told_result(root, kind, turns.size, count)
    if result is not None:
        record["result"] = result.record(turns.names)
        place = notes.places["result",] = spans.get((0, "RE"), notes.locate(()))
        if result.scores and (sum(result.scores) != count or min(result.scores) < 0):
            told = shorten(text_of(root, "RE").strip(), 80)
            notes.remarks[place] = Told("`{told}` is not a margin of a full board", told=told)
    if is_scored and not kind.is_counted and root.has_property("RE"):
        marked = Marked(record, territory) if territory else None
        state_margin(root, turns.has_handicap, spans.get((0, "RE"), notes.locate(())), notes, marked)
    return record


def _told_result(root: Properties, kind: Kind, size: int, count: int) -> ToldResult | None:
    """The result that the first node gives, if the rules can tell whether it is true; `count`: of what lies on the board."""
    if not (kind.is_counted and root.has_property("RE")):
        return None
    result, margin = _result(text_of(root, "RE")), _MARGIN.fullmatch(text_of(root, "RE").strip())
    if result is None or not kind.is_shared or count != size * size or (len(result.ranking) > 1 and margin is None):
        return result
    by = 0 if margin is None else int(margin[1])
    # An odd margin is none of a full board, and these points neither: one is too many.
    points = (count + by + 1) // 2, (count - by + 1) // 2
    first = result.ranking[0][0]
    return ToldResult(result.ranking, (points[first], points[1 - first]), result.stopped)


def _is_left_out(node: Properties, name: str, is_first: bool, used: Sequence[str]) -> bool:
    """Whether a record has no place for a property of a node."""
    has_move = any(map(node.has_property, COLORS))
    return not (is_first or name in used or (name == "C" and has_move))


def _result(told: str) -> ToldResult | None:
    """The ranking that a file gives; None if it gives none. Whatever ended the game, it has to fit the rules if they did."""
    winner, plus, how = told.strip().partition("+")
    if plus and winner in COLORS:
        first = COLORS.index(winner)
        return ToldResult(((first,), (1 - first,)), stopped=_STOPPED.get(how[:1].upper(), "unknown"))
    return ToldResult(((0, 1),), stopped="unknown") if told.strip() in DRAWN else None


def result_of(told: str) -> tuple[ToldResult | None, int | None]:
    """What a result says: who won and why, and by how many points if it has a whole number of them."""
    margin = _MARGIN.fullmatch(told.strip())
    return _result(told), None if margin is None else int(margin[1])


def _is_single(node: Properties, name: str, span: Span, notes: GameText) -> bool:
    """Whether a property has no more than one value, which may be written several times; a finding if not."""
    is_single = not node.has_property(name) or len(set(node.get_raw_list(name))) == 1
    if not is_single:
        notes.report("PW704", span, Told("`{name}` has several values, but one is needed", name=name))
    return is_single


def _kind(root: Properties, spans: Mapping[tuple[int, str], Span], notes: GameText) -> Kind | None:
    """The kind of game, if it is one that is read."""
    for name in (*_BEGINS, "RU", "KM"):
        if root.has_property(name):
            _is_single(root, name, spans.get((0, name), notes.locate(())), notes)
    number = text_of(root, "GM") if root.has_property("GM") else "1"
    kind = KINDS.get(int(number)) if number.isdecimal() and len(number) < 4 else None
    if kind is None:
        known = ", ".join(f"{n} ({known.ruleset})" for n, known in KINDS.items())
        notes.report(
            "PW704",
            spans.get((0, "GM"), notes.locate(())),
            Told("games of the kind `{number}` are not read", number=shorten(number, 80)),
            Told("those of the kinds {known} are", known=known),
        )
    return kind


def _names(root: Properties) -> list[str]:
    """The players in seat order."""
    return players_of({tag: text_of(root, tag) for tag in ("PB", "PW") if root.has_property(tag)})


def players_of(tags: Mapping[str, str]) -> list[str]:
    """The players in seat order; a side without a name, or with the same name, is called by its color."""
    names = [tags.get(tag, "").strip()[:MAX_NAME] for tag in ("PB", "PW")]
    plain = [name or side for name, side in zip(names, ("Black", "White"), strict=True)]
    return plain if plain[0] != plain[1] else ["Black", "White"]


def _letters(cell: str) -> str:
    """A cell from two letters; a letter and a number are accepted too."""
    cell = cell.strip()
    # Two letters of which one is large are a cell of a board of more than 26 lines.
    return cell[0].lower() + chr(ord("a") + int(cell[1:]) - 1) if re.fullmatch(r"[A-Za-z][1-9][0-9]?", cell) else cell


def _named(point: tuple[int, int]) -> str:
    """A cell as two letters."""
    return "".join(chr(ord("a") + at) for at in point)


def _action(value: str, kind: Kind, size: int) -> dict[str, object] | None:
    cell = _letters(value)
    if not cell or (cell == "tt" and size <= LARGEST_WITH_TT):
        return {"action": "pass"}
    point = _point(value, size)
    return None if point is None else {"action": kind.place, "at": [*point]}


def _rectangle(text: str, size: int) -> list[tuple[int, int]] | None:
    """A cell, or those between two corners, as in `aa:cc`; None if a corner is not on the board."""
    corners = [_point(part, size) for part in text.split(":", 1)]
    if None in corners:
        return None
    (left, top), (right, bottom) = corners[0] or (0, 0), corners[-1] or (0, 0)
    return [(x, y) for y in range(top, bottom + 1) for x in range(left, right + 1)]


def _point(value: str, size: int) -> tuple[int, int] | None:
    """The column and row of a cell, from the upper left corner; None if it is not on the board."""
    cell = _letters(value)
    if not re.fullmatch(r"[a-z]{2}", cell):
        return None
    column, row = (ord(letter) - ord("a") for letter in cell)
    return (column, row) if max(column, row) < size else None


def _places(notes: GameText) -> dict[tuple[int, str], Span]:
    """Where the properties of the main line are, by the number of the node and their name. Counts the side lines, and
    says what is left out because it belongs to no game.
    """
    places: dict[tuple[int, str], Span] = {}
    text = notes.file.text
    begin = _BEGIN.search(text)
    at = 0 if begin is None else begin.start()
    _leave_out(0, at, notes)
    node, name, start, depth, is_main = -1, "", 0, 0, True
    for part in _PART.finditer(text, at):
        if part["open"]:
            depth += 1
            notes.side_lines += not is_main
        elif part["end"]:
            depth, is_main = depth - 1, False
            if depth == 0:
                _leave_out(part.end(), len(text), notes)
                break
        elif part["node"]:
            node += 1
        elif part["name"]:
            # Old files write names in full; their capital letters count.
            name, start = re.sub("[a-z]", "", part["name"]), part.start()
        elif is_main:
            places.setdefault((node, name), Span(notes.file, start, part.end()))
    return places


def _leave_out(start: int, end: int, notes: GameText) -> None:
    """Say that a stretch of text is outside of the game."""
    text = notes.file.text[start:end]
    first = end - len(text.lstrip(_BLANK))
    if first < end:
        notes.left_out[OUTSIDE] += 1
        span = Span(notes.file, first, start + len(text.rstrip(_BLANK)))
        notes.warn("PW717", span, Told("this text is outside of the game, and left out"))
