"""`hashlib.blake2b`, without `hashlib`: that loads OpenSSL, which takes half as long as loading a ruleset.

`random` of the standard library takes its hash in the same way.
"""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

__all__ = ["blake2b"]
