"""The formats of other programs that are installed.

Every format, also those that come with pwtool, is an entry point of the group `pwtool.importers`. Its name is the suffix
of its files, so that names of files tell the format without loading any package; only the one that is needed is loaded.
Whatever a format does wrong is a finding.
"""

from __future__ import annotations

import codecs
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from msgspec import Struct

from pwtool.records.importers.formats import Draft, Format, GameText, NoForm
from pwtool.records.importers.kept import losses, other_turn
from pwtool.records.json_text import decode_bytes
from pwtool.records.words import FORMAT
from pwtool.text import Diagnostic, Result
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Told

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

__all__ = [
    "GROUP",
    "Installed",
    "Written",
    "draft_game",
    "find_format",
    "format_names",
    "import_game",
    "naming_format",
    "no_format",
    "recognised",
]

T = TypeVar("T")
GROUP = "pwtool.importers"
_RECOGNISED_BY = 1 << 16
"""How many bytes from the beginning of a file tell its format."""


def format_names() -> tuple[str, ...]:
    """The names of all formats in order, without loading any."""
    return _names(tuple(sys.path))


def find_format(name: str) -> Result[Installed] | None:
    """The format with this name, or why it cannot be used; None if there is none."""
    return _found(name, tuple(sys.path))


def recognised(begin: bytes) -> str | None:
    """The format that the first bytes of a file belong to. A format that cannot be loaded recognises nothing."""
    for name in format_names():
        found = find_format(name)
        if found is not None and found.value is not None and found.value.recognises(begin[:_RECOGNISED_BY]):
            return name
    return None


def naming_format(game: str) -> Installed | None:
    """The format that names the moves of a game; None if no installed one does. This loads formats."""
    return _naming(game, tuple(sys.path))


def import_game(file: SourceFile, form: str) -> Result[tuple[dict[str, object], GameText]]:
    """The record of one game, with the places of its parts; or findings (PW704) that say why there is none."""
    found = find_format(form)
    if found is None or found.value is None:
        problems = () if found is None else found.diagnostics
        return Result(None, problems or (Diagnostic("PW704", no_format(form), file=file.name),))
    return found.value.read(file)


def draft_game(data: bytes, form: str, file: str, limit: int, line: int) -> tuple[Draft, GameText] | None:
    """The draft of one game (see `Format.draft`) that begins in a line of a file."""
    found = find_format(form)
    return None if found is None or found.value is None else found.value.draft(data, file, limit, line)


def no_format(name: str) -> Told:
    """What is said of a format that no installed package offers."""
    return Told("there is no importer `{name}`", name=name)


@lru_cache(maxsize=4)
def _names(path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(_entries(path).names))


@lru_cache(maxsize=4)
def _entries(path: tuple[str, ...]) -> EntryPoints:
    """The entry points of the packages in these folders."""
    # Imported here: a check of a record does not need it, and importing it takes a tenth of that time.
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


@lru_cache(maxsize=64)
def _naming(game: str, path: tuple[str, ...]) -> Installed | None:
    found = (_found(name, path) for name in _names(path))
    installed = (one.value for one in found if one is not None and one.value is not None)
    return next((one for one in installed if game in one.form.names_moves_of), None)


@lru_cache(maxsize=64)
def _found(name: str, path: tuple[str, ...]) -> Result[Installed] | None:
    found = tuple(_entries(path).select(name=name))
    if not found:
        return None
    if len(found) > 1:
        packages = " and ".join(sorted(_package(entry) for entry in found))
        message = f"`{name}` is an importer of several packages: {packages}"
        return Result(None, (Diagnostic("PW704", message, help="uninstall all but one of them"),))
    package = _package(found[0])
    try:
        form = found[0].load()
    except (Exception, SystemExit) as error:
        return Result(None, (_failure(name, package, f"cannot be loaded: {_told(error)}"),))
    if not isinstance(form, Format):
        return Result(None, (_failure(name, package, "is not a format"),))
    return Result(Installed(name, package, form))


class Written(Struct, frozen=True):
    """A record in the format of another program: its text, what is read from that, and how often something in the record is
    not (`lost`), or is another note (`restated`), by the names of its parts. `other` is the first turn that is read as another one.
    """

    text: str
    record: Mapping[str, Any]
    notes: GameText
    lost: Counter[str]
    restated: Counter[str]
    other: int | None


