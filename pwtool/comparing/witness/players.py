"""How games are played in the search for differences: many random styles with different biases.

No single way to play shows every difference. Each game draws its own setup (cards of one kind on top) and its own
preferences (which actions, how many things at a time, when to end a turn): A. Groce et al., "Swarm Testing", 2012.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from pwtool.play.chance import Chance
from pwtool.play.game import Game
from pwtool.play.play import Play
from pwtool.play.record import Record
from pwtool.play.selfplay import Option, Policy, deal_at_random
from pwtool.play.setup import build_state, deck_counts

WAYS = 300
RATED = 50
GATHERED = 0.3
"""How often wanted cards are not spread over all players."""
Favoured = Callable[[int], float]
"""How early a card is wanted, by its face."""

Rating = Callable[[Play, "Option | None"], float]
"""The value of a position after an option, or of the current one (None)."""


def make_setup(
    game: Game, rng: random.Random, goals: list[str], players: int, favoured: Favoured | None, first: bool = False
) -> Record:
    """A setup that the rules allow, dealt as evenly as possible, with these objectives if the game selects some; wanted cards lie
    on top, with `first` even if only a few are dealt. Raises `NoSetup`.
    """
    record = deal_at_random(game, [f"P{seat}" for seat in range(1, players + 1)], Chance(rng.getrandbits(64)))
    plain = record.setup
    amount = len(record.goals)
    chosen = [g for g in goals if g in game.ruleset.objectives][:amount]
    record.goals = [*chosen, *(g for g in record.goals if g not in chosen)][:amount]
    record.setup = {name: [list(part) for part in parts] for name, parts in plain.items()}
    for step in game.ruleset.setup:
        if step.recorded and len(record.setup[step.name]) > 1 and (favoured is not None or not step.amount):
            record.setup[step.name] = _layered(record.setup[step.name], favoured, rng)
        if step.recorded and step.amount and favoured is not None and first:
            pool = deck_counts(game, step.deck, players) - Counter(f for p in record.setup[step.name] for f in p)
            best = max(pool, key=lambda face: (favoured(face), face), default=None)
            own = record.setup[step.name][0]
            if best is not None and own and favoured(best) > favoured(own[0]):
                own[0] = best
    if build_state(game, record)[1]:
        record.setup = plain
    return record


def random_favour(game: Game, rng: random.Random) -> Favoured | None:
    """A preference for cards that share a random value of a random attribute, or for one value after another, so that adjacent
    cards are alike.
    """
    components = list(game.ruleset.components.values())
    component = rng.choice(components) if components else None
    if component is None or not component.attributes or rng.random() < 0.3:
        return None
    if rng.random() < 0.4:
        return layered_favour(game, rng)
    table = rng.choice(list(component.attributes.values())).table
    value = rng.choice(table)
    return lambda face: float(face < len(table) and table[face] == value)


def layered_favour(game: Game, rng: random.Random) -> Favoured | None:
    """One value of an attribute after another."""
    attributes = [a for c in game.ruleset.components.values() for a in c.attributes.values()]
    if not attributes:
        return None
    table = rng.choice(attributes).table
    values = list(dict.fromkeys(table))
    rng.shuffle(values)
    return lambda face: float(values.index(table[face]) if face < len(table) else -1)


def _layered(parts: list[list[int]], favoured: Favoured | None, rng: random.Random) -> list[list[int]]:
    """The same cards in piles of the same sizes, with the wanted ones on top."""
    cards = [face for part in parts for face in part]
    rng.shuffle(cards)
    if favoured is not None:
        cards.sort(key=favoured)
    piles: list[list[int]] = [[] for _ in parts]
    # Wanted cards come last and so lie on top, spread over all piles or all in the same ones.
    layers = [(layer, at) for at, part in enumerate(parts) for layer in range(len(part))]
    first = rng.randrange(len(parts)) if rng.random() < GATHERED else None
    layers.sort(key=lambda place: place if first is None else (place[1] < first, place[1]))
    for (_, at), card in zip(layers, reversed(cards), strict=True):
        piles[at].append(card)
    return [pile[::-1] for pile in piles]


def swarm_policy(game: Game, rng: random.Random, preferred: str | None, rating: Rating | None = None) -> Policy:
    """A policy with preferences drawn once: weights of the actions, how often a turn ends if it may, more or fewer cards at a time.
    `preferred` is a favoured action; `rating` says how good an option is, and the best one is usually taken.
    """
    # What hardly ever happens in a game shows as much as what happens often.
    weights = {number: rng.choice((0.01, 0.2, 1.0, 1.0, 4.0)) for number in game.action_numbers.values()}
    if preferred in game.action_numbers:
        weights[game.action_numbers[preferred]] = 8.0
    end = rng.choice((0.05, 0.3, 0.6, 0.95))
    size = rng.choice(("any", "any", "most", "fewest"))

    def choose(play: Play, options: list[Option], may_end: bool) -> Option | None:
        if rating is not None and options and rng.random() < 0.97:
            # All players work toward the one board: a game that shows something needs no opponents.
            options = _sampled(options, rng)
            rated = [(rating(play, option), at) for at, option in enumerate(options)]
            best = max(rated)[0]
            if may_end and best <= rating(play, None):
                return None
            return options[rng.choice([at for value, at in rated if value == best])]
        if may_end and (not options or rng.random() < end):
            return None
        kinds = sorted({option[:2] for option in options})
        kind = rng.choices(kinds, [weights[number] for number, _ in kinds])[0]
        found = [option for option in options if option[:2] == kind]
        if size != "any" and rng.random() < 0.8:
            amounts = [_amount(option[2]) for option in found]
            wanted = max(amounts) if size == "most" else min(amounts)
            found = [option for option, amount in zip(found, amounts, strict=True) if amount == wanted]
        return rng.choice(found)

    return choose


def barren_rating(game: Game, rng: random.Random) -> Rating:
    """Prefers positions that leave little to do: few cards in the common supply, few actions for the player who just acted.
    Situations in which something is allowed only because nothing else can be done arise this way, but hardly ever at random.
    """
    # Actions have a small weight and only choose between ways to empty the common supply: that makes short games.
    weight = rng.choice((0.01, 0.1, 1.0))
    shared = {
        p.zone for a in game.ruleset.actions.values() for p in a.parameters
        if p.kind in ("element", "elements", "tops") and "player" not in [n for n, _ in game.zone_list[p.zone].dimensions]
    }  # fmt: skip

    def amount(play: Play) -> int:
        return sum(len(faces) for z in shared for faces in play.state.zones[z] if isinstance(faces, list))

    def rate(play: Play, option: Option | None) -> float:
        probe = play.copy()
        if option is not None:
            probe.do(*option)
        left = amount(probe)
        if weight < 1 and left < amount(play):
            # Counting the ways takes long and would not change the choice.
            return -3.0 * left
        probe.left = None
        probe.begin_turn(play.owner)
        return -3.0 * left - weight * sum(_usable(probe, number, actor) for number, actor in probe.next_steps())

    return rate


def _usable(play: Play, number: int, actor: int) -> int:
    """The number of things that an actor can use for an action, counting each copy; for an action that uses none, the number of ways."""
    arguments = play.arguments(number, actor, WAYS)
    model = play.game.action(number)
    places = [at for at, p in enumerate(model.parameters) if p.kind == "element"]
    if not places:
        return len(arguments)
    count = 0
    for at in places:
        usable = {found[at] for found in arguments}
        zone = play.game.zone_list[model.parameters[at].zone]
        held = play.state.zones[zone.number]
        if [name for name, _ in zone.dimensions] == ["player"]:
            held = held[max(0, actor)]
        flat = isinstance(held, list) and all(isinstance(face, int) for face in held)
        count += sum(face in usable for face in held) if flat else len(usable)
    return count


def _sampled(options: list[Option], rng: random.Random) -> list[Option]:
    """If there are very many options, some of each kind: options that differ only in the chosen cards are one kind."""
    if len(options) <= RATED:
        return options
    kinds: dict[tuple[Any, ...], list[Option]] = {}
    for option in options:
        single = tuple(a for a in option[2] if not isinstance(a, list))
        kinds.setdefault((option[:2], single), []).append(option)
    each = max(1, RATED // len(kinds))
    return [o for found in kinds.values() for o in (found if len(found) <= each else rng.sample(found, each))]


def _amount(arguments: tuple[Any, ...]) -> int:
    return sum(len(a) for a in arguments if isinstance(a, list))
