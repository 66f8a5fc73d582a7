"""What rules mean: a list of objectives, and for one of them its picture, rarity and relations to the others."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pwtool.boards.diagrams import TooLarge
from pwtool.boards.proofs import Analysis as Proofs
from pwtool.boards.symbols import Unsupported
from pwtool.checking.examples import run_examples
from pwtool.ir.model import Ruleset
from pwtool.lang import tree as n
from pwtool.show.svg.cards import component_art, draw_face
from pwtool.show.svg.named import draw_named
from pwtool.show.svg.patterns import Patterns
from pwtool.show.svg.writer import to_svg
from pwtool.studio.cells import draw_example, picture_data
from pwtool.studio.document_context import DocumentContext, game_of
from pwtool.studio.measuring import brief, measures, shared
from pwtool.text import Diagnostic, Severity
from pwtool.text.words import one_line
from pwtool.why.voice import Voice, plain

MAX_FACES = 200
MAX_NEIGHBOURS = 6
MAX_COMPARED = 40
FACE = 44


def overview(asked: DocumentContext, voice: Voice) -> dict[str, Any]:
    """The ruleset and its objectives in a list, with what can lie on boards, so that the page can lay it out."""
    analysis = asked.analysis
    ruleset = analysis.ruleset or asked.workspace.ruleset(asked.path)
    if ruleset is None:
        return {"title": "", "address": "", "valid": False, "objectives": [], "board": None}
    rarities = asked.rarities()
    failed = Counter(f.example.name.name for f in run_examples(game_of(ruleset))[0])
    examples: Counter[str] = Counter()
    for example in ruleset.merged.examples:
        examples[example.name.name] += len(example.outcomes)
    objectives = []
    for name in ruleset.objectives:
        node = asked.objective(name, ruleset)
        rarity = rarities.get(name)
        own = node.span.file.name == analysis.file.name
        objectives.append(
            {
                "name": name,
                "text": voice.text(ruleset, ("objective", name), node.text or name),
                "line": _line(asked, name) if own else None,
                "own": own,
                "rarity": brief(rarity, voice) if rarity is not None else None,
                "fraction": rarity.fraction if rarity is not None else None,
                "examples": examples[name],
                "failed": failed[name],
                "stale": analysis.usable is None or name in analysis.stale,
            }
        )
    return {
        "title": ruleset.title, "address": ruleset.address, "valid": analysis.ruleset is not None, "objectives": objectives,
        "board": _board(ruleset, voice),
    }  # fmt: skip


def _line(asked: DocumentContext, name: str) -> int | None:
    """The line (from 1) of an objective's declaration in the current text."""
    item = asked.analysis.merged.items.get(("objective", name))
    return item.span.line if item is not None else None


def _board(ruleset: Ruleset, voice: Voice) -> dict[str, Any] | None:
    if ruleset.board is None:
        return None
    zone, component = ruleset.board, ruleset.components[ruleset.board.element.component]
    art = component_art(ruleset, component)
    tall = any("pile" in one_line(o.condition.span.text) for o in _objectives(ruleset)) or zone.floating
    return {
        "columns": zone.width,
        "rows": zone.height,
        "grows": zone.floating,
        "tall": tall,
        "hexagonal": zone.hexagonal,
        "missing": [] if zone.floating else [
            [x, y] for x in range(zone.width) for y in range(zone.height) if not zone.grid.has((x, y))
        ],
        "faces": [
            {"code": code, "words": words, "svg": to_svg(draw_face(art.face(number), FACE), words, inline=True)}
            for number, code in enumerate(component.codes[:MAX_FACES])
            for words in [voice.face(ruleset, component, number)]
        ],
        "attributes": [
            {
                "name": name,
                "title": voice.text(ruleset, ("component", f"{component.name}.{name}"), plain(name)),
                "numeric": attribute.type.kind == "int",
                "flag": attribute.type.kind == "bool",
                "values": [
                    {"name": str(value), "title": voice.text(ruleset, ("component", f"{component.name}.{value}"), plain(str(value)))}
                    for value in dict.fromkeys(v for v in attribute.table if v is not None and not isinstance(v, bool))
                ],
            }
            for name, attribute in component.attributes.items()
        ],
    }  # fmt: skip


