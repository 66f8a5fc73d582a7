"""Games in SGF: written by sgfmill from games at random, read, and clean."""

from __future__ import annotations

import json
import random
import re
from itertools import product
from pathlib import Path

import pytest

import pwtool
from pwtool.checking.documents import check_loaded, load_document
from pwtool.checking.report import FileResult
from pwtool.cli.app import run
from pwtool.records.importers.installed import import_game
from pwtool.records.importers.sgf import SGF
from pwtool.records.inputs import Text
from pwtool.records.ruleset_store import RulesetStore
from pwtool.rules.library import Library
from pwtool.text import Severity
from pwtool.text.source import SourceFile
from tests.classics.go_board import Game
from tests.daily import one_day_in
from tests.support import few_or_many, games_in

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
    result = import_game(SourceFile("game.sgf", text), "sgf")
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


@pytest.mark.parametrize("rules", ["Japanese", "Chinese", "AGA"])
@pytest.mark.parametrize(("komi", "is_given"), [("0.5", True), ("6.5", False), ("0", False), ("2", False)])
def test_the_komi_of_a_handicap_game_is_the_tie(rules: str, komi: str, is_given: bool) -> None:
    text = f"(;GM[1]SZ[9]RU[{rules}]HA[2]AB[cc][gg]KM[{komi}];W[dd];B[];W[])"
    found = problems(text, f"go/{rules.lower()}+handicap")
    assert [says.partition(":")[0] for says in found] == ([] if is_given else ["warning"]), found


BY_KO = {
    "Japanese": "simple",
    "Korean": "simple",
    "Chinese": "positional",
    "AGA": "situational",
    "NZ": "situational with suicide",
}


def damaged(rng: random.Random) -> tuple[str, int]:
    """A game of Go that ends with a move that is none, and the number of that move: on a stone, without a liberty, a ko."""
    rules, size = rng.choice([*BY_KO]), rng.choice([9, 9, 13, 19])
    game = Game(size, BY_KO[rules])
    game.play_at_random(rng, rng.randrange(20, 90))
    at, turns = None, [*range(1, len(game.moves) - 2)]
    rng.shuffle(turns)
    for turn in turns:
        before = Game(size, game.ko, game.boards[: turn + 1], game.moves[:turn])
        wrong = [cell for cell in product(range(size), repeat=2) if before.after(cell) is None]
        empty = [cell for cell in wrong if cell not in before.boards[-1]]
        # Most of them are stones: the others first.
        if empty or turn == turns[-1]:
            at = rng.choice(empty or wrong)
            break
    assert at is not None
    moves = [*game.moves[:turn], at]
    nodes = "".join(
        f";{'BW'[n % 2]}[{'' if m is None else chr(97 + m[0]) + chr(97 + m[1])}]" for n, m in enumerate(moves)
    )
    return f"(;GM[1]FF[4]SZ[{size}]RU[{rules}]{nodes})", turn + 1


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(10, 300))
def test_a_move_of_go_that_is_not_legal_is_refused_where_it_stands(games: int, tmp_path: Path) -> None:
    rng = random.Random(games)
    made = [damaged(rng) for _ in range(games)]
    (tmp_path / "games.sgf").write_text("\n".join(text for text, _ in made))
    verdicts = list(pwtool.check_many(tmp_path / "games.sgf"))
    assert len(verdicts) == games
    for verdict, (text, turn) in zip(verdicts, made, strict=True):
        assert (verdict.status, verdict.causes[0].turn) == ("findings", turn), text


@pytest.mark.parametrize("text", ["(;GM[1]SZ[9];W[ee];B[ef])", "(;GM[4]SZ[15];W[hh];B[hi])"])
def test_white_does_not_begin_unless_the_file_says_so(text: str) -> None:
    record = read(text)
    assert "start" not in record and pwtool.check(record).status == "findings"
    turn = read(text.replace("];W", "]PL[W];W", 1))
    assert turn["start"] and pwtool.check(turn).status == "clean"


