"""Calls of small functions become their code, and nothing else changes."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
import wasmtime

from pwtool.kernel.wasm import inlining
from pwtool.kernel.wasm.code import Code
from pwtool.kernel.wasm.inlining import inline
from pwtool.kernel.wasm.module import I32, I64, Function, Module
from pwtool.kernel.wasm.operands import Expression
from tests.support import few_or_many

Build = Callable[[Module], Function]
NUMBERS = (0, 1, 2, 3, 7, 100, -1, -5, (1 << 31) - 1)


def written(module: Module, name: str, parameters: int, kind: int = I32) -> tuple[Function, Code]:
    made = module.function(name, (I32,) * parameters, (kind,))
    return made, Code(module, made)


def size_of(build: Build) -> int:
    """The number of calls that are left in the function."""
    module = Module()
    made = build(module)
    before = len(made.code)
    inline(module)
    return len(made.code) - before


def run(build: Build, inlined: bool, arguments: list[tuple[int, int]]) -> list[int]:
    module = Module()
    made = build(module)
    made.exported = True
    if inlined:
        inline(module)
    store = wasmtime.Store()
    instance = wasmtime.Instance(store, wasmtime.Module(store.engine, module.encode()), [])
    exported = instance.exports(store)[made.name]
    assert isinstance(exported, wasmtime.Func)
    return [exported(store, *pair) for pair in arguments]


def nested_leaves(module: Module) -> Function:
    """A function that is left from within loops and cases, called within loops and cases."""
    found, code = written(module, "found", 2)
    a, b = code.arguments
    at = code.local()
    with code.loop() as again, code.when(at < 10):
        at.add(1)
        with code.when((at * b).equals(a)):
            with code.block(), code.when(at > 5):
                code.leave(at + 100)
            code.leave(at)
        code.branch(again)
    code.value(-1).write()
    whole, code = written(module, "whole", 2)
    a, b = code.arguments
    total, at = code.local(0), code.local(0)
    with code.block() as done, code.loop() as again:
        code.branch_if(done, at >= 12)
        with code.when(code.call(found, at, b & 3) > 0):
            total.add(code.call(found, at, b & 3) * a)
            code.otherwise()
            total.add(1)
        at.add(1)
        code.branch(again)
    total.write()
    return whole


def in_its_own_arguments(module: Module) -> Function:
    difference, code = written(module, "difference", 2)
    a, b = code.arguments
    (a - b).write()
    whole, code = written(module, "whole", 2)
    a, b = code.arguments
    inner = code.call(difference, b, code.call(difference, a, 3))
    code.call(difference, inner, code.call(difference, inner, a)).write()
    return whole


def locals_that_begin_at_zero(module: Module) -> Function:
    counted, code = written(module, "counted", 1)
    (a,) = code.arguments
    number, wide = code.local(), code.local(kind=I64)
    number.set(number + a)
    wide.set(wide + number.wide())
    wide.narrow().write()
    whole, code = written(module, "whole", 2)
    a, b = code.arguments
    total, at = code.local(0), code.local(0)
    with code.loop() as again:
        total.set(total * 3 + code.call(counted, a + at))
        at.add(1)
        with code.when(at < 4):
            code.branch(again)
    (total ^ b).write()
    return whole


def itself(module: Module) -> Function:
    """A function that calls itself, and one that does so through another."""
    steps, code = written(module, "steps", 1)
    (a,) = code.arguments
    with code.when(a <= 0):
        code.leave(0)
    (code.call(steps, (a & 31) - 1) + 1).write()
    even, code = written(module, "even", 1)
    odd, other = written(module, "odd", 1)
    for one, function, at_zero in ((code, odd, 1), (other, even, 0)):
        (a,) = one.arguments
        with one.when(a <= 0):
            one.leave(at_zero)
        one.call(function, (a & 31) - 1).write()
    whole, code = written(module, "whole", 2)
    a, b = code.arguments
    (code.call(steps, a) + code.call(even, b) * 100).write()
    return whole


def without_result(module: Module) -> Function:
    number = module.variable()
    keep = module.function("keep", (I32,), ())
    code = Code(module, keep)
    with code.when(code.arguments[0] < 0):
        code.leave()
    code.switch(
        code.arguments[0], [lambda at=at: code.global_(number).set(at * 7) for at in range(3)]  # type: ignore[misc]
    )  # fmt: skip
    code.store(64, code.global_(number))
    code.copy(code.value(72), code.value(64), 4)
    code.fill(76, 1, 2)
    whole, code = written(module, "whole", 2)
    a, b = code.arguments
    code.do(keep, a)
    code.do(keep, b)
    ((code.value(72).word() << 8) + code.value(76).word() + code.global_(number)).write()
    return whole


BUILDS = [nested_leaves, in_its_own_arguments, locals_that_begin_at_zero, itself, without_result]


@pytest.mark.parametrize("build", BUILDS, ids=lambda build: build.__name__)
def test_results_stay_the_same(build: Build) -> None:
    arguments = [(a, b) for a in NUMBERS for b in NUMBERS]
    assert size_of(build) > 0
    assert run(build, True, arguments) == run(build, False, arguments)


def test_functions_that_are_large_stay_calls() -> None:
    def large(module: Module) -> Function:
        sum_, code = written(module, "sum", 2)
        a, b = code.arguments
        total = code.local(a)
        for number in range(inlining.SMALL):
            total.set(total * b + number)
        total.write()
        whole, code = written(module, "whole", 2)
        code.call(sum_, *code.arguments).write()
        return whole

    assert size_of(large) == 0
    assert run(large, True, [(3, 5)]) == run(large, False, [(3, 5)])


class Writer:
    """Writes the statements of a function at random; it may call those that were written before."""

    def __init__(self, code: Code, rng: random.Random, callable_: list[Function]) -> None:
        self.code, self.rng, self.callable = code, rng, callable_
        self.own = [code.local(), code.local()]

    def value(self, depth: int = 2) -> Expression:
        rng, kind = self.rng, self.rng.randrange(6)
        if depth == 0 or kind < 2:
            number = self.code.value(rng.choice(NUMBERS))
            return rng.choice([*self.code.arguments, *self.own, number])
        left, right = self.value(depth - 1), self.value(depth - 1)
        if kind < 4 and self.callable:
            return self.code.call(rng.choice(self.callable), left, right)
        return rng.choice([left + right, left - right, left ^ right, left < right])

    def statement(self, depth: int) -> None:
        code, rng, kind = self.code, self.rng, self.rng.randrange(7)
        if kind < 3 or depth == 0:
            rng.choice(self.own).set(self.value())
        elif kind == 3:
            with code.when(self.value()):
                self.statement(depth - 1)
                if rng.random() < 0.5:
                    code.leave(self.value(1))
        elif kind == 4:
            with code.when(self.value()):
                self.statement(depth - 1)
                code.otherwise()
                self.statement(depth - 1)
        elif kind == 5:
            left = code.local(rng.randrange(1, 4))
            with code.loop() as again:
                self.statement(depth - 1)
                left.add(-1)
                with code.when(left > 0):
                    code.branch(again)
        else:
            with code.block() as done:
                self.statement(depth - 1)
                code.branch_if(done, self.value(1))
                self.statement(depth - 1)


def at_random(seed: int) -> Build:
    """Some functions, of which each may call those before it."""

    def build(module: Module) -> Function:
        rng = random.Random(seed)
        made: list[Function] = []
        for number in range(6):
            function, code = written(module, f"f{number}", 2)
            writer = Writer(code, rng, made)
            for _ in range(rng.randrange(1, 4)):
                writer.statement(2)
            writer.value().write()
            made.append(function)
        return made[-1]

    return build


@pytest.mark.parametrize("count", few_or_many(40, 2_000))
def test_functions_at_random(count: int) -> None:
    rng = random.Random(11)
    arguments = [(rng.choice(NUMBERS), rng.choice(NUMBERS)) for _ in range(6)]
    changed = 0
    for _ in range(count):
        build = at_random(rng.randrange(1 << 30))
        changed += size_of(build) > 0
        assert run(build, True, arguments) == run(build, False, arguments)
    assert changed > 10


def test_instructions_that_are_not_known_are_told() -> None:
    module = Module()
    odd, code = written(module, "odd", 0)
    code.emit(0xD0)
    _, code = written(module, "whole", 0)
    code.call(odd).write()
    with pytest.raises(NotImplementedError, match="0xd0"):
        inline(module)
