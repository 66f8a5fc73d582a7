"""Undeclared names: what was probably meant, or where the name would be allowed."""

from __future__ import annotations

from pwtool.ir import nodes as ir
from pwtool.ir import types as t
from pwtool.ir.model import AttributeModel, ComponentModel
from pwtool.ir.nodes import Expr
from pwtool.ir.types import ERROR, Type
from pwtool.lang import tree as n
from pwtool.rules.check.scope import Scope
from pwtool.text import Fix, closest, did_you_mean, is_slip, name_fix
from pwtool.text.regex import regex
from pwtool.text.speech import Told, mark
from pwtool.text.words import one_line, quoted

_MAX_NAMED = 8
_HEIGHTS = mark("of the piles of a shape say `all height ...`, `any height ...`, `same height`, `sum height`, `every pile: height ...`")  # fmt: skip


def unknown_name(node: n.Name, scope: Scope) -> Expr:
    """The finding about a name that is unknown here. A name that is known elsewhere is distinguished from a misspelt one."""
    name, declared = node.name, scope.declared
    if name in declared.broken:
        return ir.Const(ERROR, None, span=node.span)
    here, elsewhere = _known_names(scope), _known_elsewhere(scope)
    if name in elsewhere:
        if any(type_.kind == "error" for _, type_ in scope.locals.values()):
            # The expression that it belongs to is wrong and already reported.
            return ir.Const(ERROR, None, span=node.span)
        return declared.report("PW201", "there is no name `{name}` here", node.span, elsewhere[name], _of_the_local(node, scope), name=name)  # fmt: skip
    # A name that would have to be written differently is only suggested if a single letter differs.
    nearly = [other for other in elsewhere if is_slip(name, other)]
    close = closest(name, [*here, *nearly])
    message = "there is no name `{name}`"
    if close is not None and close not in here:
        return declared.report("PW201", message, node.span, "did you mean `{close}`? {reason}", name=name, close=close, reason=elsewhere[close])  # fmt: skip
    if close is None and scope.matched and scope.matched.names:
        letters = quoted(scope.matched.names)
        return declared.report(
            "PW201", message, node.span, "the cells of the picture are {letters}", name=name, letters=letters
        )
    from pwtool.lang.mistakes.rewordings import POINTS_IN_PLAY
    from pwtool.lang.mistakes.words import NUMBERS

    if name.lower() in NUMBERS:
        number = str(NUMBERS.index(name.lower()))
        fix = Fix(node.span, number, safe=False) if node.span.text == name else None
        return declared.report(
            "PW201", message, node.span, "numbers are written in digits: `{number}`", fix, name=name, number=number
        )
    called = _CALLED.get(name.lower())
    if name.lower() in ("points", "score", "total") and not scope.in_ranking:
        called = POINTS_IN_PLAY
    fix = name_fix(node.span, here) if node.span.text == name and called is None else None
    help_line = called or did_you_mean(name, here)
    if help_line is None and scope.subject is not None and scope.subject[1].kind == "face":
        component = declared.components[scope.subject[1].component]
        help_line = Told("a {component} has {attributes}", component=component.name, attributes=quoted(component.attributes))  # fmt: skip
    if help_line is None and not scope.in_objective and 0 < len(declared.zones) <= _MAX_NAMED:
        help_line = Told("zones are {zones}", zones=quoted(declared.zones))
    return declared.report("PW201", message, node.span, help_line, fix, name=name)


_AGGREGATES = ("sum", "count", "same", "distinct", "ascending", "all", "any", "max", "min")


