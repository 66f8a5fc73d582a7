"""Runs a command: exit codes, and never a traceback."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import sys
from collections.abc import Callable
from contextlib import suppress

from pwtool import __version__
from pwtool.cli.output_settings import output_settings
from pwtool.cli.streams import complain, drop, guarded_streams, say
from pwtool.eval.work import TooMuchWork
from pwtool.play.changes import FaultyRules
from pwtool.text.diagnostic import mistake
from pwtool.text.files import noting_inputs
from pwtool.text.speech import Told
from pwtool.text.store import damaged, reason_of
from pwtool.text.words import shorten

# No space, no device, no stream.
_NOT_WRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
# What a user named cannot be a file, or is not theirs.
_NOT_USABLE = (errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EPERM, errno.EROFS)
INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ends: the shell's code for the signal."""


class Stop(Exception):
    """The command stops with this exit code; everything has been reported already."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def collect_garbage() -> None:
    """From here on collect garbage, which a short command never does; what is loaded by now is left out of it."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def end_at_once(code: int) -> None:
    """End the process without taking apart all that it holds, unless something waits for its end."""
    if "threading" in sys.modules or atexit._ncallbacks() or sys.gettrace() or sys.getprofile():
        return
    with suppress(Exception):
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def guarded(command: Callable[[], int]) -> int:
    """The exit code of a command, whatever happens in it."""
    damaged.clear()
    output_settings.reset()
    with guarded_streams(), noting_inputs():
        code = _guarded(command)
        if damaged:
            complain(Told("note: a damaged entry of the cache was rebuilt"))
        return code


def _guarded(command: Callable[[], int]) -> int:
    try:
        return _flushed(command)
    except Stop as stop:
        return stop.code
    except FaultyRules as fault:
        complain(Told("error[{code}]: {message}", code=fault.code, message=fault.args[0]))
        return 1
    except TooMuchWork as work:
        complain(f"undetermined[PW617]: {work}")
        return 3
    except KeyboardInterrupt:
        complain(Told("interrupted"))
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (a pager, `head`) has closed the pipe.
        drop(sys.stdout)
        return 0
    except OSError as error:
        if error.errno in _NOT_USABLE and isinstance(error.filename, str):
            shown = shorten(error.filename, 80)
            complain(Told("error: cannot use `{file}`: {reason}", file=shown, reason=reason_of(error)))
            return 2
        if error.errno not in _NOT_WRITTEN:
            return _failed(error)
        drop(sys.stdout)
        complain(Told("error: the output cannot be written: {reason}", reason=reason_of(error)))
        return 2
    except Exception as error:
        return _failed(error)


def say_version() -> int:
    """Print the version."""
    say(f"pwtool {__version__}")
    return 0


def _flushed(command: Callable[[], int]) -> int:
    """The exit code after the output was flushed."""
    code = command()
    sys.stdout.flush()
    return code


def _failed(error: Exception) -> int:
    if os.environ.get("PWTOOL_TRACEBACK"):
        import traceback

        traceback.print_exc()
    found = mistake(error)
    complain(f"error[{found.code}]: {found.message}", f"  help     {found.help}")
    return 101