def test_games_in_one_line_have_their_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two.sgf"
    path.write_text("(;GM[1]SZ[9];B[ee];W[dd])(;GM[1]SZ[9];B[ee];W[ee])\n(;GM[1]SZ[9];B[ee];W[ee])")
    assert run(["check", str(path), "--format", "concise"]) == 1
    said = capsys.readouterr().out
    assert "two.sgf:1:45: error" in said and "two.sgf:2:20: error" in said


SEVERAL = """(;GM[2]SZ[8]PB[Ana]PW[Ben]AW[dd][ee]AB[ed][de];B[d3];W[cc];B[cd](;W[ec])(;W[aa]))
(;FF[4]GM[1]SZ[9]C[a \\] in it];Black[ee];W[ef]C[close];B[];W[tt])
(;GM[1]SZ[19];B[ss])
(;GM[1]SZ[9];B[ee];W[ee])
"""


def test_several_games_of_one_file(tmp_path: Path) -> None:
    path = tmp_path / "several.sgf"
    path.write_text(SEVERAL, "utf-8")
    assert [line for line, _ in games_in(SEVERAL.encode(), SGF)] == [1, 2, 3, 4]
    first, second, third = (read(text.decode()) for _, text in games_in(SEVERAL.encode(), SGF)[:3])
    assert first["turns"][-1]["actions"] == [{"action": "lay", "at": [4, 2]}]
    assert [turn["actions"][0]["action"] for turn in second["turns"]] == ["place", "place", "pass", "pass"]
    assert second["turns"][1]["actions"][0]["comment"] == "close"
    # Go without a size is a game on nineteen lines.
    assert third["ruleset"] == read("(;GM[1];B[ss])")["ruleset"] == "go+nineteen"
    assert pwtool.check(f"{path}:3").clean
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
        ("(;SZ[9];B[e99])", "`e99` is not a cell of a board of 9 lines"),
        ("(;SZ[9];B[jj])", "`jj` is not a cell of a board of 9 lines"),
    ],
)
def test_what_cannot_be_read_is_told(text: str, says: str) -> None:
    result = import_game(SourceFile("game.sgf", text), "sgf")
    assert result.value is None
    assert [(d.code, says in d.message) for d in result.diagnostics] == [("PW704", True)]


def problems(text: str, address: str) -> list[str]:
    """What stands against judging a game by a ruleset."""
    path = "game.sgf"
    loaded = load_document(Text(path, path, text.encode(), form="sgf").document())
    if isinstance(loaded, FileResult):
        return [str(d.message) for d in loaded.diagnostics]
    found = check_loaded(loaded, RulesetStore(Library()), address, "en").diagnostics
    return [("warning: " if d.level is Severity.WARNING else "") + d.message for d in found]


