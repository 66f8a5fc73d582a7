"""Games in the formats of other programs that are read quickly: what kernels get of them is what the whole record says."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

import pwtool
from pwtool.records.importers.formats import Draft, ToldResult
from pwtool.records.importers.installed import import_game
from pwtool.records.importers.pdn import PDN
from pwtool.records.importers.pgn import PGN
from pwtool.records.importers.tagged_files import TaggedFormat
from pwtool.records.importers.wthor import WTHOR
from pwtool.records.tables.compact import pack_game
from pwtool.records.tables.drafts import DraftPacker
from pwtool.records.tables.vocabulary import vocabulary_of
from pwtool.text.source import SourceFile
from tests.classics.test_wthor import as_bytes, as_file, score, some_games
from tests.daily import one_day_in, some
from tests.support import book, drafted_of, few_or_many, for_rules, games_in

COLORS = "BW"


def sgf_games(games: int) -> Iterator[str]:
    """Go, Othello and gomoku at random, with passes, handicap, set-ups, results, and what is not plain."""
    rng = random.Random(3)
    for _ in range(games):
        kind, size = rng.choice([(1, 9), (1, 13), (1, 19), (1, 21), (2, 8), (4, 15)])
        head = rng.choice(["", "CA[UTF-8]", "PB[Ana]PW[Ben]", "RU[Japanese]KM[6.5]", "RE[B+3.5]", "RE[W+R]", "RE[0]"])
        head += rng.choice(["", "", "", "HA[2]AB[cc][gg]", "AB[aa]AW[bb]PL[W]", "C[a (;\\] b]", "HA[0]", "AW[cc]"])
        talks = rng.random() < 0.5
        moves, color = [], "W" if "HA[2]" in head else rng.choice(COLORS)
        for _move in range(rng.randrange(0, 12)):
            cell = rng.choice(["", "tt"]) if rng.random() < 0.1 else "".join(rng.choices("abcdefghi"[:size], k=2))
            said = rng.choice(["", "BL[12.5]OB[3]", " C[a ;B[aa\\] (]", "TB[aa]\n[bb]", "\nN[x]MN[3]"]) if talks else ""
            before = rng.choice(["", "C[;]", "WL[1]"]) if talks else ""
            moves.append(rng.choice([";", " ; ", "\n;"]) + f"{before}{color}[{cell}]{said}")
            color = color if rng.random() < 0.02 else COLORS[color == "B"]
        if rng.random() < 0.1:
            moves.append(
                rng.choice(
                    [
                        ";C[x]",
                        ";B[aa]C[x]",
                        "(;B[aa])",
                        ";B[aa]W[bb]",
                        ";AB[aa]",
                        ";HA[2]",
                        ";PL[W]",
                        "C[x]",
                        ";B[zz]",
                        ";B[a]",
                        ";B[aa][bb]",
                    ]
                )
            )
        yield f"(;GM[{kind}]SZ[{size}]{head}{''.join(moves)}){rng.choice(['', chr(10)])}"


@pytest.mark.parametrize("games", few_or_many(300, 20_000))
def test_a_draft_of_an_sgf_is_what_the_reader_reads(games: int) -> None:
    pytest.importorskip("sgfmill")
    drafted = 0
    for text in sgf_games(games):
        draft, whole = drafted_of(text, "sgf"), import_game(SourceFile("game.sgf", text), "sgf").value
        if draft is None:
            continue
        drafted += 1
        assert whole is not None and draft.record() == for_rules(whole[0])
    assert drafted > games // 2


def test_a_draft_of_a_wthor_game_is_what_the_reader_reads() -> None:
    """Games that are over, with true and wrong scores, and games that are not."""
    games = [(moves[: len(moves) - cut], score(board) ^ cut) for moves, board in some_games(40) for cut in (0, 1, 9)]
    games += [(moves, score(board) ^ 1) for moves, board in some_games(40)]
    archive = as_file([as_bytes(*game) for game in games])
    for _, data in games_in(archive, WTHOR):
        whole = import_game(SourceFile("games.wtb", WTHOR.text(data)), "wtb").value
        draft = drafted_of(data, "wtb")
        assert draft is not None and whole is not None
        assert draft.record() == for_rules(whole[0])


PARTS = (
    '[White "Ana"]\n', '[Black "B. {e} *"]\n', '[Result "1-0"]\n', '[Event "x"] \n', "\n", "\n\n", " ", "\r\n", "\t", "1. ", "1.",
    "2. ", "2... ", "\n1. ", "11-15 22-18 ", "8x15x22 ", "e4 e5 ", "Nf3+ Nc6 ", "e8=Q# ", "O-O ", "0-0 ", "1-0\n", "0-1 ", "1/2-1/2\n",
    "*", " *\n", "1-1 ", "2-0", "3.1-0 ", "{1. e4}", "{", "}", "(", ") ", "; x\n", "%y\n", "$1 ", "!? ", "[", '"]\n', "\ufeff", "é",
)  # fmt: skip


@pytest.mark.parametrize("form", [PGN, PDN], ids=["pgn", "pdn"])
@pytest.mark.parametrize("files", few_or_many(1500, 60_000))
def test_games_that_are_found_at_once_begin_where_they_are_read_to(
    form: TaggedFormat, files: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, found = random.Random(11), 0
    plain = (
        '[White "Ana"]\n[Black "Ben"]\n\n1. 11-15 22-18 2. 15x22 *\n\n'
        if form is PDN
        else '[White "A"]\n\n1. e4 e5 1-0\n\n'
    )
    quick = form._plain
    for _ in range(files):
        parts = rng.choices(PARTS, k=rng.randrange(1, 12))
        data = "".join(rng.choice((plain, "", part)) + part for part in parts).encode()
        cuts = list(form.starts(data, True))
        begin = list(form.starts(data, False))
        assert begin == cuts[: len(begin)]
        found += quick.match(data.decode("latin-1")) is not None
        with monkeypatch.context() as patch:
            patch.setitem(form.__dict__, "_plain", re.compile("(?!)"))
            assert list(form.starts(data, True)) == cuts, data
    assert found > files // 20


def drafted(record: dict[str, Any], result: ToldResult | None = None) -> Draft:
    """A record of a game in which the players take turns, as a draft with this result."""
    names = record["players"]
    first = names.index(record["turns"][0]["player"]) if record["turns"] else 0
    actions = {number: tuple(turn["actions"]) for number, turn in enumerate(record["turns"])}
    return Draft(record["ruleset"], names, [*actions], actions, first, record.get("setup"), record.get("start"), result)


@one_day_in(4)
@pytest.mark.parametrize(
    "address", some(["othello", "checkers", "chess", "go", "connect_four", "chess+chess960", "nim"], 2)
)
def test_packed_drafts_are_packed_records(address: str) -> None:
    rulebook, rules = book(address), pwtool.load(address)
    words = vocabulary_of(rulebook.game.ruleset)
    packer = DraftPacker(rulebook.decoder, words)
    for seed in range(8):
        record = rules.play(2, seed=seed)
        seats, record["players"] = record["players"], ["Ana", "Ben"][:: 1 if seed % 2 else -1]
        names = dict(zip(seats, record["players"], strict=True))
        record["turns"] = [{**turn, "player": names[turn["player"]]} for turn in record["turns"]]
        draft = drafted(record, ToldResult(((seed % 2,), (1 - seed % 2,)), stopped="time"))
        if draft.record()["turns"] != record["turns"]:
            # The players do not take turns.
            continue
        assert packer.pack(draft) == pack_game(rulebook.decoder.record(draft.record()), words)


def test_what_does_not_belong_to_many_games_is_not_packed() -> None:
    rulebook, rules = book("othello"), pwtool.load("othello")
    packer = DraftPacker(rulebook.decoder, vocabulary_of(rulebook.game.ruleset))
    good = drafted(rules.play(2, seed=1))
    assert packer.pack(good) is not None
    ana, ben = good.players
    for change in (
        {"players": [ana, ana]}, {"players": ["", ben]}, {"players": [ana, 3]}, {"players": []},
        {"actions": {0: ({"action": "jump"},)}}, {"actions": {0: ({"action": "pass", "by": ana},)}}, {"actions": {}},
        {"turns": [[]]},
        {"setup": {"x": 1}}, {"start": {}}, {"result": ToldResult(scores=(True, 1))}, {"result": ToldResult(scores=(1,))},
        {"result": ToldResult(((0, 2),))}, {"result": ToldResult(stopped="why")}, {"result": ToldResult(((0,), (0,)))},
        {"result": {"stopped": "time"}},
    ):  # fmt: skip
        parts = {name: getattr(good, name) for name in good.__struct_fields__} | change
        assert packer.pack(Draft(**parts)) is None, change
    # What was refused is not kept.
    assert packer.pack(good) is not None
