"""Pages that pwtool itself makes, put beside the pages of the site: a game to step through, sheets, a comparison."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from html import escape
from pathlib import Path

from sphinx.application import Sphinx

from pwtool.cli.app import run
from pwtool_site.markdown import MarkdownDirective
from pwtool_site.places import ROOT

FOLDER = "live"
_SHEET = ("--sheet", "--format", "html", "--lang", "en")
# The words of the command by the name of its page; `WITNESSES` stands for a folder that is thrown away.
LIVE = {
    "game.html": ("replay", str(ROOT / "examples" / "records" / "illegal.json"), "--html", "--lang", "en"),
    "chess.html": ("play", "chess", "--html", "--lang", "en"),
    "en-fr.html": ("compare", "paper_world/en", "paper_world/fr", *_SHEET),
    "en-de.html": ("compare", "paper_world/en", "paper_world/de", *_SHEET),
    "en-bga.html": ("compare", "paper_world/en", "paper_world/bga", *_SHEET),
    "en-gamepark.html": ("compare", "paper_world/en", "paper_world/gamepark", *_SHEET),
    "en-fr-games.html": (
        *("compare", "paper_world/en", "paper_world/fr", "--format", "html", "--lang", "en"),
        *("--witness", "WITNESSES"),
    ),
}


class LiveLinks(MarkdownDirective):
    """Links to such pages: each line has a name from `LIVE`, with an anchor perhaps, and what the link says."""

    has_content = True

    def markdown(self) -> str:
        """A paragraph, or a list of several links."""
        links = []
        for line in self.content:
            target, _, text = line.partition(" ")
            if target.partition("#")[0] not in LIVE:
                raise self.error(f"there is no live page `{target}`")
            links.append(f'<a href="{FOLDER}/{escape(target)}">{escape(text)}</a>')
        return "".join(f"- {link}\n" for link in links) if len(links) > 1 else links[0] + "\n"


def write_live(app: Sphinx, exception: Exception | None) -> None:
    """Write them into the built site."""
    if exception is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir) / FOLDER
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as witnesses:
        for name, words in LIVE.items():
            asked = [str(Path(witnesses) / "games") if word == "WITNESSES" else word for word in words]
            run_command([*asked, "-o", str(folder / name), "--force"])


def run_command(words: Sequence[str]) -> None:
    """Run a command of pwtool; differences and findings are what it is asked for."""
    status = run(list(words))
    if status not in (0, 1):
        raise RuntimeError(f"`pwtool {' '.join(words)}` ended with {status}")
