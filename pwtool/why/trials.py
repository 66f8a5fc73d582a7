"""Corrected records judged by a kernel, many in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from pwtool.kernel.run import NOT_MINE, Reply
from pwtool.kernel.wasm.module import unsigned
from pwtool.play.record import Outcome, Record, Turn
from pwtool.records.tables.compact import MAX_GAME, Unpackable, pack_game, pack_outcome, pack_turn
from pwtool.records.tables.vocabulary import Vocabulary

Check = Callable[[dict[int, tuple[bytes, int]]], dict[int, Reply]]
"""Judges games in compact form, each with the number of its players, by number; none if the kernel fails."""


class _Packed(Struct, frozen=True):
    """Turns and their bytes: each `begins` where the one before it ends."""

    turns: list[Turn]
    data: bytes
    begins: list[int]


class Trials:
    """Judges the records of one game that differ in a few places: what they share is packed once."""

    def __init__(self, check: Check, words: Vocabulary) -> None:
        self._check, self._words = check, words
        # By the id of a turn. The turns are kept, too: another one could get it.
        self._turns: dict[int, bytes] = {}
        self._kept: list[Turn] = []
        self._shared: _Packed | None = None
        self._begins: tuple[Record, bytes] | None = None
        self._ends: tuple[Outcome | None, bytes] | None = None

    def replies(self, records: Sequence[tuple[Record, int | None]], base: Record) -> list[Reply | None]:
        """The kernel's answer for each record; None for those that it does not judge. With each comes the number of the
        turn until which it has those of `base`, if it has any of them.
        """
        packed = {
            number: (data, len(record.players))
            for number, (record, first) in enumerate(records)
            if (data := self._packed(record, first, base)) is not None
        }
        found = self._check(packed) if packed else {}
        replies = map(found.get, range(len(records)))
        return [None if reply is None or reply.verdict == NOT_MINE else reply for reply in replies]

    def _packed(self, record: Record, first: int | None, base: Record) -> bytes | None:
        if record.has_unseen or record.whole:
            # The compact form does not say that a record without a result ends with its last turn.
            return None
        count = len(record.turns)
        try:
            turns = None if first is None else self._beside(record.turns, first, base)
            if turns is None:
                turns = [self._turn(turn, len(record.players)) for turn in record.turns]
            data = b"".join((self._beginning(record), unsigned(count), *turns, self._end(record)))
        except (Unpackable, LookupError, TypeError, ValueError):
            return None
        return data if len(data) <= MAX_GAME else None

    def _beside(self, turns: list[Turn], first: int, base: Record) -> list[bytes] | None:
        """The turns of a record that has others than `base` in one place; None if there are more such places."""
        players = len(base.players)
        if self._shared is None or self._shared.turns is not base.turns:
            packed = [self._turn(turn, players) for turn in base.turns]
            self._shared = _Packed(base.turns, b"".join(packed), [0, *accumulate(map(len, packed))])
        shared = self._shared
        for follows in (first + 1, first):
            own = len(turns) - len(shared.turns) + follows
            if own >= first and follows < len(shared.begins) and turns[own:] == shared.turns[follows:]:
                changed = [self._turn(turn, players) for turn in turns[first:own]]
                return [shared.data[: shared.begins[first]], *changed, shared.data[shared.begins[follows] :]]
        return None

    def _beginning(self, record: Record) -> bytes:
        """What is before the turns."""
        last = self._begins
        if last is None or record.setup is not last[0].setup or record.goals is not last[0].goals:
            # Without the number of the turns and an outcome.
            data = pack_game(replace(record, turns=[], outcome=None), self._words)[:-2]
            last = self._begins = record, data
        return last[1]

    def _turn(self, turn: Turn, players: int) -> bytes:
        data = self._turns.get(id(turn))
        if data is None:
            data = self._turns[id(turn)] = pack_turn(turn, self._words, players)
            self._kept.append(turn)
        return data

    def _end(self, record: Record) -> bytes:
        """What is behind the turns."""
        last = self._ends
        if last is None or record.outcome is not last[0]:
            data = pack_outcome(record.outcome, self._words, len(record.players))
            last = self._ends = record.outcome, data
        return last[1]
