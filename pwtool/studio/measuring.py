"""The rarity of an objective in words: what was measured, and the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from pwtool.boards.proofs import position_with
from pwtool.boards.spaces import dealt_cards
from pwtool.eval.values import Grid
from pwtool.eval.work import TooMuchWork
from pwtool.ir.grids import cells_of
from pwtool.ir.model import Ruleset
from pwtool.kernel import run
from pwtool.kernel.answers import Uncompilable
from pwtool.lsp.model.records import Records
from pwtool.lsp.model.studies import Rarity
from pwtool.play.chance import Chance
from pwtool.simulating.difficulty import difficulties
from pwtool.simulating.runs import Simulation, Table
from pwtool.studio.document_context import DocumentContext, game_of
from pwtool.why.voice import Voice

_ONE_IN = 10
"""Shares up to a tenth are shown as whole numbers (one in n)."""
GAMES = 400
"""So many random games are played to see how often an objective is claimed."""
DEALS, MAX_DEALING = 2_000, 5_000_000
"""So many boards are dealt, with at most so many steps."""
_NEARLY = Fraction(995, 1000)
"""More boards than this are nearly all."""


def shared(rarity: Rarity, voice: Voice) -> str:
    """The share of boards that fulfil an objective."""
    boards = rarity.measured["boards"]
    count, of = boards["fulfil"], boards["of"]
    if count == 0:
        return voice.say("No board at all")
    if count == of:
        return voice.say("Every board")
    share = Fraction(count, of)
    if share > _NEARLY:
        return voice.say("Nearly all boards")
    if share > Fraction(1, 2):
        return voice.say("{share} of the boards", share=voice.share(count, of))
    return voice.say("1 in {times} boards", times=_times(count, of, voice))


def brief(rarity: Rarity, voice: Voice) -> str:
    """The same in short form."""
    boards = rarity.measured["boards"]
    share = Fraction(boards["fulfil"], boards["of"])
    if share in (0, 1) or share > _NEARLY:
        return shared(rarity, voice)
    if share > Fraction(1, 2):
        return voice.share(boards["fulfil"], boards["of"])
    return voice.say("1 in {times}", times=_times(boards["fulfil"], boards["of"], voice))


def in_play(asked: DocumentContext, records: Records, name: str, voice: Voice) -> str | None:
    """How often somebody claims an objective in random games in which it can be claimed; None if it cannot be told."""
    ruleset = asked.analysis.ruleset
    if ruleset is None or name not in ruleset.objectives:
        return None
    book = records.ruleset_store().get(asked.analysis.target.address).value
    if book is None or not book.game.ruleset.goal_zone or not run.is_installed():
        return None
    simulation = Simulation((), (book.game.ruleset.min_players,), GAMES, 1, Path())
    try:
        # Without a kernel it would take long.
        book.runner()
        found = difficulties(simulation, Table([book]), 1).get(name)
    except (Uncompilable, TooMuchWork):
        return None
    if found is None or found.claimed.low is None or found.claimed.high is None:
        return None
    low, high = (voice.digits(f"{round(100 * share)}%") for share in (found.claimed.low, found.claimed.high))
    return voice.many(
        "claimed in {low} to {high} of random games, as {count} game shows",
        "claimed in {low} to {high} of random games, as {count} games show",
        found.claimed.games, low=low, high=high,
    )  # fmt: skip


def when_dealt(asked: DocumentContext, name: str, voice: Voice) -> str | None:
    """How often a board fulfils an objective if a card is dealt on each of its cells; None if there are too few cards."""
    ruleset = asked.analysis.ruleset
    if ruleset is None or name not in ruleset.objectives or ruleset.board is None:
        return None
    game, board, rng = game_of(ruleset), ruleset.board, Chance(1)
    cards = sorted((dealt_cards(game, board.element.component, ruleset.min_players) or Counter()).elements())
    cells = (
        [(x, y) for y in range(board.height) for x in range(board.width)] if board.floating else cells_of(board.grid)
    )
    if len(cards) < len(cells):
        return None
    count, fulfilled = 0, game.interpreter.objective(name)
    try:
        with game.work.limited(MAX_DEALING):
            for _ in range(DEALS):
                grid: Grid = {cell: [face] for cell, face in zip(cells, rng.sample(cards, len(cells)), strict=True)}
                count += bool(fulfilled(position_with(game, grid), grid))
    except TooMuchWork:
        return None
    return voice.say(
        "{count} of {of}: about {share}",
        count=voice.number(count), of=voice.number(DEALS), share=voice.digits(f"{round(100 * count / DEALS)}%"),
    )  # fmt: skip


def _times(count: int, of: int, voice: Voice) -> str:
    times = Fraction(of, count)
    return voice.number(round(times)) if times >= _ONE_IN else voice.decimal(float(times))


def measures(rarity: Rarity, ruleset: Ruleset, voice: Voice) -> list[tuple[str, str]]:
    """The other measurements, each with its label."""
    found = rarity.measured
    if not found["boards"]["fulfil"]:
        return [(voice.say("Boards"), voice.say("none of {of}", of=voice.number(found["boards"]["of"])))]
    rows = [(voice.say("Boards"), _of(found["boards"], voice))]
    rows.append((voice.say("Connected boards"), _of(found["connected"], voice)))
    least, together = found["fewest"], found["fewest_connected"]
    if least is not None:
        rows.append((voice.say("Fewest cards"), _sized(least, voice)))
        if together is not None and together["cards"] > least["cards"]:
            rows.append((voice.say("Fewest cards, connected"), _sized(together, voice)))
    rows += _decks(found["deck"], least, voice)
    rank = found["difficulty"]
    if rank is not None:
        rows.append((voice.say("Among the others"), _rank(rank, ruleset, voice)))
    return rows


def _of(found: Mapping[str, int], voice: Voice) -> str:
    return voice.say("{count} of {of}", count=voice.number(found["fulfil"]), of=voice.number(found["of"]))


def _sized(found: Mapping[str, Any], voice: Voice) -> str:
    return voice.many("{count} card: {board}", "{count} cards: {board}", found["cards"], board=found["board"])


def _decks(found: Mapping[str, Any], least: Mapping[str, Any] | None, voice: Voice) -> list[tuple[str, str]]:
    """The numbers of players with which the available cards restrict boards more than an unlimited deck."""
    rows = []
    for players, board in found.items():
        if board is None:
            said = voice.say("no board, with the cards that there are")
        elif least is not None and board["cards"] > least["cards"]:
            said = _sized(board, voice)
        else:
            continue
        rows.append((voice.many("With {count} player", "With {count} players", int(players)), said))
    return rows


def _rank(rank: Mapping[str, Any], ruleset: Ruleset, voice: Voice) -> str:
    others, fewer = rank["others"], rank["others"] - rank["rarer"] - rank["equal"]
    if rank["by"] == "cards":
        return voice.many(
            "needs more cards than {fewer} of {count} other", "needs more cards than {fewer} of {count} others", others, fewer=fewer
        )  # fmt: skip
    words = voice.many(
        "rarer than {fewer} of {count} other", "rarer than {fewer} of {count} others", others, fewer=fewer
    )
    near = [
        voice.name(voice.text(ruleset, ("objective", name), ruleset.objectives[name].text) or name)
        for name in (rank["next_rarer"], rank["next_frequent"])
        if name is not None
    ]
    if not near:
        return words
    return voice.say("{rank}; next to {names}", rank=words, names=voice.joined(near, "and"))
