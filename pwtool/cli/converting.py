"""`pwtool convert`: records between JSON, archives and the text notation."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from pwtool.checking.documents import choose_rulebook, decode_loaded, load_document, own_address
from pwtool.checking.reading_again import is_judged_alike, why_unread
from pwtool.checking.report import FileResult
from pwtool.cli.common import check_format, fail, open_store, print_diagnostics, told_apart, without_notes
from pwtool.cli.streams import complain, note, print_data
from pwtool.cli.writing import ARCHIVE, Game, archive_line, is_archive, tell_left_out, write_games, write_one
from pwtool.lang.limits import is_long_notation
from pwtool.records.containers import holds_files, suffix_of
from pwtool.records.file_names import NOTATION, format_of, is_table
from pwtool.records.importers.installed import Installed, find_format
from pwtool.records.inputs import Document, find_paths, read_documents
from pwtool.records.notation.writing import format_notation
from pwtool.records.record_text import format_record
from pwtool.records.ruleset_store import RulesetStore
from pwtool.text import Diagnostic
from pwtool.text.files import is_folder
from pwtool.text.speech import Told

FORMS = {"pwn": NOTATION, "json": ".json", "jsonl": ARCHIVE}


def run_convert(
    files: list[str],
    output: str,
    form: str | None,
    address: str | None,
    force: bool,
    rules_from: list[str],
    written_in: str | None = None,
) -> int:
    """Convert every record; write those that could be converted. Exit code 2 if one could not. `written_in`: the format of
    another program, whatever the files are called.
    """
    check_format(written_in)
    suffix = _suffix(output, form)
    ruleset_store = open_store(rules_from=rules_from)
    paths, problems = find_paths(files, written_in)
    unopened = told_apart(problems)
    diagnostics = list(unopened)
    games: list[Game] = []
    left_out, lost, restated = Counter[str](), Counter[str](), Counter[str]()
    count = 0
    for path in paths:
        for document in without_notes(read_documents(path, written_in)):
            count += 1
            game = _convert(document, ruleset_store, address, suffix, left_out, lost, restated)
            if isinstance(game, Game):
                games.append(game)
            else:
                diagnostics += game
    if diagnostics:
        print_diagnostics(tuple(diagnostics))
    code = 2 if diagnostics else 0
    if diagnostics and not games:
        complain(Told("nothing was written"))
        return code
    if output == "-":
        _print(games, count, suffix)
        tell_left_out(left_out)
        tell_left_out(lost, suffix)
        tell_left_out(restated, suffix, is_restated=True)
        return code
    single = Path(output).suffix and not is_folder(Path(output))
    is_foreign = suffix not in FORMS.values()
    many = suffix == ARCHIVE or holds_files(output) or is_table(output) or is_foreign
    if count > 1 and single and not many:
        fail(
            Told("`{file}` is one file, but there are {games} records", file=output, games=count),
            Told("write an archive, -o OUT.jsonl, or a folder"),
        )
    if is_foreign:
        write_one("".join(game.text for game in games), Path(output), force)
    else:
        write_games(games, Path(output), force, not single, suffix, rules_from)
    if diagnostics:
        # A file that is not opened may hold several games, too, but counts as one.
        note(Told("{written} of {count} converted", written=len(games), count=count + len(unopened)))
    else:
        note(Told("{written} converted", written=len(games)))
    tell_left_out(left_out)
    tell_left_out(lost, suffix)
    tell_left_out(restated, suffix, is_restated=True)
    return code


def _suffix(output: str, form: str | None) -> str:
    """The suffix of the output format: the requested one, otherwise that of the file name."""
    own = suffix_of(output) if output != "-" and not is_folder(Path(output)) else ""
    if own and (holds_files(output) or is_table(output)):
        if form == "jsonl" or (form is not None and is_table(output)):
            fail(Told("{option} does not match `{file}`", option=f"`--to {form}`", file=output))
        return FORMS[form or "json"]
    if own:
        own = ARCHIVE if is_archive(Path(output)) else own
        foreign = format_of(output)
        if form is None and foreign is not None and _writer(foreign).form.is_written:
            return own
        if own not in FORMS.values():
            fail(
                Told("`{file}` is not a file name for records", file=output),
                Told(
                    "write to a file that ends in .pwn, .json or .jsonl (each also .gz, .xz, .zst), .zip, .tar, .parquet or .arrow, or to a folder"
                ),
            )
        if form is not None and FORMS[form] != own:
            fail(Told("{option} does not match `{file}`", option=f"`--to {form}`", file=output))
        return own
    if form is None:
        fail(Told("which format do you want?"), Told("use `--to pwn`, `--to json` or `--to jsonl`"))
    if form == "jsonl" and output != "-":
        fail(Told("an archive is one file"), Told("write `-o OUT.jsonl`"))
    return FORMS[form or "pwn"]


def _writer(form: str) -> Installed:
    """The format of another program; stops the command if it cannot be used."""
    check_format(form)
    found = find_format(form)
    assert found is not None and found.value is not None
    return found.value


def _convert(
    document: Document,
    ruleset_store: RulesetStore,
    address: str | None,
    suffix: str,
    left_out: Counter[str],
    lost: Counter[str],
    restated: Counter[str],
) -> Game | tuple[Diagnostic, ...]:
    loaded = load_document(document)
    if isinstance(loaded, FileResult):
        return loaded.diagnostics
    if loaded.is_state:
        help_line = Told("positions have no notation; only recorded games can be converted")
        return (
            Diagnostic("PW721", Told("this is a position, not a record"), loaded.locate(("format",)), help=help_line),
        )
    # The words of a notation are those of the ruleset that the record names; another ruleset would use others.
    named = own_address(loaded, ruleset_store)
    chosen = choose_rulebook(
        loaded, ruleset_store, None if isinstance(named, str) and ruleset_store.get(named).value else address
    )
    if isinstance(chosen, FileResult):
        return chosen.diagnostics
    loaded, book, _ = chosen
    record = decode_loaded(loaded, book)
    if isinstance(record, FileResult):
        return record.diagnostics
    if suffix not in (NOTATION, *FORMS.values()):
        writer = _writer(suffix[1:])
        result = writer.write(loaded.data, document.name, loaded.locate)
        if result.value is None:
            return result.diagnostics
        written, text = result.value, result.value.text
        reason = why_unread(written.record, written.notes, writer.name, ruleset_store)
        if reason is not None:
            return (writer.unread(document.name, reason),)
        stated = written.record, written.notes, writer.name, ruleset_store
        if written.other is not None and not is_judged_alike(loaded, book.game.ruleset.address, *stated):
            # What nobody can write may be why a game is refused.
            at = min(written.other, len(record.turns) - 1)
            message = Told("{suffix} files have no form for turn {turn}", suffix=f"`{suffix}`", turn=record.first + at)
            return (Diagnostic("PW721", message, loaded.locate(("turns", at))),)
        # What follows from the rules is not lost.
        follows = book.game.ruleset.consequences
        lost.update({name: n for name, n in written.lost.items() if name not in follows})
        restated.update(written.restated)
    elif suffix == NOTATION:
        text = format_notation(loaded.data, book.game)
        if is_long_notation(text):
            message = Told("the notation of this game is longer than pwtool can read")
            return (Diagnostic("PW721", message, file=document.name),)
    else:
        text = format_record(loaded.data)
    left_out.update(loaded.left_out)
    return Game(document.name, loaded.data, text)


def _print(games: list[Game], count: int, suffix: str) -> None:
    """Print games on standard output; `count`: how many records there are."""
    if suffix == ARCHIVE:
        for game in games:
            print_data(archive_line(game.data) + "\n")
        return
    if count > 1:
        fail(
            Told("there are {games} records", games=count),
            Told("`--to jsonl` prints one per line, -o FOLDER writes a file for each"),
        )
    for game in games:
        print_data(game.text)
