"""Recorded games under two rulesets, for a page that steps through them: who refuses what, and where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from pwtool.checking.documents import Loaded, choose_rulebook, decode_loaded
from pwtool.checking.report import FileResult
from pwtool.comparing.evidence import under_names_of
from pwtool.comparing.impact import bare, claims_of, without_outcome
from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.record import Record
from pwtool.play.replay import Replay, replay_record
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.show.html.playing.games import GameView
from pwtool.show.html.playing.pictures import Pictures
from pwtool.show.html.playing.views import Annotations, Note
from pwtool.show.html.playing.watching import BEFORE_PLAY, watch
from pwtool.why.messages import Messages
from pwtool.why.voice import Voice

_At = tuple[int, int | None]
"""A place in a game: (turn, action), (turn, None) at the end of a turn, or one of the two below."""
AT_START: _At = (-2, None)
AT_END: _At = (-1, None)


@dataclass(frozen=True, slots=True)
class SteppedGame:
    """A recorded game to step through. `file` is its origin, `rules` the first broken rule under each ruleset, `labels`
    the rulesets if they are not those of the page, `comment` the record's own comment.
    """

    name: str
    file: str
    verdicts: tuple[str, str]
    rules: tuple[str, ...]
    view: GameView
    labels: tuple[str, str] | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class _Unread:
    """The findings of a ruleset for a record that it cannot even read, and their place."""

    message: str
    at: _At
    game: Game | None = None


_Judged = tuple[Rulebook, Replay] | _Unread


def step_document(
    loaded: Loaded,
    addresses: tuple[str, str],
    shelves: tuple[RulesetStore, RulesetStore],
    labels: tuple[str, str],
    pictures: Pictures,
    voice: Voice,
    as_recorded: bool = False,
) -> SteppedGame | None:
    """A document to step through under two rulesets, drawn under the one that accepts more of it; None if neither can
    read it. `as_recorded`: keep its claims and result, which are otherwise computed again under each.
    """
    claims: list[frozenset[str] | None] = [None, None]
    if not as_recorded:
        first, second = (shelf.get(address).value for address, shelf in zip(addresses, shelves, strict=True))
        assert first is not None and second is not None
        claims = [claims_of(first, second), claims_of(second, first)]
    replays = [_replayed(loaded, *side) for side in zip(addresses, shelves, claims, strict=True)]
    replays = [_under_other_names(loaded, replays, side, (addresses, shelves), claims[side]) for side in (0, 1)]
    able = {side: found for side, found in enumerate(replays) if not isinstance(found, _Unread)}
    if not able:
        return None
    drawn = max(able, key=lambda side: _length(able[side][1]))
    book, replay = able[drawn]
    # A witness is about play: findings about its material are left out.
    refusals = _refusals(replays, _names(replays, labels, voice), as_recorded, voice)
    told = {at: _path(at) for at in refusals}
    watched = watch(book, replay.record, [*told.values()])
    notes = [Note(watched.place(told[at]), text) for at, text in refusals.items()]
    rules = tuple(dict.fromkeys(f.rule for _, r in able.values() for f in _first(r, as_recorded) if f.rule))
    verdicts = tuple(_verdict(pair, as_recorded, voice) for pair in replays)
    name = replay.record.id or loaded.document.name
    data = _judged_part(loaded, claims[drawn]).data
    comment = data.get("comment") if as_recorded and isinstance(data, dict) else None
    annotations = Annotations({**data, "comment": ""} if isinstance(data, dict) else None)
    view = GameView(watched, notes, pictures, voice, annotations)
    return SteppedGame(
        name, loaded.document.name, (verdicts[0], verdicts[1]), rules, view, labels, comment if isinstance(comment, str) else ""
    )  # fmt: skip


def _path(at: _At) -> Path:
    """The path of a place in the record; None for the end of the game."""
    if at == AT_END:
        return ()
    turn, action = at
    return ("turns", turn) if action is None else ("turns", turn, "actions", action)


def _judged_part(loaded: Loaded, claims: frozenset[str] | None) -> Loaded:
    """A record without its claims and result, unless it is judged as recorded (None)."""
    return loaded if claims is None else replace(loaded, data=bare(loaded.data, claims))


def _replayed(loaded: Loaded, address: str, ruleset_store: RulesetStore, claims: frozenset[str] | None) -> _Judged:
    """The record decoded by one ruleset, with that ruleset's own numbers."""
    chosen = choose_rulebook(loaded, ruleset_store, address)
    if isinstance(chosen, FileResult):
        return _Unread("it cannot read this", AT_START)
    whole, book = _judged_part(chosen[0], claims), chosen[1]
    record = decode_loaded(whole, book)
    if isinstance(record, FileResult):
        return _unread(whole, record, book.game)
    return book, replay_record(book.game, record if claims is None else without_outcome(record), book.legal)


