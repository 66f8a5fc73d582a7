"""From the plain tree of a text to our own: one row for each construct of `grammar/rules.lark`.

First the words are converted by their kind: a NAME becomes a `Name`, an INT or SIGNED a number, a STRING its text, a
PICTURE a `Picture`, a SIZE its two numbers; every other word stays a text, and a missing optional part is None. Then
each construct is built from its converted parts: `s` is its span, `c` the list of its parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from pwtool.lang import tree as n
from pwtool.lang.limits import MAX_CELLS
from pwtool.lang.look import Feature, Look, LookBlock
from pwtool.lang.pictures import build_picture
from pwtool.lang.reading import Tree, Word
from pwtool.text import Diagnostic
from pwtool.text.source import SourceFile, Span

_Make = Callable[[Span, list[Any]], Any]


class TreeBuilder:
    """Builds the tree of a file. Problems that the grammar does not catch are collected in `diagnostics`."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.diagnostics: list[Diagnostic] = []

    def build(self, tree: Tree) -> Any:
        """Convert a construct, parts first; raises `RecursionError` for deep trees."""
        data, given = tree.data, tree.parts
        if data in _AS_WRITTEN:
            return given[0].text
        parts = [None if c is None else self.build(c) if type(c) is Tree else self._word(c) for c in given]
        if data in _PASSED_ON:
            return parts[0]
        span = Span(self.file, max(tree.start, 0), max(tree.end, 0))
        if data == "change" and isinstance(parts[0], tuple):
            message = "`change` takes one step of the setup"
            help_line = "write `change setup deal ...` for each step"
            if any(isinstance(part, n.Deck) for part in parts[0]):
                message = "a supply is a deck, piles and a deal"
                help_line = "change one of them: `change deck NAME ...`"
            self.diagnostics.append(Diagnostic.of("PW101", message, span, help=help_line))
        made = _WHOLE.get(data)
        return _MADE[data](span, parts) if made is None else made(span, *parts)

    def _word(self, word: Word) -> Any:
        kind, text = word.kind, word.text
        if kind in ("NAME", "CODE"):
            return n.Name(Span(self.file, word.first, word.last), text)
        if kind in ("INT", "SIGNED"):
            return int(text)
        if kind == "STRING":
            return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
        if kind == "PICTURE":
            picture, problems = build_picture(Span(self.file, word.first, word.last))
            self.diagnostics.extend(problems)
            return picture
        if kind == "SIZE":
            return tuple(map(int, text.split("x")))
        return text


# ---- what several constructs share


def _rest(parts: list[Any]) -> tuple[Any, ...]:
    return tuple(part for part in parts if part is not None)


def _kept(parts: list[Any], kind: type) -> tuple[Any, ...]:
    return tuple(part for part in parts if isinstance(part, kind))


def _but(parts: list[Any], kind: type[n.Node]) -> tuple[Any, ...]:
    return tuple(part for part in parts if part is not None and not isinstance(part, kind))


def _or(part: Any, default: Any) -> Any:
    return default if part is None else part


def _pairs(parts: list[Any]) -> tuple[tuple[Any, Any], ...]:
    return tuple(zip(parts[::2], parts[1::2], strict=True))


def _unary(operator: str) -> _Make:
    return lambda s, c: n.Unary(s, operator, c[-1])


def _binary(operator: str) -> _Make:
    return lambda s, c: n.Binary(s, operator, c[0], c[1])


def _alike(operator: str) -> _Make:
    return lambda s, c: n.Alike(s, operator, c[0], c[1])


# ---- what is special


def _declarations(parts: list[Any]) -> tuple[n.Node, ...]:
    """Declarations in order; a block of the setup is replaced by its steps."""
    return tuple(node for part in parts for node in (part if isinstance(part, tuple) else (part,)))


def _document(s: Span, c: list[Any]) -> n.Document:
    return n.Document(s, c[0], _declarations(c[1:]))


