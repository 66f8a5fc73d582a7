"""The documents that a user names: files, folders, standard input, JSON Lines archives with one game a line."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pwtool.records.json_text import decode_bytes, read_bytes
from pwtool.text import Diagnostic
from pwtool.text.source import SourceFile

MAX_FILE = 64 << 20
MAX_LINE = 16 << 20
_ARCHIVE_LINE = re.compile(r"(.+\.jsonl):([1-9][0-9]*)")
NOTATION = ".pwn"
SUFFIXES = (".json", ".jsonl", NOTATION)
_HEADER = re.compile(r"\s*[A-Za-z]\w*[ \t]*:")


@dataclass(frozen=True, slots=True)
class Document:
    """One record or state as text, or what is wrong with its file. `command` is how the command line names it."""

    name: str
    source: SourceFile | None
    diagnostics: tuple[Diagnostic, ...] = ()
    command: str = ""

    @property
    def is_notation(self) -> bool:
        """Whether the text is a game in notation: by the file's name, on standard input by how it begins."""
        if self.command == "-":
            return self.source is not None and _HEADER.match(self.source.text) is not None
        return self.name.endswith(NOTATION)


@dataclass(frozen=True, slots=True)
class Text:
    """A document before it is decoded: `data` begins in line `line` of `file`."""

    name: str
    file: str
    data: bytes
    line: int = 1
    limit: int = MAX_FILE
    command: str = ""

    def document(self) -> Document:
        """The document, or what is wrong with its bytes."""
        result = decode_bytes(self.data, self.file, self.limit, self.line)
        return Document(self.name, result.value, result.diagnostics, self.command)


def find_paths(arguments: list[str]) -> tuple[list[str], list[Diagnostic]]:
    """The files that the arguments stand for: folders are searched for `.json`, `.jsonl` and `.pwn` files."""
    found: list[str] = []
    problems: list[Diagnostic] = []
    for argument in arguments:
        if argument == "-":
            found.append(argument)
            continue
        path = Path(argument)
        try:
            is_folder = path.is_dir()
        except (OSError, ValueError):
            is_folder = False
        if is_folder:
            inside = sorted(str(p) for p in path.rglob("*") if p.suffix in SUFFIXES and p.is_file())
            if not inside:
                help_line = "records are files that end in .json, .jsonl or .pwn"
                problems.append(Diagnostic("PW705", f"`{argument}` holds no record", file=argument, help=help_line))
            found += inside
        else:
            found.append(argument)
    return found, problems


def read_documents(path: str) -> Iterator[Document]:
    """The documents of one file; an archive is read line by line and never held whole. `archive.jsonl:17` is the game in its line 17."""
    for text in read_texts(path):
        yield text if isinstance(text, Document) else text.document()


def read_texts(path: str) -> Iterator[Text | Document]:
    """The same before they are decoded; what cannot be read is a document already."""
    line = _ARCHIVE_LINE.fullmatch(path)
    if path == "-":
        yield from _standard_input()
    elif line:
        wanted = [text for text in _archive(Path(line.group(1))) if isinstance(text, Document) or text.name == path]
        missing = Diagnostic("PW705", f"`{line.group(1)}` has no game in line {line.group(2)}", file=path)
        yield from wanted[:1] or [Document(path, None, (missing,), path)]
    elif path.endswith(".jsonl"):
        yield from _archive(Path(path))
    else:
        result = read_bytes(Path(path), limit=MAX_FILE)
        if result.value is None:
            yield Document(path, None, result.diagnostics, path)
        else:
            yield Text(path, path, result.value, command=path)


def _standard_input() -> Iterator[Text | Document]:
    name = "<stdin>"
    data = sys.stdin.buffer.read(MAX_FILE + 1)
    result = decode_bytes(data, name, MAX_FILE)
    if result.value is None or not _is_archive(result.value.text):
        yield Document(name, result.value, result.diagnostics, "-")
        return
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            yield Text(f"{name}:{number}", name, line, number, MAX_LINE, "-")


def _is_archive(text: str) -> bool:
    """Several lines, each an object of its own: one game a line."""
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) > 1 and all(line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in lines)


def _archive(path: Path) -> Iterator[Text | Document]:
    try:
        with path.open("rb") as stream:
            number = 0
            while line := stream.readline(MAX_LINE + 1):
                number += 1
                if not line.strip():
                    continue
                name = f"{path}:{number}"
                yield Text(name, str(path), line, number, MAX_LINE, name)
                if len(line) > MAX_LINE:
                    return
            if number == 0:
                yield Document(
                    str(path), None, (Diagnostic("PW705", "the archive is empty", file=str(path)),), str(path)
                )
    except OSError as error:
        reason = (error.strerror or "it cannot be opened").lower()
        yield Document(
            str(path), None, (Diagnostic("PW703", f"cannot read `{path}`: {reason}", file=str(path)),), str(path)
        )
