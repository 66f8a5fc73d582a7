"""From the engine's results to findings with locations, texts in the reader's language, sources, board and legal alternatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pwtool.eval.work import MAX_TOLD_WORK, TooMuchWork
from pwtool.ir.model import ActionModel
from pwtool.lang import tree as n
from pwtool.play import facts
from pwtool.play.finding import Finding, Path
from pwtool.play.game import Game
from pwtool.play.paths import beginning, turn_of, turn_path
from pwtool.play.record import EVERYBODY
from pwtool.play.replay import MAX_FINDINGS, Replay
from pwtool.records.encoding import encode_action
from pwtool.records.ruleset_store import Rulebook
from pwtool.rules.library import split_address
from pwtool.text import Detail, Diagnostic
from pwtool.text.source import Span
from pwtool.text.speech import Said, Told
from pwtool.why.causes import Causes, key_of
from pwtool.why.citing import cite_text
from pwtool.why.drawing import draw_grid
from pwtool.why.messages import Message, Messages
from pwtool.why.moves import tell_action
from pwtool.why.reasons import Reason
from pwtool.why.voice import PLAIN, Voice

MAX_LEGAL = 5
MAX_EXPLAINED = 3
# Facts of final findings that themselves say that nothing after them was judged.
_SAY_SO = (facts.TooMuch, facts.Endless, facts.OutOfBounds, facts.Lost)


@dataclass(frozen=True, slots=True)
class Place:
    """The origin of a record: its name, the spans of its values, the players' names, whether it is in notation, and how
    actions at the place of a finding are `written` in the format of another program (None: as in a record).
    """

    name: str
    locate: Callable[[Path], Span]
    names: list[str]
    command: str
    notated: bool = False
    written: Callable[[Path, dict[str, Any]], str | None] | None = None

    def told(
        self, voice: Voice, game: Game, model: ActionModel, arguments: tuple[Any, ...], finding: Finding, to_come: bool
    ) -> str:
        """An action at the place of a finding, as somebody would write it into this record."""
        assert finding.play is not None
        names, goals = self.names, finding.play.state.goals
        text = None
        if self.written is not None:
            text = self.written(finding.path, encode_action(game, model, arguments, names, goals))
        elif self.notated:
            text = notated(game, model, arguments, names, goals)
        return text or tell_action(voice, game, model, arguments, names, goals, to_come)


def to_diagnostics(
    book: Rulebook,
    findings: list[Finding],
    place: Place,
    language: str,
    causes: Causes | None = None,
) -> list[Diagnostic]:
    """All findings of one record or position, in order. The root causes get the board, the legal alternatives and what the rest of
    the record was judged with instead.
    """
    messages = Messages(book.game, place.names, language)
    voice = messages.voice
    # Baselines identify a finding by its English text, whatever the reader's language.
    english = messages if language == "en" else Messages(book.game, place.names)
    explained = 0
    result: list[Diagnostic] = []
    for finding in findings:
        rich = not finding.follows and explained < MAX_EXPLAINED
        explained += rich
        message = messages.message(finding)
        if english is not messages:
            message = replace(message, text=Said.of(message.text, english.message(finding).text))
        move = causes.moves.get(finding.place) if causes is not None and not finding.follows else None
        if move is not None and finding.play is not None:
            model = book.game.action(move.number)
            action = place.told(voice, book.game, model, move.arguments, finding, False)
            if move.actor not in (finding.play.owner, EVERYBODY):
                action = voice.say("{player}: {action}", player=place.names[move.actor], action=action)
            note = voice.say("later findings are judged as if it were {action}", action=voice.written(action))
            message = replace(message, notes=(*message.notes, note))
        if (
            causes is not None
            and not causes.complete
            and causes.findings
            and key_of(finding) == key_of(causes.findings[-1])
        ):
            message = replace(message, notes=(*message.notes, voice.say("root causes after this were not determined")))
        result.append(_diagnostic(book, finding, message, place, voice, rich))
    return result


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
    where = voice.cycle(ruleset, turn) if turn is not None else None
    span = place.locate(path)
    return (Diagnostic("PW616", told.within(voice), span, place.name, None, ruleset.address, where, turn),)


def _diagnostic(
    book: Rulebook, finding: Finding, message: Message, place: Place, voice: Voice, rich: bool
) -> Diagnostic:
    game = book.game
    details: list[Detail] = []
    rule = _rule_lines(game, finding.rule, message.reason)
    if rule:
        details.append(Detail("rule", tuple(rule)))
    source = source_line(game, finding.rule, voice)
    if source:
        details.append(Detail("source", (source,)))
    if rich and finding.state is not None:
        details += _position_details(book, finding, place, voice)
    more = (
        [f"pwtool explain {finding.rule} --rules {game.ruleset.address}"]
        if finding.rule and "." in finding.rule
        else []
    )
    if finding.turn is not None:
        own = f" --rules {game.ruleset.address}" if split_address(game.ruleset.address)[0] else ""
        more.append(f"pwtool replay {place.command} --at {finding.turn}{own}")
    if more:
        details.append(Detail("more", tuple(more)))
    where = None
    if finding.turn is not None:
        who = (
            f", {place.names[finding.player]}"
            if finding.player is not None and finding.player < len(place.names)
            else ""
        )
        where = voice.cycle(game.ruleset, finding.turn) + who
    data: dict[str, object] = {"path": list(finding.path)}
    if message.reason.values:
        data["values"] = dict(message.reason.values)
    if finding.player is not None and finding.player < len(place.names):
        data["player"] = place.names[finding.player]
    return Diagnostic(
        finding.code, message.text, place.locate(finding.path), place.name, finding.rule, game.ruleset.address,
        where, finding.turn, details=tuple(details), notes=message.notes, help=message.help, follows=finding.follows, data=data,
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
    lines = [f"{node.span.file.name}:{node.span.line}" + (f"   {text}" if text else "")]
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
    own: list[str] = []
    others: list[str] = []
    for name in sees:
        section = items.get(("section", name.name))
        for cite in section.cites if isinstance(section, n.Section) else ():
            if cite.source.name in layers:
                own.append(cite_text(game.ruleset, cite, voice))
            else:
                others.append(voice.translated(game.ruleset, ("source", cite.source.name)) or cite.source.name.upper())
    also = ", ".join(dict.fromkeys(others))
    if own:
        parts = [*own, *([voice.say("also {sources}", sources=also)] if others else [])]
        return voice.say("; ").join(parts)
    return also or None


def _position_details(book: Rulebook, finding: Finding, place: Place, voice: Voice) -> list[Detail]:
    game, state = book.game, finding.state
    assert state is not None
    details: list[Detail] = []
    board = next((z for z in game.zone_list if z.kind == "grid"), None)
    if board is not None and finding.turn is not None:
        index = state.player if board.dimensions else 0
        details.append(Detail("board", tuple(draw_grid(game, board, state, index, voice=voice))))
    legal = _legal_lines(book, finding, place, voice)
    if legal:
        details.append(Detail("legal", tuple(legal)))
    return details


def _legal_lines(book: Rulebook, finding: Finding, place: Place, voice: Voice) -> list[str]:
    """A few legal actions at the place of the finding, the same kind of action first, and whether there are others."""
    if finding.code not in ("PW601", "PW602", "PW603", "PW615") or finding.play is None:
        return []
    if "actions" not in finding.path and finding.code != "PW615":
        return []
    lines: list[str] = []
    try:
        with book.game.work.limited(MAX_TOLD_WORK):
            _look_for_legal(book, finding, place, voice, lines)
    except TooMuchWork:
        lines.append(voice.say("(not all were looked for)"))
    return lines or [voice.about("value", "nothing")]


def notated(
    game: Game, model: ActionModel, arguments: tuple[Any, ...], names: list[str], goals: list[str]
) -> str | None:
    """An action as it can be written into a record in notation; None if what chance decides is not known yet."""
    if any(p.kind == "order" or p.chance for p in model.parameters):
        return None
    from pwtool.records.notation.writing import whole_action

    return whole_action(game, names, goals, encode_action(game, model, arguments, names, goals))


def _look_for_legal(book: Rulebook, finding: Finding, place: Place, voice: Voice, lines: list[str]) -> None:
    assert finding.play is not None
    game, play = book.game, finding.play.copy()
    play.act(play.owner)
    wanted = (finding.rule or "").partition(".")[0]
    steps = sorted(play.all_steps(), key=lambda step: game.action(step[0]).name != wanted)
    for number, actor in steps:
        # One more than is shown tells whether there are others.
        for arguments in play.arguments(number, actor, MAX_LEGAL + 1 - len(lines)):
            text = place.told(voice, game, game.action(number), arguments, finding, True)
            if actor not in (play.owner, EVERYBODY):
                text = voice.say("{player}: {action}", player=place.names[actor], action=text)
            lines.append(text)
        if len(lines) > MAX_LEGAL:
            break
    others = len(lines) > MAX_LEGAL
    del lines[MAX_LEGAL:]
    if play.may_end_turn():
        lines.append(voice.say("end the turn" if game.ruleset.cycle == "turn" else "end the round"))
    if others:
        lines.append(voice.say("(and others)"))
