"""The pages of comparisons: well-formed, nothing from outside, readable without script, and at work in a browser."""

from __future__ import annotations

import html
import re
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from pwtool.cli.app import run
from pwtool.comparing.row import Row
from pwtool.comparing.rows import compare_rulesets, shared_items
from pwtool.show.html.comparing import render_page
from pwtool.show.html.stepping import Step, SteppedGame
from pwtool.show.svg.sharing import share_parts
from pwtool.show.svg.writer import MARK
from pwtool.show.text.comparing import Comparison
from tests.support import BROWSER, book, in_browser

ROOT = Path(__file__).resolve().parents[2]
GP, FR, EN, DE = "paper_world/gamepark", "paper_world/fr", "paper_world/en", "paper_world/de"
HTML = "{http://www.w3.org/1999/xhtml}"

# What a reader does on the page; the findings end up as the title of the page.
DRIVER = """<script>//<![CDATA[
(function () {
  var said = [];
  var row = document.querySelector("#semantic .row details.rules");
  said.push(row.open ? "open" : "closed");
  row.querySelector("summary").click();
  said.push(row.open ? "open" : "closed");
  var game = document.querySelector(".game");
  function shown() {
    var all = Array.prototype.slice.call(game.querySelectorAll(".step"));
    var seen = all.filter(function (s) { return getComputedStyle(s).display !== "none"; });
    return seen.length + ":" + all.indexOf(seen[0]);
  }
  function press(key) {
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: key, bubbles: true, cancelable: true }));
    said.push(key + " " + shown());
  }
  var link = document.querySelector("a[href='#game1']");
  if (link) { link.click(); } else { game.focus(); }
  said.push(document.activeElement === game ? "focused" : "not focused");
  said.push(shown());
  press("ArrowRight"); press("ArrowRight"); press("ArrowLeft"); press("End"); press("ArrowRight"); press("Home");
  game.querySelector("[data-go='1']").click();
  said.push("next " + shown());
  var back = game.querySelector("[data-go='-1']");
  back.focus();
  back.click();
  press("ArrowRight");
  var board = game.querySelector(".step.shown .board");
  var cue = getComputedStyle(game.querySelector(".step.shown .slide")).display !== "none";
  said.push("cut " + (board.scrollWidth > board.clientWidth && !cue));
  said.push("wide " + (document.documentElement.scrollWidth > document.documentElement.clientWidth));
  parent.document.title = said.join(", ");
}());
//]]></script></body>"""


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
    code = run(["compare", EN, DE, "--witness", str(folder / "games"), "--format", "html", "-o", str(path)])
    assert code == 1
    return path


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.replace("<!DOCTYPE html>", ""))


def test_the_pages_are_well_formed_and_need_no_other_file(page: Path, searched: Path, tmp_path: Path) -> None:
    sheet, matrix = tmp_path / "sheet.html", tmp_path / "matrix.html"
    assert run(["compare", EN, FR, "--sheet", "--format", "html", "-o", str(sheet)]) == 1
    assert run(["compare", EN, FR, GP, "--format", "html", "-o", str(matrix)]) == 1
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


def test_sentences_come_first_and_rules_behind_a_disclosure(page: Path, tmp_path: Path) -> None:
    german = tmp_path / "german.html"
    assert run(["compare", DE, FR, "--format", "html", "--lang", "de", "--effort", "0", "-o", str(german)]) == 1
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


def test_what_is_closed_is_not_printed_and_the_dark_is_for_screens(page: Path) -> None:
    style = next(parsed(page.read_text("utf-8")).iter(f"{HTML}style")).text or ""
    assert ".rules:not([open])" in style.split("@media print")[1]
    assert "@media screen and (prefers-color-scheme: dark)" in style
    # Every color but those of paper and shadows is one that the dark changes.
    assert not re.findall(r"(?<!-)color: #", style.split("@media print")[0])


