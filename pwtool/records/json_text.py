"""Strict reading of JSON text, with the place of each error.

Normally Python's own parser is used, which is fast. Only a text that it refuses is scanned by the iterative scanner of
this module, which never recurses and tracks its position. `json_places` finds the places of values.
"""

from __future__ import annotations

import json
import sys
from codecs import BOM_UTF8
from typing import Any

from pwtool.text import Diagnostic, Label, Result
from pwtool.text.regex import regex
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Told, mark
from pwtool.text.terminal import NARROW, escape
from pwtool.text.words import shorten

MAX_DEPTH = 100
MAX_DIGITS = 30
MAX_FILE = 64 << 20

_SPACE = regex(r"[ \t\r\n]*+")
# No backtracking (`*+`): it would cost a hundred bytes for each character. Before 3.11.5, a group that fails on its way
# is not given back (https://github.com/python/cpython/issues/106052): there, only escapes cost that much.
_ALL = "*+" if sys.version_info >= (3, 11, 5) else "*"
_INSIDE = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)' + _ALL
_OPENED = regex(_INSIDE)
STRING = regex(_INSIDE + '"')
_NUMBER = regex(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = regex(r"[A-Za-z_][A-Za-z0-9_]*")
_LONE_SURROGATE = regex("[\ud800-\udfff]")
_MAX_SHOWN = 40
_COMMENTS = ("//", "/*", "#")
_MAGIC = (
    (b"PK\x03\x04", mark("this is a zip archive, not text"), ".zip"),
    (b"PK\x05\x06", mark("this is a zip archive, not text"), ".zip"),
    (b"7z\xbc\xaf\x27\x1c", mark("this is a 7z archive, not text"), ""),
    (b"\x28\xb5\x2f\xfd", mark("this is a zstd file, not text"), ".zst"),
    (b"\x1f\x8b", mark("this is a gzip file, not text"), ".gz"),
    (b"BZh", mark("this is a bzip2 file, not text"), ""),
    (b"\xfd7zXZ", mark("this is an xz file, not text"), ".xz"),
)

_Open = tuple[int, dict[str, int] | None]
"""An open bracket: its place and, for an object, the places of its keys so far."""


class _Refused(ValueError):
    """Raised in a parser hook; the scanner then finds the place."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Refused
    return found


def _refuse(text: str) -> Any:
    raise _Refused


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise _Refused
    return int(text)


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise _Refused
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_refuse, parse_int=_integer, parse_float=_float)


def load_json(file: SourceFile) -> Result[Any]:
    """The value of a JSON text. Duplicate keys, NaN, numbers out of range and deep nesting are refused, each with
    its place.
    """
    try:
        value = _DECODER.decode(file.text)
    except (ValueError, RecursionError):
        return Result(None, (_Scanner(file).problem(),))
    if value is None:
        return Result(None, (Diagnostic("PW701", Told("the text is `null`, not a record"), _first(file)),))
    if _may_hold_surrogates(file.text):
        surrogate = _Scanner(file).lone_surrogate()
        if surrogate is not None:
            return Result(None, (surrogate,))
    if _is_deep(value):
        return Result(None, (_Scanner(file).problem(),))
    return Result(value)


def is_begun(file: SourceFile) -> bool:
    """Whether a text is the beginning of valid JSON: there is no error before its end."""
    return _Scanner(file).is_begun()


def _may_hold_surrogates(text: str) -> bool:
    """Whether to look for lone surrogates at all: most files are UTF-8 without escapes."""
    if "\\u" in text and "\\ud" in text.lower():
        return True
    return not text.isascii() and _LONE_SURROGATE.search(text) is not None


def _is_deep(value: Any) -> bool:
    """Whether lists and objects are nested too deeply. The value is walked level by level: counting brackets in the
    text would include those within strings, and the limit is there to avoid recursion.
    """
    level = [value] if isinstance(value, (dict, list)) else []
    depth = 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            return True
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) is dict or type(inner) is list
        ]
    return False


def _first(file: SourceFile) -> Span:
    return Span(file, 0, min(1, len(file.text)))


class _Scanner:
    """Scans JSON text without recursion; `problem()` is the first error."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.text = file.text
        self._problem: Diagnostic | None = None

    def problem(self) -> Diagnostic:
        self.scan()
        return self._problem or Diagnostic("PW701", Told("this is not valid JSON"), _first(self.file))

    def is_begun(self) -> bool:
        self.scan()
        span = self._problem.span if self._problem else None
        return span is None or span.end >= len(self.text.rstrip())

    def lone_surrogate(self) -> Diagnostic | None:
        """A finding if a text contains a lone surrogate, which no file can store."""
        for match in STRING.finditer(self.text):
            try:
                broken = _LONE_SURROGATE.search(json.loads(match.group()))
            except ValueError:
                continue
            if broken:
                span = Span(self.file, match.start(), match.end())
                return Diagnostic(
                    "PW701",
                    Told("the text contains half of a character"),
                    span,
                    help=Told("write both halves of the surrogate pair"),
                )
        return None

    def _fail(
        self, start: int, end: int, message: str, help_line: str | None = None, opened: int | None = None
    ) -> None:
        if self._problem is None:
            # What is missing at the end is reported after the last character, not in the empty line after it.
            size = len(self.text.rstrip(" \t\r\n"))
            start = max(0, min(start, size - 1))
            span = Span(self.file, start, min(max(end, start + 1), len(self.text)))
            labels: tuple[Label, ...] = ()
            if opened is not None:
                labels = (Label(Span(self.file, opened, opened + 1), Told("opened here and never closed")),)
            self._problem = Diagnostic("PW701", message, span, labels=labels, help=help_line)

    def scan(self) -> None:
        """Scan the text up to the first error."""
        text, size = self.text, len(self.text)
        stack: list[_Open] = []
        at = skip_space(text, 0)
        if at >= size:
            self._fail(0, 1, Told("the file is empty"))
            return
        while True:
            # A value is expected here.
            at = skip_space(text, at)
            sign = text[at : at + 1]
            if sign in ("{", "["):
                if len(stack) >= MAX_DEPTH:
                    self._fail(at, at + 1, Told("nested more than {most} levels deep", most=MAX_DEPTH))
                    return
                stack.append((at, {} if sign == "{" else None))
                inside = skip_space(text, at + 1)
                if text[inside : inside + 1] == ("}" if sign == "{" else "]"):
                    stack.pop()
                    at = inside + 1
                else:
                    entered = self._enter(stack[-1], inside)
                    if entered is None:
                        return
                    at = entered
                    continue
            else:
                end = self._scalar(at, stack)
                if end is None:
                    return
                at = end
            # A value has ended: close brackets or go to the next value.
            while True:
                if not stack:
                    rest = skip_space(text, at)
                    if rest < size and not self._comment(rest):
                        self._fail(rest, rest + 1, Told("there is more text after the end of the value"))
                    return
                opened, keys = stack[-1]
                at = skip_space(text, at)
                sign = text[at : at + 1]
                if sign == ("}" if keys is not None else "]"):
                    stack.pop()
                    at += 1
                    continue
                if sign != ",":
                    self._not_closed(at, opened, sign, keys is not None)
                    return
                after = skip_space(text, at + 1)
                if text[after : after + 1] in ("}", "]"):
                    self._fail(
                        at, at + 1, Told("a comma too many"), Told("leave out the comma before the closing bracket")
                    )
                    return
                entered = self._enter(stack[-1], after)
                if entered is None:
                    return
                at = entered
                break

    def _not_closed(self, at: int, opened: int, sign: str, is_object: bool) -> None:
        bracket = self.text[opened]
        if not sign:
            self._ends_inside(opened)
        elif self._comment(at):
            return
        elif sign in "}]":
            self._fail(
                at,
                at + 1,
                Told(
                    "`{sign}` does not close the `{bracket}` of line {line}",
                    sign=sign,
                    bracket=bracket,
                    line=str(self._line(opened)),
                ),
                None,
                opened,
            )
        elif sign == ":" and not is_object:
            self._fail(at, at + 1, Told("unexpected `:` in a list"), Told("keys go in `{ }`"))
        else:
            self._fail(
                at,
                at + 1,
                Told("unexpected `{text}`", text=_shown(sign)),
                Told("a comma is missing before it") if sign in '"{[' or sign.isalnum() else None,
            )

    def _ends_inside(self, opened: int) -> None:
        end = len(self.text.rstrip())
        bracket = self.text[opened]
        self._fail(
            end - 1,
            end,
            Told("the file ends inside a `{bracket}`", bracket=bracket),
            Told("close it, unless the file is cut off"),
            opened,
        )

    def _comment(self, at: int) -> bool:
        """Whether a comment starts here, which is then the error."""
        if not self.text.startswith(_COMMENTS, at):
            return False
        self._fail(
            at, at + (1 if self.text[at] == "#" else 2), Told("JSON has no comments"), Told("leave the comment out")
        )
        return True

    def _line(self, at: int) -> int:
        return self.file.line_column(at)[0]

    def _enter(self, innermost: _Open, at: int) -> int | None:
        """Enter the next member of the innermost bracket; returns where its value starts."""
        opened, keys = innermost
        if keys is None:
            return at
        match = STRING.match(self.text, at)
        if match is None:
            self._bad_key(at, opened)
            return None
        key = json.loads(match.group())
        if key in keys:
            first = Span(self.file, keys[key], keys[key] + 1)
            span = Span(self.file, match.start(), match.end())
            label = Label(first, Told("first here"))
            self._problem = Diagnostic(
                "PW701",
                Told("the key `{name}` appears twice", name=_shown(key)),
                span,
                labels=(label,),
                help=Told("keep one of them"),
            )
            return None
        keys[key] = match.start()
        colon = skip_space(self.text, match.end())
        if self.text[colon : colon + 1] != ":":
            self._fail(colon, colon + 1, Told("a `:` is missing after the key `{name}`", name=_shown(key)))
            return None
        return colon + 1

    def _bad_key(self, at: int, opened: int) -> None:
        sign = self.text[at : at + 1]
        if not sign:
            self._ends_inside(opened)
        elif sign == '"':
            self._bad_string(at)
        elif self._comment(at):
            return
        elif sign == "'":
            self._fail(at, at + 1, Told("unexpected `'`"), Told('texts go between `"`'))
        else:
            self._fail(
                at,
                at + 1,
                Told("unexpected `{text}`, a key belongs here", text=_shown(sign)),
                Told('keys go between `"`'),
            )

    def _bad_string(self, at: int) -> None:
        opened = _OPENED.match(self.text, at)
        end = opened.end() if opened else at + 1
        sign = self.text[end : end + 1]
        if sign == "\\":
            self._fail(end, end + 2, Told("this escape does not exist in JSON"), Told("write a backslash as `\\\\`"))
        elif sign not in ("", "\r", "\n") and sign < " ":
            self._fail(
                end,
                end + 1,
                Told("there is a control character in a text"),
                Told("write it as an escape such as `\\n`"),
            )
        else:
            self._fail(at, at + 1, Told("the text is never closed"), Told('end it with `"` on the same line'))

    def _scalar(self, at: int, stack: list[_Open]) -> int | None:
        text = self.text
        sign = text[at : at + 1]
        if not sign:
            end = len(text.rstrip())
            opened = stack[-1][0] if stack else None
            self._fail(
                end - 1, end, Told("the file ends where a value is needed"), Told("is the file cut off?"), opened
            )
            return None
        if sign == '"':
            match = STRING.match(text, at)
            if match is None:
                self._bad_string(at)
                return None
            return match.end()
        match = _NUMBER.match(text, at)
        if match and match.end() > at:
            return self._number(match.group(), at, match.end())
        word = _WORD.match(text, at)
        if word:
            if word.group() in ("true", "false", "null"):
                return word.end()
            self._bad_word(word.group(), at, word.end())
            return None
        if sign == "'":
            self._fail(at, at + 1, Told("unexpected `'`"), Told('texts go between `"`'))
        elif text.startswith("-Infinity", at):
            self._fail(at, at + len("-Infinity"), Told("`{text}` is not a number in JSON", text="-Infinity"))
        elif not self._comment(at):
            self._fail(at, at + 1, Told("unexpected `{text}`, a value is needed", text=_shown(sign)))
        return None

    def _number(self, number: str, at: int, end: int) -> int | None:
        following = self.text[end : end + 1]
        if following.isalnum() or following == ".":
            self._fail(
                at, end + 1, Told("this is not a number"), Told("numbers have no leading zeros and no signs but `-`")
            )
            return None
        whole = number.lstrip("-").isdigit()
        if (whole and len(number) > MAX_DIGITS) or (not whole and abs(float(number)) == float("inf")):
            self._fail(at, end, Told("the number is too large"))
            return None
        return end

    def _bad_word(self, word: str, at: int, end: int) -> None:
        if word in ("NaN", "Infinity"):
            self._fail(at, end, Told("`{text}` is not a number in JSON", text=word))
        elif word in ("True", "False", "None"):
            self._fail(
                at,
                end,
                Told("unexpected `{text}`", text=word),
                Told("write {instead}", instead={"True": "`true`", "False": "`false`", "None": "`null`"}[word]),
            )
        else:
            self._fail(at, end, Told("unexpected `{text}`", text=_shown(word)), Told('texts go between `"`'))


def skip_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _shown(text: str) -> str:
    # Between signs of JSON, a narrow space is not seen.
    clean = escape(text[:_MAX_SHOWN]).replace(NARROW, ascii(NARROW)[1:-1])
    return shorten(clean if len(text) <= _MAX_SHOWN else clean + "…", _MAX_SHOWN)


def packed_data(data: bytes, name: str) -> Diagnostic | None:
    """The message for compressed data in a file whose name does not say so; None for other data."""
    for magic, message, suffix in _MAGIC:
        if data.startswith(magic):
            # Standard input and bytes have no name that could say so.
            is_named = suffix and not name.startswith("<")
            help_line = Told("end its name in `{suffix}`", suffix=suffix) if is_named else Told("unpack it first")
            return Diagnostic("PW703", Told(message), file=name, help=help_line)
    return None


def decode_bytes(
    data: bytes, name: str, limit: int = MAX_FILE, first_line: int = 1, encoding: str = "utf-8"
) -> Result[SourceFile]:
    """The text of a file's bytes, or why it has none: too large, an archive, not UTF-8 (or another `encoding`)."""
    if len(data) > limit:
        return _unreadable(name, Told("larger than {size} MiB, the limit for one text", size=limit >> 20))
    packed = packed_data(data, name)
    if packed is not None:
        return Result(None, (packed,))
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _unreadable(name, Told("the text is UTF-16"), Told("save it as UTF-8"))
    nul = data.find(b"\0")
    if nul >= 0:
        read = SourceFile(name, data[: nul + 1].decode("utf-8-sig", "replace"), first_line)
        span = Span(read, len(read.text) - 1, len(read.text))
        return Result(
            None, (Diagnostic("PW703", Told("there is a NUL character here: this is binary data, not text"), span),)
        )
    try:
        text = (data.removeprefix(BOM_UTF8) if encoding == "utf-8" else data).decode(encoding)
    except UnicodeDecodeError as error:
        # The place counts from after the byte order mark, which `error.object` no longer contains.
        good = SourceFile(name, error.object[: error.start].decode("utf-8") + "\ufffd", first_line)
        span = Span(good, len(good.text) - 1, len(good.text))
        return Result(
            None, (Diagnostic("PW703", Told("the file is not UTF-8 text"), span, help=Told("save it as UTF-8")),)
        )
    return Result(SourceFile(name, text, first_line))


def _unreadable(name: str, message: str, help_line: str | None = None) -> Result[Any]:
    return Result(None, (Diagnostic("PW703", message, file=name, help=help_line),))
