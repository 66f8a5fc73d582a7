"""From a checked ruleset to the bytes of its module."""

from __future__ import annotations

from dataclasses import dataclass

from pwtool.ir.model import Ruleset
from pwtool.kernel.answers import MOST_COUNTED, NOT_MINE, Answer, Uncompilable
from pwtool.kernel.layout import WORD
from pwtool.kernel.limits import check_limits
from pwtool.kernel.wasm.chance import RandomPlay
from pwtool.kernel.wasm.compact import CompactReader
from pwtool.kernel.wasm.inlining import inline
from pwtool.kernel.wasm.judge import Judge
from pwtool.kernel.wasm.kernel import KernelWriter
from pwtool.kernel.wasm.legal import Legal
from pwtool.kernel.wasm.module import I32, I64, PAGE, Function, Module
from pwtool.kernel.wasm.reader import Reader
from pwtool.kernel.wasm.start_readers import CompactStartReader
from pwtool.kernel.wasm.stepping import Stepping

LARGEST_GAME = 1 << 20
"""The number of bytes for a game played at random."""


@dataclass(frozen=True, slots=True)
class Built:
    """A module, the ids of the rules by the numbers in its answers, the layout of an answer, the address of the number
    of turns without a choice in the games it has played and of what is asked of `step`, and the first byte of memory that
    the caller may use.
    """

    module: Module
    rules: tuple[str, ...]
    answer: Answer
    single: int
    step: int
    free: int


def build_module(ruleset: Ruleset, greedy: bool = False, counted: bool = False) -> Built:
    """The module of a ruleset, playing at random or greedily; `counted`: it counts its rounds. Raises `Uncompilable`."""
    check_limits(ruleset)
    try:
        return _build(ruleset, greedy, counted, starts=True)
    except Uncompilable:
        # Perhaps only positions exceed a bound.
        return _build(ruleset, greedy, counted, starts=False)


def _build(ruleset: Ruleset, greedy: bool, counted: bool, starts: bool) -> Built:
    kernel = KernelWriter(ruleset, looking=greedy, starts=starts)
    if counted:
        kernel.module.counter = kernel.module.variable(I64)
    judge = Judge(kernel)
    legal = Legal(kernel, judge.shared, judge.actions)
    judged = judge.judge(judge.can_go_on())
    reader = Reader(kernel)
    _check(kernel, judge, judged, reader, reader.record())
    _judge_all(kernel, judge, judged)
    compact = CompactStartReader(kernel) if starts else CompactReader(kernel)
    _check_compact(kernel, judge, judged, compact.record())
    random = RandomPlay(kernel, judge, legal, greedy)
    single = kernel.layout.reserve(MOST_COUNTED * WORD)
    _play_all(kernel, random, single)
    stepping = Stepping(kernel, judge, random)
    stepping.write()
    written: set[str] = set()
    while len(written) < len(judge.shared.exists):
        for name, made in list(judge.shared.exists.items()):
            if name not in written:
                written.add(name)
                legal.exists(ruleset.actions[name], made)
    judge.table.finish()
    inline(kernel.module)
    kernel.module.pages = kernel.layout.free // PAGE + 1
    return Built(kernel.module, tuple(kernel.rule_ids), judge.answer, single, stepping.asked, kernel.layout.free)


def _check(kernel: KernelWriter, judge: Judge, judged: Function, reader: Reader, read: Function) -> None:
    """`(texts, count, answers, space, room, own)`: judge many texts; `texts` has an address and a size for each. The
    packed form of each in turn is written to `space`.
    """
    _, code = kernel.function("check", 6, None, exported=True)
    text, count, answer, space, room, own = code.arguments
    with code.while_(count > 0):
        with code.when(code.call(read, text.word(), text.word(WORD), space, room, own)):
            code.do(judged, space, answer)
            for at, place in enumerate((*reader.names_at, *reader.id_at), start=judge.answer.NAMES):
                code.store(answer, code.global_(place), at * WORD)
            code.otherwise()
            code.store(answer, NOT_MINE, judge.answer.VERDICT * WORD)
            code.store(answer, code.global_(reader.other_ruleset), judge.answer.CODE * WORD)
        text.add(2 * WORD)
        answer.add(judge.answer.size * WORD)
        count.add(-1)


def _check_compact(kernel: KernelWriter, judge: Judge, judged: Function, read: Function) -> None:
    """`(games, count, answers, space, block)`: judge many compact games of a block; `games` has for each an offset, a
    size and a number of players. The packed form of each in turn is written to `space`.
    """
    _, code = kernel.function("check compact", 5, None, exported=True)
    game, count, answer, space, block = code.arguments
    with code.while_(count > 0):
        with code.when(code.call(read, block + game.word(), game.word(WORD), game.word(2 * WORD), space)):
            code.do(judged, space, answer)
            # It has no text that they could be in.
            for at in (judge.answer.NAMES_END, judge.answer.ID_END):
                code.store(answer, 0, at * WORD)
            code.otherwise()
            code.store(answer, NOT_MINE, judge.answer.VERDICT * WORD)
        game.add(3 * WORD)
        answer.add(judge.answer.size * WORD)
        count.add(-1)


def _judge_all(kernel: KernelWriter, judge: Judge, judged: Function) -> None:
    """`(records, count, answers)`: judge many packed records, stored one after the other."""
    _, code = kernel.function("judge all", 3, None, exported=True)
    record, count, answer = code.arguments
    with code.while_(count > 0):
        code.do(judged, record, answer)
        record.set(record + record.word() * WORD)
        answer.add(judge.answer.size * WORD)
        count.add(-1)


def _play_all(kernel: KernelWriter, random: RandomPlay, single: int) -> None:
    """`(seed, count, players, most turns, out, room)`: play games from successive seeds into packed records, stored one
    after the other; the number of games played before the room was used up. A game that cannot be played is one word
    that says why.
    """
    _, code = kernel.function("play all", (I64, I32, I32, I32, I32, I32), I32, exported=True)
    seed, count, players, most, out, room = code.arguments
    play = random.play()
    words, end, played = code.local(), code.local(out + room), code.local(0)
    with code.until((played >= count) | (end - out < LARGEST_GAME)):
        words.set(code.call(play, seed, players, most, out, end - out))
        with code.when(words <= 0):
            code.store(out, words)
            words.set(1)
        with code.when(played < MOST_COUNTED):
            code.store(played * WORD, code.global_(random.single), single)
        out.set(out + words * WORD)
        seed.set(seed + 1)
        played.add(1)
    played.write()


__all__ = ["Built", "Uncompilable", "build_module"]