@pytest.mark.parametrize(
    ("root", "address", "says"),
    [
        ("GM[1]SZ[19]", "go", "a board of 19 lines"),
        ("GM[1]", "go", "a board of 19 lines"),
        ("GM[1]SZ[15]", "gomoku", "a game of go, and the ruleset is called otherwise"),
        ("GM[4]SZ[9]", "go", "a game of gomoku"),
        ("GM[4]SZ[19]", "gomoku", "a board of 19 lines"),
        ("GM[2]SZ[8]", "chess", "a game of othello"),
        ("GM[1]SZ[9]RU[Japanese]", "go", "the rules `Japanese`"),
        ("GM[1]SZ[9]RU[Tromp-Taylor]", "go", ""),
        ("GM[1]SZ[9]RU[tromp]", "go", ""),
        ("GM[1]SZ[9]RU[Go]", "go", ""),
        ("GM[1]SZ[9]RU[ ]", "go", ""),
        ("GM[1]SZ[9]RU[of]", "go", "the rules `of`"),
        ("GM[1]SZ[9]RU[by]", "go", "the rules `by`"),
        ("GM[1]SZ[9]RU[-]", "go", "the rules `-`"),
        ("GM[1]SZ[9]HA[2]", "go", "the handicap is 2, but 0 stones are set up"),
        ("GM[1]SZ[9]HA[2]AB[cc]", "go", "the handicap is 2, but 1 stones are set up"),
        ("GM[1]SZ[9]HA[2]AB[cc][gg][ee]AW[dd]", "go", ""),
        ("GM[4]SZ[15]HA[2]AB[cc]AW[dd]", "gomoku", "the handicap is 2"),
        ("GM[1]SZ[9]HA[1]", "go", ""),
        ("GM[1]SZ[9]HA[0]PL[B]", "go", ""),
        ("GM[1]SZ[9]PL[W]", "go", "it is the turn of White, not of Black"),
        ("GM[1]SZ[9]KM[7.5]", "go", ""),
        ("GM[1]SZ[9]KM[7.50]", "go", ""),
        ("GM[1]SZ[9]KM[7]", "go", "warning: the game is scored with a komi of 7"),
        ("GM[1]SZ[19]RU[Japanese]KM[6.5]", "go/japanese+nineteen", ""),
        ("GM[1]SZ[19]RU[Japanese]KM[6]", "go/japanese+nineteen", "warning: the game is scored with a komi of 6"),
        ("GM[1]SZ[13]RU[Chinese]KM[7.5]", "go/chinese+thirteen", ""),
        ("GM[1]SZ[19]RU[AGA]KM[7.5]", "go/aga+nineteen", ""),
        ("GM[1]SZ[19]RU[New Zealand]KM[7]", "go/new_zealand+nineteen", ""),
        ("GM[1]SZ[9]RU[nz]KM[7]", "go/new_zealand", ""),
        ("GM[1]SZ[9]RU[NZ]KM[7.5]", "go/new_zealand", "warning: the game is scored with a komi of 7.5"),
        ("GM[1]SZ[9]RU[Korean]KM[6.5]", "go/japanese", ""),
        ("GM[1]SZ[9]RU[JP]KM[6.5]", "go/japanese", ""),
        ("GM[1]SZ[9]RU[Japanese rules]KM[6.5]", "go/japanese", ""),
        ("GM[1]SZ[9]RU[chinese,  Pair Go]KM[7.5]", "go/chinese", ""),
        ("GM[1]SZ[9]RU[New  Zealand (2 h)]KM[7]", "go/new_zealand", ""),
        ("GM[1]SZ[9]RU[New]", "go/japanese", "the rules `New`"),
        ("GM[1]SZ[9]RU[Old Chinese]", "go/chinese", "the rules `Old Chinese`"),
        ("GM[1]SZ[9]RU[GOE]", "go", "the rules `GOE`"),
        ("GM[1]SZ[9]KM[6.5]", "go", "warning: the game is scored with a komi of 6.5"),
        ("GM[1]SZ[9]KM[often]", "go", "warning: the game is scored with a komi of often"),
        ("GM[1]SZ[9][19]", "go", "`SZ` has several values"),
        ("GM[1]GM[1]SZ[9]SZ[9]", "go", ""),
        ("GM[1]SZ[9:7]", "go", "not an SGF"),
        ("GM[1]SZ[9]AB[ee]", "go", ""),
        ("GM[1]SZ[9]AB[ee][zz]", "go", "`zz` is not a cell"),
        ("GM[1]SZ[9]AB[aa:cc]AW[dd][ff]", "go", ""),
        ("GM[1]SZ[9]AE[ee]", "go", ""),
    ],
)
def test_what_a_file_states_is_honoured_or_refused(root: str, address: str, says: str) -> None:
    found = problems(f"(;{root};B[];W[])", address)
    assert (len(found), says in " ".join(found)) == (1 if says else 0, True)


