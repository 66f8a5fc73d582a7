"""What is promised of each surface, as a function of bytes: whatever they are, nothing but an answer comes of them.

Each function gives back what was said, in short: inputs that make the program say something new are worth keeping.
"""

from __future__ import annotations

import io
import json
import os
import random
import re
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import ClassVar
from unittest import mock

import pwtool.lang.cache
from pwtool.api.games import open_game
from pwtool.api.rules import RecordError
from pwtool.checking.archives import Checker
from pwtool.checking.documents import choose_rulebook, load_document
from pwtool.checking.kernels import Kernels
from pwtool.checking.linting import lint_target
from pwtool.checking.report import FileResult, Verdict
from pwtool.eval.work import TooMuchWork
from pwtool.ir.model import Ruleset
from pwtool.kernel.answers import Uncompilable
from pwtool.kernel.run import CLEAN
from pwtool.lang.fmt.text import format_rules
from pwtool.lang.limits import is_long_notation
from pwtool.lang.parser import parse_rules
from pwtool.lang.tree import Document as RulesTree
from pwtool.play.chance import Chance
from pwtool.play.game import Game
from pwtool.play.legal import LegalActions
from pwtool.play.selfplay import Endless, NoSetup, deal_at_random, play_game, random_policy
from pwtool.records.decoding import Decoder
from pwtool.records.encoding import encode_record
from pwtool.records.importers.gamepark import GAMEPARK
from pwtool.records.importers.installed import find_format, import_game
from pwtool.records.inputs import Text
from pwtool.records.json_form import Malformed
from pwtool.records.json_places import JsonMap
from pwtool.records.json_text import decode_bytes, load_json
from pwtool.records.notation.parser import parse_notation
from pwtool.records.notation.reading import read_notation
from pwtool.records.notation.writing import format_notation
from pwtool.records.record_text import format_record
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.records.schema import record_schema, state_schema
from pwtool.records.words import SCHEMA
from pwtool.rules import stored
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.rules.targets import find_targets
from pwtool.text import Result
from pwtool.text.source import SourceFile
from pwtool.text.store import Store
from pwtool.why.examples import check_examples
from tests.fuzz.mutations import json_tree
from tests.fuzz.promises import Said, check_findings, check_results, choice, hold
from tests.fuzz.seeds import FILES, RULESETS, address_of
from tests.kernel.judging import ROOT, Bench, agree, bench, dumped, judged, names, of_text, rulebook

LANGUAGES = ("en", "fr", "de")
NAME = str(ROOT / "fuzz")


# ---- what is loaded once


class KnownRulesets(RulesetStore):
    """A shelf from which the rulesets of the games are never pushed out by the names that damage makes of theirs."""

    def get(self, address: str) -> Result[Rulebook]:
        if address.startswith(f"{ROOT}{os.sep}"):
            address = os.path.normpath(address)
        return Result(rulebook(address)) if address in _known() else super().get(address)


@cache
def _known() -> frozenset[str]:
    return frozenset(map(address_of, RULESETS))


@cache
def folder() -> Path:
    """A folder for the files of this run."""
    kept = tempfile.TemporaryDirectory(prefix="pwtool-fuzz-")
    _open.append(kept)
    return Path(kept.name)


_open: list[tempfile.TemporaryDirectory[str]] = []


class KeptLibrary(Library):
    """The library, of whose own files the trees are kept."""

    trees: ClassVar[dict[str, Result[RulesTree]]] = {}

    def parse(self, file: SourceFile) -> Result[RulesTree]:
        if not file.name.startswith("rulesets/"):
            return super().parse(file)
        if file.name not in self.trees:
            self.trees[file.name] = super().parse(file)
        return self.trees[file.name]


@cache
def library() -> Library:
    return KeptLibrary()


@cache
def ruleset_store() -> RulesetStore:
    return KnownRulesets(library(), rules_from=(str(ROOT),))


@cache
def kernels() -> Kernels:
    return Kernels(ruleset_store())


class FuzzChecker(Checker):
    """The checker, whose kernels are made once."""

    def _new_kernels(self) -> Kernels | None:
        return kernels()


# ---- records, notation, archives


