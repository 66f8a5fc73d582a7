"""Chess games as PGN, in its export format: seven tags first, lines of at most 80 characters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import chess
from chess.variant import ThreeCheckBoard, find_variant

from pwtool.records.importers.formats import NoForm
from pwtool.records.importers.positions import known_variables, pieces_on_board
from pwtool.records.importers.tagged_games import BOTH_LOST
from pwtool.records.importers.tagged_writing import notes_of, variant_of, write_game, written_move, written_result
from pwtool.text.speech import Told

__all__ = ["CHESS960", "meant", "put_up", "write_pgn"]

_SIZE = 8
_ROW = re.compile("[rnbqk]{8}")
_PIECES: Mapping[str, chess.Piece] = MappingProxyType(
    {
        f"{'bw'[color]}{chess.piece_symbol(kind).upper()}": chess.Piece(kind, color)
        for color in chess.COLORS
        for kind in chess.PIECE_TYPES
    }
)
"""What stands on a board, by the names of the ruleset."""
CHESS960 = ("chess960", "chess 960", "fischerandom", "fischerrandom", "fischer random")
"""What files call the variant in which the pieces of the first row are drawn."""
_STANDARD = "Standard"
_VARIANTS = MappingProxyType({"": "", "automatic_draws": "", "chess960": "Chess960", "three_check": "Three-check"})


def write_pgn(record: Mapping[str, Any]) -> str:
    """A record as a game in PGN. Raises `NoForm` for what PGN has no form for."""
    variant = variant_of(record, "PGN", "chess", _VARIANTS)
    board = _first(record, _VARIANTS[variant])
    begin = board.fen()
    words: list[str] = []
    first = record.get("start", {}).get("turn", 1)
    for at, turn in enumerate(record["turns"]):
        for action in turn["actions"]:
            written = _move(board, action, is_begin=not words or words[-1].endswith("}"))
            if written is None:
                told = Told("PGN has no form for moves that are not legal, as in turn {turn}", turn=first + at)
                raise NoForm(told, ("turns", at))
            words += written
    outcome = board.outcome()
    result = written_result(record)
    if not result and record.get("result", {}).get("stopped") == "forfeit":
        result = BOTH_LOST
    result = result or ("*" if outcome is None else outcome.result())
    is_start = board.chess960 or begin != type(board)().fen()
    notes, usual = notes_of(record), type(board)(chess960=board.chess960).fen()
    own = {"Variant": _VARIANTS[variant], "FEN": begin if is_start else ""}
    if _is_variant(notes.get("Variant", ""), _VARIANTS[variant] or _STANDARD):
        own["Variant"] = notes["Variant"]
    if _is_position(notes.get("FEN", ""), begin if is_start else usual, board):
        own["FEN"] = notes["FEN"]
    return write_game(record, ("White", "Black"), own, words, result)


def _is_variant(told: str, name: str) -> bool:
    """Whether a tag tells of this variant, in one of the names that it has."""
    if told.lower() in CHESS960:
        return name == "Chess960"
    try:
        return name in find_variant(told).aliases if told else False
    except ValueError:
        return False


def _is_position(told: str, fen: str, board: chess.Board) -> bool:
    """Whether a tag tells of this position, with the number of the move."""
    try:
        return told != "" and type(board)(told, chess960=board.chess960).fen() == fen
    except ValueError:
        return False


def _first(record: Mapping[str, Any], variant: str) -> chess.Board:
    board: chess.Board = find_variant(variant)() if variant == "Three-check" else chess.Board()
    if variant == "Chess960":
        if "start" in record:
            raise NoForm(
                Told("games of Chess960 are read from their beginning, and this is another position"), ("start",)
            )
        row = "".join(str(code)[1:].lower() for codes in record.get("setup", {}).get("row", ()) for code in codes)
        if not _ROW.fullmatch(row):
            raise NoForm(Told("PGN has no form for this position"), ("setup", "row"))
        board = chess.Board(f"{row}/pppppppp/8/8/8/8/PPPPPPPP/{row.upper()} w KQkq - 0 1", chess960=True)
    if "start" in record:
        put_up(board, record["start"], record["players"])
    return board


def put_up(board: chess.Board, start: Mapping[str, Any], names: Sequence[str]) -> None:
    """Put up a position: that of a state file, with the `player` who moves. Raises `NoForm` if several pieces are on a cell,
    or something is not known.
    """
    board.clear()
    no_form = Told("PGN has no form for this position")
    for cell, code in pieces_on_board(start, _PIECES, no_form):
        board.set_piece_at(_square(cell), _PIECES[code])
    variables = known_variables(start, no_form)
    touched = [list(cell) for cell in variables.get("touched", ())]
    rooks = [(variables.get(f"rook_{side}") or (edge, 7))[0] for side, edge in (("left", 0), ("right", 7))]
    corners = [cell for cell in ([x, y] for x in rooks for y in (7, 0)) if cell not in touched]
    board.castling_rights = sum(chess.BB_SQUARES[_square(cell)] for cell in corners)
    board.castling_rights = board.clean_castling_rights()
    board.turn = start["player"] == names[0]
    turn = start.get("turn", 1 if board.turn else 2)
    board.fullmove_number = (turn + 1) // 2
    board.halfmove_clock = variables.get("quiet", 0)
    passed = variables.get("passed")
    board.ep_square = None if passed is None else _square(passed)
    if isinstance(board, ThreeCheckBoard):
        for color, name in zip(chess.COLORS, names, strict=True):
            board.remaining_checks[color] = 3 - variables.get("checks", {}).get(name, 0)


def _move(board: chess.Board, action: Mapping[str, Any], is_begin: bool) -> list[str] | None:
    """An action as PGN, with the number of the move where one stands; None if it is not legal."""
    move = meant(board, action)
    if move is None:
        # The pieces are put up, or a draw is claimed: PGN says so in its tags.
        return []
    if not move or not board.is_legal(move):
        return None
    words = list(written_move(board.san(move), board.ply(), action, is_begin))
    board.push(move)
    return words


def meant(board: chess.Board, action: Mapping[str, Any]) -> chess.Move | None:
    """An action as a move, legal or not, a null move if it is none on this board; None if it moves nothing."""
    match action["action"]:
        case "step":
            return _between(action["start"], action["target"])
        case "promote":
            (column, row), into = action["start"], _PIECES.get(str(action["into"]))
            target = column + int(action["aside"]), row + (-1 if board.turn else 1)
            return chess.Move.null() if into is None else _between((column, row), target, into.piece_type)
        case "castle":
            king, tower = board.king(board.turn), action["tower"]
            if king is None or not _is_on_board(tower):
                return chess.Move.null()
            if board.chess960:
                return chess.Move(king, _square(tower))
            return chess.Move(king, king + (2 if _square(tower) > king else -2))
    return None


def _between(start: Sequence[int], target: Sequence[int], into: int | None = None) -> chess.Move:
    if not (_is_on_board(start) and _is_on_board(target)):
        return chess.Move.null()
    return chess.Move(_square(start), _square(target), into)


def _is_on_board(cell: Sequence[int]) -> bool:
    return all(0 <= at < _SIZE for at in cell)


def _square(cell: Sequence[int]) -> chess.Square:
    return chess.square(cell[0], 7 - cell[1])
