"""Games of two tables that play by two rules: what explains those of one table is told, and is no rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.cli.app import run
from pwtool.learning.judging import CLEAN, Sample, Seen
from pwtool.learning.kinds import Variant
from pwtool.learning.noting import Noted, Notes
from pwtool.text.terminal import dump_json
from tests.daily import one_day_in, some


def house(folder: Path, limit: int, games: int) -> list[dict[str, Any]]:
    """Games of Pig to another limit, that name the known edition."""
    path = folder / "house.rules"
    path.write_text(
        f'edition house of pig "House"\nchange ending hundred "So many" when some q in players: points[q] >= {limit} then stop at once\n',
        "utf-8",
    )
    rules = pwtool.load(path)
    return [without_version(rules.play(seed=seed)) for seed in range(games)]


def without_version(game: dict[str, Any]) -> dict[str, Any]:
    """A game that names only the known edition."""
    return {key: part for key, part in (game | {"ruleset": "pig"}).items() if key != "version"}


@one_day_in(4)
@pytest.mark.parametrize(("ours", "theirs"), some([(6, 3), (6, 4), (5, 6)], 1))
def test_what_explains_the_games_of_one_table_is_a_hint(
    ours: int, theirs: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = house(tmp_path, 40, ours)
    others = [without_version(pwtool.load("pig").play(seed=seed)) for seed in range(theirs)]
    path = tmp_path / "games.jsonl"
    path.write_text("".join(f"{dump_json(game)}\n" for game in (*games, *others)), "utf-8")
    data = pwtool.learn(path, of="pig", quick=True).data
    partial = data["partial"]
    assert partial is not None and data["changes"] == [] and data["clean"] == theirs
    (change,) = partial["changes"]
    # Who wins has a few points more, so that other numbers explain these games too.
    limit = re.fullmatch(r"points\[q\] >= (4\d)", change["after"])
    assert change["item"] == "ending hundred" and limit is not None
    assert partial["clean"] == ours == len(change["games"]) and partial["cannot_tell"] == []
    assert partial["lost"] == [{"code": "PW606", "rule": "hundred", "games": theirs}]
    assert run(["learn", str(path), "--of", "pig", "--quick"]) == 1
    told = capsys.readouterr().out
    assert f"this would explain {ours} of {ours + theirs} games" in told and "no small change" not in told
    assert f"{theirs} games that are clean now would be refused by hundred" in told


def test_what_explains_more_than_slips_is_noted() -> None:
    samples = [Sample(str(number), {}) for number in range(6)]
    refused = Seen((0, 0, 0), "PW601", "play.one")
    seen: Sequence[Seen] = [*[refused] * 4, Seen(CLEAN), Seen((1, 0, 0), "PW601", "play.two")]

    def noted(bits: int, after: str) -> Noted:
        return Noted("game", (Variant(("rule", "play.one"), "number", after, 1.0),), bits)

    def partial(*tried: Noted) -> str | None:
        notes = Notes(samples, {("game", ""): {(n.variant.key, n.variant.text): n for n in tried}})
        found = notes.partial("game", seen, 2.0)
        return None if found is None else found.variant.text

    assert partial() is None and partial(noted(0b010011, "2")) is None
    assert partial(noted(0b010011, "2"), noted(0b000111, "3")) == "3"
    # What refuses nothing else is better, and what explains all that one rule refuses is no small thing.
    assert partial(noted(0b000111, "3"), noted(0b010111, "4")) == "4"
    assert partial(noted(0b100000, "5")) == "5"
