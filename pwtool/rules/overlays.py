"""Applying editions and variants to a game: what each adds, changes or removes, and why."""

from __future__ import annotations

from itertools import count

from msgspec.structs import replace

from pwtool.lang import tree as n
from pwtool.lang.look import LookBlock
from pwtool.lang.merged import Earlier, Key, Merged, Step, describe, key_of, quoted
from pwtool.text import Diagnostic, Fix, Label, did_you_mean, name_fix, too_many, words
from pwtool.text.source import Span
from pwtool.text.speech import Told, mark


def apply_layer(merged: Merged, declarations: tuple[n.Node, ...], layer: str) -> None:
    """Apply the declarations of one file (or of one adopted reading) to the items so far."""
    if merged.earlier is None or merged.earlier.layer != layer:
        merged.earlier = Earlier(layer, list(merged.examples), _score_lines(merged), _actions(merged), {})
    earlier = merged.earlier
    _only_once(merged, declarations, earlier.changed)
    # Translations and notes last: those of the layers below are dropped with the items that this one changes.
    for declaration in sorted(declarations, key=lambda d: isinstance(d, n.Texts | n.Notes)):
        _apply(merged, declaration, layer)
        if too_many(merged.diagnostics):
            return
    if earlier.scores and _score_lines(merged) - earlier.scores:
        drop_totals(merged, earlier.examples)
    if earlier.examples:
        _drop_of_actions(merged, earlier)


def _score_lines(merged: Merged) -> set[Key]:
    return {key for key in merged.items if key[0] == "score"}


def _apply(merged: Merged, node: n.Node, layer: str) -> None:
    match node:
        case n.Change():
            _change(merged, node, layer)
        case n.Remove():
            _remove(merged, (node.kind, node.name.name), node.name.span, node.reason, layer)
        case n.AddEffect():
            _add_effect(merged, node, layer)
        case n.Texts():
            translations = merged.texts.setdefault(node.language.name, {})
            for translation in node.translations:
                translations[(translation.kind, translation.name.name)] = translation
        case n.Notes():
            merged.notes.setdefault(node.language.name, {}).update({(o.kind, o.name.name): o for o in node.notes})
        case LookBlock():
            merged.looks.update({(o.kind, o.name.name): o for o in node.looks})
        case n.Without():
            merged.without[node.variant.name] = node
        case n.Within():
            merged.within.setdefault(node.variant.name, []).append((layer, node))
        case n.Example():
            merged.examples.append(node)
        case n.Include():
            pass
        case _:
            for part in _parts(node):
                _add(merged, part, layer)


def _parts(node: n.Node) -> list[n.Node]:
    """Make an action's or consequence's rules separate items, so that an overlay can name them."""
    if isinstance(node, n.Action | n.Consequence):
        rules = [s for s in node.statements if isinstance(s, n.Rule)]
        rest = tuple(s for s in node.statements if not isinstance(s, n.Rule))
        prefix = node.name.name
        return [
            replace(node, statements=rest),
            *(replace(r, name=replace(r.name, name=f"{prefix}.{r.name.name}")) for r in rules),
        ]
    return [node]


def parts_of(nodes: tuple[n.Node, ...]) -> list[n.Node]:
    """The items of declarations, with rules taken out of their actions."""
    return [part for node in nodes for part in _parts(node)]


def _add(merged: Merged, node: n.Node, layer: str) -> None:
    key = key_of(node)
    if key in merged.items:
        before = merged.items[key]
        in_overlay = merged.history[key][-1].layer != layer
        merged.diagnostics.append(
            Diagnostic.of(
                "PW202", "{key} is declared twice", node.span,
                labels=(Label(before.span, "first declared here"),),
                help="write `change {item} ...` to change it" if in_overlay else "rename one of them",
                fix=_to_change(node) if in_overlay else _other_name(merged, key, node),
                key=quoted(key), item=describe(key),
            )
        )  # fmt: skip
        return
    merged.items[key] = node
    merged.history.setdefault(key, []).append(Step(layer, "adds", None, None, node))


def _to_change(node: n.Node) -> Fix:
    return Fix(Span(node.span.file, node.span.start, node.span.start), "change ", "write `change` before it")


