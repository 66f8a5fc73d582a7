"""From a recorded setup to the first position, with the errors in it."""

from __future__ import annotations

from collections import Counter

from pwtool.eval.values import UNKNOWN, UNSEEN
from pwtool.eval.work import TooMuchWork
from pwtool.ir.model import SetupModel
from pwtool.kernel import material
from pwtool.play import facts
from pwtool.play.changes import unjudged
from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.record import Record
from pwtool.play.state import State, has_unseen


def deck_counts(game: Game, deck: str, players: int) -> Counter[int]:
    """How many of each face a deck has with this number of players."""
    known = game.decks.get((deck, players))
    if known is None:
        known = game.decks[deck, players] = material.deck_counts(game.ruleset, deck, players)
    return known.copy()


def places(game: Game, step: SetupModel, state: State) -> int:
    """The number of zones, or cells of a grid, that a deal goes to."""
    return material.places(game.ruleset, step, state.players, len(state.goals))


def build_state(game: Game, record: Record) -> tuple[State, list[Finding]]:
    """The first position of a recorded game, built as far as possible even if there are errors."""
    ruleset = game.ruleset
    state = State(ruleset, len(record.players), record.goals)
    findings: list[Finding] = []
    if not ruleset.min_players <= state.players <= ruleset.max_players:
        findings.append(Finding("PW609", ("players",), "setup.players", facts.PlayerCount(state.players)))
    pools: dict[str, Counter[int]] = {}
    hidden: Counter[str] = Counter()
    for step in ruleset.setup:
        if step.kind == "choose":
            _check_goals(game, step, record, findings)
        elif step.kind == "put":
            put(game, step, state)
        elif step.kind == "deal":
            if step.deck not in pools:
                pools[step.deck] = deck_counts(game, step.deck, state.players)
            pool = pools[step.deck]
            if step.owner:
                _deal_by_owner(game, step, state)
            else:
                _deal(game, step, state, record, pool, findings, hidden)
    for deck, pool in pools.items():
        component = ruleset.decks[deck].component
        if not hidden[deck]:
            # Every card dealt from this deck is known, and the rest of it never comes into play.
            continue
        state.pool[component] = state.pool.get(component, Counter()) + Counter({f: c for f, c in pool.items() if c > 0})
    state.unseen = has_unseen(state)
    game.fresh_variables(state, "game")
    game.fresh_variables(state, "turn")
    machine = game.machine(state)
    for model, refuses in machine.setup_rules:
        try:
            with game.work.limited():
                verdict = refuses(state, game.locals())
        except TooMuchWork as work:
            findings.append(unjudged(work, ("setup",), model.id))
            break
        if verdict:
            unknown = verdict is UNKNOWN
            code = "PW611" if unknown else "PW609"
            found = Finding(code, ("setup",), model.id, facts.Broken(model, unknown), state=state.copy())
            findings.append(found)
    return state, findings


def _check_goals(game: Game, step: SetupModel, record: Record, findings: list[Finding]) -> None:
    path = ("setup", step.name)
    if len(record.goals) != step.amount:
        findings.append(Finding("PW609", path, f"setup.{step.name}", facts.GoalCount(len(record.goals), step.amount)))
    seen: set[str] = set()
    for at, name in enumerate(record.goals):
        if name in seen:
            findings.append(Finding("PW609", (*path, at), f"setup.{step.name}", facts.GoalTwice(name)))
        seen.add(name)


def put(game: Game, step: SetupModel, state: State) -> None:
    """Lay out a step's things: a picture on the cells of a grid, or the numbers of the first case that holds."""
    for zone in state.zones[step.zone] if step.board else ():
        for cell, faces in step.board:
            zone.setdefault(cell, []).extend(faces)
    for values, when in game.fast.cases[step.name]:
        if when is None or when(state, game.locals()):
            for zone in state.zones[step.zone]:
                zone.extend(values)
            return


def _deal(
    game: Game,
    step: SetupModel,
    state: State,
    record: Record,
    pool: Counter[int],
    findings: list[Finding],
    hidden: Counter[str],
) -> None:
    """`dealt` is one list of faces for each zone of the step's name (or each cell of its grid), in their order.

    `pool` is what earlier steps left of the deck, `hidden` how many cards of each deck nobody saw.
    """
    dealt: list[list[int]] = record.setup[step.name]
    rule = f"setup.{step.name}"
    component = game.ruleset.decks[step.deck].component
    labels = record.labels.get(step.name) or [(at,) for at in range(len(dealt))]
    complained: set[int] = set()
    for at, faces in enumerate(dealt):
        path: Path = ("setup", step.name, *labels[at])
        if step.amount and len(faces) != step.amount:
            findings.append(Finding("PW609", path, rule, facts.DealtAmount(len(faces), step.amount)))
        for place, face in enumerate(faces):
            if face == UNSEEN:
                hidden[step.deck] += 1
                continue
            pool[face] -= 1
            if pool[face] < 0 and face not in complained:
                complained.add(face)
                where: Path = (*path, place) if step.amount != 1 else path
                has = deck_counts(game, step.deck, state.players)[face]
                fact = facts.TooOften(component, face, has - pool[face], has)
                findings.append(Finding("PW609", where, rule, fact))
        _lay(game, step, state, at, faces)
    if not step.amount:
        unseen = hidden[step.deck]
        missing = [face for face, count in pool.items() for _ in range(max(0, count))]
        surplus = unseen - len(missing) + sum(-c for c in pool.values() if c < 0)
        if unseen < len(missing):
            named = tuple(sorted(missing)) if unseen == 0 else ()
            lacking = facts.Missing(component, named, len(missing) - unseen)
            findings.append(Finding("PW609", ("setup", step.name), rule, lacking))
        elif surplus > 0 and not complained:
            findings.append(Finding("PW609", ("setup", step.name), rule, facts.Surplus(surplus)))


def _deal_by_owner(game: Game, step: SetupModel, state: State) -> None:
    """Each thing goes to the player that an attribute of it names; things that belong to nobody stay in the box."""
    owners = game.ruleset.components[game.ruleset.decks[step.deck].component].attributes[step.owner].table
    for face, count in sorted(deck_counts(game, step.deck, state.players).items()):
        if owners[face] < state.players:
            state.zones[step.zone][owners[face]] += [face] * count


def _lay(game: Game, step: SetupModel, state: State, at: int, faces: list[int]) -> None:
    if step.spread:
        if faces:
            row, column = divmod(at, game.zone_list[step.zone].width)
            state.zones[step.zone][0].setdefault((column, row), []).extend(faces)
        return
    zone = state.zones[step.zone][at]
    if step.cell is None:
        zone.extend(faces)
    elif faces:
        zone.setdefault(step.cell, []).extend(faces)
