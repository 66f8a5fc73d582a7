"""`where` binds weakest: it restricts all collections that stand before it, joined by `+` and `-`, up to the bracket."""

from __future__ import annotations

import pytest

from tests.boards.by_hand import GAME
from tests.laws.test_circuits import load

SAME = [
    ("count (stone + buried where size >= 3) == 2", "count ((stone + buried) where size >= 3) == 2"),
    ("count (c in stone + buried where c.size >= 3) == 2", "count (c in (stone + buried) where c.size >= 3) == 2"),
    ("some c in stone - buried where size == 2: c.size == 2", "some c in ((stone - buried) where size == 2): c.size == 2"),
    ("same tone of stone + buried where size == 2", "same tone of ((stone + buried) where size == 2)"),
    ("some c in buried + stone + buried where size == 2 and tone == red: c.size == 2",
     "some c in ((buried + stone + buried) where (size == 2 and tone == red)): c.size == 2"),
    ("no c in buried + (stone where size == 2): c.size == 1", "no c in (buried + (stone where size == 2)): c.size == 1"),
    # Behind `count` and `sum` it is what they count.
    ("(count stone where size >= 3) == 2", "count (stone where size >= 3) == 2"),
    ("(2 * count stone + count buried where size >= 3) == 2", "2 * count stone + count (buried where size >= 3) == 2"),
    ("(3 - sum size of stone where size >= 3) == 2", "3 - sum size of (stone where size >= 3) == 2"),
]  # fmt: skip


@pytest.mark.parametrize(("short", "meant"), SAME)
def test_where_restricts_all_before_it(short: str, meant: str) -> None:
    one, other = (
        load(GAME.format(grid="grid 2x2") + f'objective x "X" = {condition}').ruleset.version
        for condition in (short, meant)
    )
    assert one == other


def test_brackets_of_one_part_mean_another_thing() -> None:
    texts = ("count (stone + buried where size >= 3) == 2", "count (stone + (buried where size >= 3)) == 2")
    versions = {load(GAME.format(grid="grid 2x2") + f'objective x "X" = {text}').ruleset.version for text in texts}
    assert len(versions) == 2
