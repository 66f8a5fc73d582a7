"""`pwtool test --mutate --add`: examples that would notice a change, written into the file; and as many told as counted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pwtool.checking import accepting
from pwtool.cli.app import run
from pwtool.lang.fmt.text import format_rules
from pwtool.text.source import SourceFile
from tests.daily import one_day_in

HOUSE = """edition house of paper_world/en "House"

# Two that look at each other.
objective bridge "Bridge: two cards of one value, a gap between" = some [ # _ # ] turned: same value

example bridge {
  yes [ Y3 . B3 ]
  yes [ Y3 / . / B3 ]
  no  [ Y3 . B4 ]
  no  [ Y3 B3 ]
}

objective high "A high row" = some row: sum value >= 12
example high { yes [ Y5 Y5 Y5 ]  no [ Y1 Y1 Y1 ] }

change rule turn.hand_limit "At most seven cards stay in hand" see taking
  require count hand <= 7
example turn.hand_limit {
  given hand = { Y1 Y1 Y1 Y1 Y1 Y1 Y1 Y1 Y1 }
  no
}
example turn.hand_limit {
  given hand = { Y1 }
  yes
}
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    path = tmp_path / "house.rules"
    path.write_text(HOUSE, "utf-8")
    return path


@one_day_in(7)
def test_what_is_suggested_is_added_beside_the_item(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["test", str(house), "--mutate", "--add"]) == 0
    said = capsys.readouterr().out
    added = re.search(r"house\.rules: (\d) examples added$", said, re.MULTILINE)
    assert added is not None
    # Some notice more than one change.
    assert int(added[1]) < len(re.findall("PW413", said))
    text = house.read_text("utf-8")
    assert text.startswith(HOUSE[: HOUSE.index("  no  [ Y3 B3 ]")]) and "  no  [ Y3 B3 ]\n  no  [ Y1 Y1 Y1 ]\n}" in text
    assert text.index("[ Y2 Y5 Y5 ]") < text.index("change rule") < text.rindex("example turn.hand_limit")
    assert format_rules(SourceFile("house.rules", text)).value == text
    assert run(["test", str(house), "--mutate"]) == 0
    said = capsys.readouterr().out
    assert "PW413" not in said and ", 0 failed" in said
    assert run(["test", str(house), "--mutate", "--add"]) == 0
    assert house.read_text("utf-8") == text and "added" not in capsys.readouterr().out


@one_day_in(8)
def test_line_ends_and_a_style_of_ones_own_stay(house: Path) -> None:
    own = HOUSE.replace("  require count", "     require count").replace("\n", "\r\n")
    house.write_bytes(own.encode())
    assert run(["test", str(house), "--mutate", "--add", "--only", "high"]) == 0
    data = house.read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n") and b"     require count" in data and b"[ Y2 Y5 Y5 ] " in data


@one_day_in(7)
def test_nothing_is_written_that_does_not_check(
    house: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = accepting.place_example

    def elsewhere(*arguments: object) -> object:
        found = real(*arguments)  # type: ignore[arg-type]
        return found and (*found[:3], found[3].replace("no ", "yes"))

    monkeypatch.setattr(accepting, "place_example", elsewhere)
    assert run(["test", str(house), "--mutate", "--add"]) == 0
    assert "nothing added, the file would not check" in capsys.readouterr().out
    assert house.read_text("utf-8") == HOUSE


def test_the_library_is_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["test", "paper_world", "--mutate", "--add", "--only", "two_5s"]) == 0
    said = capsys.readouterr().out
    assert "PW413" not in said or "the rules of the library stay as they are" in said


def test_it_is_asked_for_with_mutate(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["test", str(house), "--add"]) == 2
    assert "--mutate" in capsys.readouterr().err


@one_day_in(8)
def test_as_many_are_shown_as_are_counted(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["test", str(house), f"{house}+advanced", "--mutate", "--only", "high"]) == 0
    said = capsys.readouterr().out
    counts = [int(number) for number in re.findall(r"noticed by an example, (\d+) not", said)]
    assert len(counts) == 2 and sum(counts) == len(re.findall("PW413", said)) and all(counts)