@pytest.mark.parametrize(
    ("rules", "address"),
    [("Korean", "go/japanese"), ("KR", "go/japanese"), ("AGA rules", "go/aga"), ("Chinese, Pair Go", "go/chinese")],
)
def test_rules_have_several_names(rules: str, address: str, tmp_path: Path) -> None:
    """Both readers choose the same ruleset: the plain one, and that of games with more in them."""
    for end in ("", "(;B[aa])(;B[bb])"):
        (tmp_path / "game.sgf").write_text(f"(;GM[1]SZ[9]RU[{rules}];B[ee];W[ef]{end})")
        assert run(["convert", str(tmp_path / "game.sgf"), "-o", str(tmp_path / "game.json"), "--force"]) == 0
        assert json.loads((tmp_path / "game.json").read_text())["ruleset"] == address
        assert pwtool.check(tmp_path / "game.sgf").ruleset == address


def test_rules_that_are_not_known_are_told_with_those_that_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "game.sgf").write_text("(;GM[1]SZ[9]RU[GOE];B[ee])")
    assert run(["check", str(tmp_path / "game.sgf")]) == 2
    said = capsys.readouterr().out
    assert "`Korean`" in said and "an edition of your own that has a source of that name" in said


@pytest.mark.parametrize("games", few_or_many(10, 300))
def test_othello_may_leave_out_passes(games: int) -> None:
    rules, passed = pwtool.load("othello"), 0
    for seed in range(games):
        record = rules.play(2, seed=seed)
        turns = [turn["actions"] for turn in record["turns"]]
        text = re.sub(r";[BW]\[(tt)?\]", "", as_sgf(record, 2, 8))
        again = read(text)["turns"]
        assert isinstance(again, list)
        # A pass behind the last disc cannot be seen.
        while turns[-1][0]["action"] == "pass":
            turns.pop()
        assert [turn["actions"] for turn in again] == turns
        passed += any(actions[0]["action"] == "pass" for actions in turns)
    assert passed


def test_a_pass_that_was_not_forced_is_refused() -> None:
    verdict = pwtool.load("othello").check(read("(;GM[2];B[dc];B[cd])"))
    assert [(found.turn, found.rule) for found in verdict.causes] == [(2, "pass.stuck")]


@one_day_in(8)
@pytest.mark.parametrize("winner", ["B", "W", "0", "?"])
@pytest.mark.parametrize(("name", "number", "size"), GAMES[1:])
def test_a_winner_has_to_be_that_of_the_rules(name: str, number: int, size: int, winner: str) -> None:
    rules = pwtool.load(name)
    record = rules.play(2, seed=3)
    ranking = record["result"]["ranking"]
    right = "0" if len(ranking) == 1 else "BW"[record["players"].index(ranking[0][0])]
    scores = record["result"]["scores"].values()
    told = f"RE[{winner}+{max(scores) - min(scores)}]" if winner in "BW" else f"RE[{winner}]"
    for text, over in ((as_sgf(record, number, size), True), ("(;GM[2];B[dc])", False)):
        verdict = pwtool.check(read(text.replace("GM[", f"{told}GM[", 1)))
        assert verdict.status == ("clean" if not over or winner in (right, "?") else "findings")
        assert {found.code for found in verdict.causes} <= {"PW608"}


def test_what_a_record_has_no_place_for_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[2]SZ[8]C[hi];B[dc]N[x]TE[1]C[y];C[only](;W[cc])(;W[ec]))", "utf-8")
    assert run(["convert", str(path), "--to", "json", "-o", "-"]) == 0
    assert capsys.readouterr().err.endswith("`(…)` (1), `C` (1), `N` (1), `TE` (1)\n")


