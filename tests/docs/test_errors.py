"""Every page of `docs/errors/`: its failing example gives its code at the line it says, its fixed example does not."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from pwtool.boards.study import own_objectives, study_objectives
from pwtool.checking.documents import check_loaded, load_document
from pwtool.checking.linting import lint_target
from pwtool.checking.report import FileResult, Verdict
from pwtool.cli.app import run
from pwtool.cli.oddities import oddities_of
from pwtool.ir.model import Ruleset
from pwtool.play.game import Game
from pwtool.records.file_names import format_of
from pwtool.records.importers.gamepark import GAMEPARK
from pwtool.records.inputs import Document, find_paths, read_documents
from pwtool.records.json_places import JsonMap
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.rules.targets import Target
from pwtool.show.text.examples import example_findings
from pwtool.text import CODES, Diagnostic
from pwtool.text.source import SourceFile
from pwtool.why.coverage import coverage_findings, measure_coverage
from pwtool.why.examples import missing_examples
from pwtool.why.mutation import items_to_mutate, mutate, survivor_finding
from tests.daily import one_day_in, some

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "errors"
RULESETS = ROOT / "rulesets"

# What no short block can show; the tests below make the file and provoke the finding.
MADE_BY_TESTS = {"PW103", "PW104", "PW616", "PW617", "PW703", "PW705", "PW717", "PW721", "PW801", "PW802"}
WITHOUT_EXAMPLE = {"PW901"}
TOLD_BY_TEST_COMMAND = {"PW402", "PW403", "PW416"}
TOLD_BY_ANALYZE_COMMAND = {f"PW{number}" for number in range(501, 506)}
TOLD_BY_LINT_COMMAND = {"PW414", "PW415"} | {f"PW{number}" for number in range(404, 412)}
SHOWN_BY_RANDOM_GAMES = {f"PW{number}" for number in range(417, 424)}


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its role (`failing`, `fixed`, `ruleset`, `file`, `import`), its line and text."""

    language: str
    role: str
    line: int
    target: str
    text: str


@dataclass(frozen=True)
class Page:
    code: str
    text: str
    blocks: tuple[Block, ...] = field(default=())

    def one(self, role: str, language: str) -> Block | None:
        found = [b for b in self.blocks if (b.role, b.language) == (role, language)]
        assert len(found) <= 1, f"{self.code} has several {role} blocks"
        return found[0] if found else None


