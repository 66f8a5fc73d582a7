"""What is read, checked, compiled and compared once in a run of tests: the rules files of this checkout, most of all those that are shipped.

Most tests begin with a library of their own, and half of their time, and of the time until they are found, would go into
reading the same few files. Only what depends on nothing else is kept, under everything that it was made from: the text of
a rules file, the bytes of a stored entry, the ruleset of a kernel. Whatever a test writes itself is read anew. While a test
changes the code that makes all this, nothing is kept or found: the test would not meet its own change.
"""

from __future__ import annotations

import atexit
import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from pwtool.cli import comparing
from pwtool.comparing.evidence import Evidence
from pwtool.comparing.row import Row
from pwtool.ir.model import Ruleset
from pwtool.kernel import module, run
from pwtool.kernel.module import Kernel
from pwtool.lang import cache as trees
from pwtool.lang import parser
from pwtool.lang.tree import Document
from pwtool.records.ruleset_store import Rulebook
from pwtool.rules import build, library, stored
from pwtool.rules.library import Library
from pwtool.text import Diagnostic, Result
from pwtool.text.source import SourceFile

ROOT = Path(__file__).resolve().parents[1]
MAKERS = tuple(f"pwtool.{package}." for package in ("eval", "ir", "kernel", "lang", "rules"))
"""The packages that make rulesets and kernels of rules files."""


class _Kept:
    """The texts of files that do not change while tests run, the rulesets made from them, and their kernels, by identity."""

    def __init__(self, texts: set[str]) -> None:
        self.texts = texts
        self.files: dict[tuple[str, str], SourceFile] = {}
        self.rulesets: dict[Any, Any] = {}
        self.numbers: set[int] = set()
        self.kernels: dict[tuple[int, bool], Kernel] = {}
        self.patches: set[int] = set()
        """What changes the code of the makers at the moment."""

    def file(self, read: SourceFile | Diagnostic) -> SourceFile | Diagnostic:
        """One object for each file: what is stored of a ruleset tells files apart by identity."""
        if isinstance(read, SourceFile) and read.text in self.texts and read.first_line == 1:
            return self.files.setdefault((read.name, read.text), read)
        return read

    def has(self, file: SourceFile) -> bool:
        return not self.patches and self.files.get((file.name, file.text)) is file

    def put(self, key: Any, found: Any, ruleset: Ruleset | None) -> None:
        self.rulesets[key] = found
        if ruleset is not None:
            self.numbers.add(id(ruleset))


def install() -> None:
    """Let this process read, check and compile the files of this checkout once."""
    texts = {path.read_text("utf-8-sig") for part in ("rulesets", "tests") for path in (ROOT / part).rglob("*.rules")}
    kept = _Kept(texts)
    _watch_patches(kept)
    read = library.read_rules
    library.read_rules = stored.read_rules = lambda path, name: kept.file(read(path, name))
    parser.parse_rules = _parsed_once(parser.parse_rules, kept)
    trees._load = _tree_once(trees._load, kept)
    build.load_ruleset = _checked_once(build.load_ruleset, kept)
    stored._decode = _decoded_once(stored._decode, kept)
    module.compile_kernel = _compiled_once(module.compile_kernel, kept)
    comparing._compared = _weighed_once(comparing._compared, kept)
    # Other than an editor, a run of tests comes back to many kernels. What frees them has to end before Python does.
    run._compiled = lru_cache(maxsize=64)(run._compiled.__wrapped__)
    atexit.register(run._compiled.cache_clear)


def _watch_patches(kept: _Kept) -> None:
    change, undo = pytest.MonkeyPatch.setattr, pytest.MonkeyPatch.undo

    def change_watched(patch: pytest.MonkeyPatch, target: Any, *arguments: Any, **named: Any) -> None:
        place = (
            target
            if isinstance(target, str)
            else getattr(target, "__module__", None) or getattr(target, "__name__", "")
        )
        if f"{place}.".startswith(MAKERS):
            kept.patches.add(id(patch))
        change(patch, target, *arguments, **named)

    def undo_watched(patch: pytest.MonkeyPatch) -> None:
        undo(patch)
        kept.patches.discard(id(patch))

    pytest.MonkeyPatch.setattr = change_watched  # type: ignore[method-assign, assignment]
    pytest.MonkeyPatch.undo = undo_watched  # type: ignore[method-assign]


