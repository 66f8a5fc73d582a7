"""Games board by board under two rulesets: where what is refused is shown, and what is left aside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pwtool.checking.documents import Loaded, load_document
from pwtool.checking.report import FileResult
from pwtool.comparing.rows import compare_rulesets
from pwtool.records.inputs import Document, read_documents
from pwtool.show.html.comparing import render_page
from pwtool.show.html.stepping import SteppedGame, step_document
from pwtool.show.text.comparing import Comparison
from tests.support import book, full_record, raw_games, shelf

EN, BGA, GP = "paper_world/en", "paper_world/bga", "paper_world/gamepark"


def stepped(tmp_path: Path, record: dict[str, Any], first: str, second: str, as_recorded: bool = True) -> SteppedGame:
    path = tmp_path / "game.json"
    path.write_text(json.dumps(record), "utf-8")
    loaded = load_document(next(iter(read_documents(str(path)))))
    assert isinstance(loaded, Loaded) and not isinstance(loaded, FileResult) and isinstance(loaded.document, Document)
    found = step_document(loaded, (first, second), (shelf(), shelf()), (first, second), as_recorded)
    assert found is not None
    return found


def recorded() -> dict[str, Any]:
    """A short game with what was claimed in it."""
    games = [full_record(raw) for _, raw in raw_games("base")]
    return min((g for g in games if "'claim'" in str(g["turns"])), key=lambda g: len(g["turns"]))


def test_what_a_ruleset_says_of_the_setup_is_left_aside_where_play_decides(tmp_path: Path) -> None:
    record = recorded()
    claim = next(a for t in record["turns"] for a in t["actions"] if a["action"] == "claim")
    record["turns"][0]["actions"].append(claim)
    game = stepped(tmp_path, record, GP, EN)
    refused = [step for step in game.steps if step.refused]
    # A claim is no action of a player: it is refused on the board at the end of its turn.
    assert [step.title.split(",")[0] for step in refused] == ["end of turn 1"]
    assert all(f"{address} refuses: " in refused[0].refused for address in (GP, EN))
    assert "setup.supply" not in refused[0].refused and "setup.supply" not in " ".join((*game.verdicts, *game.rules))
    assert game.verdicts[1].endswith("what it says of the setup is left aside") and "aside" not in game.verdicts[0]


def test_a_recorded_game_is_told_with_what_is_wrong_before_play(tmp_path: Path) -> None:
    game = stepped(tmp_path, recorded(), GP, EN, as_recorded=False)
    assert game.verdicts[0].startswith("accepted: ")
    assert game.verdicts[1].startswith("refused: `BS4` is there more often") and "(setup.supply)" in game.verdicts[1]
    # It is about no board, so that the first one is not that which decides.
    assert not [step for step in game.steps if "setup.supply" in step.refused]


def test_an_action_that_only_one_of_them_knows_is_refused_on_its_board(tmp_path: Path) -> None:
    record = recorded()
    record["turns"] = record["turns"][:2]
    record["turns"][1]["actions"] = [{"action": "pass"}]
    del record["result"]
    game = stepped(tmp_path, record, BGA, GP)
    assert game.verdicts[1] == "refused: there is no action `pass`"
    (step,) = [step for step in game.steps if f"{GP} refuses: there is no action `pass`" in step.refused]
    assert step.done == "pass" and step.title.startswith("turn 2, ")
    assert len(game.moves) == 2 and game.moves[1].endswith(": pass")
    games = (book(BGA).game, book(GP).game)
    page = render_page(Comparison((BGA, GP), games, compare_rulesets(*games), 0), [game])
    deciding = page.split('<figure class="step deciding">')[1]
    assert page.count("step deciding") == 1 and "there is no action `pass`" in deciding.split("</figcaption>")[0]
    assert f"<li>{game.moves[0]}</li>" in page