def _document(data: bytes, name: str) -> Said:
    text = Text(name, name, data)
    addresses = [address_of(RULESETS[choice(data, len(RULESETS), 2)])] if choice(data, 8, 3) == 0 else []
    language = LANGUAGES[choice(data, 3, 4)]
    results = tuple(FuzzChecker(ruleset_store(), addresses, language, kernel=False).check_texts([text]))
    hold(len(results) == 1, "one document, one result")
    said = check_results(results, data)
    if results[0].verdict is not Verdict.UNREADABLE and choice(data, 4, 5) == 0:
        _written_again(text)
    return said


def _written_again(text: Text) -> None:
    """What can be read can be written in each form, and read again as the same."""
    loaded = load_document(text.document())
    hold(not isinstance(loaded, FileResult), "what was read once is read again")
    assert not isinstance(loaded, FileResult)
    chosen = choose_rulebook(loaded, ruleset_store(), None)
    if isinstance(chosen, FileResult) or loaded.is_state:
        return
    loaded, book, _ = chosen
    try:
        book.decoder.record(loaded.data)
    except Malformed:
        return
    hold(json.loads(format_record(loaded.data).encode()) == loaded.data, "a record is written as JSON without loss")
    notation = format_notation(loaded.data, book.game)
    notation.encode("utf-8")
    if is_long_notation(notation):
        return
    parsed = parse_notation(SourceFile("again.pwn", notation))
    hold(parsed.value is not None and not parsed.diagnostics, "a notation that is written can be parsed")
    assert parsed.value is not None
    read = read_notation(parsed.value, book.game)
    hold(read.value is not None and not read.diagnostics, "a notation that is written can be read")
    told = {key: value for key, value in loaded.data.items() if key != SCHEMA}
    hold(read.value is not None and read.value.data == told, "a record is written as notation without loss")


def record(data: bytes) -> Said:
    return _document(data, f"{NAME}.json")


def notation(data: bytes) -> Said:
    return _document(data, f"{NAME}.pwn")


def archive(data: bytes) -> Said:
    """Each line that is not blank has a result of its own, and kernels say what the engine says."""
    path = folder() / "games.jsonl"
    path.write_bytes(data)
    results = tuple(FuzzChecker(ruleset_store(), [], kernel=True, audit=1.0).check([str(path)]))
    lines = [number for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    wanted = [f"{path}:{number}" for number in lines] or [str(path)]
    hold([result.name for result in results] == wanted, "each line of an archive has its result")
    return check_results(results, data) | _standard_input(data)


def _standard_input(data: bytes) -> Said:
    """The same bytes where nobody says what they are."""
    if choice(data, 4, 6) != 0:
        return frozenset()
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(data))
    try:
        results = tuple(FuzzChecker(ruleset_store(), [], kernel=False).check(["-"]))
    finally:
        sys.stdin = before
    hold(results, "there is a result")
    return check_results(results, data)


def replay(data: bytes) -> Said:
    """A game that can be read can be looked at anywhere: drawn, scored, gone on with, written as a position."""
    text = Text(f"{NAME}.json", f"{NAME}.json", data)
    try:
        game = open_game(text.document(), ruleset_store(), None)
    except (RecordError, ValueError) as error:
        return frozenset((type(error).__name__,))
    at = game.at(1 + choice(data, game.turns + 1))
    hold(at.draw(), "a position is drawn")
    for player in game.players:
        hold(at.draw(player), "a position is drawn as a player sees it")
    try:
        actions = at.legal(20)
    except TooMuchWork as work:
        return frozenset((type(work).__name__,))
    said = {f"{action.name} over" if at.play(action).over else action.name for action in actions[:3]}
    hold(at.score().scores.keys() == set(game.players), "everybody has a score")
    state = json.dumps({**at.state(), "ruleset": json.loads(data)["ruleset"]}).encode()
    (result,) = FuzzChecker(ruleset_store(), [], kernel=False).check_texts(
        [Text(f"{NAME}.json", f"{NAME}.json", state)]
    )
    hold(result.verdict is not Verdict.UNREADABLE, "a position that is written can be read")
    hold(json.loads(json.dumps(game.record)), "the record is written")
    return check_results([result], data) | said


# ---- kernels


