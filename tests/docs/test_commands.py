"""Every command shown in README and docs is run, and prints what the page shows."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from pwtool.cli.app import run
from tests.daily import some
from tests.support import offer_package

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@dataclass(frozen=True)
class Step:
    """A command with the lines shown below it, or (`path`) a file that a page shows and its reader writes."""

    command: str
    shown: tuple[str, ...]
    path: str = ""


def steps_of(page: Path) -> list[Step]:
    """What a reader of the page does, in order."""
    found = []
    for info, body in re.findall(r"^```([^\n]*)\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE):
        written = re.search(r"\bfile=(\S+)", info)
        if written and page.parent.name != "errors":
            found.append(Step("", tuple(body.splitlines()), written[1]))
        if info.split()[:1] != ["console"]:
            continue
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            found.append(Step(command.split("  #")[0].strip(), tuple(shown)))
    return found


STEPS = {page.name: steps_of(page) for page in PAGES}
COMMANDS = [name for name, steps in STEPS.items() if any(s.command for s in steps)]
DEAR = [
    "classics.md", "editions.md", "archives.md", "simulating.md", "learn.md", "objectives.md", "testing.md", "first_record.md",
    "idioms.md", "analysis.md", "first_game.md", "README.md",
]  # fmt: skip
"""Pages that take most of the time; those that are alike in this stand beside each other."""


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether the printed lines are the shown ones; a line `...` stands for any number of lines."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(matches(shown[1:], printed[at:]) for at in range(len(printed) + 1))
    return bool(printed) and shown[0].rstrip() == printed[0].rstrip() and matches(shown[1:], printed[1:])


def test_there_are_commands_to_run() -> None:
    assert len([s for steps in STEPS.values() for s in steps if s.command.startswith("pwtool")]) >= 10


@pytest.mark.parametrize("page", [*(name for name in COMMANDS if name not in DEAR), *some(DEAR, 2)])
def test_the_commands_of_a_page_print_what_it_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("examples", "rulesets", "docs"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANG", "C")
    monkeypatch.delenv("LC_ALL", raising=False)
    for step in STEPS[page]:
        if step.path:
            path = tmp_path / step.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(step.shown) + "\n", "utf-8")
            continue
        words = shlex.split(step.command)
        if words[0] == "make":
            targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
            assert set(words[1:]) <= set(targets)
            continue
        if words[:2] == ["pip", "install"]:
            offer_package(ROOT / words[2], tmp_path / "packages", monkeypatch)
            continue
        assert words[0] == "pwtool", step.command
        code = run(words[1:])
        printed = capsys.readouterr().out.splitlines()
        assert code in (0, 1, 3), (step.command, printed)
        if step.shown:
            assert matches(list(step.shown), printed), step.command + "\n" + "\n".join(printed)


@pytest.mark.parametrize("page", ["README.md", "docs/commands.md"])
def test_commands_named_exist(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    named = set(re.findall(r"`pwtool ([a-z]+)", text))
    from pwtool.cli.app import app

    known = {c.name or c.callback.__name__ for c in app.registered_commands if c.callback} | {
        str(g.name) for g in app.registered_groups
    }
    assert named - known == set()
    assert page == "README.md" or known - named == set(), "a command is missing on the page of commands"
