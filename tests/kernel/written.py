"""What stands in the text of a function that an expression became."""

from __future__ import annotations

import ast
import builtins
import re

from pwtool.kernel.functions import CALLED

MADE = re.compile(r"[sef]|work|[avk]\d+")
READ = {"zones", "variables", "tokens", "player", "players", "goals", "totals", "strides", "ahead", "can", "left"}
"""What functions read of a position and of the budget."""
METHODS = {"get", "values", "append", "add", "sort", "from_iterable"}
DANGEROUS = {"eval", "exec", "compile", "getattr", "open", "__import__", "globals", "vars", "input"}


def foreign_words(text: str) -> list[str]:
    """Whatever is no number, and no name that the writer makes or that functions may use."""
    found = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Constant(value) if value is None or isinstance(value, int):
                pass
            case ast.Name(name) if MADE.fullmatch(name) or name in CALLED:
                pass
            case ast.Name(name) if hasattr(builtins, name) and name not in DANGEROUS:
                pass
            case ast.Attribute(attr=name) if name in READ | METHODS:
                pass
            case ast.Constant() | ast.Name() | ast.Attribute() | ast.Import() | ast.ImportFrom():
                found.append(ast.unparse(node))
    return found
