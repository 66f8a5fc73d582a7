"""Recorded games in an editor: findings, the actions that are legal at a place, the position."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from pwtool.lsp.model.records import Records
from pwtool.lsp.model.workspace import Workspace
from tests.daily import one_day_in
from tests.lsp.session import Session, at, opened

ROOT = Path(__file__).resolve().parents[2]
NOTATED = (ROOT / "examples" / "notation" / "club.pwn").read_text("utf-8")
RECORD = (ROOT / "examples" / "records" / "clean.json").read_text("utf-8")


@pytest.fixture(scope="module")
def known() -> Iterator[tuple[Workspace, Records]]:
    workspace = Workspace([ROOT / "examples"])
    yield workspace, Records(workspace)


def offered(known: tuple[Workspace, Records], name: str, text: str, offset: int) -> list[str]:
    workspace, records = known
    path = Path("/nowhere") / name
    workspace.open(path, text)
    return [s.text for s in records.completions(path, offset)]


def test_findings_of_records(known: tuple[Workspace, Records]) -> None:
    workspace, records = known
    path = Path("/nowhere/a.pwn")
    for text, codes in (
        (NOTATED, []),
        (NOTATED.replace("6. Ben: ta 2 G2@4+K2@5", "6. Ben: ta 2 G2@4"), ["PW601"]),
        ("", []),
    ):
        workspace.open(path, text)
        for causes in (False, True):
            found = records.findings(path, causes)
            assert found is not None and sorted({d.code for d in found}) == codes
            assert all(d.span is not None for d in found)
    other = Path("/nowhere/package.json")
    workspace.open(other, '{"name": "something else"}')
    assert records.findings(other, True) is None


@pytest.mark.parametrize("turn", ["4. Ben: ", "5. Ana: ", "8. Ben: ", "12. Ben: "])
def test_what_was_done_was_offered(known: tuple[Workspace, Records], turn: str) -> None:
    """The first action of a turn is among those that are legal there; whatever comes after it does not matter."""
    start = NOTATED.index(turn) + len(turn)
    done = NOTATED[start:].split(";")[0].split("\n")[0].split("  ")[0].split(" {")[0].strip()
    found = offered(known, "b.pwn", NOTATED, start)
    assert done in found and len(set(found)) == len(found)
    assert done in offered(known, "b.pwn", NOTATED[:start], start)


def test_more_may_be_done_in_a_turn(known: tuple[Workspace, Records]) -> None:
    start = NOTATED.index("p K1 1,0; p G1") + len("p K1 1,0; ")
    found = offered(known, "c.pwn", NOTATED, start)
    assert "p G1 -1,0" in found and not any("K1" in word for word in found), "K1 is on the board already"
    assert all(word.startswith("p ") or not word.startswith("ta") for word in found)


@pytest.mark.parametrize("place", ["id: club", "{Ben's first", "  goals: l_of"])
def test_nothing_is_offered_where_no_turn_is(known: tuple[Workspace, Records], place: str) -> None:
    assert offered(known, "d.pwn", NOTATED, NOTATED.index(place) + 3) == []


def test_actions_in_json(known: tuple[Workspace, Records]) -> None:
    data: dict[str, Any] = json.loads(RECORD)
    text = json.dumps(data, indent=1)
    start = -1
    for _ in range(4):
        start = text.index('"actions": [', start + 1) + len('"actions": [')
    found = [json.loads(s) for s in offered(known, "e.json", text, start)]
    done = data["turns"][3]["actions"][0]
    assert any(all(done.get(key) == value for key, value in action.items()) for action in found)
    assert offered(known, "e.json", text, 3) == []


def test_the_position_of_a_turn(known: tuple[Workspace, Records]) -> None:
    workspace, records = known
    path = Path("/nowhere/f.pwn")
    workspace.open(path, NOTATED)
    found = records.describe(path, NOTATED.index("p K1 1,0"))
    assert found is not None and found.name == "turn 4, Ben" and "hand" in found.drawn
    assert records.describe(path, 0) is None


def test_rules_that_are_open_and_not_saved_judge(tmp_path: Path) -> None:
    (tmp_path / "game.rules").write_text(RULES, "utf-8")
    workspace = Workspace([tmp_path])
    records = Records(workspace)
    path = tmp_path / "one.pwn"
    workspace.open(path, GAME)
    assert records.findings(path, True) == []
    workspace.open(tmp_path / "game.rules", RULES.replace("what < 3", "what < 2"))
    assert [d.code for d in records.findings(path, True) or []] == ["PW601"]


RULES = """game calls "Calls"
players 2..2
component seed { }
zone pot: bag of seed
turn = call
action call "Call" (what: 1..3) {
  rule any "Any" require what < 3
}
ending done "Never" when count pot > 0 then stop
ranking shared
"""
GAME = "ruleset: game.rules\nplayers: Ana, Ben\n\n1. Ana: c 1  2. Ben: c 2\n"


@one_day_in(7)
def test_records_over_the_wire(tmp_path: Path) -> None:
    with opened(tmp_path) as session:
        _ask(session)


def _ask(session: Session) -> None:
    text = NOTATED.replace("6. Ben: ta 2 G2@4+K2@5", "6. Ben: ta 2 G2@4")
    session.open("a.pwn", text)
    [finding] = session.findings("a.pwn", "PW601")
    assert finding.range.start == at(text, "ta 2 G2@4", 0)
    document = session.document("a.pwn")
    place = at(text, "5. Ana: ta 3", 8)
    found = session.run(session.client.text_document_completion_async(types.CompletionParams(document, place)))
    assert "ta 3 B3@1+Y3@3" in {item.label for item in found.items}
    hover = session.run(session.client.text_document_hover_async(types.HoverParams(document, place)))
    assert "turn 5, Ana" in hover.contents.value
    told = session.run(session.describe("a.pwn", place))
    assert told["drawn"]
