"""Reduces the size of pages with many pictures: repeated parts are drawn once and referenced."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

# Shorter parts are not worth a reference.
_WORTH = 60
_INNERMOST = re.compile(r"<g[^>]*>(?:(?!</?g\b).)*</g>", re.DOTALL)
_LEVELS = 8


def share_parts(drawings: Sequence[str], prefix: str) -> tuple[str, list[str]]:
    """The repeated parts, as a picture without a size of its own, and the drawings, which refer to them by ids with
    this prefix. A part may refer to smaller ones.
    """
    shared: dict[str, str] = {}
    current = list(drawings)
    for _ in range(_LEVELS):
        counts = Counter(part for drawing in current for part in _INNERMOST.findall(drawing))
        for part, count in counts.items():
            if count > 1 and len(part) > _WORTH and part not in shared:
                shared[part] = f"{prefix}{len(shared) + 1}"
        # Groups that stay are masked, so that those around them become innermost.
        current = [_INNERMOST.sub(lambda m: _reference(m.group(), shared), drawing) for drawing in current]
    defs = "".join(f'<g id="{name}">{_unmask(part)}</g>' for part, name in shared.items())
    hidden = f'<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0" class="parts" aria-hidden="true"><defs>{defs}</defs></svg>'
    return (hidden if shared else ""), [_unmask(drawing) for drawing in current]


def _reference(part: str, shared: dict[str, str]) -> str:
    name = shared.get(part)
    if name is not None:
        return f'<use href="#{name}"/>'
    return "\x01" + part[2:-4] + "\x02"


def _unmask(drawing: str) -> str:
    return drawing.replace("\x01", "<g").replace("\x02", "</g>")
