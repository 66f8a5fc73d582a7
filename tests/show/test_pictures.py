"""Pictures: valid, always the same, readable without colour, and safe whatever the names in them are."""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path

import pytest

from pwtool.cli.app import run
from pwtool.ir.model import Ruleset
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.layers import merge_layers
from pwtool.rules.library import Library
from pwtool.show.html.sheet import render_sheet
from pwtool.show.svg.cards import component_art, draw_face
from pwtool.show.svg.named import draw_named
from pwtool.show.svg.paints import TEXTURES, Paint, abstract_paint, paints_of
from pwtool.show.svg.patterns import Patterns
from pwtool.show.svg.pieces import brightness
from pwtool.show.svg.writer import Drawing, fit_text, label, measure, number, quote, to_svg, wrap
from tests.daily import one_day_in
from tests.support import ruleset_store

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</title><script>alert(1)</script>\x00\x1b[2J&amp;\"'\u202e\ud800" + "W" * 60


@cache
def addresses() -> tuple[str, ...]:
    """Every shipped ruleset and variant that there is; none is loaded, because tests are found in each process."""
    library = Library()
    found = []
    for game in library.games():
        overlays = library.overlays(game)
        for base in [game, *(f"{game}/{name}" for name in overlays["edition"])]:
            candidates = [base, *(f"{base}+{variant}" for variant in overlays["variant"])]
            layers = {address: library.layers(address).value for address in candidates}
            found += [a for a, parts in layers.items() if parts is not None and not merge_layers(parts).diagnostics]
    assert len(found) > 10
    return tuple(found)


def ruleset(address: str) -> Ruleset:
    book = ruleset_store().get(address).value
    assert book is not None
    return book.game.ruleset


def parse(svg: str) -> ET.Element:
    """The picture's tree; checks what every picture has to be."""
    root = ET.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert width > 0 and height > 0
    assert root.attrib["viewBox"] == f"0 0 {root.attrib['width']} {root.attrib['height']}"
    assert root.find(f"{SVG}title") is not None
    for node in root.iter():
        assert node.tag.removeprefix(SVG) in {
            "svg", "g", "title", "desc", "rect", "circle", "path", "polygon", "text",
        }, node.tag  # fmt: skip
        for name, value in node.attrib.items():
            assert not name.startswith("on") and "href" not in name and "url(" not in value
    return root


def texts(root: ET.Element) -> list[str]:
    return [node.text or "" for node in root.iter(f"{SVG}text")]


# ---- objectives and shapes -----------------------------------------------------------------------------------------


@one_day_in(8)
@pytest.mark.parametrize("address", addresses())
def test_every_objective_and_shape_has_a_picture_of_its_own(address: str) -> None:
    rules = ruleset(address)
    for language in ("en", "fr", "de"):
        patterns = Patterns(rules, language)
        drawn = {name: patterns.objective(name).body for name in rules.objectives}
        assert len(set(drawn.values())) == len(drawn)
        assert all(drawn.values())
    for kind, name in rules.merged.items:
        if kind in ("objective", "shape"):
            svg = draw_named(rules, name, "en")
            assert svg is not None
            parse(svg)
            assert svg == draw_named(rules, name, "en")


def test_a_second_shelf_draws_the_same() -> None:
    other = RulesetStore(Library()).get("paper_world").value
    assert other is not None
    for name in other.game.ruleset.objectives:
        assert draw_named(other.game.ruleset, name, "en") == draw_named(ruleset("paper_world"), name, "en")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("l_of_2s", ["2", "2", "2"]),
        ("column_2_5_2", ["2", "5", "2"]),
        ("diagonal_2_3_4", ["2", "3", "4", "or", "4", "3", "2"]),
        ("row_sum_9", ["Σ value = 9"]),
        ("two_5s", ["≥ 2", "5", "5"]),
        ("nine_piles", ["= 9"]),
        ("one_to_five", ["1", "and", "2", "and", "3", "and", "4", "and", "5"]),
        ("square_4_colors", ["Y", "B", "G", "K", "≠ color"]),
        ("three_scissors", ["≥ 3", "S", "S", "S"]),
        ("l_same_color", ["= color"]),
    ],
)
def test_what_is_written_on_a_pattern(name: str, wanted: list[str]) -> None:
    picture = to_svg(Patterns(ruleset("paper_world")).objective(name), "t")
    assert texts(parse(picture)) == wanted


