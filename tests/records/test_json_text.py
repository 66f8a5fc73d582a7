"""JSON text is read strictly, and each value has its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pwtool.records.file_names import STDIN
from pwtool.records.json_places import JsonMap
from pwtool.records.json_text import MAX_DEPTH, MAX_DIGITS, MAX_FILE, decode_bytes, load_json
from pwtool.text import Diagnostic, Result
from pwtool.text.files import open_regular
from pwtool.text.source import SourceFile, Span
from tests.daily import one_day_in

# Text without surrogates: what a file in UTF-8 can hold.
TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
NUMBER = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)
LAYOUT = st.sampled_from([None, 0, 2, "\t"])
DEEP = "[" * MAX_DEPTH + "]" * MAX_DEPTH


def read_file(path: Path, limit: int = MAX_FILE) -> Result[SourceFile]:
    """The text of a file, or why it cannot be read."""
    opened = open_regular(path)
    if isinstance(opened, Diagnostic):
        return Result(None, (opened,))
    with opened as stream:
        return decode_bytes(stream.read(limit + 1), str(path), limit)


def problem(text: str) -> Diagnostic:
    """The one finding that a text has."""
    result = load_json(SourceFile("game.json", text))
    assert result.value is None
    (found,) = result.diagnostics
    assert found.code == "PW701"
    assert found.span is not None
    return found


def place(found: Diagnostic) -> tuple[int, int]:
    assert found.span is not None
    return found.span.line, found.span.column


# text, line, column, a part of the message, a part of the help
BROKEN = [
    ("", 1, 1, "empty", None),
    (" \n\t", 1, 1, "empty", None),
    ('{"a": 1,\n "b": 2,\n}', 2, 8, "comma too many", "leave out"),
    ("[1, 2,]", 1, 6, "comma too many", "leave out"),
    ('{\n  "a": 1\n  "b": 2}', 3, 3, "unexpected", "a comma is missing"),
    ('{"a": 1 "b": 2}', 1, 9, 'unexpected `"`', "a comma is missing"),
    ("[1\n 2]", 2, 2, "unexpected `2`", "a comma is missing"),
    ("{'a': 1}", 1, 2, "unexpected `'`", 'texts go between `"`'),
    ("[1, 'a']", 1, 5, "unexpected `'`", 'texts go between `"`'),
    ("{a: 1}", 1, 2, "a key belongs here", 'keys go between `"`'),
    ("{1: 1}", 1, 2, "a key belongs here", 'keys go between `"`'),
    ('{"a" 1}', 1, 6, "a `:` is missing", None),
    ('["a": 1]', 1, 5, "unexpected `:`", "keys go in"),
    ("[1] 2", 1, 5, "more text after the end", None),
    ("[1]]", 1, 4, "more text after the end", None),
    ("// no\n[1]", 1, 1, "no comments", "leave the comment out"),
    ("[1, // no\n2]", 1, 5, "no comments", "leave the comment out"),
    ("[1 /* no */, 2]", 1, 4, "no comments", "leave the comment out"),
    ('{ # no\n"a": 1}', 1, 3, "no comments", "leave the comment out"),
    ("[1] // no", 1, 5, "no comments", "leave the comment out"),
    ('{"a": [1, 2}', 1, 12, "does not close the `[` of line 1", None),
    ('{"a": NaN}', 1, 7, "`NaN` is not a number", None),
    ("[Infinity]", 1, 2, "`Infinity` is not a number", None),
    ("[1,\n -Infinity]", 2, 2, "`-Infinity` is not a number", None),
    ("[True]", 1, 2, "unexpected `True`", "`true`"),
    ("[yes]", 1, 2, "unexpected `yes`", 'texts go between `"`'),
    ("[01]", 1, 2, "not a number", "leading zeros"),
    ("[1.]", 1, 2, "not a number", None),
    ("[1, 1e999]", 1, 5, "too large", None),
    ("[-1e999]", 1, 2, "too large", None),
    (f"[{'9' * (MAX_DIGITS + 1)}]", 1, 2, "too large", None),
    (f"[{'9' * 100_000}]", 1, 2, "too large", None),
    ('["a\\q"]', 1, 4, "escape", "backslash"),
    ('["a\\u12"]', 1, 4, "escape", None),
    ('["a\tb"]', 1, 4, "control character", "escape"),
    ('["a\n"]', 1, 2, "never closed", None),
    ('["a\r\n"]', 1, 2, "never closed", None),
    ('["a', 1, 2, "never closed", None),
    ('{"a": 1, "b": 2,\n "a": 3}', 2, 2, "the key `a` appears twice", "keep one"),
    ('[{"x": {"k": 1, "\\u006b": 2}}]', 1, 17, "the key `k` appears twice", None),
    ('["a", "\\ud800"]', 1, 7, "half of a character", "both halves"),
    ('["\\uDE00\\uD83D"]', 1, 2, "half of a character", None),
    ('{"a": 1,\n "\\udfff": 2}', 2, 2, "half of a character", None),
    ('["a", "\ud800"]', 1, 7, "half of a character", None),
    ("\ufeff[]", 1, 1, "unexpected `\\ufeff`", None),
    ("[\x1b[31m]", 1, 2, "unexpected `\\u001b`", None),
    ("null", 1, 1, "not a record", None),
    ("[" + DEEP + "]", 1, MAX_DEPTH + 1, "levels deep", None),
    ("[" * 200_000, 1, MAX_DEPTH + 1, "levels deep", None),
    ('{"a":' * 200_000, 1, MAX_DEPTH * 5 + 1, "levels deep", None),
]


@pytest.mark.parametrize(("text", "line", "column", "message", "advice"), BROKEN, ids=range(len(BROKEN)))
def test_what_is_wrong_is_found_where_it_is(
    text: str, line: int, column: int, message: str, advice: str | None
) -> None:
    found = problem(text)
    assert place(found) == (line, column)
    assert message in found.message
    if advice is not None:
        assert advice in (found.help or "")
    for wording in (found.message, found.help or ""):
        assert not wording.endswith(".")
        assert wording.isprintable()


@pytest.mark.parametrize(
    ("text", "opened"),
    [('{"a": [1, 2],\n "b": [3,\n 4', (2, 7)), ('[\n{"a": 1', (2, 1)), ('[\n{"a": 1,', (2, 1)), ('{"a":\n', (1, 1)), ("[", (1, 1))],
)  # fmt: skip
def test_a_bracket_that_is_never_closed_is_pointed_at(text: str, opened: tuple[int, int]) -> None:
    found = problem(text)
    assert "the file ends" in found.message
    (label,) = found.labels
    assert (label.span.line, label.span.column) == opened
    assert "never closed" in label.text


def test_the_end_of_the_file_is_its_last_sign_not_the_space_after_it() -> None:
    assert place(problem('{"a": [1\n\n\n')) == (1, 8)


@pytest.mark.parametrize("text", ['{"format"', '{"a": 1', '{"a":', "[1,", '{"a', '{"a": "b', "{", "[", "tru"])
@pytest.mark.parametrize("end", ["\n", "\r\n", " \n\n"])
def test_what_is_missing_at_the_end_is_missing_in_the_line_that_ends(text: str, end: str) -> None:
    """Never in the empty line behind it: in an archive that is another game's."""
    (found,) = load_json(SourceFile("games.jsonl", text + end, first_line=7)).diagnostics
    assert found.span is not None and found.span.line == 7


