"""releases/output/_text_html.py: a table that stands on any page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from releases.output.made import MADE, MARKUP, failing, made, with_counts

import cydp

ALLOWED = {"div", "strong", "table", "thead", "tbody", "tr", "th", "td", "span"}


class Reader(HTMLParser):
    """Reads what a browser would: elements, their attributes, and words."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.styles: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED
        assert {name for name, _ in attrs} <= {"style"}
        self.open.append(tag)
        self.tags.append(tag)
        self.styles += [value or "" for _, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def check_every_release_has_a_table_of_plain_elements(name: str) -> None:
    html = made(name).to_html()
    assert made(name)._repr_html_() == html
    seen = Reader(html)
    text = "".join(seen.words)
    for word in ("http", "url(", "@import", "javascript", "expression("):
        assert not any(word in style for style in seen.styles)
    for line in made(name).to_text().splitlines():
        if line.startswith("error"):
            assert line in text
    rows = seen.tags.count("tr")
    table = made(name).to_pandas()
    assert rows in (0, 1 + min(len(table), 60))


def test_every_release_has_a_table_of_plain_elements() -> None:
    assert failing(check_every_release_has_a_table_of_plain_elements, MADE) == {}


def check_labels_are_words_and_never_elements(name: str) -> None:
    html = made(name).to_html()
    assert "<script" not in html
    assert MARKUP in Reader(html).words


def test_labels_are_words_and_never_elements() -> None:
    assert (
        failing(
            check_labels_are_words_and_never_elements,
            ["value_counts", "histogram by", "group_by", "top"],
        )
        == {}
    )


def test_names_of_columns_are_words() -> None:
    table = {MARKUP: ["a"], "<b>": [1.0]}
    release = cydp.group_by(table, MARKUP, keys=["a"], sums={"<b>": (0, 1)}, epsilon=1)
    html = release.to_html()
    assert "<script" not in html
    assert "<b>" not in html
    assert MARKUP in Reader(html).words
    assert "sum_<b>" in Reader(html).words


def test_the_rest_of_a_large_table_is_counted() -> None:
    html = made("many bins").to_html()
    assert "... 40 more rows" in html
    assert html.count("<tr>") == 61
    assert "more rows" not in made("histogram").to_html()


def test_all_cells_together() -> None:
    html = made("histogram").to_html("0.9", simultaneous=True)
    bound = made("histogram").error_bound("0.9", count=4)
    assert f"error: all 4 together within {bound}, with 90 % confidence" in html


def bars(html: str) -> list[tuple[float, float, bool]]:
    """Where each bar begins and how long it is, in em, and whether it is striped."""
    found = re.findall(r"<span style=\"([^\"]*)\"", html)
    sizes = [re.search(r";width:([\d.]+)em;margin-left:([\d.]+)em;(.*)", style) for style in found]
    assert all(sizes)
    return [(float(m[2]), float(m[1]), "gradient" in m[3]) for m in sizes if m]


def test_bars_are_as_long_as_their_counts_and_striped_below_0() -> None:
    for counts, expected in (
        ([10, 5, 0], [(0.0, 8.0, False), (0.0, 4.0, False), (0.0, 0.0, False)]),
        ([-5, 15], [(0.0, 2.0, True), (2.0, 6.0, False)]),
        ([-5, -5], [(0.0, 8.0, True)] * 2),
        ([2**62, -(2**62)], [(4.0, 4.0, False), (0.0, 4.0, True)]),
    ):
        assert bars(with_counts(counts).to_html()) == expected


def test_colours_and_fonts_are_those_of_the_page() -> None:
    styles = " ".join(Reader(made("negative").to_html()).styles)
    assert not re.search(r"#[0-9a-f]{3}|rgb|: ?white|black|font-family", styles)
    assert "currentColor" in styles
