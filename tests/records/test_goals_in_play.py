"""An action that names an objective: one that is in play, or it is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pwtool.cli.app import run
from pwtool.play.replay import replay_record
from tests.support import book

RULES = """game aims "Aims"
players 1..1
component card { color: y "Y" | g "G" }
deck main of card = { Y G }
zone row: pile of card
zone land: grid 2x2 of card
zone hand: bag of card
zone won: pile of 1..4 per goal
setup {
  choose goals "g": 1 of objective
  deal row "r": rest of main to row
}
objective a "A" = some card: color == y
objective b "B" = some card: color == g
turn = pick
action pick "Pick" (aim: goal) {
  rule free "free" require RULE
  move row to hand
}
ending out "e" when row is empty then stop
score sum "s" = sum won
ranking most total, shared
"""


@pytest.mark.parametrize("rule", ["won[aim] is empty", "not land fulfils aim", "row is not empty"])
def test_an_objective_that_is_not_in_play_is_refused(
    rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.rules"
    path.write_text(RULES.replace("RULE", rule), "utf-8")
    rules = book(str(path))
    record: dict[str, Any] = {
        "format": "pwtool/1", "players": ["A"], "setup": {"goals": ["a"], "row": ["Y", "G"]},
        "turns": [{"player": "A", "actions": [{"action": "pick", "aim": "b"}]}],
    }  # fmt: skip
    (finding,) = replay_record(rules.game, rules.decoder.record(record), rules.legal).findings
    assert (finding.code, finding.rule, finding.path) == ("PW602", "pick.aim", ("turns", 0, "actions", 0, "aim"))
    archive = tmp_path / "games.jsonl"
    archive.write_text("".join(json.dumps({**record, "id": str(n)}) + "\n" for n in range(24)), "utf-8")
    said = []
    for option in ("--kernel", "--no-kernel"):
        assert run(["check", str(archive), "--rules", str(path), option, "-f", "concise", "--explain", "all"]) == 1
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] and said[0].count("objective `b` is not in play") == 24
    record["turns"][0]["actions"][0]["aim"] = "a"
    assert replay_record(rules.game, rules.decoder.record(record), rules.legal).clean
