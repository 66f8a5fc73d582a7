"""Checking documents: their form, their ruleset, and the findings of the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from pwtool.checking.explaining import Asked, Refusal, in_short, refusal_in, word_at
from pwtool.checking.report import FileResult, Played, Verdict, beside
from pwtool.eval.kleene import is_unknown
from pwtool.ir.model import Ruleset
from pwtool.play.game import Game
from pwtool.play.record import Record
from pwtool.play.replay import Replay, replay_record
from pwtool.records.file_names import RECORD_NAMES, STDIN, names_record, split_line
from pwtool.records.inputs import Document, Text
from pwtool.records.json_form import Malformed
from pwtool.records.json_places import JsonMap
from pwtool.records.json_text import load_json
from pwtool.records.ruleset_store import Rulebook, RulesetStore, not_loaded
from pwtool.records.words import FORMAT, STATE_FORMAT
from pwtool.rules.library import split_address
from pwtool.text import Diagnostic, Result, Severity
from pwtool.text.diagnostic import mistake
from pwtool.text.regex import regex
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Speech, Told
from pwtool.text.words import MAX_QUOTED, shorten

if TYPE_CHECKING:
    from pwtool.records.importers.formats import Draft, GameText
    from pwtool.records.importers.stated import Agreed, Stated
    from pwtool.records.notation.tree import Notation
    from pwtool.why.findings import Place, Words
    from pwtool.why.trials import Trials

SIDE_LINE = "(…)"
"""How a line of play beside the game is called among what a record has no place for."""
NO_FORM = Told("this is neither a record nor a state file")
_BEGINS_JSON = regex(r"\s*\Z|(?:\s|(?://|#).*\n)*[\[{\"]")
"""A text that may be meant as JSON, with comments at its beginning."""


class Loaded(Struct, frozen=True):
    """A document that was read: its source, its JSON form, and the place of each value in the source.

    For a game in notation, `data` contains only the headers until `choose_rulebook` has found its ruleset. Of a file of
    another program: what it `stated` of its rules, the result that players `agreed` on, `warnings`, `remarks` for findings
    at some places, the number of `side_lines`, which nobody judges, and how often it has something that a record has no
    place for (`left_out`); the draft, if no more was read than that; why it names no ruleset (`unnamed`).
    """

    document: Document
    source: SourceFile
    data: Any
    locate: Callable[[tuple[str | int, ...]], Span]
    notation: Result[Notation] | None = None
    stated: tuple[Stated, ...] = ()
    agreed: Agreed | None = None
    warnings: tuple[Diagnostic, ...] = ()
    remarks: Mapping[Span, Told] = field(default_factory=dict)
    side_lines: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    draft: Draft | None = None
    unnamed: Diagnostic | None = None

    @property
    def is_state(self) -> bool:
        return isinstance(self.data, dict) and self.data.get("format") == STATE_FORMAT

    def named_ruleset(self) -> str | None:
        """The ruleset that the document itself names."""
        address = self.data.get("ruleset") if isinstance(self.data, dict) else None
        return address if isinstance(address, str) else None


def unreadable(name: str, diagnostics: tuple[Diagnostic, ...], ruleset: str | None = None) -> FileResult:
    """The result for what cannot be judged; warnings alone are about no document."""
    if diagnostics and verdict_of(diagnostics) is Verdict.CLEAN:
        return FileResult(name, ruleset, Verdict.CLEAN, diagnostics, documents=0)
    return FileResult(name, ruleset, Verdict.UNREADABLE, diagnostics)


def failed(name: str, ruleset: str | None, error: Exception) -> FileResult:
    """A result that reports an internal error."""
    return unreadable(name, (replace(mistake(error), file=name),), ruleset)


def load_document(document: Document) -> Loaded | FileResult:
    """Read the JSON of a document; a result that says why if that fails."""
    if document.source is None:
        return unreadable(document.name, document.diagnostics)
    if document.is_notation:
        return _load_notation(document, document.source)
    if document.form is not None:
        return _load_foreign(document, document.source, document.form)
    result = load_json(document.source)
    if result.value is None:
        return unreadable(document.name, _other_file(document, document.source) or result.diagnostics)
    return Loaded(document, document.source, result.value, JsonMap(document.source).span)


def _other_file(document: Document, source: SourceFile) -> tuple[Diagnostic, ...]:
    """What is wrong with a file of which neither the name nor the text is that of a record."""
    name = document.name
    if name.endswith(".rules"):
        message = Told("this is a rules file, not a record")
        help_line = Told("`pwtool lint {name}` checks it, `--rules {name}` judges records by it", name=name)
    elif (name == STDIN or not names_record(split_line(name)[0])) and not _BEGINS_JSON.match(source.text):
        message = Told("this is not a record")
        help_line = RECORD_NAMES if name != STDIN else Told("records are JSON; `--from FORMAT` names another format")
    else:
        return ()
    return (Diagnostic("PW703", message, file=name, help=help_line),)


def _load_notation(document: Document, source: SourceFile) -> Loaded | FileResult:
    from pwtool.records.notation.parser import parse_notation
    from pwtool.records.notation.reading import read_head

    parsed = parse_notation(source)
    if parsed.value is None:
        return unreadable(document.name, parsed.diagnostics)
    head = read_head(parsed.value)
    return Loaded(document, source, head.data, head.locate, parsed)


def _load_foreign(document: Document, source: SourceFile, form: str) -> Loaded | FileResult:
    from pwtool.records.importers.installed import import_game

    result = import_game(source, form)
    if result.value is None:
        return unreadable(document.name, result.diagnostics)
    return imported(document, source, *result.value)


def load_draft(text: Text) -> Loaded | None:
    """What is read quickly of a game in the format of another program, if it is plain; it counts if kernels find it clean."""
    from pwtool.records.importers.formats import GameText
    from pwtool.records.importers.installed import draft_game

    draft = text.draft
    if draft is not None:
        source = text.document().source
        assert source is not None
        notes = GameText(source)
    else:
        drafted = None if text.form is None else draft_game(text.data, text.form, text.file, text.limit, text.line)
        if drafted is None:
            return None
        draft, notes = drafted
    notes.stated += draft.stated
    document = Document(text.name, notes.file, (), text.command, text.form)
    return imported(document, notes.file, {"players": draft.players}, notes, draft)


def imported(
    document: Document, source: SourceFile, data: dict[str, object], notes: GameText, draft: Draft | None = None
) -> Loaded:
    """A document in the format of another program, of which this was read."""
    left_out = notes.left_out
    if notes.side_lines:
        left_out = left_out + Counter({SIDE_LINE: notes.side_lines})
    return Loaded(
        document, source, data, notes.locate, stated=tuple(notes.stated), agreed=notes.agreed,
        warnings=tuple(notes.warnings), remarks=notes.remarks, side_lines=notes.side_lines,
        left_out=left_out, draft=draft, unnamed=notes.unnamed,
    )  # fmt: skip


def choose_rulebook(
    loaded: Loaded, ruleset_store: RulesetStore, address: str | None
) -> tuple[Loaded, Rulebook, str] | FileResult:
    """The ruleset to judge by, the given one or the one that the document names, its address, and the document, which
    is now read completely.
    """
    name = loaded.document.name
    own = own_address(loaded, ruleset_store)
    if address is None and isinstance(own, Diagnostic):
        return unreadable(name, (own,))
    wanted = address or (own if isinstance(own, str) else None)
    if address is not None and _is_no_game(loaded):
        return unreadable(name, (_no_form(loaded),), address)
    if wanted is None:
        if loaded.notation is not None and loaded.notation.diagnostics:
            return unreadable(name, loaded.notation.diagnostics)
        if not isinstance(loaded.data, dict) or loaded.data.get("format") not in (FORMAT, STATE_FORMAT):
            return unreadable(name, (_no_form(loaded),))
        if loaded.data.get("ruleset", "") != "":
            return unreadable(name, (Diagnostic("PW702", Told("`ruleset` is a text"), loaded.locate(("ruleset",))),))
        span = loaded.locate(())
        message = Told("the record names no ruleset")
        diagnostic = loaded.unnamed or Diagnostic(
            "PW706",
            message,
            replace(span, end=span.start + 1),
            help=Told("give one with --rules, `pwtool rules` lists all"),
        )
        return unreadable(name, (diagnostic,))
    result = ruleset_store.get(wanted)
    if result.value is None:
        if address is not None:
            return unreadable(name, result.diagnostics, address)
        return unreadable(
            name, not_loaded(wanted, loaded.locate(("ruleset",)), result.diagnostics), shorten(wanted, MAX_QUOTED)
        )
    # The words of a notation are defined by its own ruleset, whichever ruleset judges.
    if loaded.notation is not None and isinstance(own, Diagnostic):
        problem, own, is_there = own, *_own_among(loaded, result.value)
        if own is None and is_there:
            return unreadable(name, (problem,), wanted)
    words = ruleset_store.get(own).value if loaded.notation is not None and isinstance(own, str) else None
    words = words or result.value
    # Whoever chooses a ruleset may not know what the file says.
    found = stated_otherwise(loaded, result.value.game)
    if any(d.level is Severity.ERROR for d in found):
        return unreadable(name, found, wanted)
    whole = _read_notation(loaded, words, wanted)
    return whole if isinstance(whole, FileResult) else (whole, result.value, wanted)


def stated_otherwise(loaded: Loaded, game: Game) -> tuple[Diagnostic, ...]:
    """What a file of another program says of its rules that is not so in a ruleset: errors, and warnings."""
    return tuple(found for one in loaded.stated if (found := one.problem(game, loaded.locate)) is not None)


def own_address(loaded: Loaded, ruleset_store: RulesetStore) -> str | Diagnostic | None:
    """The ruleset that a document may name: one of the library, or a file in a folder that the store allows. Otherwise
    a record could bring its own judge.
    """
    named = loaded.named_ruleset()
    path, variants = split_address(named) if named is not None else (None, "")
    if path is None:
        return named
    span = loaded.locate(("ruleset",))
    file = Path(loaded.source.name).parent / path
    try:
        # What the file includes is listed next to its name: all of it has to lie in an allowed folder.
        places = file.resolve(), file.parent.resolve()
        for folder in ruleset_store.rules_from:
            if all(place.is_relative_to(Path(folder).resolve()) for place in places):
                return f"{file}{variants}"
    except (OSError, ValueError, RuntimeError):
        return Diagnostic("PW203", Told("the name of the rules file points nowhere"), span)
    help_line = Told(
        "use them with `--rules {path}`, or allow the rules files of a folder with --rules-from",
        path=shorten(path, MAX_QUOTED),
    )
    return Diagnostic("PW707", Told("the record names its own rules"), span, help=help_line)


def _own_among(loaded: Loaded, book: Rulebook) -> tuple[str | None, bool]:
    """The address of the rules file that a document names, if the given ruleset is read from it or builds on it; and whether
    there is such a file.
    """
    path, variants = split_address(loaded.named_ruleset() or "")
    file = Path(loaded.source.name).parent / (path or "")
    try:
        given = {Path(header.span.file.name).resolve() for header in book.game.ruleset.merged.headers}
        return (f"{file}{variants}" if file.resolve() in given else None), file.is_file()
    except (OSError, ValueError, RuntimeError):
        return None, False


def _read_notation(loaded: Loaded, book: Rulebook, wanted: str) -> Loaded | FileResult:
    """The document read with this ruleset; only the words of a notation depend on it."""
    if loaded.notation is None or loaded.notation.value is None:
        return loaded
    from pwtool.records.notation.reading import read_notation

    read = read_notation(loaded.notation.value, book.game)
    problems = (*loaded.notation.diagnostics, *read.diagnostics)
    if read.value is None or problems:
        problems = tuple(sorted(problems, key=lambda d: d.span.start if d.span else -1))
        return unreadable(loaded.document.name, problems, wanted)
    return replace(loaded, data=read.value.data, locate=read.value.locate)


def _is_no_game(loaded: Loaded) -> bool:
    """Whether a document is obviously something else, so that listing what a record needs makes no sense."""
    data = loaded.data
    if loaded.notation is not None:
        return False
    return not isinstance(data, dict) or (data.get("format") not in (FORMAT, STATE_FORMAT) and "turns" not in data)


def _no_form(loaded: Loaded) -> Diagnostic:
    span = loaded.locate(("format",))
    hint = Told('a record contains `"format": "pwtool/1"`')
    return Diagnostic("PW702", NO_FORM, replace(span, end=min(span.end, span.start + 1)), help=hint)


def decode_loaded(loaded: Loaded, book: Rulebook) -> Record | FileResult:
    """The record in the engine's form, or all errors in its form."""
    try:
        return book.decoder.record(loaded.data)
    except Malformed as malformed:
        return _malformed(loaded, book, malformed)