def unknown_call(node: n.Call, scope: Scope) -> Expr:
    """The finding about a definition that does not exist; words of the language take neither brackets nor capitals."""
    word = node.name.name.lower()
    if word in _AGGREGATES and node.span.text.endswith(")"):
        inside = one_line(node.span.text.partition("(")[2][:-1])
        if word in ("max", "min") and len(node.arguments) == 2:
            a, b = (one_line(argument.span.text) for argument in node.arguments)
            sign = ">" if word == "max" else "<"
            help_line = "of two numbers: `if {a} {sign} {b} then {a} else {b}`"
            return scope.declared.report(
                "PW201", "there is no definition `{name}`", node.name.span, help_line, name=node.name.name, a=a, b=b, sign=sign,
            )  # fmt: skip
        help_line = "keywords are written in lower case, without brackets: `{word} {inside}`"
        return scope.declared.report(
            "PW201", "there is no definition `{name}`", node.name.span, help_line, word=word, inside=inside, name=node.name.name,
        )  # fmt: skip
    indexed = None
    if word in _ASKED_OF_ALL and word != "top" and len(node.arguments) == 1:
        indexed = Told("write `{text}`", text=f"count {one_line(node.arguments[0].span.text)}")
    if node.name.name in scope.declared.zones:
        inside = ", ".join(one_line(argument.span.text) for argument in node.arguments)
        indexed = Told("write `{text}`", text=f"{node.name.name}[{inside}]")
    return scope.declared.unknown("definition", node.name, scope.declared.defines, help_line=indexed)


def _known_names(scope: Scope) -> list[str]:
    """The names that are known at a place."""
    declared = scope.declared
    names = [
        *scope.locals,
        *declared.variables,
        *declared.zones,
        *declared.defines,
        "player",
        "players",
        "true",
        "false",
    ]
    for component in declared.components.values():
        for attribute in component.attributes.values():
            if attribute.type.kind == "member":
                names += [str(v) for v in attribute.table]
    subject = scope.subject[1] if scope.subject else None
    if subject is not None and subject.kind == "pile":
        names.append("height")
    if subject is not None and subject.kind in ("face", "place"):
        names += declared.components[subject.component].attributes
    if scope.board is not None:
        names += [scope.board.zone.element.component, "buried"]
    if scope.matched:
        names += scope.matched.names
    return names


def _known_elsewhere(scope: Scope) -> dict[str, str]:
    """The names that exist but cannot be used at a place, with what to write instead."""
    declared, found = scope.declared, dict[str, str]()
    for name in declared.goal_names:
        found[name] = Told(
            "it is an objective, which no condition can use; `define` gives a condition a name for several"
        )
    for name in declared.shapes:
        found[name] = Told("it is a shape, looked for by `some {name}: ...`", name=name)
    if scope.board is not None:
        found["pile"] = Told("of piles say `some pile: height ...`, `every pile: ...`, `at least 2 pile: ...`")
        found["height"] = (
            Told(_HEIGHTS) if scope.matched is not None else Told("a pile has it: `some pile: height ...`")
        )
    for component in declared.components.values():
        for attribute in component.attributes.values():
            found[attribute.name] = _said_of(component, attribute, scope)
    here = set(_known_names(scope))
    return {name: help_line for name, help_line in found.items() if name not in here}


def _said_of(component: ComponentModel, attribute: AttributeModel, scope: Scope) -> str:
    """In words, what has an attribute and how to write it."""
    name, matched = attribute.name, scope.matched
    if matched is not None and matched.element.component == component.name:
        letter = next(iter(matched.names), None)
        cells = f"`all {name} ...`, `any {name} ...`, `same {name}`" + (
            f", `sum {name}`" if t.is_numeric(attribute.type) else ""
        )
        if letter is None:
            return Told("say of the cells of the picture {cells}", cells=cells)
        return Told("say of a cell `{letter}.{name}`, of the cells of the picture {cells}", letter=letter, name=name, cells=cells)  # fmt: skip
    local = _local_with(component.name, scope)
    if local is not None:
        return Told("a {component} has it: `{local}.{name}`", component=component.name, local=local, name=name)
    if scope.board is not None and scope.board.zone.element.component == component.name:
        sums = f", `sum {name} of {component.name}`" if t.is_numeric(attribute.type) else ""
        return Told("a {component} has it: `some {component}: {name} ...`{sums}", component=component.name, name=name, sums=sums)  # fmt: skip
    return Told("a {component} has it: `c.{name}`, where `c` is one", component=component.name, name=name)