def kernel(data: bytes) -> Said:
    """A kernel says what the engine says, or that a text is none of its own; the same wherever the text stands."""
    here = bench(_named(data))
    right, (said, again) = of_text(here, data), judged(here, [data, data])
    hold(agree(here, said, right), f"the kernel says {said[:5]}, the engine {right[:5]}")
    hold(said == again, "the second time it says the same")
    (own,) = judged(here, [data], own=True)
    hold(agree(here, own, said), "of its own games it says the same")
    return frozenset((f"{said[:4]} {right[:4]}", f"own {own.verdict}"))


def _named(data: bytes) -> str:
    found = re.search(rb'"ruleset"\s*:\s*"([^"]*)"', data)
    name = found.group(1).decode("utf-8", "replace") if found else ""
    return address_of(name if name in RULESETS else RULESETS[choice(data, len(RULESETS))])


# ---- rules


def rules(data: bytes) -> Said:
    """A rules file is refused with findings, or makes a ruleset that everything can be made of."""
    path = folder() / "house.rules"
    path.write_bytes(data)
    result = load_ruleset(str(path), library())
    hold(result.value is not None or result.diagnostics, "a ruleset or findings")
    said = check_findings(result.diagnostics)
    text = data.decode("utf-8", "replace")
    if choice(data, 3) == 0:
        _formatted(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    if result.value is None or not result.ok:
        return said
    if choice(data, 12, 1) == 0:
        said |= check_findings(
            found for target in find_targets([str(path)], library())[0] for found in lint_target(target, library())
        )
    game = Game(result.value)
    book = Rulebook(game, Decoder(game), LegalActions(game))
    hold(record_schema(game) and state_schema(game), "there are schemas")
    said |= check_findings(check_examples(game))
    if choice(data, 6) == 0:
        _judged_alike(book)
    return said | {"loaded"}


def _formatted(text: str) -> None:
    parsed = parse_rules(SourceFile("house.rules", text))
    done = format_rules(SourceFile("house.rules", text))
    hold((done.value is None) == bool(done.diagnostics), "a formatted text or findings")
    if done.value is None or parsed.value is None:
        return
    hold(parse_rules(SourceFile("house.rules", done.value)).value == parsed.value, "formatted it means the same")
    hold(format_rules(SourceFile("house.rules", done.value)).value == done.value, "formatted twice it is the same")


def _judged_alike(book: Rulebook) -> None:
    """The games that can be played by a ruleset are games of it, for the engine and for its kernel."""
    try:
        here = Bench(book)
    except Uncompilable:
        return
    game = book.game
    for players in {game.ruleset.min_players, game.ruleset.max_players}:
        rng = Chance(players)
        try:
            record = deal_at_random(game, names(players), rng)
            play_game(game, record, random_policy(rng), book.legal, 4)
        except (NoSetup, Endless, TooMuchWork):
            continue
        text = dumped(encode_record(game, record))
        right, (said,) = of_text(here, text), judged(here, [text])
        hold(agree(here, said, right), f"the kernel says {said[:5]}, the engine {right[:5]}")
        hold(right.verdict == CLEAN or right.code == "PW612", f"a game that is played is legal, not {right[:5]}")
        damage = random.Random(players)
        texts = [json_tree(damage, text) for _ in range(12)]
        for other, said in zip(texts, judged(here, texts), strict=True):
            right = of_text(here, other)
            hold(agree(here, said, right), f"of a damaged game the kernel says {said[:5]}, the engine {right[:5]}")


# ---- the cache


@cache
def entries() -> tuple[bytes, ...]:
    """The entry of a ruleset and that of the tree of its file."""
    store = Library(cache=folder() / "cache")
    hold(stored.load_ruleset(_cached(), store).value is not None, "the ruleset of the cache loads")
    paths = [path for kind in ("rulesets", "trees") for path in (folder() / "cache" / kind).iterdir()]
    return tuple(Store(path.parent).get(path.name) or b"" for path in paths)


def _cached() -> str:
    return address_of(FILES[0])


def cache_entry(data: bytes) -> Said:
    """An entry of the cache that is damaged is not there; one that another program wrote gives nothing, or what it says."""
    if choice(data, 6) == 0:
        (folder() / "entry").write_bytes(data)
        hold(Store(folder()).get("entry") is None, "an entry without its checksum is not there")
    source = SourceFile("game.rules", Path(_cached()).read_text("utf-8"))
    tree = pwtool.lang.cache._load(data, source)
    hold(tree is None or isinstance(tree, RulesTree), "a tree or nothing")
    ruleset = stored._decode(data, _cached(), library(), ())
    hold(ruleset is None or isinstance(ruleset, Ruleset), "a ruleset or nothing")
    return frozenset((f"{type(tree).__name__} {type(ruleset).__name__}",))


# ---- records of other programs


def importer(data: bytes) -> Said:
    """An export becomes a record that can be read, or findings."""
    source = decode_bytes(data, f"{NAME}.json")
    if source.value is None:
        return check_findings(source.diagnostics)
    loaded = load_json(source.value)
    if loaded.value is None:
        return check_findings(loaded.diagnostics)
    result = GAMEPARK.convert(loaded.value, source.value, JsonMap(source.value).span)
    hold((result.value is None) == bool(result.diagnostics), "a record or findings")
    said = check_findings(result.diagnostics)
    if result.value is None:
        return said
    written = format_record(result.value).encode()
    hold(json.loads(written) == result.value, "an imported record is written without loss")
    (judged_,) = FuzzChecker(ruleset_store(), [], kernel=False).check_texts([Text("x.json", "x.json", written)])
    hold(judged_.verdict is not Verdict.UNREADABLE, "an imported record can be read")
    return said | check_results([judged_], data)


def games_of(form: str) -> Callable[[bytes], Said]:
    """The games of a file in the format of another program: each is judged or reported, kernels say what the engine says,
    and what is written of one is read again as the same.
    """
    found = find_format(form)
    assert found is not None and found.value is not None
    reader = found.value.form

    def games(data: bytes) -> Said:
        cut = [game[:2] for game in reader.games(io.BytesIO(data))]
        if not reader.is_binary:
            whole = b"".join(game[len(game) - len(game.lstrip(b" ")) :] for _, game in cut)
            hold(whole.replace(b" ", b"") == data.replace(b" ", b""), "every byte belongs to a game")
        block = 1 + choice(data, 3000, 7)
        with mock.patch("pwtool.records.importers.formats._BLOCK", block):
            again = [game[:2] for game in reader.games(io.BytesIO(data))]
            hold(again == cut, "a file is cut in the same way, whatever is read at once")
        path = folder() / f"games.{form}"
        path.write_bytes(data)
        results = tuple(FuzzChecker(ruleset_store(), [], kernel=True, audit=1.0).check([str(path)]))
        hold(len(results) == len(cut), "each game has its result")
        said = check_results(results, data)
        for (line, game), result in zip(cut, results, strict=True) if reader.is_written else ():
            if result.verdict is not Verdict.UNREADABLE:
                said |= _written_in(form, SourceFile(path.name, game.decode(reader.encoding(game)), line))
        return said

    return games


def _written_in(form: str, source: SourceFile) -> Said:
    imported, installed = import_game(source, form).value, find_format(form)
    assert imported is not None and installed is not None and installed.value is not None
    record, _ = imported
    written = installed.value.write(record, source.name)
    if written.value is None:
        hold(all(d.code == "PW721" for d in written.diagnostics), "a record without a form is told as one")
        return frozenset(("no form",))
    again = import_game(SourceFile(source.name, written.value.text), form).value
    hold(again is not None, "what is written is read")
    assert again is not None
    told = [[{**a, "comment": None} for a in turn["actions"]] for turn in record["turns"]]  # type: ignore[attr-defined]
    back = [[{**a, "comment": None} for a in turn["actions"]] for turn in again[0]["turns"]]  # type: ignore[attr-defined]
    hold(told == back, "what is written is the same game")
    return frozenset(("written",))


TARGETS: dict[str, Callable[[bytes], Said]] = {
    "record": record, "notation": notation, "rules": rules, "archive": archive, "cache": cache_entry,
    "importer": importer, "kernel": kernel, "replay": replay, **{form: games_of(form) for form in ("pgn", "sgf", "pdn", "wtb")},
}  # fmt: skip
SUFFIXES = {
    "notation": ".pwn", "rules": ".rules", "archive": ".jsonl", "pgn": ".pgn", "sgf": ".sgf", "pdn": ".pdn", "wtb": ".wtb",
}  # fmt: skip
