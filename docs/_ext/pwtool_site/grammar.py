"""Railroad diagrams of the grammars in `grammar/`, each rule with an example from the documentation or the library."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from functools import cache
from html import escape
from typing import Any

import railroad
from lark import Lark, Token, Tree
from lark.load_grammar import load_grammar

from pwtool_site.library import rules_files
from pwtool_site.markdown import MarkdownDirective
from pwtool_site.places import DOCS, GRAMMAR

# Where a part of the grammar begins: its first rule. The order is that of the file.
SECTIONS = {
    "rules.lark": {
        "start": "Files",
        "component": "Components, decks, zones",
        "setup": "Setup",
        "turn": "Order of play",
        "var": "Variables and definitions",
        "action": "Actions",
        "consequence": "Consequences",
        "ending": "End, score, ranking",
        "shape": "Shapes and objectives",
        "example": "Examples",
        "expr": "Expressions",
        "quantified": "Quantifiers",
        "comparison": "Comparisons",
        "sum": "Sums and collections",
        "postfix": "Values",
    },
    "notation.lark": {"turn": "Games in notation"},
}
SHORTEST, LONGEST, MOST_LINES = 12, 110, 14
# What a fragment of the reference needs around it to be a whole file.
WRAPPED = "of_the_reference"
WRAPPER = f'edition {WRAPPED} of game ""'


class GrammarDiagrams(MarkdownDirective):
    """The rules of one grammar."""

    required_arguments = 1

    def markdown(self) -> str:
        """A section for each part, a diagram for each rule."""
        name = self.arguments[0]
        grammar = _Grammar(name)
        examples = _examples() if name == "rules.lark" else {}
        text = ""
        for rule, tree in grammar.rules.items():
            if rule in SECTIONS[name]:
                text += f"\n## {SECTIONS[name][rule]}\n"
            opening = f'<div class="rule" id="{grammar.anchor(rule)}" tabindex="0" role="group" aria-label="{rule}">'
            text += f"\n{opening}\n<h3>{rule}</h3>\n{grammar.diagram(tree)}\n</div>\n"
            shown = list(dict.fromkeys(examples[one] for one in (rule, *grammar.aliases(tree)) if one in examples))
            if shown:
                text += "\n```rules\n" + "\n".join(shown) + "\n```\n"
        missing = SECTIONS[name].keys() - grammar.rules.keys()
        if missing:
            raise self.error(f"{name} has no rule {', '.join(sorted(missing))}")
        text += f"\n## Signs{'' if name == 'rules.lark' else ' of the notation'}\n\n"
        return text + "".join(
            f'<p id="{grammar.anchor(one)}"><code>{one}</code>: <code>{escape(pattern)}</code></p>\n'
            for one, pattern in grammar.signs()
        )


class _Grammar:
    def __init__(self, name: str) -> None:
        text = (GRAMMAR / name).read_text("utf-8")
        found, _ = load_grammar(text, name, [], False)
        self._prefix = name.partition(".")[0]
        self.rules: dict[str, Tree[Any]] = {str(rule): tree for rule, _, tree, _ in found.rule_defs}
        self._terms = dict(re.findall(r"^([A-Z_]+)(?:\.\d+)?:\s*(.+)$", text, re.MULTILINE))

    def anchor(self, name: str) -> str:
        """Where a rule or sign stands on the page."""
        return f"{self._prefix}-{name}"

    def signs(self) -> Iterator[tuple[str, str]]:
        """The signs that are no fixed words, with their patterns."""
        for name, pattern in self._terms.items():
            if self._words(name) is None:
                yield name, pattern

    def aliases(self, tree: Tree[Any]) -> Iterator[str]:
        """The names that the alternatives of a rule have."""
        for node in tree.find_data("alias"):
            if node.children[1] is not None:
                yield str(getattr(node.children[1], "name", node.children[1]))

    def diagram(self, tree: Tree[Any]) -> str:
        """The diagram as an element of a page."""
        stream = io.StringIO()
        railroad.Diagram(self._item(tree)).writeSvg(stream.write)
        # Colors are those of the site, light or dark.
        return re.sub(r"\n+", "\n", stream.getvalue()).strip()

    def _item(self, node: Any) -> Any:
        match node:
            case Tree(data="expansions", children=children):
                items = [self._item(child) for child in children]
                return items[0] if len(items) == 1 else railroad.Choice(0, *items)
            case Tree(data="alias", children=[inner, _]):
                return self._item(inner)
            case Tree(data="expansion", children=children):
                items = [self._item(child) for child in children]
                return items[0] if len(items) == 1 else railroad.Sequence(*items) if items else railroad.Skip()
            case Tree(data="maybe", children=[inner]):
                return railroad.Optional(self._item(inner))
            case Tree(data="expr", children=[inner, operator, *_]):
                item = self._item(inner)
                wrapped = {"?": railroad.Optional, "*": railroad.ZeroOrMore, "+": railroad.OneOrMore}
                return wrapped[str(operator)](item)
            case Tree(data="value", children=[inner]):
                return self._item(inner)
            case Tree(data="literal", children=[Token() as literal]):
                return railroad.Terminal(str(literal)[1:-1])
        name = str(node.name)
        words = self._words(name)
        if words is None:
            return railroad.NonTerminal(name, href=f"#{self.anchor(name)}", cls="" if name in self.rules else "sign")
        terminals = [railroad.Terminal(word) for word in words]
        return terminals[0] if len(terminals) == 1 else railroad.Choice(0, *terminals)

    def _words(self, name: str) -> list[str] | None:
        """The words that a sign stands for, where it stands for some."""
        pattern = self._terms.get(name, "")
        if re.fullmatch(r'"[^"]*"(?:\s*\|\s*"[^"]*")*', pattern):
            return re.findall(r'"([^"]*)"', pattern)
        text = re.sub(r"\(\?[=!].*\)/$|\\b/$|/$", "", pattern).removeprefix("/").replace(r"[ \t]+", " ")
        if not re.fullmatch(r"[a-z ()|]+", text):
            return None
        group = re.search(r"\(([a-z|]+)\)", text)
        if group is None:
            return [text]
        return [text.replace(group[0], word) for word in group[1].split("|")]


@cache
def _examples() -> dict[str, str]:
    """For each name in a tree a short text that was parsed as it: from the reference where it has one."""
    grammar = (GRAMMAR / "rules.lark").read_text("utf-8")
    parser = Lark(grammar, parser="lalr", maybe_placeholders=True, propagate_positions=True)
    found: dict[str, str] = {}
    for sources in (_documented(), [path.read_text("utf-8") for path in rules_files()]):
        here: dict[str, str] = {}
        for source in sources:
            for node in parser.parse(source).iter_subtrees():
                name = str(node.data)
                if node.meta.empty or name == "start":
                    continue
                text = source[node.meta.start_pos : node.meta.end_pos]
                if WRAPPED not in text and (name not in here or _order(text) < _order(here[name])):
                    here[name] = text
        found = here | found
    shown = {name: _laid_out(text) for name, text in found.items()}
    return {name: text for name, text in shown.items() if text.count("\n") < MOST_LINES}


def _order(text: str) -> tuple[bool, int]:
    """The best example is the shortest that is more than a word or two."""
    size = len(" ".join(text.split()))
    return (size < SHORTEST, abs(size - SHORTEST))


def _laid_out(text: str) -> str:
    """On one line where it fits, else as it was written."""
    line = " ".join(re.sub(r"#[^\[\]\n]*$", "", text, flags=re.MULTILINE).split())
    if len(line) <= LONGEST:
        return line
    first, _, rest = text.partition("\n")
    last = rest.rsplit("\n", 1)[-1]
    # The first line begins in the middle of one, so the last one says how far in the text stands.
    margin = len(last) - len(last.lstrip())
    return f"{first}\n" + re.sub(rf"^ {{0,{margin}}}", "", rest, flags=re.MULTILINE)


def _documented() -> Iterator[str]:
    pages = "\n".join((DOCS / name).read_text("utf-8") for name in ("language.md", "first_game.md"))
    for kind, body in re.findall(r"^```rules([^\n]*)\n(.*?)^```", pages, re.DOTALL | re.MULTILINE):
        if kind.strip().startswith("file"):
            yield body
        elif kind.strip() == "fragment=expression":
            yield from (f'{WRAPPER}\nscore {WRAPPED} "" = {line}\n' for line in body.splitlines() if line.strip())
        else:
            yield f"{WRAPPER}\n{body}"
