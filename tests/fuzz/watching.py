"""One input tried under watch: what it said or raised, its processor time, its memory, the lines it came to."""

from __future__ import annotations

import os
import re
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pwtool
from tests.fuzz.promises import Broken, Said

PACKAGE = str(Path(pwtool.__file__).parent) + os.sep
SLOW = 1.0
"""The seconds of processor time that are promised for any input of less than 1 MB."""
MUCH = 256 << 20
STOP = 10.0
"""So many seconds end an input: far more than is promised, whatever else the machine does."""
OUT_OF_TIME = f"more than {STOP:.0f} s"


class OutOfTime(BaseException):
    """An input took far longer than any may."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """`problem` is what went wrong in one line, the same for inputs that fail in the same way; `trace` is for people."""

    said: Said
    seconds: float
    memory: int
    problem: str = ""
    trace: str = ""


def attempt(target: Callable[[bytes], Said], data: bytes) -> Outcome:
    """An input tried. What the program would tell as a mistake of its own is raised instead."""
    said: Said = frozenset()
    problem = trace = ""
    memory, start = _memory(), time.process_time()
    try:
        with _at_most(STOP), _raising():
            said = target(data)
    except OutOfTime as error:
        problem, trace = OUT_OF_TIME, _where(error)
    except Exception as error:
        # Whatever is raised is a finding: that none is, is the promise.
        problem, trace = _problem(error), "".join(traceback.format_exception(error))
    seconds, grown = time.process_time() - start, _memory() - memory
    if grown > MUCH and not problem:
        problem = f"more than {MUCH >> 20} MiB"
    return Outcome(said, seconds, grown, problem, trace)


def _problem(error: Exception) -> str:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(PACKAGE)]
    place = f" in {frames[-1].filename[len(PACKAGE) :]}:{frames[-1].lineno}" if frames else ""
    if isinstance(error, Broken):
        return "not so: " + re.sub(r"\d+", "0", str(error))
    return f"{type(error).__name__}{place}"


def _where(error: BaseException) -> str:
    """The frames of the package that an input was stopped in."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(PACKAGE)]
    return "".join(traceback.format_list(frames[-12:]))


def _memory() -> int:
    """The most memory that this process ever had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def _raising() -> Iterator[None]:
    before = os.environ.get("PWTOOL_TRACEBACK")
    os.environ["PWTOOL_TRACEBACK"] = "1"
    try:
        yield
    finally:
        del os.environ["PWTOOL_TRACEBACK"]
        if before is not None:
            os.environ["PWTOOL_TRACEBACK"] = before


class Lines:
    """The lines of the package that were come to. A function of which all lines are known costs no more than its call."""

    def __init__(self) -> None:
        self.left: dict[CodeType, set[int]] = {}
        self.known = 0

    @contextmanager
    def watched(self) -> Iterator[None]:
        before = sys.gettrace()
        sys.settrace(self._call)
        try:
            yield
        finally:
            sys.settrace(before)

    def _call(self, frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        left = self.left.get(code)
        if left is None:
            ours = code.co_filename.startswith(PACKAGE)
            left = self.left[code] = {line for *_, line in code.co_lines() if line} if ours else set()
            left.discard(code.co_firstlineno)
        return self._line if left else None

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        left = self.left[frame.f_code]
        if event == "line" and frame.f_lineno in left:
            left.discard(frame.f_lineno)
            self.known += 1
        return self._line if left else None
