"""The totals of `pwtool report` are those of `pwtool check`, for archives made at random: games of several rulesets and numbers of
players, illegal, unfinished and unreadable ones, documents that come twice, one ruleset or several.
"""

from __future__ import annotations

import json
import random
import re
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pwtool.cli.app import run
from pwtool.text.speech import percent_of
from tests.daily import one_day_in, some
from tests.show.test_report_numbers import WORDS, headed, whole_of
from tests.show.test_report_page import tables
from tests.support import few_or_many, random_game

pytest.importorskip("duckdb")
pytest.importorskip("vl_convert")
GAMES = (
    ("tic_tac_toe", 2),
    ("connect_four", 2),
    ("nim", 2),
    ("pig", 2),
    ("paper_world/gamepark", 2),
    ("paper_world/gamepark", 3),
)
UNDER = ("paper_world/gamepark", "paper_world/en")


def spoiled(rng: random.Random, game: dict[str, Any]) -> str:
    """A game with something wrong in it, or none."""
    game = json.loads(json.dumps(game))
    turns, at = game["turns"], rng.randrange(len(game["turns"]))
    match rng.randrange(9):
        case 0:
            del turns[at]
        case 1:
            turns[at]["actions"].append({"action": "nonsense"})
        case 2:
            turns[at]["actions"] = []
        case 3:
            del turns[len(turns) // 2 :]
            game.pop("result", None)
        case 4:
            turns.insert(at, turns[rng.randrange(len(turns))])
        case 5:
            del game["ruleset"]
        case 6:
            game["ruleset"] = "nowhere"
        case 7:
            return rng.choice(("{", "[]", "true", '{"a": 1}'))
        case _:
            game["players"].append("Zoe")
    return json.dumps(game)


def archive(rng: random.Random, folder: Path, kinds: tuple[tuple[str, int], ...]) -> list[str]:
    """Files with games, as a user names them."""
    documents = []
    for number in range(rng.choice((0, 1, 9, 25))):
        game, _ = random_game(*rng.choice(kinds), seed=number, max_turns=rng.choice((5, 400)))
        documents.append(json.dumps(game) if rng.random() < 0.5 else spoiled(rng, game))
    lines = folder / "games.jsonl"
    lines.write_text("".join(f"{document}\n" for document in documents), "utf-8")
    packed = folder / "games.zip"
    with zipfile.ZipFile(packed, "w") as files:
        for number, document in enumerate(documents[:4]):
            for _ in range(rng.randint(1, 2)):
                files.writestr(zipfile.ZipInfo(f"{number}.json"), document)
    return [str(path) for path in (lines, packed, lines)[: rng.randint(1, 3)]]


@one_day_in(4)
@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("times", few_or_many(4, 32))
@pytest.mark.parametrize("form", some(["jsonl", "parquet", "duckdb"], 1))
def test_totals_are_those_of_check(times: int, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(times):
        folder = tmp_path / str(number)
        folder.mkdir()
        rng = random.Random(f"{form} {number}")
        several = number % 4 == 3
        files = archive(rng, folder, GAMES[4:] if several else GAMES)
        under = [word for address in UNDER for word in ("--rules", address)] if several else []
        results = folder / f"r.{form}"
        capsys.readouterr()
        run(["check", *files, *under, "--results", str(results), "--format", "json", "--statistics", "-q", "--jobs", "1",
             "--explain", rng.choice(("0", "1", "all"))])  # fmt: skip
        told = capsys.readouterr()
        assert run(["report", str(results)]) == 0
        compare(json.loads(told.out), told.err, capsys.readouterr().out)


def compare(checked: dict[str, Any], statistics: str, page: str) -> None:
    tops, found = headed(page), tables(page)
    whole = sum(checked["counts"].values())
    assert statistics.split()[:2] == [tops["documents"][0], "documents" if tops["documents"][0] != "1" else "document"]
    assert tops.get("results", tops["documents"])[0] == str(whole)
    for word, verdict in WORDS.items():
        count = checked["counts"][verdict]
        assert tops.get(word, ("0", "0.0 %")) == (str(count), f"{percent_of(count, whole)} %"), word
    # What the summary of `check` says of each ruleset.
    said = re.findall(r"^  (\S.*?): (\d.* \(.*%\).*)$", statistics, re.MULTILINE)
    verdicts = {name: {word: int(n) for n, word in re.findall(r"(\d+) (\w+)", text)} for name, text in said}
    heading, *rows = found["Verdicts"]
    shown = {
        name: {word: int(n) for word, n in zip(heading[1:-1], counts, strict=True) if n != "0"}
        for name, *counts, _ in rows
    }
    assert shown == verdicts and [int(row[-1]) for row in rows] == [sum(shown[row[0]].values()) for row in rows]
    assert sum(int(games) for _, games, _ in found["Players"][1:]) == whole
    # What its report says of each finding.
    kinds = Counter[tuple[str, str]]()
    # What is said of files that are not read is of no document.
    for file in (f for f in checked["files"] if f["verdict"] is not None):
        under = f"{file['ruleset'] or ''} {file['ruleset_version'] or ''}".strip()
        kinds.update({(under, f["code"], f["rule"] or "") for f in file["findings"] if not f["follows"]})
    counts = sorted(kinds.values(), reverse=True)
    listed = [whole_of(games) for _, games, _ in found.get("Findings, by the number of games", [[]])[1:]]
    assert listed == counts[:30]
    more = re.search(r"(\d+) rules? more .* a total of (\d+)\.", page)
    assert (more is None) == (len(counts) <= 30)
    assert more is None or [int(n) for n in more.groups()] == [len(counts) - 30, sum(counts[30:])]
    first = re.search(r"of (\d+) games? only the first", statistics)
    again = re.search(r"Of (\d+) games? only the first", page)
    assert (
        (first and first[1])
        == (again and again[1])
        == (str(sum(not f["explained"] for f in checked["files"])) if first else None)
    )
    # What is told of games in each section is of all that are over.
    for name, section in re.findall(r"<h2>How games go under ([^<]*)</h2>(.*?)</section>", page, re.DOTALL):
        over, *others = [whole_of(n) for n in re.findall(r"(?:Of |\. )([\d,]+) (?:finished|other clean)", section)]
        assert over + sum(others) == shown[name]["clean"]
