# SPDX-License-Identifier: MIT
"""Counts and sums over any number of pieces, on any number of machines."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cydp import _core, _threads
from cydp._arguments import BinsLike, Bounds, Column, Integer, Number, RangeLike
from cydp._call_errors import explain_arguments
from cydp._columns.entries import integers_of, sequence, undeclared
from cydp._columns.numbers import blocks, check_real, column
from cydp._numbers.rational import read_integer
from cydp.exact import _arrow_tables as tables
from cydp.exact._bins import Bins, bin_count, public_bins
from cydp.exact._grid import Grid, public_grid
from cydp.exact._grid_sum import (
    GridSum,
    check_shapes,
    group_units,
    integer_column,
    number_column,
    sum_on_grid,
)

__all__ = ["GroupedAccumulator", "HistogramAccumulator"]

_BLOCK_ROWS = 65_536  # rows converted at a time


class HistogramAccumulator:
    """Counts in bins, added up piece by piece. NOT private.

    The counts are those of `histogram` over all pieces together, however they were split, and
    take memory for the bins alone.

    Parameters
    ----------
    bins, range
        As in `histogram`, but a number of bins needs a range.
    dtype : dtype, default float64
        The dtype of the data; the edges are those that numpy has for it. Pieces of floats are
        converted to it, and refused if it is a dtype of integers. Pieces of integers are compared
        with the edges as numpy compares them, and refused where the conversion could change them:
        uint64 for int64. A list is read as float64, or as integers if the dtype is one of
        integers; integers beyond 64 bits are then left out.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter.

    Examples
    --------
    >>> parts = [HistogramAccumulator(2, (0, 10)).update(x) for x in ([1, 2], [7, 10, 11])]
    >>> sum(parts[1:], parts[0]).counts
    array([2, 2])

    """

    __slots__ = ("_bins", "_counts", "_given")

    def __init__(
        self,
        bins: BinsLike,
        range: RangeLike | None = None,
        *,
        dtype: Any = "float64",
    ) -> None:
        kind = _dtype_of(dtype)
        check_real(kind, "dtype")
        made = public_bins(bins, range, kind)
        edges = made.edges.astype(made.edges.dtype.newbyteorder("="))
        self._bins: Bins = replace(made, edges=edges)
        self._counts = np.zeros(len(edges) - 1, np.int64)
        # Copies: what the caller changes later must not reach a pickle.
        self._given: tuple[Any, Any, Any] = (edges, None, kind)
        if bin_count(bins) is not None and range is not None:
            self._given = (len(self._counts), tuple(range), kind)

    @property
    def _rule(self) -> dict[str, Any]:
        """What decides where values are counted, edges aside."""
        _, range, kind = self._given
        rule = {"dtype": kind.name}
        if range is not None and self._bins.prepare is not None:  # which compares with the ends
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
            For what is no column of real numbers, or of a dtype that does not become the
            accumulator's; and if a count could pass 2**63. Then nothing is counted.

        """
        x, kind = sequence(x), self._given[2]
        values, entries = column(x), undeclared(x, "x")
        if entries is not None:
            values = self._listed(values, entries)
        if values.dtype.kind == "f" and kind.kind == "f":
            with np.errstate(all="ignore"):
                values = values.astype(kind, copy=False)
        elif values.dtype.kind == "f" or not np.can_cast(
            values.dtype, self._bins.read(values.dtype)
        ):
            raise TypeError(
                f"x must be of a dtype that converts to {kind.name} without loss, not "
                f"{values.dtype.name}: convert it, or make the accumulator with another dtype"
            )
        return self._add(self._bins.count(values))

    def _listed(self, values: NDArray[Any], entries: NDArray[Any]) -> NDArray[Any]:
        """Return a list in one dtype whatever its values: float64, or integers if all are."""
        read, kind = self._bins.reads[0], self._given[2]
        if kind.kind == "f":
            with np.errstate(all="ignore"):  # a signalling NaN may warn
                return values.astype(np.float64, copy=False)
        if read.kind == "f":
            read = kind if kind in (np.int64, np.uint64) else np.dtype(np.int64)
        return integers_of(entries, read, "x")

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
            For another kind of thing, for one that counts otherwise, and if a count could pass
            2**63; then nothing is added.

        """
        if not isinstance(other, HistogramAccumulator):
            raise TypeError(f"other must be a HistogramAccumulator, not {type(other).__name__}")
        mine, theirs = self._bins.edges, other._bins.edges
        if mine.dtype != theirs.dtype or not np.array_equal(mine, theirs):
            raise ValueError("other must have the same edges, of the same dtype")
        if repr(self._rule) != repr(other._rule):  # a range of floats is another one
            raise ValueError("other must be made with the same dtype and range")
        return self._add(other._counts)

    def __add__(self, other: HistogramAccumulator) -> HistogramAccumulator:
        """Return a new accumulator of both."""
        if not isinstance(other, HistogramAccumulator):
            return NotImplemented
        return copy(self).merge(other)

    def __radd__(self, other: int) -> HistogramAccumulator:
        """Return a copy for 0, from which Python's `sum` starts."""
        if other != 0:
            return NotImplemented
        return copy(self)

    def __getstate__(self) -> tuple[Any, NDArray[np.int64]]:
        return self._given, self._counts

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
        """Import what `__arrow_c_stream__` has exported.

        Parameters
        ----------
        table : table
        range, dtype : optional
            Those that the accumulator was made with. For a table without the metadata, which
            polars, pandas and DuckDB drop, the dtype is needed.

        Raises
        ------
        TypeError, ValueError
            For another table, and for another dtype or range than its metadata tell of.

        """
        columns, about = tables.read(table, "table")
        if set(columns) != {"lower", "upper", "count"} or len(columns["count"]) == 0:
            raise ValueError("table must have the columns lower, upper, count, and a row")
        lower, upper = columns["lower"], columns["upper"]
        if not np.array_equal(lower[1:], upper[:-1]):
            raise ValueError("table must have a row for each bin, in their order")
        edges = np.append(lower, upper[-1:])
        if dtype is None and "dtype" not in about:
            raise ValueError("table must have its metadata, or dtype must be given")
        ends = about.get("range") if range is None else range
        kind = about["dtype"] if dtype is None else dtype
        new = cls(edges if ends is None else len(lower), ends, dtype=kind)
        if not np.array_equal(new._bins.edges, edges):
            raise ValueError("table must have the edges that range and dtype give")
        if about and repr(new._rule) != repr(about):
            raise ValueError("range and dtype must be those of the table's metadata")
        counts = counts_of(columns["count"])
        if counts.min() < 0 or total_of(counts) >= 2**63:
            raise ValueError("table must have counts from 0 on, below 2**63 together")
        return new._add(counts)

    def __repr__(self) -> str:
        return f"<HistogramAccumulator: {len(self._counts)} bins, exact and NOT private>"


