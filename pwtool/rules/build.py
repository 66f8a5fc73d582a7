"""From layers to a checked ruleset: overlays applied, names and types checked, content hash computed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from pwtool.ir import nodes as ir
from pwtool.ir import types as t
from pwtool.ir.model import (
    ActionModel,
    CriterionModel,
    EndingModel,
    InvariantModel,
    ObjectiveModel,
    OrderModel,
    OrderStep,
    Origin,
    Ruleset,
    ScoreModel,
)
from pwtool.ir.nodes import Expr
from pwtool.lang import tree as n
from pwtool.lang.merged import Key, Merged, key_of
from pwtool.lang.merged import quoted as quoted_key
from pwtool.rules.bounds import check_cost, with_rounds
from pwtool.rules.check.actions import build_action, build_consequence, build_rule, check_sees, rules_of, unplaced
from pwtool.rules.check.dispatch import expect_number
from pwtool.rules.check.expressions import check, check_condition
from pwtool.rules.check.looks import check_looks
from pwtool.rules.check.material import (
    build_component,
    build_deck,
    build_setup,
    build_token,
    build_zone,
    check_deals,
    declare_variable,
)
from pwtool.rules.check.naming import check_defines, check_names, check_words
from pwtool.rules.check.order import build_order
from pwtool.rules.check.patterns import check_shape
from pwtool.rules.check.possibilities import check_possibilities
from pwtool.rules.check.scope import TOO_MANY, Beyond, Board, Declared, Scope
from pwtool.rules.content_hash import content_hash
from pwtool.rules.intervals import check_numbers
from pwtool.rules.layers import merge_layers
from pwtool.rules.library import Library
from pwtool.rules.unused import check_placed, forget_unused
from pwtool.text import MAX_MISTAKES, Diagnostic, Result, Severity, too_many
from pwtool.text.speech import Told

MAX_PLAYERS = 100
MAX_ITEMS = 5_000


def load_ruleset(address: str, library: Library, readings: tuple[str, ...] = ()) -> Result[Ruleset]:
    """Load and check the ruleset at an address. `readings` chooses other readings: `point=alternative`, or
    `erratum=printed`.
    """
    found = library.layers(address)
    if found.value is None:
        return Result(None, found.diagnostics)
    merged = merge_layers(found.value, readings)
    return build_ruleset(address, merged)


def build_ruleset(
    address: str,
    merged: Merged,
    watch: Callable[[n.Node, Scope, Expr], None] | None = None,
    bounded: bool = True,
) -> Result[Ruleset]:
    """Check merged items, with `watch` called for each expression. All findings of a pass are reported; a ruleset with
    an error is None. `bounded`: also check the maximum cost.
    """
    declared = Declared(watch=watch, own=merged.own)
    ruleset = _checked(address, merged, declared, None)
    if ruleset is not None:
        check_placed(merged, declared)
        declared.diagnostics.extend(check_numbers(ruleset))
        if bounded:
            declared.diagnostics.extend(check_cost(ruleset))
    findings = tuple(_in_order(declared.diagnostics))
    if any(d.level is Severity.ERROR for d in findings):
        return Result(None, findings)
    return Result(ruleset, findings)


class Trial(Struct, frozen=True):
    """A ruleset that is only tried, and what its items declare: others that differ little from it are built from it."""

    ruleset: Ruleset
    declared: Declared

    def declares_the_same(self, merged: Merged) -> bool:
        """Whether items declare what this ruleset does, objectives apart."""
        rounds = any(turn.rounds for turn in merged.of_kind(n.Turn))
        ones, others = (
            [
                (key, None if key[0] in _NAMED_ONLY else id(node))
                for key, node in items.items()
                if key[0] not in _READ_LAST
            ]
            for items in (merged.items, self.ruleset.merged.items)
        )
        return ones == others and rounds == self.declared.rounds and not self.ruleset.histories

    def taken(self, key: Key, rules: list[n.Rule], merged: Merged) -> ActionModel | None:
        """An action or consequence of this ruleset if it is the same in others, with the same rules."""
        items, of_kind = self.ruleset.merged.items, getattr(self.ruleset, f"{key[0]}s")
        model: ActionModel | None = of_kind.get(key[1])
        nodes = [(key, merged.items[key]), *((("rule", rule.name.name), rule) for rule in rules)]
        if model is None or [rule.id for rule in model.rules] != [rule.name.name for rule in rules]:
            return None
        return model if all(items.get(k) is node for k, node in nodes) else None


_NAMED_ONLY = ("objective", "action")
"""Of these, other items read the names alone."""
_READ_LAST = ("rule", "consequence", "anytime", "turn", "ending", "score", "ranking", "invariant")
"""What no other item reads."""


def build_trial(address: str, merged: Merged, like: Trial | None = None) -> Trial | None:
    """Check items that are only tried: nobody looks up their version, findings are not told, and neither cost nor bounds of numbers
    are checked; None if there are errors. What is the same in a ruleset that they are `like` is taken from it.
    """
    if like is not None and not like.declares_the_same(merged):
        like = None
    declared = Declared(own=merged.own)
    if like is not None:
        # What only rebuilt items would use counts as used, and needs no fewer locals.
        declared = replace(
            like.declared, diagnostics=[], used=set(like.declared.used), actions={}, histories={}, parts=0, level=0
        )
    ruleset = _checked(address, merged, declared, like, "trial")
    return None if ruleset is None else Trial(ruleset, declared)


def _checked(address: str, merged: Merged, declared: Declared, like: Trial | None, version: str = "") -> Ruleset | None:
    declared.diagnostics.extend(merged.diagnostics)
    if any(d.code == "PW207" for d in merged.diagnostics):
        return None
    ruleset = None
    try:
        ruleset = _build(address, merged, declared, like, version)
    except Beyond:
        pass
    except RecursionError:
        message = "{name} is nested too deeply"
        help_line = "compute parts of it first, with `let` or a variable"
        declared.diagnostics.append(Diagnostic.of("PW103", message, declared.begun[1], help=help_line, name=declared.begun[0]))  # fmt: skip
    if ruleset is not None:
        forget_unused(merged, declared)
    failed = ruleset is None or any(d.level is Severity.ERROR for d in declared.diagnostics)
    return None if failed or ruleset is None else with_rounds(ruleset)


def _in_order(findings: list[Diagnostic]) -> list[Diagnostic]:
    unique: dict[tuple[str, str, str], Diagnostic] = {}
    for finding in findings:
        unique.setdefault((finding.code, finding.message, str(finding.span)), finding)
    return list(unique.values())


def _build(address: str, merged: Merged, declared: Declared, like: Trial | None, version: str) -> Ruleset:
    header = merged.headers[0]
    if header.kind != "game":
        declared.report("PW209", "a ruleset begins with a game", header.span)
    if too_many(merged.diagnostics):
        raise declared.stop(TOO_MANY, None, most=MAX_MISTAKES)
    if len(merged.items) > MAX_ITEMS:
        last = merged.items[next(islice(merged.items, MAX_ITEMS, None))]
        raise declared.stop("the ruleset has more than {most} items", last.span, most=MAX_ITEMS)
    if like is None:
        _declare(merged, declared)
    _declare_objectives(merged, declared, like)
    rules = merged.of_kind(n.Rule)
    for number, action in enumerate(merged.of_kind(n.Action)):
        declared.actions[action.name.name] = number
    actions, consequences = dict[str, ActionModel](), dict[str, ActionModel]()
    for a in merged.of_kind(n.Action):
        name, own = a.name.name, rules_of(a.name.name, rules)
        actions[name] = (like and like.taken(("action", name), own, merged)) or build_action(a, own, declared)
    for c in merged.of_kind(n.Consequence):
        name, own = c.name.name, rules_of(c.name.name, rules)
        consequences[name] = (like and like.taken(("consequence", name), own, merged)) or build_consequence(
            c, own, declared
        )
    for name, consequence in consequences.items():
        if name in actions:
            declared.report("PW202", "`{name}` is an action and a consequence", consequence.span, name=name)
    cycle = "round" if declared.rounds else "turn"
    for rule, span in unplaced(rules, {*actions, *consequences, cycle, "setup"}):
        declared.report(
            "PW201", "rule `{name}` belongs to no action", span, "write `ACTION.name`, `{cycle}.name` or `setup.name`", name=rule.name.name,
            cycle=cycle,
        )  # fmt: skip
    turn_rules = tuple(build_rule(r, declared.between_actions()) for r in rules_of(cycle, rules))
    setup_rules = tuple(build_rule(r, Scope(declared, has_player=False)) for r in rules_of("setup", rules))
    joint = frozenset(a.name for a in actions.values() if a.joint)
    order = _order(merged, declared, joint)
    anytime = tuple(_anytime(a, declared, joint) for a in merged.of_kind(n.Anytime))
    scores = tuple(_score(s, declared) for s in merged.of_kind(n.Score))
    endings = tuple(_ending(e, declared, joint) for e in merged.of_kind(n.Ending))
    invariants = tuple(_invariant(i, declared) for i in merged.of_kind(n.Invariant))
    ranking = _ranking(merged, declared)
    if not merged.of_kind(n.Ending):
        declared.report("PW209", "the game never ends", header.span, "declare an `ending`")
    if like is None:
        check_defines(declared)
        check_words(merged, declared)
        check_looks(merged, declared)
    check_possibilities([*actions.values(), *consequences.values()], declared)
    players = next(iter(merged.of_kind(n.Players)), None)
    return Ruleset(
        address, _title(merged), version or content_hash(merged), declared.min_players if players else 1,
        declared.max_players, declared.components, declared.decks, declared.zones, declared.tokens, declared.variables,
        _setup(merged, declared), setup_rules, actions, order, anytime, turn_rules, consequences, endings, scores, ranking,
        invariants, declared.objectives, declared.board, declared.goal_zone, max(declared.slots, 4, *(o.slots for o in declared.objectives.values())),
        declared.rounds, tuple(declared.histories), Origin(merged),
    )  # fmt: skip


def _begin(node: n.Node, declared: Declared) -> None:
    declared.begin(quoted_key(key_of(node)), node.span)


def _title(merged: Merged) -> str:
    """The title of the game or edition, and of each variant: `GAME, second edition, advanced mode`."""
    edition = merged.edition
    return ", ".join(
        [edition.text or edition.name.name, *(h.text or h.name.name for h in merged.headers if h.kind == "variant")]
    )


def _declare(merged: Merged, declared: Declared) -> None:
    declared.rounds = any(turn.rounds for turn in merged.of_kind(n.Turn))
    for section in merged.of_kind(n.Section):
        declared.used.add(("section", section.name.name))
        for cite in section.cites:
            if ("source", cite.source.name) not in merged.items:
                declared.unknown("source", cite.source, [s.name.name for s in merged.of_kind(n.Source)])
    for players in merged.of_kind(n.Players):
        declared.min_players, declared.max_players = players.low, players.high
        if not 1 <= players.low <= players.high <= MAX_PLAYERS:
            declared.report("PW306", "players go from 1 to {most}, the smaller number first", players.span, most=MAX_PLAYERS)  # fmt: skip
    for component in merged.of_kind(n.Component):
        _begin(component, declared)
        declared.components[component.name.name] = build_component(component, declared)
    for deck_node in merged.of_kind(n.Deck):
        _begin(deck_node, declared)
        if deck := build_deck(deck_node, declared):
            declared.decks[deck.name] = deck
        else:
            declared.broken.add(deck_node.name.name)
    for step in merged.of_kind(n.SetupStep):
        if step.kind == "choose":
            if declared.goal_zone:
                declared.report("PW202", "objectives are chosen twice", step.span)
            declared.goal_zone = step.name.name
            if step.what is None or step.what.name != "objective":
                declared.report("PW301", "a setup chooses objectives", step.span, "write `of objective`")
    for zone_node in merged.of_kind(n.Zone):
        if zone := build_zone(zone_node, declared):
            declared.zones[zone.name] = zone
        else:
            declared.broken.add(zone_node.name.name)
    declared.board = next((z for z in declared.zones.values() if z.kind == "grid" and z.element.kind == "face"), None)
    for token_node in merged.of_kind(n.Token):
        if token := build_token(token_node, declared):
            declared.tokens[token.name] = token
        else:
            declared.broken.add(token_node.name.name)
    declared.defines = {d.name.name: d for d in merged.of_kind(n.Define)}
    for variable_node in merged.of_kind(n.Var):
        _begin(variable_node, declared)
        declare_variable(variable_node, declared)
    declared.shapes = {s.name.name: s for s in merged.of_kind(n.Shape)}
    declared.goal_names = tuple(o.name.name for o in merged.of_kind(n.Objective))
    check_names(merged, declared)
    for shape in declared.shapes.values():
        if declared.board is not None:
            _begin(shape, declared)
            check_shape((shape.picture, *shape.more), declared.board, declared)


def _declare_objectives(merged: Merged, declared: Declared, like: Trial | None) -> None:
    known, before = ({}, {}) if like is None else (like.ruleset.objectives, like.ruleset.merged.items)
    declared.objectives = {}
    for node in merged.of_kind(n.Objective):
        name = node.name.name
        taken = known.get(name) if before.get(("objective", name)) is node else None
        declared.objectives[name] = taken or build_objective(node, declared)


def build_objective(node: n.Objective, declared: Declared) -> ObjectiveModel:
    """An objective over the ruleset's grid. Local 0 holds the piles by cell, local 1 the visible faces."""
    board = None
    if declared.board is not None:
        pile = t.Type("pile", element=declared.board.element)
        cells = ir.Local(t.list_of(pile), 0)
        board = Board(declared.board, cells, ir.Local(t.list_of(declared.board.element), 1))
    _begin(node, declared)
    scope = Scope(declared, next_slot=[2], board=board, has_player=False, in_objective=True)
    condition = check_condition(node.condition, scope)
    return ObjectiveModel(
        node.name.name, node.text or node.name.name.replace("_", " "), condition, scope.next_slot[0], node.span
    )