def _malformed(loaded: Loaded, book: Rulebook, malformed: Malformed) -> FileResult:
    from pwtool.records.validation import diagnose

    found = diagnose(book.decoder, loaded.data, malformed, loaded.locate, loaded.is_state)
    return unreadable(loaded.document.name, tuple(found), book.game.ruleset.address)


def check_loaded(
    loaded: Loaded,
    ruleset_store: RulesetStore,
    address: str | None,
    language: str,
    causes: bool = True,
    explains: Callable[[str, Refusal], bool | Asked] | None = None,
    trials: Callable[[str], Trials | None] | None = None,
    words: Words = "all",
) -> FileResult:
    """Check a document by one ruleset; `causes`: separate root causes from follow-up errors; `explains`: whether a game
    that a ruleset refuses is explained, or told in short, perhaps to be `Asked` for later (None: explained). A kernel
    that refuses the document gives `trials` under a ruleset; `words`: what of its findings is put into words.
    """
    result = _check(loaded, ruleset_store, address, language, causes, explains, trials, words)
    result = with_version(result, ruleset_store)
    book = ruleset_store.get(result.ruleset).value if loaded.stated and result.ruleset is not None else None
    if book is not None and result.verdict is not Verdict.UNREADABLE:
        loaded = replace(loaded, warnings=(*loaded.warnings, *stated_otherwise(loaded, book.game)))
        result = as_agreed(result, loaded, book.game)
    return with_notes(result, loaded, language)


