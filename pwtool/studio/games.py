"""Recorded games that somebody pastes or chooses: what the rules in the editor say of them, and what they say of the rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from typing import Any

import msgspec

from pwtool.checking.documents import check_loaded, load_document
from pwtool.checking.report import FileResult, Verdict
from pwtool.learning import Learner, NothingToLearn
from pwtool.lsp.model.records import Records
from pwtool.records.file_contents import format_in
from pwtool.records.file_names import NOTATION
from pwtool.records.inputs import Document, Text, games_of, texts_of
from pwtool.show.html.learned import render_learned
from pwtool.show.text.learning import folder_line, head_line
from pwtool.studio.document_context import NOT_NOW, DocumentContext
from pwtool.studio.refusing import Refused
from pwtool.text import Diagnostic
from pwtool.text.speech import Told
from pwtool.why.voice import Voice

HOUSE = "house"
"""The name of a file with learned rules, if there is none."""
MAX_GAMES = 7_000_000
"""The most characters of all games; a long one has forty thousand."""
SHOWN = 10
"""The number of games of which is shown what is wrong with them."""


class Given(msgspec.Struct):
    """A text with games, and the name of its file (empty: it was pasted)."""

    text: str
    name: str = ""


def judge_games(asked: DocumentContext, records: Records, given: Sequence[Given], voice: Voice) -> dict[str, Any]:
    """How many games are clean, and of some others what is wrong with them: what follows from something else last."""
    address, shown = _address(asked), list[dict[str, Any]]()
    games = clean = 0
    ruleset_store = records.ruleset_store()
    for document in _documents(given):
        with _in_form():
            loaded = load_document(document)
            result = (
                loaded
                if isinstance(loaded, FileResult)
                else check_loaded(loaded, ruleset_store, address, voice.language, causes=len(shown) < SHOWN)
            )
        games += 1
        clean += result.verdict is Verdict.CLEAN
        if result.verdict is not Verdict.CLEAN and len(shown) < SHOWN:
            found = sorted(result.within(voice).diagnostics, key=lambda diagnostic: diagnostic.follows)
            shown.append(
                {"name": document.name, "verdict": result.verdict.value, "findings": [_finding(one) for one in found]}
            )
    return {"games": games, "clean": clean, "shown": shown}


def learn_rules(
    asked: DocumentContext, records: Records, given: Sequence[Given], put: Callable[[str], str], voice: Voice
) -> dict[str, Any]:
    """By which rules games were played, as a small change of those in the editor: the page for players, and the edition with the name
    and the folder of its file, if that is one of the studio's.
    """
    learner = Learner(records.ruleset_store(), (_address(asked),), language=voice.language)
    folder = asked.folder
    learner.name = folder.free(HOUSE, asked.path.parent if folder.has(asked.path.parent) else None)
    try:
        with _in_form():
            learned = learner.learn(_documents(given))
    except NothingToLearn as nothing:
        why = next((d.message for d in nothing.findings), None) or next((said for _, said in nothing.left_out), None)
        raise Refused(Told("there is nothing to learn from"), why) from nothing
    own = learned.folder is not None and folder.has(learned.folder)
    return {
        "said": head_line(learned, voice),
        "page": put(render_learned(learned, voice.language)),
        "edition": learned.text if learned.changes and (learned.folder is None or own) else None,
        "name": learned.name,
        "folder": learned.folder.as_uri() if learned.folder is not None and own else None,
        "note": None if own else folder_line(learned, voice),
    }


_OPTION = re.compile(r"(?<![\w-])--[a-z]")


def _address(asked: DocumentContext) -> str:
    if asked.analysis.ruleset is None:
        raise Refused(NOT_NOW)
    return asked.analysis.target.address


def _documents(given: Sequence[Given]) -> Iterator[Document]:
    """The games in texts. Raises `Refused` if they are too many."""
    if sum(len(one.text) for one in given) > MAX_GAMES:
        raise Refused(Told("these games are too many"), Told("{command} reads archives", command="`pwtool check`"))
    for one in given:
        for text in _texts(one.name, one.text.encode("utf-8", "surrogatepass")):
            yield text if isinstance(text, Document) else text.document()


def first_document(text: str) -> Document:
    """The first game in a text that somebody pasted. Raises `Refused` if there is none."""
    found = next(_documents([Given(text)]), None)
    if found is None:
        raise Refused(Told("this is not a game in the form that pwtool reads"))
    return found


def _texts(name: str, data: bytes) -> Iterator[Text | Document]:
    form = format_in(data)
    if form is not None:
        yield from games_of(BytesIO(data), name or "game", form, name or "game")
    elif not data.lstrip().startswith(b"{"):
        name = name or f"game{NOTATION}"
        yield Text(name, name, data)
    elif _is_archive(data):
        yield from texts_of(BytesIO(data), name or "games.jsonl")
    else:
        name = name or "game.json"
        yield Text(name, name, data)


def _is_archive(data: bytes) -> bool:
    """Whether each line is a game."""
    first, _, rest = data.strip().partition(b"\n")
    with suppress(msgspec.DecodeError):
        return bool(rest) and isinstance(msgspec.json.decode(first), dict)
    return False


@contextmanager
def _in_form() -> Iterator[None]:
    """The playground does without the packages that explain what is wrong with the form of a record."""
    try:
        yield
    except ImportError as error:
        raise Refused(
            Told("this is not a game in the form that pwtool reads"),
            Told("{command} says where", command="`pwtool check`"),
        ) from error


def _finding(found: Diagnostic) -> dict[str, Any]:
    line = found.span.line if found.span is not None else None
    # Options of a command line are no help in a page.
    help_line = None if found.help and _OPTION.search(found.help) else found.help
    return {
        "where": found.where, "text": found.message, "rule": found.rule, "help": help_line, "line": line, "follows": found.follows,
    }  # fmt: skip
