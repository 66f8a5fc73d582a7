"""`pwtool replay` with `-o` or `--json`: a recorded game with the position before each turn, for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pwtool.checking.documents import place_of
from pwtool.cli.common import Under, write_file
from pwtool.cli.loading import load_one, load_record
from pwtool.cli.position_at import check_turn, choose_turn, refused_turn, shown_findings
from pwtool.cli.streams import print_data
from pwtool.play.record import EVERYBODY
from pwtool.play.stepping import step_through
from pwtool.records.encoding import encode_record, encode_state
from pwtool.show.machine.json_report import diagnostic_data
from pwtool.text.terminal import dump_json
from pwtool.why.causes import mark_causes
from pwtool.why.findings import not_judged, to_diagnostics
from pwtool.why.moves import tell_turn
from pwtool.why.voice import PLAIN


def run_replay_data(
    file: str,
    at: int | None,
    after: int | None,
    under: Under,
    lang: str | None,
    output: Path | None = None,
    force: bool = False,
) -> int:
    """Print a game as one JSON document: its turns with the positions before them, the final position, and the
    findings; with `at` or `after` only that position. Positions are in the form of state files.
    """
    language = under.language(lang)
    loaded, book = load_one(file, under.ruleset_store(), under.address)
    record = load_record(loaded, book)
    asked = choose_turn(at, after)
    check_turn(asked, record)
    game, names = book.game, record.players
    replay, plays = step_through(game, record, book.legal)
    positions = [encode_state(game, play.state, names) for play in plays]
    if not replay.clean:
        mark_causes(game, replay, book.legal)
    written = encode_record(game, record)
    turns = [
        {
            "turn": record.first + number,
            "player": None if turn.player == EVERYBODY else names[turn.player],
            "text": tell_turn(PLAIN, game, record, number, record.goals),
            "actions": written["turns"][number]["actions"],
            "position": positions[number] if number < len(positions) else None,
        }
        for number, turn in enumerate(record.turns)
    ]
    refused = refused_turn(replay) if asked is not None else None
    shown = after if after is not None else at
    if refused is not None and asked is not None and refused < asked:
        asked = shown = refused
    findings = shown_findings(replay.findings, shown, refused)
    place = place_of(loaded, names, record)
    told = [*to_diagnostics(book, findings, place, language), *not_judged(book, replay, place, language)]
    data: dict[str, Any] = {
        "file": loaded.document.name, "id": record.id, "ruleset": game.ruleset.address, "version": game.ruleset.version,
        "players": list(names),
    }  # fmt: skip
    if asked is None:
        data |= {"turns": turns, "end": None if replay.cut else positions[-1], "finished": replay.play.over}
    else:
        before = min(asked - record.first, len(positions) - 1)
        data |= {"turn": asked, "position": positions[before]}
    text = dump_json({**data, "findings": [diagnostic_data(d) for d in told]}, indent=2) + "\n"
    if output is None:
        print_data(text)
    else:
        write_file(output, text, force)
    return 1 if any(not f.undetermined for f in findings) else 3 if findings else 0
