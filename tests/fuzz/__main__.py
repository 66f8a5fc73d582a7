"""`python -m tests.fuzz --minutes N [--target T] [--seed S]`: inputs at random, for as long as one likes."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.fuzz.campaign import CORPUS, Campaign, Found, file_name, summary
from tests.fuzz.targets import TARGETS


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    options.add_argument("--minutes", type=float, default=10.0)
    options.add_argument("--target", action="append", choices=TARGETS, help="only this one; may be there several times")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--slow", type=Path, default=Path(tempfile.gettempdir()) / "pwtool-fuzz-slow", metavar="DIR")
    asked = options.parse_args()

    def tell(kind: str, found: Found) -> None:
        folder = asked.slow if kind == "slow" or found.problem.startswith("more than") else CORPUS
        print(f"{kind}: {found.target}: {found.problem}, kept as {keep(found, folder)}\n{found.trace}", flush=True)

    campaign = Campaign(tuple(asked.target or TARGETS), asked.seed, tell=tell)
    try:
        campaign.run(asked.minutes * 60)
    except KeyboardInterrupt:
        print("stopped")
    print("\n".join(summary(campaign)))
    return 1 if campaign.found else 0


def keep(found: Found, folder: Path) -> Path:
    """The file that an input is kept in."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file_name(found.target, found.data)
    path.write_bytes(found.data)
    return path


if __name__ == "__main__":
    sys.exit(main())
