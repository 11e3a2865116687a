# SPDX-License-Identifier: MIT
"""Counts in bins over any number of pieces, on any number of machines."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import BinsLike, Column, RangeLike
from cydp._columns.dtypes import check_real
from cydp._columns.entries import integers_of
from cydp._columns.sources import open_source
from cydp.exact import _arrow_tables as tables
from cydp.exact._bins import Bins, public_bins, read_bin_count

__all__ = ["HistogramAccumulator"]


class HistogramAccumulator:
    """Counts in bins, added up piece by piece. NOT private.

    It is for data that does not fit into memory, or is spread over machines. The counts are the
    same as from `histogram` on all pieces together, however the data was split; only the bins need
    memory. Accumulators can be merged, pickled, and exported to Arrow.

    Parameters
    ----------
    bins, range
        As in `histogram`, but a number of bins needs a range.
    dtype : dtype, default float64
        The dtype of the data; the edges are numpy's for this dtype. Pieces of floats are converted
        to it, and refused if it is a dtype of integers. Pieces of integers are compared with the
        edges as numpy compares them, and refused if the conversion could change them, such as
        uint64 for int64. A list is read as float64, or as integers if the dtype is one of
        integers; integers beyond 64 bits are then left out.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    Examples
    --------
    >>> parts = [HistogramAccumulator(2, (0, 10)).update(x) for x in ([1, 2], [7, 10, 11])]
    >>> sum(parts[1:], parts[0]).counts
    array([2, 2])

    """

    __slots__ = ("_bins", "_counts", "_parameters")

    def __init__(
        self,
        bins: BinsLike,
        range: RangeLike | None = None,
        *,
        dtype: Any = "float64",
    ) -> None:
        data_dtype = _read_dtype(dtype)
        check_real(data_dtype, "dtype")
        grid = public_bins(bins, range, data_dtype)
        edges = grid.edges.astype(grid.edges.dtype.newbyteorder("="))
        self._bins: Bins = replace(grid, edges=edges)
        self._counts = np.zeros(len(edges) - 1, np.int64)
        # They are copies: what the caller changes later must not reach a pickle.
        self._parameters: tuple[Any, Any, np.dtype[Any]] = (edges, None, data_dtype)
        if read_bin_count(bins) is not None and range is not None:
            self._parameters = (len(self._counts), tuple(range), data_dtype)

    @property
    def _rule(self) -> dict[str, Any]:
        """The rule, beside the edges, by which a value is counted in a bin."""
        _, range, dtype = self._parameters
        rule: dict[str, Any] = {"dtype": dtype.name}
        if range is not None and self._bins.prepare is not None:  # it compares with the ends
            rule["range"] = [
                (int if isinstance(end, int | np.integer) else float)(end) for end in range
            ]
        return rule

    @property
    def counts(self) -> NDArray[np.int64]:
        """A copy of the counts, shape (bins,)."""
        return self._counts.copy()

    @property
    def edges(self) -> NDArray[Any]:
        """A copy of the edges, shape (bins + 1,)."""
        return self._bins.edges.copy()

    def update(self, x: Column) -> Self:
        """Count the values of one more piece, of any length, and return the accumulator.

        Raises
        ------
        TypeError, ValueError
            If x is not a column of real numbers, if its dtype does not convert to the
            accumulator's, or if a count could reach 2**63. Then nothing is counted.

        """
        column, dtype = open_source(x, "x"), self._parameters[2]
        values, entries = column.numbers(), column.objects()
        if entries is not None:
            values = self._read_list(values, entries)
        if values.dtype.kind == "f" and dtype.kind == "f":
            with np.errstate(all="ignore"):
                values = values.astype(dtype, copy=False)
        elif values.dtype.kind == "f" or not np.can_cast(
            values.dtype, self._bins.dtype_for(values.dtype)
        ):
            raise TypeError(
                f"x must be of a dtype that converts to {dtype.name} without loss, not "
                f"{values.dtype.name}: convert it, or make the accumulator with another dtype"
            )
        return self._add(self._bins.count(values))

    def _read_list(self, values: NDArray[Any], entries: NDArray[Any]) -> NDArray[Any]:
        """Return a list's values in a dtype that does not depend on them."""
        dtype = self._parameters[2]
        if dtype.kind == "f":
            with np.errstate(all="ignore"):  # a signalling NaN may warn
                return values.astype(np.float64, copy=False)
        integers = self._bins.dtypes[0]
        if integers.kind == "f":
            integers = dtype if dtype in (np.int64, np.uint64) else np.dtype(np.int64)
        return integers_of(entries, integers, "x")

    def _add(self, counts: NDArray[np.int64]) -> Self:
        total = self._counts + counts
        if total.min() < 0:
            raise ValueError("counts must stay below 2**63")
        self._counts = total
        return self

    def merge(self, other: HistogramAccumulator) -> Self:
        """Add the counts of another accumulator with the same edges and dtype.

        Raises
        ------
        TypeError, ValueError
            If other is not such an accumulator, or if a count could reach 2**63. Then nothing is
            added.

        """
        if not isinstance(other, HistogramAccumulator):
            raise TypeError(f"other must be a HistogramAccumulator, not {type(other).__name__}")
        mine, theirs = self._bins.edges, other._bins.edges
        if mine.dtype != theirs.dtype or not np.array_equal(mine, theirs):
            raise ValueError("other must have the same edges, of the same dtype")
        if repr(self._rule) != repr(other._rule):  # by repr: 0 and 0.0 are different ends
            raise ValueError("other must be made with the same dtype and range")
        return self._add(other._counts)

    def __add__(self, other: HistogramAccumulator) -> HistogramAccumulator:
        """Return a new accumulator with the counts of both."""
        if not isinstance(other, HistogramAccumulator):
            return NotImplemented
        return copy(self).merge(other)

    def __radd__(self, other: int) -> HistogramAccumulator:
        """Return a copy if `other` is 0, from which Python's `sum` starts."""
        if other != 0:
            return NotImplemented
        return copy(self)

    def __getstate__(self) -> tuple[Any, NDArray[np.int64]]:
        return self._parameters, self._counts

    def __setstate__(self, state: tuple[Any, NDArray[np.int64]]) -> None:
        (bins, range, dtype), counts = state
        self.__init__(bins, range, dtype=dtype)  # type: ignore[misc]
        self._counts += counts

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export a table with a row for each bin: lower, upper, count."""
        edges = self._bins.edges
        columns = {"lower": edges[:-1], "upper": edges[1:], "count": self._counts}
        return tables.export(columns, self._rule, requested_schema)

    @classmethod
    def from_arrow(
        cls, table: Any, range: RangeLike | None = None, *, dtype: Any = None
    ) -> HistogramAccumulator:
        """Return the accumulator that `__arrow_c_stream__` has exported.

        Parameters
        ----------
        table : table
            A table of pandas, polars, pyarrow or DuckDB.
        range, dtype : optional
            The parameters that the accumulator was made with. The dtype is needed if the table has
            lost its metadata, which polars, pandas and DuckDB drop.

        Raises
        ------
        TypeError, ValueError
            If the table is not one of an accumulator, or if range or dtype contradict its metadata.

        """
        columns, metadata = tables.read(table, "table")
        if set(columns) != {"lower", "upper", "count"} or len(columns["count"]) == 0:
            raise ValueError("table must have the columns lower, upper, count, and a row")
        lower, upper = columns["lower"], columns["upper"]
        if not np.array_equal(lower[1:], upper[:-1]):
            raise ValueError("table must have a row for each bin, in their order")
        edges = np.append(lower, upper[-1:])
        if dtype is None and "dtype" not in metadata:
            raise ValueError("table must have its metadata, or dtype must be given")
        ends = metadata.get("range") if range is None else range
        data_dtype = metadata["dtype"] if dtype is None else dtype
        new = cls(edges if ends is None else len(lower), ends, dtype=data_dtype)
        if not np.array_equal(new._bins.edges, edges):
            raise ValueError("table must have the edges that range and dtype give")
        if metadata and repr(new._rule) != repr(metadata):
            raise ValueError("range and dtype must be those of the table's metadata")
        counts = tables.check_counts(columns["count"])
        if counts.min() < 0 or tables.total_of(counts) >= 2**63:
            raise ValueError("table must have counts from 0 on, below 2**63 together")
        return new._add(counts)

    def __repr__(self) -> str:
        return f"<HistogramAccumulator: {len(self._counts)} bins, exact and NOT private>"


def _read_dtype(dtype: Any) -> np.dtype[Any]:
    try:
        native: np.dtype[Any] = np.dtype(dtype).newbyteorder("=")
    except TypeError:
        given = repr(dtype[:40]) if isinstance(dtype, str) else type(dtype).__name__
        raise TypeError(f"dtype must be one of numpy's, such as 'float64', not {given}") from None
    return native
