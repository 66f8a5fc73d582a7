"""Editions side by side, from their comparison."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from pwtool.rules.library import Library
from pwtool_site.library import header
from pwtool_site.live import run_command
from pwtool_site.markdown import MarkdownDirective, code, plain, table

HEADINGS = {
    "semantic": "What changes play or result",
    "material": "Material",
    "setup": "Setup",
    "position": "Which positions can arise",
    "clarification": "Open points",
    "erratum": "Misprints",
    "wording": "Only words",
}
GAME, EDITIONS = "paper_world", ("en", "fr", "de", "bga", "gamepark")


class SideBySide(MarkdownDirective):
    """What differs between editions, item by item: who reads it how."""

    def markdown(self) -> str:
        """A section for each kind of difference."""
        home = Library().home(GAME)
        titles = [_title(home, edition) for edition in EDITIONS]
        found = _compared([f"{GAME}/{edition}" for edition in EDITIONS])
        text = ""
        for nature in dict.fromkeys(row["nature"] for row in found["rows"]):
            text += f"\n## {HEADINGS[nature]}\n"
            for row in found["rows"]:
                if row["nature"] == nature:
                    text += f"\n### {row['kind']} {code(row['name']) if row['name'] else ''}\n\n"
                    text += table(("edition", "how it reads"), _readings(row, titles))
        return text


def _title(home: Path, edition: str) -> str:
    """What an edition is called besides its game."""
    return str(header(home / f"{edition}.rules")["title"].rpartition(", ")[2])


def _compared(addresses: list[str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "found.json"
        run_command(["compare", *addresses, "--effort", "0.25", "--format", "json", "-o", str(path)])
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return found


def _readings(row: dict[str, Any], titles: list[str]) -> list[tuple[str, str]]:
    readings = {reading["letter"]: reading["text"] for reading in row["readings"]}
    rows = []
    for letter in sorted(set(row["letters"]), key=lambda one: (one == "-", one)):
        who = ", ".join(title for title, own in zip(titles, row["letters"], strict=True) if own == letter)
        rows.append((who, "*nothing of this name*" if letter == "-" else _said(row, readings[letter])))
    return rows


def _said(row: dict[str, Any], text: str) -> str:
    title, colon, rest = text.partition(": ")
    if row["kind"] in ("turn", "round", "deck", "zone", "ranking"):
        return code(text)
    if row["kind"] in ("rule", "objective", "action", "setup", "ending", "score", "invariant") and colon:
        return f"{plain(title)}: {code(rest)}"
    return plain(text)
