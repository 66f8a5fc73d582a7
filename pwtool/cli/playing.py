"""`pwtool play`: games that the program plays, or that people play in the terminal."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pwtool.cli.common import Under, deliver, fail, keep_file, open_book, print_lines
from pwtool.cli.start import collect_garbage
from pwtool.cli.streams import ask, complain, is_read, note
from pwtool.cli.writing import Game, check_name, is_archive, open_archive, write_games, write_one
from pwtool.ir.looks import looks_of
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
    OutOfBounds,
    Policy,
    RandomPolicy,
    deal_at_random,
    play_game,
)
from pwtool.records.containers import holds_files, suffix_of
from pwtool.records.encoding import encode_record
from pwtool.records.file_names import ARCHIVES, NOTATION, is_table
from pwtool.records.notation.writing import format_notation
from pwtool.records.record_text import format_record
from pwtool.records.ruleset_store import Rulebook
from pwtool.text.speech import Told
from pwtool.text.store import STANDARD
from pwtool.text.words import quoted
from pwtool.why.describe import format_value
from pwtool.why.drawing import draw_state, seen_by
from pwtool.why.marks import NO_MARKS
from pwtool.why.moves import tell_action
from pwtool.why.names import MoveNames
from pwtool.why.voice import Voice, lowered


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options and arguments of the command line: who plays (`players`: how many, None: as many as there are names),
    how, how many games (None: one, in its own file), and where the records go (None: standard output); `board`: a page to play
    on in place of a record.
    """

    names: list[str]
    players: int | None
    persons: list[str]
    policy: str
    seed: int | None
    games: int | None
    output: Path | None
    force: bool
    voice: Voice
    board: bool = False


class _Stopped(Exception):
    """The person at the terminal wants to stop."""


def run_play(under: Under, wanted: Wanted) -> int:
    """Play and write the records; exit code 2 if the ruleset or the command line does not work."""
    book = open_book(under.named, under.ruleset_store(), quiet=True)
    names = _check(wanted, book)
    output = wanted.output
    if output is not None:
        keep_file(output, wanted.force)
    seed = random.SystemRandom().randrange(1 << 32) if wanted.seed is None else wanted.seed
    try:
        if wanted.board:
            _make_board(book, names, seed, wanted)
        elif wanted.games is not None:
            _play_archive(book, names, seed, wanted)
        else:
            _play_one(book, names, seed, wanted)
    except NoSetup:
        fail(Told("no setup was found that the ruleset's own setup rules accept"))
    except (Endless, OutOfBounds) as error:
        kept = wanted.games is not None and output is None
        fail(
            error.args[0]
            if isinstance(error, OutOfBounds)
            else Told("a turn did not end within {most} actions", most=MAX_ACTIONS)
            if book.game.ruleset.cycle == "turn"
            else Told("a round did not end within {most} actions", most=MAX_ACTIONS),
            None if kept else Told("nothing is written"),
        )
    return 0


def _check(wanted: Wanted, book: Rulebook) -> list[str]:
    ruleset = book.game.ruleset
    players = wanted.players or len(wanted.names) or ruleset.min_players
    if not ruleset.min_players <= players <= ruleset.max_players:
        fail(
            Told(
                "{players} players, the game is for {least} to {most}",
                players=players,
                least=ruleset.min_players,
                most=ruleset.max_players,
            )
        )
    if len(wanted.names) > players:
        fail(Told("there are {names} names for {players} players", names=len(wanted.names), players=players))
    names = wanted.names + [f"P{seat}" for seat in range(len(wanted.names) + 1, players + 1)]
    if len(set(names)) < len(names):
        fail(Told("two players have the same name"))
    for name in wanted.persons:
        if name not in names:
            fail(
                Told("`{name}` is not one of the players", name=name), Told("known here: {names}", names=quoted(names))
            )
    if wanted.games is not None and wanted.policy == "person":
        fail(Told("people play one game at a time"), Told("`--games` is for `--policy random`, leave it out"))
    if wanted.games is not None and wanted.output not in (None, STANDARD) and not is_archive(wanted.output):
        fail(Told("`--games` writes an archive"), Told("write {instead}", instead="`-o OUT.jsonl`"))
    if wanted.board and (wanted.games is not None or wanted.policy != "random"):
        fail(
            Told("on a page people play one game, and choose there who plays"),
            Told("leave out `--games` and `--policy`"),
        )
    if wanted.board and wanted.output not in (None, STANDARD):
        check_name(wanted.output, ("", ".html", ".xhtml"))
    elif wanted.output is not None:
        check_name(wanted.output, ("", ".json", NOTATION, *ARCHIVES))
    return names


def _make_board(book: Rulebook, names: list[str], seed: int, wanted: Wanted) -> None:
    """Write a page to play on, from a setup dealt at random."""
    from pwtool.show.html.playing.page import render_board

    page = render_board(book, deal_at_random(book.game, names, Chance(seed)), wanted.voice.language)
    if page is None:
        fail(
            Told("no page can play this: the game is too large, or a name has quotation marks or backslashes"),
            Told("see `pwtool rules compile`"),
        )
    deliver(page, wanted.output, wanted.force)


