"""Standard output and standard error: all output goes through here.

Commands print with `say`, `complain`, `print_text` and `print_data`; control characters that they forget to escape are
caught below, because no text bypasses the streams.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager, redirect_stdout, suppress
from typing import IO, Any, BinaryIO, TextIO, TypeVar, cast

from pwtool.cli.output_settings import output_settings
from pwtool.text.terminal import NARROW, escape, escape_lines, line_so_far, without_commands

T = TypeVar("T")
_PAUSE = 0.1
"""Seconds between two updates of the progress line."""


class Stream(io.TextIOBase):
    """A stream without invisible characters other than line ends and, on a terminal, our own colors; and without
    workflow commands except those of `write_commands`.
    """

    def __init__(self, under: TextIO) -> None:
        self.under = under
        self.is_alone = False
        self._line = ""

    def write(self, text: str) -> int:
        """Write a text with its line ends as they are; it is discarded once the reader has gone."""
        self._pass_on(text, self.under.write)
        return len(text)

    def write_data(self, text: str) -> None:
        """The same for data: always UTF-8, whatever the system's encoding is."""
        self._pass_on(text, self._in_utf8)

    def _pass_on(self, text: str, write: Callable[[str], object]) -> None:
        clear_progress()
        safe = without_commands(escape_lines(text, "\x1b" in text and output_settings.colors(self.under)), self._line)
        self._line = line_so_far(safe, self._line)
        if not self.is_alone:
            try:
                write(safe)
            except BrokenPipeError:
                self.leave()

    def _in_utf8(self, text: str) -> None:
        binary = getattr(self.under, "buffer", None)
        if binary is None or self.under.isatty() or codecs.lookup(self.under.encoding).name == "utf-8":
            self.under.write(text)
            return
        self.under.flush()
        binary.write(text.encode("utf-8", "backslashreplace"))

    def leave(self) -> None:
        """The reader (a pager, `head`) has gone: discard all further output."""
        self.is_alone = True
        drop(self.under)

    def write_commands(self, text: str) -> None:
        """Write workflow commands, one per line, already in the right form."""
        clear_progress()
        self._in_utf8(escape_lines(text))

    def write_styled(self, text: str) -> None:
        """Write a text of our own with styles that other texts may not have."""
        clear_progress()
        self.under.write(text)

    def flush(self) -> None:
        try:
            self.under.flush()
        except BrokenPipeError:
            self.leave()

    def isatty(self) -> bool:
        return self.under.isatty()

    def fileno(self) -> int:
        return self.under.fileno()

    def writable(self) -> bool:
        return True

    @property
    def buffer(self) -> IO[bytes]:
        """The underlying binary stream."""
        return self.under.buffer

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.under.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return self.under.errors


class _Closed(io.TextIOBase):
    """Standard output that was closed before the command began: anything written to it is lost, so nothing is written."""

    encoding = "utf-8"

    def write(self, text: str | bytes) -> int:
        if text:
            raise OSError(errno.EBADF, "standard output is closed")
        return 0

    @property
    def buffer(self) -> _Closed:
        return self


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Standard output and standard error as streams of this module; closed standard input becomes empty, and output to
    closed standard error is discarded.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - closed with the process
    before = sys.stdout, sys.stderr
    out = sys.stdout or cast(TextIO, _Closed())
    error = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - closed with the process
    sys.stdout, sys.stderr = (cast(TextIO, Stream(_prepared(stream))) for stream in (out, error))
    try:
        yield
    finally:
        clear_progress()
        sys.stdout, sys.stderr = before


def _prepared(stream: TextIO) -> TextIO:
    # A record may contain any character; those that a terminal cannot show are escaped.
    if hasattr(stream, "reconfigure"):
        codecs.register_error("pwtool", _replaced)
        stream.reconfigure(errors="pwtool")
    return stream


def _replaced(error: UnicodeError) -> tuple[str | bytes, int]:
    """Replacements for characters that an encoding lacks: escapes, and a blank for the narrow space."""
    assert isinstance(error, UnicodeEncodeError)
    if error.object[error.start] == NARROW:
        return " ", error.start + 1
    return codecs.backslashreplace_errors(error)


def say(*lines: str) -> None:
    """Print lines; texts from files cannot move the cursor or begin a line of their own."""
    print("\n".join(map(escape, lines)))


def complain(*lines: str) -> None:
    """The same on standard error, in the reader's language, for everything that was not requested; discarded if it cannot be written."""
    try:
        told = (escape(output_settings.speech.tell(line)) for line in lines)
        print("\n".join(told), file=sys.stderr, flush=True)
    except (OSError, ValueError):
        drop(sys.stderr)


