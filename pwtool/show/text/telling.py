"""The rows of a comparison as sentences for players: what applies now, what applied before, what shows the difference."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, field

from pwtool.comparing.orders import may_be_turn
from pwtool.comparing.row import ORDERS, Row
from pwtool.lang import tree as n
from pwtool.lang.merged import Key
from pwtool.play.game import Game
from pwtool.show.text.comparing import Comparison, item_name
from pwtool.show.text.item_words import Change, ItemWords
from pwtool.show.text.settled import chosen_reading, keeps_reading
from pwtool.why.voice import Voice, plain, sentences, text_of

CHANGES = ("may", "may_not", "must", "counts", "material", "files")
"""The sections of what changes in play; `undecided`, `settled` and `open` come after them."""
_COUNTING = frozenset(("objective", "score", "ranking", "ending", "consequence"))
_NAMES = frozenset(("objective", "score", "variant", "deck", "component"))
"""Kinds of items that have a name instead of a sentence."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A board that distinguishes two rulesets, as written in examples: only one of the games counts it."""

    caption: str
    board: str
    side: int


@dataclass(frozen=True, slots=True)
class Dealt:
    """Cards that are added to a deck or removed from it: codes with their numbers."""

    caption: str
    component: str
    cards: tuple[tuple[str, int], ...]
    side: int