def _local_with(component: str, scope: Scope) -> str | None:
    """The one local name that stands for a thing of a component."""
    kinds = [("face", component), ("place", component)]
    locals_ = [name for name, (_, type_) in scope.locals.items() if (type_.kind, type_.component) in kinds]
    return locals_[0] if len(locals_) == 1 else None


def _of_the_local(node: n.Name, scope: Scope) -> Fix | None:
    """The fix that adds the owner of an attribute, if only one thing can be meant."""
    if scope.matched is not None or node.span.text != node.name:
        return None
    owners = [c.name for c in scope.declared.components.values() if node.name in c.attributes]
    local = _local_with(owners[0], scope) if len(owners) == 1 else None
    if local is None:
        return None
    return Fix(node.span, f"{local}.{node.name}", safe=True)


def attribute_alone(node: n.Node, scope: Scope) -> tuple[ComponentModel, AttributeModel] | None:
    """The attribute that a name stands for if nothing else with that name is known."""
    if not isinstance(node, n.Name):
        return None
    for component in scope.declared.components.values():
        if node.name in component.attributes:
            known = node.name in _known_names(scope)
            return None if known else (component, component.attributes[node.name])
    return None


def attribute_values(node: n.Node, scope: Scope) -> Expr | None:
    """All values of an attribute, if a loop names the attribute to range over them; None if something else is written."""
    if not isinstance(node, n.Name) or node.name in _named(scope):
        return None
    owners = [c for c in scope.declared.components.values() if node.name in c.attributes]
    if scope.board is not None and scope.board.zone.element.component in [c.name for c in owners]:
        owners = [c for c in owners if c.name == scope.board.zone.element.component]
    if not owners:
        return None
    attribute = owners[0].attributes[node.name]
    type_, values = attribute.type, list(dict.fromkeys(attribute.table))
    if len(owners) > 1:
        first, second = (c.name for c in owners[:2])
        return scope.declared.report("PW301", "a {first} and a {second} have a `{name}`", node.span, first=first, second=second, name=node.name)  # fmt: skip
    if type_.kind == "int":
        values.sort()
    elif type_.kind != "member":
        message = "`{name}` is yes or no, so it cannot be looped over"
        help_line = None
        if type_.kind == "player":
            message, help_line = "`{name}` is a player, so it cannot be looped over", "go through `players`"
        return scope.declared.report("PW301", message, node.span, help_line, name=node.name)
    return ir.Const(t.list_of(type_), tuple(values), span=node.span)


def _named(scope: Scope) -> set[str]:
    """What an attribute's name stands for before its values."""
    declared, matched = scope.declared, scope.matched
    letters = matched.names if matched is not None else ()
    things = [name for name, component in declared.components.items() if not component.choice]
    return {*scope.locals, *letters, *declared.variables, *declared.zones, *declared.defines, *things}


def no_attribute(variable: n.Name, domain: n.Node, scope: Scope) -> None:
    """The finding about a variable with the name of an attribute: it would hold something else."""
    owner = next((c for c in scope.declared.components.values() if variable.name in c.attributes), None)
    if owner is None:
        return
    name, text = variable.name, one_line(domain.span.text)
    help_line = "how many different ones there are: `count distinct {name} of {text}`; all there can be: `every k in {name}: ...`"
    scope.declared.report(
        "PW202", "`{name}` is an attribute of a {owner}, a variable needs another name", variable.span, help_line, name=name, text=text,
        owner=owner.name,
    )  # fmt: skip


def numbers_of(type_: Type, scope: Scope) -> list[str]:
    """The attributes of a thing that are numbers; if there are any, only the printed ones."""
    component = scope.declared.components.get(type_.component) if type_.kind == "face" else None
    if component is None:
        return []
    numbers = [a for a in component.attributes.values() if a.type.kind == "int"]
    return [a.name for a in numbers if a.in_code] or [a.name for a in numbers]


