"""Variables of each player and of any kind: what is only written otherwise is the same, and no difference is taken for none."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.comparing.rows import compare_rulesets
from pwtool.play.game import Game
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from pwtool.show.text.comparing import exit_code
from tests.daily import one_day_in, some

BASE = (Path(__file__).resolve().parents[1] / "kernel" / "rules" / "ledger" / "game.rules").read_text("utf-8")
Changes = tuple[tuple[str, str], ...]
SAME: dict[str, Changes] = {
    "set to one more": (("  points += card.value\n", "  points = points + card.value\n"),),
    "whose it is said": (("  points += card.value\n", "  points[player] += card.value\n"),),
    "for the whole game": (("var points: -4..20 = 0 per player\n", "var points: -4..20 = 0 per player per game\n"),),
    "a score of whose": (('score points "Points" = points', 'score points "Points" = points[player]'),),
    "effects of others between": (("  tricks += 1\n  last_cell = at\n", "  last_cell = at\n  tricks += 1\n"),),
    "a seat by name": (("player != seat 2", "not player == seat 2"),),
}
OTHER: dict[str, Changes] = {
    "another player's": (("  points += card.value\n", "  points[player after player] += card.value\n"),),
    "anew each turn": (("var points: -4..20 = 0 per player\n", "var points: -4..20 = 0 per player per turn\n"),),
    "another first value": (("var points: -4..20 = 0", "var points: -4..20 = 1"),),
    "other bounds": (("var points: -4..20 = 0", "var points: -1..20 = 0"),),
    "one more effect": (("  tricks += 1\n", "  tricks += 1\n  points[player after player] += -1\n"),),
    "another suit": (("called == none or", "called == hearts or"),),
    "another first suit": (("var called: suit per game", "var called: suit = hearts per game"),),
    "another seat": (("player != seat 2", "player != seat 1"),),
    "another first player": (("var rich: player = seat 2", "var rich: player = seat 1"),),
    "for others of them": (("tricks[q] += 1 when q != player", "tricks[q] += 1 when q == player"),),
}


def differs(folder: Path, changes: Changes) -> bool:
    """Whether anything is said to differ, or not to be decided."""
    games: list[Game] = []
    for name in ("a", "b"):
        text = BASE.partition("\nexample ")[0]
        for old, new in changes if name == "b" else ():
            assert old in text, old
            text = text.replace(old, new)
        path = folder / f"{name}.rules"
        path.write_text(text, "utf-8")
        found = RulesetStore(Library()).get(str(path)).value
        assert found is not None
        games.append(found.game)
    return exit_code(compare_rulesets(*games)) != 0


@one_day_in(8)
@pytest.mark.parametrize("changes", SAME.values(), ids=SAME)
def test_what_is_only_written_otherwise_is_the_same(changes: Changes, tmp_path: Path) -> None:
    assert not differs(tmp_path, changes)


@pytest.mark.parametrize("name", some([*OTHER], 2))
def test_a_difference_is_never_taken_for_none(name: str, tmp_path: Path) -> None:
    assert differs(tmp_path, OTHER[name])
