"""`pwtool play`: games that the program plays, or that people play at the terminal."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pwtool.cli.common import Under, fail, keep_file, open_book, print_lines
from pwtool.cli.streams import ask, complain, is_read, note
from pwtool.cli.writing import Game, is_archive, open_archive, write_games, write_one
from pwtool.ir.model import ParameterModel
from pwtool.play.chance import Chance
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY, Record
from pwtool.play.selfplay import (
    MAX_ACTIONS,
    MAX_TURNS,
    POLICIES,
    Endless,
    NoSetup,
    Option,
    Policy,
    RandomPolicy,
    deal_at_random,
    play_game,
)
from pwtool.records.containers import holds_files, suffix_of
from pwtool.records.encoding import encode_record
from pwtool.records.inputs import ARCHIVES, NOTATION, is_table
from pwtool.records.notation.writing import format_notation
from pwtool.records.record_text import format_record
from pwtool.records.shelf import Rulebook
from pwtool.text.store import STANDARD, is_stream
from pwtool.text.words import counted, quoted
from pwtool.why.describe import describe_action, format_value
from pwtool.why.drawing import draw_state, seen_by


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asks for: who plays (`players`: how many, None: as many as there are names), how, how many
    games (None: one, for a file of its own), and where the records go (None: standard output).
    """

    names: list[str]
    players: int | None
    persons: list[str]
    policy: str
    seed: int | None
    games: int | None
    output: Path | None
    force: bool


class _Stopped(Exception):
    """The person at the terminal has had enough."""


def run_play(under: Under, wanted: Wanted) -> int:
    """Play and write the records; exit code 2 when the ruleset or the command cannot be."""
    book = open_book(under.named, under.shelf(), quiet=True)
    names = _check(wanted, book)
    output = wanted.output
    if output is not None:
        keep_file(output, wanted.force)
    seed = random.SystemRandom().randrange(1 << 32) if wanted.seed is None else wanted.seed
    try:
        if wanted.games is not None:
            _play_archive(book, names, seed, wanted)
        else:
            _play_one(book, names, seed, wanted)
    except NoSetup:
        fail("no setup was found that the ruleset's own setup rules accept")
    except Endless:
        kept = wanted.games is not None and output is None
        fail(
            f"a {book.game.ruleset.cycle} went on for {MAX_ACTIONS} actions without an end",
            None if kept else "nothing is written",
        )
    return 0


def _check(wanted: Wanted, book: Rulebook) -> list[str]:
    ruleset = book.game.ruleset
    players = wanted.players or len(wanted.names) or ruleset.min_players
    if not ruleset.min_players <= players <= ruleset.max_players:
        fail(f"{players} players, the game is for {ruleset.min_players} to {ruleset.max_players}")
    if len(wanted.names) > players:
        fail(f"there are {len(wanted.names)} names for {players} players")
    names = wanted.names + [f"P{seat}" for seat in range(len(wanted.names) + 1, players + 1)]
    if len(set(names)) < len(names):
        fail("two players have the same name")
    for name in wanted.persons:
        if name not in names:
            fail(f"`{name}` does not play", "known here: " + quoted(names))
    if wanted.games is not None and wanted.policy == "person":
        fail("people play one game at a time", "`--games` is for `--policy random`, leave it out")
    if wanted.games is not None and wanted.output not in (None, STANDARD) and not is_archive(wanted.output):
        fail("with `--games` records go to an archive", "write `-o OUT.jsonl`")
    if wanted.output is not None and not _is_record(wanted.output):
        fail(f"`{wanted.output}` is not a name of a record", "it ends in .json, .jsonl or .pwn")
    return names


def _is_record(output: Path) -> bool:
    if is_stream(output) or holds_files(output.name) or is_table(output.name):
        return True
    return suffix_of(output.name) in ("", ".json", NOTATION, *ARCHIVES)


