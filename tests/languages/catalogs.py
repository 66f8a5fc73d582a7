"""The catalogs of messages, from what the program says: `python -m tests.languages.catalogs` brings them up to date.

The template is written anew; what is new or worded differently stands in the catalogs without a translation or marked as fuzzy, and
the suite fails until somebody has translated it. Then the same command compiles them.
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import typer.main
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_javascript
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from pwtool.cli.app import app
from pwtool.cli.help import CONTEXT, OWN_WORDS, paragraphs
from pwtool.studio.page_language import PAGE
from pwtool.text.speech import LOCALE, SPOKEN

ROOT = Path(__file__).resolve().parents[2]
WORDS = ROOT / "web" / "src" / "words.ts"
TEMPLATE = LOCALE / "pwtool.pot"
WIDTH = 120


BADLY_SET = {
    "fr": re.compile(r"[ \u00a0][:;!?»]|«[ \u00a0]|[^\s\u202f:(][;!?»]|\w[:]"),
    "de": re.compile(r"\s[:;!?]|[“”](?=\w)|„\s|«|»"),
}


def badly_set(text: str, language: str) -> bool:
    """Whether signs or the blanks beside them are not set as the language does."""
    return BADLY_SET[language].search(text) is not None


@dataclass(frozen=True, slots=True)
class Said:
    """A message where it is said; `names` are what fills its gaps, None where that is not written there."""

    place: str
    message: str
    more: str | None = None
    context: str | None = None
    names: frozenset[str] | None = None


def said_in(path: Path) -> Iterator[Said]:
    """The messages of a module: what `say`, `about`, `many`, `mark`, `Told` and `need` are called with, and the items of `marked`."""
    tree = ast.parse(path.read_text("utf-8"))
    # There `say` alone prints lines.
    prints = any(
        isinstance(node, ast.ImportFrom) and node.module == "pwtool.cli.streams" and any(a.name == "say" for a in node.names)
        for node in ast.walk(tree)
    )  # fmt: skip
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        where = path.relative_to(ROOT).as_posix()
        names = frozenset(k.arg for k in node.keywords if k.arg)
        if called == "say" and (isinstance(node.func, ast.Attribute) or not prints):
            for message in _texts(node.args[0]):
                yield Said(where, message, names=names)
        elif isinstance(node.func, ast.Attribute) and called == "joined" and len(node.args) == 2:
            for message in _texts(node.args[1]):
                yield Said(where, message)
        elif isinstance(node.func, ast.Attribute) and called == "about":
            (context,) = _texts(node.args[0]) or [""]
            for message in _texts(node.args[1]) if context else ():
                yield Said(where, message, context=context, names=names)
        elif called == "mark_many":
            for one, more in zip(_texts(node.args[0]), _texts(node.args[1]), strict=True):
                yield Said(where, one, more)
        elif isinstance(node.func, ast.Attribute) and called == "many" and len(node.args) > 2:
            for one, more in zip(_texts(node.args[0]), _texts(node.args[1]), strict=True):
                yield Said(where, one, more, names=names | {"count"})
        elif called == "Told" and _texts(node.args[0]):
            more = _texts(node.args[1]) if len(node.args) > 1 else []
            known = None if any(k.arg is None for k in node.keywords) else names | ({"count"} if more else set())
            for message in _texts(node.args[0]):
                yield Said(where, message, more[0] if more else None, names=known)
        elif called == "need" and "/records/" in where:
            for message in _texts(node.args[2]):
                yield Said(where, message, names=names)
        elif called in REPORTERS and (called == "of" or _reports(where)):
            for message in _reported(node):
                yield Said(where, message, names=None if any(k.arg is None for k in node.keywords) else names)
        elif called == "unknown" and _reports(where):
            for message in _texts(node.args[0]):
                yield Said(where, message)
        elif called in ("Label", "Fix") and _reports(where):
            for message in _texts(node.args[-1]) if len(node.args) == LABELLED[called] else ():
                yield Said(where, message)
        elif called == "mark":
            for message in _texts(node.args[0]):
                yield Said(where, message)
        elif called == "marked" and isinstance(node.args[0], ast.Dict):
            for key, value in zip(node.args[0].keys, node.args[0].values, strict=True):
                ((context,), (message,)) = _texts(key), _texts(value)
                yield Said(where, message, context=context)

    for node in ast.walk(tree) if _reports(where) else ():
        for name, value in _assigned(node) if isinstance(node, ast.Assign) else ():
            if getattr(name, "id", "") in ("message", "help_line"):
                yield from (Said(where, message) for message in _texts(value))


REPORTERS = ("of", "BadExample", "report", "warn", "stop", "pointless", "told", "_fail")
"""What makes a finding: it takes the message, and what fills its gaps and those of its help, labels and fix."""
LABELLED = {"Label": 2, "Fix": 3}
"""What has a text as its last argument, of so many."""

REPORTING = ("pwtool/lang/", "pwtool/rules/", "pwtool/ir/", "pwtool/boards/", "pwtool/checking/examples", "pwtool/why/")


def _reports(where: str) -> bool:
    """Whether a module has the findings about rules: there `message` and `help_line` are messages, too."""
    return where.startswith(REPORTING)


def _assigned(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The names that an assignment gives values to, each with its value."""
    name, value = node.targets[0], node.value
    several = isinstance(name, ast.Tuple) and isinstance(value, ast.Tuple)
    yield from zip(name.elts, value.elts, strict=True) if several else ((name, value),)


