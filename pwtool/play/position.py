"""Is a position one that can arise? The ruleset's invariants, and the conservation of every card."""

from __future__ import annotations

from collections import Counter

from pwtool.eval.interpreter import Traced
from pwtool.eval.values import UNKNOWN, UNSEEN
from pwtool.ir import nodes as ir
from pwtool.ir.model import InvariantModel
from pwtool.play.actions import judge_rule
from pwtool.play.explain import face_code, format_value
from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.setup import deck_counts, places
from pwtool.play.state import State, all_faces


def check_position(game: Game, state: State, names: list[str], missing: list[str]) -> list[Finding]:
    """Every way in which a position cannot arise. `missing` are zones that nothing is said of."""
    findings = _check_setup(game, state)
    findings += _check_cards(game, state, missing)
    if any(f.code == "PW609" for f in findings):
        return findings
    for invariant in game.ruleset.invariants:
        findings += _check_invariant(game, invariant, state, names, missing)
    return findings


def _check_setup(game: Game, state: State) -> list[Finding]:
    ruleset = game.ruleset
    findings = []
    if not ruleset.min_players <= state.players <= ruleset.max_players:
        message = f"{state.players} players, the game is for {ruleset.min_players} to {ruleset.max_players}"
        findings.append(Finding("PW609", message, ("players",), "setup.players"))
    for step in ruleset.setup:
        if step.kind == "choose" and (len(state.goals) != step.amount or len(set(state.goals)) != len(state.goals)):
            message = f"{step.amount} different objectives are in play, here are {len(set(state.goals))}"
            findings.append(Finding("PW609", message, (step.name,), f"setup.{step.name}"))
    return findings


def _check_cards(game: Game, state: State, missing: list[str]) -> list[Finding]:
    """All cards of the decks are somewhere, none twice. Decks that are dealt in part give as many cards as were
    dealt.
    """
    findings: list[Finding] = []
    for component in game.ruleset.components.values():
        zones = [z for z in game.zone_list if z.element.kind == "face" and z.element.component == component.name]
        steps = [
            s for s in game.ruleset.setup if s.kind == "deal" and game.ruleset.decks[s.deck].component == component.name
        ]
        if not zones or not steps:
            continue
        held = Counter(face for z in zones for face in all_faces(state.zones[z.number]))
        unseen = held.pop(UNSEEN, 0)
        whole: Counter[int] = Counter()
        partly: Counter[int] = Counter()
        dealt_partly = 0
        for deck in dict.fromkeys(s.deck for s in steps):
            counts = deck_counts(game, deck, state.players)
            dealing = [s for s in steps if s.deck == deck]
            if all(s.amount for s in dealing):
                partly += counts
                dealt_partly += sum(s.amount * places(game, s, state) for s in dealing)
            elif any(s.owner for s in dealing):
                owners = component.attributes[dealing[0].owner].table
                whole += Counter({f: c for f, c in counts.items() if owners[f] < state.players})
            else:
                whole += counts
        for step in game.ruleset.setup:
            if step.board and game.zone_list[step.zone].element.component == component.name:
                # What lies there from the beginning belongs to no deck.
                whole += Counter(f for _, faces in step.board for f in faces for _ in state.zones[step.zone])
        rest = held - whole
        path: Path = ("zones",)
        for face, count in sorted((rest - partly).items()):
            code = face_code(game, component.name, face)
            has = whole[face] + partly[face]
            findings.append(
                Finding("PW610", f"`{code}` is there {has + count} times, the game has {has}", path, "cards")
            )
        if findings or any(z.name in missing for z in zones):
            continue
        lacking = whole - held
        total = sum(whole.values()) + dealt_partly
        there = sum(held.values()) + unseen
        if sum(lacking.values()) > unseen:
            codes = ", ".join(f"`{face_code(game, component.name, f)}`" for f in sorted(lacking.elements())[:6])
            findings.append(Finding("PW610", f"cards of the game are nowhere: {codes}", path, "cards"))
        elif there != total:
            message = f"{there} cards are there, {total} belong to the game"
            findings.append(Finding("PW610", message, path, "cards"))
    return findings


def _check_invariant(
    game: Game, invariant: InvariantModel, state: State, names: list[str], missing: list[str]
) -> list[Finding]:
    findings: list[Finding] = []
    interpreter = game.interpreter
    when = interpreter.condition(invariant.when)
    require = interpreter.compile(invariant.require)
    for player in range(state.players) if invariant.each_player else [state.player]:
        state.player = player
        interpreter.trace, interpreter.reads = [], set()
        try:
            verdict = judge_rule(when, require, state, game.locals())
            trace, reads = interpreter.trace, interpreter.reads
        finally:
            interpreter.trace = interpreter.reads = None
        if verdict is not UNKNOWN and verdict:
            continue
        silent = {game.ruleset.zones[name].number for name in missing}
        if any(read[0] in ("zone", "cell") and read[1] in silent for read in reads):
            verdict = UNKNOWN
        message = invariant.text + (f" ({names[player]})" if invariant.each_player else "")
        code = "PW610"
        if verdict is UNKNOWN:
            code, message = "PW611", f"{message}: cannot be known"
        zones = [game.zone_list[read[1]] for read in sorted(reads, key=str) if read[0] in ("zone", "cell")]
        path: Path = ("zones", zones[0].name) if zones else ("zones",)
        if zones and invariant.each_player and zones[0].dimensions and zones[0].dimensions[0][0] == "player":
            path = (*path, names[player])
        values = _values(game, trace, names)
        findings.append(
            Finding(code, message, path, f"invariant.{invariant.name}", player=player, values=values, reads=reads)
        )
    return findings


def _values(game: Game, trace: list[Traced], names: list[str]) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for entry in trace:
        if (
            isinstance(entry.expr, ir.Count | ir.SumWhere | ir.SumAttribute | ir.CountWhere)
            and entry.expr.span is not None
        ):
            shown = format_value(game, entry.expr.type, entry.value, names)
            text = " ".join(entry.expr.span.text.split())
            if shown is not None and len(text) <= 60 and text not in found:
                found[text] = shown
    return tuple(list(found.items())[:4])
