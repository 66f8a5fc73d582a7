"""The rulesets that a designer names: addresses, rules files, folders of rules files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pwtool.lang import tree as n
from pwtool.rules.library import Layer, Library, shown_name
from pwtool.text import Diagnostic
from pwtool.text.files import LEADS_OUT, is_folder, strays
from pwtool.text.source import SourceFile

SUFFIX = ".rules"
_WORD = re.compile(r"\w+")
_HEADER = re.compile(r"(?:\s|#.*)*(?:game\s+\w+|(?:edition|variant|part)\s+\w+\s+of\s+([\w/+]+))")


@dataclass(frozen=True, slots=True)
class Target:
    """A ruleset to examine. `name` is its name in the output; `path` its own file (None for an address of the
    library); `part` is the included file if only that was named.
    """

    name: str
    address: str
    path: Path | None = None
    part: Path | None = None

    def folder(self, library: Library) -> Path:
        """The folder of the ruleset's files."""
        if self.path is not None:
            return self.path.parent
        game = self.address.partition("+")[0].partition("/")[0]
        return library.home(game)


def find_targets(arguments: list[str], library: Library) -> tuple[list[Target], list[Diagnostic]]:
    """The rulesets for the arguments. A folder stands for all its rules files; files that others include are examined
    with them.
    """
    found: list[Target] = []
    problems: list[Diagnostic] = []
    games = library.games()
    for argument in arguments:
        path = Path(argument.partition(f"{SUFFIX}+")[0] + (SUFFIX if f"{SUFFIX}+" in argument else ""))
        if is_folder(path) and argument not in games:
            inside, linked = rules_files(path)
            targets = [t for p in inside if (t := _of_file(str(p), p, library)).part is None or t.path is None]
            problems += linked
            if not targets and not linked:
                help_line = "rulesets are files that end in {suffix}"
                problems.append(
                    Diagnostic.of("PW705", "`{argument}` contains no rules file", file=argument, help=help_line, suffix=SUFFIX, argument=argument)
                )  # fmt: skip
            found += targets
        elif argument.endswith(SUFFIX):
            found.append(_of_file(argument, path, library))
        else:
            found.append(Target(argument, argument, path if f"{SUFFIX}+" in argument else None))
    return list(dict.fromkeys(found)), problems


def rules_files(folder: Path) -> tuple[list[Path], list[Diagnostic]]:
    """The rules files of a folder and those below it; a link that points outside it is not followed."""
    found: list[Path] = []
    problems: list[Diagnostic] = []
    for path in sorted(folder.rglob(f"*{SUFFIX}")):
        reason = strays(path, folder) if path.is_symlink() else None
        if reason is not None:
            help_line = "name the file that it points to" if reason == LEADS_OUT else None
            problems.append(Diagnostic.of("PW104", "cannot read `{path}`: {reason}", file=str(path), help=help_line, path=path, reason=reason))  # fmt: skip
        elif path.is_file():
            found.append(path)
    return found, problems


def _of_file(name: str, path: Path, library: Library) -> Target:
    document = read_document(path, library)
    if document is None or document.header.kind != "part":
        return Target(name, str(path), path)
    for other in sorted(path.parent.glob(f"*{SUFFIX}")):
        if other == path or strays(other, path.parent) is not None:
            continue
        user = read_document(other, library)
        if user is not None and path.stem in {d.name.name for d in user.declarations if isinstance(d, n.Include)}:
            return Target(name, str(other), other, path)
    return Target(name, str(path), None, path)


def read_document(path: Path, library: Library) -> n.Document | None:
    """The tree of a rules file, None if it cannot be read or parsed (loading its ruleset reports why)."""
    file = library.read(path, shown_name(path))
    return library.parse(file).value if isinstance(file, SourceFile) else None


def _builds_on(base: n.Header, text: str) -> bool:
    """Whether a file that cannot be parsed may be an overlay on a ruleset."""
    header = _HEADER.match(text)
    if header is None:
        return True
    address = header[1] or ""
    return base.name.name in (_WORD.findall(address)[:1] if base.kind == "game" else _WORD.findall(address)[1:])


@dataclass(frozen=True, slots=True)
class Family:
    """All rules files of a folder: an overlay may use what its base only declares. `words` are those of the overlays that
    cannot be parsed: any of them may be a use. None if a file cannot even be read.
    """

    documents: list[n.Document]
    words: frozenset[str] | None


def read_family(folder: Path, library: Library, base: n.Header) -> Family:
    """The rules files of a folder that may use what a ruleset with this header declares."""
    documents: list[n.Document] = []
    words: set[str] | None = set()
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        file = library.read(path, shown_name(path))
        document = library.parse(file).value if isinstance(file, SourceFile) else None
        if document is not None:
            documents.append(document)
        elif isinstance(file, SourceFile):
            words = words if words is None or not _builds_on(base, file.text) else words | set(_WORD.findall(file.text))
        else:
            words = None
    return Family(documents, None if words is None else frozenset(words))


def own_documents(layers: list[Layer], target: Target) -> list[n.Document]:
    """The documents of a target: its own file with its includes, or the one part that was named."""
    last = layers[-1].name
    own: list[n.Document] = []
    for layer in reversed(layers):
        if layer.name != last:
            break
        own.append(layer.document)
    if target.part is not None:
        name = target.part.name
        own = [d for d in own if d.header.kind == "part" and Path(d.header.span.file.name).name == name]
    return own[::-1]
