"""`pwtool report`: the page says what the results say, of all three formats, of hostile ones too, and nothing else."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from statistics import mean, median_low
from typing import Any
from xml.etree import ElementTree

import pytest

from pwtool.checking.overview import Judged, Overview, Unreadable, read_overview
from pwtool.cli.app import run
from pwtool.show.html.charted import Numbers
from pwtool.show.html.reporting import render_report
from pwtool.show.svg import charts
from pwtool.text.speech import ENGLISH
from tests.browser import browser
from tests.daily import one_day_in, some
from tests.show.test_pages import NASTY, checked, numbers
from tests.support import BROWSER, few_or_many

pytest.importorskip("duckdb")
pytest.importorskip("vl_convert")
FORMATS = ("jsonl", "parquet", "duckdb")
GP, EN = "paper_world/gamepark", "paper_world/en"


@pytest.fixture(scope="module", params=few_or_many(3, 40))
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with results of games of two and three players under two rulesets, good ones and bad ones, in three formats."""
    folder = tmp_path_factory.mktemp("results")
    games = folder / "games.jsonl"
    text = ""
    for players, count in ((2, request.param), (3, request.param * 3 // 2)):
        made = folder / f"{players}.jsonl"
        assert run(["play", GP, "--players", str(players), "--games", str(count), "--seed", "1", "-o", str(made)]) == 0
        text += made.read_text("utf-8")
    lines = text.splitlines()
    lines.insert(3, lines[0].replace('"action":"take"', '"action":"tale"', 1))
    lines.insert(7, "{")
    games.write_text("\n".join(lines) + "\n", "utf-8")
    for form in FORMATS:
        target = folder / f"r.{form}"
        words = ["--rules", GP, "--rules", EN, "--results", str(target), "--explain", "3", "-q"]
        code = run(["check", str(games), *words])
        assert code == 2
    return folder


def rows_of(results: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (results / "r.jsonl").read_text("utf-8").splitlines()]


def tables(page: str) -> dict[str, list[list[str]]]:
    """The tables of a page by their captions, each with its heading."""
    root = ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>\n"))
    found = {}
    for table in root.iter("{http://www.w3.org/1999/xhtml}table"):
        rows = [
            [" ".join("".join(cell.itertext()).split()) for cell in row]
            for row in table.iter("{http://www.w3.org/1999/xhtml}tr")
        ]
        found[table.findtext("{*}caption") or ""] = rows
        for at, row in enumerate(table.iter("{http://www.w3.org/1999/xhtml}tr")):
            scopes = [cell.get("scope") for cell in row]
            assert scopes == (["col"] * len(scopes) if at == 0 else ["row", *[None] * (len(scopes) - 1)])
    return found


@pytest.fixture(scope="module")
def page(results: Path) -> str:
    target = results / "page.html"
    assert run(["report", str(results / "r.parquet"), "-o", str(target)]) == 0
    return target.read_text("utf-8")


@one_day_in(8)
def test_the_formats_say_the_same(results: Path) -> None:
    first, *others = (read_overview(results / f"r.{form}") for form in FORMATS)
    assert all(other == first for other in others)
    games = (results / "games.jsonl").read_text("utf-8").splitlines()
    assert first.rows == len(rows_of(results)) >= 2 * (len(games) - 1)


@one_day_in(8)
def test_the_page_says_what_the_rows_say(results: Path, page: str) -> None:
    checked(page)
    rows, shown = rows_of(results), tables(page)
    verdicts = Counter((row["ruleset"], row["verdict"]) for row in rows)
    heading, *told = shown["Verdicts"]
    words = {"clean": "clean", "refused": "findings", "undetermined": "undetermined", "unreadable": "unreadable"}
    for row in told:
        ruleset = row[0].split()[0] if row[0] != "without a ruleset" else None
        for word, count in zip(heading[1:-1], row[1:-1], strict=True):
            assert int(count) == verdicts[ruleset, words[word]], (row, word)
    refusals = Counter()
    first: dict[tuple[str, str], str] = {}
    for row in rows:
        for key in dict.fromkeys((f["rule"] or f["code"], row["ruleset"]) for f in row["findings"] if not f["follows"]):
            refusals[key] += 1
            first.setdefault(key, f"{row['file']}:{row['line']}")
    told = shown["Findings, by the number of games"][1:]
    assert len(told) == len(refusals) > 3
    for rule, games, where in told:
        match = re.fullmatch(
            r"(PW\d+|[a-z0-9_.]+?(?=PW))(?:PW\d+, )?(no ruleset|paper_world/\w+)(?: [0-9a-f]{16})?", rule
        )
        assert match, rule
        key = (match[1], None if match[2] == "no ruleset" else match[2])
        assert int(games) == refusals[key] and where.startswith(first[key]), rule
        assert f"pwtool check {first[key]}" in where
    played = [row for row in rows if row["verdict"] == "clean" and row["over"]]
    assert {row["ruleset"] for row in played} == {GP}
    for players, *told in shown["How long games are"][1:]:
        turns = [row["turns"] for row in played if len(row["players"]) == int(players.split()[0])]
        assert told[:3] == [str(len(turns)), f"{mean(turns):.1f}", str(min(turns))]
        assert told[4] == str(median_low(turns)) and told[6] == str(max(turns))
    for label, games, won, *_ in shown["Games won, by seat"][1:]:
        seat, players = map(int, re.findall(r"\d+", label))
        of = [row for row in played if len(row["players"]) == players]
        share = sum((row["places"][seat - 1] == 1) / row["places"].count(1) for row in of) / len(of)
        assert [int(games), won] == [len(of), Numbers().percent(share)]
    for label, _, points, *_ in shown["Points, by seat"][1:]:
        seat, players = map(int, re.findall(r"\d+", label))
        assert points == f"{mean(row['scores'][seat - 1] for row in played if len(row['players']) == players):.2f}"
    claims: dict[str, list[int | None]] = {}
    for row in played:
        for claim in row["claims"]:
            claims.setdefault(claim["objective"], []).append(claim["turn"])
    told = shown["Objectives claimed"][1:]
    assert {name: (int(n), int(c)) for name, n, c, _ in told} == {
        name: (len(turns), sum(turn is not None for turn in turns)) for name, turns in claims.items()
    }
    for name, claimed, _, middle, _ in shown["When they are claimed"][1:]:
        turns = [turn for turn in claims[name] if turn is not None]
        assert [int(claimed), int(middle)] == [len(turns), median_low(turns)]


@one_day_in(4)
def test_every_game_is_a_link_that_leads_to_it(results: Path, page: str) -> None:
    links = set(re.findall(r'href="([^"]+)"', page))
    assert links == {"games.jsonl"} and (results / "games.jsonl").exists()


@one_day_in(8)
def test_the_page_needs_no_other_file_and_is_always_the_same(results: Path, page: str) -> None:
    assert not re.search(r'src=|url\(|@import|href="http|xlink', page)
    again = results / "again.html"
    code = "import sys; from pwtool.cli.app import run; sys.exit(run(sys.argv[1:]))"
    words = ["report", str(results / "r.parquet"), "-o", str(again)]
    subprocess.run([sys.executable, "-c", code, *words], check=True)
    assert again.read_text("utf-8") == page


def hostile(number: int) -> str:
    return f"@{number} {NASTY}"


def hostile_rows() -> list[dict[str, Any]]:
    """What no check writes: every text of a row is one that wants to be more than text."""
    finding = {
        "code": hostile(1), "severity": "error", "rule": hostile(2), "turn": 3, "action": 1, "line": 1, "column": 1,
        "message": hostile(3), "follows": False,
    }  # fmt: skip
    row: dict[str, Any] = {
        "file": hostile(4), "line": 7, "id": hostile(5), "ruleset": hostile(6), "version": hostile(7), "verdict": "clean",
        "code": None, "rule": None, "turn": None, "action": None, "players": [hostile(8), hostile(9)], "turns": 4, "actions": 4,
        "over": True, "ending": hostile(10), "ending_turn": 3, "scores": [1, 2], "places": [2, 1],
        "lines": [{hostile(11): 1, "b": 0}] * 2, "claims": [{"objective": hostile(12), "turn": 2}], "engine": hostile(13),
        "findings": [],
    }  # fmt: skip
    other = {**row, "ending": hostile(14), "turns": 9, "claims": [{"objective": hostile(15), "turn": None}]}
    return [row, other, {**row, "verdict": "findings", "findings": [finding]}]


def test_texts_of_results_are_texts(tmp_path: Path) -> None:
    path = tmp_path / "it's a[1]*{{7}}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in hostile_rows()), "utf-8")
    target = tmp_path / "page.html"
    assert run(["report", str(path), "-o", str(target)]) == 0
    text = target.read_text("utf-8")
    assert numbers(checked(text)) >= {1, 2, 4, 6, 7, 10, 11, 12, 14, 15}
    assert path.name in html.unescape(text)
    for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        assert {e.tag for e in ElementTree.fromstring(svg).iter()} <= {
            "svg",
            "g",
            "path",
            "line",
            "rect",
            "text",
            "tspan",
        }


def test_names_that_begin_alike_stay_apart() -> None:
    names = [f"{'a' * 100}{n}" for n in range(3)]
    drawn = charts.draw_bars([charts.Bar(name, 1 + at) for at, name in enumerate(names)], "games", ENGLISH)
    labels = ["".join(t.itertext()) for t in ElementTree.fromstring(drawn).iter("text")]
    labels = [label for label in labels if label.startswith("aaa")]
    assert len(labels) == len(set(labels)) == 3


def test_long_names_are_whole() -> None:
    name = "Soixante-quinze coups de chaque camp sans prise ni coup de pion"
    drawn = charts.draw_bars([charts.Bar(name, 1), charts.Bar("b", 2)], "games", ENGLISH)
    texts = [list(text.itertext()) for text in ElementTree.fromstring(drawn).iter("text")]
    (lines,) = [text for text in texts if name.startswith(" ".join(text[:1]) or "-")]
    assert " ".join(lines) == name and max(map(len, lines)) <= charts.LABEL


@one_day_in(8)
def test_axes_of_counts_have_whole_numbers() -> None:
    for most in range(1, 40):
        bars = charts.draw_bars([charts.Bar("a", most), charts.Bar("b", 0)], "games", ENGLISH)
        points = [charts.Point(turns, 0.5, "one") for turns in (7, 7 + most)]
        for svg in (bars, charts.draw_lines(points, "turns", "share of games", ENGLISH)):
            said = [text.text or "" for text in ElementTree.fromstring(svg).iter("text")]
            ticks = [text for text in said if text[:1].isdigit() and "%" not in text]
            assert len(ticks) >= 2 and all(map(str.isdigit, ticks)), ticks


def test_few_or_no_results_make_a_page() -> None:
    empty = render_report(Overview(), "none")
    assert "What was found" in checked(empty)


@one_day_in(4)
def test_one_game_tells_little(results: Path, tmp_path: Path) -> None:
    row = next(row for row in rows_of(results) if row["verdict"] == "clean" and row["over"])
    (tmp_path / "r.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    shown = tables(render_report(read_overview(tmp_path / "r.jsonl"), "one"))
    for _, games, won, low, high, _ in shown["Games won, by seat"][1:]:
        share, *between = (float(cell.removesuffix("%").strip()) for cell in (won, low, high))
        assert games == "1" and 0 <= between[0] <= share <= between[1] <= 100 and between[1] - between[0] > 70
    assert all(row[3:5] == ["–", "–"] for row in shown["Points, by seat"][1:])


def test_what_is_no_results_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {"a.jsonl": '{"a": 1}\n[', "e.jsonl": "{}\n", "b.parquet": "no", "c.duckdb": "no", "d.json": "{}"}
    for name, content in texts.items():
        (tmp_path / name).write_text(content, "utf-8")
    for name in (*texts, "missing.jsonl"):
        assert run(["report", str(tmp_path / name), "-o", str(tmp_path / "page.html")]) == 2
        error = capsys.readouterr().err
        assert name in error and "contains no results" in error and "Traceback" not in error
    assert not (tmp_path / "page.html").exists()
    target = tmp_path / "there.html"
    target.write_text("mine", "utf-8")
    assert run(["report", str(tmp_path / "a.jsonl"), "-o", str(target)]) == 2
    assert target.read_text("utf-8") == "mine" and "--force" in capsys.readouterr().err
    monkeypatch.setattr(charts, "find_spec", lambda name: None)
    assert run(["report", str(tmp_path / "a.jsonl")]) == 2
    assert "pwtool[report]" in capsys.readouterr().err


LOOK = """(function () {
  const page = document.documentElement, drawings = Array.from(document.querySelectorAll("svg"));
  const wide = () => page.scrollWidth > page.clientWidth, before = wide();
  document.querySelector("button").click();
  const chosen = String(getSelection()).startsWith("pwtool check"), one = document.querySelector("details");
  one.querySelector("summary").click();
  return {
    wide: before || wide(), drawn: drawings.length > 6, chosen: chosen, open: one.open,
    narrow: drawings.filter(svg => svg.getBoundingClientRect().height < 20).length,
    paper: getComputedStyle(document.body).backgroundColor, letters: getComputedStyle(document.querySelector("svg text")).fill,
    bar: getComputedStyle(document.querySelector("svg path[fill='var(--c1)']")).fill,
  };
}())"""


@pytest.mark.skipif(BROWSER is None, reason="no browser here")
@pytest.mark.parametrize(("width", "dark"), some([(1200, False), (1200, True), (390, True), (390, False)], 1))
def test_in_a_browser(page: str, tmp_path: Path, width: int, dark: bool) -> None:
    path = tmp_path / "page.html"
    path.write_text(page, "utf-8")
    with browser(tmp_path) as shown:
        shown.size(width, dark=dark)
        shown.open(path)
        found = shown.run(LOOK)
        assert shown.complaints == []
    paper, bar = ("rgb(25, 25, 24)", "rgb(111, 176, 238)") if dark else ("rgb(255, 255, 255)", "rgb(42, 109, 181)")
    assert "rgb" in found.pop("letters")
    assert found == {
        "wide": False,
        "drawn": True,
        "chosen": True,
        "open": True,
        "narrow": 0,
        "paper": paper,
        "bar": bar,
    }


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_a_name_that_is_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a\udcff.jsonl"
    path.write_text("{}\n", "utf-8")
    with pytest.raises(Unreadable, match="not UTF-8"):
        read_overview(path)


def words(page: str) -> set[str]:
    """What a page of charts says itself: headings, notes, the heads of tables, what is pressed."""
    found = re.findall(r'<(?:h[1-3]|p class="note"|caption|th scope="col"[^>]*|summary|span)>([^<]*)<', page)
    found += re.findall(r'data-\w+="([^"]*)"', page)
    return {text for text in found if re.search(r"[^\W\d_]{2}", text)}


@pytest.mark.parametrize("language", some(["fr", "de"], 1))
def test_pages_are_in_the_language_of_the_reader(results: Path, page: str, tmp_path: Path, language: str) -> None:
    target = tmp_path / "page.html"
    assert run(["report", str(results / "r.parquet"), "-o", str(target), "--lang", language]) == 0
    told = target.read_text("utf-8")
    assert f'<html lang="{language}"' in told
    alike = {"fr": {"documents", "Verdicts", "points"}, "de": {"Name"}}[language]
    assert words(told) & words(page) <= alike
    play = ["simulate", "paper_world/fr", "--games", "20", "--players", "2", "--seed", "1", "--jobs", "1", "--lang"]
    pages = []
    for number, spoken in enumerate(("en", language)):
        out = tmp_path / f"{number}.html"
        assert run([*play, spoken, "-o", str(out)]) == 0
        pages.append(out.read_text("utf-8"))
    assert words(pages[0]) & words(pages[1]) <= {"Score"}
    # Items of the rules have the names that players know.
    assert {"fr": "Poser une carte", "de": "Karte legen"}[language] in pages[1] and 'scope="row">place<' in pages[
        0
    ].replace("\n", "")


def test_lengths_are_drawn_as_steps_that_begin_and_end_at_nothing() -> None:
    judged = Judged("g/a", "v", {"clean": 6}, 6, {2: {5: 1, 7: 2, 9: 3}})
    page = render_report(Overview(6, 6, {"clean": 6}, {2: 6}, [judged]), "r.jsonl")
    (chart,) = [svg for svg in re.findall(r"<svg viewBox.*?</svg>", page, re.DOTALL) if "share of games" in svg]
    paths = [
        [tuple(map(float, pair.split(","))) for pair in re.findall(r"-?[\d.]+,-?[\d.]+", line)]
        for line in re.findall(r' d="([^"]*)"', chart)
    ]
    drawn = [corners for corners in paths if len(corners) > 8]
    # Only right angles: between two counts nothing is made up.
    assert drawn and all(a[0] == b[0] or a[1] == b[1] for corners in drawn for a, b in pairwise(corners)), paths
    assert all(corners[0][1] == max(y for _, y in corners) for corners in drawn)
