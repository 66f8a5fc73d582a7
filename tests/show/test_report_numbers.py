"""Every number of `pwtool report` is computed again from the rows, without the program: also from rows with far more
rulesets, rules, endings and players than a page lists, with draws, gaps, negative and huge scores.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict
from fractions import Fraction
from html import unescape
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

from pwtool.checking.overview import read_overview
from pwtool.show.html.reporting import render_report
from tests.daily import one_day_in, some
from tests.show.drawn import agrees, check_axes
from tests.show.test_report_page import tables
from tests.support import few_or_many

pytest.importorskip("duckdb")
pytest.importorskip("vl_convert")
WORDS = {"clean": "clean", "refused": "findings", "undetermined": "undetermined", "unreadable": "unreadable"}
Z = NormalDist().inv_cdf(0.975)


def made_row(rng: random.Random, number: int, many: int) -> dict[str, Any]:
    verdict = rng.choices(("clean", "findings", "undetermined", "unreadable"), (70, 20, 5, 5))[0]
    read = verdict != "unreadable" and rng.random() < 0.95
    seats = rng.choice((1, 2, 2, 3, 8)) if read else 0
    over = rng.random() < 0.9 if read else None
    goes = bool(over)
    huge = rng.random() < 0.1
    scores = (
        [rng.choice((None, rng.randint(-9, 9), rng.randint(-9, 9), 4_000_000_000 if huge else 0)) for _ in range(seats)]
        if goes
        else []
    )
    ranks = [rng.randint(1, 2) for _ in range(seats)]
    places = [rank - min(ranks) + 1 for rank in ranks] if goes and rng.random() < 0.8 else []
    kinds = (
        ("error", "error", "warning") if verdict == "findings" else ("warning",) if verdict == "clean" else (verdict,)
    )
    severity = {"unreadable": "error"}
    findings = [
        {
            "code": f"PW{rng.randint(601, 603)}", "severity": severity.get(kind, kind), "rule": rng.choice((None, f"r{rng.randrange(many)}")),
            "turn": rng.randint(1, 9), "action": 1, "line": 1, "column": 1, "message": "m", "follows": rng.random() < 0.2,
        }
        for kind in kinds
        for _ in range(rng.randint(0, 2))
    ]  # fmt: skip
    row = {
        "file": f"f{number}.json", "line": rng.choice((None, number)), "id": None, "ruleset": rng.choice((None, *(f"g/{n}" for n in range(many)))),
        "version": rng.choice(("a", "b")), "verdict": verdict, "code": None, "rule": None, "turn": None, "action": None,
        "players": [f"p{seat}" for seat in range(seats)], "turns": rng.choice((1, 7, 12, 900)) if read else None, "actions": 4, "over": over,
        "ending": rng.choice((None, *(f"e{n}" for n in range(many)))) if goes else None, "ending_turn": 1, "scores": scores, "places": places,
        "lines": [{f"l{rng.randrange(many)}": rng.randint(-3, 3)} for _ in range(seats)] if goes else [],
        "claims": [{"objective": f"o{n}", "turn": rng.choice((None, 3, 8))} for n in rng.sample(range(many), min(many, 3))] if read else [],
        "engine": rng.choice((None, None, "audit", "position")), "findings": findings,
    }  # fmt: skip
    return row if row["ruleset"] else row | {"version": None}


def shown(rows: list[dict[str, Any]], folder: Path) -> str:
    path = folder / "r.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return render_report(read_overview(path), "r.jsonl")


def headed(page: str) -> dict[str, tuple[str, str]]:
    """The numbers at the top of a page and their shares, by what they are of."""
    items = page.partition('<ul class="facts">')[2].partition("</ul>")[0].split("<li>")[1:]
    told = [re.split(r"</?strong>|</?span>", unescape(item)) for item in items]
    parted = [(number, *words.partition(" (")) for _, number, _, words, *_ in told]
    return {word: (number, share.removesuffix(")")) for number, word, _, share in parted}


def whole_of(text: str) -> int:
    return int(text.replace(",", ""))


def by_ruleset(row: dict[str, Any]) -> str:
    return f"{row['ruleset']} {row['version']}" if row["ruleset"] else "without a ruleset"


def check_page(page: str, rows: list[dict[str, Any]]) -> None:
    """Compute everything again that the page shows for all rows."""
    tops, whole = headed(page), len(rows)
    verdicts = Counter(row["verdict"] for row in rows)
    for word, verdict in WORDS.items():
        assert (word in tops) == bool(verdicts[verdict])
        number, share = tops.get(word, ("0", "0.0 %"))
        assert whole_of(number) == verdicts[verdict], word
        assert agrees(share, Fraction(verdicts[verdict], whole), percent=True), word
    assert whole_of(tops["documents"][0]) == whole
    found = tables(page)
    heading, *told = found["Verdicts"]
    assert [sum(whole_of(row[at]) for row in told) for at in range(1, len(heading) - 1)] == [
        verdicts[WORDS[word]] for word in heading[1:-1]
    ]
    assert sum(whole_of(row[-1]) for row in told) == whole
    each = defaultdict(Counter)
    for row in rows:
        each[by_ruleset(row)][row["verdict"]] += 1
    for name, *counts in told:
        assert [whole_of(n) for n in counts[:-1]] == [each[name][WORDS[word]] for word in heading[1:-1]], name
    assert {row[0] for row in told} == set(each)
    seats = Counter(len(row["players"]) for row in rows)
    for label, games, share in found["Players"][1:]:
        number = 0 if label == "not known" else int(label.split()[0])
        assert whole_of(games) == seats[number] and agrees(share, Fraction(seats[number], whole), percent=True)
    assert sum(whole_of(row[1]) for row in found["Players"][1:]) == whole
    kinds: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        broken = {(f["code"], f["rule"] or "") for f in row["findings"] if not f["follows"]}
        kinds.update((by_ruleset(row), *key) for key in broken)
    if kinds:
        told = found["Findings, by the number of games"][1:]
        counts = sorted(kinds.values(), reverse=True)
        assert [whole_of(row[1]) for row in told] == counts[: len(told)]
        left_out = counts[len(told) :]
        assert not left_out or re.search(rf"{len(left_out)} rules? more .* a total of {sum(left_out):,}\.", page)
        assert len(told) <= 15 or "The chart shows the first 15 rules." in page
    else:
        assert "Findings, by the number of games" not in found
    over = Counter(by_ruleset(row) for row in rows if row["verdict"] == "clean" and row["over"] and row["players"])
    sections = re.findall(r"<h2>How games go under ([^<]*)</h2>\s*<p[^>]*>Of ([\d,]+) finished", page)
    assert [whole_of(games) for _, games in sections] == sorted(over.values(), reverse=True)[:30]
    assert all(over[name] == whole_of(games) for name, games in sections)
    assert len(over) <= 30 or f"{len(over) - 30} are left out" in page


def check_played(page: str, rows: list[dict[str, Any]]) -> None:
    """Compute everything again that the page shows for games that are over, of its only ruleset."""
    played = [row for row in rows if row["verdict"] == "clean" and row["over"]]
    found = tables(page)
    if not played:
        assert "How long games are" not in found
        return
    for players, games, mean, *quantiles in found["How long games are"][1:]:
        turns = sorted(row["turns"] for row in played if len(row["players"]) == int(players.split()[0]))
        assert whole_of(games) == len(turns) and agrees(mean, Fraction(sum(turns), len(turns)))
        exact = [
            next(t for at, t in enumerate(turns, 1) if at >= part * len(turns))
            for part in (Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), Fraction(1))
        ]
        assert [int(q) for q in quantiles] == exact
    if "How games end" in found:
        ends = Counter(row["ending"] for row in played)
        told = found["How games end"][1:]
        assert sum(whole_of(games) for _, games, _ in told) == len(played)
        for name, games, share in told:
            assert agrees(share, Fraction(whole_of(games), len(played)), percent=True)
            assert name == "others" or whole_of(games) == ends[None if name == "none" else name], name
    for label, games, won, low, high, even in found.get("Games won, by seat", [[]])[1:]:
        seat, players = (int(word) for word in label.split() if word.isdigit())
        places = [row["places"] for row in played if len(row["players"]) == players and row["places"]]
        exact = sum((Fraction(1, p.count(1)) for p in places if p[seat - 1] == 1), Fraction(0)) / len(places)
        assert (
            whole_of(games) == len(places)
            and agrees(won, exact, percent=True)
            and agrees(even, Fraction(1, players), percent=True)
        )
        n, p = len(places), float(exact)
        away = Z * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
        ends_of = [(p + Z * Z / (2 * n) + sign * away) / (1 + Z * Z / n) for sign in (-1, 1)]
        assert agrees(low, min(p, max(0.0, ends_of[0])), percent=True) or p == 0
        assert agrees(high, max(p, min(1.0, ends_of[1])), percent=True) or p == 1
    for label, games, mean, low, high, first, median, third in found.get("Points, by seat", [[]])[1:]:
        seat, players = (int(word) for word in label.split() if word.isdigit())
        points = sorted(
            row["scores"][seat - 1]
            for row in played
            if len(row["players"]) == players and row["scores"][seat - 1] is not None
        )
        exact = Fraction(sum(points), len(points))
        assert whole_of(games) == len(points) and agrees(mean, exact)
        parts = [next(p for at, p in enumerate(points, 1) if 4 * at >= part * len(points)) for part in (1, 2, 3)]
        assert [whole_of(q) for q in (first, median, third)] == parts
        if len(points) == 1:
            assert (low, high) == ("–", "–")
        else:
            variance = sum((point - exact) ** 2 for point in points) / (len(points) - 1)
            away = Z * sqrt(variance / len(points))
            for end, shown_ in ((float(exact) - away, low), (float(exact) + away, high)):
                assert abs(float(shown_.replace(",", "").lstrip("<>")) - end) <= 0.011 + abs(end) * 1e-9
    lines: dict[str, list[int]] = defaultdict(list)
    claims: dict[str, list[int | None]] = defaultdict(list)
    for row in played:
        for line in row["lines"]:
            for name, points_ in line.items():
                lines[name].append(points_)
        for claim in row["claims"]:
            claims[claim["objective"]].append(claim["turn"])
    for name, mean, least, most in found.get("Where points come from", [[]])[1:]:
        exact = Fraction(sum(lines[name]), len(lines[name]))
        assert agrees(mean, exact) and (int(least), int(most)) == (min(lines[name]), max(lines[name]))
    for name, games, claimed, share in found.get("Objectives claimed", [[]])[1:]:
        some = [turn for turn in claims[name] if turn is not None]
        assert (whole_of(games), whole_of(claimed)) == (len(claims[name]), len(some))
        assert agrees(share, Fraction(len(some), len(claims[name])), percent=True)
    for title, known in (("Where points come from", lines), ("Objectives claimed", claims)):
        left_out = len(known) - len(found.get(title, [[]])[1:])
        assert len(known) < 2 or left_out == 0 or f"{left_out} more" in page, title


@one_day_in(8)
@pytest.mark.parametrize("seed", few_or_many(1, 20))
@pytest.mark.parametrize("many", some([2, 75], 1))
def test_numbers_of_all_rulesets(seed: int, many: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    rows = [made_row(rng, number, many) for number in range(400)]
    page = shown(rows, tmp_path)
    check_page(page, rows)
    assert check_axes(page) >= 4


@pytest.mark.parametrize("seed", few_or_many(1, 20))
@pytest.mark.parametrize(("size", "many"), some([(0, 2), (1, 2), (2, 2), (8, 2), (300, 2), (300, 75)], 1))
def test_numbers_of_one_ruleset(seed: int, size: int, many: int, tmp_path: Path) -> None:
    for part in range(4 if size < 10 else 1):
        rng = random.Random(f"{seed} {part}")
        rows = [made_row(rng, number, many) | {"ruleset": "g/one", "version": "a"} for number in range(size)]
        page = shown(rows, tmp_path)
        if rows:
            check_page(page, rows)
        check_played(page, rows)
        check_axes(page)


@one_day_in(8)
def test_clean_games_under_many_rulesets_are_all_clean(tmp_path: Path) -> None:
    rows = [
        made_row(random.Random(n), n, 2) | {"ruleset": f"g/{n}", "version": "a", "verdict": "clean", "findings": []}
        for n in range(8)
    ]
    page = shown(rows, tmp_path)
    assert headed(page)["clean"] == ("8", "100.0 %")
    check_page(page, rows)


@one_day_in(8)
@pytest.mark.parametrize(
    ("clean", "refused", "told"),
    [(9_999, 1, (">99.9 %", "<0.1 %")), (9_990, 10, ("99.9 %", "0.1 %")), (0, 5, (None, "100.0 %"))],
)
def test_rare_verdicts_are_not_rounded_away(
    clean: int, refused: int, told: tuple[str | None, str], tmp_path: Path
) -> None:
    row = made_row(random.Random(1), 1, 2) | {"findings": [], "line": None}
    rows = [row | {"verdict": "clean"}] * clean + [row | {"verdict": "findings"}] * refused
    page = shown(rows, tmp_path)
    shares = {word: share for word, (_, share) in headed(page).items()}
    assert (shares.get("clean"), shares["refused"]) == told
    check_page(page, rows)
