"""`pwtool replay`, `legal` and `score`."""

from __future__ import annotations

import re
import textwrap
from typing import Any

from pwtool.api.actions import Action
from pwtool.api.games import Position, begun
from pwtool.checking.documents import Loaded, place_of
from pwtool.cli.coloring import Coloring
from pwtool.cli.common import Under, print_lines, use_color
from pwtool.cli.loading import load_one, load_record, load_state
from pwtool.cli.position_at import check_turn, choose_turn, reach, refused_turn, shown_findings
from pwtool.cli.streams import note, paged, print_data, print_painted, print_text, say
from pwtool.ir.looks import looks_of
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY, Record
from pwtool.play.replay import Replay
from pwtool.play.score import Result, score_game
from pwtool.play.state import State
from pwtool.play.stepping import step_through
from pwtool.records.notation.writing import whole_action
from pwtool.records.ruleset_store import Rulebook
from pwtool.text.speech import Told
from pwtool.text.terminal import dump_json
from pwtool.why.causes import mark_causes
from pwtool.why.describe import format_bounds
from pwtool.why.drawing import draw_state
from pwtool.why.findings import commented, not_judged, to_diagnostics
from pwtool.why.marks import NO_MARKS, Marks, moved_between
from pwtool.why.names import MoveNames
from pwtool.why.voice import PLAIN, Voice


def run_replay(
    file: str, at: int | None, under: Under, lang: str | None, after: int | None = None, pager: bool = False
) -> int:
    """Print the game turn by turn, or the position before a turn (`at`) or `after` one."""
    language = under.language(lang)
    loaded, book = load_one(file, under.ruleset_store(), under.address)
    record = load_record(loaded, book)
    asked = choose_turn(at, after)
    check_turn(asked, record)
    with paged(pager):
        return _print_game(loaded, book, record, language, asked, after)


def _print_game(
    loaded: Loaded, book: Rulebook, record: Record, language: str, at: int | None, after: int | None
) -> int:
    """`at` is the turn before which the position is requested, `after` the turn after which it is."""
    game, names, coloring, voice = book.game, record.players, Coloring(book.game), Voice(language)
    moves, first = MoveNames(game, names, voice), record.first
    replay, plays = step_through(game, record, book.legal)
    if not replay.clean:
        mark_causes(game, replay, book.legal)
    whole, asked = at is None, at if after is None else after
    refused = refused_turn(replay)
    if refused is not None and asked is not None and refused < asked:
        # The rest could not have been played.
        at, after, asked = refused, None, refused
    lines: list[str] = []

    def before(turn: int) -> Play:
        return plays[min(turn - first, len(plays) - 1)]

    def tell(turn: int) -> None:
        lines.extend(["", coloring.heading(_turn_line(moves, record, turn - first, before(turn)))])
        if turn - first + 1 < len(plays):
            old, now = before(turn).state, before(turn + 1).state
            lines.extend(_drawn(book, names, coloring, now, moved_between(game, old, now), voice))

    if whole:
        head = f"{loaded.document.name}  {game.ruleset.address}  {voice.caption('versus').join(names)}"
        lines += ["", coloring.heading(head)]
        lines += map(coloring.line, _seen(book, plays[0].state, names, NO_MARKS, voice))
        for turn in range(first, first + len(plays) - 1 if refused is None else refused):
            tell(turn)
    elif after is not None:
        tell(after)
    else:
        heading = voice.say("before turn {turn}" if game.ruleset.cycle == "turn" else "before round {turn}", turn=at)
        owner = record.turns[at - first].player if at is not None and at < record.end else None
        number = None if at is None else moves.number(at, owner)
        lines += ["", coloring.heading(heading if number is None else f"{heading} ({number})")]
        lines += _drawn(book, names, coloring, before(at or first).state, NO_MARKS, voice)
    following = refused if whole else None if after is not None else at
    if following is not None and following < record.end:
        lines += ["", coloring.line(_turn_line(moves, record, following - first, before(following)))]
    print_painted(*lines[1:])
    findings = shown_findings(replay.findings, asked, refused)
    if findings:
        from pwtool.show.text.full import render_diagnostics

        place = place_of(loaded, names, record)
        say("")
        told = (*to_diagnostics(book, findings, place, language), *not_judged(book, replay, place, language))
        print_text(render_diagnostics(told, color=use_color(), speech=voice))
    elif whole:
        _print_result(book, replay, voice)
    return 1 if any(not f.undetermined for f in findings) else 3 if findings else 0


