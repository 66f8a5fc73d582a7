"""The playground: what it is made of, what its program answers without a server, and that it writes no half of itself."""

from __future__ import annotations

import importlib.util
import json
import traceback
from pathlib import Path
from types import CodeType

import grimp
import pytest

from pwtool.cli.app import run
from pwtool.studio.playground import export
from pwtool.studio.playground.packing import pack
from tests.studio.test_bundle import ROOT, SOURCES, checkout

MODULE = '''"""Words."""

from __future__ import annotations


class One:
    """Only words."""


def fails(of: int) -> int:
    """Words before a line that fails."""
    values = [
        1 / (of - number)

        for number in range(of + 1)
    ]
    return sum(values)


def fine() -> str:
    "alone"
'''


def test_what_is_missing_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written before everything is there."""
    pyodide, target = tmp_path / "pyodide", tmp_path / "site"
    asked = ["studio", "--export", str(target), "--pyodide", str(pyodide)]

    def refused() -> str:
        assert run(asked) == 2 and not target.exists()
        return capsys.readouterr().err

    assert f"npm install pyodide@{export.PYODIDE}" in refused()
    pyodide.mkdir()
    for text in ("", "[", '{"version": "0.1.0"}'):
        (pyodide / "package.json").write_text(text, "utf-8")
        assert f"npm install pyodide@{export.PYODIDE}" in refused()
    (pyodide / "package.json").write_text(json.dumps({"version": export.PYODIDE}), "utf-8")
    assert f"--dest {pyodide} msgspec==" in refused()
    (pyodide / export.WHEEL).write_bytes(b"another one")
    assert f"--dest {pyodide} msgspec==" in refused()


def test_a_folder_with_something_else_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(export, "_look_for", lambda _: None)
    (tmp_path / "letter.txt").write_text("dear", "utf-8")
    assert run(["studio", "--export", str(tmp_path)]) == 2
    assert "holds something else" in capsys.readouterr().err and [p.name for p in tmp_path.iterdir()] == ["letter.txt"]


@checkout
def test_versions_are_the_same_everywhere() -> None:
    package = json.loads((SOURCES / "package.json").read_text("utf-8"))
    assert package["devDependencies"]["pyodide"] == export.PYODIDE
    text = (ROOT / "Makefile").read_text("utf-8")
    assert f"WHEEL := {export.WHEEL}\n" in text
    fetched = export.fetching(Path("web/node_modules/pyodide")).partition(" download ")[2]
    assert fetched in text


def test_packed_modules_do_the_same_and_know_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "packed.py"
    path.write_text(MODULE, "utf-8")
    before = compile(MODULE, "packed.py", "exec", dont_inherit=True)
    pack(str(tmp_path))
    assert [found.name for found in tmp_path.iterdir()] == ["packed.pyc"]
    spec = importlib.util.spec_from_file_location("packed", tmp_path / "packed.pyc")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.__doc__ is None and module.One.__doc__ is None and module.fine() is None
    with pytest.raises(ZeroDivisionError) as raised:
        module.fails(3)
    assert traceback.extract_tb(raised.tb)[-1].lineno == 13

    def of(code: CodeType, name: str) -> list[int | None]:
        inner = next(part for part in code.co_consts if isinstance(part, CodeType) and part.co_name == name)
        return [line for _, _, line in inner.co_lines()]

    assert [line for _, _, line in module.fails.__code__.co_lines()] == of(before, "fails")


@pytest.mark.parametrize("number", [*range(-70, 70), 4095, -4096, 10**6])
def test_numbers_of_line_tables(number: int) -> None:
    from pwtool.studio.playground.packing import _signed

    found, shift = 0, 0
    written = _signed(number)
    for byte in written:
        found |= (byte & 0x3F) << shift
        shift += 6
    assert all(byte & 0x40 for byte in written[:-1]) and not written[-1] & 0x40
    assert (-(found >> 1) if found & 1 else found >> 1) == number


def test_the_distribution_holds_nothing_of_pyodide() -> None:
    assert sum(path.stat().st_size for path in (export.STATIC / "playground").iterdir()) < 20_000
    assert {path.suffix for path in export.STATIC.rglob("*.*")} == {".html", ".css", ".js", ".mjs", ".txt"}


def test_nothing_that_the_page_can_ask_for_is_left_out() -> None:
    """What is left out of the playground is imported by no module of it, not even when it is first used."""
    graph = grimp.build_graph("pwtool", exclude_type_checking_imports=True, cache_dir=None)
    apart = tuple("pwtool." + name.removesuffix(".py").replace("/", ".") for name in export.APART)
    shipped, waiting = set[str](), ["pwtool.studio.playground.program"]
    while waiting:
        module = waiting.pop()
        if module not in shipped:
            shipped.add(module)
            waiting += [*graph.find_modules_directly_imported_by(module), *filter(None, [module.rpartition(".")[0]])]
    left_out = {module for module in shipped if any(module == name or module.startswith(f"{name}.") for name in apart)}
    assert left_out == set()
