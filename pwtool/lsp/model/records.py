"""Recorded games while they are being written: errors, legal actions, the current position."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from pwtool.api.actions import Action
from pwtool.api.games import Game, Position, begun, open_game
from pwtool.api.rules import RecordError
from pwtool.checking.documents import Loaded, check_loaded, choose_rulebook, decode_loaded, load_document
from pwtool.checking.report import FileResult
from pwtool.eval.work import TooMuchWork
from pwtool.lsp.model.completing import Suggestion
from pwtool.lsp.model.describing import Description
from pwtool.lsp.model.library import OpenLibrary, Reading
from pwtool.lsp.model.text import Text
from pwtool.lsp.model.workspace import Workspace
from pwtool.play.stepping import step_through, within_turn
from pwtool.records.file_names import NOTATION
from pwtool.records.inputs import Document
from pwtool.records.notation.words import Lexicon
from pwtool.records.notation.writing import action_text
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.targets import SUFFIX
from pwtool.text import Diagnostic
from pwtool.text.source import Span
from pwtool.text.speech import Told

MAX_LEGAL = 300
_OURS = re.compile(r'"format"\s*:\s*"pwtool')
_PARTS = re.compile(
    r'"(?:[^"\\\n]|\\.)*"?|\{(?:[^}\\]|\\.)*(?P<open>\}?)|(?P<turn>(?<![^\s])[0-9]{1,9}\.(?=\s|$))|(?P<next>;)'
)
_SAID = re.compile(r'\s*(?:(?:"(?:[^"\\\n]|\\.)*"|[^\s:;{}"]+)[ \t]*:(?!\S)\s*)*')
_JSON = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{},:]|[^\s\[\]{},:"]+')


class Records:
    """The records of a workspace; rulesets are loaded once, and again after changes in open rules files."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._reading = Reading()
        self._drafts: dict[str, str] = {}
        self._ruleset_store: RulesetStore | None = None

    def forget(self) -> None:
        """Files have changed: load rulesets again."""
        self._ruleset_store = None

    def ruleset_store(self) -> RulesetStore:
        """The rulesets that records may name: those of the program and files of the open folders."""
        opened = [p for p in self.workspace.open_paths if p.suffix == SUFFIX]
        drafts = {str(p): text.text for p in opened if (text := self.workspace.text(p)) is not None}
        if self._ruleset_store is None or drafts != self._drafts:
            library = OpenLibrary(self.workspace.rulesets, None, drafts=drafts, reading=self._reading, strict=True)
            self._ruleset_store = RulesetStore(library, rules_from=tuple(map(str, self.workspace.folders)))
            self._drafts = drafts
        return self._ruleset_store

    # ---- findings

    def findings(self, path: Path, causes: bool) -> list[Diagnostic] | None:
        """The findings of `pwtool check` for a record; None if the file is not one. `causes`: separate root causes from
        follow-up errors.
        """
        text = self.workspace.text(path)
        if text is None or not is_record(path, text):
            return None
        if not text.text.strip():
            return []
        loaded = load_document(_document(text))
        result = (
            loaded if isinstance(loaded, FileResult) else check_loaded(loaded, self.ruleset_store(), None, "en", causes)
        )
        whole = Span(text.file, 0, max(0, text.text.find("\n")))
        return [d if d.span is not None else replace(d, span=whole) for d in result.diagnostics if not d.follows]

    # ---- legal actions

    def completions(self, path: Path, offset: int) -> list[Suggestion]:
        """The legal actions at a place of a record, in its own form."""
        text = self.workspace.text(path)
        if text is None or not is_record(path, text):
            return []
        if path.suffix == NOTATION:
            return list(self._notated(text, offset))
        return list(self._in_json(text, offset))

    def _notated(self, text: Text, offset: int) -> Iterator[Suggestion]:
        place = _step(text.text[:offset])
        if place is None:
            return
        cut, start, between = place
        found = self._legal(Text(text.name, text.text[:cut]), between)
        if found is None:
            return
        book, names, goals, position, actions = found
        lexicon = Lexicon(book.game, names, goals)
        for number, action in enumerate(actions):
            said = {"action": action.name, **action.arguments}
            yield Suggestion(
                action_text(said, lexicon), "action", _who(position, action), start, offset, min(9, number // 40)
            )

    def _in_json(self, text: Text, offset: int) -> Iterator[Suggestion]:
        place = _open_actions(text.text[:offset])
        if place is None:
            return
        closed, start = place
        found = self._legal(Text(text.name, closed), False)
        if found is None:
            return
        *_, position, actions = found
        for action in actions:
            said = json.dumps({"action": action.name, **action.arguments}, ensure_ascii=False)
            yield Suggestion(said, "action", _who(position, action), start, offset, 1)

    def _legal(self, text: Text, between: bool) -> tuple[Rulebook, list[str], list[str], Position, list[Action]] | None:
        """The legal actions after the end of a record; `between`: whether its last turn is over."""
        loaded = load_document(_document(text))
        chosen = loaded if isinstance(loaded, FileResult) else choose_rulebook(loaded, self.ruleset_store(), None)
        if isinstance(chosen, FileResult):
            return None
        whole, book, _ = chosen
        record = decode_loaded(whole, book) if not whole.is_state else None
        if record is None or isinstance(record, FileResult):
            return None
        if record.turns and not record.turns[-1].moves:
            # Nothing has been done in the current turn yet.
            record.turns.pop()
            between = True
        record.outcome, record.whole = None, between
        replay, plays = step_through(book.game, record, book.legal)
        if not between and 0 < len(record.turns) < len(plays) and not plays[-2].over:
            # One more action of this turn, even if the turn could end here.
            position = Position(book, within_turn(plays[-2], record.turns[-1]), record.players)
        else:
            position = begun(book, replay.play, record.players, replay.within)
        try:
            return book, record.players, record.goals, position, position.legal(MAX_LEGAL)
        except TooMuchWork:
            return None

    # ---- the current position

    def describe(self, path: Path, offset: int) -> Description | None:
        """The turn at a place of a record, and the position at its beginning."""
        text = self.workspace.text(path)
        if text is None or not is_record(path, text):
            return None
        loaded = load_document(_document(text))
        if isinstance(loaded, FileResult):
            return None
        try:
            game = open_game(_document(text), self.ruleset_store(), None)
        except RecordError:
            return None
        found = _turn_at(loaded, game, self.ruleset_store(), offset)
        if found is None:
            return None
        number, span = found
        position = game.at(number)
        turn = game.record["turns"][number - 1]
        title = Told("turn {number}", number=number)
        if "player" in turn:
            title = Told("turn {number}, {player}", number=number, player=turn["player"])
        return Description("record", title, span, drawn=position.draw())


def is_record(path: Path, text: Text) -> bool:
    """Whether a document is a recorded game or a position, judging by its name and, for JSON, its contents."""
    return path.suffix == NOTATION or (path.suffix == ".json" and _OURS.search(text.text[:4000]) is not None)


def _document(text: Text) -> Document:
    return Document(text.name, text.file, command=text.name)


def _who(position: Position, action: Action) -> str:
    told = position.called(action) or action.text
    return f"{action.player}: {told}" if action.player is not None else told


def _step(before: str) -> tuple[int, int, bool] | None:
    """Where to cut a game in notation before the step being written at the end of a text, where the words of that step
    begin, and whether it is the first of a turn. None outside of turns.
    """
    found: tuple[int, int, bool] | None = None
    for match in _PARTS.finditer(before):
        if match["turn"]:
            said = _SAID.match(before, match.end())
            found = match.start(), said.end() if said is not None else match.end(), True
        elif match["next"] and found is not None:
            said = _SAID.match(before, match.end())
            found = match.start(), said.end() if said is not None else match.end(), False
        elif match[0][0] == "{" and not match["open"]:
            return None
    return found


def _open_actions(before: str) -> tuple[str, int] | None:
    """The text of a JSON record, closed before the action being written at its end, and where that begins; None if no
    list of actions is open.
    """
    stack: list[tuple[str, int, str]] = []
    key = word = ""
    fresh = len(before)
    for match in _JSON.finditer(before):
        sign = match[0]
        if sign in "[{":
            stack.append((sign, match.start(), key))
            key, fresh = "", match.end() if sign == "[" else match.start()
        elif sign in "]}":
            if stack:
                stack.pop()
            fresh = len(before)
        elif sign == ":":
            key = word.strip('"')
        elif sign == ",":
            fresh = match.end()
        else:
            word = sign
    at = next((i for i in range(len(stack) - 1, -1, -1) if stack[i][0] == "[" and stack[i][2] == "actions"), None)
    if at is None or len(stack) - at > 2:
        return None
    start = stack[at + 1][1] if len(stack) - at == 2 else fresh
    kept = before[:start].rstrip().removesuffix(",")
    closing = "".join("]" if sign == "[" else "}" for sign, _, _ in reversed(stack[: at + 1]))
    start += len(before[start:]) - len(before[start:].lstrip())
    return kept + closing, start


def _turn_at(loaded: Loaded, game: Game, ruleset_store: RulesetStore, offset: int) -> tuple[int, Span] | None:
    """The turn around a place, counted from 1."""
    chosen = choose_rulebook(loaded, ruleset_store, None)
    if isinstance(chosen, FileResult):
        return None
    locate = chosen[0].locate
    spans = [locate(("turns", at)) for at in range(game.turns)]
    at = bisect_right([span.start for span in spans], offset) - 1
    if at < 0 or offset > spans[at].end:
        return None
    return at + 1, spans[at]
