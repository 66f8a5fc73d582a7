"""The open documents and what is known about them: the interface of the model to the server.

Everything is looked up by the path of a document. Results are kept until the texts they depend on change; analyses may
be requested from several threads.
"""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from threading import RLock

from pwtool.ir import nodes as ir
from pwtool.ir.model import Ruleset
from pwtool.lsp.model.analysis import Analysis, analyze
from pwtool.lsp.model.library import OpenLibrary, Reading
from pwtool.lsp.model.names import Known, Occurrence, find_names, known_of, with_types
from pwtool.lsp.model.text import Text, plain_lines
from pwtool.rules.library import Library
from pwtool.rules.targets import SUFFIX
from pwtool.text.source import SourceFile

_MAX_KEPT = 40
_MAX_FAMILY = 200
_MAX_LOOKED = 20_000
_HEADER = re.compile(r"^(?:game\s+(\w+)|(?:edition|variant|part)\s+\w+\s+of\s+(\w+))", re.MULTILINE)


def files_below(folder: Path, *endings: str) -> Iterator[Path]:
    """The files of an open folder with these suffixes, except those in hidden folders and installed packages; not all
    files of a very large one.
    """
    looked = 0
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        looked += 1 + len(files)
        if looked > _MAX_LOOKED:
            return
        yield from (Path(place, name) for name in sorted(files) if name.endswith(endings))


def game_of(text: str) -> str:
    """The game that a rules file belongs to."""
    found = _HEADER.search(text)
    return (found[1] or found[2]) if found else ""


