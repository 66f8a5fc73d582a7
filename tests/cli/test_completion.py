"""What shells are offered while a command line is typed."""

from __future__ import annotations

import os
import select
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pwtool.cli.completing import (
    complete_codes,
    complete_importers,
    complete_languages,
    complete_objectives,
    complete_readings,
    complete_rulesets,
)  # fmt: skip
from pwtool.text.store import cache_folder
from tests.daily import one_day_in, some

ROOT = Path(__file__).resolve().parents[2]


def test_completion_offers_what_there_is() -> None:
    assert "paper_world/en+advanced" in complete_rulesets("paper_world/") and complete_rulesets("zzz") == []
    assert "gomoku+exactly_five" in complete_rulesets("gomoku+")
    assert "corners_value" in complete_objectives("corn")
    assert "paper_world/en:corners_value" in complete_objectives("paper_world/en:c")
    assert "PW601" in complete_codes("pw6") and "turn.hand_limit" in complete_codes("turn.")
    assert complete_languages("f") == ["fr"] and complete_importers("g") == ["gamepark"]
    assert all("=" in reading for reading in complete_readings("")) and complete_readings("")


SHELLS = {
    "bash": ({"COMP_WORDS": "pwtool check --format ", "COMP_CWORD": "3"}, "complete_bash"),
    "zsh": ({"_TYPER_COMPLETE_ARGS": "pwtool check --format "}, "complete_zsh"),
    "fish": ({"_TYPER_COMPLETE_ARGS": "pwtool check --format ", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}, "complete_fish"),
}  # fmt: skip


@pytest.mark.parametrize("shell", some([*SHELLS], 1))
def test_shells_are_answered(shell: str) -> None:
    variables, action = SHELLS[shell]
    asked = {
        "check --format ": "sarif",
        "play --policy ": "greedy",
        "simulate gomoku+": "gomoku+exactly_five",
        "explain PW60": "PW601",
        "match corners_v": "corners_value",
        "--lang ": "fr",
    }
    for words, wanted in asked.items():
        line = f"pwtool {words}"
        environment = {**os.environ, "_PWTOOL_COMPLETE": action}
        for name, value in variables.items():
            if "pwtool" in value:
                environment[name] = line
            elif name == "COMP_CWORD":
                environment[name] = str(len(line.split()) - (not line.endswith(" ")))
            else:
                environment[name] = value
        done = subprocess.run(
            [sys.executable, "-c", "from pwtool.cli import main; main()"],
            env=environment, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        assert wanted in done.stdout, (shell, words, done)


# What is typed before the tab key, and what the line ends in then. bash breaks words at `:` and `=`, zsh takes what is
# behind a `:` for an explanation, and neither zsh nor fish puts back what stands before the `=` of an option.
HARD = {
    "pwtool expl": "explain ",
    "pwtool explain paper_world/en:corners_v": "paper_world/en:corners_value ",
    "pwtool check --format=con": "--format=concise ",
    "pwtool check --reading order_of_places=b": "order_of_places=back_and_forth ",
    "pwtool check tests/cli/test_comple": "tion.py",
}
EASY = {
    "pwtool match --rules paper_world/en corners_v": "corners_value ",
    "pwtool analyze paper_world/en:corners_v": "paper_world/en:corners_value ",
    "pwtool test paper_world/en --only corners_v": "corners_value ",
    "pwtool explain turn.hand_l": "turn.hand_limit ",
    "pwtool explain PW10": "PW10",
    "pwtool --lang f": "fr ",
    "pwtool check --stat": "--statistics ",
    "pwtool check --baseline=CHANGELO": "G.md ",
    "pwtool check --rules=gomoku+exa": "--rules=gomoku+exactly_five ",
    "pwtool play gomoku --policy gre": "greedy ",
    "pwtool simulate gomoku+exa": "gomoku+exactly_five ",
    "pwtool import gam": "gamepark ",
    "pwtool help rules comp": "compile ",
    "pwtool rules gomoku+exa": "gomoku+exactly_five ",
    "pwtool rules gomoku --form": "--format ",
}

# How each shell is started without the settings of its user, and what makes it ready.
TERMINALS = {
    "bash": ("--norc --noprofile -i", "bind 'set enable-bracketed-paste off'", 'eval "$(pwtool --show-completion bash)"'),
    "zsh": ("-f -i", "unset zle_bracketed_paste; autoload -Uz compinit; compinit -u -D", 'eval "$(pwtool --show-completion zsh)"'),
    "fish": ("--no-config -i", "true", "pwtool --show-completion fish | source"),
}  # fmt: skip


@one_day_in(8)
@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of POSIX systems")
@pytest.mark.parametrize("cases", [HARD, pytest.param(EASY, marks=pytest.mark.slow)], ids=["hard", "easy"])
@pytest.mark.parametrize("shell", TERMINALS)
def test_shells_complete_what_is_typed(shell: str, cases: dict[str, str], tmp_path: Path) -> None:
    import pty

    where = shutil.which(shell)
    if where is None:
        pytest.skip(f"{shell} is not installed")
    options, prepare, learn = TERMINALS[shell]
    command = tmp_path / "pwtool"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m pwtool "$@"\n', "utf-8")
    command.chmod(0o755)
    changed = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "SHELL": where, "PS1": "$ ",
        # What a shell keeps for its user goes here.
        "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path),
        "XDG_CACHE_HOME": str((cache_folder() or tmp_path).parent), "TERM": "xterm" if shell == "fish" else "dumb",
    }  # fmt: skip
    process, terminal = pty.fork()
    if not process:
        os.environ.update(changed)
        os.chdir(ROOT)
        os.execv(where, [shell, *options.split()])
    try:
        _type(terminal, f"{prepare}; stty columns 200; echo rea''dy\n", "ready")
        _type(terminal, f"{learn}; echo lear''ned\n", "learned")
        for typed, wanted in cases.items():
            _type(terminal, f"{typed}\t", wanted)
            _type(terminal, "\x15echo do''ne\n", "done")
    finally:
        os.close(terminal)
        os.waitpid(process, 0)


def _type(terminal: int, text: str, wanted: str) -> None:
    """Type this, and wait until that is shown."""
    os.write(terminal, text.encode())
    shown, end = "", time.monotonic() + 60
    while wanted not in shown:
        assert time.monotonic() < end and select.select([terminal], [], [], 60)[0], (text, wanted, shown)
        shown += os.read(terminal, 1 << 16).decode("utf-8", "replace")
