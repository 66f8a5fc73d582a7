"""The extension for VS Code: its grammars say what ours say, its panel is a harmless page, and it can be packaged."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
from pygments.token import Comment, Keyword, String, Token

from pwtool.lexing import RecordLexer, RulesLexer, grammar_phrases, grammar_words
from pwtool.text.data import data_folder

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "editors" / "vscode"
NODE, NPM = shutil.which("node"), shutil.which("npm")
WAIT = 300

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="only a checkout has the editors")


def read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text("utf-8"))


def patterns(node: Any) -> list[str]:
    """All regular expressions of a grammar."""
    if isinstance(node, list):
        return [found for part in node for found in patterns(part)]
    if not isinstance(node, dict):
        return []
    own = [node[key] for key in ("match", "begin", "end") if isinstance(node.get(key), str)]
    return own + [found for part in node.values() for found in patterns(part)]


def test_words_are_those_of_the_grammar() -> None:
    parts = read("syntaxes/pwtool.tmLanguage.json")["repository"]
    words = re.fullmatch(r"\\b\(\?:([a-z|]+)\)\\b", parts["keyword"]["match"])
    assert words and set(words[1].split("|")) == grammar_words()
    assert parts["phrase"]["match"] == rf"\b(?:{'|'.join(grammar_phrases())})"
    declared = re.match(r"\\b\(([a-z|]+)\)", parts["declaration"]["match"])
    assert declared and set(declared[1].split("|")) <= grammar_words()


@pytest.mark.parametrize("name", ["pwtool", "pwtool-record"])
def test_grammars_are_whole(name: str) -> None:
    grammar = read(f"syntaxes/{name}.tmLanguage.json")
    named = {p["include"].removeprefix("#") for p in grammar["patterns"]}
    assert named == set(grammar["repository"])
    assert len(patterns(grammar)) > 8
    for pattern in patterns(grammar):
        re.compile(pattern)


def test_what_the_extension_names_is_there() -> None:
    package = read("package.json")
    contributes = package["contributes"]
    files = [x["configuration"] for x in contributes["languages"]] + [x["path"] for x in contributes["grammars"]]
    assert all((FOLDER / file).is_file() for file in files)
    for language in contributes["languages"]:
        read(language["configuration"])
    scopes = {g["scopeName"]: read(g["path"])["scopeName"] for g in contributes["grammars"]}
    assert all(name == found for name, found in scopes.items())
    program = (FOLDER / "src" / "extension.js").read_text("utf-8")
    assert all(f'"{c["command"]}"' in program for c in contributes["commands"])
    # What is started is the user's own choice, never an opened folder's.
    assert contributes["configuration"]["properties"]["pwtool.path"]["scope"] == "machine"


@pytest.mark.skipif(NODE is None, reason="Node is not installed")
def test_the_panel_shows_what_it_is_given_and_runs_nothing() -> None:
    found = {
        "title": "objective <b>x</b>", "name": "x", "text": "\"><script>alert(1)</script>", "picture": "<svg/>", "written": "a & b",
        "told": ["source: <i>"], "place": "x.rules:3", "drawn": "<0>",
        "rarity": {"share": "1 in 3", "fraction": 0.33, "lines": ["boards <1>"], "follows": ["a"], "leadsTo": [], "excludes": []},
    }  # fmt: skip
    code = f"process.stdout.write(require({json.dumps(str(FOLDER / 'src' / 'panel.js'))}).page(JSON.parse(process.argv[1])))"
    shown, empty = (
        subprocess.run([str(NODE), "-e", code, json.dumps(x)], capture_output=True, text=True, check=True).stdout for x in (found, None)
    )  # fmt: skip
    for page in (shown, empty):
        assert "default-src 'none'" in page and "<script" not in page and page.startswith("<!DOCTYPE html>")
    assert "1 in 3 boards" in shown and "data:image/svg+xml;base64," in shown and "&#60;b&#62;x" in shown
    assert re.findall(r"<(?:b|i|0|1)>", shown) == []


@pytest.mark.skipif(NODE is None, reason="Node is not installed")
@pytest.mark.parametrize("name", ["extension", "panel"])
def test_the_programs_can_be_read(name: str) -> None:
    done = subprocess.run(
        [str(NODE), "--check", FOLDER / "src" / f"{name}.js"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


# ---- with what Node's registry has


def npm(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    quiet = ("--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")
    flags = quiet if words[0] == "install" else ()
    return subprocess.run(
        [str(NPM), *words, *flags], cwd=folder, capture_output=True, text=True, check=False, timeout=WAIT
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if NPM is None:
        pytest.skip("Node and npm are not installed")
    folder = tmp_path_factory.mktemp("extension") / "vscode"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("node_modules", "dist", "*.vsix"))
    try:
        done = npm(folder, "install")
        more = npm(folder, "install", "--no-save", "vscode-textmate@9", "vscode-oniguruma@2")
    except subprocess.TimeoutExpired:
        pytest.skip("the packages of the extension did not come in time")
    if done.returncode or more.returncode:
        pytest.skip(f"the packages of the extension cannot be had here: {(done.stderr + more.stderr).strip()[-200:]}")
    return folder


@pytest.mark.slow
def test_the_extension_is_packaged(installed: Path) -> None:
    done = npm(installed, "run", "package")
    assert done.returncode == 0, done.stdout + done.stderr
    with zipfile.ZipFile(installed / "pwtool.vsix") as archive:
        names = {name.removeprefix("extension/") for name in archive.namelist()}
        program = archive.read("extension/dist/extension.js").decode("utf-8")
    assert {
        "package.json",
        "dist/extension.js",
        "syntaxes/pwtool.tmLanguage.json",
        "language-configuration.json",
    } <= names
    assert not any("node_modules" in name or name.startswith("src/") for name in names)
    assert "pwtool/describe" in program


def shown_as(scopes: str) -> str:
    """What a stretch is shown as: a comment, a text, a picture, a word of the language, or something else."""
    for kind in (
        "comment",
        "string.quoted",
        "string.unquoted",
        "keyword.declaration",
        "keyword.control",
        "keyword.other",
    ):
        if kind in scopes:
            return kind.partition(".")[0] if kind.startswith(("comment", "keyword")) else kind
    return ""


def lexed_as(kind: Any) -> str:
    if kind in Comment:
        return "comment"
    if kind in String.Other:
        return "string.unquoted"
    if kind in String:
        return "string.quoted"
    return "keyword" if kind in Keyword and kind is not Keyword.Constant else ""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pwtool", "pwtool-record"])
def test_files_are_shown_as_pygments_shows_them(installed: Path, name: str) -> None:
    is_rules = name == "pwtool"
    files = sorted(data_folder("rulesets").rglob("*.rules")) if is_rules else sorted((ROOT / "examples").rglob("*.pwn"))
    grammar = FOLDER / "syntaxes" / f"{name}.tmLanguage.json"
    command = [
        str(NODE),
        ROOT / "tests" / "editors" / "tokenize.js",
        installed / "node_modules",
        grammar,
        f"source.{name}",
    ]
    done = subprocess.run([*command, *files], capture_output=True, text=True, check=True, timeout=WAIT)
    lexer = (RulesLexer if is_rules else RecordLexer)(stripnl=False, ensurenl=False)
    for file, tokens in json.loads(done.stdout).items():
        text = Path(file).read_text("utf-8")
        lines = text.split("\n")
        starts = [sum(len(line) + 1 for line in lines[:at]) for at in range(len(lines))]
        here = [""] * (len(text) + 1)
        for line, start, end, scopes in tokens:
            here[starts[line] + start : starts[line] + min(end, len(lines[line]))] = [shown_as(scopes)] * (
                min(end, len(lines[line])) - start
            )
        at = 0
        for kind, value in lexer.get_tokens(text):
            if kind not in Token.Text.Whitespace and is_rules:
                wanted = lexed_as(kind)
                for offset, sign in enumerate(value):
                    if not sign.isspace():
                        assert here[at + offset] == wanted, (file, lines[text.count("\n", 0, at)], value)
            at += len(value)
        assert any(here)