def test_same_and_distinct_values_are_signs() -> None:
    patterns = Patterns(ruleset("paper_world"))
    same = patterns.objective("corners_value").body
    # The four corners carry the same sign, the five cards of the cross five different ones.
    assert len(re.findall(r"<circle", same)) == 4
    different = patterns.objective("cross_values").body
    assert len(re.findall(r"<circle", different)) == 1
    assert len(re.findall(r"<polygon", different)) == 3


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    path = tmp_path / "odd.rules"
    path.write_text(
        """edition odd of paper_world "Odd <rules> & more"
shape gap_row = [ # _ # ]
shape line3 = [ # # # ] turned, [ # . . / . # . / . . # ] mirrored
define crowded = count card >= 8
remove objective nine_piles
objective climb "Climb" = some [ x y z ]: x.value < y.value and y.value < z.value
objective spread "Far apart" = some gap_row: all value >= 3
objective heights "One pile of each height" = every h in 1..3: some pile: height == h
objective quiet "Quiet" = no card: scissors
objective either "Black or 1" = at least 9 card: color == black or value == 1
objective two_lines "Two lines" = at least 2 line3: same color
objective named "Named" = some [ x . / y x ]: y.color == green and y.value == 4
objective inner "Brackets" = (crowded or some card: value == 5) and not (no card: scissors)
objective wordy "<script>alert('1')</script>" = (if (some card: value == 5) then count card > 3 else count card < 2)
""",
        "utf-8",
    )
    return path


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("climb", ["x", "y", "z", "Value of x < value of y", "Value of y < value of z"]),
        ("spread", ["≥3", "≥3"]),
        ("heights", ["Height 1", "and", "Height 2", "and", "Height 3"]),
        ("quiet", ["0 ×", "S"]),
        ("either", ["≥ 9 ×", "K", "or", "1"]),
        ("two_lines", ["≥ 2 ×", "= color", "or", "= color"]),
        ("named", ["4", "G", "y"]),
        ("inner", ["≥ 8 ×", "or", "5", "and", "not", "0 ×", "S"]),
    ],
)
def test_conditions_of_all_kinds(odd: Path, name: str, wanted: list[str]) -> None:
    book = RulesetStore(Library()).get(str(odd)).value
    assert book is not None
    picture = to_svg(Patterns(book.game.ruleset).objective(name), "t")
    assert texts(parse(picture)) == wanted


def test_what_cannot_be_drawn_is_shown_as_written(odd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["render", f"{odd}:wordy"]) == 0
    svg = capsys.readouterr().out
    assert "<script" not in svg
    assert "then" in " ".join(texts(parse(svg)))


# ---- colours and textures ------------------------------------------------------------------------------------------


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_textures_can_be_seen_on_their_fill() -> None:
    paints = paints_of([(f"m{i}", f"M{i}") for i in range(20)])
    for paint in (*paints, abstract_paint(3)):
        assert contrast(paint.fill, paint.line) >= 3, paint


def test_members_differ_in_color_texture_and_letter() -> None:
    for address in Library().games():
        rules = ruleset(address)
        for component in rules.components.values():
            art = component_art(rules, component)
            assert len({p.texture for p in art.paints.values()}) == len(art.paints)
            assert len({p.fill for p in art.paints.values()}) == len(art.paints)
            assert len(set(art.letters.values())) == len(art.letters)
            # Faces that are not the same do not look the same, not even without colour: pieces may differ in brightness.
            looks = set()
            for face in range(len(component.codes)):
                drawn = re.sub(r"<title>.*?</title>", "", draw_face(art.face(face)).body)
                grey = (lambda m: "") if art.look.body == "card" else (lambda m: f"{brightness(m[0]):.1f}")
                looks.add(re.sub(r"#[0-9a-f]{6}", grey, drawn))
            assert len(looks) == len(component.codes), (address, component.name)