def as_agreed(result: FileResult, loaded: Loaded, game: Game) -> FileResult:
    """The result of a clean game, undetermined if its players agreed on another end than the rules give."""
    played = result.played
    if loaded.agreed is None or result.verdict is not Verdict.CLEAN or played is None or not played.over:
        return result
    found = loaded.agreed.problem(game, played.totals)
    return result if found is None else replace(result, verdict=Verdict.UNDETERMINED, diagnostics=(found,))


def with_notes(result: FileResult, loaded: Loaded, language: str) -> FileResult:
    """The result in a language, with the warnings and remarks of a game in the format of another program, and the number
    of its side lines.
    """
    if loaded.warnings or loaded.remarks:
        found = (
            replace(d, notes=(loaded.remarks[d.span], *d.notes))
            if d.span is not None and d.span in loaded.remarks
            else d
            for d in result.diagnostics
        )
        result = replace(result, diagnostics=(*loaded.warnings, *found))
    result = result.within(Speech(language))
    if not loaded.side_lines:
        return result
    return replace(result, summary=(*result.summary, *beside(loaded.side_lines)), side_lines=loaded.side_lines)


def with_version(result: FileResult, ruleset_store: RulesetStore) -> FileResult:
    """The result with the version of the ruleset that it names, if it exists."""
    book = ruleset_store.get(result.ruleset).value if result.ruleset is not None else None
    return result if book is None else replace(result, version=book.game.ruleset.version)