def _play_archive(book: Rulebook, names: list[str], seed: int, wanted: Wanted) -> None:
    """Write games one by one as they are played: each can be reproduced from its own seed."""
    from pwtool.records.random_records import play_many

    collect_garbage()
    assert wanted.games is not None
    printed = wanted.output in (None, STANDARD)
    stuck = endless = 0
    with open_archive(None if printed else wanted.output) as write:
        for record in play_many(book, names, seed, wanted.games, MAX_TURNS, wanted.policy):
            write(encode_record(book.game, record))
            if record.outcome is None:
                endless += len(record.turns) >= MAX_TURNS
                stuck += len(record.turns) < MAX_TURNS
            if printed and not is_read():
                break
    if stuck:
        note(
            Told(
                "in one game nobody can move any more, and it is not over",
                "in {count} games nobody can move any more, and they are not over",
                stuck,
            )
        )
    if endless:
        note(
            Told(
                "one game is not over after {turns} turns", "{count} games are not over after {turns} turns", endless,
                turns=MAX_TURNS,
            )
        )  # fmt: skip


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
        policy = person_policy(book, record, seats, policy, partial(_ask, wanted.voice), wanted.voice)
    try:
        play = play_game(book.game, record, policy, book.legal, MAX_TURNS, rng, unfinished=True)
    except _Stopped:
        cycle = book.game.ruleset.cycle
        note(
            Told(
                "stopped; the record contains one complete turn",
                "stopped; the record contains {count} complete turns",
                len(record.turns),
            )
            if cycle == "turn"
            else Told(
                "stopped; the record contains one complete round",
                "stopped; the record contains {count} complete rounds",
                len(record.turns),
            )
        )
        return
    if wanted.policy == "person":
        print_lines(
            [
                "",
                *draw_state(book.game, play.state, record.players, NO_MARKS, wanted.voice, looks_of(book.game.ruleset)),
            ]
        )
    note(_how_it_ended(book, play, record))


def _how_it_ended(book: Rulebook, play: Play, record: Record) -> str:
    turns = len(record.turns)
    played = (
        Told("{count} turn", "{count} turns", turns)
        if book.game.ruleset.cycle == "turn"
        else Told("{count} round", "{count} rounds", turns)
    )
    if record.outcome is None or not record.outcome.ranking:
        if turns >= MAX_TURNS:
            return Told("{played}, and the game is not over: does it ever end?", played=played)
        return played if play.over else Told("{played}; nobody can move any more", played=played)
    first = record.outcome.ranking[0]
    won = Told(
        "won by {names} with {points}",
        names=[record.players[p] for p in first],
        points=(record.outcome.scores or {}).get(first[0]),
    )
    return Told("{one}; {other}", one=played, other=won)


# ---- people at the terminal ------------------------------------------------------------------------------------------

Ask = Callable[[str, list[str]], int]
"""Asks to choose one of several lines; returns its number. Raises `_Stopped`."""


def _ask(voice: Voice, question: str, lines: list[str]) -> int:
    """Ask at the terminal; questions go to standard error, so that a record can go to standard output. An answer is a line or its
    number; lines that are numbers themselves have none, as it would be unclear which is meant.
    """
    width = len(str(len(lines)))
    numbered = not any(line.isdecimal() for line in lines)
    for number, line in enumerate(lines, 1):
        complain(f"  {number:>{width}}  {line}" if numbered else f"  {line}")
    asked = (
        voice.say("{question} (1 to {count}, q to stop):", question=question, count=len(lines))
        if numbered
        else voice.say("{question} (one of these, q to stop):", question=question)
    )
    written = {line.casefold(): at for at, line in enumerate(lines)}
    # Some names differ in capitals alone.
    written |= {line: at for at, line in enumerate(lines)}
    while True:
        answer = ask(asked + " ")
        said = (answer or "q").strip()
        if (at := written.get(said, written.get(said.casefold()))) is not None:
            return at
        said = said.casefold()
        if not answer or said in ("q", "quit"):
            raise _Stopped
        if numbered and said.isdecimal() and 1 <= int(said) <= len(lines):
            return int(said) - 1
        complain("  " + voice.say("{answer} is not one of the choices", answer=f"`{answer.strip()[:40]}`"))


