"""Ignored and known findings in `pwtool check`: what is removed, what no longer occurs, and `--write-baseline`."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from pwtool.checking.accepted import (
    Accepted,
    Known,
    begin_of,
    ignore_key,
    is_covered,
    key_of,
    known_of,
    seen_from,
)
from pwtool.checking.report import FileResult, Verdict
from pwtool.checking.workers import Judged
from pwtool.cli.common import fail, keep_file, write_file
from pwtool.cli.config import Config
from pwtool.cli.streams import complain, note
from pwtool.text import Diagnostic
from pwtool.text.speech import Told
from pwtool.text.store import reason_of
from pwtool.text.words import quoted

if TYPE_CHECKING:
    from pwtool.cli.check_request import Request


class Baseline(Struct):
    """What a run accepts, and the findings that a new baseline will contain."""

    request: Request
    config: Config
    accepted: Accepted
    found: set[Known] = field(default_factory=set)

    @staticmethod
    def begin(request: Request, config: Config) -> Baseline:
        """Prepare; stops the command if that is impossible."""
        accepted = Accepted(config.folder, config.ignores)
        if request.write_baseline is not None:
            partly = {"--limit": request.limit, "--sample": request.sample, "--resume": request.resume or None}
            named = [name for name, value in partly.items() if value is not None]
            if named:
                fail(
                    Told("`--write-baseline` needs all findings, but {options} leaves some out", options=quoted(named))
                )
            keep_file(Path(request.write_baseline), request.force or request.write_baseline == request.baseline)
        if request.baseline is not None and (
            request.baseline != request.write_baseline or os.path.lexists(request.baseline)
        ):
            know(accepted, request.baseline)
        return Baseline(request, config, accepted)

    def records(self, paths: list[str]) -> list[str]:
        """The files of a run, without baselines among them."""
        request = self.request
        own = {os.path.abspath(b) for b in (request.baseline, request.write_baseline) if b is not None}
        return [path for path in paths if path in request.files or os.path.abspath(path) not in own] if own else paths

    def add(self, judged: Judged) -> None:
        """Add the findings of a piece."""
        if self.request.write_baseline is not None:
            beside = os.path.dirname(self.request.write_baseline) or "."
            self.found.update(
                known_of(result, d, beside) for result in judged.results for d in result.diagnostics if not d.follows
            )

    def unused(self, met: Counter[str]) -> list[FileResult]:
        """A warning for each ignore that matched nothing although everything that it can match was judged."""
        told: list[Diagnostic] = []
        for at, (ignore, place) in enumerate(zip(self.config.ignores, self.config.places, strict=True)):
            if not met[ignore_key(at)] and self._is_covered(begin_of(ignore.pattern), self.accepted.root):
                message = Told("`{code}` ignores nothing in `{pattern}`", pattern=ignore.pattern, code=ignore.word)
                told.append(Diagnostic("PW802", message, place, help=Told("remove it")))
        if not told:
            return []
        assert told[0].span is not None
        return [FileResult(told[0].span.file.name, None, Verdict.CLEAN, tuple(told))]

    def finish(self, met: Counter[str]) -> None:
        """Report how many known findings are gone, and write the new baseline."""
        # Settings change verdicts: what they leave out is said even if notes are not wanted.
        ignored = sum(met[ignore_key(at)] for at in range(len(self.config.ignores)))
        if ignored:
            file = self.config.places[0].file.name
            complain(
                Told(
                    "{count} finding is ignored, as `{file}` says",
                    "{count} findings are ignored, as `{file}` says",
                    ignored,
                    file=file,
                )
            )
        known_here = sum(met[key_of(number)] for number in self.accepted.known.values())
        if known_here:
            complain(
                Told(
                    "{count} finding is in the baseline `{file}`",
                    "{count} findings are in the baseline `{file}`",
                    known_here,
                    file=self.request.baseline,
                )
            )
        gone = {
            known: number
            for known, number in self.accepted.known.items()
            if not met[key_of(number)] and self._is_covered(known.file, self.accepted.beside)
        }
        if gone and self.request.write_baseline is None:
            told = Told("{count} known finding is gone", "{count} known findings are gone", len(gone))
            note(
                Told(
                    "{told}: {option} removes them",
                    told=told,
                    option=f"`--write-baseline {self.request.baseline}`",
                )
            )
        if self.request.write_baseline is None:
            return
        from pwtool.checking.baseline import baseline_text

        target = Path(self.request.write_baseline)
        stays = (known for known in self.accepted.known if known not in gone)
        moved = (self._moved(known, str(target.parent)) for known in stays)
        self.found.update(moved)
        write_file(target, baseline_text(self.found))
        told = Told(
            "`{file}` contains {count} finding", "`{file}` contains {count} findings", len(self.found), file=str(target)
        )
        note(Told("{told}, {number} gone", told=told, number=len(gone)) if gone else told)

    def _moved(self, known: Known, beside: str) -> Known:
        """A known finding with its path relative to another baseline."""
        return replace(known, file=seen_from(beside, os.path.join(self.accepted.beside, known.file)))

    def _is_covered(self, path: str, folder: str) -> bool:
        request = self.request
        return request.limit is None and request.sample is None and is_covered(path, folder, request.files)


def know(accepted: Accepted, baseline: str) -> None:
    """Accept the findings of a baseline; stops the command if it cannot be read."""
    accepted.beside = os.path.dirname(baseline) or "."
    accepted.known = {known: number for number, known in enumerate(_read(Path(baseline)))}


def _read(path: Path) -> list[Known]:
    from pwtool.checking.baseline import read_baseline

    try:
        return read_baseline(path.read_bytes())
    except OSError as error:
        fail(
            Told("cannot read the baseline `{file}`: {reason}", file=str(path), reason=reason_of(error)),
            Told("{option} creates one", option=f"`--write-baseline {path}`"),
        )
    except ValueError as error:
        fail(Told("`{file}` is not a baseline: {reason}", file=str(path), reason=str(error)))
