"""Rules that the documentation, the library and `pwtool new` offer are played: every game ends, and `lint` is content."""

from __future__ import annotations

import os
import random
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from pwtool.checking.linting import lint_target
from pwtool.cli.app import run
from pwtool.kernel import run as kernels
from pwtool.play.selfplay import MAX_TURNS
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import Library
from pwtool.rules.targets import find_targets
from pwtool.simulating.games import Played, Player
from pwtool.text import Severity
from tests.daily import one_day_in, some
from tests.docs.test_errors import place
from tests.support import few_or_many

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SEED = int(os.environ.get("PWTOOL_SEED") or random.SystemRandom().randrange(1 << 32))
FEW, MANY = 8, 300
needs_kernels = pytest.mark.skipif(not kernels.is_installed(), reason="the engine is too slow for so many games")

# What is not played, and why.
NOT_PLAYED = {
    "failing": "the page shows what is wrong with it",
    "fragment=declarations": "shows forms, of no game in particular",
    "fragment=expression": "shows forms, of no game in particular",
}
NOT_LINTED = {
    "objective my_ell ": "shows how objectives are written, some of which are official ones",
    "objective sevens ": "the page shows what `lint` says of it",
    "edition fives_edition ": "the page shows what `analyze` says of it",
}
NOT_ENDED = {
    "game exact ": "the page shows a game that gets stuck",
    "game steps ": "the page shows a consequence that never ends",
    "game well ": "the page shows a consequence that exceeds a bound",
    '  because "seven are enough for two"\n<end>': "the page shows what `lint` says of it",
}
# Rules under which games may get stuck, because they are those of a program.
STALLS = {"paper_world/gamepark": "this program has no way to pass"}