def _under_other_names(
    loaded: Loaded, replays: list[_Judged], side: int, rulesets: tuple[tuple[str, str], tuple[RulesetStore, RulesetStore]],
    claims: frozenset[str] | None,
) -> _Judged:  # fmt: skip
    """What one of the rulesets says of a record in the words of the other, where these are not its own."""
    other, known = replays[1 - side], rulesets[1][side].get(rulesets[0][side]).value
    if not isinstance(replays[side], _Unread) or isinstance(other, _Unread) or loaded.notation or known is None:
        return replays[side]
    book = under_names_of(known, other[0])
    record = None if book is known else decode_loaded(_judged_part(loaded, claims), book)
    if record is None or isinstance(record, FileResult):
        return replays[side]
    return book, replay_record(book.game, record if claims is None else without_outcome(record), book.legal)


def _unread(loaded: Loaded, result: FileResult, game: Game) -> _Unread:
    """The first thing in play that a ruleset does not know; if there is none, the first of all."""
    found = []
    for diagnostic in result.diagnostics:
        inside = [at for at, span in _spans(loaded) if diagnostic.span is not None and diagnostic.span.start in span]
        found.append(_Unread(diagnostic.message, inside[0] if inside else AT_START, game))
    return next((unread for unread in found if unread.at != AT_START), found[0])


def _spans(loaded: Loaded) -> Iterator[tuple[_At, range]]:
    """The place of each action of a record in its file."""
    turns = loaded.data.get("turns") if isinstance(loaded.data, dict) else None
    for number, turn in enumerate(turns if isinstance(turns, list) else []):
        actions = turn.get("actions") if isinstance(turn, dict) else None
        for at in range(len(actions) if isinstance(actions, list) else 0):
            span = loaded.locate(("turns", number, "actions", at))
            yield (number, at), range(span.start, span.end)


def _length(replay: Replay) -> tuple[int, int]:
    return replay.prefix if replay.prefix is not None else (len(replay.record.turns), 0)


def _names(replays: list[_Judged], labels: tuple[str, str], voice: Voice) -> tuple[str, str]:
    """The names of the two rulesets: their titles, if these differ."""
    games = [judged.game if isinstance(judged, _Unread) else judged[0].game for judged in replays]
    first, second = (game and voice.title(game) for game in games)
    return (first, second) if first and second and first != second else labels


def _refusals(replays: list[_Judged], labels: tuple[str, str], play_only: bool, voice: Voice) -> dict[_At, str]:
    """The first refusal of each ruleset by its place. Findings about the setup belong to no board: they are shown with the verdicts."""
    found: dict[_At, str] = {}
    for judged, label in zip(replays, labels, strict=True):
        if isinstance(judged, _Unread):
            said = [(judged.at, judged.message)]
        else:
            record = judged[1].record
            said = [
                (_place(record, finding), _said(judged, finding, voice)) for finding in _first(judged[1], play_only)
            ]
        for place, words in said:
            if place != AT_START:
                # A different result is not a refused action.
                text = voice.say(
                    "{ruleset} says: {finding}" if place == AT_END else "{ruleset} refuses: {finding}",
                    ruleset=label, finding=words,
                )  # fmt: skip
                found[place] = found[place] + voice.say("; ") + text if place in found else text
    return found


def _said(judged: tuple[Rulebook, Replay], finding: Finding, voice: Voice) -> str:
    book, replay = judged
    message = Messages(book.game, replay.record.players, voice.language).message(finding)
    return message.text + (f" ({finding.rule})" if finding.rule else "")


def _place(record: Record, finding: Finding) -> _At:
    path = finding.path
    if path[0] in BEFORE_PLAY:
        return AT_START
    if path[:1] != ("turns",) or len(path) < 2:
        return AT_END
    turn, at = int(path[1]), int(path[3]) if len(path) > 3 and path[2] == "actions" else None
    # Claims of consequences of a turn belong to the board at its end.
    claimed = any(move.index == at and move.consequence for move in record.turns[turn].moves)
    return turn, None if claimed else at


def _first(replay: Replay, play_only: bool) -> list[Finding]:
    """The first finding, or the first about play if that one is about the setup, so that different material hides
    nothing. With `play_only`, only findings about play if there are any.
    """
    play = [f for f in replay.findings if f.path[0] not in BEFORE_PLAY]
    if play_only and play:
        return play[:1]
    return [*replay.findings[:1], *(play[:1] if play[:1] != replay.findings[:1] else [])]


def _verdict(judged: _Judged, play_only: bool, voice: Voice) -> str:
    say = voice.say
    if isinstance(judged, _Unread):
        return voice.headed(say("refused"), judged.message)
    replay = judged[1]
    if replay.findings:
        first = _first(replay, play_only)
        words = say("refused") if any(not f.undetermined for f in replay.findings) else say("undecided")
        if _place(replay.record, first[0]) == AT_START:
            words, first = voice.headed(words, _said(judged, first[0], voice)), first[1:]
        rules = ", ".join(dict.fromkeys(f.rule for f in first if f.rule))
        words += f" ({rules})" if rules else ""
        aside = play_only and len(first) == 1 and first[0] is not replay.findings[0]
        return words + (say("; its findings about the setup are ignored") if aside else "")
    result = replay.result
    if not replay.play.over or result is None or not result.ranking:
        return say("accepted")
    names = replay.record.players
    points = ", ".join(f"{name} {total}" for name, total in zip(names, result.totals, strict=True))
    winners = voice.joined([names[p] for p in result.ranking[0]], "and")
    return say("accepted: {points}; won by {names}", points=points, names=winners)