@dataclass(slots=True)
class Line:
    """One thing to know: how it is now, how it was, how else it can be read, a shortest turn or the boards and cards
    that show it, and where it is stated. `about`: the sentences of the rulesets that it is made of.
    """

    text: str
    before: str = ""
    other: str = ""
    details: list[str] = field(default_factory=list)
    boards: list[Shown] = field(default_factory=list)
    cards: list[Dealt] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    about: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Teller:
    """Describes a comparison in one language."""

    found: Comparison
    voice: Voice

    def rows(self, row: Row) -> Iterator[tuple[str, Line]]:
        """The lines for a row, each with its section."""
        if row.kind in ("ambiguity", "erratum"):
            yield from self._point(row)
            return
        if self._told_elsewhere(row):
            return
        line = self._line(row)
        if row.status == "undecided":
            yield "undecided", Line(self._name(row), sources=line.sources)
            return
        if line.text:
            yield self._section(row), line
        else:
            yield "files", Line(self._name(row), sources=line.sources)

    def _told_elsewhere(self, row: Row) -> bool:
        """An action that is new or gone and may come at any time is mentioned once: by its notes, otherwise by its name."""
        other = {"anytime": "action", "action": "anytime"}.get(row.kind)
        same = [r for r in self.found.rows if (r.kind, r.name, r.status) == (other, row.name, row.status)]
        if not same or row.status not in ("only_first", "only_second"):
            return False
        noted = bool(self.voice.notes(self.found.games[row.status == "only_second"], ("action", row.name)))
        return noted == (row.kind == "anytime")

    def _section(self, row: Row) -> str:
        if row.nature in ("material", "setup"):
            return "material"
        if row.kind in _COUNTING:
            return "counts"
        return {"permissive": "may", "stricter": "may_not"}.get(row.direction, "must")

    def _line(self, row: Row) -> Line:
        key = (row.kind, row.name)
        notes = [self.voice.notes(game, key) for game in self.found.games]
        now = [sentence for sentence in notes[1] if sentence not in notes[0]]
        before = [sentence for sentence in notes[0] if sentence not in notes[1]]
        line = Line("", sources=self._sources(row))
        if now:
            line.text, line.before, line.about = sentences(now), sentences(before), frozenset(now + before)
        elif before and row.status == "only_first":
            line.text, line.about = sentences([self.voice.caption("gone", sentences(before))]), frozenset(before)
        else:
            # If something is no longer mentioned, it may still apply.
            self._say_changes(row, line)
            line.before = line.before or sentences(before)
        line.details = self._turns(row)
        if line.about and row.kind == "deck":
            line.details += [words for words, _ in self._changes(row)]
        line.boards = list(self._boards(row))
        line.cards = list(self._cards(row))
        return line

    def _say_changes(self, row: Row, line: Line) -> None:
        changes = self._changes(row)
        if row.kind not in _NAMES:
            changes = [(sentences([now]), sentences([before]) if before else "") for now, before in changes]
        line.text = (
            " ".join(now for now, _ in changes) if row.kind not in _NAMES else "; ".join(now for now, _ in changes)
        )
        line.before = "; ".join(before for _, before in changes if before)

    # ---- differences -------------------------------------------------------------------------------------------------

    def _node(self, side: int, row: Row) -> n.Node | None:
        return self.found.games[side].ruleset.merged.items.get((row.kind, row.name))

    def _name(self, row: Row) -> str:
        if (row.kind, row.name) in ORDERS:
            return item_name(row, self.voice)
        side = 1 if self._node(1, row) is not None or self._node(0, row) is None else 0
        return self.voice.item(self.found.games[side], (row.kind, row.name))

    def _changes(self, row: Row) -> list[Change]:
        """The changes of an item without a note: how it is now, and how it was."""
        words, caption = ItemWords(self.voice, self.found.games), self.voice.caption
        a, b = self._node(0, row), self._node(1, row)
        if row.kind == "variant":
            name = self.voice.quote(self.voice.called(self.found.games[0].ruleset, "variant", row.name))
            return [(caption("variant_played" if row.status == "only_second" else "no_variant", name), "")]
        if a is None or b is None:
            alone = self._alone(words, row, b is not None)
            return [(caption("new" if b is not None else "gone", alone), "")] if alone else []
        match a, b:
            case n.Deck(), n.Deck():
                return words.deck(a, b)
            case n.Zone(), n.Zone():
                return words.zone(a, b)
            case n.Var(), n.Var():
                return words.variable(a, b)
            case n.Component(), n.Component():
                return words.component(row.name)
            case n.SetupStep(), n.SetupStep():
                return words.setup(a, b)
            case n.Players(), n.Players():
                return [(words.players(b), words.players(a))]
            case n.Action(), n.Action():
                return words.action(a, b)
            case n.Consequence(), n.Consequence():
                return words.action(a, b)
            case n.Turn(), n.Turn():
                key = "round_differs" if b.rounds else "turn_differs"
                return [(caption(key) if row.example else caption("only_file", caption(key)), "")]
            case n.Ranking(), n.Ranking():
                before, after = words.ranking(a, 0), words.ranking(b, 1)
                told = before and after and before != after
                return [(after, before)] if told else [(caption("only_file", caption("winner")), "")]
        before, after = (self.voice.text(g.ruleset, (row.kind, row.name), text_of(x)) for g, x in self._sides(a, b))
        if not before or not after:
            return []
        return [(after, before)] if before != after else [(self._otherwise(row, after), "")]

    def _sides(self, a: n.Node, b: n.Node) -> Iterator[tuple[Game, n.Node]]:
        return zip(self.found.games, (a, b), strict=True)

    def _alone(self, words: ItemWords, row: Row, new: bool) -> str:
        """An item that only one of them has."""
        node = self._node(new, row)
        match node:
            case n.Zone():
                return words.whole_zone(node, new)
            case n.Deck():
                return words.whole_deck(node, new)
            case n.Ranking():
                return words.ranking(node, int(new))
            case n.Players():
                return words.players(node)
            case n.Anytime():
                return self.voice.caption("anytime", self.voice.action(self.found.games[new], node.action.name))
            case n.Token() | n.Component():
                return self.voice.name(self.voice.called(self.found.games[new].ruleset, row.kind, row.name))
        return self.voice.item(self.found.games[new], (row.kind, row.name)) if text_of(node) else ""

    def _otherwise(self, row: Row, text: str) -> str:
        """The difference of an item with the same words on both sides."""
        if row.kind == "rule":
            key = {"permissive": "more", "stricter": "less"}.get(row.direction, "other")
            return self.voice.caption("only_file", self.voice.caption(key, text))
        told = self.voice.caption("otherwise", text)
        return told if row.kind == "objective" and row.example else self.voice.caption("only_file", told)

    # ---- illustrations -----------------------------------------------------------------------------------------------

    def _turns(self, row: Row) -> list[str]:
        """Shortest turns that can occur and that only one of the two allows; the row has the first ruleset's first. If the other has
        such turns under other conditions, that is said instead. A turn that is a single action that only one of them has is
        shown with that action.
        """
        if row.kind != "turn" or not row.example:
            return []
        sides = {"permissive": (1,), "stricter": (0,)}.get(row.direction, (0, 1))
        alone = {r.name for r in self.found.rows if r.kind == "action" and r.status in ("only_first", "only_second")}
        told = []
        for side, turn in zip(sides, row.example.split(" / "), strict=False):
            game, names = self.found.games[side], turn.split()
            if len(names) > 1 or names[0] not in alone:
                asks = may_be_turn(self.found.games[1 - side].ruleset, names)
                key = f"{game.ruleset.cycle}_{'asks' if asks else 'now' if side else 'gone'}"
                told.append(self.voice.caption(key, self.voice.turn(game, names)))
        return told

    def _boards(self, row: Row) -> Iterator[Shown]:
        """Boards that only one of the two counts."""
        if row.kind == "objective":
            for side, board in re.findall(r"(first|second) (\[[^\]]*\])", row.example):
                new = side == "second"
                yield Shown(self.voice.caption("counts_now" if new else "counts_no_longer"), board, int(new))

    def _cards(self, row: Row) -> Iterator[Dealt]:
        """The cards that are added to the deck and those removed from it."""
        a, b = self._node(0, row), self._node(1, row)
        if isinstance(a, n.Deck) and isinstance(b, n.Deck):
            words = ItemWords(self.voice, self.found.games)
            for side, deck, cards in zip((0, 1), (a, b), words.cards_moved(a, b), strict=True):
                if cards:
                    yield Dealt(
                        self.voice.caption("in" if side else "out"),
                        deck.component.name,
                        tuple(sorted(cards.items())),
                        side,
                    )

    def _sources(self, row: Row) -> list[str]:
        """The sources in the second ruleset; in the first, if only that has the item."""
        key = (row.kind, row.name)
        if row.kind == "variant":
            return self._cited(1, key) or self._cited(0, key)
        return self._cited(int(row.status != "only_first"), key)

    def _cited(self, side: int, key: Key) -> list[str]:
        """The first citation of an item, preferably of the ruleset's own document."""
        merged = self.found.games[side].ruleset.merged
        node: n.Node | None = merged.without.get(key[1]) if key[0] == "variant" else merged.items.get(key)
        reasons = [step.reason for step in reversed(merged.history.get(key, []))] + [getattr(node, "reason", None)]
        cites = [reason.cite for reason in reasons if isinstance(reason, n.Reason) and reason.cite is not None]
        for name in getattr(node, "sees", ()):
            section = merged.items.get(("section", name.name))
            cites += section.cites if isinstance(section, n.Section) else ()
        layers = self.found.games[side].ruleset.layer_names()
        cites.sort(key=lambda cite: cite.source.name not in layers)
        return [self._cite(side, cite) for cite in cites[:1]]

    def _cite(self, side: int, cite: n.Cite) -> str:
        merged = self.found.games[side].ruleset.merged
        key = ("source", cite.source.name)
        source = merged.items.get(key)
        title = self.voice.text(
            self.found.games[side].ruleset, key, source.title if isinstance(source, n.Source) else plain(key[1])
        )
        return f"{title}, {self.voice.quote(cite.section)}"

    # ---- open points -------------------------------------------------------------------------------------------------

    def _point(self, row: Row) -> Iterator[tuple[str, Line]]:
        """A point that one of the two leaves open: the second ruleset's rule if it has one, otherwise what to agree on."""
        second = self.found.games[1].ruleset.merged.items
        node = second.get((row.kind, row.name))
        if node is not None:
            yield "open", self._open(node, row.kind, row.name)
            return
        node, text = self._node(0, row), self._name(row)
        notes = self.voice.notes(self.found.games[1], (row.kind, row.name))
        if notes:
            text = sentences(notes)
        elif isinstance(node, n.Ambiguity):
            text = self._settled(node, text)
        else:
            text = self.voice.caption("misprint_gone", text)
        yield "settled", Line(sentences([text]), sources=self._cited(1, (row.kind, row.name)))

    def _settled(self, point: n.Ambiguity, text: str) -> str:
        """The point and the second ruleset's reading, if that is one of the readings of the first."""
        first, second = (game.ruleset.merged for game in self.found.games)
        chosen = chosen_reading(first, point, second)
        if chosen is None and not keeps_reading(first, point, second):
            return self.voice.caption("as_above", text)
        return self.voice.caption("told", text, self.voice.reading(self.found.games[0], point, chosen))

    def open_points(self, adopted: Container[str] = (), side: int = 1) -> Iterator[Line]:
        """What players have to agree on: everything that one of the two leaves open, except points for which another reading is adopted."""
        merged = self.found.games[side].ruleset.merged
        for (kind, name), node in merged.items.items():
            if kind in ("ambiguity", "erratum") and name not in adopted and (kind, name) not in merged.restated:
                yield self._open(node, kind, name, side)

    def _open(self, node: n.Node, kind: str, name: str, side: int = 1) -> Line:
        game = self.found.games[side]
        text, sources = self.voice.item(game, (kind, name)), self._cited(side, (kind, name))
        if not isinstance(node, n.Ambiguity):
            key = "misprint_online" if game.ruleset.merged.edition.online else "misprint"
            return Line(sentences([self.voice.caption(key, text)]), sources=sources)
        others = self.voice.caption("or_else").join(self.voice.reading(game, node, a) for a in node.alternatives)
        reads = self.voice.caption("told", text, self.voice.reading(game, node))
        return Line(sentences([reads]), other=others, sources=sources)
