"""What the site adds to the pages in `docs/`: pages of the shipped rules files, and directives whose content is made from
the program itself, so that it cannot differ from it.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

from pwtool.lexing import RecordLexer, RulesLexer
from pwtool_site.boards import Boards
from pwtool_site.codes import CodeTable, DecisionList
from pwtool_site.commands import CommandReference
from pwtool_site.editions import SideBySide
from pwtool_site.gallery import Gallery
from pwtool_site.grammar import GrammarDiagrams
from pwtool_site.library import RulesetTable, write_library
from pwtool_site.links import RepositoryLinks
from pwtool_site.live import LiveLinks, write_live
from pwtool_site.playground import PlaygroundLinks


def _name_aliases(
    app: Sphinx, what: str, name: str, obj: object, options: object, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Within a union Sphinx shows how it holds an alias, not what the alias is called."""
    return signature and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", signature), returns


def _for_keyboards_and_readers(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """What scrolls can be reached by keyboard, and headings of the theme's menu have a level."""
    if "body" in context:
        context["body"] = context["body"].replace("<pre>", '<pre tabindex="0">')
    if "furo_navigation_tree" in context:
        tree = context["furo_navigation_tree"]
        context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')


def setup(app: Sphinx) -> dict[str, Any]:
    """Register everything."""
    app.add_lexer("rules", RulesLexer)
    app.add_lexer("pwn", RecordLexer)
    app.add_directive("code-table", CodeTable)
    app.add_directive("command-reference", CommandReference)
    app.add_directive("decision-list", DecisionList)
    app.add_directive("gallery", Gallery)
    app.add_directive("boards", Boards)
    app.add_directive("grammar", GrammarDiagrams)
    app.add_directive("live", LiveLinks)
    app.add_directive("ruleset-table", RulesetTable)
    app.add_directive("side-by-side", SideBySide)
    app.add_transform(RepositoryLinks)
    app.add_config_value("pwtool_playground", default=False, rebuild="env", types=[bool])
    app.add_transform(PlaygroundLinks)
    app.connect("autodoc-process-signature", _name_aliases)
    app.connect("config-inited", write_library)
    app.connect("html-page-context", _for_keyboards_and_readers, priority=900)
    app.connect("build-finished", write_live)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
