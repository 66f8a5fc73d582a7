"""Running a command: exit codes, and never a traceback."""

from __future__ import annotations

import sys
from collections.abc import Callable


class Stop(Exception):
    """The command stops with this exit code; what there is to say was said."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def guarded(command: Callable[[], int]) -> int:
    """The exit code of a command, whatever happens in it."""
    for stream in (sys.stdout, sys.stderr):
        # A record may hold any character; a terminal that cannot show one gets an escape instead of a crash.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        return command()
    except Stop as stop:
        return stop.code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader (a pager, `head`) has had enough.
        sys.stderr.close()
        return 0
    except Exception as error:
        return _failed(error)


def _failed(error: Exception) -> int:
    import os
    import traceback

    if os.environ.get("PWTOOL_TRACEBACK"):
        traceback.print_exc()
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(frame.filename)}:{frame.lineno}"
    print(f"error[PW901]: a mistake of pwtool itself ({type(error).__name__} in {place})", file=sys.stderr)
    print("  help     please report it with the file and the command; PWTOOL_TRACEBACK=1 shows more", file=sys.stderr)
    return 101
