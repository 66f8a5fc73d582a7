"""How `make docs` makes a site of these pages."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "_ext"), str(HERE.parent)]

from pwtool import __version__  # noqa: E402

project = "pwtool"
author = "the authors of pwtool"
copyright = "the authors of pwtool, MIT licence"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "pwtool_site"]
exclude_patterns = ["_build"]

# Anchors of headings are those of a repository view.
myst_heading_anchors = 4

# Docstrings say `names` in single backquotes.
default_role = "code"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_type_aliases = {"Source": "Source"}

add_module_names = False
python_use_unqualified_type_names = True
nitpicky = True
# Of the standard library: no inventory is fetched, so that the site is built without a network.
nitpick_ignore_regex = [("py:.*", r"(?!pwtool).*")]

html_theme = "furo"
html_title = "pwtool"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(HERE / "search_order.js")
html_show_sourcelink = False
html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"
# Records of games in formats that Pygments does not know.
suppress_warnings = ["misc.highlighting_failure"]
