"""Loaded rulesets by address, each compiled once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.records.decoding import Decoder
from pwtool.rules.library import MAX_ADDRESS, Library, split_address
from pwtool.rules.stored import load_ruleset
from pwtool.text import Diagnostic, Result
from pwtool.text.blake2b import blake2b
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import MAX_QUOTED, shorten

if TYPE_CHECKING:
    from pwtool.ir.model import Ruleset
    from pwtool.kernel.run import Runner

MAX_KEPT = 64
"""The number of rulesets kept at once."""
CHEAP = 150_000
"""The steps per position up to which a kernel need not count its instructions."""


class Rulebook(Struct, frozen=True):
    """A ruleset ready to judge: compiled, with the decoder of its records; `shipped`: whether it comes with the
    program. `wasm` is its kernel if it was made before; `cache` the folder for kernels; `codes` as in `RulesetStore`.
    """

    game: Game
    decoder: Decoder
    legal: LegalActions
    diagnostics: tuple[Diagnostic, ...] = ()
    shipped: bool = False
    wasm: bytes | None = None
    cache: Path | None = None
    codes: dict[bytes, bytes] = field(default_factory=dict)
    _made: list[Runner] = field(default_factory=list)

    @staticmethod
    def of(
        ruleset: Ruleset,
        diagnostics: tuple[Diagnostic, ...],
        shipped: bool,
        wasm: bytes | None = None,
        cache: Path | None = None,
        codes: dict[bytes, bytes] | None = None,
    ) -> Rulebook:
        """The rulebook of a checked ruleset."""
        game = Game(ruleset)
        return Rulebook(game, Decoder(game), LegalActions(game), diagnostics, shipped, wasm, cache, codes or {})

    def runner(self, greedy: bool = False) -> Runner:
        """The ruleset's kernel, made once (not the `greedy` one, which plays for points). It counts its instructions if
        the rules are somebody else's and could make it run for very long. Raises `Uncompilable`.
        """
        if self._made and not greedy:
            return self._made[0]
        from pwtool.kernel.machine import IN_BROWSER
        from pwtool.kernel.module import load_kernel, read_kernel
        from pwtool.kernel.run import Runner
        from pwtool.rules.bounds import most_steps

        ruleset = self.game.ruleset
        metered = not self.shipped and most_steps(ruleset) > CHEAP
        counted = metered and IN_BROWSER
        if greedy:
            return Runner(load_kernel(ruleset, self.cache, greedy=True, counted=counted), metered)
        kernel = load_kernel(ruleset, self.cache, counted=counted) if self.wasm is None else read_kernel(self.wasm)
        self._made.append(Runner(kernel, metered, self.codes.get(_key(kernel.wasm, metered))))
        return self._made[0]

    def code(self) -> dict[bytes, bytes]:
        """The machine code of the kernel by its key, if the kernel was made."""
        return {_key(made.kernel.wasm, made.metered): made.code() for made in self._made}


def _key(wasm: bytes, metered: bool) -> bytes:
    """What determines the machine code of a kernel, apart from the machine."""
    return blake2b(wasm, digest_size=20).digest() + bytes([metered])


class RulesetStore(Struct):
    """Loads rulesets on demand and keeps them. `readings` are adopted in all of them; `as_printed` also adopts the
    printed form of each erratum. Records may name rules files in the folders `rules_from`. `codes`: the machine code of
    kernels that another process of this machine has made.
    """

    library: Library
    readings: tuple[str, ...] = ()
    as_printed: bool = False
    rules_from: tuple[str, ...] = ()
    codes: dict[bytes, bytes] = field(default_factory=dict)
    _books: dict[str, Result[Rulebook]] = field(default_factory=dict)

    def in_a_worker(self, here: bool = True) -> RulesetStore:
        """The same without anything already loaded, as another process gets it; if that is `here`, on this machine, with
        the machine code of the kernels that were made, which takes longer to make than a worker to start.
        """
        library = Library(self.library.folder, self.library.cache)
        codes: dict[bytes, bytes] = {}
        for found in self._books.values() if here else ():
            if found.value is not None:
                codes |= found.value.code()
        return RulesetStore(library, self.readings, self.as_printed, self.rules_from, codes)

    def get(self, address: str) -> Result[Rulebook]:
        """The rulebook at an address, or what is wrong with it."""
        address = address.strip()
        if len(address) > MAX_ADDRESS:
            return self._load(address)
        found = self._books.get(address)
        if found is None:
            if len(self._books) >= MAX_KEPT:
                # Records may name any number of rulesets: the oldest is dropped.
                del self._books[next(iter(self._books))]
            found = self._books[address] = self._load(address)
        return found

    def _load(self, address: str) -> Result[Rulebook]:
        result = load_ruleset(address, self.library, self.readings)
        if result.value is not None and self.as_printed:
            from pwtool.rules.readings import printed_readings

            result = load_ruleset(address, self.library, (*self.readings, *printed_readings(result.value.merged)))
        if result.value is None:
            return Result(None, result.diagnostics)
        ships = self.library.ships(address)
        book = Rulebook.of(result.value, result.diagnostics, ships, cache=self.library.cache, codes=self.codes)
        return Result(book, result.diagnostics)

    def put(self, address: str, book: Rulebook) -> None:
        """Store this rulebook at an address."""
        self._books[address] = Result(book, book.diagnostics)


def not_loaded(wanted: str, span: Span | None, found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Why the ruleset that a document names cannot be loaded, reported at its name."""
    shown = shorten(wanted, MAX_QUOTED)
    if any(d.span is not None for d in found):
        message = Told("the rules that the record names cannot be loaded: {reason}", reason=found[0].message)
        return (
            Diagnostic(
                "PW708",
                message,
                span,
                help=Told("{command} shows all errors", command=f"`pwtool lint {shown}`"),
            ),
        )
    path = str(Path(split_address(wanted)[0] or shown))
    short = shorten(path, MAX_QUOTED)
    return tuple(replace(d, message=_with(d.message, path, short), span=span) for d in found)


def _with(message: str, path: str, short: str) -> str:
    """A message with a shorter path in it."""
    if not isinstance(message, Told):
        return message.replace(path, short)
    return Told(message.message, **{name: short if value == path else value for name, value in message.values.items()})
