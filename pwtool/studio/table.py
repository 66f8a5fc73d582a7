"""The table: a page on which the rules in the editor are played, and why something on it cannot be used."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from pwtool.checking.accepting import place_example
from pwtool.checking.documents import Loaded, check_loaded, choose_rulebook, decode_loaded, load_document
from pwtool.checking.report import FileResult
from pwtool.eval.work import TooMuchWork
from pwtool.lsp.model.records import Records
from pwtool.play.chance import Chance
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY, Move, Record, Turn
from pwtool.play.replay import replay_record
from pwtool.play.selfplay import NoSetup, Option, Unplayable, deal_at_random, playable
from pwtool.play.stepping import within_turn
from pwtool.records.encoding import encode_action, encode_record
from pwtool.records.inputs import Text
from pwtool.records.ruleset_store import Rulebook
from pwtool.show.html.playing.page import render_board, render_replay
from pwtool.show.svg.places import Place, Places
from pwtool.studio.changing import at_end, may_change
from pwtool.studio.document_context import NOT_NOW, DocumentContext
from pwtool.studio.examples import edit_of
from pwtool.studio.games import first_document
from pwtool.studio.refusing import Refused
from pwtool.text import Diagnostic
from pwtool.text.blake2b import blake2b
from pwtool.text.speech import Told
from pwtool.why.closed import Closed, Thing, closed_ways
from pwtool.why.findings import find_node
from pwtool.why.moves import Moves
from pwtool.why.names import MoveNames
from pwtool.why.positions import NoExample, example_of_action
from pwtool.why.refusals import refusals
from pwtool.why.voice import Voice, text_of

MOST_CLOSED = 6
"""The most actions of which is told why they cannot be done."""
MAX_WORK = 2_000_000


class Wanted(msgspec.Struct):
    """What is to lie on the table: a recorded game (`text`), or a game that goes on from a `record` of the page, or else a new one,
    dealt by `seed`, of so many players (0: as few as may be). `shown` are the rules of the page that is there.
    """

    text: str = ""
    record: str = ""
    players: int = 0
    seed: int = 1
    shown: str = ""


class Pointed(msgspec.Struct):
    """Something on the page: the number of a place of the table, and a cell or the code of a thing."""

    place: int
    cell: tuple[int, int] | None = None
    code: str = ""


class Reached(msgspec.Struct):
    """A game on the page, as the text of a record, for the protocol keeps only keys that are words; `open`: its last turn is under way."""

    record: str
    open: bool


class Asked(Reached):
    """What somebody chose on the page, in order."""

    things: list[Pointed]


class Said(Reached):
    """What somebody says of an action, in the form of records: that it is legal (`yes`), or refused, by one of its rules if that is
    what it is `about`. The action is a text, too.
    """

    action: str
    about: str
    yes: bool


def lay_table(
    asked: DocumentContext, records: Records, wanted: Wanted, put: Callable[[str], str], voice: Voice
) -> dict[str, Any]:
    """The page for a game under the rules as they stand; no page if those are the rules of the one that is shown."""
    book = _book(asked, records)
    ruleset, said = book.game.ruleset, None
    rules = _rules_shown(asked, book, voice)
    if rules == wanted.shown:
        return {"page": None, "shown": rules, "said": None, "seats": [], "players": 0}
    if wanted.text:
        loaded, record = _read(asked, records, wanted.text)
        page: str | None = render_replay(loaded, book, record, voice.language, hosted=True)[0]
    else:
        if wanted.record:
            record, said = _goes_on(asked, records, wanted, voice)
        else:
            record = _dealt(book, wanted)
        page = render_board(book, record, voice.language, hosted=True)
    if page is None:
        raise Refused(
            Told("no page can play this: the game is too large, or a name has quotation marks or backslashes")
        )
    return {
        "page": put(page),
        "shown": rules,
        "said": said,
        "seats": [ruleset.min_players, ruleset.max_players],
        "players": len(record.players),
    }


def _rules_shown(asked: DocumentContext, book: Rulebook, voice: Voice) -> str:
    """A hash of all that a page shows of the rules: their meaning, and the words and looks in this file, without its examples."""
    text = asked.analysis.file.text
    spans = [example.span for example in book.game.ruleset.merged.examples if example.span.file.text == text]
    for span in sorted(spans, key=lambda span: span.start, reverse=True):
        text = text[: span.start] + text[span.end :]
    return blake2b(
        " ".join([book.game.ruleset.version, voice.language, *text.split()]).encode("utf-8", "surrogatepass"),
        digest_size=16,
    ).hexdigest()


def _book(asked: DocumentContext, records: Records) -> Rulebook:
    """The rules as they stand. Raises `Refused` if they have mistakes."""
    if asked.analysis.ruleset is None:
        raise Refused(NOT_NOW)
    found = records.ruleset_store().get(asked.analysis.target.address)
    if found.value is None:
        raise Refused(NOT_NOW)
    return found.value


def _dealt(book: Rulebook, wanted: Wanted) -> Record:
    ruleset = book.game.ruleset
    players = min(max(wanted.players, ruleset.min_players), ruleset.max_players)
    try:
        return deal_at_random(book.game, [f"P{seat}" for seat in range(1, players + 1)], Chance(wanted.seed))
    except NoSetup as error:
        raise Refused(Told("no setup was found that the ruleset's own setup rules accept")) from error


def _read(asked: DocumentContext, records: Records, text: str) -> tuple[Loaded, Record]:
    """A recorded game under the rules as they stand. Raises `Refused` if it cannot be read."""
    loaded = load_document(first_document(text))
    chosen = (
        loaded
        if isinstance(loaded, FileResult)
        else choose_rulebook(loaded, records.ruleset_store(), asked.analysis.target.address)
    )
    if isinstance(chosen, FileResult):
        raise Refused(_first(chosen).message)
    whole, book, _ = chosen
    if whole.is_state:
        raise Refused(Told("this is a position, not a recorded game"))
    record = decode_loaded(whole, book)
    if isinstance(record, FileResult):
        raise Refused(_first(record).message)
    return whole, record


def _first(result: FileResult) -> Diagnostic:
    return next(d for d in result.diagnostics if not d.follows)


def _goes_on(asked: DocumentContext, records: Records, wanted: Wanted, voice: Voice) -> tuple[Record, str | None]:
    """A game of the page as far as the rules allow it now, and why no further."""
    book = _book(asked, records)
    try:
        loaded, record = _read(asked, records, wanted.record)
    except Refused as refused:
        return _dealt(book, wanted), voice.say("The game begins anew: {why}", why=refused.within(voice))
    result = check_loaded(loaded, records.ruleset_store(), asked.analysis.target.address, voice.language, causes=False)
    wrong = next((d for d in result.within(voice).diagnostics if not d.follows and "path" in d.data), None)
    if wrong is None:
        return record, None
    turns, place = record.turns, wrong.data["path"]
    assert isinstance(place, list)
    if place[:1] == ["setup"]:
        # With what lies on the table nobody can play by these rules.
        return _dealt(book, wanted), voice.say("The game begins anew: {why}", why=wrong.message)
    kept = turns
    if place[:1] == ["turns"]:
        kept, cut = turns[: place[1]], turns[place[1]]
        if place[2:3] == ["actions"] and place[3] > 0:
            kept = [*kept, replace(cut, moves=[move for move in cut.moves if move.index < place[3]])]
    return replace(record, turns=kept), voice.say("It goes on from here: {why}", why=wrong.message)


def _reached(book: Rulebook, record: Record, is_open: bool) -> Play:
    """The game after a record that breaks no rule, within its last turn if that is `is_open`. Raises `Refused`."""
    done = record.turns[:-1] if is_open else record.turns
    replay = replay_record(book.game, replace(record, turns=done, outcome=None, whole=True), book.legal)
    play = replay.play.copy()
    try:
        with playable():
            if is_open:
                play = within_turn(play, record.turns[-1])
            elif not play.over:
                play.begin_turn(play.next_player())
    except Unplayable as error:
        raise Refused(str(error)) from error
    return play


def _position(asked: DocumentContext, records: Records, given: Reached) -> tuple[Rulebook, Record, Play]:
    book = _book(asked, records)
    _, record = _read(asked, records, given.record)
    return book, record, _reached(book, record, given.open and bool(record.turns))


def keep_action(asked: DocumentContext, records: Records, said: Said, uri: Any) -> dict[str, Any]:
    """The edit that makes an example of what somebody says of an action; `uri` names files as the page does. If the rules disagree,
    the example fails until they are changed.
    """
    book, record, play = _position(asked, records, said)
    data = encode_record(book.game, replace(record, turns=[Turn(play.owner, [])], outcome=None))
    try:
        data["turns"][0]["actions"] = [json.loads(said.action)]
    except (ValueError, RecursionError) as error:
        raise Refused(Told("no example can be made of this")) from error
    _, told = _read(asked, records, json.dumps(data))
    [move] = told.turns[0].moves
    if move.consequence:
        # It follows by itself: nobody does it.
        raise Refused(Told("no example can be made of this"))
    try:
        lines = example_of_action(play, move.actor, move.number, move.arguments, said.about, said.yes)
    except NoExample as none:
        raise Refused(Told("no example can be made of this"), none.reason) from none
    name = book.game.action(move.number).name
    key = ("rule", said.about) if ("rule", said.about) in book.game.ruleset.merged.items else ("action", name)
    placed = place_example(book.game, key, lines, asked.home)
    if placed is None:
        # Of items of the rules beneath, its own file says so.
        placed = at_end(asked, name, lines)
    file, path, at, text = placed
    play.act(max(0, move.actor))
    runner = book.game.machine(play.state).actions[move.number]
    names = refusals(book.game, runner, play.state, move.arguments).names
    refused = bool(names) if said.about == name else said.about in names
    return {
        **edit_of(file, path, at, at, text, uri),
        "line": file.text.count("\n", 0, at) + 1,
        "disagrees": refused == said.yes,
    }


def why_not(asked: DocumentContext, records: Records, given: Asked, voice: Voice) -> dict[str, Any]:
    """Why no action can be about what somebody chose on the table (or, if that is nothing, which actions are not possible at all): for
    each, the rules that refuse it, and one way to do it with what is wrong with that.
    """
    book, record, play = _position(asked, records, given)
    if play.over:
        return {"actions": [], "over": True}
    moves = Moves(book.game, record.players, play.state.goals, voice)
    places = Places(moves).places
    things = [_thing(book, places, one) for one in given.things]
    try:
        with book.game.work.limited(MAX_WORK):
            # Nothing can be about all of them: the last is meant.
            found = closed_ways(play, things) or closed_ways(play, things[-1:])
    except TooMuchWork as error:
        raise Refused(Told("too many ways to look at")) from error
    teller = _Teller(asked, records, book, record, play, given.open and bool(record.turns), moves)
    told = [teller.told(one) for one in found[: MOST_CLOSED if things else None]]
    if not things and teller.is_open and not play.may_end_turn():
        told[:0] = teller.end()
    return {"actions": told, "over": False}


def _thing(book: Rulebook, places: Sequence[Place], one: Pointed) -> Thing:
    place = places[one.place] if 0 <= one.place < len(places) else None
    if place is None or place.zone is None:
        raise Refused(Told("there is no such place on the table"))
    face = -1
    if one.cell is None and place.zone.element.kind == "face":
        face = book.game.ruleset.components[place.zone.element.component].numbers.get(one.code, -1)
    return Thing(place.zone.number, place.index, place.owner, one.cell, face)


class _Teller:
    """Tells why ways to do an action are refused at one point of a game."""

    def __init__(
        self,
        asked: DocumentContext,
        records: Records,
        book: Rulebook,
        record: Record,
        play: Play,
        is_open: bool,
        moves: Moves,
    ) -> None:
        self.asked, self.records, self.book, self.record, self.play = asked, records, book, record, play
        self.is_open, self.moves, self.voice = is_open, moves, moves.voice
        self.names = MoveNames(book.game, record.players, self.voice)

    def told(self, closed: Closed) -> dict[str, Any]:
        game = self.book.game
        number, actor, arguments = closed.way
        model, record = game.action(number), self.record
        told = {**_NO_WAY, "title": self.moves.title(model), "name": model.name, "inOrder": closed.in_order}
        if arguments is None:
            return {**told, "said": self.voice.say("there is nothing to do this with")}
        wrong = None if closed.open and closed.in_order else self._wrong((number, actor, arguments))
        who = None if actor in (self.play.owner, EVERYBODY) else actor
        return {
            **told,
            **_finding(wrong),
            "tried": closed.tried,
            "way": self.names.tell(self.play.state, actor, model, arguments),
            "action": json.dumps(encode_action(game, model, arguments, record.players, record.goals, who)),
            "legal": wrong is None,
            "about": next((name for name in closed.refused_by if name.startswith(f"{model.name}.")), model.name),
            "rules": [self._rule(rule, times) for rule, times in closed.rules.most_common()],
        }

    def end(self) -> list[dict[str, Any]]:
        """Why the turn cannot end here, if `check` finds that."""
        wrong = self._found(self.record.turns)
        if wrong is None:
            return []
        title = self.voice.caption(f"end_the_{self.book.game.ruleset.cycle}")
        rules = [] if wrong.rule is None else [self._rule(wrong.rule, 1)]
        return [{**_NO_WAY, **_finding(wrong), "title": title, "rules": rules}]

    def _rule(self, rule: str, times: int) -> dict[str, Any]:
        node = find_node(self.book.game, rule)
        text = self.voice.text(self.book.game.ruleset, ("rule", rule), text_of(node) or rule)
        own = node is not None and node.span.file.name == self.asked.analysis.file.name
        return {
            "rule": rule,
            "text": text,
            "times": times,
            "line": node.span.line if own and node is not None else None,
            "changes": may_change(self.asked, ("rule", rule)),
        }

    def _wrong(self, way: Option) -> Diagnostic | None:
        """What `pwtool check` says of this way as the next action of the record."""
        number, actor, arguments = way
        turns = list(self.record.turns)
        if self.is_open:
            last = turns.pop()
            moves = [move for move in last.moves if not move.consequence]
            turns.append(replace(last, moves=[*moves, Move(number, arguments, len(moves), actor)]))
        else:
            turns.append(Turn(self.play.owner, [Move(number, arguments, 0, actor)]))
        return self._found(turns)

    def _found(self, turns: list[Turn]) -> Diagnostic | None:
        """What `pwtool check` finds first in the record with these turns."""
        data = encode_record(self.book.game, replace(self.record, turns=turns, outcome=None, recorded=frozenset()))
        text = json.dumps(data)
        loaded = load_document(Text("game.json", "game.json", text.encode()).document())
        assert not isinstance(loaded, FileResult), "it was written just now"
        address = self.asked.analysis.target.address
        result = check_loaded(loaded, self.records.ruleset_store(), address, self.voice.language, causes=False)
        return next((d for d in result.within(self.voice).diagnostics if not d.follows), None)


_NO_WAY = {
    "title": "", "name": "", "inOrder": False, "tried": 0, "way": "", "action": "", "legal": False, "said": None, "notes": [],
    "about": "", "rules": [],
}  # fmt: skip
"""What is told of an action that there is no way to do."""


def _finding(wrong: Diagnostic | None) -> dict[str, Any]:
    """What a finding says, and what may be said besides."""
    if wrong is None:
        return {}
    return {"said": wrong.message, "notes": [*wrong.notes, *([wrong.help] if wrong.help else [])]}
