"""JSON text: strict, never raising, every finding and every value at its place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtool.formats.json_text import JsonMap, decode_bytes, load_json
from pwtool.source import SourceFile

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    found = [(at, value)]
    if isinstance(value, dict):
        for key, item in value.items():
            found += paths(item, (*at, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            found += paths(item, (*at, number))
    return found


@given(VALUES, st.sampled_from([None, 1, 2]))
def test_valid_json_is_read_and_every_value_is_found(value: Any, indent: int | None) -> None:
    file = SourceFile("x.json", json.dumps(value, indent=indent, ensure_ascii=False))
    surrogates = any(0xD800 <= ord(c) <= 0xDFFF for c in file.text)
    result = load_json(file)
    if value is None or surrogates:
        return
    assert result.value == value and not result.diagnostics
    places = JsonMap(file)
    for path, item in paths(value):
        assert json.loads(places.span(path).text) == item


@given(st.text(max_size=60))
def test_any_text_gives_a_value_or_a_finding_with_a_place(text: str) -> None:
    result = load_json(SourceFile("x.json", text))
    try:
        expected = json.loads(text)
    except (ValueError, RecursionError):
        expected = None
    if result.value is None:
        assert result.diagnostics[0].code == "PW701" and result.diagnostics[0].span is not None
        assert result.diagnostics[0].span.line >= 1
    else:
        assert result.value == expected


@given(st.integers(0, 200), st.sampled_from(list('{}[],:"0 a\\\n')))
def test_damaged_json_never_raises(at: int, sign: str) -> None:
    text = json.dumps(
        {"format": "pwtool/1", "players": ["A", "B"], "turns": [{"player": "A", "actions": [{"n": 1.5}]}]}
    )
    load_json(SourceFile("x.json", text[: at % len(text)] + sign + text[at % len(text) :]))


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ('{"a": 1, "a": 2}', (1, 10), "the key `a` is there twice"),
        ('{"a": NaN}', (1, 7), "`NaN` is no number in JSON"),
        ('{"a": -Infinity}', (1, 7), "unexpected `-`, a value is needed"),
        ('{"a": 1e999}', (1, 7), "the number is too large"),
        ('{"a": ' + "9" * 5000 + "}", (1, 7), "the number is too large"),
        ('[1, 2,]', (1, 6), "a comma too many"),
        ("{'a': 1}", (1, 2), "unexpected `'`"),
        ('{"a": True}', (1, 7), "unexpected `True`"),
        ('{"a": 1} x', (1, 10), "there is more text after the end of the value"),
        ('{"a": "x\n"}', (1, 7), "the text is never closed"),
        ('{"a": "\\q"}', (1, 8), "this escape does not exist in JSON"),
        ('{"a": 1 "b": 2}', (1, 9), 'unexpected `"`'),
        ('{"a" 1}', (1, 6), "a `:` is missing after the key `a`"),
        ('{\n  "a": [1, 2\n', (2, 13), "the file ends inside of a `[`"),
        ("", (1, 1), "the file is empty"),
        ("null", (1, 1), "the text is `null`, no record"),
        ('{"a": 01}', (1, 7), "this is no number"),
        ("// x\n{}", (1, 1), "JSON has no comments"),
        ('["\\ud800"]', (1, 2), "the text holds half of a character"),
        ("[" * 101 + "]" * 101, (1, 101), "nested more than 100 levels deep"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_at_its_place(text: str, place: tuple[int, int], message: str) -> None:
    result = load_json(SourceFile("x.json", text))
    assert result.value is None
    finding = result.diagnostics[0]
    assert finding.message == message
    assert finding.span is not None and (finding.span.line, finding.span.column) == place


def test_a_missing_path_gives_the_innermost_value_on_the_way() -> None:
    file = SourceFile("x.json", '{"a": {"b": [1, 2]}}')
    assert JsonMap(file).span(("a", "b", 7, "x")).text == "[1, 2]"
    assert JsonMap(file).span(("z",)).text == file.text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK\x03\x04rest", "a zip archive"), (b"\x1f\x8brest", "a gzip file"), (b"\xff\xfe{\x00}\x00", "UTF-16"),
        (b"{\x00}", "a binary file"), (b'{"a": "\xff"}', "not UTF-8"),
    ],
)  # fmt: skip
def test_bytes_that_are_no_text(data: bytes, message: str) -> None:
    result = decode_bytes(data, "x.json")
    assert result.value is None and message in result.diagnostics[0].message


def test_a_bom_is_no_mistake_and_a_bad_byte_has_its_place() -> None:
    assert load_json(decode_bytes(b"\xef\xbb\xbf{}", "x").value or SourceFile("x", "")).value == {}
    finding = decode_bytes(b'{\n "a": "\xff"}', "x.json").diagnostics[0]
    assert finding.span is not None and (finding.span.line, finding.span.column) == (2, 8)


def test_too_large() -> None:
    result = decode_bytes(b" " * (1 << 20) + b" ", "x.json", 1 << 20)
    assert "larger than 1 MiB" in result.diagnostics[0].message
