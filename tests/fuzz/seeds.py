"""What mutation begins with: games, rules, archives, entries of the cache and records of other programs, all of them small."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree

from pwtool.lang.tables import build_parser, rules_parser
from pwtool.records.importers.pdn import PDN
from pwtool.records.importers.pgn import PGN
from pwtool.records.importers.sgf import SGF
from pwtool.records.notation.writing import format_notation
from pwtool.records.schema import record_schema, state_schema
from pwtool.text.data import read_grammar
from tests.classics.test_wthor import as_bytes, as_file, random_game, score
from tests.docs.test_language import BLOCKS
from tests.fuzz.generating import Grammar
from tests.kernel.judging import ROOT, rulebook, sample
from tests.support import DATA

LIBRARY = (
    "paper_world/gamepark",
    "paper_world/fr+advanced",
    "pierre_papier_morpion",
    "pierre_papier_morpion/fr+bonus+binoculars",
)
FILES = (
    "rulesets/classics/tic_tac_toe/game.rules", "rulesets/classics/connect_four/game.rules",
    *(f"tests/rulesets/{name}/game.rules" for name in ("gulls", "harbour", "sandwich")),
    "tests/kernel/rules/weir/game.rules",
)  # fmt: skip
RULESETS = (*LIBRARY, *FILES)
"""The rulesets of the games, as records name them: files from the project's folder on."""
IMPORTED = {"id", "options", "players", "setup", "moves"}


def address_of(ruleset: str) -> str:
    """Where a ruleset of `RULESETS` is loaded from."""
    return str(ROOT / ruleset) if ruleset.endswith(".rules") else ruleset


