"""The kinds of changes that are tried: each is one function in `KINDS`, which makes variants of an item's text.

None of them knows a game. What they make need not load: whatever does not is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pwtool.lang import tree as n
from pwtool.lang.merged import Key
from pwtool.lang.traversal import walk
from pwtool.learning.near import conditions_in, conditions_near
from pwtool.learning.texts import Items, Word, Written

OFFSETS = (1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 8, -8, 10, -10)
"""How far a number is moved; between those that explain and those that do not, every number is tried."""
SHARES = (1 / 4, 1 / 2, 3 / 4, 3 / 2, 2)
"""The shares of large numbers that are tried too."""
LARGE = 20
TURNS = (
    "stop", "stop at once", "1 more turn each", "2 more turns each", "3 more turns each",
    "1 more turn for the others", "2 more turns for the others",
)  # fmt: skip
SIGNS = {
    "==": (">=", "<=", "!=", "<", ">"), "!=": ("==", "<", ">", "<=", ">="), "<": ("<=", ">", "==", ">="),
    "<=": ("<", "==", ">=", ">"), ">": (">=", "<", "==", "<="), ">=": (">", "==", "<=", "<"),
}  # fmt: skip
WORDS = {
    "some": ("every", "no"), "every": ("some",), "no": ("some",), "any": ("all",), "all": ("any",), "and": ("or",),
    "or": ("and",), "+": ("-",), "-": ("+",), "first": ("last",), "last": ("first",), "max": ("min",), "min": ("max",),
    "same": ("distinct",), "distinct": ("same",), "largest": ("smallest",), "smallest": ("largest",),
    "true": ("false",), "false": ("true",), "+=": ("=",), "most": ("fewest",), "fewest": ("most",),
    "least": ("most",), "exactly": ("at least", "at most"), "shared": ("replayed",), "replayed": ("shared",),
}  # fmt: skip
"""What may stand for a word that the language chooses from."""
NUMBER = 0.1
"""What another number costs more than the cheapest change: a rule that is left out, if the games do not tell them apart."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A changed item. `text` is None if it is left out; `dial` are the place of a number in the old text and the new number,
    which is `far` from the old one; `more` are the texts of other items that change with it; `distance` is that of the item
    from what refuses.
    """

    key: Key
    kind: str
    text: str | None
    price: float = 0.0
    dial: tuple[int, int, int] | None = None
    more: tuple[tuple[Key, str | None], ...] = ()
    source: str = ""
    far: int = 0
    distance: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """An item to change: its text, and the ruleset around it. `names` are, for a name, the others of its kind."""

    key: Key
    written: Written
    items: Items
    names: dict[str, tuple[str, ...]]

    @property
    def node(self) -> n.Node:
        """Its tree."""
        return self.written.node


Kind = Callable[[Item], Iterator[str | None]]
KINDS: dict[str, tuple[Kind, float]] = {}
"""Every kind by its name: what makes its variants, and what it costs more than the cheapest change."""


def kind(name: str, price: float) -> Callable[[Kind], Kind]:
    """Register a kind of changes."""

    def register(make: Kind) -> Kind:
        KINDS[name] = make, price
        return make

    return register


def variants(item: Item, wanted: Callable[[float], bool] = lambda price: True) -> Iterator[Variant]:
    """All variants of an item, the cheapest kinds first, none twice; of kinds whose prices are `wanted`."""
    seen: set[str | None] = {item.written.text}
    rules = _rules_in(item)
    for variant in _all(item, wanted):
        if variant.text not in seen:
            seen.add(variant.text)
            if variant.text is None or not _within(item.written.text, variant.text, rules):
                yield variant


def _all(item: Item, wanted: Callable[[float], bool]) -> Iterator[Variant]:
    if wanted(NUMBER):
        yield from dials(item)
    for name, (make, price) in sorted(KINDS.items(), key=lambda entry: entry[1][1]):
        for text in make(item) if wanted(price) else ():
            yield Variant(item.key, name, text, price)


def _rules_in(item: Item) -> list[tuple[int, int]]:
    """Where the rules of an action are in its text: they are items of their own."""
    statements = getattr(item.node, "statements", ())
    return [item.written.span(statement) for statement in statements if isinstance(statement, n.Rule)]


def _within(old: str, new: str, places: list[tuple[int, int]]) -> bool:
    """Whether two texts differ only within one of these places."""
    if not places:
        return False
    start = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    same = min(len(old), len(new)) - start
    tail = next((at for at in range(same) if old[-1 - at] != new[-1 - at]), same)
    end = len(old) - tail
    return any(low <= start and end <= high for low, high in places)


# ---- numbers


def dials(item: Item) -> Iterator[Variant]:
    """The item with one of its numbers moved."""
    if item.key[0] == "deck":
        return
    for word in item.written.words():
        for start, end in _numbers(word):
            old = int(item.written.text[start:end])
            for new in nearby(old):
                yield dialed(item, start, end, new)


def dialed(item: Item, start: int, end: int, new: int) -> Variant:
    """The item with this number in a place of its text."""
    text = item.written.changed(start, end, str(new))
    far = abs(new - int(item.written.text[start:end]))
    return Variant(item.key, "number", text, NUMBER, (start, end, new), far=far)


def _numbers(word: Word) -> Iterator[tuple[int, int]]:
    if word.text[0].isdigit():
        for match in re.finditer(r"\d+", word.text):
            yield word.start + match.start(), word.start + match.end()


def nearby(old: int) -> Iterator[int]:
    """Numbers that may stand for a number, the nearest first."""
    far = sorted({round(old * share) for share in SHARES}, key=lambda new: abs(new - old)) if old >= LARGE else []
    for new in (*(old + offset for offset in OFFSETS), *far):
        if new >= 0 and new != old:
            yield new


# ---- words and signs


@kind("sign", 0.15)
def signs(item: Item) -> Iterator[str]:
    """Another comparison sign."""
    for word in item.written.words():
        for other in SIGNS.get(word.text, ()):
            yield item.written.changed(word.start, word.end, other)


@kind("word", 0.3)
def words(item: Item) -> Iterator[str]:
    """Another word that the language chooses from."""
    found = item.written.words()
    for at, word in enumerate(found):
        before = found[at - 1].text if at else ""
        if item.key[0] == "turn":
            continue
        for other in WORDS.get(word.text, ()):
            yield item.written.changed(word.start, word.end, other)
        if word.text == "most" and before == "at":
            yield item.written.changed(word.start, word.end, "least")
        if word.text in ("least", "most") and before == "at":
            yield item.written.changed(found[at - 1].start, word.end, "exactly")


@kind("reach", 0.2)
def reaches(item: Item) -> Iterator[str]:
    """Neighbours side by side, at the corners, or both."""
    written = item.written
    for node in walk(item.node):
        if isinstance(node, n.Unary) and node.operator in _REACHES:
            begin, end = written.span(node)
            behind = _closed(written.text, begin, written.span(node.operand)[1])
            last = behind if node.operator == "neighbours" else end
            for operator, reach in _REACHES.items():
                if operator != node.operator:
                    yield written.changed(behind, last, reach)


_REACHES = {"neighbours": "", "diagonal": " diagonally", "surrounding": " in all directions"}


@kind("life", 0.1)
def lives(item: Item) -> Iterator[str]:
    """A variable keeps its value for a turn, or for the game."""
    if isinstance(item.node, n.Var):
        start, end = item.written.span(item.node.per)
        for other in ("turn", "round", "game"):
            yield item.written.changed(start, end, other)


@kind("name", 0.6)
def names(item: Item) -> Iterator[str]:
    """Another attribute, zone, shape or deck of the same kind."""
    for word in item.written.words():
        for other in item.names.get(word.text, ()):
            yield item.written.changed(word.start, word.end, other)


# ---- whole items and their parts

_DROPPED = ("rule", "ending", "score", "consequence", "anytime", "invariant")


@kind("dropped", 0.0)
def dropped(item: Item) -> Iterator[None]:
    """Without the item."""
    if item.key[0] in _DROPPED:
        yield None


@kind("end", 0.0)
def endings(item: Item) -> Iterator[str]:
    """Another number of last turns."""
    if isinstance(item.node, n.Ending):
        at = max(w.end for w in item.written.words() if w.text == "then")
        for form in TURNS:
            yield item.written.changed(at, len(item.written.text), f" {form}")


@kind("condition left out", 0.3)
def without_when(item: Item) -> Iterator[str]:
    """Without a condition."""
    for node in walk(item.node):
        when = getattr(node, "when", None)
        if isinstance(node, n.Rule | n.Effect) and isinstance(when, n.Node):
            yield _without_when(item.written, when)


def _without_when(written: Written, when: n.Node) -> str:
    start, end = written.span(when)
    begin = written.text.rindex("when", 0, start)
    return written.changed(begin, _closed(written.text, begin, end), "")


def _closed(text: str, begin: int, end: int) -> int:
    """Where a part ends with the brackets that were opened in it."""
    while text[begin:end].count("(") > text[begin:end].count(")") and ")" in text[end:]:
        end = text.index(")", end) + 1
    return end


@kind("part left out", 0.4)
def parts(item: Item) -> Iterator[str]:
    """Only one side of a condition or a sum, or one branch; without a negation, or with one."""
    written = item.written
    for node in walk(item.node):
        match node:
            case n.Binary(operator="and" | "or" | "+" | "-" | "*"):
                yield written.changed(*written.span(node), _bracketed(written, node.left))
                yield written.changed(*written.span(node), _bracketed(written, node.right))
            case n.If():
                yield written.changed(*written.span(node), _bracketed(written, node.then))
                yield written.changed(*written.span(node), _bracketed(written, node.otherwise))
            case n.Unary(operator="not"):
                yield written.changed(*written.span(node), _bracketed(written, node.operand))


def _bracketed(written: Written, node: n.Node) -> str:
    text = written.of(node)
    return f"({text})" if isinstance(node, n.Binary | n.If) or " " in text else text


@kind("effect left out", 0.4)
def effects(item: Item) -> Iterator[str]:
    """Without one of the effects."""
    if isinstance(item.node, n.Action | n.Consequence):
        for statement in item.node.statements:
            if isinstance(statement, n.Effect | n.ForEach):
                yield item.written.changed(*item.written.span(statement), "")


@kind("negated", 0.5)
def negated(item: Item) -> Iterator[str]:
    """The opposite of a condition."""
    for node in conditions_in(item.node):
        yield item.written.changed(*item.written.span(node), f"not ({item.written.of(node)})")


# ---- decks


@kind("deck", 0.2)
def decks(item: Item) -> Iterator[str]:
    """A deck with more or fewer of one card, of all that it has as often, or of all."""
    if not isinstance(item.node, n.Deck):
        return
    for part in item.node.parts:
        counts = _counts(item.written, part)
        some = [[one] for one in counts] + [[c for c in counts if c[2] == held] for held in {c[2] for c in counts}]
        for chosen in some:
            for more in (1, -1, 2, -2, 3, -3):
                yield _counted(item.written, [(start, end, held + more) for start, end, held in chosen])
        for times in (2, 3):
            yield _counted(item.written, [(start, end, held * times) for start, end, held in counts])


def _counts(written: Written, part: n.DeckPart) -> list[tuple[int, int, int]]:
    """Where the cards of a part are named with their numbers, and the numbers."""
    start = last = written.span(part)[0]
    if part.every:
        text = written.text[start:]
        return [(start, start + text.index("all") + len("all"), part.every)]
    found = []
    for name, held in part.cards:
        at, end = written.span(name)
        number = re.search(r"\d+\s+$", written.text[last:at])
        found.append((at if number is None else last + number.start(), end, held))
        last = end
    return found


def _counted(written: Written, places: list[tuple[int, int, int]]) -> str:
    """The deck with other numbers; without the cards of which none is left."""
    text = written.text
    for start, end, now in sorted(places, reverse=True):
        name = re.sub(r"^\d+\s+", "", text[start:end])
        text = text[:start] + (f"{now} {name}" if now > 1 else name if now == 1 else "") + text[end:]
    return text


# ---- the order of play


@kind("how often", 0.1)
def repeats(item: Item) -> Iterator[str]:
    """A step once, at most once, or any number of times."""
    if not isinstance(item.node, n.Turn):
        return
    written = item.written
    for node in walk(item.node):
        if isinstance(node, n.Repeat):
            start, end = written.span(node)
            inner = written.text[start : _closed(written.text, start, written.span(node.item)[1])]
            for sign in ("", "?", "*", "+"):
                yield written.changed(start, end, inner + sign)
    for part in (part for parts in _in_order(item.node) for part in parts):
        if not isinstance(part, n.Repeat):
            start, end = written.span(part)
            for sign in "?+*":
                yield written.changed(start, end, f"{_whole(written, part)}{sign}")


def _in_order(turn: n.Turn) -> Iterator[tuple[n.Node, ...]]:
    """The parts of each sequence; an alternative, a group or a turn of one part is a sequence too."""
    for node in walk(turn):
        if isinstance(node, n.Sequence):
            yield node.items
        elif isinstance(node, n.Turn | n.Group | n.Choice):
            parts = node.items if isinstance(node, n.Choice) else (node.order,)
            yield from ((part,) for part in parts if not isinstance(part, n.Choice | n.Sequence))


def _whole(written: Written, node: n.Node) -> str:
    text = written.of(node)
    plain = isinstance(node, n.Step) and node.actor is None and node.guard is None
    return text if plain or text.startswith("(") else f"({text})"


@kind("order", 0.4)
def orders(item: Item) -> Iterator[str]:
    """Without a step, or with steps in another order, as alternatives, or not as alternatives."""
    if not isinstance(item.node, n.Turn):
        return
    written = item.written
    for node in walk(item.node):
        if isinstance(node, n.Choice | n.Sequence) and len(node.items) > 1:
            texts = [written.of(part) for part in node.items]
            sign = " | " if isinstance(node, n.Choice) else " "
            for at in range(len(texts)):
                yield written.changed(*written.span(node), sign.join(texts[:at] + texts[at + 1 :]))
            if isinstance(node, n.Sequence):
                for at in range(len(texts) - 1):
                    swapped = [*texts[:at], texts[at + 1], texts[at], *texts[at + 2 :]]
                    yield written.changed(*written.span(node), " ".join(swapped))
                yield written.changed(*written.span(node), f"({' | '.join(texts)})")
            else:
                yield written.changed(*written.span(node), " ".join(f"({text})" for text in texts))
                yield written.changed(*written.span(node), f"({' | '.join(texts)})+")


@kind("also", 0.5)
def insertions(item: Item) -> Iterator[str]:
    """One more action, which may be done somewhere in the turn."""
    if not isinstance(item.node, n.Turn):
        return
    actions = [key[1] for key in item.items if key[0] == "action"]
    for parts in _in_order(item.node):
        places = [item.written.span(parts[0])[0], *(item.written.span(part)[1] for part in parts)]
        for at in places:
            for name in actions:
                yield item.written.changed(at, at, f" {name}? ")


@kind("who acts", 0.4)
def actors(item: Item) -> Iterator[str]:
    """Somebody else does a step."""
    if not isinstance(item.node, n.Turn | n.Anytime):
        return
    known = dict.fromkeys(
        written.span.text.strip("()")
        for other in item.items.values()
        if isinstance(other, n.Turn | n.Anytime)
        for node in walk(other)
        if isinstance(written := getattr(node, "actor", None), n.Node)
    )
    for node in walk(item.node):
        actor = getattr(node, "actor", None)
        if isinstance(actor, n.Node):
            start, end = item.written.span(actor)
            bare = item.written.text[start - 1] == "("
            for other in (*known, "player", "player after player"):
                yield item.written.changed(start, end, other if bare else f"({other})")
        elif isinstance(node, n.Step) and node.guard is None:
            end = item.written.span(node)[1]
            for other in (*known, "player after player"):
                yield item.written.changed(end, end, f" by ({other})")


@kind("guard of a step", 0.3)
def step_guards(item: Item) -> Iterator[str]:
    """A step without its condition."""
    if isinstance(item.node, n.Turn):
        for node in walk(item.node):
            guard = getattr(node, "guard", None)
            if isinstance(node, n.Step | n.Group) and isinstance(guard, n.Node):
                start, end = item.written.span(guard)
                begin = item.written.text.rindex("when", 0, start)
                yield item.written.changed(begin, _closed(item.written.text, begin, end), "")


# ---- ranking


@kind("ranking", 0.2)
def rankings(item: Item) -> Iterator[str]:
    """Without a criterion, with another order, or with one more."""
    if not isinstance(item.node, n.Ranking):
        return
    texts = [item.written.of(criterion) for criterion in item.node.criteria]
    last = [text for text in texts if text in ("shared", "replayed")]
    texts = [text for text in texts if text not in last]
    for at in range(len(texts)):
        if len(texts) > 1:
            yield "ranking " + ", ".join([*texts[:at], *texts[at + 1 :], *last])
        for to in range(at):
            swapped = texts.copy()
            swapped[at], swapped[to] = swapped[to], swapped[at]
            yield "ranking " + ", ".join([*swapped, *last])
    for other in ([], ["shared"], ["replayed"]):
        yield "ranking " + ", ".join([*texts, *other])
    values = [node.value.span.text for key, node in item.items.items() if isinstance(node, n.Score) and key[1]]
    for value in values:
        for which in ("most", "fewest"):
            for at in range(1, len(texts) + 1):
                yield "ranking " + ", ".join([*texts[:at], f"{which} ({value})", *texts[at:], *last])


# ---- conditions from elsewhere in the ruleset


@kind("with a condition", 1.0)
def guarded(item: Item) -> Iterator[str]:
    """A rule, an effect or an ending holds only with, or also without, a condition that occurs in the ruleset."""
    node, written = item.node, item.written
    if not isinstance(node, n.Rule | n.Action | n.Consequence | n.Ending | n.Score):
        return
    known = conditions_near(item.key, item.items)
    # The rules of an action are items of their own.
    parts = walk(node) if not isinstance(node, n.Action | n.Consequence) else _effects_in(node)
    for part in parts:
        for condition in known:
            for text in (condition, f"not ({condition})"):
                yield from _with(written, part, text)


def _effects_in(node: n.Action | n.Consequence) -> Iterator[n.Node]:
    return (
        part for s in node.statements if not isinstance(s, n.Rule) for part in walk(s) if isinstance(part, n.Effect)
    )


def _with(written: Written, part: n.Node, text: str) -> Iterator[str]:
    if isinstance(part, n.Rule):
        start, end = written.span(part.require)
        end = _closed(written.text, written.text.rindex("require", 0, start), end)
        inner = written.text[start:end]
        yield written.changed(start, end, f"({inner}) or ({text})")
        if part.when is None:
            at = written.text.rindex("require", 0, start)
            yield written.changed(at, at, f"when {text}\n  ")
    elif isinstance(part, n.Effect) and part.when is None and part.kind != "shuffle":
        end = written.span(part)[1]
        yield written.changed(end, end, f" when {text}")
    elif isinstance(part, n.Ending):
        start, end = written.span(part.condition)
        begin = written.text.rindex("when", 0, start) + len("when ")
        end = _closed(written.text, begin, end)
        inner = written.text[begin:end]
        yield written.changed(begin, end, f"({inner}) or ({text})")
        yield written.changed(begin, end, f"({inner}) and ({text})")
    when = getattr(part, "when", None)
    if isinstance(part, n.Rule | n.Effect) and isinstance(when, n.Node):
        start, end = written.span(when)
        start = written.text.rindex("when", 0, start) + len("when ")
        end = _closed(written.text, start, end)
        for sign in ("and", "or"):
            yield written.changed(start, end, f"({written.text[start:end]}) {sign} ({text})")
