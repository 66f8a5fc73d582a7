"""Findings as data: what is wrong, where, why and what to do about it."""

from pwtool.diagnostics.codes import CODES, Code
from pwtool.diagnostics.diagnostic import Detail, Diagnostic, InternalError, Label, Result, Severity
from pwtool.diagnostics.suggest import did_you_mean

__all__ = [
    "CODES",
    "Code",
    "Detail",
    "Diagnostic",
    "InternalError",
    "Label",
    "Result",
    "Severity",
    "did_you_mean",
]
