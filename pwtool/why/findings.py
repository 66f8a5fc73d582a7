"""From the engine's results to findings with locations, texts in the reader's language, sources, board and legal alternatives."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from pwtool.eval.work import MAX_TOLD_WORK, TooMuchWork
from pwtool.ir.model import ActionModel
from pwtool.lang import tree as n
from pwtool.play import facts
from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.paths import beginning, turn_of, turn_path
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY, Move, Record
from pwtool.play.replay import MAX_FINDINGS, Replay
from pwtool.records.encoding import encode_action
from pwtool.records.ruleset_store import Rulebook
from pwtool.rules.library import split_address
from pwtool.text import Detail, Diagnostic
from pwtool.text.codes import CODES
from pwtool.text.source import Span
from pwtool.text.speech import Said, Told
from pwtool.text.words import shorten
from pwtool.why.causes import Causes, key_of
from pwtool.why.citing import cite_text
from pwtool.why.drawing import draw_grid
from pwtool.why.messages import Message, Messages
from pwtool.why.moves import tell_action
from pwtool.why.names import MoveNames
from pwtool.why.reasons import Reason
from pwtool.why.voice import PLAIN, Voice

MAX_LEGAL = 5
MAX_NAMED = 10
"""How many legal actions are shown where they have names, which are short."""
MAX_CONDITION = 160
"""How many characters of a condition are shown."""
MAX_COMPARED = 500
"""How many legal actions are compared with a refused one."""
MAX_EXPLAINED = 3
# Facts of final findings that themselves say that nothing after them was judged.
_SAY_SO = (facts.TooMuch, facts.Endless, facts.OutOfBounds, facts.Lost)


def _no_word(path: Path) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Place:
    """The origin of a `record` (None: of a position): its name, the spans of its values, the players' names, whether it is
    in notation, and what players call the turn at a path if that is written there.
    """

    name: str
    locate: Callable[[Path], Span]
    names: list[str]
    command: str
    notated: bool = False
    record: Record | None = None
    word: Callable[[Path], str | None] = _no_word

    def about(self, finding: Finding) -> Move | None:
        """The action that a finding is about, or the only one of its turn; None if it is about none."""
        if self.record is None or finding.path[:1] != ("turns",) or finding.turn is None:
            return None
        turns = self.record.turns[finding.turn - self.record.first :][:1]
        moves = [move for turn in turns for move in turn.moves if not move.consequence]
        if finding.path[2:3] == ("actions",):
            moves = [move for move in moves if move.index == finding.path[3]]
        return moves[0] if len(moves) == 1 else None


Words = Literal["all", "causes", "lines"]
"""What is put into words: all findings, only those that do not follow from others, or of these without the board and legal actions."""


def to_diagnostics(
    book: Rulebook,
    findings: list[Finding],
    place: Place,
    language: str,
    causes: Causes | None = None,
    words: Words = "all",
) -> list[Diagnostic]:
    """All findings of one record or position, in order. The root causes get the board, the legal alternatives and what the rest of
    the record was judged with instead, as far as `words` are wanted.
    """
    messages = Messages(book.game, place.names, language)
    voice = messages.voice
    moves = MoveNames(book.game, place.names, voice)
    # Baselines identify a finding by its English text, whatever the reader's language.
    english = messages if language == "en" else Messages(book.game, place.names)
    explained = 0
    result: list[Diagnostic] = []
    for finding in findings:
        if finding.follows and words != "all":
            result.append(_unsaid(book, finding, place))
            continue
        rich = not finding.follows and explained < MAX_EXPLAINED and words != "lines"
        explained += rich
        message = messages.message(finding)
        if english is not messages:
            message = replace(message, text=Said.of(message.text, english.message(finding).text))
        move = causes.moves.get(finding.place) if causes is not None and not finding.follows else None
        if move is not None and finding.play is not None:
            model = book.game.action(move.number)
            action = moves.tell(finding.play.state, move.actor, model, move.arguments)
            if move.actor not in (finding.play.owner, EVERYBODY):
                action = voice.say("{player}: {action}", player=place.names[move.actor], action=action)
            note = voice.say("later findings are judged as if it were {action}", action=voice.written(action))
            message = replace(message, notes=(*message.notes, note))
        # Before the first action of a turn the position is still the one that ended the last turn.
        now = 1 if finding.place[2:] == ("actions", 0) else 0
        ago = tuple(turns for turns in message.reason.ago if turns != now)
        if ago and finding.turn is not None:
            note = voice.say("the position was the same {when}", when=_when(place, moves, finding.turn, ago))
            message = replace(message, notes=(note, *message.notes))
        if (
            causes is not None
            and not causes.complete
            and causes.findings
            and key_of(finding) == key_of(causes.findings[-1])
        ):
            message = replace(message, notes=(*message.notes, voice.say("root causes after this were not determined")))
        result.append(_diagnostic(book, finding, message, place, moves, rich))
    return result


def _when(place: Place, moves: MoveNames, turn: int, ago: tuple[int, ...]) -> str:
    """At which times the position was the same, so many turns before this one: `after move 7`."""
    voice, record, told = moves.voice, place.record, []
    first = 1 if record is None else record.first
    for number in (turn - turns for turns in ago):
        if record is None or number < first:
            told.append(voice.say("at the beginning"))
            continue
        written = moves.number(number, record.turns[number - first].player)
        shown = moves.cycle(number) if written is None else f"{written} ({moves.cycle(number)})"
        told.append(voice.say("after {turn}", turn=shown))
    return voice.joined(told, "and")


def not_judged(book: Rulebook, replay: Replay, place: Place, language: str) -> tuple[Diagnostic, ...]:
    """Where a replay stopped, unless its last finding says so; nothing after that is judged."""
    full = len(replay.findings) >= MAX_FINDINGS
    if not replay.cut or (not full and isinstance(replay.findings[-1].fact, _SAY_SO)):
        return ()
    ruleset, number = book.game.ruleset, turn_of(replay.play, replay.record)
    path = beginning(replay.record) if number is None else turn_path(replay.record, number)
    turn = None if number is None else replay.play.turn
    voice = Voice(language)
    told = (
        Told("{count} findings: from here on nothing was judged, neither actions nor the result", count=MAX_FINDINGS)
        if full
        else Told("with this setup nothing was judged, neither actions nor the result")
    )
    where = MoveNames(book.game, place.names, voice).place(turn, None) if turn is not None else None
    span = place.locate(path)
    return (Diagnostic("PW616", told.within(voice), span, place.name, None, ruleset.address, where, turn),)


_UNSAFE = re.compile(r"""[\s'"$&|;<>()*?`!#{}]|\[""")
"""What a shell would not take as part of a word."""


def _pasted(file: str) -> str:
    """The name of a file as a word of a command."""
    name = f"./{file}" if file.startswith("-") and file != "-" else file
    return shlex.quote(name) if _UNSAFE.search(name) else name


def _diagnostic(
    book: Rulebook, finding: Finding, message: Message, place: Place, moves: MoveNames, rich: bool
) -> Diagnostic:
    game, voice = book.game, moves.voice
    details: list[Detail] = []
    rule = _rule_lines(game, finding.rule, message.reason)
    if rule:
        details.append(Detail("rule", tuple(rule)))
    source = source_line(game, finding.rule, voice)
    if source:
        details.append(Detail("source", (source,)))
    move = place.about(finding)
    legal: list[dict[str, Any]] = []
    if rich and finding.state is not None:
        details += _position_details(book, finding, place, moves, legal)
    more = (
        [f"pwtool explain {finding.rule} --rules {_pasted(game.ruleset.address)}"]
        if finding.rule and "." in finding.rule
        else []
    )
    # Standard input cannot be read again.
    if finding.turn is not None and place.command != "-":
        address, record = game.ruleset.address, place.record
        # A record may name a file of rules only where the command allows it.
        is_own = record is not None and record.ruleset == address and not split_address(address)[0]
        own = "" if is_own else f" --rules {_pasted(address)}"
        more.append(f"pwtool replay {_pasted(place.command)} --at {finding.turn}{own}")
    if more:
        details.append(Detail("more", tuple(more)))
    where = None
    if finding.turn is not None:
        name = None if move is None else place.word(finding.path)
        if name is None and move is not None and finding.play is not None:
            name = moves.here(finding.play.state, move.actor)(game.action(move.number), move.arguments)
        where = moves.place(finding.turn, finding.player, name)
    data: dict[str, object] = {"path": list(finding.path)}
    if message.reason.values:
        data["values"] = dict(message.reason.values)
    if finding.player is not None and finding.player < len(place.names):
        data["player"] = place.names[finding.player]
    if legal:
        data["legal"] = legal
    return Diagnostic(
        finding.code, message.text, place.locate(finding.path), place.name, finding.rule, game.ruleset.address,
        where, finding.turn, details=tuple(details), notes=message.notes, help=message.help, follows=finding.follows, data=data,
    )  # fmt: skip


def _unsaid(book: Rulebook, finding: Finding, place: Place) -> Diagnostic:
    """A follow-up error that nobody reads: that it is there, and where."""
    return Diagnostic(
        finding.code, CODES[finding.code].summary, None, place.name, finding.rule, book.game.ruleset.address, None, finding.turn,
        follows=True, data={"path": list(finding.path)},
    )  # fmt: skip


def find_node(game: Game, rule_id: str) -> n.Node | None:
    """The item of the ruleset that a rule id names: a rule, a parameter's action, a setup step, an invariant, an
    ending, a score line.
    """
    items = game.ruleset.merged.items
    head, _, tail = rule_id.partition(".")
    keys = [
        ("rule", rule_id),
        ("setup", tail) if head == "setup" else ("", ""),
        ("invariant", tail) if head == "invariant" else ("", ""),
    ]
    keys += [
        ("score", tail) if head == "score" else ("", ""),
        ("ending", rule_id),
        ("consequence", rule_id),
        ("objective", rule_id),
    ]
    keys += [(rule_id, "")]
    found = next((items[k] for k in keys if k in items), None)
    if found is not None:
        return found
    owner = items.get(("action", head)) or items.get(("consequence", head))
    parts = {p.name.name for p in getattr(owner, "parameters", ())} | {""}
    parts |= {v.name for v in game.variable_list} | {z.name for z in game.zone_list}
    return owner if tail in parts else None


def condition_text(node: n.Node) -> str | None:
    """The condition of a rule as written: `when ... require ...`."""
    if isinstance(node, n.Rule | n.Invariant):
        start = node.when.span.start if node.when else node.require.span.start
        text = " ".join(node.span.file.text[start : node.span.end].split())
        return f"when {text}" if node.when else f"require {text}"
    if isinstance(node, n.Ending):
        return "when " + " ".join(node.span.file.text[node.condition.span.start : node.span.end].split())
    return None


def _rule_lines(game: Game, rule: str | None, reason: Reason) -> list[str]:
    node = find_node(game, rule) if rule else None
    if node is None:
        return []
    text = condition_text(node)
    # `explain`, which the finding names, shows all of it.
    lines = [f"{node.span.file.name}:{node.span.line}" + (f"   {shorten(text, MAX_CONDITION)}" if text else "")]
    if reason.sentence:
        lines.append(reason.sentence)
    shown = [f"{name} = {value}" for name, value in reason.values if name != reason.about]
    if shown:
        lines.append(", ".join(shown))
    return lines


def source_line(game: Game, rule_id: str | None, voice: Voice = PLAIN) -> str | None:
    """The source of a rule: the edition's own document first, then the others that say the same."""
    return cited(game, find_node(game, rule_id) if rule_id else None, voice)


def cited(game: Game, node: n.Node | None, voice: Voice = PLAIN) -> str | None:
    """The citations of an item of the ruleset, in the order of `source_line`."""
    sees = getattr(node, "sees", ())
    items = game.ruleset.merged.items
    layers = set(game.ruleset.layer_names())
    cites = [c for name in sees if isinstance(one := items.get(("section", name.name)), n.Section) for c in one.cites]
    own = [cite_text(game.ruleset, cite, voice) for cite in cites if cite.source.name in layers]
    others = {
        name: voice.translated(game.ruleset, ("source", name)) or name.upper()
        for cite in cites
        if (name := cite.source.name) not in layers
    }
    also = ", ".join(others.values())
    if own:
        parts = [*own, *([voice.say("also {sources}", sources=also)] if others else [])]
        return voice.say("; ").join(parts)
    # A single document is known by its name only to those who have several.
    return cite_text(game.ruleset, cites[0], voice) if len(others) == 1 else also or None


def _position_details(
    book: Rulebook, finding: Finding, place: Place, moves: MoveNames, found: list[dict[str, Any]]
) -> list[Detail]:
    game, state = book.game, finding.state
    assert state is not None
    details: list[Detail] = []
    board = next((z for z in game.zone_list if z.kind == "grid"), None)
    if board is not None and finding.turn is not None:
        index = state.player if board.dimensions else 0
        # On a board, a pile is a piece of its own; on a table that grows, what lies below is seldom asked for.
        heights = not board.floating
        details.append(Detail("board", tuple(draw_grid(game, board, state, index, heights, voice=moves.voice))))
    legal = _legal(book, finding, place, moves, found)
    if legal is not None:
        details.append(legal)
    return details


def notated(
    game: Game, model: ActionModel, arguments: tuple[Any, ...], names: list[str], goals: list[str]
) -> str | None:
    """An action as it can be written into a record in notation; None if what chance decides is not known yet."""
    if any(p.kind == "order" or p.chance for p in model.parameters):
        return None
    from pwtool.records.notation.writing import whole_action

    return whole_action(game, names, goals, encode_action(game, model, arguments, names, goals))


def _legal(
    book: Rulebook, finding: Finding, place: Place, moves: MoveNames, found: list[dict[str, Any]]
) -> Detail | None:
    """A few legal actions at the place of the finding, those most like the refused one first, and whether there are
    others; `found` gets them in the form of records.
    """
    if finding.code not in ("PW601", "PW602", "PW603", "PW615") or finding.play is None:
        return None
    if "actions" not in finding.path and finding.code not in ("PW601", "PW615"):
        return None
    game, voice, play = book.game, moves.voice, finding.play.copy()
    play.act(play.owner)
    options, is_whole = _look_for_legal(game, play, place.about(finding) if "actions" in finding.path else None)
    here, goals = moves.here(play.state, play.owner), play.state.goals
    shown = [(game.action(number), actor, arguments) for number, actor, arguments in options[:MAX_NAMED]]
    names = [here(model, arguments) if actor == play.owner else None for model, actor, arguments in shown]
    # Names are short enough for one line, but whoever writes a record needs the notation.
    is_short = not place.notated and any(names) and all(map(_is_word, names, shown))
    lines: list[str] = []
    for name, (model, actor, arguments) in zip(names, shown if is_short else shown[:MAX_LEGAL], strict=False):
        told = notated(game, model, arguments, place.names, goals) if place.notated else None
        told = told or tell_action(voice, game, model, arguments, place.names, goals, True)
        if name is not None:
            told = commented(told, name) if place.notated else name
        by = None if actor in (play.owner, EVERYBODY) else actor
        lines.append(told if by is None else voice.say("{player}: {action}", player=place.names[by], action=told))
        found.append(encode_action(game, model, arguments, place.names, goals, by))
    others = len(options) > len(lines)
    if play.may_end_turn():
        lines.append(voice.say("end the turn" if game.ruleset.cycle == "turn" else "end the round"))
    if others:
        lines.append(voice.say("and others" if is_short else "(and others)"))
    if not is_whole:
        lines.append(voice.say("(not all were looked for)"))
    if not lines and finding.code == "PW601" and "actions" not in finding.path:
        # The turn may not end, and cannot go on: an action before was the mistake.
        return None
    return Detail("legal", tuple(lines or [voice.about("value", "nothing")]), is_short)


def commented(notation: str, name: str) -> str:
    """An action in notation with its name as a comment, unless that is in it."""
    return notation if name in notation.split() or "}" in name else f"{notation} {{{name}}}"


def _is_word(name: str | None, option: tuple[ActionModel, int, tuple[Any, ...]]) -> bool:
    """Whether an action is told in a word or two: by its name, or because it has no arguments."""
    return name is not None or not option[0].parameters


Option = tuple[int, int, tuple[Any, ...]]


def _look_for_legal(game: Game, play: Play, refused: Move | None) -> tuple[list[Option], bool]:
    """Legal actions, the most like a refused one first, one more than are shown if there are more; and whether all were
    looked for.
    """
    wanted = None if refused is None else game.action(refused.number).name
    steps = sorted(play.all_steps(), key=lambda step: game.action(step[0]).name != wanted)
    found: list[Option] = []
    with suppress(TooMuchWork), game.work.limited(MAX_TOLD_WORK):
        # Rules that look ahead take long, so that only the first are asked about.
        for option in sorted(_options(play, steps, MAX_COMPARED, early=True), key=partial(_unlike, game, refused)):
            if play.is_legal(*option):
                found.append(option)
            if len(found) > MAX_NAMED:
                break
        if found:
            return found, True
    found = []
    with suppress(TooMuchWork), game.work.limited(MAX_TOLD_WORK):
        for option in _options(play, steps, MAX_NAMED + 1):
            found.append(option)
        return found, True
    return found, False


def _options(play: Play, steps: list[tuple[int, int]], most: int, early: bool = False) -> Iterator[Option]:
    for number, actor in steps:
        for arguments in play.arguments(number, actor, most, early):
            yield number, actor, arguments
            most -= 1


def _unlike(game: Game, refused: Move | None, option: Option) -> tuple[bool, int, list[bool], int]:
    """How unlike a refused action another one is: of another kind, with other arguments, on cells far away."""
    number, _, arguments = option
    if refused is None:
        return False, 0, [], 0
    given = {p.name: a for p, a in zip(game.action(refused.number).parameters, refused.arguments, strict=True)}
    other: list[bool] = []
    far = 0
    for parameter, argument in zip(game.action(number).parameters, arguments, strict=True):
        meant = given.get(parameter.name)
        other.append(argument != meant)
        if parameter.kind == "cell" and isinstance(meant, tuple):
            far += sum(abs(a - b) for a, b in zip(argument, meant, strict=True))
    return number != refused.number, -other.count(False), other, far
