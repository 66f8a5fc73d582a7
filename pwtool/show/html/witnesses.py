"""Witness games as files: ordinary records with a sentence on what they show, and drawn positions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pwtool.checking.documents import check_loaded, load_document
from pwtool.checking.report import FileResult, Verdict
from pwtool.comparing.row import Row
from pwtool.comparing.witness.search import Witness
from pwtool.play.opening import opening
from pwtool.play.play import Play
from pwtool.play.record import EVERYBODY, Move, Record
from pwtool.play.replay import replay_record
from pwtool.play.state import State
from pwtool.records.encoding import encode_record
from pwtool.records.inputs import Text
from pwtool.records.record_text import format_record
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.text.speech import Told
from pwtool.why.drawing import draw_state
from pwtool.why.marks import NO_MARKS, marks_of
from pwtool.why.names import MoveNames
from pwtool.why.voice import PLAIN

SIDES = ("first", "second")
MAX_LINES = 16


@dataclass(frozen=True, slots=True)
class WitnessFile:
    """A witness to write: its file name, its JSON text, and its part of the summary."""

    name: str
    text: str
    section: str


def no_witness(side: int) -> str:
    """The text shown if there is no witness; it does not suggest that this is a proof."""
    return (
        Told("no game was found that only the first allows, which proves nothing"),
        Told("no game was found that only the second allows, which proves nothing"),
    )[side]


def with_variant(addresses: tuple[str, str], row: Row) -> tuple[str, str]:
    """The rulesets under which the games of a row are played: for a variant that only one of them has, with that variant."""
    if row.kind != "variant":
        return addresses
    first, second = (f"+{row.name}" if row.status == only else "" for only in ("only_first", "only_second"))
    return addresses[0] + first, addresses[1] + second


def file_stem(witness: Witness) -> str:
    """The name of a witness file without suffix: `RULE-only-first`."""
    row = witness.row
    name = row.name if row.kind == "rule" else f"{row.kind}-{row.name}".rstrip("-")
    return f"{name}-only-{SIDES[witness.side]}"


def witness_sentence(witness: Witness, labels: tuple[str, str], cycle: str = "turn") -> str:
    """One sentence on what a witness shows. `cycle` is the name of a turn."""
    labels = with_variant(labels, witness.row)
    accepts, refuses = labels[witness.side], labels[1 - witness.side]
    verdict, record = witness.verdict, witness.record
    if verdict.turn is None:
        does = "gives a different result" if record.outcome is not None else "refuses it"
    else:
        who = record.turns[verdict.turn].player
        by = "" if who == EVERYBODY else f" ({record.players[who]})"
        does = f"refuses it in {cycle} {verdict.turn + 1}{by}"
    aside = f"; findings of {refuses} about the setup are ignored" if verdict.aside else ""
    why = f' by {verdict.rule}, "{verdict.message}"' if verdict.rule else f": {verdict.message}"
    return f"allowed by {accepts}; {refuses} {does}{why}{aside}"


def witness_file(witness: Witness, book: Rulebook, labels: tuple[str, str]) -> WitnessFile:
    """A witness as a record of the ruleset that accepts it, and with its boards drawn."""
    record = witness.record
    stem = file_stem(witness)
    sentence = witness_sentence(witness, labels, book.game.ruleset.cycle)
    data: dict[str, Any] = {}
    for key, value in encode_record(book.game, record).items():
        data[key] = stem if key == "id" else value
        if key == "players":
            data["comment"] = sentence
    lines = [f"## {stem}", "", sentence + ".", "", "```", *_drawn(witness, book), "```", ""]
    return WitnessFile(f"{stem}.json", format_record(data), "\n".join(lines))


def is_shown(
    file: WitnessFile, side: int, addresses: tuple[str, str], shelves: tuple[RulesetStore, RulesetStore]
) -> bool:
    """Whether `check --rules` accepts a game under one ruleset and not under the other."""
    text = Text(file.name, file.name, file.text.encode())
    loaded = load_document(text.document())
    if isinstance(loaded, FileResult):
        return False
    clean = [
        check_loaded(loaded, ruleset_store, address, "en").verdict == Verdict.CLEAN
        for address, ruleset_store in zip(addresses, shelves, strict=True)
    ]
    return clean[side] and not clean[1 - side]


def _drawn(witness: Witness, book: Rulebook) -> list[str]:
    """The position before the refused action, and what is done in it."""
    record, verdict = witness.record, witness.verdict
    seen: list[State] = []
    plays = [opening(book.game, record)[0]]

    def observe(play: Play, turn: int, action: int | None) -> None:
        if action is None:
            plays.append(play.copy())
        elif (turn, record.turns[turn].moves[action].index) == (verdict.turn, verdict.at):
            seen.append(play.state.copy())

    replay = replay_record(book.game, record, book.legal, observe)
    state = seen[0] if seen else replay.play.state
    done = _refused(witness)
    marks = marks_of(book.game, state, done) if done is not None and (seen or done.consequence) else NO_MARKS
    moves = MoveNames(book.game, record.players, PLAIN)
    lines = [*_turns(moves, record, plays), "", *draw_state(book.game, state, record.players, marks)]
    if done is not None:
        word = "then" if done.consequence else "now "
        model = book.game.action(done.number)
        if done.consequence:
            model = [*book.game.ruleset.consequences.values()][done.number]
        lines += ["", f"{word}  {moves.tell(state, done.actor, model, done.arguments)}"]
    elif verdict.turn is not None:
        lines += ["", "now   the turn ends"]
    if record.outcome is not None and record.outcome.scores is not None:
        lines += ["", "points  " + ", ".join(f"{record.players[p]} {n}" for p, n in record.outcome.scores.items())]
    return lines


def _turns(moves: MoveNames, record: Record, plays: list[Play]) -> list[str]:
    """A line for each of the last turns; all turns of a short game, which can be followed at the table."""
    lines = []
    for number, (turn, play) in enumerate(zip(record.turns, plays, strict=False), 1):
        who = "" if turn.player == EVERYBODY else f" {record.players[turn.player]}:"
        lines.append(f"{number}.{who} {moves.tell_turn(record, number - 1, play, record.goals)}")
    left_out = len(lines) - MAX_LINES
    return lines if left_out <= 0 else [f"({left_out} turns before)", *lines[left_out:]]


def _refused(witness: Witness) -> Move | None:
    turn, at = witness.verdict.turn, witness.verdict.at
    if turn is None or at is None:
        return None
    return next((m for m in witness.record.turns[turn].moves if m.index == at), None)


def summary_text(files: list[WitnessFile], labels: tuple[str, str], unshown: list[str]) -> str:
    """The page with the games: each difference with a position that shows it."""
    head = [f"# {labels[0]} and {labels[1]}: games that show what differs", ""]
    if unshown:
        head += ["Without a game:", "", *(f"- {line}" for line in unshown), ""]
    legend = _legend([line for f in files for line in f.section.splitlines()])
    return "\n".join([*head, *([f"In the drawings {legend}.", ""] if legend else []), *(f.section for f in files)])


def _legend(lines: list[str]) -> str:
    """A key to the drawn positions, by the first occurrence of each sign."""
    found: dict[str, str] = {}
    drawn = False
    for line in lines:
        drawn = drawn != line.startswith("```")
        if not drawn:
            continue
        for face in re.findall(r"\[([^\s\[\]]+)\]", line):
            found.setdefault("marked", f"`[{face}]` decides")
        for face, count in re.findall(r"(?<!\S)([^\s'*]+)'(\d+)", line):
            found.setdefault("height", f"`{face}'{count}` is a pile of {count} with {face} on top")
        for face, count in re.findall(r"(?<!\S)(\S+) \((\d+)\)(?!\S)", line):
            found.setdefault("pile", f"`{face} ({count})` is a pile of {count} with {face} on top")
        for face in re.findall(r"(?<!\S)([^\s'*]+(?:'\d+)?)\*(?!\S)", line):
            found.setdefault("token", f"`{face}*` has a token on it")
        if " . " in f"{line} ":
            found.setdefault("empty", "`.` holds nothing")
    return ", ".join(found.values())
