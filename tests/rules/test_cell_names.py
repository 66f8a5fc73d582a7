"""What people call the cells of a grid: in findings, pictures and records that are written by hand. It decides nothing."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.cli.app import run
from pwtool.comparing.rows import compare_rulesets
from pwtool.ir.grids import cells_of
from pwtool.lang.fmt.text import format_rules
from pwtool.play.game import Game
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.text.source import SourceFile
from pwtool.why.drawing import framed
from pwtool.why.examples import check_examples
from tests.daily import one_day_in, some
from tests.support import random_game, ruleset_store, without_package

ROOT = Path(__file__).resolve().parents[2]
TEXT = """
game g "G"
players 2..2
component card {{ value: 1..9 }}
deck cards of card = 2 all
{zone}
zone hand: bag of card per player
setup {{ deal hand "H": all of cards to hand by choice }}
turn = lay
action lay "Lay" (card: card from hand, at: cell of board) {{
  rule free "F" require board[at] is empty
  move card to board[at]
}}
ending full "E" when count board == 6 then stop
score points "P" = sum value of cards of board
ranking most total, shared
"""


EXAMPLE = "example lay.free { given hand = { F2 }  yes lay(F2, b1) }\n"


def loaded(tmp_path: Path, zone: str) -> tuple[Path, object]:
    path = tmp_path / "g.rules"
    path.write_text(TEXT.format(zone=zone), "utf-8")
    return path, load_ruleset(str(path), Library())


def names(address: str) -> dict[tuple[int, int], str]:
    ruleset = load_ruleset(address, Library()).value
    assert ruleset is not None
    zone = next(zone for zone in ruleset.zones.values() if zone.names_cells)
    return {cell: zone.own_name(cell) for cell in cells_of(zone.grid)}


@pytest.mark.parametrize(
    ("address", "known"),
    [
        ("chess", {(0, 0): "a8", (4, 7): "e1", (7, 7): "h1"}),
        ("othello", {(0, 0): "a1", (7, 7): "h8"}),
        ("go", {(0, 0): "A9", (7, 0): "H9", (8, 0): "J9", (8, 8): "J1"}),
        ("gomoku", {(0, 0): "a15", (8, 7): "i8", (14, 14): "o1"}),
        ("checkers", {(1, 0): "32", (0, 0): "", (6, 7): "1", (0, 7): "4", (7, 0): "29"}),
        ("nine_mens_morris", {(0, 0): "a7", (6, 6): "g1", (3, 5): "d2"}),
        ("connect_four", {(0, 5): "a1", (6, 0): "g6"}),
    ],
)
def test_shipped_boards(address: str, known: dict[tuple[int, int], str]) -> None:
    found = names(address)
    assert {cell: found[cell] for cell in known} == known
    own = [name for name in found.values() if name]
    assert len(own) == len(set(own))


@one_day_in(8)
@pytest.mark.parametrize("address", ["chess", "checkers", "go", "hex", "nine_mens_morris", "othello", "amazons"])
def test_a_game_is_written_with_them_and_read_back(address: str, tmp_path: Path) -> None:
    record, back = tmp_path / "g.json", tmp_path / "back.json"
    game = random_game(address, 2, 7, 60)[0]
    game.pop("result", None)
    record.write_text(json.dumps(game), "utf-8")
    assert run(["convert", str(record), "-o", str(tmp_path / "g.pwn")]) == 0
    written = (tmp_path / "g.pwn").read_text("utf-8")
    assert run(["convert", str(tmp_path / "g.pwn"), "-o", str(back)]) == 0
    assert json.loads(back.read_text("utf-8"))["turns"] == game["turns"]
    assert run(["check", str(tmp_path / "g.pwn")]) == 0
    known = {name.casefold() for name in names(address).values() if name}
    assert sum(word.casefold() in known for word in written.split()) > 3


def test_the_first_row_of_the_picture_is_the_one_that_is_named_first(tmp_path: Path) -> None:
    _, result = loaded(tmp_path, 'zone board: grid 3x2 of card named "x9".."z8"')
    zone = result.value.zones["board"]  # type: ignore[attr-defined]
    assert [zone.cell_name(cell) for cell in cells_of(zone.grid)] == ["x9", "y9", "z9", "x8", "y8", "z8"]
    assert zone.cell_named("Y8") == (1, 1) and zone.cell_named("y7") is None
    assert zone.cell_name((5, 5)) == "(5, 5)"
    _, result = loaded(tmp_path, "zone board: grid 3x2 of card named [ nw . ne / sw s se ]")
    zone = result.value.zones["board"]  # type: ignore[attr-defined]
    assert [zone.cell_name(cell) for cell in cells_of(zone.grid)] == ["nw", "(1, 0)", "ne", "sw", "s", "se"]


@pytest.mark.parametrize(
    ("zone", "code", "said"),
    [
        ('zone board: grid 3x2 of card named "a2".."d1"', "PW306", "these corners make 4x2 cells, the grid has 3x2"),
        ('zone board: grid 3x2 of card named "a1".."c1"', "PW306", "these corners make 3x1 cells, the grid has 3x2"),
        ('zone board: grid 3x2 of card named "a1".."last"', "PW306", "`last` is no letter with a number"),
        ('zone board: grid 3x2 of card named "1a".."c2"', "PW306", "`1a` is no letter with a number"),
        ('zone board: floating grid 3x2 of card named "a1".."c2"', "PW301", "that does not float"),
        ("zone board: grid 3x2 of card named [ a b / c d ]", "PW102", "this picture is 2x2, the grid 3x2"),
        ("zone board: grid 3x2 of card named [ a b c / d A e ]", "PW202", "two cells are called `A`"),
        ("zone board: grid 3x2 of card named [ a b c / d # e ]", "PW102", "`#` is no name of a cell"),
        ("zone board: grid 3x2 of card named [ a b c / d _ e ]", "PW102", "`_` is no name of a cell"),
        ('zone board: grid 8x2 of card named "a2".."i1"', "PW306", "these corners make 9x2 cells, the grid has 8x2"),
        ('zone board: grid 7x2 of card named "i2".."p1"', "PW306", "these corners make 8x2 cells, the grid has 7x2"),
        ('zone board: grid 3x2 of card named "a01".."c02"', "PW306", "these corners would be called `a1` and `c2`"),
        ('zone board: grid 3x2 of card named "a1".."C2"', "PW306", "these corners would be called `a1` and `c2`"),
        ("zone board: grid [ # . # / # # # ] of card named [ a b c / d e f ]", "PW102", "no cell here that could be called `b`"),
    ],
)  # fmt: skip
def test_names_that_do_not_fit(zone: str, code: str, said: str, tmp_path: Path) -> None:
    _, result = loaded(tmp_path, zone)
    found = [(d.code, str(d.message)) for d in result.diagnostics]  # type: ignore[attr-defined]
    assert [c for c, _ in found][:1] == [code] and said in found[0][1], found


@pytest.mark.parametrize(
    ("corners", "right"),
    [('"a2".."d1"', '"a2".."c1"'), ('"a1".."c1"', '"a1".."c2"'), ('"M9".."N4"', '"M5".."O4"'), ('"c1".."z2"', '"c1".."e2"'),
     ('"z1".."aa2"', '"z1".."ab2"'), ('"d2".."c1"', '"d2".."b1"'), ('"d2".."a1"', '"d2".."b1"')],
)  # fmt: skip
def test_the_corners_that_would_fit_are_said(corners: str, right: str, tmp_path: Path) -> None:
    _, result = loaded(tmp_path, f"zone board: grid 3x2 of card named {corners}")
    assert f"`named {right}`" in str(result.diagnostics[0].help)  # type: ignore[attr-defined]
    _, result = loaded(tmp_path, f"zone board: grid 3x2 of card named {right}")
    assert not result.diagnostics  # type: ignore[attr-defined]


def test_a_pile_has_no_cells_to_name(tmp_path: Path) -> None:
    _, result = loaded(tmp_path, 'zone board: grid 3x2 of card\nzone rest: pile of card named "a1".."a2"')
    assert "PW301" in {d.code for d in result.diagnostics}  # type: ignore[attr-defined]


def test_they_decide_nothing(tmp_path: Path) -> None:
    _, plain = loaded(tmp_path, "zone board: grid 3x2 of card")
    _, named = loaded(tmp_path, 'zone board: grid 3x2 of card named "a2".."c1"')
    first, second = plain.value, named.value  # type: ignore[attr-defined]
    assert first.version == second.version
    assert [row.name for row in compare_rulesets(Game(first), Game(second)) if row.nature != "wording"] == []


def test_a_file_is_formatted(tmp_path: Path) -> None:
    for zone in (
        'zone board: grid 3x2 of card named "a2".."c1" seen by all',
        "zone board: grid 3x2 of card named [ a b c / d e f ]",
    ):
        text = TEXT.format(zone=zone)
        formatted = format_rules(SourceFile("g.rules", text)).value
        assert formatted is not None and formatted == format_rules(SourceFile("g.rules", formatted)).value
        assert " ".join(zone.split()) in " ".join(formatted.split())


def test_everything_that_people_read_has_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    without_package(monkeypatch, "chess")
    game = random_game("chess", 2, 3, 6)[0]
    game["turns"] = game["turns"][:3]
    game.pop("result", None)
    game["turns"][2]["actions"] = [{"action": "step", "start": [0, 7], "target": [0, 0]}]
    path = tmp_path / "c.json"
    path.write_text(json.dumps(game), "utf-8")
    assert run(["check", str(path)]) == 1
    out = capsys.readouterr().out
    assert re.search(r"board +a +b +c +d +e +f +g +h\n +8 ", out) and "start = a1" in out and "target = a8" in out
    assert "(0, 7)" not in out and re.search(r"legal +step [a-h][1-8] target [a-h][1-8]", out)
    assert run(["legal", str(path), "--at", "1"]) == 0
    assert "step a2 target a4" in capsys.readouterr().out
    assert run(["replay", str(path), "--html", "-o", str(tmp_path / "c.html")]) == 1
    data = json.loads(re.search(r'class="data"[^>]*>(.*?)</script>', (tmp_path / "c.html").read_text("utf-8"), re.S)[1])  # type: ignore[index]
    board = next(place for place in data["places"] if place["k"] == "grid")
    assert board["c"] == list("abcdefgh") and board["r"] == list("87654321")
    assert run(["render", "[ bK ]", "--rules", "chess", "-o", str(tmp_path / "c.svg")]) == 0
    drawn = (tmp_path / "c.svg").read_text("utf-8")
    assert all(f">{letter}</text>" in drawn for letter in "abcdefgh12345678")


@pytest.mark.parametrize(
    ("grid", "picture", "lines"),
    [
        ("grid 3x2", "[ nw n ne / w s e ]", ["nw  X ne", "w  s  e"]),
        ("grid 3x2", "[ nw . ne / w s e ]", ["nw  X ne", "w  s  e"]),
        # A name that is also what lies there is told from it.
        ("grid 3x2", "[ a b O / d e f ]", [".a   X  .O", ".d  .e  .f"]),
        ("hex grid 3x2", "[ a b c / d e f ]", ["a   X   c", "  d   e   f"]),
        ("grid [ # # # / # . # ]", "[ a b c / d . f ]", ["a   X   c", "d       f"]),
    ],
)
def test_cells_with_names_of_their_own_are_drawn_with_them(
    grid: str, picture: str, lines: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "n.rules"
    text = (ROOT / "rulesets" / "classics" / "tic_tac_toe" / "game.rules").read_text("utf-8")
    text = text[: text.index("# ---- examples")].replace("== 9", "== 6")
    text = re.sub("(?m)^(shape line|ending line|score line).*\n", "", text)
    text = text.replace("ranking most total", 'score all "All" = count board\nranking most total')
    path.write_text(re.sub("zone board: .*", f"zone board: {grid} of mark named {picture}", text), "utf-8")
    rules = pwtool.load(path)
    record = {"format": "pwtool/1", "players": ["A", "B"], "setup": {}, "turns": []}
    start = rules.replay(record).at(1)
    said = start.play(next(a for a in start.legal() if a.arguments["at"] == [1, 0])).board().splitlines()
    assert [line.split() for line in said] == [line.split() for line in lines], said
    assert len({len(line) for line in said}) == 1 + (grid[0] == "h")
    (tmp_path / "r.json").write_text(json.dumps(record), "utf-8")
    assert run(["render", str(tmp_path / "r.json"), "--rules", str(path), "-o", str(tmp_path / "r.svg")]) == 0
    drawn = re.findall(r">([^<>]+)</text>", (tmp_path / "r.svg").read_text("utf-8"))
    assert set(re.findall("[A-Za-z]+", picture)) <= set(drawn) and not {"0", "1"} & set(drawn), drawn
    capsys.readouterr()


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        ('grid 3x2 of card named "a2".."c1"', ""),
        ("grid 3x2 of card named [ A2 b2 c2 / a1 b1 c1 ]", "`a2` is called `A2`"),
        ('grid 3x2 of card named "a1".."c2"', "`a2` is called `a1`, 5 more have other names"),
        ("grid 3x2 of card", "`a2` is called `(0, 0)`, 5 more have other names"),
    ],
)
def test_a_comparison_says_that_cells_have_other_names(zone: str, said: str, tmp_path: Path) -> None:
    _, first = loaded(tmp_path, 'zone board: grid 3x2 of card named "a2".."c1"')
    _, second = loaded(tmp_path, f"zone board: {zone}")
    rows = compare_rulesets(Game(first.value), Game(second.value))  # type: ignore[attr-defined]
    assert [row.proof for row in rows] == [said] * bool(said)
    assert all((row.nature, row.status) == ("wording", "reworded") for row in rows)


@pytest.mark.parametrize(
    ("address", "answer", "at"),
    [("othello", "F5", [5, 4]), ("checkers", "10-15", [4, 5]), ("tic_tac_toe", "B1", [1, 2])],
)
def test_a_person_answers_with_the_name(
    address: str, answer: str, at: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "r.json"
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{answer}\n{answer}\n15\nq\n"))
    assert run(["play", address, "--policy", "person", "--seed", "1", "-o", str(record)]) == 0
    action = json.loads(record.read_text("utf-8"))["turns"][0]["actions"][0]
    assert at in action.values()


def test_a_number_is_the_cell_and_not_a_place_in_a_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "rulesets" / "classics" / "tic_tac_toe" / "game.rules").read_text("utf-8")
    numbered = text.replace('named "a3".."c1"', "named [ 7 8 9 / 4 5 6 / 1 2 3 ]")
    (tmp_path / "t.rules").write_text(numbered, "utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO("10\n1\nq\n"))
    given = ["play", str(tmp_path / "t.rules"), "--policy", "person", "--seed", "1", "-o", str(tmp_path / "r.json")]
    assert run(given) == 0
    asked = capsys.readouterr().err
    assert "`10` is not one of the choices" in asked and "(one of these, q to stop)" in asked
    assert json.loads((tmp_path / "r.json").read_text("utf-8"))["turns"][0]["actions"][0]["at"] == [0, 2]


def test_a_second_grid_without_names_changes_nothing(tmp_path: Path) -> None:
    zone = 'zone board: grid 3x2 of card named "a2".."c1"\nzone layer: grid 3x2 of card'
    _, result = loaded(tmp_path, zone)
    board = result.value.zones["board"]  # type: ignore[attr-defined]
    assert result.value.cell_name((2, 0), board.grid) == "c2"  # type: ignore[attr-defined]
    _, result = loaded(tmp_path, zone + ' named "A1".."C2"')
    assert result.value.cell_name((2, 0), board.grid) == "(2, 0)"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("address", "cell", "said"),
    [
        ("nine_mens_morris", "d4", "`e5` or `4,2`"),
        ("chess", "i9", "`f6` or `5,2`"),
        ("checkers", "40", "`22` or `5,2`"),
    ],
)
def test_the_example_of_a_cell_is_one(
    address: str, cell: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.pwn"
    action = "place" if address == "nine_mens_morris" else "step"
    path.write_text(f"ruleset: {address}\nplayers: A, B\n\n1. A: {action} {cell} {cell}\n", "utf-8")
    assert run(["check", str(path)]) == 2
    assert f"a cell is such as {said}" in capsys.readouterr().out


# ---- examples


@pytest.mark.parametrize(
    ("names", "example", "said"),
    [
        ('"a2".."c1"', "lay.free { given board = [ F1 . ]  given hand = { F2 }  no lay(F2, a2)  yes lay(F2, B2) }", ""),
        ("[ 01 . 07 / 4 5 6 ]", "lay.free { given board = [ F1 . ]  given hand = { F2 }  no lay(F2, 01)  yes lay(F2, at: 07) }", ""),
        ("[ none . on / if 5 b ]", "lay.free { given board = [ F1 . ]  given hand = { F2 }  no lay(F2, none)  yes lay(F2, if) }", ""),
        ('"a2".."c1"', "lay.free { given hand = { F2 }  yes lay(F2, a3) }", "`board` has no cell `a3`"),
        ('"a2".."c1"', "lay.free { given hand = { F2 }  yes lay(F2, 12) }", "`board` has no cell `12`"),
        ('"a2".."c1"', "full { given latest = b1  given seen = { a1 b2 }  no }", ""),
        ('"a2".."c1"', "full { given seen = c2  no }", ""),
        ('"a2".."c1"', "full { given latest = d1  no }", "`board` has no cell `d1`"),
        ('"a2".."c1"', "full { given seen = { a1 d1 }  no }", "`board` has no cell `d1`"),
        ("", "full { given latest = b1  no }", "a cell is needed here"),
    ],
)  # fmt: skip
def test_examples_call_cells_as_people_do(names: str, example: str, said: str, tmp_path: Path) -> None:
    path, _ = loaded(tmp_path, f"zone board: grid 3x2 of card{f' named {names}' if names else ''}")
    variables = "var latest: cell of board per game\nvar seen: cells of board per game\nturn = lay"
    text = path.read_text("utf-8").replace("turn = lay", variables).replace("value:", 'side: front "F"  value:')
    path.write_text(f"{text}example {example}\n", "utf-8")
    ruleset = load_ruleset(str(path), Library()).value
    assert ruleset is not None
    assert [str(d.message) for d in check_examples(Game(ruleset))] == ([said] if said else [])


def test_names_that_two_boards_give_to_different_cells_name_none(tmp_path: Path) -> None:
    zones = 'zone board: grid 3x2 of card named "a2".."c1"\nzone other: grid 3x2 of card named "b2".."d1"'
    _, result = loaded(tmp_path, zones)
    ruleset = result.value  # type: ignore[attr-defined]
    grid = ruleset.zones["board"].grid
    assert ruleset.cell_named("b1", grid) is None and ruleset.cell_name((1, 1), grid) == "(1, 1)"
    path = tmp_path / "g.rules"
    path.write_text(path.read_text("utf-8").replace("value:", 'side: front "F"  value:') + EXAMPLE, "utf-8")
    (found,) = check_examples(Game(load_ruleset(str(path), Library()).value))  # type: ignore[arg-type]
    assert str(found.message) == "`board`, `other` do not call the same cell `b1`" and "(4, 0)" in str(found.help)


# ---- every output


CELL = re.compile(r"\(-?\d+, ?-?\d+\)|\bcolumn \d|\brow \d")


def boards() -> Iterator[str]:
    """The shipped games with a board whose cells have names."""
    for game in sorted(Library().games()):
        book = ruleset_store().get(game).value
        if book is not None and any(zone.names_cells for zone in book.game.ruleset.zones.values()):
            yield game


def strings(data: Any) -> Iterator[str]:
    """All texts in JSON."""
    if isinstance(data, str):
        yield data
    for part in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from strings(part)


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command says, of pages what people read."""
    capsys.readouterr()
    run(list(words))
    captured = capsys.readouterr()
    text = re.sub(r"<(script|style)\b.*?</\1>|<!--.*?-->", "", captured.out, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", " ", text) + captured.err


@pytest.mark.parametrize("game", some(list(boards()), 3))
def test_everything_that_people_read_calls_cells_as_they_do(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record, refused = tmp_path / "g.json", tmp_path / "refused.json"
    assert run(["play", game, "--seed", "7", "-o", str(record)]) == 0
    data = json.loads(record.read_text("utf-8"))
    data["turns"] = data["turns"][:20]
    data.pop("result", None)
    record.write_text(json.dumps(data), "utf-8")
    # Somebody does once more what was done a turn before.
    cells = [any(isinstance(word, list) for one in turn["actions"] for word in one.values()) for turn in data["turns"]]
    at = max(turn for turn, names_cell in enumerate(cells[:-1]) if names_cell)
    data["turns"][at + 1]["actions"] = data["turns"][at]["actions"]
    refused.write_text(json.dumps(data), "utf-8")
    [file] = json.loads(printed(capsys, "check", str(refused), "--format", "json"))["files"]
    assert file["findings"]
    # Of a finding, what is a sentence or a line.
    said = [text for finding in file["findings"] for text in strings(finding)]
    known = {name for name in names(game).values() if name}
    for words in (
        ["check", str(refused)], ["check", str(refused), "--format", "html"], ["check", str(refused), "--format", "concise"],
        ["check", str(refused), "--lang", "fr"], ["replay", str(refused)], ["replay", str(refused), "--html"],
        ["legal", str(record), "--at", "3"], ["render", str(record), "--at", "3"],
    ):  # fmt: skip
        said.append(printed(capsys, *words))
        # What tells moves names cells.
        assert words[0] not in ("replay", "legal") or known & set(re.findall(r"\w+", said[-1])), words
    assert [line for text in said for line in text.splitlines() if CELL.search(line)] == []


def test_of_a_large_board_what_is_not_drawn_is_named(tmp_path: Path) -> None:
    path = tmp_path / "g.rules"
    text = TEXT.format(zone='zone board: grid 30x2 of card named "a2".."ad1"').replace(
        "count board == 6", "count board == 9"
    )
    path.write_text(text, "utf-8")
    ruleset = load_ruleset(str(path), Library()).value
    assert ruleset is not None
    zone = ruleset.zones["board"]
    assert (
        framed({(0, 0): "1", (28, 1): "2", (1, 0): "3"}, (0, 0, 29, 1), zone)[-1] == "(not drawn: 1 cell in use, ac1)"
    )
