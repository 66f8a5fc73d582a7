"""Rules and notated games in color wherever Pygments writes: lexers that it finds by their entry points.

What is a word of the language is read from the grammar, so both always agree.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from pwtool.text.data import read_grammar

_DECLARES = frozenset(
    "game edition variant part source section component deck zone token var define action rule consequence ending score invariant"
    " shape objective example setup deal put choose alternative ambiguity erratum let include".split()
)
"""Words behind which a name stands that is declared, or spoken of, there."""
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_PICTURE = r"\[(?=[ \t\r\n]*[^\]\s])[#._?A-Za-z0-9+/ \t\r\n]*\]"


@cache
def _grammar() -> str:
    return re.sub(r"^//[^\n]*", "", read_grammar("rules.lark"), flags=re.MULTILINE)


@cache
def grammar_words() -> frozenset[str]:
    """The words of the rules language that are written as such in the grammar: nothing else may have one as its name."""
    return frozenset(re.findall(r'"([a-z]+)"', _grammar()))


@cache
def grammar_phrases() -> tuple[str, ...]:
    """What several words together mean, as regular expressions; each of these words alone may be a name."""
    return tuple(re.findall(r"^[A-Z_]+\.3: /(.*)/$", _grammar(), re.MULTILINE))


class RulesLexer(RegexLexer):  # type: ignore[misc]
    """Rules files of pwtool."""

    name = "pwtool rules"
    aliases = ["pwtool", "rules"]  # noqa: RUF012 - as Pygments has it
    filenames = ["*.rules"]  # noqa: RUF012
    url = "https://example.org/pwtool/"

    tokens: Any = {  # noqa: RUF012
        "root": [
            (r"\s+", Whitespace),
            (r"#[^\n]*", Comment.Single),
            (_STRING + "?", String.Double),
            (_PICTURE, String.Other),
            (r"(?<!\.)(\.)([A-Za-z_]\w*)", bygroups(Punctuation, Name.Attribute)),
            (r"-?[0-9]+(?:x[0-9]+)?\b", Number.Integer),
            (
                rf"\b({'|'.join(sorted(_DECLARES))})([ \t]+)([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)",
                bygroups(Keyword.Declaration, Whitespace, Name.Class),
            ),
            (rf"\b(?:{'|'.join(grammar_phrases())})", Keyword),
            (r"\b(true|false|none|player|players|goals|total)\b", Keyword.Constant),
            (rf"\b(?:{'|'.join(sorted(grammar_words()))})\b", Keyword),
            (r"[0-9]*[A-Za-z_]\w*", Name),
            (r"==|!=|<=|>=|\+=|\.\.|[<>=+*|?/-]", Operator),
            (r"[(){}\[\],:.]", Punctuation),
        ]
    }


class RecordLexer(RegexLexer):  # type: ignore[misc]
    """Games in the text notation of pwtool."""

    name = "pwtool record"
    aliases = ["pwtool-record", "pwn"]  # noqa: RUF012
    filenames = ["*.pwn"]  # noqa: RUF012
    url = "https://example.org/pwtool/"

    tokens: Any = {  # noqa: RUF012
        "root": [
            (r"\s+", Whitespace),
            (r"\{(?:[^}\\]|\\.)*\}", Comment.Multiline),
            # A comment or a text that is never closed goes on to the end of its line.
            (r"\{[^\n]*", Comment.Multiline),
            (r'"(?:[^"\\\x00-\x1f]|\\.)*"?', String.Double),
            (r"(?<!\S)[0-9]{1,9}\.(?=\s|$)", Keyword.Declaration),
            (r"^(setup|start|result)\b", Keyword),
            (r"^([A-Za-z]\w*)(:)([^\n]*)", bygroups(Name.Attribute, Punctuation, String)),
            (r"([^\s;:,+@=/!?{}\">\-][^\s;:,+@=/!?{}\">]*)(:)", bygroups(Name.Class, Punctuation)),
            (r"!!|\?\?|!\?|\?!|!|\?", Operator.Word),
            (r"-[0-9]+|[0-9]+(?![\w.])", Number.Integer),
            (r"[;:,+@=/>-]", Operator),
            (r"[^\s;:,+@=/!?{}\">\-][^\s;:,+@=/!?{}\">]*", Name),
        ]
    }
