"""Writes docs/gallery.json: how rare each objective of the gallery is, proven over all boards.

    python docs/make_gallery.py [--check]

`--check` only compares with the file that is there. The site draws the objectives and puts these figures beside them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pwtool

ROOT = Path(__file__).resolve().parent.parent
STORED = ROOT / "docs" / "gallery.json"


@dataclass(frozen=True)
class Group:
    """Objectives that the gallery shows together: those of one ruleset, all of them where none is named."""

    address: str
    names: tuple[str, ...] = ()
    readings: dict[str, str] = field(default_factory=dict)
    as_printed: bool = False

    def load(self) -> pwtool.Rules:
        """Its ruleset, read from this checkout."""
        path = ROOT / self.address
        address = path if path.is_file() else self.address
        return pwtool.load(str(address), readings=self.readings, as_printed=self.as_printed)


GROUPS = {
    "paper_world": Group("paper_world"),
    "gamepark": Group("paper_world/gamepark", ("row_of_3s", "three_4s")),
    "exactly": Group("paper_world/en", ("two_5s", "three_4s", "five_1s"), {"counted_values": "exactly"}),
    "fr_printed": Group("paper_world/fr", ("five_1s",), as_printed=True),
    "bga_printed": Group("paper_world/bga", ("diagonal_color",), as_printed=True),
    "club": Group("examples/objectives/club.rules"),
}


def measure(group: Group) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is proven of each objective of a group."""
    rules = group.load()
    names = group.names or tuple(rules.objectives)
    if group.address.endswith(".rules"):
        known = pwtool.load("paper_world").objectives
        names = tuple(name for name in names if name not in known)
    for found in rules.analyze(*names)["objectives"]:
        fewest = found["fewest"] or {"cards": None, "board": None}
        count = {key: found["boards"][key] for key in ("fulfil", "of")}
        yield found["name"], {**count, **fewest}


def make() -> str:
    """The file."""
    return json.dumps({key: dict(measure(group)) for key, group in GROUPS.items()}, indent=1) + "\n"


def main() -> None:
    """Write the file, or compare it."""
    text = make()
    if "--check" in sys.argv:
        if STORED.read_text("utf-8") != text:
            raise SystemExit("docs/gallery.json is out of date: run python docs/make_gallery.py")
        print("docs/gallery.json is up to date")
        return
    STORED.write_text(text, "utf-8")
    print(f"wrote {STORED.name}")


if __name__ == "__main__":
    main()