def no_height(value: Expr, name: n.Name, scope: Scope) -> Expr:
    """The finding about the height of a card whose place is unknown."""
    if value.type.kind == "error":
        return value
    component = value.type.element.component if value.type.element is not None else value.type.component
    help_line = "a pile of a grid has it; of a card that is known with its cell: `some c in {component}: c.{name} ...`"
    return scope.declared.report(
        "PW303", "it is not known where this lies, so it has no height", name.span, help_line, component=component, name=name.name,
    )  # fmt: skip


_CALLED = {
    "bottom": mark("things are taken from the top of a pile: `top of ZONE`"),
    "random": mark("what chance chooses is a parameter: `thing: COMPONENT from ZONE by chance`"),
    "opponent": mark("of two players it is `other player`"),
    "opponents": mark("of the others is said `some other q in players: ...`, `every other q in players: ...`"),
    "me": mark("who acts is `player`"), "self": mark("who acts is `player`"), "empty": mark("it is asked by `... is empty`"),
    "points": mark("all scores together are `total`"), "score": mark("all scores together are `total`"),
    **dict.fromkeys(("turn", "turns", "round", "rounds"), mark("turns are counted by a variable that an action changes: `var NAME: 0..99 = 0 per game`")),
    "yes": mark("what holds is `true`, what does not is `false`"),
    "full": mark("it is asked by `... is full`"), "null": mark("what is not there is `none`"), "nothing": mark("what is not there is `none`"),
}  # fmt: skip
# What is asked of a pile as a whole, by the names that it has elsewhere.
_ASKED_OF_ALL = {
    "top": "top of",
    "last": "top of",
    "size": "count",
    "length": "count",
    "len": "count",
    "count": "count",
    "number": "count",
}
_NEAR = 40
_OF = regex(r"\b(?:below )?top\s+of\s+\Z")


def of_one_thing(value: Expr, attribute: n.Name, scope: Scope) -> str | None:
    """How to write an attribute of several things."""
    if not value.type.is_collection or value.type.element is None or value.type.element.kind != "face":
        return None
    component = scope.declared.components[value.type.element.component]
    text = one_line(value.span.text) if value.span else ""
    if attribute.name in _ASKED_OF_ALL and attribute.name not in component.attributes and text:
        return Told("write `{text}`", text=f"{_ASKED_OF_ALL[attribute.name]} {text}")
    before = "" if value.span is None else value.span.file.text[: value.span.start][-_NEAR:]
    if of := _OF.search(before):
        return Told("write `{text}`", text=f"({of[0].strip()} {text}).{attribute.name}")
    if attribute.name not in (*component.attributes, "height") or not text:
        return None
    if value.type.kind == "pile" and attribute.name in component.attributes:
        # Of an empty pile `every` says yes.
        return Told(
            "of what lies on top say `(top of {text}).{attribute}`, of each `every c in {text}: c.{attribute} ...`",
            text=text,
            attribute=attribute.name,
        )
    taken = {*scope.locals, *(scope.matched.names if scope.matched else ())}
    each = next(letter for letter in ("c", "d", "e", "each_one") if letter not in taken)
    model = component.attributes.get(attribute.name)
    sums = f", `sum {attribute.name} of {text}`" if model is None or t.is_numeric(model.type) else ""
    return Told(
        "ask each of them: `every {each} in {text}: {each}.{attribute} ...`, or `same {attribute} of {text}`{sums}", each=each, text=text,
        attribute=attribute.name, sums=sums,
    )  # fmt: skip


def player_missing(name: str, scope: Scope) -> str:
    """What to write if a zone belongs to a player and none is named."""
    board = scope.declared.board
    if not scope.in_objective or board is None:
        return Told("write `for each player` before, or index it: `{name}[q]`", name=name)
    if name == board.name:
        component = board.element.component
        return Told(
            "an objective looks at this grid already: `{component}` is all that is visible on it, `buried` what is not", component=component,
        )  # fmt: skip
    return Told("an objective looks at nothing but `{board}`", board=board.name)