def _setup(s: Span, c: list[Any]) -> tuple[n.Node, ...]:
    # A rule written inside of the block is known by a qualified name, as everywhere else.
    return tuple(
        replace(i, name=replace(i.name, name=f"setup.{i.name.name}")) if isinstance(i, n.Rule) else i for i in c
    )


def _step(s: Span, kind: str, name: n.Name, text: str, sees: tuple[n.Name, ...] | None, **parts: Any) -> n.SetupStep:
    blank = {"amount": 0, "what": None, "to": None, "cell": None, "manner": None, "cases": ()}
    return n.SetupStep(s, kind, name, text, sees=sees or (), **(blank | parts))


def _deal(s: Span, c: list[Any]) -> n.SetupStep:
    name, text, (amount, rest), what, to, cell, manner, sees = c
    parts: dict[str, Any] = {"amount": amount, "rest": rest, "what": what, "to": to, "cell": cell, "manner": manner}
    return _step(s, "deal", name, text, sees, **parts)


def _supply(s: Span, c: list[Any]) -> tuple[n.Node, ...]:
    """So many of each face: the deck, the piles that it lies in, and the step of the setup that deals it."""
    name, text, count, component, per, sees = c
    deck = n.Deck(s, name, component, (n.DeckPart(s, (), None, None, count),))
    zone = n.Zone(
        s, name, None, n.ZoneKind(s, "pile", component, 0, 0, 0, 0, False), () if per is None else (per,), None
    )
    dealt = _step(s, "deal", name, text, sees, what=name, to=name, manner=None if per is None else "owner")
    return deck, zone, dealt


def _zone(s: Span, c: list[Any]) -> n.Zone:
    name, size, kind, *per, called, joins, seen = c
    joins = joins and replace(joins, named=called)
    return n.Zone(s, name, size, kind, tuple(per), seen, called, joins)


def _line(s: Span, c: list[Any]) -> n.Picture:
    # No grid is as long as the longest picture.
    cells = tuple(n.PictureCell(s, 0, column, "#") for column in range(min(c[1], MAX_CELLS)))
    return n.Picture(s, len(cells), 1, cells, turned=True, mirrored=False, line=True)


def _var(s: Span, c: list[Any]) -> n.Var:
    """A variable. What it is divided by and how long it lasts are said in any order; without a time it lasts for the game."""
    name, (kind, type_name, low, high), initial, *said, seen = c
    times = [word for word in said if isinstance(word, n.Name) and word.name in ("turn", "round", "game")]
    each = [word for word in said if isinstance(word, n.Name) and word.name == "player"]
    over = tuple(word for word in said if word not in [*times[:1], *each[:1]])
    per = (times or each or [n.Name(s, "game")])[0]
    return n.Var(s, name, kind, type_name, low, high, initial, per, each[0] if each else None, seen, over)


# ---- the rows

# One word, as it is written.
_AS_WRITTEN = frozenset("kind single table_key example_key number_item turning manner".split())

# Constructs that say what their only part says.
_PASSED_ON = frozenset(
    "text sentence when guard actor effect_target zone_size per seen for_all life setup_step on_grid"
    " board_example board_value name_value name table_else owner_seat through".split()
)

# Nodes whose fields are their parts, in order.
_WHOLE: dict[str, type[n.Node]] = {
    "cite": n.Cite, "change": n.Change, "remove": n.Remove, "add_effect": n.AddEffect, "without": n.Without,
    "include": n.Include, "translation": n.Translation, "players": n.Players, "source": n.Source, "token": n.Token,
    "turn": n.Turn, "group": n.Group, "anytime": n.Anytime, "action_step": n.Step, "let": n.Let,
    "example_cell": n.CellValue, "cell_value": n.CellValue, "number_value": n.Number, "if_expr": n.If,
    "range_domain": n.Range, "count_distinct": n.CountDistinct, "extreme": n.Extreme, "where": n.Where,
    "can": n.Can, "pair": n.Pair, "sum_of": n.SumOf, "attribute_of": n.Attribute, "number": n.Number, "nothing": n.Nothing,
}  # fmt: skip

