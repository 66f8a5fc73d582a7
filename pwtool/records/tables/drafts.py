"""Games in the formats of other programs that were read quickly, packed for kernels."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import msgspec

from pwtool.kernel.wasm.module import unsigned
from pwtool.records.decoding import Decoder
from pwtool.records.importers.formats import Actions, Draft, ToldResult
from pwtool.records.json_form import Context, Malformed, read_players
from pwtool.records.outcome_json import decode_outcome
from pwtool.records.tables.compact import MAX_GAME, Unpackable, pack_game, pack_outcome, pack_turn
from pwtool.records.tables.vocabulary import Vocabulary
from pwtool.records.words import FORMAT, MAX_TURNS

__all__ = ["DraftPacker"]

_MAX_KEPT = 1 << 16
"""How many turns of a table, and how many results, are kept packed."""
_MAX_TABLES = 64


class DraftPacker:
    """Packs drafts for the kernel of one ruleset: what many of them share, once."""

    def __init__(self, decoder: Decoder, words: Vocabulary) -> None:
        self.decoder, self.words = decoder, words
        self._heads: dict[tuple[int, bytes], bytes] = {}
        self._results: dict[tuple[int, ToldResult | None], bytes] = {}
        # By the table, the number of players and the seat. The tables are kept, too: another one could get their id.
        self._turns: dict[tuple[int, int, int], _Turns] = {}

    def pack(self, draft: Draft) -> bytes | None:
        """The bytes of a game; None if some of it does not belong to many games."""
        seats = len(draft.players)
        if draft.start is not None or self.words.rounds or len(draft.turns) > MAX_TURNS:
            return None
        try:
            read_players({"players": draft.players})
            turns: list[bytes] = [b""] * len(draft.turns)
            for at in range(min(seats, len(turns))):
                known = self._of_player(draft.actions, seats, (draft.first + at) % seats)
                turns[at::seats] = map(known.__getitem__, draft.turns[at::seats])
            data = b"".join((self._head(draft), unsigned(len(turns)), *turns, self._result(draft)))
        except (Malformed, Unpackable, LookupError, TypeError, ValueError):
            return None
        return data if len(data) <= MAX_GAME else None

    def _of_player(self, actions: Mapping[Any, Actions], seats: int, seat: int) -> _Turns:
        key = id(actions), seats, seat
        known = self._turns.get(key)
        if known is None or len(known) > _MAX_KEPT:
            if len(self._turns) > _MAX_TABLES:
                self._turns.clear()
            known = self._turns[key] = _Turns(self, actions, seats, seat)
        return known

    def turn(self, seats: int, seat: int, actions: Actions) -> bytes:
        """The bytes of a turn."""
        # Names that no player has: actions that name a player do not belong to many games.
        names = [f"\0{number}" for number in range(seats)]
        turn = self.decoder.turn({"player": names[seat], "actions": [*actions]}, 0, Context(names, []))
        return pack_turn(turn, self.words, seats)

    def _head(self, draft: Draft) -> bytes:
        """What is before the turns."""
        key = len(draft.players), b"" if not draft.setup else msgspec.json.encode(draft.setup)
        if key not in self._heads:
            if len(self._heads) > _MAX_KEPT:
                self._heads.clear()
            bare = {"format": FORMAT, "players": draft.players, "setup": draft.setup or {}, "turns": []}
            # Without the number of the turns and an outcome.
            self._heads[key] = pack_game(self.decoder.record(bare), self.words)[:-2]
        return self._heads[key]

    def _result(self, draft: Draft) -> bytes:
        """What is behind the turns."""
        seats, result = len(draft.players), draft.result
        key = seats, result
        if key not in self._results:
            if len(self._results) > _MAX_KEPT:
                self._results.clear()
            outcome = None
            if result is not None:
                told = result.record(draft.players)
                outcome = decode_outcome(self.decoder.game.ruleset, told, Context(draft.players, []))
            self._results[key] = pack_outcome(outcome, self.words, seats)
        return self._results[key]


class _Turns(dict[Hashable, bytes]):
    """The turns of a table as a player takes them, packed when they are asked for."""

    def __init__(self, packer: DraftPacker, actions: Mapping[Any, Actions], seats: int, seat: int) -> None:
        super().__init__()
        self.packer, self.actions, self.seats, self.seat = packer, actions, seats, seat

    def __missing__(self, key: Hashable) -> bytes:
        found = self[key] = self.packer.turn(self.seats, self.seat, self.actions[key])
        return found
