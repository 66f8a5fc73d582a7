"""Whatever is wrong with one document, all others are judged and reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pwtool.checking import archives
from pwtool.checking.archives import Checker
from pwtool.checking.report import FileResult, Report, Verdict
from pwtool.records.ruleset_store import MAX_KEPT, RulesetStore
from pwtool.rules.library import Library
from tests.daily import one_day_in
from tests.support import random_game

CLEAN, _ = random_game("paper_world/fr", 2, 5)
ADDRESSES: list[Any] = [
    "a\0b", "\0", "paper_world\0", "loop.rules", "./loop.rules", "loop.rules+x", "../" * 200 + "x.rules", "x" * 600, "", " ", "/", ".",
    "..", "~", "$HOME", "\ud800", "paper_world/../fr", "paper_world//fr", "paper_world+", "é/è", 3, None, [], {"a": 1}, True,
    "/dev/zero.rules", "/proc/self/mem.rules", "C:\\x.rules", "\n", "a\r\nb.rules",
]  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES, ids=lambda a: repr(a)[:20])
def test_an_odd_ruleset_is_a_finding_of_its_record(
    address: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop.rules").symlink_to("loop.rules")
    lines = [CLEAN, {**CLEAN, "ruleset": address}, CLEAN]
    (tmp_path / "games.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    results = list(Checker(RulesetStore(Library()), []).check(["games.jsonl"]))
    assert [r.verdict for r in results] == [Verdict.CLEAN, Verdict.UNREADABLE, Verdict.CLEAN]
    assert all(d.code != "PW901" and d.message for d in results[1].diagnostics)


def test_a_mistake_of_the_program_is_a_finding_of_its_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = []
    for number in range(3):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(CLEAN), "utf-8")
        paths.append(str(path))
    original = archives.check_loaded

    def failing(loaded: Any, *more: Any) -> FileResult:
        if loaded.document.name == paths[1]:
            raise KeyError("oops")
        return original(loaded, *more)

    monkeypatch.delenv("PWTOOL_TRACEBACK", raising=False)
    monkeypatch.setattr(archives, "check_loaded", failing)
    results = tuple(Checker(RulesetStore(Library()), []).check(paths))
    assert [r.verdict for r in results] == [Verdict.CLEAN, Verdict.UNREADABLE, Verdict.CLEAN]
    (found,) = results[1].diagnostics
    assert found.code == "PW901" and "KeyError in test_isolation.py" in found.message
    assert Report(results, "pwtool", "").exit_code == 101


@one_day_in(4)
def test_records_do_not_fill_the_memory_with_rulesets() -> None:
    ruleset_store = RulesetStore(Library())
    first = ruleset_store.get("paper_world/fr").value
    for blanks in range(200):
        assert ruleset_store.get(" " * blanks + "paper_world/fr" + " " * blanks).value is first
    for number in range(5 * MAX_KEPT):
        assert ruleset_store.get(f"paper_world/no{number}").value is None
    assert len(ruleset_store._books) <= MAX_KEPT
