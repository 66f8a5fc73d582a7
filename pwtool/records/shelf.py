"""Loaded rulesets by address, each compiled once."""

from __future__ import annotations

from dataclasses import dataclass, field

from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.records.decoding import Decoder
from pwtool.rules.library import MAX_ADDRESS, Library
from pwtool.rules.stored import load_ruleset
from pwtool.text import Diagnostic, Result

MAX_KEPT = 64
"""How many rulesets are kept at once."""


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
    `as_printed` the printed form of each of its errata too. Records may name rules files of the folders `rules_from`.
    """

    library: Library
    readings: tuple[str, ...] = ()
    as_printed: bool = False
    rules_from: tuple[str, ...] = ()
    _books: dict[str, Result[Rulebook]] = field(default_factory=dict)

    def get(self, address: str) -> Result[Rulebook]:
        """The rulebook at an address, or what is wrong with it."""
        address = address.strip()
        if len(address) > MAX_ADDRESS:
            return self._load(address)
        found = self._books.get(address)
        if found is None:
            if len(self._books) >= MAX_KEPT:
                # Records name rulesets as they like: the oldest makes room.
                del self._books[next(iter(self._books))]
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
