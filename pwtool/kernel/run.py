"""Running kernels. Calls of Wasmtime release the global interpreter lock: every thread takes its own instance from a `Runner`."""

from __future__ import annotations

import atexit
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain
from typing import Any

from msgspec import Struct

from pwtool.kernel.answers import CLEAN, MOST_COUNTED, NOT_MINE, REFUSED, Answer
from pwtool.kernel.machine import compile_module, failures, is_installed, machine, read_module
from pwtool.kernel.module import Kernel

PAGE = 1 << 16
BLOCK = 16 << 10
"""How many bytes are read first of records of unknown length."""
ROOM = 8 << 20
"""The number of bytes for one packed record."""
BEHIND = bytes(64)
"""Padding after a text or a compact game, because their readers look ahead."""
FUEL = 5_000_000_000
FUEL_EACH_BYTE = 4_000
FUEL_EACH_COMPACT_BYTE = 40_000
FUEL_EACH_PLAYED = 2_000_000_000
"""The limits for one call, each byte of a record (as text or compact), and each game played at random, in WebAssembly's
units of fuel: about one per instruction, ten billion of which take a second. Recorded games take forty per byte;
playing a game of Paper World takes ten million.
"""
MAX_SEED = 1 << 64


@lru_cache(maxsize=8)
def _compiled(wasm: bytes, metered: bool) -> tuple[Any, Any]:
    """The engine and the machine code of a kernel. An editor, or a comparison, loads the same rules again and again."""
    return compile_module(wasm, metered)


# Wasmtime frees its modules through functions that are gone when the interpreter has ended.
atexit.register(_compiled.cache_clear)


