"""Rulesets, and everything that you can do with one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from pwtool.api.given import player_names, share, text, whole_number
from pwtool.api.one_thread import alone, each_alone
from pwtool.api.sources import Source, read_many, read_one
from pwtool.api.verdicts import Finding, Verdict, make_verdict
from pwtool.checking.archives import Checker
from pwtool.comparing.accepting import Nearby
from pwtool.records.inputs import Document
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import Library
from pwtool.text import Diagnostic
from pwtool.text.store import cache_folder

if TYPE_CHECKING:
    from pwtool.api.games import Game
    from pwtool.api.stepping import Stepper

MAX_TURNS = 1000


class RulesError(ValueError):
    """A ruleset cannot be loaded; `messages` say why."""

    def __init__(self, address: str, diagnostics: Sequence[Diagnostic]) -> None:
        self.address = address
        self.messages = tuple(f"{d.span}: {d.message}" if d.span else d.message for d in diagnostics)
        super().__init__("; ".join(self.messages) or f"{address} cannot be loaded")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, self.__dict__)


class RecordError(ValueError):
    """A record cannot be read; `findings` say why."""

    def __init__(self, verdict: Verdict) -> None:
        self.findings: tuple[Finding, ...] = verdict.findings
        super().__init__("; ".join(map(str, self.findings[:3])) or f"{verdict.name} cannot be read")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[Exception], said: tuple[Any, ...], known: dict[str, Any]) -> Exception:
    """Restore an exception from its pickled state."""
    error = kind.__new__(kind, *said)
    error.__dict__.update(known)
    return error


def load(
    address: str | PathLike[str],
    *,
    readings: Mapping[str, str] | None = None,
    as_printed: bool = False,
    cache: bool = True,
) -> Rules:
    """Load the ruleset at an address (`game/edition+variant`) or from a rules file.

    `readings` chooses other readings of open points, by name; `as_printed` reads known misprints as they are printed;
    `cache` stores the ruleset on disk for the next start.

    Raises `RulesError`, and `TypeError` for arguments of the wrong type.
    """
    path = fspath(address) if isinstance(address, str | PathLike) else address
    if not isinstance(path, str):
        raise TypeError(f"a ruleset is named by a text or a path, not {type(address).__name__}")
    if not isinstance(readings, Mapping | None):
        raise TypeError(f"`readings` is a mapping of open points to readings, not {type(readings).__name__}")
    chosen = tuple(f"{point}={choice}" for point, choice in (readings or {}).items())
    ruleset_store = RulesetStore(Library(cache=cache_folder() if cache else None), chosen, as_printed)
    return Rules(path, ruleset_store)


def rulesets() -> list[str]:
    """The addresses of the rulesets in the library, without variants."""
    library = Library()
    return [
        address
        for game in library.games()
        for address in (game, *(f"{game}/{name}" for name in library.overlays(game)["edition"]))
    ]


class Rules:
    """A ruleset, ready to judge."""

    def __init__(self, address: str, ruleset_store: RulesetStore) -> None:
        found = ruleset_store.get(address)
        if found.value is None:
            raise RulesError(address, found.diagnostics)
        self._ruleset_store = ruleset_store
        self._book: Rulebook = found.value
        self.address = address

    def __repr__(self) -> str:
        return f"<Rules {self.address} {self.version}>"

    @property
    def title(self) -> str:
        """The title of the game, its edition and its variants."""
        return self._book.game.ruleset.title

    @property
    def version(self) -> str:
        """A hash of everything that the rules mean."""
        return self._book.game.ruleset.version

    @property
    def players(self) -> range:
        """The possible numbers of players."""
        ruleset = self._book.game.ruleset
        return range(ruleset.min_players, ruleset.max_players + 1)

    @cached_property
    def objectives(self) -> dict[str, Objective]:
        """The objectives by name."""
        return {name: Objective(self._book, name) for name in self._book.game.ruleset.objectives}

    @alone
    def check(self, record: Source) -> Verdict:
        """Judge a record or a position by this ruleset, whichever ruleset it names itself."""
        return judge(read_one(record), self._ruleset_store, self.address)

    def check_many(
        self,
        records: Source | Iterable[Source],
        *,
        kernel: bool = True,
        audit: float | None = None,
        causes: bool = True,
    ) -> Iterator[Verdict]:
        """Judge archives, folders or any number of records, one after the other, without keeping them in memory.

        Kernels judge what they can, if they are installed; `audit` is the share of their verdicts that the engine
        checks (None: of a few). With `causes=False`, only the first error of each game is reported, which is some thirty times faster
        for refused games. Raises `ValueError` if `audit` is not from 0 to 1.
        """
        verdicts = _judge_many(self._ruleset_store, [self.address], records, kernel, audit, causes)
        return each_alone(self._book, verdicts)

    @alone
    def replay(self, record: Source) -> Game:
        """Play through a recorded game. Raises `RecordError` if it cannot be read."""
        from pwtool.api.games import open_game

        return open_game(read_one(record), self._ruleset_store, self.address)

    def play(self, players: int | Sequence[str] = 2, *, seed: int = 0, max_turns: int = MAX_TURNS) -> dict[str, Any]:
        """Play a random game and return its record. The same seed gives the same game.

        Raises `ValueError` for an impossible number of players, for names that are not valid in a record and for a
        negative `max_turns`; `NoSetup`, `Endless`, `OutOfBounds` and `TooMuchWork` for rules that cannot be played.
        """
        return next(self.play_many(1, players, seed=seed, max_turns=max_turns))

    def play_many(
        self, games: int, players: int | Sequence[str] = 2, *, seed: int = 0, max_turns: int = MAX_TURNS
    ) -> Iterator[dict[str, Any]]:
        """Play random games with `seed`, the seed after it, and so on. Raises the same exceptions as `play`."""
        names = player_names(players, self.players)
        games, seed = whole_number("games", games, 0), whole_number("seed", seed)
        return each_alone(self._book, self._played(names, games, seed, whole_number("max_turns", max_turns, 0)))

    def _played(self, names: list[str], games: int, seed: int, max_turns: int) -> Iterator[dict[str, Any]]:
        from pwtool.records.encoding import encode_record
        from pwtool.records.random_records import play_many

        for record in play_many(self._book, names, seed, games, max_turns):
            yield encode_record(self._book.game, record)

    @alone
    def stepper(self, players: int | Sequence[str] = 2, *, seed: int = 0) -> Stepper:
        """A game to step through quickly, forwards and back, for searches and for players of one's own (the extra `fast`).
        `seed` decides the setup and what chance draws.

        Raises `ValueError` for what `play` raises it for and for games that kernels cannot step through, `NoSetup` and
        `OutOfBounds`.
        """
        from pwtool.api.stepping import Stepper

        return Stepper(self._book, player_names(players, self.players), whole_number("seed", seed))

    @alone
    def analyze(self, *objectives: str) -> dict[str, Any]:
        """Prove facts about objectives (default: all) over all boards. The result is that of `pwtool analyze --json`."""
        from pwtool.boards.study import study_objectives
        from pwtool.show.text.studies import study_data

        names = list(objectives or self.objectives)
        for name in names:
            if not isinstance(name, str) or name not in self.objectives:
                raise ValueError(f"there is no objective `{name}`")
        game = self._book.game
        return study_data(game, study_objectives(game, names, list(self.objectives)), "en")


class Objective:
    """An objective of a ruleset."""

    def __init__(self, book: Rulebook, name: str) -> None:
        self._book = book
        self.name = name

    def __repr__(self) -> str:
        return f"<Objective {self.name}>"

    def text(self, language: str = "en") -> str:
        """The text of the objective."""
        ruleset = self._book.game.ruleset
        return ruleset.text(("objective", self.name), ruleset.objectives[self.name].text, text("language", language))

    @alone
    def holds(self, board: str) -> bool | None:
        """Whether a board, written as in examples (`[ G1 . / B2 Y3 ]`), fulfils the objective; None if unknown. Raises
        `ValueError` if the text is not a board.
        """
        from pwtool.boards.reading import read_board
        from pwtool.eval.kleene import is_unknown
        from pwtool.play.state import State

        game = self._book.game
        grid = read_board(game, text("board", board))
        if not isinstance(grid, dict):
            raise ValueError("; ".join(problem.message for problem in grid))
        verdict = game.interpreter.objective(self.name)(State(game.ruleset, 1, []), grid)
        return None if is_unknown(verdict) else bool(verdict)


def check(record: Source) -> Verdict:
    """Judge a record or a position by the ruleset that it names."""
    return judge(read_one(record), _own_shelf(), None)


def check_many(
    records: Source | Iterable[Source], *, kernel: bool = True, audit: float | None = None, causes: bool = True
) -> Iterator[Verdict]:
    """Judge archives, folders or any number of records, each by the ruleset that it names; see `Rules.check_many`."""
    return _judge_many(_own_shelf(), [], records, kernel, audit, causes)


def replay(record: Source) -> Game:
    """Play through a recorded game by the ruleset that it names. Raises `RecordError` if it cannot be read."""
    from pwtool.api.games import open_game

    return open_game(read_one(record), _own_shelf(), None)


def _own_shelf() -> RulesetStore:
    return RulesetStore(Library(cache=cache_folder()))


def judge(document: Document, ruleset_store: RulesetStore, address: str | None) -> Verdict:
    """The verdict on one document; an internal error is a finding."""
    checker = _checker(ruleset_store, [] if address is None else [address])
    (told,) = checker.check_texts([document])
    return make_verdict(told)


def _judge_many(
    ruleset_store: RulesetStore,
    addresses: list[str],
    records: Source | Iterable[Source],
    kernel: bool,
    audit: float | None,
    causes: bool,
) -> Iterator[Verdict]:
    share_ = None if audit is None else share("audit", audit)
    checker = _checker(ruleset_store, addresses, kernel=kernel, audit=share_, causes=causes)
    return map(make_verdict, checker.check_texts(read_many(records)))


def _checker(ruleset_store: RulesetStore, addresses: list[str], **options: Any) -> Checker:
    nearby = Nearby(ruleset_store, "en")
    return Checker(
        ruleset_store, addresses, remark=lambda result, loaded: nearby.tell(result, lambda: loaded), **options
    )
