"""Packed records: nothing is lost on the way, and they are judged as the texts that they came from."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import pwtool
from pwtool.checking import archives
from pwtool.checking.report import FileResult
from pwtool.cli.app import run
from pwtool.records.inputs import Document, Text, read_parts, read_texts
from pwtool.records.tables import reading, rows, writing
from tests.classics.test_wthor import as_bytes, as_file
from tests.daily import one_day_in, some
from tests.support import few_or_many, random_game

pyarrow = pytest.importorskip("pyarrow")
ROOT = Path(__file__).resolve().parents[2]
ADDRESSES = ("pierre_papier_morpion", "paper_world/fr", "pierre_papier_morpion/fr+bonus")
Data = dict[str, Any]


def beside(record: Data, rng: random.Random) -> Data:
    """The record with something that no verdict depends on, or that only some do."""
    record = copy.deepcopy(record)
    turn = rng.choice(record["turns"])
    match rng.randrange(9):
        case 0:
            record["meta"] = {"where": "Lyon", "tables": [1, 2.5, True, None, {"ö": "\u202e\x1b"}]}
        case 1:
            record["comment"] = "a game"
        case 2:
            turn["comment"] = "well"
        case 3 if turn["actions"]:
            turn["actions"][0]["mark"] = "!?"
        case 4:
            record["id"] = "Ö 17"
        case 5:
            del record["version"]
        case 6:
            record = dict(reversed(record.items()))
        case 7:
            turn["player"] = record["players"][-1]
        case _:
            record["version"] = "0123456789abcdef"
    return record


def lines_of(seed: int, games: int) -> list[bytes]:
    """Lines of all kinds: games of several rulesets, with this and that beside them, damaged ones, and what is none."""
    rng = random.Random(seed)
    found: list[Any] = []
    for address in ADDRESSES:
        for number in range(games):
            if address == "paper_world/fr" and number > 21:
                continue
            record, _ = random_game(address, 2, number)
            found.append(record)
            found += [beside(record, rng)] * (rng.random() < 0.5)
            if rng.random() < 0.1:
                found.append({**record, "turns": record["turns"][1:]})
    odd, _ = random_game("paper_world/fr", 2, 0)
    unseen = copy.deepcopy(odd)
    unseen["setup"]["supply"][0][0] = "?"
    state = json.loads((ROOT / "examples" / "states" / "final.json").read_text("utf-8"))
    found += [
        unseen, state, {**odd, "ruleset": "paper_world/nowhere"}, {**odd, "ruleset": 3}, {"a": 1}, [], 7,
        {**odd, "surprise": 1}, {**odd, "players": ["", ""]}, {**odd, "meta": {"n": 12345678901234567890123}},
    ]  # fmt: skip
    texts = [json.dumps(one, ensure_ascii=rng.random() < 0.5).encode() for one in found]
    texts += [b"{", b"no json", b'"\\ud800"', json.dumps(odd).encode()[:-5], b"\xff\xfe{\0", b'{"a": 1, "a": 2}']
    rng.shuffle(texts)
    return texts


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of lines, and the same packed beside it."""
    folder = tmp_path_factory.mktemp("packed")
    path = folder / "games.jsonl"
    path.write_bytes(b"\n".join(lines_of(1, 24)) + b"\n")
    assert run(["pack", str(path), "-o", str(folder / "games.parquet"), "--jobs", "1"]) == 0
    # Findings tell columns: let both be written alike.
    path.write_bytes(b"\n".join(texts_of(folder / "games.parquet")) + b"\n")
    return path


