"""How Sphinx builds the site. `python docs/build.py` calls it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import cydp

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "site"))

import c_header  # noqa: E402
import commands  # noqa: E402
import mathematics  # noqa: E402
import notebooks  # noqa: E402
import pages  # noqa: E402
import pictures  # noqa: E402
import print_form  # noqa: E402
import search_words  # noqa: E402

project = "cydp"
author = "the cydp authors"
release = cydp.__version__
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_design",
]
exclude_patterns = ["_build", "README.md", "site/*.md"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
nitpicky = True
default_role = "code"  # `names` in docstrings look as on the other pages
smartquotes = False  # commands are copied, with their quotes and dashes

# Types stand in the text of a docstring, in words; signatures show names and defaults.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

html_math_renderer = "mathml"
html_static_path = ["site/static"]
templates_path = ["site/templates"]
html_css_files = ["cydp.css"]
html_search_scorer = str(HERE / "site" / "search_scores.js")
html_sidebars = {"start": [], "faq": []}  # pages without pages below them
toc_object_entries_show_parents = "hide"  # "create()" fits the sidebar

html_theme = "pydata_sphinx_theme"
html_title = "cydp"
html_show_sourcelink = False
html_theme_options = {
    "header_links_before_dropdown": 6,
    "icon_links": [],
    "navbar_align": "left",
    "show_nav_level": 1,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc", "print-form"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
copyright = "the cydp authors; MIT licence"


def setup(app: Any) -> None:
    """Write the pages that are made from the package, and let links to the repository be."""
    app.add_html_math_renderer("mathml", (mathematics.inline, None), (mathematics.displayed, None))
    for made in (pages, commands, c_header, pictures):
        app.connect("builder-inited", lambda app, made=made: made.write(Path(app.srcdir)))
    app.connect("autodoc-process-docstring", pages.escape_globs, priority=400)
    app.connect("autodoc-process-signature", pages.without_signature, priority=400)
    app.connect("autodoc-skip-member", pages.skip_foreign)
    app.connect("autodoc-process-docstring", pages.add_picture, priority=600)  # after numpydoc
    app.connect("build-finished", pages.write_list)
    app.connect("build-finished", print_form.write)
    app.connect("build-finished", notebooks.write)
    app.connect("html-page-context", _name_print_form)
    app.connect("source-read", pages.to_repository)
    app.connect("source-read", notebooks.link)
    app.connect("doctree-resolved", mathematics.join_punctuation)
    app.connect("doctree-resolved", search_words.add)


def _name_print_form(
    app: Any, page: str, template: str, context: dict[str, Any], tree: Any
) -> None:
    """Let the sidebar of a page lead to the print form of its part."""
    context["print_form"] = print_form.name_of(app.env, page)
