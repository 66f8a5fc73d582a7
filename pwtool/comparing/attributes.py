"""Numbers of things that are called alike and are not the same: what follows from a thing in one ruleset may be another number in
the other one. Both rulesets are compared with the numbers of both, so that each name says one thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import replace

from pwtool.comparing.renames import find_names
from pwtool.ir.model import AttributeModel, ComponentModel, Origin, Ruleset
from pwtool.ir.renaming import renamed
from pwtool.lang.merged import Key
from pwtool.play.game import Game

_OTHER = "'"
"""Behind the name of a number that the first ruleset gives otherwise."""


@lru_cache(maxsize=4)
def with_all_attributes(first: Game, second: Game) -> tuple[Game, Game]:
    """Both games with the numbers that follow from their things in either of them, if they have the same things; a number that
    both call alike and give otherwise has another name in the second. What players read stays as it is.
    """
    if first.ruleset.components == second.ruleset.components:
        return first, second
    names = find_names(first.ruleset, second.ruleset)
    own_names = {(kind, new): own for (kind, own), new in names.items()}
    alike = renamed(second.ruleset, names)
    called: dict[Key, str] = {}
    ours, theirs = dict(first.ruleset.components), {}
    for name in first.ruleset.components.keys() & alike.components.keys():
        a, b = first.ruleset.components[name], alike.components[name]
        unlike = _unlike(a, b)
        if not unlike:
            continue
        own = own_names.get(("component", name), name)
        seconds = {x: f"{x}{_OTHER}" if x in a.attributes else x for x in unlike if x in b.attributes}
        called |= {("attribute", f"{own}.{x}"): new for x, new in seconds.items() if x != new}
        ours[name] = _with(
            a, {new: b.attributes[x] for x, new in seconds.items()}, [b.numbers[code] for code in a.codes]
        )
        theirs[own] = {x: a.attributes[x] for x in unlike if x in a.attributes}, [a.numbers[code] for code in b.codes]
    if not theirs:
        return first, second
    other = renamed(second.ruleset, called)
    changed = {own: _with(other.components[own], more, faces) for own, (more, faces) in theirs.items()}
    return _playing(first, ours), _playing(second, other.components | changed, other)


def _unlike(a: ComponentModel, b: ComponentModel) -> list[str]:
    """The attributes that are no part of codes and are not the same in both; none if these have not the same things."""
    if a.choice or sorted(a.codes) != sorted(b.codes):
        return []
    order = [b.numbers[code] for code in a.codes]
    unlike = [
        name
        for name in dict.fromkeys([*a.attributes, *b.attributes])
        if _said(a.attributes.get(name), range(len(order))) != _said(b.attributes.get(name), order)
    ]
    told = [x for one in (a, b) for name, x in one.attributes.items() if name in unlike]
    return [] if any(x.in_code or x.state or x.type.kind != "int" for x in told) else unlike


def has_others(component: ComponentModel) -> bool:
    """Whether a component of the first ruleset has numbers that the second one gives otherwise."""
    return any(name.endswith(_OTHER) for name in component.attributes)


def _said(attribute: AttributeModel | None, faces: Sequence[int]) -> object:
    if attribute is None:
        return None
    return attribute.type.kind, attribute.in_code, attribute.state, [attribute.table[face] for face in faces]


def _with(component: ComponentModel, more: dict[str, AttributeModel], faces: Sequence[int]) -> ComponentModel:
    """A component with more attributes; `faces` are the numbers that its things have where these come from."""
    added = {name: replace(x, name=name, table=tuple(x.table[face] for face in faces)) for name, x in more.items()}
    # In an order that both have.
    return replace(component, attributes=dict(sorted((component.attributes | added).items())))


def _playing(game: Game, components: dict[str, ComponentModel], ruleset: Ruleset | None = None) -> Game:
    """A game with these components; what it was made from stays what it was."""
    merged = game.ruleset.merged
    return Game(replace(ruleset or game.ruleset, components=components, origin=Origin(merged)))