def _turn_line(moves: MoveNames, record: Record, turn: int, play: Play) -> str:
    """The actions of a turn and their player; `play` is the game before it."""
    number, owner = record.first + turn, record.turns[turn].player
    told = moves.tell_turn(record, turn, play, record.goals)
    if owner != EVERYBODY:
        told = moves.voice.say("{player}: {action}", player=record.players[owner], action=told)
    return f"{moves.cycle(number)}  {told}"


def _drawn(book: Rulebook, names: list[str], coloring: Coloring, state: State, marks: Marks, voice: Voice) -> list[str]:
    return ["  " + coloring.line(line) if line else "" for line in _seen(book, state, names, marks, voice)]


def _seen(book: Rulebook, state: State, names: list[str], marks: Marks, voice: Voice) -> list[str]:
    """A position as players see it on the table."""
    return draw_state(book.game, state, names, marks, voice, looks_of(book.game.ruleset))


def _print_result(book: Rulebook, replay: Replay, voice: Voice) -> None:
    if replay.result is not None:
        say("")
        print_lines(score_lines(book, replay.result, replay.record.players, voice))
    elif not replay.play.over:
        say("", voice.say("the game is not finished"))


def run_legal(file: str, at: int | None, under: Under, limit: int, as_json: bool, lang: str | None) -> int:
    """Print the legal actions at the beginning of a turn, or where the record stops within one."""
    loaded, book = load_one(file, under.ruleset_store(), under.address)
    voice = Voice(under.language(lang))
    reached = reach(loaded, book, at, voice.language)
    position = begun(book, reached.play, reached.record.players, reached.within)
    # Output for programs is in English.
    actions = [] if position.over else position.legal(language="en" if as_json else voice.language)
    found = [(action, position.called(action)) for action in actions]
    if not as_json and any(name for _, name in found):
        found.sort(key=lambda one: (one[1] is None, _in_order(one[1] or "")))
    shown = found if limit == 0 else found[:limit]
    if as_json:
        data = {
            "turn": position.turn,
            "player": position.player,
            "over": position.over,
            "unseen": reached.play.state.unseen,
            "count": len(actions),
            "actions": [
                {"player": a.player, "action": {"action": a.name, **a.arguments}, "text": a.text}
                | ({} if name is None else {"called": name})
                for a, name in shown
            ],
        }
        print_data(dump_json(data, indent=2) + "\n")
    elif position.over:
        say(voice.say("the game is over"))
    else:
        names, goals = reached.record.players, reached.record.goals
        notation = None if loaded.notation is None else [_notated(book, names, goals, a) for a, _ in shown]
        print_lines(_legal_lines(book, position, len(found), shown, names, notation, voice))
    if reached.play.state.unseen and not position.over:
        note(Told("some things are unseen: they may make more legal, and less of what is listed"))
    reached.complain()
    return reached.code


