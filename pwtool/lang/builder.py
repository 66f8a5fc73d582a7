"""From Lark's reductions to our own tree: one method for each alternative of `grammar/rules.lark`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lark import Token, Transformer
from lark.tree import Meta
from lark.visitors import v_args

from pwtool.lang import tree as n
from pwtool.lang.pictures import build_picture
from pwtool.text import Diagnostic
from pwtool.text.source import SourceFile, Span


def _unquote(token: Token) -> str:
    return str(token)[1:-1].replace('\\"', '"').replace("\\\\", "\\")


def _size(token: Token) -> tuple[int, int]:
    width, height = str(token).split("x")
    return int(width), int(height)


def _unary(operator: str) -> Any:
    def method(self: TreeBuilder, meta: Meta, c: list[Any]) -> n.Unary:
        return n.Unary(self._span(meta), operator, c[-1])

    return method


def _binary(operator: str) -> Any:
    def method(self: TreeBuilder, meta: Meta, c: list[Any]) -> n.Binary:
        return n.Binary(self._span(meta), operator, c[0], c[1])

    return method


@v_args(meta=True)
class TreeBuilder(Transformer[Any, Any]):
    """Builds the tree while Lark parses. Problems inside of pictures are collected in `diagnostics`."""

    def __init__(self, file: SourceFile) -> None:
        super().__init__(visit_tokens=False)
        self.file = file
        self.diagnostics: list[Diagnostic] = []

    # ---- small things

    def _span(self, meta: Meta) -> Span:
        if meta.empty:
            return Span(self.file, 0, 0)
        return Span(self.file, meta.start_pos, meta.end_pos)

    def _token_span(self, token: Token) -> Span:
        return Span(self.file, token.start_pos or 0, token.end_pos or 0)

    def _name(self, token: Token) -> n.Name:
        return n.Name(self._token_span(token), str(token))

    def start(self, meta: Meta, c: list[Any]) -> n.Document:
        declarations: list[n.Node] = []
        for part in c[1:]:
            declarations.extend(part if isinstance(part, tuple) else (part,))
        return n.Document(self._span(meta), c[0], tuple(declarations))

    def game_header(self, meta: Meta, c: list[Any]) -> n.Header:
        return n.Header(self._span(meta), "game", self._name(c[0]), None, c[1])

    def edition_header(self, meta: Meta, c: list[Any]) -> n.Header:
        return n.Header(self._span(meta), "edition", self._name(c[0]), c[1], c[2])

    def variant_header(self, meta: Meta, c: list[Any]) -> n.Header:
        return n.Header(self._span(meta), "variant", self._name(c[0]), c[1], c[2])

    def part_header(self, meta: Meta, c: list[Any]) -> n.Header:
        return n.Header(self._span(meta), "part", self._name(c[0]), c[1], "")

    def address(self, meta: Meta, c: list[Any]) -> str:
        start, end = c[0].start_pos, c[-1].end_pos if c[-1] is not None else meta.end_pos
        return "".join(self.file.text[start:end].split())

    def text(self, meta: Meta, c: list[Any]) -> str:
        return _unquote(c[0])

    def cite(self, meta: Meta, c: list[Any]) -> n.Cite:
        return n.Cite(self._span(meta), self._name(c[0]), _unquote(c[1]))

    def cited_reason(self, meta: Meta, c: list[Any]) -> n.Reason:
        return n.Reason(self._span(meta), c[0], _unquote(c[1]) if c[1] else "")

    def plain_reason(self, meta: Meta, c: list[Any]) -> n.Reason:
        return n.Reason(self._span(meta), None, _unquote(c[0]))

    def sees(self, meta: Meta, c: list[Any]) -> tuple[n.Name, ...]:
        return tuple(self._name(t) for t in c)

    def qname(self, meta: Meta, c: list[Any]) -> n.Name:
        return n.Name(self._span(meta), ".".join(map(str, c)))

    def kind(self, meta: Meta, c: list[Any]) -> str:
        return str(c[0])

    single = kind

    def when(self, meta: Meta, c: list[Any]) -> Any:
        return c[0]

    # ---- overlays

    def change(self, meta: Meta, c: list[Any]) -> n.Change:
        return n.Change(self._span(meta), c[0], c[1])

    def remove(self, meta: Meta, c: list[Any]) -> n.Remove:
        return n.Remove(self._span(meta), c[0], c[1], c[2])

    def remove_single(self, meta: Meta, c: list[Any]) -> n.Remove:
        return n.Remove(self._span(meta), c[0], n.Name(self._span(meta), ""), c[1])

    def effect_target(self, meta: Meta, c: list[Any]) -> n.Name:
        return self._name(c[0])

    def add_effect(self, meta: Meta, c: list[Any]) -> n.AddEffect:
        return n.AddEffect(self._span(meta), c[0], c[1], c[2])

    def ambiguity(self, meta: Meta, c: list[Any]) -> n.Ambiguity:
        return n.Ambiguity(self._span(meta), self._name(c[0]), c[1], _unquote(c[2]), tuple(c[3:-1]), c[-1])

    def alternative(self, meta: Meta, c: list[Any]) -> n.Alternative:
        return n.Alternative(self._span(meta), self._name(c[0]), _unquote(c[1]), tuple(c[2:]))

    def erratum(self, meta: Meta, c: list[Any]) -> n.Erratum:
        return n.Erratum(self._span(meta), self._name(c[0]), c[1], tuple(c[2:-1]), c[-1])

    def without(self, meta: Meta, c: list[Any]) -> n.Without:
        return n.Without(self._span(meta), self._name(c[0]), c[1])

    def include(self, meta: Meta, c: list[Any]) -> n.Include:
        return n.Include(self._span(meta), self._name(c[0]))

    def texts(self, meta: Meta, c: list[Any]) -> n.Texts:
        return n.Texts(self._span(meta), self._name(c[0]), tuple(c[1:]))

    def translation(self, meta: Meta, c: list[Any]) -> n.Translation:
        return n.Translation(self._span(meta), c[0], c[1], _unquote(c[2]))

    # ---- declarations

    def players(self, meta: Meta, c: list[Any]) -> n.Players:
        return n.Players(self._span(meta), int(c[0]), int(c[1]))

    def source(self, meta: Meta, c: list[Any]) -> n.Source:
        return n.Source(self._span(meta), self._name(c[0]), _unquote(c[1]))

    def section(self, meta: Meta, c: list[Any]) -> n.Section:
        return n.Section(self._span(meta), self._name(c[0]), tuple(c[1:]))

    def component(self, meta: Meta, c: list[Any]) -> n.Component:
        return n.Component(self._span(meta), self._name(c[0]), tuple(c[1:]))

    def _attribute(self, meta: Meta, name: Token, kind: str, **parts: Any) -> n.AttributeDeclaration:
        fields: dict[str, Any] = {"members": (), "low": 0, "high": 0, "code": "", "key": None, "rows": ()} | parts
        return n.AttributeDeclaration(self._span(meta), self._name(name), kind, **fields)

    def enum_attribute(self, meta: Meta, c: list[Any]) -> n.AttributeDeclaration:
        return self._attribute(meta, c[0], "enum", members=tuple(c[1:]))

    def range_attribute(self, meta: Meta, c: list[Any]) -> n.AttributeDeclaration:
        return self._attribute(meta, c[0], "range", low=int(c[1]), high=int(c[2]))

    def flag_attribute(self, meta: Meta, c: list[Any]) -> n.AttributeDeclaration:
        return self._attribute(meta, c[0], "flag", code=_unquote(c[1]))

    def table_attribute(self, meta: Meta, c: list[Any]) -> n.AttributeDeclaration:
        rows = tuple((c[i], int(c[i + 1])) for i in range(2, len(c), 2))
        return self._attribute(meta, c[0], "table", key=self._name(c[1]), rows=rows)

    def owner_attribute(self, meta: Meta, c: list[Any]) -> n.AttributeDeclaration:
        rows = tuple((c[i], int(c[i + 1])) for i in range(2, len(c), 2))
        return self._attribute(meta, c[0], "owner", key=self._name(c[1]), rows=rows)

    def member(self, meta: Meta, c: list[Any]) -> n.Member:
        return n.Member(self._span(meta), str(c[0]), _unquote(c[1]) if c[1] else str(c[0]))

    def table_key(self, meta: Meta, c: list[Any]) -> str:
        return str(c[0])

    def deck(self, meta: Meta, c: list[Any]) -> n.Deck:
        return n.Deck(self._span(meta), self._name(c[0]), self._name(c[1]), tuple(c[2:]))

    def deck_cards(self, meta: Meta, c: list[Any]) -> n.DeckPart:
        return n.DeckPart(self._span(meta), tuple(c[:-1]), None, c[-1])

    def deck_ref(self, meta: Meta, c: list[Any]) -> n.DeckPart:
        return n.DeckPart(self._span(meta), (), self._name(c[0]), c[1])

    def counted(self, meta: Meta, c: list[Any]) -> tuple[n.Name, int]:
        return self._name(c[1]), int(c[0]) if c[0] else 1

    def zone(self, meta: Meta, c: list[Any]) -> n.Zone:
        per = tuple(p for p in c[3:-1])
        return n.Zone(self._span(meta), self._name(c[0]), c[1], c[2], per, c[-1])

    def zone_size(self, meta: Meta, c: list[Any]) -> int:
        return int(c[0])

    def _zone_kind(
        self, meta: Meta, kind: str, element: Any, size: Token | None = None, floating: bool = False
    ) -> n.ZoneKind:
        component, low, high = element
        width, height = _size(size) if size else (0, 0)
        return n.ZoneKind(self._span(meta), kind, component, low, high, width, height, floating)

    def pile_zone(self, meta: Meta, c: list[Any]) -> n.ZoneKind:
        return self._zone_kind(meta, "pile", c[0])

    def bag_zone(self, meta: Meta, c: list[Any]) -> n.ZoneKind:
        return self._zone_kind(meta, "bag", c[0])

    def slot_zone(self, meta: Meta, c: list[Any]) -> n.ZoneKind:
        return self._zone_kind(meta, "slot", c[0])

    def grid_zone(self, meta: Meta, c: list[Any]) -> n.ZoneKind:
        return self._zone_kind(meta, "grid", c[1], c[0])

    def floating_zone(self, meta: Meta, c: list[Any]) -> n.ZoneKind:
        return self._zone_kind(meta, "grid", c[1], c[0], floating=True)

    def component_element(self, meta: Meta, c: list[Any]) -> tuple[n.Name | None, int, int]:
        return self._name(c[0]), 0, 0

    def number_element(self, meta: Meta, c: list[Any]) -> tuple[n.Name | None, int, int]:
        return None, int(c[0]), int(c[1])

    def per(self, meta: Meta, c: list[Any]) -> n.Name:
        return self._name(c[0])

    seen = per
    for_all = per

    def token(self, meta: Meta, c: list[Any]) -> n.Token:
        return n.Token(self._span(meta), self._name(c[0]), self._name(c[1]))

    # ---- setup

    def setup(self, meta: Meta, c: list[Any]) -> tuple[n.Node, ...]:
        # A rule written inside of the block is known by a qualified name, as everywhere else.
        named = [
            replace(i, name=replace(i.name, name=f"setup.{i.name.name}")) if isinstance(i, n.Rule) else i for i in c
        ]
        return tuple(named)

    def setup_step(self, meta: Meta, c: list[Any]) -> Any:
        return c[0]

    def _step(self, meta: Meta, kind: str, name: n.Name, text: str, **parts: Any) -> n.SetupStep:
        fields = {"amount": 0, "what": None, "to": None, "cell": None, "manner": None, "cases": (), "sees": ()} | parts
        return n.SetupStep(self._span(meta), kind, name, text, **fields)

    def choose_step(self, meta: Meta, c: list[Any]) -> n.SetupStep:
        name, text, amount, what, sees = c
        return self._step(
            meta, "choose", self._name(name), text, amount=int(amount), what=self._name(what), sees=sees or ()
        )

    def deal_step(self, meta: Meta, c: list[Any]) -> n.SetupStep:
        name, text, amount, what, to, cell, manner, sees = c
        parts: dict[str, Any] = {"amount": max(0, amount), "rest": amount < 0}
        parts |= {"what": self._name(what), "to": self._name(to), "cell": cell, "manner": manner}
        return self._step(meta, "deal", self._name(name), text, **parts, sees=sees or ())

    def put_step(self, meta: Meta, c: list[Any]) -> n.SetupStep:
        return self._step(meta, "put", self._name(c[0]), c[1], cases=tuple(c[2:-1]), sees=c[-1] or ())

    def put_board_step(self, meta: Meta, c: list[Any]) -> n.SetupStep:
        return self._step(meta, "put", self._name(c[0]), c[1], sees=c[3] or (), board=self._picture(c[2], []))

    def first_step(self, meta: Meta, c: list[Any]) -> n.SetupStep:
        text, manner, sees = c
        name = n.Name(self._span(meta), "first")
        return self._step(meta, "first", name, text, manner=manner, sees=sees or ())

    def deal_each(self, meta: Meta, c: list[Any]) -> int:
        return int(c[0])

    def deal_all(self, meta: Meta, c: list[Any]) -> int:
        return 0

    def deal_rest(self, meta: Meta, c: list[Any]) -> int:
        return -1

    def at_cell(self, meta: Meta, c: list[Any]) -> tuple[int, int]:
        return int(c[0]), int(c[1])

    def manner(self, meta: Meta, c: list[Any]) -> str:
        return str(c[0])

    def put_case(self, meta: Meta, c: list[Any]) -> tuple[tuple[int, ...], n.Node | None]:
        return tuple(int(t) for t in c[:-1]), c[-1]

    # ---- order of play

    def turn(self, meta: Meta, c: list[Any]) -> n.Turn:
        return n.Turn(self._span(meta), c[0])

    def round(self, meta: Meta, c: list[Any]) -> n.Turn:
        return n.Turn(self._span(meta), c[0], True)

    def group(self, meta: Meta, c: list[Any]) -> n.Group:
        return n.Group(self._span(meta), c[0], c[1])

    def anytime(self, meta: Meta, c: list[Any]) -> n.Anytime:
        return n.Anytime(self._span(meta), self._name(c[0]), c[1])

    def choice(self, meta: Meta, c: list[Any]) -> n.Node:
        return n.Choice(self._span(meta), tuple(c))

    def sequence(self, meta: Meta, c: list[Any]) -> n.Node:
        return c[0] if len(c) == 1 else n.Sequence(self._span(meta), tuple(c))

    def optional(self, meta: Meta, c: list[Any]) -> n.Repeat:
        return n.Repeat(self._span(meta), c[0], 0, 1)

    def any_number(self, meta: Meta, c: list[Any]) -> n.Repeat:
        return n.Repeat(self._span(meta), c[0], 0, None)

    def one_or_more(self, meta: Meta, c: list[Any]) -> n.Repeat:
        return n.Repeat(self._span(meta), c[0], 1, None)

    def exactly_times(self, meta: Meta, c: list[Any]) -> n.Repeat:
        return n.Repeat(self._span(meta), c[0], int(c[1]), int(c[1]))

    def action_step(self, meta: Meta, c: list[Any]) -> n.Step:
        return n.Step(self._span(meta), self._name(c[0]), c[1], c[2])

    def actor(self, meta: Meta, c: list[Any]) -> n.Node:
        return self._name(c[0]) if isinstance(c[0], Token) else c[0]

    def guard(self, meta: Meta, c: list[Any]) -> Any:
        return c[0]

    # ---- variables, definitions, actions

    def var(self, meta: Meta, c: list[Any]) -> n.Var:
        name, (kind, type_name, low, high), initial, per = c
        return n.Var(self._span(meta), self._name(name), kind, type_name, low, high, initial, self._name(per))

    def number_type(self, meta: Meta, c: list[Any]) -> tuple[str, n.Name | None, int, int]:
        return "number", None, int(c[0]), int(c[1])

    def bag_type(self, meta: Meta, c: list[Any]) -> tuple[str, n.Name | None, int, int]:
        return "bag", self._name(c[0]), 0, 0

    def named_type(self, meta: Meta, c: list[Any]) -> tuple[str, n.Name | None, int, int]:
        return "named", self._name(c[0]), 0, 0

    def define(self, meta: Meta, c: list[Any]) -> n.Define:
        parameters = tuple(self._name(t) for t in c[1:-1] if t is not None)
        return n.Define(self._span(meta), self._name(c[0]), parameters, c[-1])

    def action(self, meta: Meta, c: list[Any]) -> n.Action:
        parameters = tuple(p for p in c[2:] if isinstance(p, n.Parameter))
        statements = tuple(s for s in c[2:] if s is not None and not isinstance(s, n.Parameter))
        return n.Action(self._span(meta), self._name(c[0]), c[1] or "", parameters, statements)

    def param(self, meta: Meta, c: list[Any]) -> n.Parameter:
        name, (kind, names, origin, low, high), per, text = c
        return n.Parameter(self._span(meta), self._name(name), kind, names, origin, low, high, text or "", per)

    def element_param(self, meta: Meta, c: list[Any]) -> tuple[Any, ...]:
        return "element", (self._name(c[0]),), c[1], 0, 0

    def cell_param(self, meta: Meta, c: list[Any]) -> tuple[Any, ...]:
        return "cell", (self._name(c[0]),), None, 0, 0

    def number_param(self, meta: Meta, c: list[Any]) -> tuple[Any, ...]:
        return "number", (), None, int(c[0]), int(c[1])

    def value_param(self, meta: Meta, c: list[Any]) -> tuple[Any, ...]:
        return "value", tuple(self._name(t) for t in c), None, 0, 0

    def let(self, meta: Meta, c: list[Any]) -> n.Let:
        return n.Let(self._span(meta), self._name(c[0]), c[1])

    def rule(self, meta: Meta, c: list[Any]) -> n.Rule:
        name, text, sees, when, require = c
        return n.Rule(self._span(meta), self._name(name), text, sees or (), when, require)

    def free_rule(self, meta: Meta, c: list[Any]) -> n.Rule:
        name, text, sees, when, require = c
        return n.Rule(self._span(meta), name, text, sees or (), when, require)

    def move_effect(self, meta: Meta, c: list[Any]) -> n.Effect:
        return n.Effect(self._span(meta), "move", c[0], c[1], c[2])

    def put_effect(self, meta: Meta, c: list[Any]) -> n.Effect:
        return n.Effect(self._span(meta), "put", self._name(c[0]), c[1], c[2])

    def return_effect(self, meta: Meta, c: list[Any]) -> n.Effect:
        return n.Effect(self._span(meta), "return", self._name(c[0]), None, c[1])

    def add_to_effect(self, meta: Meta, c: list[Any]) -> n.Effect:
        return n.Effect(self._span(meta), "add", self._name(c[0]), c[1], c[2])

    def set_effect(self, meta: Meta, c: list[Any]) -> n.Effect:
        return n.Effect(self._span(meta), "set", self._name(c[0]), c[1], c[2])

    def consequence(self, meta: Meta, c: list[Any]) -> n.Consequence:
        parameters = tuple(p for p in c[2:] if isinstance(p, n.ConsequenceParameter))
        statements = tuple(s for s in c[2:] if not isinstance(s, n.ConsequenceParameter))
        return n.Consequence(self._span(meta), self._name(c[0]), c[1] or "", parameters, statements)

    def each_param(self, meta: Meta, c: list[Any]) -> n.ConsequenceParameter:
        return n.ConsequenceParameter(self._span(meta), self._name(c[0]), self._name(c[1]), None)

    def each_cell_param(self, meta: Meta, c: list[Any]) -> n.ConsequenceParameter:
        return n.ConsequenceParameter(self._span(meta), self._name(c[0]), None, None, self._name(c[1]))

    def derived_param(self, meta: Meta, c: list[Any]) -> n.ConsequenceParameter:
        return n.ConsequenceParameter(self._span(meta), self._name(c[0]), None, c[1])

    # ---- end, score, invariants, objectives

    def ending(self, meta: Meta, c: list[Any]) -> n.Ending:
        name, text, sees, condition, form = c
        return n.Ending(self._span(meta), self._name(name), text, sees or (), condition, *form)

    def more_turns(self, meta: Meta, c: list[Any]) -> tuple[int | None, bool, bool]:
        return int(c[0]), False, False

    def turns_of_others(self, meta: Meta, c: list[Any]) -> tuple[int | None, bool, bool]:
        return int(c[0]), True, False

    def stop_now(self, meta: Meta, c: list[Any]) -> tuple[int | None, bool, bool]:
        return None, False, False

    def stop_at_once(self, meta: Meta, c: list[Any]) -> tuple[int | None, bool, bool]:
        return None, False, True

    def score(self, meta: Meta, c: list[Any]) -> n.Score:
        return n.Score(self._span(meta), self._name(c[0]), c[1], c[2] or (), c[3])

    def ranking(self, meta: Meta, c: list[Any]) -> n.Ranking:
        return n.Ranking(self._span(meta), tuple(c))

    def most(self, meta: Meta, c: list[Any]) -> n.Criterion:
        return n.Criterion(self._span(meta), "most", c[0])

    def fewest(self, meta: Meta, c: list[Any]) -> n.Criterion:
        return n.Criterion(self._span(meta), "fewest", c[0])

    def shared(self, meta: Meta, c: list[Any]) -> n.Criterion:
        return n.Criterion(self._span(meta), "shared", None)

    def replayed(self, meta: Meta, c: list[Any]) -> n.Criterion:
        return n.Criterion(self._span(meta), "replayed", None)

    def for_each(self, meta: Meta, c: list[Any]) -> bool:
        return True

    def invariant(self, meta: Meta, c: list[Any]) -> n.Invariant:
        name, text, sees, each, when, require = c
        return n.Invariant(self._span(meta), self._name(name), text, sees or (), bool(each), when, require)

    def shape(self, meta: Meta, c: list[Any]) -> n.Shape:
        return n.Shape(self._span(meta), self._name(c[0]), c[1], tuple(c[2:]))

    def turning(self, meta: Meta, c: list[Any]) -> str:
        return str(c[0])

    def _picture(self, token: Token, turnings: list[str]) -> n.Picture:
        picture, problems = build_picture(self._token_span(token), "turned" in turnings, "mirrored" in turnings)
        self.diagnostics.extend(problems)
        return picture

    def picture(self, meta: Meta, c: list[Any]) -> n.Picture:
        return self._picture(c[0], c[1:])

    def objective(self, meta: Meta, c: list[Any]) -> n.Objective:
        return n.Objective(self._span(meta), self._name(c[0]), c[1] or "", c[2])

    # ---- examples

    def example(self, meta: Meta, c: list[Any]) -> n.Example:
        givens = tuple(g for g in c[2:] if isinstance(g, n.Given))
        outcomes = tuple(o for o in c[2:] if isinstance(o, n.Outcome))
        return n.Example(self._span(meta), c[0], c[1] or "", givens, outcomes)

    def given_value(self, meta: Meta, c: list[Any]) -> n.Given:
        return n.Given(self._span(meta), "value", self._name(c[0]), c[1] or (), self._value(c[2]), 0)

    def given_token(self, meta: Meta, c: list[Any]) -> n.Given:
        return n.Given(self._span(meta), "token", self._name(c[0]), (str(c[1]),), c[2], 0)

    def given_players(self, meta: Meta, c: list[Any]) -> n.Given:
        return n.Given(self._span(meta), "players", None, (), None, int(c[0]))

    def example_index(self, meta: Meta, c: list[Any]) -> tuple[str, ...]:
        return tuple(c)

    def example_key(self, meta: Meta, c: list[Any]) -> str:
        return str(c[0])

    def example_cell(self, meta: Meta, c: list[Any]) -> n.CellValue:
        return n.CellValue(self._span(meta), int(c[0]), int(c[1]))

    def yes_example(self, meta: Meta, c: list[Any]) -> n.Outcome:
        return n.Outcome(self._span(meta), "yes", c[0], None, 0)

    def no_example(self, meta: Meta, c: list[Any]) -> n.Outcome:
        return n.Outcome(self._span(meta), "no", c[0], None, 0)

    def then_example(self, meta: Meta, c: list[Any]) -> n.Outcome:
        return n.Outcome(self._span(meta), "then", None, self._name(c[0]), int(c[1]))

    def board_example(self, meta: Meta, c: list[Any]) -> n.Picture:
        return self._picture(c[0], [])

    board_value = board_example

    def call_example(self, meta: Meta, c: list[Any]) -> n.CallExample:
        return n.CallExample(self._span(meta), self._name(c[0]), tuple(a for a in c[1:] if a is not None))

    def argument(self, meta: Meta, c: list[Any]) -> tuple[str, n.Node]:
        return str(c[0]) if c[0] else "", self._value(c[1])

    def _value(self, value: Any) -> Any:
        return value

    def set_value(self, meta: Meta, c: list[Any]) -> n.ItemSet:
        return n.ItemSet(self._span(meta), tuple(c))

    def cells_value(self, meta: Meta, c: list[Any]) -> n.CellSet:
        return n.CellSet(self._span(meta), tuple(c))

    def cell_item(self, meta: Meta, c: list[Any]) -> tuple[int, int]:
        return int(c[0]), int(c[1])

    def cell_value(self, meta: Meta, c: list[Any]) -> n.CellValue:
        return n.CellValue(self._span(meta), int(c[0]), int(c[1]))

    def name_value(self, meta: Meta, c: list[Any]) -> n.Name:
        return self._name(c[0])

    def number_value(self, meta: Meta, c: list[Any]) -> n.Number:
        return n.Number(self._span(meta), int(c[0]))

    def card_item(self, meta: Meta, c: list[Any]) -> tuple[str, int]:
        return str(c[0]), int(c[1]) if c[1] else 0

    def number_item(self, meta: Meta, c: list[Any]) -> tuple[str, int]:
        return str(c[0]), 0

    # ---- expressions

    def if_expr(self, meta: Meta, c: list[Any]) -> n.If:
        return n.If(self._span(meta), *c)

    def q_some(self, meta: Meta, c: list[Any]) -> n.Quantifier:
        return n.Quantifier(self._span(meta), "some", 1)

    def q_every(self, meta: Meta, c: list[Any]) -> n.Quantifier:
        return n.Quantifier(self._span(meta), "every", 0)

    def q_no(self, meta: Meta, c: list[Any]) -> n.Quantifier:
        return n.Quantifier(self._span(meta), "no", 0)

    def q_least(self, meta: Meta, c: list[Any]) -> n.Quantifier:
        return n.Quantifier(self._span(meta), "least", int(c[1]))

    def q_most(self, meta: Meta, c: list[Any]) -> n.Quantifier:
        return n.Quantifier(self._span(meta), "most", int(c[1]))

    def q_exactly(self, meta: Meta, c: list[Any]) -> n.Quantifier:
        return n.Quantifier(self._span(meta), "exactly", int(c[0]))

    def over_named(self, meta: Meta, c: list[Any]) -> n.OverNamed:
        return n.OverNamed(self._span(meta), c[0], self._name(c[1]), c[3], c[2])

    def over_picture(self, meta: Meta, c: list[Any]) -> n.OverPicture:
        return n.OverPicture(self._span(meta), c[0], c[1], c[3], c[2])

    def on_grid(self, meta: Meta, c: list[Any]) -> Any:
        return c[0]

    def pick(self, meta: Meta, c: list[Any]) -> n.Pick:
        return n.Pick(self._span(meta), c[0], self._name(c[1]), c[2], c[3])

    def pick_first(self, meta: Meta, c: list[Any]) -> str:
        return "first"

    def pick_last(self, meta: Meta, c: list[Any]) -> str:
        return "last"

    def over_domain(self, meta: Meta, c: list[Any]) -> n.OverDomain:
        return n.OverDomain(self._span(meta), c[0], self._name(c[1]), c[2], c[3])

    def range_domain(self, meta: Meta, c: list[Any]) -> n.Range:
        return n.Range(self._span(meta), int(c[0]), int(c[1]))

    def comprehension(self, meta: Meta, c: list[Any]) -> n.Comprehension:
        return n.Comprehension(self._span(meta), self._name(c[0]), c[1], c[2])

    def placements(self, meta: Meta, c: list[Any]) -> n.Placements:
        return n.Placements(self._span(meta), c[0], c[1], c[2])

    def group_size(self, meta: Meta, c: list[Any]) -> n.GroupSize:
        return n.GroupSize(self._span(meta), str(c[0]).split()[0], self._name(c[1]), c[2])

    def table(self, meta: Meta, c: list[Any]) -> n.Table:
        return n.Table(self._span(meta), c[0], tuple(c[1:-1]), c[-1])

    def table_row(self, meta: Meta, c: list[Any]) -> tuple[int, int]:
        return int(c[0]), int(c[1])

    def table_else(self, meta: Meta, c: list[Any]) -> int:
        return int(c[0])

    def compare(self, meta: Meta, c: list[Any]) -> n.Binary:
        return n.Binary(self._span(meta), str(c[1]), c[0], c[2])

    def is_empty(self, meta: Meta, c: list[Any]) -> n.Test:
        return n.Test(self._span(meta), "empty", c[0])

    def is_not_empty(self, meta: Meta, c: list[Any]) -> n.Unary:
        return n.Unary(self._span(meta), "not", self.is_empty(meta, c))

    def is_connected(self, meta: Meta, c: list[Any]) -> n.Test:
        return n.Test(self._span(meta), "connected", c[0])

    def is_in(self, meta: Meta, c: list[Any]) -> n.Binary:
        return n.Binary(self._span(meta), "in", c[0], c[1])

    def is_not_in(self, meta: Meta, c: list[Any]) -> n.Unary:
        return n.Unary(self._span(meta), "not", self.is_in(meta, c))

    def token_on(self, meta: Meta, c: list[Any]) -> n.Binary:
        return n.Binary(self._span(meta), "on", c[0], c[1])

    def fits(self, meta: Meta, c: list[Any]) -> n.Fits:
        return n.Fits(self._span(meta), c[0], None, *_size(c[1]))

    def fits_with(self, meta: Meta, c: list[Any]) -> n.Fits:
        return n.Fits(self._span(meta), c[0], c[1], *_size(c[2]))

    def fulfils(self, meta: Meta, c: list[Any]) -> n.Binary:
        return n.Binary(self._span(meta), "fulfils", c[0], self._name(c[1]))

    def reads(self, meta: Meta, c: list[Any]) -> n.Reads:
        return n.Reads(self._span(meta), c[0], tuple(int(t) for t in c[1:]))

    def _alike(self, meta: Meta, operator: str, c: list[Any]) -> n.Alike:
        return n.Alike(self._span(meta), operator, self._name(c[0]), c[1])

    def same(self, meta: Meta, c: list[Any]) -> n.Alike:
        return self._alike(meta, "same", c)

    def distinct(self, meta: Meta, c: list[Any]) -> n.Alike:
        return self._alike(meta, "distinct", c)

    def ascending(self, meta: Meta, c: list[Any]) -> n.Alike:
        return self._alike(meta, "ascending", c)

    not_expr = _unary("not")
    negative = _unary("-")
    all_cells = _unary("all")
    any_cell = _unary("any")
    count = _unary("count")
    total = _unary("sum")
    top_of = _unary("top")
    tops_of = _unary("tops")
    all_of = _unary("cards")
    neighbours_of = _unary("neighbours")
    cells_of = _unary("cells_of")
    player_after = _unary("player_after")

    and_expr = _binary("and")
    or_expr = _binary("or")
    plus = _binary("+")
    minus = _binary("-")
    times = _binary("*")
    default = _binary("else")

    def holds(self, meta: Meta, c: list[Any]) -> n.TokenQuery:
        return n.TokenQuery(self._span(meta), "holds", self._name(c[0]))

    def place_of(self, meta: Meta, c: list[Any]) -> n.TokenQuery:
        return n.TokenQuery(self._span(meta), "place", self._name(c[1]))

    def can(self, meta: Meta, c: list[Any]) -> n.Can:
        return n.Can(self._span(meta), self._name(c[0]))

    def sum_of(self, meta: Meta, c: list[Any]) -> n.SumOf:
        return n.SumOf(self._span(meta), self._name(c[0]), c[1])

    def attribute_of(self, meta: Meta, c: list[Any]) -> n.Attribute:
        return n.Attribute(self._span(meta), c[0], self._name(c[1]))

    def indexed(self, meta: Meta, c: list[Any]) -> n.Index:
        return n.Index(self._span(meta), c[0], tuple(c[1:]))

    def number(self, meta: Meta, c: list[Any]) -> n.Number:
        return n.Number(self._span(meta), int(c[0]))

    def name(self, meta: Meta, c: list[Any]) -> n.Name:
        return self._name(c[0])

    def nothing(self, meta: Meta, c: list[Any]) -> n.Nothing:
        return n.Nothing(self._span(meta))

    def call(self, meta: Meta, c: list[Any]) -> n.Call:
        return n.Call(self._span(meta), self._name(c[0]), tuple(c[1:]))
