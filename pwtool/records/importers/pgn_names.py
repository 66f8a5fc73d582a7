"""What chess players call moves (PGN 1.0, section 8.2.3: standard algebraic notation)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import chess
from chess.variant import ThreeCheckBoard

from pwtool.records.importers.pgn_writing import meant, put_up

__all__ = ["Names"]


class Names:
    """The names of moves in a position."""

    def __init__(self, position: Mapping[str, Any]) -> None:
        variables = position.get("variables", {})
        # A king may castle from anywhere in its row, so that both games are the same.
        self.board = ThreeCheckBoard(None, chess960=True) if "checks" in variables else chess.Board(None, chess960=True)
        put_up(self.board, position, position["players"])

    def name(self, action: Mapping[str, Any]) -> str | None:
        """The name of an action, legal or not; None if it is no move."""
        move = meant(self.board, action)
        if not move:
            return None
        if self.board.is_legal(move):
            return self.board.san(move)
        if action["action"] == "castle":
            king, tower = move.from_square, move.to_square
            at_home = chess.square_rank(tower) == chess.square_rank(king) and chess.square_file(tower) in (0, 7)
            if not at_home and self.board.piece_at(tower) != chess.Piece(chess.ROOK, self.board.turn):
                # Nobody would read from a side which square is meant.
                return f"{action['action']} {chess.square_name(tower)}"
            is_short = chess.square_file(tower) > chess.square_file(king)
            return "O-O" if is_short else "O-O-O"
        return self._refused(move)

    def _refused(self, move: chess.Move) -> str | None:
        """What somebody would write who holds the move for legal; with its start where another man could be meant. None if
        there is no man that could be.
        """
        board, start, to = self.board, move.from_square, move.to_square
        man = board.piece_at(start)
        if start == to:
            return None
        if man is None:
            return None if move.promotion else f"{chess.square_name(start)}{chess.square_name(to)}"
        if move.promotion and man.piece_type != chess.PAWN:
            return None
        letter = "" if man.piece_type == chess.PAWN else man.symbol().upper()
        # A pawn takes in another file, and nowhere else.
        is_aside = chess.square_file(start) != chess.square_file(to)
        takes = "x" if (board.piece_at(to) is not None if letter else is_aside) else ""
        others = (
            other
            for other in board.pseudo_legal_moves
            if other.to_square == to and other.from_square != start and board.piece_at(other.from_square) == man
        )
        is_clear = man.color == board.turn and next(others, None) is None
        place = "" if is_clear else chess.square_name(start)
        if man.color == board.turn and not letter and is_aside:
            place = chess.FILE_NAMES[chess.square_file(start)]
        into = f"={chess.piece_symbol(move.promotion).upper()}" if move.promotion else ""
        return f"{letter}{place}{takes}{chess.square_name(to)}{into}"
