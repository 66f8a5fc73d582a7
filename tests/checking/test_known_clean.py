"""A ruleset in which nothing was found is not examined again while everything that decides it is the same."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pwtool.checking import linting
from pwtool.checking.known_clean import KnownClean
from pwtool.checking.linting import Adopted
from pwtool.checking.report import Verdict
from pwtool.cli.app import run
from pwtool.rules.library import Library
from pwtool.rules.targets import Target
from pwtool.text.data import data_folder

CLEAN = 'edition house of nim "House"\n'
ODD = 'edition house of nim "House"\n\nsource letter "A letter"\n'


@pytest.fixture
def examined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The rulesets that are examined, with a cache of their own."""
    names: list[str] = []
    original: Callable[..., object] = linting.lint_target

    def noticed(target: Target, *words: object) -> object:
        names.append(target.name)
        return original(target, *words)

    monkeypatch.setattr(linting, "lint_target", noticed)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("PWTOOL_NO_CACHE", raising=False)
    return names


def test_it_is_examined_again_when_a_file_changes(
    examined: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    house, beside = tmp_path / "games" / "house.rules", tmp_path / "games" / "other.rules"
    house.parent.mkdir()
    house.write_text(CLEAN)

    def is_examined(*words: str) -> bool:
        examined.clear()
        assert run(["lint", str(house), *words]) == 0
        assert capsys.readouterr().out == f"{house}: clean\n"
        return bool(examined)

    assert is_examined() and not is_examined()
    beside.write_text(CLEAN.replace("house", "other"))
    assert is_examined() and not is_examined()
    house.write_text(CLEAN + "\n# Nothing else.\n")
    assert is_examined() and not is_examined()
    # What was so before is known.
    house.write_text(CLEAN)
    assert not is_examined()
    assert is_examined("--as-printed") and not is_examined("--as-printed")


def test_what_has_a_finding_is_examined_every_time(
    examined: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    house = tmp_path / "house.rules"
    house.write_text(ODD)
    first = run(["lint", str(house)]), capsys.readouterr().out
    assert "PW401" in first[1]
    assert (run(["lint", str(house)]), capsys.readouterr().out) == first
    assert len(examined) == 2


def test_a_finding_that_was_told_before_is_still_one(
    examined: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two rulesets share it: it is told once, and for each if it is alone."""
    one, two = tmp_path / "one.rules", tmp_path / "two.rules"
    shared = 'part shared of nim\n\nsource letter "A letter"\n'
    (tmp_path / "shared.rules").write_text(shared)
    for path in (one, two):
        path.write_text(f'edition {path.stem} of nim "House"\n\ninclude shared\n')
    run(["lint", str(one), str(two)])
    assert capsys.readouterr().out.count("PW401") == 1
    run(["lint", str(two)])
    assert capsys.readouterr().out.count("PW401") == 1


def test_it_depends_on_the_library(tmp_path: Path) -> None:
    folder = tmp_path / "rulesets"
    shutil.copytree(data_folder("rulesets") / "classics" / "nim", folder / "nim")
    target, library = Target("nim", "nim"), Library(folder, tmp_path / "cache")

    def known() -> KnownClean:
        return KnownClean(library, Adopted())

    before = known()
    assert [r.verdict for r in linting.lint_all([target], library, Adopted(), before)] == [Verdict.CLEAN]
    before.keep(target)
    assert known().look(target)
    other = folder / "pig" / "game.rules"
    other.parent.mkdir()
    other.write_text((data_folder("rulesets") / "classics" / "pig" / "game.rules").read_text("utf-8"))
    assert not known().look(target)


def test_what_changes_meanwhile_is_not_kept(tmp_path: Path) -> None:
    house = tmp_path / "house.rules"
    house.write_text(CLEAN)
    target, library = Target(str(house), str(house), house), Library(cache=tmp_path / "cache")
    known = KnownClean(library, Adopted())
    assert not known.look(target)
    house.write_text(ODD)
    known.keep(target)
    assert not known.look(target)
    house.write_text(CLEAN)
    assert not known.look(target)


DICE = """game dice "Dice"
players 2..2
include bits
var points: 0..200 = 0 per player
define limit = 7
define goal = 20
turn = roll
action roll "Roll" (n: 1..6 by chance) { points += n when points + n <= 200 }
ending done "Done" when some q in players: points[q] >= goal then stop
score total "Points" = points
ranking most total, shared
"""


def test_an_error_is_one_although_it_was_told_as_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A variant that breaks the game is no note of an edition that is not played with it."""
    folder = tmp_path / "dice"
    folder.mkdir()
    (folder / "game.rules").write_text(DICE, "utf-8")
    (folder / "bits.rules").write_text(
        'part bits of dice\ninvariant low "Low" for each player require points <= 200 + limit\n', "utf-8"
    )
    (folder / "house.rules").write_text('edition house of dice "House"\nchange define goal = 30\n', "utf-8")
    (folder / "slow.rules").write_text(
        'variant slow of dice "Slow"\nchange define goal = 15\nremove define limit\n', "utf-8"
    )
    assert run(["lint", str(folder), "-f", "concise"]) == 1
    assert "error[PW201]" in capsys.readouterr().out


def test_a_game_of_ones_own_with_a_name_of_the_library(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "pig"
    folder.mkdir()
    (folder / "game.rules").write_text(
        (data_folder("rulesets") / "classics/pig/game.rules").read_text("utf-8"), "utf-8"
    )
    house = folder / "house.rules"
    house.write_text('edition house of pig "House"\nsource own "The rules of this house"\n', "utf-8")
    run(["lint", str(house)])
    assert "built on the library's game, not on `game.rules` beside it" in capsys.readouterr().out
