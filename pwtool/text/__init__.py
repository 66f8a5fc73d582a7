"""Findings as data: what is wrong, where, why and what to do about it."""

from pwtool.text.codes import CODES, Code
from pwtool.text.diagnostic import MAX_MISTAKES, Detail, Diagnostic, InternalError, Label, Result, Severity, too_many
from pwtool.text.fixes import Fix, apply_fixes, choose_fixes
from pwtool.text.suggest import closest, codes_like, did_you_mean, is_slip, name_fix

__all__ = [
    "CODES",
    "MAX_MISTAKES",
    "Code",
    "Detail",
    "Diagnostic",
    "Fix",
    "InternalError",
    "Label",
    "Result",
    "Severity",
    "apply_fixes",
    "choose_fixes",
    "closest",
    "codes_like",
    "did_you_mean",
    "is_slip",
    "name_fix",
    "too_many",
]