def test_members_named_after_colors_get_them() -> None:
    yellow, dark, first, again = paints_of([("yellow", "Y"), ("onyx", "K"), ("left", "L"), ("yellow", "Z")])
    assert (yellow.fill, dark.fill) == ("#f0e442", "#262626")
    assert len({p.fill for p in (yellow, dark, first, again)}) == 4
    assert [p.texture for p in (yellow, dark, first, again)] == list(TEXTURES[:4])


def test_many_members_still_get_a_paint() -> None:
    paints = paints_of([(f"member_{i}", "") for i in range(30)])
    assert len(paints) == 30 and all(isinstance(p, Paint) for p in paints)


# ---- the writer ----------------------------------------------------------------------------------------------------


def test_numbers_and_text_are_written_safely() -> None:
    assert [number(v) for v in (0, -0.001, 1.5, 2.0, 1234567.891)] == ["0", "0", "1.5", "2", "1234567.89"]
    svg = to_svg(label(HOSTILE, width=100), HOSTILE, HOSTILE)
    assert "<script" not in svg and "\x00" not in svg and "\x1b" not in svg
    parse(svg)
    svg.encode("utf-8")
    assert quote('<a href="x">') == "&lt;a href=&quot;x&quot;&gt;"


def test_texts_are_broken_and_cut() -> None:
    assert all(measure(line, 12) <= 90 for line in wrap("one two three " * 5 + "x" * 80, 90, 12))
    assert "".join(wrap("x" * 80, 90, 12)) == "x" * 80
    assert wrap("", 90, 12) == []
    assert fit_text("short", 200, 12) == "short"
    assert measure(fit_text("very long name " * 9, 100, 12), 12) <= 100
    assert label("", width=50) == Drawing(0, 0, "")


# ---- boards and positions ------------------------------------------------------------------------------------------


