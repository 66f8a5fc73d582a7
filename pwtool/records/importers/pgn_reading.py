"""Chess games in PGN, read with python-chess.

A move in PGN gives the target of a piece, and its origin only as far as the rules leave it open. So an illegal move is
read as the nearest possible action, and judging is left to the rules: the finding is at that move.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import chess
from chess.variant import VARIANTS, ThreeCheckBoard, find_variant

from pwtool.records.importers.formats import Draft, GameText, ToldResult
from pwtool.records.importers.pgn_plain import TURNS, PlainMoves
from pwtool.records.importers.pgn_writing import CHESS960
from pwtool.records.importers.stated import Stated, is_called
from pwtool.records.importers.tagged_games import (
    BOTH_LOST,
    STOPPED,
    TurnReader,
    compare_results,
    player_names,
    read_tags,
    tokens,
    tokens_of,
)
from pwtool.records.words import FORMAT
from pwtool.text.source import Span
from pwtool.text.speech import Told
from pwtool.text.words import shorten

# What annotators write of a move or the position behind it (Chess Informant).
_SIGNS = r"(?:\+[/-]?[-=]|[-=]/?\+|\+/-|-/\+|\+/=|=/\+|=|~|∞|N|TN|D)(?=[\s{};()]|\Z)"
_TOKENS = tokens_of(
    # Castling is written like this result: it stands for one alone at the end.
    results=rf"1-0|0-1|1/2-1/2|1/2|{BOTH_LOST}(?=\s*\Z)",
    move=r"[^\s{};()$!?*]+",
    mark=rf"[!?]{{1,2}}|(?<=[^.\s]\s){_SIGNS}",
    open_result="*",
)
_SAN = re.compile(
    r"""(?P<piece>[KQRBNP]?)(?P<file>[a-h]?)(?P<rank>[1-8]?)(?P<sign>[-x:]?)(?P<target>[a-h][1-8])
    (?:[=/]?(?P<into>[QRBNqrbn]))?(?P<passant>e\.?p\.?)?(?P<end>[+#]*)""",
    re.VERBOSE,
)
_CASTLE = re.compile(r"(?P<side>[O0o])-(?P=side)(?P<long>-(?P=side))?(?P<end>[+#]*)")
_EN_PASSANT = re.compile(r"(?P<passant>e\.?p\.?)(?P<end>[+#]*)")
_WORD = re.compile(r"[ \t]*\r?\n?[ \t]*([^\s{};()$!?*]+)")
_KINDS = MappingProxyType({"": chess.PAWN, **{chess.piece_symbol(kind).upper(): kind for kind in chess.PIECE_TYPES}})
_SIDES = ("White", "Black")
_RANKINGS: Mapping[str, tuple[tuple[int, ...], ...]] = MappingProxyType(
    {"1-0": ((0,), (1,)), "0-1": ((1,), (0,)), "1/2-1/2": ((0, 1),), "1/2": ((0, 1),), BOTH_LOST: ()}
)
_RULESETS = MappingProxyType({"Standard": "chess", "Chess960": "chess+chess960", "Three-check": "chess+three_check"})
"""The ruleset of each variant, by its first name in PGN."""
_VARIANTS = ("Chess960", *(variant.aliases[0] for variant in VARIANTS if variant is not chess.Board))
_STATED = Stated(
    lambda game: is_called(game, _RULESETS["Standard"]),
    None,
    Told("this is a game of {name}, and the ruleset is called otherwise", name="chess"),
)


def read_pgn(notes: GameText) -> dict[str, object] | None:
    """The record of one game."""
    text = notes.file.text
    tags, at = read_tags(text, notes)
    board = _first_position(tags, notes)
    if board is None or notes.problems:
        return None
    _state_variant(tags, board, notes)
    record = _head(tags, _RULESETS.get("Chess960" if board.chess960 else board.aliases[0] if _is_known(tags) else ""))
    if board.chess960:
        pieces = (board.piece_at(square) for square in chess.SquareSet(chess.BB_RANK_1))
        record["setup"] = {"row": [["w" + piece.symbol() for piece in pieces if piece is not None]]}
    names = player_names(tags, _SIDES)
    before, start = None, dict[str, object]()
    if not (board.chess960 or _is_usual(board)):
        before = board.ply()
        start = record["start"] = _start(board, names)
        notes.places["start",] = notes.locate(("meta", "FEN"))
    moves = _Moves(board, names, notes, before, "" if "ruleset" in record else tags["Variant"])
    is_castling = tags.get("Result", "").strip() != BOTH_LOST
    for token in tokens(text, at, notes, _TOKENS):
        if token["result"] == BOTH_LOST and is_castling:
            moves.move(BOTH_LOST, Span(notes.file, *token.span()))
        else:
            moves.read(token)
    if start:
        # Studies count from 1 whatever the position says; findings count as the file does.
        start["turn"] = moves.before + 1
    if not tags and not moves.turns and not notes.problems:
        notes.report("PW704", notes.locate(()), Told("the file contains no game"))
    return _whole(record, tags, moves, notes)


def draft_pgn(notes: GameText) -> Draft | None:
    """A plain game, as it is if its moves are legal; None if only `read_pgn` can tell."""
    tags, at = read_tags(notes.text, notes)
    if notes.problems or not tags.keys().isdisjoint(("FEN", "SetUp", "Variant")):
        return None
    notes.stated.append(_STATED)
    moves = PlainMoves(notes.text, at)
    told = compare_results(tags, moves.result, _RANKINGS, notes)
    if not moves.is_plain or not (tags or moves.turns) or notes.problems:
        return None
    names = player_names(tags, _SIDES)
    result = _result(tags, told, len(moves.turns) if moves.claims_mate else None)
    return Draft(_RULESETS["Standard"], names, moves.turns, TURNS, result=result)


def _head(tags: dict[str, str], ruleset: str | None) -> dict[str, object]:
    record: dict[str, object] = {"format": FORMAT}
    if ruleset is not None:
        record["ruleset"] = ruleset
    return record | {"players": player_names(tags, _SIDES), "meta": tags}


def _whole(record: dict[str, object], tags: dict[str, str], moves: _Moves, notes: GameText) -> dict[str, object] | None:
    """The record with its turns and result; None if something was reported."""
    names = player_names(tags, _SIDES)
    told = compare_results(tags, moves.result, _RANKINGS, notes)
    if notes.problems:
        return None
    if moves.comment:
        record["comment"] = moves.comment
    record["turns"] = moves.turns
    result = _result(tags, told, moves.before + len(moves.turns) if moves.claims_mate else None)
    if result is not None:
        record["result"] = result.record(names)
        if not told:
            notes.places["result",] = notes.locate(("turns", len(moves.turns) - 1))
        elif moves.result == told:
            notes.place(("result",), *moves.end)
        else:
            notes.places["result",] = notes.locate(("meta", "Result"))
    return record


def _result(tags: Mapping[str, str], told: str, mate: int | None) -> ToldResult | None:
    """The result that is told, or that the last move claims; `mate`: after how many turns it claims to mate."""
    won = "" if mate is None else ("0-1", "1-0")[mate % 2]
    if not (told or won):
        return None
    # The rules do not end a game that is resigned or drawn by agreement; a mate that the moves claim does.
    unsaid = "forfeit" if told == BOTH_LOST else "unknown"
    stopped = None if won else STOPPED.get(tags.get("Termination", "").casefold(), unsaid)
    return ToldResult(_RANKINGS[told or won], stopped=stopped)


_IMPOSSIBLE = (
    chess.Status.NO_WHITE_KING,
    chess.Status.NO_BLACK_KING,
    chess.Status.TOO_MANY_KINGS,
    chess.Status.PAWNS_ON_BACKRANK,
    chess.Status.OPPOSITE_CHECK,
)
"""What no position between two moves has, and the rules do not ask for."""


def _first_position(tags: dict[str, str], notes: GameText) -> chess.Board | None:
    """The board before the first move; for variants, python-chess only has to know how the pieces move."""
    board = find_variant(tags["Variant"])() if "Variant" in tags and _is_known(tags) else chess.Board()
    board.chess960 = tags.get("Variant", "").lower() in CHESS960
    fen = tags.get("FEN")
    if fen is None:
        if tags.get("SetUp", "0") != "0" or board.chess960:
            tag = "Variant" if board.chess960 else "SetUp"
            notes.report("PW704", notes.locate(("meta", tag)), Told("the tag `FEN` with the first position is missing"))
            return None
        return board
    try:
        board.set_fen(fen)
    except ValueError as error:
        notes.report("PW704", notes.locate(("meta", "FEN")), Told("this is not a position: {error}", error=str(error)))
        return None
    wrong = [flag.name.lower().replace("_", " ") for flag in _IMPOSSIBLE if flag & board.status() and flag.name]
    if wrong:
        told = Told("this is not a position: {error}", error=", ".join(wrong))
        notes.report("PW704", notes.locate(("meta", "FEN")), told)
        return None
    _leave_out_rights(board, fen, notes)
    if board.chess960 and not _is_usual(board):
        told = Told("games of Chess960 are read from their beginning, and this is another position")
        notes.report("PW704", notes.locate(("meta", "FEN")), told)
        return None
    return board


_ROOKS = MappingProxyType({"H": "K", "A": "Q", "h": "k", "a": "q"})
"""The signs of rights to castle by the files of the rooks."""


def _leave_out_rights(board: chess.Board, fen: str, notes: GameText) -> None:
    """Take the rights out of a position that it cannot give, with a warning. python-chess does the same with castling."""
    place = notes.locate(("meta", "FEN"))
    board.castling_rights = board.clean_castling_rights()
    given = board.castling_xfen()
    # Programs may leave out all but the board.
    untrue = "".join(sign for part in fen.split()[2:3] for sign in part if _ROOKS.get(sign, sign) not in given)
    if untrue and not board.chess960:
        notes.warn(
            "PW718",
            place,
            Told("the position gives rights that its pieces cannot have: {rights}", rights=f"`{untrue}`"),
        )
    if board.ep_square is not None and chess.Status.INVALID_EP_SQUARE & board.status():
        square = chess.square_name(board.ep_square)
        told = Told("no pawn can be captured in passing on {square}, as the position says", square=square)
        notes.warn("PW718", place, told)
        board.ep_square = None


def _is_usual(board: chess.Board) -> bool:
    """Whether a board shows the beginning of a game. Counters matter too: of moves without a capture, and of checks."""
    usual = type(board)(chess960=board.chess960)
    if board.chess960 and (number := board.chess960_pos()) is not None:
        usual.set_chess960_pos(number)
    return board.fen() == usual.fen()


def _start(board: chess.Board, names: list[str]) -> dict[str, object]:
    """A position as the start of a record. What is not on the board was taken; what is there beyond the first pieces comes
    from those that pawns become.
    """
    cells = [[*_cell(square), [_code(piece)]] for square, piece in sorted(board.piece_map().items())]
    box: dict[str, list[str]] = {name: [] for name in names}
    taken: list[str] = []
    for color, name in zip(chess.COLORS, names, strict=True):
        for kind, first in _FIRST.items():
            more = len(board.pieces(kind, color)) - first
            code = _code(chess.Piece(kind, color))
            taken += [code] * -more
            box[name] += [code] * (_SPARE - max(0, more)) if kind not in (chess.PAWN, chess.KING) else []
    variables: dict[str, object] = {
        "touched": [_cell(square) for square in _CORNERS if not board.castling_rights & chess.BB_SQUARES[square]],
        "quiet": board.halfmove_clock,
        "mover": names[board.turn],
    }
    if board.ep_square is not None and board.has_pseudo_legal_en_passant():
        variables["passed"] = _cell(board.ep_square)
        variables["passing"] = _cell(board.ep_square + (-8 if board.turn else 8))
    if isinstance(board, ThreeCheckBoard):
        variables["checks"] = {n: 3 - board.remaining_checks[c] for n, c in zip(names, chess.COLORS, strict=True)}
    return {
        "player": names[not board.turn],
        "zones": {"board": cells, "box": box, "taken": taken},
        "variables": variables,
    }


def _code(piece: chess.Piece) -> str:
    return ("w" if piece.color else "b") + piece.symbol().upper()


def _state_variant(tags: dict[str, str], board: chess.Board, notes: GameText) -> None:
    """Note the game, and the variant if there is one: the ruleset may be chosen by somebody who did not read them."""
    notes.stated.append(_STATED)
    name = tags.get("Variant", "")
    plain = "Chess960" if board.chess960 else board.aliases[0] if _is_known(tags) else name
    if name and plain == "Standard":
        notes.state(
            notes.locate(("meta", "Variant")),
            lambda game: not any(is_called(game, other) for other in _VARIANTS),
            Told("the game is one of chess itself, and the ruleset is a variant"),
            Told("choose a ruleset with --rules that is not"),
        )
    elif name:
        notes.state(
            notes.locate(("meta", "Variant")),
            lambda game: is_called(game, plain),
            Told(
                "the game is one of the variant `{name}`, and no part of the ruleset is called so",
                name=shorten(name, 80),
            ),
            Told("choose a ruleset with --rules that has it"),
        )
        if plain not in _RULESETS:
            told = Told("there is no ruleset for the variant `{name}`", name=shorten(name, 80))
            notes.has_no_ruleset(notes.locate(("meta", "Variant")), told)


def _is_known(tags: dict[str, str]) -> bool:
    """Whether python-chess supports the variant, if there is one."""
    try:
        return "Variant" not in tags or bool(find_variant(tags["Variant"]))
    except ValueError:
        return False


class _Moves(TurnReader):
    """The turns of a game, and the board that gives moves their meaning. `variant`: its name, if no ruleset has it."""

    def __init__(
        self, board: chess.Board, names: list[str], notes: GameText, before: int | None = None, variant: str = ""
    ) -> None:
        super().__init__(names, notes, before)
        self.board, self.variant = board, variant
        # If the pieces are set up by chance, White puts them there before the first move.
        self._before: list[dict[str, object]] = [{"action": "arrange"}] if board.chess960 else []
        self.claims_mate = False
        self.legal_so_far = True
        self._read_to = 0

    def move(self, word: str, span: Span) -> None:
        if self.turns and (behind := _EN_PASSANT.fullmatch(word)):
            self._compare(behind, span)
            return
        action = self._castle(word, span) or self._step(word, span)
        if action is None:
            return
        self.claims_mate = word.endswith("#")
        self.add([*self._before, action], span)
        self._before = []

    def _compare(self, said: re.Match[str], span: Span) -> None:
        """Warn if the signs of a move that was just made say something of it that is not true."""
        if not self.legal_so_far or self.variant:
            return
        board, said_of = self.board, said.groupdict()
        if not (said["end"] or said_of.get("sign") or said_of.get("passant")):
            return
        move = board.pop()
        captures, passes = board.is_capture(move), board.is_en_passant(move)
        board.push(move)
        if said_of.get("sign") in ("x", ":") and not captures:
            self.notes.warn("PW718", span, Told("`{san}` captures nothing", san=said[0]))
        if said_of.get("passant") and not passes:
            self.notes.warn("PW718", span, Told("`{san}` is not a capture in passing", san=said[0]))
        if "+" in said["end"] and not board.is_check():
            self.notes.warn("PW718", span, Told("`{san}` does not give check", san=said[0]))
        if "#" in said["end"] and not board.is_checkmate():
            self.notes.warn("PW718", span, Told("`{san}` does not mate", san=said[0]))

    def _castle(self, san: str, span: Span) -> dict[str, object] | None:
        found = _CASTLE.fullmatch(san)
        if found is None:
            return None
        try:
            move = self.board.parse_san("O-O-O" if found["long"] else "O-O")
            tower = self._tower(move)
        except ValueError:
            self.legal_so_far = False
            move, tower = chess.Move.null(), chess.square(0 if found["long"] else 7, 0 if self.board.turn else 7)
        self.board.push(move)
        self._compare(found, span)
        return {"action": "castle", "tower": _cell(tower)}

    def _tower(self, move: chess.Move) -> chess.Square:
        """The cell of the rook with which a king castles."""
        if self.board.chess960:
            return move.to_square
        return chess.square(7 if move.to_square > move.from_square else 0, chess.square_rank(move.from_square))

    def _step(self, san: str, span: Span) -> dict[str, object] | None:
        found = _SAN.fullmatch(san)
        if found is None and self.variant:
            # There may be any number of them, and only one reason.
            if not self.notes.problems:
                told = Told(
                    "games of the variant `{name}` have moves that cannot be read", name=shorten(self.variant, 80)
                )
                self.notes.report(
                    "PW704", span, told, Told("there are rulesets for {known}", known=", ".join(_RULESETS))
                )
            return None
        if found is None:
            if span.start >= self._read_to:
                # A sentence behind the result is one finding, not one for each word.
                span = Span(span.file, span.start, self._end_of_words(span))
                self._read_to = span.end
                told = Told("`{san}` is not a move", san=shorten(" ".join(span.text.split()), 80))
                self.notes.report("PW704", span, told, Told("moves are written as in `Nf3` or `exd8=Q`"))
            return None
        legal = self._castled(found) or list(self._candidates(found, self.board.generate_legal_moves))
        if len(legal) > 1 and self.legal_so_far:
            ways = " or from ".join(chess.square_name(move.from_square) for move in legal)
            self.notes.report(
                "PW704",
                span,
                Told("`{san}` can come from {ways}", san=san, ways=ways),
                Told("write the file or rank it comes from"),
            )
            return None
        move = legal[0] if legal else self._meant(found, span)
        self.legal_so_far = self.legal_so_far and bool(legal)
        if legal and self.board.is_castling(move):
            action: dict[str, object] = {"action": "castle", "tower": _cell(self._tower(move))}
        else:
            action = self._action(move, span)
        # If the piece does not exist, the board does not change.
        there = self.board.piece_at(move.from_square) is not None and move.from_square != move.to_square
        self.board.push(move if there else chess.Move.null())
        self._compare(found, span)
        return action

    def _end_of_words(self, span: Span) -> int:
        """Where the words end that stand behind one that is no move, and are none either."""
        end = span.end
        while (word := _WORD.match(span.file.text, end)) is not None:
            if word[1][0].isdigit() or _SAN.fullmatch(word[1]) or _CASTLE.fullmatch(word[1]):
                break
            end = word.end()
        return end

    def _castled(self, found: re.Match[str]) -> list[chess.Move]:
        """The castling that is written as a step of the king, as in `e1g1`; in Chess960 also as one onto the rook."""
        if not (found["file"] and found["rank"] and found["piece"] in ("", "K")) or found["into"]:
            return []
        try:
            move = self.board.parse_uci(found["file"] + found["rank"] + found["target"])
        except ValueError:
            return []
        return [move] if self.board.is_castling(move) else []

    def _candidates(
        self, found: re.Match[str], moves: Callable[[int, int], Iterator[chess.Move]]
    ) -> Iterator[chess.Move]:
        """Those of the moves (from some squares to others, by their bits) with which a piece of this kind gets to the cell."""
        into, target = _KINDS[found["into"].upper()] if found["into"] else None, chess.parse_square(found["target"])
        # A king that castles is said to go where it does not go in Chess960.
        for move in moves(
            int(self._starts(found)), chess.BB_ALL if found["piece"] == "K" else chess.BB_SQUARES[target]
        ):
            if move.promotion == into and move.to_square == target:
                yield move

    def _starts(self, found: re.Match[str]) -> chess.SquareSet:
        """Where pieces of this kind stand, as far as the move says it."""
        kind = _KINDS[found["piece"]]
        if not found["piece"] and found["file"] and found["rank"]:
            # With its whole origin, a move needs no letter.
            kind = self.board.piece_type_at(chess.parse_square(found["file"] + found["rank"])) or kind
        starts = chess.SquareSet(self.board.pieces_mask(kind, self.board.turn))
        # For a pawn that captures, the file is always written.
        return self._within(starts, found["file"] or (found["target"][0] if kind == chess.PAWN else ""), found["rank"])

    def _within(self, squares: chess.SquareSet, file: str, rank: str) -> chess.SquareSet:
        """Those of the squares in a file and a rank; each may be empty."""
        if file:
            squares &= chess.BB_FILES["abcdefgh".index(file)]
        return squares & chess.BB_RANKS[int(rank) - 1] if rank else squares

    def _meant(self, found: re.Match[str], span: Span) -> chess.Move:
        """The nearest action to an illegal move: a piece of this kind that may not go there. If there is none, a move from
        an empty cell, with a remark.
        """
        for move in self._candidates(found, self.board.generate_pseudo_legal_moves):
            return move
        target = chess.parse_square(found["target"])
        starts = self._starts(found)
        is_there = bool(starts)
        if not is_there:
            # Those that the move names: a single one, or those of a row that are empty.
            empty = chess.SquareSet(~self.board.occupied)
            among = chess.SquareSet(chess.BB_ALL) if found["file"] and found["rank"] else empty
            starts = self._within(among, found["file"], found["rank"]) or empty
        start = min(starts, key=lambda s: (chess.square_distance(s, target), s), default=target)
        if not is_there and self.legal_so_far and self.board.piece_at(start) is None:
            self.notes.remarks[span] = Told(
                "{player} has no piece that `{san}` can mean; it is judged as a move from {cell}, which is empty",
                player=self.names[not self.board.turn], san=found[0], cell=chess.square_name(start),
            )  # fmt: skip
        return chess.Move(start, target, _KINDS[found["into"].upper()] if found["into"] else None)

    def _action(self, move: chess.Move, span: Span) -> dict[str, object]:
        """A move in terms of the ruleset: cells are counted from the top left corner as White sees the board."""
        start, target = _cell(move.from_square), _cell(move.to_square)
        step: dict[str, object] = {"action": "step", "start": start, "target": target}
        if move.promotion is None:
            return step
        # A promotion is one step ahead, whatever cell is written: from other rows no rule allows it, and without it the step
        # could be legal. From the row before the last one, it may be another move, which the rules allow.
        aside = max(-1, min(1, target[0] - start[0]))
        square = move.from_square + (8 if self.board.turn else -8) + aside
        letter = chess.piece_symbol(move.promotion).upper()
        is_other = square != move.to_square and square in chess.SQUARES
        if is_other and self.board.is_pseudo_legal(chess.Move(move.from_square, square, move.promotion)):
            self.notes.left_out[f"={letter}"] += 1
            told = Told("`{san}` is judged as a step: as a promotion, it would be another move", san=span.text)
            self.notes.remarks[span] = told
            return step
        return {"action": "promote", "start": start, "aside": aside, "into": ("w" if self.board.turn else "b") + letter}


_FIRST = MappingProxyType(
    {chess.PAWN: 8, chess.KNIGHT: 2, chess.BISHOP: 2, chess.ROOK: 2, chess.QUEEN: 1, chess.KING: 1}
)
"""How many pieces of each kind a side begins with."""
_SPARE = 8
"""How many pieces of each kind lie ready for the pawns of a side."""
_CORNERS = (chess.A1, chess.H1, chess.A8, chess.H8)


def _cell(square: chess.Square) -> list[int]:
    return [chess.square_file(square), 7 - chess.square_rank(square)]
