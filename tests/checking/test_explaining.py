"""Which refused games of an archive are explained: the first of each rule, whoever judges them and in whatever order."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import pwtool
from pwtool.checking.archives import Checker
from pwtool.checking.documents import Loaded, check_loaded, unreadable
from pwtool.checking.explaining import Asked, Budget, Refusal
from pwtool.checking.report import FileResult, Verdict
from pwtool.cli.app import run
from pwtool.records import inputs
from pwtool.records.inputs import Text, read_texts
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from pwtool.text import Diagnostic
from tests.checking.test_pieces import archive  # noqa: F401 - a fixture
from tests.daily import one_day_in, some
from tests.support import imported, random_game, raw_games

FORMS = ("full", "jsonl")
"""One for people, and one with everything: the others show the same results."""
WHOLE = (
    "explained",
    "cut_short",
    "turns",
    "actions",
    "over",
    "ending",
    "ending_turn",
    "scores",
    "places",
    "lines",
    "claims",
    "engine",
)


def rows(target: Path, *words: str) -> list[dict[str, Any]]:
    run(["check", *words, "--results", str(target), "-f", "concise"])
    return [json.loads(line) for line in target.read_text("utf-8").splitlines()]


def kind(row: dict[str, Any]) -> tuple[str, str, str]:
    errors = [finding for finding in row["findings"] if finding["severity"] == "error"]
    return row["ruleset"], errors[0]["code"], errors[0]["rule"]


@one_day_in(4)
@pytest.mark.parametrize("most", some([0, 1, 3], 1))
def test_the_first_of_each_rule_are_explained(most: int, archive: Path, tmp_path: Path) -> None:  # noqa: F811
    """What is said of an explained game does not depend on the others; a game told in short has the same first refusal."""
    every = rows(tmp_path / "all.jsonl", str(archive), "--explain", "all")
    some = rows(tmp_path / "some.jsonl", str(archive), "--explain", str(most))
    assert all(row["explained"] for row in every)
    given: Counter[tuple[str, str, str]] = Counter()
    for whole, row in zip(every, some, strict=True):
        wanted = True
        if whole["verdict"] == "findings":
            wanted = given[kind(whole)] < most
            given[kind(whole)] += 1
        assert row["explained"] is wanted
        if wanted:
            assert row == whole
            continue
        both = set(row) - {*WHOLE, "findings"}
        assert {name: row[name] for name in both} == {name: whole[name] for name in both}
        (found,) = row["findings"]
        first = whole["findings"][0]
        assert [found[name] for name in ("code", "rule", "turn", "action", "follows")] == [
            first[name] for name in ("code", "rule", "turn", "action", "follows")
        ]
    assert sum(given.values()) > 20 and sum(not row["explained"] for row in some) > 10


@one_day_in(4)
@pytest.mark.parametrize("form", some(FORMS, 1))
def test_it_does_not_matter_who_judges(
    form: str,
    archive: Path,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    workers_at_once: Callable[[], None],
) -> None:
    """One process or several, kernels or the engine, small pieces or one: the same games are explained."""
    monkeypatch.setattr("pwtool.cli.check.SIZE", 20_000)
    said = []
    one = ["--jobs", "1"]
    for words in (one, [*one, "--no-kernel"], [*one, "--audit", "100"], [*one, "--audit", "40"], ["--jobs", "2"]):
        if words == ["--jobs", "2"]:
            workers_at_once()
        code = run(["check", str(archive), "-f", form, "--explain", "2", *words])
        said.append((code, capsys.readouterr()))
    assert all(one == said[0] for one in said)
    out, err = said[0][1]
    assert "told in one line each" in (out if form == "full" else err)


@one_day_in(7)
def test_a_matrix_does_not_depend_on_the_time(
    archive: Path,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Several rulesets: what they say of a document stays together, and clean games are counted once."""
    said = []
    for pause in (1000.0, 0.0):
        monkeypatch.setattr("pwtool.checking.workers.PAUSE", pause)
        for kernel in ("--kernel", "--no-kernel"):
            run(
                [
                    "check",
                    str(archive),
                    "-r",
                    "paper_world/fr",
                    "-r",
                    "paper_world/en",
                    "--explain",
                    "1",
                    "--jobs",
                    "1",
                    kernel,
                ]
            )
            said.append(capsys.readouterr().out)
    assert said[0] == said[1] == said[2] == said[3]
    lines = said[0].splitlines()
    games = [line for line in lines if line.startswith(f"{archive}:")]
    assert lines.count(str(archive)) == 1 and len(games) == len(set(games)) > 50