def _in_order(name: str) -> list[tuple[int, str]]:
    """A name by which 9 comes before 10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def _notated(book: Rulebook, names: list[str], goals: list[str], action: Action) -> str | None:
    """An action as it can be written into a record in notation, unless chance is involved."""
    model = book.game.ruleset.actions[action.name]
    if any(p.kind == "order" or p.chance for p in model.parameters):
        return None
    return whole_action(book.game, names, goals, {"action": action.name, **action.arguments})


def _legal_lines(
    book: Rulebook,
    position: Position,
    count: int,
    shown: list[tuple[Action, str | None]],
    names: list[str],
    notation: list[str | None] | None,
    voice: Voice,
) -> list[str]:
    """Some of the legal actions, each with its name, if it has one, and perhaps in notation."""
    moves, player = MoveNames(book.game, names, voice), position.player
    number = None if player is None else moves.number(position.turn, names.index(player))
    head = moves.cycle(position.turn) + ("" if number is None else f" ({number})")
    head += "" if player is None else f"  {player}"
    said = voice.many("{count} legal action", "{count} legal actions", count)
    lines, left_out = [voice.say("{head}: {text}", head=head, text=said)], count - len(shown)
    if notation is None:
        # Names alone are short.
        named = [name for _, name in shown if name is not None]
        shown = [(action, name) for action, name in shown if name is None]
        lines += textwrap.wrap(
            "  ".join(named), 76, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
        )
    for (action, name), written in zip(shown, notation or [None] * len(shown), strict=True):
        told = written or action.text
        if name is not None:
            told = commented(told, name)
        if action.player not in (player, None):
            told = voice.say("{player}: {action}", player=action.player, action=told)
        lines.append(f"  {told}")
    if left_out:
        lines.append(
            "  "
            + voice.many(
                "and {count} more ({option} shows all)", "and {count} more ({option} shows all)",
                left_out, option="--limit 0",
            )
        )  # fmt: skip
    return lines


def run_score(file: str, under: Under, as_json: bool, lang: str | None) -> int:
    """Print scores and ranking for a record's last position, or for a position."""
    loaded, book = load_one(file, under.ruleset_store(), under.address)
    voice = Voice(under.language(lang))
    reached = None if loaded.is_state else reach(loaded, book, None, voice.language)
    over: bool | None = None
    silent: list[int] = []
    if reached is None:
        # Whether the game is over, a position does not say.
        position = load_state(loaded, book)
        state, names = position.state, position.names
        silent = [zone.number for zone in book.game.zone_list if zone.name in position.missing]
    else:
        state, names, over = reached.play.state, reached.record.players, reached.play.over
    result = score_game(book.game, state, silent)
    if as_json:
        print_data(dump_json(_as_json(result, names, over), indent=2) + "\n")
    else:
        if reached is not None and reached.problem is not None:
            say(
                voice.say(
                    "as it stands at the beginning of turn {turn}:"
                    if book.game.ruleset.cycle == "turn"
                    else "as it stands at the beginning of round {turn}:",
                    turn=reached.turn,
                )
            )
        elif over is False:
            say(voice.say("the game is not finished; as it stands:"))
        print_lines(score_lines(book, result, names, voice))
    if reached is None:
        return 0 if result.known or not silent else 3
    reached.complain()
    return reached.code


def _as_json(result: Result, names: list[str], over: bool | None) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        return value if isinstance(value, int) else str(value)

    return {
        "finished": over,
        "scores": {names[p]: plain(total) for p, total in enumerate(result.totals)},
        "parts": {names[p]: {k: plain(v) for k, v in lines.items()} for p, lines in enumerate(result.parts)},
        "ranking": [[names[p] for p in group] for group in result.ranking] if result.ranking else None,
    }


def score_lines(book: Rulebook, result: Result, names: list[str], voice: Voice = PLAIN) -> list[str]:
    """A table: a row for each score line, a column for each player."""
    ruleset = book.game.ruleset
    called = {s.name: voice.translated(ruleset, ("score", s.name)) or s.name for s in ruleset.scores}
    total, ranking = voice.say("total"), voice.say("ranking")
    first = max(map(len, (*called.values(), total, ranking)))
    widths = [max(len(name), 5) for name in names]

    def row(head: str, values: list[str]) -> str:
        return f"{head:<{first}}" + "".join(f"  {v:>{w}}" for v, w in zip(values, widths, strict=True))

    lines = [row("", names)]
    for name, head in called.items():
        lines.append(row(head, [format_bounds(result.parts[p][name], voice) for p in range(len(names))]))
    lines.append(row(total, [format_bounds(t, voice) for t in result.totals]))
    if result.ranking:
        places = " > ".join(" = ".join(names[p] for p in group) for group in result.ranking)
        again = f"  ({voice.say('a full tie: the game is played again')})" if result.replayed else ""
        lines.append(f"{ranking:<{first}}  {places}{again}")
    return lines
