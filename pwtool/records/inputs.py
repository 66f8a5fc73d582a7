"""The documents that a user names: files, folders, standard input, JSON Lines archives with one game per line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from io import BufferedReader, BytesIO
from itertools import dropwhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from msgspec import Struct
from msgspec.structs import replace

from pwtool.records.containers import (
    Joined,
    Lines,
    Member,
    damage_of,
    holds_files,
    inside_of,
    open_unpacked,
    suffix_of,
)
from pwtool.records.file_contents import format_in, is_foreign, is_foreign_file
from pwtool.records.file_names import (
    ARCHIVES,
    NOTATION,
    RECORD_NAMES,
    RULES,
    STDIN,
    SUFFIXES,
    UNOPENED,
    format_of,
    is_table,
    names_record,
    split_line,
)
from pwtool.records.json_text import decode_bytes, is_begun, load_json, packed_data
from pwtool.records.left_out import LeftOut
from pwtool.text import Diagnostic, Result, Severity
from pwtool.text.addresses import is_address, is_there, listed, local_path
from pwtool.text.files import LEADS_OUT, is_folder, strays
from pwtool.text.regex import regex
from pwtool.text.source import SourceFile
from pwtool.text.speech import Told
from pwtool.text.store import reason_of

if TYPE_CHECKING:
    from pwtool.records.tables.reading import Block

MAX_FILE = 64 << 20
MAX_LINE = 16 << 20
_HEADER = regex(r"\s*[A-Za-z]\w*[ \t]*:")


class Document(Struct, frozen=True):
    """One record or state file as text, or the problem with its file. `command` is its name on the command line, `form`
    the format of another program in which it is written (None: one of ours).
    """

    name: str
    source: SourceFile | None
    diagnostics: tuple[Diagnostic, ...] = ()
    command: str = ""
    form: str | None = None

    @property
    def is_note(self) -> bool:
        """Whether this is no document, but says which files were left out."""
        return self.source is None and all(d.level is Severity.WARNING for d in self.diagnostics)

    @property
    def is_notation(self) -> bool:
        """Whether the text is a game in notation: judging by the file's name, or on standard input by its beginning."""
        if self.form is not None:
            return False
        if self.name == STDIN:
            return self.source is not None and _HEADER.match(self.source.text) is not None
        return suffix_of(self.name) == NOTATION


class Text(Struct, frozen=True):
    """A document before it is decoded: `data` begins in line `line` of `file`. Of a game in the format of another program
    perhaps its draft, which other processes make anew.
    """

    name: str
    file: str
    data: bytes
    line: int = 1
    limit: int = MAX_FILE
    command: str = ""
    form: str | None = None
    draft: Any = None  # Importing its class would take a plain check too long.

    def without_draft(self) -> Text:
        """The same as it is stored, and sent to other processes."""
        return self if self.draft is None else replace(self, draft=None)

    def __reduce__(self) -> tuple[type[Text], tuple[object, ...]]:
        return Text, (self.name, self.file, self.data, self.line, self.limit, self.command, self.form)

    @property
    def is_note(self) -> bool:
        """False: a text is a document (see `Document.is_note`)."""
        return False

    def document(self) -> Document:
        """The document, or the problem with its bytes."""
        result = self._decoded()
        problems = tuple(replace(d, file=self.name) if d.span is None else d for d in result.diagnostics)
        return Document(self.name, result.value, problems, self.command, self.form)

    def _decoded(self) -> Result[SourceFile]:
        if self.form is not None:
            from pwtool.records.importers.installed import find_format

            found = find_format(self.form)
            if found is not None and found.value is not None:
                return found.value.decoded(self.data, self.file, self.limit, self.line)
        return decode_bytes(self.data, self.file, self.limit, self.line)


def identity_of(path: str) -> str:
    """What is the same for two names of one file."""
    if is_address(path) or path == "-":
        return path
    try:
        return os.path.realpath(path)
    except ValueError:
        # No file can have such a name.
        return path