@one_day_in(7)
def test_statistics_are_the_same(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    """All counts but those of findings that only an explanation tells apart."""
    told = []
    for words in (["--explain", "all"], ["--explain", "0"]):
        run(["check", str(archive), "--statistics", "-f", "concise", "--no-kernel", "--no-causes", *words])
        lines = capsys.readouterr().err.splitlines()
        # A game that is told in short does not name the player.
        lines = [" ".join(re.sub(r", P\d\b", "", line).split()) for line in lines]
        told.append([line for line in lines if " first in " in line or " refused (" in line])
    assert told[0] == told[1] and len(told[0]) > 5


@one_day_in(4)
@pytest.mark.parametrize("form", some(["full", "concise", "github"], 1))
def test_follow_up_errors_that_nobody_reads_change_nothing_else(
    form: str,
    archive: Path,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A report in SARIF has them in words; what is printed is the same without it."""
    run(["check", str(archive), "-f", form])
    alone = capsys.readouterr().out
    run(["check", str(archive), "-f", form, "--report", f"sarif={tmp_path / 'all.sarif'}"])
    assert capsys.readouterr().out == alone
    said = [d for r in Checker(RulesetStore(Library()), []).check([str(archive)]) for d in r.diagnostics]
    bare = [
        d for r in Checker(RulesetStore(Library()), [], words="causes").check([str(archive)]) for d in r.diagnostics
    ]
    causes = [[(d.message, str(d.span), d.details, d.notes) for d in f if not d.follows] for f in (said, bare)]
    assert causes[0] == causes[1]
    known = [[(d.code, d.rule, d.turn, d.follows, d.data.get("path")) for d in found] for found in (said, bare)]
    assert known[0] == known[1]
    assert any(d.follows for d in bare)


@one_day_in(7)
def test_a_run_that_goes_on_explains_the_same(
    archive: Path,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Pieces that are known from before are told as if they were judged now."""
    monkeypatch.setattr("pwtool.cli.check.LARGE", 20_000)
    run(["check", str(archive), "--results", str(tmp_path / "whole.jsonl"), "--statistics", "-f", "concise"])
    whole = capsys.readouterr().err
    lines = archive.read_text("utf-8").splitlines(keepends=True)
    begun = tmp_path / "games.jsonl"
    begun.write_text("".join(lines[: len(lines) // 2]), "utf-8")
    target = tmp_path / "r.jsonl"
    run(["check", str(begun), "--results", str(target), "-f", "concise", "--resume"])
    begun.write_text("".join(lines), "utf-8")
    capsys.readouterr()
    run(["check", str(begun), "--results", str(target), "--statistics", "-f", "concise", "--resume"])
    rest = capsys.readouterr().err
    assert "known from an earlier run" in rest
    assert target.read_text("utf-8").replace(str(begun), str(archive)) == (tmp_path / "whole.jsonl").read_text("utf-8")
    counts = [line.replace(str(begun), str(archive)).split("judged by")[0] for line in rest.splitlines()]
    for line in whole.splitlines():
        assert line.split("judged by")[0] in counts or "judged by" in line


def test_what_is_not_shown_is_not_told_in_a_line(
    archive: Path,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The note counts the lines that were printed: not what `--only` hides, nor what an earlier run has told."""
    target = str(tmp_path / "r.jsonl")
    for words, told in (
        (["--only", "clean"], 0), (["--only", "unreadable"], 0), (["--only", "refused"], 1), ([], 1),
        (["--results", target, "--resume"], 1), (["--results", target, "--resume"], 0),
    ):  # fmt: skip
        run(["check", str(archive), "-f", "concise", "--explain", "1", *words])
        assert capsys.readouterr().err.count("told in one line each") == told, words


def test_a_refusal_counts_more_than_what_cannot_be_known(tmp_path: Path) -> None:
    """The row of a game has its first refusal, whether it is explained or not, and whatever is uncertain before it."""
    record, _ = random_game("paper_world/gamepark", 2, 7)
    for turn in record["turns"][:6]:
        for action in turn["actions"]:
            action.update({name: "?" for name in ("card",) if name in action})
    del record["turns"][-3]
    path = tmp_path / "games.jsonl"
    path.write_text("".join(json.dumps({**record, "id": str(n)}) + "\n" for n in range(3)), "utf-8")
    first, *others = rows(tmp_path / "r.jsonl", str(path), "--explain", "1")
    assert first["explained"] and not any(row["explained"] for row in others)
    for row in others:
        assert [row[k] for k in ("code", "rule", "turn", "action", "engine")] == [
            first[k] for k in ("code", "rule", "turn", "action", "engine")
        ]


@one_day_in(7)
def test_what_is_accepted_needs_every_finding(
    archive: Path,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A baseline names findings by their words: with one, every game is explained."""
    known = tmp_path / "known.json"
    run(["check", str(archive), "--write-baseline", str(known), "-f", "jsonl"])
    assert all(json.loads(line)["explained"] for line in capsys.readouterr().out.splitlines())
    run(["check", str(archive), "--baseline", str(known), "-f", "jsonl"])
    assert {json.loads(line)["verdict"] for line in capsys.readouterr().out.splitlines()} == {"clean"}


@pytest.mark.parametrize("number", ["x", "-1", "1.5", "", "٣", "ALL"])
def test_another_number_is_refused(number: str, archive: Path, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    assert run(["check", str(archive), f"--explain={number}"]) == 2
    assert capsys.readouterr().err.startswith("error: `--explain ")


def test_a_kernel_that_was_wrong_is_told(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """An explanation that comes later is compared with what the kernel said, too."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    checker = Checker(RulesetStore(Library()), [], budget=Budget(5), defers=True)
    asked = next(r.asked for r in checker.check_texts(read_texts(str(archive))) if r.asked is not None)
    assert asked.by_kernel
    right = checker.explanation(asked)
    assert right.verdict is Verdict.FINDINGS and "PW901" not in [d.code for d in right.diagnostics]
    for wrong in (Refusal("PW601", "no.rule", 1, 0), replace(asked.refusal, turn=99)):
        told = checker.explanation(replace(asked, refusal=wrong))
        assert told.diagnostics[-1].code == "PW901"


@one_day_in(8)
def test_a_kernel_that_was_caught_is_no_longer_believed(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """Nor are its refusals, even if they are told in short; what the engine cannot even read is told, too."""
    judged: list[str] = []

    def counted(loaded: Loaded, *given: Any) -> FileResult:
        judged.append(loaded.document.name)
        return check_loaded(loaded, *given)

    monkeypatch.setattr("pwtool.checking.archives.check_loaded", counted)

    def refused(**options: Any) -> set[str]:
        judged.clear()
        checker = Checker(RulesetStore(Library()), [], budget=Budget(0), **options)
        return {r.name for r in checker.check_texts(read_texts(str(archive))) if r.verdict is Verdict.FINDINGS}

    games = refused()
    assert len(games) > 20 and not games & set(judged)
    assert refused(_distrusted={"paper_world/fr", "pierre_papier_morpion"}) == games <= set(judged)
    assert refused(audit=1.0) == games <= set(judged)
    monkeypatch.setattr("tempfile.tempdir", str(archive.parent))
    wrong = unreadable("x", (Diagnostic("PW701", "no record"),))
    monkeypatch.setattr(Checker, "_loaded", lambda self, text: wrong)
    checker = Checker(RulesetStore(Library()), [], budget=Budget(0), audit=1.0)
    told = [
        r
        for r in checker.check_texts(read_texts(str(archive)))
        if [d.code for d in r.diagnostics] == ["PW701", "PW901"]
    ]
    said = [str(r.diagnostics[-1].message) for r in told]
    assert sum("the kernel says PW6" in one for one in said) >= len(games)


def test_an_explanation_that_fails_is_a_finding(archive: Path) -> None:  # noqa: F811
    checker = Checker(RulesetStore(Library()), [], budget=Budget(5), defers=True)
    told = checker.explanation(
        Asked(Text("x.json", "x.json", b"{"), "paper_world/en", Refusal("PW601", "a", 1, 0), False)
    )
    assert told.verdict is Verdict.UNREADABLE


@one_day_in(7)
def test_wrong_rules_are_told_early(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After the first hundred games, in one line, with what fits; never if one of them is clean."""
    games = [json.dumps(random_game("paper_world/gamepark", 2, seed)[0]) for seed in range(20)]
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(games * 6) + "\n", "utf-8")
    run(["check", str(path), "-r", "paper_world/en", "-f", "concise", "--jobs", "1"])
    early = capsys.readouterr().err.splitlines()[0]
    assert early.startswith("so far `setup.supply` refuses nearly all games under paper_world/en ")
    assert "20 fit `paper_world/gamepark`" in early
    run(["check", str(path), "-r", "paper_world/en", "-f", "concise", "-q"])
    assert "so far" not in capsys.readouterr().err
    run(["check", str(path), "-f", "concise"])
    assert capsys.readouterr().err == ""


@one_day_in(7)
def test_what_a_given_rules_file_builds_on_may_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Records name the file, which nobody allowed; who gives an edition of it has named it too."""
    base = Path(pwtool.__file__).parents[1] / "rulesets" / "classics" / "pig"
    shutil.copytree(base, tmp_path / "hog", ignore=shutil.ignore_patterns("open_spiel.rules"))
    rules = tmp_path / "hog" / "game.rules"
    (tmp_path / "hog" / "short.rules").write_text(
        'edition short of hog "Short"\nchange ending hundred "Twenty" when some q in players: points[q] >= 20 then stop at once\n',
        "utf-8",
    )
    hog = pwtool.load(rules)
    games = [{**hog.play(seed=seed), "ruleset": "hog/game.rules"} for seed in range(12)]
    path = tmp_path / "games.jsonl"
    # A first game that nobody can read says nothing about the others.
    broken = {**games[0], "turns": "none"}
    path.write_text("".join(f"{json.dumps(game)}\n" for game in (broken, *games)), "utf-8")
    run(["check", str(path), "-r", str(tmp_path / "hog" / "short.rules"), "--jobs", "1"])
    assert f"12 fit `{rules}`" in "".join(capsys.readouterr())


def test_a_game_of_an_archive_is_found_without_reading_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text('{"a": 1}\n' * 50, "utf-8")
    read: list[int] = []

    def counted(stream: Any, number: int) -> tuple[bytes, int]:
        read.append(number + 1)
        return next_line(stream, number)

    next_line = inputs._next_line
    monkeypatch.setattr(inputs, "_next_line", counted)
    (found,) = read_texts(f"{path}:3")
    assert found.name == f"{path}:3" and read == [1, 2, 3]


@one_day_in(7)
def test_a_game_that_stops_too_early_is_told_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By kernels and by the engine: the turn that is missing is the one after the last."""
    path = tmp_path / "stopped.jsonl"
    games = [json.dumps(imported(raw)) for _, raw in raw_games("anomalies")]
    path.write_text("\n".join(games * 5) + "\n")
    said = []
    for how in (("--explain", "all"), ("--explain", "0"), ("--explain", "0", "--no-kernel")):
        assert run(["check", str(path), "--no-config", "--format", "json", *how]) == 1
        said.append(json.loads(capsys.readouterr().out)["files"])
    assert not any(f["code"] == "PW901" for files in said for file in files for f in file["findings"])
    assert said[1] == said[2]
    assert [file["findings"][0]["turn"] for file in said[0]] == [file["findings"][0]["turn"] for file in said[1]]