def note(*lines: str) -> None:
    """Print helpful but unrequested lines on standard error, in the reader's language; nothing with `--quiet`."""
    if not output_settings.quiet:
        complain(*lines)


def is_read() -> bool:
    """Whether somebody still reads standard output, as far as is known; commands that only print may stop if not."""
    return not getattr(sys.stdout, "is_alone", False)


def drop(stream: TextIO) -> None:
    """Discard all remaining output, so that there is no error about it at the end of the process."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        # A stream that is not a file, as in tests.
        return


def print_painted(*lines: str) -> None:
    """Print lines that may have our colors; text by others in them is escaped already."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))


class _Held(io.StringIO):
    """Output that is held back for a pager, which writes to a terminal, or for a file."""

    encoding = "utf-8"

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@contextmanager
def paged(wanted: bool) -> Iterator[None]:
    """Send the output of this block through `$PAGER`, if requested and on a terminal."""
    stream = sys.stdout
    if not wanted or not isinstance(stream, Stream) or not stream.isatty():
        yield
        return
    import click

    under, held = stream.under, _Held(terminal=True)
    stream.under = held
    try:
        yield
    finally:
        stream.under = under
        click.echo_via_pager(held.getvalue(), color=True)


@contextmanager
def collected() -> Iterator[io.StringIO]:
    """Collect the output of this block for a file."""
    stream = sys.stdout
    assert isinstance(stream, Stream)
    under, held = stream.under, _Held(terminal=False)
    stream.under = held
    try:
        yield held
    finally:
        stream.under = under


def print_text(text: str, stream: TextIO | None = None) -> None:
    """Print a text for people with its own line ends."""
    (stream or sys.stdout).write(text)


def print_data(text: str) -> None:
    """Print what other programs may read: a record, a page, a picture, a report in a data format."""
    if isinstance(sys.stdout, Stream):
        sys.stdout.write_data(text)
    else:
        sys.stdout.write(text)


def print_markdown(text: str) -> None:
    """Print Markdown of our own: formatted if the terminal has colors, otherwise as written."""
    if not output_settings.colors(sys.stdout):
        print_text(text.rstrip() + "\n")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    with io.StringIO() as page:
        Console(file=page, force_terminal=True, color_system="standard", no_color=False).print(
            Markdown(text, code_theme="bw")
        )
        styled = page.getvalue()
    if isinstance(sys.stdout, Stream):
        sys.stdout.write_styled(styled)


def print_bytes(data: bytes) -> None:
    """Print bytes that were checked already, with their line ends."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


class Messages(io.BufferedIOBase):
    """Standard output for messages between programs; closing it has no effect."""

    def __init__(self, under: IO[bytes]) -> None:
        self._under = under

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return self._under.write(data)

    def flush(self) -> None:
        with suppress(ValueError):
            self._under.flush()


@contextmanager
def messages() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Standard input and output for messages between programs; other output goes to standard error meanwhile."""
    output = cast(BinaryIO, Messages(sys.stdout.buffer))
    with redirect_stdout(sys.stderr):
        yield sys.stdin.buffer, output


def ask(question: str) -> str:
    """Ask on standard error and return the line of the answer; empty at the end of the input."""
    sys.stderr.write(escape(question))
    sys.stderr.flush()
    return sys.stdin.readline()


# ---- progress --------------------------------------------------------------------------------------------------------

_shown: list[TextIO] = []
"""The stream that shows the progress line, if there is one."""


def show_progress(text: str) -> None:
    """Show on one line of standard error how far a command is, if somebody watches. The line disappears as soon as
    anything else is written.
    """
    stream = getattr(sys.stderr, "under", sys.stderr)
    if stream.isatty() and not output_settings.quiet:
        stream.write(f"\r\x1b[K{escape(text)}")
        stream.flush()
        _shown[:] = [stream]


def clear_progress() -> None:
    """Remove the progress line."""
    if _shown:
        stream = _shown.pop()
        stream.write("\r\x1b[K")
        stream.flush()


class Pace:
    """Decides when to update the progress line: not immediately, and not too often."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def is_due(self) -> bool:
        """Whether enough time has passed since the last update."""
        now = time.monotonic()
        if now - self._last < _PAUSE:
            return False
        self._last = now
        return True


def watched(items: Iterable[T], label: str) -> Iterator[T]:
    """The items one by one, with a progress line."""
    pace = Pace()
    whole = f" of {len(items)}" if isinstance(items, Sized) else ""
    for number, item in enumerate(items, 1):
        if pace.is_due():
            show_progress(f"{label} {number}{whole}")
        yield item
    clear_progress()
