"""What is shown with the text of a rules file: semantic tokens, hints about declarations, and whether examples hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from pwtool.boards.diagrams import TooLarge
from pwtool.boards.proofs import Analysis as Proofs
from pwtool.checking.accepting import place_example
from pwtool.checking.examples import run_examples
from pwtool.ir.model import Ruleset
from pwtool.kernel.compiler import Compiler
from pwtool.lang import tree as n
from pwtool.lang.merged import Key, key_of
from pwtool.lang.traversal import walk
from pwtool.lsp.model.analysis import Analysis
from pwtool.lsp.model.describing import type_words
from pwtool.lsp.model.studies import Rarity
from pwtool.lsp.model.workspace import Workspace
from pwtool.play.game import Game
from pwtool.play.state import State
from pwtool.rules.overlays import parts_of
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Told
from pwtool.text.words import counted
from pwtool.why.mutation import Tally, survivors_of
from pwtool.why.witnesses import write_board

_SHOWN = ("objective", "rule", "invariant", "ending", "score")
"""The kinds of items that should have examples."""


@dataclass(frozen=True, slots=True)
class Hint:
    """Words shown after a place of the text."""

    at: int
    text: str
    more: str = ""


@dataclass(frozen=True, slots=True)
class Ran:
    """The results of a ruleset's examples: the number of outcomes for each name, and how many fail."""

    outcomes: Counter[str]
    failed: Counter[str]


@dataclass(frozen=True, slots=True)
class Lens:
    """A line above a declaration with the state of its examples. `ran` is false if they were not run yet."""

    span: Span
    name: str
    examples: int
    failed: int
    ran: bool
    suggests: bool = False
    """Whether an example can be suggested."""

    @property
    def title(self) -> Told:
        """The text of the line."""
        if not self.examples:
            return Told("no example")
        words = Told("{count} example", "{count} examples", self.examples)
        if not self.ran:
            return words
        if self.failed:
            return Told(
                "{examples}, {count} does not hold", "{examples}, {count} do not hold", self.failed, examples=words
            )
        return Told("{examples}, it holds", "{examples}, all hold", self.examples, examples=words)


def hints(workspace: Workspace, path: Path, rarities: dict[str, Rarity] | None) -> list[Hint]:
    """How many boards fulfil an objective and what it follows from, how many things a deck has, the types of values."""
    analysis = workspace.analysis(path)
    document, ruleset = analysis.read.document, analysis.ruleset
    found: list[Hint] = []
    types = {
        (c.node.span.start, c.node.span.end): c.expr.type
        for c in analysis.seen.in_file(analysis.file.name)
        if c.expr.type.kind not in ("error", "nothing")
    }
    for node in walk(document) if document is not None else ():
        match node:
            case n.Objective(name=name) if rarities is not None and name.name in rarities:
                rarity = rarities[name.name]
                found.append(Hint(_end(node), rarity.brief, "\n".join(rarity.lines)))
            case n.Deck(name=name) if ruleset is not None and name.name in ruleset.decks:
                found.append(Hint(_end(node), _deck_words(ruleset, name.name)))
            case n.Let(name=name, value=value):
                type_ = types.get((value.span.start, value.span.end))
                if type_ is not None and type_.kind != "bool":
                    found.append(Hint(name.span.end, Told(": {type}", type=type_words(type_))))
    return found


def _end(node: n.Node) -> int:
    return node.span.start + len(node.span.text.rstrip())


def _deck_words(ruleset: Ruleset, name: str) -> str:
    deck = ruleset.decks[name]
    sure = sum(count for faces, when in deck.parts if when is None for _, count in faces)
    more = any(when is not None for _, when in deck.parts)
    words = counted(sure, deck.component)
    return Told("{things} and more", things=words) if more else words


# ---- examples


def run_all(ruleset: Ruleset) -> Ran:
    """Run all examples of a ruleset."""
    game = Game(ruleset)
    failed, _ = run_examples(game)
    outcomes: Counter[str] = Counter()
    for example in ruleset.merged.examples:
        outcomes[_of(example)] += len(example.outcomes)
    return Ran(outcomes, Counter(_of(f.example) for f in failed))


def _of(example: n.Example) -> str:
    return example.name.name


def lenses(workspace: Workspace, path: Path, ran: Ran | None) -> list[Lens]:
    """The declarations of a file that examples can be about, each with the number of its examples."""
    analysis = workspace.analysis(path)
    if analysis.read.document is None:
        return []
    outcomes: Counter[str] = Counter()
    for example in analysis.merged.examples:
        outcomes[_of(example)] += len(example.outcomes)
    found = []
    for declaration in analysis.read.document.declarations:
        inner = declaration.declaration if isinstance(declaration, n.Change) else declaration
        if isinstance(inner, n.Example) or not isinstance(inner, n.Node):
            continue
        for part in _parts(inner):
            kind, name = key_of(part)
            spoken = "score" if kind == "score" else name
            is_shown = kind in _SHOWN or (kind in ("action", "consequence") and outcomes[spoken])
            if not is_shown or analysis.merged.items.get((kind, name)) != part:
                continue
            failed = ran.failed[spoken] if ran is not None else 0
            suggests = kind in _SHOWN and (outcomes[spoken] > 0 or kind == "objective")
            found.append(Lens(part.span, spoken, outcomes[spoken], failed, ran is not None, suggests))
    return found


