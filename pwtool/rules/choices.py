"""What else may be chosen where a ruleset is used: its other readings, and variants that its files say something about.

What is wrong there shows only when it is chosen, long after its author has looked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.lang.merged import Merged
from pwtool.rules.build import load_ruleset, readings_of
from pwtool.rules.library import Library
from pwtool.rules.targets import Target
from pwtool.text import Diagnostic, Result, Severity
from pwtool.text.speech import Told

MAX_CHOICES = 100
"""How many are looked at."""


class Choice(Struct, frozen=True):
    """A ruleset with one choice more: how it is chosen (`--reading once_a_turn=freely`, `+advanced`), what is declared for
    it alone, and the ruleset or why there is none.
    """

    option: str
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
        note = Told("only with {option}", option=f"`{self.option}`")
        return tuple(replace(d, notes=(*d.notes, note)) for d in found)


def other_choices(
    address: str, library: Library, merged: Merged, chosen: tuple[str, ...] = ()
) -> tuple[list[Choice], list[Diagnostic]]:
    """Each single choice that is left at an address where these readings are chosen, and a warning if there are more than
    are looked at.
    """
    left = list(_left(merged, {reading.partition("=")[0] for reading in chosen}))
    found: list[Choice] = []
    for node, name, declarations in left[:MAX_CHOICES]:
        if isinstance(node, n.Within):
            result = load_ruleset(f"{address}+{name}", library, chosen)
            found.append(Choice(f"+{name}", declarations, result))
        else:
            result = load_ruleset(address, library, (*chosen, name))
            found.append(Choice(f"--reading {name}", declarations, result))
    if len(left) <= MAX_CHOICES:
        return found, []
    message = "only {most} of {all} readings and variants that may be chosen were looked at"
    dropped = Diagnostic.of("PW308", message, left[MAX_CHOICES][0].span, most=MAX_CHOICES, all=len(left))
    return found, [replace(dropped, severity=Severity.WARNING)]


def pairings(target: Target, library: Library, merged: Merged, chosen: tuple[str, ...] = ()) -> list[Diagnostic]:
    """Why an edition cannot be played with a variant of its game, or a variant with an edition, as notes: they are written apart,
    and whoever plays them together would be the first to see it. An edition may say that it is `without` a variant.
    """
    found: list[Diagnostic] = []
    for address in _pairs(target, library, merged)[:MAX_CHOICES]:
        errors = [d for d in load_ruleset(address, library, chosen).diagnostics if d.level is Severity.ERROR]
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


def _left(merged: Merged, decided: set[str]) -> Iterator[tuple[n.Node, str, tuple[n.Node, ...]]]:
    for (_, name), node in merged.items.items():
        if name not in decided:
            yield from ((node, f"{name}={reading}", declared) for reading, declared in readings_of(node))
    for variant, said in merged.within.items():
        if variant not in merged.without and variant not in _played(merged):
            yield said[0][1], variant, tuple(d for _, within in said for d in within.declarations)


def _played(merged: Merged) -> set[str]:
    return {header.name.name for header in merged.headers if header.kind == "variant"}
