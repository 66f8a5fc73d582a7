"""What a package index shows of the README: the README with absolute links, since relative ones lead nowhere there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Readme(MetadataHookInterface):
    """Reads the README, whose links are relative in the repository."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the long description."""
        text = (Path(self.root) / "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute(text, metadata["urls"]["Source"])}


def absolute(text: str, files: str) -> str:
    """Make relative links in Markdown absolute; `files` is where the files of the repository are shown. Where a forge shows them below
    `/blob/`, a picture itself stands below `/raw/`.
    """
    text = re.sub(r"(!\[[^]]*\]\()(?![a-z]+:)", rf"\1{files.replace('/blob/', '/raw/')}/", text)
    return re.sub(r"\]\((?![a-z]+:|#)", f"]({files}/", text)
