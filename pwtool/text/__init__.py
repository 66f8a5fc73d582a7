"""Findings as data: what is wrong, where, why and what to do about it."""

from pwtool.text.codes import CODES, Code
from pwtool.text.diagnostic import Detail, Diagnostic, InternalError, Label, Result, Severity
from pwtool.text.fixes import Fix, apply_fixes, choose_fixes
from pwtool.text.suggest import closest, codes_like, did_you_mean, is_slip, name_fix

__all__ = [
    "CODES",
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
]
