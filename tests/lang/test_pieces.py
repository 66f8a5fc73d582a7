"""Files read declaration by declaration: the same trees, the same findings, also while they are broken."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pwtool.lang import tree as n
from pwtool.lang.parser import parse_rules
from pwtool.lang.pieces import Reader
from pwtool.lang.traversal import walk
from pwtool.text import Diagnostic
from pwtool.text.data import data_folder
from pwtool.text.source import SourceFile
from tests.daily import some
from tests.support import few_or_many

FILES = sorted(data_folder("rulesets").rglob("*.rules"))
assert len(FILES) > 30


def places(document: n.Document) -> list[tuple[str, int, int]]:
    return [(type(node).__name__, node.span.start, node.span.end) for node in list(walk(document))[1:]]


def told(problems: tuple[Diagnostic, ...]) -> list[tuple[object, ...]]:
    return [
        (d.code, d.message, d.help, d.span.start if d.span else -1, d.fix and (d.fix.span.start, d.fix.text),
         [(label.span.start, label.text) for label in d.labels])
        for d in problems
    ]  # fmt: skip


@pytest.mark.parametrize("path", some([*FILES], 11), ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_whole_files_are_read_alike(path: Path) -> None:
    file = SourceFile(path.name, path.read_text("utf-8"))
    read, known = Reader().read(file), parse_rules(file).value
    assert read.problems == () and known is not None and read.document is not None
    assert read.whole == known
    assert places(read.document) == places(known)
    assert all(node.span.file is file for node in walk(read.document))


@pytest.mark.parametrize("number", few_or_many(8, 400))
def test_broken_files_tell_the_same(number: int) -> None:
    rng = random.Random(1)
    reader = Reader()
    broken = 0
    for path in rng.choices(FILES, k=number):
        text = path.read_text("utf-8")
        for _ in range(2):
            at = rng.randrange(len(text))
            end = at + rng.randrange(8)
            file = SourceFile(path.name, text[:at] + rng.choice(["", "", "x", "{", "}", '"', "\n"]) + text[end:])
            read, known = reader.read(file), parse_rules(file)
            broken += bool(known.diagnostics)
            assert told(read.problems) == told(known.diagnostics), (path.name, at, end)
            assert (read.whole is None) == (known.value is None)
            if known.value is not None:
                assert read.whole == known.value and read.document is not None
                assert places(read.document) == places(known.value)
    assert broken > 2


def test_what_can_be_read_stands_in_the_tree() -> None:
    text = (
        "part a of b\nobjective one = some [ # # ]\nobjective two = some some\nobjective three = no card: value == 1\n"
    )
    read = Reader().read(SourceFile("a.rules", text))
    assert read.document is not None and read.whole is None
    assert [d.name.name for d in read.document.declarations if isinstance(d, n.Objective)] == ["one", "three"]
    [stretch] = read.broken
    assert text[stretch.start : stretch.end] == "objective two = some some\n"


def test_declarations_inside_of_others_may_begin_lines() -> None:
    text = 'edition a of b "c"\nvariant quick {\nremove rule x.y\nremove rule x.z\n}\nzone q: bag of card\n'
    file = SourceFile("a.rules", text)
    read, known = Reader().read(file), parse_rules(file).value
    assert known is not None and read.whole == known and len(known.declarations) == 2
