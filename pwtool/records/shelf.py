"""Loaded rulesets by address, each compiled once."""

from __future__ import annotations

from dataclasses import dataclass, field

from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.records.decoding import Decoder
from pwtool.rules.library import Library
from pwtool.rules.stored import load_ruleset
from pwtool.text import Diagnostic, Result


@dataclass(frozen=True, slots=True)
class Rulebook:
    """A ruleset ready to judge: compiled, with the decoder of its records."""

    game: Game
    decoder: Decoder
    legal: LegalActions
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(slots=True)
class Shelf:
    """Loads rulesets when they are first asked for and keeps them. `readings` are adopted in every one, with
    `as_printed` the printed form of each of its errata too.
    """

    library: Library
    readings: tuple[str, ...] = ()
    as_printed: bool = False
    _books: dict[str, Result[Rulebook]] = field(default_factory=dict)

    def get(self, address: str) -> Result[Rulebook]:
        """The rulebook at an address, or what is wrong with it."""
        found = self._books.get(address)
        if found is None:
            found = self._books[address] = self._load(address)
        return found

    def _load(self, address: str) -> Result[Rulebook]:
        result = load_ruleset(address, self.library, self.readings)
        if result.value is not None and self.as_printed:
            from pwtool.rules.build import printed_readings

            result = load_ruleset(address, self.library, (*self.readings, *printed_readings(result.value.merged)))
        if result.value is None:
            return Result(None, result.diagnostics)
        game = Game(result.value)
        return Result(Rulebook(game, Decoder(game), LegalActions(game), result.diagnostics), result.diagnostics)