def _reported(node: ast.Call) -> Iterator[str]:
    """The texts that a finding is made of: its code and what fills gaps are none."""
    for part in (*node.args, *(k.value for k in node.keywords if k.arg in ("help", "notes"))):
        for text in part.elts if isinstance(part, ast.Tuple) else (part,):
            yield from (message for message in _texts(text) if not re.fullmatch(r"PW\d+", message))


def _texts(node: ast.expr | None) -> list[str]:
    if isinstance(node, ast.IfExp):
        return [*_texts(node.body), *_texts(node.orelse)]
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def said_on_page() -> Iterator[Said]:
    """The messages of the studio's page, which have a place of their own; that their gaps are filled, its compiler sees to."""
    with WORDS.open("rb") as file:
        for _, called, texts, _ in extract_javascript(file, {"say": None, "many": (1, 2)}, (), {}):
            one, more = texts[:2] if called == "many" else (texts if isinstance(texts, str) else texts[0], None)
            yield Said(WORDS.relative_to(ROOT).as_posix(), one, more, context=PAGE)


def said_in_help() -> Iterator[Said]:
    """The texts of help pages: what commands, their options and arguments do, and the titles of these."""

    def texts(command: Any) -> Iterator[str]:
        yield from paragraphs(command.help or "")
        for one in (command, *command.params):
            yield getattr(one, "rich_help_panel", None) or ""
            yield getattr(one, "help", None) or "" if one is not command else ""
        for below in getattr(command, "commands", {}).values():
            yield from texts(below)

    for text in dict.fromkeys((*texts(typer.main.get_command(app)), *OWN_WORDS)):
        if text:
            yield Said("pwtool/cli/help.py", text, context=CONTEXT)


@cache
def all_said() -> tuple[Said, ...]:
    """Every message of the program."""
    files = (path for path in sorted((ROOT / "pwtool").rglob("*.py")) if _SAYS.search(path.read_text("utf-8")))
    return (*(said for path in files for said in said_in(path)), *said_on_page(), *said_in_help())


_SAYS = re.compile(
    r"\b(say|about|many|joined|mark\w*|Told|need|of|BadExample|report|warn|stop|told|unknown|_fail|Label|Fix)\("
)


def template() -> Catalog:
    """All messages, as the template has them."""
    catalog = Catalog(project="pwtool", charset="utf-8", fuzzy=False)
    for said in all_said():
        identity = said.message if said.more is None else (said.message, said.more)
        catalog.add(identity, locations=[(said.place, 0)], context=said.context, flags=["python-brace-format"])
    return catalog


def read(path: Path, language: str | None = None) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=language)


def catalog_of(language: str) -> Catalog:
    return read(LOCALE / language / "LC_MESSAGES" / "pwtool.po", language)


def written(catalog: Catalog) -> bytes:
    text = io.BytesIO()
    write_po(
        text, catalog, width=WIDTH, sort_by_file=True, include_lineno=False, omit_header=False, ignore_obsolete=True
    )
    lines = [line for line in text.getvalue().split(b"\n") if not line.startswith(_DATED)]
    return b"\n".join(lines)


# What would change with each run.
_DATED = tuple(
    b'"' + name
    for name in (b"POT-Creation-Date", b"PO-Revision-Date", b"Generated-By", b"Last-Translator", b"Report-Msgid", b"Language-Team")
)  # fmt: skip


def compiled(catalog: Catalog) -> bytes:
    catalog.creation_date = catalog.revision_date = datetime(2000, 1, 1, tzinfo=UTC)
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def main() -> None:
    found = template()
    TEMPLATE.write_bytes(written(found))
    missing = 0
    for language in SPOKEN[1:]:
        path = LOCALE / language / "LC_MESSAGES" / "pwtool.po"
        catalog = read(path, language) if path.exists() else Catalog(locale=language, fuzzy=False)
        catalog.update(found, update_header_comment=False)
        catalog.obsolete.clear()
        path.write_bytes(written(catalog))
        path.with_suffix(".mo").write_bytes(compiled(read(path, language)))
        for message in catalog:
            if message.id and (message.fuzzy or not message.string or not all(forms(message.string))):
                missing += 1
                print(f"{language}: {message.id!r}" + (" (fuzzy)" if message.fuzzy else ""))
    sys.exit(1 if missing else 0)


def forms(string: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """A text, or one for each number that a language tells apart."""
    return (string,) if isinstance(string, str) else tuple(string)


if __name__ == "__main__":
    main()
