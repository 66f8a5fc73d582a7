"""Games to step through in a browser: what their pages say, what they weigh, and that everything on them works."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any
from xml.etree import ElementTree

import pytest

from pwtool.cli.app import run
from pwtool.rules.library import Library
from tests.browser import Page, browser
from tests.daily import one_day_in
from tests.support import BROWSER

ROOT = Path(__file__).resolve().parents[2]
RECORDS = ROOT / "examples" / "records"
CLUB = ROOT / "examples" / "notation" / "club.pwn"
HTML = "{http://www.w3.org/1999/xhtml}"
WIDTHS = (1280, 390)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no browser here")


def page_of(folder: Path, record: Path, *options: str, code: int = 0) -> Path:
    """The page of a record."""
    path = folder / f"{record.stem}{len(options)}.html"
    assert run(["replay", str(record), "--html", "-o", str(path), *options]) == code
    return path


def played(folder: Path, address: str, seed: int) -> Path:
    """The page of a game at random."""
    record = folder / f"{address}.json"
    assert run(["play", address, "--seed", str(seed), "-o", str(record), "--force"]) == 0
    return page_of(folder, record)


def parsed(page: Path) -> ElementTree.Element:
    return ElementTree.fromstring(page.read_text("utf-8").removeprefix("<!DOCTYPE html>\n"))


def data_of(page: Path) -> dict[str, Any]:
    """What the script knows of the first game of a page."""
    found: dict[str, Any] = json.loads(next(e.text or "" for e in parsed(page).iter(f"{HTML}script") if e.get("type")))
    return found


def seen(page: Path) -> str:
    """What can be read on it."""
    root = parsed(page)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{HTML}script", f"{HTML}style"):
                parent.remove(child)
    return " ".join("".join(root.itertext()).split())


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page_of(tmp_path_factory.mktemp("clean"), RECORDS / "clean.json")


@pytest.fixture(scope="module")
def illegal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page_of(tmp_path_factory.mktemp("illegal"), RECORDS / "illegal.json", code=1)


@pytest.fixture(scope="module")
def chess(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty moves of each side."""
    folder = tmp_path_factory.mktemp("chess")
    assert run(["play", "chess", "--seed", "3", "-o", str(folder / "chess.json")]) == 0
    record = json.loads((folder / "chess.json").read_text("utf-8"))
    del record["turns"][120:], record["result"]
    (folder / "chess.json").write_text(json.dumps(record), "utf-8")
    return page_of(folder, folder / "chess.json")


# ---- without a browser -----------------------------------------------------------------------------------------------


def test_a_page_needs_no_other_file_and_is_small(clean: Path) -> None:
    text, root = clean.read_text("utf-8"), parsed(clean)
    assert not [e.tag for e in root.iter() if e.get("src") or e.tag in (f"{HTML}link", f"{HTML}img")]
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/)", text)
    (policy,) = [e.get("content", "") for e in root.iter(f"{HTML}meta") if e.get("http-equiv")]
    assert "default-src 'none'" in policy and "script-src 'sha256-" in policy and "'unsafe-eval'" not in policy
    assert len(text.encode()) < 400_000
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids))


def test_the_same_game_gives_the_same_page(clean: Path, tmp_path: Path) -> None:
    assert page_of(tmp_path, RECORDS / "clean.json").read_bytes() == clean.read_bytes()


def test_people_read_titles_and_no_ids(tmp_path: Path) -> None:
    german = seen(page_of(tmp_path, RECORDS / "clean.json", "--lang", "de"))
    assert "Eine Karte ausspielen" in german or "Karte" in german
    assert not re.search(r"l_of_2s|two_5s|diagonal_2_3_4|\b(landscape|supply)\b", german)
    for title in ("Zug 1, Ana", "L aus 2en", "Züge", "Ergebnis"):
        assert title in german, title


def test_moves_are_told_by_turn_with_marks_and_comments(tmp_path: Path) -> None:
    page = page_of(tmp_path, CLUB)
    (moves,) = list(parsed(page).iter(f"{HTML}ol"))
    turns = [" ".join("".join(item.itertext()).split()) for item in moves]
    assert len(turns) == 42
    assert turns[1].endswith("YS1 (5) !? four cards at once, and Ana lacks a 4 to answer")
    assert turns[15].startswith("Turn 16, Ben Place a card: K2, (1, 0) Place a card: Y2, (0, -1)")
    assert "Claim an objective: L of 2s, 2 !" in turns[15]
    assert "both knew the objectives by heart" in seen(page)


def test_positions_are_what_changes_and_scores_and_objectives_go_with_them(clean: Path) -> None:
    data = data_of(clean)
    steps, places = data["steps"], data["places"]
    assert len(steps) == len(data["scores"]) == 75 and len(json.dumps([s.get("c") for s in steps])) < 8_000
    position = list(data["start"])
    for step in steps:
        for number, change in step.get("c", ()):
            if places[number]["k"] == "grid":
                for cell, *what in change:
                    position[number].pop(cell, None)
                    position[number].update({cell: what} if what else {})
            else:
                position[number] = change
    grids = [content for place, content in zip(places, position, strict=True) if place["k"] == "grid"]
    # The last position, added up from the first: nine piles and seven, the token on one of them.
    assert [len(grid) for grid in grids] == [9, 7]
    assert sum(what[2:] == ["S"] for grid in grids for what in grid.values()) == 1
    assert data["scores"][0] == [0, 0] and data["scores"][-1] == [7, 13]
    # Ben's L of 2s holds from the turn in which it is claimed.
    (first, *_) = [change for change in data["goals"][0][1] if change[1]]
    assert steps[first[0] - 1]["t"] == 16
    claim = next(step for step in steps if step["k"] == 1)
    assert claim["t"] == 16 and len(claim["m"]) == 3


def test_a_finding_stands_at_its_move(illegal: Path) -> None:
    data, root = data_of(illegal), parsed(illegal)
    (note,) = [e for e in root.iter(f"{HTML}div") if e.get("class") == "note"]
    step = int(note.get("data-at", ""))
    # What follows from it is told where it shows, and nothing else is refused.
    assert len(data["refused"]) == 1 and len([e for e in root.iter() if "later" in str(e.get("class")).split()]) > 5
    assert data["refused"][0] == step and data["steps"][step]["t"] == 23
    words = " ".join("".join(note.itertext()).split())
    assert "place.inside_3x3" in words and "at = (1, 1)" in words and "Source EN, FR, DE, BGA" in words
    # It was carried out as recorded, and is printed with what is said of it.
    assert data["steps"][step]["c"]
    (printed,) = [e for e in root.iter(f"{HTML}figure") if e.get("class") == "deciding"]
    assert "The landscape stays within 3x3 piles" in "".join(printed.itertext())


