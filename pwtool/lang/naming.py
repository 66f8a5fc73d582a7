"""Names that could be declared but not used everywhere: where the name would stand, the parser reads a word of the language."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from pwtool.lang import tree as n
from pwtool.lang.reading import automaton
from pwtool.lang.traversal import walk
from pwtool.text import Diagnostic
from pwtool.text.source import Span
from pwtool.text.speech import Told, mark

_EXPRESSION = ('part a of a score a "" = ',)
_EFFECT = ("part a of a action a () { ", *(f"part a of a action a () {{ a = {x} " for x in ("a", "1", "a[a]", "(a)")))
_STEP = ("part a of a turn = ", *(f"part a of a turn = {x} " for x in ("a", "a*", "(a)", "a by a", "a when (a)")))
_TYPE = ("part a of a var a: ", "part a of a action a (a: ")
_ATTRIBUTE = ("part a of a component a { a: a ", "part a of a component a { a: 1..2 ", 'part a of a score a "" = sum ')
_VALUE = ("part a of a component a { a: ", "part a of a example a { given a = { ")
_DECK = ("part a of a deck a of a = ",)
_SHAPE = ('part a of a score a "" = some ',)
_USES = {
    "component": (*_EXPRESSION, *_TYPE, *_SHAPE), "attribute": (*_EXPRESSION, *_TYPE, *_ATTRIBUTE), "value": (*_EXPRESSION, *_VALUE),
    "deck": _DECK, "zone": _EXPRESSION, "token": _EXPRESSION, "variable": (*_EXPRESSION, *_EFFECT), "definition": _EXPRESSION,
    "action": _STEP, "shape": _SHAPE, "objective": _VALUE[1:], "name": _EXPRESSION,
}  # fmt: skip
"""For each kind of name, texts after which it may be used."""
_BUILT_IN = frozenset(("player", "players", "true", "false"))
_LOCAL = frozenset(("attribute", "deck", "action", "shape", "objective", "name"))


def unusable_names(document: n.Document) -> list[Diagnostic]:
    """A finding for each declared name that cannot be used afterwards."""
    found = []
    for kind, name, span in _declared(document):
        if name in _words(kind):
            message = "`{name}` is a word of the language: this {kind} could not be used everywhere"
        elif name in _BUILT_IN and kind not in _LOCAL:
            message = "`{name}` has a meaning of its own: this {kind} could not be used"
        else:
            continue
        found.append(
            Diagnostic.of("PW101", message, span, help="choose another name, such as `{name}_{letter}`", name=name, kind=Told(kind), letter=kind[0])
        )  # fmt: skip
    return found


@cache
def _words(kind: str) -> frozenset[str]:
    """The words that the parser takes for words of the language where a name of this kind is used."""
    reads = automaton()
    # Some words are read as such only before others: `other c in ...`.
    plain = {t: w for t, pattern in reads.terminals.items() if (w := t.lower()).isalpha() and pattern == rf"{w}\b"}
    found = frozenset[str]().union(*map(reads.expected, _USES[kind]))
    return frozenset(plain[name] for name in plain.keys() & found)


def _declared(document: n.Document) -> Iterator[tuple[str, str, Span]]:
    """The kind, the text and the place of each declared name."""
    for declaration in document.declarations:
        for node in walk(declaration):
            kind, named = _KINDS.get(type(node), ("", ""))
            if named:
                name = getattr(node, named)
                yield kind, name.name, name.span
            elif kind:
                yield kind, node.name, node.span  # type: ignore[attr-defined]
            if isinstance(node, n.Define):
                yield from (("name", p.name, p.span) for p in node.parameters)


_KINDS: dict[type[n.Node], tuple[str, str]] = {
    n.Component: (mark("component"), "name"), n.AttributeDeclaration: (mark("attribute"), "name"), n.Deck: (mark("deck"), "name"),
    n.Zone: (mark("zone"), "name"), n.Token: (mark("token"), "name"), n.Var: (mark("variable"), "name"),
    n.Define: (mark("definition"), "name"), n.Action: (mark("action"), "name"), n.Shape: (mark("shape"), "name"),
    n.Objective: (mark("objective"), "name"), n.Member: (mark("value"), ""),
    **dict.fromkeys((n.OverDomain, n.Comprehension, n.Pick, n.Around, n.ForEach), (mark("name"), "variable")),
    **dict.fromkeys((n.Parameter, n.ConsequenceParameter, n.Let), (mark("name"), "name")),
}  # fmt: skip
"""What a node declares, and its part that is the name; without one, it is a name itself."""
