"""Whether a position is possible: the ruleset's invariants, and the conservation of cards."""

from __future__ import annotations

from collections import Counter

from pwtool.eval.values import UNKNOWN, UNSEEN
from pwtool.eval.work import TooMuchWork
from pwtool.ir.model import InvariantModel, refusal
from pwtool.kernel.material import material_of
from pwtool.play import facts
from pwtool.play.changes import unjudged
from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.state import State, all_faces


def check_position(
    game: Game, state: State, names: list[str], missing: list[str], between: bool = False, last: int | None = None
) -> list[Finding]:
    """All reasons why a position is impossible at any moment, or `between` two turns. `missing` are the zones that are not
    given; `last` is the seat whose turn is over, None if it may be any.
    """
    findings = _check_setup(game, state)
    findings += _check_cards(game, state, missing)
    if any(f.code == "PW609" for f in findings):
        return findings
    for invariant in game.ruleset.invariants:
        if invariant.between and not between:
            continue
        is_anybody = invariant.each_player or (invariant.between and last is None)
        seats = range(state.players) if is_anybody else [last or 0]
        found = [f for seat in seats for f in check_invariant(game, invariant, state, names, missing, seat)]
        # One for whom it holds is enough, if it may be anybody.
        findings += found if invariant.each_player else found[:1] if len(found) == len(seats) else []
    return findings


def _check_setup(game: Game, state: State) -> list[Finding]:
    ruleset = game.ruleset
    findings = []
    if not ruleset.min_players <= state.players <= ruleset.max_players:
        findings.append(Finding("PW609", ("players",), "setup.players", facts.PlayerCount(state.players)))
    for step in ruleset.setup:
        if step.kind == "choose" and (len(state.goals) != step.amount or len(set(state.goals)) != len(state.goals)):
            fact = facts.GoalCount(len(set(state.goals)), step.amount)
            findings.append(Finding("PW609", (step.name,), f"setup.{step.name}", fact))
    return findings


def _check_cards(game: Game, state: State, missing: list[str]) -> list[Finding]:
    """Every card of the decks is somewhere, and none twice. Decks that are partly dealt contribute as many cards as were dealt."""
    findings: list[Finding] = []
    for component in game.ruleset.components.values():
        material = material_of(game.ruleset, component.name, state.players, len(state.goals))
        if material is None:
            continue
        whole, partly = material.whole, material.partly
        zones = [z for z in game.zone_list if z.element.kind == "face" and z.element.component == component.name]
        lying = Counter(face for z in zones for face in all_faces(state.zones[z.number]))
        unseen, held = lying.pop(UNSEEN, 0), Counter[int]()
        for face, count in lying.items():
            held[component.at_first(face)] += count
        rest = held - whole
        path: Path = ("zones",)
        for face, count in sorted((rest - partly).items()):
            has = whole[face] + partly[face]
            findings.append(Finding("PW610", path, "cards", facts.TooOften(component.name, face, has + count, has)))
        if findings or any(z.name in missing for z in zones):
            continue
        lacking = whole - held
        total = sum(whole.values()) + material.dealt
        there = sum(held.values()) + unseen
        if sum(lacking.values()) > unseen:
            nowhere = tuple(sorted(lacking.elements()))
            findings.append(Finding("PW610", path, "cards", facts.Missing(component.name, nowhere, len(nowhere))))
        elif there != total:
            findings.append(Finding("PW610", path, "cards", facts.CardTotal(there, total)))
    return findings


def check_invariant(
    game: Game, invariant: InvariantModel, state: State, names: list[str], missing: list[str], player: int
) -> list[Finding]:
    """The finding if an invariant does not hold for a player, or nobody knows."""
    interpreter = game.interpreter
    refuses = interpreter.compile(refusal(invariant.when, invariant.require))
    silent = {game.ruleset.zones[name].number for name in missing}
    state.player = player
    interpreter.reads = set()
    try:
        with game.work.limited():
            verdict = refuses(state, game.locals())
        reads = interpreter.reads
    except TooMuchWork as work:
        return [unjudged(work, ("zones",), f"invariant.{invariant.name}")]
    finally:
        interpreter.reads = None
    zones = [read[1] for read in sorted(reads, key=str) if read[0] in ("zone", "cell")]
    unknown = verdict is UNKNOWN or not silent.isdisjoint(zones)
    if not verdict and not unknown:
        return []
    path: Path = ("zones",)
    if zones:
        zone = game.zone_list[zones[0]]
        path = ("zones", zone.name)
        if invariant.each_player and zone.dimensions and zone.dimensions[0][0] == "player":
            path = (*path, names[player])
    code = "PW611" if unknown else "PW610"
    fact = facts.BrokenInvariant(invariant, player, unknown)
    return [Finding(code, path, f"invariant.{invariant.name}", fact, player=player, state=state)]
