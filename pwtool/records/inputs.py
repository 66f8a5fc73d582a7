"""The documents that a user names: files, folders, standard input, JSON Lines archives with one game per line."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from io import BytesIO
from itertools import dropwhile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from pwtool.records.containers import (
    Lines,
    Member,
    damage_of,
    holds_files,
    inside_of,
    open_unpacked,
    opened_members,
    suffix_of,
)
from pwtool.records.importers.texts import TEXTS, games_of
from pwtool.records.json_text import decode_bytes, is_begun, load_json, packed_data
from pwtool.text import Diagnostic, Severity
from pwtool.text.addresses import is_address, is_there, listed, local_path, path_of
from pwtool.text.files import LEADS_OUT, is_folder, strays
from pwtool.text.source import SourceFile
from pwtool.text.speech import Told
from pwtool.text.store import reason_of
from pwtool.text.words import shorten

if TYPE_CHECKING:
    from pwtool.records.tables.reading import Block

MAX_FILE = 64 << 20
MAX_LINE = 16 << 20
_LINE = re.compile(r"(.+):([1-9][0-9]*)(?:\.[1-9][0-9]*)?", re.DOTALL)
STDIN = "<stdin>"
_ARCHIVE_LINE = re.compile(
    rf"({STDIN}|.+\.(?:(?:jsonl|ndjson|pgn|sgf)(?:\.(?:gz|xz|zst))?|parquet|arrows?|feather|ipc)):([1-9][0-9]*)(?:\.[1-9][0-9]*)?",
    re.DOTALL | re.I,
)
NOTATION = ".pwn"
ARCHIVES = (".jsonl", ".ndjson")
TABLES = (".parquet", ".arrow", ".arrows", ".feather", ".ipc")
"""Files with a record in each row; `pwtool.records.tables` reads them."""
RECORD_NAMES = Told("records are files that end in .json, .jsonl, .pwn, .pgn or .sgf")
SUFFIXES = (".json", *ARCHIVES, NOTATION, *TEXTS)
_UNOPENED = (
    ".zip",
    ".tar",
    ".bz2",
    ".tbz",
    ".tbz2",
    ".7z",
    ".rar",
    ".lz4",
    ".lzma",
    ".lz",
    ".br",
    ".z",
    ".cab",
    ".iso",
)
"""Files that may contain records and are not opened in a folder or an archive."""
_NAMED = 3
"""How many of the files that are left out are named."""
_HEADER = re.compile(r"\s*[A-Za-z]\w*[ \t]*:")


class Document(Struct, frozen=True):
    """One record or state file as text, or the problem with its file. `command` is its name on the command line."""

    name: str
    source: SourceFile | None
    diagnostics: tuple[Diagnostic, ...] = ()
    command: str = ""

    @property
    def is_note(self) -> bool:
        """Whether this is no document, but says which files were left out."""
        return self.source is None and all(d.level is Severity.WARNING for d in self.diagnostics)

    @property
    def is_notation(self) -> bool:
        """Whether the text is a game in notation: judging by the file's name, or on standard input by its beginning."""
        if self.name == STDIN:
            return self.source is not None and _HEADER.match(self.source.text) is not None
        return suffix_of(self.name) == NOTATION

    @property
    def foreign(self) -> str | None:
        """The suffix of another program's format; None for our own formats."""
        return foreign_suffix(self.name)


class Text(Struct, frozen=True):
    """A document before it is decoded: `data` begins in line `line` of `file`."""

    name: str
    file: str
    data: bytes
    line: int = 1
    limit: int = MAX_FILE
    command: str = ""

    @property
    def is_note(self) -> bool:
        """False: a text is a document (see `Document.is_note`)."""
        return False

    def document(self) -> Document:
        """The document, or the problem with its bytes."""
        result = decode_bytes(self.data, self.file, self.limit, self.line)
        problems = tuple(replace(d, file=self.name) if d.span is None else d for d in result.diagnostics)
        return Document(self.name, result.value, problems, self.command)


def foreign_suffix(name: str) -> str | None:
    """The format of another program, judging by the name of a document."""
    file, _ = split_line(name)
    return suffix_of(file) if is_foreign(file) else None


def is_foreign(file: str) -> bool:
    """Whether a file is in the format of another program, judging by its name."""
    return suffix_of(file) in TEXTS


def split_line(name: str) -> tuple[str, int | None]:
    """The file at the beginning of a document's name, and the line in which its game begins if the file has several. Of
    several games in one line, the name of the second ends in `.2`.
    """
    found = _ARCHIVE_LINE.fullmatch(name) if not is_address(name) else _LINE.fullmatch(name)
    if found is None or (is_address(name) and not holds_many(found[1])):
        return name, None
    return found[1], int(found[2])


