"""`pwtool compare`."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from pwtool.checking.documents import Loaded, load_document, unreadable
from pwtool.checking.report import FileResult
from pwtool.cli.common import (
    choose_language,
    fail,
    open_book,
    open_store,
    print_laid,
    told_apart,
    without_notes,
    write_file,
)
from pwtool.cli.output_settings import output_settings
from pwtool.cli.streams import note, print_data
from pwtool.comparing.evidence import Contradiction, Evidence, Played, is_related, under_names_of, weigh_rows
from pwtool.comparing.matrix import Matrix, compare_all
from pwtool.comparing.measuring import measure_impact
from pwtool.comparing.renames import named_alike
from pwtool.comparing.row import NATURES, Row
from pwtool.comparing.rows import compare_rulesets, shared_items
from pwtool.records.encoding import encode_record
from pwtool.records.file_names import begins_with_a_file, names_record
from pwtool.records.inputs import find_paths, read_documents, read_texts
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.readings import printed_readings
from pwtool.show.text.comparing import (
    Comparison,
    exit_code,
    matrix_json,
    matrix_lines,
    text_head,
    text_lines,
    to_json,
    unread_lines,
)
from pwtool.text import InternalError
from pwtool.text.speech import Told
from pwtool.text.terminal import escape
from pwtool.why.voice import Voice

if TYPE_CHECKING:
    from pwtool.show.html.playing.pictures import Pictures
    from pwtool.show.html.stepping import SteppedGame


@dataclass(frozen=True, slots=True)
class Asked:
    """The options and arguments of the command line. `readings` and `as_printed` apply to the last ruleset: `compare fr
    fr --reading ...` shows what a reading changes.
    """

    addresses: list[str]
    readings: list[str]
    as_printed: bool = False
    archives: list[str] | None = None
    form: str = "text"
    sheet: bool = False
    output: Path | None = None
    force: bool = False
    witness: Path | None = None
    effort: float = 1.0
    language: str | None = None


def run_compare(asked: Asked) -> int:
    """Print the differences between rulesets; 0 if they mean the same, 1 if not, 3 if something is undecided."""
    choose_language(asked.language, asked.addresses)
    _check(asked)
    paths, linked = _paths(asked)
    shelves = [open_store() for _ in asked.addresses[:-1]] + [open_store(asked.readings, asked.as_printed)]
    books = [
        open_book(address, ruleset_store, quiet=True)
        for address, ruleset_store in zip(asked.addresses, shelves, strict=True)
    ]
    adopted = (*asked.readings, *(printed_readings(books[-1].game.ruleset.merged) if asked.as_printed else ()))
    if len(books) > 2:
        played: list[Evidence] = []

        def compared(one: Rulebook, other: Rulebook) -> list[Row]:
            rows, evidence = _compared(one, other, asked.effort)
            played.append(evidence)
            return rows

        # One item has one name in all columns.
        named = [books[0], *(under_names_of(book, books[0]) for book in books[1:])]
        matrix = compare_all(named, compared, lambda book: book.game.ruleset.merged.items.keys())
        renamed = {number for number, book in enumerate(books) if named[number] is not book}
        matrix = replace(matrix, by_names=tuple(
            (i, j) for (i, j), rows in matrix.pairs.items()
            if renamed & {i, j} and i and exit_code(rows) and not exit_code(_compared(books[i], books[j], asked.effort)[0])
        ))  # fmt: skip
        games, judged_alike, borrowed = zip(*(evidence.played for evidence in played), strict=True)
        _write(asked, _matrix(asked, matrix, books, adopted, (sum(games), sum(judged_alike), any(borrowed))))
        return exit_code([row for rows in matrix.pairs.values() for row in rows])
    first, second = books
    rows, evidence = _compared(first, second, asked.effort)
    addresses = asked.addresses[0], asked.addresses[1]
    folder = None if asked.witness is None or asked.witness.is_file() else asked.witness
    if folder is not None and not is_related(first.game, second.game):
        _note(Told("the two games have no action in common: any game of one shows it, none is looked for"))
    elif folder is not None:
        from pwtool.cli.witnessing import write_witnesses

        labels = Comparison(addresses, (first.game, second.game), rows, 0, None, adopted).labels()
        rows = write_witnesses(
            addresses,
            labels,
            (first, second),
            rows,
            (shelves[0], shelves[1]),
            folder,
            asked.force,
            asked.effort,
            evidence.differ,
        )
    texts = chain(linked, without_notes(chain.from_iterable(map(read_texts, paths)))) if paths or linked else None
    alike = named_alike(second.game, first.game).game
    comparison = Comparison(
        addresses, (first.game, alike), rows, shared_items(first.game, alike),
        measure_impact(texts, addresses, (shelves[0], shelves[1])) if texts else None, adopted,
        evidence.played, _voice(asked),
    )  # fmt: skip
    _write(asked, _rendered(asked, comparison, (shelves[0], shelves[1])))
    unreadable_games = comparison.impact is not None and comparison.impact.named("unreadable")
    return 2 if unreadable_games else exit_code(rows)


def _voice(asked: Asked) -> Voice:
    return Voice(choose_language(asked.language, asked.addresses))


def _note(*messages: str) -> None:
    speech = output_settings.speech
    note(*(speech.headed(speech.say("note"), speech.tell(message)) for message in messages))


def _compared(first: Rulebook, second: Rulebook, effort: float) -> tuple[list[Row], Evidence]:
    """The rows, confirmed by games. If a game refutes a proof, it is kept and the command stops with an internal error."""
    rows = compare_rulesets(first.game, second.game)
    try:
        return weigh_rows(first, second, rows, effort)
    except Contradiction as found:
        book = (first, second)[found.under]
        with tempfile.NamedTemporaryFile("wb", prefix="pwtool-contradiction-", suffix=".json", delete=False) as kept:
            kept.write(json.dumps(encode_record(book.game, found.record)).encode())
        raise InternalError(f"{found}; the game is kept in {kept.name}") from found


def _check(asked: Asked) -> None:
    if len(asked.addresses) < 2:
        example = "`pwtool compare GAME/EDITION GAME/OTHER`"
        fail(Told("at least two rulesets are needed"), Told("name them: {command}", command=example))
    if asked.sheet and (asked.archives or asked.witness):
        help_line = Told("leave {option} out for {others}", option="--sheet", others=["--games", "--witness"])
        fail(Told("a sheet tells players what changes, without games"), help_line)
    # A file name means the games in it: the folder to be created gets another name.
    if asked.witness is not None and names_record(asked.witness.name) and not asked.witness.exists():
        fail(_missing(asked.witness), Told("name a folder for games that are to be looked for"))
    if asked.witness is not None and asked.witness.is_file() and asked.form != "html":
        fail(Told("the games of a file are drawn on a page"), Told("add {option}", option="`--format html`"))
    if asked.witness is not None and not asked.witness.is_file() and asked.effort <= 0:
        fail(Told("`--effort 0` plays no games, `--witness` looks for some"), Told("leave one of them out"))
    if len(asked.addresses) > 2 and (asked.sheet or asked.archives or asked.witness):
        fail(
            Told("a sheet, witnesses and the impact on games are about two rulesets"), Told("more of them give a table")
        )


def _missing(file: object) -> Told:
    return Told("{file}: there is no such file", file=f"`{file}`")


def _paths(asked: Asked) -> tuple[list[str], list[FileResult]]:
    """The files of the archive, all of which exist, and links in its folders that are not followed. Wrong names are
    reported before anything is computed.
    """
    paths, problems = find_paths(asked.archives or [])
    problems = told_apart(problems)
    for problem in problems:
        if problem.code == "PW705":
            fail(problem.message, problem.help)
    for path in paths:
        if path != "-" and not begins_with_a_file(path):
            fail(_missing(path))
    return paths, [unreadable(p.file or "", (p,)) for p in problems]


def _documents(paths: list[str]) -> Iterator[Loaded | FileResult]:
    for path in paths:
        for document in without_notes(read_documents(path)):
            if document.source is None:
                yield unreadable(document.name, document.diagnostics)
            else:
                yield load_document(document)


def _stepped(
    asked: Asked, comparison: Comparison, shelves: tuple[RulesetStore, RulesetStore], pictures: Pictures, voice: Voice
) -> list[SteppedGame]:
    """The games that were found to show the differences, or the recorded games of a file, board by board."""
    if asked.witness is None or not asked.witness.exists():
        return []
    from pwtool.show.html.stepping import step_document
    from pwtool.show.html.witnesses import with_variant

    games: list[SteppedGame | None] = []
    if asked.witness.is_file():
        games += _of_file(asked.witness, comparison, shelves, pictures, voice)
    for row in sorted(comparison.rows, key=lambda row: NATURES.index(row.nature)):
        played = with_variant(comparison.addresses, row)
        labels = with_variant(comparison.labels(), row)
        loaded = [d for d in _documents(list(row.witness)) if not isinstance(d, FileResult)]
        games += [step_document(d, played, shelves, labels, pictures, voice, as_recorded=True) for d in loaded]
    return [game for game in games if game is not None]


def _of_file(
    path: Path, comparison: Comparison, shelves: tuple[RulesetStore, RulesetStore], pictures: Pictures, voice: Voice
) -> list[SteppedGame]:
    """The games of a file that at least one of the two rulesets can read; stops the command if there are none."""
    from pwtool.show.html.stepping import step_document

    documents = list(_documents([str(path)]))
    loaded = [d for d in documents if not isinstance(d, FileResult) and not d.is_state]
    labels = comparison.labels()
    found = [step_document(d, comparison.addresses, shelves, labels, pictures, voice) for d in loaded]
    games = [game for game in found if game is not None]
    if len(games) < len(documents):
        left_out = unread_lines(measure_impact(read_texts(str(path)), comparison.addresses, shelves), voice)
        if not games:
            fail(Told("`{file}` holds no game of these rulesets", file=str(path)), voice.say("; ").join(left_out))
        _note(*left_out)
    return games


def _rendered(asked: Asked, comparison: Comparison, shelves: tuple[RulesetStore, RulesetStore]) -> str | list[str]:
    if asked.sheet:
        from pwtool.show.html.switching import render_switching

        return render_switching(comparison, asked.form, comparison.voice.language)
    if asked.form == "json":
        return to_json(comparison)
    folder = str(asked.output.parent) if asked.output else "."
    if asked.form == "markdown":
        from pwtool.show.machine.comparing import render_comparison

        return render_comparison(comparison, folder)
    if asked.form == "html":
        from pwtool.show.html.comparing import render_page
        from pwtool.show.html.playing.pictures import Pictures

        pictures = Pictures()
        games = _stepped(asked, comparison, shelves, pictures, comparison.voice)
        return render_page(comparison, games, folder, comparison.voice.language, pictures)
    return text_lines(comparison)


def _matrix(
    asked: Asked, matrix: Matrix, books: list[Rulebook], adopted: tuple[str, ...], played: Played
) -> str | list[str]:
    last = asked.addresses[-1] + (f" ({', '.join(adopted)})" if adopted else "")
    labels, voice = [*asked.addresses[:-1], last], _voice(asked)
    if asked.form == "json":
        return matrix_json(matrix, labels, played)
    if asked.form == "markdown":
        from pwtool.show.machine.comparing import render_matrix

        return render_matrix(matrix, labels, voice)
    if asked.form == "html":
        from pwtool.show.html.comparing import render_matrix_page

        return render_matrix_page(matrix, labels, [voice.title(b.game) for b in books], voice)
    return matrix_lines(matrix, labels, played, voice)


def _write(asked: Asked, content: str | list[str]) -> None:
    if asked.output is not None:
        text = "\n".join(map(escape, content)) if isinstance(content, list) else content
        write_file(asked.output, text, asked.force)
    elif isinstance(content, list):
        print_laid(content, partial(text_head, voice=_voice(asked)))
    else:
        print_data(content if content.endswith("\n") else content + "\n")
