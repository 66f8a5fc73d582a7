"""A page for every shipped rules file, and the table of all games."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from pwtool.rules.library import Library
from pwtool_site.markdown import MarkdownDirective, table
from pwtool_site.places import LIBRARY, ROOT, RULESETS, write_changed

_HEADER = re.compile(
    r'^(?:(?P<kind>game|edition|variant) (?P<name>\w+)(?: of (?P<base>[\w/+]+))? "(?P<title>[^"]*)"'
    r"|part (?P<part>\w+) of (?P<whole>[\w/+]+))",
    re.MULTILINE,
)


def write_library(app: Sphinx, config: Config) -> None:
    """Write the pages; what no longer has a rules file goes."""
    written = {LIBRARY / "index.md"}
    entries = []
    for path in rules_files():
        target = (LIBRARY / path.relative_to(RULESETS)).with_suffix(".md")
        write_changed(target, _page(path, target))
        written.add(target)
        entries.append(target.relative_to(LIBRARY).with_suffix("").as_posix())
    listed = "\n".join(entries)
    write_changed(LIBRARY / "index.md", f"{_INDEX}\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n")
    for stale in set(LIBRARY.rglob("*.md")) - written:
        stale.unlink()


_INDEX = """# Shipped rulesets

Every game, edition and variant that comes with pwtool. Each name leads to the rules as they are written.

```{ruleset-table}
```
"""


def rules_files() -> Iterator[Path]:
    """The shipped rules files."""
    yield from sorted(RULESETS.rglob("*.rules"))


def header(path: Path) -> re.Match[str]:
    """The first declaration of a rules file."""
    found = _HEADER.search(path.read_text("utf-8"))
    assert found, path
    return found


def address(path: Path) -> str:
    """What a rules file is called on the command line; of a part, the file that includes it."""
    found = header(path)
    if found["kind"] == "game":
        return found["name"]
    if found["kind"] is None:
        return found["whole"]
    return found["base"] + ("/" if found["kind"] == "edition" else "+") + found["name"]


def _page(path: Path, target: Path) -> str:
    found = header(path)
    title = found["title"] or f"{found['part']} of {found['whole']}"
    if found["kind"] == "variant":
        # Its own title goes on where that of the game ends: `with flying kings`.
        title = f"{header(path.with_name('game.rules'))['title']}, {title}"
    kind = found["kind"] or "part"
    source = path.relative_to(ROOT).as_posix()
    what = {
        "game": "A game",
        "edition": f"An edition of `{found['base']}`",
        "variant": f"A variant of `{found['base']}`",
        "part": f"A part of `{found['whole']}`",
    }[kind]
    shown = "" if kind == "part" else f" `pwtool rules show {address(path)}` shows it resolved, with its sources."
    up = "../" * len(target.relative_to(ROOT).parent.parts)
    return (
        f"# {title}\n\n{what}: `{source}`.{shown}\n\n"
        f"```{{literalinclude}} {up}{source}\n:language: rules\n:linenos:\n```\n"
    )


class RulesetTable(MarkdownDirective):
    """The games with their editions and variants."""

    def markdown(self) -> str:
        """A row for each game."""
        library, rows = Library(), []
        for game in library.games():
            home, overlays = library.home(game), library.overlays(game)
            others = [", ".join(_link(home / f"{name}.rules", name) for name in overlays[kind]) for kind in overlays]
            rows.append((_link(home / "game.rules", f"`{game}`"), header(home / "game.rules")["title"], *others))
        return table(("address", "title", "editions", "variants"), rows)


def _link(path: Path, text: str) -> str:
    return (
        f"[{text}](/{(LIBRARY / path.relative_to(RULESETS)).relative_to(ROOT / 'docs').with_suffix('.md').as_posix()})"
    )