def output(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    capsys.readouterr()
    code = run(words)
    return code, capsys.readouterr().out.replace(".jsonl", ".parquet")


def same_data(one: bytes, other: bytes) -> bool:
    """Whether two texts are the same JSON data, or the same bytes."""
    try:
        read = json.loads(one), json.loads(other)
    except ValueError:
        return one == other
    return json.dumps(read[0], sort_keys=True) == json.dumps(read[1], sort_keys=True)


def texts_of(path: Path) -> list[bytes]:
    found = list(read_texts(str(path)))
    assert all(isinstance(text, Text) for text in found)
    return [text.data.rstrip(b"\r\n") for text in found if isinstance(text, Text)]


@pytest.mark.parametrize("games", few_or_many(4, 60))
def test_nothing_is_lost(games: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in range(2):
        texts = lines_of(seed, games)
        path, packed = tmp_path / f"{seed}.jsonl", tmp_path / f"{seed}.parquet"
        path.write_bytes(b"\r\n".join(texts))
        assert run(["pack", str(path), "-o", str(packed)]) == 0
        assert "kept as text" in capsys.readouterr().err
        again = texts_of(packed)
        assert len(again) == len(texts) and all(map(same_data, texts, again))
        assert [t.name for t in read_texts(str(packed))] == [f"{packed}:{n + 1}" for n in range(len(texts))]
        (third,) = read_texts(f"{packed}:3")
        assert isinstance(third, Text) and third.data == again[2]


def test_files_are_rows_too(tmp_path: Path) -> None:
    records = ROOT / "examples" / "records"
    packed = tmp_path / "all.parquet"
    notation = ROOT / "examples" / "notation" / "club.pwn"
    assert run(["pack", str(records), str(notation), "-o", str(packed)]) == 0
    names = sorted(records.rglob("*.json"))
    again = texts_of(packed)
    assert len(again) == len(names) + 1
    assert all(same_data(name.read_bytes(), text) for name, text in zip(names, again, strict=False))
    assert json.loads(again[-1])["players"] == ["Ana", "Ben"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_cannot_be_read_is_reported_and_the_rest_packed(
    jobs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Damaged lines are kept as text; damaged games of other programs have no line."""
    games = [as_bytes([(3, 2)], 65 if number % 3 == 1 else 40) for number in range(90)]
    (tmp_path / "a.wtb").write_bytes(as_file(games))
    (tmp_path / "b.jsonl").write_bytes(b'{"a": 1}\n{\n')
    (tmp_path / "c.json.bz2").write_bytes(b"BZh")
    packed = tmp_path / "packed.parquet"
    assert run(["pack", str(tmp_path), "-o", str(packed), "--json", "--jobs", jobs]) == 2
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert (told["packed"], told["kept"], told["unread"]) == (60, 2, 31)
    assert said.err.count("there are only 64 discs") == 19 and "11 more findings are not shown" in said.err
    assert "31 documents are not in the table, because they cannot be read" in said.err
    assert [verdict.status for verdict in pwtool.check_many(packed)] == ["clean"] * 60 + ["unreadable"] * 2
    (tmp_path / "b.jsonl").unlink()
    (tmp_path / "a.wtb").write_bytes(as_file(games[1:2]))
    packed.unlink()
    assert run(["pack", str(tmp_path), "-o", str(packed), "--jobs", jobs]) == 2
    assert "nothing was written" in capsys.readouterr().err and not packed.exists()


@one_day_in(8)
@pytest.mark.parametrize("form", some(["full", "concise", "jsonl", "json"], 1))
def test_packed_games_are_judged_as_their_lines(form: str, archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packed = archive.with_suffix(".parquet")
    expected = output(["check", str(archive), "--format", form, "--all"], capsys)
    assert expected[0] == 2
    for options in ((), ("--no-kernel",)) if form == "concise" else ((),):
        assert output(["check", str(packed), "--format", form, "--all", *options], capsys) == expected


@one_day_in(7)
def test_given_rulesets_judge_packed_games_too(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packed = archive.with_suffix(".parquet")
    for rules in (["pierre_papier_morpion"], ["pierre_papier_morpion", "pierre_papier_morpion/fr"]):
        options = [word for address in rules for word in ("--rules", address)]
        said = [output(["check", str(path), "-f", "concise", *options], capsys) for path in (archive, packed)]
        assert said[0] == said[1]


@one_day_in(7)
def test_workers_and_results(
    archive: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    workers_at_once: Callable[[], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(writing, "GROUP", 64)
    monkeypatch.setattr("pwtool.checking.pieces.ROWS", 64)
    packed = tmp_path / archive.with_suffix(".parquet").name
    assert run(["pack", str(archive), "-o", str(packed), "--jobs", "1"]) == 0
    assert len(reading.groups_of(str(packed))) > 2  # type: ignore[arg-type]
    expected = output(["check", str(packed), "--jobs", "1", "--statistics"], capsys)
    for number, path in enumerate((archive, packed)):
        rows_file = tmp_path / f"{number}.jsonl"
        assert run(["check", str(path), "--results", str(rows_file), "--resume", "-q"]) == 2
        assert run(["check", str(path), "--results", str(rows_file), "--resume"]) == 2
        assert "known from an earlier run" in capsys.readouterr().err
    found = [
        [{k: v for k, v in json.loads(line).items() if k not in ("file", "findings")} for line in text.splitlines()]
        for text in ((tmp_path / f"{number}.jsonl").read_text("utf-8") for number in (0, 1))
    ]
    assert found[0] == found[1]
    workers_at_once()
    assert output(["check", str(packed), "--jobs", "2", "--statistics"], capsys) == expected


def test_most_packed_games_are_never_unpacked(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    original = reading.Block.text

    def counted(block: reading.Block, at: int) -> Text | Document:
        asked.append(at)
        return original(block, at)

    monkeypatch.setattr(reading.Block, "text", counted)
    checked: list[Any] = []
    judge = archives.check_loaded
    monkeypatch.setattr(archives, "check_loaded", lambda *given: checked.append(given) or judge(*given))
    run(["check", str(archive.with_suffix(".parquet")), "--jobs", "1", "-q"])
    assert len(asked) < 80 and len(checked) < 60


def row_of(record: Data) -> tuple[rows.Row, Any]:
    from pwtool.records.tables.vocabulary import vocabulary_of
    from tests.support import book

    found = book(record["ruleset"])
    words = vocabulary_of(found.game.ruleset)
    return rows.row_of(record, found.decoder.record(record), words, 0), words


def written(path: Path, made: list[rows.Row], words: Any) -> None:
    with path.open("wb") as stream, writing.packed_writer(stream) as writer:
        writer.add([], [words])
        # As they are, whatever they name.
        writer._held += made


def verdicts(path: Path) -> list[str]:
    from pwtool.checking.archives import Checker
    from pwtool.checking.pieces import cut
    from pwtool.records.ruleset_store import RulesetStore
    from pwtool.rules.library import Library

    checker = Checker(RulesetStore(Library()), [], summaries=False, heads=False)
    results: list[FileResult] = []
    for piece in cut([str(path)]):
        results += checker.check_texts(piece.documents(), each=True)
    return [f"{r.verdict} {r.diagnostics[0].code if r.diagnostics else ''}".strip() for r in results]


def test_what_stands_beside_a_game_cannot_hide_what_it_is(tmp_path: Path) -> None:
    """Whoever writes a file may write a rest that changes the game: then the changed game is judged."""
    record, _ = random_game("paper_world/fr", 2, 3)
    row, words = row_of(record)
    names = record["players"]

    def with_(**changes: Any) -> rows.Row:
        return msgspec.structs.replace(row, **changes)

    deep = "[" * 200 + "]" * 200
    made = {
        "clean": [row, with_(rest='[[["meta"],{"a":1}]]'), with_(rest='[[["comment"],"x"]]'), with_(version=None)],
        "unreadable": [
            with_(rest='[[["turns"],[]],[["surprise"],1]]'), with_(rest="["), with_(rest='[[["x","y"],1]]'),
            with_(rest=f'[[["meta"],{{"a":{deep}}}]]'), with_(rest='[[["meta"],3]]'), with_(rest="null"),
            with_(players=["A", "A"]), with_(players=["", "B"]), with_(players=["x" * 81, "B"]), with_(players=[]),
            with_(players=[*names, "C", "D", "E", "F"]), with_(players=None), with_(game=b""), with_(game=None),
            with_(game=b"\xff" * 40), with_(words=1), with_(words=-1), with_(words=None), with_(ruleset="no/such"),
            with_(ruleset=None), with_(text=b"{"), with_(id="x" * 2000, rest='[[["format"],"pwtool/2"]]'),
            with_(rest='[[["meta"],{"a":1}],[["version"],7]]'), with_(game=row.game + b"\0"),
        ],
        "findings": [with_(version="0123456789abcdef"), with_(rest='[[["version"],"0123456789abcdef"]]')],
    }  # fmt: skip
    # So that a kernel is worth its making.
    filling = [row] * 25
    for verdict, odd in made.items():
        path = tmp_path / f"{verdict}.parquet"
        written(path, filling + odd, words)
        found = verdicts(path)
        assert found[:25] == ["clean"] * 25
        assert {f.split()[0] for f in found[25:]} == {verdict}, found[25:]


@one_day_in(7)
def test_other_rules_read_what_was_packed_by_these(tmp_path: Path) -> None:
    """A file brings its own words along: under rules that count them otherwise, games are unpacked and judged."""
    records = [random_game("paper_world/fr", 2, seed)[0] for seed in range(30)]
    from pwtool.records.tables.vocabulary import vocabulary_of
    from tests.support import book

    found = book("paper_world/fr")
    words = vocabulary_of(found.game.ruleset)
    turned = msgspec.structs.replace(words, objectives=tuple(reversed(words.objectives)))
    made = [rows.row_of(record, found.decoder.record(record), turned, 0) for record in records]
    path = tmp_path / "turned.parquet"
    written(path, made, turned)
    assert verdicts(path) == ["clean"] * 30
    assert all(same_data(json.dumps(r).encode(), t) for r, t in zip(records, texts_of(path), strict=True))


@pytest.mark.parametrize("times", few_or_many(120, 3000))
def test_damaged_files_are_findings(times: int, archive: Path, tmp_path: Path) -> None:
    data, rng = archive.with_suffix(".parquet").read_bytes(), random.Random(times)
    path = tmp_path / "damaged.parquet"
    for _ in range(times):
        made = bytearray(data)
        if rng.random() < 0.2:
            del made[rng.randrange(len(made)) :]
        for _ in range(rng.randrange(1, 8)):
            # Mostly where the file says what it holds.
            at = rng.randrange(max(0, len(made) - 6000), len(made)) if made and rng.random() < 0.6 else None
            at = rng.randrange(len(made)) if at is None and made else at
            if at is not None:
                made[at] = rng.randrange(256)
        path.write_bytes(made)
        assert all(isinstance(text, Text | Document) for text in read_texts(str(path)))


def test_a_word_that_no_dictionary_holds_is_damage(archive: Path, tmp_path: Path) -> None:
    """As some readers of damaged files give it, and as anybody can write it who skips all checks."""
    block = next(b for b in read_parts(str(archive.with_suffix(".parquet"))) if isinstance(b, reading.Block))
    at = writing.COLUMNS.index("ruleset")
    broken = pyarrow.DictionaryArray.from_arrays(pyarrow.array([3] * len(block)), pyarrow.array(["a"]), safe=False)
    columns = [broken if number == at else block.batch.column(number) for number in range(len(writing.COLUMNS))]
    damaged = msgspec.structs.replace(
        block, batch=pyarrow.RecordBatch.from_arrays(columns, names=list(writing.COLUMNS))
    )
    found = damaged.text(0)
    assert isinstance(found, Document) and found.diagnostics[0].code == "PW703"


@pytest.mark.parametrize("name", ["empty", "none", "other"])
def test_what_is_no_table_of_records_is_told(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"{name}.parquet"
    if name == "empty":
        written(path, [], None if False else row_of(random_game("paper_world/fr", 2, 3)[0])[1])
    elif name == "other":
        from pyarrow import Table, parquet

        parquet.write_table(Table.from_pydict({"a": [1, 2]}), path)
    code, said = output(["check", str(path)], capsys)
    assert code == 2 and ("PW703" in said or "PW705" in said)
