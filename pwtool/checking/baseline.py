"""The file of known findings: sorted JSON with one finding per line, so that versions can be compared line by line."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct, field

from pwtool.checking.accepted import Known

FORMAT = "pwtool-baseline/1"


class _Baseline(Struct, forbid_unknown_fields=True):
    format: str
    findings: list[Known] = field(default_factory=list)


def read_baseline(data: bytes) -> list[Known]:
    """The findings in such a file. Raises `ValueError` if it is not one."""
    try:
        read = msgspec.json.decode(data, type=_Baseline)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ValueError(str(error)) from error
    if read.format != FORMAT:
        raise ValueError(f"its format is not `{FORMAT}`")
    return read.findings


def baseline_text(findings: Iterable[Known]) -> str:
    """Findings as such a file, independent of their order."""
    lines = [f"  {msgspec.json.format(msgspec.json.encode(f), indent=0).decode()}" for f in sorted(set(findings))]
    listed = "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"
    return f'{{"format": "{FORMAT}", "findings": {listed}}}\n'
