"""Compiles modules in place, under the Python of the browser. `pack.mjs` calls it; it is not shipped."""

from __future__ import annotations

import ast
import marshal
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType

HEAD = bytes([1, 0, 0, 0]) + bytes(8)
"""Of a compiled module: nobody has to look whether its source has changed."""
DOCUMENTED = ("attr/", "cattrs/", "jinja2/", "lark/")
"""Packages that may read their docstrings."""
LINE, NO_LINE, MOST_UNITS = 13, 15, 8
"""The kinds of entries in a table of lines that are written here, and the code units that one covers (`Objects/locations.md` in CPython)."""


def pack(folder: str) -> None:
    """Replace the modules below a folder by what Python makes of them, without docstrings and columns, which are half of it."""
    top = Path(folder)
    for path in sorted(top.rglob("*.py")):
        name = path.relative_to(top).as_posix()
        tree = ast.parse(path.read_bytes())
        if not name.startswith(DOCUMENTED):
            _undocument(tree)
        code = _without_columns(compile(tree, name, "exec", dont_inherit=True))
        path.with_suffix(".pyc").write_bytes(MAGIC_NUMBER + HEAD + marshal.dumps(code))
        path.unlink()


def _undocument(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            match node.body:
                case [ast.Expr(ast.Constant(str()))]:
                    node.body = [ast.copy_location(ast.Pass(), node.body[0])]
                case [ast.Expr(ast.Constant(str())), *rest]:
                    node.body = rest


def _without_columns(code: CodeType) -> CodeType:
    inner = tuple(_without_columns(part) if isinstance(part, CodeType) else part for part in code.co_consts)
    table, before = bytearray(), code.co_firstlineno
    for start, end, line in code.co_lines():
        units = (end - start) // 2
        while units > 0:
            part = min(units, MOST_UNITS)
            units -= part
            table.append(0x80 | (NO_LINE if line is None else LINE) << 3 | part - 1)
            if line is not None:
                table += _signed(line - before)
                before = line
    return code.replace(co_consts=inner, co_linetable=bytes(table))


def _signed(number: int) -> bytes:
    """A number in groups of six bits, the least significant first, its sign last of all bits."""
    rest, found = (-number << 1 | 1) if number < 0 else number << 1, bytearray()
    while rest >= 64:
        found.append(0x40 | rest & 0x3F)
        rest >>= 6
    return bytes([*found, rest])
