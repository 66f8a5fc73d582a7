"""From the text of a game in notation to its tree.

The text is first split into statements: an indented line continues the one above. Each statement is parsed separately,
so that every broken one is reported and none hides another; and the cost is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedInput

from pwtool.lang.limits import MAX_NOTATION, MAX_NOTATION_WORDS, is_long_notation
from pwtool.records.notation.builder import Builder, joined_lines, unquote
from pwtool.records.notation.tree import Atom, Block, Comment, Entry, Header, Notation, Turn
from pwtool.records.notation.words import any_of, short
from pwtool.text import Diagnostic, Result
from pwtool.text.data import read_grammar
from pwtool.text.diagnostic import MAX_PROBLEMS, first_problems
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Told

_QUOTED = r'"(?:[^"\\\x00-\x1f]|\\.)*"'
_KEY = re.compile(rf'[ \t]*({_QUOTED}|[^\s"{{}}:;,+@=/!?>-][^\s"{{}}:;,+@=/!?>]*)[ \t]*:')
_NUMBER = re.compile(r"[0-9]{1,9}\.(?=\s|$)")
_LONG_NUMBER = re.compile(r"[0-9]+\.(?=\s|$)")
_BLOCK = re.compile(r"(setup|start|result)[ \t]*:?[ \t]*$")
# Where a number with a dot does not begin a turn: in texts, comments (also unclosed ones) and other words.
_TURN_PARTS = re.compile(rf"{_QUOTED}?|\{{(?:[^}}\\]|\\.)*\}}?|([0-9]+\.)(?=\s|$)|[^\s\"{{]+|\S", re.DOTALL)
_NAMES = {
    "WORD": Told("a word"), "SIGNED": Told("a number"), "STRING": Told('a text in `"`'), "UNSEEN": "`?`", "COMMENT": Told("a comment in `{ }`"),
    "MARK": Told("a mark such as `!?`"), "EMPTY": "`-`", "COLON": "`:`", "SEMICOLON": "`;`", "EQUAL": "`=`", "SLASH": "`/`",
    "PLUS": "`+`", "AT": "`@`", "COMMA": "`,`", "MORETHAN": "`>`", "SIGN": "`;`",
}  # fmt: skip


@cache
def _parser() -> Lark:
    return Lark(
        read_grammar("notation.lark"), parser="lalr", start=["turn", "entry", "remark"], propagate_positions=True
    )


@dataclass(frozen=True, slots=True)
class _Statement:
    """`kind` is `header block entry turns comment stray`; `start` and `end` are offsets."""

    kind: str
    start: int
    end: int


@dataclass(slots=True)
class _Parts:
    """The result of reading so far."""

    headers: list[Header] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    blocks: dict[str, tuple[Span, list[Entry]]] = field(default_factory=dict)
    block: str = ""


def parse_notation(file: SourceFile) -> Result[Notation]:
    """The tree of a game in notation, with all syntax errors. Unless the text is too large, the tree contains
    everything that could be read, so that other errors can be found too.
    """
    if is_long_notation(file.text):
        message = Told(
            "the text is larger than {size} MiB or {words} words, the limit for one game",
            size=MAX_NOTATION >> 20,
            words=MAX_NOTATION_WORDS,
        )
        return Result(None, (Diagnostic("PW711", message, file=file.name),))
    reader = _Reader(file)
    parts = _Parts()
    for statement in _statements(file.text):
        reader.read(statement, parts)
        if len(reader.problems) > MAX_PROBLEMS:
            break
    if not file.text.strip():
        reader.report(0, min(1, len(file.text)), Told("the file is empty"))
    blocks = {name: Block(tuple(entries), span) for name, (span, entries) in parts.blocks.items()}
    tree = Notation(
        file, tuple(parts.headers), tuple(parts.comments), blocks.get("setup"), blocks.get("start"), tuple(parts.turns),
        blocks.get("result"),
    )  # fmt: skip
    return Result(tree, first_problems(reader.problems))


def _statements(text: str) -> Iterator[_Statement]:
    """The statements of the text: each begins at a line that is not indented, or with a key inside a block."""
    block = False
    kind, start, end = "", 0, 0
    at = 0
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        line = text[at:stop].rstrip()
        here, at = at, stop + 1
        if not line:
            continue
        found = _kind(line, block, bool(kind))
        if not found:
            end = here + len(line)
            continue
        if kind:
            yield _Statement(kind, start, end)
        kind, start, end = found, here + len(line) - len(line.lstrip()), here + len(line)
        if found in ("block", "turns"):
            block = found == "block"
    if kind:
        yield _Statement(kind, start, end)


def _kind(line: str, block: bool, follows: bool) -> str:
    """The kind of statement that a line begins; None if it continues the one above."""
    indented = line[0] in " \t"
    if block and _KEY.match(line):
        return "entry"
    if indented and follows:
        return ""
    plain = line.lstrip()
    if _BLOCK.match(plain):
        return "block"
    if _LONG_NUMBER.match(plain):
        return "turns"
    if plain[0] == "{":
        return "comment"
    return "header" if _KEY.match(plain) else "stray"


class _Reader:
    """Reads statements and collects their errors."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.problems: list[Diagnostic] = []

    def report(self, start: int, end: int, message: str, help_line: str | None = None) -> None:
        self.problems.append(Diagnostic("PW711", message, Span(self.file, start, end), help=help_line))

    def read(self, statement: _Statement, parts: _Parts) -> None:
        text, start, end = self.file.text, statement.start, statement.end
        match statement.kind:
            case "block":
                self._block(statement, parts)
            case "entry":
                parts.blocks[parts.block][1].append(self._entry(start, end))
            case "turns":
                self._turns(start, end, parts)
            case "comment":
                self._remark(start, end, parts)
            case "header":
                self._header(start, end, parts)
            case _:
                word = text[start:end].split(None, 1)[0]
                help_line = Told(
                    "a line is `key: value`, `setup`, `start`, `result`, a comment in `{ }`, or begins with a turn's number"
                )
                if word[0] in "#/%;":
                    help_line = Told("comments go between `{` and `}`")
                self.report(start, start + len(word), Told("unexpected `{text}`", text=short(word)), help_line)

    def _block(self, statement: _Statement, parts: _Parts) -> None:
        start, end = statement.start, statement.end
        found = _BLOCK.match(self.file.text[start:end])
        if found is None:
            line = self.file.text.find("\n", start) + 1
            at = line + len(self.file.text[line:end]) - len(self.file.text[line:end].lstrip())
            self.report(at, end, Told("a key with a `:` is missing here"))
            found = _BLOCK.match(self.file.text[start : max(start, line - 1)].rstrip())
        name = found.group(1) if found else "setup"
        if name in parts.blocks:
            self.report(start, start + len(name), Told("`{name}` appears twice", name=name))
        if name != "result" and (parts.turns or "result" in parts.blocks):
            self.report(start, start + len(name), Told("`{name}` comes before the turns", name=name))
        parts.block = name
        parts.blocks.setdefault(name, (Span(self.file, start, start + len(name)), []))

    def _header(self, start: int, end: int, parts: _Parts) -> None:
        text = self.file.text
        match = _KEY.match(text, start, end)
        assert match is not None
        key = self._key(match)
        if parts.turns or parts.blocks:
            self.report(
                match.start(1),
                match.end(1),
                Told("unexpected `{text}`", text=short(match.group(1))),
                Told("headers come first"),
            )
            return
        begin = match.end()
        while begin < end and text[begin] in " \t\r\n":
            begin += 1
        value = joined_lines(text[begin:end])
        parts.headers.append(Header(key, value, Span(self.file, begin, end) if value else key.span))

    def _key(self, match: re.Match[str]) -> Atom:
        word, span = match.group(1), Span(self.file, match.start(1), match.end(1))
        return Atom(unquote(word, span, self.report), True, span) if word[0] == '"' else Atom(word, False, span)

    def _remark(self, start: int, end: int, parts: _Parts) -> None:
        tree = self._parse("remark", start, end)
        if tree is None:
            return
        comments = Builder(self.file, self.report, start).comments(tree.children)
        if parts.turns or parts.blocks:
            help_line = Told("a comment goes before `setup`, after a turn's number and name, or after an action")
            self.report(start, end, Told("a comment belongs to nothing here"), help_line)
        parts.comments += comments

    def _entry(self, start: int, end: int) -> Entry:
        match = _KEY.match(self.file.text, start, end)
        assert match is not None
        key, span = self._key(match), Span(self.file, start, end)
        tree = self._parse("entry", match.end(), end)
        if tree is None:
            return Entry(key, (), span, False)
        builder = Builder(self.file, self.report, match.end())
        parts = tuple(
            builder.atom(p) if p.data == "sign" else builder.joined(p) for p in tree.children if isinstance(p, Tree)
        )
        return Entry(key, parts, span)

    def _turns(self, start: int, end: int, parts: _Parts) -> None:
        """Several turns may share a line: each begins with its number."""
        begins = [m.start(1) for m in _TURN_PARTS.finditer(self.file.text, start, end) if m.group(1)]
        if "result" in parts.blocks:
            self.report(start, end, Told("turns come before the result"))
        for begin, stop in zip(begins, [*begins[1:], end], strict=True):
            if len(self.problems) > MAX_PROBLEMS:
                return
            parts.turns.append(self._turn(begin, begin + len(self.file.text[begin:stop].rstrip())))

    def _turn(self, start: int, end: int) -> Turn:
        number = _NUMBER.match(self.file.text, start)
        span = Span(self.file, start, end)
        if number is None:
            self.report(start, end, Told("the number of the turn is too large"))
            return Turn(0, span, (), (), span, False)
        place = Span(self.file, start, number.end() - 1)
        tree = self._parse("turn", start, end)
        if tree is None:
            return Turn(int(place.text), place, (), (), span, False)
        builder = Builder(self.file, self.report, start)
        steps = tuple(builder.step(s) for s in tree.children if isinstance(s, Tree) and s.data == "step")
        return Turn(int(place.text), place, builder.comments(tree.children), steps, span)

    def _parse(self, rule: str, start: int, end: int) -> Tree[Token] | None:
        try:
            return _parser().parse(self.file.text[start:end], start=rule)
        except UnexpectedInput as error:
            self._explain(error, start, end)
            return None

    def _explain(self, error: UnexpectedInput, start: int, end: int) -> None:
        text = self.file.text
        if isinstance(error, UnexpectedCharacters):
            at = start + (error.pos_in_stream or 0)
            sign = text[at]
            known = {
                "{": (
                    Told("the comment is never closed"),
                    Told("end it with `}`; a line that goes on with it is indented"),
                ),
                '"': (
                    Told("the text is never closed or contains an escape that does not exist"),
                    Told('end it with `"` on the same line'),
                ),
                "}": (Told("unexpected `{text}`", text="}"), Told("inside a comment it is written `\\}`")),
            }
            message, help_line = known.get(sign, (Told("unexpected `{text}`", text=short(sign)), None))
            self.report(at, at + 1, message, help_line or _expected(error.allowed))
            return
        token = getattr(error, "token", None)
        options = _expected(getattr(error, "accepts", None) or getattr(error, "expected", None))
        if token is None or token.type == "$END":
            self.report(end, end, Told("something is missing here"), options)
            return
        at = start + (token.start_pos or 0)
        self.report(at, at + len(token), Told("unexpected `{text}`", text=short(token)), options)


def _expected(names: object) -> str | None:
    found = [_NAMES[n] for n in sorted(names)] if isinstance(names, set) and names <= _NAMES.keys() else []
    return Told("expected here: {what}", what=any_of([*dict.fromkeys(found)])) if 0 < len(found) <= 6 else None
