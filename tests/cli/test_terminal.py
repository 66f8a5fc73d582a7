"""Whatever others have written: nothing that a command prints steers a terminal or gives a build server a command."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import typer.main
from hypothesis import given
from hypothesis import strategies as st

from pwtool.checking import archives, workers
from pwtool.cli import streams
from pwtool.cli.app import app, run
from pwtool.cli.streams import Stream
from pwtool.show import FORMATS
from pwtool.text.terminal import dump_json, escape, without_commands
from tests.daily import one_day_in, seed, some
from tests.support import feed, started

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = [
    "x\r\n::error::owned", "\r::error file=a::owned", "\n  ::add-mask::a", "::error::owned", "##[error]owned", "a\x1b[2J\x1b]0;owned\x07",
    "\x9b31m", "\x00\x08\x7f\x85\t", "\u202edecivo\u2066\u2069\u200e\u200f\u061c", "\u2028::error::a\u2029##[group]b", "\u200b\u200d\ufeff\u00ad\u2060",
    "\u115f\u3164\ufe0f\u034f\U000e0041\U000e0100", "\ud800", "\udcff", "</script>]]>&\"'`|%0A::error::",
]  # fmt: skip
"""Each of these stands wherever somebody else may write a text."""
HOSTILE.insert(0, "x" + "".join(text for text in HOSTILE if not "\ud800" <= text <= "\udfff"))
EVERYDAY = (0, HOSTILE.index("::error::owned"), HOSTILE.index("\udcff"))
TEXTS = [
    pytest.param(at, id=ascii(text)[1:24], marks=[] if at in EVERYDAY else [pytest.mark.slow]) for at, text in enumerate(HOSTILE)
]  # fmt: skip
DAYS = 5
"""Where a command is called in many ways, the texts share them, and a few days do."""
# Each command with each of these texts.
CALLS = [
    *(pytest.param(at, part, id=f"{ascii(HOSTILE[at])[1:24]}-shared") for part, at in enumerate(EVERYDAY)),
    *(
        pytest.param(at, at % len(EVERYDAY), id=ascii(text)[1:24], marks=pytest.mark.slow)
        for at, text in enumerate(HOSTILE)
    ),
]
INVISIBLE = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}  # fmt: skip
GAMEPARK = next(iter(sorted((ROOT / "tests" / "games" / "data" / "gamepark").glob("*/*.json"))))


def steering(text: str, commands: bool = False, tabs: bool = False) -> list[str]:
    """What of a printed text should not be there."""
    found = [
        hex(ord(c)) for c in text
        if (c != "\n" and not (tabs and c == "\t") and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")) or ord(c) in INVISIBLE
    ]  # fmt: skip
    found += [line for line in text.split("\n") if re.match(r"\s*::(?!:)", line) and not commands]
    return found + [line for line in text.split("\n") if "##[" in line and not commands]


def command_names(group: Any = None, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """All commands of the command line, with those of its groups."""
    group = typer.main.get_command(app) if group is None else group
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from command_names(command, (*before, name))
            if not getattr(command, "invoke_without_command", False):
                continue
        yield (*before, name)


RECORD, STATE, NOTATED, ARCHIVE, BROKEN, ODD, FOREIGN, HOUSE, RESULTS = (
    "RECORD", "STATE", "NOTATED", "ARCHIVE", "BROKEN", "ODD", "FOREIGN", "HOUSE", "RESULTS",
)  # fmt: skip
ALL = (RECORD, STATE, NOTATED, ARCHIVE, BROKEN, ODD)
HTML = "OUT.html"
CASES: dict[tuple[str, ...], list[list[str]]] = {
    ("check",): [
        *([*ALL, "--format", form] for form in FORMATS), *([RECORD, BROKEN, "--format", form, "--all", "--rules", "paper_world/gamepark"] for form in FORMATS),
        *([RECORD, "--rules", HOUSE, "--format", form] for form in FORMATS),
        [*ALL, "--rules", "paper_world/fr", "--rules", "paper_world/en"], ["FOLDER"], [RECORD, "--rules", "TEXT"], [RECORD, "--format", "TEXT"],
        [RECORD, "--lang", "TEXT"], [RECORD, "--report", "TEXT"], [RECORD, "--report", "json=RECORD"], [RECORD, "--reading", "TEXT"],
        [RECORD, "--rules-from", "TEXT"], [RECORD, "--audit", "TEXT"],
    ],
    ("replay",): [
        [RECORD], [RECORD, "--at", "23"], [RECORD, "--after", "23", "--pager"], [BROKEN], [STATE],
        [ARCHIVE], [NOTATED], [RECORD, "--rules", HOUSE], [RECORD, "--at", "TEXT"],
        [RECORD, "--json"], [BROKEN, "--json", "--at", "1"], [NOTATED, "--json"], [RECORD, "--html"], [NOTATED, "--html"], [BROKEN, "--html"],
        [RECORD, "--html", "--rules", HOUSE, "-o", HTML, "--force"], [RECORD, "--html", "-o", "TEXT"],
    ],
    ("legal",): [[RECORD], [RECORD, "-o", "TEXT"], [RECORD, "-o", "OUT.json", "--force"], [RECORD, "--at", "20"], [BROKEN], [NOTATED, "--rules", HOUSE]],
    ("score",): [[STATE], [STATE, "--json"], [RECORD, "--json"], [RECORD, "--rules", HOUSE], [BROKEN]],
    ("play",): [
        [HOUSE, "--seed", "1", "--name", "TEXT", "--name", "Ben"], [HOUSE, "--games", "2", "--name", "TEXT", "--name", "Ben"],
        ["paper_world", "--policy", "person", "--name", "TEXT", "--name", "Ben"], ["paper_world", "--policy", "TEXT"], ["paper_world", "--person", "TEXT"],
        ["paper_world", "--games", "TEXT"],
    ],
    ("simulate",): [
        *([HOUSE, "paper_world/en", "--games", "2", "--players", "2", "--format", form] for form in ("text", "json")),
        ["paper_world", "--games", "2", "--format", "TEXT"], ["paper_world", "--games", "2", "--reading", "TEXT"], ["TEXT"],
    ],
    ("schema",): [[HOUSE], [HOUSE, "--state"]],
    ("import",): [["gamepark", FOREIGN, "-o", "OUT"], ["gamepark", RECORD, BROKEN, ODD, "-o", "OUT"], ["TEXT", FOREIGN, "-o", "OUT"]],
    ("convert",): [
        *([name, "-o", "-", "--to", form] for name in (RECORD, NOTATED) for form in ("json", "jsonl", "pwn")),
        [BROKEN, ODD, "-o", "-", "--to", "json"], [RECORD, "-o", "OUT", "--to", "TEXT"], [RECORD, "-o", "TEXT"],
    ],
    ("pack",): [[RECORD, "-o", "OUT.parquet", "--force", "--json"], [RECORD, ARCHIVE, BROKEN, ODD, "-o", "OUT.parquet", "--force"], [RECORD, "-o", "TEXT"]],
    ("report",): [[RESULTS, "-o", HTML, "--force"], [RESULTS, "-o", "TEXT"], [BROKEN, "-o", HTML, "--force"], ["TEXT", "-o", HTML]],
    ("rules",): [[], ["--json"]],
    ("rules", "list"): [["--json"]],
    ("help",): [["check"], ["TEXT"]],
    ("rules", "show"): [[HOUSE], [HOUSE, "--json"], [HOUSE, "--html"], ["TEXT"]],
    ("rules", "compile"): [["paper_world", "-o", "OUT.wasm", "--force"]],
    ("lint",): [*([HOUSE, "BADRULES", "--format", form] for form in FORMATS), ["TEXT"], ["FIXABLE", "--fix"], ["FIXABLE", "--fix", "-f", "json"]],
    ("lsp",): [[]],
    ("studio",): [["TEXT"], ["TEXT.rules"], ["paper_world", "--port", "-1"]],
    ("test",): [
        [HOUSE, "--json"], [HOUSE, "-o", "TEXT"], [HOUSE], ["BADRULES"], [HOUSE, "--only", "TEXT", "--coverage"],
        [HOUSE, "--only", "odd", "--coverage", "--mutate"],
    ],
    ("fmt",): [[HOUSE, "BADRULES", "--check", "--json"], [HOUSE, "--diff", "--json"], [HOUSE, "--check"], [HOUSE, "--diff"], ["BADRULES"], ["-"], ["FIXABLE"]],
    ("new",): [
        ["edition", "mine", "--of", "paper_world", "-o", "TEXT.rules", "--json", "--force"],
        ["game", "TEXT"], ["objective", "mine", "--of", "TEXT"], ["edition", "mine", "--of", "paper_world", "-o", "TEXT.rules"], ["TEXT", "a"],
    ],
    ("render",): [
        ["odd", "--rules", HOUSE, "--json"], [RECORD, "--json"], ["[ Y1 ]", "--rules", HOUSE, "--json"],
        ["odd", "--rules", HOUSE], [RECORD], [RECORD, "--player", "TEXT"], ["[ TEXT ]", "--rules", HOUSE], [BROKEN], ["odd", "-o", "TEXT"],
    ],
    ("analyze",): [[f"{HOUSE}:odd"], [f"{HOUSE}:odd", "--json"], [HOUSE, "--objective", "TEXT"], [f"{HOUSE}:odd", "--as-printed", "-o", "TEXT"]],
    ("match",): [
        ["odd", RECORD, "--rules", HOUSE], ["odd", "[ Y1 ]", "--rules", HOUSE], ["odd", "[ TEXT ]", "--rules", HOUSE], ["odd", BROKEN],
        ["odd", RECORD, "--player", "TEXT"],
    ],
    ("compare",): [
        ["paper_world/en", HOUSE, "--effort", "0.1"],
        *(["paper_world/en", HOUSE, "--effort", "0", "--format", form] for form in ("markdown", "html", "json")),
        *(["paper_world/en", HOUSE, "--effort", "0", "--sheet", "--format", form] for form in ("text", "markdown", "html", "json")),
        *(["paper_world/gamepark", "paper_world/fr", "--effort", "0", "--games", "FOLDER", "--format", form] for form in ("text", "markdown", "html", "json")),
        ["paper_world/en", "paper_world/fr", "--effort", "0", "--games", "FOLDER", "--format", "text", "-o", HTML, "--force"],
        ["paper_world/en", "paper_world/fr", HOUSE, "--effort", "0"],
        ["paper_world/en", HOUSE, "--format", "TEXT"], ["paper_world/en", "paper_world/fr", "--games", "TEXT"],
        ["paper_world/en", "paper_world/fr", "--format", "html", "--witness", RECORD],
    ],
    ("learn",): [
        [RECORD, ODD, "--of", "paper_world/gamepark", "--quick"], [RECORD, "--of", "paper_world/gamepark", "--quick", "--json"],
        [BROKEN], ["TEXT"], [RECORD, "--of", "TEXT"], [RECORD, "--of", "paper_world/gamepark", "--quick", "-o", "TEXT"],
    ],
    ("which",): [[RECORD, STATE, BROKEN], [RECORD, ODD, "--json"], ["FOLDER", "-r", "paper_world/fr"], [RECORD, "-r", "TEXT"]],
    ("explain",): [
        ["odd", "--rules", HOUSE], ["turn.hand_limit", "--rules", HOUSE], ["PW601"], ["TEXT"], ["odd", "--rules", HOUSE, "--json"],
        ["odd", "--rules", HOUSE, "-o", "TEXT"],
    ],
    ("cache", "path"): [[]],
    ("cache", "clear"): [[]],
}  # fmt: skip
"""How every command is called: the words in capitals are files that hold hostile texts, or such a text itself."""


def hostile_record(name: str, text: str) -> dict[str, Any]:
    """A game of the examples with a hostile text wherever it may have one, and in some places where it may not."""
    data: dict[str, Any] = json.loads((ROOT / "examples" / "records" / f"{name}.json").read_text("utf-8"))
    changed = json.dumps(data).replace('"Ana"', json.dumps(f"Ana{text}"[:80]))
    data = json.loads(changed)
    data |= {"id": text, "comment": text, "meta": {text or "a": text, "b": [text, {text: 1}]}}
    data["turns"][0]["comment"] = text
    data["turns"][0]["actions"][0] |= {"comment": text}
    return data


def broken_records(text: str) -> list[dict[str, Any]]:
    """Games with a hostile text where a name, a card, an action or a ruleset should stand."""
    found = []
    for change in range(7):
        data = hostile_record("clean", text)
        turn = data["turns"][3]
        if change == 0:
            data["ruleset"] = text
        elif change == 1:
            data["setup"]["goals"][0] = text
        elif change == 2:
            turn["actions"][0]["action"] = text
        elif change == 3:
            turn["player"] = text
        elif change == 4:
            data[text or "x"] = data["version"] = text
        elif change == 5:
            turn["actions"][0] |= {key: text for key in turn["actions"][0] if key != "action"}
        else:
            data["setup"]["supply"][0][0] = text
        found.append(data)
    return found


def dumped(data: Any, raw: bool) -> bytes:
    """JSON with the signs as they are, where JSON allows it, or with escapes."""
    return json.dumps(data, ensure_ascii=not raw).encode("utf-8", "replace")


class Files:
    """A folder of hostile files, and the arguments that name them."""

    def __init__(self, folder: Path, number: int) -> None:
        self.text = HOSTILE[number]
        written = self.text.replace("\ud800", "?").replace("\udcff", "?")
        name = self.text.replace("\0", "").replace("\ud800", "").replace("/", "_")
        self.folder = folder / f"d{name}"
        self.folder.mkdir()
        raw = bool(number % 2)
        notation = (ROOT / "examples" / "notation" / "club.pwn").read_text("utf-8")
        rules = self._rules(written)
        remark = written.translate({10: 32, 13: 32})
        fixable = (
            f'edition odd of paper_world/en "Odd"\n# {remark}\nobjective odd "Odd." = some row: sum value  >= 12\n'
        )
        files = {
            "RECORD": (".json", dumped(hostile_record("illegal", self.text), raw)), "STATE": (".json", self._state()),
            "NOTATED": (".pwn", notation.replace("players: Ana, Ben", f'players: Ana, {json.dumps(f"Ben{written}"[:80])}').encode()),
            "ARCHIVE": (".jsonl", b"\n".join(dumped(d, raw) for d in [hostile_record("clean", self.text), *broken_records(self.text)])),
            "BROKEN": (".json", dumped(broken_records(self.text)[number % 7], raw)), "ODD": (".json", f'{{"a": {written}'.encode()),
            "FOREIGN": (".json", self._foreign()), "HOUSE": (".rules", rules.encode()), "BADRULES": (".rules", f"edition {written} of {written}".encode()),
            "FIXABLE": (".rules", fixable.encode()), "RESULTS": (".jsonl", self._results(raw)),
        }  # fmt: skip
        self.words = {
            "FOLDER": str(self.folder),
            "OUT": str(folder / "out"),
            "OUT.wasm": str(folder / "o.wasm"),
            "OUT.parquet": str(folder / "o.parquet"),
            HTML: str(folder / "o.html"),
        }
        for key, (suffix, content) in files.items():
            path = self.folder / f"{key}{name}{suffix}"
            path.write_bytes(content)
            self.words[key] = str(path)
        self.rules = rules.encode()

    def _state(self) -> bytes:
        data = json.loads((ROOT / "examples" / "states" / "final.json").read_text("utf-8"))
        return dumped(json.loads(json.dumps(data).replace('"Ana"', json.dumps(f"Ana{self.text}"[:80]))), False)

    def _results(self, raw: bool) -> bytes:
        text = self.text
        finding = {
            "code": "PW601", "severity": "error", "rule": text, "turn": 1, "action": 1, "line": 1, "column": 1, "message": text, "follows": False,
        }  # fmt: skip
        row = {
            "file": text, "line": 1, "id": text, "ruleset": text, "version": text, "verdict": "clean", "code": None, "rule": None,
            "turn": None, "action": None, "players": [text, "Ben"], "turns": 2, "actions": 3, "over": True, "ending": text,
            "ending_turn": 2, "scores": [1, 2], "places": [2, 1], "lines": [{text: 1}, {text: 2}],
            "claims": [{"objective": text, "turn": 1}], "engine": None, "findings": [],
        }  # fmt: skip
        refused = {
            "verdict": "findings",
            "code": "PW601",
            "rule": text,
            "turn": 1,
            "engine": "refused",
            "findings": [finding],
        }
        return b"\n".join(dumped(data, raw) for data in (row, row | refused))

    def _foreign(self) -> bytes:
        data = json.loads(GAMEPARK.read_text("utf-8"))
        data["final"] = {self.text or "a": self.text}
        return dumped(data, False)

    @staticmethod
    def _rules(text: str) -> str:
        quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
        return f"""edition odd of paper_world/en "Odd {quoted}"