class Runner:
    """A compiled kernel, ready to be instantiated. A `metered` one stops when it has run for too long; metering makes it
    slower. `code` is what `code()` gave for the same kernel in another process of this machine: it is run as it is, so
    it must come from nobody else.
    """

    def __init__(self, kernel: Kernel, metered: bool = True, code: bytes | None = None) -> None:
        self.kernel, self.metered = kernel, metered
        self.engine, self.module = _compiled(kernel.wasm, metered) if code is None else read_module(code, metered)

    def code(self) -> bytes:
        """The machine code that Wasmtime made."""
        return bytes(self.module.serialize())

    def instance(self) -> Instance:
        """A new instance with its own memory."""
        return Instance(self)


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers for several games: `words`, with `size` words for each."""

    kernel: Kernel
    words: array[int]

    @property
    def size(self) -> int:
        return self.kernel.answer.size

    def __len__(self) -> int:
        return len(self.words) // self.size

    def column(self, at: int) -> array[int]:
        """One word of every answer, such as `answer.VERDICT`."""
        return self.words[at :: self.size]

    def some(self, numbers: Iterable[int]) -> Answers:
        """The answers for the games with these numbers."""
        words = self.words[:0]
        for number in numbers:
            words.extend(self[number].words)
        return Answers(self.kernel, words)

    def __getitem__(self, number: int) -> Reply:
        if not 0 <= number < len(self):
            raise IndexError(number)
        return Reply(self.kernel, self.words[number * self.size : (number + 1) * self.size])


class _Word:
    """A word of an answer."""

    def __init__(self, at: int) -> None:
        self.at = at

    def __get__(self, reply: Reply, owner: type[Reply]) -> int:
        return reply.words[self.at]


class Reply(Struct, frozen=True):
    """The answer for one game."""

    kernel: Kernel
    words: array[int]

    verdict = _Word(Answer.VERDICT)
    """`CLEAN`, `REFUSED` or `NOT_MINE`."""
    turns = _Word(Answer.TURNS)
    actions = _Word(Answer.ACTIONS)
    before = _Word(Answer.BEFORE)
    """The number of turns before the first one of the record."""
    ending = _Word(Answer.ENDING)
    """The number of the ending, if the game is over."""
    ending_turn = _Word(Answer.ENDING_TURN)
    """The turn in which the end was triggered, from 1."""
    players = _Word(Answer.PLAYERS)
    """The number of players."""

    @property
    def is_clean(self) -> bool:
        return self.verdict == CLEAN

    @property
    def code(self) -> str:
        """The code of the first finding, such as `PW601`."""
        return f"PW{self.words[Answer.CODE]}"

    @property
    def rule(self) -> str:
        """The id of the first rule that refused."""
        return self.kernel.rules[self.words[Answer.RULE]]

    @property
    def turn(self) -> int | None:
        """The turn of the first finding, from 1; None if it belongs to no turn."""
        return self.words[Answer.TURN] or None

    @property
    def action(self) -> int | None:
        """The index of the refused action in its turn; None if no action is refused."""
        action = self.words[Answer.ACTION]
        return None if action < 0 else action

    @property
    def over(self) -> bool:
        return bool(self.words[Answer.OVER])

    @property
    def names(self) -> tuple[int, int]:
        """Where the list of the players' names begins and ends in the text, in bytes."""
        return self.words[Answer.NAMES], self.words[Answer.NAMES_END]

    @property
    def id(self) -> tuple[int, int]:
        """Where the id begins and ends in the text, in bytes; (0, 0) if there is none."""
        return self.words[Answer.ID], self.words[Answer.ID_END]

    @property
    def totals(self) -> list[int]:
        """The score of each seat, if the game is over."""
        answer = self.kernel.answer
        return [self.words[answer.TOTALS + seat * (1 + answer.lines)] for seat in range(self.players)]

    @property
    def lines(self) -> list[list[int]]:
        """The score lines of each seat, if the game is over."""
        answer, each = self.kernel.answer, 1 + self.kernel.answer.lines
        start = answer.TOTALS
        return [list(self.words[start + s * each + 1 : start + (s + 1) * each]) for s in range(self.players)]

    @property
    def ranking(self) -> list[list[int]]:
        """The seats by rank, best first, if the game is over."""
        answer = self.kernel.answer
        start = answer.TOTALS + answer.players * (1 + answer.lines)
        places = self.words[start : start + self.players]
        return [
            [seat for seat, place in enumerate(places) if place == n] for n in range(self.words[start + answer.players])
        ]

    @property
    def claims(self) -> list[tuple[int, int]]:
        """The objectives in play by number, each with the turn of its first claim, 0 if it was not claimed."""
        answer = self.kernel.answer
        found = self.words[answer.claims : answer.size]
        return list(zip(found[::2], found[1::2], strict=True))


