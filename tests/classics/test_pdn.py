"""Games of checkers in PDN: games at random are clean, and with one move that is not legal refused at that move."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import pwtool
from pwtool.cli.app import run
from pwtool.records.importers.installed import import_game, recognised
from pwtool.records.importers.pdn import PDN
from pwtool.records.inputs import read_documents
from pwtool.text.source import SourceFile
from tests.daily import numbers, one_day_in
from tests.support import drafted_of, few_or_many, for_rules, games_in

Way = tuple[int, ...]
"""A move: the squares on which the piece stands one after the other."""

# ---- checkers, played by force: what is legal, in a second way -------------------------------------------------------


def cell(square: int) -> tuple[int, int]:
    """The column and the row of a square, both from the left and from below as the first side sees them."""
    row, place = divmod(square - 1, 4)
    return (6 if row % 2 == 0 else 7) - 2 * place, row


SQUARES = {cell(square): square for square in range(1, 33)}


class Position:
    """A position as a dictionary from cells to pieces, `b` and `w`, kings large."""

    def __init__(self) -> None:
        self.at = {cell(n): "b" for n in range(1, 13)} | {cell(n): "w" for n in range(21, 33)}
        self.side = "b"

    def moves(self) -> set[Way]:
        """All legal moves."""
        own = [at for at, piece in self.at.items() if piece.lower() == self.side]
        jumps = {way for at in own for way in self.jumps((SQUARES[at],), dict(self.at))}
        return jumps or {
            (SQUARES[x, y], SQUARES[x + dx, y + dy])
            for x, y in own
            for dx, dy in self.directions(self.at[x, y])
            if (x + dx, y + dy) in SQUARES and (x + dx, y + dy) not in self.at
        }

    def directions(self, piece: str) -> list[tuple[int, int]]:
        aheads = (1, -1) if piece.isupper() else (1,) if piece == "b" else (-1,)
        return [(aside, ahead) for ahead in aheads for aside in (1, -1)]

    def jumps(self, way: Way, at: dict[tuple[int, int], str]) -> Iterator[Way]:
        (x, y), ends = cell(way[-1]), True
        piece = at[x, y]
        for dx, dy in self.directions(piece):
            over, to = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
            if to in SQUARES and to not in at and over in at and at[over].lower() != piece.lower():
                after = {c: p for c, p in at.items() if c not in ((x, y), over)}
                after[to] = crowned = piece.upper() if to[1] in (0, 7) else piece
                ends = False
                if crowned == piece:
                    yield from self.jumps((*way, SQUARES[to]), after)
                else:
                    yield (*way, SQUARES[to])
        if ends and len(way) > 1:
            yield way

    def play(self, way: Way) -> None:
        for start, to in pairwise(way):
            (x, y), (z, v) = cell(start), cell(to)
            piece = self.at.pop((x, y))
            if abs(x - z) == 2:
                del self.at[(x + z) // 2, (y + v) // 2]
            self.at[z, v] = piece.upper() if v in (0, 7) else piece
        self.side = "w" if self.side == "b" else "b"


# ---- our own writer --------------------------------------------------------------------------------------------------


@cache
def played(seed: int) -> dict[str, Any]:
    record: dict[str, Any] = pwtool.load("checkers").play(2, seed=seed)
    return record


def ways(record: dict[str, Any]) -> list[Way]:
    """The moves of a record."""

    def square(at: Sequence[int]) -> int:
        return SQUARES[at[0], 7 - at[1]]

    found: list[Way] = []
    for turn in record["turns"]:
        if turn["actions"][0]["action"] == "claim":
            break
        way = [square(turn["actions"][0]["start"])]
        for action in turn["actions"]:
            if action["action"] == "step":
                way.append(square(action["target"]))
            elif action["action"] == "jump":
                (x, y), (z, v) = action["start"], action["over"]
                way.append(square((2 * z - x, 2 * v - y)))
        found.append(tuple(way))
    return found


def is_capture(way: Way) -> bool:
    return abs(cell(way[0])[1] - cell(way[1])[1]) == 2


def written(moves: Sequence[Way], short: bool = False) -> list[str]:
    """The moves as players write them; `short`: only the squares between that are needed to tell a capture."""
    position, words = Position(), []
    for way in moves:
        same = [other for other in position.moves() if (other[0], other[-1]) == (way[0], way[-1])]
        squares = (way[0], way[-1]) if short and len(same) == 1 else way
        words.append(("x" if is_capture(way) else "-").join(map(str, squares)))
        position.play(way)
    return words


def as_pdn(words: Sequence[str], result: str = "*", tags: str = '[Black "Ana"]\n[White "Ben"]\n') -> str:
    numbered = [f"{at // 2 + 1}. {word}" if at % 2 == 0 else word for at, word in enumerate(words)]
    lines = [" ".join(numbered[at : at + 12]) for at in range(0, len(numbered), 12)]
    return f"{tags}\n" + "\n".join([*lines, result]) + "\n"


def result_of(record: dict[str, Any]) -> str:
    ranking = record["result"]["ranking"]
    return "1/2-1/2" if len(ranking) == 1 else "1-0" if ranking[0] == record["players"][:1] else "0-1"


def damaged(moves: Sequence[Way], rng: random.Random) -> tuple[list[str], int]:
    """The moves with one that is not legal among them, and where it stands."""
    at, position = rng.randrange(len(moves)), Position()
    words = written(moves, short=rng.random() < 0.5)
    for way in moves[:at]:
        position.play(way)
    legal = position.moves()
    told = {(way[0], way[-1]) for way in legal}
    while True:
        way = tuple(rng.sample(range(1, 33), rng.choice([2, 2, 2, 3])))
        if rng.random() < 0.5:
            # Something near to a legal move: another square, or only a part of a capture.
            near = list(rng.choice(sorted(legal)))
            near = near[:-1] if len(near) > 2 and rng.random() < 0.5 else near
            near[-1] = near[-1] if len(near) < len(way) else max(1, min(32, near[-1] + rng.choice([-1, 0, 1])))
            way = tuple(near)
        if (way[0], way[-1]) not in told and len(way) > 1:
            # What goes on after a part of a capture would be its rest.
            word = rng.choice("-x").join(map(str, way))
            rest = [w for w in words[at + 1 :] if not w.startswith((f"{way[-1]}x", f"{way[-1]}-"))]
            return [*words[:at], word, *rest], at


def read(text: str) -> dict[str, Any]:
    result = import_game(SourceFile("game.pdn", text), "pdn")
    assert result.value is not None, [d.message for d in result.diagnostics]
    return result.value[0]


def problems(text: str) -> list[Any]:
    result = import_game(SourceFile("game.pdn", text), "pdn")
    assert (result.value is None) == bool(result.diagnostics)
    return list(result.diagnostics)


def actions(record: dict[str, Any]) -> list[Any]:
    """The actions of each turn that PDN has a word for: a draw that is claimed is told by the result."""
    return [[action for action in turn["actions"] if action["action"] != "claim"] for turn in record["turns"]]


# ---- games at random -------------------------------------------------------------------------------------------------


@one_day_in(8)
@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("games", few_or_many(15, 1000))
def test_games_at_random_come_back_and_are_clean(games: int, short: bool) -> None:
    records = [played(seed) for seed in range(games)]
    texts = [as_pdn(written(ways(record), short), result_of(record)) for record in records]
    again = [read(text) for text in texts]
    for record, imported in zip(records, again, strict=True):
        assert imported["ruleset"] == "checkers" and imported["players"] == ["Ana", "Ben"]
        assert actions(imported) == actions(record)[: len(imported["turns"])]
    for verdict, record in zip(pwtool.load("checkers").check_many(again), again, strict=True):
        assert not verdict.findings, record


@pytest.mark.parametrize("games", numbers(10, 1200))
def test_an_illegal_move_is_refused_where_it_stands(games: Sequence[int], tmp_path: Path) -> None:
    path = tmp_path / "games.pdn"
    texts, places = [], []
    for number in games:
        words, at = damaged(ways(played(number % 30)), random.Random(f"illegal {number}"))
        texts.append(as_pdn(words))
        places.append(at)
    path.write_text("\n".join(texts), "utf-8")
    verdicts = list(pwtool.load("checkers").check_many(path))
    assert len(verdicts) == len(games)
    for verdict, at, text in zip(verdicts, places, texts, strict=True):
        assert verdict.status == "findings", text
        assert verdict.causes[0].turn == at + 1, text


# ---- what else is in a file ------------------------------------------------------------------------------------------

CLUB = """[Event "The \\"Club\\""]
[White "Ben"]
[Black "Ana"]
[GameType "21,B,8,8,N1,0"]

