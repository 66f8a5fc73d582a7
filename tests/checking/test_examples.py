"""Running examples has a budget of steps: rules that would make them last end in a finding (PW416)."""

from __future__ import annotations

from pathlib import Path

import pytest

from pwtool.checking.examples import EACH, run_examples
from pwtool.cli.app import run
from pwtool.eval.work import MAX_WORK
from pwtool.play.game import Game
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from tests.daily import one_day_in, some
from tests.support import ruleset_store

HEAD = 'edition house of paper_world/gamepark "House"\n'
GRID = "zone bb: grid 20x20 of card\n"
CELLS = "in cells of bb"
MANY = "".join("example z {\n no\n}\n" for _ in range(40))
DOUBLED = "define a0 = count hand\n" + "".join(f"define a{i} = a{i - 1} + a{i - 1}\n" for i in range(1, 12))
DEAR = {
    "every every": f'rule place.z "z" require every a {CELLS}: every b {CELLS}: bb[a] is empty or bb[b] is empty\n',
    "every some": f'rule place.z "z" require every a {CELLS}: some b {CELLS}: a == b\n',
    "ranges": 'rule place.z "z" require every a in 1..100: every b in 1..100: a > 0 or b > 0\n',
    "one range": 'rule place.z "z" require every a in 1..10000: a > 0\n',
    "large body": f'{DOUBLED}rule place.z "z" require every a {CELLS}: a9 >= 0 or bb[a] is empty\n',
    "large": DOUBLED + "".join(f'rule place.z{i} "z" require a11 >= 0\n' for i in range(6)),
    "invariant": f'invariant z "z" require not (every a {CELLS}: some b {CELLS}: a == b)\n{MANY}',
    "turn": f'rule turn.z "z" require not (every a {CELLS}: some b {CELLS}: a == b)\n{MANY.replace("z", "turn.z")}',
    "ending": f'ending z "z" when count (a {CELLS}: 0 < count (b {CELLS}: a == b)) == 3 then stop\n{MANY}',
}


def house(tmp_path: Path, text: str) -> str:
    path = tmp_path / "house.rules"
    path.write_text(HEAD + GRID + text, "utf-8")
    return str(path)


@one_day_in(4)
@pytest.mark.parametrize("case", some([*DEAR], 3))
def test_examples_that_take_too_many_steps_are_told(case: str, tmp_path: Path) -> None:
    found = load_ruleset(house(tmp_path, DEAR[case]), Library())
    assert found.value is not None, [d.message for d in found.diagnostics]
    game = Game(found.value)
    before = game.work.left
    _, too_dear = run_examples(game)
    assert too_dear is not None and too_dear.code == "PW416" and too_dear.span is not None
    assert "were not run to their end" in too_dear.message
    outcomes = sum(len(example.outcomes) for example in found.value.merged.examples)
    assert before - game.work.left < 10 * (MAX_WORK + EACH * outcomes)


@pytest.mark.parametrize("address", ["paper_world/gamepark", "paper_world/fr", "pierre_papier_morpion/fr"])
def test_examples_that_come_with_the_program_take_little(address: str) -> None:
    book = ruleset_store().get(address)
    assert book.value is not None
    game = book.value.game
    before = game.work.left
    assert run_examples(game) == ([], None)
    assert before - game.work.left < MAX_WORK / 10


def test_many_ordinary_examples_are_all_run(tmp_path: Path) -> None:
    text = "example l_of_2s {\n" + " no [ Y5 B5 G5 / Y5 B5 G5 / Y5 B5 G5 ]\n" * 1000 + "}\n"
    found = load_ruleset(house(tmp_path, text), Library())
    assert found.value is not None and run_examples(Game(found.value)) == ([], None)


def test_the_commands_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = house(tmp_path, DEAR["every some"])
    assert run(["test", path, "--coverage", "--mutate"]) == 1
    out = capsys.readouterr().out
    assert "PW416" in out and "231 examples, 0 failed" in out and "nothing more is asked" in out
    path = house(tmp_path, DEAR["invariant"])
    assert run(["lint", path]) == 1
    assert "PW416" in capsys.readouterr().out


def test_what_is_gone_through_in_each_round_is_counted(tmp_path: Path) -> None:
    """Two loops over a large grid cost much each time, however small the condition in them is."""
    alike = "400 == count (b in cells of bb: a != b or a == b)"
    zone, example = "zone bb: grid 20x20 of 1..9\n", "example score {\n" + " then zz = 400\n" * 200 + "}\n"
    text = (Path(__file__).parents[1] / "rulesets" / "gulls" / "game.rules").read_text("utf-8")
    text = text[: text.index("example score")].replace(" seen by none", "").replace(" seen by owner", "")
    score = f'score zz "z" = count (a in cells of bb: {alike})\n'
    path = tmp_path / "game.rules"
    path.write_text(text.replace("ranking", f"{zone}{score}ranking") + example, "utf-8")
    found = load_ruleset(str(path), Library())
    assert found.value is not None, [d.message for d in found.diagnostics]
    _, too_dear = run_examples(Game(found.value))
    assert too_dear is not None and "example score" in (too_dear.span.text if too_dear.span else "")
