"""The version of a ruleset: what its items mean."""

from __future__ import annotations

import json
from typing import Any

from pwtool.lang import tree as n
from pwtool.lang.merged import Merged
from pwtool.text.sha256 import sha256

_SILENT = {"text", "sees", "reason", "title", "span", "called"}
_NOT_HASHED = (n.Source, n.Section, n.Ambiguity, n.Erratum)


def content_hash(merged: Merged) -> str:
    """The version of a ruleset: a hash of what its items mean, without wording, citations, comments and layout."""
    items = [
        [kind, name, meaning(item)] for (kind, name), item in merged.items.items() if not isinstance(item, _NOT_HASHED)
    ]
    # If the order of items matters (the first ending that is reached ends the game), it is part of the meaning.
    in_order = {
        kind: [name for k, name, _ in items if k == kind] for kind in ("ending", "consequence", "zone", "setup")
    }
    content = [in_order, sorted(items, key=lambda i: (i[0], i[1]))]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    made: str = sha256(text.encode()).hexdigest()[:16]
    return made


def meaning(value: Any) -> Any:
    """What a part of a tree means, as plain data."""
    if isinstance(value, n.Node):
        parts: list[Any] = [type(value).__name__]
        names, last = value.__struct_fields__, value.__struct_defaults__
        defaults = dict(zip(names[len(names) - len(last) :], last, strict=True))
        for name in names:
            part = getattr(value, name)
            if name in _SILENT or (name in defaults and part == defaults[name]):
                # Empty fields are left out, so that a new construct changes only the versions of rulesets that use it.
                continue
            parts.append([name, meaning(part)] if name in defaults else meaning(part))
        return parts
    if isinstance(value, tuple):
        return [meaning(v) for v in value]
    return value