source odd "{quoted}"
section odd_page: odd "{quoted}"
# {text.replace(chr(10), " ")}
change objective two_5s "{quoted}" = at least 3 card: value == 5
  because odd "{quoted}": "{quoted}"
objective odd "{quoted}" = some row:   sum value >= 12
change rule turn.hand_limit "{quoted}" see odd_page
  require count hand <= 7
  because "{quoted}"
"""

    def argument(self, word: str) -> str:
        if word in self.words:
            return self.words[word]
        for key, value in self.words.items():
            if word.startswith((f"{key}:", f"json={key}")):
                return word.replace(key, value)
        return word.replace("TEXT", self.text)


def test_every_command_has_a_case() -> None:
    assert set(CASES) == set(command_names())


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all: what comes with pwtool is read once, and not for every text anew."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def files(request: pytest.FixtureRequest, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANG", "C")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return Files(tmp_path, request.param)


@one_day_in(4)
@pytest.mark.parametrize(("files", "part"), CALLS, indirect=["files"])
@pytest.mark.parametrize("command", some([pytest.param(words) for words in CASES], 4), ids=" ".join)
def test_nothing_printed_steers_a_terminal(
    command: tuple[str, ...],
    files: Files,
    part: int,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Standard output and standard error as the system sees them: what goes around our own streams counts too."""
    printed = [io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2)]
    calls = CASES[command]
    days = max(1, min(DAYS, len(calls) // len(EVERYDAY)))
    shared = len(calls) >= len(EVERYDAY)
    for words in calls[part + seed() % days * len(EVERYDAY) :: days * len(EVERYDAY)] if shared else calls:
        arguments = [*command, *map(files.argument, words)]
        for at, name in enumerate(("stdout", "stderr")):
            printed[at] = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="")
            monkeypatch.setattr(sys, name, printed[at])

        class Input(io.StringIO):
            buffer = io.BytesIO(files.rules)

        monkeypatch.setattr(sys, "stdin", Input(f"{files.text}\nq\n"))
        code = run(arguments)
        for stream in printed:
            stream.flush()
        out, err = (stream.buffer.getvalue().decode("utf-8") for stream in printed)  # type: ignore[attr-defined]
        assert code != 101, (arguments, err)
        is_github = "github" in arguments
        assert steering(out, commands=is_github, tabs="--diff" in arguments) == [], arguments
        assert steering(err) == [], arguments
        _check_form(arguments, out, code)


def _check_form(arguments: list[str], out: str, code: int) -> None:
    """What is for programs can be read by them."""
    form = (
        arguments[arguments.index("--format") + 1]
        if "--format" in arguments
        else "json"
        if "--json" in arguments
        else None
    )
    if code == 2 and not out:
        return
    if form in ("json", "sarif"):
        json.loads(out)
    elif form == "jsonl":
        assert all(json.loads(line)["verdict"] for line in out.split("\n") if line)
    elif form == "junit" or (form == "html" and "-o" not in arguments):
        ElementTree.fromstring(out.removeprefix("<!DOCTYPE html>\n"))
    elif form == "github":
        assert all(re.match(r"::(error|warning|notice) file=[^:]*::", line) for line in out.split("\n") if line), out


@pytest.mark.parametrize("files", TEXTS, indirect=True)
@pytest.mark.parametrize("form", ["json", "jsonl", "pwn"])
def test_what_is_printed_to_be_read_again_says_the_same(
    form: str, files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    data = hostile_record("illegal", files.text)
    Path("game.json").write_bytes(dumped(data, False))
    code = run(["convert", "game.json", "-o", "-", "--to", form])
    out = capsys.readouterr().out
    if "\ud800" <= files.text <= "\udfff":
        assert code == 2 and not out
        return
    assert code == 0
    Path(f"again.{form}").write_text(out, "utf-8", newline="")
    if form == "pwn":
        assert run(["convert", "again.pwn", "-o", "again.json"]) == 0
    again = json.loads(Path("again.json" if form == "pwn" else f"again.{form}").read_text("utf-8"))
    assert again == data


def test_rules_that_hide_something_are_not_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    capfd.readouterr()
    for text in ("\u202e", "\x1b[2J", "##[error]a", "\u200b"):
        Path("odd.rules").write_text(f'edition odd of paper_world/en "Odd"\n# one {text}\n', "utf-8")

        class Input:
            buffer = open("odd.rules", "rb")  # noqa: SIM115

        monkeypatch.setattr(sys, "stdin", Input())
        assert run(["fmt", "-"]) == 2
        said = capfd.readouterr()
        assert said.out == "" and said.err.startswith("error: <stdin>:2:")
        # In its place it is the author's own.
        assert run(["fmt", "odd.rules"]) == 0 and capfd.readouterr() and text in Path("odd.rules").read_text("utf-8")


def test_no_module_writes_past_the_streams() -> None:
    written = re.compile(r"(?<![\w.])print\(|\.buffer\.write|sys\.std(out|err)\.write\(|progressbar|= input\(")
    allowed = {"streams.py"}
    found = {
        f"{path.name}: {line.strip()}" for path in (ROOT / "pwtool").rglob("*.py") if path.name not in allowed
        for line in path.read_text("utf-8").split("\n") if written.search(line)
    }  # fmt: skip
    assert found == set()


@given(
    st.lists(
        st.sampled_from(
            [":", "::", "##", "[", "#", "error", " ", "\t", "\n", "x", "\x1b[0m", "\x1b", "é", "\u202e", "\r"]
        ),
        max_size=12,
    )
)
def test_no_way_of_writing_gets_past_a_stream(parts: list[str]) -> None:
    """A text that comes in pieces is as harmless as one that comes at once."""
    under = io.StringIO()
    stream = Stream(under)
    for part in parts:
        stream.write(part)
    assert steering(under.getvalue()) == []
    once = io.StringIO()
    Stream(once).write("".join(parts))
    assert steering(once.getvalue()) == [] and once.getvalue().count("\n") == parts.count("\n")


@given(st.text(st.characters(codec=None), max_size=30) | st.sampled_from(HOSTILE))
def test_an_escape_is_that_of_json(text: str) -> None:
    shown = escape(text)
    assert steering(without_commands(shown)) == [] and escape(shown) == shown
    if "\\" not in text and '"' not in text:
        assert json.loads(f'"{shown}"') == text
    assert json.loads(dump_json({text: [text]}, indent=2)) == {text: [text]}
    assert steering(dump_json([text], indent=2)) == []


class Watched(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_colours_are_for_terminals_and_are_ours() -> None:
    text = "\x1b[31;1merror\x1b[0m \x1b[2J\x1b[5m"
    for under, shown in ((Watched(), "\x1b[31;1merror\x1b[0m"), (io.StringIO(), "\\u001b[31;1merror\\u001b[0m")):
        Stream(under).write(text)
        assert under.getvalue() == f"{shown} \\u001b[2J\\u001b[5m"


def watch(monkeypatch: pytest.MonkeyPatch) -> Watched:
    """Standard output and standard error of one terminal, progress shown without waiting."""
    shared = Watched()
    monkeypatch.setattr(sys, "stdout", shared)
    monkeypatch.setattr(sys, "stderr", shared)
    monkeypatch.setattr(streams, "_PAUSE", 0)
    monkeypatch.setenv("NO_COLOR", "1")
    return shared


def archive(path: Path, games: int) -> str:
    game = json.dumps(json.loads((ROOT / "examples" / "records" / "clean.json").read_text("utf-8")))
    path.write_text("\n".join([game] * games), "utf-8")
    return str(path)


@pytest.mark.parametrize("form", ["full", "concise", "jsonl"])
def test_progress_is_shown_within_an_archive_and_garbles_no_line(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = watch(monkeypatch)
    monkeypatch.setattr(workers, "PAUSE", 0)
    path = archive(tmp_path / "games.jsonl", 5)
    assert run(["check", path, "--no-kernel", "--format", form]) == 0
    seen = terminal.getvalue()
    assert re.search(r"\r\x1b\[K1 document, [\d,]+ a second", seen) and re.search(
        r"K5 documents, [\d,]+ a second", seen
    )
    # What a terminal shows in the end: a line that is taken away leaves nothing, and none is left over.
    lines = [line.rpartition("\r\x1b[K")[2] for line in seen.split("\n")]
    assert "\n".join(lines) == _printed(["check", path, "--no-kernel", "--format", form], terminal)
    assert lines[-1] == "" and "checking" not in "".join(lines)


def _printed(words: list[str], terminal: Watched) -> str:
    terminal.isatty = lambda: False  # type: ignore[method-assign]
    terminal.truncate(terminal.seek(0))
    assert run(words) == 0
    return terminal.getvalue()


def test_no_progress_where_nobody_watches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "_PAUSE", 0)
    assert run(["check", archive(tmp_path / "games.jsonl", 3)]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("form", "lines"), [("concise", 3), ("jsonl", 3), ("full", 1), ("json", 0)])
def test_ctrl_c_tells_how_far_it_came(
    form: str, lines: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = archives.check_loaded, []

    def interrupted(*words: Any) -> Any:
        calls.append(words)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return real(*words)

    monkeypatch.setattr(archives, "check_loaded", interrupted)
    path = archive(tmp_path / "games.jsonl", 9)
    assert run(["check", path, "--no-kernel", "--format", form]) == 130
    said = capsys.readouterr()
    # A report that is written as a whole would look like one of all documents.
    assert len(said.out.splitlines()) == lines
    assert said.err == "interrupted: 3 documents judged so far\n"


def test_an_interrupted_command_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("pwtool.cli.learning.run_learn", interrupt)
    assert run(["learn", "games.jsonl"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


@one_day_in(4)
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX systems")
def test_a_real_signal_leaves_no_traceback(tmp_path: Path) -> None:
    path = archive(tmp_path / "games.jsonl", 3)
    command = [sys.executable, "-m", "pwtool", "check", "-", "-f", "jsonl", "--no-kernel"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # Unbuffered: `communicate` does not give what a buffer took before it.
    with started(command, cwd=ROOT, bufsize=0, env={**os.environ, "PYTHONPATH": str(ROOT)}, **pipes) as process:
        assert process.stdin and process.stdout and process.stderr
        writer = feed(process.stdin, (Path(path).read_bytes() + b"\n") * 100)
        # The first verdicts are there, the end of the input never comes.
        told = [process.stdout.readline() for _ in range(200)]
        writer.join()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert process.returncode == 130 and re.fullmatch(rb"interrupted: \d+ documents judged so far\n", err), err
    assert int(err.split()[1]) - len(told) - len(out.splitlines()) in (0, 1)