def _other_name(merged: Merged, key: Key, node: n.Node) -> Fix | None:
    name = getattr(node, "name", None)
    if not isinstance(name, n.Name):
        return None
    taken = {other for _, other in merged.items}
    number = next(number for number in count(2) if f"{key[1]}_{number}" not in taken)
    other = f"{name.span.text}_{number}"
    return Fix(name.span, other, Told("call it `{name}`", name=other))


_FEW = 8
"""So many names of many are told."""


def _missing(merged: Merged, key: Key, span: Span, message: str) -> None:
    names = [name for kind, name in merged.items if kind == key[0]] if merged.advises else []
    help_line = did_you_mean(key[1], names)
    if help_line is None and not names:
        help_line = "there is no {kind} at all"
    elif help_line is None:
        help_line = Told("known here: {names}", names=words.quoted(names, most=_FEW))
    fix = name_fix(span, names) if span.text == key[1] else None
    merged.diagnostics.append(Diagnostic.of("PW204", message, span, help=help_line, fix=fix, key=quoted(key), kind=Told(key[0])))  # fmt: skip


def _change(merged: Merged, change: n.Change, layer: str) -> None:
    declaration = change.declaration
    if isinstance(declaration, n.Example):
        merged.examples = [e for e in merged.examples if e.name.name != declaration.name.name]
        merged.examples.append(declaration)
        return
    key = key_of(declaration)
    before = merged.items.get(key)
    if before is None:
        name = getattr(declaration, "name", declaration)
        _missing(merged, key, name.span, mark("there is no {key} to change"))
        return
    parts = _parts(declaration)
    if isinstance(declaration, n.Action | n.Consequence):
        old_rules = [k for k in merged.items if k[0] == "rule" and k[1].startswith(f"{key[1]}.")]
        new_rules = {key_of(p): p for p in parts[1:]}
        if parts[0] == before and [merged.items[k] for k in old_rules] == list(new_rules.values()):
            _no_effect(merged, key, declaration.span, before)
            merged.items.update({key: parts[0], **new_rules})
            return
        for gone in [k for k in old_rules if k not in new_rules]:
            _remove(merged, gone, declaration.span, change.reason, layer)
        _replace(merged, key, parts[0], change.reason, layer)
        for rule_key, rule in new_rules.items():
            if rule_key in merged.items:
                if merged.items[rule_key] != rule:
                    _replace(merged, rule_key, rule, change.reason, layer)
            else:
                _add(merged, rule, layer)
        return
    if declaration == before:
        _no_effect(merged, key, declaration.span, before)
        # From here on it stands where somebody means to write it otherwise.
        merged.items[key] = declaration
        return
    _replace(merged, key, declaration, change.reason, layer)


def _only_once(merged: Merged, declarations: tuple[n.Node, ...], seen: dict[Key, Span]) -> None:
    """A second change of an item in one layer, of which a part may be `seen` already, would undo the first one without a word."""
    for node in declarations:
        match node:
            case n.Remove():
                key, span, message = (node.kind, node.name.name), node.name.span, mark("{key} is changed and removed")
            case n.Change(declaration=declaration) if not isinstance(declaration, n.Example):
                key, span, message = key_of(declaration), declaration.span, mark("{key} is changed twice")
            case _:
                continue
        if key in seen:
            merged.diagnostics.append(
                Diagnostic.of(
                    "PW202", message, span,
                    labels=(Label(seen[key], "first here"),), help="leave out one of them", key=quoted(key),
                )
            )  # fmt: skip
        elif isinstance(node, n.Change):
            seen[key] = span


def _actions(merged: Merged) -> dict[str, tuple[tuple[n.Node, ...], list[n.Node]]]:
    """For each action and consequence what examples name, its parameters, and its rules."""
    found: dict[str, tuple[tuple[n.Node, ...], list[n.Node]]] = {}
    for node in merged.items.values():
        if isinstance(node, n.Action):
            found[node.name.name] = tuple(replace(parameter, text="") for parameter in node.parameters), []
        elif isinstance(node, n.Consequence):
            found[node.name.name] = tuple(replace(parameter, value=None) for parameter in node.parameters), []
    for (kind, name), node in merged.items.items():
        owner = name.partition(".")[0]
        if kind == "rule" and owner in found:
            found[owner][1].append(node)
    return found


