"""Adding suggested examples to rules files: next to the others of their item, in the style of the file.

A file is only written if its whole ruleset loads with the addition and every example passes. A change that an added
example already notices is not covered again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from pwtool.checking.examples import run_examples
from pwtool.checking.rewriting import holds_text, write_rules
from pwtool.lang import tree as n
from pwtool.lang.fmt.text import format_rules
from pwtool.lang.merged import Key, Merged
from pwtool.lang.parser import parse_rules
from pwtool.play.game import Game
from pwtool.rules.build import build_ruleset, load_ruleset
from pwtool.rules.library import Library
from pwtool.rules.targets import Target
from pwtool.text.source import SourceFile
from pwtool.text.speech import Told
from pwtool.text.store import reason_of
from pwtool.why.examples import failed_examples
from pwtool.why.mutation import Survivor


@dataclass(slots=True)
class _Added:
    """The additions to one file: examples, each with its text and its place."""

    file: SourceFile
    path: Path
    examples: list[n.Example] = field(default_factory=list)
    pieces: list[tuple[int, str]] = field(default_factory=list)

    def text(self) -> str:
        text = self.file.text
        # Work backwards so that earlier positions stay valid; at the same position, the later piece comes last.
        for _, (at, piece) in sorted(enumerate(self.pieces), key=lambda p: (p[1][0], p[0]), reverse=True):
            text = text[:at] + piece + text[at:]
        if format_rules(self.file).value == self.file.text:
            formatted = format_rules(SourceFile(self.file.name, text)).value
            text = formatted if isinstance(formatted, str) else text
        return text


def accept_examples(game: Game, target: Target, library: Library, survivors: Iterable[Survivor]) -> list[str]:
    """Write the examples that notice these changes into the files of a ruleset; returns a report in lines."""
    if target.path is None:
        return [Told("nothing added: the rules of the library stay as they are")]
    folder = target.path.parent

    def home(file: SourceFile) -> Path | None:
        path = folder / Path(file.name).name
        return path if path.is_file() and holds_text(path, file) else None

    files: dict[str, _Added] = {}
    lines: list[str] = []
    for survivor in survivors:
        example = _parsed(survivor.witness)
        if example is None:
            continue
        place = place_example(game, survivor.key, survivor.witness, home)
        if place is None:
            lines.append(Told("nothing added for {item}: its file is none of those that were named", item=survivor.key[1]))  # fmt: skip
            continue
        file, path, at, piece = place
        added = files.setdefault(file.name, _Added(file, path))
        if not _is_noticed(game, survivor, added.examples):
            added.examples.append(example)
            added.pieces.append((at, piece))
    for added in files.values():
        lines.append(_written(added, target, library))
    return lines


def _parsed(witness: Iterable[str]) -> n.Example | None:
    text = "\n".join(witness)
    document = parse_rules(SourceFile("example", f"part example of example\n{text}\n")).value if text else None
    found = [item for item in document.declarations if isinstance(item, n.Example)] if document is not None else []
    return found[0] if found else None


def _is_noticed(game: Game, survivor: Survivor, examples: list[n.Example]) -> bool:
    merged = game.ruleset.merged
    items = {**merged.items, survivor.key: survivor.mutant.item}
    changed = build_ruleset(game.ruleset.address, replace(merged, items=items)).value if examples else None
    return changed is not None and next(iter(failed_examples(Game(changed), examples)), None) is not None


def place_example(
    game: Game, key: Key, witness: Sequence[str], home: Callable[[SourceFile], Path | None]
) -> tuple[SourceFile, Path, int, str] | None:
    """Where an example for an item is written, and its text: after the last one of its name in a writable file (which
    `home` finds), otherwise after its item. A board is added to existing boards.
    """
    example = _parsed(witness)
    if example is None:
        return None
    merged = game.ruleset.merged
    beside = [e for e in merged.examples if e.name.name == example.name.name]
    items = [item for (_, name), item in merged.items.items() if name == example.name.name]
    for node in (*reversed(beside), *(_whole(merged, item) for item in (*items, merged.items[key]))):
        path = home(node.span.file)
        if path is None:
            continue
        file = node.span.file
        if isinstance(node, n.Example) and not (node.givens or example.givens) and node.outcomes:
            last = node.outcomes[-1].span
            board = file.text[last.start : last.end].partition("[")
            new = witness[0].partition("{")[2].rpartition("}")[0].strip()
            if board[1] and new.partition("[")[1]:
                start = file.text.rfind("\n", 0, last.start) + 1
                indent = file.text[start : last.start]
                word, picture = new.partition("[")[0].strip(), new[new.index("[") :]
                one_line = bool(indent.strip())
                piece = f" {word} {picture}" if one_line else f"\n{indent}{word.ljust(3)} {picture}"
                return file, path, last.end, piece
        return file, path, node.span.end, "\n" + "\n".join(witness)
    return None


def _whole(merged: Merged, item: n.Node) -> n.Node:
    """The declaration in which an item is written: the action, for a rule inside one."""
    span = item.span
    outer = (*merged.of_kind(n.Action), *merged.of_kind(n.Consequence))
    inside = (o for o in outer if o.span.file == span.file and o.span.start < span.start and span.end <= o.span.end)
    return next(inside, item)


def _written(added: _Added, target: Target, library: Library) -> str:
    text = added.text()
    path = next((path for path, file in library.opened.items() if file.name == added.file.name), added.file.name)
    drafts = Library(library.folder, None, drafts={**library.drafts, path: text})
    found = load_ruleset(target.address, drafts)
    if found.value is None or any(run_examples(Game(found.value))):
        return Told("{file}: nothing added, the file would not check", file=added.path)
    try:
        write_rules(added.path, text)
    except OSError as error:
        return Told("{file}: nothing added, {reason}", file=added.path, reason=reason_of(error))
    return Told("{file}: {count} example added", "{file}: {count} examples added", len(added.examples), file=added.path)
