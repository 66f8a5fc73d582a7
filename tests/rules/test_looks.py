"""Looks: what can be said, mistakes with their places, and that a look never decides anything."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pwtool
from pwtool.cli.app import run
from pwtool.comparing.rows import compare_rulesets
from pwtool.ir.looks import looks_of
from pwtool.ir.model import Ruleset
from pwtool.play.game import Game
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.show.svg.cards import component_art
from pwtool.show.svg.pieces import Piece, draw_piece
from pwtool.show.svg.writer import measure
from pwtool.text import Result
from tests.daily import one_day_in
from tests.support import book, ruleset_store

ROOT = Path(__file__).resolve().parents[2]

GAME = """game stones "Stones"
players 2..2
component stone {
  side: black "B" | white "W"
  owner: player by side { black: 1  white: 2 }
}
deck stones of stone = { 5 B  5 W }
zone board: grid 3x3 of stone named "a3".."c1"
zone marks: grid 3x3 of stone
zone stock: pile of stone per player
zone trays: grid 1x2 of stone per player
zone heap: bag of stone
var latest: cell of board per game
var count_of: 0..9 = 0 per game
setup { deal stock "Each takes the stones of a color": all of stones to stock by owner }
turn = lay
action lay "Lay a stone" (at: cell of board) {
  rule free "The cell is free" require board[at] is empty
  move top of stock to board[at]
}
ending full "The board is full" when count board == 9 then stop
"""


def loaded(tmp_path: Path, look: str) -> Result[Ruleset]:
    path = tmp_path / "g.rules"
    path.write_text(f"{GAME}look {{\n{look}\n}}\n", "utf-8")
    return load_ruleset(str(path), Library())


@pytest.mark.parametrize(
    ("look", "code", "said"),
    [
        ("zone bord: squares", "PW201", "there is no zone `bord`"),
        ("component stone: disk", "PW201", "cannot look like `disk`"),
        ("zone board: squares squares", "PW202", "said twice"),
        ("zone stock: squares", "PW201", "cannot look like `squares`"),
        ("zone board: points stars", "PW306", "words in quotation marks"),
        ('zone board: squares "x"', "PW306", "nothing"),
        ('zone board: points stars "a1 d1"', "PW201", "no cell `d1`"),
        ('zone board: points joined "a1 a9"', "PW201", "no cell `a9`"),
        ('zone marks: points stars "0,0 3,3"', "PW201", "no cell `3,3`"),
        ('zone board: plain top "darkish"', "PW306", "`darkish` is no color"),
        ("zone marks: on stock", "PW301", "not grids with the same cells"),
        ("zone marks: on marks", "PW301", "not grids with the same cells"),
        ("zone marks: on bord", "PW201", "there is no zone `bord`"),
        ("component stone: disc color by sides { black: dark }", "PW201", "no attribute `sides`"),
        ("component stone: disc color by side { blak: dark }", "PW201", "`side` is never `blak`"),
        ("component stone: disc color by side { black: dark black: light }", "PW202", "said twice"),
        ('component stone: figure "x" "<script>"', "PW306", "`<script>` is no path"),
        ("component stone: disc color", "PW306", "words"),
        ('component stone: disc label "x"', "PW306", "`by` and an attribute"),
        ('component stone: disc label by side { black: "four" }', "PW306", "no sign"),
        ('component stone: disc label by side { black: "b" "M0 0L9 9Z" }', "PW306", "one text"),
        ("var latest: die", "PW301", "a die shows"),
        ("zone board: squares points", "PW202", "contradicts"),
        ("zone board: wood green", "PW202", "contradicts"),
        ("component stone: disc tile", "PW202", "contradicts"),
        ("zone board: hexes", "PW201", "cannot look like `hexes`"),
        ('component stone: figure "M0 0L9 9Z"', "PW306", "no sign"),
        ("var latest: dye", "PW201", "cannot look like `dye`"),
        ("token latest: hidden", "PW301", "a token has no look"),
        ("zone stock: beside", "PW306", "followed by a zone and its side"),
        ("zone stock: beside bord left", "PW201", "there is no zone `bord`"),
        ("zone stock: beside board lft", "PW306", "`lft` is no side"),
        ("zone stock: beside board { seat 3: left }", "PW306", "there is no seat 3"),
        ("zone stock: beside board { seat 1: left seat 1: top }", "PW202", "`seat 1` is said twice"),
        ("zone heap: beside board { seat 1: left }", "PW301", "not one for each player"),
        ("zone heap: beside trays left", "PW301", "other numbers of `heap` and of `trays`"),
        ("zone marks: beside board left", "PW301", "stands beside a grid"),
        ("zone heap: beside stock left", "PW301", "stands beside a grid"),
        ("zone stock: beside marks left zone marks: on board", "PW301", "`marks` has no board of its own"),
        ("zone marks: on board zone board: hidden", "PW301", "`board` has no board of its own"),
        ("zone board: on marks zone marks: on board", "PW301", "`marks` has no board of its own"),
        ("zone heap: hidden beside board left", "PW202", "`beside` contradicts `hidden`"),
        ("zone board: squares hidden", "PW202", "`squares` contradicts `hidden`"),
        ("var count_of: die hidden", "PW202", "`die` contradicts `hidden`"),
    ],
)
def test_a_mistake_has_its_place(look: str, code: str, said: str, tmp_path: Path) -> None:
    first = loaded(tmp_path, look).diagnostics[0]
    assert first.code == code and said in f"{first.message} {first.help}", first
    assert first.span is not None and first.span.text in look


GOOD = """  zone board: points wood stars "b2" joined "a1 b2 c3"
  zone marks: on board
  zone stock: beside board { seat 1: bottom  seat 2: top }
  zone heap: beside board right
  component stone: disc color by side { black: dark white: "#ffeedd" } figure "K" "M0 0L50 50Z"
  var latest: hidden
  var count_of: hidden"""


def test_a_value_may_be_written_otherwise_than_in_codes() -> None:
    ruleset = book("hearts").game.ruleset
    art = component_art(ruleset, ruleset.components["card"])
    words = {code: piece.word for at, code in enumerate(art.codes) if (piece := art.piece(at)) is not None}
    assert words["HT"] == "10" and words["HJ"] == "J" and len(set(words.values())) == 13


def test_a_look_decides_nothing(tmp_path: Path) -> None:
    plain, dressed = tmp_path / "p.rules", tmp_path / "d.rules"
    plain.write_text(GAME, "utf-8")
    dressed.write_text(f"{GAME}look {{\n{GOOD}\n}}\n", "utf-8")
    first, second = pwtool.load(plain), pwtool.load(dressed)
    assert first.version == second.version
    assert second.check(first.play(seed=5)).clean
    games = []
    for path in (plain, dressed):
        ruleset = load_ruleset(str(path), Library()).value
        assert ruleset is not None
        games.append(Game(ruleset))
    assert compare_rulesets(*games) == []


def test_an_overlay_gives_its_own_look_and_an_old_one_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "stones").mkdir()
    game = tmp_path / "stones" / "game.rules"
    game.write_text(f"{GAME}look {{\n{GOOD}\n}}\n", "utf-8")
    wide = tmp_path / "stones" / "wide.rules"
    wide.write_text(
        'variant wide of stones "Wide"\nchange zone board: grid 2x2 of stone named "a2".."b1"\n'
        'change ending full "The board is full" when count board == 4 then stop\n'
        "look { component stone: tile color by side { black: red white: blue } }\n", "utf-8",
    )  # fmt: skip
    ruleset = load_ruleset("stones+wide", Library(tmp_path)).value
    assert ruleset is not None
    looks = looks_of(ruleset)
    assert looks.components["stone"].body == "tile"
    # The line to c3 ends before it: the wide board has no such cell.
    assert looks.zones["board"].joined == (((0, 1), (1, 0)),)


def test_stars_of_another_board_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "stones").mkdir()
    (tmp_path / "stones" / "game.rules").write_text(f'{GAME}look {{ zone board: points stars "a3 b2 c1" }}\n', "utf-8")
    (tmp_path / "stones" / "small.rules").write_text(
        'variant small of stones "Small"\nchange zone board: grid 2x2 of stone named "a2".."b1"\n'
        'change ending full "The board is full" when count board == 4 then stop\n', "utf-8",
    )  # fmt: skip
    for address, stars in (("stones", 3), ("stones+small", 0)):
        ruleset = load_ruleset(address, Library(tmp_path)).value
        assert ruleset is not None and len(looks_of(ruleset).zones["board"].stars) == stars


def test_every_shipped_game_has_a_board_that_players_know() -> None:
    """Every grid and every piece of the classics has a look, and what it names is there."""
    for game in Library().games():
        book = ruleset_store().get(game).value
        assert book is not None
        ruleset = book.game.ruleset
        looks = looks_of(ruleset)
        if game == "paper_world":
            continue
        for zone in ruleset.zones.values():
            look = looks.zone(zone)
            assert zone.kind != "grid" or look.on or look.hidden or look.ground != "cards", (game, zone.name)
            if zone.kind == "grid" and zone.element.kind == "face":
                assert looks.component(zone.element.component).body != "card", (game, zone.name)


def test_a_word_stays_on_its_card() -> None:
    for sign in ("", "♠"):
        drawn = draw_piece(Piece("portrait", "#222222", sign, word="queen"), 60)
        (size,) = [float(found) for found in re.findall(r'font-size="([^"]*)"[^>]*>queen<', drawn)]
        assert measure("queen", size, bold=True) <= 60 * 0.72 - 4


def test_the_formatter_keeps_looks(tmp_path: Path) -> None:
    path = tmp_path / "g.rules"
    path.write_text(f"{GAME}look {{\n{GOOD}\n}}\n", "utf-8")
    assert run(["fmt", str(path)]) == 0
    once = path.read_text("utf-8")
    assert run(["fmt", "--check", str(path)]) == 0
    words = re.compile(r"\s+")
    assert words.sub(" ", GOOD).strip() in words.sub(" ", once)


def test_the_shelf_is_drawn_from_one_file_a_game() -> None:
    for path in (ROOT / "rulesets" / "classics").glob("*/game.rules"):
        assert "\nlook {\n" in path.read_text("utf-8"), path


def test_what_a_turn_begins_anew_is_only_seen_if_that_is_said(tmp_path: Path) -> None:
    turns = "var laid: 0..9 = 0 per turn"
    for look, seen in (("zone marks: on board", False), ("var laid: shown", True), ("var laid: hidden", False)):
        path = tmp_path / "g.rules"
        path.write_text(f"{GAME}{turns}\nlook {{ {look} }}\n", "utf-8")
        ruleset = load_ruleset(str(path), Library()).value
        assert ruleset is not None
        looks = looks_of(ruleset)
        assert looks.shows(ruleset.variables["laid"]) == seen and looks.shows(ruleset.variables["latest"])


def test_what_stands_beside_a_board_is_known_by_seat(tmp_path: Path) -> None:
    ruleset = loaded(tmp_path, GOOD).value
    assert ruleset is not None
    found = looks_of(ruleset).beside(ruleset.zones["board"], ruleset.zones.values(), 2)
    assert [(zone.name, seat, side) for zone, seat, side in found] == [
        ("stock", 0, "bottom"), ("stock", 1, "top"), ("heap", -1, "right")
    ]  # fmt: skip


def test_a_terminal_shows_what_stands_beside_a_board_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    assert run(["play", "mancala", "--seed", "7", "-o", str(path)]) == 0
    capsys.readouterr()
    assert run(["replay", str(path), "--at", "24"]) == 0
    rows = capsys.readouterr().out.splitlines()
    # The stores are left and right of the pits, and not told once more.
    assert re.fullmatch(r" *P2: s \(17\)  .*  P1: s \(6\)", rows[2]), rows
    assert rows[3].startswith(" " * rows[2].index("s (17)")) and "store" not in "\n".join(rows)


def test_the_word_is_free_as_a_name(tmp_path: Path) -> None:
    text = GAME.replace("turn = lay", "turn = look").replace("action lay", "action look")
    text = text.replace("var latest", "var look_at").replace("count_of", "looks")
    path = tmp_path / "g.rules"
    path.write_text(f"{text}look {{\n  var looks: hidden\n}}\n", "utf-8")
    found = load_ruleset(str(path), Library())
    assert found.value is not None and list(found.value.actions) == ["look"], found.diagnostics


@one_day_in(8)
def test_a_terminal_shows_signs_and_other_output_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for game, sign, code in (("chess", "♜", "bR"), ("hex", "●", "B")):
        path = tmp_path / f"{game}.json"
        assert run(["play", game, "--seed", "3", "-o", str(path)]) == 0
        capsys.readouterr()
        shown = []
        for color in ("always", "never"):
            assert run(["replay", str(path), "--at", "9", "--color", color]) == 0
            shown.append(re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines())
        drawn, plain = ("\n".join(lines[1:12]) for lines in shown)
        assert sign in drawn and sign not in plain and re.search(rf"\b{code}\b", plain)
        # Columns stay where they are.
        assert [len(line) for line in drawn.splitlines()] == [len(line) for line in plain.splitlines()]
