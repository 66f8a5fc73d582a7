"""Pages made from templates. All values are escaped as text; only our own pictures are inserted as markup."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Collection
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pwtool.text.terminal import escape

SCRIPTS = ("playing.js", "branching.js playing.js", "charted.js")
"""The scripts that pages have."""


def render(template: str, **data: object) -> str:
    """A self-contained page from a template: HTML that is also well-formed XML."""
    return _environment().get_template(template).render(data)


@cache
def _environment() -> Environment:
    # A page is made once: to optimize its template takes longer than that saves.
    environment = Environment(
        loader=PackageLoader("pwtool.show.html"), autoescape=True, undefined=StrictUndefined, finalize=_clean,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, optimized=False,
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