class Workspace:
    """`folders` are those open in the editor, `rulesets` the folder with the games (None: those of the program)."""

    def __init__(self, folders: Iterable[Path] = (), rulesets: Path | None = None, cache: Path | None = None) -> None:
        self.folders = [folder.resolve() for folder in folders]
        self.encoding = "utf-16"
        self.rulesets = (rulesets or Library().folder).resolve()
        self.cache = cache
        self._texts: dict[Path, Text] = {}
        self._reading = Reading()
        self._lock = RLock()
        self._analyses: OrderedDict[Path, Analysis] = OrderedDict()
        self._usable: dict[Path, Ruleset] = {}
        self._names: dict[Path, tuple[Analysis, Known, list[Occurrence]]] = {}

    # ---- documents

    def open(self, path: Path, text: str) -> None:
        """A document was opened: from now on its text counts instead of the file's."""
        self._texts[path] = Text(str(path), plain_lines(text.removeprefix("\ufeff")), self.encoding)

    def change(self, path: Path, text: Text) -> None:
        """The text of a document has changed."""
        self._texts[path] = text

    def close(self, path: Path) -> None:
        """A document was closed: the file counts again."""
        self._texts.pop(path, None)

    @property
    def open_paths(self) -> list[Path]:
        """The open documents, the most recently opened one last."""
        return list(self._texts)

    def text(self, path: Path) -> Text | None:
        """The text of a document, or of a file that is not open; None if there is none."""
        open_text = self._texts.get(path)
        if open_text is not None:
            return open_text
        file = self.library().read(path, str(path))
        return Text(file.name, file.text, self.encoding) if isinstance(file, SourceFile) else None

    def is_open(self, path: Path) -> bool:
        """Whether a document is open in the editor."""
        return path in self._texts

    # ---- rulesets

    def library(self, strict: bool = False, without: Path | None = None) -> OpenLibrary:
        """A library in which open texts (`without` that of one file) replace files, for a single use."""
        drafts = {str(path): text.text for path, text in list(self._texts.items()) if path != without}
        return OpenLibrary(self.rulesets, self.cache, drafts=drafts, reading=self._reading, strict=strict)

    def analysis(self, path: Path) -> Analysis:
        """The analysis of a rules file as it stands now."""
        with self._lock:
            known = self._analyses.get(path)
            if known is not None and self.fresh(known):
                self._analyses.move_to_end(path)
                return known
            before = self._usable.get(path)
            found = analyze(path, self.library(), None if before is None else before.merged)
            if found.ruleset is None and before is None and path in self._texts:
                # A text that has had no meaning since it was opened: what the file means.
                before = analyze(path, self.library(without=path)).usable
                if before is not None:
                    self._usable[path] = before
                    found = analyze(path, self.library(), before.merged)
            self._analyses[path] = found
            if found.usable is not None:
                self._usable[path] = found.usable
            if len(self._analyses) > _MAX_KEPT:
                gone, _ = self._analyses.popitem(last=False)
                self._names.pop(gone, None)
                self._usable.pop(gone, None)
            return found

    def latest(self, path: Path) -> Analysis:
        """The latest analysis of a rules file, possibly of an earlier text, for callers that cannot wait."""
        known = self._analyses.get(path)
        return self.analysis(path) if known is None else known

    def fresh(self, analysis: Analysis) -> bool:
        """Whether an analysis is of the current texts."""
        for path, file in analysis.files.items():
            text = self._texts.get(path)
            now = text.text if text is not None else self._read(path, file.name)
            if now != file.text:
                return False
        return True

    def _read(self, path: Path, name: str) -> str:
        file = self._reading.file(path, name)
        return file.text if isinstance(file, SourceFile) else ""

    def ruleset(self, path: Path) -> Ruleset | None:
        """The ruleset of a file; if it has errors, without the declarations in which they are, or with what these meant
        before; otherwise the last one.
        """
        return self.latest(path).usable or self._usable.get(path)

    def dependents(self, path: Path) -> list[Path]:
        """The other open documents that may be affected by a change of this one: rulesets that are based on it or could be, and records."""
        others = [p for p in self.open_paths if p != path]
        if path.suffix != SUFFIX:
            return []
        return [p for p in others if p.suffix != SUFFIX or p.parent == path.parent or path in self.latest(p).files]

    # ---- names

    def names(self, path: Path) -> list[Occurrence]:
        """All names in a rules file that mean something, in the order of the text."""
        return self._named(path)[2]

    def known(self, analysis: Analysis) -> Known:
        """The declarations of a ruleset."""
        kept = self._names.get(analysis.path)
        return kept[1] if kept is not None and kept[0] is analysis else known_of(analysis.merged)

    def _named(self, path: Path) -> tuple[Analysis, Known, list[Occurrence]]:
        with self._lock:
            analysis = self.analysis(path)
            kept = self._names.get(path)
            if kept is not None and kept[0] is analysis:
                return kept
            known = known_of(analysis.merged)
            document = analysis.document
            found = [] if document is None else find_names(document, known)
            components = {
                checked.node.span.end - len(checked.expr.name): checked.expr.component
                for checked in analysis.seen.in_file(analysis.file.name)
                if isinstance(checked.expr, ir.Attribute)
            }
            kept = self._names[path] = analysis, known, with_types(found, components)
            return kept

    def name_at(self, path: Path, offset: int) -> Occurrence | None:
        """The name around a place."""
        return next((o for o in self.names(path) if o.span.start <= offset <= o.span.end), None)

    def family(self, path: Path) -> list[Path]:
        """All rules files of the game that a file belongs to: those of its folder, of the game's folder, and open ones."""
        analysis = self.analysis(path)
        game = game_of(analysis.file.text)
        folders = {p.parent for p in analysis.files}
        found = dict.fromkeys([path, *analysis.files])
        for folder in sorted(folders):
            found |= dict.fromkeys(sorted(folder.glob(f"*{SUFFIX}"))[:_MAX_FAMILY])
        found |= dict.fromkeys(p for p in self.open_paths if p.suffix == SUFFIX)
        for folder in self.folders:
            if len(found) < _MAX_FAMILY:
                found |= dict.fromkeys(islice(files_below(folder, SUFFIX), _MAX_FAMILY - len(found)))
        texts = ((p, self.text(p)) for p in found)
        return [p for p, text in texts if text is not None and game_of(text.text) == game]

    def may_write(self, path: Path) -> bool:
        """Whether the editor may change a document: an open one, or a file of an open folder, but never the program's own files."""
        own = Library().folder.resolve()
        if path.is_relative_to(own) and not any(own.is_relative_to(f) or f.is_relative_to(own) for f in self.folders):
            return False
        return self.is_open(path) or any(path.is_relative_to(folder) for folder in self.folders)