def _check(
    loaded: Loaded,
    ruleset_store: RulesetStore,
    address: str | None,
    language: str,
    searched: bool,
    explains: Callable[[str, Refusal], bool | Asked] | None,
    trials: Callable[[str], Trials | None] | None,
    words: Words,
) -> FileResult:
    chosen = choose_rulebook(loaded, ruleset_store, address)
    if isinstance(chosen, FileResult):
        return chosen
    loaded, book, wanted = chosen
    if loaded.is_state:
        return _check_state(loaded, book, wanted, language, address is None)
    record = decode_loaded(loaded, book)
    if isinstance(record, FileResult):
        return record
    judge = None
    if trials is not None and not record.has_unseen:
        from pwtool.why.judging import whole

        judge = whole(book.game, record, book.legal)
    replay = replay_record(book.game, record, book.legal) if judge is None else judge.replay
    changed = _version_changed(loaded, record.version, book) if address is None else ()
    played = played_of(book.game, replay)
    summary = summarize(book.game.ruleset, played)
    if replay.cut:
        summary = (summary[0], Told("not judged to the end"))
    if replay.clean and not changed:
        return FileResult(loaded.document.name, wanted, Verdict.CLEAN, (), summary, played=played)
    refusal = None if explains is None else refusal_in(replay)
    told = explains is None or refusal is None or explains(wanted, refusal)
    if refusal is not None and told is not True:
        # Nothing else, so that it is the same that kernels find.
        known = Played(tuple(record.players), 0, 0, False, unseen=record.has_unseen, id=record.id)
        foreign = None if loaded.document.form is None else loaded
        short = in_short(book, loaded.source, loaded.document.name, wanted, refusal, language, known, foreign)
        return replace(
            short, diagnostics=(*changed, *short.diagnostics), asked=told if isinstance(told, Asked) else None
        )
    from pwtool.why.causes import mark_causes, mark_first
    from pwtool.why.findings import not_judged, to_diagnostics

    tried = trials(wanted) if trials is not None and searched else None
    causes = mark_causes(book.game, replay, book.legal, tried, judge) if searched else mark_first(replay)
    place = place_of(loaded, record.players, record)
    found = to_diagnostics(book, replay.findings, place, language, causes, words)
    diagnostics = (*changed, *found, *not_judged(book, replay, place, language))
    return FileResult(
        loaded.document.name, wanted, verdict_of(diagnostics), diagnostics, summary, played=played, cut_short=replay.cut
    )


