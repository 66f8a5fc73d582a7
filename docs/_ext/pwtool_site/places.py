"""Where things lie in the repository."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
RULESETS = ROOT / "rulesets"
GRAMMAR = ROOT / "grammar"
# Made anew by each build.
LIBRARY = DOCS / "library"

# Files of the repository that are a page of the site, by that page.
PAGES = {
    ROOT / "README.md": "index",
    ROOT / "CHANGELOG.md": "changelog",
    ROOT / "CONTRIBUTING.md": "contributing",
    ROOT / "CODE_OF_CONDUCT.md": "conduct",
    ROOT / "SECURITY.md": "security",
    ROOT / "benchmarks" / "README.md": "benchmarks",
}


def write_changed(path: Path, text: str) -> None:
    """Write a file unless it holds just this, so that a second build has nothing to do."""
    if path.is_file() and path.read_text("utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
