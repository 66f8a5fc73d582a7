"""Records that begin from a position are judged like the games that they are the rest of."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace

import pwtool
from pwtool.cli.app import run
from pwtool.kernel.run import CLEAN, REFUSED
from pwtool.kernel.stepping import Stepper
from pwtool.play.opening import opening
from pwtool.play.record import EVERYBODY, Record
from pwtool.play.replay import replay_record
from pwtool.records.encoding import encode_record
from pwtool.records.json_form import Malformed
from pwtool.records.notation.parser import parse_notation
from pwtool.records.notation.reading import read_notation
from pwtool.records.notation.writing import format_notation
from pwtool.records.random_records import play_many
from pwtool.records.schema import record_schema
from pwtool.records.tables.compact import BEGINS, pack_game, unpack_game
from pwtool.records.tables.vocabulary import vocabulary_of
from pwtool.text.source import SourceFile
from tests.daily import one_day_in, some
from tests.kernel.changes import Changer
from tests.kernel.judging import (
    CLASSICS,
    DUELS,
    MOVING,
    Bench,
    Data,
    Verdict,
    agree,
    bench,
    by_engine,
    dumped,
    judged,
    names,
    of_text,
    read_by_engine,
    seats,
    short,
    verdicts,
)
from tests.records.starts import asks_what_was, cut, plays, said
from tests.support import ADDRESSES, book, few_or_many

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = (*CLASSICS, *ADDRESSES, *DUELS)
EVERY_GAME = pytest.mark.parametrize("address", some([*SHIPPED, *MOVING], 3), ids=short)


@cache
def games(address: str, count: int) -> list[Record]:
    """Games at random, of every number of players."""
    rules, found = bench(address).rules, []
    for players in seats(rules.game.ruleset):
        found += play_many(rules, names(players), 1, max(1, count // len(seats(rules.game.ruleset))), 300)
    return found


def halves(address: str, count: int, seed: int = 1) -> list[tuple[Record, Record]]:
    """Games at random, each with the rest of it from a turn at random on."""
    game, rng = bench(address).rules.game, random.Random(seed)
    return [(record, cut(record, rng.choice(plays(game, record)))) for record in games(address, count)]


def written(address: str, record: Record) -> Data:
    return encode_record(bench(address).rules.game, record)


def is_judged(here: Bench, half: Record, kernel: Verdict, engine: Verdict) -> bool:
    """Whether a kernel says what the engine says; only a record that begins where the game ends, or ends where nobody can move, may be
    left to the engine.
    """
    left = not half.turns or engine.code == "PW612"
    return kernel == engine or (left and agree(here, kernel, engine))


# ---- the same verdicts -----------------------------------------------------------------------------------------------


@one_day_in(8)
@EVERY_GAME
@pytest.mark.parametrize("count", few_or_many(6, 100))
def test_the_rest_of_a_game_is_judged_like_the_whole(address: str, count: int) -> None:
    here = bench(address)
    game = here.rules.game
    pairs = halves(address, count)
    texts = [dumped(written(address, half)) for _, half in pairs]
    for (whole, half), text, kernel in zip(pairs, texts, judged(here, texts, own=True), strict=True):
        again = read_by_engine(here, text)
        assert again is not None
        assert encode_record(game, again) == json.loads(text)
        if not asks_what_was(game, whole, half.first):
            assert said(game, again) == said(game, whole), (whole.id, half.first)
        assert is_judged(here, half, kernel, by_engine(here, again)), whole.id


@one_day_in(4)
@EVERY_GAME
@pytest.mark.parametrize("count", few_or_many(6, 80))
def test_a_damaged_rest_is_refused_where_the_whole_is(address: str, count: int) -> None:
    """Turns are damaged behind the cut: whole and rest have the same findings, unless one asks what was before it."""
    here, rng = bench(address), random.Random(2)
    game, changer = here.rules.game, Changer(address, rng)
    for whole, half in halves(address, count, seed=2):
        data = written(address, whole)
        if not half.turns:
            continue
        done = half.first - 1
        damaged = changer.changed({**data, "setup": {}, "turns": data["turns"][done:]})
        turns = damaged.get("turns")
        if damaged["players"] != data["players"] or not isinstance(turns, list) or damaged["setup"]:
            continue
        changed = {**data, "turns": data["turns"][:done] + turns}
        rest = {**written(address, half), "turns": turns}
        for key in ("result", "recorded"):
            for one in (changed, rest):
                one.pop(key, None)
                one.update({key: damaged[key]} if key in damaged else {})
        first, second = read_by_engine(here, dumped(changed)), read_by_engine(here, dumped(rest))
        assert (first is None) == (second is None)
        if first is None or second is None or first.has_unseen:
            continue
        if not asks_what_was(game, first, half.first):
            assert said(game, second) == said(game, first)
        (kernel,) = judged(here, [dumped(rest)])
        assert agree(here, kernel, by_engine(here, second))


@one_day_in(8)
@EVERY_GAME
@pytest.mark.parametrize("count", few_or_many(20, 300))
def test_kernel_and_engine_agree_on_damaged_starts(address: str, count: int) -> None:
    here, rng = bench(address), random.Random(3)
    changer = Changer(address, rng)
    texts = []
    for at in range(count):
        _, half = rng.choice(halves_of(address))
        data = written(address, half)
        texts.append(dumped(damaged_start(data, changer, rng) if at % 4 else changer.changed(data)))
    found = judged(here, texts)
    for text, kernel in zip(texts, found, strict=True):
        right = of_text(here, text)
        assert agree(here, kernel, right), (kernel, right, text.decode())


@cache
def halves_of(address: str) -> list[tuple[Record, Record]]:
    return halves(address, 12, seed=3)


def damaged_start(data: Data, changer: Changer, rng: random.Random) -> Data:
    """The record with one value of its position changed, left out, doubled or put elsewhere."""
    data = copy.deepcopy(data)
    holder, key = rng.choice(changer.places(data["start"]))
    match rng.randrange(5):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        case 2 if isinstance(holder, list):
            rng.shuffle(holder)
        case 3 if isinstance(holder[key], int):
            holder[key] += rng.choice((-1, 1, 40))
        case _:
            other, there = rng.choice(changer.places(data["start"]))
            holder[key] = copy.deepcopy(other[there])
    return data


# ---- other forms -----------------------------------------------------------------------------------------------------


@one_day_in(8)
@EVERY_GAME
def test_every_form_keeps_all_of_a_position(address: str) -> None:
    here = bench(address)
    game = here.rules.game
    schema = Draft202012Validator(record_schema(game))
    words = vocabulary_of(game.ruleset, positions=True)
    blocks, sizes, records = b"", [], []
    for _, half in halves(address, 4, seed=4):
        data = written(address, half)
        assert list(schema.iter_errors(data)) == []
        text = format_notation(data, game)
        tree = parse_notation(SourceFile("game.pwn", text)).value
        assert tree is not None
        read = read_notation(tree, game)
        assert read.value is not None, [d.message for d in read.diagnostics]
        assert read.value.data == data
        packed = here.packer.pack(here.rules.decoder.record(data))
        assert here.instance.pack(dumped(data), own=True) == packed
        assert encode_record(game, here.packer.unpack(packed, half.players))["start"] == data["start"]
        compact = pack_game(half, words)
        assert compact.startswith(BEGINS)
        assert unpack_game(compact, half.players, words)["start"] == data["start"]
        sizes.append((len(blocks), len(compact), len(half.players)))
        blocks, records = blocks + compact, [*records, half]
    import array

    table = array.array("i", [number for row in sizes for number in row]).tobytes()
    found = verdicts(here, here.instance.check_compact(blocks, table, len(sizes)))
    assert all(
        is_judged(here, half, kernel, by_engine(here, half)) for half, kernel in zip(records, found, strict=True)
    )


def test_a_position_with_unseen_things_goes_on_undetermined() -> None:
    address = "paper_world/gamepark"
    here = bench(address)
    _, half = next(pair for pair in halves(address, 12) if len(pair[1].turns) > 6)
    data = written(address, half)
    supply = data["start"]["zones"]["supply"]
    data["start"]["zones"]["supply"] = [["?"] * (len(pile) - 1) + pile[-1:] for pile in supply]
    record = here.rules.decoder.record(data)
    assert record.has_unseen
    replay = replay_record(here.rules.game, record)
    assert not [f for f in replay.findings if not f.undetermined]
    assert judged(here, [dumped(data)])[0].verdict not in (CLEAN, REFUSED)
    data["start"]["zones"]["supply"][0] = ["?"] * 30
    found = replay_record(here.rules.game, here.rules.decoder.record(data)).findings
    assert [(f.code, f.path) for f in found][:1] == [("PW610", ("start", "zones"))]


# ---- what is wrong with a position -----------------------------------------------------------------------------------


def chess_start() -> Data:
    return json.loads((ROOT / "examples" / "starts" / "fen.json").read_text("utf-8"))


@one_day_in(8)
@pytest.mark.parametrize(
    ("path", "value", "where", "message"),
    [
        (("player",), "Cleo", ("start", "player"), "there is no player `Cleo`"),
        (("player",), None, ("start", "player"), "there is no player"),
        (("turn",), 0, ("start", "turn"), "a number from 1 to 100,000 is needed"),
        (("turn",), True, ("start", "turn"), "a number from 1 to 100,000 is needed"),
        (("end",), {"rule": "stuck"}, ("start", "end"), "`end` has a `rule` and a `turn`"),
        (("end",), {"rule": "nope", "turn": 3}, ("start", "end", "rule"), "there is no such ending"),
        (("end",), {"rule": "stuck", "turn": 99}, ("start", "end", "turn"), "before the turn of this position"),
        (("end",), {"rule": "stuck", "turn": 3}, ("start", "end", "turn"), "the game was over already"),
        (("zones", "board", 0, 0), 8, ("start", "zones", "board", 0), "`board` has no such cell"),
        (("zones", "board", 1), [0, 0, ["bK"]], ("start", "zones", "board", 1), "this cell appears twice"),
        (("variables", "quiet"), 900, ("start", "variables", "quiet"), "a number from 0 to 151 is needed"),
        (("moment",), "between", ("start", "moment"), "`moment` is not known here"),
    ],
)
def test_what_is_malformed_is_told_at_its_place(
    path: tuple[Any, ...], value: Any, where: tuple[Any, ...], message: str
) -> None:
    data = chess_start()
    inner = data["start"]
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(Malformed) as found:
        book("chess").decoder.record(data)
    assert found.value.path == where and message in found.value.message
    verdict = pwtool.load("chess").check(json.dumps(data))
    assert verdict.status == "unreadable"


def test_a_record_has_a_setup_or_a_start() -> None:
    data = chess_start()
    with pytest.raises(Malformed) as both:
        book("chess").decoder.record(data | {"setup": {}})
    assert both.value.path == ("setup",) and "not both" in both.value.message
    del data["start"]["zones"]["box"]
    del data["start"]["zones"]["taken"]
    with pytest.raises(Malformed) as less:
        book("chess").decoder.record(data)
    assert less.value.path == ("start", "zones") and less.value.message == "`box` and `taken` are missing"
    del data["start"]["player"]
    with pytest.raises(Malformed, match="whose turn it is"):
        book("chess").decoder.record(data)


def test_pieces_are_neither_lost_nor_doubled() -> None:
    data = chess_start()
    data["start"]["zones"]["board"].append([0, 3, ["wQ"]])
    verdict = pwtool.load("chess").check(json.dumps(data))
    assert [(f.code, f.path[:2]) for f in verdict.findings if not f.follows][:1] == [("PW610", ("start", "zones"))]


def test_an_invariant_is_told_at_its_zone() -> None:
    address = "paper_world/gamepark"
    _, half = next(pair for pair in halves(address, 12) if len(pair[1].turns) > 6)
    data = written(address, half)
    landscape = data["start"]["zones"]["landscape"]["P1"]
    landscape[0][0] += 5
    verdict = pwtool.load(address).check(json.dumps(data))
    first = verdict.findings[0]
    assert first.code == "PW610" and first.rule.startswith("invariant.")
    assert first.path == ("start", "zones", "landscape", "P1")


def chess_position(*laid: tuple[int, int, str]) -> dict[str, Any]:
    """The zones of a position in which these pieces stand on the board and everything else is taken."""
    first = Counter(side + face for side in "wb" for face in "PPPPPPPPNNBBRRQK")
    box = [face for face in "NBRQ" for _ in range(8)]
    return {
        "board": [[x, y, [piece]] for x, y, piece in laid],
        "box": {"Ana": ["w" + face for face in box], "Ben": ["b" + face for face in box]},
        "taken": sorted((first - Counter(piece for _, _, piece in laid)).elements()),
    }


@one_day_in(8)
@pytest.mark.parametrize("player", ["Ana", "Ben", None])
@pytest.mark.parametrize("checked", ["Ana", "Ben", "both"])
def test_who_is_not_to_move_is_not_in_check(player: str | None, checked: str) -> None:
    """Whatever the position leaves out; if it does not say who moves, one of them may be in check."""
    rooks = {"Ana": [(0, 7, "bR")], "Ben": [(0, 0, "wR")]}
    rooks["both"] = rooks["Ana"] + rooks["Ben"]
    zones = chess_position((4, 0, "bK"), (4, 7, "wK"), *rooks[checked])
    allowed = checked != "both" and player in (None, checked)
    expected = "clean" if allowed else "findings"
    state = {"format": "pwtool-state/1", "players": ["Ana", "Ben"], "zones": zones, "moment": "between"}
    rules = pwtool.load("chess")
    verdict = rules.check(state if player is None else {**state, "player": player})
    assert verdict.status == expected, verdict.findings
    assert rules.check({name: part for name, part in state.items() if name != "moment"}).status == "clean"
    if player is None:
        return
    start = {"player": player, "zones": zones}
    record = {"format": "pwtool/1", "ruleset": "chess", "players": ["Ana", "Ben"], "start": start, "turns": []}
    for told in ([rules.check(record)], list(rules.check_many([json.dumps(record)] * 25))):
        assert {verdict.status for verdict in told} == {expected}
        assert {found.rule for found in told[0].findings} == (set() if allowed else {"invariant.checked"})


@one_day_in(8)
@pytest.mark.parametrize(
    ("address", "cells", "rule"),
    [
        ("chess", [[4, 4, ["wQ", "wN"]]], "one_piece"),
        ("go", [[4, 4, ["B", "W"]]], "one_stone"),
        ("gomoku", [[4, 4, ["B", "W"]]], "one_stone"),
        ("othello", [[2, 2, ["B", "W"]]], "one_disc"),
        ("checkers", [[2, 2, ["b", "w"]]], "alone"),
        ("checkers", [[1, 2, ["b", "bK", "b"]]], "alone"),
        ("checkers", [[2, 2, ["b"]]], "dark"),
        ("checkers", [[1, 0, ["b"]]], "crowned"),
    ],
)
def test_what_the_rules_never_lay_is_refused(address: str, cells: list[list[Any]], rule: str) -> None:
    """As the rest of a game in which it lies on the board besides."""
    rules = pwtool.load(address)
    start = rules.replay(rules.play(2, seed=1)).at(3).state()["zones"]
    put = [cell for cell in start["board"] if cell[:2] not in [laid[:2] for laid in cells]]
    verdict = rules.check({
        "format": "pwtool-state/1", "players": ["Ana", "Ben"], "moment": "between", "zones": {"board": [*put, *cells]},
    })  # fmt: skip
    assert f"invariant.{rule}" in {found.rule for found in verdict.findings}, verdict.findings


# ---- turns and what came before --------------------------------------------------------------------------------------


def test_a_position_may_be_the_end_of_its_game() -> None:
    """A record without turns, of a position in which nobody can move: the ending that holds there is its end."""
    data = chess_start()
    start = data["start"]
    start["zones"]["board"] = [[0, 0, ["bK"]], [0, 1, ["wQ"]], [0, 2, ["wK"]]]
    start["variables"] = {"throne": {"Ana": [0, 2], "Ben": [0, 0]}}
    box = [face for face in ("N", "B", "R", "Q") for _ in range(8)]
    start["zones"]["box"] = {"Ana": ["w" + face for face in box], "Ben": ["b" + face for face in box]}
    first = "PPPPPPPPNNBBRRQK"
    there = ["wQ", "wK", "bK"]
    start["zones"]["taken"] = [side + face for side in "wb" for face in first if side + face not in there]
    data |= {"turns": [], "result": {"scores": {"Ana": 1, "Ben": 0}}}
    rules = pwtool.load("chess")
    verdict = rules.check(json.dumps(data))
    assert verdict.status == "clean", verdict.findings
    assert verdict.result is not None and verdict.result.ending == "stuck"
    data["result"] = {"scores": {"Ana": 0, "Ben": 0}}
    assert [f.code for f in rules.check(json.dumps(data)).findings] == ["PW608"]


def test_history_begins_at_the_position() -> None:
    """What occurred before a start does not count, the start itself does."""
    address = "chess"
    game = book(address).game
    moves = [((6, 7), (5, 5)), ((6, 0), (5, 2)), ((5, 5), (6, 7)), ((5, 2), (6, 0))] * 2
    turns = [
        {"player": ("Ana", "Ben")[at % 2], "actions": [{"action": "step", "start": list(a), "target": list(b)}]}
        for at, (a, b) in enumerate(moves)
    ]
    claim = {"player": "Ana", "actions": [{"action": "claim"}]}
    data = {"format": "pwtool/1", "ruleset": "chess", "players": ["Ana", "Ben"], "setup": {}, "turns": [*turns, claim]}
    whole = book(address).decoder.record(data)
    assert said(game, whole)[0] == []
    before = plays(game, whole)
    assert said(game, cut(whole, before[0]))[0] == []
    assert [found[:2] for found in said(game, cut(whole, before[4]))[0]] == [("PW601", "claim.due")]


def test_turns_are_numbered_from_the_turn_of_the_position() -> None:
    game = pwtool.replay(json.dumps(chess_start()))
    assert game.first == 46 and game.at(46).turn == 46 and game.at(46).player == "Ben"
    assert game.end.turn == game.first + game.turns
    with pytest.raises(IndexError):
        game.at(45)
    data = chess_start()
    data["turns"][1]["actions"] = [{"action": "step", "start": [0, 0], "target": [5, 5]}]
    found = pwtool.load("chess").check(json.dumps(data)).findings[0]
    assert (found.turn, found.path[:2]) == (47, ("turns", 1))


@one_day_in(8)
def test_a_game_goes_on_from_any_position() -> None:
    """`Position.record` begins where the position is: stepping from both is the same."""
    for address in ("chess", "paper_world/gamepark", "pierre_papier_morpion"):
        record = games(address, 4)[0]
        whole = pwtool.replay(json.dumps(written(address, record)))
        at = whole.at(whole.turns // 2)
        begun = pwtool.replay(json.dumps(at.record()))
        assert begun.first == at.turn and begun.end.player == at.player
        assert [a.text for a in begun.end.legal()] == [a.text for a in at.legal()]
        assert begun.end.state() == at.state()
        action = next((a for a in at.legal(20) if not at.play(a).may_end_turn and not at.play(a).over), None)
        if action is not None:
            with pytest.raises(ValueError, match="within one"):
                at.play(action).record()


@one_day_in(8)
@pytest.mark.parametrize(
    ("name", "suffixes"), [("fen", (".pgn", ".pwn", ".jsonl")), ("handicap", (".sgf", ".pwn", ".jsonl"))]
)
def test_no_format_leaves_a_position_out(name: str, suffixes: tuple[str, ...], tmp_path: Path) -> None:
    pytest.importorskip("chess")
    source = str(ROOT / "examples" / "starts" / f"{name}.json")
    expected = pwtool.replay(source).record
    for suffix in suffixes:
        target = str(tmp_path / f"game{suffix}")
        assert run(["convert", source, "-o", target]) == 0
        found = pwtool.replay(target)
        # Black stones before a white move are a handicap of Go, which is laid in a turn.
        assert found.record["turns"][-len(expected["turns"]) :] == expected["turns"]
        assert found.end.state()["zones"]["board"] == pwtool.replay(source).end.state()["zones"]["board"]
        assert found.record.get("start", expected["start"])["player"] == expected["start"]["player"]
    other = {".pgn": ".sgf", ".sgf": ".pgn"}[suffixes[0]]
    assert run(["convert", source, "-o", str(tmp_path / f"game{other}")]) == 2
    assert not (tmp_path / f"game{other}").exists()


def test_rounds_have_no_player() -> None:
    address = "pierre_papier_morpion"
    _, half = next(pair for pair in halves(address, 6) if pair[1].turns)
    assert half.start is not None and half.start.player == EVERYBODY
    data = written(address, half)
    assert "player" not in data["start"]
    data["start"]["player"] = "P1"
    with pytest.raises(Malformed) as found:
        bench(address).rules.decoder.record(data)
    assert found.value.path == ("start", "player")


@one_day_in(4)
@pytest.mark.parametrize("address", some(["chess", "go", "paper_world/gamepark", "hearts"], 1))
def test_kernels_step_on_from_a_position(address: str) -> None:
    here = bench(address)
    game, stepper = here.rules.game, Stepper(here.rules.runner())
    for record in games(address, 3):
        for play in plays(game, record)[1:-1:9]:
            bare = replace(cut(record, play), turns=[], outcome=None)
            assert stepper.begin(here.packer.pack(bare)).verdict == CLEAN
            begun = opening(game, bare)[0]
            begun.begin_turn(begun.next_player())
            moment = stepper.legal()
            assert (moment.owner, moment.over, moment.count) == (begun.owner, False, len(begun.legal_actions()))


def test_kernels_leave_a_wrong_number_of_players_to_the_engine() -> None:
    """Whether such a position can be read is not known before it is laid out."""
    here = bench("pierre_papier_morpion")
    data = written("pierre_papier_morpion", next(half for _, half in halves_of("pierre_papier_morpion")))
    data["players"] = ["P1"]
    data["start"] |= {"turn": 1, "end": {"rule": "crowns", "turn": 1}}
    assert agree(here, judged(here, [dumped(data)])[0], of_text(here, dumped(data)))
    assert judged(here, [dumped(data)])[0].verdict not in (CLEAN, REFUSED)


def test_notation_keeps_that_there_are_no_tokens_and_no_variables() -> None:
    data = chess_start()
    data["start"] |= {"tokens": {}, "variables": {}}
    game = book("chess").game
    text = format_notation(data, game)
    assert "tokens: -" in text and "variables: -" in text
    tree = parse_notation(SourceFile("game.pwn", text)).value
    assert tree is not None
    read = read_notation(tree, game).value
    assert read is not None and read.data == data


def test_kernels_read_a_start_wherever_it_stands() -> None:
    """The keys of a record and of its position may come in any order; a second beginning is not read."""
    here: Bench = bench("paper_world/gamepark")
    _, half = next(pair for pair in halves("paper_world/gamepark", 12) if len(pair[1].turns) > 6)
    data = written("paper_world/gamepark", half)
    rng = random.Random(5)
    texts = []
    for _ in range(30):
        keys = rng.sample(list(data), len(data))
        start = {key: data["start"][key] for key in rng.sample(list(data["start"]), len(data["start"]))}
        start["zones"] = {key: start["zones"][key] for key in rng.sample(list(start["zones"]), len(start["zones"]))}
        texts.append(dumped({key: start if key == "start" else data[key] for key in keys}))
    right = by_engine(here, half)
    assert judged(here, texts) == [right] * len(texts)
    both = [dumped({**data, "setup": {}}), dumped({"setup": {}, **data})]
    assert {one.verdict for one in judged(here, both)}.isdisjoint({CLEAN, REFUSED})
