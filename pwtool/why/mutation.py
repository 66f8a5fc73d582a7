"""Which small changes of a ruleset its examples notice."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from msgspec.structs import replace

from pwtool.boards.chance import BOARDS
from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.lang.merged import Key
from pwtool.play.game import Game
from pwtool.rules.build import build_ruleset
from pwtool.text import Detail, Diagnostic
from pwtool.text.speech import Told
from pwtool.text.words import shorten
from pwtool.why.exact import Difference, Exact
from pwtool.why.examples import failed_examples
from pwtool.why.meaning import changed_objectives, same_but_objectives, same_meaning
from pwtool.why.mutants import MUTATED, Mutant, mutants_of
from pwtool.why.witnesses import VARIATIONS, find_board, find_variation, write_board, write_example

MAX_MUTANTS = 60
MAX_TEXT = 48


@dataclass(frozen=True, slots=True)
class Survivor:
    """A change that no example notices. `witness` are the lines of an example that would notice it (empty: none was found), `tried`
    says how much was searched.
    """

    key: Key
    mutant: Mutant
    witness: tuple[str, ...]
    tried: str


@dataclass(slots=True)
class Tally:
    """The results: changes tried and noticed, those that are proven to change nothing, items without examples."""

    tried: int = 0
    noticed: int = 0
    without_examples: int = 0
    same: list[tuple[Key, Mutant]] = field(default_factory=list)


def items_to_mutate(
    ruleset: Ruleset, only: str | None, files: frozenset[str] | None = None
) -> list[tuple[Key, n.Node]]:
    """The items that are changed: all conditions, shapes, definitions and score lines, or only those of a name or of some files."""
    found: list[tuple[Key, n.Node]] = []
    for key, item in ruleset.merged.items.items():
        meant = only is None or only in (key[1], key[1].partition(".")[0])
        here = files is None or item.span.file.name in files
        if isinstance(item, MUTATED) and meant and here:
            found.append((key, item))
    return found


def survivors_of(game: Game, key: Key, item: n.Node, tally: Tally, unsaid: bool = False) -> Iterator[Survivor]:
    """The small changes of one item that no example of the ruleset notices, without those that are proven to change nothing. All
    examples hold for the unchanged ruleset. `unsaid`: also for an item without examples, whose changes all go unnoticed.
    """
    ruleset = game.ruleset
    examples = _related(ruleset, key, item)
    if not examples and not unsaid:
        # No example is about it at all, which is reported elsewhere.
        tally.without_examples += 1
        return
    unnoticed = []
    for number, mutant in enumerate(mutants_of(item, ruleset)):
        if number >= MAX_MUTANTS:
            break
        changed = _build(ruleset, key, mutant.item)
        if changed is None or same_meaning(ruleset, changed):
            continue
        tally.tried += 1
        other = Game(changed)
        if _notices(other, examples):
            tally.noticed += 1
        else:
            unnoticed.append((mutant, other, changed_objectives(ruleset, changed)))
    changes = [(name, other.ruleset.objectives[name]) for _, other, names in unnoticed for name in names]
    exact = Exact(game, changes) if changes else None
    at = 0
    for mutant, other, names in unnoticed:
        differences = [exact.difference(at + i, name) for i, name in enumerate(names)] if exact else []
        at += len(names)
        if names and all(d is not None and d.same for d in differences) and same_but_objectives(ruleset, other.ruleset):
            tally.same.append((key, mutant))
            continue
        # The same change gives the same search, whatever else was requested.
        rng = random.Random(f"{key}{mutant.span.start}{mutant.after}")
        shown = _shown(game, other, names, differences, rng)
        if shown is not None or not all(d is not None and d.same for d in differences):
            witness, tried = shown or ([], _in_vain(differences))
        elif not examples:
            continue
        else:
            witness, tried = _varied(game, other, key, examples, rng)
        yield Survivor(key, mutant, tuple(witness), tried)


def _shown(
    game: Game, other: Game, names: list[str], differences: list[Difference | None], rng: random.Random
) -> tuple[list[str], str] | None:
    """A board that distinguishes the changed objective from the original, as an example."""
    for name, difference in zip(names, differences, strict=True):
        if difference is None:
            found = find_board(game, other, name, rng)
        else:
            found = (difference.grid, difference.holds) if difference.grid else None
        if found is not None:
            grid, holds = found
            return [f"example {name} {{ {'yes' if holds else 'no'} {write_board(game.ruleset, grid)} }}"], ""
    return None


def _in_vain(differences: list[Difference | None]) -> str:
    if None in differences:
        return Told("no board among {count} tried tells them apart", count=BOARDS)
    return Told("only the empty board tells them apart, which no example can show")


def _related(ruleset: Ruleset, key: Key, item: n.Node) -> list[n.Example]:
    """The examples that may notice a change of an item, its own ones first."""
    name = key[1]
    if key[0] == "score":
        return [e for e in ruleset.merged.examples if e.name.name == "score"]
    own = [e for e in ruleset.merged.examples if _is_about(e, name)]
    if key[0] == "objective":
        return own
    if key[0] in ("shape", "define"):
        return list(ruleset.merged.examples)
    others = [e for e in ruleset.merged.examples if e not in own]
    return [*own, *others] if own else []


def _is_about(example: n.Example, name: str) -> bool:
    """Whether an example is about an item, or about the whole action of which it is a rule."""
    return example.name.name in (name, name.partition(".")[0])


def _build(ruleset: Ruleset, key: Key, item: n.Node) -> Ruleset | None:
    merged = replace(ruleset.merged, items={**ruleset.merged.items, key: item})
    return build_ruleset(ruleset.address, merged).value


def _notices(game: Game, examples: list[n.Example]) -> bool:
    return next(iter(failed_examples(game, examples)), None) is not None


def _varied(game: Game, other: Game, key: Key, examples: list[n.Example], rng: random.Random) -> tuple[list[str], str]:
    own = [e for e in examples if _is_about(e, key[1])] or examples
    variation = find_variation(game, other, own, rng)
    if variation is None:
        return [], Told("no position among {count} tried, all like those of the examples, tells them apart", count=VARIATIONS)  # fmt: skip
    return write_example(*variation), ""


# ---- reporting


def survivor_finding(survivor: Survivor) -> Diagnostic:
    """A survivor as a finding with the example to add."""
    mutant = survivor.mutant
    before, after = (shorten(text, MAX_TEXT) for text in (mutant.before, mutant.after))
    help_line = None if survivor.witness else "they may mean the same here; else an example is missing"
    message = "the examples do not tell `{before}` from `{after}` here"
    return Diagnostic.of(
        "PW413", message, mutant.span, help=help_line, notes=() if survivor.witness else (survivor.tried,),
        details=(Detail("add", survivor.witness),) if survivor.witness else (), where=Told("in {item}", item=survivor.key[1]),
        data={"item": survivor.key[1], "before": mutant.before, "after": mutant.after}, before=before, after=after,
    )  # fmt: skip


def mutate(game: Game, items: Iterable[tuple[Key, n.Node]]) -> tuple[list[Survivor], Tally]:
    """Try the small changes of some items: those that no example notices, and the totals."""
    tally = Tally()
    return [survivor for key, item in items for survivor in survivors_of(game, key, item, tally)], tally
