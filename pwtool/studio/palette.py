"""Simple objectives written by pointing: a drawn shape, and what its cards have in common, as a line of the language."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from pwtool.ir.model import ComponentModel, Ruleset
from pwtool.lang import tree as n
from pwtool.lang.fmt.text import format_rules
from pwtool.lsp.model.analysis import analyze
from pwtool.show.svg.named import draw_named
from pwtool.studio.cells import board_of
from pwtool.studio.document_context import DocumentContext, units
from pwtool.studio.folder import NAMED
from pwtool.studio.meaning import first_error
from pwtool.studio.refusing import Refused
from pwtool.text import did_you_mean
from pwtool.text.source import SourceFile
from pwtool.text.speech import Told
from pwtool.text.words import in_quotes, quoted
from pwtool.why.voice import Voice

MAX_SIDE = 10
_NAME = re.compile(r"[A-Za-z]\w*")
_SIGNS = {"#": "#", ".": ".", " ": ".", "_": "_"}
_RELATIONS = {"same": "same", "different": "distinct", "ascending": "ascending"}
_OPERATORS = ("==", "!=", ">=", "<=", ">", "<")


class Together(msgspec.Struct):
    """How the cards of the shape are related in an attribute: `same`, `different`, `ascending`."""

    attribute: str
    relation: str


class Each(msgspec.Struct):
    """A condition on each card: an attribute compared with a value."""

    attribute: str
    op: str
    value: str | int | bool


class Height(msgspec.Struct):
    """The height of each pile."""

    op: str
    value: int


class Draft(msgspec.Struct):
    """An objective as put together on the page: rows of `#` (a card), `.` (anything) and `_` (nothing)."""

    name: str
    shape: list[str]
    words: str = ""
    turned: bool = False
    mirrored: bool = False
    together: list[Together] = []
    each: list[Each] = []
    height: Height | None = None
    sum: Each | None = None


def write_objective(asked: DocumentContext, draft: Draft, voice: Voice) -> dict[str, Any]:
    """An objective in the language, its picture, its place in the file, and whether it is valid there."""
    ruleset = asked.ruleset
    text = _written(ruleset, draft)
    file = asked.analysis.file
    at, apart = _place(asked)
    piece = "\n" * (1 + apart) * bool(file.text[:at].strip()) + text
    library = asked.workspace.library()
    whole = file.text[:at] + piece + file.text[at:]
    library.drafts[str(asked.path)] = whole
    found = analyze(asked.path, library)
    wrong = first_error(found.findings)
    fits = found.ruleset is not None
    if (
        wrong is not None
        and asked.analysis.ruleset is None
        and not _is_about(wrong.span, at, at + len(piece), file.name)
    ):
        # The error is elsewhere and was there before.
        wrong, fits = None, True
    return {
        "text": text,
        "insert": piece,
        "at": units(file.text, at),
        "line": file.text.count("\n", 0, at) + 2,
        "fits": fits and wrong is None,
        "problem": voice.tell(wrong.message) if wrong is not None else None,
        "svg": draw_named(found.ruleset, draft.name, voice.language) if found.ruleset is not None else None,
    }


def _is_about(span: Any, start: int, end: int, file: str) -> bool:
    return span is not None and span.file.name == file and start <= span.start <= end


def _place(asked: DocumentContext) -> tuple[int, bool]:
    """The place after the last objective of the file and its examples, otherwise after its last declaration; separated
    by an empty line, except after objectives on consecutive lines.
    """
    analysis = asked.analysis
    if not asked.folder.may_write(asked.path):
        raise Refused(Told("this file cannot be changed here"))
    document = analysis.document
    if document is None:
        return len(analysis.file.text), True
    declared = [d.declaration if isinstance(d, n.Change) else d for d in document.declarations]
    last = max((at for at, d in enumerate(declared) if isinstance(d, n.Objective)), default=None)
    while last is not None and last + 1 < len(declared) and isinstance(declared[last + 1], n.Example):
        last += 1
    before: n.Node = [document.header, *declared][-1 if last is None else last + 1]
    span = before.span
    at = span.start + len(span.text.rstrip())
    end = analysis.file.text.find("\n", at)
    rest = analysis.file.text[at : end if end >= 0 else None]
    # A trailing comment stays with its line.
    return at + (len(rest) if rest.lstrip().startswith("#") else 0), not isinstance(before, n.Objective)


def _written(ruleset: Ruleset, draft: Draft) -> str:
    _, component = board_of(ruleset)
    if not _NAME.fullmatch(draft.name):
        raise Refused(NAMED)
    if ("objective", draft.name) in ruleset.merged.items:
        raise Refused(Told("there is an objective {name} already", name=f"`{draft.name}`"))
    if draft.words not in ("", *draft.words.splitlines()):
        raise Refused(Told("what players read cannot hold a line break"))
    conditions = [*_conditions(component, draft)]
    picture = _picture(draft)
    sides = " ".join(["", *["turned"] * draft.turned, *["mirrored"] * draft.mirrored])
    tail = f": {' and '.join(conditions)}" if conditions else ""
    words = f" {in_quotes(draft.words)}" if draft.words.strip() else ""
    text = f"objective {draft.name}{words} = some {picture}{sides}{tail}"
    head = "part palette of palette\n"
    formatted = format_rules(SourceFile("palette", f"{head}{text}\n")).value
    return formatted.removeprefix(head).strip() if isinstance(formatted, str) else text


def _picture(draft: Draft) -> str:
    rows = [row.rstrip("\n") for row in draft.shape]
    if not rows or len(rows) > MAX_SIDE or any(len(row) > MAX_SIDE for row in rows):
        raise Refused(Told("a shape has at most {most} rows and columns", most=MAX_SIDE))
    if any(sign not in _SIGNS for row in rows for sign in row):
        raise Refused(Told("a shape is drawn with `#`, `.` and `_`"))
    wide = max(map(len, rows))
    cells = [[_SIGNS[sign] for sign in row.ljust(wide, ".")] for row in rows]
    # Empty margins say nothing.
    while cells and set(cells[0]) <= {"."}:
        del cells[0]
    while cells and set(cells[-1]) <= {"."}:
        del cells[-1]
    if not any("#" in row for row in cells):
        raise Refused(Told("draw the shape first: click the cells on which a card lies"))
    used = [x for x in range(wide) if any(row[x] != "." for row in cells)]
    return f"[ {' / '.join(' '.join(row[used[0] : used[-1] + 1]) for row in cells)} ]"


def _conditions(component: ComponentModel, draft: Draft) -> list[str]:
    found = []
    for together in draft.together:
        _attribute(component, together.attribute)
        if together.relation not in _RELATIONS:
            raise Refused(Told("{word} is not known", word=f"`{together.relation}`"), quoted(_RELATIONS))
        found.append(f"{_RELATIONS[together.relation]} {together.attribute}")
    for each in draft.each:
        kind = _attribute(component, each.attribute)
        if kind == "bool":
            found.append(
                f"all {each.attribute}" if each.value in (True, "true", "yes") else f"not any {each.attribute}"
            )
        else:
            found.append(f"all {each.attribute} {_operator(each.op)} {_value(each.value)}")
    if draft.sum is not None:
        _attribute(component, draft.sum.attribute)
        found.append(f"sum {draft.sum.attribute} {_operator(draft.sum.op)} {_value(draft.sum.value)}")
    if draft.height is not None:
        found.append(f"all height {_operator(draft.height.op)} {_value(draft.height.value)}")
    return found


def _attribute(component: ComponentModel, name: str) -> str:
    attribute = component.attributes.get(name)
    if attribute is None:
        raise Refused(
            Told("there is no {what} {name}", what=Told("attribute"), name=f"`{name}`"),
            did_you_mean(name, component.attributes),
        )
    return attribute.type.kind


def _operator(sign: str) -> str:
    if sign not in _OPERATORS:
        raise Refused(Told("{word} is not known", word=f"`{sign}`"), quoted(_OPERATORS))
    return sign


def _value(value: str | int | bool) -> str:
    text = str(value)
    if not re.fullmatch(r"-?\d+|[A-Za-z]\w*", text):
        raise Refused(Told("{word} is not known", word=f"`{text}`"))
    return text