def _order(merged: Merged, declared: Declared, joint: frozenset[str]) -> OrderModel:
    turn = next(iter(merged.of_kind(n.Turn)), None)
    if turn is None:
        declared.report("PW209", "the game has no order of play", merged.headers[0].span, "declare `turn = ...`")
        return OrderModel((), (frozenset(),), frozenset())
    _begin(turn, declared)
    return build_order(turn, declared, joint)


def _anytime(node: n.Anytime, declared: Declared, joint: frozenset[str]) -> OrderStep:
    _begin(node, declared)
    number = declared.actions.get(node.action.name, -1)
    if number < 0:
        declared.unknown("action", node.action, declared.actions)
    declared.used.add(("action", node.action.name))
    if isinstance(node.actor, n.Name) and node.actor.name == "any":
        return OrderStep(number, None, None)
    if node.action.name in joint:
        message = "all players do `{name}` at once, nobody alone"
        declared.report("PW301", message, node.actor.span, "write `by any`", name=node.action.name)
    actor = check(node.actor, declared.between_actions())
    if actor.type.kind == "player" and actor.type.optional:
        declared.report(
            "PW301", "there may be no such player", actor.span, "say who acts then: `by ((... else seat 1))`"
        )
    elif actor.type.kind not in ("player", "error"):
        declared.report("PW301", "this is {type}, not a player", actor.span, "`by any` is for everybody", type=actor.type)  # fmt: skip
    return OrderStep(number, actor, None)


