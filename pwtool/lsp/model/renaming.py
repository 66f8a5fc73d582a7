"""Where a name is declared and used in all layers of a game, and the edits that rename it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from logging import LogRecord
from pathlib import Path

from pwtool.lang import tree as n
from pwtool.lang.parser import keywords
from pwtool.lsp.model.names import WORDS, Occurrence, Symbol
from pwtool.lsp.model.workspace import Workspace, files_below, game_of
from pwtool.records.file_names import NOTATION
from pwtool.rules.targets import SUFFIX
from pwtool.text.source import Span
from pwtool.text.speech import Listed, Told

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RECORDS = (NOTATION, ".json")
_RULESET = re.compile(r'\bruleset"?\s*:\s*"?([^"\n]+)')
_RECORDED = frozenset("action consequence zone objective token var component value param score setup ending".split())
"""Kinds of names that occur in records."""
_LAYERS = ("game", "edition", "variant", "part")


class Refused(Exception):
    """A name cannot be changed like this, and why."""

    def __init__(self, reason: Told) -> None:
        super().__init__(reason)
        self.reason = reason


def is_crash(record: LogRecord) -> bool:
    """Whether a message for the log is about a mistake of the program: an editor that is refused something is told so."""
    error = record.exc_info[1] if record.exc_info else None
    return not (error is not None and isinstance(error.__cause__, Refused))


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file."""

    path: Path
    span: Span
    declares: bool = False


def definition(workspace: Workspace, path: Path, offset: int) -> list[Place]:
    """The declarations of the name at a place: in the layer that adds it, and in those that change it. For an address
    or the name of a part, the files that it refers to.
    """
    files = _named_files(workspace, path, offset)
    if files:
        return files
    found = workspace.name_at(path, offset)
    if found is None:
        return []
    return [p for p in _of_layers(workspace, path, found.symbol) if p.declares]


def _named_files(workspace: Workspace, path: Path, offset: int) -> list[Place]:
    analysis = workspace.analysis(path)
    document = analysis.read.document
    if document is None:
        return []
    header = document.header
    if header.base is not None and header.span.start <= offset <= header.span.end and offset > header.name.span.end:
        names = re.findall(r"\w+", header.base)
        wanted = names[-1] if len(names) > 1 else "game"
        bases = [p for p in analysis.files if p != path and p.stem == wanted]
        return [Place(p, Span(analysis.files[p], 0, 0), True) for p in bases[:1]]
    for node in document.declarations:
        if isinstance(node, n.Include) and node.span.start <= offset <= node.span.end:
            part = path.parent / f"{node.name.name}.rules"
            if part in analysis.files:
                return [Place(part, Span(analysis.files[part], 0, 0), True)]
    return []


def references(workspace: Workspace, path: Path, offset: int) -> list[Place]:
    """All places where the name at a place is written with the same meaning, in every file of its game."""
    found = workspace.name_at(path, offset)
    return [] if found is None else list(_everywhere(workspace, path, found.symbol))


def _of_layers(workspace: Workspace, path: Path, symbol: Symbol) -> list[Place]:
    """The places in the files that a file's ruleset consists of."""
    places = []
    for other in workspace.analysis(path).files:
        for occurrence in _names_in(workspace, path, other):
            if occurrence.symbol.key == symbol.key:
                places.append(Place(other, occurrence.span, occurrence.declares))
    return places


def _names_in(workspace: Workspace, path: Path, other: Path) -> list[Occurrence]:
    return workspace.names(other if other != path else path)


def _everywhere(workspace: Workspace, path: Path, symbol: Symbol) -> Iterator[Place]:
    if symbol.within is not None:
        yield from (p for p in _of_layers(workspace, path, symbol) if p.path == path)
        return
    home = _declarer(workspace, path, symbol)
    for other in _mentioning(workspace, path, symbol):
        if _declarer(workspace, other, symbol) != home:
            # Two editions may each declare a name of their own that is equal.
            continue
        for occurrence in workspace.names(other):
            if occurrence.symbol.key == symbol.key:
                yield Place(other, occurrence.span, occurrence.declares)


def _mentioning(workspace: Workspace, path: Path, symbol: Symbol) -> list[Path]:
    """The rules files of a game in which the word of a name stands: only they have to be understood."""
    word = re.compile(rf"\b{re.escape(symbol.short)}\b")
    texts = ((other, workspace.text(other)) for other in workspace.family(path))
    return [other for other, text in texts if text is not None and word.search(text.text)]


def _declarer(workspace: Workspace, path: Path, symbol: Symbol) -> Path | None:
    """The file that declares a name, among those that a file's ruleset consists of."""
    for other in workspace.analysis(path).files:
        if any(o.declares and o.symbol.key == symbol.key for o in workspace.names(other)):
            return other
    return None


def prepare_rename(workspace: Workspace, path: Path, offset: int) -> Occurrence:
    """The name at a place if it can be renamed; raises `Refused` if not."""
    found = workspace.name_at(path, offset)
    if found is None:
        raise Refused(Told("no name of the rules stands here"))
    symbol = found.symbol
    if symbol.kind in _LAYERS:
        raise Refused(Told("a ruleset is called as its file is: rename the file"))
    if symbol.kind == "value" and _is_code(workspace, path, symbol):
        raise Refused(
            Told("`{name}` is part of the codes of things; give it a code of its own first", name=symbol.short)
        )
    items = workspace.analysis(path).merged.items
    node = items.get(("component", symbol.name))
    if symbol.kind == "component" and isinstance(node, n.Component) and not (node.attributes or node.code):
        raise Refused(
            Told("`{name}` is part of the codes of things; give it a code of its own first", name=symbol.short)
        )
    if symbol.kind == "attribute" and any(_deals_by(step, symbol.short) for step in items.values()):
        raise Refused(Told("a supply deals by `{name}`: the attribute keeps its name", name=symbol.short))
    return found