def _dtype_of(dtype: Any) -> np.dtype[Any]:
    try:
        kind: np.dtype[Any] = np.dtype(dtype).newbyteorder("=")
    except TypeError:
        given = repr(dtype[:40]) if isinstance(dtype, str) else type(dtype).__name__
        raise TypeError(f"dtype must be one of numpy's, such as 'float64', not {given}") from None
    return kind


def counts_of(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return counts that were imported."""
    if values.dtype != np.int64:
        raise ValueError(f"counts must be of int64, not {values.dtype.name}")
    return values


def total_of(counts: NDArray[np.int64]) -> int:
    """Return the sum of counts from 0 on, which may be beyond 64 bits."""
    return (int((counts >> 32).sum()) << 32) + int((counts & (2**32 - 1)).sum())


class GroupedAccumulator:
    """Counts and clamped sums by group, added up piece by piece. NOT private.

    Parameters
    ----------
    n_groups : int
        Codes of groups are from 0 to n_groups - 1; rows with others are left out.
    sums : mapping of names to bounds (lower, upper), optional
        The columns to sum, with the bounds that `clamped_sum` clamps them to.
    step : mapping of names to numbers, optional
        The steps of some of these sums, as in `clamped_sum`; the others have the default step.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter.

    Examples
    --------
    >>> total = GroupedAccumulator(2, {"income": (0, 100)})
    >>> total.update([0, 1, 1, 5], income=[10, 20, 999, 1]).update([0], income=[None])
    <GroupedAccumulator: 2 groups, 1 sum, exact and NOT private>
    >>> total.counts, total.sums["income"].value.tolist()
    (array([2, 2]), [Fraction(10, 1), Fraction(120, 1)])

    """

    __slots__ = ("_counts", "_grids", "_rows", "_units")

    @explain_arguments
    def __init__(
        self,
        n_groups: Integer,
        sums: Mapping[str, Bounds] | None = None,
        *,
        step: Mapping[str, Number] | None = None,
    ) -> None:
        groups = read_integer(n_groups, "n_groups")
        if not 1 <= groups < 2**32 - 2:
            raise ValueError(f"n_groups must be from 1 to 2**32 - 3, not {groups}")
        self._start(groups, _grids_of(sums, step))

    def _start(self, groups: int, grids: dict[str, Grid]) -> None:
        self._grids = grids
        self._rows = 0
        self._counts = np.zeros(groups, np.int64)
        self._units = {name: np.zeros(groups, np.int64) for name in grids}

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows each group has, shape (n_groups,)."""
        return self._counts.copy()

    @property
    def sums(self) -> dict[str, GridSum]:
        """The sum of each column by group."""
        return {
            name: sum_on_grid(self._units[name].copy(), grid) for name, grid in self._grids.items()
        }

    def update(self, codes: Column, **columns: Column) -> Self:
        """Add one more piece, of any length, and return the accumulator.

        Parameters
        ----------
        codes : array_like of int, shape (n,)
        **columns : array_like of real numbers, shape (n,)
            One for each sum, by its name. What is missing counts as a row and adds nothing.

        Raises
        ------
        TypeError, ValueError
            For wrong columns, and if so many rows could carry a count or a sum, in units, to
            2**63; then nothing is added.

        """
        if columns.keys() != self._grids.keys():
            call = ", ".join(["codes", *(f"{name}=..." for name in self._grids)])
            raise TypeError(f"columns must be those of sums: call update({call})")
        keys = integer_column(codes)
        if keys.ndim != 1:
            raise ValueError(f"codes must have one dimension, not {keys.ndim}")
        numbers = {name: number_column(x, name) for name, x in columns.items()}
        for name, values in numbers.items():
            check_shapes(keys, values, name)
        self._check_rows(self._rows + len(keys))
        more = GroupedAccumulator(len(self._counts))
        more._start(len(self._counts), self._grids)
        more._rows = len(keys)
        many = _threads.threads_for(len(keys))
        block_rows = max(_BLOCK_ROWS, len(self._counts))
        for rows in blocks(keys, keys.dtype.newbyteorder("="), block_rows):
            _core.bincount(rows, more._counts, many)
        for name, values in numbers.items():
            more._units[name] = group_units(keys, values, self._grids[name], len(self._counts))
        return self.merge(more)  # at the end: an interrupt adds nothing

    def _check_rows(self, rows: int) -> None:
        if rows >= 2**63:
            raise ValueError("counts must stay below 2**63")
        for name, grid in self._grids.items():
            if rows * grid.largest >= 2**63:
                raise ValueError(
                    f"step of {name} must be larger for so many rows: with bounds of "
                    f"{grid.largest} steps a sum could reach 2**63 steps"
                )

    def merge(self, other: GroupedAccumulator) -> Self:
        """Add what another accumulator with the same groups and sums holds.

        Raises
        ------
        TypeError, ValueError
            For another kind of thing, for other groups, names, bounds or steps, and if so many
            rows could carry a count or a sum, in units, to 2**63; then nothing is added.

        """
        if not isinstance(other, GroupedAccumulator):
            raise TypeError(f"other must be a GroupedAccumulator, not {type(other).__name__}")
        if len(self._counts) != len(other._counts) or self._grids != other._grids:
            raise ValueError("other must have the same n_groups, sums and steps")
        self._check_rows(self._rows + other._rows)
        self._rows += other._rows
        self._counts += other._counts
        for name, units in other._units.items():
            self._units[name] += units
        return self

    def __add__(self, other: GroupedAccumulator) -> GroupedAccumulator:
        """Return a new accumulator of both."""
        if not isinstance(other, GroupedAccumulator):
            return NotImplemented
        return copy(self).merge(other)

    def __radd__(self, other: int) -> GroupedAccumulator:
        """Return a copy for 0, from which Python's `sum` starts."""
        if other != 0:
            return NotImplemented
        return copy(self)

    def __getstate__(self) -> tuple[Any, ...]:
        return self._grids, self._rows, self._counts, self._units

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._grids, self._rows, counts, units = state
        self._counts = counts.copy()  # copy hands over its own
        self._units = {name: sums.copy() for name, sums in units.items()}

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export a table with a row for each group: count, and the units of each sum.

        The grids stand in the table's metadata.
        """
        about = {
            name: {"bounds": list(map(str, grid.bounds)), "step": str(grid.step)}
            for name, grid in self._grids.items()
        }
        columns = {"group": np.arange(len(self._counts)), "count": self._counts}
        columns |= {f"sum_{name}": x for name, x in self._units.items()}
        return tables.export(columns, {"rows": self._rows, "sums": about}, requested_schema)

    @classmethod
    def from_arrow(
        cls,
        table: Any,
        sums: Mapping[str, Bounds] | None = None,
        *,
        step: Mapping[str, Number] | None = None,
    ) -> GroupedAccumulator:
        """Import what `__arrow_c_stream__` has exported.

        Parameters
        ----------
        table : table
        sums, step : mappings, optional
            Those that the accumulator was made with. They are needed for a table without the
            metadata, which polars, pandas and DuckDB drop.

        Raises
        ------
        TypeError, ValueError
            For another table, and for other sums than its metadata tell of.

        """
        columns, about = tables.read(table, "table")
        given = None if sums is None and step is None else _grids_of(sums, step)
        rows, grids = _described(about) if given is None or about else (None, given)
        if given is not None and grids != given:
            raise ValueError("sums and step must be those in the table's metadata, or be left out")
        if columns.keys() != {"group", "count", *(f"sum_{name}" for name in grids)}:
            raise ValueError("table must be that of a GroupedAccumulator, with its sums")
        counts = counts_of(columns["count"])
        total = total_of(counts)
        rows = total if rows is None else rows
        if not np.array_equal(columns["group"], np.arange(len(counts))) or len(counts) == 0:
            raise ValueError("table must have a row for each group, in their order")
        if counts.min() < 0 or total > rows:
            raise ValueError("table must have counts from 0 on, of as many rows as it says")
        new = cls(len(counts))
        new._start(len(counts), grids)
        new._check_rows(rows)
        new._rows = rows
        new._counts += counts
        for name, grid in grids.items():
            units = counts_of(columns[f"sum_{name}"])
            most = rows * grid.largest
            if units.min() < -most or units.max() > most:
                raise ValueError("table must have sums that its bounds allow")
            new._units[name] += units
        return new

    def __repr__(self) -> str:
        groups, sums = len(self._counts), len(self._grids)
        noun = "sum" if sums == 1 else "sums"
        return f"<GroupedAccumulator: {groups} groups, {sums} {noun}, exact and NOT private>"


def _grids_of(
    sums: Mapping[str, Bounds] | None, step: Mapping[str, Number] | None
) -> dict[str, Grid]:
    bounds, steps = _mapping(sums, "sums", "(lower, upper)"), _mapping(step, "step", "step")
    for name in bounds:
        if not isinstance(name, str) or not name.isidentifier() or name in ("codes", "self"):
            raise ValueError(
                "names in sums must be identifiers other than codes and self: they are keywords "
                "of update"
            )
    if not steps.keys() <= bounds.keys():
        raise ValueError("names in step must be names in sums")
    return {
        name: public_grid(pair, steps.get(name), f"sums[{name!r}]") for name, pair in bounds.items()
    }


def _mapping(given: Any, name: str, value: str) -> dict[str, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(
            f"{name} must be a mapping, {name}={{'column': {value}}}, not {type(given).__name__}"
        )
    return dict(given or {})


def _described(about: Any) -> tuple[int | None, dict[str, Grid]]:
    """Return the number of rows and the grids that metadata tells of."""
    sums = about.get("sums") if isinstance(about, dict) else None
    rows = about.get("rows") if isinstance(about, dict) else None
    if not isinstance(sums, dict) or type(rows) is not int:
        raise ValueError("table must have its metadata, or sums must be given")
    return rows, {name: _described_grid(said) for name, said in sums.items()}


def _described_grid(said: Any) -> Grid:
    """Return the grid that was exported; only what it is written as is accepted."""
    try:
        grid = public_grid(said["bounds"], said["step"])
        written = [*said["bounds"], said["step"]]
    except (KeyError, TypeError, ValueError):
        written, grid = [], None
    if grid is None or written != [*map(str, grid.bounds), str(grid.step)]:
        raise ValueError("table must have the bounds and the step of each sum in its metadata")
    return grid