def _objectives(ruleset: Ruleset) -> list[n.Objective]:
    return [o for o in ruleset.merged.items.values() if isinstance(o, n.Objective)]


# ---- one objective


def item(asked: DocumentContext, name: str, voice: Voice) -> dict[str, Any]:
    """An objective: its text, picture, examples, rarity and relations to the others."""
    ruleset = asked.ruleset
    node = asked.objective(name, ruleset)
    rarity = asked.rarities().get(name)
    text = voice.text(ruleset, ("objective", name), node.text or name)
    return {
        "name": name,
        "text": text,
        "written": node.span.text.rstrip(),
        "svg": draw_named(ruleset, name, voice.language) if ruleset.board is not None else None,
        "said": Patterns(ruleset, voice.language).sayings.sentence(node.condition) or one_line(node.condition.span.text),
        "rarity": None if rarity is None else {
            "share": shared(rarity, voice), "fraction": rarity.fraction, "measures": measures(rarity, ruleset, voice),
        },
        "follows": list(rarity.follows) if rarity is not None else [],
        "leadsTo": list(rarity.leads_to) if rarity is not None else [],
        "excludes": list(rarity.excludes) if rarity is not None else [],
        "examples": _examples(asked, ruleset, name),
    }  # fmt: skip


def neighbours(asked: DocumentContext, name: str, voice: Voice) -> list[dict[str, Any]]:
    """The objectives most often fulfilled by the same boards: among all boards that fulfil one of the two, the share
    that fulfils both (Jaccard index); exact, if it can be counted.
    """
    ruleset = asked.ruleset
    asked.objective(name, ruleset)
    if ruleset.board is None or len(ruleset.objectives) < 2:
        return []
    names = [name, *(o for o in ruleset.objectives if o != name)][:MAX_COMPARED]
    try:
        whole = Proofs(game_of(ruleset), names, patient=False)
    except Unsupported:
        return []
    flat = whole.flat() if whole.roots and whole.space.tall else whole
    found = []
    for other in names[1:]:
        # Objectives that only look at visible cards are counted on boards of these.
        proofs = flat if {name, other} <= flat.roots.keys() else whole
        if not {name, other} <= proofs.roots.keys():
            continue
        try:
            both = proofs.count(proofs.diagram(name), proofs.diagram(other))
            if both:
                either = proofs.number(name) + proofs.number(other) - both
                found.append((both / either, other))
        except TooLarge:
            continue
    nearest = sorted(found, key=lambda f: (-f[0], f[1]))[:MAX_NEIGHBOURS]
    texts = {o.name.name: o.text for o in _objectives(ruleset)}
    return [
        {
            "name": other,
            "text": voice.text(ruleset, ("objective", other), texts.get(other) or other),
            "shared": share,
        }
        for share, other in nearest
    ]


def _examples(asked: DocumentContext, ruleset: Ruleset, name: str) -> list[dict[str, Any]]:
    """The boards of an objective's examples."""
    failed = {id(f.outcome) for f in run_examples(game_of(ruleset))[0] if f.outcome is not None}
    own = asked.analysis.file.name
    return [
        {
            "yes": outcome.kind == "yes",
            "board": picture_data(outcome.what),
            "svg": draw_example(ruleset, outcome.what),
            "holds": id(outcome) not in failed,
            "line": outcome.span.line if outcome.span.file.name == own else None,
            "file": outcome.span.file.name,
        }
        for example in ruleset.merged.examples
        if example.name.name == name
        for outcome in example.outcomes
        if isinstance(outcome.what, n.Picture)
    ]


def first_error(findings: tuple[Diagnostic, ...]) -> Diagnostic | None:
    """The first error."""
    return next((f for f in findings if f.level is Severity.ERROR), None)
