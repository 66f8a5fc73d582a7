"""From what the engine found to findings with places, texts in the reader's language, sources, board and legal
alternatives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pwtool.ir.model import ActionModel
from pwtool.lang import tree as n
from pwtool.play.explain import format_value
from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY, Move
from pwtool.records.shelf import Rulebook
from pwtool.text import Detail, Diagnostic
from pwtool.text.source import Span
from pwtool.why.drawing import draw_grid

MAX_LEGAL = 5
MAX_EXPLAINED = 3


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record came from: its name, the spans of its values, the players' names."""

    name: str
    locate: Callable[[Path], Span]
    names: list[str]
    command: str


def to_diagnostics(
    book: Rulebook,
    findings: list[Finding],
    place: Place,
    language: str,
    repairs: dict[Path, Move] | None = None,
) -> list[Diagnostic]:
    """All findings of one record or position, in order. The first causes get board, legal alternatives and the
    best repair.
    """
    explained = 0
    result: list[Diagnostic] = []
    for finding in findings:
        rich = not finding.follows and explained < MAX_EXPLAINED
        explained += rich
        repair = (repairs or {}).get(finding.path[:4]) if not finding.follows and finding.state is not None else None
        if repair is not None and finding.state is not None:
            model = book.game.action(repair.number)
            action = describe_action(book.game, model, repair.arguments, place.names, finding.state.goals)
            if repair.actor not in (finding.owner, EVERYBODY):
                action = f"{place.names[repair.actor]}: {action}"
            finding.notes = (*finding.notes, f"later findings are judged as if it were `{action}`")
        result.append(_diagnostic(book, finding, place, language, rich))
    return result


def _diagnostic(book: Rulebook, finding: Finding, place: Place, language: str, rich: bool) -> Diagnostic:
    game = book.game
    details: list[Detail] = []
    rule = _rule_lines(game, finding)
    if rule:
        details.append(Detail("rule", tuple(rule)))
    source = source_line(game, finding.rule)
    if source:
        details.append(Detail("source", (source,)))
    if rich and finding.state is not None:
        details += _position_details(book, finding, place)
    more = (
        [f"pwtool explain {finding.rule} --rules {game.ruleset.address}"]
        if finding.rule and "." in finding.rule
        else []
    )
    if finding.turn is not None:
        more.append(f"pwtool replay {place.command} --at {finding.turn}")
    if more:
        details.append(Detail("more", tuple(more)))
    where = None
    if finding.turn is not None:
        who = (
            f", {place.names[finding.player]}"
            if finding.player is not None and finding.player < len(place.names)
            else ""
        )
        where = f"{game.ruleset.cycle} {finding.turn}{who}"
    data: dict[str, object] = {"path": list(finding.path)}
    if finding.values:
        data["values"] = dict(finding.values)
    if finding.player is not None and finding.player < len(place.names):
        data["player"] = place.names[finding.player]
    return Diagnostic(
        finding.code, _message(game, finding, language), place.locate(finding.path), place.name, finding.rule, game.ruleset.address,
        where, finding.turn, details=tuple(details), notes=finding.notes, help=finding.help, follows=finding.follows, data=data,
    )  # fmt: skip


def _message(game: Game, finding: Finding, language: str) -> str:
    """The finding's message; a rule's own text in the reader's language."""
    if finding.rule is None or language == "en":
        return finding.message
    for kind, english in _texts(game, finding.rule):
        if english and finding.message.startswith(english):
            key = (kind, finding.rule.removeprefix("invariant."))
            return game.ruleset.text(key, english, language) + finding.message.removeprefix(english)
    return finding.message


def _texts(game: Game, rule_id: str) -> list[tuple[str, str]]:
    rule = game.ruleset.rule(rule_id)
    found = [("rule", rule.text)] if rule else []
    found += [("invariant", i.text) for i in game.ruleset.invariants if f"invariant.{i.name}" == rule_id]
    return found


def find_node(game: Game, rule_id: str) -> n.Node | None:
    """The item of the ruleset that a rule id names: a rule, a parameter's action, a setup step, an invariant, an
    ending, a score line.
    """
    items = game.ruleset.merged.items
    head, _, tail = rule_id.partition(".")
    keys = [
        ("rule", rule_id),
        ("setup", tail) if head == "setup" else ("", ""),
        ("invariant", tail) if head == "invariant" else ("", ""),
    ]
    keys += [
        ("score", tail) if head == "score" else ("", ""),
        ("ending", rule_id),
        ("consequence", rule_id),
        ("objective", rule_id),
    ]
    keys += [(rule_id, "")]
    found = next((items[k] for k in keys if k in items), None)
    if found is not None:
        return found
    owner = items.get(("action", head)) or items.get(("consequence", head))
    parts = {p.name.name for p in getattr(owner, "parameters", ())} | {""}
    parts |= {v.name for v in game.variable_list} | {z.name for z in game.zone_list}
    return owner if tail in parts else None


def condition_text(node: n.Node) -> str | None:
    """The condition of a rule as written: `when ... require ...`."""
    if isinstance(node, n.Rule | n.Invariant):
        start = node.when.span.start if node.when else node.require.span.start
        text = " ".join(node.span.file.text[start : node.span.end].split())
        return f"when {text}" if node.when else f"require {text}"
    if isinstance(node, n.Ending):
        return "when " + " ".join(node.span.file.text[node.condition.span.start : node.span.end].split())
    return None