_MADE: dict[str, _Make] = {
    # ---- files and overlays
    "start": _document,
    "game_header": lambda s, c: n.Header(s, "game", c[0], None, c[1]),
    "edition_header": lambda s, c: n.Header(s, "edition", *c),
    "variant_header": lambda s, c: n.Header(s, "variant", *c),
    "part_header": lambda s, c: n.Header(s, "part", c[0], c[1], ""),
    "online": lambda s, c: True,
    "address": lambda s, c: "".join(s.text.split()),
    "cited_reason": lambda s, c: n.Reason(s, c[0], c[1] or ""),
    "plain_reason": lambda s, c: n.Reason(s, None, c[0]),
    "sees": lambda s, c: tuple(c),
    "qname": lambda s, c: n.Name(s, ".".join(part.name for part in c)),
    "remove_single": lambda s, c: n.Remove(s, c[0], n.Name(s, ""), c[1]),
    "ambiguity": lambda s, c: n.Ambiguity(s, c[0], c[1], c[2], tuple(c[3:-1]), c[-1]),
    "alternative": lambda s, c: n.Alternative(s, c[0], c[1], _declarations(c[2:])),
    "within": lambda s, c: n.Within(s, c[0], _declarations(c[1:])),
    "erratum": lambda s, c: n.Erratum(s, c[0], c[1], _declarations(c[2:-1]), c[-1]),
    "texts": lambda s, c: n.Texts(s, c[0], tuple(c[1:])),
    "notes": lambda s, c: n.Notes(s, c[0], tuple(c[1:])),
    "looks": lambda s, c: LookBlock(s, tuple(c)),
    "look": lambda s, c: Look(s, c[0], c[1], tuple(c[2:])),
    "plain_feature": lambda s, c: Feature(s, c[0]),
    "worded_feature": lambda s, c: Feature(s, c[0], tuple(c[1:])),
    "feature_by": lambda s, c: Feature(s, c[0], by=c[1], cases=tuple(c[2:])),
    "shared_board": lambda s, c: Feature(s, n.Name(s, "on"), zone=c[0]),
    "beside_board": lambda s, c: Feature(s, n.Name(s, "beside"), (c[1].name,), zone=c[0]),
    "beside_by_seat": lambda s, c: Feature(s, n.Name(s, "beside"), cases=tuple(c[1:]), zone=c[0]),
    "seat_side": lambda s, c: (n.Name(s, c[0].split()[1]), (c[1].name,)),
    "named_case": lambda s, c: (n.Name(s, c[0]), (c[1].name,)),
    "worded_case": lambda s, c: (n.Name(s, c[0]), tuple(c[1:])),
    "note": lambda s, c: n.Note(s, c[0], c[1], tuple(c[2:])),
    "single_note": lambda s, c: n.Note(s, "turn" if c[0] == "round" else c[0], n.Name(s, ""), tuple(c[1:])),
    # ---- declarations
    "section": lambda s, c: n.Section(s, c[0], tuple(c[1:])),
    "component": lambda s, c: n.Component(s, c[0], tuple(c[2:]), c[1] or ""),
    "enum_attribute": lambda s, c: n.AttributeDeclaration(s, c[0], "enum", tuple(c[1:]), 0, 0, "", None, ()),
    "range_attribute": lambda s, c: n.AttributeDeclaration(s, c[0], "range", (), c[1], c[2], "", None, ()),
    "flag_attribute": lambda s, c: n.AttributeDeclaration(s, c[0], "flag", (), 0, 0, c[1], None, ()),
    "enum_state": lambda s, c: n.AttributeDeclaration(s, c[0], "enum", tuple(c[1:]), 0, 0, "", None, (), True),
    "flag_state": lambda s, c: n.AttributeDeclaration(s, c[0], "flag", (), 0, 0, c[1], None, (), True),
    "table_attribute": lambda s, c: n.AttributeDeclaration(s, c[0], "table", (), 0, 0, "", c[1], _pairs(c[2:])),
    "owner_attribute": lambda s, c: n.AttributeDeclaration(s, c[0], "owner", (), 0, 0, "", c[1], _kept(c[2:], tuple)),
    "owner_row": lambda s, c: tuple(c),
    "no_owner": lambda s, c: n.NOBODY,
    "member": lambda s, c: n.Member(s, c[0].name, _or(c[1], c[0].name)),
    "supply": _supply,
    "deck": lambda s, c: n.Deck(s, c[0], c[1], tuple(c[2:])),
    "deck_cards": lambda s, c: n.DeckPart(s, tuple(c[:-1]), None, c[-1]),
    "deck_every": lambda s, c: n.DeckPart(s, (), None, c[1], _or(c[0], 1)),
    "deck_ref": lambda s, c: n.DeckPart(s, (), c[0], c[1]),
    "counted": lambda s, c: (c[1], _or(c[0], 1)),
    "zone": _zone,
    "joins": lambda s, c: n.Joins(s, tuple(c), None),
    "choices": lambda s, c: n.Component(s, c[0], (n.AttributeDeclaration(s, c[0], "enum", tuple(c[1:]), 0, 0, "", None, ()),), "", True),
    "names_from": lambda s, c: n.CellNames(s, c[0], c[1]),
    "names_of_each": lambda s, c: n.CellNames(s, "", "", c[0]),
    "pile_zone": lambda s, c: n.ZoneKind(s, "pile", *(*c[0], 0, 0, False)),
    "bag_zone": lambda s, c: n.ZoneKind(s, "bag", *(*c[0], 0, 0, False)),
    "slot_zone": lambda s, c: n.ZoneKind(s, "slot", *(*c[0], 0, 0, False)),
    "grid_zone": lambda s, c: n.ZoneKind(s, "grid", *(*c[1], *c[0], False)),
    "masked_zone": lambda s, c: n.ZoneKind(s, "grid", *(*c[1], c[0].width, c[0].height, False, c[0])),
    "hex_zone": lambda s, c: n.ZoneKind(s, "grid", *(*c[1], *c[0], False, None, True)),
    "masked_hex_zone": lambda s, c: n.ZoneKind(s, "grid", *(*c[1], c[0].width, c[0].height, False, c[0], True)),
    "floating_zone": lambda s, c: n.ZoneKind(s, "grid", *(*c[1], *c[0], True)),
    "component_element": lambda s, c: (c[0], 0, 0),
    "number_element": lambda s, c: (None, c[0], c[1]),
    # ---- setup
    "setup": _setup,
    "choose_step": lambda s, c: _step(s, "choose", c[0], c[1], c[4], amount=c[2], what=c[3]),
    "deal_step": _deal,
    "put_step": lambda s, c: _step(s, "put", c[0], c[1], c[-1], cases=tuple(c[2:-1])),
    "put_board_step": lambda s, c: _step(s, "put", c[0], c[1], c[3], board=c[2]),
    "first_step": lambda s, c: _step(s, "first", n.Name(s, "first"), c[0], c[2], manner=c[1]),
    "deal_each": lambda s, c: (c[0], False),
    "deal_all": lambda s, c: (0, False),
    "deal_rest": lambda s, c: (0, True),
    "at_cell": lambda s, c: tuple(c),
    "put_case": lambda s, c: (tuple(c[:-1]), c[-1]),
    # ---- order of play
    "round": lambda s, c: n.Turn(s, c[0], True),
    "choice": lambda s, c: n.Choice(s, tuple(c)),
    "sequence": lambda s, c: c[0] if len(c) == 1 else n.Sequence(s, tuple(c)),
    "optional": lambda s, c: n.Repeat(s, c[0], 0, 1),
    "any_number": lambda s, c: n.Repeat(s, c[0], 0, None),
    "one_or_more": lambda s, c: n.Repeat(s, c[0], 1, None),
    "exactly_times": lambda s, c: n.Repeat(s, c[0], c[1], c[1]),
    # ---- variables, definitions, actions
    "var": _var,
    "per_number": lambda s, c: n.Range(s, c[0], c[1]),
    "number_type": lambda s, c: ("number", None, c[0], c[1]),
    "bag_type": lambda s, c: ("bag", c[0], 0, 0),
    "cell_type": lambda s, c: ("named", n.Name(s, "cell"), 0, 0) if c[0] is None else ("cell", c[0], 0, 0),
    "cells_type": lambda s, c: ("cells", c[1], 0, 0),
    "named_type": lambda s, c: ("named", c[0], 0, 0),
    "define": lambda s, c: n.Define(s, c[0], _rest(c[1:-1]), c[-1]),
    "action": lambda s, c: n.Action(s, c[0], c[1] or "", _kept(c[2:], n.Parameter), _but(c[2:], n.Parameter)),
    "param": lambda s, c: n.Parameter(
        s, c[0], *(*c[1][:5], c[4] or "", c[2], *(c[1][5:] or (False,)), c[3] is not None)
    ),
    "element_param": lambda s, c: ("element", (c[0],), c[1], 0, 0),
    "order_param": lambda s, c: ("order", (), c[1], 0, 0, c[2] is not None),
    "cell_param": lambda s, c: ("cell", (c[0],), None, 0, 0),
    "number_param": lambda s, c: ("number", (), None, c[0], c[1]),
    "value_param": lambda s, c: ("value", tuple(c), None, 0, 0),
    "rule": lambda s, c: n.Rule(s, c[0], c[1], c[2] or (), c[3], c[4]),
    "free_rule": lambda s, c: n.Rule(s, c[0], c[1], c[2] or (), c[3], c[4]),
    "move_effect": lambda s, c: n.Effect(s, "move", *c),
    "move_some_effect": lambda s, c: n.Effect(s, "move", c[1], c[2], c[3], c[0]),
    "for_each_effect": lambda s, c: n.ForEach(s, c[1], c[2], tuple(c[3:])),
    "for_each_block": lambda s, c: n.ForEach(s, c[1], c[2], tuple(c[3:])),
    "put_effect": lambda s, c: n.Effect(s, "put", *c),
    "return_effect": lambda s, c: n.Effect(s, "return", c[0], None, c[1]),
    "shuffle_effect": lambda s, c: n.Effect(s, "shuffle", c[0], None, None),
    "turn_effect": lambda s, c: n.Effect(s, "turn", *c),
    "add_to_effect": lambda s, c: n.Effect(s, "add", *c),
    "take_from_effect": lambda s, c: n.Effect(s, "take", *c),
    "set_effect": lambda s, c: n.Effect(s, "set", *c),
    "consequence": lambda s, c: n.Consequence(
        s, c[0], c[1] or "", _kept(c[4:], n.ConsequenceParameter), _but(c[4:], n.ConsequenceParameter), c[2] is not None,
        c[3] is not None, c[3] or 0,
    ),
    "repeated": lambda s, c: c[1] or 0,
    "each_param": lambda s, c: n.ConsequenceParameter(s, c[0], c[1], None),
    "each_cell_param": lambda s, c: n.ConsequenceParameter(s, c[0], None, None, c[1]),
    "derived_param": lambda s, c: n.ConsequenceParameter(s, c[0], None, c[1]),
    # ---- end, score, invariants, objectives
    "ending": lambda s, c: n.Ending(s, c[0], c[1], c[2] or (), c[3], *c[4]),
    "more_turns": lambda s, c: (c[0], False, False),
    "turns_of_others": lambda s, c: (c[0], True, False),
    "stop_now": lambda s, c: (None, False, False),
    "stop_at_once": lambda s, c: (None, False, True),
    "score": lambda s, c: n.Score(s, c[0], c[1], c[2] or (), c[3]),
    "ranking": lambda s, c: n.Ranking(s, tuple(c)),
    "most": lambda s, c: n.Criterion(s, "most", c[0]),
    "fewest": lambda s, c: n.Criterion(s, "fewest", c[0]),
    "shared": lambda s, c: n.Criterion(s, "shared", None),
    "replayed": lambda s, c: n.Criterion(s, "replayed", None),
    "for_each": lambda s, c: True,
    "invariant": lambda s, c: n.Invariant(s, c[0], c[1], c[2] or (), bool(c[4]), c[5], c[6], c[3].split()[1] if c[3] else ""),
    "shape": lambda s, c: n.Shape(s, c[0], c[1], tuple(c[2:])),
    "picture": lambda s, c: replace(c[0], turned="turned" in c[1:], mirrored="mirrored" in c[1:]) if len(c) > 1 else c[0],
    "line": _line,
    "objective": lambda s, c: n.Objective(s, c[0], c[1] or "", c[2]),
    # ---- examples
    "example": lambda s, c: n.Example(s, c[0], c[1] or "", _kept(c[2:], n.Given), _kept(c[2:], n.Outcome)),
    "given_value": lambda s, c: n.Given(s, "value", c[0], c[1] or (), c[2], 0),
    "given_token": lambda s, c: n.Given(s, "token", c[0], (c[1].name, *([] if c[2] is None else [str(c[2])])), c[3], 0),
    "given_players": lambda s, c: n.Given(s, "players", None, (), None, c[0]),
    "example_index": lambda s, c: tuple(c),
    "yes_example": lambda s, c: n.Outcome(s, "yes", c[0], None, 0),
    "no_example": lambda s, c: n.Outcome(s, "no", c[0], None, 0),
    "then_example": lambda s, c: n.Outcome(s, "then", None, c[0], c[1]),
    "call_example": lambda s, c: n.CallExample(s, c[0], _rest(c[1:])),
    "argument": lambda s, c: ("" if c[0] is None else c[0].name, c[1]),
    "set_value": lambda s, c: n.ItemSet(s, tuple((item, 0) if isinstance(item, str) else item for item in c)),
    "cells_value": lambda s, c: n.CellSet(s, tuple(c)),
    "cell_item": lambda s, c: tuple(c),
    "card_item": lambda s, c: (c[0].name, _or(c[1], 0)),
    # ---- expressions
    "bound": lambda s, c: c[0], "negative_bound": lambda s, c: -c[0],
    "q_some": lambda s, c: n.Quantifier(s, "some", 1),
    "q_every": lambda s, c: n.Quantifier(s, "every", 0),
    "q_no": lambda s, c: n.Quantifier(s, "no", 0),
    "q_least": lambda s, c: n.Quantifier(s, "least", c[1]),
    "q_most": lambda s, c: n.Quantifier(s, "most", c[1]),
    "q_exactly": lambda s, c: n.Quantifier(s, "exactly", c[0]),
    "over_named": lambda s, c: n.OverNamed(s, c[0], c[2], c[5], c[4], c[1] is not None, c[3]),
    "over_picture": lambda s, c: n.OverPicture(s, c[0], c[2], c[5], c[4], c[1] is not None, c[3]),
    "picture_there": lambda s, c: n.OverPicture(s, c[0], c[2], None, c[4], c[1] is not None, c[3]),
    "over_domain": lambda s, c: n.OverDomain(s, c[0], c[2], c[3], c[4], c[1] is not None),
    "pick": lambda s, c: n.Pick(s, c[0], c[2], c[3], c[4], c[1] is not None),
    "placements": lambda s, c: n.Placements(s, c[1], c[2], c[3], c[0] is not None),
    "comprehension": lambda s, c: n.Comprehension(s, c[1], c[2], c[3], c[0] is not None),
    "named_where": lambda s, c: replace(c[1], span=s, variable=c[0]),
    "after_this": lambda s, c: n.AfterThis(s, c[1]),
    "pick_first": lambda s, c: "first",
    "pick_last": lambda s, c: "last",
    "around": lambda s, c: n.Around(s, c[1], c[2], c[4], " ".join(c[3] or "")),
    "reach": lambda s, c: tuple(" ".join(word.split()) for word in c),
    "two_words": lambda s, c: n.Name(s, " ".join(c[0].split())),
    "surrounding": lambda s, c: n.Unary(s, "surrounding", c[1]),
    "count_true": lambda s, c: n.CountTrue(s, tuple(c)), "cells_at": lambda s, c: n.CellsAt(s, tuple(c[1:])),
    "repeats": lambda s, c: n.Repeats(s, c[1]), "said_again": lambda s, c: tuple(c),
    "guarded_group": lambda s, c: n.Group(s, c[0], None, c[1]),
    "group_size": lambda s, c: n.GroupSize(s, c[0].split()[0], c[1], c[2]),
    "cells_from": lambda s, c: n.Binary(s, "towards", *c[1:]),
    "cells_between": lambda s, c: n.Binary(s, "between", *c[1:]),
    "table": lambda s, c: n.Table(s, c[0], tuple(c[1:-1]), c[-1]),
    "table_row": lambda s, c: tuple(c),
    "compare": lambda s, c: n.Binary(s, c[1], c[0], c[2]),
    "is_empty": lambda s, c: n.Test(s, "empty", c[0]),
    "is_not_empty": lambda s, c: n.Unary(s, "not", n.Test(s, "empty", c[0])),
    "is_full": lambda s, c: n.Test(s, "full", c[0]),
    "belongs_to": lambda s, c: n.Binary(s, "belongs", c[0], c[2]),
    "is_connected": lambda s, c: n.Test(s, "connected", c[0]),
    "is_not_in": lambda s, c: n.Unary(s, "not", n.Binary(s, "in", c[0], c[1])),
    "fits": lambda s, c: n.Fits(s, c[0], None, *c[1]),
    "fits_with": lambda s, c: n.Fits(s, c[0], c[1], *c[2]),
    "reads": lambda s, c: n.Reads(s, c[0], tuple(c[1:])),
    "seat": lambda s, c: n.Seat(s, int(c[0].split()[1])),
    "holds": lambda s, c: n.TokenQuery(s, "holds", c[0]),
    "place_of": lambda s, c: n.TokenQuery(s, "place", c[1]),
    "indexed": lambda s, c: n.Index(s, c[0], tuple(c[1:])),
    "call": lambda s, c: n.Call(s, c[0], tuple(c[1:])),
    "same": _alike("same"), "distinct": _alike("distinct"), "ascending": _alike("ascending"),
    "not_expr": _unary("not"), "not_state": _unary("not"), "negative": _unary("-"), "all_cells": _unary("all"), "any_cell": _unary("any"),
    "count": _unary("count"), "total": _unary("sum"), "top_of": _unary("top"), "tops_of": _unary("tops"),
    "all_of": _unary("cards"), "neighbours_of": _unary("neighbours"), "diagonal_of": _unary("diagonal"), "cells_of": _unary("cells_of"),
    "player_after": _unary("player_after"), "is_in": _binary("in"), "token_on": _binary("on"), "fulfils": _binary("fulfils"),
    "and_expr": _binary("and"), "or_expr": _binary("or"), "plus": _binary("+"), "minus": _binary("-"),
    "times": _binary("*"), "default": _binary("else"),
}  # fmt: skip
