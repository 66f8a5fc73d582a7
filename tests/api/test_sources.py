"""Records as callers hand them in: every form is read or gets a finding, and none ends a stream."""

from __future__ import annotations

import json
from collections import ChainMap, OrderedDict, UserDict, UserList
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

import pwtool

CLEAN = Path(__file__).resolve().parents[2] / "examples" / "records" / "clean.json"


def _record() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(CLEAN.read_text("utf-8"))
    return data


def _deep(levels: int) -> list[Any]:
    outer: list[Any] = []
    for _ in range(levels):
        outer = [outer]
    return outer


def _circle() -> dict[str, Any]:
    data = _record()
    data["meta"] = {"again": data}
    return data


def _proxied(value: Any) -> Any:
    """The same value with no dictionary and no list in it."""
    if isinstance(value, dict):
        return MappingProxyType({key: _proxied(inner) for key, inner in value.items()})
    return UserList(map(_proxied, value)) if isinstance(value, list) else value


WRONG = {
    "deep": ({"meta": {"a": _deep(20_000)}}, "nested more than 100 levels", "meta"),
    "just too deep": ({"meta": {"a": _deep(150)}}, "nested more than 100 levels", None),
    "long number": ({"meta": {"a": 10**5000}}, "number is too large", "meta"),
    "large number": ({"meta": {"a": 10**40}}, "number is too large", None),
    "long key": ({"meta": {10**5000: 1}}, "key is too large", "meta"),
    "bytes": ({"id": b"x"}, "no value of the type `bytes`", "id"),
    "set": ({"players": {"Ana", "Ben"}}, "no value of the type `set`", "players"),
    "object": ({"id": object()}, "no value of the type `object`", "id"),
    "tuple as key": ({"meta": {(1, 2): 1}}, "a key is of the type `tuple`", "meta"),
    "not a number": ({"meta": {"a": float("nan")}}, "not a number in JSON", None),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_value_is_a_finding(name: str) -> None:
    change, message, first = WRONG[name]
    data = _record() | change
    verdict = pwtool.check(data)
    assert verdict.status == "unreadable" and message in verdict.findings[0].message
    assert verdict.findings[0].code == "PW701" and "<record>" in verdict.report()
    assert first is None or verdict.findings[0].path[:1] == (first,)
    with pytest.raises(pwtool.RecordError, match="PW701"):
        pwtool.replay(data)
    assert [v.status for v in pwtool.check_many([data, _record()])] == ["unreadable", "clean"]


def test_a_record_that_holds_itself_is_a_finding() -> None:
    data = _circle()
    assert "nested more than 100 levels" in pwtool.check(data).findings[0].message
    assert [v.status for v in pwtool.check_many([data, _record()])] == ["unreadable", "clean"]


@pytest.mark.parametrize(
    "form", [MappingProxyType, UserDict, OrderedDict, ChainMap, _proxied, lambda d: d | {"turns": tuple(d["turns"])}]
)
def test_every_mapping_and_sequence_is_read(form: Any) -> None:
    data = form(_record())
    assert pwtool.check(data).clean
    assert pwtool.replay(data).record == pwtool.replay(CLEAN).record
    assert [v.clean for v in pwtool.check_many(data)] == [True]


def test_a_text_of_several_games_is_named_in_short() -> None:
    with pytest.raises(ValueError, match="is not one game; check_many") as raised:
        pwtool.check("1. e4 e5 *\n\n" * 1000)
    assert len(str(raised.value)) < 200


def test_a_failing_mapping_is_its_own_fault() -> None:
    class Failing(UserDict[str, Any]):
        def __getitem__(self, key: str) -> Any:
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        pwtool.check(Failing(_record()))


def test_text_is_told_from_a_path() -> None:
    text = CLEAN.read_text("utf-8")
    for form in ("\ufeff" + text, ("\ufeff" + text).encode(), "\n " + text):
        assert pwtool.check(form).clean
    for wrong in ("[1, 2]", " [1,\n2]", "\ufeff[]", "[" * 200):
        verdict = pwtool.check(wrong)
        assert verdict.status == "unreadable" and verdict.findings[0].code in ("PW701", "PW702"), wrong


@pytest.mark.parametrize("source", [None, 5, [], bytearray(b"{}"), memoryview(b"{}")])
def test_what_is_no_record_at_all_is_a_type_error(source: Any) -> None:
    for judge in (pwtool.check, pwtool.replay, lambda s: list(pwtool.check_many([s]))):
        with pytest.raises(TypeError, match="a record is a path, a text, bytes or a mapping"):
            judge(source)