{A trap} 1. 11-15 23-19! 2. 8-11 $6 (2. 9-14 22-17 {is (better}) 22-17?? {loses} ; at once
3. 11-16(?!) 24-20* 4. 15x24 1-0

[White "Ana"]
[Black "Ana"]

1. 11-15 {
[no tag]
} 23-19 *
"""


def test_comments_marks_and_side_lines(tmp_path: Path) -> None:
    first, second = (read(text.decode()) for _, text in games_in(CLUB.encode(), PDN))
    assert first["players"] == ["Ana", "Ben"]
    assert first["comment"] == "A trap"
    assert first["meta"] == {
        "Event": 'The "Club"', "White": "Ben", "Black": "Ana", "GameType": "21,B,8,8,N1,0",
    }  # fmt: skip
    assert first["result"] == {"ranking": [["Ana"], ["Ben"]], "stopped": "unknown"}
    said = [(action.get("mark"), action.get("comment")) for turn in actions(first) for action in turn]
    assert said == [
        (None, None), ("!", None), ("?!", None), ("??", "loses at once"), ("?!", None), (None, None), (None, None),
    ]  # fmt: skip
    assert second["players"] == ["Black", "White"]
    path = tmp_path / "club.pdn"
    path.write_text(CLUB, "utf-8")
    assert [document.name for document in read_documents(str(path))] == [f"{path}:1", f"{path}:9"]
    assert [v.status for v in pwtool.check_many(path)] == ["clean", "clean"]
    assert pwtool.check(f"{path}:9").status == "clean"
    assert run(["convert", str(path), "-o", str(tmp_path / "club.jsonl")]) == 0
    assert [v.status for v in pwtool.check_many(tmp_path / "club.jsonl")] == ["clean", "clean"]


def test_what_a_record_has_no_place_for_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.pdn"
    path.write_text("1. 11-15* $14 23-19 (1... 22-18) (1... 24-20) 0-0", "utf-8")
    assert run(["convert", str(path), "--to", "json", "-o", "-"]) == 0
    names = "`$14` (1), `(…)` (2), `*` (1), `0-0` (1)\n"
    assert capsys.readouterr().err.endswith(f"left out, because a record has no place for it: {names}")


TRADE = "1. 11-15 22-18 2. "
SPELLINGS = [
    (TRADE, ("15x22", "15-22", "15:22", "15X22", "15 x 22", "15 - 22", "1522", "15x22!", "15x22 $1", "15x22(?)")),
    ("", ("11-15", "11 - 15", "1115", "11-15*", "11-15?!")),
    # Two jumps: the square between, without it, and in two parts.
    ("1. 11-15 22-18 2. 15x22 26x17 3. 10-14 17x10 4. ", ("7x14", "07x14", "6x15", "7-14")),
    ("1. 10-14 22-17 2. 9-13 17x10 3. 6-9 ", ("10x6", "10-6")),
]  # fmt: skip


@pytest.mark.parametrize(("before", "spelling", "same"), [(b, s, all_[0]) for b, all_ in SPELLINGS for s in all_])
def test_a_move_has_many_spellings(before: str, spelling: str, same: str) -> None:
    if spelling == "6x15":
        same = spelling
    turns, plain = actions(read(f"{before}{spelling} *")), actions(read(f"{before}{same} *"))
    [action], [expected] = turns[-1], plain[-1]
    assert len(turns) == len(plain)
    assert {key: value for key, value in action.items() if key != "mark"} == expected


DOUBLE = "1. 11-15 23-18 2. 8-11 27-23 3. 4-8 23-19 4. 10-14 19x10 5. "


def double_jumps(games: Iterable[int]) -> Iterator[tuple[list[str], int, Way]]:
    """Games at random up to a capture of several jumps: its words before, and the capture."""
    for seed in games:
        moves = ways(played(seed))
        for at, way in enumerate(moves):
            if len(way) > 2:
                yield written(moves[:at]), at, way


@one_day_in(7)
@pytest.mark.parametrize("games", numbers(6, 40))
def test_a_capture_of_several_jumps_is_written_in_many_ways(games: Sequence[int]) -> None:
    count = 0
    for before, at, way in double_jumps(games):
        position = Position()
        for earlier in before:
            position.play(tuple(map(int, earlier.replace("x", "-").split("-"))))
        if sum((other[0], other[-1]) == (way[0], way[-1]) for other in position.moves()) > 1:
            continue
        count += 1
        whole = "x".join(map(str, way))
        parts = " ".join(f"{start}x{to}" for start, to in pairwise(way))
        results = [
            actions(read(as_pdn([*before, word], "*")))
            for word in (whole, f"{way[0]}x{way[-1]}", parts, f"{way[0]}-{way[-1]}")
        ]
        assert all(result == results[0] for result in results) and len(results[0]) == at + 1, (before, way)
        assert len(results[0][-1]) == len(way) - 1
        # A part of it is no move: the man has to go on.
        for result in ("*", "1-0", "1/2-1/2"):
            verdict = pwtool.load("checkers").check(read(as_pdn([*before, f"{way[0]}x{way[1]}"], result)))
            assert (verdict.causes[0].turn, verdict.causes[0].rule) == (at + 1, "turn.goes_on")
    assert count >= len(games) // 2


def ambiguous() -> tuple[list[str], list[Way]]:
    """The moves of a game at random up to a capture with several ways, and these."""
    for seed in range(3000):
        rng, position = random.Random(seed), Position()
        moves: list[Way] = []
        while legal := sorted(position.moves()):
            ends = [(way[0], way[-1]) for way in legal if len(way) > 2]
            twice = next((end for end in ends if ends.count(end) > 1), None)
            if twice is not None:
                return written(moves), [way for way in legal if (way[0], way[-1]) == twice]
            if len(moves) > 120:
                break
            moves.append(rng.choice(legal))
            position.play(moves[-1])
    raise AssertionError("no capture with several ways")


@one_day_in(8)
def test_a_capture_with_several_ways_asks_for_the_squares_between() -> None:
    before, several = ambiguous()
    start, end = several[0][0], several[0][-1]
    text = as_pdn([*before, f"{start}x{end}"], "*")
    [found] = problems(text)
    assert found.code == "PW704" and found.span.text == f"{start}x{end}" and "squares between" in found.help
    assert all(" and ".join(map(str, way[1:-1])) in found.message for way in several)
    rules = pwtool.load("checkers")
    for way in several:
        record = read(as_pdn([*before, "x".join(map(str, way))], "*"))
        assert rules.check(record).status == "clean" and len(record["turns"][-1]["actions"]) == len(way) - 1


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(15, 60))
def test_plain_games_are_read_as_all_others(games: int) -> None:
    """If they have a draft, it is what the careful reading tells."""
    rng, drafted = random.Random(5), 0
    for seed in range(games):
        moves = ways(played(seed))
        for words in (written(moves, short=True), damaged(moves, rng)[0]):
            text = as_pdn(words, rng.choice(["1-0", "*", "*"]))
            draft, whole = drafted_of(text, "pdn"), import_game(SourceFile("game.pdn", text), "pdn").value
            assert whole is not None
            # A draft counts if it is clean.
            if draft is not None and pwtool.check(draft.record()).status == "clean":
                drafted += 1
                assert draft.record() == for_rules(whole[0]) and not (whole[1].left_out or whole[1].warnings)
        disorder = as_pdn(rng.sample(written(moves, short=True), len(moves)))
        assert games_in(disorder.encode(), PDN) == [(1, disorder.encode())]
    assert drafted >= games // 2


@one_day_in(4)
@pytest.mark.parametrize("games", few_or_many(40, 400))
def test_a_game_that_stops_within_a_capture_is_refused(games: int) -> None:
    """Its last move is legal as far as it goes; where the game goes on, or in other formats, the next move says that it does not end."""
    rules, cut = pwtool.load("checkers"), []
    for seed in range(games):
        moves = ways(played(seed))
        at = next((at for at, way in enumerate(moves) if len(way) > 2 and abs(way[0] - way[1]) > 5), None)
        if at is not None:
            cut.append(as_pdn(written([*moves[:at], moves[at][:2]]), "*"))
    archive = "\n\n".join(cut).encode()
    assert len(cut) >= games // 2
    for text in cut:
        draft = drafted_of(text, "pdn")
        assert draft is None or rules.check(draft.record()).status != "clean"
    found = [
        piece.rule for _, data in games_in(archive, PDN) for piece in [rules.check(read(data.decode())).findings[0]]
    ]
    assert set(found) == {"turn.goes_on"}


@pytest.mark.parametrize(
    ("moves", "way"),
    [
        # A king takes three men around the cell between.
        ("10-14 23-18 14x23 26x19 11-16 30-26 16x30 22-18 7-11 21-17 30x23", "30x21x14x23"),
        # It does not go over 15, where a man of its own side stands.
        (
            "10-14 24-20 11-16 20x11 8x15 27-24 15-19 24x15 3-8 28-24 9-13 23-19 12-16 19x3",
            "19x12x3",
        ),
    ],
)
def test_a_capture_that_is_told_by_its_ends_is_read_quickly(moves: str, way: str) -> None:
    text = as_pdn(moves.split())
    draft, whole = drafted_of(text, "pdn"), import_game(SourceFile("game.pdn", text), "pdn").value
    assert draft is not None and whole is not None
    assert draft.record() == for_rules(whole[0]) and draft.turns[-1] == way
    assert pwtool.check(whole[0]).status == "clean"


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("1. 11-15 xx", "xx", "`xx` is not a move"),
        ("1. c3-d4", "c3-d4", "`c3-d4` is not a move"),
        ("1. 11-15 22-33", "22-33", "`22-33` is not a move"),
        ("1. 0-5 *", "0-5", "`0-5` is not a move"),
        ("1. 11-15 {22-18", "{", "this comment never ends"),
        ("1. 11-15 (22-18", "8", "a side line never ends"),
        ("1. 11-15 )", ")", "no side line begins before this"),
        ("1. 11-15 2. 8-11", "2.", "but `1...` comes next"),
        ("1. 11-15 3. 22-18", "3.", "but `1...` comes next"),
        ("1... 22-18", "1...", "but `1.` comes next"),
        ('1. 11-15 /FEN "W:W21:B1"/ 22-18', "/FEN", "a position is set up"),
        ('[SetUp "1"]\n\n*', "[SetUp", "the tag `FEN`"),
        ('[FEN "B:W21-32:B1-13"]\n\n*', "[FEN", "a side has more than 12 pieces"),
        ('[FEN "B:W4,24:B12"]\n\n*', "[FEN", "the man on 4 would be a king there"),
        ('[FEN "B:W24:B12,29"]\n\n*', "[FEN", "the man on 29 would be a king there"),
        ('[GameType "21,W,8,8,N1,0"]\n[FEN "B:W29:B12"]\n\n*', "[FEN", "the man on 29 would be a king there"),
        ('[FEN "B:W18:B12:H0:F1:X"]\n\n*', "[FEN", "this is not a position"),
        ('[FEN "W:W18:B12"]\n\n1. 18-15 3. 12-16', "3.", "but `2.` comes next"),
        ('[FEN "B:W21-40:B1-12"]\n\n*', "[FEN", "this is not a position"),
        ('[FEN "B:W21-32:B1-21"]\n\n*', "[FEN", "this is not a position"),
        ('[FEN "?"]\n\n*', "[FEN", "this is not a position"),
        ('[GameType "20"]\n\n1. 32-28 19-23 *', "[GameType", "a game of international draughts"),
        ('[GameType "25,W,8,8,A0,0"]\n\n1. c3-d4 *', "[GameType", "a game of Russian draughts"),
        ('[GameType "99"]\n\n*', "[GameType", "of the kind `99`"),
        ('[GameType "checkers"]\n\n*', "[GameType", "`checkers` is not a kind of game"),
        ('[GameType "21,B,10,10,N1,0"]\n\n*', "[GameType", "a board of 8x8"),
        ('[GameType "21,B,8,8,A0,0"]\n\n*', "[GameType", "a board of 8x8"),
        ('[Result "1-0"]\n\n1. 11-15 0-1', "[Result", "the tag says 1-0, and the moves end with 0-1"),
        ("1. 11-15 1-0 0-1", "0-1", "the result of the game is given before"),
        ("", "", "the file contains no game"),
    ],
)
def test_what_cannot_be_read_is_told_where_it_stands(text: str, place: str, says: str) -> None:
    [found] = problems(text)
    assert found.code == "PW704" and says in found.message
    assert found.span is not None and found.span.text.startswith(place)


def test_a_game_on_more_squares_is_one_of_another_kind() -> None:
    [found] = problems("1. 32-28 19-23 2. 37-32 *")
    assert "`37-32` is not a move" in found.message and "no square 37" in found.help


@pytest.mark.parametrize(
    ("fen", "move", "result"),
    [
        ("B:W22:B18", "18x25", "1-0"), ("B:W22:B18,25", "18x25", "*"), ("B:W22:B17,18", "17x26", "1-0"),
        ("B:W22:BK4,18", "4-8", "*"), ("B:W29:B21,22", "21-25", "1-0"), ("B:W29:B16,22", "16-25", "*"),
    ],
)  # fmt: skip
def test_a_game_without_a_result_has_that_of_the_rules_if_they_allow_its_moves(
    fen: str, move: str, result: str
) -> None:
    record = read(f'[SetUp "1"]\n[FEN "{fen}"]\n\n1. {move}')
    assert "result" not in record
    record["meta"].pop("Result", None)
    is_clean = pwtool.load("checkers").check(record).status == "clean"
    assert PDN.write(record).split()[-1] == result and is_clean is (result != "*")


@pytest.mark.parametrize(
    "fen", ["B:W21-32:B1-12", "b:w21-32:b1-12.", " :B1-12:W21-32", "B:W" + ",".join(map(str, range(21, 33))) + ":B1-12"]
)
def test_the_usual_position_may_be_written(fen: str) -> None:
    assert len(read(f'[SetUp "1"]\n[FEN "{fen}"]\n\n1. 11-15 *')["turns"]) == 1


@pytest.mark.parametrize(
    ("tags", "players"),
    [
        ('[Red "Ada"]\n[White "Ben"]\n', ["Ada", "Ben"]), ('[Black "Ada"]\n', ["Ada", "White"]),
        ('[GameType "21,W,8,8,N1,0"]\n[Black "Ada"]\n[White "Ben"]\n', ["Ben", "Ada"]),
        ('[GameType "21"]\n[White "Ada"]\n', ["Black", "Ada"]), ('[Black "?"]\n[White ""]\n', ["Black", "White"]),
    ],
)  # fmt: skip
def test_who_moves_first_has_the_first_seat(tags: str, players: list[str]) -> None:
    assert read(f"{tags}\n1. 11-15 *")["players"] == players


# ---- positions -------------------------------------------------------------------------------------------------------


def fen_of(position: Position, of_first: str = "B") -> str:
    """A position, in which the side that moves first in a game has this color."""
    names = {"b": of_first, "w": "W" if of_first == "B" else "B"}
    sides = [
        names[side]
        + ",".join(
            ("K" if p.isupper() else "") + str(SQUARES[at]) for at, p in position.at.items() if p.lower() == side
        )
        for side in "bw"
    ]
    return f"{names[position.side]}:{':'.join(sides)}."


@one_day_in(8)
@pytest.mark.parametrize("kind", ["", '[GameType "21,W,8,8,N1,0"]\n'])
@pytest.mark.parametrize("games", few_or_many(15, 60))
def test_a_game_may_begin_from_a_position(games: int, kind: str) -> None:
    """Clean from any position on, also without a number of the first move, and refused at the move that is not legal."""
    rules, rng, tried = pwtool.load("checkers"), random.Random(3), 0
    for seed in range(games):
        record = played(seed)
        moves = ways(record)
        at = rng.randrange(1, len(moves))
        position = Position()
        for way in moves[:at]:
            position.play(way)
        words = written(moves)[at:]
        dots = rng.choice([f"{at // 2 + 1}." + (".." if at % 2 else ""), "1.", ""])
        head = f'{kind}[SetUp "1"]\n[FEN "{fen_of(position, "W" if kind else "B")}"]\n\n{dots} '
        again = read(f"{head}{' '.join(words)} *")
        assert actions(again) == actions(record)[at : len(moves)]
        start = rules.replay(record).at(at + 1).state()
        assert again["start"]["zones"]["board"] == sorted(
            start["zones"]["board"], key=lambda c: SQUARES[c[0], 7 - c[1]]
        )
        assert again["start"]["player"] == again["players"][at % 2]
        assert again["start"]["turn"] == (at + 1 if dots not in ("1.", "") or at < 2 else 1 + at % 2)
        verdict = rules.check(again)
        assert not verdict.findings, verdict.findings
        verdict = rules.check(read(f"{head}{words[0]} 1-1 *"))
        later = rng.randrange(len(words))
        bad = rng.choice(["4-8", "30-25", "1x10"])
        for way in moves[at : at + later]:
            position.play(way)
        if tuple(map(int, bad.replace("x", "-").split("-"))) not in {(w[0], w[-1]) for w in position.moves()}:
            tried += 1
            found = rules.check(read(f"{head}{' '.join([*words[:later], bad])} *")).causes
            assert found[0].turn == again["start"]["turn"] + later
    assert tried > games // 3


@pytest.mark.parametrize(
    ("fen", "expected"),
    [
        ("W:WK3,18:B12", ("White", 2, 0, [[1, 0, ["w", "w"]]])),
        ("B:B12:W18:H12:F40", ("Black", 79, 12, [])),
        ("B:B12:W18:H99:F1", ("Black", 1, 80, [])),
        ("w:w18:bK12:f7", ("White", 14, 0, [])),
        ("B:WK1-4:B", ("Black", 1, 0, [])),
    ],
)
def test_a_position_says_whose_turn_it_is(fen: str, expected: tuple[str, int, int, list[Any]]) -> None:
    start = read(f'[FEN "{fen}"]\n\n*')["start"]
    assert (start["player"], start["turn"], start["variables"]["quiet"]) == expected[:3]
    assert start["variables"]["mover"] != start["player"]
    assert pwtool.check(read(f'[FEN "{fen}"]\n\n*')).status == "clean"


def test_the_rules_say_at_a_position_what_is_wrong_with_it(tmp_path: Path) -> None:
    path = tmp_path / "game.pdn"
    path.write_text('[FEN "W:W:B12"]\n\n1. 12-16 *', "utf-8")
    [found] = pwtool.check(path).causes
    assert (found.line, found.column, found.turn) == (3, 4, 2)


@cache
def finished() -> tuple[list[str], int]:
    """A game that the rules end, and the seat that won."""
    for seed in range(100):
        record = played(seed)
        if len(record["result"]["ranking"]) == 2:
            return written(ways(record)), record["players"].index(record["result"]["ranking"][0][0])
    raise AssertionError("no game was won")


@pytest.mark.parametrize(("result", "first"), [("1-0", 0), ("2-0", 0), ("0-1", 1), ("0-2", 1)])
def test_the_winner_of_a_finished_game_is_compared_in_both_orders(result: str, first: int, tmp_path: Path) -> None:
    """Some write the points of the first side first, others White's; the other order is only a warning."""
    words, winner = finished()
    path = tmp_path / "game.pdn"
    path.write_text(as_pdn(words, result), "utf-8")
    verdict = pwtool.check(path)
    assert verdict.status == "clean"
    assert [f.code for f in verdict.findings] == ([] if winner == first else ["PW718"])


@pytest.mark.parametrize("result", ["1/2-1/2", "1-1"])
def test_a_finished_game_is_no_draw(result: str, tmp_path: Path) -> None:
    path = tmp_path / "game.pdn"
    path.write_text(as_pdn(finished()[0], result), "utf-8")
    assert [f.code for f in pwtool.check(path).causes] == ["PW608"]


@pytest.mark.parametrize("end", ["1-0", "* 1-0", "1-0 *", "1-0\n*\n", "2-0", "*", ""])
def test_a_game_that_the_players_stopped_has_their_result(end: str) -> None:
    record = read(f'[Termination "Time forfeit"]\n\n1. 11-15 23-19 {end}')
    expected = {"ranking": [["Black"], ["White"]], "stopped": "time"} if end.strip("*") else None
    assert record.get("result") == expected
    assert pwtool.load("checkers").check(record).status == "clean"


def test_a_game_that_both_lost_has_no_ranking() -> None:
    record = read("1. 11-15 23-19 0-0")
    assert record["result"] == {"stopped": "forfeit"}
    assert pwtool.load("checkers").check(record).status == "clean"


@pytest.mark.parametrize(
    ("word", "told"),
    [
        # A man does get from 9 to 14, but not over 13.
        ("9-13-14", [("step", 9, 13), ("step", 13, 14)]),
        ("9-14-18", [("step", 9, 14), ("step", 14, 18)]),
        ("9x18x22", [("jump", 9, 14), ("step", 18, 22)]),
    ],
)
def test_every_square_of_a_move_counts(word: str, told: list[tuple[str, int, int]]) -> None:
    record = read(as_pdn([word, "24-20"]))
    played = record["turns"][0]["actions"]
    assert read(PDN.write(record))["turns"] == record["turns"]
    assert [
        (move["action"], *(SQUARES[at[0], 7 - at[1]] for at in move.values() if isinstance(at, list)))
        for move in played
    ] == told
    assert [finding.turn for finding in pwtool.check(record).findings][:1] == [1]


def test_a_sign_that_is_not_true_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "game.pdn"
    path.write_text("1. 11x15 23-19 2. 8x11 *", "utf-8")
    verdict = pwtool.check(path)
    assert verdict.status == "clean"
    assert [(f.code, f.message, f.column) for f in verdict.findings] == [
        ("PW718", "`11x15` captures nothing", 4), ("PW718", "`8x11` captures nothing", 19),
    ]  # fmt: skip


@pytest.mark.parametrize("moves", ["11-15 22-18 2. 15x22 26x17 3. 6x22", "11-15 22-18 2. 15x22 25x9"])
def test_a_capture_that_captures_nothing_keeps_its_sign(moves: str, tmp_path: Path) -> None:
    """In findings and in what is written."""
    path, written = tmp_path / "game.pdn", tmp_path / "written.pdn"
    path.write_text(f"1. {moves} *", "utf-8")
    assert f"{moves.rsplit(maxsplit=1)[-1]}, turn " in pwtool.check(path).report()
    assert run(["convert", str(path), "-o", str(written)]) == 0
    assert moves in written.read_text("utf-8")


@pytest.mark.parametrize(
    ("address", "says"),
    [("chess", "a game of checkers"), ("checkers+flying_kings", "other jumps"), ("checkers+open_spiel", "")],
)
def test_another_ruleset_is_refused(address: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "game.pdn"
    path.write_text("1. 11-15 23-19 *", "utf-8")
    found = [finding.message for finding in pwtool.load(address).check(path).findings]
    assert (len(found), says in " ".join(found)) == (1 if says else 0, True)


HEAD, NEXT = '[Event "one"]\n[White "Ana"]\n\n', '[Event "two"]\n[White "Ben"]\n\n'
# What a file holds, and for each game in it its moves, or None if it is refused.
SPLIT: dict[str, tuple[str, list[int | None]]] = {
    "no tags behind a result": ("1. 11-15 23-19 1-0\n\n1. 9-14 *\n", [2, 1]),
    "the same in one line": ("1. 11-15 23-19 1-0 1. 9-14 *", [2, 1]),
    "no numbers behind a result": ("11-15 23-19 1-0 9-14 *", [2, 1]),
    "moves that look like results": ("1. 11-15 23-19 2. 1-5 2-6 3. 1-10 2-7 *", [6]),
    "no result": ("1. 11-15 23-19\n\n1. 9-14\n", [2, 1]),
    "no result before tags": (f"{HEAD}1. 11-15 23-19\n{NEXT}1. 9-14 *", [2, 1]),
    "tags alone": (f"{HEAD}{NEXT}1. 9-14 *", [0, 1]),
    "byte order mark": (f"\ufeff{HEAD}1. 11-15 *\n\n{NEXT}1. 9-14 *", [1, 1]),
    "CRLF": (f"{HEAD}1. 11-15 ; so\n23-19 *\n\n{NEXT}1. 9-14 *".replace("\n", "\r\n"), [2, 1]),
    "CR": (f"{HEAD}1. 11-15 ; so\n23-19 *\n\n{NEXT}1. 9-14 *".replace("\n", "\r"), [2, 1]),
    "tags in a comment": (f"{HEAD}1. 11-15 {{so\n\n{NEXT}}} 23-19 *\n\n{NEXT}1. 9-14 *", [2, 1]),
    "a comment that never ends": (f"{HEAD}1. 11-15 {{so 23-19 *\n\n{NEXT}1. 9-14 *", [None, 1]),
    "a side line that never ends": (f"{HEAD}1. 11-15 (1. 9-14 *\n\n{NEXT}1. 9-14 *", [None, 1]),
    "a result in a side line": ("1. 11-15 (1. 9-14 1-0) 23-19 1-0 {resigns} $1\n; so\n\n1. 9-14 *", [2, 1]),
    "stars between games": (f"{HEAD}1. 11-15 1-0\n*\n{NEXT}1. 9-14 0-1 *", [1, 1]),
    "results of both kinds": ("1. 11-15 2-0 1. 11-15 0-2 1. 11-15 1-1 1. 11-15 1/2-1/2 1. 11-15 0-0", [1] * 5),
    "an escaped line": ("% 1. 9-14 1-0\n1. 11-15\n%1. 9-14 1-0\n23-19 *", [2]),
    "words before the tags": (f"hello\n{HEAD}1. 11-15 *", [None, 1]),
    "a wrapped move number": ("1. 11-15 23-19 2.\n8-11 22-17 *", [4]),
}  # fmt: skip


@one_day_in(8)
@pytest.mark.parametrize("name", SPLIT)
def test_no_game_of_a_file_is_lost(name: str, tmp_path: Path) -> None:
    text, expected = SPLIT[name]
    found = []
    for _, game in games_in(text.encode(), PDN):
        result = import_game(SourceFile("game.pdn", game.decode("utf-8-sig")), "pdn")
        assert (result.value is None) == bool(result.diagnostics)
        found.append(None if result.value is None else len(result.value[0]["turns"]))  # type: ignore[arg-type]
    assert found == expected
    path = tmp_path / "games.pdn"
    path.write_bytes(text.encode())
    statuses = [v.status for v in pwtool.load("checkers").check_many(path)]
    assert [status != "unreadable" for status in statuses] == [moves is not None for moves in expected]


def test_games_are_the_same_however_much_is_read_at_once() -> None:
    data = "\n".join([CLUB, *(text for text, _ in SPLIT.values() if "\r" not in text), CLUB] * 5).encode()
    whole = games_in(data, PDN)
    assert len(whole) > 100
    for block in (1 << 12, 5000, 1 << 14):
        assert games_in(data, PDN, block) == whole


@pytest.mark.parametrize(
    ("begin", "form"),
    [
        ("1. 11-15 23-19", "pdn"), ('[Event "x"]\n[Result "1-0"]\n\n1. 11-15', "pdn"), ("{so} 1. 11-15", "pdn"),
        ('[Event "x"]\n[GameType "21"]\n\n*', "pdn"), ('[Event "x"]\n\n1. 12x19 *', "pdn"), ("1.11-15", "pdn"),
        ('[Event "x"]\n\n1. e4 e5', "pgn"), ("1. e4", "pgn"), ('[Event "x"]\n\n*', "pgn"), ("hello", None),
    ],
)  # fmt: skip
def test_a_file_is_recognised_by_its_first_move(begin: str, form: str | None) -> None:
    assert recognised(begin.encode()) == form


@one_day_in(8)
@pytest.mark.parametrize("texts", few_or_many(60, 3000))
def test_no_text_makes_the_reader_fail(texts: int) -> None:
    """Pieces of games in disorder: a record that can be read, or findings inside of the text."""
    records = []
    for seed in range(texts):
        rng = random.Random(seed)
        moves = ways(played(seed % 5))
        text = as_pdn(written(moves, short=seed % 2 == 0)[:50]) + CLUB
        for _ in range(rng.randrange(1, 6)):
            start, length, to = rng.randrange(len(text)), rng.choice([1, 3, 40]), rng.randrange(len(text))
            odd = rng.choice(
                ['"', "[", "{", "(?)", "1x10x17", "15x15", "0-0", "*", "/", "\x00", "99-1", "\u00b2", "1."]
            )
            piece = rng.choice([text[start : start + length], "", odd])
            text = text[:to] + piece + text[to + rng.choice([0, length]) :]
        games = games_in(text.encode(), PDN)
        # Blanks stand for the games before one in its line; with NULs, programs fill a file up.
        whole = text.encode().rstrip(b"\0")
        assert b"".join(game for _, game in games).replace(b" ", b"") == whole.replace(b" ", b"")
        for _, game in games:
            result = import_game(SourceFile("game.pdn", game.decode()), "pdn")
            assert (result.value is None) == bool(result.diagnostics)
            assert all(d.span is not None for d in result.diagnostics)
            records += [] if result.value is None else [result.value[0]]
    assert {verdict.status for verdict in pwtool.load("checkers").check_many(records)} <= {"clean", "findings"}


def test_a_finding_shows_kings_and_how_a_capture_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "game.pdn"
    path.write_text('[FEN "B:W19,11,K32:B8,7,K30"]\n\n1. 8x15 *\n', "utf-8")
    verdict = pwtool.check(path)
    [found] = verdict.causes
    lines = verdict.report().splitlines()
    assert found.rule == "turn.goes_on" and [line.split() for line in lines if line.startswith("  legal")] == [
        ["legal", "15x24"]
    ]
    assert sum(line.count("wK") + line.count("bK") for line in lines) == 2
