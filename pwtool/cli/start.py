"""Runs a command: exit codes, and never a traceback."""

from __future__ import annotations

import errno
import gc
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from pwtool import __version__
from pwtool.cli.output_settings import output_settings
from pwtool.cli.streams import complain, drop, guarded_streams, say
from pwtool.eval.work import TooMuchWork
from pwtool.play.changes import FaultyRules
from pwtool.text import did_you_mean
from pwtool.text.diagnostic import mistake
from pwtool.text.files import noting_inputs
from pwtool.text.regex import regex
from pwtool.text.speech import Told
from pwtool.text.store import damaged, reason_of
from pwtool.text.words import one_line, shorten

# No space, no device, no stream.
_NOT_WRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
# What a user named cannot be a file, or is not theirs.
_NOT_USABLE = (errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.EPERM, errno.EROFS)
INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ends: the shell's code for the signal."""


_UNKNOWN = regex(r"No such command '([^']*)'")
_ELSEWHERE = {
    "init": "`pwtool new game NAME` begins a game, `pwtool new edition NAME --of GAME` house rules; records need nothing",
    "validate": "`pwtool check FILE` checks records, `pwtool lint FILE` rules",
    "verify": "`pwtool check FILE` checks records, `pwtool lint FILE` rules",
    "format": "`pwtool fmt FILE` formats rules files",
    "diff": "`pwtool compare FIRST SECOND` shows how rulesets differ",
    "show": "`pwtool rules ADDRESS` shows a ruleset, `pwtool replay FILE` a recorded game",
    "list": "`pwtool rules` lists all rulesets",
    "run": "`pwtool play RULESET` plays a game, `pwtool test FILE` runs the examples of rules",
    "serve": "`pwtool studio` opens rules in the browser",
}  # fmt: skip
"""Words that other programs use, and what does here what they may mean."""
_CHOICES = regex(r"'([^']*)' is not one of (.*)")


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


def complain_of_command(error: Any) -> None:
    """Report an error in the command line, with its own words escaped."""
    context, message = getattr(error, "ctx", None), error.format_message().replace("Value error, ", "")
    if type(error).__name__ == "NoArgsIsHelpError":
        # A command without required words shows its help.
        complain(*message.splitlines())
        return
    meant = _UNKNOWN.match(message)
    if meant and meant[1] in _ELSEWHERE:
        # What a like word may be is not worth telling.
        complain(f"Error: there is no command `{meant[1]}`", f"  help     {_ELSEWHERE[meant[1]]}")
        return
    if context is not None:
        complain(*context.get_usage().splitlines())
        complain(f"Try '{context.command_path} --help' for help.", "")
    # A list of choices comes on several lines.
    complain(f"Error: {one_line(message)}")
    for hint in _hints(error, context, message):
        complain(f"  help     {hint}")


def _hints(error: Any, context: Any, message: str) -> Iterator[str]:
    """What a user may have meant."""
    if given := _CHOICES.search(message):
        if hint := did_you_mean(given[1], re.findall(r"'([^']*)'", given[2])):
            yield hint
    elif type(error).__name__ == "MissingParameter" and context is not None:
        from pwtool.cli.example_lines import examples

        name = context.command_path.partition(" ")[2]
        found = examples(name)
        if found:
            yield f"for example `{found[0]}`"
        if "standard input" in (getattr(error.param, "help", None) or "") and not sys.stdin.isatty():
            yield f"`pwtool {name} -` reads standard input"


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
