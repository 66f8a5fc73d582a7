"""Lines with heads: their color, and what goes on behind them on a narrow terminal."""

from __future__ import annotations

import re

import pytest

from pwtool.cli.app import run
from pwtool.show.text.comparing import text_head
from pwtool.show.text.studies import study_head
from pwtool.text.terminal import BLUE, BOLD, laid_out
from tests.daily import one_day_in

LINES = [
    "first   paper_world/en",
    "",
    "What changes play or result",
    "  rule grab.which_card: different; the second allows more",
    "    first   The token is taken for the card that was just placed: require at == fresh",
    '            (English rulebook, "The scissors token"; also BGA, and a few words more that do not fit)',
    "    shown by place grab place",
    "3 differences in play or result, besides 1 item of material; 115 items are the same word for word",
]


@pytest.mark.parametrize("width", [30, 40, 60])
def test_nothing_is_wider_than_the_terminal_and_no_word_is_broken(width: int) -> None:
    laid = list(laid_out(LINES, text_head, width, False))
    assert max(map(len, laid)) <= width
    assert " ".join(laid).split() == " ".join(LINES).split()


def test_a_text_goes_on_behind_its_head() -> None:
    laid = list(laid_out(LINES, text_head, 60, False))
    at = laid.index("    first   The token is taken for the card that was just")
    assert laid[at + 1] == "            placed: require at == fresh"
    assert laid[at + 3] == "            BGA, and a few words more that do not fit)"


def test_without_a_terminal_and_without_color_lines_stay_as_they_are() -> None:
    assert list(laid_out(LINES, text_head, None, False)) == LINES


def test_heads_have_their_colors() -> None:
    laid = list(laid_out(LINES, text_head, None, True))
    assert laid[0] == f"\x1b[{BLUE}mfirst   \x1b[0mpaper_world/en"
    assert laid[2] == f"\x1b[{BOLD}mWhat changes play or result\x1b[0m"
    assert laid[3].startswith(f"\x1b[{BOLD}m  rule grab.which_card\x1b[0m: different")
    assert laid[5] == LINES[5] and laid[7] == LINES[7]
    [study] = laid_out(["  boards      1 in 9.55"], study_head, None, True)
    assert study == f"\x1b[{BLUE}m  boards      \x1b[0m1 in 9.55"


def test_what_a_file_says_has_no_color_of_its_own() -> None:
    [line] = laid_out(["    first   \x1b[31mred"], text_head, None, True)
    assert "\x1b[31m" not in line


@one_day_in(8)
@pytest.mark.parametrize("words", [["analyze", "paper_world/en:row_sum_9"], ["compare", "nim", "nim+misere"]])
def test_color_changes_no_word(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code = run(words)
    plain = capsys.readouterr().out
    assert run([*words, "--color", "always"]) == code
    colored = capsys.readouterr().out
    assert colored != plain
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == plain


def test_like_lines_about_objectives_are_one_unless_one_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["analyze", "paper_world/en", "--objective", "row_sum_9"]) == 0
    assert capsys.readouterr().out.count("apart from") > 10
    assert run(["analyze", "paper_world/en"]) == 0
    told = capsys.readouterr().out
    assert told.count("apart from") == told.count("\n  boards")