def _drop_of_actions(merged: Merged, earlier: Earlier) -> None:
    """With other parameters, no earlier example of an action fits any more, not even one of a rule that stays; with other
    rules, none that is about the action as a whole.
    """
    now, old = _actions(merged), {id(e) for e in earlier.examples}

    def fits(example: n.Example) -> bool:
        name, dot, _ = example.name.name.partition(".")
        before, after = earlier.actions.get(name), now.get(name)
        if before is None or before == after or id(example) not in old or not _asks_actions(example):
            return True
        return dot == "." and after is not None and before[0] == after[0]

    merged.examples = list(filter(fits, merged.examples))


def _asks_actions(example: n.Example) -> bool:
    return any(isinstance(outcome.what, n.CallExample) for outcome in example.outcomes)


def _no_effect(merged: Merged, key: Key, span: Span, before: n.Node) -> None:
    merged.diagnostics.append(
        Diagnostic.of(
            "PW205", "{key} already reads like this", span,
            labels=(Label(before.span, "declared here"),), help="write what is to be different, or leave out the change", key=quoted(key),
        )
    )  # fmt: skip


def _replace(merged: Merged, key: Key, node: n.Node, reason: n.Reason | None, layer: str) -> None:
    before = merged.items[key]
    if before != node:
        merged.history[key].append(Step(layer, "changes", reason, before, node))
        _drop_words(merged, key)
    merged.items[key] = node
    _drop_examples(merged, key)
    if getattr(before, "text", "") != getattr(node, "text", ""):
        for translations in merged.texts.values():
            translations.pop(key, None)


def _remove(merged: Merged, key: Key, span: Span, reason: n.Reason | None, layer: str) -> None:
    before = merged.items.get(key)
    if before is None:
        _missing(merged, key, span, mark("there is no {key} to remove"))
        return
    del merged.items[key]
    merged.history[key].append(Step(layer, "removes", reason, before, None))
    _drop_words(merged, key)
    _drop_examples(merged, key)
    if key[0] in ("action", "consequence"):
        for rule in [k for k in merged.items if k[0] == "rule" and k[1].startswith(f"{key[1]}.")]:
            _remove(merged, rule, span, reason, layer)


def _drop_words(merged: Merged, key: Key) -> None:
    """The notes on a changed item describe its old state, and the translated readings of an open point the old ones."""
    for notes in merged.notes.values():
        notes.pop(key, None)
    if key[0] == "ambiguity":
        for translations in merged.texts.values():
            for reading in [k for k in translations if k[0] == "reading" and k[1].partition(".")[0] == key[1]]:
                del translations[reading]


def _drop_examples(merged: Merged, key: Key) -> None:
    # The examples of a changed item are about its old reading: the overlay gives its own.
    if key[0] == "score":
        merged.examples = [e for e in merged.examples if not (_of_score(e) and key[1] in _outcomes(e))]
        drop_totals(merged, merged.examples)
    else:
        merged.examples = [e for e in merged.examples if e.name.name != key[1] or not _may_be_about(e, key)]


def _may_be_about(example: n.Example, key: Key) -> bool:
    """Whether an example of this name is about this item: an action and, say, an objective may have the same name."""
    if key[0] in ("action", "consequence", "objective"):
        return _asks_actions(example) == (key[0] != "objective")
    return key[0] in ("rule", "invariant", "ending")


def _of_score(example: n.Example) -> bool:
    return example.name.name == "score"


def _outcomes(example: n.Example) -> set[str]:
    return {o.name.name for o in example.outcomes if o.name is not None}


def drop_totals(merged: Merged, examples: list[n.Example]) -> None:
    """With different score lines these examples have different totals; what they say about single lines still holds."""
    old = {id(e) for e in examples if _of_score(e) and "total" in _outcomes(e)}
    kept: list[n.Example] = []
    for example in merged.examples:
        if id(example) in old:
            left = tuple(o for o in example.outcomes if o.name is None or o.name.name != "total")
            if left:
                kept.append(replace(example, outcomes=left))
        else:
            kept.append(example)
    merged.examples = kept


def _add_effect(merged: Merged, node: n.AddEffect, layer: str) -> None:
    key = ("action", node.action.name)
    action = merged.items.get(key)
    if not isinstance(action, n.Action):
        _missing(merged, key, node.action.span, mark("there is no {key} to add an effect to"))
        return
    changed = replace(action, statements=(*action.statements, node.effect))
    merged.history[key].append(Step(layer, "changes", node.reason, action, changed))
    _drop_words(merged, key)
    merged.items[key] = changed
