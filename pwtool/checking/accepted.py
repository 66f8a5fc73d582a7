"""Accepted findings: those that the settings ignore, and those in a baseline.

They are removed from a result before anything is counted, printed or stored, together with findings that only follow
from them. Internal errors are never accepted.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct, field
from msgspec.structs import replace

from pwtool.checking.documents import verdict_of
from pwtool.checking.report import FileResult, Verdict
from pwtool.records.file_names import STDIN, split_line
from pwtool.text import Diagnostic
from pwtool.text.addresses import is_address
from pwtool.text.blake2b import blake2b
from pwtool.text.regex import regex
from pwtool.text.speech import Said, Told, english

_NEVER = "PW901"
_SIGNS = regex(r"[*?]")
_PARTS = regex(r"\*\*|.", re.DOTALL)


class Ignore(Struct, frozen=True):
    """Ignores findings with this code, or of this rule, in files that match this pattern."""

    pattern: str
    word: str


class Known(Struct, frozen=True, order=True):
    """A known finding. `file` is relative to the baseline, with the line of a game in an archive only if the record
    has no `id`; `message` is a hash of the English message.
    """

    file: str
    id: str
    code: str
    rule: str
    turn: int
    message: str


class Accepted(Struct):
    """Everything that is accepted: `ignores` relative to the folder `root`, `known` findings with their numbers
    relative to `beside`.
    """

    root: str = "."
    ignores: tuple[Ignore, ...] = ()
    beside: str = "."
    known: dict[Known, int] = field(default_factory=dict)

    def keep(self, result: FileResult, met: Counter[str]) -> FileResult:
        """A result without accepted findings; counts in `met` how often each ignore and each known finding occurred."""
        if not result.diagnostics or not (self.ignores or self.known):
            return result
        left = [d for d in result.diagnostics if d.follows or not self._accepts(result, d, met)]
        taken = len(result.diagnostics) - len(left)
        if not taken:
            return result
        if all(d.follows for d in left):
            left = []
        verdict = result.verdict if left and result.verdict is Verdict.UNREADABLE else verdict_of(tuple(left))
        summary = (*result.summary, Told("{count} accepted finding", "{count} accepted findings", taken))
        return replace(result, diagnostics=tuple(left), verdict=verdict, summary=summary)

    def _known(self, result: FileResult, diagnostic: Diagnostic) -> int | None:
        """The number of a finding among the known ones. A baseline of earlier versions may have it in another
        language.
        """
        found = self.known.get(known_of(result, diagnostic, self.beside))
        if found is None and isinstance(diagnostic.message, Said):
            found = self.known.get(known_of(result, replace(diagnostic, message=str(diagnostic.message)), self.beside))
        return found

    def _accepts(self, result: FileResult, diagnostic: Diagnostic, met: Counter[str]) -> bool:
        if diagnostic.code == _NEVER:
            return False
        number = self._known(result, diagnostic) if self.known else None
        if number is not None:
            met[key_of(number)] += 1
            return True
        place = seen_from(self.root, result.name) if self.ignores else ""
        for at, ignore in enumerate(self.ignores):
            if ignore.word in (diagnostic.code, diagnostic.rule) and matches(ignore.pattern, place):
                met[ignore_key(at)] += 1
                return True
        return False


def key_of(number: int) -> str:
    """The key under which a known finding is counted."""
    return f"known {number}"


def ignore_key(number: int) -> str:
    """The key under which an ignore is counted."""
    return f"ignore {number}"


def known_of(result: FileResult, diagnostic: Diagnostic, beside: str) -> Known:
    """A finding as written to a baseline in the folder `beside`."""
    name = (result.played.id if result.played is not None else None) or ""
    file = split_line(result.name)[0] if name else result.name
    said = blake2b(english(diagnostic.message).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return Known(seen_from(beside, file), name, diagnostic.code, diagnostic.rule or "", diagnostic.turn or 0, said)


def seen_from(folder: str, name: str) -> str:
    """The path of a document as written in a file of that folder."""
    if is_address(name) or name == STDIN or name.startswith(f"{STDIN}:"):
        return name
    try:
        return os.path.relpath(name, folder).replace(os.sep, "/")
    except ValueError:
        return name


def matches(pattern: str, place: str) -> bool:
    """Whether a path matches a pattern: `*` and `?` do not match `/`, `**` does; a folder stands for everything in it.

    Follows all ways to match at once: as regular expressions, several stars take exponential time.
    """
    parts = _parts(pattern)
    reached = _past_stars(parts, {0})
    for sign in place:
        if len(parts) in reached and sign in "/:":
            return True
        reached = _past_stars(parts, {at + (parts[at][:1] != "*") for at in reached if _takes(parts, at, sign)})
        if not reached:
            return False
    return len(parts) in reached


@lru_cache(maxsize=1024)
def _parts(pattern: str) -> tuple[str, ...]:
    """The stars and characters of a pattern."""
    return tuple(_PARTS.findall(pattern.rstrip("/")))


def _takes(parts: tuple[str, ...], at: int, sign: str) -> bool:
    """Whether a part of a pattern matches a character."""
    part = parts[at] if at < len(parts) else ""
    return part in (sign, "**") or (part in ("*", "?") and sign != "/")


def _past_stars(parts: tuple[str, ...], places: set[int]) -> set[int]:
    """The places in a pattern with those behind the stars that begin there: a star may match nothing."""
    for at, part in enumerate(parts):
        if part[0] == "*" and at in places:
            places.add(at + 1)
    return places


def begin_of(pattern: str) -> str:
    """The folder, or the file, that contains everything that a pattern can match."""
    sign = _SIGNS.search(pattern)
    return pattern if sign is None else pattern[: sign.start()].rpartition("/")[0] or "."


def is_covered(path: str, folder: str, arguments: Iterable[str]) -> bool:
    """Whether a path, relative to a folder, is among or below the arguments of a run."""
    place = os.path.abspath(os.path.join(folder, path))
    for argument in arguments:
        asked = os.path.abspath(argument)
        if argument != "-" and (place == asked or place.startswith(asked.rstrip(os.sep) + os.sep)):
            return True
    return False