def _play_archive(book: Rulebook, names: list[str], seed: int, wanted: Wanted) -> None:
    """Write games one after the other as they are played: each can be made again alone, by its own seed."""
    from pwtool.records.played import play_many

    # They may be many: what is loaded stays, what comes is collected.
    gc.freeze()
    gc.enable()
    assert wanted.games is not None
    printed = wanted.output in (None, STANDARD)
    with open_archive(None if printed else wanted.output) as write:
        for record in play_many(book, names, seed, wanted.games, MAX_TURNS, wanted.policy):
            write(encode_record(book.game, record))
            if printed and not is_read():
                break


def _play_one(book: Rulebook, names: list[str], seed: int, wanted: Wanted) -> None:
    rng = Chance(seed)
    record = deal_at_random(book.game, names, rng)
    record.id = f"seed-{seed}"
    _play(book, record, wanted, rng)
    data, output = encode_record(book.game, record), wanted.output or STANDARD
    notated = suffix_of(output.name) == NOTATION
    text = format_notation(data, book.game) if notated else format_record(data)
    game = Game(record.id, data, text)
    if output == STANDARD or is_archive(output) or holds_files(output.name) or is_table(output.name):
        write_games([game], output, True, False, ".json")
    else:
        write_one(text, output, True)


def _play(book: Rulebook, record: Record, wanted: Wanted, rng: Chance) -> None:
    policy: Policy = POLICIES.get(wanted.policy, RandomPolicy)(rng)
    if wanted.policy == "person":
        seats = {record.players.index(name) for name in wanted.persons} or set(range(len(record.players)))
        policy = person_policy(book, record, seats, policy, _ask)
    try:
        play = play_game(book.game, record, policy, book.legal, MAX_TURNS, rng)
    except _Stopped:
        cycle = book.game.ruleset.cycle
        note(f"stopped; the record holds the {len(record.turns)} whole {cycle}s played")
        return
    if wanted.policy == "person":
        print_lines(["", *draw_state(book.game, play.state, record.players)])
    note(_how_it_ended(book, play, record))


def _how_it_ended(book: Rulebook, play: Play, record: Record) -> str:
    cycle = book.game.ruleset.cycle
    played = counted(len(record.turns), cycle)
    if record.outcome is None or not record.outcome.ranking:
        if len(record.turns) >= MAX_TURNS:
            return f"{played}, and the game is not over: does it ever end?"
        return f"{played}; nobody can move any more" if not play.over else played
    first = record.outcome.ranking[0]
    winners = " and ".join(record.players[p] for p in first)
    return f"{played}; won by {winners} with {(record.outcome.scores or {}).get(first[0])}"


# ---- people at the terminal ------------------------------------------------------------------------------------------

Ask = Callable[[str, list[str]], int]
"""Asks to choose one of several lines; the number chosen. Raises `_Stopped`."""


def _ask(question: str, lines: list[str]) -> int:
    """Ask at the terminal; questions go to standard error, so that a record can go to standard output."""
    width = len(str(len(lines)))
    for number, line in enumerate(lines, 1):
        complain(f"  {number:>{width}}  {line}")
    while True:
        answer = ask(f"{question} (1 to {len(lines)}, q to stop): ")
        if not answer or answer.strip().lower() in ("q", "quit"):
            raise _Stopped
        if answer.strip().isdecimal() and 1 <= int(answer) <= len(lines):
            return int(answer) - 1
        complain(f"  `{answer.strip()[:40]}` is none of them")