def test_the_first_of_two_keys_is_shown_too() -> None:
    (label,) = problem('{"a": 1,\n "b": {"a": 2},\n "a": 3}').labels
    assert (label.span.line, label.span.column) == (1, 2)


def test_brackets_inside_of_texts_do_not_count_as_depth() -> None:
    assert load_json(SourceFile("x", json.dumps(["[{" * 500]))).value == ["[{" * 500]
    # Closing ones do not make room for more either.
    assert "levels deep" in problem(json.dumps(["]" * 500, "x"])[:-1] + "," + DEEP + "]").message


def test_the_deepest_nesting_allowed_is_read() -> None:
    assert load_json(SourceFile("x", DEEP)).ok
    assert load_json(SourceFile("x", "[" + ",".join(["[]"] * 5000) + "]")).ok


def test_the_largest_numbers_allowed_are_read() -> None:
    text = f"[{'9' * MAX_DIGITS}, 1e308, -0, 0.5e-999]"
    assert load_json(SourceFile("x", text)).value == json.loads(text)


def test_both_halves_of_a_character_are_one() -> None:
    assert load_json(SourceFile("x", '["\\ud83d\\ude00", "\\\\ud800"]')).value == ["\U0001f600", "\\ud800"]


@given(VALUES, LAYOUT, st.booleans())
def test_valid_json_is_read_as_usual(value: Any, indent: int | str | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    result = load_json(SourceFile("x", text))
    if value is None:
        assert not result.ok
    else:
        assert result.diagnostics == ()
        assert result.value == json.loads(text)
        assert json.dumps(result.value) == json.dumps(value)


def strict(text: str) -> bool:
    """Whether the standard parser takes a text, by the same demands."""

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(members)) < len(members):
            raise ValueError
        return dict(members)

    def refuse(word: str) -> Any:
        raise ValueError(word)

    def number(word: str) -> float:
        if abs(float(word)) == float("inf"):
            raise ValueError
        return float(word)

    def integer(word: str) -> int:
        if len(word) > MAX_DIGITS:
            raise ValueError
        return int(word)

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=refuse, parse_float=number, parse_int=integer)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        return False
    return value is not None


