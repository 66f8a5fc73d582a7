"""What `pwtool check` is asked for."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from pwtool.checking.report import Verdict
from pwtool.cli.common import check_format, fail
from pwtool.cli.config import Config
from pwtool.cli.output_settings import output_settings
from pwtool.text import did_you_mean
from pwtool.text.speech import Told
from pwtool.text.words import quoted

# Formats that print each document separately, so that an archive of millions is never held in memory.
STREAMED = frozenset(("concise", "jsonl", "github"))
VERDICTS = {
    "clean": Verdict.CLEAN,
    "refused": Verdict.FINDINGS,
    "undetermined": Verdict.UNDETERMINED,
    "unreadable": Verdict.UNREADABLE,
}


class Request(Struct):
    """The options and arguments of the command line, by their names."""

    files: list[str]
    rules: list[str] = field(default_factory=list)
    reading: list[str] = field(default_factory=list)
    format: str | None = None
    report: list[str] = field(default_factory=list)
    all_: bool = False
    lang: str | None = None
    as_printed: bool = False
    kernel: bool = True
    audit: float | None = None
    force: bool = False
    rules_from: list[str] = field(default_factory=list)
    jobs: int = 0
    limit: int | None = None
    sample: int | None = None
    seed: int = 0
    only: list[str] = field(default_factory=list)
    statistics: bool = False
    results: str | None = None
    resume: bool = False
    baseline: str | None = None
    write_baseline: str | None = None
    no_config: bool = False
    causes: bool = True
    scheduler: str | None = None
    output: Path | str | None = None
    explain: str | None = None
    written_in: str | None = None
    """The format of another program in which the files are written, whatever they are called."""
    allow_undetermined: bool = False
    skip_foreign: bool = False

    @property
    def form(self) -> str:
        """The format of what is printed."""
        return "full" if self.format is None else self.format

    def settled(self, config: Config) -> Request:
        """The request with the settings for everything that the command line leaves open."""
        return replace(
            self,
            rules=self.rules or config.rules or [],
            reading=self.reading or config.readings or [],
            rules_from=self.rules_from or config.rules_from or [],
            format=self.format if self.format is not None else config.format,
            lang=self.lang or output_settings.lang or config.lang,
            baseline=self.baseline if self.baseline is not None else config.baseline,
        )


def check_choices(request: Request) -> None:
    """Stop the command if options do not go together."""
    check_format(request.written_in)
    for word in request.only:
        if word not in VERDICTS:
            fail(
                Told("{option}: there is no such verdict", option=f"`--only {word}`"),
                did_you_mean(word, VERDICTS) or Told("known here: {names}", names=quoted(VERDICTS)),
            )
    if request.resume and request.results is None:
        fail(Told("`--resume` needs a file for the results"), Told("name it: `--results FILE`"))
    if request.resume:
        whole = [f"--report {report}" for report in request.report]
        if request.form not in {*STREAMED, "full"}:
            whole.append(f"--format {request.form}")
        if whole:
            fail(
                Told(
                    "{options} needs all findings, but `--resume` leaves out those of an earlier run",
                    options=quoted(whole),
                ),
                Told("the results contain all of them"),
            )
    if request.scheduler is not None:
        from pwtool.checking.cluster import ClusterError, reach

        try:
            reach(request.scheduler)
        except ClusterError as error:
            fail(str(error), Told("`--scheduler local` starts a cluster on this machine"))
    for name, number in (("--limit", request.limit), ("--sample", request.sample), ("--jobs", request.jobs)):
        if number is not None and number < 0:
            fail(Told("{option} is negative", option=f"`{name} {number}`"))