def person_policy(book: Rulebook, record: Record, seats: set[int], others: Policy, ask: Ask) -> Policy:
    """People choose for their seats, `others` for the rest. What a person may not see is neither drawn nor offered."""
    game, names = book.game, record.players
    shown: list[tuple[int, int, int]] = []

    def show(play: Play, viewer: int) -> None:
        now = (play.turn, hash(play.places), viewer)
        if shown != [now]:
            shown[:] = [now]
            whose = names[play.owner] if play.owner != EVERYBODY else "all"
            lines = [
                "",
                f"{game.ruleset.cycle} {play.turn}  {whose}",
                *draw_state(game, seen_by(game, play.state, viewer), names),
            ]
            complain(*lines)

    def choose(play: Play, options: list[Option], may_end: bool) -> Option | None:
        # Chance never shuffles of its own accord: that is for people to decide.
        steps = [step for step in play.all_steps() if step[0] in game.idle]
        idle = [(*step, arguments) for step in steps for arguments in play.arguments(*step)]
        own = [o for o in [*options, *idle] if o[1] in seats or (o[1] == EVERYBODY and seats)]
        if not own and (play.owner not in seats or not may_end):
            return others(play, options, may_end)
        kinds = sorted({option[:2] for option in own}, key=lambda kind: (kind[1], kind[0]))
        if len(kinds) == 1 and not may_end and play.game.action(kinds[0][0]).left_to_chance:
            # Nobody has a choice.
            return own[0]
        viewer = next(
            (actor for _, actor in kinds if actor in seats), play.owner if play.owner in seats else min(seats)
        )
        show(play, viewer)
        lines = [_kind_line(play, kind, names) for kind in kinds]
        rest = [o for o in options if o not in own]
        if may_end and (play.owner in seats or not rest):
            lines.append(f"end the {game.ruleset.cycle}")
        elif rest:
            lines.append("let the others play")
        at = ask(names[viewer], lines) if len(lines) > 1 else 0
        if at < len(kinds):
            return _choose_arguments(play, [o for o in own if o[:2] == kinds[at]], seats, names, ask)
        return others(play, rest, may_end) if rest and not (may_end and play.owner in seats) else None

    return choose


def _kind_line(play: Play, kind: tuple[int, int], names: list[str]) -> str:
    action = play.game.action(kind[0])
    words = f"{action.name}: {action.text}" if action.text != action.name else action.name
    return f"{names[kind[1]]}: {words}" if kind[1] not in (play.owner, EVERYBODY) else words


def _choose_arguments(play: Play, options: list[Option], seats: set[int], names: list[str], ask: Ask) -> Option:
    """Narrow the options down, parameter by parameter; where only what nobody can see is open, chance decides."""
    action, actor = play.game.action(options[0][0]), options[0][1]
    for at, parameter in enumerate(action.parameters):
        if parameter.each:
            for seat in sorted(seats):
                said = list(dict.fromkeys(o[2][at][seat] for o in options))
                type_ = parameter.type.element or parameter.type
                lines = [str(format_value(play.game, type_, value, names)) for value in said]
                chosen = (
                    said[ask(f"{names[seat]}, {parameter.name} (the others look away)", lines)]
                    if len(said) > 1
                    else said[0]
                )
                options = [o for o in options if o[2][at][seat] == chosen]
            continue
        if _is_hidden(play, parameter, actor):
            continue
        texts: dict[str, list[Option]] = {}
        for option in options:
            texts.setdefault(_argument_text(play, parameter, option[2][at], names), []).append(option)
        lines = list(texts)
        question = f"{names[actor]}, {parameter.name}" if actor != EVERYBODY else parameter.name
        options = texts[lines[ask(question, lines)]] if len(lines) > 1 else options
    chosen_option = random.choice(options)
    complain("  " + describe_action(play.game, action, chosen_option[2], names, play.state.goals, True))
    return chosen_option


def _is_hidden(play: Play, parameter: ParameterModel, actor: int) -> bool:
    """Whether the person who acts does not see what the parameter is taken from."""
    if parameter.kind == "order" or parameter.chance:
        return True
    if parameter.kind not in ("element", "elements"):
        return False
    return play.game.zone_list[parameter.zone].seen == "none"


def _argument_text(play: Play, parameter: ParameterModel, argument: object, names: list[str]) -> str:
    if parameter.type.kind == "goal" and isinstance(argument, int):
        return play.state.goals[argument]
    if parameter.kind == "tops" and isinstance(argument, list):
        element = parameter.type.element or parameter.type
        return " ".join(f"{format_value(play.game, element, f, names)} from {n}" for n, f in argument) or "none"
    if parameter.kind == "elements" and isinstance(argument, list):
        element = parameter.type.element or parameter.type
        return " ".join(str(format_value(play.game, element, f, names)) for f in argument) or "none"
    return str(format_value(play.game, parameter.type, argument, names))
