"""Numbers on pages are right roundings, and the labels of axes differ and stand where their values are."""

from __future__ import annotations

import random
import re
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from pwtool.checking.report import FileResult, Played, Report, Verdict
from pwtool.cli.app import run
from pwtool.lsp.model.studies import Rarity
from pwtool.show.html.charted import Numbers
from pwtool.show.html.checked import render_checked
from pwtool.show.html.playing.pictures import Pictures
from pwtool.show.svg import charts
from pwtool.show.text.simulations import ends_text, number_text
from pwtool.show.text.statistics import statistics_lines
from pwtool.show.text.studies import one_in
from pwtool.simulating.estimates import estimate, within
from pwtool.simulating.measures import Measure
from pwtool.studio.measuring import brief, shared
from pwtool.text import Diagnostic
from pwtool.text.speech import ENGLISH
from pwtool.why.voice import Voice
from tests.daily import one_day_in, some
from tests.show.drawn import agrees, axes, check_axes
from tests.support import few_or_many, random_game

charted = pytest.mark.skipif(not charts.is_installed(), reason="charts need vl-convert")
EXTENTS = (3e-8, 1e-5, 0.0004, 0.003, 0.02, 0.2, 0.5, 1.0)


@charted
@pytest.mark.parametrize("extent", some([*EXTENTS], 1))
@pytest.mark.parametrize("middle", [0.0, 0.3, 0.999])
def test_shares_that_are_close_have_different_labels(extent: float, middle: float) -> None:
    low, high = max(0.0, middle - extent / 2), min(1.0, middle + extent / 2)
    ranges = [charts.Range(f"r{n}", low, low + n * (high - low) / 3, high) for n in range(4)]
    assert check_axes(charts.draw_ranges(ranges, "share", ENGLISH, percent=True)) == 1
    bars = [charts.Bar(f"b{n}", extent * n / 3, "x" * 7) for n in range(4)]
    assert check_axes(charts.draw_bars(bars, "share", ENGLISH, percent=True)) == 1


@one_day_in(8)
@charted
@pytest.mark.parametrize("scale", [1e-6, 0.01, 1, 5, 700, 3e6, 4e12])
def test_numbers_on_axes_differ(scale: float) -> None:
    for sign in (1, -1):
        ranges = [
            charts.Range(f"r{n}", sign * scale * n, sign * scale * (n + 0.5), sign * scale * (n + 1)) for n in range(4)
        ]
        assert check_axes(charts.draw_ranges(ranges, "points", ENGLISH)) == 1
    bars = [charts.Bar(f"b{n}", scale * (n + 1), str(n)) for n in range(4)]
    if scale >= 1:
        # Bars are of games.
        assert check_axes(charts.draw_bars(bars, "games", ENGLISH)) == 1
    points = [charts.Point(10 + n * scale, n * 0.2, "one") for n in range(5)]
    assert check_axes(charts.draw_lines(points, "turns", "share of games", ENGLISH)) == 2


@charted
def test_stacked_bars_have_an_axis_for_all_of_them() -> None:
    bars = [charts.Bar("a", 3, series="clean"), charts.Bar("a", 3, series="refused")]
    svg = charts.draw_bars(bars, "games", ENGLISH, {"clean": "var(--c1)", "refused": "var(--c2)"})
    (ticks,) = axes(svg)
    assert max(value for _, value, _ in ticks) >= 5


@pytest.mark.parametrize("times", few_or_many(3_000, 200_000))
def test_numbers_are_rounded_rightly(times: int) -> None:
    rng, numbers = random.Random(7), Numbers()
    measures = (Measure("claimed", "x", share=True), Measure("score", "x"))
    for _ in range(times):
        whole = rng.choice((1, 2, 3, 8, 1000, 9_999, 10**6, 10**9))
        part = rng.choice((0, 1, whole - 1, whole, rng.randint(0, whole)))
        exact = Fraction(part, whole)
        assert agrees(numbers.percent(part, whole), exact, percent=True), (part, whole)
        assert agrees(ENGLISH.share(part, whole), exact, percent=True), (part, whole)
        mean = rng.choice((-1, 1)) * exact * rng.choice((1, 1, 100, 10**7))
        assert agrees(numbers.decimal(float(mean)).text, mean), mean
        assert agrees(number_text(measures[1], float(mean)), mean) and agrees(
            number_text(measures[0], float(exact)), exact, percent=True
        )
        signed = number_text(measures[1], float(mean), signed=True)
        assert agrees(signed.replace(">-", ">-"), mean) and (not mean or signed[0] in "+-<>"), signed
        if share := one_in(exact):
            check_share(share, exact)


def check_share(said: str, exact: Fraction) -> None:
    if said in ("none", "all", "nearly all"):
        assert {"none": exact == 0, "all": exact == 1, "nearly all": Fraction(99, 100) < exact < 1}[said]
    elif said.startswith("1 in "):
        assert exact <= Fraction(1, 2) and abs(float(said[5:].replace(",", "")) - 1 / exact) <= max(
            Fraction(1, 2), 1 / exact / 190
        ), said
    else:
        assert exact > Fraction(1, 2) and agrees(said, exact, percent=True), said


