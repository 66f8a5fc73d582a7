"""Changes of an item of the rules in words for players: pieces, places, steps of the setup, actions.

Each function returns pairs (now, before); none if only the rules file can express the change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from pwtool.comparing.words import cards_in
from pwtool.ir.model import ComponentModel, Ruleset
from pwtool.lang import tree as n
from pwtool.lang.traversal import walk
from pwtool.play.game import Game
from pwtool.text.words import one_line, shorten
from pwtool.why.voice import Voice, plain, text_of

Change = tuple[str, str]
Done = n.Action | n.Consequence
MAX_VALUES = 8
MAX_WRITTEN = 90
_LAID = {"chance": "chance", "choice": "choice", "owner": "by_owner"}
_MOVES = ("move", "put", "return", "shuffle", "turn")
_SEEN = {"owner": "owner", "none": "nobody", "all": "all"}


@dataclass(frozen=True, slots=True)
class ItemWords:
    """Words for the changes between two games in one language."""

    voice: Voice
    games: tuple[Game, Game]

    def _called(self, kind: str, name: str, new: bool = True) -> str:
        return self.voice.quote(self.voice.called(self.games[new].ruleset, kind, name))

    # ---- pieces ------------------------------------------------------------------------------------------------------

    def deck(self, a: n.Deck, b: n.Deck) -> list[Change]:
        """Which pieces are added to a deck and which are removed."""
        out, into = self.cards_moved(a, b)
        found = [self.voice.caption("take_out", self._listed(0, a, out))] if out else []
        found += [self.voice.caption("put_in", self._listed(1, b, into))] if into else []
        return [(words, "") for words in found]

    def cards_moved(self, a: n.Deck, b: n.Deck) -> tuple[Counter[str], Counter[str]]:
        """Which cards are removed from a deck and which are added."""
        before, after = (cards_in(d, game.ruleset) for d, game in zip((a, b), self.games, strict=True))
        return before - after, after - before

    def whole_deck(self, deck: n.Deck, new: bool) -> str:
        """A deck that is new or gone."""
        return self._listed(new, deck, cards_in(deck, self.games[new].ruleset)) or self._called(
            "deck", deck.name.name, new
        )

    def _listed(self, side: int, deck: n.Deck, cards: Counter[str]) -> str:
        ruleset = self.games[side].ruleset
        component = ruleset.components[deck.component.name]
        shown = [
            (self.voice.face(ruleset, component, component.numbers[code]), count)
            for code, count in sorted(cards.items())
        ]
        words = [self.voice.caption("times", count, face) if count > 1 else face for face, count in shown]
        more = len(words) - MAX_VALUES
        listed = ", ".join(words[:MAX_VALUES] if more > 1 else words)
        return self.voice.caption("and_more", listed, more) if more > 1 else listed

    def component(self, name: str) -> list[Change]:
        """Pieces that are new or gone, and what counts differently on the others."""
        rulesets = self.games[0].ruleset, self.games[1].ruleset
        a, b = (ruleset.components[name] for ruleset in rulesets)
        new, gone = ([c for c in one.codes if c not in other.numbers] for one, other in ((b, a), (a, b)))
        called = self._called("component", name)
        changes = []
        for key, ruleset, component, codes in (("face_new", rulesets[1], b, new), ("face_gone", rulesets[0], a, gone)):
            if codes:
                faces = ", ".join(self.voice.face(ruleset, component, component.numbers[code]) for code in codes)
                changes.append((self.voice.caption(key, called, faces), ""))
        other = [c for c in b.codes if c in a.numbers and self._face(1, b, c) != self._face(0, a, c)]
        if other:
            now, before = (
                self.voice.headed(called, self._first([self._face(side, x, c) for c in other]))
                for side, x in ((1, b), (0, a))
            )
            changes.append((now, before))
        for attribute in (k for k, model in b.attributes.items() if k in a.attributes and not model.in_code):
            here, there = b.attributes[attribute].table, a.attributes[attribute].table
            other = [c for c in b.codes if c in a.numbers and here[b.numbers[c]] != there[a.numbers[c]]]
            if other:
                changes.append(
                    (self._values(rulesets[1], b, attribute, other), self._values(rulesets[0], a, attribute, other))
                )
        return changes

    def _values(self, ruleset: Ruleset, component: ComponentModel, attribute: str, codes: Sequence[str]) -> str:
        table = component.attributes[attribute].table
        if component.attributes[attribute].type.kind == "player":
            # Rules files count seats from 1.
            table = tuple(None if seat is None else seat + 1 for seat in table)
        shown = [
            f"{self.voice.face(ruleset, component, component.numbers[c])} {table[component.numbers[c]]}" for c in codes
        ]
        name = self.voice.text(ruleset, ("component", f"{component.name}.{attribute}"), plain(attribute))
        return self.voice.headed(self.voice.quote(name), self._first(shown))

    def _face(self, side: int, component: ComponentModel, code: str) -> str:
        return self.voice.face(self.games[side].ruleset, component, component.numbers[code])

    def _first(self, shown: Sequence[str]) -> str:
        """The first of a list of things, and how many more there are."""
        listed, more = ", ".join(shown[:MAX_VALUES]), len(shown) - MAX_VALUES
        return self.voice.caption("and_more", listed, more) if more > 0 else listed

    # ---- places ------------------------------------------------------------------------------------------------------

    def zone(self, a: n.Zone, b: n.Zone) -> list[Change]:
        """How a place changes, and who now sees what lies there."""
        called = self._called("zone", b.name.name)
        before, now = self.place(a), self.place(b)
        found = [(self.voice.caption("is_now", called, now), before)] if before != now else []
        return found + self._sight("seen_by", called, a, b)

    def variable(self, a: n.Var, b: n.Var) -> list[Change]:
        """Who now sees a value that is kept."""
        return self._sight("value_seen_by", self._called("var", b.name.name), a, b)

    def _sight(self, key: str, called: str, a: n.Zone | n.Var, b: n.Zone | n.Var) -> list[Change]:
        seen = [kept.seen.name if kept.seen is not None else "all" for kept in (a, b)]
        if seen[0] == seen[1] or not all(one in _SEEN for one in seen):
            return []
        before, now = (self.voice.caption(_SEEN[one]) for one in seen)
        return [(self.voice.caption(key, called, now), before)]

    def whole_zone(self, zone: n.Zone, new: bool) -> str:
        """A place that is new or gone."""
        return f"{self._called('zone', zone.name.name, new)}, {self.place(zone)}"

    def place(self, zone: n.Zone) -> str:
        """What a place is, and whose."""
        kind = zone.kind
        words = self.voice.caption(kind.kind, f"{kind.width}x{kind.height}")
        if zone.size is not None:
            words = self.voice.caption("places", words, zone.size)
        told = [per.name for per in zone.per]
        owners = [self.voice.caption(name) if name in ("player", "goal") else self.voice.name(name) for name in told]
        for owner in owners:
            words = self.voice.caption("for_each", words, owner)
        return words if owners else self.voice.caption("shared", words)

    # ---- the setup ---------------------------------------------------------------------------------------------------

    def setup(self, a: n.SetupStep, b: n.SetupStep) -> list[Change]:
        """A different text, or with the same text a different number or way of dealing."""
        before, now = (
            self.voice.text(game.ruleset, ("setup", step.name.name), step.text)
            for game, step in zip(self.games, (a, b), strict=True)
        )
        if a.text != b.text:
            return [(now, before)]
        if (a.amount, a.rest) != (b.amount, b.rest):
            old, new = (
                self.voice.caption("the_rest") if s.rest else str(s.amount or self.voice.caption("whole"))
                for s in (a, b)
            )
            return [(self.voice.headed(now, new), old)]
        if a.manner != b.manner and a.manner in _LAID and b.manner in _LAID:
            return [(self.voice.headed(now, self.voice.caption(_LAID[b.manner])), self.voice.caption(_LAID[a.manner]))]
        return []

    def players(self, node: n.Players) -> str:
        same = node.low == node.high
        return (
            self.voice.caption("for_same", node.low) if same else self.voice.caption("for_players", node.low, node.high)
        )

    # ---- actions -----------------------------------------------------------------------------------------------------

    def action(self, a: Done, b: Done) -> list[Change]:
        """The new name of an action, what it moves where, and what has to be said with it, as far as these differ; a side that moves
        something else, for which there are no words, says so. Effects that only record something for rules are left out: those
        rules describe what follows.
        """
        caption = self.voice.caption
        told_before, told_after = self._effects(a, 0), self._effects(b, 1)
        before, after = list(filter(None, told_before.values())), list(filter(None, told_after.values()))
        lost, new = [w for w in before if w not in after], [w for w in after if w not in before]
        asked, dropped = self._asked(b, a, 1), self._asked(a, b, 0)
        if a.text == b.text and not (lost or new or asked or dropped):
            return []
        kind = "consequence" if isinstance(b, n.Consequence) else "action"
        texts = [
            self.voice.text(game.ruleset, (kind, one.name.name), one.text or plain(one.name.name))
            for game, one in zip(self.games, (a, b), strict=True)
        ]
        parts_before = lost or ([caption("nothing_goes")] if new and not told_before else [])
        parts_after = new or ([caption("nothing_goes")] if lost and not told_after else [])
        if lost and not new and after:
            parts_before, parts_after = [], [caption("no_longer", words) for words in lost]
        for parts, own, other, shown in (
            (parts_before, told_before, told_after, lost), (parts_after, told_after, told_before, new),
        ):  # fmt: skip
            if any(effect not in other and words not in shown for effect, words in own.items()):
                parts.append(caption("moves_more" if shown else "moves_unsaid"))
        parts_after += [caption("said_with", words) for words in asked]
        parts_before += [caption("said_with", words) for words in dropped]
        was, now = (
            self.voice.headed(text, self.voice.say("; ").join(parts)) if parts else text
            for text, parts in zip(texts, (parts_before, parts_after), strict=True)
        )
        return [(now, was)]

    def moved(self, action: Done, side: int) -> list[str]:
        """What an action moves; for what there are no words in the language, that the rules file says it."""
        told = self._effects(action, side)
        found = [words if self._is_named(effect, side) else "" for (effect, _), words in told.items()]
        said = list(dict.fromkeys(filter(None, found)))
        return [*said, self.voice.caption("moves_more" if said else "moves_unsaid")] if "" in found else said

    def _is_named(self, effect: n.Node, side: int) -> bool:
        """Whether what an effect moves has a name in the language, as parameters have not."""
        what = effect.what if isinstance(effect, n.Effect) else None
        if self.voice.language == "en" or not isinstance(what, n.Name):
            return True
        keys = (("zone", what.name), ("token", what.name))
        return any(self.voice.translated(self.games[side].ruleset, key) is not None for key in keys)

    def _effects(self, action: Done, side: int) -> dict[tuple[n.Node, n.Node], str]:
        """What an action moves, in words (none: there are no words for it): each effect with the statement that it is a part of."""
        return {
            (node, s): self._effect(node, side, node is not s)
            for s in action.statements
            for node in walk(s)
            if isinstance(node, n.Effect) and node.kind in _MOVES
        }

    def _effect(self, effect: n.Effect, side: int, within: bool) -> str:
        """What one effect moves where; empty if there are no words for it. `within` a condition or for each of something, it does so in
        some cases.
        """
        what = self._thing(effect.what, side) if effect.kind != "turn" else ""
        target = self._where(effect.target, side) if effect.target is not None else ""
        if not what or (effect.kind != "return" and not target):
            return ""
        words = (
            self.voice.caption("back", what) if effect.kind == "return" else self.voice.caption("goes", what, target)
        )
        return self.voice.caption("sometimes", words) if effect.when is not None or within else words

    def _thing(self, node: n.Node, side: int) -> str:
        if isinstance(node, n.Unary) and node.operator == "top":
            below = self._where(node.operand, side)
            return self.voice.caption("top", below) if below else ""
        if not isinstance(node, n.Name):
            return ""
        ruleset = self.games[side].ruleset
        kinds = [kind for kind in ("zone", "token") if (kind, node.name) in ruleset.merged.items]
        return self.voice.quote(self.voice.called(ruleset, kinds[0] if kinds else "", node.name))

    def _where(self, node: n.Node, side: int) -> str:
        """A place by its name; the board shows which cell or pile is meant."""
        while isinstance(node, n.Index):
            node = node.value
        return self._thing(node, side)

    def _asked(self, action: Done, other: Done, side: int) -> list[str]:
        """What has to be said with one action but not with the other; a parameter with a text has a sentence, not a name."""
        known, ruleset = {p.name.name for p in other.parameters}, self.games[side].ruleset
        asked = {p.name.name: text_of(p) for p in action.parameters if p.name.name not in known}
        keys = {name: ("param", f"{action.name.name}.{name}") for name, text in asked.items() if not text}
        return [self.voice.name(self.voice.text(ruleset, keys[name], name) if name in keys else name) for name in asked]

    # ---- who wins ----------------------------------------------------------------------------------------------------

    def ranking(self, node: n.Ranking, side: int) -> str:
        """What decides who wins, in its order; a part for which there are no words as it is written."""
        ties = {"shared": "tie_shared", "replayed": "tie_replayed"}
        parts = [self._criterion(one, side) for one in node.criteria if one.kind not in ties]
        told = self.voice.caption("wins", self.voice.caption("then").join(parts))
        return self.voice.say("; ").join(
            [told, *(self.voice.caption(ties[c.kind]) for c in node.criteria if c.kind in ties)]
        )

    def _criterion(self, criterion: n.Criterion, side: int) -> str:
        value = criterion.value
        match value:
            case n.Name(name="total"):
                return self.voice.caption(f"{criterion.kind}_points")
            case n.If(condition=condition, then=n.Number(value=1), otherwise=n.Number(value=0)) if (
                criterion.kind == "most"
            ):
                return self.voice.caption("first_those", self.condition(condition, side))
            case n.Unary(operator="count", operand=n.Name() as things):
                value = things
        assert value is not None, "only ties have none"
        return self.voice.caption(criterion.kind, self._kept(value, side))

    # ---- the order of play -------------------------------------------------------------------------------------------

    def condition(self, node: n.Node, side: int) -> str:
        """A condition, by the names of what it asks for."""
        match node:
            case n.Binary(operator="==", left=n.Name() as value, right=n.Nothing()):
                return self.voice.caption("there_is_no", self._kept(value, side))
        return self._kept(node, side)

    def player(self, node: n.Node, side: int) -> str:
        """A player, by the names of those who are meant."""
        match self._meant(node, side):
            case n.Name(name="any"):
                return self.voice.caption("anybody")
            case n.Unary(operator="player_after", operand=before):
                return self._after(before, 1, side)
        return self._kept(node, side)

    def _after(self, node: n.Node, seats: int, side: int) -> str:
        """The player so many seats after another one."""
        inner = self._meant(node, side)
        if isinstance(inner, n.Unary) and inner.operator == "player_after":
            return self._after(inner.operand, seats + 1, side)
        player = self.player(inner, side)
        return self.voice.many(
            "the one {count} seat after {player}", "the one {count} seats after {player}", seats, player=player
        )

    def _meant(self, node: n.Node, side: int) -> n.Node:
        """Who is meant by a call of a definition such as `next(q) = player after q`."""
        match node:
            case n.Call(name=n.Name(name=name), arguments=(argument,)):
                match self.games[side].ruleset.merged.items.get(("define", name)):
                    case n.Define(parameters=(parameter,), body=n.Unary(operand=n.Name(name=inner)) as body) if (
                        parameter.name == inner
                    ):
                        return replace(body, operand=argument)
        return node

    def _kept(self, node: n.Node, side: int) -> str:
        """Something by its name, or as it is written."""
        ruleset = self.games[side].ruleset
        if isinstance(node, n.Name):
            for kind in ("zone", "token", "score", "var", "define"):
                if (kind, node.name) in ruleset.merged.items:
                    return self.voice.quote(self.voice.item(self.games[side], (kind, node.name)))
        return f"`{shorten(one_line(node.span.text), MAX_WRITTEN)}`"
