# SPDX-License-Identifier: MIT
"""Sums, means and quantiles of columns by key: what is asked, and its exact answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Bounds
from cydp.exact._clamped_sum import sum_groups
from cydp.exact._grid import Grid, centre_of, public_grid
from cydp.exact._sorted_units import sort_groups
from cydp.releases._format import format_parameter
from cydp.releases._missing import Missing, read_missing
from cydp.releases._partitions import Codes, count_codes
from cydp.releases._presence import fill_absent, is_absent
from cydp.releases._qs import Quantiles, read_quantiles
from cydp.releases._release import recorded

__all__ = ["Summary", "columns_of", "exact_summary", "read_summaries"]


@recorded
@dataclass(frozen=True, slots=True, repr=False)
class Summary:
    """A sum, a mean or quantiles of a column, by key.

    Attributes
    ----------
    kind : str
        "sum", "mean" or "quantile".
    column : str
    grid : Grid
        The bounds, in steps.
    filled : int or None
        What a missing number counts as, in steps; None: it does not count.
    qs : tuple of Fraction
        Which quantiles.
    several : bool
        Whether a list of quantiles was given, even if it is of one.
    counts_rows : bool
        Whether the rows that count for a mean are counted beside its sum. They are not if "n"
        counts them.

    """

    kind: str
    column: str
    grid: Grid
    filled: int | None
    qs: tuple[Fraction, ...] = ()
    several: bool = False
    counts_rows: bool = False

    @property
    def name(self) -> str:
        """The name of the released column."""
        return f"{self.kind}_{self.column}"

    @property
    def shift(self) -> int:
        """What is subtracted from each number, in steps."""
        return centre_of(self.grid) if self.kind == "mean" else 0

    @property
    def rows_name(self) -> str:
        """The name of the part that counts the rows of a mean."""
        return f"{self.name}_rows"

    def quantile_name(self, i: int) -> str:
        """Return the name of the part of a quantile."""
        return f"{self.name}_{i}"

    def __repr__(self) -> str:
        parameters: dict[str, Any] = {"grid": self.grid, "filled": self.filled}
        if self.kind == "quantile":
            parameters["qs"] = self.qs if self.several else self.qs[0]
        parts = (f"{name}={format_parameter(each)}" for name, each in parameters.items())
        return f"{self.kind}({self.column!r}, {', '.join(parts)})"


def read_summaries(
    count: bool, sums: Any, means: Any, quantiles: Any, missing: Missing
) -> tuple[Summary, ...]:
    """Return what is asked of columns, by arguments of `group_by`."""
    found = (
        *(_summary("sum", *each, missing) for each in _items(sums, "sums")),
        *(_mean(*each, missing, count) for each in _items(means, "means")),
        *(_quantiles(*each, missing) for each in _items(quantiles, "quantiles")),
    )
    if not count and any(each.kind == "mean" and not each.counts_rows for each in found):
        raise ValueError("count must be True if missing is a number: it is what means divide by")
    return found


def columns_of(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns of numbers that `group_by` reads, and the arguments that name them."""
    arguments = "sums", "means", "quantiles"
    return {name: each for each in arguments for name, _ in _items(given[each], each)}


def _items(given: Mapping[str, Any] | None, name: str) -> Iterable[tuple[str, Any]]:
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise TypeError(f"{name} must be a dict by column, not {type(given).__name__}")
    return given.items()


def _summary(kind: str, column: str, bounds: Bounds, missing: Missing) -> Summary:
    grid = public_grid(bounds, None, f"bounds of {column}")
    return Summary(kind, column, grid, read_missing(missing, grid))


def _mean(column: str, bounds: Bounds, missing: Missing, count: bool) -> Summary:
    summary = _summary("mean", column, bounds, missing)
    return replace(summary, counts_rows=summary.filled is None or not count)


def _quantiles(column: str, given: Quantiles, missing: Missing) -> Summary:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise TypeError(
            "quantiles must be a dict of pairs by column: what to find, and bounds, such as "
            "{'income': ([0.25, 0.5], (0, 200_000))}"
        )
    qs, several = read_quantiles(given[0])
    summary = _summary("quantile", column, given[1], missing)
    return replace(summary, qs=qs, several=several)


def exact_summary(
    summary: Summary, codes: Codes, n_keys: int, values: NDArray[Any]
) -> dict[str, Any]:
    """Return the exact answers of a summary by key, by the names of parts.

    They are sums, in steps, and the number of rows that they are over; or the ranked numbers of all
    its quantiles, by its own name.
    """
    if summary.kind == "quantile":
        filled = fill_absent(values, summary.filled, summary.grid)
        return {summary.name: sort_groups(codes, filled, n_keys, summary.grid)}
    sums = sum_groups(codes, values, summary.grid, n_keys)
    if summary.filled is None and summary.kind == "sum":
        return {summary.name: sums}
    absent, counted = is_absent(values), codes
    if summary.filled is None:
        counted = np.where(absent, np.uint32(n_keys), codes)
    else:
        sums += summary.filled * count_codes(np.where(absent, codes, np.uint32(n_keys)), n_keys)
        if summary.kind == "sum":
            return {summary.name: sums}
    rows = count_codes(counted, n_keys)
    mean = {summary.name: sums - summary.shift * rows}
    return {summary.rows_name: rows, **mean} if summary.counts_rows else mean