@dataclass(frozen=True)
class Block:
    """A block of rules on a page: the line where it begins, what its info string says, and its text."""

    page: str
    line: int
    info: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks() -> list[Block]:
    found = []
    for page in PAGES:
        text = page.read_text("utf-8")
        for m in re.finditer(r"^```rules([^\n]*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            line = text.count("\n", 0, m.start()) + 1
            found.append(Block(str(page.relative_to(ROOT)), line, m[1].strip(), m[2]))
    return found


BLOCKS = [b for b in blocks() if b.info.split()[:1] and b.info.split()[0] not in NOT_PLAYED]


def test_every_block_says_what_it_is() -> None:
    kinds = {b.info.split(" ")[0].partition("=")[0] for b in blocks()}
    assert kinds == {"file", "overlay", "ruleset", "fixed", "failing", "fragment"}
    assert len(BLOCKS) > 90


def write(block: Block, folder: Path) -> tuple[str, Library]:
    """Write a block where its page says: its address, and the library that has it."""
    if block.info.split()[0] in ("fixed", "ruleset"):
        (folder / "rulesets").mkdir()
        for game in Library().games():
            home = folder / "rulesets" / game
            home.mkdir()
            for file in Library().home(game).glob("*.rules"):
                (home / file.name).symlink_to(file)
        for earlier in (b for b in BLOCKS if b.page == block.page and b.line < block.line):
            place(folder / "rulesets", earlier.text)
        address, _ = place(folder / "rulesets", block.text)
        return address, Library(folder / "rulesets")
    base = block.info.partition("overlay=")[2]
    header = f'edition doc of {base} "Doc"\n' if base else ""
    path = folder / (block.info.partition("file=")[2] or "doc/game.rules")
    path.parent.mkdir(exist_ok=True)
    path.write_text(header + block.text, "utf-8")
    return str(path), Library()


def unfinished(book: Rulebook, games: int, seed: int) -> dict[int, list[str]]:
    """For each number of players, how games failed to end."""
    player, ruleset = Player(book), book.game.ruleset
    most = min(ruleset.max_players, max(ruleset.min_players, 4))
    found = {
        players: [how(game) for game in player.play(players, seed, games) if not game.over]
        for players in range(ruleset.min_players, most + 1)
    }
    return {players: ways for players, ways in found.items() if ways}


def how(game: Played) -> str:
    if game.failed is not None:
        return game.failed.__name__
    return "stuck" if game.turns < MAX_TURNS else "without end"


def loaded(address: str, library: Library) -> Rulebook:
    result = RulesetStore(library).get(address)
    assert result.value is not None, [d.message for d in result.diagnostics]
    return result.value


def linted(address: str, library: Library) -> list[str]:
    (target,), problems = find_targets([address], library)
    found = [*problems, *lint_target(target, library)]
    # The pages speak of an edition, not of what it is with each variant of the game in whose folder the test puts it.
    return [
        d.message for d in found if not (d.level is Severity.NOTE and any(n.startswith("only with") for n in d.notes))
    ]


def reason(listed: dict[str, str], block: Block) -> str | None:
    return next((why for begins, why in listed.items() if f"\n{begins}" in f"\n{block.text}<end>"), None)


@one_day_in(4)
@pytest.mark.parametrize("games", few_or_many(FEW, MANY))
@pytest.mark.parametrize("block", some(BLOCKS, len(BLOCKS) // 24), ids=str)
def test_rules_of_the_documentation_play_well(
    block: Block, games: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    seed = SEED if games == MANY else 1
    print(f"PWTOOL_SEED={seed}")
    address, library = write(block, tmp_path)
    # What is listed has to be as wrong as its page says, or it is listed for nothing.
    assert bool(linted(address, library)) == (reason(NOT_LINTED, block) is not None), linted(address, library)
    stuck = unfinished(loaded(address, library), games, seed)
    assert bool(stuck) == (reason(NOT_ENDED, block) is not None), stuck


def addresses() -> list[str]:
    library, found = Library(), []
    for game in library.games():
        overlays = library.overlays(game)
        found += [
            game,
            *(f"{game}/{name}" for name in overlays["edition"]),
            *(f"{game}+{name}" for name in overlays["variant"]),
        ]
    return found


@needs_kernels
@pytest.mark.slow
@pytest.mark.parametrize("address", addresses())
def test_the_rules_of_the_library_play_well(address: str) -> None:
    print(f"PWTOOL_SEED={SEED}")
    stuck = unfinished(loaded(address, Library()), MANY, SEED)
    assert not any(way != "stuck" for ways in stuck.values() for way in ways)
    assert not stuck or address in STALLS, stuck


@needs_kernels
def test_only_what_gets_stuck_is_listed() -> None:
    for address in STALLS:
        assert unfinished(loaded(address, Library()), MANY, 1)


@pytest.mark.parametrize("games", few_or_many(FEW, MANY))
@pytest.mark.parametrize(
    "words",
    some(
        ["game x", "edition x --of paper_world/en", "edition x --of tic_tac_toe", "objective x --of paper_world/fr"], 1
    ),
)
def test_what_new_writes_plays_well(words: str, games: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    seed = SEED if games == MANY else 1
    print(f"PWTOOL_SEED={seed}")
    assert run(["new", *words.split(), "-o", "x.rules"]) == 0
    assert linted("x.rules", Library()) == []
    assert unfinished(loaded("x.rules", Library()), games, seed) == {}


def test_a_rule_that_strands_players_is_told_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "seven.rules"
    path.write_text(
        'edition seven of paper_world/en "Seven"\n'
        'change rule turn.hand_limit "At most seven cards stay in hand" see taking require count hand <= 7\n'
    )
    for words in ([], ["paper_world/en"]):
        assert run(["simulate", *words, str(path), "--games", "30", "--seed", "1"]) == 0
        head = capsys.readouterr().out.partition("\n\n")[0].splitlines()
        (stuck,) = re.findall(r"^warning: .* not over: (\d+) of 90 games under (\S+)$", head[-1])
        assert int(stuck[0]) > 80 and stuck[1] == str(path)
    assert run(["simulate", "paper_world/en", "--games", "30", "--seed", "1"]) == 0
    assert "warning" not in capsys.readouterr().out
