"""Chess games as PGN, in its export format: seven tags first, lines of at most 80 characters."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import chess
from chess.variant import ThreeCheckBoard, find_variant

from pwtool.text.speech import Told

__all__ = ["write_pgn"]

_ROSTER = MappingProxyType({"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?"})
"""The tags that come first besides the players and the result, and what stands there if it is not known."""
_VARIANTS = MappingProxyType({"": "", "automatic_draws": "", "chess960": "Chess960", "three_check": "Three-check"})
_GLYPHS = MappingProxyType({"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6})
_ENDS = MappingProxyType(
    {"time": "time forfeit", "abandonment": "abandoned", "adjudication": "adjudication", "forfeit": "rules infraction"}
)
_WIDTH = 79


def write_pgn(record: Mapping[str, Any]) -> str:
    """A record as a game in PGN. Raises `ValueError`, with a text for people, for what PGN has no form for."""
    address, _, variant = str(record.get("ruleset", "")).partition("+")
    if address != "chess" or variant not in _VARIANTS:
        raise ValueError(Told("PGN is a format for chess, not for {ruleset}", ruleset=f"`{record.get('ruleset')}`"))
    board = _first(record, _VARIANTS[variant])
    begin = board.fen()
    result = _result(record)
    words = [_comment(record["comment"])] if record.get("comment") else []
    for number, turn in enumerate(record["turns"], 1):
        for action in turn["actions"]:
            words += _move(board, action, number, at_begin=len(words) == 0 or words[-1].endswith("}"))
    outcome = board.outcome()
    if result == "*" and outcome is not None:
        result = outcome.result()
    tags = dict(_ROSTER)
    tags |= {"White": record["players"][0], "Black": record["players"][1], "Result": result}
    ours = {"White", "Black", "Result", "Variant", "SetUp", "FEN", "Termination"}
    tags |= {name: value for name, value in record.get("meta", {}).items() if name not in ours}
    if _VARIANTS[variant]:
        tags["Variant"] = _VARIANTS[variant]
    if begin != type(board)().fen():
        tags |= {"SetUp": "1", "FEN": begin}
    ended = _ENDS.get(str(record.get("result", {}).get("stopped", "")))
    if ended is not None:
        tags["Termination"] = ended
    head = "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in tags.items())
    body = textwrap.wrap(" ".join([*words, result]), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return f"{head}\n" + "\n".join(body) + "\n"


def name_move(record: Mapping[str, Any], path: Sequence[str | int], action: Mapping[str, Any]) -> str | None:
    """An action at a place in a game, as it is written there: the name of the move. None if one before it is not legal."""
    if list(path[:1]) != ["turns"] or not isinstance(path[1], int):
        return None
    board = _first(record, _VARIANTS.get(str(record.get("ruleset", "")).partition("+")[2], ""))
    done = [a for turn in record["turns"][: path[1]] for a in turn["actions"]]
    if list(path[2:3]) == ["actions"] and isinstance(path[3], int):
        done += record["turns"][path[1]]["actions"][: path[3]]
    for move in (_meant(board, one) for one in done):
        if move is not None and not board.is_legal(move):
            return None
        if move is not None:
            board.push(move)
    wanted = _meant(board, action)
    return board.san(wanted) if wanted is not None and board.is_legal(wanted) else None


def _first(record: Mapping[str, Any], variant: str) -> chess.Board:
    board: chess.Board = find_variant(variant)() if variant == "Three-check" else chess.Board()
    if variant == "Chess960":
        row = "".join(piece[1].lower() for piece in record["setup"]["row"][0])
        board = chess.Board(f"{row}/pppppppp/8/8/8/8/PPPPPPPP/{row.upper()} w KQkq - 0 1", chess960=True)
    if "start" in record:
        _put_up(board, record["start"], record["players"])
    return board


def _put_up(board: chess.Board, start: Mapping[str, Any], names: list[str]) -> None:
    """Put up the position that a record starts from."""
    board.clear()
    for *cell, pile in start["zones"]["board"]:
        code = pile[0]
        piece = chess.Piece(chess.PIECE_SYMBOLS.index(code[1].lower()), code[0] == "w")
        board.set_piece_at(_square(cell), piece)
    variables = start.get("variables", {})
    touched = [list(cell) for cell in variables.get("touched", ())]
    corners = [cell for cell in ([0, 7], [7, 7], [0, 0], [7, 0]) if cell not in touched]
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


def _result(record: Mapping[str, Any]) -> str:
    """What the record says of the result."""
    ranking = record.get("result", {}).get("ranking")
    if not ranking:
        return "*"
    if len(ranking) == 1 and len(ranking[0]) > 1:
        return "1/2-1/2"
    return "1-0" if ranking[0] == [record["players"][0]] else "0-1"


def _move(board: chess.Board, action: Mapping[str, Any], number: int, at_begin: bool) -> Iterator[str]:
    """An action as PGN, with the number of the move where one stands."""
    move = _meant(board, action)
    if move is None:
        # The pieces are put up, or a draw is claimed: PGN says so in its tags.
        return
    if not board.is_legal(move):
        raise ValueError(Told("PGN has no form for moves that are not legal, as in turn {turn}", turn=number))
    if board.turn or at_begin:
        yield f"{board.fullmove_number}{'.' if board.turn else '...'}"
    yield board.san(move)
    board.push(move)
    if action.get("mark") in _GLYPHS:
        yield f"${_GLYPHS[action['mark']]}"
    if action.get("comment"):
        yield _comment(action["comment"])


def _meant(board: chess.Board, action: Mapping[str, Any]) -> chess.Move | None:
    match action["action"]:
        case "step":
            return chess.Move(_square(action["start"]), _square(action["target"]))
        case "promote":
            start = _square(action["start"])
            target = start + (8 if board.turn else -8) + int(action["aside"])
            return chess.Move(start, target, chess.PIECE_SYMBOLS.index(action["into"][1].lower()))
        case "castle":
            king, tower = board.king(board.turn), _square(action["tower"])
            if king is None or board.chess960:
                return None if king is None else chess.Move(king, tower)
            return chess.Move(king, king + (2 if tower > king else -2))
    return None


def _square(cell: list[int]) -> chess.Square:
    return chess.square(cell[0], 7 - cell[1])


def _comment(text: str) -> str:
    # PGN has no form for a closing brace in a comment.
    return f"{{{text.replace('}', ')')}}}"


def _escaped(value: object) -> str:
    return " ".join(str(value).split()).replace("\\", "\\\\").replace('"', '\\"')