@cache
def read_page(code: str) -> Page:
    text = (PAGES / f"{code}.md").read_text("utf-8")
    blocks = []
    for match in re.finditer(r"^```(\w+)([^\n]*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        words = match[2].split()
        options = dict(w.split("=", 1) for w in words if "=" in w)
        role = next((w for w in words if "=" not in w), "file" if "file" in options else "")
        blocks.append(Block(match[1], role, int(options.get("line", 0)), options.get("file", ""), match[3]))
    return Page(code, text, tuple(blocks))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy = tmp_path / "rulesets"
    shutil.copytree(RULESETS, copy)
    return copy


def place(folder: Path, text: str) -> tuple[str, Path]:
    """Write a rules file where the library looks for it: its address and its path."""
    header = re.match(r"(game|edition|variant)\s+(\w+)(?:\s+of\s+(\w+))?", text)
    assert header, "a block is a whole rules file"
    kind, name, base = header.groups()
    address = {"game": name, "edition": f"{base}/{name}", "variant": f"{base}+{name}"}[kind]
    path = folder / (name if kind == "game" else base) / ("game.rules" if kind == "game" else f"{name}.rules")
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return address, path


def rules_findings(folder: Path, page: Page, block: Block) -> tuple[tuple[Diagnostic, ...], Path]:
    for other in page.blocks:
        if other.role == "file":
            (folder / other.target).write_text(other.text, "utf-8")
    address, path = place(folder, block.text)
    if page.code in TOLD_BY_LINT_COMMAND:
        return tuple(lint_target(Target(address, address), Library(folder))), path
    if page.code in SHOWN_BY_RANDOM_GAMES:
        return tuple(oddities_of(Target(address, address), RulesetStore(Library(folder)))), path
    result = load_ruleset(address, Library(folder))
    findings = result.diagnostics
    if page.code in TOLD_BY_ANALYZE_COMMAND:
        assert result.value is not None, [str(d) for d in findings]
        ruleset = result.value
        own = own_objectives(ruleset, path)
        return study_objectives(Game(ruleset), own, [n for n in ruleset.objectives if n not in own]).findings, path
    if page.code in ("PW412", "PW413"):
        assert result.value is not None, [str(d) for d in findings]
        return open_questions(page.code, result.value, frozenset((str(path),))), path
    if page.code in TOLD_BY_TEST_COMMAND:
        assert result.value is not None, [str(d) for d in findings]
        game = Game(result.value)
        findings += tuple(missing_examples(game) if page.code == "PW403" else example_findings(game))
    return tuple(d for d in findings if page.code not in TOLD_BY_TEST_COMMAND or _is_in(d, path)), path


def open_questions(code: str, ruleset: Ruleset, files: frozenset[str]) -> tuple[Diagnostic, ...]:
    """What the examples of a ruleset leave open."""
    if code == "PW412":
        return tuple(coverage_findings(measure_coverage(ruleset, files=files)))
    survivors, _ = mutate(Game(ruleset), items_to_mutate(ruleset, None, files))
    return tuple(survivor_finding(s) for s in survivors if s.witness)


def _is_in(diagnostic: Diagnostic, path: Path) -> bool:
    return diagnostic.span is not None and diagnostic.span.file.name == str(path)


def record_result(folder: Path, page: Page, block: Block) -> FileResult:
    for other in page.blocks:
        if other.role == "ruleset":
            place(folder, other.text)
    ruleset_store = RulesetStore(Library(folder))
    name = f"record.{block.language}"
    loaded = load_document(Document(name, SourceFile(name, block.text), form=format_of(name)))
    return loaded if isinstance(loaded, FileResult) else check_loaded(loaded, ruleset_store, None, "en")


# ---- the pages as a whole


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert {p.stem for p in PAGES.glob("PW*.md")} == set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_a_page_says_what_its_code_means(code: str) -> None:
    page = read_page(code)
    assert page.text.startswith(f"# {code} {CODES[code].slug}\n")
    prose = re.sub(r"```.*?```", "", page.text, flags=re.DOTALL)
    sentences = re.findall(r"[.!?:](?:\s|$)", prose)
    assert len(sentences) >= 2, "two sentences at least"


@pytest.mark.parametrize("code", [c for c in CODES if c not in MADE_BY_TESTS | WITHOUT_EXAMPLE])
def test_a_page_has_a_failing_example(code: str) -> None:
    assert [b for b in read_page(code).blocks if b.role in ("failing", "import")]


def pages_with(role: str, language: str) -> list[str]:
    return [c for c in CODES if (PAGES / f"{c}.md").is_file() and read_page(c).one(role, language)]


# ---- rules


@pytest.mark.parametrize("code", some(pages_with("failing", "rules"), 8))
def test_failing_rules_give_the_code_at_the_line(code: str, folder: Path) -> None:
    page = read_page(code)
    block = page.one("failing", "rules")
    assert block
    findings, path = rules_findings(folder, page, block)
    assert {d.code for d in findings} == {code}, [f"{d.code} {d.span} {d.message}" for d in findings]
    if block.line:
        first = findings[0].span
        assert first is not None
        assert (first.file.name, first.line) == (str(path), block.line)


@pytest.mark.parametrize("code", some(pages_with("fixed", "rules"), 4))
def test_fixed_rules_load(code: str, folder: Path) -> None:
    page = read_page(code)
    block = page.one("fixed", "rules")
    assert block
    findings, _ = rules_findings(folder, page, block)
    assert not findings, [f"{d.code} {d.span} {d.message}" for d in findings]


# ---- records and positions


@one_day_in(8)
@pytest.mark.parametrize(
    ("code", "form"), [(code, form) for form in ("json", "pwn", "pgn", "sgf") for code in pages_with("failing", form)]
)
def test_a_failing_record_gives_the_code_at_the_line(code: str, form: str, folder: Path) -> None:
    page = read_page(code)
    block = page.one("failing", form)
    assert block
    result = record_result(folder, page, block)
    assert {d.code for d in result.diagnostics} == {code}, [
        f"{d.code} {d.span} {d.message}" for d in result.diagnostics
    ]
    span = result.diagnostics[0].span
    assert span is not None
    assert span.line == block.line


@pytest.mark.parametrize(
    ("code", "form"),
    some([*[(code, form) for form in ("json", "pwn", "pgn", "sgf") for code in pages_with("fixed", form)]], 5),
)
def test_a_fixed_record_is_clean(code: str, form: str, folder: Path) -> None:
    page = read_page(code)
    block = page.one("fixed", form)
    assert block
    result = record_result(folder, page, block)
    assert result.verdict is Verdict.CLEAN, [f"{d.code} {d.span} {d.message}" for d in result.diagnostics]


@pytest.mark.parametrize("code", pages_with("import", "json"))
def test_a_foreign_record_is_refused_at_the_line(code: str) -> None:
    block = read_page(code).one("import", "json")
    assert block
    file = SourceFile("export.json", block.text)
    result = GAMEPARK.convert(json.loads(block.text), file, JsonMap(file).span)
    assert result.value is None
    assert {d.code for d in result.diagnostics} == {code}
    assert block.line in {d.span.line for d in result.diagnostics if d.span}


# ---- what no short block can show


def codes_of(folder: Path, address: str) -> list[tuple[str, int]]:
    result = load_ruleset(address, Library(folder))
    assert result.value is None
    return [(d.code, d.span.line if d.span else 0) for d in result.diagnostics]


def test_pw103_deep_nesting_and_large_files(folder: Path) -> None:
    deep = f'edition house of paper_world "House"\n\nscore deep "Too deep" = {"(" * 100}1{")" * 100}\n'
    assert codes_of(folder, place(folder, deep)[0]) == [("PW103", 3)]
    large = 'edition house of paper_world "House"\n' + "# nothing but a long remark\n" * 40_000
    assert [c for c, _ in codes_of(folder, place(folder, large)[0])] == ["PW103"]
    almost = 'edition house of paper_world "House"\n' + "# nothing but a long remark\n" * 30_000
    assert load_ruleset(place(folder, almost)[0], Library(folder)).diagnostics == ()


def test_pw104_other_encodings_and_folders(folder: Path) -> None:
    path = folder / "paper_world" / "house.rules"
    path.write_bytes('edition house of paper_world "Règles"\n'.encode("latin-1"))
    assert [c for c, _ in codes_of(folder, "paper_world/house")] == ["PW104"]
    path.write_bytes('edition house of paper_world "Règles"\n'.encode())
    assert load_ruleset("paper_world/house", Library(folder)).diagnostics == ()
    (folder / "house.rules").mkdir()
    assert [c for c, _ in codes_of(folder, str(folder / "house.rules"))] == ["PW104"]


def test_pw703_files_that_hold_no_text(tmp_path: Path) -> None:
    missing = tmp_path / "missing.json"
    packed = tmp_path / "packed.json"
    packed.write_bytes(b"\x1f\x8b\x08\x00rest")
    latin = tmp_path / "latin.json"
    latin.write_bytes('{"players": ["André"]}'.encode("latin-1"))
    for path in (missing, packed, latin):
        findings = [d for document in read_documents(str(path)) for d in document.diagnostics]
        assert [d.code for d in findings] == ["PW703"], path


def test_pw721_a_position_is_no_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "final.pwn"
    assert run(["convert", str(ROOT / "examples" / "states" / "final.json"), "-o", str(target)]) == 2
    assert "PW721" in capsys.readouterr().err and not target.exists()


def test_pw717_a_folder_with_other_files(tmp_path: Path) -> None:
    for name in ("game.json", "notes.txt"):
        (tmp_path / name).write_text('{"turns": []}')
    paths, problems = find_paths([str(tmp_path)])
    assert paths == [str(tmp_path / "game.json")]
    assert [d.code for d in problems] == ["PW717"]
    (tmp_path / "notes.txt").rename(tmp_path / "notes.json")
    assert find_paths([str(tmp_path)])[1] == []


def test_pw705_a_folder_without_records(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing here")
    paths, problems = find_paths([str(tmp_path)])
    assert paths == []
    assert [d.code for d in problems] == ["PW705"]
    (tmp_path / "empty.jsonl").write_text("")
    findings = [d for document in read_documents(str(tmp_path / "empty.jsonl")) for d in document.diagnostics]
    assert [d.code for d in findings] == ["PW705"]
