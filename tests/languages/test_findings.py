"""What is wrong with files is said in the language of the player: no English is left in it, nor in what the command says of its arguments."""

from __future__ import annotations

import gzip
import json
import pickle
import re
from pathlib import Path

import pytest

from pwtool.cli.app import run
from pwtool.text import Diagnostic
from pwtool.text.speech import SPOKEN, Speech, Told, english
from tests.daily import one_day_in
from tests.languages.test_languages import ROOT, TRANSLATED, left_in_english

GOOD = json.loads((ROOT / "examples/records/clean.json").read_text("utf-8"))
NOTATION = (ROOT / "examples/notation/illegal.pwn").read_text("utf-8").split("\n7.")[0] + "\n"


def wrong_files(folder: Path) -> list[Path]:
    """Files with all sorts of mistakes."""
    texts = {
        "empty.json": "", "null.json": "null", "cut.json": '{"format": "pwtool/1", "players": [', "comma.json": '{"a": 1,}',
        "twice.json": '{"a": 1, "a": 2}', "comment.json": "{} // no", "quotes.json": "{'a': 1}", "word.json": '{"a": True}',
        "number.json": '{"a": 01}', "deep.json": "[" * 200, "other.json": '{"name": "x"}',
        "unnamed.json": json.dumps({k: v for k, v in GOOD.items() if k not in ("ruleset", "version")}),
        "lost.json": json.dumps({**GOOD, "ruleset": "paper_wrld/en"}),
        "edition.json": json.dumps({**GOOD, "ruleset": "paper_world/xy"}),
        "own.json": json.dumps({**GOOD, "ruleset": "./house.rules"}),
        "keys.json": json.dumps({**GOOD, "playrs": 1, "players": [3, "Ben"], "turns": [{"player": "Nobody", "actions": {}}]}),
        "action.json": json.dumps({**GOOD, "turns": [{"player": GOOD["players"][0], "actions": [{"action": "fly"}, {"action": "place"}]}]}),
        "state.json": json.dumps({"format": "pwtool-state/1", "ruleset": "paper_world/en", "players": ["Ana", "Ben"], "zones": {"x": 1}}),
        "header.pwn": "playrs: Ana\n" + NOTATION, "stray.pwn": NOTATION + "\n? what\n", "numbers.pwn": NOTATION.replace("\n3.", "\n7."),
        "name.pwn": NOTATION.replace(": ta ", ": plaze "), "open.pwn": NOTATION + "{ never closed",
    }  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "latin.json").write_bytes(b'{"a": "\xe9"}')
    (folder / "zipped.json").write_bytes(gzip.compress(b"{}"))
    (folder / "none.jsonl").write_bytes(b"")
    return [*sorted(folder.iterdir()), folder / "missing.json"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of such files in the working folder."""
    monkeypatch.chdir(tmp_path)
    return [path.name for path in wrong_files(tmp_path)]


@one_day_in(4)
@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("form", ["full", "concise", "markdown"])
def test_findings_about_files_have_no_english_left(
    files: list[str], language: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in files:
        assert run(["check", file, "-f", form, "--lang", language]) in (1, 2), file
        captured = capsys.readouterr()
        # A line of the file itself is shown as it stands there.
        shown = "\n".join(
            line for line in (captured.out + captured.err).splitlines() if " | " not in line or form != "full"
        )
        assert not left_in_english(shown.replace(file, "").replace(" error[", "")), shown


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("command", ["replay", "legal", "score", "which"])
def test_every_command_says_it_so(
    files: list[str], command: str, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # Which rules accept a game is asked whatever it names itself.
    for file in ("cut.json", "keys.json", "missing.json", *(["lost.json"] if command != "which" else [])):
        assert run([command, file, "--lang", language]) == 2
        captured = capsys.readouterr()
        shown = "\n".join(line for line in (captured.out + captured.err).splitlines() if " | " not in line)
        assert not left_in_english(shown.replace(file, "")), shown


REFUSED = (
    ["legal", "examples/records/clean.json", "--at", "99"], ["replay", "examples/records/clean.json", "--at", "2", "--after", "3"],
    ["match", "two_5s", "examples/records/clean.json", "--player", "Nobody"], ["match", "nothing_at_all", "[ G3 ]"],
    ["render", "two_5s", "-o", "x.txt"], ["render", "[ G3"], ["replay", "examples/states/final.json"], ["score", "missing.json"],
    ["play", "paper_world/en", "--players", "9"], ["play", "paper_wrld"], ["check", "examples/records/clean.json", "--report", "json="],
    ["check", "examples/records/clean.json", "--baseline", "none.json"], ["convert", "examples/records", "-o", "one.json"],
)  # fmt: skip


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("line", REFUSED, ids=" ".join)
def test_a_command_that_cannot_be_says_so(
    line: list[str], language: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("LANG", language)
    assert run(line) == 2
    told = capsys.readouterr().err
    for word in line:
        told = told.replace(word, "")
    assert told and not left_in_english(told), told


@pytest.mark.parametrize("language", TRANSLATED)
def test_people_are_asked_in_their_language(
    language: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["1"] * 12 + ["x", "q"])
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        return next(answers, "q")

    monkeypatch.setattr("pwtool.cli.playing.ask", answer)
    assert run(["play", "paper_world/en", "--policy", "person", "--seed", "3", "--lang", language]) == 0
    told = re.sub(r"(?m)^ +\d+  [a-z_]+", "", capsys.readouterr().err)
    parameters = r"\b(card|cards|at|pay|pile|amount|first|by|value|color|objective)\b"
    assert not left_in_english(re.sub(parameters, "", told + "\n".join(asked))), told


def test_a_message_knows_its_english() -> None:
    told = Told("`{name}` appears twice", name="a")
    german = told.within(Speech("de"))
    assert told == "`a` appears twice" and german == "`a` kommt zweimal vor" and english(german) == told
    assert Speech("fr").tell(german) == "`a` apparaît deux fois"
    again = pickle.loads(pickle.dumps(german))
    assert again == german and english(again) == told and again.within(Speech("en")) == told


def test_a_message_speaks_of_others() -> None:
    what = Told("{one} or {other}", one=Told("player"), other=Told("number"))
    told = Told("there is no {what} {name}", what=what, name="`x`")
    assert told == "there is no player or number `x`"
    assert told.within(Speech("de")) == "`x` gibt es nicht (Spieler oder Zahl)"


@pytest.mark.parametrize("language", SPOKEN)
def test_amounts_are_grouped_as_the_language_does(language: str) -> None:
    told = Told("a record has at most {most} turns", most=10_000).within(Speech(language))
    assert {"en": "10,000", "fr": "10\u202f000", "de": "10.000"}[language] in told


def test_a_finding_is_told_whole() -> None:
    finding = Diagnostic(
        "PW701", Told("the file is empty"), help=Told("is the file cut off?"), notes=(Told("the text is UTF-16"),)
    )
    french = finding.within(Speech("fr"))
    assert (french.message, french.help) == ("le fichier est vide", "la fin du fichier manque-t-elle\u202f?")
    assert french.notes == ("le texte est en UTF-16",)