def dumped(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


@cache
def games(ruleset: str, count: int = 12) -> list[dict[str, Any]]:
    """Games of a ruleset: the shorter ones of more, some with things that nobody saw."""
    found = [{**record, "ruleset": ruleset} for record in sample(address_of(ruleset), 2 * count)]
    found = sorted(found, key=lambda record: len(dumped(record)))[:count]
    for record in found:
        record.pop("version", None)
    return found + [unseen(record, random.Random(1)) for record in found[:2]]


def unseen(record: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """A game of which some of what was dealt was not seen."""
    codes = {code for c in rulebook(address_of(record["ruleset"])).game.ruleset.components.values() for code in c.codes}

    def hidden(value: Any) -> Any:
        if isinstance(value, list):
            return [hidden(part) for part in value]
        if isinstance(value, dict):
            return {key: hidden(part) for key, part in value.items()}
        return "?" if value in codes and rng.random() < 0.5 else value

    return {**record, "setup": hidden(record.get("setup", {}))}


@cache
def records() -> tuple[bytes, ...]:
    folder = ROOT / "examples"
    files = [*(folder / "records").glob("*.json"), *(folder / "states").glob("*.json")]
    return (*(path.read_bytes() for path in sorted(files)), *(dumped(g) for r in RULESETS for g in games(r)))


@cache
def notations() -> tuple[bytes, ...]:
    files = sorted((ROOT / "examples" / "notation").glob("*.pwn"))
    texts = [format_notation(g, rulebook(address_of(r)).game).encode() for r in RULESETS for g in games(r)[:8]]
    return (*(path.read_bytes() for path in files), *texts)


@cache
def rules() -> tuple[bytes, ...]:
    folders = ("examples", "tests/rulesets", "tests/kernel/rules")
    # Mostly what loads: whatever is wrong already hides what comes later.
    files = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.rules")) * 4
    files += sorted((ROOT / "tests" / "golden" / "mistakes").glob("*.rules"))[::2]
    library = sorted(path for path in (ROOT / "rulesets").rglob("*.rules") if path.stat().st_size < 12_000)
    pages = [source for block in BLOCKS for source in block.sources]
    return (*(path.read_bytes() for path in (*files, *library)), *(page.encode() for page in pages))


@cache
def archives() -> tuple[bytes, ...]:
    """Games of one ruleset and of several; kernels judge from twenty on."""
    one = [b"\n".join(dumped(game) for game in games(r, 20)) for r in (FILES[0], FILES[2], FILES[3], LIBRARY[2])]
    mixed = [
        dumped(game) for number in range(6) for game in games(FILES[0], 20)[number::6] + games(FILES[1])[number::6]
    ]
    return (*one, b"\n".join(mixed) + b"\n", b"\n".join(dumped(games(r)[0]) for r in RULESETS))


@cache
def foreign() -> tuple[bytes, ...]:
    """Exports of another implementation, some of them cut to their first moves."""
    paths = sorted(DATA.rglob("*.json"))[::6]
    exports = [{k: v for k, v in json.loads(path.read_bytes()).items() if k in IMPORTED} for path in paths]
    return tuple(dumped({**export, "moves": export["moves"][:most]}) for export in exports for most in (4, 15, 500))


# ---- games in the formats of other programs


WRITTEN = {
    "pgn": (PGN, ("chess",)),
    "sgf": (SGF, ("go", "go/japanese+handicap", "othello", "gomoku")),
    "pdn": (PDN, ("checkers",)),
}
"""The formats that are written, and the rulesets whose games are."""
ODDITIES = {
    "pgn": (
        '[Event "a \\"b\\""]\n[Variant "Crazyhouse"]\n\n{A} 1. e4 $6 (1. d4 {so} (1. c4)) 1... e5 ; aside\n2. Ke2?? 1-0\n% no\n\n',
        '[SetUp "1"]\n[FEN "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 9 30"]\n\n30. exd6 e.p. O-O 31. 0-0-0+ Kg7 1/2-1/2 1. d4 *',
        '[Variant "Chess960"]\n[FEN "rbqkbnrn/pppppppp/8/8/8/8/PPPPPPPP/RBQKBNRN w KQkq - 0 1"]\n\n1. e4 e5 2. Ng3 Kd8 *',
        '[Variant "Three-check"]\n[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 1+3 0 1"]\n\n1. e4 f6 2. Qh5+ g6 *',
    ),
    "sgf": (
        "text (;GM[1]FF[4]SZ[9]KM[7.5]RE[B+3.5]HA[2];AB[cc][gg];W[ee](;B[dd]C[a \\] b])(;B[];W[tt]))\n(;GM[2];B[dc];Black[c5]) end",
        "(;GM[1]SZ[19]RU[Japanese]AB[aa:cc]AW[dd]AE[ee]PL[W]CA[iso-8859-1]PB[\xe9];W[pp];PL[B];B[ss])",
    ),
    "pdn": (
        '[GameType "21,B,8,8,N1,0"]\n[Red "A"]\n\n1. 11-15 23-19! 2. 8-11 (2. 9-14 {so}) 22-17 3. 11-16(?!) 24-20* 4. 15x24 1-0 *',
        '[FEN "W:WK3,18,24:B12,K16:H9:F30"]\n\n30... 18-15 31. 12x19x28 3-7 0-2\n[GameType "20"]\n\n1. 32-28 *',
    ),
}  # fmt: skip


@cache
def foreign_games(form: str) -> tuple[bytes, ...]:
    """Files in a format, of one game and of several, the games cut to a few moves and some from a position on."""
    writer, addresses = WRITTEN[form]
    texts: list[str] = []
    for address in addresses:
        for number, record in enumerate(sample(address, 8)):
            short = {**record, "ruleset": address, "turns": record["turns"][: 12 * (number + 1)]}
            short.pop("version", None)
            short.pop("result", None) if len(short["turns"]) < len(record["turns"]) else None
            texts.append(writer.write(short))
    texts += ODDITIES[form]
    several = ("".join(texts[at::4]) for at in range(4))
    return tuple(text.encode() for text in (*texts, *several))


@cache
def othello_files() -> tuple[bytes, ...]:
    """WTHOR archives of one game and of several, some of them of another size than they say."""
    rng = random.Random(3)
    games_ = [as_bytes(moves, score(board)) for moves, board in map(random_game, [rng] * 12)]
    return (as_file(games_[:1]), as_file(games_), as_file(games_[:3], 5), as_file([]), as_file(games_[:2]) + b"rest")


# ---- texts of people as a source of words and of parts ---------------------------------------------------------------


@cache
def rules_grammar() -> Grammar:
    return Grammar(build_parser(), _vocabulary(_trees()))


@cache
def notation_grammar() -> Grammar:
    starts = ["turn", "entry", "remark"]
    lark = Lark(read_grammar("notation.lark"), start=starts, parser="lalr", keep_all_tokens=True)
    lines = [line for text in notations() for line in re.findall(rb"^[0-9]+\. .*", text, re.MULTILINE)][:400]
    turns = [turn for line in lines for turn in re.split(r"  (?=[0-9]+\. )", line.decode())]
    found: list[Tree[Token]] = []
    for turn in turns:
        try:
            found.append(lark.parse(turn, start="turn"))
        except Exception:
            continue
    more = {"STRING": ('"a b"', '""', '"\\n"'), "COMMENT": ("{a}", "{\\}}"), "EMPTY": ("-",), "UNSEEN": ("?",)}
    signs = {"MARK": ("!", "?", "!?"), "SIGNED": ("-1", "-0", "-99"), "TURN": ("1.", "2.", "999999999.")}
    return Grammar(lark, {**_literals(lark), **more, **signs, **_vocabulary(found)})


def _literals(lark: Lark) -> dict[str, tuple[str, ...]]:
    return {t.name: (t.pattern.value,) for t in lark.terminals if t.pattern.type == "str"}


@cache
def _trees() -> list[Tree[Token]]:
    """The rules files that have no syntax errors, read with every word."""
    return [
        tree for text in rules() if (tree := _tree(rules_parser(True), text.decode("utf-8", "replace"))) is not None
    ]


def _tree(parser: Lark, text: str) -> Tree[Token] | None:
    try:
        return parser.parse(text.replace("\r\n", "\n"))
    except Exception:
        return None


def _vocabulary(trees: list[Tree[Token]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for tree in trees:
        for token in tree.scan_values(lambda value: isinstance(value, Token)):
            found.setdefault(token.type, {})[str(token)] = None
    return {name: tuple(words) for name, words in found.items()}


@cache
def rules_words() -> tuple[str, ...]:
    """Every word and sign of the rules files."""
    return tuple(sorted({word for words in rules_grammar().vocabulary.values() for word in words if len(word) < 60}))


@cache
def rules_parts() -> tuple[dict[str, tuple[str, ...]], dict[bytes, tuple[tuple[str, int, int], ...]]]:
    """The parts of the rules files: their texts by the rule of the grammar that reads them, and where each part of a file
    stands.
    """
    texts: dict[str, dict[str, None]] = {}
    places: dict[bytes, tuple[tuple[str, int, int], ...]] = {}
    for data in rules():
        text = data.decode("utf-8", "replace")
        tree = _tree(rules_parser(), text) if "\r" not in text else None
        if tree is None:
            continue
        found = [(str(t.data), t.meta.start_pos, t.meta.end_pos) for t in tree.iter_subtrees() if not t.meta.empty]
        places[data] = tuple(part for part in found if part[0] not in ("start", "document"))
        for name, start, end in places[data]:
            if end - start < 400:
                texts.setdefault(name, {})[text[start:end]] = None
    return {name: tuple(parts) for name, parts in texts.items()}, places


@cache
def rules_declarations() -> tuple[str, ...]:
    """Every declaration of the rules files."""
    trees = (
        (text.decode("utf-8", "replace"), _tree(rules_parser(), text.decode("utf-8", "replace"))) for text in rules()
    )
    found = {text[d.meta.start_pos : d.meta.end_pos] for text, tree in trees if tree for d in tree.children[1:] if d}
    return tuple(sorted(declaration for declaration in found if len(declaration) < 1000))


@cache
def schemas() -> tuple[tuple[str, Any], ...]:
    """The schemas of records and of positions, each with its ruleset."""
    found = [(ruleset, rulebook(address_of(ruleset)).game) for ruleset in RULESETS]
    return tuple(
        (ruleset, schema(game)) for ruleset, game in found for schema in (record_schema, record_schema, state_schema)
    )


def corpus(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files that something was found with, each with its target."""
    for path in sorted(folder.iterdir()):
        if not path.name.startswith("."):
            yield path.name.partition("-")[0], path
