"""Archives judged by kernels: the same output as by the engine alone, and what happens when the two disagree."""

from __future__ import annotations

import copy
import dataclasses
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from pwtool.checking import archives
from pwtool.checking.archives import Checker
from pwtool.checking.report import FileResult, Report, Verdict
from pwtool.cli.app import run
from pwtool.ir.model import Ruleset
from pwtool.kernel import run as kernels
from pwtool.kernel.module import Kernel, compile_kernel
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from tests.daily import one_day_in, some
from tests.support import few_or_many, random_game

ROOT = Path(__file__).resolve().parents[2]
ADDRESSES = ("paper_world/fr", "paper_world/gamepark+advanced", "pierre_papier_morpion", "pierre_papier_morpion/fr")


def games(address: str, count: int, first: int = 0) -> list[dict[str, Any]]:
    return [random_game(address, 2, seed)[0] for seed in range(first, first + count)]


def damaged(record: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The record with two actions exchanged, one left out, or another result."""
    record = copy.deepcopy(record)
    turns = record["turns"]
    kind = rng.randrange(4)
    turn = turns[rng.randrange(len(turns))]
    if kind == 0 and len(turn["actions"]) > 1:
        turn["actions"].reverse()
    elif kind == 1 and turn["actions"]:
        turn["actions"].pop(rng.randrange(len(turn["actions"])))
    elif kind == 2 and "result" in record and record["result"].get("ranking"):
        record["result"]["ranking"].reverse()
    else:
        turns.pop(rng.randrange(len(turns)))
    return record


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an archive of everything that may lie in one, and some files beside it."""
    folder = tmp_path_factory.mktemp("games")
    rng = random.Random(7)
    lines: list[str] = []
    for address in ADDRESSES:
        for record in games(address, 24):
            lines.append(json.dumps(record))
            if rng.random() < 0.3:
                lines.append(json.dumps(damaged(record, rng)))
    odd = games("paper_world/fr", 1)[0]
    more: list[Any] = [
        {**odd, "ruleset": "paper_world/nowhere"}, {**odd, "version": "0"}, {**odd, "ruleset": 3}, {"a": 1}, [],
        {**odd, "meta": {"ruleset": "paper_world/gamepark"}}, {**odd, "turns": []}, {**odd, "surprise": 1},
    ]  # fmt: skip
    unseen = copy.deepcopy(odd)
    unseen["setup"]["supply"][0][0] = "?"
    lines += [*map(json.dumps, [*more, unseen]), "{", "no json", '"\\ud800"', "", json.dumps(odd)[:-5]]
    rng.shuffle(lines)
    (folder / "all.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    for at, record in enumerate(games("pierre_papier_morpion", 22, 100)):
        (folder / f"game{at:02}.json").write_text(json.dumps(record, indent=1), "utf-8")
    (folder / "bytes.json").write_bytes(b"\xff\xfe{\0")
    return folder


@one_day_in(8)
@pytest.mark.parametrize("form", some(["full", "jsonl", "concise"], 1))
def test_kernels_change_nothing_of_the_output(
    form: str, archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is printed as it comes, and what is written in the end."""
    said: list[tuple[int, list[str]]] = []
    reports = [tmp_path / f"games.{name}" for name in (("json", "junit", "concise") if form == "full" else ())]
    words = [word for path in reports for word in ("--report", f"{path.suffix[1:]}={path}")]
    for option in ("--kernel", "--no-kernel"):
        code = run(["check", str(archive), "--format", form, option, "--all", "--force", *words])
        texts = [capsys.readouterr().out, *(path.read_text("utf-8") for path in reports)]
        said.append((code, [re.sub(r'time="[^"]*"|timestamp="[^"]*"', "", text) for text in texts]))
    assert said[0] == said[1]
    assert said[0][0] == 2 and all("PW601" in text for text in said[0][1])


@one_day_in(7)
@pytest.mark.parametrize("games", few_or_many(1, 2))
@pytest.mark.parametrize(
    "addresses",
    [
        pytest.param(["paper_world/en", "paper_world/de"], marks=pytest.mark.slow),
        ["paper_world/gamepark+advanced"],
    ],
)
def test_kernels_change_nothing_under_given_rulesets(
    addresses: list[str], games: int, archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [word for address in addresses for word in ("--rules", address)]
    some = tmp_path / "some.jsonl"
    some.write_text(
        "".join((archive / "all.jsonl").read_text("utf-8").splitlines(keepends=True)[:: 6 // games]), "utf-8"
    )
    said = []
    for option in ("--kernel", "--no-kernel"):
        code = run(["check", str(some), "--format", "concise", option, *options])
        said.append((code, capsys.readouterr().out))
    assert said[0] == said[1]


def checked(paths: list[str], **options: Any) -> list[FileResult]:
    return list(Checker(RulesetStore(Library()), [], **options).check(paths))


@one_day_in(8)
def test_only_dear_rules_of_others_are_metered() -> None:
    dear = str(ROOT / "tests/rulesets/gulls/game.rules")
    cheap = str(ROOT / "rulesets/classics/connect_four/game.rules")
    ruleset_store = RulesetStore(Library())
    copied = RulesetStore(Library(ROOT / "rulesets"))
    metered = {
        address: book.runner().metered
        for address, book in (
            ("own", ruleset_store.get("paper_world/fr+advanced").value), ("dear", ruleset_store.get(dear).value),
            ("cheap", ruleset_store.get(cheap).value), ("path", copied.get(str(ROOT / "rulesets/paper_world/fr.rules")).value),
        )
        if book is not None
    }  # fmt: skip
    assert metered == {"own": False, "dear": True, "cheap": False, "path": True}


@one_day_in(7)
def test_another_process_here_gets_the_machine_code_of_kernels(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Making it takes longer than starting a process. Code for another machine, or for rules that have changed, is never used."""

    def outcomes(ruleset_store: RulesetStore) -> list[tuple[Any, ...]]:
        """What was found, without the places in the texts."""
        results = Checker(ruleset_store, []).check([str(archive / "all.jsonl")])
        return [(r.name, r.ruleset, r.verdict, r.played, [str(d.message) for d in r.diagnostics]) for r in results]

    ruleset_store = RulesetStore(Library())
    found = outcomes(ruleset_store)
    made: list[bool] = []
    original = kernels.Runner.__init__

    def counted(self: kernels.Runner, kernel: Kernel, metered: bool = True, code: bytes | None = None) -> None:
        made.append(code is None)
        original(self, kernel, metered, code)

    monkeypatch.setattr(kernels.Runner, "__init__", counted)
    there = ruleset_store.in_a_worker()
    assert outcomes(there) == found
    assert made and not any(made)
    made.clear()
    assert not ruleset_store.in_a_worker(here=False).codes
    there = ruleset_store.in_a_worker()
    there.codes = {bytes([1]) + key[1:]: code for key, code in there.codes.items()}
    assert outcomes(there) == found
    assert made and all(made)


@one_day_in(8)
def test_most_games_are_judged_by_kernels(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    original = archives.check_loaded

    def counted(*given: Any) -> FileResult:
        asked.append(given)
        return original(*given)

    monkeypatch.setattr(archives, "check_loaded", counted)
    results = checked([str(archive / "all.jsonl")])
    clean = sum(r.verdict is Verdict.CLEAN for r in results)
    assert clean >= 96 and len(asked) <= len(results) - clean + 3


def test_few_games_are_not_worth_a_kernel(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pwtool.kernel.module.load_kernel", None)
    few = sorted(map(str, archive.glob("game*.json")))[:19]
    assert {r.verdict for r in checked(few)} == {Verdict.CLEAN}


def lenient(ruleset: Ruleset, *_: object, **_more: object) -> Kernel:
    """A kernel without the rules of actions."""
    actions = {name: structs.replace(action, rules=()) for name, action in ruleset.actions.items()}
    return compile_kernel(structs.replace(ruleset, actions=actions))


def broken_games() -> list[dict[str, Any]]:
    """Games that stop after a number is announced that the cards taken do not have."""
    broken = []
    for record in games("paper_world/fr", 60):
        last = next(at for at, t in enumerate(record["turns"]) if t["actions"][0]["action"] == "take")
        record["turns"] = record["turns"][: last + 1]
        take = record["turns"][last]["actions"][0]
        record["turns"][last]["actions"] = [take]
        if isinstance(take["announced"], int):
            take["announced"] = take["announced"] % 5 + 1
            record.pop("result", None)
            broken.append(record)
    return broken[:30]


@one_day_in(8)
def test_an_audit_finds_a_kernel_that_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "broken.jsonl"
    broken = broken_games()
    path.write_text("\n".join(map(json.dumps, broken)), "utf-8")
    kept = tmp_path / "kept"
    kept.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(kept))
    assert {r.verdict for r in checked([str(path)])} == {Verdict.FINDINGS}
    monkeypatch.setattr("pwtool.kernel.module.load_kernel", lenient)
    results = checked([str(path)], audit=1.0)
    assert Report(tuple(results), "pwtool", "").exit_code == 101
    found = [d for r in results for d in r.diagnostics if d.code == "PW901"]
    assert len(found) == 30 and len(list(kept.iterdir())) == 30
    assert "the kernel says clean" in found[0].message
    game = json.loads(next(kept.iterdir()).read_text("utf-8"))
    assert game in broken


@one_day_in(7)
def test_a_few_games_are_audited_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once a kernel is found to be wrong, the engine judges all further games; `audit=0` trusts it."""
    path = tmp_path / "broken.jsonl"
    broken = broken_games()
    path.write_text("\n".join(map(json.dumps, broken)), "utf-8")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("pwtool.kernel.module.load_kernel", lenient)
    trusting, auditing = checked([str(path)], audit=0.0), checked([str(path)], audit=None)
    assert {r.verdict for r in trusting} == {Verdict.CLEAN}
    assert all(any(d.code == "PW901" for d in r.diagnostics) for r in auditing) and len(auditing) == 30
    assert Report(tuple(auditing), "pwtool", "").exit_code == 101


@one_day_in(7)
def test_a_few_packed_games_are_audited_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first two, and rows at regular places, also where a table has several groups; `audit=0` trusts the kernel."""
    path, packed = tmp_path / "good.jsonl", tmp_path / "good.parquet"
    path.write_text("\n".join(map(json.dumps, games("paper_world/fr", 30))), "utf-8")
    monkeypatch.setattr("pwtool.records.tables.writing.GROUP", 12)
    assert run(["pack", str(path), "-o", str(packed), "--jobs", "1"]) == 0
    monkeypatch.setattr("pwtool.checking.archives.ONE_IN", 7)
    names: list[str] = []
    whole = Checker._audited

    def audited(self: Checker, text: Any, *rest: Any) -> FileResult | None:
        names.append(text.name)
        return whole(self, text, *rest)

    monkeypatch.setattr(Checker, "_audited", audited)
    assert {r.verdict for r in checked([str(packed)], audit=0.0)} == {Verdict.CLEAN} and not names
    assert {r.verdict for r in checked([str(packed)], audit=None)} == {Verdict.CLEAN}
    told = [name.rpartition(":")[2] for name in names]
    # The first group is judged before there is a kernel: some of its games are drawn by what they say.
    assert told[:2] == ["1", "2"] and len(told) == len(set(told))
    assert [name for name in told if int(name) > 14] == ["21", "28"]


def test_a_kernel_that_was_wrong_is_not_believed_for_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even for the games that it judged together with the one at which that was seen."""
    path = tmp_path / "good.jsonl"
    path.write_text("\n".join(map(json.dumps, games("pierre_papier_morpion", 40))), "utf-8")
    monkeypatch.setattr("pwtool.checking.archives.ONE_IN", 7)
    checker = Checker(RulesetStore(Library()), [], audit=None, heads=False)
    # The first clean games of a kernel are audited.
    list(checker.check([str(path)]))
    again: list[str] = []
    wrong: list[str] = []
    original = Checker._checked

    def audited(self: Checker, text: Any, address: Any, ruleset: str, reply: Any) -> None:
        wrong.append(text.name)
        self._distrusted.add(ruleset)

    def engine(self: Checker, loaded: Any, *rest: Any) -> FileResult:
        again.append(loaded.document.name)
        return original(self, loaded, *rest)

    monkeypatch.setattr(Checker, "_audited", audited)
    monkeypatch.setattr(Checker, "_checked", engine)
    names = [result.name for result in checker.check([str(path)])]
    assert len(names) == 40 and len(wrong) == 1
    assert again == names[names.index(wrong[0]) + 1 :]


def test_an_audit_that_agrees_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "good.jsonl"
    path.write_text("\n".join(map(json.dumps, games("pierre_papier_morpion", 40))), "utf-8")
    assert checked([str(path)], audit=None) == checked([str(path)], audit=0.0)


@one_day_in(8)
def test_what_a_kernel_refuses_wrongly_is_an_internal_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def strict(ruleset: Ruleset, *_: object, **_more: object) -> Kernel:
        return compile_kernel(structs.replace(ruleset, min_players=3, max_players=3))

    monkeypatch.setattr("pwtool.kernel.module.load_kernel", strict)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = tmp_path / "good.jsonl"
    path.write_text("\n".join(map(json.dumps, games("pierre_papier_morpion", 25))), "utf-8")
    results = checked([str(path)])
    assert all([d.code for d in r.diagnostics] == ["PW901"] for r in results) and len(results) == 25


def test_a_kernel_that_fails_leaves_its_games_to_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(ruleset: Ruleset, *_: object, **_more: object) -> Kernel:
        # With its memory said to begin at the very end, nothing can be written.
        return dataclasses.replace(compile_kernel(ruleset), free=1 << 31)

    monkeypatch.setattr("pwtool.kernel.module.load_kernel", failing)
    path = tmp_path / "good.jsonl"
    path.write_text("\n".join(map(json.dumps, games("pierre_papier_morpion", 25))), "utf-8")
    assert {r.verdict for r in checked([str(path)])} == {Verdict.CLEAN}


@one_day_in(8)
def test_without_memory_for_a_kernel_the_engine_judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def none_left(runner: kernels.Runner) -> kernels.Instance:
        asked.append(runner)
        raise kernels.failures()[0]("no memory is left")

    monkeypatch.setattr(kernels.Runner, "instance", none_left)
    path = tmp_path / "good.jsonl"
    path.write_text("\n".join(map(json.dumps, games("pierre_papier_morpion", 25))), "utf-8")
    assert {r.verdict for r in checked([str(path)])} == {Verdict.CLEAN} and len(asked) == 1


@one_day_in(7)
@pytest.mark.parametrize("count", few_or_many(6, 100))
def test_without_causes_the_first_mistake_stands_for_all(count: int, tmp_path: Path) -> None:
    rng = random.Random(count)
    path = tmp_path / "games.jsonl"
    some = [damaged(record, rng) for address in ADDRESSES for record in games(address, count)]
    path.write_text("\n".join(map(json.dumps, some)), "utf-8")
    asked = Checker(RulesetStore(Library()), []), Checker(RulesetStore(Library()), [], causes=False)
    refused = 0
    for whole, brief in zip(*(list(checker.check([str(path)])) for checker in asked), strict=True):
        assert brief.verdict is whole.verdict and brief.played == whole.played
        assert [d.message for d in brief.diagnostics] == [d.message for d in whole.diagnostics]
        first = [d for d in brief.diagnostics if not d.follows and d.level == "error"]
        if whole.verdict is Verdict.FINDINGS:
            refused += 1
            assert first[0].message == next(d.message for d in whole.diagnostics if d.level == "error")
            assert len({d.turn for d in first}) == 1
    assert refused > count