def _parts(node: n.Node) -> list[n.Node]:
    declares = isinstance(node, n.Action | n.Consequence | n.Rule | n.Objective | n.Invariant | n.Ending | n.Score)
    return parts_of((node,)) if declares else []


@dataclass(frozen=True, slots=True)
class Suggested:
    """An example that would notice a change of a condition: its place and its text."""

    path: Path
    file: SourceFile
    at: int
    text: str


def suggest_example(workspace: Workspace, path: Path, name: str) -> Suggested | str:
    """An example to add to those of an item, or the reason why there is none."""
    analysis = workspace.analysis(path)
    if analysis.ruleset is None:
        return Told("first fix what is wrong with the rules")
    key = _key(analysis, name)
    if key is None:
        return Told("there is nothing called `{name}`", name=name)
    game = Game(analysis.ruleset)

    def home(file: SourceFile) -> Path | None:
        other = analysis.path_of(file.name)
        return other if other is not None and workspace.may_write(other) else None

    if not any(_of(e) == name for e in analysis.merged.examples):
        written = _first_example(game, name) if key[0] == "objective" else None
        span = analysis.merged.items[key].span
        other = home(span.file)
        if written is None or other is None:
            return Told("`{name}` has no example yet: write the first one, what you mean by it", name=name)
        return Suggested(other, span.file, span.start + len(span.text.rstrip()), f"\n{written}")
    if any(_of(f.example) == name for f in run_examples(game)[0]):
        return Told("first let its examples hold")
    for survivor in survivors_of(game, key, analysis.merged.items[key], Tally()):
        placed = place_example(game, survivor.key, survivor.witness, home) if survivor.witness else None
        if placed is not None:
            file, other, at, piece = placed
            return Suggested(other, file, at, piece)
    return Told("the examples of `{name}` notice every small change that was tried", name=name)


def _first_example(game: Game, name: str) -> str | None:
    """A smallest board that fulfils an objective, and one without one of its piles that does not; None if none can be found."""
    if game.ruleset.board is None:
        return None
    analysis = Proofs(game, [name])
    try:
        board = analysis.smallest({name: True}, filled=True) if name in analysis.roots else None
    except TooLarge:
        board = None
    if board is None:
        return None
    grid = analysis.space.grid(board)
    judge, position = Compiler(game.ruleset).objective(name), State(game.ruleset, 1, [])
    fewer = ({cell: pile for cell, pile in grid.items() if cell != left} for left in grid)
    other = next((g for g in fewer if g and not judge(position, g)), None)
    no = f"  no {write_board(game.ruleset, other)}" if other is not None else ""
    return f"example {name} {{ yes {write_board(game.ruleset, grid)}{no} }}"


def _key(analysis: Analysis, name: str) -> Key | None:
    kinds = ("rule", "objective", "invariant", "ending", "score")
    return next(((kind, name) for kind in kinds if (kind, name) in analysis.merged.items), None)


# ---- names as tokens

KINDS = (
    *("namespace", "class", "property", "enumMember", "variable", "parameter", "function", "method", "interface", "event", "type"),
    *("struct", "decorator"),
)  # fmt: skip
"""The kinds in which a name can be shown, by number."""
_SHOWN_AS = {
    "game": "namespace", "edition": "namespace", "variant": "namespace", "source": "namespace", "section": "namespace",
    "component": "class", "attribute": "property", "value": "enumMember", "deck": "struct", "zone": "struct", "token": "struct",
    "var": "variable", "let": "variable", "local": "variable", "letter": "parameter", "param": "parameter", "define": "function",
    "action": "method", "consequence": "method", "rule": "decorator", "invariant": "decorator", "ending": "event", "score": "event",
    "setup": "event", "shape": "interface", "objective": "type", "ambiguity": "namespace", "reading": "namespace", "erratum": "namespace",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Named:
    """A name, how it is shown (a number of `KINDS`), and whether it is declared there."""

    span: Span
    kind: int
    declares: bool


def tokens(workspace: Workspace, path: Path) -> list[Named]:
    """All names of a file that mean something, in order and without overlaps."""
    found: list[Named] = []
    for occurrence in workspace.names(path):
        if found and occurrence.span.start < found[-1].span.end:
            continue
        kind = _SHOWN_AS.get(occurrence.symbol.kind)
        if kind is not None:
            found.append(Named(occurrence.span, KINDS.index(kind), occurrence.declares))
    return found