@pytest.mark.parametrize(
    ("root", "rules", "says"),
    [
        ("RE[B+73.5]", "go", ""), ("RE[B+74]", "go", "`B+73.5`"), ("RE[W+73.5]", "go", "`B+73.5`"),
        ("RE[B+]", "go", ""), ("RE[W+]", "go", "`B+73.5`"), ("RE[0]", "go", "`B+73.5`"), ("RE[Draw]", "go", "`B+73.5`"),
        ("RE[B+R]", "go", ""), ("RE[W+Resign]", "go", ""), ("RE[W+T]", "go", ""), ("RE[?]", "go", ""), ("RE[Void]", "go", ""),
        ("KM[7.5]RE[B+73.5]", "go", ""), ("KM[0]RE[B+81]", "go", ""), ("KM[81]RE[0]", "go", ""), ("KM[90.5]RE[W+9.5]", "go", ""),
        ("KM[0]RE[B+73.5]", "go", "`B+81`"), ("KM[?]RE[B+73.5]", "go", ""), ("RE[B+74.50]", "go/japanese", "`B+73.5`"),
        ("RE[B+73.5]", "go/japanese", ""), ("RE[W+1]", "go+agreed", ""),
    ],
)  # fmt: skip
def test_a_margin_is_compared_with_the_board_and_left_open(root: str, rules: str, says: str, tmp_path: Path) -> None:
    """Black has the whole board, in Japan but for the cell of the stone; the game with dead stones to give up goes on."""
    path = tmp_path / "game.sgf"
    path.write_text(f"(;GM[1]SZ[9]{root};B[ee];W[];B[])")
    verdict = pwtool.load(rules).check(path)
    assert verdict.status == ("undetermined" if says else "clean")
    found = [f for f in verdict.findings if f.level != "warning"]
    assert [f.code for f in found] == (["PW620"] if says else [])
    assert all(f"gives {says}:" in f.message and f.column == 13 + root.index("RE") for f in found)


@pytest.mark.parametrize("games", few_or_many(30, 300))
def test_kernels_and_the_engine_compare_margins(games: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, texts, right = pwtool.load("go"), list[str](), 0
    for seed in range(games):
        record = rules.play(2, seed=seed)
        black, white = (record["result"]["scores"][name] for name in record["players"])
        margin = black - white - 0.5 + (seed % 3 == 2)
        right += seed % 3 != 2
        result = f"RE[{'B' if margin > 0 else 'W'}+{abs(margin):g}]"
        texts.append(as_sgf(record, 1, 9).replace("GM[", f"{result}GM[", 1).replace("\n", ""))
    path = tmp_path / "games.sgf"
    path.write_text("\n".join(texts))
    said = []
    for how in ((), ("--no-kernel",), ("--allow-undetermined",)):
        assert run(["check", str(path), "--format", "json", "--jobs", "1", *how]) == (0 if "--allow" in str(how) else 3)
        data = json.loads(capsys.readouterr().out)
        said.append((data["counts"], data["files"]))
        assert (data["counts"]["clean"], data["counts"]["undetermined"]) == (right, games - right)
    assert said[0] == said[1]


def test_komi_does_not_matter_where_nothing_is_scored() -> None:
    assert problems("(;GM[1]SZ[9]KM[6.5];B[ee])", "go") == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hello (;GM[1]SZ[9];B[ee])", "warning: this text is outside of the game"),
        ("(;GM[1]SZ[9];B[ee]) ;W[ef])", "warning: this text is outside of the game"),
        ("(;GM[1]SZ[9];B[ee][ef])", "`B` has several values"),
        ("(;GM[1]SZ[9];B[ee]\n(;GM[1]SZ[9];B[ff]))", "another game begins here"),
        ("(;GM[1]SZ[9];B[ee];AW[ff])", "stones are set up"),
        ("(;GM[1]SZ[9];B[EE])", "`EE` is not a cell"),
        ("(;GM[1]SZ[9];B[ee]", "not an SGF"),
        ("(;GM[1]SZ[9]AB[cc][dd]AW[dd];B[ee])", "`dd` is set up by `AB` and by `AW`"),
        ("(;GM[1]SZ[9]AB[aa:cc]AE[bb];B[ee])", "`bb` is set up by `AB` and by `AE`"),
        ("(;GM[1]SZ[9]AB[aa:bb][cc][bb]PL[B];B[ee])", "warning: `bb` is listed twice in `AB`, and counts once"),
        ("(;GM[1]SZ[9]AB[aa]AW[ba][ab]PL[B];B[ee])", "broken: Every stone has a liberty"),
        ("(;GM[1]SZ[9]AB[aa][ba]AW[ca][bb][ab];W[ee])", "broken: Every stone has a liberty"),
    ],
)
def test_nothing_of_a_file_is_left_out(text: str, says: str) -> None:
    [found] = problems(text, "go")
    assert says in found


