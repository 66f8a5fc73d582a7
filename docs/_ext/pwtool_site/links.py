"""Relative links as a repository view has them, also to folders and to files beside `docs/`."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

from pwtool_site.places import DOCS, LIBRARY, PAGES, ROOT, RULESETS


class RepositoryLinks(SphinxTransform):
    """Links to a rules file lead to its page, to a folder to its index, to a file that a page includes there."""

    default_priority = 5

    def apply(self, **kwargs: object) -> None:
        """Change the links of a page."""
        links: list[nodes.Element] = [*self.document.findall(addnodes.download_reference)]
        links += [link for link in self.document.findall(addnodes.pending_xref) if link.get("reftype") == "myst"]
        for link in links:
            target, _, anchor = str(link["reftarget"]).partition("#")
            if link.get("refdomain") == "doc" or not target:
                continue
            places = [(Path(self.env.doc2path(self.env.docname)).parent / target).resolve()]
            places += [ROOT / target] if self.env.docname in PAGES.values() else []
            page = next(filter(None, map(page_of, places)), None)
            if page is None and any(place.is_dir() for place in places):
                # The site shows no folders of the repository: what the link says is left.
                link.replace_self([child.deepcopy() for child in link.children])
            elif page is not None:
                found = addnodes.pending_xref(
                    refdomain="doc", reftype="myst", reftarget=page, reftargetid=anchor or None,
                    refdoc=self.env.docname, refexplicit=True, classes=link["classes"],
                )  # fmt: skip
                found += [child.deepcopy() for child in link.children]
                found.source, found.line = link.source, link.line
                link.replace_self(found)


def page_of(path: Path) -> str | None:
    """The page of the site that shows what lies at a path."""
    if path in PAGES:
        return PAGES[path]
    if path.suffix == ".rules" and path.is_relative_to(RULESETS):
        return (LIBRARY / path.relative_to(RULESETS)).relative_to(DOCS).with_suffix("").as_posix()
    if path == RULESETS:
        return LIBRARY.relative_to(DOCS).as_posix() + "/index"
    if (path / "README.md").is_file() and path.is_relative_to(DOCS):
        return (path / "README").relative_to(DOCS).as_posix()
    return None
