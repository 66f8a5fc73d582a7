"""Checked rulesets kept as data: the same as rebuilt, whatever happens to the cache."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pwtool.ir.model import Origin, Ruleset
from pwtool.rules import build
from pwtool.rules.library import Library
from pwtool.rules.stored import load_ruleset
from pwtool.text.source import Span
from pwtool.text.store import Store, write_whole
from tests.daily import one_day_in, some
from tests.support import ADDRESSES, few_or_many

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "rulesets"
ALL = (
    *ADDRESSES, "pierre_papier_morpion", "pierre_papier_morpion/fr+bonus+binoculars", str(ROOT / "rulesets/classics/tic_tac_toe/game.rules"),
    str(ROOT / "rulesets/classics/connect_four/game.rules"), *(str(p) for p in sorted((ROOT / "tests/rulesets").rglob("game.rules"))),
)  # fmt: skip


def form(value: Any) -> Any:
    """Everything that a part of a ruleset says, with the place of each part in its files."""
    match value:
        case Span():
            return value.file.name, value.start, value.end
        case Origin():
            return None
        case msgspec.Struct():
            return type(value), *(form(getattr(value, name)) for name in value.__struct_fields__)
        case dict():
            return {key: form(part) for key, part in value.items()}, list(value)
        case tuple() | list():
            return type(value), *map(form, value)
    return value


def loaded(address: str, library: Library, readings: tuple[str, ...] = ()) -> Ruleset:
    result = load_ruleset(address, library, readings)
    assert result.value is not None and not result.diagnostics, result.diagnostics
    return result.value


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(FOLDER, tmp_path / "cache")


def entries(library: Library) -> list[Path]:
    assert library.cache is not None
    return sorted((library.cache / "rulesets").glob("*"))


@one_day_in(8)
@pytest.mark.parametrize("address", ALL)
def test_a_stored_ruleset_is_the_same(address: str, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = loaded(address, library)
    assert len(entries(library)) == 1
    again = Library(FOLDER, library.cache)
    with monkeypatch.context() as patched:
        patched.setattr(build, "load_ruleset", None)
        found = loaded(address, again)
    assert form(found) == form(fresh)
    # What it was made from is read only now.
    assert found.merged.items.keys() == fresh.merged.items.keys()
    assert found.layer_names() == fresh.layer_names()


def test_readings_have_entries_of_their_own(library: Library) -> None:
    plain = loaded("paper_world", library)
    point, alternative = next(
        (name, node.alternatives[-1].name.name)  # type: ignore[attr-defined]
        for (kind, name), node in plain.merged.items.items()
        if kind == "ambiguity"
    )
    other = loaded("paper_world", library, (f"{point}={alternative}",))
    assert other.version != plain.version and len(entries(library)) == 2
    assert loaded("paper_world", library, (f"{point}={alternative}",)).version == other.version
    assert loaded("paper_world", library).version == plain.version


@one_day_in(8)
def test_a_change_of_any_file_is_seen(tmp_path: Path) -> None:
    folder = tmp_path / "rulesets"
    shutil.copytree(FOLDER, folder)
    library = Library(folder, tmp_path / "cache")
    before = loaded("paper_world/fr+advanced", library)
    for path in sorted((folder / "paper_world").rglob("*.rules")):
        text = path.read_text("utf-8")
        path.write_text(text + "# more\n", "utf-8")
        assert loaded("paper_world/fr+advanced", library).version == before.version
        path.write_text(text.replace("rule ", "rule x", 1), "utf-8")
        changed = load_ruleset("paper_world/fr+advanced", library)
        known = build.load_ruleset("paper_world/fr+advanced", Library(folder))
        assert form(changed.value) == form(known.value)
        path.write_text(text, "utf-8")
    (folder / "paper_world" / "game.rules").unlink()
    assert load_ruleset("paper_world/fr+advanced", library).value is None


def test_what_is_wrong_with_a_ruleset_is_told_every_time(tmp_path: Path) -> None:
    path = tmp_path / "game.rules"
    path.write_text('game odd "Odd"\nplayers 2..3\nrule x.y "no"\n  require 1\n', "utf-8")
    library = Library(tmp_path, tmp_path / "cache")
    first, second = (load_ruleset(str(path), library) for _ in range(2))
    assert [d.message for d in first.diagnostics] == [d.message for d in second.diagnostics] != []
    assert entries(library) == []


@pytest.mark.parametrize("times", few_or_many(20, 60))
def test_a_damaged_entry_is_made_anew(times: int, library: Library) -> None:
    fresh = loaded("pierre_papier_morpion", library)
    (entry,) = entries(library)
    good = entry.read_bytes()
    rng = random.Random(1)
    for _ in range(times):
        data = bytearray(good)
        match rng.randrange(3):
            case 0:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            case 1:
                del data[rng.randrange(len(data)) :]
            case _:
                data[rng.randrange(len(data)) :] = rng.randbytes(20)
        entry.write_bytes(bytes(data))
        assert form(loaded("pierre_papier_morpion", library)) == form(fresh)
        assert entry.read_bytes() == good


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 3 << 30)


def make_link(path: Path) -> None:
    # A link to a device does the same; a pipe can be made in a folder of the test.
    pipe = path.with_suffix(".pipe")
    os.mkfifo(pipe)
    path.symlink_to(pipe)


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX systems")
@pytest.mark.parametrize("make", some([make_pipe, make_huge, make_link, Path.touch], 1))
def test_an_entry_that_is_no_plain_file_is_made_anew(make: Callable[[Path], None], tmp_path: Path) -> None:
    """In a process of its own, which may wait only so long and have only so much memory."""
    words = ["check", str(ROOT / "examples/records/clean.json")]
    # NumPy and the kernels ask for much address space; one record needs neither.
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30));"
        "from pwtool.cli.app import run; sys.exit(run(sys.argv[1:]))"
    )
    variables = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    variables.pop("PWTOOL_NO_CACHE", None)

    def checked() -> tuple[int, str]:
        command = [sys.executable, "-c", code, *words]
        ended = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=60, check=False)
        return ended.returncode, ended.stderr

    assert checked() == (0, "")
    found = [path for path in (tmp_path / "pwtool").rglob("*") if path.is_file()]
    for path in found:
        path.unlink()
        make(path)
    assert checked() == (0, "note: a damaged entry of the cache was rebuilt\n")
    (entry,) = (path for path in found if path.parent.name == "rulesets")
    assert entry.is_file() and not entry.is_symlink() and 16 < entry.stat().st_size < 1 << 24
    assert checked() == (0, "")


def test_only_a_command_tells_of_a_damaged_entry(library: Library, capfd: pytest.CaptureFixture[str]) -> None:
    loaded("pierre_papier_morpion", library)
    (entry,) = entries(library)
    entry.write_bytes(b"damaged")
    loaded("pierre_papier_morpion", library)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("times", few_or_many(30, 120))
def test_an_entry_of_another_form_is_made_anew(times: int, library: Library) -> None:
    """A program wrote it, with a right checksum, and it says something else."""
    fresh = loaded("pierre_papier_morpion", library)
    (entry,) = entries(library)
    assert library.cache is not None
    store = Store(library.cache / "rulesets")
    plain = json.loads(store.get(entry.name) or b"")
    rng = random.Random(2)
    for _ in range(times):
        text = json.dumps(plain)
        at = rng.randrange(len(text))
        other = (
            text[:at] + rng.choice(["[]", "0", "null", "{}", '"', "-3", "[[", "]"]) + text[at + rng.randrange(1, 30) :]
        )
        store.put(entry.name, other.encode())
        result = load_ruleset("pierre_papier_morpion", library)
        assert isinstance(result.value, Ruleset)
    for other in ("[]", "3", '{"files": []}', json.dumps({**plain, "names": ["Store"] * 99}), "[" * 5000):
        store.put(entry.name, other.encode())
        assert form(loaded("pierre_papier_morpion", library)) == form(fresh)


@pytest.mark.skipif(os.name != "posix" or (os.getuid() == 0 and sys.platform != "linux"), reason="who owns a folder")
def test_a_folder_that_others_can_write_to_is_not_used(library: Library) -> None:
    loaded("paper_world", library)
    (entry,) = entries(library)
    entry.parent.chmod(0o777)
    store = Store(entry.parent)
    assert store.get(entry.name) is None
    store.put("more", b"data")
    assert entries(library) == [entry]
    assert form(loaded("paper_world", library)) == form(loaded("paper_world", Library(FOLDER)))
    entry.parent.chmod(0o700)
    assert store.get(entry.name) is not None


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder", "utf-8")
    without = Library(FOLDER, tmp_path / "cache")
    assert form(loaded("paper_world", without)) == form(loaded("paper_world", Library(FOLDER)))


@one_day_in(7)
def test_many_may_write_at_once(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from pwtool.rules.library import Library;"
        "from pwtool.rules.stored import load_ruleset;"
        f"print(load_ruleset('paper_world/fr', Library(cache=Path({str(tmp_path / 'cache')!r}))).value.version)"
    )
    running = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(6)]
    said = {process.communicate()[0].strip() for process in running}
    assert said == {loaded("paper_world/fr", Library(FOLDER)).version}
    assert not list((tmp_path / "cache").rglob("*.part"))


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_whole(path, b"one")
    path.chmod(0o640)
    write_whole(path, b"two")
    assert path.read_bytes() == b"two" and path.stat().st_mode & 0o777 == 0o640

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="space"):
        write_whole(path, b"three")
    assert path.read_bytes() == b"two" and list(tmp_path.iterdir()) == [path]