AROUND = """From the club (a) to all [see below]; :-)

(;GM[1]SZ[9];B[ee];W[dd]) and (b) the second
 [one](;GM[1]SZ[9];B[ee];W[ee])
(;GM[1]SZ[9];B[ee]))
\x1a
"""


def test_games_between_texts_are_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is left out is said where it stands, and counted."""
    path = tmp_path / "club.sgf"
    path.write_text(AROUND, "utf-8")
    assert run(["check", str(path), "--format", "concise"]) == 1
    said = capsys.readouterr().out
    told = [line.partition("warning")[0] for line in said.splitlines() if "outside of the game" in line]
    assert told == [f"{path}:{place}: " for place in ("1:1", "3:27", "5:20")]
    assert f"{path}:4:26: error" in said
    assert run(["convert", str(path), "-o", str(tmp_path / "club.jsonl")]) == 0
    assert "`…` (3)" in capsys.readouterr().err
    for block in (30, 60, 1000):
        assert [line for line, _ in games_in(AROUND.encode(), SGF, block)] == [1, 4, 5]


def test_marks_and_lists_that_a_record_has_no_place_for_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first value of a property of the first node is kept, every other property counts once."""
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[1]SZ[9]LB[aa:A][bb:B][cc:C]TB[dd];B[ee]TB[aa][bb]TW[cc];W[ef]TW[aa:cc])")
    assert run(["convert", str(path), "-o", str(tmp_path / "game.json")]) == 0
    assert capsys.readouterr().err.endswith("no place for it: `LB` (2), `TB` (1), `TW` (2)\n")


@pytest.mark.parametrize(
    ("text", "start", "status"),
    [
        ("(;GM[1]SZ[9];AB[cc][gg];W[dd])", None, "clean"),
        ("(;GM[1]SZ[9]HA[2];AB[cc][gg]C[so];W[dd])", None, "clean"),
        ("(;GM[1]SZ[9];HA[2];AB[cc][gg];W[dd])", None, "clean"),
        ("(;GM[1]SZ[9];AB[cc][gg];B[dd])", "Black", "clean"),
        ("(;GM[1]SZ[9];AB[cc];AW[dd];AE[cc]PL[W];W[ee])", "White", "clean"),
        ("(;GM[1]SZ[9];AB[cc];AE[cc];W[ee])", None, "findings"),
        ("(;GM[1]SZ[9];PL[W];W[ee])", "White", "clean"),
        ("(;GM[2];AB[ed][de];AW[dd][ee];B[dc])", None, "clean"),
    ],
)
def test_stones_may_be_set_up_before_the_first_move(text: str, start: str | None, status: str) -> None:
    record = read(text)
    assert record.get("start", {}).get("player") == start
    assert pwtool.check(record).status == status


def test_passes_behind_the_end_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[1]SZ[9]RE[B+73.5];B[ee];W[];B[tt]C[so];W[tt];B[]C[so])")
    assert run(["check", str(path)]) == 0
    capsys.readouterr()
    assert run(["convert", str(path), "--to", "json", "-o", "-"]) == 0
    printed = capsys.readouterr()
    assert "`C` (1), `RE` (1), `pass` (2)" in printed.err and len(json.loads(printed.out)["turns"]) == 3
    # Whoever plays on after two passes does so against the rules.
    assert pwtool.check(read("(;GM[1]SZ[9];B[ee];W[];B[];W[dd];B[];W[];B[])")).causes[0].turn == 4