def _deals_by(node: n.Node, attribute: str) -> bool:
    """Whether a step of the setup deals by an attribute without naming it, as a supply does."""
    return isinstance(node, n.SetupStep) and node.manner == attribute and attribute not in node.span.text


def _is_code(workspace: Workspace, path: Path, symbol: Symbol) -> bool:
    for node in workspace.analysis(path).merged.items.values():
        if isinstance(node, n.Component):
            for attribute in node.attributes:
                for member in attribute.members:
                    if f"{node.name.name}.{attribute.name.name}.{member.name}" == symbol.name:
                        return member.code == member.name and not node.choice
    return False


def rename(workspace: Workspace, path: Path, offset: int, new: str) -> dict[Path, list[Span]]:
    """The edits by file that rename it; raises `Refused` if that would break something."""
    symbol = prepare_rename(workspace, path, offset).symbol
    if not _NAME.fullmatch(new):
        raise Refused(Told("names have letters from a to z, digits and `_`, and begin with no digit"))
    if new in keywords():
        raise Refused(Told("`{name}` is a word of the language", name=new))
    if new in WORDS:
        raise Refused(Told("`{name}` has a meaning in every ruleset", name=new))
    if new == symbol.short:
        return {}
    places = list(_everywhere(workspace, path, symbol))
    strange = sorted({p.path.name for p in places if not workspace.may_write(p.path)})
    if strange:
        raise Refused(
            Told(
                "`{name}` is also named in files that are not yours to change: {files}",
                name=symbol.short,
                files=Listed(strange),
            )
        )
    broken = sorted({p.name for p in _mentioning(workspace, path, symbol) if workspace.analysis(p).read.broken})
    if broken:
        raise Refused(
            Told(
                "`{name}` stands in files that cannot be read, first fix them: {files}",
                name=symbol.short,
                files=Listed(broken),
            )
        )
    for other in _beside(workspace, path, symbol, new):
        declared = _declaration(workspace, other, symbol.within) if symbol.within is not None else None
        for known in workspace.names(other):
            if known.symbol.short != new or not _clashes(symbol, known.symbol):
                continue
            apart = symbol.within is not None and known.symbol.within is not None
            if apart and (other != path or _declaration(workspace, other, known.symbol.within) is not declared):
                # A local name of another declaration.
                continue
            raise Refused(
                Told(
                    "`{name}` is there already: {kind} in {place}",
                    name=new,
                    kind=Told(known.symbol.kind),
                    place=f"{other.name}:{known.span.line}",
                )
            )
    found: dict[Path, list[Span]] = {}
    for place in places:
        found.setdefault(place.path, []).append(place.span)
    return found


def _beside(workspace: Workspace, path: Path, symbol: Symbol, new: str) -> list[Path]:
    """The files in which a new name could mean something else already: those of every ruleset that has the renamed thing,
    whether they name it or not, as far as the word stands in them.
    """
    word = re.compile(rf"\b{re.escape(new)}\b")
    texts = ((other, workspace.text(other)) for other in workspace.family(path))
    having = {other for other, text in texts if text is not None and word.search(text.text)}
    if not having:
        return []
    if symbol.within is not None:
        return [other for other in workspace.analysis(path).files if other in having]
    home = _declarer(workspace, path, symbol)
    rulesets = (workspace.analysis(other).files for other in workspace.family(path))
    return [
        other for other in dict.fromkeys(f for files in rulesets if home in files for f in files) if other in having
    ]


def _declaration(workspace: Workspace, path: Path, at: Span | None) -> n.Node | None:
    """The declaration around a place."""
    document = workspace.analysis(path).document
    if document is None or at is None:
        return None
    around = (node for node in document.declarations if node.span.start <= at.start < node.span.end)
    return next(around, None)


def naming_records(workspace: Workspace, path: Path, offset: int) -> list[Path]:
    """The recorded games of the open folders that may use the name at a place; `.pwn` files are judged by their beginning."""
    found = workspace.name_at(path, offset)
    if found is None or found.symbol.kind not in _RECORDED:
        return []
    name, files = found.symbol.short, workspace.family(path)
    addresses = {game_of(workspace.analysis(path).file.text), *(file.stem for file in files)}
    candidates = (p for folder in workspace.folders for p in files_below(folder, *_RECORDS))
    return [record for record in dict.fromkeys(candidates) if _names_so(workspace, record, name, addresses)]


def _names_so(workspace: Workspace, record: Path, name: str, addresses: set[str]) -> bool:
    text = workspace.text(record)
    ruleset = _RULESET.search(text.text) if text is not None else None
    if text is None or ruleset is None or _address(ruleset[1].strip()) not in addresses:
        return False
    if record.suffix != NOTATION:
        return f'"{name}"' in text.text
    return any(name.startswith(word) for word in _NAME.findall(text.text))


def _address(written: str) -> str:
    """What identifies whose ruleset a record names: the game, or the file."""
    base = written.partition("+")[0]
    return Path(base).stem if base.endswith(SUFFIX) else base.partition("/")[0]


# These share a namespace: one name has one meaning in it.
_EXPRESSED = frozenset("var zone define token component attribute value local param let letter".split())


def _clashes(symbol: Symbol, other: Symbol) -> bool:
    if symbol.kind in _EXPRESSED and other.kind in _EXPRESSED:
        return True
    owner, other_owner = symbol.name.rpartition(".")[0], other.name.rpartition(".")[0]
    return symbol.kind == other.kind and owner == other_owner