def _rule_lines(game: Game, finding: Finding) -> list[str]:
    node = find_node(game, finding.rule) if finding.rule else None
    if node is None:
        return []
    text = condition_text(node)
    lines = [f"{node.span.file.name}:{node.span.line}" + (f"   {text}" if text else "")]
    if finding.sentence:
        lines.append(finding.sentence)
    shown = [
        f"{name} = {value}" for name, value in finding.values if not (finding.sentence or "").startswith(f"{name} is ")
    ]
    if shown:
        lines.append(", ".join(shown))
    return lines


def source_line(game: Game, rule_id: str | None) -> str | None:
    """Where a rule comes from: the edition's own document first, then the others that say the same."""
    return cited(game, find_node(game, rule_id) if rule_id else None)


def cited(game: Game, node: n.Node | None) -> str | None:
    """What an item of the ruleset cites, in the order of `source_line`."""
    sees = getattr(node, "sees", ())
    items = game.ruleset.merged.items
    layers = set(game.ruleset.layer_names())
    own: list[str] = []
    others: list[str] = []
    for name in sees:
        section = items.get(("section", name.name))
        for cite in section.cites if isinstance(section, n.Section) else ():
            document = items.get(("source", cite.source.name))
            title = document.title if isinstance(document, n.Source) else cite.source.name
            if cite.source.name in layers:
                own.append(f'{title}, "{cite.section}"')
            elif cite.source.name not in others:
                others.append(cite.source.name)
    if own:
        return "; ".join(own) + (f"; also {', '.join(o.upper() for o in others)}" if others else "")
    return ", ".join(o.upper() for o in others) or None


def _position_details(book: Rulebook, finding: Finding, place: Place) -> list[Detail]:
    game, state = book.game, finding.state
    assert state is not None
    details: list[Detail] = []
    board = next((z for z in game.zone_list if z.kind == "grid"), None)
    if board is not None and finding.turn is not None:
        index = state.player if board.dimensions else 0
        details.append(Detail("board", tuple(draw_grid(game, board, state, index))))
    legal = _legal_lines(book, finding, place)
    if legal:
        details.append(Detail("legal", tuple(legal)))
    return details


def _legal_lines(book: Rulebook, finding: Finding, place: Place) -> list[str]:
    """A few legal actions at the place of the finding, those like the illegal one first."""
    if finding.code not in ("PW601", "PW602", "PW603", "PW615") or finding.state is None or finding.turn is None:
        return []
    if "actions" not in finding.path and finding.code != "PW615":
        return []
    game = book.game
    play = Play(game, finding.state.copy(), book.legal)
    play.places = finding.places
    wanted = (finding.rule or "").partition(".")[0]
    play.owner = EVERYBODY if game.ruleset.rounds else finding.owner
    play.act(play.owner)
    if finding.code == "PW606":
        return []
    steps = sorted(play.next_steps(), key=lambda step: game.action(step[0]).name != wanted)
    lines: list[str] = []
    for number, actor in steps:
        for arguments in play.arguments(number, actor, MAX_LEGAL - len(lines)):
            text = describe_action(game, game.action(number), arguments, place.names, play.state.goals)
            lines.append(text if actor in (play.owner, EVERYBODY) else f"{place.names[actor]}: {text}")
        if len(lines) >= MAX_LEGAL:
            break
    if play.may_end_turn():
        lines.append(f"end the {game.ruleset.cycle}")
    return lines or ["nothing"]


def describe_action(
    game: Game, action: ActionModel, arguments: tuple[Any, ...], names: list[str], goals: list[str]
) -> str:
    """An action on one line: `place G3 at (1, 0)`, `take blue, cards B1 from 3`."""
    parts = [action.name]
    if action.joint:
        return _describe_joint(game, action, arguments, names)
    for number, (parameter, argument) in enumerate(zip(action.parameters, arguments, strict=True)):
        if parameter.kind == "tops":
            element = parameter.type.element or parameter.type
            text = " ".join(f"{format_value(game, element, face, names)} from {pile}" for pile, face in argument)
        elif parameter.type.kind == "goal":
            text = goals[argument]
        elif parameter.kind == "elements":
            element = parameter.type.element or parameter.type
            text = " ".join(str(format_value(game, element, face, names)) for face in argument)
            if not text:
                continue
        else:
            text = str(format_value(game, parameter.type, argument, names))
        parts.append(text if number == 0 else f"{parameter.name} {text}")
    return " ".join(parts)


def _describe_joint(game: Game, action: ActionModel, arguments: tuple[Any, ...], names: list[str]) -> str:
    """What all did at once: `bid Ana 3, Ben 5`."""
    said: list[list[str]] = [[name] for name in names]
    shared: list[str] = []
    for parameter, argument in zip(action.parameters, arguments, strict=True):
        if not parameter.each:
            shared.append(f"{parameter.name} {format_value(game, parameter.type, argument, names)}")
            continue
        for words, value in zip(said, argument, strict=True):
            words.append(str(format_value(game, parameter.type.element or parameter.type, value, names)))
    return f"{action.name} " + ", ".join([*(" ".join(words) for words in said), *shared])
