"""`--results` of `pwtool check`: writes rows to a file, and keeps finished work if a run is interrupted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from pwtool.checking.accepted import Accepted
from pwtool.checking.archives import Checker
from pwtool.checking.report import NotKept
from pwtool.checking.results import FORMATS, Parts, Run, folder_of, needs, write_results
from pwtool.checking.workers import Judged
from pwtool.cli.common import fail, keep_file, make_folder
from pwtool.cli.streams import note
from pwtool.text import did_you_mean
from pwtool.text.addresses import is_address
from pwtool.text.speech import Told
from pwtool.text.store import is_stream, reason_of
from pwtool.text.words import quoted

if TYPE_CHECKING:
    from pwtool.cli.check_request import Request


GOES_ON = "`--resume` goes on from what is kept"


def without_results(paths: list[str], target: Path, request: Request) -> list[str]:
    """The files of a resumed run, without its own results and their parts if these are among them."""
    if not request.resume or not Parts(folder_of(target), "").kept():
        return paths
    own = os.path.abspath(target)
    return [path for path in paths if path in request.files or os.path.abspath(path) != own]


def _run(request: Request, checker: Checker, accepted: Accepted) -> Run:
    """The run of a command line with its settings. How fast it judges makes no difference."""
    given: dict[str, Any] = {
        "--rules": [os.path.abspath(a) if ".rules" in a else a for a in request.rules], "--reading": request.reading,
        "--as-printed": request.as_printed, "--rules-from": [*map(os.path.abspath, request.rules_from)], "--lang": checker.language,
        "--no-causes": not request.causes, "--explain": request.explain, "--limit": request.limit, "--sample": request.sample,
        "--seed": request.seed if request.sample is not None else None,
        "--baseline": None if request.baseline is None else os.path.abspath(request.baseline),
        "ignore": [(ignore.pattern, ignore.word) for ignore in accepted.ignores],
    }  # fmt: skip
    files = [name if name == "-" or is_address(name) else os.path.abspath(name) for name in request.files]
    # Names that are not Unicode are escaped.
    files = [name.encode("utf-8", "backslashreplace").decode() for name in files]
    return Run(files, {name: ascii(value) for name, value in given.items()})


def _not_the_same(target: Path, run: Run, parts: Parts) -> Told | None:
    """Why a run must not continue what there is: it would replace results that are not its own."""
    earlier, finished = parts.run(), os.path.lexists(target) and not is_stream(target)
    if earlier is None:
        told = Told("`{file}` exists, and it is not known which run its results are of", file=str(target))
        return told if finished else None
    others = run.differs(earlier)
    if others:
        return Told("`{file}` belongs to a run with another {options}", file=str(target), options=quoted(others))
    if finished and "-" in run.files:
        return Told(
            "`{file}` is finished, and standard input cannot be compared with that of its run", file=str(target)
        )
    return None


class ResultsFile(Struct):
    """The rows of a run: stored in parts as they come, written at its end."""

    target: Path
    parts: Parts
    stays: bool
    names: list[str] = field(default_factory=list)
    told: list[dict[int, bytes]] = field(default_factory=lambda: [{}])
    known: int = 0

    @staticmethod
    def begin(target: Path, checker: Checker, request: Request, paths: list[str], accepted: Accepted) -> ResultsFile:
        """Prepare to store rows; stops the command if that is impossible."""
        if target.suffix.lower() not in FORMATS:
            fail(
                Told(
                    "`{file}`: the name of a results file ends in {formats}", file=str(target), formats=quoted(FORMATS)
                ),
                did_you_mean(target.suffix, FORMATS),
            )
        missing = needs(target)
        if missing is not None:
            fail(
                Told(
                    "writing {suffix} files needs the package {package}", suffix=target.suffix, package=f"`{missing}`"
                ),
                Told("install it with the extra: {command}", command="`pip install pwtool[archive]`"),
            )
        if any(
            path != "-" and not is_address(path) and os.path.realpath(path) == os.path.realpath(target)
            for path in paths
        ):
            fail(
                Told("`{file}` is one of the files to check; the results need another name", file=str(target)),
                Told("write them to another folder"),
            )
        keep_file(target, request.force or request.resume)
        parts, run = Parts.beside(target, checker, request.resume, accepted), _run(request, checker, accepted)
        why = _not_the_same(target, run, parts) if request.resume else None
        if why is not None and not request.force:
            fail(why, Told("name another file, or {option} to start over", option="`--force`"))
        if not request.resume and parts.kept() and not request.force:
            fail(
                Told("`{folder}` contains the work of an earlier run", folder=str(parts.folder)),
                Told("--resume continues it, --force starts over"),
            )
        if why is not None or not request.resume:
            parts.remove()
        make_folder(parts.folder)
        try:
            parts.begin(run)
        except NotKept as error:
            fail(Told("cannot write to `{folder}`: {reason}", folder=str(parts.folder), reason=str(error)))
        return ResultsFile(target, parts, request.resume)

    def add(self, judged: Judged) -> None:
        """Add the results of a piece."""
        self.told[-1] |= judged.told
        if judged.part:
            self.names.append(judged.part)
            self.told.append({})
        self.known += judged.statistics.documents if judged.known else 0

    def finish(self, interrupted: bool) -> None:
        """Write the file. If the run was interrupted, its parts stay, so that it can be resumed."""
        if self.known:
            note(
                Told(
                    "{count} document known from an earlier run",
                    "{count} documents known from an earlier run",
                    self.known,
                )
            )
        if interrupted:
            note(Told("continue with {option}", option=f"`--results {self.target} --resume`"))
            return
        try:
            write_results(self.target, self.parts.rows(self.names, self.told[: len(self.names)]))
        except (OSError, ValueError) as error:
            told = reason_of(error) if isinstance(error, OSError) else str(error)
            fail(Told("cannot write `{file}`: {reason}", file=self.target, reason=told), GOES_ON)
        if not self.stays:
            self.parts.remove()