def _parsed_once(
    parse: Callable[[SourceFile], Result[Document]], kept: _Kept
) -> Callable[[SourceFile], Result[Document]]:
    parsed: dict[int, Result[Document]] = {}

    def parse_once(file: SourceFile) -> Result[Document]:
        if not kept.has(file):
            return parse(file)
        if id(file) not in parsed:
            parsed[id(file)] = parse(file)
        return parsed[id(file)]

    return parse_once


def _tree_once(
    load: Callable[[bytes, SourceFile], Document | None], kept: _Kept
) -> Callable[[bytes, SourceFile], Document | None]:
    loaded: dict[tuple[bytes, int], Document | None] = {}

    def load_once(data: bytes, file: SourceFile) -> Document | None:
        if not kept.has(file):
            return load(data, file)
        if (data, id(file)) not in loaded:
            loaded[data, id(file)] = load(data, file)
        return loaded[data, id(file)]

    return load_once


def _checked_once(load: Callable[..., Result[Ruleset]], kept: _Kept) -> Callable[..., Result[Ruleset]]:
    def load_once(address: str, library: Library, readings: tuple[str, ...] = ()) -> Result[Ruleset]:
        layers = library.layers(address).value
        if layers is None or not all(kept.has(layer.document.header.span.file) for layer in layers):
            return load(address, library, readings)
        # Where it is stored is noted on a ruleset.
        key = (address, readings, library.cache is None, library.folder, *(id(layer.document) for layer in layers))
        if key not in kept.rulesets:
            result = load(address, library, readings)
            # The trees are kept too, so that no other gets their number.
            kept.put(key, (result, layers), result.value)
        found: Result[Ruleset] = kept.rulesets[key][0]
        return found

    return load_once


def _decoded_once(decode: Callable[..., Ruleset | None], kept: _Kept) -> Callable[..., Ruleset | None]:
    """Where the files are what they were."""

    def decode_once(data: bytes, address: str, library: Library, readings: tuple[str, ...]) -> Ruleset | None:
        key = (data, address, library.folder, readings)
        known = None if library.drafts or kept.patches else kept.rulesets.get(key)
        if known is not None and all(stored.read_rules(path, file.name) is file for path, file in known[1]):
            return known[0]  # type: ignore[no-any-return]
        found = decode(data, address, library, readings)
        if found is not None and not library.drafts:
            files = [(Path(path), stored.read_rules(Path(path), name)) for path, name, _ in json.loads(data)["files"]]
            if all(isinstance(file, SourceFile) and kept.has(file) for _, file in files):
                kept.put(key, (found, files), found)
        return found

    return decode_once


def _compiled_once(compile_kernel: Callable[..., Kernel], kept: _Kept) -> Callable[..., Kernel]:
    def compile_once(ruleset: Ruleset, greedy: bool = False, counted: bool = False) -> Kernel:
        if counted or kept.patches or id(ruleset) not in kept.numbers:
            return compile_kernel(ruleset, greedy, counted)
        key = (id(ruleset), greedy)
        if key not in kept.kernels:
            kept.kernels[key] = compile_kernel(ruleset, greedy)
        return kept.kernels[key]

    return compile_once


def _weighed_once(
    compare: Callable[[Rulebook, Rulebook, float], tuple[list[Row], Evidence]], kept: _Kept
) -> Callable[[Rulebook, Rulebook, float], tuple[list[Row], Evidence]]:
    """The rows of two rulesets, which `pwtool compare` prints in many ways."""
    weighed: dict[tuple[int, int, float], tuple[list[Row], Evidence]] = {}

    def weigh_once(first: Rulebook, second: Rulebook, effort: float) -> tuple[list[Row], Evidence]:
        pair = id(first.game.ruleset), id(second.game.ruleset)
        if not kept.numbers.issuperset(pair):
            return compare(first, second, effort)
        if (*pair, effort) not in weighed:
            weighed[*pair, effort] = compare(first, second, effort)
        rows, evidence = weighed[*pair, effort]
        return [*rows], evidence

    return weigh_once
