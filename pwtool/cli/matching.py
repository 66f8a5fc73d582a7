"""`pwtool match`: whether a board fulfils an objective, where and since when, or what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from pwtool.boards.matching import Farther, NearMiss, find_places, nearest_miss, verdict_on
from pwtool.boards.proofs import position_with
from pwtool.boards.reading import read_board
from pwtool.boards.symbols import Unsupported
from pwtool.checking.documents import Loaded, place_of
from pwtool.cli.common import (
    Under,
    complain_of,
    fail,
    open_book,
    print_diagnostics,
    print_lines,
    split_name,
    stop,
)
from pwtool.cli.loading import load_one, load_record, load_state
from pwtool.cli.position_at import check_turn
from pwtool.cli.start import Stop
from pwtool.cli.streams import print_data, say
from pwtool.eval.values import UNKNOWN, Cell, Grid, bounds
from pwtool.ir.access import read_by
from pwtool.play.game import Game
from pwtool.play.record import Record
from pwtool.play.state import State, zone_labels
from pwtool.play.stepping import step_through
from pwtool.records.file_names import names_record, split_line
from pwtool.records.ruleset_store import Rulebook, RulesetStore
from pwtool.rules.library import shown_name
from pwtool.show.text.studies import picture, why_impossible
from pwtool.text import did_you_mean
from pwtool.text.speech import AnyOf, Told, mark
from pwtool.text.terminal import dump_json
from pwtool.text.words import quoted
from pwtool.why.describe import face_code
from pwtool.why.drawing import EMPTY, framed, names_in_cells
from pwtool.why.findings import to_diagnostics
from pwtool.why.voice import Voice

MAX_PLACES = 4
SHOWN = 6


@dataclass(frozen=True, slots=True)
class Sight:
    """A board to look at: its owner, its contents, and the turn since which the verdict has held (0: the beginning)."""

    owner: str
    grid: Grid
    state: State
    verdict: Any
    since: int | None = None


def run_match(
    objective: str,
    board: str,
    under: Under,
    player: str | None,
    at: int | None,
    lang: str | None,
    as_json: bool = False,
) -> int:
    """Show whether the objective holds on a board, or on the boards of a record or position."""
    if objective.lstrip().startswith("[") or names_record(split_line(objective)[0]):
        fail(
            Told("the objective comes first, then the board or the record"),
            Told("write {text} before it", text=f"`{board}`"),
        )
    if objective.endswith(".rules"):
        objective, under = _of_file(objective, under)
    objective, under = split_name(objective, under)
    voice = Voice(under.language(lang))
    ruleset_store, address = under.ruleset_store(), under.address
    if board.lstrip().startswith("["):
        if player is not None or at is not None:
            fail(Told("--player and --at are for records and positions"))
        found = _from_picture(objective, board, ruleset_store, address)
    elif board.endswith(".rules"):
        fail(
            Told("`{file}` is a rules file, not a board or a record", file=board),
            Told("write {instead}", instead=f'`{board}:{objective} "[ ... ]"`'),
        )
    else:
        found = _from_file(objective, board, ruleset_store, address, player, at, voice)
    game, sights = found
    if as_json:
        print_data(dump_json([_data(game, objective, sight) for sight in sights], indent=2) + "\n")
    else:
        lines: list[str] = []
        for sight in sights:
            if lines:
                lines.append("")
            lines += _lines(game, objective, sight, voice)
        print_lines(lines)
    verdicts = [sight.verdict for sight in sights]
    if any(v is not UNKNOWN and v for v in verdicts):
        return 0
    return 3 if UNKNOWN in verdicts else 1


def _of_file(file: str, under: Under) -> tuple[str, Under]:
    """The only objective that a rules file declares; stops the command if there are none or several."""
    found = open_book(file, under.ruleset_store(), quiet=True).game.ruleset.objectives.values()
    shown = shown_name(Path(file))
    own = [model.name for model in found if model.span is not None and model.span.file.name == shown]
    if len(own) == 1:
        return own[0], replace(under, address=file)
    if own:
        names = AnyOf([f"`{file}:{name}`" for name in own[:SHOWN]])
        fail(Told("`{file}` has {count} objectives", file=file, count=len(own)), Told("name one: {names}", names=names))
    return fail(Told("`{file}` declares no objective", file=file))


# ---- finding the boards


def _from_picture(
    objective: str, text: str, ruleset_store: RulesetStore, address: str | None
) -> tuple[Game, list[Sight]]:
    known: list[str] = []
    for candidate in [address] if address else ruleset_store.library.games():
        game = open_book(candidate, ruleset_store, quiet=True).game
        known += game.ruleset.objectives
        if objective in game.ruleset.objectives:
            grid = read_board(game, text)
            if not isinstance(grid, dict):
                stop(grid)
            state = position_with(game, grid)
            return game, [Sight("", grid, state, verdict_on(game, objective, grid, state))]
    hint = did_you_mean(objective, known)
    if hint is None and address is None:
        hint = Told("for an objective of your own, write {name}", name=f"`my.rules:{objective}`")
    return fail(Told("there is no {what} {name}", what=Told("objective"), name=f"`{objective}`"), hint)


def _from_file(
    objective: str,
    file: str,
    ruleset_store: RulesetStore,
    address: str | None,
    player: str | None,
    at: int | None,
    voice: Voice,
) -> tuple[Game, list[Sight]]:
    loaded, book = load_one(file, ruleset_store, address)
    game = book.game
    if objective not in game.ruleset.objectives or game.ruleset.board is None:
        fail(
            Told("there is no {what} {name}", what=Told("objective"), name=f"`{objective}`"),
            did_you_mean(objective, game.ruleset.objectives),
        )
    if loaded.is_state:
        if at is not None:
            fail(Told("this is a position, it has no turns"))
        position = load_state(loaded, book)
        read = {zone for kind, zone in read_by(game.ruleset.objectives[objective].condition) if kind == "zone"}
        zones = (zone.name for zone in game.zone_list if zone.number in read | {game.ruleset.board.number})
        silent = [name for name in zones if name in position.missing]
        if silent:
            complain_of(Told("the position does not say what lies in {zones}", zones=quoted(silent)))
            raise Stop(3)
        return game, _sights(game, objective, position.state, position.names, player, {})
    return _from_record(loaded, book, objective, load_record(loaded, book), player, at, voice)


def _from_record(
    loaded: Loaded, book: Rulebook, objective: str, record: Record, player: str | None, at: int | None, voice: Voice
) -> tuple[Game, list[Sight]]:
    game = book.game
    check_turn(at, record)
    last = record.end - 1 if at is None else at - 1
    since: dict[int, tuple[Any, int]] = {}

    def note(state: State, turn: int) -> None:
        for index, grid in enumerate(_grids(game, state)):
            verdict = verdict_on(game, objective, grid, state)
            if index not in since or since[index][0] is not verdict:
                since[index] = (verdict, turn)

    replay, plays = step_through(game, record, book.legal)
    if replay.cut and last - record.first + 2 > len(plays):
        # Nobody knows what lies there.
        place = place_of(loaded, record.players, record)
        print_diagnostics(tuple(to_diagnostics(book, replay.findings[-1:], place, voice.language)), speech=voice)
        raise Stop(3)
    for turn, play in enumerate(plays[: last - record.first + 2]):
        note(play.state, record.first + turn - 1 if turn else 0)
        end = play.state
    if any(f.code not in ("PW611", "PW612") and (f.turn or 0) <= last for f in replay.findings):
        told = voice.say(
            "the record is not legal up to this point ({command} shows why); judged as recorded",
            command="`pwtool check`",
        )
        say(told, "")
    turns = {index: turn for index, (_, turn) in since.items()}
    return game, _sights(game, objective, end, record.players, player, turns)


def _grids(game: Game, state: State) -> Sequence[Grid]:
    board = game.ruleset.board
    assert board is not None
    return state.zones[board.number]


def _sights(
    game: Game, objective: str, state: State, names: list[str], player: str | None, since: dict[int, int]
) -> list[Sight]:
    board = game.ruleset.board
    assert board is not None
    if player is not None and player not in names:
        fail(Told("there is no {what} {name}", what=Told("player"), name=f"`{player}`"), did_you_mean(player, names))
    found = []
    for index, label in enumerate(zone_labels(board, names, state.goals)):
        owner = " ".join(str(part) for part in label)
        if player is None or not label or label[0] == player:
            grid = _grids(game, state)[index]
            found.append(Sight(owner, grid, state, verdict_on(game, objective, grid, state), since.get(index)))
    return found


# ---- output


def _lines(game: Game, objective: str, sight: Sight, voice: Voice) -> list[str]:
    words = _verdict(game, voice.bare(game.ruleset, "objective", objective), sight, voice)
    lines = [voice.headed(sight.owner, words) if sight.owner else words]
    if sight.verdict is UNKNOWN:
        return lines + draw_board(game, sight.grid, (), voice)
    if not sight.verdict:
        return lines + draw_board(game, sight.grid, (), voice) + _missing(game, objective, sight.grid, voice)
    places = find_places(game, objective, sight.grid, sight.state)
    if not places:
        return lines + draw_board(game, sight.grid, (), voice)
    for number, place in enumerate(places[:MAX_PLACES], 1):
        if len(places) > 1:
            lines.append("  " + voice.say("place {number} of {count}", number=number, count=len(places)))
        lines += draw_board(game, sight.grid, place, voice)
    return lines


def _verdict(game: Game, objective: str, sight: Sight, voice: Voice) -> str:
    if sight.verdict is UNKNOWN:
        return voice.say("{objective}: it depends on a card that nobody saw", objective=objective)
    if not sight.verdict:
        return voice.say("{objective} is not fulfilled", objective=objective)
    if sight.since is None:
        return voice.say("{objective} is fulfilled", objective=objective)
    if sight.since == 0:
        return voice.say("{objective} is fulfilled since the setup", objective=objective)
    return voice.say(
        "{objective} is fulfilled since turn {turn}"
        if game.ruleset.cycle == "turn"
        else "{objective} is fulfilled since round {turn}",
        objective=objective,
        turn=sight.since,
    )


def _data(game: Game, objective: str, sight: Sight) -> dict[str, Any]:
    """The same as data: cells as [x, y], piles as codes of faces from bottom to top, `fulfilled` null if it is undetermined."""
    board = game.ruleset.board
    assert board is not None
    component = board.element.component
    unknown = sight.verdict is UNKNOWN
    data: dict[str, Any] = {
        "objective": objective,
        "board": sight.owner or None,
        "fulfilled": None if unknown else bool(sight.verdict),
        "since": sight.since,
        "piles": [
            {"cell": list(cell), "faces": [face_code(game, component, face) for face in pile]}
            for cell, pile in sorted(sight.grid.items())
        ],
    }
    if unknown:
        return data
    if sight.verdict:
        data["places"] = [
            [list(cell) for cell in place] for place in find_places(game, objective, sight.grid, sight.state)
        ]
        return data
    try:
        found = nearest_miss(game, objective, sight.grid)
    except Unsupported as cause:
        return {**data, "missing": {"undecided": cause.reason}}
    if isinstance(found, Farther):
        return {**data, "missing": {"more_than": found.than}}

    def codes(faces: tuple[int, ...]) -> list[str]:
        return [face_code(game, component, face) for face in faces]

    changes = [] if found is None else found.changes
    missing = [
        {"kind": c.kind, "cell": list(c.cell), "before": codes(c.before), "after": codes(c.after)} for c in changes
    ]
    if found is None:
        return {**data, "missing": None}
    impossible = {"beyond_deck": codes(found.lacking), "broken_invariants": list(found.broken)}
    return {**data, "missing": {"changes": missing, **impossible}}


def draw_board(game: Game, grid: Grid, marked: Sequence[Cell], voice: Voice) -> list[str]:
    """Draw a board as lines: columns above, rows at the left; marked cells are in brackets."""
    board = game.ruleset.board
    assert board is not None
    if not grid:
        return ["  " + voice.say("(empty)")]
    box = bounds(grid) if board.floating else (0, 0, board.width - 1, board.height - 1)
    blank = names_in_cells(game.ruleset, board)
    texts = {cell: f" {name} " for cell, name in blank.items()}
    for cell in {*grid, *marked}:
        pile = grid.get(cell, [])
        text = face_code(game, board.element.component, pile[-1]) if pile else blank.get(cell, EMPTY)
        text += f"'{len(pile)}" if len(pile) > 1 else ""
        texts[cell] = f"[{text}]" if cell in marked else f" {text} "
    return ["  " + line.rstrip() for line in framed(texts, box, board, " ", " ", empty=" . ", voice=voice)]


def _missing(game: Game, objective: str, grid: Grid, voice: Voice) -> list[str]:
    try:
        found = nearest_miss(game, objective, grid)
    except Unsupported as cause:
        return ["  " + voice.say("what is missing could not be determined: {reason}", reason=voice.tell(cause.reason))]
    if found is None:
        return ["  " + voice.say("no board can fulfil it")]
    if isinstance(found, Farther):
        told = voice.many(
            "more than {count} change is needed; the exact number could not be determined",
            "more than {count} changes are needed; the exact number could not be determined",
            found.than,
        )
        return [f"  {told}"]
    return _near_lines(game, found, voice)


def _near_lines(game: Game, miss: NearMiss, voice: Voice) -> list[str]:
    count = len(miss.changes)
    lines = [
        "  "
        + voice.many("{count} change would do, fewer would not:", "{count} changes would do, fewer would not:", count)
    ]
    board = game.ruleset.board
    assert board is not None

    def pile(faces: tuple[int, ...]) -> str:
        return "+".join(face_code(game, board.element.component, face) for face in faces)

    for change in miss.changes:
        lines.append(
            "    "
            + voice.say(
                _CHANGES[change.kind],
                before=pile(change.before), after=pile(change.after), cell=board.cell_name(change.cell),
            )
        )  # fmt: skip
    lines.append("    " + voice.say("then {finding}", finding=picture(game, miss.grid)))
    return lines + ["  " + line for line in why_impossible(game, miss, voice)]


_CHANGES = {
    "place": mark("place {after} at {cell}"),
    "remove": mark("remove {before} at {cell}"),
    "replace": mark("replace {before} by {after} at {cell}"),
}
