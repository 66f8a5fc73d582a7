"""Kernels that are kept in the cache are those that would be made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pwtool.ir.model import Ruleset
from pwtool.kernel import module
from pwtool.kernel.module import Kernel, compile_kernel, load_kernel
from pwtool.rules.library import Library
from pwtool.rules.stored import load_ruleset
from pwtool.text.store import Store, damaged
from tests.daily import one_day_in

ADDRESS = "pierre_papier_morpion"


@pytest.fixture(autouse=True)
def none_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one test damages is no matter of another, and nothing comes from what tests share."""
    damaged.clear()
    monkeypatch.setattr(module, "MAKERS", module.MAKERS)


def loaded(cache: Path | None, *readings: str, address: str = ADDRESS) -> Ruleset:
    found = load_ruleset(address, Library(cache=cache), readings).value
    assert found is not None
    return found


def kept(cache: Path) -> list[Path]:
    return sorted((cache / "kernels").iterdir())


def never(*_: object) -> Kernel:
    raise AssertionError("made anew")


def test_a_kept_kernel_is_the_one_that_would_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    made = {greedy: compile_kernel(loaded(None), greedy) for greedy in (False, True)}
    for greedy, kernel in made.items():
        # Where the ruleset is new, and where it is kept itself.
        assert load_kernel(loaded(cache), cache, greedy) == kernel
    assert len(kept(cache)) == 2
    monkeypatch.setattr(module, "compile_kernel", never)
    for greedy, kernel in made.items():
        assert load_kernel(loaded(cache), cache, greedy) == kernel


def test_without_a_cache_none_is_kept(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert load_kernel(loaded(None), None) == load_kernel(loaded(None), cache)
    assert not cache.exists()


def test_other_rules_have_kernels_of_their_own(tmp_path: Path) -> None:
    cache, house = tmp_path / "cache", tmp_path / "house.rules"
    house.write_text('edition house of pierre_papier_morpion "House rules"\n', "utf-8")
    plain = loaded(cache, address=str(house))
    load_kernel(plain, cache)
    house.write_text(house.read_text("utf-8") + "# more\n", "utf-8")
    changed = loaded(cache, address=str(house))
    assert changed.origin.stored != plain.origin.stored
    assert load_kernel(changed, cache) == compile_kernel(changed) and len(kept(cache)) == 2


@one_day_in(8)
@pytest.mark.parametrize("content", [b"", b"\0asm\1\0\0\0", b"nothing", b"interface", b"more"])
def test_an_entry_that_is_none_is_made_anew(content: bytes, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    made = load_kernel(loaded(cache), cache)
    (path,) = kept(cache)
    if content == b"interface":
        content = made.wasm.replace(b'"interface":2', b'"interface":0')
    if content == b"more":
        # Damaged without an end, and with a sum that does not fit.
        path.write_bytes(path.read_bytes()[:-7])
    else:
        Store(cache / "kernels").put(path.name, content)
    assert load_kernel(loaded(cache), cache) == made
    assert load_kernel(loaded(cache), cache) == made and kept(cache) == [path]


def test_the_program_decides_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    load_kernel(loaded(cache), cache)
    monkeypatch.setattr(module, "fingerprint", json.dumps)
    load_kernel(loaded(cache), cache)
    assert len(kept(cache)) == 2