def place_of(loaded: Loaded, players: list[str], record: Record | None = None) -> Place:
    """What findings have to know of a document: a record, or a position."""
    from pwtool.why.findings import Place

    document = loaded.document
    word = partial(word_at, loaded)
    return Place(document.name, loaded.locate, players, document.command, loaded.notation is not None, record, word)


def _version_changed(loaded: Loaded, version: str | None, book: Rulebook) -> tuple[Diagnostic, ...]:
    now = book.game.ruleset.version
    if version is None or version == now:
        return ()
    address = book.game.ruleset.address
    message = Told(
        "the record was made for version {version} of {ruleset}, but this is version {now}",
        version=shorten(version, MAX_QUOTED), ruleset=f"`{address}`", now=now,
    )  # fmt: skip
    help_line = Told(
        "use the current rules with {option}, or write the new version into the record", option=f"--rules {address}"
    )
    return (Diagnostic("PW613", message, loaded.locate(("version",)), help=help_line),)


def _check_state(loaded: Loaded, book: Rulebook, wanted: str, language: str, own_ruleset: bool) -> FileResult:
    # Few documents are positions.
    from pwtool.play.position import check_position
    from pwtool.records.states import decode_state

    try:
        state = decode_state(book.decoder, loaded.data)
    except Malformed as malformed:
        return _malformed(loaded, book, malformed)
    game, position = book.game, (state.state, state.names, state.missing)
    findings = check_position(game, *position, between=state.moment == "between", last=state.last)
    changed = _version_changed(loaded, state.version, book) if own_ruleset else ()
    name = loaded.document.name
    if not findings and not changed:
        within = state.moment == "within" or (
            state.moment is None and any(not f.undetermined for f in check_position(game, *position, True, state.last))
        )
        turns = game.ruleset.cycle == "turn"
        moment = Told("position within a turn") if turns else Told("position within a round")
        return FileResult(name, wanted, Verdict.CLEAN, (), (moment if within else Told("position"),))
    from pwtool.why.findings import to_diagnostics

    diagnostics = (*changed, *to_diagnostics(book, findings, place_of(loaded, state.names), language))
    cut = any(f.code == "PW617" for f in findings)
    return FileResult(name, wanted, verdict_of(diagnostics), diagnostics, (Told("position"),), cut_short=cut)