def find_paths(
    arguments: list[str], form: str | None = None, skip_foreign: bool = False
) -> tuple[list[str], list[Diagnostic]]:
    """The files for the arguments: folders are searched for records, including compressed files and archives of files,
    but not JSON of another kind, unless it is said to have a `form`; with `skip_foreign`, such files are left out even if
    they are named. A link in a folder that points outside it is not followed. URLs may be those of folders, and patterns.
    """
    found: list[str] = []
    problems: list[Diagnostic] = []
    foreign: LeftOut | None = None
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
            if skip_foreign and form is None and suffix_of(argument) == ".json" and is_foreign_file(Path(argument)):
                foreign = foreign or LeftOut(argument, is_json=True)
                foreign.add(argument, argument)
            else:
                found.append(argument)
            continue
        else:
            inside, linked = _find_in(Path(argument), form)
        if not inside and not linked:
            problems.append(
                Diagnostic(
                    "PW705", Told("`{file}` contains no record", file=argument), file=argument, help=RECORD_NAMES
                )
            )
        found += inside
        problems += linked
    problems += [note] if foreign is not None and (note := foreign.note()) is not None else []
    return found, problems


def _find_in(folder: Path, form: str | None) -> tuple[list[str], list[Diagnostic]]:
    """The records of a folder, and what may contain others: links that are not followed, folders and files that are not
    opened, files with other names, JSON of another kind.
    """
    found: list[str] = []
    problems: list[Diagnostic] = []
    others, foreign = LeftOut(str(folder)), LeftOut(str(folder), is_json=True)
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
        elif named and form is None and suffix_of(path.name) == ".json" and is_foreign_file(path):
            foreign.add(path.relative_to(folder).as_posix(), str(path))
        elif named:
            found.append(str(path))
        elif (unopened := others.add(path.relative_to(folder).as_posix(), str(path))) is not None:
            problems.append(unopened)
    problems += [note for left in (others, foreign) if found and (note := left.note()) is not None]
    return found, problems


def _closed(folder: Path) -> list[Diagnostic]:
    """The finding for a folder whose contents cannot be listed."""
    try:
        os.scandir(folder).close()
    except OSError as error:
        return [Diagnostic("PW703", Told("cannot be read: {reason}", reason=reason_of(error)), file=str(folder))]
    return []


def read_documents(path: str, form: str | None = None) -> Iterator[Document]:
    """The documents of one file; an archive is read line by line and never completely in memory. `archive.jsonl:17` is
    the game in its line 17. `form`: the format of another program, whatever the file is called (in an archive of files,
    all those whose names are those of records).
    """
    for text in read_texts(path, form):
        yield text if isinstance(text, Document) else text.document()


def read_texts(path: str, form: str | None = None) -> Iterator[Text | Document]:
    """The same documents before they are decoded; unreadable ones are already documents."""
    for part in read_parts(path, form):
        yield from (part,) if isinstance(part, Text | Document) else part.texts()


def read_parts(path: str, form: str | None = None) -> Iterator[Text | Document | Block]:
    """The same, with packed games in blocks."""
    file, line = split_line(local_path(path))
    inside = inside_of(file)
    if inside is not None and is_there(file):
        inside = None
    if path == "-":
        yield from _standard_input(form)
    elif line is not None and (inside is not None or not is_table(file)):
        called = local_path(path)
        other: Text | Document | None = None
        for text in read_texts(file, form):
            if text.name == called:
                yield text
                return
            other = other or (text if isinstance(text, Document) else None)
        missing = Diagnostic(
            "PW705", Told("`{file}` has no game in line {line}", file=file, line=called[len(file) + 1 :]), file=called
        )
        yield other or Document(called, None, (missing,), called)
    elif inside is not None:
        yield from _members(*inside, form=form)
    elif is_table(file) and form is None:
        from pwtool.records.tables.reading import read_blocks, read_row

        yield from read_blocks(file) if line is None else (read_row(file, line),)
    elif holds_files(file):
        yield from _members(file, form=form)
    else:
        yield from _file(file, form)


def _file(name: str, form: str | None) -> Iterator[Text | Document]:
    opened = open_unpacked(name)
    if isinstance(opened, Diagnostic):
        yield Document(name, None, (opened,), name)
        return
    with opened as stream:
        yield from (
            texts_of(stream, name) if form is None and suffix_of(name) in ARCHIVES else _whole(stream, name, form)
        )


def _members(file: str, wanted: str | None = None, form: str | None = None) -> Iterator[Text | Document | Block]:
    """The documents of an archive of files, and what is not read of it."""
    from pwtool.records.archive_members import opened_members

    found, last, others, foreign = False, None, LeftOut(file), LeftOut(file, is_json=True)
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
                elif suffix_of(member.name) in SUFFIXES or is_table(member.name) or format_of(member.name) is not None:
                    is_sought = wanted is None and form is None and suffix_of(member.name) == ".json"
                    before = foreign.count
                    for part in _member(member, f"{file}/{member.name}", form):
                        if is_sought and isinstance(part, Text) and is_foreign(part.data):
                            foreign.add(member.name, part.name)
                            continue
                        is_whole = is_whole and not (isinstance(part, Document) and part.diagnostics)
                        yield part
                    found = found or foreign.count == before
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
        return
    for note in (others.note(), foreign.note()):
        if note is not None:
            yield Document(file, None, (note,), file)


