"""`pwtool replay`, `legal` and `score`."""

from __future__ import annotations

from typing import Any

from pwtool.api.actions import Action
from pwtool.api.games import Position, begun
from pwtool.cli.common import Under, choose_language, load_one, load_record, load_state, print_lines, use_color
from pwtool.cli.reaching import check_turn, reach
from pwtool.cli.streams import print_text, say
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY, Record
from pwtool.play.replay import Replay, replay_record
from pwtool.play.score import Result, score_game
from pwtool.play.state import State
from pwtool.records.shelf import Rulebook
from pwtool.text.terminal import dump_json
from pwtool.text.words import counted
from pwtool.why.causes import mark_causes
from pwtool.why.describe import describe_turn
from pwtool.why.drawing import draw_state
from pwtool.why.findings import Place, not_judged, to_diagnostics


def run_replay(file: str, at: int | None, under: Under, lang: str | None) -> int:
    """Print the game turn by turn."""
    from pwtool.show.text.full import render_diagnostics

    language = choose_language(lang)
    loaded, book = load_one(file, under.shelf(), under.address)
    record = load_record(loaded, book)
    check_turn(at, record)
    game, names = book.game, record.players
    lines: list[str] = []

    def observe(play: Play, turn: int, action: int | None) -> None:
        if at is not None and turn != at - 1:
            return
        if action is not None:
            return
        lines.extend(_turn_lines(book, record, turn, play))

    replay = replay_record(game, record, book.legal, observe)
    if at is None:
        print_lines([f"{loaded.document.name}  {game.ruleset.address}  {' v '.join(names)}"])
        print_lines(draw_state(game, _start(book, record), names))
    print_lines(lines)
    if not replay.clean:
        mark_causes(game, replay, book.legal)
    findings = [f for f in replay.findings if at is None or f.turn in (None, at)]
    if findings:
        place = Place(loaded.document.name, loaded.locate, names, loaded.document.command)
        say("")
        told = (*to_diagnostics(book, findings, place, language), *not_judged(book, replay, place))
        print_text(render_diagnostics(told, color=use_color()))
    elif at is None:
        _print_result(book, replay)
    return 1 if any(not f.undetermined for f in findings) else 3 if findings else 0


def _start(book: Rulebook, record: Record) -> State:
    from pwtool.play.setup import build_state

    return build_state(book.game, record)[0]


def _turn_lines(book: Rulebook, record: Record, turn: int, play: Play) -> list[str]:
    game, names = book.game, record.players
    owner = record.turns[turn].player
    who = f"{names[owner]}: " if owner != EVERYBODY else ""
    lines = ["", f"{game.ruleset.cycle} {turn + 1}  {who}{describe_turn(game, record, turn, play.state.goals)}"]
    return lines + ["  " + line if line else "" for line in draw_state(game, play.state, names)]


def _print_result(book: Rulebook, replay: Replay) -> None:
    if replay.result is not None:
        say("")
        print_lines(score_lines(book, replay.result, replay.record.players))
    elif not replay.play.over:
        say("", "the game is not finished")


def run_legal(file: str, at: int | None, under: Under, limit: int, as_json: bool, lang: str | None) -> int:
    """Print the legal actions at the beginning of a turn, or where the record stops within one."""
    loaded, book = load_one(file, under.shelf(), under.address)
    reached = reach(loaded, book, at, choose_language(lang))
    position = begun(book, reached.play, reached.record.players, reached.within)
    actions = [] if position.over else position.legal()
    shown = actions if limit == 0 else actions[:limit]
    if as_json:
        data = {
            "turn": position.turn,
            "player": position.player,
            "over": position.over,
            "count": len(actions),
            "actions": [
                {"player": a.player, "action": {"action": a.name, **a.arguments}, "text": a.text} for a in shown
            ],
        }
        print_text(dump_json(data, indent=2) + "\n")
    elif position.over:
        say("the game is over")
    else:
        print_lines(_legal_lines(book, position, actions, shown))
    reached.complain()
    return reached.code


def _legal_lines(book: Rulebook, position: Position, actions: list[Action], shown: list[Action]) -> list[str]:
    who = f"  {position.player}" if position.player is not None else ""
    lines = [f"{book.game.ruleset.cycle} {position.turn}{who}: {counted(len(actions), 'legal action')}"]
    for action in shown:
        by = f"{action.player}: " if action.player not in (position.player, None) else ""
        lines.append(f"  {by}{action}")
    if len(shown) < len(actions):
        lines.append(f"  and {len(actions) - len(shown)} more (--limit 0 shows all)")
    return lines


def run_score(file: str, under: Under, as_json: bool, lang: str | None) -> int:
    """Print scores and ranking of a record's last position, or of a position."""
    loaded, book = load_one(file, under.shelf(), under.address)
    reached = None if loaded.is_state else reach(loaded, book, None, choose_language(lang))
    if reached is None:
        position = load_state(loaded, book)
        state, names, over = position.state, position.names, True
    else:
        state, names, over = reached.play.state, reached.record.players, reached.play.over
    result = score_game(book.game, state)
    if as_json:
        print_text(dump_json(_as_json(result, names, over), indent=2) + "\n")
    else:
        if reached is not None and reached.problem is not None:
            say(f"as it stands at the beginning of {book.game.ruleset.cycle} {reached.turn}:")
        elif not over:
            say("the game is not finished; as it stands:")
        print_lines(score_lines(book, result, names))
    if reached is None:
        return 0
    reached.complain()
    return reached.code


def _as_json(result: Result, names: list[str], over: bool) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        return value if isinstance(value, int) else str(value)

    return {
        "finished": over,
        "scores": {names[p]: plain(total) for p, total in enumerate(result.totals)},
        "parts": {names[p]: {k: plain(v) for k, v in lines.items()} for p, lines in enumerate(result.parts)},
        "ranking": [[names[p] for p in group] for group in result.ranking] if result.ranking else None,
    }


def score_lines(book: Rulebook, result: Result, names: list[str]) -> list[str]:
    """A table: a row for each score line, a column for each player."""
    scores = book.game.ruleset.scores
    first = max([len(s.name) for s in scores] + [7])
    widths = [max(len(name), 5) for name in names]
    lines = [" " * first + "".join(f"  {name:>{w}}" for name, w in zip(names, widths, strict=True))]
    for line in scores:
        values = [str(result.parts[p][line.name]) for p in range(len(names))]
        lines.append(f"{line.name:<{first}}" + "".join(f"  {v:>{w}}" for v, w in zip(values, widths, strict=True)))
    totals = [str(t) for t in result.totals]
    lines.append(f"{'total':<{first}}" + "".join(f"  {v:>{w}}" for v, w in zip(totals, widths, strict=True)))
    if result.ranking:
        places = " > ".join(" = ".join(names[p] for p in group) for group in result.ranking)
        again = "  (a full tie: the game is played again)" if result.replayed else ""
        lines.append(f"{'ranking':<{first}}  {places}{again}")
    return lines