def verdict_of(diagnostics: tuple[Diagnostic, ...]) -> Verdict:
    """The verdict for these findings; a record with warnings only is clean."""
    levels = {d.level for d in diagnostics}
    if Severity.ERROR in levels:
        return Verdict.FINDINGS
    return Verdict.UNDETERMINED if Severity.UNDETERMINED in levels else Verdict.CLEAN


def played_of(game: Game, replay: Replay) -> Played:
    """The outcome of a replayed game."""
    record, result, trigger = replay.record, replay.result, replay.play.trigger
    played = Played(
        tuple(record.players), len(record.turns), replay.actions, replay.play.over, claims=_claims(game, replay),
        unseen=record.has_unseen, id=record.id,
    )  # fmt: skip
    if not played.over or result is None:
        return played
    ranking = None if result.ranking is None else tuple(map(tuple, result.ranking))
    ending = (game.ruleset.endings[trigger[0]].name, trigger[1]) if trigger else (None, None)
    lines = tuple({name: known(value) for name, value in lines.items()} for lines in result.parts)
    return replace(
        played,
        totals=tuple(map(known, result.totals)),
        lines=lines,
        ranking=ranking,
        ending=ending[0],
        ending_turn=ending[1],
    )


def _claims(game: Game, replay: Replay) -> dict[str, int | None]:
    """The objectives in play, each with the first turn in which an action or a consequence named it."""
    ruleset, goals = game.ruleset, replay.record.goals
    if not ruleset.claiming:
        return {}
    done = [(turn, ruleset.consequences[name], values) for turn, _, name, values in replay.consequences]
    first = replay.record.first
    for number, turn in enumerate(replay.record.turns[: max(0, replay.play.turn - first + 1)], first):
        done += [(number, game.action(m.number), m.arguments) for m in turn.moves if not m.consequence]
    found: dict[str, int | None] = dict.fromkeys(goals)
    for number, model, arguments in sorted(done, key=lambda one: one[0]):
        for p, argument in zip(model.parameters, arguments, strict=True):
            if p.type.kind == "goal":
                for goal in argument if p.each else (argument,):
                    if isinstance(goal, int) and found[goals[goal]] is None:
                        found[goals[goal]] = number
    return found


def known(number: Any) -> int | None:
    """A number, or None if it depends on unseen things."""
    return None if is_unknown(number) else int(number)


def summarize(ruleset: Ruleset, played: Played) -> tuple[Told, ...]:
    """A game in a few words: turns, actions, how it ended."""
    turns = (
        Told("{count} turn", "{count} turns", played.turns)
        if ruleset.cycle == "turn"
        else Told("{count} round", "{count} rounds", played.turns)
    )
    actions = Told("{count} action", "{count} actions", played.actions)
    length = Told("{turns}, {actions}", turns=turns, actions=actions)
    if not played.over:
        return (length, Told("not finished"))
    if not played.ranking:
        return (length,)
    first = played.ranking[0]
    names = [played.players[seat] for seat in first]
    if len(first) > 1 and any(criterion.kind == "replayed" for criterion in ruleset.ranking):
        return (length, Told("a full tie between {names}, to be played again", names=names))
    points = played.totals[first[0]]
    if 1 < len(first) == len(played.players):
        return (length, Told("a draw, {points} each", points=points))
    return (length, Told("won by {names} with {points}", names=names, points=points))
