"""The parser of rules files, from precomputed tables.

Building the tables from the grammar takes longer than judging a game. They are stored next to the grammar as plain data
(`grammar/rules.tables.json`), in a short form of Lark's own serialization of a parser. Tables of another grammar or
another version of Lark are ignored, and the parser is built from the grammar.

python -m pwtool.lang.tables        rebuilds them
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import lark
from lark import Lark
from lark.grammar import NonTerminal, Rule, RuleOptions, Symbol, Terminal
from lark.lexer import BasicLexer, ContextualLexer, PatternRE, PatternStr, TerminalDef, _create_unless
from lark.parsers.lalr_analysis import IntParseTable, Reduce, Shift
from lark.parsers.lalr_parser import LALR_Parser, _Parser

from pwtool.lang.stored_tables import (
    GRAMMAR,
    TABLES,
    Match,
    Plain,
    first_of,
    grammar_hash,
    hash_of,
    matching,
    stored_tables,
)
from pwtool.text.data import data_folder, read_grammar

_UNBOUNDED = 1 << 31
"""Widths of what has no bound differ between versions of Python; they only have to be the greatest."""


@cache
def rules_parser(every_token: bool = False) -> Lark:
    """The parser of rules files. `every_token`: its trees keep all tokens, and have nothing for missing parts."""
    tables = read_tables()
    if tables is not None:
        try:
            return parser_from(tables, every_token)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, AssertionError):
            pass
    return build_parser(every_token)


def build_parser(every_token: bool = False) -> Lark:
    """The parser, built from the grammar."""
    return Lark(read_grammar(GRAMMAR), parser="lalr", edit_terminals=_whole_words, **_options(every_token))


def _options(every_token: bool) -> dict[str, Any]:
    return {
        "keep_all_tokens": every_token,
        "maybe_placeholders": not every_token,
        "propagate_positions": not every_token,
    }


def _whole_words(terminal: TerminalDef) -> None:
    """A keyword ends at the end of a word: `perplayer` is not `per player`."""
    if isinstance(terminal.pattern, PatternStr) and terminal.pattern.value.isalpha():
        terminal.pattern = PatternRE(terminal.pattern.value + r"\b")
        terminal.priority = 1


def read_tables() -> Plain | None:
    """The tables for this grammar and this version of Lark, or None."""
    tables = stored_tables()
    return tables if tables is not None and tables["made for"] == _made_for() else None


def _made_for() -> list[str]:
    return [".".join(lark.__version__.split(".")[:2]), grammar_hash()]


# ---- writing


def tables_text() -> str:
    """The tables of a built parser, as the text of their file."""
    tables = tables_of(build_parser())
    made_for, *lines = (f"{json.dumps(name)}: {_lines(part)}" for name, part in tables.items())
    rest = ",\n".join(lines) + "\n}\n"
    return f'{{\n{made_for},\n"sum": "{hash_of(rest.encode())}",\n{rest}'


def _lines(part: Any) -> str:
    """A list with one entry per line; anything else on one line."""
    if not isinstance(part, list) or len(part) < 3:
        return json.dumps(part, separators=(",", ":"))
    return "[\n" + ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in part) + "\n]"


def tables_of(parser: Lark) -> Plain:
    """The tables of a parser, short and in a stable order.

    A state consists of the symbols that it shifts with their target states, then the symbols on which it reduces with
    the rule; sets of symbols and options of rules, many of which are equal, are numbered.
    """
    data, memo = parser.memo_serialize([TerminalDef, Rule])
    frontend = data["parser"]
    table = frontend["parser"]
    terminals = [memo[t["@"]] for t in frontend["lexer_conf"].pop("terminals")]
    for terminal in terminals:
        pattern = terminal["pattern"]
        pattern["raw"] = None
        if "_width" in pattern:
            pattern["_width"] = [min(width, _UNBOUNDED) for width in pattern["_width"]]
    rules = [r["@"] for r in frontend["parser_conf"].pop("rules")]
    options = _Numbers()
    states, sets, ends = _states(table, {rule: at for at, rule in enumerate(rules)})
    return {
        "made for": _made_for(),
        "options": {name: value for name, value in data["options"].items() if name != "edit_terminals"},
        "lexer": frontend["lexer_conf"],
        "parser": frontend["parser_conf"],
        "ends": ends,
        "terminals": sorted(terminals, key=lambda t: str(t["name"])),
        "rules": [_short(memo[rule], options) for rule in rules],
        "rule options": options.entries,
        "sets": sets,
        "states": states,
    }


class _Numbers:
    """Distinct values by number, in the order of their first occurrence."""

    def __init__(self) -> None:
        self.entries: list[Any] = []
        self._known: dict[str, int] = {}

    def __call__(self, value: Any) -> int:
        key = json.dumps(value)
        if key not in self._known:
            self._known[key] = len(self.entries)
            self.entries.append(value)
        return self._known[key]


def _short(rule: Plain, options: _Numbers) -> list[Any]:
    symbols = [f"-{s['name']}" if s.get("filter_out") else s["name"] for s in rule["expansion"]]
    said = {name: value for name, value in rule["options"].items() if name != "__type__"}
    return [rule["origin"]["name"], symbols, rule["order"], rule["alias"], options(said)]


def _states(table: Plain, rules: dict[int, int]) -> tuple[list[Any], list[Any], list[Any]]:
    """The states with their sets of symbols, numbered in the order in which they are reached from the first start
    state; where each start begins and ends.
    """
    names, old = table["tokens"], table["states"]
    order = list(table["start_states"].values())
    number = {state: at for at, state in enumerate(order)}
    sets = _Numbers()
    states = []
    for state in order:
        shifts: dict[str, int] = {}
        reduces: dict[int, list[str]] = {}
        for token, (kind, target) in sorted(old[state].items(), key=lambda entry: str(names[entry[0]])):
            if kind == 1:
                reduces.setdefault(rules[target["@"]], []).append(str(names[token]))
                continue
            if target not in number:
                number[target] = len(order)
                order.append(target)
            shifts[str(names[token])] = number[target]
        row: list[Any] = [sets(list(shifts)), list(shifts.values())]
        states.append(row + [part for rule in sorted(reduces) for part in (sets(reduces[rule]), rule)])
    ends = [
        [start, number[state], number[table["end_states"][start]]] for start, state in table["start_states"].items()
    ]
    return states, sets.entries, ends


# ---- reading


def parser_from(tables: Plain, every_token: bool = False) -> Lark:
    """The parser for these tables."""
    terminals = tables["terminals"]
    kinds: dict[str, Symbol] = {name: NonTerminal(name) for name, *_ in tables["rules"]}
    for name in [terminal["name"] for terminal in terminals]:
        kinds |= {name: Terminal(name), f"-{name}": Terminal(name, filter_out=True)}
    options = [RuleOptions(**option) for option in tables["rule options"]]
    for option in options:
        option.keep_all_tokens |= every_token
    # What is no plain data Lark takes as it is.
    rules = [
        Rule(NonTerminal(origin), [kinds[symbol] for symbol in symbols], order, alias, options[option])
        for origin, symbols, order, alias, option in tables["rules"]
    ]
    memo = dict(enumerate([*terminals, *rules]))
    known = [{"@": at} for at in memo]
    frontend = {
        "lexer_conf": {**tables["lexer"], "terminals": known[: len(terminals)]},
        "parser_conf": {**tables["parser"], "rules": known[len(terminals) :]},
        "parser": {**tables, "first rule": len(terminals)},
    }
    told = {
        **tables["options"],
        **_options(every_token),
        "_plugins": {"LALR_Parser": _Automaton, "ContextualLexer": _Lexer},
    }
    data = {"parser": frontend, "rules": known[len(terminals) :], "options": told}
    return Lark.load({"data": data, "memo": memo})


class _StateLexer(BasicLexer):
    """Asks for the terminals of a state of the parser."""

    def _build_scanner(self) -> Any:
        parts = (self.terminals, self.g_regex_flags, self.re, self.use_bytes)
        terminals, self.callback = _create_unless(*parts)  # type: ignore[no-untyped-call]
        return _Scanner(terminals)


class _Lexer(ContextualLexer):
    """Lark's lexer, which asks in each state only for what may come. Lark itself would compile an expression for each state,
    which takes longer than reading a game's files.
    """

    BasicLexer = _StateLexer


class _Scanner:
    """Tells which terminal begins at a place: the first that matches, of those that may begin with its character."""

    def __init__(self, terminals: list[TerminalDef]) -> None:
        self.allowed_types = {terminal.name for terminal in terminals}
        self._terminals = [(terminal.name, terminal.pattern.to_regexp()) for terminal in terminals]
        self._by_first: dict[str, list[tuple[str, Match]]] = {}

    def match(self, text: Any, at: int) -> tuple[str, str] | None:
        """The text and the name of a terminal; None if none begins here."""
        whole, end = text.text, text.end
        first = whole[at]
        if first not in self._by_first:
            able = [one for one in self._terminals if (begins := first_of(one[1])) is None or first in begins]
            self._by_first[first] = [(name, matching(pattern)) for name, pattern in able]
        for name, match in self._by_first[first]:
            if found := match(whole, at, end):
                return found, name
        return None


class _Automaton(LALR_Parser):
    """Lark's automaton with states read from our short form: Lark itself would read each of 19000 entries separately."""

    @classmethod
    def deserialize(  # type: ignore[override]
        cls, data: Plain, memo: dict[int, Any], callbacks: Any, debug: bool = False
    ) -> _Automaton:
        """The automaton; Lark calls this while it loads a parser."""
        sets, first = data["sets"], data["first rule"]
        states = {}
        for at, (shifted, targets, *reduced) in enumerate(data["states"]):
            row = dict(zip(sets[shifted], [(Shift, target) for target in targets], strict=True))
            for symbols, rule in zip(reduced[::2], reduced[1::2], strict=True):
                row |= dict.fromkeys(sets[symbols], (Reduce, memo[first + rule]))
            states[at] = row
        starts = {start: state for start, state, _ in data["ends"]}
        ends = {start: state for start, _, state in data["ends"]}
        automaton = cls.__new__(cls)
        table: Any = IntParseTable(states, starts, ends)  # type: ignore[no-untyped-call]
        automaton._parse_table = table
        automaton.parser = _Parser(table, callbacks, debug)
        return automaton


if __name__ == "__main__":
    (data_folder("grammar") / TABLES).write_text(tables_text(), "utf-8")