def test_who_is_to_move_within_a_game_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[1]SZ[9];B[ee];PL[W];W[dd];PL[W]C[so])")
    assert run(["check", str(path)]) == 0
    capsys.readouterr()
    assert run(["convert", str(path), "--to", "json", "-o", "-"]) == 0
    assert "`C` (1), `PL` (2)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("(;GM[1]SZ[9];B[ee];AW[ff])", "AW"), ("(;GM[1]SZ[9];B[ee];AE[ee])", "AE"),
        ("(;GM[1]SZ[9];B[ee]AB[ff])", "AB"), ("(;GM[1]SZ[9]HA[3]AB[cc])", "HA"),
        ("(;GM[1]SZ[9];HA[3];AB[cc])", "HA"), ("(;GM[1]SZ[9];AB[cc];AW[zz])", "AW"),
        ("(;GM[1]SZ[9];B[ee];HA[2])", "HA"), ("(;GM[1]SZ[9];GM[1])", "GM[1])"), ("(;FF[4]GM[8])", "GM"),
        ("(;GM[1]SZ[9];HA[2][3])", "HA"), ("(;GM[1]SZ[9]KM[1][2])", "KM"),
    ],
)  # fmt: skip
def test_a_finding_points_at_the_property(text: str, place: str) -> None:
    [found] = import_game(SourceFile("game.sgf", text), "sgf").diagnostics
    assert found.span is not None and text[found.span.start :].startswith(place), found


def test_side_lines_are_counted() -> None:
    text = "(;GM[1]SZ[9];B[ee](;W[ef](;B[aa])(;B[bb]))(;W[ff](;B[gg])(;B[hh])))"
    loaded = load_document(Text("a.sgf", "a.sgf", text.encode(), form="sgf").document())
    assert not isinstance(loaded, FileResult) and loaded.side_lines == 4 and len(loaded.data["turns"]) == 3


def test_a_ruleset_of_the_same_board_and_rules_judges(tmp_path: Path) -> None:
    rules = (Library().folder / "classics" / "go" / "game.rules").read_text("utf-8")
    small = rules.replace('grid 9x9 of stone named "A9".."J1"', "grid 5x5 of stone").replace(
        "{ 81 B  81 W }", "{ 25 B  25 W }"
    )
    small = small.replace('source tromp "', 'source nihon "Japanese rules"\nsource tromp "').partition(
        "# ---- examples"
    )[0]
    path = tmp_path / "small.rules"
    path.write_text(small, "utf-8")
    assert problems("(;GM[1]SZ[5]RU[Japanese]KM[7.5];B[aa];W[];B[])", str(path)) == []
    assert len(problems("(;GM[1]SZ[13]RU[Chinese]KM[6.5];B[];W[])", str(path))) == 3


def test_if_no_ruleset_can_read_a_game_the_one_that_gets_furthest_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "large.sgf"
    path.write_text("(;GM[1]FF[4]SZ[21];B[aa];W[bb])", "utf-8")
    assert run(["which", str(path)]) == 2
    assert "a board of 21 lines" in capsys.readouterr().out


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(10, 300))
@pytest.mark.parametrize(("name", "number", "size"), GAMES)
def test_a_game_may_begin_from_a_position(name: str, number: int, size: int, games: int) -> None:
    """The rest of a random game with the stones that lay there before, as sgfmill writes them."""
    rules, tried = pwtool.load(name), 0
    for seed in range(games):
        record = rules.play(2, seed=seed)
        at = len(record["turns"]) // 2
        game = sgf.Sgf_game(size)
        root = game.get_root()
        root.set("GM", number)
        board: dict[str, list[tuple[int, int]]] = {"B": [], "W": []}
        for x, y, pile in rules.replay(record).at(at + 1).state()["zones"]["board"]:
            board[pile[0]].append((size - 1 - y, x))
        if not (board["B"] and board["W"]):
            continue
        root.set_setup_stones(board["B"], board["W"])
        root.set("PL", "bw"[record["players"].index(record["turns"][at]["player"])])
        for turn in record["turns"][at:]:
            cell = turn["actions"][0].get("at")
            color = "bw"[record["players"].index(turn["player"])]
            game.extend_main_sequence().set_move(color, None if cell is None else (size - 1 - cell[1], cell[0]))
        again = read(game.serialise().decode())
        assert [t["actions"] for t in again["turns"]] == [t["actions"] for t in record["turns"][at:]]
        verdict = rules.check(again)
        assert verdict.status == "clean", verdict.findings
        tried += 1
    assert tried > games // 3


