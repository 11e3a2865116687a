"""Releases with counts that a test chooses, and what they become."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

import cydp
from cydp.releases import HistogramRelease, PostProcessed, TableRelease
from cydp.testing import SeededGenerator

__all__ = ["COUNTS", "HIGHEST", "LOWEST", "RELEASES", "STEPS", "histogram_of", "nonnegative_of",
           "table_of", "values_of", "with_total_of"]  # fmt: skip

LOWEST, HIGHEST = -(2**63), 2**63 - 1
COUNTS = [7, -2, 0, 13]


@cache
def _histogram_query() -> Any:
    return cydp.histogram([0], 1, (0, 1), epsilon=1).query


@cache
def _table_query() -> Any:
    return cydp.value_counts(["a"], ["a"], epsilon=1, rng=SeededGenerator(1)).query


def histogram_of(counts: Any) -> HistogramRelease:
    """A histogram of bins, or by keys for two dimensions, with these noisy counts."""
    given = np.asarray(counts, np.int64)
    edges = np.arange(given.shape[-1] + 1.0)
    by = (np.arange(len(given)),) if given.ndim == 2 else ()
    return HistogramRelease(query=_histogram_query(), counts=given, axes=(edges,), by_columns=by)


def table_of(counts: Any) -> TableRelease:
    """A table of keys with these noisy counts."""
    given = np.asarray(counts, np.int64)
    return TableRelease(query=_table_query(), key_names=("key",),
                        key_columns=(np.arange(len(given)),), steps=(given,))  # fmt: skip


RELEASES = {"histogram": histogram_of, "table": table_of}
STEPS: dict[str, Any] = {
    "nonnegative": lambda made: made.nonnegative(),
    "with_total": lambda made: made.with_total(20),
    "normalized": lambda made: made.normalized(),
    "rounded": lambda made: made.rounded(5),
    "clamped": lambda made: made.clamped(0, 10),
}


def values_of(table: PostProcessed) -> Any:
    """Its counts as Python's integers, which do not wrap."""
    return table.counts.tolist()


def nonnegative_of(counts: Sequence[int], total: int | None = None) -> list[int]:
    """What a release of these counts becomes."""
    table = histogram_of(counts).nonnegative()
    found: list[int] = values_of(table if total is None else table.with_total(total))
    return found


def with_total_of(counts: Sequence[int], total: int) -> list[int]:
    """What a release of these counts becomes."""
    found: list[int] = values_of(histogram_of(counts).with_total(total))
    return found
