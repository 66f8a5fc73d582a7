"""`pwtool cache`: where what was read before is kept, and how it goes."""

from __future__ import annotations

import shutil

from pwtool.cli.common import fail
from pwtool.text.store import cache_folder


def run_path() -> int:
    """Print the folder of the cache."""
    folder = cache_folder()
    if folder is None:
        fail("the cache is off: PWTOOL_NO_CACHE is set")
    print(folder)
    return 0


def run_clear() -> int:
    """Delete everything that is kept; the next start reads it anew."""
    folder = cache_folder()
    if folder is None:
        fail("the cache is off: PWTOOL_NO_CACHE is set")
    assert folder is not None
    try:
        if folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder)
    except OSError as error:
        fail(f"`{folder}` cannot be cleared: {(error.strerror or 'unknown reason').lower()}")
    print(f"cleared {folder}")
    return 0