def rendered(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> ET.Element:
    assert run(["render", *arguments]) == code
    return parse(capsys.readouterr().out)


def test_a_board(capsys: pytest.CaptureFixture[str]) -> None:
    root = rendered(capsys, "[ Y1+YS2 B3 / . G2 ]", "--rules", "paper_world")
    assert {"2", "3", "Y", "B", "G", "S", "+1"} <= set(texts(root))
    titles = {node.text for node in root.iter(f"{SVG}title")}
    assert {"YS2 +1", "B3", "G2"} <= titles


def test_what_stands_beside_a_board_is_within_its_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "m.json"
    assert run(["play", "mancala", "--seed", "7", "-o", str(record)]) == 0
    capsys.readouterr()
    root = rendered(capsys, str(record), "--at", "24")
    # The heaps of the stores are drawn, and only the names on the board tell whose they are.
    written = texts(root)
    assert {"17", "6"} <= set(written) and written.count("P1") == written.count("P2") == 1
    board, *_ = [node for node in root.iter(f"{SVG}rect") if node.get("class") == "board"]
    stores = [node for node in root.iter(f"{SVG}rect") if float(node.get("rx") or 0) > 20]
    left, wide = (float(board.get(key) or 0) for key in ("x", "width"))
    ends = sorted((float(store.get("x") or 0), float(store.get("width") or 0)) for store in stores)
    assert len(ends) == 2 and left < ends[0][0] and ends[1][0] + ends[1][1] < left + wide


def test_a_board_of_a_small_game(capsys: pytest.CaptureFixture[str]) -> None:
    game = str(ROOT / "rulesets" / "classics" / "tic_tac_toe" / "game.rules")
    root = rendered(capsys, "[ X . O / . X . ]", "--rules", game)
    # All nine cells of the fixed grid are there, named by row and column.
    assert sorted(texts(root)) == sorted([*"abc321", "Tic-tac-toe: board"])
    assert sorted(title.text or "" for title in root.iter(f"{SVG}title"))[:3] == ["O", "Tic-tac-toe: board", "X"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["[ Y1 ]"], "--rules"),
        (["[ Y9 ]", "--rules", "paper_world"], "there is no card `Y9`"),
        (["[ Y1 Y1 Y1 Y1 ]", "--rules", "paper_world"], "does not fit on a 3x3 grid"),
        (["[ Y1 / Y1 Y2 ]", "--rules", "paper_world"], "PW102"),
        (["[ Y1", "--rules", "paper_world"], "no closing bracket"),
        (["l_of_3s", "--rules", "paper_world"], "l_of_2s"),
        (["nothing_like_it"], "--rules"),
        (["l_of_2s", "--rules", "no_such_game"], "no_such_game"),
        (["l_of_2s", "--at", "3"], "--at"),
        (["l_of_2s", "--rules", "paper_world", "-o", "x.gif"], ".svg or .png"),
        (["house.rules"], "house.rules:NAME"),
        (["missing.json"], "missing.json"),
    ],
)
def test_what_cannot_be_drawn(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["render", *arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.out + captured.err


def test_a_board_comes_first_and_what_lies_beside_it_below(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "game.pgn"
    game.write_text("1. e4 d5 2. exd5 Qxd5 *\n", "utf-8")
    widths = set()
    for turn, said in (("1", []), ("5", ["Taken"])):
        capsys.readouterr()
        assert run(["render", str(game), "--at", turn]) == 0
        root = parse(capsys.readouterr().out)
        widths.add(root.attrib["width"])
        words = [text.text for text in root.iter(f"{SVG}text")]
        # A board needs no name, and where nothing lies there is nothing to say.
        assert [word for word in words if word in ("Board", "Taken", "\u2013")] == said
    assert len(widths) == 1


def test_positions_of_a_record(capsys: pytest.CaptureFixture[str]) -> None:
    record = str(ROOT / "examples" / "records" / "clean.json")
    first = rendered(capsys, record, "--at", "1")
    last = rendered(capsys, record)
    assert "Ana" in texts(first) and "Ben" in texts(first)
    assert any("turn 1, Ana" in t for t in texts(first))
    assert any("after turn 42" in t for t in texts(last))
    assert "the game is over" in texts(last)
    assert run(["render", record, "--at", "44"]) == 2
    assert run(["render", record, "--player", "Bem"]) == 2
    assert "Ben" in capsys.readouterr().err


def test_a_player_sees_no_hidden_token(capsys: pytest.CaptureFixture[str]) -> None:
    record = str(ROOT / "examples" / "records" / "duels.json")
    known = rendered(capsys, record, "--at", "5")
    seen = rendered(capsys, record, "--at", "5", "--player", "Leo", "--lang", "fr")
    assert "?" not in texts(known)
    assert texts(seen).count("?") == 5
    description = seen.find(f"{SVG}desc")
    assert description is not None and "?" in (description.text or "")


def test_a_state(capsys: pytest.CaptureFixture[str]) -> None:
    root = rendered(capsys, str(ROOT / "examples" / "states" / "final.json"))
    assert "Shears" in texts(root)
    assert run(["render", str(ROOT / "examples" / "states" / "final.json"), "--at", "2"]) == 2


def test_an_illegal_record_is_drawn_as_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    record = str(ROOT / "examples" / "records" / "illegal.json")
    rendered(capsys, record, "--at", "23")
    rendered(capsys, record, "--at", "24", code=1)


def test_hostile_names_stay_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = '<script>\x1b[2J & "it\'s" \u202e' + "W" * 20
    text = (ROOT / "examples" / "records" / "clean.json").read_text("utf-8")
    path = tmp_path / "game.json"
    path.write_text(text.replace('"Ana"', json.dumps(name)), "utf-8")
    assert run(["render", str(path), "--at", "3"]) in (0, 1)
    svg = capsys.readouterr().out
    assert "<script" not in svg and "\x1b" not in svg
    parse(svg)


# ---- files ---------------------------------------------------------------------------------------------------------


def test_files_are_written_whole_and_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "picture.svg"
    command = ["render", "l_of_2s", "--rules", "paper_world", "-o", str(path)]
    assert run(command) == 0
    first = path.read_bytes()
    assert run(command) == 2
    assert "--force" in capsys.readouterr().err
    assert run([*command, "--force"]) == 0
    assert path.read_bytes() == first
    assert [p.name for p in tmp_path.iterdir()] == ["picture.svg"]
    assert run([*command[:-1], str(tmp_path / "no" / "folder.svg")]) == 2


def test_png(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    path = tmp_path / "picture.png"
    code = run(["render", "l_of_2s", "--rules", "paper_world", "-o", str(path)])
    if code == 2:
        pytest.skip("no font on this machine")
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    svg = draw_named(ruleset("paper_world"), "l_of_2s", "en")
    assert svg is not None
    width = float(parse(svg).attrib["width"])
    assert abs(int.from_bytes(content[16:20], "big") - 2 * width) <= 2


def test_png_without_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    path = tmp_path / "picture.png"
    assert run(["render", "l_of_2s", "--rules", "paper_world", "-o", str(path)]) == 2
    assert "pip install 'pwtool[png]'" in capsys.readouterr().err
    assert not path.exists()


def test_the_picture_of_the_docs_is_what_its_command_draws() -> None:
    shown = (ROOT / "docs" / "images" / "cross_colors.svg").read_text("utf-8")
    assert shown == draw_named(ruleset("paper_world"), "cross_colors", "en")


# ---- the sheet -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["paper_world/fr", "paper_world/gamepark", "pierre_papier_morpion"])
@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_the_sheet_has_every_objective(address: str, language: str) -> None:
    book = ruleset_store().get(address).value
    assert book is not None
    rules = book.game.ruleset
    page = render_sheet(book.game, language)
    root = ET.fromstring(page.removeprefix("<!DOCTYPE html>\n"))
    assert root.attrib["lang"] == language
    titles = [node.text for node in root.iter("h3")]
    assert titles[: len(rules.objectives)] == [
        rules.text(("objective", o.name), o.text, language) for o in rules.objectives.values()
    ]
    pictures = [node for node in root.iter("article") if node.find(f".//{SVG}svg") is not None]
    assert len(pictures) == len(titles) >= 1
    assert {node.tag.removeprefix(SVG) for node in root.iter()} & {"script", "link", "img", "iframe", "object"} == set()
    assert not re.search(r"(src|href)=|url\(|@import", page)


def test_the_sheet_tells_other_readings_and_changes() -> None:
    book = ruleset_store().get("paper_world/gamepark").value
    assert book is not None
    assert "changed by paper_world/gamepark" in render_sheet(book.game, "en")
    book = ruleset_store().get("paper_world/en").value
    assert book is not None
    assert "--reading counted_values=exactly" in render_sheet(book.game, "en")


def test_the_sheet_escapes_titles(odd: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sheet.html"
    assert run(["rules", "show", str(odd), "--html", "-o", str(path)]) == 0
    page = path.read_text("utf-8")
    assert "<script" not in page and "&lt;script&gt;" in page
    assert "Odd &lt;rules&gt; &amp; more" in page
    ET.fromstring(page.removeprefix("<!DOCTYPE html>\n"))
    assert run(["rules", "show", str(odd), "--html", "-o", str(path)]) == 2
    assert run(["rules", "show", "--html"]) == 2
    assert run(["rules", "show", "paper_world", "-o", str(path)]) == 2
    assert run(["rules", "show", "no_such_game", "--html"]) == 2
    assert capsys.readouterr().out.count("<html") == 0


def test_heights_stand_on_the_cards_of_a_shape(tmp_path: Path) -> None:
    path = tmp_path / "own.rules"
    path.write_text(
        'edition own of paper_world/en "x"\n'
        'objective towers "x" = some [ # . / . # ]: all color == blue and all height >= 3\n'
        'objective steps "x" = some [ # # # ]: height reads 1 2 3\n'
        'objective piles "x" = some [ # # ]: every pile: height <= 2 and value == 4\n'
        'objective letters "x" = some [ a b? ]: a.height < b.height and a.height != 2\n'
        'objective words "x" = some [ # # ]: any height == 1 and sum height <= 4 and same height\n'
    )
    book = RulesetStore(Library()).get(str(path)).value
    assert book is not None
    wanted = {
        "towers": (["B", "3+", "B", "3+"], ["B", "3+", "B", "3+"], ["B", "3+", "B", "3+"]),
        "steps": (["1", "2", "3"], ["1", "2", "3"], ["1", "2", "3"]),
        "piles": (["4", "≤2", "4", "≤2"], ["4", "≤2", "4", "≤2"], ["4", "≤2", "4", "≤2"]),
        "letters": (
            ["a", "≠2", "b", "?", "Height of a < height of b"],
            ["a", "≠2", "b", "?", "Hauteur de a < hauteur de b"],
            ["a", "≠2", "b", "?", "Höhe von a < Höhe von b"],
        ),
        "words": (
            ["At least one pile: height 1", "Σ height ≤ 4", "= height"],
            ["Au moins une pile : hauteur 1", "Σ hauteur ≤ 4", "= hauteur"],
            ["Mindestens ein Stapel: Höhe 1", "Σ Höhe ≤ 4", "= Höhe"],
        ),
    }
    for at, language in enumerate(("en", "fr", "de")):
        patterns = Patterns(book.game.ruleset, language)
        for name, said in wanted.items():
            assert texts(parse(to_svg(patterns.objective(name), "t"))) == said[at], (name, language)
    # So many lie below as are said, at most three are drawn.
    assert to_svg(Patterns(book.game.ruleset).objective("steps"), "t").count('stroke="#4a4a4a"') == 3 * 2 + 1 + 2
    assert "3+ is three or more" in render_sheet(book.game, "en")
    plain = ruleset_store().get("paper_world").value
    assert plain is not None and "3+ is three or more" not in render_sheet(plain.game, "en")


def test_groups_that_are_alike_have_a_sign_each(tmp_path: Path) -> None:
    """Two cells alike and two others alike: one sign for all four would say that all are alike."""
    path = tmp_path / "own.rules"
    path.write_text(
        'edition own of paper_world/en "x"\n'
        'objective checks "x" = some [ a b / b a ]: same color of a and same color of b\n'
        'objective plain "x" = some [ a b / b a ]: same color of a and same color\n'
        'objective heights "x" = every h in 1..2: some pile: height == h\n'
    )
    book = RulesetStore(Library()).get(str(path)).value
    assert book is not None
    patterns = Patterns(book.game.ruleset)
    fills = [len(set(re.findall(r'd="[^"]*"', to_svg(patterns.objective(name), "t")))) for name in ("checks", "plain")]
    assert fills[0] > fills[1]
    assert to_svg(patterns.objective("heights"), "t").count('stroke="#4a4a4a"') == 2 * 2 + 1  # two frames a card


@one_day_in(4)
def test_a_picture_says_the_names_and_values_of_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, page = tmp_path / "g.json", tmp_path / "g.html"
    for address, said in (("hearts", {"Herz freigegeben", "nein", "Gewonnene Karten"}), ("paper_world", {"Ablage"})):
        assert run(["play", address, "--seed", "4", "-o", str(record), "--force"]) == 0
        assert run(["replay", str(record), "--html", "--lang", "de", "-o", str(page), "--force"]) == 0
        capsys.readouterr()
        written = set(texts(rendered(capsys, str(record), "--at", "1", "--lang", "de")))
        titles = {title for title in re.findall(r"<h4>([^<]+)</h4>", page.read_text("utf-8")) if len(title) < 20}
        assert said <= written and titles <= written


def test_a_thing_without_a_figure_shows_its_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An edition may add what a look does not know."""
    rules = tmp_path / "chips.rules"
    rules.write_text(
        'game chips "Chips"\nplayers 1..1\ncomponent chip { kind: sun "S" | moon "M" | star "ST" }\n'
        "zone board: grid 3x1 of chip\ndeck chips of chip = { S M ST }\nzone bowl: bag of chip\n"
        'setup { deal bowl "Chips": all of chips to bowl }\nturn = put\n'
        "action put (chip: chip from bowl, at: cell of board) {\n"
        '  rule free "Free" require board[at] is empty\n  move chip to board[at]\n}\n'
        'ending full "Full" when count board == 3 then stop\n'
        'look { component chip: disc color "wood" figure by kind { sun: "☀" moon: "☾" } }\n',
        "utf-8",
    )
    assert {"☀", "☾", "ST"} <= set(texts(rendered(capsys, "[ S M ST ]", "--rules", str(rules))))


def test_a_card_as_in_a_hand_shows_the_letter_of_its_value() -> None:
    for address in ("kuhn_poker", "leduc_poker", "hearts"):
        rules = ruleset(address)
        art = component_art(rules, rules.components["card"])
        words = {art.face(item).piece.word for item in range(len(art.codes))}  # type: ignore[union-attr]
        assert words and max(map(len, words)) <= 2, (address, words)
