"""The examples of commands."""

from __future__ import annotations

from pwtool.text.data import data_folder


def examples(command: str) -> list[str]:
    """The command lines in `docs/commands.txt` that show how to use a command."""
    lines = (data_folder("docs") / "commands.txt").read_text("utf-8").splitlines()
    return [line for line in lines if f"{line} ".startswith(f"pwtool {command} ")]
