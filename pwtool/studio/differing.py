"""A house edition compared with what it builds on: the differences as it stands in the editor, and games that show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pwtool.checking.documents import load_document
from pwtool.checking.report import FileResult
from pwtool.comparing.evidence import Contradiction, Evidence, weigh_rows
from pwtool.comparing.renames import named_alike
from pwtool.comparing.row import Row
from pwtool.comparing.rows import compare_rulesets, shared_items
from pwtool.comparing.witness.search import find_witnesses
from pwtool.records.inputs import Text
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.show.html.comparing import render_page
from pwtool.show.html.playing.pictures import Pictures
from pwtool.show.html.stepping import step_document
from pwtool.show.html.witnesses import is_shown, witness_file
from pwtool.show.text.comparing import Comparison, item_name
from pwtool.show.text.telling import Teller
from pwtool.studio.document_context import DocumentContext
from pwtool.studio.refusing import Refused
from pwtool.text.speech import Told
from pwtool.why.voice import Voice

EFFORT = 0.5


@dataclass(frozen=True, slots=True)
class Pair:
    """A ruleset and its base, loaded from the current texts."""

    addresses: tuple[str, str]
    shelves: tuple[RulesetStore, RulesetStore]
    books: tuple[Rulebook, Rulebook]


def pair_of(asked: DocumentContext) -> Pair | None:
    """A ruleset with its base; None for a game, which builds on nothing."""
    ruleset = asked.valid
    header = next((d.header for d in asked.analysis.own if d.header.base is not None), None)
    if header is None or header.base is None:
        return None
    address = asked.analysis.target.address
    shelves = _ruleset_store(asked), _ruleset_store(asked)
    addresses = header.base, address
    found = [ruleset_store.get(one) for ruleset_store, one in zip(shelves, addresses, strict=True)]
    first, second = (result.value for result in found)
    if first is None or second is None:
        wrong = next((d for result in found for d in result.diagnostics), None)
        raise Refused(
            wrong.message if wrong is not None else Told("{what} cannot be loaded", what=f"`{ruleset.address}`")
        )
    return Pair(addresses, shelves, (first, second))


def _ruleset_store(asked: DocumentContext) -> RulesetStore:
    """A shelf with the rulesets as they stand in the editor. Unsaved ones are not cached on disk."""
    library = asked.workspace.library(strict=True)
    library.cache = None
    return RulesetStore(library)


def differs(asked: DocumentContext, voice: Voice) -> dict[str, Any]:
    """What works differently than in the base, in words for players."""
    pair = pair_of(asked)
    if pair is None:
        return {"base": None, "items": [], "undecided": [], "problem": None}
    rows, evidence, problem = _rows(pair)
    found = _comparison(pair, rows, evidence, voice)
    teller = Teller(found, voice)
    items, undecided = [], []
    for row in rows:
        words = [line.text for _, line in teller.rows(row) if line.text]
        if row.status == "undecided":
            undecided.append(item_name(row, voice))
            continue
        first, second = found.texts(row)
        items.append(
            {"item": _key(row), "title": item_name(row, voice), "words": words, "kind": row.nature, "direction": row.direction,
             "proof": voice.tell(row.proof), "first": first, "second": second}
        )  # fmt: skip
    base = pair.books[0].game.ruleset
    return {
        "base": {"address": pair.addresses[0], "title": voice.title(pair.books[0].game) or base.title},
        "items": items, "undecided": undecided, "problem": problem,
    }  # fmt: skip


def witness_page(asked: DocumentContext, item: str, voice: Voice) -> tuple[str | None, str]:
    """A page to step through a game that shows a difference; if none was found, no page but the reason."""
    pair = pair_of(asked)
    if pair is None:
        raise Refused(Told("this game is not based on another one"))
    rows, evidence, problem = _rows(pair)
    if problem is not None:
        raise Refused(problem)
    row = next((row for row in rows if _key(row) == item), None)
    if row is None:
        raise Refused(Told("this is no longer different"))
    search = find_witnesses(pair.books[0].game, pair.books[1].game, [row], starts=True)
    found = _comparison(pair, [row], evidence, voice)
    labels, pictures = found.labels(), Pictures()
    games = []
    for witness in search.of(row):
        file = witness_file(witness, pair.books[witness.side], labels)
        if not is_shown(file, witness.side, pair.addresses, pair.shelves):
            continue
        loaded = load_document(Text(file.name, file.name, file.text.encode()).document())
        if not isinstance(loaded, FileResult):
            games.append(step_document(loaded, pair.addresses, pair.shelves, labels, pictures, voice, as_recorded=True))
    shown = [game for game in games if game is not None]
    if not shown:
        return None, voice.say("no game was found that shows it, which proves nothing")
    return render_page(found, shown, ".", voice.language, pictures), ""


def _rows(pair: Pair) -> tuple[list[Row], Evidence, str | None]:
    first, second = pair.books
    rows = compare_rulesets(first.game, second.game)
    try:
        return *weigh_rows(first, second, rows, EFFORT), None
    except Contradiction as found:
        return rows, Evidence(), f"internal error: {found}"


def _comparison(pair: Pair, rows: list[Row], evidence: Evidence, voice: Voice) -> Comparison:
    first, second = pair.books
    label, alike = second.game.ruleset.title or pair.addresses[1], named_alike(second.game, first.game).game
    return Comparison(
        (pair.addresses[0], label), (first.game, alike), rows, shared_items(first.game, alike),
        played=evidence.played, voice=voice,
    )  # fmt: skip


def _key(row: Row) -> str:
    return f"{row.kind}:{row.name}"
