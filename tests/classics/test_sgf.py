"""Games in SGF: written by sgfmill from games at random, read, and clean."""

from __future__ import annotations

from pathlib import Path

import pytest

import pwtool
from pwtool.records.importers.texts import games_of, import_text
from pwtool.text.source import SourceFile
from tests.support import few_or_many

sgf = pytest.importorskip("sgfmill.sgf")
GAMES = (("go", 1, 9), ("othello", 2, 8), ("gomoku", 4, 15))


def as_sgf(record: dict[str, object], number: int, size: int) -> str:
    """A record as SGF; sgfmill counts rows from below."""
    game = sgf.Sgf_game(size)
    game.get_root().set("GM", number)
    game.get_root().set("PB", "Ana")
    game.get_root().set("PW", "Ben")
    turns = record["turns"]
    assert isinstance(turns, list)
    for turn in turns:
        at = turn["actions"][0].get("at")
        color = "bw"[record["players"].index(turn["player"])]
        game.extend_main_sequence().set_move(color, None if at is None else (size - 1 - at[1], at[0]))
    return str(game.serialise().decode())


def read(text: str) -> dict[str, object]:
    result = import_text(SourceFile("game.sgf", text), ".sgf")
    assert result.value is not None, [d.message for d in result.diagnostics]
    return result.value[0]


@pytest.mark.parametrize("games", few_or_many(5, 300))
@pytest.mark.parametrize(("name", "number", "size"), GAMES)
def test_games_at_random_come_back_and_are_clean(name: str, number: int, size: int, games: int) -> None:
    rules = pwtool.load(name)
    records = [rules.play(2, seed=seed) for seed in range(games)]
    again = [read(as_sgf(record, number, size)) for record in records]
    for record, imported in zip(records, again, strict=True):
        assert imported["ruleset"] == name
        turns, expected = imported["turns"], record["turns"]
        assert isinstance(turns, list)
        assert [turn["actions"] for turn in turns] == [turn["actions"] for turn in expected]
    assert all(verdict.status == "clean" for verdict in rules.check_many(again))


SEVERAL = """(;GM[2]SZ[8]PB[Ana]PW[Ben]AW[dd][ee]AB[ed][de];B[d3];W[cc];B[cd](;W[ec])(;W[aa]))
(;FF[4]GM[1]SZ[9]C[a \\] in it];Black[ee];W[ef]C[close];B[];W[tt])
(;GM[1]SZ[19];B[ss])
(;GM[1]SZ[9];B[ee];W[ee])
"""


def test_several_games_of_one_file(tmp_path: Path) -> None:
    path = tmp_path / "several.sgf"
    path.write_text(SEVERAL, "utf-8")
    assert [line for line, _ in games_of(SEVERAL.encode(), ".sgf")] == [1, 2, 3, 4]
    first, second, third = (read(text.decode()) for _, text in games_of(SEVERAL.encode(), ".sgf")[:3])
    assert first["turns"][-1]["actions"] == [{"action": "lay", "at": [4, 2]}]
    assert [turn["actions"][0]["action"] for turn in second["turns"]] == ["place", "place", "pass", "pass"]
    assert second["turns"][1]["actions"][0]["comment"] == "close"
    # Nobody has said yet by which rules a game on another board is played, and Go without a size is one of nineteen lines.
    assert "ruleset" not in third
    assert "ruleset" not in read("(;GM[1];B[ss])")
    assert read("(;GM[2];B[dc])")["ruleset"] == "othello"
    verdict = pwtool.load("go").check(f"{path}:4")
    assert verdict.status == "findings"
    assert verdict.causes[0].turn == 2
    assert (verdict.causes[0].line, verdict.causes[0].column) == (4, 20)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "this is not an SGF"),
        ("(;GM[1", "this is not an SGF"),
        ("(;GM[11];B[a1])", "games of the kind `11` are not read"),
        ("(;SZ[9]AB[ee];W[ef])", "stones are set up"),
        ("(;GM[2]AB[ee];W[ef])", "stones are set up"),
        ("(;SZ[9];B[e99])", "`e99` is not a cell of a board of 9 lines"),
        ("(;SZ[9];B[jj])", "`jj` is not a cell of a board of 9 lines"),
    ],
)
def test_what_cannot_be_read_is_told(text: str, says: str) -> None:
    result = import_text(SourceFile("game.sgf", text), ".sgf")
    assert result.value is None
    assert [(d.code, says in d.message) for d in result.diagnostics] == [("PW704", True)]