def test_without_its_script_everything_is_there(page: Path) -> None:
    root = parsed(page.read_text("utf-8"))
    steps = [e for e in root.iter(f"{HTML}figure") if "step" in str(e.get("class")).split()]
    assert len(steps) > 3
    style = next(root.iter(f"{HTML}style")).text or ""
    hiding = re.findall(r"([^{}]+)\{[^{}]*display: none", style)
    assert all(".scripted" in rule or ".buttons" in rule or ".slide" in rule for rule in hiding)
    text = " ".join("".join(e.itertext()) for e in root.iter(f"{HTML}details"))
    assert "Whoever placed a scissors card that still shows takes the token" in text
    assert "French rulebook" in text


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
        assert "allowed by paper_world/" in words and " refuses: " in words and "paper_world/en" in words
        assert all(f"{name.partition('-')[2]}-only-" in "".join(games[link].itertext()) for link in links)
    deals = [str(e.get("href"))[1:] for e in rows["deck-blue_back"].iter(f"{HTML}a")]
    assert len(deals) == 2 and {*linked, *deals} == games.keys()
    for link in deals:
        # A start that the other ruleset does not allow: nothing needs to be played for it.
        assert "setup.supply" in "".join(games.pop(link).itertext())
    assert "that the first allows nothing more" in "".join(rows["rule-grab.which_card"].itertext())
    # The last board but the one at the end is that on which the other ruleset says no.
    for game in games.values():
        steps = [e for e in game.iter(f"{HTML}figure") if "step" in str(e.get("class")).split()]
        assert "refuses" in "".join(steps[-2].itertext()) or "refuses" in "".join(steps[-1].itertext())
        # It is the one that is printed, with the moves that led to it; nothing is said of the material.
        (printed,) = [step for step in steps if "deciding" in str(step.get("class")).split()]
        assert "refuses" in "".join(printed.itertext())
        words = "".join(printed.itertext())
        # What the other has no action for, nothing on the board decides.
        unmarked = "end of turn" in words or "there is no action" in words
        assert MARK in ElementTree.tostring(printed, "unicode") or unmarked
        assert "setup.supply" not in "".join(game.itertext())


def test_everything_is_escaped() -> None:
    nasty = '<script>alert("1")</script>]]>&\x00'
    games = (book(EN).game, book(FR).game)
    rows = [Row("rule", nasty, "semantic", "different", "stricter", nasty, nasty, nasty, nasty)]
    drawing = '<svg xmlns="http://www.w3.org/2000/svg"/>'
    game = SteppedGame(nasty, nasty, (nasty, nasty), (nasty,), (Step(nasty, nasty, drawing, nasty),))
    text = render_page(Comparison((nasty, nasty), games, rows, 0, None, (nasty,)), [game])
    assert len(list(parsed(text).iter(f"{HTML}script"))) == 1 and "\x00" not in text


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
@pytest.mark.parametrize(("source", "width"), [("page", 1200), ("page", 390), ("searched", 390)])
def test_in_a_browser(source: str, tmp_path: Path, width: int, request: pytest.FixtureRequest) -> None:
    page: Path = request.getfixturevalue(source)
    first = page.read_text("utf-8").split('<article class="game"')[1]
    steps = first.count('<figure class="step')
    # A window is never narrower than 500 pixels; a frame in it is.
    frame = tmp_path / "frame.html"
    page_text = html.escape(page.read_text("utf-8").replace("</body>", DRIVER))
    frame.write_text(
        f'<title></title><iframe srcdoc="{page_text}" style="width: {width}px; height: 900px"></iframe>', "utf-8"
    )
    said = in_browser(
        frame, tmp_path, f"--window-size={max(width, 500)},900", "--virtual-time-budget=3000", "--dump-dom"
    )
    title = re.search(r"<title>(.*?)</title>", said)
    assert title, said
    last = steps - 1
    assert title[1].split(", ") == [
        "closed", "open", "focused", "1:0", "ArrowRight 1:1", "ArrowRight 1:2", "ArrowLeft 1:1", f"End 1:{last}",
        f"ArrowRight 1:{last}", "Home 1:0", "next 1:1", "ArrowRight 1:1", "cut false", "wide false",
    ]  # fmt: skip


def test_the_shared_count_is_right() -> None:
    games = (book(EN).game, book(EN).game)
    assert shared_items(*games) > 100 and compare_rulesets(*games) == []