def person_policy(book: Rulebook, record: Record, seats: set[int], others: Policy, ask: Ask, voice: Voice) -> Policy:
    """People choose for their seats, `others` for the rest. What a person may not see is neither drawn nor offered."""
    game, names = book.game, record.players
    moves = MoveNames(game, names, voice)
    shown: list[tuple[int, int, int]] = []
    looks = looks_of(game.ruleset)

    def show(play: Play, viewer: int) -> None:
        now = (play.turn, hash(play.places), viewer)
        if shown != [now]:
            shown[:] = [now]
            whose = names[play.owner] if play.owner != EVERYBODY else voice.say("everybody")
            lines = [
                "",
                f"{moves.cycle(play.turn)}  {whose}",
                *draw_state(game, seen_by(game, play.state, viewer), names, NO_MARKS, voice, looks),
            ]
            complain(*lines)

    def choose(play: Play, options: list[Option], may_end: bool) -> Option | None:
        # The random player never shuffles: that is for people to decide.
        steps = [step for step in play.all_steps() if step[0] in game.idle]
        idle = [(*step, arguments) for step in steps for arguments in play.arguments(*step)]
        own = [o for o in [*options, *idle] if o[1] in seats or (o[1] == EVERYBODY and seats)]
        if not own and (play.owner not in seats or not may_end):
            return others(play, options, may_end)
        kinds = sorted({option[:2] for option in own}, key=lambda kind: (kind[1], kind[0]))
        if len(kinds) == 1 and not may_end and play.game.action(kinds[0][0]).left_to_chance:
            # There is no choice.
            return own[0]
        viewer = next(
            (actor for _, actor in kinds if actor in seats), play.owner if play.owner in seats else min(seats)
        )
        show(play, viewer)
        # Who has names for moves says them at once.
        here = moves.here(play.state, viewer)
        named = {name: o for o in own if o[1] == viewer and (name := here(game.action(o[0]), o[2])) is not None}
        kinds = [kind for kind in kinds if any(o[:2] == kind and o not in named.values() for o in own)]
        lines = [*named, *(_kind_line(play, kind, names, voice) for kind in kinds)]
        rest = [o for o in options if o not in own]
        if may_end and (play.owner in seats or not rest):
            lines.append(voice.say("end the turn" if game.ruleset.cycle == "turn" else "end the round"))
        elif rest:
            lines.append(voice.say("let the others play"))
        at = ask(names[viewer], lines) if len(lines) > 1 else 0
        if at < len(named):
            return named[lines[at]]
        at -= len(named)
        if at < len(kinds):
            return _choose_arguments(play, [o for o in own if o[:2] == kinds[at]], seats, names, ask, voice)
        return others(play, rest, may_end) if rest and not (may_end and play.owner in seats) else None

    return choose


def _kind_line(play: Play, kind: tuple[int, int], names: list[str], voice: Voice) -> str:
    action = play.game.action(kind[0])
    words = action.name
    if action.text != action.name:
        text = voice.text(play.game.ruleset, ("action", action.name), action.text)
        words = voice.headed(action.name, text)
    return voice.headed(names[kind[1]], words) if kind[1] not in (play.owner, EVERYBODY) else words


def _choose_arguments(
    play: Play, options: list[Option], seats: set[int], names: list[str], ask: Ask, voice: Voice
) -> Option:
    """Narrow the options down, parameter by parameter; if only unseen things remain, chance decides."""
    action, actor = play.game.action(options[0][0]), options[0][1]
    for at, parameter in enumerate(action.parameters):
        told = voice.translated(play.game.ruleset, ("param", f"{action.name}.{parameter.name}")) or parameter.name
        called = lowered(told) if parameter.text else told
        if parameter.each:
            for seat in sorted(seats):
                said = list(dict.fromkeys(o[2][at][seat] for o in options))
                type_ = parameter.type.element or parameter.type
                lines = [str(format_value(play.game, type_, value, names, voice)) for value in said]
                chosen = (
                    said[
                        ask(
                            voice.say("{question} (the others look away)", question=f"{names[seat]}, {called}"),
                            lines,
                        )
                    ]
                    if len(said) > 1
                    else said[0]
                )
                options = [o for o in options if o[2][at][seat] == chosen]
            continue
        if _is_hidden(play, parameter, actor):
            continue
        texts: dict[str, list[Option]] = {}
        for option in options:
            texts.setdefault(_argument_text(play, parameter, option[2][at], names, voice), []).append(option)
        lines = list(texts)
        question = f"{names[actor]}, {called}" if actor != EVERYBODY else called
        options = texts[lines[ask(question, lines)]] if len(lines) > 1 else options
    chosen_option = random.choice(options)
    told = tell_action(voice, play.game, action, chosen_option[2], names, play.state.goals, True)
    complain(f"  {told}")
    return chosen_option


def _is_hidden(play: Play, parameter: ParameterModel, actor: int) -> bool:
    """Whether the acting person cannot see what the parameter is taken from."""
    if parameter.kind == "order" or parameter.chance:
        return True
    if parameter.kind not in ("element", "elements"):
        return False
    return play.game.zone_list[parameter.zone].seen == "none"


def _argument_text(play: Play, parameter: ParameterModel, argument: object, names: list[str], voice: Voice) -> str:
    if parameter.type.kind == "goal" and isinstance(argument, int):
        return play.state.goals[argument]
    if parameter.kind == "tops" and isinstance(argument, list):
        element = parameter.type.element or parameter.type
        return " ".join(
            voice.say("{card} from {place}", card=format_value(play.game, element, f, names, voice), place=n)
            for n, f in argument
        ) or voice.about("value", "nothing")
    if parameter.kind == "elements" and isinstance(argument, list):
        element = parameter.type.element or parameter.type
        return " ".join(str(format_value(play.game, element, f, names, voice)) for f in argument) or voice.about(
            "value", "nothing"
        )
    return str(format_value(play.game, parameter.type, argument, names, voice))
