"""Neighbouring tables are seen alike, but for the answer: as tests/releases/test_outlines.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from releases import outlines
from releases.shapes import KNOWN, RELEASES

from cydp.publishing import contingency_tables, hierarchy

DOMAINS: Any = {"x": (3, (0, 9)), "n": [3, 5, 77], "word": ["bee", "ant", "none"]}
USER: Any = {"user": "who", "unit": "person", "max_rows": 2}


def tables(table: Any, **others: Any) -> Any:
    return contingency_tables(table, DOMAINS, [("word", "x"), ("x", "n")], epsilon=1, **others)


def regions(table: Any, **others: Any) -> Any:
    return hierarchy(
        table, ["kind", "word"], {"bee": ["bee", "ant"], "cat": ["none"]},
        cells={"n": DOMAINS["n"]}, rho=1, **USER, **others,
    )  # fmt: skip


OURS: dict[str, Callable[..., Any]] = {"tables": tables, "regions": regions}


@pytest.fixture(autouse=True)
def ours(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let what compares releases know ours."""
    for name, release in OURS.items():
        monkeypatch.setitem(KNOWN, name, release)
        monkeypatch.setitem(RELEASES, name, release)  # type: ignore[misc]

    def values_of(release: Any) -> dict[str, Any]:
        return {name: each.tolist() for name, each in release._noisy_by_name.items()}

    monkeypatch.setattr(outlines, "values_of", values_of)
    return


SHAPES = [
    pytest.param(shape, marks=() if shape == "pandas" else pytest.mark.long)
    for shape in ("pandas", "list", "objects", "polars Enum", "pyarrow", "DuckDB")
]


@pytest.mark.parametrize("shape", SHAPES)
def test_neighbours_are_seen_alike(shape: str) -> None:
    outlines.check_outlines(shape, outlines.neighbours(shape), OURS)
    if shape != "DuckDB":
        outlines.check_draws(shape, outlines.neighbours(shape), OURS)
        outlines.check_order(shape, outlines.permutations(20), OURS)
