"""docs/course/items.md: 122 items of the texts, each with a link that resolves, or no answer."""

from __future__ import annotations

import re
from pathlib import Path

from codebase.reader import ROOT

COURSE = ROOT / "docs" / "course"
PAGE = (COURSE / "items.md").read_text()
LINK = re.compile(r"\]\(([^)#\s]+)(?:#([^)\s]+))?\)")
MOTIVATION = "motivation: read the text"


def rows() -> list[tuple[str, str]]:
    """Return the item and the answer of each row of the tables."""
    cells = re.findall(r"^\| (.+?) \| (.+?) \|$", PAGE, re.MULTILINE)
    return [row for row in cells if row != ("item", "where")]


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, outside of code."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_item_is_answered() -> None:
    assert len(rows()) == 122
    unanswered = [
        item for item, where in rows() if MOTIVATION not in where and not LINK.search(where)
    ]
    assert unanswered == []
    assert sum(MOTIVATION in where for _, where in rows()) == 2


def test_every_link_resolves() -> None:
    links = LINK.findall(PAGE)
    assert len(links) > 120
    for target, anchor in links:
        page = COURSE / target
        assert page.is_file(), target
        assert not anchor or anchor in anchors(page), (target, anchor)
    assert "gone" not in anchors(COURSE / "noise.md")


def test_each_text_has_its_items() -> None:
    parts = re.split(r"^## .*$", PAGE, flags=re.MULTILINE)[1:]
    counts = [len(re.findall(r"^\| ", part, re.MULTILINE)) - 1 for part in parts]
    assert counts == [27, 21, 24, 23, 27]
