"""Records are written so that a person can read them, and read back as they were."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from pwtool.records.record_text import format_record
from tests.daily import one_day_in


def test_a_record_is_written_readably() -> None:
    record = {
        "format": "pwtool/1",
        "players": ["a", "b"],
        "setup": {"start": {"a": "A1"}, "supply": [["x", "y"], []], "tokens": []},
        "turns": [
            {"player": "a", "actions": [{"action": "go", "cards": {"1": "x"}}, {"action": "stop"}], "note": "é"},
            {"player": "b", "actions": []},
        ],
        "result": {"scores": {"a": 1}, "ranking": [["a"], ["b"]]},
    }
    assert (
        format_record(record)
        == """\
{
  "format": "pwtool/1",
  "players": ["a", "b"],
  "setup": {
    "start": {"a": "A1"},
    "supply": [
      ["x", "y"],
      []
    ],
    "tokens": []
  },
  "turns": [
    {"player": "a", "actions": [
      {"action": "go", "cards": {"1": "x"}},
      {"action": "stop"}
    ], "note": "é"},
    {"player": "b", "actions": []}
  ],
  "result": {
    "scores": {"a": 1},
    "ranking": [
      ["a"],
      ["b"]
    ]
  }
}
"""
    )
    assert format_record({}) == "{}\n"


json_objects = st.dictionaries(
    st.text(max_size=5) | st.sampled_from(["turns", "setup"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5) | st.just("actions"), inner, max_size=4)
        ),
        max_leaves=12,
    ),
    max_size=5,
)


@one_day_in(8)
@given(json_objects)
@settings(max_examples=150, deadline=None)
def test_the_text_of_a_record_reads_back(record: dict[str, object]) -> None:
    text = format_record(record)
    assert json.loads(text) == record
    assert text.encode("utf-8")


def test_a_lone_surrogate_can_be_written() -> None:
    record: dict[str, object] = {"id": "\ud800"}
    assert json.loads(format_record(record).encode("utf-8")) == record
