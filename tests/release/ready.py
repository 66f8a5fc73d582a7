"""What keeps the package from being published: `python -m tests.release.ready`, which `make release` runs first."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Reserved by RFC 2606: they belong to nobody and lead nowhere.
_RESERVED = re.compile(r"https?://([\w.-]*\.)?(example\.(org|com|net|edu)|(test|example|invalid|localhost))(?![\w.-])")


def hindrances(root: Path) -> list[str]:
    """What has to be done first."""
    urls: dict[str, str] = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    found = [
        f"pyproject.toml: `{name}` of [project.urls] is {url}, an address that leads nowhere"
        for name, url in urls.items()
        if _RESERVED.match(url)
    ]
    if "**none yet**" in (root / "SECURITY.md").read_text("utf-8"):
        found.append("SECURITY.md: there is no address for private reports: name one instead of `none yet`")
    heading = re.search(r"^## .*$", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    if heading is None or not re.fullmatch(r"## \S+ \(\d{4}-\d\d-\d\d\)", heading[0]):
        found.append(
            f"CHANGELOG.md: `{heading[0] if heading else ''}` has no date: write `## VERSION (YEAR-MONTH-DAY)`"
        )
    return found


if __name__ == "__main__":
    sys.exit("\n".join(hindrances(ROOT)) or 0)
