"""Shared by several commands: the store of rulesets, the language, printing."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from pwtool.cli.output_settings import output_settings
from pwtool.cli.start import Stop
from pwtool.cli.streams import Stream, collected, complain, print_data, print_text, say
from pwtool.text import Diagnostic, Severity, did_you_mean
from pwtool.text.files import is_input
from pwtool.text.regex import regex
from pwtool.text.speech import SPOKEN, Speech, Told
from pwtool.text.store import STANDARD, cache_folder, is_stream, reason_of, write_whole
from pwtool.text.words import quoted

if TYPE_CHECKING:
    from pwtool.checking.report import Report
    from pwtool.records.inputs import Document, Text
    from pwtool.records.ruleset_store import Rulebook, RulesetStore

_Read = TypeVar("_Read", bound="Document | Text")


class Under(Struct, frozen=True):
    """The rules of a command: the address of a ruleset (None: the record's own), the chosen readings, and the folders
    whose rules files records may name.
    """

    address: str | None = None
    readings: Sequence[str] | None = None
    as_printed: bool = False
    folders: Sequence[str] | None = None

    @property
    def named(self) -> str:
        """The address for a command that takes no other rules."""
        assert self.address is not None
        return self.address

    def language(self, asked: str | None) -> str:
        """What `choose_language` needs to know about these rules."""
        return choose_language(asked, (self.address,), self.folders or ())

    def ruleset_store(self) -> RulesetStore:
        """The rulesets of the library with these readings."""
        return open_store(list(self.readings or ()), self.as_printed, list(self.folders or ()))


def split_name(what: str, under: Under) -> tuple[str, Under]:
    """A name and its ruleset from `NAME`, `ADDRESS:NAME` or `FILE.rules:NAME`; stops the command if two rulesets are
    named. A ruleset from the settings is overridden.
    """
    match = _NAMED.fullmatch(what)
    if match is None:
        return what, under
    if under.address is not None and "rules" not in output_settings.settled:
        fail(Told("`{name}` already names its ruleset", name=what), Told("leave out --rules"))
    return match[2], replace(under, address=match[1])


_NAMED = regex(r"(.+):([A-Za-z_][\w.]*)", re.DOTALL)


def open_store(
    readings: list[str] | None = None, as_printed: bool = False, rules_from: list[str] | None = None
) -> RulesetStore:
    """The rulesets of the library, with cached trees."""
    from pwtool.records.ruleset_store import RulesetStore
    from pwtool.rules.library import Library

    return RulesetStore(Library(cache=cache_folder()), tuple(readings or ()), as_printed, tuple(rules_from or ()))


def choose_language(asked: str | None, addresses: Iterable[str | None] = (), folders: Iterable[str] = ()) -> str:
    """The requested language, or else the locale's if messages exist in it, or else English. It may also be a language
    in which only rules have texts: those of the library, of the named rules files or of rules files in the folders;
    messages are then in English.
    """
    output_settings.lang = asked = asked or output_settings.lang
    language = output_settings.language
    if language in SPOKEN or not asked:
        return output_settings.speech.language
    known = languages(addresses, folders)
    if language not in known:
        fail(
            Told("there are no texts in `{language}`", language=asked), Told("known here: {names}", names=quoted(known))
        )
    return language


def languages(addresses: Iterable[str | None] = (), folders: Iterable[str] = ()) -> tuple[str, ...]:
    """The languages of messages, and further ones that rules have texts in."""
    from pwtool.rules.library import Library

    beside = [Path(a.partition("+")[0]).parent for a in addresses if a is not None and ".rules" in a]
    found = Library().languages(f for f in (*beside, *map(Path, folders)) if f.is_dir())
    return (*SPOKEN, *(language for language in found if language not in SPOKEN))


def use_color(stream: TextIO | None = None) -> bool:
    """Whether a stream (standard output) gets colors."""
    return output_settings.colors(stream or sys.stdout)


def fail(message: str, help_line: str | None = None) -> NoReturn:
    """Print an error in the command line and stop with exit code 2."""
    complain_of(message, help_line)
    raise Stop(2)


def complain_of(message: str, *help_lines: str | None) -> None:
    """Print an error in the command line, in the reader's language."""
    from pwtool.show.text.full import title

    speech = output_settings.speech
    told = [f"  {title('help', speech):<8} {speech.tell(line)}" for line in help_lines if line]
    complain(speech.headed(speech.say("error"), speech.tell(message)), *told)


def stop(diagnostics: Iterable[Diagnostic]) -> NoReturn:
    """Print what prevents the command from continuing and stop with exit code 2."""
    print_diagnostics(tuple(diagnostics))
    raise Stop(2)


def open_book(address: str, ruleset_store: RulesetStore, quiet: bool = False) -> Rulebook:
    """A ruleset that can be loaded, with its warnings printed (unless `quiet`); stops the command if it cannot."""
    found = ruleset_store.get(address)
    if found.value is None:
        stop(found.diagnostics)
    if found.diagnostics and not quiet:
        print_diagnostics(found.diagnostics)
    return found.value


def print_lines(lines: Iterable[str]) -> None:
    """Print lines, with control characters escaped."""
    say(*lines)


def print_laid(lines: Iterable[str], head: Callable[[str], tuple[int, str]]) -> None:
    """Print lines, each with a head of this length in this style; on a terminal, those that are too long for it go on
    behind the head.
    """
    from shutil import get_terminal_size

    from pwtool.text.terminal import laid_out

    width = get_terminal_size().columns if sys.stdout.isatty() else None
    print_text("\n".join([*laid_out(lines, head, width, use_color()), ""]))


def print_diagnostics(diagnostics: tuple[Diagnostic, ...], results: bool = False, speech: Speech | None = None) -> None:
    """Print findings that belong to no checked file: to standard error, because standard output may be read by a
    program, or to standard output if they are the `results` of the command.
    """
    from pwtool.show.text.full import render_diagnostics

    stream = sys.stdout if results else sys.stderr
    print_text(
        render_diagnostics(diagnostics, color=use_color(stream), speech=speech or output_settings.speech), stream
    )


def print_report(report: Report, form: str, show_all: bool) -> None:
    """Print a report in a format of `pwtool.show`."""
    from pwtool.show import render

    text = render(report, form, color=use_color(), show_all=show_all)
    if form == "github" and isinstance(sys.stdout, Stream):
        sys.stdout.write_commands(text)
    else:
        (print_text if form in ("full", "concise") else print_data)(text)


def write_file(path: Path, text: str, force: bool = True) -> None:
    """Write a text file atomically, with a final line end; stops the command as `write_bytes` does."""
    if path == STANDARD:
        print_data(text if text.endswith("\n") else text + "\n")
        return
    # Characters that UTF-8 cannot encode, such as those of an undecodable file name, are escaped.
    data = (text if text.endswith("\n") else text + "\n").encode("utf-8", "backslashreplace")
    write_bytes(path, data, force)


def keep_file(path: Path, force: bool) -> None:
    """Stop the command before it overwrites one of its inputs, or an existing file that must not be overwritten."""
    if is_stream(path):
        return
    if is_input(path):
        fail(
            Told("`{file}` is an input of this command and cannot be overwritten", file=str(path)),
            Told("write to another file"),
        )
    if os.path.lexists(path) and not force:
        fail(Told("`{file}` already exists", file=str(path)), Told("{option} overwrites it", option="--force"))


def write_bytes(path: Path, content: bytes, force: bool = True) -> None:
    """Write a file atomically; stops the command if that is impossible or the file must not be overwritten."""
    keep_file(path, force)
    try:
        write_whole(path, content)
    except BrokenPipeError:
        # The reader has closed the pipe.
        raise
    except OSError as error:
        fail(Told("cannot write `{file}`: {reason}", file=path, reason=reason_of(error)))


def keep_apart(output: Path) -> None:
    """Stop the command if both its product and data about it would go to standard output."""
    if output == STANDARD:
        fail(
            Told("{one} and {other} cannot be combined", one="--output -", other="--format json"),
            Told("write to a file"),
        )


_NAMED_FORMS = {
    ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".html": "html", ".htm": "html", ".md": "markdown", ".sarif": "sarif",
    ".xml": "junit", ".svg": "svg", ".png": "svg", ".wasm": "wasm",
}  # fmt: skip
"""The formats that the names of files tell."""
_UNPRINTED = (".csv", ".tsv", ".duckdb", ".pdf")
"""The endings of some forms that no command prints, apart from archives, tables and compressed files."""


def form_of(output: Path | None, forms: Collection[str]) -> str | None:
    """The format that the name of a file tells, one of `forms`; None if it tells none. Stops the command if what it
    tells is not one of them.
    """
    if output is None or is_stream(output):
        return None
    name, suffix = output.name, output.suffix.lower()
    form = "sarif" if name.lower().endswith(".sarif.json") else _NAMED_FORMS.get(suffix)
    from pwtool.records.containers import holds_files, is_compressed
    from pwtool.records.file_names import is_table

    packed = suffix in _UNPRINTED or is_compressed(name) or holds_files(name) or is_table(name)
    if form in forms or (form is None and not packed):
        return form
    known = [suffix for suffix, form in _NAMED_FORMS.items() if form in forms]
    fail(
        Told("`{file}`: this command writes no {suffix} file", file=str(output), suffix=suffix),
        Told("it writes {names}", names=quoted(known)),
    )


def deliver(text: str, output: Path | None, force: bool) -> None:
    """Write a text to a file, or to standard output if there is no name; stops the command as `write_bytes` does."""
    write_file(STANDARD if output is None else output, text, force)


@contextmanager
def written_to(output: Path | None, force: bool) -> Iterator[None]:
    """Redirect the output of a command to a file, if there is a name: completely, or not at all if the command stops."""
    if output is None or output == STANDARD:
        yield
        return
    from typer import Exit

    keep_file(output, force)
    with collected() as text:
        ended: Exit | None = None
        try:
            yield
        except Exit as code:
            ended = code
    write_file(output, text.getvalue(), force)
    if ended is not None:
        raise ended


def make_folder(path: Path) -> None:
    """Create a folder and its parents; stops the command if that is impossible."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(Told("cannot make the folder `{folder}`: {reason}", folder=str(path), reason=reason_of(error)))


def check_format(form: str | None) -> None:
    """Stop the command unless the format of another program can be read (None: none is asked for)."""
    if form is None:
        return
    from pwtool.records.importers.installed import find_format, format_names, no_format

    found = find_format(form)
    if found is None:
        names = format_names()
        fail(no_format(form), did_you_mean(form, names) or Told("known here: {names}", names=quoted(names)))
    if found.value is None:
        stop(found.diagnostics)


def without_notes(documents: Iterable[_Read]) -> Iterator[_Read]:
    """These documents; which files were left out is said on standard error."""
    for document in documents:
        if document.is_note:
            print_diagnostics(document.diagnostics)  # type: ignore[union-attr]
        else:
            yield document


def told_apart(problems: list[Diagnostic]) -> list[Diagnostic]:
    """The errors among these findings; warnings are printed."""
    notes = tuple(d for d in problems if d.level is Severity.WARNING)
    if notes:
        print_diagnostics(notes)
    return [d for d in problems if d.level is not Severity.WARNING]
