"""`pwtool check`."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from pwtool import __version__
from pwtool.checking.archives import Checker
from pwtool.checking.documents import Loaded, load_document, unreadable
from pwtool.checking.explaining import USUAL, Budget
from pwtool.checking.pieces import LARGE, SIZE, Piece, chosen, cut, written_in
from pwtool.checking.report import FileResult, Gathered, NotKept, Report, Verdict, archive_of
from pwtool.checking.statistics import Statistics
from pwtool.checking.workers import Judged, Settings, explained, judge_all
from pwtool.cli.baseline import Baseline
from pwtool.cli.check_request import STREAMED, VERDICTS, Request, check_choices
from pwtool.cli.common import (
    choose_language,
    fail,
    keep_file,
    open_store,
    print_diagnostics,
    print_lines,
    print_report,
    use_color,
    write_file,
)
from pwtool.cli.config import read_config
from pwtool.cli.start import INTERRUPTED, Stop, collect_garbage
from pwtool.cli.streams import Pace, complain, is_read, note, print_data, print_text, say, show_progress
from pwtool.records.containers import holds_files, is_compressed
from pwtool.records.file_names import is_table, split_line
from pwtool.records.inputs import Document, Text, find_paths, read_texts
from pwtool.records.ruleset_store import RulesetStore
from pwtool.show import FORMATS, render
from pwtool.show.text.full import matrix_lines, render_results, total_line
from pwtool.text import did_you_mean
from pwtool.text.addresses import is_address
from pwtool.text.cores import cores
from pwtool.text.speech import Speech, Told
from pwtool.text.store import is_stream

if TYPE_CHECKING:
    from pwtool.comparing.accepting import Nearby
    from pwtool.why.findings import Words

HELD = 500
"""The most results that are held to be printed together; if there are more, those with findings are printed as they come."""
ENOUGH = 100
"""If the rules refuse so many games and accept none, they are probably the wrong ones."""
SCREEN = 40
"""A summary follows if the findings take more lines than this."""
UNDETERMINED = 3
"""The exit code if nothing is wrong, and not everything is known."""
NEAR = 1000
"""The last line of an archive that is read again for a note on its finding."""
_WORDS: dict[str, Words] = {"full": "causes", "concise": "lines", "github": "lines"}
"""What the formats print that do not have all, unless it is asked for or something else is made of the results."""
_LISTING = frozenset(("json", "jsonl", "junit"))


def run_check(asked: Request) -> int:
    """Check all files, print the report and write the other reports; returns the exit code."""
    config = read_config(not asked.no_config)
    request = asked.settled(config)
    wanted = _report_files(request.form, request.report)
    if request.output is not None:
        wanted.append((request.form, Path(request.output)))
    check_choices(request)
    language = choose_language(request.lang, request.rules, request.rules_from)
    ruleset_store = open_store(request.reading, request.as_printed, request.rules_from)
    versions: list[str] = []
    for address in request.rules:
        book = ruleset_store.get(address)
        if book.value is None:
            print_diagnostics(book.diagnostics)
            return 2
        versions.append(f"{address} {book.value.game.ruleset.version}")
    accepting = Baseline.begin(request, config)
    # A finding is accepted by its words, and what is left of a game is only known if all of it is.
    accepts = accepting.accepted.ignores or accepting.accepted.known or request.write_baseline is not None
    listing = bool({request.form, *(name for name, _ in wanted)} & _LISTING)
    checker = Checker(
        ruleset_store,
        request.rules,
        language,
        request.kernel,
        None if request.audit is None else request.audit / 100,
        listing,
        listing or request.statistics or request.results is not None,
        request.causes,
        _words(request, bool(wanted or accepts)),
        Budget(None if accepts else _most_explained(request)),
        # Finished pieces are kept, whatever comes before them in another run.
        defers=request.results is not None,
        runs=request.form == "concise" and not wanted,
    )
    paths, problems = find_paths(request.files, request.written_in, request.skip_foreign)
    paths = accepting.records(paths)
    kept = None
    if request.results is not None:
        from pwtool.cli.results_file import ResultsFile, without_results

        paths = without_results(paths, Path(request.results), request)
    _check_targets([target for _, target in wanted], paths, request)
    if request.results is not None:
        kept = ResultsFile.begin(Path(request.results), checker, request, paths, accepting.accepted)
    each = listing or request.form in STREAMED
    printed = _Printed(request, ruleset_store, language, bool(wanted), listing, max(map(len, versions), default=0))
    collect_garbage()
    interrupted = warned = False
    try:
        settings = Settings(checker, each, None if kept is None else kept.parts, accepting.accepted)
        # What is not read is told first, like documents that are.
        unread = tuple(Document(p.file or "", None, (p,)) for p in problems)
        pieces = chain([Piece(texts=unread)] if unread else [], _pieces(paths, request))
        # An interrupt in between ends the workers at once, not when nothing is left that could end them.
        with closing(_found(pieces, settings, request, paths)) as found:
            for judged in _watched(explained(found, checker), paths):
                printed.add(judged)
                accepting.add(judged)
                if not warned and printed.statistics.documents >= ENOUGH:
                    warned = True
                    _warn_of_wrong_rules(paths, ruleset_store, printed.statistics, language)
                if kept is not None:
                    kept.add(judged)
                elif not is_read() and not wanted:
                    break
    except NotKept as error:
        from pwtool.cli.results_file import GOES_ON

        fail(
            Told("cannot write to `{folder}`: {reason}", folder=f"{request.results}.parts", reason=str(error)), GOES_ON
        )
    except KeyboardInterrupt:
        interrupted = True
    if not interrupted:
        printed.add(Judged(accepting.unused(printed.statistics.accepted), Statistics()))
    if printed.finish(interrupted) and not interrupted:
        _print_fitting(paths, ruleset_store, printed.statistics, request.form, language)
    # Of a run that was interrupted, no report may look like one of all documents.
    for name, target in wanted if not interrupted else ():
        report = printed.report(shown=request.output is not None and target == Path(request.output))
        write_file(target, _rendered(report, name, ruleset_store, language))
    if kept is not None:
        kept.finish(interrupted)
    if not interrupted:
        accepting.finish(printed.statistics.accepted)
    if interrupted:
        judged_so_far = printed.statistics.documents
        complain(
            Told(
                "interrupted: {count} document judged so far",
                "interrupted: {count} documents judged so far",
                judged_so_far,
            )
        )
        raise Stop(INTERRUPTED)
    return printed.exit_code


class _Printed:
    """Prints results as they come, as far as the format allows. `keeps`: whether reports need all of them at the end;
    `listing`: whether every clean game is listed; `width`: the width of the ruleset column in a matrix.
    """

    def __init__(
        self, request: Request, ruleset_store: RulesetStore, language: str, keeps: bool, listing: bool, width: int
    ) -> None:
        self.request, self.width, self.lists = request, width, listing
        self.ruleset_store, self.language, self.speech = ruleset_store, language, Speech(language)
        self.is_matrix = request.form == "full" and len(request.rules) > 1
        self.streams = request.form in STREAMED or self.is_matrix
        self.keeps = keeps or (not self.streams and request.form != "full")
        self.statistics = Statistics()
        self.held, self.kept = Gathered(reasons=True), Gathered()
        self.nearby: Nearby | None = None
        self.again = _Again()
        self.lines = self.printed = self.unexplained = 0
        self.is_behind_line = False
        self.shown = {VERDICTS[word] for word in request.only} or set(Verdict)

    def add(self, judged: Judged) -> None:
        """Add the results of a piece."""
        self.statistics.merge(judged.statistics)
        results = [r for r in judged.results if self.keeps or r.verdict in self.shown]
        self.unexplained += sum(not r.explained and r.verdict in self.shown for r in results)
        if not self.is_matrix:
            results = [self._with_near(r) for r in results]
        if self.keeps:
            self._hold(results, self.kept)
            results = [r for r in results if r.verdict in self.shown]
        if self.is_matrix:
            # The clean games of an archive are counted at the end, whatever comes between them.
            for result in results:
                if archive_of(result) is not None:
                    self.held.add(result)
            self._tell_matrix([r for r in results if archive_of(r) is None])
        elif self.streams:
            self._print(results)
        elif self.request.form == "full":
            self._hold(results, self.held)
            if len(self.held.results) > HELD:
                self._print(self.held.take_found(), parts=True)

    def _with_near(self, result: FileResult) -> FileResult:
        """The result with the near rulesets that accept what it refuses."""
        if result.verdict in (Verdict.CLEAN, Verdict.UNDETERMINED) or not result.explained:
            return result
        from pwtool.comparing.accepting import Nearby

        self.nearby = self.nearby or Nearby(self.ruleset_store, self.language)
        return self.nearby.tell(result, partial(self.again.read, result.name))

    def _hold(self, results: list[FileResult], into: Gathered) -> None:
        if self.lists:
            into.results += results
        else:
            for result in results:
                into.add(result)

    def finish(self, interrupted: bool = False) -> bool:
        """Print the rest and a summary; returns whether statistics were printed. Of a run that was interrupted, formats that
        are written as a whole print nothing.
        """
        request, counts = self.request, self.statistics
        if request.output is not None:
            return False
        if self.is_matrix:
            self._tell_matrix(self.held.results)
        if request.form == "full" and not self.is_matrix:
            self._print(self.held.results, parts=True, last=True)
            if self.printed > 1:
                say(total_line(counts.by_verdict, self.speech))
            if self.unexplained:
                say(self.speech.tell(_unexplained(self.unexplained)))
        elif not self.streams and not interrupted:
            self._print(list(self.report(shown=True).results))
        if self.unexplained and (request.form != "full" or self.is_matrix):
            note(_unexplained(self.unexplained))
        if request.statistics or (request.form == "full" and self.lines > SCREEN and counts.refused > 1):
            from pwtool.show.text.statistics import statistics_lines

            tell = say if request.form == "full" else complain
            tell("", *statistics_lines(counts, self.speech, request.statistics))
            return True
        return False

    @property
    def exit_code(self) -> int:
        code = self.statistics.exit_code
        return 0 if self.request.allow_undetermined and code == UNDETERMINED else code

    def report(self, shown: bool) -> Report:
        """All results that are kept, or only those that are `shown`."""
        return self._of([r for r in self.kept.results if not shown or r.verdict in self.shown])

    def _of(self, results: list[FileResult]) -> Report:
        whole = self.statistics.by_verdict, self.exit_code
        return Report(tuple(results), "pwtool", __version__, self.language, whole)

    def _print(self, results: list[FileResult], parts: bool = False, last: bool = False) -> None:
        request = self.request
        if request.output is not None:
            # It goes to a file.
            return
        if not results and (parts or self.streams):
            return
        self.printed += sum(min(r.documents, 1) if r.together else r.documents for r in results)
        report = self._of(results)
        if request.form == "html":
            print_data(_rendered(report, "html", self.ruleset_store, self.language))
            return
        if not parts:
            print_report(report, request.form, request.all_)
            return
        text = render_results(report, color=use_color(), show_all=request.all_)
        if self.is_behind_line and report.results[0].explained:
            text = f"\n{text}"
        self.is_behind_line = not report.results[-1].explained
        self.lines += text.count("\n")
        # The findings of a single document need no separator.
        print_text(text.rstrip("\n") + "\n" if last and self.printed == 1 else text)

    def _tell_matrix(self, results: list[FileResult]) -> None:
        self._say(matrix_lines(results, self.width, self.request.all_, self.speech))

    def _say(self, lines: list[str]) -> None:
        self.lines += len(lines)
        if lines and self.request.output is None:
            print_lines(lines)


def _unexplained(games: int) -> Told:
    return Told(
        "{count} refused game is told in one line; {option} explains all",
        "{count} refused games are told in one line each; {option} explains all",
        games, option="`--explain all`",
    )  # fmt: skip


def _words(request: Request, keeps: bool) -> Words:
    """What of the findings is put into words; everything where results are kept."""
    if request.all_ or keeps or request.results is not None:
        return "all"
    return _WORDS.get(request.form, "all")


def _most_explained(request: Request) -> int | None:
    """How many games of each rule are explained; None for all."""
    given = request.explain
    if given is None:
        return USUAL
    if given == "all":
        return None
    if not (given.isascii() and given.isdecimal()):
        fail(Told("{option} is neither a number nor all", option=f"`--explain {given}`"))
    return int(given) if len(given) < 10 else None


class _Again:
    """Reads the documents of results again. Those of an archive come in its order: the next one is sought behind the last."""

    def __init__(self) -> None:
        self.file, self.line = "", 0
        self.texts: Iterator[Text | Document] = iter(())

    def read(self, name: str) -> Loaded | FileResult:
        """The document of a result, unless it is far to seek: elsewhere, in a container, far behind in an archive."""
        file, line = split_line(name)
        if not Path(file).is_file() or (line is not None and line > NEAR):
            return unreadable(name, ())
        if line is None or is_table(file):
            found = next(read_texts(name), None)
        else:
            if file != self.file or line <= self.line:
                self.file, self.texts = file, read_texts(file)
            self.line = line
            found = next((text for text in self.texts if text.name == name), None)
        if found is None:
            return unreadable(name, ())
        return load_document(found if isinstance(found, Document) else found.document())


def _rendered(report: Report, form: str, ruleset_store: RulesetStore, language: str) -> str:
    """A rendered report; for a page, the games to step through are read again."""
    if form != "html":
        return render(report, form, color=False, show_all=True)
    from pwtool.show.html.checked import games_of, render_checked
    from pwtool.show.html.playing.pictures import Pictures

    pictures = Pictures()
    return render_checked(report, games_of(report, ruleset_store, pictures, language), pictures, language)


def _print_fitting(paths: list[str], ruleset_store: RulesetStore, found: Statistics, form: str, language: str) -> None:
    from pwtool.cli.suggest_rulesets import fitting_lines

    lines = fitting_lines(paths, ruleset_store, found, language)
    if lines:
        (say if form == "full" else note)("", *lines)


def _warn_of_wrong_rules(paths: list[str], ruleset_store: RulesetStore, found: Statistics, language: str) -> None:
    """Say early, in one line, if no game is clean so far and other rules fit."""
    if found.refused < found.documents:
        return
    from pwtool.cli.suggest_rulesets import fitting_lines

    note("; ".join(fitting_lines(paths, ruleset_store, found, language, numbers=False)))


def _pieces(paths: list[str], request: Request) -> Iterator[Piece]:
    """The documents to judge: all, the first ones, or a random sample."""
    form = request.written_in
    if request.sample is None:
        if request.limit is not None:
            return chosen(paths, most=request.limit, form=form)
        if form is not None:
            return written_in(paths, form)
        return cut(paths, SIZE if request.scheduler is None and request.results is None else LARGE)
    if "-" in paths:
        fail(
            Told("standard input cannot be sampled, because it can only be read once"), Told("save it to a file first")
        )
    games = (text for path in paths for text in read_texts(path, form) if not text.is_note)
    whole = sum(1 for _ in islice(games, request.limit))
    import random

    return chosen(
        paths, sorted(random.Random(request.seed).sample(range(whole), min(whole, request.sample))), form=form
    )


def _found(
    pieces: Iterator[Piece], settings: Settings, request: Request, paths: list[str]
) -> Generator[Judged, None, None]:
    """The results for all pieces, from processes on this machine or from a cluster."""
    jobs = _jobs(paths, request)
    if request.scheduler is None:
        yield from judge_all(pieces, settings, jobs)
        return
    from pwtool.checking.cluster import ClusterError, cluster, judge_on_cluster

    try:
        # Workers read tables themselves; the contents of archives are read here.
        packages = ("pyarrow",) if any(is_table(path) and not is_address(path) for path in paths) else ()
        with cluster(request.scheduler, jobs, packages) as client:
            yield from judge_on_cluster(pieces, settings, client, packages, complain)
    except ClusterError as error:
        fail(str(error))


def _jobs(paths: list[str], request: Request) -> int:
    # Results for piped input are reported as it arrives, not when the workers have a full share.
    return request.jobs or (1 if "-" in paths else cores())


def _watched(found: Iterable[Judged], paths: list[str]) -> Iterator[Judged]:
    """The results, with a progress line: how far, how fast, how much longer."""
    pace, begun, read, documents, whole = Pace(), time.monotonic(), 0, 0, None
    for judged in found:
        yield judged
        read += judged.size
        documents += judged.statistics.documents
        if pace.is_due():
            whole = _size_of(paths) if whole is None else whole
            passed = time.monotonic() - begun
            line = f"{documents:,} document{'s' * (documents != 1)}, {documents / passed:,.0f} a second"
            if whole and 0 < read < whole:
                line += f", {read * 100 // whole}%, {_duration(passed * (whole - read) / max(1, read))} left"
            show_progress(line)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _size_of(paths: list[str]) -> int:
    """The total size of the files in bytes; 0 if it is not known."""
    if any(is_compressed(path) or holds_files(path) for path in paths):
        return 0
    try:
        return sum(Path(path).stat().st_size for path in paths)
    except (OSError, ValueError):
        return 0


def _report_files(form: str, reports: list[str]) -> list[tuple[str, Path]]:
    wanted: list[tuple[str, Path]] = []
    for name, target in [(form, None), *((r.partition("=")[0], r.partition("=")[2]) for r in reports)]:
        if name not in FORMATS:
            fail(Told("there is no {what} {name}", what=Told("format"), name=f"`{name}`"), did_you_mean(name, FORMATS))
        if target is not None:
            if not target:
                fail(
                    Told("{option} names no file", option=f"`--report {name}`"),
                    Told("write {instead}", instead=f"`--report {name}=FILE`"),
                )
            wanted.append((name, Path(target)))
    return wanted


def _check_targets(targets: list[Path], paths: list[str], request: Request) -> None:
    """Stop before anything is judged if a report would replace an input, another output, or an existing file that must
    not be overwritten.
    """
    places = {_place(Path(p)) for p in (request.results, request.write_baseline) if p is not None}
    if request.results is not None and request.write_baseline is not None and len(places) < 2:
        fail(Told("two reports would be written to `{file}`", file=request.results), Told("name a file for each"))
    for target in targets:
        if is_stream(target):
            continue
        place = _place(target)
        if place in places:
            fail(Told("two reports would be written to `{file}`", file=str(target)), Told("name a file for each"))
        places.add(place)
        if any(path != "-" and _is_same(Path(path), target) for path in paths):
            fail(Told("`{file}` is one of the files to check; the report needs another name", file=str(target)))
        if request.baseline is not None and _is_same(Path(request.baseline), target):
            fail(
                Told("`{file}` is an input of this command and cannot be overwritten", file=str(target)),
                Told("write to another file"),
            )
        keep_file(target, request.force)


def _place(target: Path) -> Path:
    """Where a file is written, whatever its folder is called."""
    return Path(os.path.realpath(target.parent)) / target.name


def _is_same(path: Path, target: Path) -> bool:
    try:
        return path.samefile(target)
    except (OSError, ValueError):
        return False