def _member(member: Member, name: str, form: str | None) -> Iterator[Text | Document | Block]:
    if member.stream is None:
        yield Document(name, None, (Diagnostic("PW703", member.problem, file=name, help=member.help),), name)
    elif form is not None:
        yield from _whole(member.stream, name, form)
    elif is_table(member.name):
        from pwtool.records.tables.reading import blocks_of

        yield from blocks_of(member.stream, name)
    elif suffix_of(member.name) in ARCHIVES:
        yield from texts_of(member.stream, name)
    else:
        yield from _whole(member.stream, name)


def _whole(stream: BinaryIO, name: str, form: str | None = None) -> Iterator[Text | Document]:
    """The only document of a file, or the games in a file of another program with several."""
    form = form or format_of(name)
    if form is not None:
        yield from games_of(stream, name, form, name)
        return
    try:
        data = stream.read(MAX_FILE + 1)
    except OSError as error:
        yield Document(name, None, (Diagnostic("PW703", damage_of(error), file=name),), name)
        return
    if isinstance(stream, Lines) and len(data) <= MAX_FILE:
        stream.found_game()
    form = None if suffix_of(name) in (NOTATION, RULES, *UNOPENED) else format_in(data)
    if form is not None:
        yield from games_of(BytesIO(data), name, form, name)
        return
    yield Text(name, name, data, command=name)


def games_of(stream: BinaryIO, name: str, form: str, command: str) -> Iterator[Text | Document]:
    """The games of a file in the format of another program. The only one has the name of the file, others end in the line
    in which they begin.
    """
    texts = _numbered(stream, name, form, command)
    first, second = next(texts, None), next(texts, None)
    if isinstance(first, Text) and second is None:
        first = replace(first, name=name, command=command)
    yield from (text for text in (first, second) if text is not None)
    yield from texts


def _numbered(stream: BinaryIO, name: str, form: str, command: str) -> Iterator[Text | Document]:
    from pwtool.records.importers.installed import find_format, no_format

    found = find_format(form)
    if found is None or found.value is None:
        problems = found.diagnostics if found is not None else (Diagnostic("PW704", no_format(form)),)
        yield Document(name, None, tuple(replace(d, file=name) for d in problems), command)
        return
    last, number = 0, 1
    try:
        for game in found.value.games(stream, name):
            if isinstance(game, Diagnostic):
                yield Document(name, None, (game,), command)
                return
            line, data, draft = game
            number = number + 1 if line == last else 1
            last = line
            if isinstance(stream, Lines):
                stream.found_game()
            called = f"{name}:{line}.{number}" if number > 1 else f"{name}:{line}"
            yield Text(called, name, data, line, MAX_FILE, called if command == name else command, form, draft)
    except OSError as error:
        yield Document(name, None, (Diagnostic("PW703", damage_of(error, line=last), file=name),), command)


def _standard_input(form: str | None) -> Iterator[Text | Document]:
    """The documents on standard input: an archive is read line by line, anything else is one document, or games in the
    format of another program.
    """
    stream = sys.stdin.buffer
    if form is not None:
        yield from games_of(stream, STDIN, form, "-")
        return
    read, is_archive = _begin(stream)
    if is_archive:
        lines = _lines(_whole_stream(read, stream), 0)
    else:
        form = None if _HEADER.match(read[:1000].decode("latin-1")) else format_in(read)
        if form is not None:
            yield from games_of(_whole_stream(read, stream), STDIN, form, "-")
            return
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


def _whole_stream(read: bytes, stream: BinaryIO) -> BinaryIO:
    """A stream again from its beginning, of which this was already read."""
    return cast(BinaryIO, BufferedReader(Joined(read, stream)))


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


def _next_line(stream: BinaryIO, number: int) -> tuple[bytes, int]:
    """The next line that is not blank, with its number; empty at the end. The rest of a line that is too long is
    skipped.
    """
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        rest, blank = line, line.isspace()
        while len(rest) > MAX_LINE and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_LINE + 1)
            blank = blank and (not rest or rest.isspace())
        if not blank:
            return line, number
    return b"", number


def _lines(stream: BinaryIO, number: int) -> Iterator[tuple[bytes, int]]:
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