class Installed(Struct, frozen=True):
    """A format of an installed package. Its errors are findings."""

    name: str
    package: str
    form: Format

    @property
    def is_own(self) -> bool:
        """Whether it comes with pwtool."""
        return type(self.form).__module__.startswith("pwtool.")

    def recognises(self, begin: bytes) -> bool:
        """Whether the first bytes of a file say that it has this format."""
        try:
            return bool(self.form.recognises(begin))
        except (Exception, SystemExit) as error:
            _told(error)
            return False

    def games(self, stream: BinaryIO, file: str) -> Iterator[tuple[int, bytes, Draft | None] | Diagnostic]:
        """The games of a file with the lines in which they begin and perhaps their drafts; a finding if the rest cannot be
        read.
        """
        games = self.form.games(stream)
        while True:
            try:
                game = next(games, None)
            except OSError:
                # The file is damaged, not the format.
                raise
            except (Exception, SystemExit) as error:
                yield self._failed(error, file)
                return
            if game is None:
                return
            line, data, draft = (
                (*game, None)[:3] if isinstance(game, tuple) and len(game) in (2, 3) else (game, None, None)
            )
            if type(line) is not int or type(data) is not bytes or not (draft is None or isinstance(draft, Draft)):
                yield _failure(self.name, self.package, f"returned no game but {type(game).__name__}", file)
                return
            yield line, data, draft

    def decoded(self, data: bytes, name: str, limit: int, line: int) -> Result[SourceFile]:
        """The text of a game, or why it has none."""
        try:
            if self.form.is_binary:
                return Result(SourceFile(name, self.form.text(data), line))
            encoding = codecs.lookup(self.form.encoding(data)).name
        except (Exception, SystemExit) as error:
            return Result(None, (self._failed(error, name, Span(SourceFile(name, "", line), 0, 0)),))
        return decode_bytes(data, name, limit, line, encoding)

    def draft(self, data: bytes, name: str, limit: int, line: int) -> tuple[Draft, GameText] | None:
        """The draft of a game, if there is one."""
        file = SourceFile(name, "", line) if self.form.is_binary else self.decoded(data, name, limit, line).value
        if file is None:
            return None
        game = GameText(file, data)
        try:
            draft = self.form.draft(game)
        except (Exception, SystemExit) as error:
            # `read` says it, too.
            _told(error)
            return None
        return None if draft is None or game.problems else (draft, game)

    def read(self, file: SourceFile) -> Result[tuple[dict[str, object], GameText]]:
        """The record of a game and the places of its parts; or findings (PW704)."""
        game = GameText(file)
        try:
            record: object = self.form.read(game)
        except ModuleNotFoundError as missing:
            if self.form.extra is None or missing.name != self.form.extra[0]:
                return Result(None, (self._failed(missing, file.name, game.locate(())),))
            return Result(None, (self._not_installed(*self.form.extra, game.locate(())),))
        except (Exception, SystemExit) as error:
            return Result(None, (self._failed(error, file.name, game.locate(())),))
        found = tuple(game.problems)
        if found:
            return Result(None, found)
        problem = None if self.is_own and record is not None else _nonsense(record)
        if problem is not None:
            return Result(None, (_failure(self.name, self.package, problem, file.name, game.locate(())),))
        assert isinstance(record, dict)
        return Result((record, game))

    def name_moves(self, position: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], str | None] | None:
        """What players call the moves in a position (see `Format.name_moves`); None if the format cannot say it."""
        name = self._told(lambda: self.form.name_moves(position))
        return None if name is None else lambda action: _line(self._told(lambda: name(action)))

    def join_moves(self, names: Sequence[str]) -> str | None:
        """What several moves of one turn are called together, if the format says it."""
        return _line(self._told(lambda: self.form.join_moves(names)))

    def number_of(self, turn: int, seat: int) -> str | None:
        """What players write before the moves of a turn instead of its number, if the format says it."""
        return _line(self._told(lambda: self.form.number_of(turn, seat)))

    def _told(self, ask: Callable[[], T]) -> T | None:
        """What the format says of names, None if it fails: that matters less than what would be shown with them."""
        try:
            return ask()
        except ModuleNotFoundError as missing:
            if self.form.extra is None or missing.name != self.form.extra[0]:
                _told(missing)
        except (Exception, SystemExit) as error:
            _told(error)
        return None

    def write(
        self, record: Mapping[str, Any], name: str, locate: Callable[[tuple[str | int, ...]], Span] | None = None
    ) -> Result[Written]:
        """A record of this name in this format; or a finding (PW721) that says why it has no form there, and where."""
        record = _without_turn_comments(record)
        try:
            text = self.form.write(record)
            again = self._read_again(text, name)
            if again.value is None:
                return Result(None, (self.unread(name, again.diagnostics[0].message),))
            own = {f"meta.{name}" for name in (*self.form.own_notes, *again.value[0].get("meta", ()))}  # type: ignore[misc]
            lost = losses(record, again.value[0])
            restated = Counter({name: count for name, count in lost.items() if name in own})
            other = other_turn(record, again.value[0])
            return Result(Written(text, *again.value, lost - restated, restated, other))
        except NoForm as error:
            place = locate(error.path) if locate is not None and error.path else None
            return Result(None, (Diagnostic("PW721", error.args[0], place, file=name),))
        except ModuleNotFoundError as missing:
            if self.form.extra is None or missing.name != self.form.extra[0]:
                return Result(None, (self._failed(missing, name),))
            return Result(None, (self._not_installed(*self.form.extra, file=name),))
        except (Exception, SystemExit) as error:
            return Result(None, (self._failed(error, name),))

    def _read_again(self, text: str, name: str) -> Result[tuple[dict[str, object], GameText]]:
        """What is read of a game that is written so, as of a file: by its bytes."""
        if self.form.is_binary:
            return self.read(SourceFile(name, text))
        data = text.encode()
        games = [*self.games(BytesIO(data), name)]
        if len(games) != 1:
            told = Told("it is taken for {count} games", count=len(games))
            return Result(None, (Diagnostic("PW704", told, file=name),))
        if isinstance(games[0], Diagnostic):
            return Result(None, (games[0],))
        decoded = self.decoded(games[0][1], name, len(data), 1)
        return Result(None, decoded.diagnostics) if decoded.value is None else self.read(decoded.value)

    def unread(self, name: str, reason: str) -> Diagnostic:
        """The finding for a record of this name that is not written, because nobody could read it."""
        message = Told(
            "what would be written in {suffix} cannot be read: {reason}", suffix=f"`.{self.name}`", reason=reason
        )
        return Diagnostic("PW721", message, file=name)

    def _not_installed(self, package: str, extra: str, span: Span | None = None, file: str | None = None) -> Diagnostic:
        message = Told("{suffix} files need the package {package}", suffix=f"`.{self.name}`", package=f"`{package}`")
        help_line = Told("install it with the extra: {command}", command=f"`pip install 'pwtool[{extra}]'`")
        return Diagnostic("PW704", message, span, file, help=help_line)

    def _failed(self, error: BaseException, file: str, span: Span | None = None) -> Diagnostic:
        return _failure(self.name, self.package, f"failed: {_told(error)}", file, span)


