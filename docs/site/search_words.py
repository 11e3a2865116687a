"""The words by which readers look for a page, where its own do not lead there.

The search puts the page of a word first. Half of the letters of a word find it, so plurals come
here; a word that only a page of proofs has needs none.
"""

from __future__ import annotations

from typing import Any

from sphinx import addnodes

WORDS = {
    "columns": ("missing values", "nulls"),
    "faq": ("negative counts", "random seed"),
    "generator": ("forks",),
    "howto/command_line": ("cli", "command line"),
    "howto/daily_budget": ("daily",),
    "howto/large_tables": ("parquet",),
    "howto/mean": ("averages", "means"),
    "howto/notebook": ("jupyter", "notebooks"),
    "howto/officer": ("data protection", "gdpr"),
    "howto/several_rows": ("people", "persons", "users"),
    "howto/unknown_keys": ("unknown keys",),
    "publishing": ("synthetic data",),
    "reference/c_header": ("c api",),
    "reference/cydp.count": ("counts",),
    "reference/cydp.group_by": ("group by", "groupby"),
    "reference/cydp.histogram": ("histograms",),
    "reference/cydp.releases.sum": ("sums",),
    "reference/cydp.top_k": ("top k",),
    "reference/errors": ("errors",),
    "releases/output": ("plots",),
    "releases/units": ("privacy unit",),
    "start": ("install",),
}


def add(app: Any, tree: Any, page: str) -> None:
    """Put the words of a page into the index of the search; the page does not show them."""
    entries = [("single", word, "", "main", None) for word in WORDS.get(page, ())]
    tree += addnodes.index(entries=entries)