def test_what_a_record_writes_is_code_in_findings(tmp_path: Path) -> None:
    record = json.loads((RECORDS / "clean.json").read_text("utf-8"))
    record["turns"][0]["actions"] = [{"action": "place", "card": "K1", "at": [3, 3], "pay": []}]
    record["turns"] = record["turns"][:1]
    path = tmp_path / "first.json"
    path.write_text(json.dumps({key: value for key, value in record.items() if key != "result"}), "utf-8")
    page = page_of(tmp_path, path, code=1)
    assert "`" not in seen(page)
    codes = ["".join(e.itertext()) for e in parsed(page).iter(f"{HTML}code")]
    assert codes.count("K1") == 2


def test_things_are_called_by_what_is_on_them(clean: Path) -> None:
    symbols = [e for e in parsed(clean).iter() if e.tag.endswith("}symbol")]
    called = {e.text for symbol in symbols for e in symbol.iter() if e.tag.endswith("}title")}
    assert {"blue 4", "yellow scissors 1"} <= called and "B4" not in called


def test_moves_show_the_suit_of_a_card(tmp_path: Path) -> None:
    page = played(tmp_path, "hearts", 3).read_text("utf-8")
    signs = {
        ink: chr(int(sign, 16)) for ink, sign in re.findall(r'\.(ink\d+)::before \{[^}]* content: "\\(\w+) "', page)
    }
    said = {(signs[ink], code[0]) for ink, code in re.findall(r'code (ink\d+)"[^>]*>(\w+)<', page)}
    assert said == {("♣", "C"), ("♦", "D"), ("♥", "H"), ("♠", "S")}


def test_what_was_legal_is_told_and_bounded(clean: Path) -> None:
    for step in data_of(clean)["steps"][:-1]:
        assert bool(step.get("l")) == (step["k"] in (0, 2))
        assert all(len(ways) <= 24 for _, _, ways, _, _ in step.get("l", ()))


def test_a_seat_is_not_told_what_it_does_not_see(tmp_path: Path) -> None:
    assert run(["play", "hearts", "--seed", "3", "-o", str(tmp_path / "hearts.json")]) == 0
    data = data_of(page_of(tmp_path, tmp_path / "hearts.json"))
    assert {place["s"] for place in data["places"] if place.get("s")} == {"owner"}
    # Cards that are played are seen by all; the first deal of this seed passes none, others do.
    assert all("v" not in step or "?" in next(iter(step["v"].values())) for step in data["steps"])


def test_secret_moves_are_hidden_in_words(tmp_path: Path) -> None:
    rules = tmp_path / "secret.rules"
    rules.write_text(
        'game secret "Secret"\nplayers 2..2\ncomponent chip { kind: one "A" | two "B" }\ndeck chips of chip = { 4 A 4 B }\n'
        "zone hand: bag of chip per player seen by owner\nzone kept: bag of chip per player seen by owner\n"
        'zone open: bag of chip\nsetup { deal hand "Four each": 4 each of chips to hand by chance }\nturn = keep show\n'
        'action keep "Keep one" (chip: chip from hand "From the hand") { move chip to kept }\n'
        'action show "Show one" (chip: chip from hand "From the hand") { move chip to open }\n'
        'ending done "Done" when every q in players: hand[q] is empty then stop\nscore none "None" = 0\nranking most total, shared\n',
        "utf-8",
    )
    assert run(["play", str(rules), "--seed", "1", "-o", str(tmp_path / "secret.json")]) == 0
    page = page_of(tmp_path, tmp_path / "secret.json", "--rules", str(rules))
    first, second = data_of(page)["steps"][:2]
    assert first["v"] == {"1": "Keep one: ?"} and "v" not in second


@one_day_in(8)
def test_moves_stand_in_columns_where_two_take_turns(chess: Path, clean: Path, tmp_path: Path) -> None:
    (moves,) = list(parsed(chess).iter(f"{HTML}ol"))
    assert moves.get("class") == "sheet" and [one.get("class") for one in moves[:4]] == ["seat0", "seat1"] * 2
    assert " ".join("".join(moves[2].itertext()).split()) == "2. 2. P1 g4"
    # Long moves are listed one below the other, as are those of more players.
    assert run(["play", "hearts", "--seed", "3", "-o", str(tmp_path / "hearts.json")]) == 0
    for page in (clean, page_of(tmp_path, tmp_path / "hearts.json")):
        assert [one.get("class") for one in parsed(page).iter(f"{HTML}ol")] == [None]


def test_a_game_that_is_won_or_lost_shows_no_points_on_the_way(tmp_path: Path) -> None:
    """In checkers, by the rules, each side would have one until the other can move no more."""
    (tmp_path / "game.pdn").write_text("1. 11-15 22-18 2. 15x22 25x18 *\n")
    assert data_of(page_of(tmp_path, tmp_path / "game.pdn"))["scores"] == [[]] * 5
    (tmp_path / "mate.pgn").write_text("1. f3 e5 2. g4 Qh4# 0-1\n")
    data = data_of(page_of(tmp_path, tmp_path / "mate.pgn"))
    assert data["scores"] == [*[[]] * (len(data["scores"]) - 1), [0, 1]] and not data["points"]


