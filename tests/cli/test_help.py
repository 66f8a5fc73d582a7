"""Help pages: every command and option has its line, in groups, without making what is not asked for."""

from __future__ import annotations

import re
import subprocess
import sys
from inspect import getdoc
from io import StringIO

import pytest
import typer

from pwtool import __version__
from pwtool.cli.app import _command, app, run
from pwtool.text.speech import SPOKEN
from tests.cli.test_terminal import command_names
from tests.daily import one_day_in

NAMES = [" ".join(words) for words in command_names()]


@one_day_in(8)
@pytest.mark.parametrize("name", NAMES)
def test_a_page_names_every_argument_and_option(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    whole = typer.main.get_command(app)
    command = whole
    for word in name.split():
        command = command.commands[word]  # type: ignore[attr-defined]
    assert run([*name.split(), "--help"]) == 0
    page = capsys.readouterr().out
    assert page.startswith(f"Usage: pwtool {name} [OPTIONS]")
    pages = [page]
    for more in re.findall(rf"^  pwtool help ({name} \w+)  ", page, re.MULTILINE):
        assert run(["help", *more.split()]) == 0
        pages.append(capsys.readouterr().out)
    assert max(len(one.splitlines()) for one in pages) <= 40
    page = "\n".join(pages)
    told = " ".join(page.split())
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            assert str(parameter.metavar or parameter.name) in told
        for option in (*parameter.opts, *parameter.secondary_opts):
            assert not option.startswith("-") or f"{option}" in told
        said = (getattr(parameter, "help", "") or "").split()
        assert " ".join(said[:4]) in told
    assert max(map(len, page.splitlines())) <= 100


@pytest.mark.parametrize("language", SPOKEN[1:])
def test_pages_are_in_the_language_of_the_reader(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("", *NAMES):
        assert run([*name.split(), "--help"]) == 0
        plain = capsys.readouterr().out
        assert run(["--lang", language, *name.split(), "--help"] if name else ["--help", "--lang", language]) == 0
        page = capsys.readouterr().out
        assert len(page.splitlines()) <= 40 and max(map(len, page.splitlines())) <= 100
        # What is the same in both is to be typed: usage apart, names of options and examples.
        english = {line.strip() for line in plain.splitlines()}
        left = [
            line for line in page.splitlines() if re.search(r"[a-z]+ [a-z]+ [a-z]+", line) and line.strip() in english
        ]
        assert [line for line in left if not line.startswith("  pwtool ")] == []
        for option in re.findall(r"(?<=  )--?\w[\w-]*", plain):
            assert option in page
    assert run(["check", f"--lang={language}", "-h"]) == 0
    assert capsys.readouterr().out.startswith({"fr": "Utilisation", "de": "Aufruf"}[language])


def test_the_first_page_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    page = capsys.readouterr().out
    for told in app.registered_commands:
        name = told.name or told.callback.__name__  # type: ignore[union-attr]
        assert f"\n  {name} " in page
        first = " ".join((getdoc(told.callback) or "").split()).partition(". ")[0].removesuffix(".")
        assert first in page
    assert len(page.splitlines()) <= 40
    assert not re.search(r"^   ", page.partition("More help")[0], re.MULTILINE), "a line for each"
    assert run([]) == 2
    assert capsys.readouterr().err == page


@pytest.mark.parametrize("words", [["check"], ["rules", "chess"], ["cache", "path"]])
def test_only_the_command_that_is_run_is_made(words: list[str]) -> None:
    from pwtool.cli.app import _named

    root = _command(_named(words))
    assert list(root.commands) == words[:1]
    assert _named(["--lang", "fr", "check"]) is None and _named(["--help"]) == "" and _named(["chek"]) is None


def test_options_have_pages_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help", "check", "archives"]) == 0
    assert "--resume" in (page := capsys.readouterr().out) and "--baseline" not in page
    assert run(["help", "options"]) == 0
    assert "--install-completion" in capsys.readouterr().out
    assert run(["help", "check", "archive"]) == 2
    assert "did you mean `archives`?" in capsys.readouterr().err
    assert run(["help", "rules", "show", "output"]) == 0
    assert "--html" in capsys.readouterr().out


def test_a_missing_argument_is_shown_by_an_example(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", StringIO("{}"))
    assert run(["check"]) == 2
    told = capsys.readouterr().err
    assert "  help     for example `pwtool check game.json`" in told
    assert "  help     `pwtool check -` reads standard input" in told
    assert run(["fmt"]) == 2
    assert "for example `pwtool fmt my.rules`" in capsys.readouterr().err


@pytest.mark.parametrize(("word", "meant"), [("init", "pwtool new game"), ("diff", "pwtool compare")])
def test_words_of_other_programs_are_understood(word: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([word]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"error: there is no command `{word}`\n  help     `{meant}")


def test_an_unknown_command_is_compared_with_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulat"]) == 2
    assert "did you mean `simulate`?" in capsys.readouterr().err


MISTAKES = {
    "check --frmat json x": ("there is no option `--frmat`", "did you mean `--format`?"),
    "check --for json x": ("there is no option `--for`", "did you mean `--force`, `--format`?"),
    "check --format jsn x": ("`--format` cannot be `jsn`", "did you mean `json`?"),
    "check --jobs -3 x": ("`--jobs` is a whole number of at least 0", "`pwtool check --help` shows how it is used"),
    "check --jobs many x": ("`--jobs` is a whole number of at least 0", "`pwtool check --help` shows how it is used"),
    "check --jobs": ("`--jobs` needs a value", ""),
    "check --quiet=3 x": ("`--quiet` takes no value", ""),
    "compare --effort -1 a b": (
        "`--effort` is a number from 0 to 1000",
        "`pwtool compare --help` shows how it is used",
    ),
    "studio --port 99999": (
        "`--port` is a whole number from 0 to 65535",
        "`pwtool studio --help` shows how it is used",
    ),
    "learn --price a x": ("`--price` is a number", "`pwtool learn --help` shows how it is used"),
    "cache clear extra": ("these are more words than the command takes: `extra`", "`pwtool cache clear --help` shows"),
    "cache cler": ("there is no command `cler`", "did you mean `clear`?"),
    "fmt": ("`FILE|FOLDER...` is missing", "for example `pwtool fmt my.rules`"),
}


@pytest.mark.parametrize("line", MISTAKES)
def test_mistakes_in_a_command_line_are_told_in_the_readers_language(
    line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "C.UTF-8")
    assert run(line.split()) == 2
    english = capsys.readouterr().err
    message, hint = MISTAKES[line]
    assert english.startswith(f"error: {message}\n") and hint in english
    for language in ("fr_FR.UTF-8", "de_DE.UTF-8"):
        monkeypatch.setenv("LANG", language)
        assert run(line.split()) == 2
        told = capsys.readouterr().err
        # No line is left in English, and what is in quotes is the same.
        assert not set(told.splitlines()) & set(english.splitlines())
        assert len(told.splitlines()) == len(english.splitlines())
        assert set(re.findall("`.*?`", message)) <= set(re.findall("`.*?`", told))


def test_a_mistake_is_told_in_the_language_that_is_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the command or behind it."""
    monkeypatch.setenv("LANG", "C.UTF-8")
    for line in (
        "{} analyze paper_world/en --format html",
        "analyze paper_world/en {} --format html",
        "analyze --format=html {}",
    ):
        for asked in ("--lang de", "--lang=de"):
            assert run(line.format(asked).split()) == 2
            assert capsys.readouterr().err.startswith("Fehler: `--format` kann nicht `html` sein"), line


def test_the_version_needs_no_command_line_library() -> None:
    code = (
        "import sys; sys.argv = ['pwtool', '--version']; from pwtool.cli import main\n"
        "try: main()\nexcept SystemExit as stop: print(stop.code, 'typer' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"pwtool {__version__}", "0 False"]
