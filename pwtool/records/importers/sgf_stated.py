"""What a game in SGF states of its rules and of its result, which the ruleset that judges it may not have."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from pwtool.play.game import Game
from pwtool.play.replay import replay_record
from pwtool.play.score import score_game
from pwtool.play.state import State
from pwtool.records.decoding import Decoder
from pwtool.records.importers.formats import GameText
from pwtool.records.importers.sgf_plain import COLORS, Properties, text_of
from pwtool.records.importers.stated import Agreed, has_board, is_called
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import shorten

__all__ = ["DRAWN", "Marked", "edition_of", "state_margin", "state_rules"]

DRAWN = ("0", "Draw")
"""How a draw is written as a result."""
_MARGIN = re.compile(r"([BW])\+(\d{0,4}(?:\.\d{0,2})?)")


_CHOOSE = Told("choose a ruleset with --rules that has it")
_CHOOSE_OR_CHANGE = Told("choose a ruleset with --rules that has it, or change the board in an edition of your own")


@lru_cache(maxsize=64)
def _other_name(name: str) -> Told:
    return Told("this is a game of {name}, and the ruleset is called otherwise", name=name)


@lru_cache(maxsize=64)
def _other_board(size: int) -> Told:
    return Told("the game is played on a board of {size} lines, which the ruleset does not have", size=size)


def _known(editions: Mapping[str, str]) -> Told:
    return Told(
        "known are {known}; others are judged by an edition of your own that has a source of that name",
        known=", ".join(f"`{name}`" for name in editions),
    )


def edition_of(told: str, editions: Mapping[str, str]) -> str | None:
    """The edition whose rules a file names, in capitals or not; something may follow (`Japanese rules`, `Chinese, Pair Go`)."""
    words = told.casefold().split()
    for name, edition in editions.items():
        known = name.casefold().split()
        if [word.rstrip(".,;:") for word in words[: len(known)]] == known:
            return edition
    return None


def state_rules(
    root: Properties,
    ruleset: str,
    editions: Mapping[str, str],
    size: int,
    is_scored: bool,
    has_handicap: bool,
    spans: Mapping[tuple[int, str], Span],
    notes: GameText,
) -> None:
    """Note the game, the board and the rules: the ruleset may be chosen by somebody who did not read them. `editions` are
    the rulesets by what files call their rules.
    """

    def state(
        tag: str, holds: Callable[[Game], bool], message: Told, help_line: Told | None = None, warns: bool = False
    ) -> None:
        notes.state(spans.get((0, tag), notes.locate(())), holds, message, help_line, warns)

    state("GM", lambda game: is_called(game, ruleset), _other_name(ruleset))
    state("SZ", lambda game: has_board(game, size, size), _other_board(size), _CHOOSE_OR_CHANGE)
    rules = text_of(root, "RU").strip() if root.has_property("RU") else ""
    if rules:
        edition = edition_of(rules, editions)
        state(
            "RU",
            lambda game: is_called(game, edition or rules),
            Told(
                "the game is played by the rules `{name}`, and no part or source of the ruleset is called so",
                name=shorten(rules, 80),
            ),
            _CHOOSE if edition or not editions else _known(editions),
        )
    komi = text_of(root, "KM").strip() if root.has_property("KM") else ""
    if komi and is_scored:
        state(
            "KM",
            lambda game: _gives(game, komi, has_handicap),
            Told("the game is scored with a komi of {komi}, which the ruleset does not give", komi=shorten(komi, 80)),
            Told("the moves are judged, the points are those of the ruleset"),
            warns=True,
        )


class Marked(Struct, frozen=True):
    """The record of a game, and what its file marks as whose territory (by column and row): stones of the other color in it
    are dead.
    """

    record: Mapping[str, object]
    territory: Mapping[tuple[int, int], str]

    def totals(self, game: Game) -> Sequence[int]:
        """The totals without the dead stones; those whose stones they are not have taken them, if rules count that."""
        replay = replay_record(game, Decoder(game).record(self.record))
        state = replay.play.state.copy()
        zone = game.ruleset.zones["board"]
        stones = state.zones[zone.number][0]
        codes = list(game.ruleset.components[zone.element.component].codes)
        taken = game.ruleset.variables.get("prisoners")
        for cell, color in self.territory.items():
            if cell in stones and (dead := codes[stones[cell][0]]) != color:
                del stones[cell]
                if taken is not None:
                    state.variables[taken.number][1 - COLORS.index(dead)] += 1
        return score_game(game, state).totals


def state_margin(
    root: Properties, has_handicap: bool, span: Span, notes: GameText, marked: Marked | None = None
) -> None:
    """Note by how much the players found that one won. What they thought dead was not taken off the board, but may be
    `marked`.
    """
    told = text_of(root, "RE").strip()
    found = _MARGIN.fullmatch(told)
    if found is None and told not in DRAWN:
        return
    points = float(found[2]) if found is not None and found[2].strip(".") else None
    claimed = 0.0 if found is None else points if found[1] == "B" or points is None else -points

    def margin_of(game: Game, totals: Sequence[int]) -> str | None:
        """By how much one wins, if that is not the margin of the players."""
        margin = totals[0] - totals[1] - _tie(game)
        komi = text_of(root, "KM").strip() if root.has_property("KM") else ""
        if re.fullmatch(r"-?\d{1,3}(?:\.\d{1,2})?", komi):
            # Another komi is a warning of its own.
            margin += _komi(game, has_handicap) + _tie(game) - float(komi)
        counted = f"B+{margin:g}" if margin > 0 else f"W+{-margin:g}" if margin < 0 else "0"
        fits = margin == claimed or (claimed is None and found is not None and counted[0] == found[1])
        return None if fits else f"`{counted}`"

    def differs(game: Game, totals: Sequence[int]) -> Told | None:
        counted = margin_of(game, totals)
        if counted is not None and marked is not None:
            counted = margin_of(game, marked.totals(game))
        if counted is None:
            return None
        if marked is not None:
            return Told(
                "the result of the players is {told}, and the board without the stones that are marked as dead gives {counted}",
                told=f"`{told}`", counted=counted,
            )  # fmt: skip
        return Told(
            "the result of the players is {told}, and the board as it stands gives {counted}: which stones are dead is not in the record",
            told=f"`{told}`", counted=counted,
        )  # fmt: skip

    help_line = (
        Told("take the dead stones off in the variant {variant}", variant="`agreed`")
        if marked is None
        else Told("compare the rules, the komi and the marked territory")
    )
    notes.agreed = Agreed(differs, span, help_line)
    # A record keeps it as a note, which nobody judges.
    notes.left_out["RE"] += 1


def _gives(game: Game, komi: str, has_handicap: bool) -> bool:
    """Whether the ruleset gives White these points."""
    try:
        return bool(float(komi) == _komi(game, has_handicap) + _tie(game))
    except ValueError:
        return False


@lru_cache(maxsize=64)
def _komi(game: Game, has_handicap: bool) -> int:
    """What the score line of this name gives White. In a game with handicap nothing; what a stone is worth, rules add
    themselves.
    """
    start = State(game.ruleset, len(COLORS), [])
    game.fresh_variables(start, "game")
    return 0 if has_handicap else score_game(game, start).parts[COLORS.index("W")].get("komi", 0)


def _tie(game: Game) -> float:
    """Half a point if White wins a tie."""
    return 0.5 if sum(criterion.kind != "shared" for criterion in game.ruleset.ranking) > 1 else 0