def holds_many(name: str) -> bool:
    """Whether a file has, or may have, a record in each line or row, judging by its name."""
    return is_table(name) or suffix_of(name) in (*ARCHIVES, *TEXTS)


def names_record(name: str) -> bool:
    """Whether a file contains records, judging by its name; compressed or not, one or several."""
    return suffix_of(name) in SUFFIXES or holds_files(name) or is_table(name)


def is_table(name: str) -> bool:
    """Whether a file is a table with a record in each row, judging by its name."""
    return Path(path_of(name)).suffix.lower() in TABLES


def has_groups(name: str) -> bool:
    """Whether a table has row groups that can be read separately."""
    return Path(path_of(name)).suffix.lower() == ".parquet"


def begins_with_a_file(name: str) -> bool:
    """Whether the file at the beginning of a document's name exists."""
    file, _ = split_line(name)
    inside = inside_of(file)
    return is_there(file) or (inside is not None and is_there(inside[0]))


def find_paths(arguments: list[str]) -> tuple[list[str], list[Diagnostic]]:
    """The files for the arguments: folders are searched for records, including compressed files and archives of files.
    A link in a folder that points outside it is not followed. URLs may be those of folders, and patterns.
    """
    found: list[str] = []
    problems: list[Diagnostic] = []
    for argument in map(local_path, arguments):
        linked: list[Diagnostic] = []
        if is_address(argument):
            listing = listed(argument)
            if isinstance(listing, Diagnostic):
                problems.append(listing)
                continue
            if listing is None:
                found.append(argument)
                continue
            inside = [name for name in listing.addresses if not listing.is_folder or names_record(name)]
            others = LeftOut(argument)
            for name in listing.addresses if listing.is_folder else ():
                if (
                    not names_record(name)
                    and (unopened := others.add(name.removeprefix(argument).lstrip("/"), name)) is not None
                ):
                    linked.append(unopened)
            linked += [note] if inside and (note := others.note()) is not None else []
        elif argument == "-" or not is_folder(Path(argument)):
            found.append(argument)
            continue
        else:
            inside, linked = _find_in(Path(argument))
        if not inside and not linked:
            problems.append(
                Diagnostic(
                    "PW705", Told("`{file}` contains no record", file=argument), file=argument, help=RECORD_NAMES
                )
            )
        found += inside
        problems += linked
    return found, problems


def _find_in(folder: Path) -> tuple[list[str], list[Diagnostic]]:
    """The records of a folder, and what may contain others: links that are not followed, folders and files that are not
    opened, files with other names.
    """
    found: list[str] = []
    problems: list[Diagnostic] = []
    others = LeftOut(str(folder))
    for path in sorted(folder.rglob("*")):
        linked, named, below = path.is_symlink(), names_record(path.name), is_folder(path)
        reason = strays(path, folder) if linked and (named or below) else None
        if reason is not None:
            help_line = (
                (Told("name the folder that it points to") if below else Told("name the file that it points to"))
                if reason == LEADS_OUT
                else None
            )
            problems.append(Diagnostic("PW703", reason, file=str(path), help=help_line))
        elif below:
            problems += () if linked else _closed(path)
        elif named:
            found.append(str(path))
        elif (unopened := others.add(path.relative_to(folder).as_posix(), str(path))) is not None:
            problems.append(unopened)
    problems += [note] if found and (note := others.note()) is not None else []
    return found, problems


def _closed(folder: Path) -> list[Diagnostic]:
    """The finding for a folder whose contents cannot be listed."""
    try:
        os.scandir(folder).close()
    except OSError as error:
        return [Diagnostic("PW703", Told("cannot be read: {reason}", reason=reason_of(error)), file=str(folder))]
    return []


class LeftOut:
    """The files of a folder or an archive that are not records by their names."""

    def __init__(self, name: str) -> None:
        self.name, self.count = name, 0
        self.first: list[str] = []

    def add(self, member: str, name: str) -> Diagnostic | None:
        """Count a file; one that may contain records is a finding of its own."""
        suffix = suffix_of(member)
        if suffix in _UNOPENED:
            what = (
                Told("an archive in an archive is not opened")
                if suffix in (".zip", ".tar")
                else Told("files that end in {suffix} are not opened", suffix=f"`{suffix}`")
            )
            return Diagnostic("PW703", what, file=name, help=Told("unpack it, and name what it contains"))
        self.count += 1
        self.first += [member] if len(self.first) < _NAMED else []
        return None

    def note(self) -> Diagnostic | None:
        """The warning that names these files."""
        if not self.count:
            return None
        names = ", ".join(f"`{shorten(name, 80)}`" for name in self.first) + (", …" if self.count > _NAMED else "")
        message = Told(
            "{count} file is not read, because its name is not that of a record: {names}",
            "{count} files are not read, because their names are not those of records: {names}",
            self.count, names=names,
        )  # fmt: skip
        return Diagnostic("PW717", message, file=self.name, help=RECORD_NAMES)


