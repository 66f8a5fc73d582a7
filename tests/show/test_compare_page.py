"""The pages of comparisons: well-formed, nothing from outside, readable without script, and at work in a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from pwtool.cli.app import run
from pwtool.comparing.row import Row
from pwtool.comparing.rows import compare_rulesets, shared_items
from pwtool.show.html.comparing import render_page
from pwtool.show.svg.sharing import share_parts
from pwtool.show.svg.writer import MARK
from pwtool.show.text.comparing import Comparison
from tests.browser import browser
from tests.daily import one_day_in
from tests.support import BROWSER, book

ROOT = Path(__file__).resolve().parents[2]
GP, FR, EN, DE = "paper_world/gamepark", "paper_world/fr", "paper_world/en", "paper_world/de"
HTML = "{http://www.w3.org/1999/xhtml}"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The comparison of two editions with a recorded game that tells them apart."""
    path = tmp_path_factory.mktemp("pages") / "page.html"
    club, clean = ROOT / "examples" / "notation" / "club.pwn", ROOT / "examples" / "records" / "clean.json"
    code = run(["compare", GP, FR, "--witness", str(club), "--games", str(clean), "--format", "html", "-o", str(path)])
    assert code == 1
    return path


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The comparison of two editions with the games that were looked for to show its differences."""
    folder = tmp_path_factory.mktemp("searched")
    path = folder / "page.html"
    words = ["--witness", str(folder / "games"), "--effort", "0.3", "--format", "html", "-o", str(path)]
    code = run(["compare", EN, DE, *words])
    assert code == 1
    return path


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.replace("<!DOCTYPE html>", ""))


@one_day_in(7)
def test_the_pages_are_well_formed_and_need_no_other_file(page: Path, searched: Path, tmp_path: Path) -> None:
    sheet, matrix = tmp_path / "sheet.html", tmp_path / "matrix.html"
    assert run(["compare", EN, FR, "--sheet", "--format", "html", "--effort", "0.25", "-o", str(sheet)]) == 1
    assert run(["compare", EN, FR, GP, "--format", "html", "--effort", "0.25", "-o", str(matrix)]) == 1
    for path in (page, searched, sheet, matrix):
        text = path.read_text("utf-8")
        root = parsed(text)
        identities = [e.get("id") for e in root.iter() if e.get("id")]
        assert len(identities) == len(set(identities))
        targets = [e.get("href", "") for e in root.iter() if e.get("href")]
        inner, games = [t[1:] for t in targets if t.startswith("#")], [t for t in targets if not t.startswith("#")]
        assert set(inner) <= set(identities)
        # The page shows everything without them: what it links to are the recorded games that it speaks of.
        assert all((path.parent / unquote(t)).resolve().is_file() and t.endswith((".json", ".jsonl")) for t in games)
        assert bool(games) == (path == page)
        assert not [e.tag for e in root.iter() if e.get("src") or e.tag in (f"{HTML}link", f"{HTML}img")]
        assert not re.search(r"url\(|@import", text)
        # A browser lets nothing in from outside, and runs our script alone.
        (policy,) = [e.get("content", "") for e in root.iter(f"{HTML}meta") if e.get("http-equiv")]
        assert "default-src 'none'" in policy and ("script-src 'sha256-" in policy) == bool(
            list(root.iter(f"{HTML}script"))
        )


@one_day_in(8)
def test_sentences_come_first_and_rules_behind_a_disclosure(page: Path, tmp_path: Path) -> None:
    german = tmp_path / "german.html"
    assert run(["compare", DE, FR, "--format", "html", "--lang", "de", "--effort", "0.25", "-o", str(german)]) == 1
    for path in (page, german):
        root = parsed(path.read_text("utf-8"))
        for parent in list(root.iter()):
            for child in list(parent):
                if "rules" in str(child.get("class")).split() or child.tag.endswith(("}script", "}style", "}svg")):
                    parent.remove(child)
        rows = [e for e in root.iter(f"{HTML}article") if e.get("class") == "row"]
        assert rows
        for row in rows:
            words = " ".join("".join(row.itertext()).split())
            assert words and not re.search(r"\w_\w|require |--reading|\||==", words), words
    (turn,) = [e for e in parsed(german.read_text("utf-8")).iter(f"{HTML}article") if e.get("id") == "turn-"]
    said = " ".join("".join(turn.itertext()).split())
    assert said.startswith("Was nicht mehr erlaubt ist Das Scherenplättchen gibt es erst am Ende des Zuges")
    assert "turn = (take | place+ | pass) grab? trim*" in said


@one_day_in(4)
def test_what_is_closed_is_not_printed_and_the_dark_is_for_screens(page: Path) -> None:
    style = next(parsed(page.read_text("utf-8")).iter(f"{HTML}style")).text or ""
    assert ".rules:not([open])" in style.split("@media print")[1]
    assert "@media screen and (prefers-color-scheme: dark)" in style
    # Every color but those of things on the table is one that the dark changes.
    assert not re.findall(r"(?<!-)color: #", style.split("@media print")[0])


def test_without_its_script_everything_is_said(page: Path) -> None:
    root = parsed(page.read_text("utf-8"))
    (game,) = [e for e in root.iter(f"{HTML}article") if e.get("class") == "game"]
    moves = [e for e in game.iter(f"{HTML}button") if str(e.get("class")).startswith("move")]
    assert len(moves) > 40 and "Place a card: K1, (1, 0)" in ["".join(move.itertext()).strip() for move in moves]
    drawn = list(game.iter(f"{HTML}figure"))
    assert len(drawn) == 3 and "refuses" in "".join(drawn[1].itertext())
    style = next(root.iter(f"{HTML}style")).text or ""
    # What stands there for the script alone shows nothing without it; all else does.
    style = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    hiding = {one.strip() for rule in re.findall(r"([^{}]+)\{[^{}]*display: none", style) for one in rule.split(",")}
    for_script = {".bar", ".notes", ".tools", ".legal-now", ".table", ".seated", ".bar .halt", ".bar .playing .go"}
    on_paper = {".keys", ".heads", ".goals", ".parts + noscript", ".here", ".rules:not([open])"}
    on_paper |= {".tools [hidden]", ".tools summary::-webkit-details-marker"}
    # While somebody plays on, and what the script hides.
    on_paper |= {
        ".branching .dots",
        ".branching .rest",
        ".branched[hidden]",
        ".moves li[hidden]",
        ".moves .move[hidden]",
    }
    assert {one for one in hiding if ".scripted" not in one} <= for_script | on_paper
    text = " ".join("".join(e.itertext()) for e in root.iter(f"{HTML}details"))
    assert "Whoever placed a scissors card that still shows takes the token" in text
    assert "French rulebook" in text


@one_day_in(8)
def test_what_is_hidden_without_the_script_belongs_to_a_game(searched: Path) -> None:
    root = parsed(searched.read_text("utf-8"))
    inside = {id(e) for game in root.iter(f"{HTML}article") if game.get("class") == "game" for e in game.iter()}
    elsewhere = {name for e in root.iter() if id(e) not in inside for name in str(e.get("class")).split()}
    assert "says" in elsewhere and not elsewhere & {"bar", "tools", "notes", "legal-now", "table", "seated"}


@one_day_in(4)
def test_each_row_leads_to_the_game_that_shows_it(searched: Path) -> None:
    root = parsed(searched.read_text("utf-8"))
    games = {e.get("id"): e for e in root.iter(f"{HTML}article") if e.get("class") == "game"}
    files = sorted((searched.parent / "games").glob("*.json"))
    assert len(games) == len(files) > 1
    rows = {str(e.get("id")): e for e in root.iter(f"{HTML}article") if e.get("class") == "row"}
    linked = []
    for name in ("rule-grab.which_card", "rule-turn.must_take", "action-reshuffle"):
        links = [str(e.get("href"))[1:] for e in rows[name].iter(f"{HTML}a")]
        assert links, name
        linked += links
        words = "".join("".join(games[link].itertext()) for link in links)
        assert "allowed by paper_world/" in words and " rulebook refuses: " in words and "paper_world/en" in words
        # It is called by the difference that it shows.
        assert all(
            "".join(next(games[link].iter(f"{HTML}h3")).itertext()).partition(": ")[2] in "".join(rows[name].itertext())
            for link in links
        )
        assert all(f"{name.partition('-')[2]}-only-" in "".join(games[link].itertext()) for link in links)
    deals = [str(e.get("href"))[1:] for e in rows["deck-blue_back"].iter(f"{HTML}a")]
    assert len(deals) == 2 and {*linked, *deals} == games.keys()
    for link in deals:
        # A start that the other ruleset does not allow: nothing needs to be played for it.
        assert "setup.supply" in "".join(games.pop(link).itertext())
    assert "that the first allows nothing more" in "".join(rows["rule-grab.which_card"].itertext())
    # The last step but the one at the end is that on which the other ruleset says no.
    for game in games.values():
        data = json.loads(next(e.text or "" for e in game.iter(f"{HTML}script")))
        last = len(data["steps"]) - 1
        assert set(data["refused"]) <= {last - 1, last} and data["refused"]
        # It is the one that is printed, with the moves that led to it; nothing is said of the material.
        (printed,) = [e for e in game.iter(f"{HTML}figure") if e.get("class") == "deciding"]
        assert "refuses" in "".join(printed.itertext())
        words = "".join(printed.itertext())
        # What the other has no action for, nothing on the board decides.
        unmarked = "End of the turn" in words or "there is no action" in words
        assert MARK in ElementTree.tostring(printed, "unicode") or unmarked
        assert "setup.supply" not in "".join(game.itertext())


def test_everything_is_escaped() -> None:
    nasty = '<script>alert("1")</script>]]>&\x00'
    games = (book(EN).game, book(FR).game)
    rows = [Row("rule", nasty, "semantic", "different", "stricter", nasty, nasty, nasty, nasty)]
    text = render_page(Comparison((nasty, nasty), games, rows, 0, None, (nasty,)))
    assert not list(parsed(text).iter(f"{HTML}script")) and "\x00" not in text


def test_shared_parts_draw_the_same() -> None:
    card = (
        '<g><title>a card</title><rect x="1" y="2" width="50" height="50" rx="6"/><text x="9" y="9">'
        + "x" * 90
        + "</text></g>"
    )
    first = f'<svg><g transform="translate(1 2)">{card}</g><g>{card}</g></svg>'
    second = f"<svg>{card}</svg>"
    parts, drawn = share_parts([first, second], "p")
    ids = dict(re.findall(r'<g id="(p\d+)">(.*?)</g>(?=<g id=|</defs>)', parts))
    assert len(parts) < len(card) * 2 and card in ids.values()
    shown = [re.sub(r'<use href="#(p\d+)"/>', lambda m: ids[m[1]], d) for d in drawn]
    assert shown == [first, second]


@pytest.mark.skipif(BROWSER is None, reason="no browser here")
@pytest.mark.slow
@pytest.mark.parametrize(("source", "width"), [("page", 1200), ("page", 390), ("searched", 390)])
def test_in_a_browser(source: str, tmp_path: Path, width: int, request: pytest.FixtureRequest) -> None:
    path: Path = request.getfixturevalue(source)
    with browser(tmp_path) as page:
        page.size(width)
        page.open(path)
        row = "document.querySelector('#semantic .row details.rules')"
        assert page.run(f"{row}.open") is False
        page.click("#semantic .row details.rules summary")
        assert page.run(f"{row}.open") is True
        if page.run("Boolean(document.querySelector('a[href=\"#game1\"]'))"):
            page.click("a[href='#game1']")
        else:
            page.run("document.querySelector('#game1').focus()")
        assert page.run("document.activeElement.id") == "game1"
        last = page.run("JSON.parse(document.querySelector('#game1 .data').textContent).steps.length")
        # It opens where one of the rulesets refuses something.
        refused = page.run("JSON.parse(document.querySelector('#game1 .data').textContent).refused[0]")
        assert page.text("#game1 .count") == f"{refused + 1} of {last}"
        seen = []
        for key in ("Home", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home"):
            page.press(key)
            seen.append(page.text("#game1 .count"))
        assert seen == [f"{n} of {last}" for n in (1, 2, 1, last, last, 1)]
        page.click("#game1 [data-go='next']")
        page.click("#game1 [data-go='back']")
        # The button that can go no further left the focus to the game.
        page.press("ArrowRight")
        assert page.text("#game1 .count") == f"2 of {last}"
        # Keys move the game that has the focus, no other one.
        others = page.run("Array.from(document.querySelectorAll('.game:not(#game1) .slider'), one => one.value)")
        assert others == page.run(
            "Array.from(document.querySelectorAll('.game:not(#game1) .data'), one => String(JSON.parse(one.textContent).begin))"
        )
        assert page.run("document.documentElement.scrollWidth") <= width and page.complaints == []


def test_the_shared_count_is_right() -> None:
    games = (book(EN).game, book(EN).game)
    assert shared_items(*games) > 100 and compare_rulesets(*games) == []
