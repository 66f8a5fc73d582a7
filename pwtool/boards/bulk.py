"""Many boards at once: one bit per board, one machine operation for many boards (bit slicing, after E. Biham, "A Fast
New DES Implementation in Software", 1997).

Plain Python integers serve as words of any length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pwtool.boards.circuit import AND, CONST, INPUT, NOT, OR, Circuit


class Program:
    """The outputs of a circuit as a list of steps over registers; a register is reused as soon as its value is no longer needed.

    Evaluates any number of boards, given as one number for each input.
    """

    def __init__(self, circuit: Circuit, outputs: Sequence[int]) -> None:
        self.circuit = circuit
        cone = circuit.cone(outputs)
        self.inputs = [n for n in cone if circuit.ops[n] == INPUT]
        last: dict[int, int] = {}
        for node in cone:
            for operand in self._operands(node):
                last[operand] = node
        for node in outputs:
            last[node] = len(circuit)
        registers = {node: at for at, node in enumerate(self.inputs)}
        size = len(self.inputs)
        free: list[int] = []
        self.steps: list[tuple[int, int, int, int]] = []
        self.constants: list[tuple[int, int]] = []
        for node in cone:
            op = circuit.ops[node]
            if op == INPUT:
                continue
            operands = self._operands(node)
            for operand in set(operands):
                if last[operand] == node and circuit.ops[operand] not in (INPUT, CONST):
                    free.append(registers[operand])
            if op == CONST or not free:
                registers[node], size = size, size + 1
            else:
                registers[node] = free.pop()
            if op == CONST:
                self.constants.append((registers[node], node))
            else:
                self.steps.append(
                    (op, registers[operands[0]], registers[operands[-1]], registers[node])
                )  # fmt: skip
        self.size = size
        self.results = [registers[n] for n in outputs]

    def _operands(self, node: int) -> list[int]:
        op = self.circuit.ops[node]
        if op in (CONST, INPUT):
            return []
        return [self.circuit.left[node]] if op == NOT else [self.circuit.left[node], self.circuit.right[node]]

    def run(self, planes: Mapping[int, int], count: int) -> list[int]:
        """The outputs for `count` boards: `planes[input]` and each result have one bit per board."""
        full = (1 << count) - 1
        r = [planes[n] for n in self.inputs] + [0] * (self.size - len(self.inputs))
        for at, value in self.constants:
            r[at] = full if value else 0
        for op, a, b, to in self.steps:
            if op == AND:
                r[to] = r[a] & r[b]
            elif op == OR:
                r[to] = r[a] | r[b]
            elif op == NOT:
                r[to] = r[a] ^ full
            else:
                r[to] = r[a] ^ r[b]
        return [r[at] for at in self.results]
