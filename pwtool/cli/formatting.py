"""`pwtool fmt`: formats rules files in the common style, atomically."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

from pwtool.cli.common import fail, keep_apart, stop
from pwtool.cli.streams import note, print_bytes, print_data, say
from pwtool.lang.fmt.text import format_rules
from pwtool.lang.limits import MAX_BYTES
from pwtool.rules.targets import SUFFIX, rules_files
from pwtool.show.machine.json_report import diagnostic_data
from pwtool.text import Diagnostic, Result
from pwtool.text.files import is_folder, open_regular
from pwtool.text.source import SourceFile, Span
from pwtool.text.store import STANDARD, reason_of, write_whole
from pwtool.text.terminal import dump_json, escape, find_hidden, without_commands
from pwtool.text.words import counted

_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class _File:
    """The text of a file with plain line ends, its byte order mark and its kind of line end."""

    name: str
    data: bytes
    text: str
    mark: str
    line_end: str

    def encode(self, text: str) -> bytes:
        return (self.mark + text.replace("\n", self.line_end)).encode("utf-8")


def run_fmt(names: list[str], check: bool, diff: bool, as_json: bool = False) -> int:
    """Format files in place, or show what would change: 0 nothing to do, 1 something would change, 2 some could not be read."""
    files, problems = _find(names)
    if as_json and "-" in files and not (check or diff):
        keep_apart(STANDARD)
    changed = 0
    told: list[dict[str, Any]] = []
    for name in files:
        read = _read(name)
        result = format_rules(SourceFile(read.value.name, read.value.text)) if read.value else read
        if read.value is None or not isinstance(result.value, str):
            problems += result.diagnostics
            continue
        data = read.value.encode(result.value)
        if as_json:
            is_changed = data != read.value.data
            reason = _write(Path(name), data) if is_changed and not (check or diff) else None
            problems += [_not_written(name, reason)] if reason else []
            changed += is_changed
            told.append({"file": read.value.name, "changed": is_changed})
            if diff:
                told[-1]["diff"] = "".join(_diff(read.value, result.value))
        elif name == "-" and not (check or diff):
            _print_rules(read.value, result.value, data)
        elif data != read.value.data:
            changed += 1
            problems += _show(read.value, result.value, data, check, diff)
    if as_json:
        data_of = [diagnostic_data(d) for d in problems]
        print_data(dump_json({"files": told, "problems": data_of}, indent=2) + "\n")
        return 2 if problems else 1 if changed and (check or diff) else 0
    if problems:
        stop(problems)
    if not changed and files != ["-"]:
        note(f"{counted(len(files), 'file', 'is', 'are')} formatted already")
    return 1 if changed and (check or diff) else 0


def _print_rules(file: _File, text: str, data: bytes) -> None:
    """Print the formatted text unescaped, for an editor to read back. Rules cannot escape invisible characters, so
    texts with them are not printed.
    """
    at = find_hidden(text)
    if at is not None:
        span = Span(SourceFile(file.name, text), at, at)
        fail(
            f"{span}: what cannot be seen, or would be a command to a build server, is not printed",
            "leave it out, or have the file formatted in its place: `pwtool fmt FILE`",
        )
    print_bytes(data)


def _show(file: _File, text: str, data: bytes, check: bool, diff: bool) -> list[Diagnostic]:
    """Write a file, or show what would change; returns why it could not be written."""
    if diff:
        _print_diff(file, text)
    elif check:
        say(f"{file.name}: would be formatted")
    else:
        reason = _write(Path(file.name), data)
        if reason:
            return [_not_written(file.name, reason)]
        say(f"{file.name}: formatted")
    return []


def _not_written(name: str, reason: str) -> Diagnostic:
    return Diagnostic("PW104", f"cannot write `{name}`: {reason}", file=name)


def _diff(file: _File, text: str) -> list[str]:
    before, after = file.text.splitlines(keepends=True), text.splitlines(keepends=True)
    return list(unified_diff(before, after, file.name, f"{file.name} (formatted)"))


def _print_diff(file: _File, text: str) -> None:
    lines = _diff(file, text)
    for line in lines:
        # A tab stays a tab, so that the lines can be applied as a patch.
        shown = "\t".join(map(escape, line.rstrip("\n").split("\t"))) + "\n"
        print_bytes(without_commands(shown).encode())
        if not line.endswith("\n"):
            say("\\ No newline at end of file")
    if not lines:
        say(f"{file.name}: all lines would end alike")


def _find(names: list[str]) -> tuple[list[str], list[Diagnostic]]:
    """The files for the arguments: folders are searched for rules files."""
    found: list[str] = []
    problems: list[Diagnostic] = []
    for name in names:
        path = Path(name)
        if name == "-" or not is_folder(path):
            found.append(name)
            continue
        inside, linked = rules_files(path)
        problems += linked
        if not inside and not linked:
            help_line = f"rules files are files that end in {SUFFIX}"
            problems.append(Diagnostic("PW104", f"`{name}` contains no rules file", file=name, help=help_line))
        found += map(str, inside)
    return list(dict.fromkeys(found)), problems


def _read(name: str) -> Result[_File]:
    shown = "<stdin>" if name == "-" else name
    try:
        stream = nullcontext(sys.stdin.buffer) if name == "-" else open_regular(Path(name))
        if isinstance(stream, Diagnostic):
            return _failed("PW104", f"cannot read `{shown}`: {stream.message}", shown, stream.help)
        with stream as opened:
            data = opened.read(MAX_BYTES + 1)
    except OSError as error:
        return _failed("PW104", f"cannot read `{shown}`: {reason_of(error)}", shown)
    if len(data) > MAX_BYTES:
        return _failed("PW103", f"`{shown}` is larger than {MAX_BYTES >> 20} MiB, the limit for a rules file", shown)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return _failed("PW104", f"`{shown}` is not UTF-8 text (line {line})", shown, "save the file as UTF-8")
    mark = _MARK if text.startswith(_MARK) else ""
    first = text.find("\n")
    line_end = "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"
    return Result(_File(shown, data, text[len(mark) :].replace("\r\n", "\n"), mark, line_end))


def _failed(code: str, message: str, name: str, help_line: str | None = None) -> Result[_File]:
    return Result(None, (Diagnostic(code, message, file=name, help=help_line),))


def _write(path: Path, data: bytes) -> str | None:
    """Replace the contents of a file, whole or not at all; returns why that is impossible."""
    try:
        # A link stays a link, and a read-only file is not replaced either.
        target = path.resolve(strict=True)
        if not os.access(target, os.W_OK):
            return "it may not be changed"
        write_whole(target, data)
    except OSError as error:
        return reason_of(error)
    return None