@pytest.mark.parametrize("count", [1, 49, 50, 51, 500, 501, 667, 994, 996, 999])
def test_the_studio_says_how_rare_an_objective_is(count: int) -> None:
    exact = Fraction(count, 1000)
    rarity = Rarity(one_in(exact), float(exact), (), measured={"boards": {"fulfil": count, "of": 1000}})
    for said in (brief(rarity, Voice("en")), shared(rarity, Voice("en")), rarity.brief):
        words = said.lower().removesuffix(" boards").removesuffix(" of the").removesuffix(" of")
        assert words != "1 in 1"
        check_share(words, exact)


def test_an_interval_of_a_part_stays_within_the_whole() -> None:
    for games, won in product((1, 2, 3, 50), (0, 1, 2)):
        if won > games:
            continue
        for share in (True, False):
            found = within(estimate((games, won, won), 1, share), True)
            assert found.low is None or found.high is None or 0 <= found.low <= found.mean <= found.high <= 1, found
            ends = ends_text(Measure("wins", "seat 1"), found.low, found.high)
            assert not any("-" in end for end in ends)


def results(count: int, rng: random.Random) -> list[FileResult]:
    found = []
    for number in range(count):
        verdict = rng.choice(list(Verdict))
        played = Played(("a", "b"), 3, 3, True) if verdict is not Verdict.UNREADABLE else None
        codes = [rng.randint(601, 640) for _ in range(0 if verdict is Verdict.CLEAN else 3)]
        diagnostics = tuple(
            Diagnostic(f"PW{601 + code % 2}", f"m{code}", rule=f"r{code}", follows=rng.random() < 0.2) for code in codes
        )
        found.append(FileResult(f"-{number}.json", "g/one", verdict, diagnostics, played=played))
    return found


@pytest.mark.parametrize("count", [0, 1, 7, 1_300])
def test_the_page_of_a_check_counts_all_documents(count: int) -> None:
    found = results(count, random.Random(count))
    page = render_checked(Report(tuple(found), "pwtool", "1"), [], Pictures(), "en")
    tops = [int(n.replace(",", "")) for n in re.findall(r"<li><strong>([\d,]+)</strong>", page)]
    verdicts = Counter(result.verdict for result in found)
    assert tops == [count, *(verdicts[verdict] for verdict in Verdict if verdicts[verdict])]
    broken = Counter(key for r in found for key in {d.rule for d in r.diagnostics if not d.follows})
    told = [int(n.replace(",", "")) for n in re.findall(r'<td class="number">([\d,]+)</td>', page)]
    assert told == sorted(broken.values(), reverse=True)[:20]
    others = [int(n) for n in re.findall(r"<p class=\"soft\">[^<]*?(\d+) [^<]*</p>", page)]
    left_out = [n for n in (len(broken) - 20, count - 200) if n > 0]
    assert others[: len(left_out)] == left_out, page[page.find("soft") :][:300]


def test_a_summary_does_not_round_away(tmp_path: Path) -> None:
    from pwtool.checking.statistics import Statistics

    found = Statistics(documents=10_000)
    found.verdicts["g"] = Counter({Verdict.CLEAN: 9_999, Verdict.FINDINGS: 1})
    found.players["g"] = Counter({2: 10_000})
    assert "9,999 clean (>99.9%), 1 refused (<0.1%)" in "\n".join(statistics_lines(found, ENGLISH))


def test_a_draw_tells_no_line_that_gives_nobody_anything(tmp_path: Path) -> None:
    import json

    drawn = won = 0
    for seed in range(60):
        record, _ = random_game("tic_tac_toe", 2, seed)
        path = tmp_path / "game.json"
        path.write_text(json.dumps(record), "utf-8")
        if (len(record["result"]["ranking"]) == 1 and drawn) or (len(record["result"]["ranking"]) == 2 and won):
            continue
        assert run(["replay", str(path), "-o", str(tmp_path / "game.html"), "--force"]) == 0
        page = (tmp_path / "game.html").read_text("utf-8")
        shown = '<th scope="row">Three in a line</th>' in page
        if len(record["result"]["ranking"]) == 1:
            drawn += 1
            assert not shown and "P1 = P2" in page
        else:
            won += 1
            assert shown
    assert drawn and won


@one_day_in(4)
@charted
def test_the_axes_of_a_simulation(tmp_path: Path) -> None:
    for words in (["nim", "--games", "300"], ["tic_tac_toe", "--games", "1"], ["pig", "pig", "--games", "40"]):
        page = tmp_path / f"{words[0]}.html"
        assert run(["simulate", *words, "--seed", "1", "--players", "2", "--jobs", "1", "-o", str(page)]) == 0
        assert check_axes(page.read_text("utf-8")) >= 4
