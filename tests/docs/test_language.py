"""Every block of `docs/language.md` and of the first game parses, whole files load, and no construct of the grammar
stays undocumented.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from lark import Lark, Token, Tree

from pwtool.lang.parser import parse_rules
from pwtool.play.game import Game
from pwtool.rules.build import load_ruleset
from pwtool.rules.library import Library
from pwtool.text.source import SourceFile
from pwtool.why.examples import check_examples
from tests.daily import some

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "language.md"
FIRST = ROOT / "docs" / "first_game.md"
GRAMMAR = ROOT / "grammar" / "rules.lark"
RULESETS = ROOT / "rulesets"


@dataclass(frozen=True)
class Block:
    """A fenced block: its page, the line where its text begins, what its info string says, its text."""

    page: str
    line: int
    kind: str
    text: str

    @property
    def sources(self) -> list[str]:
        """The block as rules files; one for each line of a block of expressions."""
        if self.kind.startswith("file"):
            return [self.text]
        if self.kind == "fragment=expression":
            lines = [line for line in self.text.splitlines() if line.strip()]
            return [f'edition doc of paper_world "Doc"\nscore doc "Doc" = {line}\n' for line in lines]
        base = self.kind.partition("=")[2] if self.kind.startswith("overlay=") else "paper_world"
        return [f'edition doc of {base} "Doc"\n{self.text}']


def blocks() -> list[Block]:
    texts = [(page.stem, page.read_text("utf-8")) for page in (FIRST, PAGE)]
    return [
        Block(page, text.count("\n", 0, m.start(2)) + 1, m.group(1).strip(), m.group(2))
        for page, text in texts
        for m in re.finditer(r"^```rules([^\n]*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    ]


BLOCKS = blocks()
WHOLE = [b for b in BLOCKS if b.kind.startswith(("file", "overlay="))]


def name(block: Block) -> str:
    return f"{block.page} line {block.line}"


def test_the_page_has_blocks_of_every_kind() -> None:
    assert {b.kind.partition("=")[0] for b in BLOCKS} == {"file", "fragment", "overlay"}
    assert all(b.kind in ("file", "fragment=declarations", "fragment=expression") for b in BLOCKS if b not in WHOLE)


@pytest.mark.parametrize("block", BLOCKS, ids=name)
def test_a_block_parses(block: Block) -> None:
    for source in block.sources:
        result = parse_rules(SourceFile("doc.rules", source))
        assert result.diagnostics == (), f"{source}\n{result.diagnostics[0]}"
        assert result.value is not None


@pytest.mark.parametrize("block", some(WHOLE, 2), ids=name)
def test_a_whole_file_loads_and_its_examples_hold(block: Block, tmp_path: Path) -> None:
    folder = tmp_path / "rulesets"
    shutil.copytree(RULESETS, folder)
    (source,) = block.sources
    header = re.match(r"game (\w+)", source)
    if header:
        path = folder / header.group(1) / "game.rules"
        path.parent.mkdir()
        address = header.group(1)
    else:
        path = tmp_path / "doc.rules"
        address = str(path)
    path.write_text(source, "utf-8")
    result = load_ruleset(address, Library(folder))
    assert result.diagnostics == ()
    assert result.value is not None
    assert [d for d in check_examples(Game(result.value)) if d.span and d.span.file.name == str(path)] == []


# ---- the page is complete


def trees() -> Iterator[Tree[Token]]:
    """The raw trees of all blocks of the page and of all shipped rulesets."""
    parser = Lark(GRAMMAR.read_text("utf-8"), parser="lalr", maybe_placeholders=True)
    for block in BLOCKS:
        for source in block.sources:
            yield parser.parse(source)
    files = sorted(RULESETS.rglob("*.rules"))
    assert files
    for file in files:
        yield parser.parse(file.read_text("utf-8"))


def constructs() -> set[str]:
    """The names that a tree can hold: aliases, and rules that are not replaced by their only child or by an alias."""
    grammar = re.sub(r"//[^\n]*", "", GRAMMAR.read_text("utf-8"))
    aliases = set(re.findall(r"->\s*(\w+)", grammar))
    rules = set()
    for match in re.finditer(
        r"^(?P<mark>[?!]?)(?P<name>[a-z_]+)\s*:(?P<body>.*?)(?=^[?!]?\w+(?:\.\d+)?\s*:|\Z|^%)",
        grammar,
        re.DOTALL | re.MULTILINE,
    ):
        alternatives = re.split(r"\n\s*\|", match["body"])
        if match["mark"] != "?" and not all("->" in a for a in alternatives):
            rules.add(match["name"])
    return aliases | rules


def test_every_construct_is_shown() -> None:
    known = constructs()
    assert {"game_header", "erratum", "call_example", "comprehension", "zone", "neighbours_of"} <= known
    used: set[str] = set()
    for tree in trees():
        used |= {str(node.data) for node in tree.iter_subtrees()}
    assert known - used == set()


def test_every_keyword_is_on_the_page() -> None:
    grammar = re.sub(r"//[^\n]*", "", GRAMMAR.read_text("utf-8"))
    keywords = set(re.findall(r'"([a-z]+)"', grammar))
    keywords |= set(re.findall(r"/([a-z]+)\[ \\t\]\+", grammar))
    assert {"game", "without", "tops", "neighbours"} <= keywords
    code = " ".join(b.text for b in BLOCKS) + " ".join(re.findall(r"`([^`\n]+)`", PAGE.read_text("utf-8")))
    assert keywords - set(re.findall(r"[a-z]+", code)) == set()


def test_links_and_limits_are_as_the_program_has_them() -> None:
    from pwtool.lang.limits import MAX_BYTES, MAX_DEPTH
    from pwtool.rules.build import MAX_PLAYERS
    from pwtool.rules.check.material import MAX_COUNT, MAX_FACES, MAX_GRID

    text = PAGE.read_text("utf-8").replace("10 000", "10000")
    limits = text[text.index("| limit |") :]
    for number in (MAX_BYTES >> 20, MAX_DEPTH, MAX_PLAYERS, MAX_COUNT, MAX_FACES, MAX_GRID):
        assert re.search(rf"\b{number}\b", limits), number