def read_documents(path: str) -> Iterator[Document]:
    """The documents of one file; an archive is read line by line and never completely in memory. `archive.jsonl:17` is
    the game in its line 17.
    """
    for text in read_texts(path):
        yield text if isinstance(text, Document) else text.document()


def read_texts(path: str) -> Iterator[Text | Document]:
    """The same documents before they are decoded; unreadable ones are already documents."""
    for part in read_parts(path):
        yield from (part,) if isinstance(part, Text | Document) else part.texts()


def read_parts(path: str) -> Iterator[Text | Document | Block]:
    """The same, with packed games in blocks."""
    file, line = split_line(local_path(path))
    inside = inside_of(file)
    if inside is not None and is_there(file):
        inside = None
    if path == "-":
        yield from _standard_input()
    elif line is not None and (inside is not None or not is_table(file)):
        called = local_path(path)
        other: Text | Document | None = None
        for text in read_texts(file):
            if text.name == called:
                yield text
                return
            other = other or (text if isinstance(text, Document) else None)
        missing = Diagnostic(
            "PW705", Told("`{file}` has no game in line {line}", file=file, line=called[len(file) + 1 :]), file=called
        )
        yield other or Document(called, None, (missing,), called)
    elif inside is not None:
        yield from _members(*inside)
    elif is_table(file):
        from pwtool.records.tables.reading import read_blocks, read_row

        yield from read_blocks(file) if line is None else (read_row(file, line),)
    elif holds_files(file):
        yield from _members(file)
    else:
        yield from _file(file)


def _file(name: str) -> Iterator[Text | Document]:
    opened = open_unpacked(name)
    if isinstance(opened, Diagnostic):
        yield Document(name, None, (opened,), name)
        return
    with opened as stream:
        yield from texts_of(stream, name) if suffix_of(name) in ARCHIVES else _whole(stream, name)


def _members(file: str, wanted: str | None = None) -> Iterator[Text | Document | Block]:
    """The documents of an archive of files, and what is not read of it."""
    found, last, others = False, None, LeftOut(file)
    try:
        with opened_members(file) as members:
            if isinstance(members, Diagnostic):
                yield Document(file, None, (members,), file)
                return
            for member in members:
                if wanted not in (None, member.name):
                    continue
                is_whole = True
                if not member.name:
                    yield Document(
                        file, None, (Diagnostic("PW703", member.problem, file=file, help=member.help),), file
                    )
                elif suffix_of(member.name) in SUFFIXES or is_table(member.name):
                    found = True
                    for part in _member(member, f"{file}/{member.name}"):
                        is_whole = is_whole and not (isinstance(part, Document) and part.diagnostics)
                        yield part
                elif (unopened := others.add(member.name, f"{file}/{member.name}")) is not None:
                    found = True
                    yield Document(f"{file}/{member.name}", None, (unopened,), file)
                last = member.name if is_whole else last
    except OSError as error:
        yield Document(file, None, (Diagnostic("PW703", damage_of(error, last), file=file),), file)
        return
    if not found:
        named = (
            Told("`{file}` contains no record", file=file)
            if wanted is None
            else Told("`{file}` contains no `{name}`", file=file, name=wanted)
        )
        missing = Diagnostic("PW705", named, file=file, help=RECORD_NAMES)
        yield Document(file, None, (missing,), file)
    elif (note := others.note()) is not None:
        yield Document(file, None, (note,), file)


def _member(member: Member, name: str) -> Iterator[Text | Document | Block]:
    if member.stream is None:
        yield Document(name, None, (Diagnostic("PW703", member.problem, file=name, help=member.help),), name)
    elif is_table(member.name):
        from pwtool.records.tables.reading import blocks_of

        yield from blocks_of(member.stream, name)
    elif suffix_of(member.name) in ARCHIVES:
        yield from texts_of(member.stream, name)
    else:
        yield from _whole(member.stream, name)


def _whole(stream: BinaryIO, name: str) -> Iterator[Text | Document]:
    """The only document of a file, or the games in a file of another program with several."""
    try:
        data = stream.read(MAX_FILE + 1)
    except OSError as error:
        yield Document(name, None, (Diagnostic("PW703", damage_of(error), file=name),), name)
        return
    if isinstance(stream, Lines) and len(data) <= MAX_FILE:
        stream.found_game()
    suffix = foreign_suffix(name)
    games = games_of(data, suffix) if suffix is not None and len(data) <= MAX_FILE else []
    if len(games) < 2:
        yield Text(name, name, data, command=name)
        return
    line_before, count = 0, 1
    for line, game in games:
        count = count + 1 if line == line_before else 1
        line_before = line
        called = f"{name}:{line}.{count}" if count > 1 else f"{name}:{line}"
        yield Text(called, name, game, line, command=called)