def check_verdict(text: str) -> None:
    result = load_json(SourceFile("x", text))
    assert result.ok == strict(text)
    if not result.ok:
        (found,) = result.diagnostics
        assert found.span is not None
        assert 0 <= found.span.start <= found.span.end <= len(text)
        assert found.message.isprintable()
        # A refusal always knows its reason.
        assert found.message != "this is not valid JSON"
    JsonMap(SourceFile("x", text)).span(("a", 0, "b"))


@given(st.text(max_size=40) | st.text("[]{},:\"0123.eE+-\\untrfalse \n/#'", max_size=40))
@example("\u202f")
@settings(max_examples=300)
def test_garbage_is_refused_with_a_place(text: str) -> None:
    check_verdict(text)


@one_day_in(8)
@given(VALUES, LAYOUT, st.data())
@settings(max_examples=300)
def test_damaged_json_is_judged_like_the_standard_parser_does(value: Any, indent: int | str | None, data: Any) -> None:
    text = json.dumps([value, value], indent=indent, ensure_ascii=False)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 2))
        text = (
            text[:at]
            + data.draw(st.sampled_from([*'[]{},:"\\1e.-/ \n', "", "nul", "NaN", "\ud800"]))
            + text[at + cut :]
        )
    check_verdict(text)


def paths(value: Any, at: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    """Every value inside of a value, with its path."""
    members: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        members = list(value.items())
    elif isinstance(value, list):
        members = list(enumerate(value))
    return [(at, value), *(found for key, inner in members for found in paths(inner, (*at, key)))]


@given(VALUES, LAYOUT, st.booleans())
def test_every_value_is_where_it_is_said_to_be(value: Any, indent: int | str | None, ascii_only: bool) -> None:
    file = SourceFile("x", json.dumps(value, indent=indent, ensure_ascii=ascii_only))
    places = JsonMap(file)
    for path, inner in paths(value):
        span = places.span(path)
        assert json.dumps(json.loads(span.text)) == json.dumps(inner)
        assert span.text == span.text.strip()


def locate(file: SourceFile, path: tuple[str | int, ...]) -> Span:
    return JsonMap(file).span(path)


def test_a_place_by_its_path() -> None:
    file = SourceFile("x", '{\n  "a": [1, {"b c": "two"}],\n  "": null\n}')
    assert locate(file, ("a", 1, "b c")).text == '"two"'
    assert str(locate(file, ("a", 1, "b c"))) == "x:2:20"
    assert locate(file, ("",)).text == "null"
    assert locate(file, ()).text == file.text


def test_a_path_that_leads_nowhere_gives_the_nearest_value_on_it() -> None:
    file = SourceFile("x", '{"a": [1, {"b": 2}]}')
    assert locate(file, ("a", 1, "c", "d")).text == '{"b": 2}'
    assert locate(file, ("a", 7)).text == '[1, {"b": 2}]'
    assert locate(file, ("z",)).text == file.text
    assert locate(SourceFile("x", ""), ("a",)).text == ""


def test_places_in_deep_and_broken_text_do_not_crash() -> None:
    assert locate(SourceFile("x", "[" * 100_000), (0,) * 5).start == 0
    assert locate(SourceFile("x", '{"a": 1, "b": '), ("a",)).text == "1"


def test_a_line_of_an_archive_keeps_its_number() -> None:
    found = load_json(SourceFile("games.jsonl", '{"a": }', first_line=17)).diagnostics[0]
    assert str(found.span) == "games.jsonl:17:7"


# --- bytes and files


def refused(result: Result[SourceFile]) -> Diagnostic:
    assert result.value is None
    (found,) = result.diagnostics
    assert found.code == "PW703"
    return found


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    file = decode_bytes(b"\xef\xbb\xbf[1]", "x").value
    assert file is not None
    assert file.text == "[1]"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("bad", [b"\xe9", b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\xe2\x82"])
def test_a_byte_that_is_not_utf8_is_found_where_it_is(mark: bytes, bad: bytes) -> None:
    found = refused(decode_bytes(mark + '{\n "é€": "caf'.encode() + bad + b'"}', "game.json"))
    assert str(found.span) == "game.json:2:12"
    assert "UTF-8" in found.message
    assert found.help


def test_the_bad_byte_in_a_line_of_an_archive() -> None:
    assert str(refused(decode_bytes(b'{"a": "\xff"}', "games.jsonl", 100, 9)).span) == "games.jsonl:9:8"


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"PK\x03\x04rest", "a zip archive"), (b"PK\x05\x06" + b"\0" * 18, "a zip archive"), (b"\x1f\x8b\x08rest", "a gzip file"),
        (b"BZh91AY", "a bzip2 file"), (b"\xfd7zXZ\0", "an xz file"), (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (b"\x28\xb5\x2f\xfdx", "a zstd file"),
    ],
)  # fmt: skip
def test_a_packed_file_is_called_what_it_is(data: bytes, what: str) -> None:
    found = refused(decode_bytes(data, "x"))
    assert what in found.message
    ends = {"a zip archive": ".zip", "a gzip file": ".gz", "a zstd file": ".zst", "an xz file": ".xz"}
    assert found.help == (f"end its name in `{ends[what]}`" if what in ends else "unpack it first")
    assert refused(decode_bytes(data, STDIN)).help == "unpack it first"


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff", b"[1]\0", b"\0"])
def test_a_binary_file_is_called_what_it_is(data: bytes) -> None:
    assert "binary" in refused(decode_bytes(data, "x")).message


def test_utf16_is_called_what_it_is() -> None:
    assert "UTF-16" in refused(decode_bytes("[1]".encode("utf-16"), "x")).message


def test_the_limit_is_named() -> None:
    limit = 1 << 20
    assert decode_bytes(b" " * limit, "x", limit).ok
    assert "1 MiB" in refused(decode_bytes(b" " * (limit + 1), "x", limit)).message


@given(st.binary(max_size=60))
def test_bytes_never_crash(data: bytes) -> None:
    result = decode_bytes(data, "x")
    if result.value is None:
        refused(result)
    else:
        assert result.value.text == data.decode("utf-8-sig")
        load_json(result.value)


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "spiel äö.json"
    path.write_bytes('["é"]\r\n'.encode())
    file = read_file(path).value
    assert file is not None
    assert file.name == str(path)
    assert load_json(file).value == ["é"]


def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    assert "no such file" in refused(read_file(tmp_path / "none.json")).message
    assert "folder" in refused(read_file(tmp_path)).message
    assert refused(read_file(tmp_path / ("x" * 5000))).message.startswith("cannot be read: ")
    assert refused(read_file(Path("a\0b"))).message.startswith("cannot be read: ")
    assert refused(read_file(tmp_path / "none.json")).file == str(tmp_path / "none.json")


def test_a_file_that_may_not_be_read_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed.json").write_text("{}", "utf-8")

    # The superuser may read everything, so the refusal is made here.
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pwtool.text.files._Steady", refuse)
    assert "may not be read" in refused(read_file(tmp_path / "closed.json")).message


def test_a_file_over_the_limit_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    path.write_bytes(b" " * ((1 << 20) + 1))
    assert "1 MiB" in refused(read_file(path, 1 << 20)).message
