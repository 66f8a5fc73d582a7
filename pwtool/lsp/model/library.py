"""The library as an editor sees it: open texts take precedence over files, and broken files have trees too."""

from __future__ import annotations

import re
from collections import OrderedDict
from pathlib import Path
from threading import RLock
from typing import Any

from msgspec import field

from pwtool.lang import tree as n
from pwtool.lang.pieces import Read, Reader, Stretch
from pwtool.rules.library import Library, read_rules
from pwtool.text import Diagnostic, Result
from pwtool.text.source import SourceFile, Span

_MAX_READ = 300
_HEAD = re.compile(r"[A-Za-z_]\w*(?:[ \t]+[A-Za-z_]\w*)*")


class Reading:
    """What was read from files, kept until they change."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._reader = Reader()
        self._reads: OrderedDict[tuple[str, str], Read] = OrderedDict()
        self._files: dict[str, tuple[tuple[int, int], SourceFile]] = {}
        self._before: dict[str, dict[str, n.Node]] = {}
        self._lenient: dict[int, tuple[Read, n.Document | None]] = {}

    def file(self, path: Path, name: str) -> SourceFile | Diagnostic:
        """A file that is not open, read again if it has changed."""
        try:
            status = path.stat()
        except (OSError, ValueError):
            return read_rules(path, name)
        stamp = status.st_mtime_ns, status.st_size
        known = self._files.get(f"{name}\0{path}")
        if known is not None and known[0] == stamp:
            return known[1]
        file = read_rules(path, name)
        if isinstance(file, SourceFile):
            self._files[f"{name}\0{path}"] = stamp, file
        return file

    def read(self, file: SourceFile) -> Read:
        """Parse as much of a text as possible."""
        with self._lock:
            key = file.name, file.text
            read = self._reads.get(key)
            if read is None:
                read = self._reads[key] = self._reader.read(file)
                if len(self._reads) > _MAX_READ:
                    gone = self._reads.popitem(last=False)[1]
                    self._lenient.pop(id(gone), None)
            else:
                self._reads.move_to_end(key)
            return read

    def tree(self, file: SourceFile) -> n.Document | None:
        """The tree of a text; declarations that cannot be parsed now keep their last readable form."""
        with self._lock:
            read = self.read(file)
            known = self._lenient.get(id(read))
            if known is None:
                known = self._lenient[id(read)] = read, self._with_stand_ins(read)
            return known[1]

    def _with_stand_ins(self, read: Read) -> n.Document | None:
        document = read.document
        if document is None:
            return None
        before = self._before.setdefault(read.file.name, {})
        for node in document.declarations:
            before[_head(node.span.text)] = node
        missing = [(s, before.get(_head(read.file.text[s.start : s.end]))) for s in read.broken]
        found = [_standing(node, read.file, stretch) for stretch, node in missing if node is not None]
        if not found:
            return document
        declared = sorted([*document.declarations, *found], key=lambda node: node.span.start)
        return n.Document(document.span, document.header, tuple(declared))


def _head(text: str) -> str:
    """The first words of a declaration: its kind and its name."""
    found = _HEAD.match(text)
    return " ".join(found.group().split()[:3]) if found else ""


def _standing(node: n.Node, file: SourceFile, stretch: Stretch) -> n.Node:
    """The last readable form of a declaration, with all its places at the first line of the current one."""
    end = file.text.find("\n", stretch.start)
    span = Span(file, stretch.start, max(stretch.start, end if 0 <= end < stretch.end else stretch.end))

    def placed(value: Any) -> Any:
        if isinstance(value, n.Node):
            return type(value)(span, *(placed(getattr(value, name)) for name in n.fields(value)))
        return tuple(map(placed, value)) if type(value) is tuple else value

    found: n.Node = placed(node)
    return found


class OpenLibrary(Library):
    """Reads open texts (its `drafts`) before files. `strict`: a file with an error has no tree, as elsewhere."""

    reading: Reading = field(default_factory=Reading)
    strict: bool = False

    def read(self, path: Path, name: str) -> SourceFile | Diagnostic:
        draft = self.drafts.get(str(path))
        return self.reading.file(path, name) if draft is None else SourceFile(name, draft)

    def parse(self, file: SourceFile) -> Result[n.Document]:
        if self.strict:
            read = self.reading.read(file)
            return Result(read.whole, read.problems)
        return Result(self.reading.tree(file))
