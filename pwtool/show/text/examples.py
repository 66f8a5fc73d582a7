"""Failing examples as findings: the position, what was expected, the actual result, and what decided."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from pwtool.checking.examples import run_examples
from pwtool.eval.work import TooMuchWork
from pwtool.lang import tree as n
from pwtool.play.game import Game
from pwtool.play.state import zone_labels
from pwtool.rules.choices import Choice
from pwtool.text import Detail, Diagnostic
from pwtool.text.speech import Told
from pwtool.text.words import one_line
from pwtool.why.drawing import draw_grid, draw_zone
from pwtool.why.examples import Failed
from pwtool.why.failures import Failure, explain_failure
from pwtool.why.findings import condition_text, find_node


def example_findings(game: Game, examples: Iterable[n.Example] | None = None) -> list[Diagnostic]:
    """A finding for each failing example (of all, or of these) with all details, and one (PW416) if not all were run."""
    failed, too_dear = run_examples(game, examples)
    with game.work.limited():
        found = [_finding(game, one) for one in failed]
    return [*found, too_dear] if too_dear else found


def findings_of_choices(choices: Iterable[Choice]) -> list[Diagnostic]:
    """A finding for each failing example that is about a reading or a variant that is not chosen."""
    found = ((choice, choice.result.value) for choice in choices)
    return [
        d
        for choice, ruleset in found
        if ruleset is not None
        for d in choice.mark(example_findings(Game(ruleset), choice.examples))
    ]


def _finding(game: Game, failed: Failed) -> Diagnostic:
    try:
        failure = explain_failure(game, failed)
    except TooMuchWork:
        failure = None
    if failure is None:
        return failed.diagnostic
    details = [Detail("expected", (failure.expected,)), Detail("actual", (failure.actual,))]
    details += _drawn(game, failure)
    if failure.reasons:
        details.append(Detail("because", failure.reasons))
    rule = _written(game, failed.example.name.name)
    if rule:
        details.append(Detail("rule", (rule,)))
    return replace(failed.diagnostic, details=tuple(details))


def _drawn(game: Game, failure: Failure) -> list[Detail]:
    state = failure.state
    if state is None:
        return []
    found: list[Detail] = []
    names: list[str] = [Told("player {number}", number=str(seat)) for seat in range(1, state.players + 1)]
    for name in failure.zones:
        zone = game.ruleset.zones[name]
        lines: list[str] = []
        labels = zone_labels(zone, names, state.goals)
        for index, label in enumerate(labels):
            content = state.zones[zone.number][index]
            if not content:
                continue
            if zone.kind == "grid":
                lines += draw_grid(game, zone, state, index)
                high = [(cell, pile) for cell, pile in content.items() if len(pile) > 1]
                lines += [f"{cell}: {'+'.join(_codes(game, zone.element.component, pile))}" for cell, pile in high]
            else:
                whole = " ".join(_codes(game, zone.element.component, content)) if zone.element.kind == "face" else ""
                shown = whole or draw_zone(game, zone, state, index)[0]
                where = " ".join(str(part) for part in label) if len(labels) > 1 and index else ""
                lines.append(f"{name}: {shown}" + (f" ({where})" if where else ""))
        if lines:
            found.append(Detail("board" if zone.kind == "grid" else "given", tuple(lines)))
    return found


def _codes(game: Game, component: str, faces: list[int]) -> list[str]:
    codes = game.ruleset.components[component].codes
    return ["?" if face < 0 else codes[face] for face in faces]


def _written(game: Game, name: str) -> str | None:
    """The place of the item that the example is about, and its condition."""
    node = find_node(game, name) or find_node(game, f"invariant.{name}")
    if node is None:
        return None
    text = condition_text(node)
    if isinstance(node, n.Objective):
        text = one_line(node.condition.span.text)
    return f"{node.span.file.name}:{node.span.line}" + (f"   {text}" if text else "")
