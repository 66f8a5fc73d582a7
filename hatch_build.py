"""What a package index shows of the README: its links and pictures by their whole addresses, for nothing lies beside it there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Readme(MetadataHookInterface):
    """Takes the README from the repository, where its links are relative."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the long description."""
        text = (Path(self.root) / "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute(text, metadata["urls"]["Homepage"])}


def absolute(text: str, home: str) -> str:
    """Markdown whose relative links begin at an address."""
    return re.sub(r"\]\((?![a-z]+:|#)", f"]({home}/", text)
