"""Random pairs of rulesets: a shipped or a written game, and the same game with a few changes, some of which keep its meaning."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from pwtool.lang import tree as n
from pwtool.lang.merged import Key, key_of
from pwtool.lang.parser import parse_rules
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.records.decoding import Decoder
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.build import build_ruleset
from pwtool.rules.library import Library
from pwtool.text.source import SourceFile
from tests.comparing.mutants import UNTOUCHED, changed
from tests.comparing.test_houses import HOUSES, base_text
from tests.support import book

Items = dict[Key, n.Node]
FOLDER = Path(__file__).resolve().parents[1]
STEPS = """game steps "Steps"
players 2..2
component coin { kind: tin "T" | gold "G"  worth: 1..3 }
deck coins of coin = { 4 T1 4 T2 4 T3 4 G1 4 G2 4 G3 }
zone bank: pile of coin
zone hand: bag of coin per player
zone out: bag of coin
setup { deal hand "h": 4 each of coins to hand by chance deal bank "b": rest of coins to bank by chance }
var taken: 0..9 = 0 per turn
var laid: 0..9 = 0 per turn
var high: flag per turn
var kept: 0..99 = 0 per game
var lately: 0..3 = 0 per game
turn = draw* (lay | skip)+ (rest | draw)?
action draw "Draw" () {
  rule left "l" require bank is not empty
  rule few "f" require taken < 2
  move top of bank to hand
  taken += 1
}
action lay "Lay" (coin: coin from hand) {
  let gap = coin.worth - lately
  rule once "o" when gap > 1 require laid == 0
  rule low "w" when high require coin.worth < 3
  move coin to out
  laid += 1 when gap > 1
  high = true when coin.worth == 3
  lately = coin.worth
}
action skip "Skip" () {
  rule none "n" require laid == 0 and not high
  high = true
  kept += 1
}
action rest "Rest" () {
  rule late "t" require taken == 0
  kept += 1
}
rule turn.hand "h" require count hand <= 7
ending gone "g" when bank is empty then 1 more turn for the others
ending poor "p" when some q in players: hand[q] is empty then stop
score worth "w" = sum worth of hand - kept
ranking most total, shared
"""
MARKS = """game marks "Marks"
players 2..3
component mark { }
zone board: grid 3x3 of mark
var built: cells per turn
var fresh: cell per turn
var runs: 0..9 = 0 per turn
var best: 0..99 = 0 per player
turn = (put flip?)+ stop?
action put "Put" (at: cell of board) {
  rule free "f" require at is not in built
  rule twice "t" require runs < 3
  rule near "n" when runs > 0 require fresh is in neighbours of at
  built += at
  fresh = at
  runs += 1
}
action flip "Flip" (at: cell of board) {
  rule which "w" require at == fresh
  best += runs
}
action stop "Stop" () {
  rule two "t" require runs >= 2
  best += 1
}
ending done "d" when some q in players: best[q] >= 12 then stop
score s "s" = best
ranking most total, shared
"""
SHIPPED = (
    "nim", "tic_tac_toe", "pig", "kuhn_poker", "leduc_poker", "crazy_eights", "liars_dice", "hearts", "mancala", "connect_four",
    "paper_world/en", "paper_world/fr", "paper_world/de", "paper_world/gamepark", "pierre_papier_morpion/fr",
    str(FOLDER / "rulesets" / "gulls" / "game.rules"), str(FOLDER / "rulesets" / "harbour" / "game.rules"),
)  # fmt: skip
WRITTEN = {"steps": STEPS, "marks": MARKS} | {
    name: base_text(name) for name in HOUSES["games"] if name not in ("tic_tac_toe", "connect_four")
}
BASES = (*SHIPPED, *(name for name in WRITTEN for _ in range(3)))
"""The games that are changed; those written for comparisons, with more variables of a turn, three times as often."""


@dataclass(frozen=True, slots=True)
class Change:
    """What was done to a ruleset, in words."""

    words: str
    items: Items


def parsed(text: str) -> list[n.Node]:
    """The declarations of a piece of a rules file."""
    found = parse_rules(SourceFile("piece.rules", f'variant piece of nothing "p"\n{text}\n'))
    assert found.value is not None, (text, [d.message for d in found.diagnostics])
    return list(found.value.declarations)


def condition(text: str) -> n.Node:
    """A condition."""
    rule = parsed(f'rule a.b "r" require {text}')[0]
    assert isinstance(rule, n.Rule)
    return rule.require


def effect(text: str) -> n.Node:
    """An effect."""
    action = parsed(f'action a "a" () {{ {text} }}')[0]
    assert isinstance(action, n.Action)
    return action.statements[0]


def mapped(held: Any, change: Callable[[n.Node], n.Node]) -> Any:
    """A tree with `change` applied to all its nodes, the inner ones first."""
    if isinstance(held, n.Node):
        return change(
            replace(held, **{name: mapped(getattr(held, name), change) for name in n.fields(held) if name != "span"})
        )
    return tuple(mapped(part, change) for part in held) if isinstance(held, tuple) else held


# ---- changes ---------------------------------------------------------------------------------------------------------


def any_edit(items: Items, rng: random.Random) -> Change | None:
    """One thing anywhere."""
    key = rng.choice([key for key in items if key[0] not in UNTOUCHED])
    if rng.random() < 0.08:
        return Change(f"without {key}", {k: v for k, v in items.items() if k != key})
    options = list(changed(items[key]))
    return Change(f"edit of {key}", items | {key: rng.choice(options)}) if options else None


def edit_of_play(items: Items, rng: random.Random) -> Change | None:
    """One thing in a rule, an action, a variable, the order of play, an ending or a score."""
    kinds = ("action", "rule", "var", "turn", "consequence", "ending", "score", "ranking", "invariant")
    keys = [key for key in items if key[0] in kinds]
    options = list(changed(items[key := rng.choice(keys)]))
    return Change(f"edit of {key}", items | {key: rng.choice(options)}) if options else None


def _actions(items: Items) -> list[Key]:
    return [key for key, node in items.items() if isinstance(node, n.Action | n.Consequence)]


def _numbers(items: Items, per: tuple[str, ...] = ("turn", "round", "game")) -> list[str]:
    return [v.name.name for v in items.values() if isinstance(v, n.Var) and v.kind == "number" and v.per.name in per]


def _inserted(items: Items, key: Key, new: n.Node, rng: random.Random) -> Items:
    owner: Any = items[key]
    at = rng.randint(0, len(owner.statements))
    return items | {key: replace(owner, statements=(*owner.statements[:at], new, *owner.statements[at:]))}


def add_variable(items: Items, rng: random.Random) -> Change | None:
    """A variable that some actions change, and that perhaps something reads."""
    name = f"extra{rng.randint(0, 99)}"
    per = rng.choice(["turn", "turn", "turn", "game"])
    cycle = items.get(("turn", ""))
    per = "round" if isinstance(cycle, n.Turn) and cycle.rounds and per == "turn" else per
    flag = rng.random() < 0.4
    top = rng.choice([1, 2, 9, 9, 99, 999])
    found = dict(items)
    declared = parsed(f"var {name}: flag per {per}" if flag else f"var {name}: 0..{top} = 0 per {per}")[0]
    found[key_of(declared)] = declared
    words = [f"var {name} per {per}"]
    numbers = _numbers(items)
    for key in rng.sample(_actions(items), min(len(_actions(items)), rng.randint(1, 2))):
        when = rng.choice(["", "", f" when {rng.choice(numbers)} > {rng.randint(0, 2)}" if numbers else ""])
        values = ["true", "true", "false"] if flag else ["1", "0", "2", *numbers]
        sign = "=" if flag or rng.random() < 0.4 else "+="
        text = f"{name} {sign} {rng.choice(values)}{when}"
        found = _inserted(found, key, effect(text), rng)
        words.append(f"{key}: {text}")
    if rng.random() < 0.5:
        asked = (
            rng.choice([f"not {name}", f"{name} or not {name}"])
            if flag
            else f"{name} {rng.choice(['<', '<=', '!=', '>='])} {rng.randint(0, top)}"
        )
        key = rng.choice(_actions(found))
        found = _inserted(found, key, replace(parsed(f'rule a.b "r" require {asked}')[0], name=n_name("asks")), rng)
        words.append(f"{key}: require {asked}")
    elif numbers and rng.random() < 0.4:
        # Another variable is computed from it.
        text = f"{rng.choice(numbers)} {rng.choice(['=', '+='])} {f'(if {name} then 1 else 0)' if flag else name}"
        key = rng.choice(_actions(found))
        found = _inserted(found, key, effect(text), rng)
        words.append(f"{key}: {text}")
    return Change("; ".join(words), found)


def n_name(name: str) -> n.Name:
    """A name as a node."""
    node = parsed(f"var {name}: flag per game")[0]
    assert isinstance(node, n.Var)
    return node.name


def change_effect(items: Items, rng: random.Random) -> Change | None:
    """Another condition, value or place among the effects of an action."""
    key = rng.choice(_actions(items))
    owner: Any = items[key]
    places = [at for at, s in enumerate(owner.statements) if isinstance(s, n.Effect)]
    if not places:
        return None
    at = rng.choice(places)
    one = owner.statements[at]
    numbers = _numbers(items)
    how = rng.choice(["guard", "twice", "gone", "moved", "copy"])
    statements = list(owner.statements)
    if how == "guard":
        asked = condition(
            f"{rng.choice(numbers)} {rng.choice(['==', '>', '<', '<='])} {rng.randint(0, 3)}" if numbers else "1 == 1"
        )
        statements[at] = replace(one, when=asked if one.when is None else one.when if rng.random() < 0.5 else None)
    elif how == "twice":
        statements.insert(at, one)
    elif how == "gone":
        del statements[at]
    elif how == "moved":
        statements.insert(rng.choice(places), statements.pop(at))
    elif numbers:
        statements.insert(
            rng.randint(0, len(statements)),
            effect(f"{rng.choice(numbers)} {rng.choice(['=', '+='])} {rng.choice([*numbers, '1', '0'])}"),
        )
    return Change(f"effect of {key}: {how} {at}", items | {key: replace(owner, statements=tuple(statements))})


def _each_condition(items: Items, rng: random.Random, change: Callable[[n.Node], n.Node]) -> Change | None:
    found = []
    for key, node in items.items():
        if isinstance(node, n.Rule | n.Invariant | n.Ending):
            found += [(key, None)]
        elif isinstance(node, n.Action | n.Consequence):
            found += [(key, at) for at, s in enumerate(node.statements) if isinstance(s, n.Rule)]
    if not found:
        return None
    key, at = rng.choice(found)
    owner: Any = items[key]
    if at is None:
        new = (
            replace(owner, condition=change(owner.condition))
            if isinstance(owner, n.Ending)
            else replace(owner, require=change(owner.require))
        )
    else:
        rule = owner.statements[at]
        field = "when" if rule.when is not None and rng.random() < 0.5 else "require"
        rule = replace(rule, **{field: change(getattr(rule, field))})
        new = replace(owner, statements=(*owner.statements[:at], rule, *owner.statements[at + 1 :]))
    return Change(f"condition of {key} {at}", items | {key: new})


def _filled(text: str, **parts: n.Node) -> n.Node:
    """A condition written with names for parts that are put in."""
    return mapped(condition(text), lambda node: parts.get(node.name, node) if isinstance(node, n.Name) else node)  # type: ignore[no-any-return]


def same_condition(items: Items, rng: random.Random) -> Change | None:
    """A condition in other words."""
    text = rng.choice(
        [
            "not (not this_one)",
            "this_one and this_one",
            "this_one or this_one",
            "this_one and (this_one or 1 == 2)",
            "(if 1 == 1 then this_one else 1 == 2)",
        ]
    )
    return _each_condition(items, rng, lambda one: _filled(text, this_one=one))


def other_condition(items: Items, rng: random.Random) -> Change | None:
    """A condition with one more part, which mostly matters."""
    numbers = _numbers(items)
    if not numbers:
        return None
    asked = condition(f"{rng.choice(numbers)} {rng.choice(['==', '!=', '>', '<', '<='])} {rng.randint(0, 4)}")
    text = rng.choice(["this_one and that_one", "this_one or that_one", "that_one or not this_one"])
    return _each_condition(items, rng, lambda one: _filled(text, this_one=one, that_one=asked))


def renamed(items: Items, rng: random.Random) -> Change | None:
    """Another name for a variable, an ending, a rule or a parameter."""
    keys = [key for key in items if key[0] in ("var", "ending", "zone", "score")]
    if not keys:
        return None
    kind, name = rng.choice(keys)
    new = f"{name}_too"
    if kind in ("ending", "score"):
        node: Any = items[kind, name]
        found = {((kind, new) if key == (kind, name) else key): (replace(node, name=n_name(new)) if key == (kind, name) else held)
                 for key, held in items.items()}  # fmt: skip
    else:
        found = {}
        for key, held in items.items():
            tree = mapped(
                held, lambda node: replace(node, name=new) if isinstance(node, n.Name) and node.name == name else node
            )
            # A step of the setup may be called like its zone: its name is another one, too.
            found[(key[0], new) if key[1] == name else key] = tree
    return Change(f"{kind} {name} is {new}", found)


def reordered(items: Items, rng: random.Random) -> Change | None:
    """Items of one kind in another order."""
    kind = rng.choice(["ending", "consequence", "score", "action", "var", "setup", "rule", "invariant"])
    keys = [key for key in items if key[0] == kind]
    if len(keys) < 2:
        return None
    order = keys[:]
    rng.shuffle(order)
    places = iter(order)
    keyed = [next(places) if key[0] == kind else key for key in items]
    return Change(f"order of {kind}", {key: items[key] for key in keyed})


def split_rule(items: Items, rng: random.Random) -> Change | None:
    """A rule whose parts are rules of their own, or one whose condition is part of what it requires."""
    found = [
        (key, at) for key, node in items.items() if isinstance(node, n.Action) for at, s in enumerate(node.statements)
        if isinstance(s, n.Rule) and (s.when is not None or (isinstance(s.require, n.Binary) and s.require.operator == "and"))
    ]  # fmt: skip
    if not found:
        return None
    key, at = rng.choice(found)
    owner: Any = items[key]
    rule = owner.statements[at]
    if rule.when is not None:
        new = [
            replace(
                rule, when=None, require=_filled("not this_one or that_one", this_one=rule.when, that_one=rule.require)
            )
        ]
    else:
        new = [
            replace(rule, require=rule.require.left),
            replace(rule, name=n_name(f"{rule.name.name}_too"), require=rule.require.right),
        ]
    return Change(
        f"rule {at} of {key} split",
        items | {key: replace(owner, statements=(*owner.statements[:at], *new, *owner.statements[at + 1 :]))},
    )


def same_score(items: Items, rng: random.Random) -> Change | None:
    """A score in other words, or another one."""
    keys = [key for key in items if key[0] == "score"]
    if not keys:
        return None
    key = rng.choice(keys)
    node: Any = items[key]
    text = rng.choice(
        [
            "this_one + 0 == 1",
            "2 * this_one - this_one == 1",
            "this_one - 0 == 1",
            "this_one + 1 == 1",
            "0 - this_one == 1",
        ]
    )
    made = _filled(text, this_one=node.value)
    assert isinstance(made, n.Binary)
    return Change(f"{key} {text}", items | {key: replace(node, value=made.left)})


def lifetime(items: Items, rng: random.Random) -> Change | None:
    """Another lifetime, other bounds or another first value of a variable."""
    keys = [key for key in items if key[0] == "var"]
    if not keys:
        return None
    key = rng.choice(keys)
    node: Any = items[key]
    options = [replace(node, per=replace(node.per, name="turn" if node.per.name == "game" else "game"))]
    if node.kind == "number":
        options += [replace(node, high=node.high + d) for d in (-1, 1, 10)]
        options += [replace(node, initial=condition(f"{k} == 0").left) for k in (0, 1)]  # type: ignore[attr-defined]
    return Change(f"lifetime of {key}", items | {key: rng.choice(options)})


CHANGES = (
    any_edit, edit_of_play, edit_of_play, add_variable, add_variable, add_variable, change_effect, change_effect, same_condition,
    other_condition, other_condition, renamed, reordered, split_rule, same_score, lifetime,
)  # fmt: skip


# ---- pairs -----------------------------------------------------------------------------------------------------------


@cache
def base(name: str) -> Rulebook:
    """A game to change."""
    if name not in WRITTEN:
        return book(name)
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.rules"
        path.write_text(WRITTEN[name], "utf-8")
        found = RulesetStore(Library()).get(str(path))
    assert found.value is not None, (name, [d.message for d in found.diagnostics])
    # Its trees are read from the file as long as it exists.
    assert found.value.game.ruleset.merged
    return found.value


def random_pair(seed: int) -> tuple[str, str, Rulebook, Rulebook] | None:
    """The name of a game, what was changed in words, the game, and the game with the changes; None if that is not a ruleset."""
    rng = random.Random(seed)
    name = rng.choice(BASES)
    first = base(name)
    ruleset = first.game.ruleset
    items: Items = dict(ruleset.merged.items)
    words = []
    for _ in range(rng.choice([1, 1, 2, 2, 3])):
        change = rng.choice(CHANGES)(items, rng)
        if change is None:
            continue
        items = change.items
        words.append(change.words)
    if not words:
        return None
    try:
        made = build_ruleset(ruleset.address, replace(ruleset.merged, items=items)).value
    except (IndexError, AssertionError, ValueError, AttributeError, TypeError, KeyError):
        # A tree that no text makes.
        return None
    if made is None:
        return None
    game = Game(made)
    return name, "; ".join(words), first, Rulebook(game, Decoder(game), LegalActions(game))