def _standard_input() -> Iterator[Text | Document]:
    """The documents on standard input: an archive is read line by line, anything else is one document."""
    stream = sys.stdin.buffer
    read, is_archive = _begin(stream)
    if is_archive:
        lines = _lines(_Again(read, stream), 0)
    else:
        result = decode_bytes(read, STDIN, MAX_FILE)
        yield Document(STDIN, result.value, result.diagnostics, "-")
        if len(read) <= MAX_FILE:
            return
        # No document continues here, but games may follow.
        lines = dropwhile(lambda line: not _is_record(line[0]), _lines(stream, read.count(b"\n")))
    for line, number in lines:
        yield Text(f"{STDIN}:{number}", STDIN, line, number, MAX_LINE, "-")


def _begin(stream: BinaryIO) -> tuple[bytes, bool]:
    """Read enough of a stream to tell whether it is an archive. In an archive, a line is a complete record and cannot
    be part of one document with the lines before it.
    """
    read = bytearray()
    first = b""
    lines = records = 0
    while len(read) <= MAX_FILE and (line := stream.readline(MAX_FILE + 1 - len(read))):
        read += line
        if not line.strip():
            continue
        lines += 1
        first = first or line
        if lines == 2 and _is_object(first) and line.lstrip().startswith(b"{"):
            return bytes(read), True
        if _is_record(line):
            records += 1
            # Only twice: parsing everything again at each record would take long, and two records in a list have a
            # comma between them.
            if lines > 1 and records <= 2 and not _goes_on(read):
                return bytes(read), True
    return bytes(read), lines > 1 and records > 0 and not _is_json(read)


class _Again:
    """What was already read of a stream, followed by the rest of it."""

    def __init__(self, read: bytes, stream: BinaryIO) -> None:
        self._read, self._stream = BytesIO(read), stream

    def readline(self, limit: int) -> bytes:
        line = self._read.readline(limit)
        if line.endswith(b"\n") or len(line) == limit:
            return line
        return line + self._stream.readline(limit - len(line))


def _is_object(line: bytes) -> bool:
    """Whether a line contains a complete object: one game per line."""
    text = line.removeprefix(b"\xef\xbb\xbf").strip()
    return text.startswith(b"{") and text.endswith(b"}")


def _is_record(line: bytes) -> bool:
    """Whether a line is a record or a position of its own, valid or not: an object that names a format."""
    if not _is_object(line) or b'"format"' not in line:
        return False
    text = decode_bytes(line, STDIN).value
    found = None if text is None else load_json(text).value
    return isinstance(found, dict) and "format" in found


def _goes_on(read: bytearray) -> bool:
    """Whether a text can be the beginning of one JSON text."""
    text = decode_bytes(bytes(read), STDIN).value
    return text is not None and is_begun(text)


def _is_json(read: bytearray) -> bool:
    text = decode_bytes(bytes(read), STDIN).value
    return text is not None and load_json(text).value is not None


def _next_line(stream: BinaryIO | _Again, number: int) -> tuple[bytes, int]:
    """The next line that is not blank, with its number; empty at the end. The rest of a line that is too long is
    skipped.
    """
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        rest, blank = line, not line.strip()
        while len(rest) > MAX_LINE and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_LINE + 1)
            blank = blank and not rest.strip()
        if not blank:
            return line, number
    return b"", number


def _lines(stream: BinaryIO | _Again, number: int) -> Iterator[tuple[bytes, int]]:
    while True:
        line, number = _next_line(stream, number)
        if not line:
            return
        yield line, number


def texts_of(stream: BinaryIO, file: str, before: int = 0) -> Iterator[Text | Document]:
    """The games of an archive of lines, or of its rest after this many lines."""
    empty = not before
    number = before
    try:
        for line, number in _lines(stream, before):
            packed = packed_data(line, file) if number == 1 else None
            if packed is not None:
                # None of its lines is a game.
                yield Document(file, None, (packed,), file)
                return
            empty = False
            if isinstance(stream, Lines) and len(line) <= MAX_LINE:
                stream.found_game()
            name = f"{file}:{number}"
            yield Text(name, file, line, number, MAX_LINE, name)
    except OSError as error:
        yield Document(file, None, (Diagnostic("PW703", damage_of(error, line=number), file=file),), file)
        return
    if empty:
        found = Diagnostic("PW705", Told("`{file}` is empty", file=file), file=file)
        yield Document(file, None, (found,), file)
