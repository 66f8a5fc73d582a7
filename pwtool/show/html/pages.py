"""Pages made from templates. Whatever is put into one is text and comes out escaped; only our own pictures are markup."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pwtool.text.terminal import escape


def render(template: str, **data: object) -> str:
    """A page of a template: HTML that is also well-formed XML and needs no other file."""
    return _environment().get_template(template).render(data)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("pwtool.show.html"), autoescape=True, undefined=StrictUndefined, finalize=_clean,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters["bound"] = _bound
    environment.globals["policy"] = _policy
    environment.globals["code"] = _code
    return environment


def _code(name: str) -> Markup:
    """A script of ours as it stands in a page, which is XML too."""
    loader = _environment().loader
    assert loader is not None
    return Markup(f"//<![CDATA[\n{loader.get_source(_environment(), name)[0]}//]]>")


def _policy(script: str = "") -> str:
    """What a browser lets a page do: show itself, run the one script that is ours, fetch nothing."""
    rules = ["default-src 'none'", "style-src 'unsafe-inline'", "base-uri 'none'", "form-action 'none'"]
    if script:
        digest = base64.b64encode(hashlib.sha256(_code(script).encode()).digest()).decode()
        rules.append(f"script-src 'sha256-{digest}'")
    return "; ".join(rules)


def _clean(value: object) -> str:
    """What is put into a page, without the characters that XML does not allow or that turn the text around."""
    return value if isinstance(value, Markup) else escape(str(value))


def _bound(text: str) -> Markup:
    """Text in which no line ends before a sign that some languages set apart with a blank, nor inside such quotes."""
    return Markup("&#160;").join(re.split(r"(?<=«) | (?=[:;!?»–])", escape(text)))
