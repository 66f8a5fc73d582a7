"""What else may be chosen where a ruleset is used: its other readings, and variants that its files say something about.

What is wrong there shows only when it is chosen, long after its author has looked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.lang.merged import Merged
from pwtool.rules.build import build_ruleset, load_ruleset
from pwtool.rules.layers import merge_layers
from pwtool.rules.library import Layer, Library
from pwtool.rules.readings import readings_of
from pwtool.rules.targets import Target
from pwtool.text import Diagnostic, Result, Severity
from pwtool.text.speech import Told

MAX_CHOICES = 100
"""How many are looked at."""


class Choice(Struct, frozen=True):
    """A ruleset with one choice more: a variant, a reading of an open point (`once_a_turn=freely`), or a reading that the variant
    brings; what is declared for it alone, and the ruleset or why there is none.
    """

    variant: str
    reading: str
    declarations: tuple[n.Node, ...]
    result: Result[Ruleset]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """What keeps the ruleset from being played in this way."""
        return self.mark(d for d in self.result.diagnostics if d.level is Severity.ERROR)

    @property
    def examples(self) -> list[n.Example]:
        """The examples that are about this choice."""
        mine = {str(node.span) for node in self.declarations}
        ruleset = self.result.value
        return [e for e in ruleset.merged.examples if str(e.span) in mine] if ruleset is not None else []

    def mark(self, found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Findings, each with a note that it takes this choice."""
        said = [f"+{self.variant}"] if self.variant else []
        option = " ".join([*said, f"--reading {self.reading}"] if self.reading else said)
        note = Told("only with {option}", option=f"`{option}`")
        return tuple(replace(d, notes=(*d.notes, note)) for d in found)


def other_choices(
    address: str, library: Library, layers: list[Layer], chosen: tuple[str, ...] = ()
) -> tuple[list[Choice], list[Diagnostic]]:
    """Each single choice that is left at an address with these layers, beside the readings that are chosen; and a warning if there
    are more than are looked at.
    """
    merged = merge_layers(layers, chosen)
    left = _left(address, library, layers, merged, chosen)
    found = [
        Choice(variant, reading, declared, _built(whole, below, readings))
        for variant, reading, declared, whole, below, readings in islice(left, MAX_CHOICES)
    ]
    return found, _too_many(len(found) + sum(1 for _ in left), merged)


def _too_many(count: int, merged: Merged) -> list[Diagnostic]:
    """A warning if there are more than are looked at."""
    message = "only {most} of {all} readings and variants that may be chosen were looked at"
    told = Diagnostic.of("PW308", message, merged.headers[-1].span, most=MAX_CHOICES, all=count)
    return [replace(told, severity=Severity.WARNING)] if count > MAX_CHOICES else []


def _built(address: str, layers: Result[list[Layer]], readings: tuple[str, ...]) -> Result[Ruleset]:
    if layers.value is None:
        return Result(None, layers.diagnostics)
    return build_ruleset(address, merge_layers(layers.value, readings))


_Way = tuple[str, str, tuple[n.Node, ...], str, Result[list[Layer]], tuple[str, ...]]


def _left(
    address: str, library: Library, layers: list[Layer], merged: Merged, chosen: tuple[str, ...]
) -> Iterator[_Way]:
    """The choices that are left: what a `Choice` says, and of which address, layers and readings it is made."""
    decided = {reading.partition("=")[0] for reading in chosen}
    for point, reading, declared in _readings(merged):
        if point not in decided:
            yield "", reading, declared, address, Result(layers), (reading,)
    for variant, said in merged.within.items():
        if variant in merged.without or variant in _played(merged):
            continue
        wider = f"{address}+{variant}"
        below = library.layers(wider)
        # A point may be settled there: no reading is chosen.
        yield variant, "", tuple(d for _, within in said for d in within.declarations), wider, below, ()
        for point, reading, declared in _readings(merge_layers(below.value)) if below.value is not None else ():
            if ("ambiguity", point) not in merged.items and ("erratum", point) not in merged.items:
                yield variant, reading, declared, wider, below, (reading,)


def _readings(merged: Merged) -> Iterator[tuple[str, str, tuple[n.Node, ...]]]:
    """The other readings of all points: the point, the reading as it is chosen, and what it declares."""
    for (_, point), node in merged.items.items():
        for name, declared in readings_of(node):
            yield point, f"{point}={name}", declared


def pairings(target: Target, library: Library, merged: Merged) -> list[Diagnostic]:
    """Why an edition cannot be played with a variant of its game, or a variant with an edition, as notes: they are written apart,
    and whoever plays them together would be the first to see it; and a warning if there are more pairs than are looked at. An edition
    may say that it is `without` a variant.
    """
    pairs = _pairs(target, library, merged)
    found = _too_many(len(pairs), merged)
    for address in pairs[:MAX_CHOICES]:
        errors = [d for d in load_ruleset(address, library).diagnostics if d.level is Severity.ERROR]
        if errors and errors[0].code != "PW207":
            only = Told("only with {option}", option=f"`{address}`")
            advice = Told(
                "an edition that is not played so says `without {name} because ...`", name=address.rpartition("+")[2]
            )
            found.append(replace(errors[0], severity=Severity.NOTE, notes=(*errors[0].notes, only, advice)))
    return found


def _pairs(target: Target, library: Library, merged: Merged) -> list[str]:
    """The addresses of an edition with each variant, or of a variant with each edition."""
    game, last = merged.headers[0].name.name, merged.headers[-1]
    beside = target.path.parent if target.path is not None else None
    overlays, home = library.overlays(game, beside), library.home(game, beside)
    if beside not in (None, home):
        # A house edition of somebody else's game need not go with all that there is.
        return []
    if last.kind == "edition":
        apart = merged.without.keys() | merged.within.keys() | _played(merged)
        return [f"{target.address}+{name}" for name in overlays["variant"] if name not in apart]
    if [header.kind for header in merged.headers] != ["game", "variant"]:
        return []
    name = target.address.rpartition("+")[2] if target.path is None else target.path.stem
    in_library = home == library.home(game)
    return [f"{f'{game}/{e}' if in_library else home / f'{e}.rules'}+{name}" for e in overlays["edition"]]


def _played(merged: Merged) -> set[str]:
    return {header.name.name for header in merged.headers if header.kind == "variant"}
