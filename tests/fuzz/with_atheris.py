"""The same surfaces and changes, led by Atheris (libFuzzer for Python, the extra `fuzz`):

`python -m tests.fuzz.with_atheris TARGET [options of libFuzzer]`
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["pwtool"]):
    from tests.fuzz.campaign import CORPUS, SEEDS, file_name, shrunk
    from tests.fuzz.mutations import MAX_SIZE, mutated
    from tests.fuzz.targets import TARGETS
    from tests.fuzz.watching import attempt


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"{__doc__}\ntargets: {' '.join(TARGETS)}")
    target = sys.argv.pop(1)

    def try_one(data: bytes) -> None:
        outcome = attempt(TARGETS[target], data)
        if outcome.problem:
            path = CORPUS / file_name(target, smaller := shrunk(target, data, outcome.problem))
            path.write_bytes(smaller)
            raise RuntimeError(f"{outcome.problem}, kept as {path}\n{outcome.trace}")

    def change(data: bytes, most: int, seed: int) -> bytes:
        return mutated(random.Random(seed), target, data)[:most]

    with tempfile.TemporaryDirectory() as folder:
        for number, data in enumerate(SEEDS[target]()):
            (Path(folder) / str(number)).write_bytes(data)
        atheris.Setup([*sys.argv, f"-max_len={MAX_SIZE}", folder], try_one, custom_mutator=change)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
