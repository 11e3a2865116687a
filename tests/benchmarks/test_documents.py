"""Marked parts of a page are replaced; a mark without its other half is an error."""

from __future__ import annotations

import pytest
from report.documents import filled, marked

PAGE = """# Title

<!-- made by benchmarks/report: speed -->
old
<!-- end -->

between

<!-- made by benchmarks/report: two-words -->
<!-- end -->
"""


def test_parts_are_found_and_replaced_and_nothing_else() -> None:
    assert marked(PAGE) == {"speed": "old\n", "two-words": ""}
    parts = {"speed": "| new |\n\n", "two-words": r"\1 & \g<name>", "other": "not here"}
    expected = PAGE.replace("old\n", "| new |\n").replace(
        "two-words -->\n", "two-words -->\n" + r"\1 & \g<name>" + "\n"
    )
    assert filled(PAGE, parts) == expected
    assert filled(expected, parts) == expected


def test_a_page_without_marks_stays_as_it_is() -> None:
    assert filled("text\n", {"speed": "new"}) == "text\n"


@pytest.mark.parametrize(
    "page",
    [
        PAGE.replace("<!-- end -->", "", 1),
        PAGE + "<!-- end -->",
        PAGE.replace("<!-- made by benchmarks/report: speed -->\n", ""),
        PAGE.replace("speed -->", "speed-->"),
        PAGE.replace("report: speed", "report:"),
    ],
)
def test_a_mark_without_its_other_half_raises(page: str) -> None:
    with pytest.raises(ValueError, match="other half"):
        filled(page, {"speed": "", "two-words": ""})


def test_a_part_that_is_marked_twice_raises() -> None:
    with pytest.raises(ValueError, match="marked twice: speed"):
        filled(PAGE.replace("two-words", "speed"), {"speed": ""})


def test_a_part_that_nothing_makes_raises() -> None:
    with pytest.raises(ValueError, match="nothing makes the part two-words"):
        filled(PAGE, {"speed": ""})