class Instance:
    """A kernel with a memory, for one thread."""

    def __init__(self, runner: Runner) -> None:
        self.runner, self.kernel = runner, runner.kernel
        self._machine = machine(runner.engine, runner.module, runner.metered)
        names = ("check", "check compact", "judge all", "play all", "read")
        self._exports = {name: self._machine.function(name) for name in names}
        self._begin = (self.kernel.free + 63) // 64 * 64

    def _make_room(self, size: int) -> None:
        """Grow the memory by so many bytes beyond what the kernel itself needs."""
        missing = self._begin + size - self._machine.size()
        if missing > 0:
            self._machine.grow(missing // PAGE + 1)

    def check(self, texts: Sequence[bytes], own: bool) -> Answers:
        """Judge records in JSON; with `own`, each has to name this ruleset and no other version of it."""
        return self.check_block(b"\n".join(texts), list(map(len, texts)), own)

    def check_block(self, block: bytes, sizes: Sequence[int], own: bool) -> Answers:
        """The same for texts of these sizes in one block, each preceded by a byte that ends the previous one."""
        count, answer = len(sizes), self.kernel.answer.size * 4
        table = self._begin
        answers = table + 8 * count
        space = answers + answer * count
        text = space + ROOM
        self._make_room(8 * count + answer * count + ROOM + len(block) + 64)
        starts = accumulate((size + 1 for size in sizes), initial=text)
        self._machine.write(table, array("I", chain.from_iterable(zip(starts, sizes))).tobytes())  # noqa: B905
        self._machine.write(text, block, BEHIND)
        self._machine.fuel(FUEL + FUEL_EACH_BYTE * len(block))
        self._exports["check"](table, count, answers, space, ROOM, int(own))
        return Answers(self.kernel, self._machine.read(answers, answer * count))

    def check_compact(self, block: bytes | memoryview, games: bytes, count: int) -> Answers:
        """Judge compact games in one block: `games` has for each its offset, its size and its number of players, as words."""
        answer = self.kernel.answer.size * 4
        answers = self._begin + len(games)
        space = answers + answer * count
        start = space + ROOM
        self._make_room(len(games) + answer * count + ROOM + len(block) + PAGE)
        self._machine.write(self._begin, games)
        self._machine.write(start, block, BEHIND)
        self._machine.fuel(FUEL + FUEL_EACH_COMPACT_BYTE * len(block))
        self._exports["check compact"](self._begin, count, answers, space, start)
        return Answers(self.kernel, self._machine.read(answers, answer * count))

    def pack(self, text: bytes, own: bool) -> array[int] | None:
        """The packed form of a record in JSON; None if kernels do not read it."""
        text_at = self._begin + ROOM
        self._make_room(ROOM + len(text) + 64)
        self._machine.write(text_at, text, BEHIND)
        self._machine.fuel(FUEL + FUEL_EACH_BYTE * len(text))
        words = self._exports["read"](text_at, len(text), self._begin, ROOM, int(own))
        return self._machine.read(self._begin, 4 * words) if words else None

    def judge(self, records: Iterable[array[int]]) -> Answers:
        """Judge packed records."""
        parts = [record.tobytes() for record in records]
        return self.judge_block(b"".join(parts), len(parts))

    def judge_block(self, block: bytes, count: int) -> Answers:
        """Judge packed records, stored one after the other."""
        size = self.kernel.answer.size * 4 * count
        self._make_room(size + len(block))
        self._machine.write(self._begin + size, block)
        self._machine.fuel(FUEL + FUEL_EACH_BYTE * len(block))
        self._exports["judge all"](self._begin + size, count, self._begin)
        return Answers(self.kernel, self._machine.read(self._begin, size))

    def play(self, seed: int, games: int, players: int, max_turns: int) -> Iterator[array[int]]:
        """Games played at random, packed: from `seed`, the next seed, and so on. A game that cannot be played is a
        single word that says why (`pwtool.kernel.wasm.chance`).
        """
        return (words for words, _ in self.play_counted(seed, games, players, max_turns))

    def play_counted(self, seed: int, games: int, players: int, max_turns: int) -> Iterator[tuple[array[int], int]]:
        """The same games, each with the number of turns in which there was never more than one option."""
        self._make_room(2 * ROOM)
        while games > 0:
            signed = seed % MAX_SEED
            signed -= MAX_SEED if signed >= MAX_SEED // 2 else 0
            block = 1 if games == 1 else min(games, MOST_COUNTED)
            self._machine.fuel(FUEL + FUEL_EACH_PLAYED * block)
            played = self._exports["play all"](
                self._machine.long(signed), block, players, max_turns, self._begin, 2 * ROOM
            )
            words = self._records(played, 2 * ROOM)
            single = self._machine.read(self.kernel.single, 4 * played)
            at = 0
            for number in range(played):
                size = max(1, words[at])
                yield words[at : at + size], single[number]
                at += size
            seed, games = seed + played, games - played

    def _records(self, count: int, room: int) -> array[int]:
        """This many packed records, possibly followed by other bytes."""
        words, at = array("i"), 0
        while count or at > len(words):
            # Each record gives its own length: twice as much is read each time.
            more = min(max(BLOCK, 4 * len(words)), room - 4 * len(words))
            words += self._machine.read(self._begin + 4 * len(words), more)
            while count and at < len(words):
                at += max(1, words[at])
                count -= 1
        return words


__all__ = ["CLEAN", "NOT_MINE", "REFUSED", "Answers", "Instance", "Reply", "Runner", "failures", "is_installed"]
