"""Running a command: exit codes, and never a traceback."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable

from pwtool.text.diagnostic import mistake
from pwtool.text.store import reason_of

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class Stop(Exception):
    """The command stops with this exit code; what there is to say was said."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def guarded(command: Callable[[], int]) -> int:
    """The exit code of a command, whatever happens in it."""
    _prepare_streams()
    try:
        code = _flushed(command)
    except Stop as stop:
        code = stop.code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        code = 2
    except BrokenPipeError:
        # The reader (a pager, `head`) has had enough.
        _drop_output()
        code = 0
    except OSError as error:
        if error.errno not in _NO_ROOM:
            return _failed(error)
        _drop_output()
        print(f"error: the output cannot be written: {reason_of(error)}", file=sys.stderr)
        code = 2
    except Exception as error:
        code = _failed(error)
    return code


def _prepare_streams() -> None:
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - closed with the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A record may hold any character; a terminal that cannot show one gets an escape instead of a crash.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _flushed(command: Callable[[], int]) -> int:
    """The exit code of a command whose output has arrived."""
    code = command()
    sys.stdout.flush()
    return code


def _drop_output() -> None:
    """Whatever is still to be written goes nowhere, so that nothing is said about it at the end of the process."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        # A stream that is no file, as in tests.
        return


def _failed(error: Exception) -> int:
    if os.environ.get("PWTOOL_TRACEBACK"):
        import traceback

        traceback.print_exc()
    found = mistake(error)
    print(f"error[{found.code}]: {found.message}", file=sys.stderr)
    print(f"  help     {found.help}", file=sys.stderr)
    return 101
