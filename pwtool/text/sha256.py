"""`hashlib.sha256`, without `hashlib`, as in `blake2b.py`."""

from __future__ import annotations

try:
    # Since Python 3.12.
    from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        from hashlib import sha256

__all__ = ["sha256"]