def _score(node: n.Score, declared: Declared) -> ScoreModel:
    _begin(node, declared)
    value = expect_number(check(node.value, Scope(declared)), Scope(declared))
    return ScoreModel(node.name.name, node.text, check_sees(node.sees, declared), value, node.span)


def _ending(node: n.Ending, declared: Declared, joint: frozenset[str]) -> EndingModel:
    _begin(node, declared)
    # An ending that is judged immediately follows an action: `player` is the one who did it.
    together = (Told("all players do `{name}` at once, it is nobody's: name one, `seat 1`", name=min(joint)) if joint else "")  # fmt: skip
    at_once = Scope(declared, has_player=not joint, nobody=together)
    scope = at_once if node.at_once else declared.between_actions()
    condition = check_condition(node.condition, scope)
    if declared.rounds and node.others:
        declared.report("PW301", "a round has no player of its own, all play it", node.span, "write `more turns each`")
    return EndingModel(
        node.name.name, node.text, check_sees(node.sees, declared), condition, node.more_turns or None,
        node.others and bool(node.more_turns), node.span, node.at_once,
    )  # fmt: skip


def _invariant(node: n.Invariant, declared: Declared) -> InvariantModel:
    _begin(node, declared)
    # Between turns, it is the one whose turn is over.
    scope = Scope(declared, has_player=node.each_player or (bool(node.between) and not declared.rounds))
    when = check_condition(node.when, scope) if node.when else None
    require = check_condition(node.require, scope)
    cycle = "rounds" if declared.rounds else "turns"
    if node.between not in ("", cycle):
        message = (
            "the game goes in turns, not in rounds" if cycle == "turns" else "the game goes in rounds, not in turns"
        )
        declared.report("PW301", message, node.span, "write `between {cycle}`", cycle=cycle)
    return InvariantModel(
        node.name.name, node.text, check_sees(node.sees, declared), node.each_player, when, require, node.span,
        bool(node.between),
    )  # fmt: skip


def _ranking(merged: Merged, declared: Declared) -> tuple[CriterionModel, ...]:
    found: list[CriterionModel] = []
    for ranking in merged.of_kind(n.Ranking):
        _begin(ranking, declared)
        for criterion in ranking.criteria:
            scope = Scope(declared, in_ranking=True)
            value = expect_number(check(criterion.value, scope), scope) if criterion.value else None
            found.append(CriterionModel(criterion.kind, value))
    return tuple(found)


def _setup(merged: Merged, declared: Declared) -> tuple[Any, ...]:
    models = []
    for step in merged.of_kind(n.SetupStep):
        _begin(step, declared)
        model = build_setup(step, declared)
        if model:
            check_sees(step.sees, declared)
            models.append(model)
        if step.kind == "choose" and step.amount > len(declared.objectives):
            declared.report(
                "PW306", "{amount} objectives are chosen, the ruleset has {count}", step.span, amount=step.amount, count=len(declared.objectives),
            )  # fmt: skip
    check_deals(models, declared)
    return tuple(models)