def _without_turn_comments(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record in which the last action of a turn says what the turn said: other formats have comments of moves alone."""

    def joined(turn: Mapping[str, Any]) -> Mapping[str, Any]:
        if not turn.get("comment") or not turn["actions"]:
            return turn
        *others, last = turn["actions"]
        said = " ".join(filter(None, (last.get("comment"), turn["comment"])))
        actions = [*others, {**last, "comment": said}]
        return {name: part for name, part in turn.items() if name != "comment"} | {"actions": actions}

    return {**record, "turns": [*map(joined, record["turns"])]}


def _line(text: object) -> str | None:
    """A text of one line; None for anything else."""
    return text if isinstance(text, str) and text.isprintable() else None


def _failure(name: str, package: str, problem: str, file: str | None = None, span: Span | None = None) -> Diagnostic:
    """The finding that says what a format did wrong, and with which game."""
    return Diagnostic(
        "PW704",
        f"the importer `{name}` of {package} {problem}",
        span,
        file=file,
        help=f"this is a mistake of {package}; PWTOOL_TRACEBACK=1 shows more",
    )


def _nonsense(record: object) -> str | None:
    """What is wrong with a value that should be a record; None for one."""
    if record is None:
        return "returned neither a record nor findings"
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        return f'returned something that is not a record (`"format": "{FORMAT}"`)'
    try:
        is_json = json.loads(json.dumps(record)) == record
    except (TypeError, ValueError, RecursionError):
        is_json = False
    return None if is_json else "returned a record with values that JSON does not have"


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.module


def _told(error: BaseException) -> str:
    """An error in one line, or raised again if a traceback was requested."""
    if os.environ.get("PWTOOL_TRACEBACK"):
        raise error
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