# ---- marked territory


def counted(size: int, black: set[tuple[int, int]], white: set[tuple[int, int]]) -> tuple[int, int, int, int]:
    """Stones of both, and the empty cells that only Black's and only White's stones reach."""
    reached = {"B": 0, "W": 0}
    left = {(x, y) for x in range(size) for y in range(size)} - black - white
    while left:
        area, border, pending = set(), set(), [left.pop()]
        while pending:
            x, y = pending.pop()
            area.add((x, y))
            for near in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                border |= {"B"} & {"B" if near in black else ""} | {"W"} & {"W" if near in white else ""}
                if near in left:
                    left.discard(near)
                    pending.append(near)
        if len(border) == 1:
            reached[border.pop()] += len(area)
    return len(black), len(white), reached["B"], reached["W"]


@one_day_in(8)
@pytest.mark.parametrize("games", few_or_many(12, 400))
def test_stones_in_marked_territory_are_dead(games: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two walls, with stones of the other color behind them: what is left is counted here, by area and by territory."""
    size, rng = 9, random.Random(4)
    for number in range(games):
        middle = rng.randrange(2, 6)
        black, white = {(middle, y) for y in range(size)}, {(middle + 1, y) for y in range(size)}
        behind = [(x, y) for x in range(size) for y in range(size) if x not in (middle, middle + 1)]
        # Not next to each other, so that nothing is taken.
        spots = rng.sample([(x, y) for x, y in behind if x % 2 == y % 2 == 0], 4)
        dead = {"W": {cell for cell in spots if cell[0] < middle}, "B": {cell for cell in spots if cell[0] > middle}}
        moves = {"B": [*black, *dead["B"]], "W": [*white, *dead["W"]]}
        text, turn = "", "B"
        while moves["B"] or moves["W"]:
            x, y = moves[turn].pop() if moves[turn] else (-1, -1)
            text += f";{turn}[{'' if x < 0 else chr(97 + x) + chr(97 + y)}]"
            turn = "W" if turn == "B" else "B"
        if text.endswith("[]"):
            continue
        stones = counted(size, black, white)
        japanese = number % 2 == 1
        margin = (
            stones[2] + len(dead["W"]) - stones[3] - len(dead["B"]) - 6.5
            if japanese
            else stones[0] + stones[2] - stones[1] - stones[3] - 7.5
        )
        marks = "".join(
            f"T{color}{''.join(f'[{chr(97 + x)}{chr(97 + y)}]' for x, y in behind if (x < middle) == (color == 'B'))}"
            for color in "BW"
        )
        rules = "RU[Japanese]" if japanese else ""
        for told, code in ((margin, 0), (margin + 1, 3)):
            result = f"RE[{'B' if told > 0 else 'W'}+{abs(told):g}]" if told else "RE[0]"
            game = f"(;GM[1]SZ[9]{rules}{result}{text};{turn}[];{'BW'[turn == 'B']}[]{marks})"
            path = tmp_path / "game.sgf"
            path.write_text(game)
            assert run(["check", str(path), "--format", "concise"]) == code, game
            assert ("marked as dead" in capsys.readouterr().out) == (code == 3)
            path.write_text(game.replace(marks, ""))
            plain = run(["check", str(path), "-q"])
            assert capsys.readouterr().out.count("which stones are dead") == (plain == 3)
            # In the middle of the game, they say nothing of its end.
            path.write_text(game.replace(marks, "").replace(f"{text[:6]};", f"{text[:6]}{marks};", 1))
            assert run(["check", str(path), "-q"]) == plain and "marked as dead" not in capsys.readouterr().out
