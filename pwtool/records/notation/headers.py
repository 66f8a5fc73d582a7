"""The headers of a game in notation: the ruleset, the players, and entries of your own."""

from __future__ import annotations

import json
import re
from difflib import get_close_matches
from typing import Any

from pwtool.records.json_text import load_json
from pwtool.records.notation.places import Notes
from pwtool.records.notation.tree import Header, Notation
from pwtool.records.notation.words import Unclear, choose, short
from pwtool.records.words import FORMAT
from pwtool.text.source import SourceFile, Span
from pwtool.text.speech import Told

TEXTS = ("ruleset", "version", "id")
LISTS = ("players", "recorded")
RESERVED = (*TEXTS, *LISTS, "meta", "setup", "result", "comment", "turns", "format")
_LIST = re.compile(r'\s*("(?:[^"\\\x00-\x1f]|\\.)*"|[^,"]*[^,"\s])\s*(,|$)')


def looks_reserved(key: str) -> bool:
    """Whether an entry of the user's own would be taken for a known or misspelled header: its key is then quoted."""
    return bool(get_close_matches(key.lower(), RESERVED, n=1, cutoff=0.8))


def read_headers(tree: Notation, notes: Notes) -> dict[str, Any]:
    """The headers in JSON form."""
    data: dict[str, Any] = {"format": FORMAT}
    meta: dict[str, Any] = {}
    seen: set[str] = set()
    for header in tree.headers:
        key = header.key.text
        if not header.key.quoted and key in (*TEXTS, *LISTS, "meta"):
            if key in seen:
                notes.report("PW716", header.key.span, Told("`{name}` appears twice", name=key))
                continue
            seen.add(key)
            notes.places[key,] = header.value_span
            if key in TEXTS:
                data[key] = _text(header, notes)
            elif key in LISTS:
                data[key] = _names(header, notes)
            elif header.value == "{}":
                data["meta"] = meta
            else:
                help_line = Told("every other header is an entry of `meta`; `meta: {}` says that there is none")
                notes.report(
                    "PW716", header.value_span, Told("unexpected `{text}`", text=short(header.value)), help_line
                )
            continue
        if not header.key.quoted and looks_reserved(key):
            close = get_close_matches(key.lower(), (*TEXTS, *LISTS), n=1, cutoff=0.6)
            message = Told("there is no {what} {name}", what=Told("header"), name=f"`{key}`")
            if close:
                free = Told(
                    'did you mean `{close}`? for an entry of your own, write `"{name}":`', close=close[0], name=key
                )
            else:
                free = Told('for an entry of your own, write `"{name}":`', name=key)
            notes.report("PW716", header.key.span, message, free)
        elif key in meta:
            notes.report("PW716", header.key.span, Told("`{name}` appears twice", name=short(key)))
        else:
            meta[key] = _value(header, notes)
            notes.places["meta", key] = header.value_span
    if meta:
        data["meta"] = meta
    return data


def read_recorded(data: dict[str, Any], consequences: list[str], notes: Notes) -> None:
    """Resolve the names of consequences, which may be shortened."""
    for at, word in enumerate(data.get("recorded", [])):
        try:
            data["recorded"][at] = choose(word, consequences, Told("consequence"))
        except Unclear as unclear:
            notes.unclear(notes.locate(("recorded", at)), unclear)


def _names(header: Header, notes: Notes) -> list[str]:
    """Names separated by commas; those with special characters in quotes."""
    names: list[str] = []
    text, at = header.value, 0
    # Places refer to the text as written, which only differs for values on several lines.
    exact = header.value_span.text == text
    while at < len(text):
        match = _LIST.match(text, at)
        if match is None:
            span = _part(header, at, len(text), exact)
            notes.report(
                "PW711",
                span,
                Told("names are separated by commas"),
                Told('a name with special characters goes in `"`'),
            )
            break
        span = _part(header, match.start(1), match.end(1), exact)
        notes.places[header.key.text, len(names)] = span
        names.append(_unquoted(match.group(1), span, notes))
        at = match.end()
        if at == len(text) and match.group(2):
            notes.report("PW711", _part(header, at - 1, at, exact), Told("a name is missing after the comma"))
    return names


def _part(header: Header, start: int, end: int, exact: bool) -> Span:
    span = header.value_span
    return Span(span.file, span.start + start, span.start + end) if exact else span


def _text(header: Header, notes: Notes) -> str:
    return _unquoted(header.value, header.value_span, notes)


def _unquoted(text: str, span: Span, notes: Notes) -> str:
    if not text.startswith('"'):
        return text
    value = _json(text, span, notes)
    if value is not None and not isinstance(value, str):
        notes.report("PW711", span, Told("a text is needed here"))
    return value if isinstance(value, str) else ""


def _value(header: Header, notes: Notes) -> Any:
    """The value of a text: JSON if it is valid JSON, otherwise the text."""
    text = header.value
    if text[:1] in ("{", "[", '"'):
        return _json(text, header.value_span, notes)
    plain = plain_json(text)
    return text if plain is None else plain[0]


def plain_json(text: str) -> tuple[Any] | None:
    """The number, Boolean or null that a text is in JSON; None if it is none of these."""
    try:
        value = json.loads(text, parse_constant=_refuse)
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return None
    return (value,) if len(text) <= 30 else None


def _refuse(text: str) -> None:
    raise ValueError(text)


def _json(text: str, span: Span, notes: Notes) -> Any:
    result = load_json(SourceFile(span.file.name, text))
    for problem in result.diagnostics:
        at = problem.span.start if problem.span and span.text == text else None
        place = Span(span.file, span.start + at, min(span.start + at + 1, span.end)) if at is not None else span
        notes.report("PW711", place, problem.message, problem.help)
    return result.value
