"""Places as editors count them."""

from __future__ import annotations

import random

import pytest

from pwtool.lsp.model.text import Text, plain_lines

WORDS = ["a", "\n", "é", "\U0001f600", "\u2028", "\x0c", "zone", "  ", "\ud800", "漢"]


@pytest.mark.parametrize(
    ("encoding", "columns"), [("utf-16", [0, 1, 3, 4]), ("utf-8", [0, 1, 5, 6]), ("utf-32", [0, 1, 2, 3])]
)
def test_columns_are_counted_in_units(encoding: str, columns: list[int]) -> None:
    text = Text("a", "x\na\U0001f600b", encoding)
    assert [text.place(at) for at in range(2, 6)] == [(1, column) for column in columns]
    assert [text.offset(1, column) for column in columns] == [2, 3, 4, 5]


def test_what_lies_beyond_is_the_end() -> None:
    text = Text("a", "ab\ncd")
    assert text.offset(0, 99) == 2
    assert text.offset(9, 0) == 5
    assert text.offset(-1, 4) == 0
    assert text.place(99) == (1, 2)
    assert Text("a", "a\U0001f600b").offset(0, 2) == 1, "within a character is before it"


def test_line_ends_of_all_kinds_end_lines_and_nothing_else_does() -> None:
    assert plain_lines("a\r\nb\rc\nd") == "a\nb\nc\nd"
    text = Text("a", "a\u2028b\x0cc\x85d\ne")
    assert text.lines == 2 and text.line(0) == "a\u2028b\x0cc\x85d"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("encoding", ["utf-16", "utf-8", "utf-32"])
def test_there_and_back(encoding: str, seed: int) -> None:
    rng = random.Random(seed)
    text = Text("a", "".join(rng.choice(WORDS) for _ in range(60)), encoding)
    for at in range(len(text.text) + 1):
        assert text.offset(*text.place(at)) == at


def test_changes_at_places_of_a_text_with_wide_characters() -> None:
    text = Text("a", 'source en "\U0001f600 rules"\nplayers 2..2\n')
    changed = text.changed((0, 13), (0, 19), " book")
    assert changed.text == 'source en "\U0001f600 book"\nplayers 2..2\n'
    assert text.changed((1, 9), (0, 0), "").text == "..2\n", "ends may come first"
    assert text.changed((1, 0), (1, 0), "a\r\nb").text == 'source en "\U0001f600 rules"\na\nbplayers 2..2\n'
