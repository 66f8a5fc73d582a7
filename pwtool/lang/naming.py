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
            match node:
                case n.Member():
                    yield mark("value"), node.name, node.span
                case n.OverDomain() | n.Comprehension() | n.Pick() | n.Around() | n.ForEach():
                    yield mark("name"), node.variable.name, node.variable.span
                case n.Parameter() | n.ConsequenceParameter() | n.Let():
                    yield "name", node.name.name, node.name.span
                case _ if type(node) in _KINDS:
                    yield _KINDS[type(node)], node.name.name, node.name.span  # type: ignore[attr-defined]
            if isinstance(node, n.Define):
                yield from (("name", p.name, p.span) for p in node.parameters)


_KINDS: dict[type[n.Node], str] = {
    n.Component: mark("component"), n.AttributeDeclaration: mark("attribute"), n.Deck: mark("deck"), n.Zone: mark("zone"), n.Token: mark("token"),
    n.Var: mark("variable"), n.Define: mark("definition"), n.Action: mark("action"), n.Shape: mark("shape"), n.Objective: mark("objective"),
}  # fmt: skip
