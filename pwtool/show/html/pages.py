"""Pages made from templates. All values are escaped as text; only our own pictures are inserted as markup."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Collection
from functools import cache

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup

from pwtool.text.store import Store, cache_folder
from pwtool.text.terminal import escape

SCRIPTS = ("playing.js", "branching.js playing.js", "charted.js")
"""The scripts that pages have."""


def render(template: str, **data: object) -> str:
    """A self-contained page from a template: HTML that is also well-formed XML."""
    return _environment().get_template(template).render(data)


class _Compiled(BytecodeCache):
    """Templates that were compiled, in the user's cache folder: compiling one takes as long as filling it."""

    def __init__(self) -> None:
        folder = cache_folder()
        self._store = None if folder is None else Store(folder / "templates")

    def load_bytecode(self, bucket: Bucket) -> None:
        found = None if self._store is None else self._store.get(self._name(bucket))
        if found is not None:
            bucket.bytecode_from_string(found)

    def dump_bytecode(self, bucket: Bucket) -> None:
        if self._store is not None:
            self._store.put(self._name(bucket), bucket.bytecode_to_string())

    @staticmethod
    def _name(bucket: Bucket) -> str:
        return f"{bucket.key}-{bucket.checksum}"


@cache
def _environment() -> Environment:
    # A page is made once: to optimize its template takes longer than that saves.
    environment = Environment(
        loader=PackageLoader("pwtool.show.html"), autoescape=True, undefined=StrictUndefined, finalize=_clean,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, optimized=False, bytecode_cache=_Compiled(),
    )  # fmt: skip
    environment.filters["bound"] = _bound
    environment.globals["policy"] = _policy
    environment.globals["code"] = _code
    return environment


def _code(names: str) -> Markup:
    """Our scripts with these names for a page that is also XML."""
    loader = _environment().loader
    assert loader is not None
    texts = [loader.get_source(_environment(), name)[0] for name in names.split()]
    return Markup(f"//<![CDATA[\n{''.join(texts)}//]]>")


def _policy(script: str = "", files: Collection[str] = ()) -> str:
    """The content security policy of a page: it may run its own script and a kernel, and load nothing but those `files` beside it."""
    rules = ["default-src 'none'", "style-src 'unsafe-inline'", "base-uri 'none'", "form-action 'none'"]
    if script:
        kernel = " 'wasm-unsafe-eval'" if "branching.js" in script else ""
        beside = " 'self' file:" if files else ""
        rules.append(f"script-src {_hash(script)}{kernel}{beside}")
    return "; ".join(rules)


def script_hashes() -> str:
    """All scripts of pages, for the policy of a page that holds them in frames of its own."""
    return " ".join(map(_hash, SCRIPTS))


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(_code(script).encode()).digest()).decode()}'"


def _clean(value: object) -> str:
    """Values for a page, without characters that XML forbids or that change the direction of text."""
    return value if isinstance(value, Markup) else escape(str(value))


def _bound(text: str) -> Markup:
    """Text with no-break spaces where some languages put a space before punctuation or inside quotes."""
    return Markup("&#160;").join(re.split(r"(?<=«) | (?=[:;!?»–])", escape(text)))
