"""What must stay true of the code as a whole."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pwtool.eval.interpreter import OPERATIONS as INTERPRETED
from pwtool.ir import nodes as ir
from pwtool.lang import tree as n
from pwtool.rules.library import Library
from pwtool.text import CODES

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "pwtool"
# Words of the games in the library that are also plain words of the trade.
GENERAL = {
    "card", "color", "value", "flag", "goal", "pile", "place", "take", "pass", "hand", "discard", "start", "main", "score", "token",
    "row", "column", "square", "shape", "line", "cross", "corners", "diagonal", "total", "placed", "built", "claim", "turn", "first",
    "even", "one", "all", "some", "once", "left", "earned", "matching", "connected", "ascending", "printed", "never", "nothing", "paid",
    "goals", "token_place", "player", "game", "rule", "advanced",
    "en", "fr", "de", "setup", "taking", "placing", "scoring", "match", "matches", "fresh", "others",
    "lost", "supply", "won", "started", "exactly", "later", "turns", "components", "which_card", "must_take", "hand_limit", "gap", "objectives",
    "blue", "black", "green", "yellow", "stars", "freely", "skipping", "placement", "L",
    "board", "cell", "at", "pay", "cards", "announced",
    "owner", "sign", "prize", "below", "set_up", "prize_list", "edition", "variant", "trim", "grab", "skips", "touches", "ascends", "exhausted",
}  # fmt: skip
# What a game is made of; the names of open points and citations are words about documents.
GAME_ITEMS = (
    n.Component, n.AttributeDeclaration, n.Deck, n.Zone, n.Token, n.Var, n.Define, n.Action, n.Rule, n.Consequence, n.Ending,
    n.Score, n.Invariant, n.Shape, n.Objective,
)  # fmt: skip
FORBIDDEN = {
    "scissors", "shears", "landscape", "crown", "glue", "binocular", "binoculars", "paper_world", "paperworld", "morpion", "gamepark",
    "rock", "scotch", "vitrine", "gang", "duel", "tape", "ruler",
}  # fmt: skip
# Of the classics only what no other game would say: most of their words (`step`, `line`, `free`) are everybody's.
CLASSIC = {
    "checkmate", "castling", "castle", "bishop", "knight", "rook", "en_passant", "checkers", "gomoku", "othello", "mancala", "amazon", "amazons",
    "poker", "leduc", "kuhn", "hearts", "dice",
}  # fmt: skip


def python_files() -> list[Path]:
    files = [p for p in PACKAGE.rglob("*.py") if "importers" not in p.parts]
    assert len(files) > 40, "the test inspects nothing"
    return files


def words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_][A-Za-z_0-9]*", text)) | {w.lower() for w in re.findall(r"[A-Za-z]+", text)}


def declared_names() -> set[str]:
    """Every name that a ruleset of the library declares."""
    library = Library()
    found: set[str] = set()
    games = library.games()
    assert games
    for game in games:
        if library.home(game).parent != library.folder:
            # The classics stand on a shelf of their own.
            continue
        overlays = library.overlays(game)
        addresses = [game, *(f"{game}/{e}" for e in overlays["edition"]), *(f"{game}+{v}" for v in overlays["variant"])]
        for address in addresses:
            layers = library.layers(address).value
            assert layers
            for layer in layers:
                pending: list[n.Node] = list(layer.document.declarations)
                while pending:
                    node = pending.pop()
                    name = getattr(node, "name", None)
                    if isinstance(name, n.Name) and isinstance(node, GAME_ITEMS):
                        found.update(name.name.split("."))
                    for field in n.fields(node):
                        value = getattr(node, field)
                        pending += [
                            v for v in (value if isinstance(value, tuple) else (value,)) if isinstance(v, n.Node)
                        ]
    return found


def test_no_game_word_in_the_package() -> None:
    names = (declared_names() - GENERAL) | FORBIDDEN | CLASSIC
    assert len(names) > 40
    offences = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in python_files()
        for word in sorted(words(path.read_text("utf-8")) & names)
    ]
    assert offences == []


def test_every_operation_has_a_meaning() -> None:
    """Lowering and the back ends are held complete by mypy (`assert_never`); this table is not."""
    assert set(INTERPRETED) == set(ir.OPERATIONS)
    defined = {c for c in vars(ir).values() if isinstance(c, type) and issubclass(c, ir.Node)}
    assert defined - set(ir.OPERATIONS) == {ir.Node, ir.Condition, ir.Counted, ir.Summed}


@pytest.mark.parametrize(
    "path", ["kernel/python.py", "kernel/wasm/expressions.py", "boards/gates.py", "comparing/canonical.py"]
)
def test_a_full_table_ends_in_assert_never(path: str) -> None:
    """So that mypy names every place that forgot a new operation."""
    tree = ast.parse((PACKAGE / path).read_text("utf-8"))
    lasts = [m.cases[-1] for m in ast.walk(tree) if isinstance(m, ast.Match)]
    assert any("assert_never" in ast.unparse(case) for case in lasts)


def test_nothing_is_chosen_by_a_name_put_together_or_by_searching_a_text_form() -> None:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
                name = node.args[1]
                assert not isinstance(name, ast.BinOp), f"{path}:{node.lineno}"
            if isinstance(node, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
                calls = [n for n in ast.walk(node.comparators[0]) if isinstance(n, ast.Call)]
                assert not any(isinstance(c.func, ast.Name) and c.func.id == "repr" for c in calls), (
                    f"{path}:{node.lineno}"
                )


def test_no_game_word_in_the_grammar() -> None:
    for path in (ROOT / "grammar").glob("*.lark"):
        assert words(path.read_text("utf-8")) & FORBIDDEN == set(), path


# Expressions become functions, whose text has nothing of a rules file but numbers: `tests/kernel/test_python.py`.
# The playground is written from the program's own modules, by Node; nothing of a user is among them.
EXECUTED = {"kernel/compiler.py": {"exec", "compile"}, "studio/playground/packing.py": {"compile"}}
STARTED = {"studio/playground/packing.py": {"marshal"}, "studio/playground/export.py": {"subprocess"}}


def test_nothing_is_executed_or_unpickled() -> None:
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        calls = {
            node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        name = path.relative_to(PACKAGE).as_posix()
        assert calls & {"eval", "exec", "compile", "__import__"} == EXECUTED.get(name, set()), path
        imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        started = imported & {"pickle", "marshal", "shelve", "subprocess", "socket", "urllib.request"}
        assert started == STARTED.get(name, set()), path


def test_no_answer_depends_on_the_clock() -> None:
    # These only decide what is shown meanwhile, or how many processes share the work.
    # A kernel waits until there is memory for it.
    allowed = {
        "cli/check.py",
        "cli/streams.py",
        "checking/workers.py",
        "checking/packing.py",
        "learning/workers.py",
        "simulating/runs.py",
        "kernel/machine.py",
    }
    asking = re.compile(r"^\s*(import time\b|from time import)|\bset\(\"timeout\"", re.MULTILINE)
    found = {p.relative_to(PACKAGE).as_posix() for p in python_files() if asking.search(p.read_text("utf-8"))}
    assert found == allowed


def test_the_import_contracts_hold_and_inspect_something() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    files = re.search(r"Analyzed (\d+) files", done.stdout)
    assert files and int(files.group(1)) > 40
    assert re.search(r"Contracts: 5 kept, 0 broken", done.stdout)


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_has_a_page(code: str) -> None:
    assert (ROOT / "docs" / "errors" / f"{code}.md").is_file()


def test_files_stay_readable() -> None:
    for path in PACKAGE.rglob("*.py"):
        lines = path.read_text("utf-8").count("\n")
        # The classes of a tree, and what is made of each, are one table: a row for every construct.
        limit = 800 if path.name in ("tree.py", "nodes.py", "gates.py", "python.py") else 560
        assert lines <= limit, f"{path}: {lines} lines, ask what its second subject is"


def test_a_clean_verdict_imports_no_heavy_library() -> None:
    code = (
        "import sys; from pwtool.cli.app import run; "
        f"code = run(['check', {str(ROOT / 'examples' / 'records' / 'clean.json')!r}]); "
        "heavy = {'lark', 'pwtool.records.models', 'jsonschema', 'jinja2', 'rich', 'numpy'} & set(sys.modules); print(code, sorted(heavy))"
    )
    for _ in range(2):  # the first run may fill the cache of parsed trees
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"
