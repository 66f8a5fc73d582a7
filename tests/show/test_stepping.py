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
from pwtool.show.html.playing.pictures import Pictures
from pwtool.show.html.stepping import SteppedGame, step_document
from pwtool.show.text.comparing import Comparison
from pwtool.why.voice import Voice
from tests.support import book, full_record, raw_games, ruleset_store

EN, BGA, GP = "paper_world/en", "paper_world/bga", "paper_world/gamepark"


def stepped(
    tmp_path: Path,
    record: dict[str, Any],
    first: str,
    second: str,
    as_recorded: bool = True,
    pictures: Pictures | None = None,
) -> SteppedGame:
    path = tmp_path / "game.json"
    path.write_text(json.dumps(record), "utf-8")
    loaded = load_document(next(iter(read_documents(str(path)))))
    assert isinstance(loaded, Loaded) and not isinstance(loaded, FileResult) and isinstance(loaded.document, Document)
    pictures = pictures or Pictures()
    found = step_document(
        loaded, (first, second), (ruleset_store(), ruleset_store()), (first, second), pictures, Voice(), as_recorded
    )
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
    (note,) = game.view.notes
    # A claim is not an action of a player: it is refused on the board at the end of its turn.
    (move,) = [move for turn in game.view.turns for move in turn.moves if move.notes]
    assert move.step == note.step == 1 and game.view.turns[0].moves[-1] is move
    assert "".join(text for text, *_ in move.words) == "End of the turn"
    assert all(f"Paper World, {title} refuses: " in note.text for title in ("Game Park", "English rulebook"))
    assert "setup.supply" not in note.text and "setup.supply" not in " ".join((*game.verdicts, *game.rules))
    assert game.verdicts[1].endswith("its findings about the setup are ignored") and "ignored" not in game.verdicts[0]


def test_a_recorded_game_is_told_with_what_is_wrong_before_play(tmp_path: Path) -> None:
    game = stepped(tmp_path, recorded(), GP, EN, as_recorded=False)
    assert game.verdicts[0].startswith("accepted: ")
    assert game.verdicts[1].startswith("refused: `BS4` is there more often") and "(setup.supply)" in game.verdicts[1]
    # It is about no board, so that the first one is not that which decides.
    assert not [note for note in game.view.notes if "setup.supply" in note.text]


def test_an_action_that_only_one_of_them_knows_is_refused_on_its_board(tmp_path: Path) -> None:
    record = recorded()
    record["turns"] = record["turns"][:2]
    record["turns"][1]["actions"] = [{"action": "pass"}]
    del record["result"]
    game = stepped(tmp_path, record, BGA, GP)
    assert game.verdicts[1] == "refused: there is no action `pass`"
    (note,) = game.view.notes
    assert "Paper World, Game Park refuses: there is no action `pass`" in note.text
    (turn,) = [turn for turn in game.view.turns if [move for move in turn.moves if move.notes]]
    (move,) = turn.moves
    assert move.step == note.step and turn.heading.startswith("Turn 2, ")
    said = "".join(text for text, *_ in move.words)
    games = (book(BGA).game, book(GP).game)
    pictures = Pictures()
    game = stepped(tmp_path, record, BGA, GP, pictures=pictures)
    page = render_page(Comparison((BGA, GP), games, compare_rulesets(*games), 0), [game], pictures=pictures)
    deciding = page.split('<figure class="deciding">')[1]
    assert (
        page.count('class="deciding"') == 1
        and "there is no action <code>pass</code>" in deciding.split("</figcaption>")[0]
    )
    assert f">{said}</span>" in page


def test_results_are_not_read_where_only_play_counts(tmp_path: Path) -> None:
    record = recorded()
    record["result"] = {"parts": {record["players"][0]: {"charm": 3}}, "end": {"rule": "rain"}}
    assert not stepped(tmp_path, record, GP, GP, as_recorded=False).view.notes
