"""Every command shown in README and docs is run, and prints what the page shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from pwtool.cli.app import run

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def shown_commands() -> list[tuple[str, str, list[str]]]:
    """(page, command, the lines shown below it) of every console block."""
    found = []
    for page in PAGES:
        for block in re.findall(r"```console\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            command, output = None, []
            for line in block.splitlines():
                if line.startswith("$ "):
                    if command:
                        found.append((page.name, command, output))
                    command, output = line[2:].split("  #")[0].strip(), []
                else:
                    output.append(line)
            if command:
                found.append((page.name, command, output))
    return found


COMMANDS = shown_commands()


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether the printed lines are the shown ones; a line `...` stands for any number of lines."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(matches(shown[1:], printed[at:]) for at in range(len(printed) + 1))
    return bool(printed) and shown[0].rstrip() == printed[0].rstrip() and matches(shown[1:], printed[1:])


def test_there_are_commands_to_run() -> None:
    assert len([c for c in COMMANDS if c[1].startswith("pwtool")]) >= 4


@pytest.mark.parametrize(("page", "command", "shown"), COMMANDS, ids=[f"{p}: {c}" for p, c, _ in COMMANDS])
def test_a_shown_command_prints_what_is_shown(
    page: str, command: str, shown: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = shlex.split(command)
    if words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        assert set(words[1:]) <= set(targets)
        return
    assert words[0] == "pwtool", command
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("LANG", "C")
    monkeypatch.delenv("LC_ALL", raising=False)
    code = run(words[1:])
    printed = capsys.readouterr().out.splitlines()
    assert code in (0, 1, 3)
    if shown:
        assert matches(shown, printed), "\n".join(printed)


def test_commands_named_in_the_readme_exist() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    named = set(re.findall(r"`pwtool ([a-z]+)", text))
    from pwtool.cli.app import app

    known = {c.name or c.callback.__name__ for c in app.registered_commands if c.callback}
    assert named - known == set()
    assert known - named == set(), "a command is missing in the README"
