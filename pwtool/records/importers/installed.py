"""The importers of all installed packages, including our own: entry points of the group `pwtool.importers`.

Their names come from the metadata of the packages; only the requested importer is loaded. Whatever it does wrong is a
finding.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Protocol, cast

from msgspec import Struct

from pwtool.records.importers.foreign import Locate
from pwtool.records.words import FORMAT
from pwtool.text import CODES, Diagnostic, Result
from pwtool.text.source import SourceFile

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

GROUP = "pwtool.importers"


class Importer(Protocol):
    """Turns parsed JSON of `file` into a record, or into findings (PW704) that say why it cannot."""

    def __call__(self, data: object, file: SourceFile, locate: Locate | None = None) -> Result[dict[str, object]]: ...


def importer_names() -> list[str]:
    """The names of all importers, without loading any."""
    return sorted(_entries().names)


def find_importer(name: str) -> Result[Importer] | None:
    """The importer with this name, or why it cannot be used; None if there is none."""
    found = tuple(_entries().select(name=name))
    if not found:
        return None
    if len(found) > 1:
        packages = " and ".join(sorted(_package(entry) for entry in found))
        message = f"`{name}` is an importer of several packages: {packages}"
        return Result(None, (Diagnostic("PW704", message, help="uninstall all but one of them"),))
    guarded = _Guarded(name, _package(found[0]))
    try:
        function = found[0].load()
    except (Exception, SystemExit) as error:
        return Result(None, (guarded.failure(f"cannot be loaded: {_told(error)}"),))
    if not callable(function):
        return Result(None, (guarded.failure("is not a function"),))
    return Result(guarded.of(function))


def _entries() -> EntryPoints:
    # Imported here: a check of a record does not need it, and importing it takes a tenth of that time.
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


class _Guarded(Struct, frozen=True):
    """An importer whose errors are findings."""

    name: str
    package: str
    function: Importer | None = None

    def of(self, function: Any) -> _Guarded:
        return _Guarded(self.name, self.package, function)

    def __call__(self, data: object, file: SourceFile, locate: Locate | None = None) -> Result[dict[str, object]]:
        assert self.function is not None
        try:
            result: object = self.function(data, file, locate)
        except (Exception, SystemExit) as error:
            return Result(None, (self.failure(f"failed: {_told(error)}", file.name),))
        problem = _nonsense(result)
        if problem is not None:
            return Result(None, (self.failure(problem, file.name),))
        return cast("Result[dict[str, object]]", result)

    def failure(self, problem: str, file: str | None = None) -> Diagnostic:
        """The finding that says what the importer did wrong."""
        return Diagnostic(
            "PW704",
            f"the importer `{self.name}` of {self.package} {problem}",
            file=file,
            help=f"this is a mistake of {self.package}; PWTOOL_TRACEBACK=1 shows more",
        )


def _nonsense(result: object) -> str | None:
    """The finding for an invalid return value; None for a record or findings."""
    if not isinstance(result, Result):
        return f"returned no result but {type(result).__name__}"
    value: object = result.value
    found: object = result.diagnostics
    if not isinstance(found, tuple) or not all(_is_finding(one) for one in found):
        return "returned findings that are none"
    if value is None:
        return None if found else "returned neither a record nor findings"
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        return f'returned something that is not a record (`"format": "{FORMAT}"`)'
    try:
        is_json = json.loads(json.dumps(value)) == value
    except (TypeError, ValueError, RecursionError):
        is_json = False
    return None if is_json else "returned a record with values that JSON does not have"


def _is_finding(one: object) -> bool:
    return isinstance(one, Diagnostic) and one.code in CODES and isinstance(one.message, str)


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.module


def _told(error: BaseException) -> str:
    """An error in one line, or raised again if a traceback was requested."""
    if os.environ.get("PWTOOL_TRACEBACK"):
        raise error
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
