"""Pages made from templates. Whatever is put into one is text and comes out escaped; only our own pictures are markup."""

from __future__ import annotations

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
    return environment


def _clean(value: object) -> str:
    """What is put into a page, without the characters that XML does not allow or that turn the text around."""
    return value if isinstance(value, Markup) else escape(str(value))


def _bound(text: str) -> Markup:
    """Text in which no line ends before a sign that some languages set apart with a blank, nor inside such quotes."""
    return Markup("&#160;").join(re.split(r"(?<=«) | (?=[:;!?»–])", escape(text)))
