"""As many games come out of a command as went in: each is judged, or reported as not judged, whatever holds it.

A writer at random makes folders with files of every format, and knows how many games it wrote. python-chess and sgfmill
count the games of the texts once more.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import random
import re
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pwtool
from pwtool.cli.app import run
from pwtool.records import file_contents
from pwtool.records.file_contents import is_foreign
from pwtool.records.importers import pdn, pgn, sgf
from pwtool.records.importers.tagged_files import TaggedFormat
from tests.classics import test_wthor as wthor
from tests.daily import one_day_in
from tests.support import few_or_many, games_in

chess_pgn = pytest.importorskip("chess.pgn")
sgf_grammar = pytest.importorskip("sgfmill.sgf_grammar")
zstandard = pytest.importorskip("zstandard")
pyarrow = pytest.importorskip("pyarrow")

PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes, ".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstandard.ZstdCompressor().compress,
}  # fmt: skip
TURNS = [{"player": "Ana", "actions": [{"action": "lay", "at": [1, 1]}]}]
RECORD = {"format": "pwtool/1", "ruleset": "tic_tac_toe", "players": ["Ana", "Ben"], "setup": {}, "turns": TURNS}
GOOD = json.dumps(RECORD).encode()
REFUSED = json.dumps({**RECORD, "turns": [*TURNS, {"player": "Ben", "actions": TURNS[0]["actions"]}]}).encode()
UNREAD = [
    b"garbage", b'{"format": "pwtool/1", "ruleset": "tic_tac_toe"}', "{}".encode("utf-16"), b"\xff", b"\0", GOOD + b" {}",
    GOOD + GOOD, b'{"format"', GOOD[:-1],
]  # fmt: skip
WHOLE = [*UNREAD, b"", b"[" + GOOD + b",\n" + GOOD + b"]", GOOD + b"\n" + GOOD]
FOREIGN = [
    b'{"name": "x", "scripts": {"format": "y", "setup": "z"}}', b'// so\n{"compilerOptions": {"strict": true,},}',
    b'[{"id": 1}]', b'\xef\xbb\xbf{"a": {"turns": 3}}', b'{"files": ["turns"]}', b'{"format": "y"}',
    b"{}", b"\n{ }\n", b"[]", b"[1, 2]", b'["turns"]',
]  # fmt: skip
TAGS = '[Event "{"]\n[White "Ana"]\n\n'
PGN = [
    ("1. e4 e5 {1-0 [Event] (} 2. Nf3 *", True), ("1. e4 (1. d4 1-0 (1. c4)) 1... e5\n\n2. Nf3 1/2-1/2 {so}", True),
    ("1. Ke2 *", False), ("1. e4 Qh4 0-1", False), ("1. e4 xx *", False), ("1. e4 3. d4 *", False),
    ("; 1-0\n1. e2e4\n% 1-0\nc7c5 1-0", True), ("1. e4 {so *", False),
]  # fmt: skip
SGF = [
    ("(;GM[1]SZ[9];B[ee](;W[ef])(;W[aa]))", True), ("(;GM[1]SZ[9]C[(;\\]];B[])", True), ("(;GM[2];B[dc])", True),
    ("(;GM[1]SZ[9];B[ee];W[ee])", False), ("(;GM[1]SZ[9]HA[2];B[ee])", False), ("(;GM[9])", False),
]  # fmt: skip
PDN = [
    ("1. 11-15 22-18 (22-17 [1-0]) 2. 15x22 {*} 25x18 1-0", True), ("11-15; 1-0\n22-17 *", True), ("1. 11-20 *", False),
    ("1. 11-15 22-18 2. 9-14 1/2-1/2", False), ("1. 11-15 3. 9-14 *", False), ("1. 11-15 xx *", False),
]  # fmt: skip
WTHOR = [([(3, 2), (2, 2)], True), ([], True), ([(0, 0)], False), ([(3, 2), (7, 7), (2, 2)], False)]


@dataclass(frozen=True)
class Held:
    """A file: its name, its bytes, the games in it (True: clean), and how many files of it are read or left out."""

    name: str
    data: bytes
    games: tuple[bool, ...]
    left_out: int = 0
    read: int = 1


@cache
def notation() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.json"
        path.write_bytes(GOOD)
        assert run(["convert", str(path), "-o", str(path.with_suffix(".pwn")), "--quiet"]) == 0
        return path.with_suffix(".pwn").read_bytes()


def table(texts: list[bytes | None], suffix: str) -> bytes:
    from pyarrow import feather, parquet

    into, made = io.BytesIO(), pyarrow.table({"record": pyarrow.array(texts, pyarrow.binary())})
    parquet.write_table(made, into) if suffix == ".parquet" else feather.write_feather(made, into)
    return into.getvalue()


def some(rng: random.Random, most: int = 4) -> range:
    return range(rng.randint(1, most))


def a_file(rng: random.Random, name: str) -> Held:
    """A file of records in any format, perhaps compressed."""
    forms = ["json", "jsonl", "ndjson", "pgn", "sgf", "pdn", "wtb", "pwn", "parquet", "feather"]
    form, pack = rng.choice(forms), rng.choice([*PACK])
    if form == "json":
        data, *games = rng.choice([(GOOD, True), (REFUSED, False), *((text, False) for text in WHOLE)])
    elif form in ("jsonl", "ndjson", "parquet", "feather"):
        lines = [
            rng.choice([(GOOD, True), (GOOD, True), (REFUSED, False), (rng.choice(UNREAD), False)]) for _ in some(rng)
        ]
        games = [clean for _, clean in lines]
        if form in ("parquet", "feather"):
            return Held(f"{name}.{form}", table([text for text, _ in lines], f".{form}"), tuple(games))
        data = b"\n".join(text + rng.choice([b"", b"\n", b"\r"]) for text, _ in lines) + rng.choice([b"", b"\n"])
        data = (b"\xef\xbb\xbf" if lines[0][0] == GOOD and rng.random() < 0.2 else b"") + data
    elif form == "pgn":
        data, games = texts_of(rng, PGN)
        data = rng.choice([b"", b"\xef\xbb\xbf"]) + data
    elif form == "pdn":
        data, games = texts_of(rng, PDN)
    elif form == "wtb":
        data, games = an_othello_file(rng)
    elif form == "sgf":
        parts = [rng.choice(SGF) for _ in some(rng)]
        data, games = "\n".join(text for text, _ in parts).encode(), [clean for _, clean in parts]
    else:
        data, games = notation(), [True]
    return Held(f"{name}.{form}{pack}", PACK[pack](data), tuple(games))


def an_othello_file(rng: random.Random) -> tuple[bytes, list[bool]]:
    """What is wrong with a whole file is told beside its games."""
    parts = [rng.choice(WTHOR) for _ in some(rng)]
    games, told = [clean for _, clean in parts], len(parts)
    records = b"".join(wthor.as_bytes(moves, 32) for moves, _ in parts)
    match rng.randrange(6):
        case 0:
            told, games = told + rng.choice([-1, 1, 1000]), [*games, False]
        case 2:
            return wthor.as_file([records], told, *rng.choice([(10, 0), (8, 1), (10, 1)])), [False] * len(games)
        case 3:
            return b"\xff" + wthor.as_file([records], told, 255, 255)[1:], [False]
        case 1:
            records, games = records[: -rng.randint(1, 67)], [*games[:-1], False]
    return wthor.as_file([records], told), games


def texts_of(rng: random.Random, kinds: list[tuple[str, bool]]) -> tuple[bytes, list[bool]]:
    """A PGN file; behind a comment that never ends, only tags after a blank line can begin a game."""
    text, games = "", []
    for _ in some(rng):
        moves, clean = rng.choice(kinds)
        tags = rng.choice(["", TAGS]) if not text.endswith("{so *\n\n") else TAGS
        text += tags + moves + ("\n\n" if "{so *" in moves else rng.choice(["\n\n", "\n\n\n", " \n"]))
        games.append(clean)
    return text.replace("\n", rng.choice(["\n", "\n", "\r\n"])).encode(), games


def a_container(rng: random.Random, name: str, deep: bool = True) -> Held:
    """An archive of files, in which some are records, some are not, and some are archives themselves."""
    members = [
        rng.choice([a_file, a_file, an_unknown])(rng, f"{rng.choice(['', 'a/', 'b.json/', '.'])}{n}") for n in some(rng)
    ]
    if deep and rng.random() < 0.3:
        inner = a_container(rng, "inner", deep=False)
        members.append(Held(inner.name, inner.data, (False,)))
    games = tuple(clean for member in members for clean in member.games)
    left_out = sum(member.left_out for member in members) if games else 0
    read = sum(member.read for member in members) if games else 1
    suffix, into = rng.choice([".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.zst"]), io.BytesIO()
    if suffix == ".zip":
        with zipfile.ZipFile(into, "w", rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive:
            archive.mkdir("empty.json") if hasattr(archive, "mkdir") else archive.writestr("empty.json/", b"")
            for member in members:
                archive.writestr(member.name, member.data)
    else:
        with tarfile.open(fileobj=into, mode="w") as tar:
            for member in members:
                info = tarfile.TarInfo(member.name)
                info.size = len(member.data)
                tar.addfile(info, io.BytesIO(member.data))
    data = (
        PACK[suffix.replace("tgz", "gz").replace(".tar", "")](into.getvalue()) if suffix != ".zip" else into.getvalue()
    )
    return Held(f"{name}{suffix}", data, games or (False,), left_out, read)


def an_unknown(rng: random.Random, name: str) -> Held:
    """A file that is not read, or not opened."""
    if rng.random() < 0.3:
        return Held(f"{name}.json.bz2", b"BZh", (False,))
    return Held(f"{name}{rng.choice(['', '.txt', '.md', '.csv'])}", GOOD, (), 1, 0)


def a_setting(rng: random.Random, name: str) -> Held:
    """JSON of another kind, which is only read if somebody says that it has some format."""
    data = rng.choice(FOREIGN)
    return (
        Held(f"{name}.json", data, (), 1, 0)
        if rng.random() < 0.7
        else Held(f"{name}.json.gz", gzip.compress(data), (), 1, 0)
    )


def fill(folder: Path, rng: random.Random) -> tuple[list[bool], int, int, int]:
    """Write files into a folder; the games in it, how many files are left out and how many read, and how many of the former
    are JSON.
    """
    games: list[bool] = []
    left_out, read, foreign = 0, 1, 0
    for number in range(rng.randint(1, 6)):
        kind = rng.choice([a_file, a_file, a_container, an_unknown, a_setting])
        held = kind(rng, f"{number}")
        foreign += kind is a_setting
        path = folder / rng.choice(["", "sub", "x.json", ".hidden"]) / held.name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(held.data)
        games += held.games
        left_out += held.left_out
        read += held.read
    (folder / "last.json").write_bytes(GOOD)
    return [*games, True], left_out, read, foreign


def called(*arguments: str) -> tuple[int, str, str]:
    """The exit code of a command and what it says."""
    out, err = io.BytesIO(), io.StringIO()
    stdout = io.TextIOWrapper(out, "utf-8", write_through=True)
    with mock.patch("sys.stdout", stdout), mock.patch("sys.stderr", err):
        code = run([*arguments])
        stdout.flush()
        return code, out.getvalue().decode(), err.getvalue()


def left_out_in(text: str) -> int:
    return sum(map(int, re.findall(r"(\d+) files? (?:is|are) not read", text)))


def count_everywhere(seed: int) -> None:
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as there:
        folder = Path(there) / "games"
        folder.mkdir()
        games, left_out, read, foreign = fill(folder, rng)
        count, clean = len(games), sum(games)
        for jobs in ("1", "2"):
            code, said, _ = called("check", str(folder), "--format", "json", "--jobs", jobs)
            data = json.loads(said)
            assert (sum(data["counts"].values()), data["counts"]["clean"]) == (count, clean)
            assert left_out_in(said) == left_out
            assert (code == 0) == (count == clean)
        rows = Path(there) / "rows.jsonl"
        _, said, _ = called("check", str(folder), "--results", str(rows), "--statistics")
        assert f"{count} document" in said and left_out_in(said) == left_out
        assert count == 1 or f"{count} checked" in said
        written = [json.loads(line)["verdict"] for line in rows.read_bytes().splitlines()]
        assert (len(written), written.count("clean")) == (count, clean)
        verdicts = [verdict.status for verdict in pwtool.check_many(folder)]
        assert (len(verdicts), verdicts.count("clean")) == (count, clean)
        code, said, err = called("which", str(folder), "--format", "json")
        assert json.loads(said)["games"] == count and left_out_in(err) == left_out
        code, said, err = called("pack", str(folder), "-o", f"{there}/packed.parquet", "--json")
        assert left_out_in(err) == left_out
        rows_, unread = json.loads(said), json.loads(said)["unread"]
        assert (rows_["packed"] + rows_["kept"] + unread, code) == (count, 2 if unread else 0)
        again = json.loads(called("check", f"{there}/packed.parquet", "--format", "json")[1])["counts"]
        assert again == data["counts"] | {"unreadable": data["counts"]["unreadable"] - unread}
        code, _, err = called("import", "gamepark", str(folder), "-o", f"{there}/imported")
        # An export is one game, whatever a file holds in its own format.
        assert code == 2 and left_out_in(err) == left_out - foreign
        told = {place.split(":")[0] for place in re.findall(r"error\[.*\n  --> (\S+)", err)}
        assert len(told) == read + foreign
        code, _, err = called("convert", str(folder), "-o", f"{there}/all.jsonl")
        assert left_out_in(err) == left_out
        lines = len(Path(f"{there}/all.jsonl").read_bytes().splitlines())
        said_ = re.search(r"(?:(\d+) of )?(\d+) converted", err)
        assert said_ is not None and int(said_[2]) == count and int(said_[1] or count) == lines
        # Illegal games have a form, unreadable ones have none, and each is told where it stands.
        assert (code == 0) == (lines == count)
        assert lines == data["counts"]["clean"] + data["counts"]["findings"] + data["counts"]["undetermined"]


@one_day_in(7)
@pytest.mark.parametrize("folders", few_or_many(4, 200))
def test_games_in_are_games_judged_or_reported(folders: int) -> None:
    @settings(max_examples=folders, deadline=None)
    @given(st.integers(0, 1 << 32))
    def counted(seed: int) -> None:
        count_everywhere(seed)

    counted()


@one_day_in(7)
def test_processes_and_archives_lose_nothing(tmp_path: Path) -> None:
    """With as many pieces as it takes to start processes."""
    rng = random.Random(5)
    held = [a_container(rng, f"{number}") for number in range(40)]
    for one in held:
        (tmp_path / one.name).write_bytes(one.data)
    games = [clean for one in held for clean in one.games]
    said = [called("check", str(tmp_path), "--format", "json", "--jobs", jobs)[1] for jobs in ("1", "2")]
    assert said[0] == said[1]
    counts = json.loads(said[0])["counts"]
    assert (sum(counts.values()), counts["clean"]) == (len(games), sum(games))
    assert left_out_in(said[0]) == sum(one.left_out for one in held)


@pytest.mark.parametrize("files", few_or_many(200, 5000))
def test_other_readers_count_as_many_games(files: int) -> None:
    """Of texts about which they have no other view: to python-chess, a blank line ends a game."""
    plain = [moves for moves, _ in PGN if "\n\n" not in moves and "{so *" not in moves and not moves.startswith(";")]
    for seed in range(files):
        rng = random.Random(seed)
        text = "".join(rng.choice(["", TAGS]) + rng.choice(plain) + "\n\n" for _ in some(rng, 6))
        read, counted = io.StringIO(text), 0
        while chess_pgn.read_headers(read) is not None:
            counted += 1
        block = rng.choice([40, 1000, 1 << 20])
        assert len(games_in(text.encode(), pgn.PGN, block)) == counted, text
        collection = "\n".join(rng.choice(SGF)[0] for _ in some(rng, 6)).encode()
        assert len(games_in(collection, sgf.SGF, block)) == len(sgf_grammar.parse_sgf_collection(collection))


@pytest.mark.parametrize("text", UNREAD)
def test_what_may_be_a_record_is_not_json_of_another_kind(text: bytes) -> None:
    assert not is_foreign(text)


@pytest.mark.parametrize(
    "text",
    [
        b"", b"3", b"null", b'"turns"', b"{", b"[[]]", b'[[{"turns": 1}]]', b'{"turns": 1}', b'{"players": []', b'{"moves": "e4", "white": "Ana"}',
        b'{"data": {"format": "pwtool/1"}}', b'[{"zones": {}}]', b'{"format": "pwtool/1", x', b'{"format": {"turns"',
        json.dumps({"line": "four", "columns": [1]}).encode(),
    ],
)  # fmt: skip
def test_json_of_another_kind_has_keys_and_none_of_a_game(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """An importer may know other keys."""
    monkeypatch.setattr(file_contents, "format_in", lambda data: "four" if b"columns" in data else None)
    assert not is_foreign(text)


def test_a_file_that_is_named_is_read(tmp_path: Path) -> None:
    path = tmp_path / "package.json"
    path.write_bytes(FOREIGN[0])
    archive, empty = tmp_path / "games.zip", tmp_path / "empty.zip"
    for target, more in ((archive, True), (empty, False)):
        with zipfile.ZipFile(target, "w") as members:
            members.writestr("a/package.json", FOREIGN[0])
            _ = members.writestr("game.json", GOOD) if more else None
    assert called("check", str(path))[0] == called("check", str(tmp_path / "games.zip" / "a" / "package.json"))[0] == 2
    code, said, _ = called("check", str(archive))
    assert code == 0 and left_out_in(said) == 1 and "`a/package.json`" in said
    code, said, _ = called("check", str(empty))
    assert code == 2 and "contains no record" in said


def test_json_of_another_encoding_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "latin.json").write_bytes(b'{"name": "caf\xe9"}')
    (tmp_path / "good.json").write_bytes(GOOD)
    code, said, _ = called("check", str(tmp_path), "--format", "json")
    assert code == 0 and json.loads(said)["counts"]["clean"] == 1 and left_out_in(said) == 1


@pytest.mark.parametrize("lost", [")", "]"])
@pytest.mark.parametrize(
    "head", ["GM[1]SZ[9]", "PB[Ana]PW[Ben]SZ[9]", "EV[The cup]\nC[hm (;]SZ[9]", "SiZe[9]PlayerBlack[Ana]", "RE[?]SZ[9]"]
)
def test_a_missing_bracket_costs_one_game(head: str, lost: str, tmp_path: Path) -> None:
    games = [f"(;{head};B[aa]C[hm](;W[bb])\n(;W[cc]))"] * 24
    for number in (3, 10):
        before, _, behind = games[number].rpartition(lost)
        games[number] = before + behind
    (tmp_path / "games.sgf").write_text("\n".join(games))
    _, said, _ = called("check", str(tmp_path), "--format", "json")
    counts = json.loads(said)["counts"]
    assert (counts["clean"], counts["unreadable"]) == (22, 2)


def test_a_bracket_that_is_closed_holds_one_game(tmp_path: Path) -> None:
    """Whose side lines may be games of other players, if the first node names none."""
    text = b"(;FF[4]GM[1]C[Two games](;PB[Ana]SO[a];B[aa])\n(;PB[Ben];B[bb]))\n(;B[aa](;PB[Ana];W[bb](;B[cc])\n(;B[dd]"
    for block in (20, 1 << 20):
        assert [data.lstrip()[:6] for _, data in games_in(text, sgf.SGF, block)] == [b"(;FF[4", b"(;B[aa", b"(;PB[A"]


@pytest.mark.parametrize("files", few_or_many(40, 2000))
@pytest.mark.parametrize(("form", "moves"), [(pgn.PGN, "1. e4 e5"), (pdn.PDN, "1. 11-15 22-18")])
def test_values_of_tags_are_no_moves(form: TaggedFormat, moves: str, files: int) -> None:
    """Wherever the tags stand: several games in a line, with signs in the values that mean something between moves."""
    for seed in range(files):
        rng = random.Random(seed)
        games = []
        for _ in range(rng.randrange(1, 5)):
            signs = rng.choices([*"*{}();%$!?", "1-0", "1.", "2.", "e4", "11-15", '\\"', "]", "[Event"], k=3)
            tags = [f'[{name} "{" ".join(rng.sample(signs, 2))}"]' for name in ("White", "Black")]
            comment = rng.choice(["", '{[White "x"]} ', "(1. d4) "])
            games.append(f"{rng.choice([' ', '']).join(tags)} {moves} {comment}{rng.choice(['1-0', '*', '1/2-1/2'])}")
        text = "".join(game + rng.choice([" ", "\n", "\n\n"]) for game in games).encode()
        for block in (50, 1 << 20):
            assert len(games_in(text, form, block)) == len(games), text
