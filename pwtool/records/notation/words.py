"""The words of a game in notation: the names, codes and numbers of one ruleset and one game, in both directions.

When reading, a word is tried as a name, as a code, and as the prefix of a name, in this order; the best match counts if
it is unique. Writing uses the shortest form that reads back as the same value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from pwtool.ir.model import ActionModel, ParameterModel, ZoneModel
from pwtool.ir.types import Type
from pwtool.lang import tree as n
from pwtool.play.game import Game
from pwtool.play.state import zone_labels
from pwtool.records.json_form import label_key
from pwtool.records.words import UNSEEN_CODE
from pwtool.text import did_you_mean
from pwtool.text.speech import Told
from pwtool.text.terminal import dump_json, is_plain
from pwtool.text.words import shorten

short = partial(shorten, width=30)
"""What is written, as messages quote it."""
MARKED_NUMBER = re.compile(r"[0-9]+\.")
_WORD = re.compile(r"[^\s;:,+@=/!?{}\">\-][^\s;:,+@=/!?{}\">]*")
_NUMBER = re.compile(r"-?[0-9]{1,30}")
_CELL = re.compile(r"([a-zA-Z]{1,2})([1-9][0-9]{0,2})")
_TRUTH = {"yes": True, "no": False, "true": True, "false": False}
_FAR = 999


class Unclear(Exception):
    """A word that names nothing, or more than one thing. Never leaves `records`."""

    def __init__(self, code: str, message: str, help_line: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.help = help_line


def quote(text: str) -> str:
    """The text as a word: bare if possible, otherwise in double quotes."""
    bare = _WORD.fullmatch(text) and is_plain(text) and not MARKED_NUMBER.fullmatch(text)
    return text if bare else in_quotes(text)


def in_quotes(text: str) -> str:
    """The text in double quotes, as in JSON, always on one line."""
    return dump_json(text)


def choose(word: str, names: Iterable[str], what: Told, quoted: bool = False) -> str:
    """The name for a word: the word itself, or the only name that begins with it."""
    names = list(dict.fromkeys(names))
    if word in names:
        return word
    found = [] if quoted or not word else [name for name in names if name.startswith(word)]
    return _only(found, word, names, what)


def _only(found: list[str], word: str, names: Iterable[str], what: str) -> str:
    if len(found) == 1:
        return found[0]
    if found:
        ways = any_of([f"`{name}`" for name in found[:4]] + (["…"] if len(found) > 4 else []))
        raise Unclear(
            "PW713", Told("`{word}` can be {ways}", word=short(word), ways=ways), Told("write more of the name")
        )
    raise Unclear("PW712", Told("there is no {what} {name}", what=what, name=f"`{short(word)}`"), _suggest(word, names))


def _suggest(word: str, names: Iterable[str]) -> str | None:
    names = list(names)
    same = [name for name in names if name.casefold() == word.casefold()]
    return Told("did you mean {name}?", name=f"`{same[0]}`") if same else did_you_mean(word, names)


def shortest_prefix(name: str, names: Iterable[str]) -> str:
    """The shortest unambiguous prefix of a name; the name itself if another one begins with it."""
    others = [other for other in names if other != name]
    lengths = (size for size in range(1, len(name)) if not any(o.startswith(name[:size]) for o in others))
    return name[: next(lengths, len(name))]


def column_letters(x: int) -> str:
    """The letters of a column counted from 0: a to z, then aa, ab ..."""
    return chr(97 + x) if x < 26 else chr(96 + x // 26) + chr(97 + x % 26)


class Lexicon:
    """The words of one ruleset; `players` and `goals` are those of the game."""

    def __init__(self, game: Game, players: list[str], goals: list[str]) -> None:
        self.game = game
        self.players = players
        self.goals = goals
        ruleset = game.ruleset
        self.actions: dict[str, ActionModel] = {
            **ruleset.actions,
            **{name: ruleset.consequences[name] for name in ruleset.recordable},
        }
        self.short_names = {name: shortest_prefix(name, self.actions) for name in self.actions}
        self.revealed = {z.name: z for z in game.zone_list if z.kind == "pile" and z.element.kind == "face"}
        self._codes = _member_codes(game)

    def action(self, word: str) -> ActionModel:
        return self.actions[choose(word, self.actions, Told("action"))]

    def player(self, word: str, quoted: bool) -> str:
        return choose(word, self.players, Told("player"), quoted)

    def labels(self, zone: ZoneModel) -> list[str]:
        """The name of each zone of a kind in a record: `Ana`, `3`."""
        return [label_key(label) for label in zone_labels(zone, self.players, self.goals)]

    # ---- values

    def value(self, t: Type, word: str, quoted: bool) -> Any:
        """The JSON value of a word for a value of this type. Raises `Unclear`."""
        found: list[tuple[int, Any]] = list(self._meanings(t, word, quoted))
        best = min((rank for rank, _ in found), default=0)
        values = list({(type(v), v): v for rank, v in found if rank == best}.values())
        if len(values) == 1:
            return values[0]
        if values:
            _only([str(v) for v in values], word, (), "")
        raise self._meaningless(t, word)

    def _meanings(self, t: Type, word: str, quoted: bool) -> Iterator[tuple[int, Any]]:
        """The possible meanings of a word: 0 a name or a number, 1 a code, 2 the prefix of a name, 3 the prefix of a
        less likely one.
        """
        match t.kind:
            case "face":
                if word in self.game.ruleset.components[t.component].numbers or word == UNSEEN_CODE:
                    yield 0, word
            case "member":
                codes = self._codes.get((t.component, t.attribute), {})
                for name in self._members(t):
                    yield from self._matches(name, word, quoted, codes.get(name))
            case "int":
                if not quoted and _NUMBER.fullmatch(word) and t.low <= int(word) <= t.high:
                    yield 0, int(word)
            case "bool":
                for name, truth in _TRUTH.items():
                    for rank, _ in self._matches(name, word, quoted):
                        yield rank, truth
            case "player":
                for name in self.players:
                    yield from self._matches(name, word, quoted)
            case "goal":
                for name in self.game.ruleset.objectives:
                    for rank, found in self._matches(name, word, quoted):
                        yield rank + (rank > 0 and name not in self.goals), found
            case "key":
                for option in t.options:
                    yield from self._meanings(option, word, quoted)

    @staticmethod
    def _matches(name: str, word: str, quoted: bool, code: str | None = None) -> Iterator[tuple[int, str]]:
        if name == word:
            yield 0, name
        elif not quoted and word and word == code:
            yield 1, name
        elif not quoted and word and name.startswith(word):
            yield 2, name

    def _members(self, t: Type) -> list[str]:
        table = self.game.ruleset.components[t.component].attributes[t.attribute].table
        return [name for name in dict.fromkeys(table) if isinstance(name, str)]

    def _meaningless(self, t: Type, word: str) -> Unclear:
        names, what = self._possible(t), _describe(t)
        if t.kind == "int":
            number = _NUMBER.fullmatch(word) is not None
            message = (
                Told("{value} is not possible here", value=f"`{word}`")
                if number
                else Told("`{text}` is not a number", text=short(word))
            )
            return Unclear("PW712", message, Told("a number from {low} to {high} belongs here", low=t.low, high=t.high))
        return Unclear(
            "PW712", Told("there is no {what} {name}", what=what, name=f"`{short(word)}`"), _suggest(word, names)
        )

    def _possible(self, t: Type) -> list[str]:
        match t.kind:
            case "face":
                return list(self.game.ruleset.components[t.component].codes)
            case "member":
                return self._members(t)
            case "int":
                return [str(v) for v in range(t.low, min(t.high, t.low + 9) + 1)]
            case "bool":
                return ["yes", "no"]
            case "player":
                return self.players
            case "goal":
                return self.goals or list(self.game.ruleset.objectives)
            case "key":
                return [name for option in t.options for name in self._possible(option)]
        return []

    def word(self, t: Type, value: Any) -> str:
        """The shortest word that means the value."""
        if value is True or value is False:
            return "yes" if value else "no"
        if type(value) is int:
            return str(value)
        text = str(value)
        if text == UNSEEN_CODE and t.kind == "face":
            return UNSEEN_CODE
        for code in self._codes_of(t, text):
            if quote(code) == code and self._means(t, code, text):
                return code
        return text if quote(text) == text and self._means(t, text, text) else in_quotes(text)

    def _means(self, t: Type, word: str, value: str) -> bool:
        try:
            return bool(self.value(t, word, False) == value)
        except Unclear:
            return False

    def _codes_of(self, t: Type, name: str) -> Iterator[str]:
        for option in t.options or (t,):
            code = self._codes.get((option.component, option.attribute), {}).get(name)
            if option.kind == "member" and code:
                yield code

    # ---- cells

    def grid(self, p: ParameterModel) -> ZoneModel | None:
        """The grid whose cells are written as letter and number: the parameter's, unless it floats."""
        zone = self.game.zone_list[p.zone] if p.zone >= 0 else None
        return zone if zone is not None and zone.kind == "grid" and not zone.floating else None

    def named_cell(self, p: ParameterModel, word: str) -> list[int] | None:
        """The cell for a word such as `b3`: its name if the cells have names, else the letter of its column and the number of
        its row from the top.
        """
        return self.cell_in(self.grid(p), word)

    def cell_in(self, zone: ZoneModel | None, word: str) -> list[int] | None:
        """The same in a grid that does not float, or None."""
        if zone is not None and zone.names_cells:
            cell = zone.cell_named(word)
            return None if cell is None else list(cell)
        match = _CELL.fullmatch(word) if zone is not None else None
        if match is None:
            return None
        x = 0
        for letter in match.group(1).lower():
            x = 26 * x + ord(letter) - 96
        return [x - 1, int(match.group(2)) - 1]

    def cell_word(self, p: ParameterModel, cell: list[int]) -> str:
        """The word for a cell that a parameter names."""
        return self.word_in(self.grid(p), cell)

    def zone_with(self, t: Type) -> ZoneModel | None:
        """The only grid whose cells a value of this type may be."""
        zones = [z for z in self.game.zone_list if z.kind == "grid" and not z.floating and z.grid == t.grid]
        return zones[0] if len(zones) == 1 else None

    def word_in(self, zone: ZoneModel | None, cell: list[int]) -> str:
        """The word for a cell in a grid that does not float, or None."""
        x, y = cell
        if zone is not None and zone.names_cells:
            return zone.own_name((x, y)) or f"{x},{y}"
        if zone is not None and 0 <= x < 26 * 27 and 0 <= y < _FAR:
            return f"{column_letters(x)}{y + 1}"
        return f"{x},{y}"

    def coordinates(self, words: tuple[str, ...]) -> list[int]:
        """A cell written `x,y`."""
        if not all(_NUMBER.fullmatch(w) and abs(int(w)) <= _FAR for w in words):
            raise Unclear(
                "PW712",
                Told("`{text}` is not a cell", text=short(",".join(words))),
                Told("a cell is `x,y`, such as `-1,0`"),
            )
        return [int(w) for w in words]


def _describe(t: Type) -> str:
    match t.kind:
        case "face":
            return t.component
        case "member":
            return t.attribute
        case "goal":
            return Told("objective")
        case "player":
            return Told("player")
        case "key":
            return any_of([*dict.fromkeys(Told("number") if o.kind == "int" else _describe(o) for o in t.options)])
        case "bool":
            return Told("answer")
    return t.kind


def any_of(texts: Sequence[str]) -> str:
    """Several possibilities as one text."""
    found = texts[0]
    for other in texts[1:]:
        found = Told("{one} or {other}", one=found, other=other)
    return found


def _member_codes(game: Game) -> dict[tuple[str, str], dict[str, str]]:
    """The codes of the members of each attribute, by name."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for name in game.ruleset.components:
        node = game.ruleset.merged.items.get(("component", name))
        for attribute in node.attributes if isinstance(node, n.Component) else ():
            if attribute.kind == "enum":
                found[name, attribute.name.name] = {m.name: m.code for m in attribute.members}
    return found