@one_day_in(8)
def test_long_games_on_large_boards_stay_small(chess: Path, tmp_path: Path) -> None:
    # Each side fills its own edge, so that nothing is ever captured.
    stones: list[list[int]] = []
    for n in range(125):
        stones += [[n % 19, n // 19], [n % 19, 18 - n // 19]]
    turns = [
        {"player": ("Ana", "Ben")[n % 2], "actions": [{"action": "place", "at": at}]} for n, at in enumerate(stones)
    ]
    record = {"format": "pwtool/1", "ruleset": "go+nineteen", "players": ["Ana", "Ben"], "setup": {}, "turns": turns}
    (tmp_path / "go.json").write_text(json.dumps(record), "utf-8")
    go = page_of(tmp_path, tmp_path / "go.json")
    assert chess.stat().st_size < 400_000 and go.stat().st_size < 400_000
    # What is legal is told of all of it.
    legal = [step["l"][0] for step in data_of(go)["steps"]]
    assert [count for _, count, *_ in legal[:250]] == list(range(361, 111, -1))


@one_day_in(8)
def test_a_report_lists_everything_and_steps_through_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    files = [str(RECORDS / f"{name}.json") for name in ("clean", "illegal", "unseen")]
    assert run(["check", *files, "--format", "html", "-o", str(page)]) == 1
    assert capsys.readouterr().out == ""
    text = seen(page)
    assert text.index("3 checked") < text.index("1 clean") < text.index("Step through what is wrong")
    games = list(parsed(page).iter(f"{HTML}article"))
    assert [str(e.get("aria-label")).rpartition("/")[2] for e in games] == ["illegal.json", "unseen.json"]
    assert run(["check", files[1], "--format", "html"]) == 1
    assert 'id="game1"' in capsys.readouterr().out
    odd = tmp_path / "odd.json"
    odd.write_text((RECORDS / "clean.json").read_text("utf-8").replace('"B4"', '"Q9"', 1), "utf-8")
    assert run(["check", str(odd), "--format", "html", "-o", str(tmp_path / "odd.html")]) == 2
    # Of a file that cannot be read the line is shown, with what is wrong in it.
    (line,) = {
        "".join(e.itertext()) for e in parsed(tmp_path / "odd.html").iter(f"{HTML}pre") if e.get("class") == "excerpt"
    }
    marked = [e.text for e in parsed(tmp_path / "odd.html").iter(f"{HTML}mark")]
    assert re.match(r"\d+ \S", line) and '"Q9"' in line and marked == ['"Q9"']
    assert run(["check", str(tmp_path / "none.json"), "--format", "html"]) == 2
    assert "none.json" in capsys.readouterr().out


@one_day_in(4)
def test_of_many_games_some_are_left_out_and_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = json.loads((RECORDS / "illegal.json").read_text("utf-8"))
    record["turns"] = record["turns"][:23]
    record.pop("result", None)
    (tmp_path / "many.jsonl").write_text("\n".join([json.dumps(record)] * 14), "utf-8")
    assert run(["check", str(tmp_path / "many.jsonl"), "--format", "html", "-o", str(tmp_path / "many.html")]) == 1
    assert "12 of 14 are shown." in seen(tmp_path / "many.html")


def test_pages_are_asked_for_as_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = str(RECORDS / "clean.json")
    assert run(["replay", record, "-o", str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert run(["replay", record, "-o", str(tmp_path / "game.json")]) == 0
    assert json.loads((tmp_path / "game.json").read_text("utf-8"))["turns"]
    assert run(["replay", record, "-o", str(tmp_path / "game.txt")]) == 0
    assert (tmp_path / "game.txt").read_text("utf-8").startswith(record)
    capsys.readouterr()
    assert run(["replay", record, "--html", "--at", "5"]) == 2
    assert "#turn=5" in capsys.readouterr().err
    (tmp_path / "page.html").write_text("mine", "utf-8")
    assert run(["replay", record, "--html", "-o", str(tmp_path / "page.html")]) == 2
    assert (tmp_path / "page.html").read_text("utf-8") == "mine"


# ---- in a browser ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("browser")) as page:
        yield page


def current(tab: Page) -> str:
    return f"{tab.text('.where')}: {tab.text('.count')}"


def address_of(tab: Page) -> str:
    """Where its address leads; it is written once nobody has stepped on for a moment."""
    tab.run("new Promise(done => setTimeout(done, 200))")
    return str(tab.run("location.hash"))


@one_day_in(8)
@needs_browser
def test_a_game_is_stepped_through(tab: Page, illegal: Path) -> None:
    """By keys, by slider, by the list of moves, by a finding, by itself."""
    tab.size(1280)
    tab.open(illegal)
    # It opens where the first thing is wrong.
    assert current(tab) == "Turn 23, Ana: 39 of 75"
    tab.press("Home")
    assert current(tab) == "Turn 1, Ana: 1 of 75"
    for key, now in (
        ("ArrowRight", 2),
        ("ArrowRight", 3),
        ("ArrowLeft", 2),
        ("End", 75),
        ("ArrowRight", 75),
        ("Home", 1),
    ):
        tab.press(key)
        assert tab.text(".count") == f"{now} of 75"
    tab.run(
        "(function () { const s = document.querySelector('.slider'); s.value = 20; s.dispatchEvent(new Event('input')); }())"
    )
    assert current(tab) == "Turn 14, Ben: 21 of 75" and address_of(tab) == "#turn=14"
    assert tab.run("document.querySelector('.move[aria-current]').dataset.step") == "20"
    tab.click(".move[data-step='5']")
    assert tab.text(".count") == "6 of 75" and address_of(tab) == "#turn=4.3"
    tab.click(".jump")
    assert current(tab) == "Turn 23, Ana: 39 of 75"
    assert "The landscape stays within 3x3 piles" in tab.text(".note.here")
    # What has no room is scrolled to, and a shadow at the edge tells of it.
    shown = "(b => [b.scrollHeight > b.clientHeight, getComputedStyle(b).backgroundAttachment])(document.querySelector('.notes'))"
    assert tab.run(shown) == [True, "local, local, scroll, scroll"]
    # The refused move is drawn: the card in the hand, the place where it was laid, crossed.
    assert tab.run(
        "[document.querySelectorAll('.frame.bad').length, document.querySelectorAll('.frame.bad path').length]"
    ) == [2, 1]
    assert tab.text(".said") == "Place a card: B1, (1, 1)"
    # Who listens hears what is on the card, and what is wrong.
    spoken = "Turn 23, Ana: Place a card: blue 1, (1, 1). Broken: The landscape stays within 3x3 piles"
    assert tab.text(".spoken") == spoken and tab.run("document.querySelector('.said').parentNode.ariaHidden") == "true"
    # A button keeps its keys; elsewhere the space key plays.
    tab.click(".where")
    tab.press(" ")
    tab.run("new Promise(done => setTimeout(done, 1700))")
    tab.press(" ")
    assert tab.text(".count") == "40 of 75"
    tab.open(illegal.as_uri() + "#turn=30")
    assert tab.text(".where") == "Turn 30, Ben" and tab.complaints == []


RECTANGLE = (
    "(b => [b.left, b.top, b.right, b.bottom].map(Math.round))(document.querySelector({}).getBoundingClientRect())"
)


def rectangle(tab: Page, css: str) -> tuple[int, int, int, int]:
    """Where an element stands in the window: left, top, right, bottom."""
    left, top, right, bottom = tab.run(RECTANGLE.format(json.dumps(css)))
    return left, top, right, bottom


@one_day_in(4)
@needs_browser
def test_the_board_comes_first(tab: Page, chess: Path, illegal: Path) -> None:
    tab.size(1280, 900)
    tab.open(chess)
    _left, top, right, bottom = rectangle(tab, ".board svg")
    assert top < 60 and bottom - top > 820 and bottom <= 900
    beside = rectangle(tab, ".beside")
    assert beside[0] >= right and beside[2] <= 1280 and abs(beside[3] - bottom) < 4
    # Ten moves of each side at least can be read.
    high = tab.run("document.querySelector('.sheet li').getBoundingClientRect().height")
    seen = rectangle(tab, ".moves ol")
    assert (seen[3] - seen[1]) / high > 10
    first, second = rectangle(tab, ".sheet li"), rectangle(tab, ".sheet li:nth-child(2)")
    assert first[1] == second[1] and first[2] <= second[0]
    # Boards of each player stand side by side.
    tab.open(illegal)
    ana, ben = (rectangle(tab, f".seat:nth-of-type({n}) svg[role=img]") for n in (1, 2))
    assert ana[2] < ben[0] and max(ana[3], ben[3]) < 900
    tab.size(390, 844)
    tab.open(chess)
    board, now, controls = (rectangle(tab, css) for css in (".board svg", ".now", ".slider"))
    # Its ground stays within it, and is about as wide.
    ground = rectangle(tab, ".ground .board")
    assert board[0] <= ground[0] and ground[2] <= board[2] and ground[2] - ground[0] > 0.9 * (board[2] - board[0])
    assert board[3] - board[1] > 340 and board[3] <= now[1] <= now[3] <= controls[1] <= controls[3] <= 844


@one_day_in(8)
@needs_browser
def test_without_a_board_things_are_as_large_as_the_window_allows(tab: Page, tmp_path: Path) -> None:
    pages = {}
    for game in ("leduc_poker", "liars_dice", "crazy_eights"):
        record = tmp_path / f"{game}.json"
        assert run(["play", game, "--seed", "7", "-o", str(record)]) == 0
        pages[game] = page_of(tmp_path, record)
    wide = "document.querySelector('.things > svg').getBoundingClientRect().width"
    for game, page in pages.items():
        tab.size(1280, 900)
        tab.open(page)
        large = tab.run(wide)
        # A phone, and a window that is lower, have less room; the table and the result fit into a window.
        assert rectangle(tab, ".rest")[3] <= 900 and large >= (100 if game != "crazy_eights" else 70), (game, large)
        tab.size(1280, 500)
        tab.until(f"{wide} < {large}")
        tab.size(1280, 900)
        tab.until(f"{wide} === {large}")
        tab.size(390, 844)
        tab.until(f"{wide} <= 50 && document.documentElement.scrollWidth <= innerWidth")
        # There two with little before them sit side by side, hands of cards below each other.
        first, second = (rectangle(tab, f"section.seat:nth-of-type({n})") for n in (1, 2))
        assert (second[1] == first[1]) == (game != "crazy_eights")
    assert tab.complaints == []


@one_day_in(8)
@needs_browser
@pytest.mark.parametrize("game", ["breakthrough", "nine_mens_morris"])
def test_on_a_phone_what_is_empty_takes_no_room_and_nothing_jumps(game: str, tab: Page, tmp_path: Path) -> None:
    record = tmp_path / f"{game}.json"
    assert run(["play", game, "--seed", "7", "-o", str(record)]) == 0
    tab.size(390, 844)
    tab.open(page_of(tmp_path, record))
    # Above the list of moves, and the list itself.
    places = """Array.from(document.querySelectorAll(".board svg, .tools, .moves"), one => {
      const box = one.getBoundingClientRect();
      return [box.left, box.top + scrollY, box.width, box.height].map(Math.round).join(" ");
    }).join()"""
    taken = "document.querySelector('.shared').getBoundingClientRect().height"
    lies = "document.querySelectorAll('.shared use').length"
    last, seen, shown = tab.run("document.querySelectorAll('.move').length"), set[str](), []
    for _ in range(last):
        height, things = tab.run(taken), tab.run(lies)
        shown.append(height > 0)
        assert height > 0 or things == 0
        seen.add(tab.run(places))
        tab.press("ArrowRight")
    # It comes once, before the first is taken, and stays.
    assert not shown[0] and shown[-1] and shown == sorted(shown) and len(seen) == 1
    # Where there is room it has its place from the start, beside the board.
    tab.size(1280, 900)
    tab.press("Home")
    board, beside = rectangle(tab, ".board svg"), rectangle(tab, ".shared")
    assert beside[0] >= board[2] and beside[3] > beside[1] and tab.complaints == []


@one_day_in(4)
@needs_browser
def test_what_was_legal_moves_nothing(tab: Page, chess: Path) -> None:
    tab.size(1280, 900)
    tab.open(chess)
    places = """scrollTo(0, 0), Array.from(document.querySelectorAll(".desk *:not(.ways, .ways *, .legal-now, svg *)"), one => {
      const box = one.getBoundingClientRect();
      return [box.left, box.top, box.width, box.height].map(Math.round).join(" ");
    }).join()"""
    count = "document.querySelectorAll('circle.legal').length"
    before = tab.run(places)
    assert tab.run(count) == 0
    tab.click(".dots")
    # Sixteen squares that pawns reach, those of the pawns, and of the knights.
    assert tab.run(count) == 16 + 8 + 2
    tab.click(".legal-now summary")
    tab.until("document.querySelector('.ways p')")
    assert tab.text(".ways").startswith("Move a piece 20 waysa4 · a3 · b4 · ")
    assert tab.run(places) == before
    tab.press("ArrowRight")
    assert tab.run(count) == 16 + 8 + 2
    tab.click(".dots")
    assert tab.run(count) == 0 and tab.complaints == []


@needs_browser
def test_a_board_is_turned_with_all_that_is_on_it(tab: Page, chess: Path) -> None:
    """Each piece stays on its square, and in the row and the column that are named beside it."""
    tab.size(1280, 900)
    tab.open(chess)
    found = """(function () {
      const svg = document.querySelector(".board svg"), middle = node => {
        const box = node.getBoundingClientRect();
        return [box.left + box.width / 2, box.top + box.height / 2].map(Math.round);
      };
      const named = name => middle(Array.from(svg.querySelectorAll("text")).find(one => one.textContent === name));
      const squares = Array.from(svg.querySelectorAll(".ground rect:not(.board)"), middle);
      const kings = Array.from(svg.querySelectorAll("use")).filter(one => {
        return document.querySelector(one.getAttribute("href") + " title").textContent === "white king";
      });
      return [middle(kings[0]), named("e"), named("1"), squares];
    }())"""
    rows = []
    for _ in range(3):
        king, file, rank, squares = tab.run(found)
        assert abs(king[0] - file[0]) < 3 and abs(king[1] - rank[1]) < 6
        assert min(abs(x - king[0]) + abs(y - king[1]) for x, y in squares) < 8
        rows.append(king[1])
        tab.run("document.querySelector('.flip').click()")
    assert rows[0] == rows[2] > 700 and rows[1] < 200


@needs_browser
def test_what_stands_beside_a_board_is_turned_and_chosen_with_it(tab: Page, tmp_path: Path) -> None:
    rules, record = tmp_path / "g.rules", tmp_path / "g.json"
    rules.write_text(
        """game hands "Hands"
players 2..2
component stone { side: black "B" | white "W" }
deck stones of stone = { 4 B 4 W }
zone board: grid 3x3 of stone named "a3".."c1"
zone hand: bag of stone per player
setup { deal hand "All have stones": 4 each of stones to hand by chance }
turn = lay
action lay "Lay a stone" (stone: stone from hand, at: cell of board) {
  rule free "The cell is free" require board[at] is empty
  move stone to board[at]
}
ending full "Eight lie" when count board == 8 then stop
look { zone board: squares zone hand: beside board { seat 1: bottom  seat 2: top } }
""",
        "utf-8",
    )
    assert run(["play", str(rules), "--seed", "1", "-o", str(record)]) == 0
    page = tmp_path / "g.html"
    assert run(["replay", str(record), "--rules", str(rules), "--html", "-o", str(page)]) == 0
    tab.size(1280, 900)
    tab.open(page)
    middle = """Array.from(document.querySelectorAll("[data-picture]"), one => one.getBoundingClientRect().top).sort((a, b) => a - b)"""
    above, below = "document.querySelector('.ground .board').getBoundingClientRect().top", tab.run(middle)
    top = tab.run(above)
    # Four things of each lie above and below the board; whose these are is told.
    assert len(below) == 8 and [y < top for y in below] == [True] * 4 + [False] * 4
    said = [tab.run(f"document.querySelectorAll('.board .unseen')[{n}].getAttribute('aria-label')") for n in (0, 1)]
    assert said[0].startswith("Hand, P1: ") and said[1].startswith("Hand, P2: ")
    named = "Array.from(document.querySelectorAll('.ground text')).find(one => one.textContent === 'P1').getBoundingClientRect().top"
    assert tab.run(named) > top
    tab.click(".flip")
    assert tab.run(named) < tab.run(above)
    tab.click(".flip")
    # What is chosen there goes where one says.
    tab.run("document.querySelector('.branch').click()")
    tab.until("document.querySelectorAll('[data-picture] circle.legal').length === 4")
    lowest = "Array.from(document.querySelectorAll('[data-picture]')).sort((a, b) => b.getBoundingClientRect().top - a.getBoundingClientRect().top)[0]"
    tab.run(f"{lowest}.setAttribute('id', 'chosen')")
    tab.click("#chosen")
    tab.until("document.querySelectorAll('.board svg > g:last-of-type .to, .board svg .legal').length >= 9")
    tab.click(".ground rect:not(.board)")
    tab.until("document.querySelectorAll('[data-picture]').length === 7")
    assert tab.complaints == []


@one_day_in(8)
@needs_browser
def test_an_arrow_leads_from_where_a_thing_lies_to_where_it_goes(tab: Page, chess: Path, tmp_path: Path) -> None:
    """In the middle of what is marked, whatever the picture looks like."""
    tab.size(1280, 900)
    assert run(["play", "mancala", "--seed", "3", "-o", str(tmp_path / "mancala.json")]) == 0
    ends = """(function () {
      const middle = css => {
        const box = document.querySelector(css).getBoundingClientRect();
        return [box.left + box.width / 2, box.top + box.height / 2];
      };
      const svg = document.querySelector(".board svg"), scale = svg.getScreenCTM();
      const path = document.querySelector(".arrow").getAttribute("d").match(/[\\d.]+/g).map(Number);
      const at = n => [path[n] * scale.a + scale.e, path[n + 1] * scale.d + scale.f];
      const off = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
      return [document.querySelectorAll(".arrow").length, off(at(0), middle(".frame.from")), off(at(2), middle(".frame.to"))];
    }())"""
    for turn in (1, 20, 40):
        tab.open(chess.as_uri() + f"#turn={turn}")
        tab.run("Promise.all(document.getAnimations().map(one => one.finished)).then(() => 0)")
        count, start, end = tab.run(ends)
        assert count == 1 and start < 5 and end < 15, turn
    # What is dealt out to several places goes no single way.
    tab.open(page_of(tmp_path, tmp_path / "mancala.json").as_uri() + "#turn=2")
    assert tab.run("document.querySelectorAll('.frame.to').length") > 1
    assert tab.run("document.querySelectorAll('.arrow').length") == 0


@needs_browser
def test_no_arrow_leads_from_what_was_taken_to_what_took_it(tab: Page, tmp_path: Path) -> None:
    """In Go a stone is put down, and one of the other side goes away: nothing moved from there to here."""
    game = tmp_path / "ko.sgf"
    game.write_text("(;GM[1]FF[4]SZ[9]RU[Chinese];B[dc];W[ec];B[cd];W[fd];B[de];W[ee];B[ed];W[dd];B[ed])", "utf-8")
    tab.open(page_of(tmp_path, game, code=1).as_uri() + "#turn=9")
    assert tab.run("[...document.querySelectorAll('.frame.from, .frame.to')].length") == 2
    assert tab.run("document.querySelectorAll('.arrow').length") == 0
    told = tab.run("document.body.textContent")
    # What players ask stands before what the rules say.
    assert 0 < told.index("the position was the same after move 7") < told.index("require after this")


@needs_browser
def test_what_moves_slides_for_those_who_like_that(tab: Page, chess: Path) -> None:
    tab.size(1280, 900)
    framed = "new Promise(done => requestAnimationFrame(done))"
    sliding = (
        "document.getAnimations().filter(one => !one.animationName).map(one => one.effect.getComputedTiming().duration)"
    )
    for wish, expected in (("no-preference", [150]), ("reduce", [])):
        tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": wish}])
        tab.open(chess)
        for key in ("ArrowRight", "ArrowLeft"):
            step = f"document.querySelector(\"[data-go='{'next' if key == 'ArrowRight' else 'back'}']\").click()"
            assert tab.run(f"{step}, {framed}.then(() => {sliding})") == expected
        # Over several steps nothing slides.
        assert tab.run(f"document.querySelector(\"[data-go='last']\").click(), {framed}.then(() => {sliding})") == []
    tab.call("Emulation.setEmulatedMedia", features=[])


@needs_browser
def test_a_position_can_be_shown_elsewhere(tab: Page, chess: Path, illegal: Path) -> None:
    tab.size(1280, 900)
    tab.open(chess.as_uri() + "#turn=20")
    copied = "document.querySelector('.copy textarea').value"
    tab.click(".copy summary")
    for what in ("link", "text", "embed"):
        tab.click(f"[data-copy={what}]")
        assert tab.text(".copy [role=status]") == "Copied"
        text = tab.run(copied)
        if what == "link":
            assert text == chess.as_uri() + "#turn=20"
        elif what == "embed":
            assert ElementTree.fromstring(text).get("src") == chess.as_uri() + "#turn=20"
        else:
            title, move, _, *rows = text.splitlines()
            assert (title, move) == ("Chess", "10... P2: Nh6")
            assert rows[0].split() == ["8", "bR", ".", "bQ", "bK", ".", "bB", "bN", "bR"]
            assert rows[8].split() == list("abcdefgh")
    tab.press("Escape")
    assert tab.run("document.querySelector('.copy').open") is False
    tab.open(illegal)
    tab.run("document.querySelector('[data-copy=text]').click()")
    assert "\n   2    .    .   K1    .\n       -2   -1    0    1\nHand, Ana: B1 B3 B4×2 G3 GS3 K3 KS3\n" in tab.run(
        copied
    )
    assert tab.complaints == []


GAMES = ("paper_world/en", "pierre_papier_morpion", *(
    game for game in sorted(Library().games()) if game not in ("paper_world", "pierre_papier_morpion")
))  # fmt: skip


@needs_browser
@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_every_game_can_be_stepped_through(game: str, tab: Page, tmp_path: Path) -> None:
    """Panels keep their size, nothing is wider than the screen, and nothing goes wrong. On a phone, what all share beside a board may
    come when something lies there; it moves nothing but what is below it.
    """
    record = tmp_path / "game.json"
    assert run(["play", game, "--seed", "5", "-o", str(record)]) == 0
    data = json.loads(record.read_text("utf-8"))
    if len(data["turns"]) > 40:
        del data["turns"][40:], data["result"]
        record.write_text(json.dumps(data), "utf-8")
    path = page_of(tmp_path, record)
    assert not re.search(r"\b[a-z]+_[a-z]+\b", seen(path).replace(game, "").replace(record.name, ""))
    tab.size(WIDTHS[0])
    for width in WIDTHS:
        tab.size(width)
        tab.open(path)
        # Animations aside, every step leaves every panel where it was and as large as it was.
        found = tab.run("""(function () {
          const sizes = new Set(), heights = [], next = document.querySelector("[data-go='next']");
          const late = innerWidth < 500 ? document.querySelector(".beside > .shared") : null;
          let wide = false;
          for (let step = 0; step < 60; step += 1) {
            const low = late ? late.getBoundingClientRect().height : 0;
            const gap = low ? Math.round(low) + parseFloat(getComputedStyle(late.closest(".desk")).rowGap) : 0;
            sizes.add(Array.from(document.querySelectorAll(".panel, .now"), one => {
              const box = one.getBoundingClientRect(), above = one.closest(".rest") ? gap : 0;
              const down = one.matches(".now") ? 0 : scrollY - above;
              return one === late ? "" : [box.left, box.top + down, box.width, box.height].map(Math.round).join(" ");
            }).join("; "));
            heights.push(low);
            wide = wide || document.documentElement.scrollWidth > innerWidth;
            next.click();
          }
          return [sizes.size, wide, heights.filter((one, at) => at && one !== heights[at - 1]).length];
        }())""")
        assert found[:2] == [1, False] and found[2] <= 1, width
    assert tab.complaints == []


AXE = "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']})"


@needs_browser
@pytest.mark.slow
@pytest.mark.skipif(find_spec("axe_core_python") is None, reason="axe-core is not installed")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing_moderate(
    tab: Page, illegal: Path, chess: Path, tmp_path: Path, width: int, dark: bool
) -> None:
    spec = find_spec("axe_core_python")
    assert spec is not None and spec.origin is not None
    axe = (Path(spec.origin).parent / "axe.min.js").read_text("utf-8")
    results = str(tmp_path / "results.parquet")
    assert run(["check", *map(str, sorted(RECORDS.glob("*.json"))), "--results", results]) == 1
    pages = [illegal, chess]
    for name, words in (
        ("checked", ["check", *map(str, sorted(RECORDS.glob("*.json")))]),
        ("report", ["report", results]),
        ("simulated", ["simulate", "nim", "--games", "20"]),
        ("rules", ["rules", "paper_world/en"]),
        ("compared", ["compare", "gomoku", "gomoku+exactly_five", "--effort", "0"]),
        ("several", ["compare", "go/chinese", "go/japanese", "go/aga", "--effort", "0"]),
        ("switching", ["compare", "checkers", "checkers+flying_kings", "--effort", "0", "--sheet"]),
    ):
        pages.append(tmp_path / f"{name}.html")
        assert run([*words, "-o", str(pages[-1])]) != 2
    for path in pages:
        tab.size(width, dark=dark)
        tab.open(path)
        tab.run("document.querySelectorAll('.jump, .dots').forEach(one => one.click())")
        tab.run("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        tab.run(axe + "; 0")
        found = tab.run(
            f"{AXE}.then(r => r.violations.map(v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html + n.failureSummary)]))"
        )
        assert [issue for issue in found if issue[0] in ("moderate", "serious", "critical")] == []


@needs_browser
def test_a_token_is_spoken_of_where_it_lies(tab: Page, clean: Path) -> None:
    tab.size(1280)
    tab.open(clean.as_uri() + "#turn=99")
    tables = tab.run("Array.from(document.querySelectorAll('[data-title^=Landscape] > svg'), one => one.ariaLabel)")
    (lies,) = [table for table in tables if "Shears" in table]
    assert re.search(r"[a-z]+ scissors \d( \+\d)?, Shears \(-?\d,-?\d\)", lies)


@needs_browser
def test_what_moves_is_spoken_of_where_a_move_names_cells_alone(tab: Page, tmp_path: Path) -> None:
    record = tmp_path / "moved.pwn"
    record.write_text("ruleset: chess\nplayers: Ana, Ben\n\n1. Ana: step g1 f3  2. Ben: step b8 c6\n", "utf-8")
    tab.open(page_of(tmp_path, record))
    assert tab.text(".spoken") == "1. Ana: Nf3, white knight"
    assert tab.text(".said") == "Nf3"


@needs_browser
def test_where_a_record_stops_it_is_told_what_could_come(tab: Page, tmp_path: Path) -> None:
    record = json.loads((RECORDS / "clean.json").read_text("utf-8"))
    record.pop("result")
    for turns, said in ((0, ["Take cards"]), (1, ["End the turn"])):
        path = tmp_path / f"{turns}.json"
        path.write_text(json.dumps(record | {"turns": record["turns"][:turns]}), "utf-8")
        tab.open(page_of(tmp_path, path).as_uri() + "#turn=9")
        tab.run("document.querySelector('.legal-now').open = true")
        tab.until("document.querySelector('.ways p')")
        assert tab.text(".spoken") == "At the end: The record ends here"
        assert tab.run("Array.from(document.querySelectorAll('.ways strong'), one => one.textContent)") == said
        assert tab.run("document.querySelector('[data-go=play]').disabled") == (turns == 0)


@needs_browser
@pytest.mark.slow
def test_long_names_and_strange_ones_stay_in_their_place(tab: Page, tmp_path: Path) -> None:
    text = (RECORDS / "illegal.json").read_text("utf-8")
    pairs = [
        ("W" * 80, "B" * 80),
        ("</script><script>alert(1)</script>", "<!--<b>&amp;\"'"),
        ("\u05e9\u05e8\u05d4", "\U0001f3b2"),
    ]
    for number, names in enumerate(pairs):
        record = tmp_path / f"names{number}.json"
        ana, ben = map(json.dumps, names)
        record.write_text(text.replace('"Ana"', ana).replace('"Ben"', ben), "utf-8")
        path = page_of(tmp_path, record, code=1)
        for width in WIDTHS:
            tab.size(width)
            tab.open(path.as_uri() + "#turn=23.2")
            assert tab.run("document.documentElement.scrollWidth") == width
            assert tab.run(
                "Array.from(document.querySelectorAll('.seat h3'), one => one.firstElementChild.nextSibling.data)"
            ) == list(names)
            beyond = tab.run("""Array.from(document.querySelectorAll(".panel *, .now *"), one => one).filter(one => {
              const box = one.getBoundingClientRect(), panel = one.closest(".panel, .now").getBoundingClientRect();
              return box.width && box.right > panel.right + 1 && !one.closest(".unseen, .scroll");
            }).map(one => one.outerHTML.slice(0, 80))""")
            assert beyond == [], width
    assert tab.complaints == []


@needs_browser
@pytest.mark.slow
def test_a_phone_shows_everything(tab: Page, illegal: Path) -> None:
    tab.size(390, 844)
    tab.open(illegal)
    assert tab.run("document.documentElement.scrollWidth") == 390
    # The buttons stay at the bottom of the screen, large enough for a thumb.
    box = tab.run(
        "(function () { const b = document.querySelector(\"[data-go='next']\").getBoundingClientRect(); return [b.bottom, b.width, b.height]; }())"
    )
    assert box[0] <= 844 and box[1] >= 44 and box[2] >= 44
    cut = tab.run("""Array.from(document.querySelectorAll("body *"), one => one).filter(one => {
      const box = one.getBoundingClientRect(), style = getComputedStyle(one);
      return box.width && (box.right > 391 || box.left < -1) && style.visibility !== "hidden" && !one.closest(".unseen, .scroll");
    }).map(one => one.outerHTML.slice(0, 80))""")
    assert cut == []


@needs_browser
@pytest.mark.slow
def test_paper_has_the_moves_and_the_positions_that_decide(tab: Page, illegal: Path) -> None:
    tab.size(1280)
    tab.open(illegal)
    tab.call("Emulation.setEmulatedMedia", media="print")
    shown = "Array.from(document.querySelectorAll('{}'), one => one.getBoundingClientRect().height > 0)"
    assert tab.run(shown.format(".printed figure")) == [True, True, True]
    assert set(tab.run(shown.format(".bar, .table, .tools, .notes, .legal-now, .keys"))) == {False}
    assert set(tab.run(shown.format(".move"))) == {True}
    assert re.findall(rb"/Type\s*/Page\b(?!s)", tab.printed())
    tab.call("Emulation.setEmulatedMedia", media="")


@needs_browser
@pytest.mark.slow
def test_sixty_moves_of_chess_are_printed_on_two_pages(tab: Page, chess: Path) -> None:
    tab.size(1280)
    tab.open(chess)
    pages = re.findall(rb"/Type\s*/Page\b(?!s)", tab.printed())
    assert 0 < len(pages) <= 2


@needs_browser
@pytest.mark.slow
def test_a_seat_sees_its_own(tab: Page, tmp_path: Path) -> None:
    assert run(["play", "hearts", "--seed", "3", "-o", str(tmp_path / "hearts.json")]) == 0
    tab.size(1280)
    tab.open(page_of(tmp_path, tmp_path / "hearts.json"))
    hands = "Array.from(document.querySelectorAll('[data-title^=Hand]'), one => one.getAttribute('aria-label').includes('?'))"
    assert tab.run(hands) == [False] * 4
    tab.run(
        "(function () { const v = document.querySelector('.view'); v.value = 1; v.dispatchEvent(new Event('change')); }())"
    )
    assert tab.run(hands) == [True, False, True, True]


@one_day_in(7)
@needs_browser
def test_a_seat_sees_no_secret_value_of_others(tab: Page, tmp_path: Path) -> None:
    assert run(["play", "liars_dice", "--seed", "7", "-o", str(tmp_path / "dice.json")]) == 0
    tab.size(1280)
    tab.open(page_of(tmp_path, tmp_path / "dice.json").as_uri() + "#turn=3")
    dice = (
        "Array.from(document.querySelectorAll('.seat .lying'), one => one.getAttribute('aria-label').split(': ').pop())"
    )
    totals = "Array.from(document.querySelectorAll('.total'), one => one.textContent)"
    rolled = tab.run(dice)
    assert set(rolled) <= set("123456")
    for seat in (0, 1):
        tab.run(
            f"(v => {{ v.value = {seat}; v.dispatchEvent(new Event('change')); }})(document.querySelector('.view'))"
        )
        assert tab.run(dice) == [value if at == seat else "?" for at, value in enumerate(rolled)]
        told = tab.run("Array.from(document.querySelectorAll('.move .words'), one => one.textContent)")
        # Nor is it told by the scores: whether the bid is true depends on both dice, for who has no six.
        tab.press("End")
        assert tab.run(totals) == (["?", "?"] if seat == 0 else ["0", "1"])
        assert told[1 - seat] == "Roll the die in secret: ?" and told[seat].endswith(rolled[seat])
    # Who has won is no curve.
    assert tab.run("document.querySelector('.chart')") is None and tab.complaints == []


@needs_browser
def test_the_curve_is_that_of_who_sees_everything(tab: Page, tmp_path: Path) -> None:
    assert run(["play", "leduc_poker", "--seed", "3", "-o", str(tmp_path / "leduc.json")]) == 0
    tab.size(1280)
    tab.open(page_of(tmp_path, tmp_path / "leduc.json"))
    heights = []
    for seat in (-1, 0, -1):
        tab.run(
            f"(v => {{ v.value = {seat}; v.dispatchEvent(new Event('change')); }})(document.querySelector('.view'))"
        )
        heights.append(tab.run("document.querySelector('.chart').getBoundingClientRect().height"))
    assert heights[0] == heights[2] > 0 == heights[1]


@needs_browser
@pytest.mark.slow
def test_how_fast_it_is(tab: Page, clean: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No time is asked for here: what was measured is printed."""
    tab.size(1280)
    paints, steps = [], []
    for _ in range(5):
        tab.open(clean)
        tab.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        tab.run("new Promise(done => setTimeout(done, 300))")
        paints += tab.run("performance.getEntriesByName('first-contentful-paint').map(one => one.startTime)")
        steps += tab.run("""(async function () {
          const next = document.querySelector("[data-go='next']"), found = [];
          for (let step = 0; step < 70; step += 1) {
            const begun = performance.now();
            next.click();
            document.body.getBoundingClientRect();
            found.push(performance.now() - begun);
            await new Promise(done => requestAnimationFrame(done));
          }
          return found;
        }())""")
    steps.sort()
    with capsys.disabled():
        print(
            f"\npage {clean.stat().st_size / 1000:.0f} kB; first paint {median(paints):.0f} ms (most {max(paints):.0f}); "
            f"a step with its layout {median(steps):.1f} ms (95 %: {steps[len(steps) * 95 // 100]:.1f}, most {steps[-1]:.1f})"
        )
    assert len(steps) == 350


@one_day_in(8)
@needs_browser
def test_what_stays_as_it_is_drawn_is_right(tab: Page, clean: Path) -> None:
    """Cards of a row are drawn once: after any way through the game they lie as on a page that goes there at once."""
    lying = """Array.from(document.querySelectorAll('.things'), row => Array.from(row.children, one => [
      one.getAttribute('class'), one.style.transform,
      ...Array.from(one.querySelectorAll('use, .frame'), part => part.getAttribute('href') || part.className.baseVal)]))"""
    step = (
        "(function (s) { s.value = %d; s.dispatchEvent(new Event('input')); }(document.querySelector('.slider')));"
        + lying
    )
    way = [*range(30), 12, 40, 39, 41, 74, *range(60, 20, -1), 45]
    tab.open(clean)
    found = {at: tab.run(step % at) for at in way}
    for at in (7, 12, 25, 39, 45, 74):
        tab.open(clean)
        assert tab.run(step % at) == found[at]


@needs_browser
def test_moves_of_a_printed_sheet_stand_in_their_columns(tab: Page, tmp_path: Path) -> None:
    """However many lines a turn has, and wherever a column of the paper ends."""
    tab.open(played(tmp_path, "pig+open_spiel", 4))
    tab.call("Emulation.setDeviceMetricsOverride", width=700, height=900, deviceScaleFactor=1, mobile=False)
    tab.call("Emulation.setEmulatedMedia", media="print", features=[])
    boxes = tab.run(
        "(function () { const list = document.querySelector('.sheet'); list.style.height = '600px';"
        " return Array.from(list.children, one => { const box = one.getClientRects()[0];"
        " return [one.classList.contains('seat1'), box.left - list.getBoundingClientRect().left, box.top]; }); }())"
    )
    starts = sorted({left for second, left, _ in boxes if not second})
    wide = starts[1]
    assert len(boxes) > 40
    assert {round((left + 1) % wide) for second, left, _ in boxes if not second} == {1}
    assert {round(left % wide) for second, left, _ in boxes if second} == {120}
    for (_, left, top), (second, right, other) in pairwise(boxes):
        assert not second or abs(top - other) < 1 or right > left + 200
    tab.call("Emulation.setEmulatedMedia", media="", features=[])


@needs_browser
def test_who_acts_comes_into_view_on_a_phone(tab: Page, clean: Path) -> None:
    tab.size(390, 844)
    tab.open(clean)
    seen = (
        "(function () { const box = document.querySelector('.seat.acting').getBoundingClientRect();"
        " return [box.top >= 0, box.bottom <= document.querySelector('.bar').getBoundingClientRect().top]; }())"
    )
    for _ in range(12):
        tab.run("document.querySelector(\"[data-go='next']\").click()")
        assert tab.run(seen) == [True, True]


@one_day_in(8)
@needs_browser
@pytest.mark.parametrize(("width", "high"), [(1280, 900), (390, 844)])
def test_what_columns_are_called_is_as_large_as_other_words(tab: Page, tmp_path: Path, width: int, high: int) -> None:
    for game in ("tic_tac_toe", "connect_four", "chess", "gomoku", "go+nineteen"):
        tab.size(width, high)
        tab.open(played(tmp_path, game, 5))
        letters = tab.run("document.querySelector('.board .ground text').getBoundingClientRect().height")
        assert 7 < letters < 20, game
        # None reaches into the board or out of the picture.
        assert tab.run("""(function () {
          const board = document.querySelector('.board .ground rect').getBoundingClientRect();
          const around = document.querySelector('.board svg').getBoundingClientRect();
          return Array.from(document.querySelectorAll('.board .ground text'), one => one.getBoundingClientRect()).every(one =>
            (one.right <= board.left + 1 || one.top >= board.bottom - 1) && one.left >= around.left - 1 && one.bottom <= around.bottom + 1);
        }())"""), game


@one_day_in(4)
@needs_browser
def test_a_name_of_a_game_is_read_before_those_of_its_players(tab: Page, tmp_path: Path) -> None:
    tab.size(390, 844)
    record = tmp_path / "g.json"
    names = ("--name", "Alexandra Benedikta", "--name", "Bartholomew Constantine")
    assert run(["play", "breakthrough", "--seed", "1", *names, "-o", str(record)]) == 0
    tab.open(page_of(tmp_path, record))
    assert tab.run("(function (one) { return one.scrollWidth <= one.clientWidth; }(document.querySelector('h1')))")
    # What has no room is left out, not cut.
    record = tmp_path / "h.json"
    assert run(["play", "gomoku+exactly_five", "--seed", "1", "-o", str(record)]) == 0
    tab.open(page_of(tmp_path, record))
    assert tab.run(
        "Array.from(document.querySelectorAll('header > p')).filter(one => one.getBoundingClientRect().top <"
        " document.querySelector('header').getBoundingClientRect().bottom)"
        ".every(one => one.scrollWidth <= one.clientWidth)"
    )


@one_day_in(4)
@needs_browser
def test_where_nothing_lies_beside_a_board_nothing_is_shown(tab: Page, tmp_path: Path) -> None:
    game = tmp_path / "game.pgn"
    game.write_text("1. e4 d5 2. exd5 Qxd5 *\n", "utf-8")
    page = page_of(tmp_path, game)
    tab.size(1280)
    for turn, shown in ((1, "hidden"), (5, "visible")):
        tab.open(page.as_uri() + f"#turn={turn}")
        assert tab.run("getComputedStyle(document.querySelector('.beside > .shared .lying')).visibility") == shown
