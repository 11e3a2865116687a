# SPDX-License-Identifier: MIT
"""Counts and sums by group over any number of pieces, on any number of machines."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from cydp import _core, _threads
from cydp._arguments import Bounds, Column, Integer, Number
from cydp._call_errors import explain_arguments
from cydp._columns.blocks import block_rows, blocks
from cydp._columns.reading import read_exact_numbers, read_group_codes
from cydp._numbers.rational import read_integer
from cydp.exact import _arrow_tables as tables
from cydp.exact._clamped_sum import sum_groups
from cydp.exact._grid import Grid, check_shapes, public_grid
from cydp.exact._grid_sum import GridSum, sum_on_grid

__all__ = ["GroupedAccumulator"]


class GroupedAccumulator:
    """Counts and clamped sums by group, added up piece by piece. NOT private.

    It is for data that does not fit into memory, or is spread over machines: only the groups need
    memory. Accumulators can be merged, pickled, and exported to Arrow.

    Parameters
    ----------
    n_groups : int
        The number of groups. Their codes are from 0 to n_groups - 1; rows with other codes are
        left out.
    sums : mapping of names to bounds (lower, upper), optional
        The columns to sum, and the bounds that `clamped_sum` clamps them to.
    step : mapping of names to numbers, optional
        The steps of some of these sums, as in `clamped_sum`. The other sums have the default step.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

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
        self._start(groups, _read_grids(sums, step))

    def _start(self, groups: int, grids: dict[str, Grid]) -> None:
        self._grids = grids
        self._rows = 0
        self._counts = np.zeros(groups, np.int64)
        self._units = {name: np.zeros(groups, np.int64) for name in grids}

    @property
    def counts(self) -> NDArray[np.int64]:
        """A copy of the number of rows of each group, shape (n_groups,)."""
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
            A column for each sum, by its name. A row with a missing number is counted, and adds
            nothing to the sum.

        Raises
        ------
        TypeError, ValueError
            If the columns are not the ones in `sums`, or if a count or a sum could reach 2**63, in
            units, with this number of rows. Then nothing is added.

        """
        if columns.keys() != self._grids.keys():
            call = ", ".join(["codes", *(f"{name}=..." for name in self._grids)])
            raise TypeError(f"columns must be those of sums: call update({call})")
        group_codes = read_group_codes(codes)
        if group_codes.ndim != 1:
            raise ValueError(f"codes must have one dimension, not {group_codes.ndim}")
        numbers = {name: read_exact_numbers(x, name) for name, x in columns.items()}
        for name, values in numbers.items():
            check_shapes(group_codes, values, name)
        n, groups = len(group_codes), len(self._counts)
        self._check_rows(self._rows + n)
        piece = GroupedAccumulator(groups)
        piece._start(groups, self._grids)
        piece._rows = n
        native = group_codes.dtype.newbyteorder("=")
        for rows in blocks(group_codes, native, block_rows(groups)):
            _core.bincount(rows, piece._counts, _threads.threads_for(n))
        for name, values in numbers.items():
            piece._units[name] = sum_groups(group_codes, values, self._grids[name], groups)
        return self.merge(piece)  # at the end, so that an interrupt adds nothing

    def _check_rows(self, rows: int) -> None:
        if rows >= 2**63:
            raise ValueError("counts must stay below 2**63")
        for name, grid in self._grids.items():
            if rows * grid.largest >= 2**63:
                raise ValueError(
                    f"step of {name} must be larger for this number of rows: with bounds of "
                    f"{grid.largest} steps a sum could reach 2**63 steps"
                )

    def merge(self, other: GroupedAccumulator) -> Self:
        """Add the counts and sums of another accumulator with the same groups, bounds and steps.

        Raises
        ------
        TypeError, ValueError
            If other is not such an accumulator, or if a count or a sum could reach 2**63, in
            units, with the rows of both. Then nothing is added.

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
        """Return a new accumulator with the rows of both."""
        if not isinstance(other, GroupedAccumulator):
            return NotImplemented
        return copy(self).merge(other)

    def __radd__(self, other: int) -> GroupedAccumulator:
        """Return a copy if `other` is 0, from which Python's `sum` starts."""
        if other != 0:
            return NotImplemented
        return copy(self)

    def __getstate__(self) -> tuple[Any, ...]:
        return self._grids, self._rows, self._counts, self._units

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._grids, self._rows, counts, units = state
        self._counts = counts.copy()  # copy.copy passes this object's arrays
        self._units = {name: sums.copy() for name, sums in units.items()}

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export a table with a row for each group: count, and the units of each sum.

        The table's metadata describe the grids.
        """
        sums = {
            name: {"bounds": list(map(str, grid.bounds)), "step": str(grid.step)}
            for name, grid in self._grids.items()
        }
        columns = {"group": np.arange(len(self._counts)), "count": self._counts}
        columns |= {f"sum_{name}": x for name, x in self._units.items()}
        return tables.export(columns, {"rows": self._rows, "sums": sums}, requested_schema)

    @classmethod
    def from_arrow(
        cls,
        table: Any,
        sums: Mapping[str, Bounds] | None = None,
        *,
        step: Mapping[str, Number] | None = None,
    ) -> GroupedAccumulator:
        """Return the accumulator that `__arrow_c_stream__` has exported.

        Parameters
        ----------
        table : table
            A table of pandas, polars, pyarrow or DuckDB.
        sums, step : mappings, optional
            The parameters that the accumulator was made with. They are needed if the table has
            lost its metadata, which polars, pandas and DuckDB drop.

        Raises
        ------
        TypeError, ValueError
            If the table is not one of an accumulator, or if sums or step contradict its metadata.

        """
        columns, metadata = tables.read(table, "table")
        stated = None if sums is None and step is None else _read_grids(sums, step)
        rows, grids = _read_metadata(metadata) if stated is None or metadata else (None, stated)
        if stated is not None and grids != stated:
            raise ValueError("sums and step must be those in the table's metadata, or be left out")
        if columns.keys() != {"group", "count", *(f"sum_{name}" for name in grids)}:
            raise ValueError("table must be that of a GroupedAccumulator, with its sums")
        counts = tables.check_counts(columns["count"])
        total = tables.total_of(counts)
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
            units = tables.check_counts(columns[f"sum_{name}"])
            most = rows * grid.largest
            if units.min() < -most or units.max() > most:
                raise ValueError("table must have sums that its bounds allow")
            new._units[name] += units
        return new

    def __repr__(self) -> str:
        groups, sums = len(self._counts), len(self._grids)
        noun = "sum" if sums == 1 else "sums"
        return f"<GroupedAccumulator: {groups} groups, {sums} {noun}, exact and NOT private>"


def _read_grids(
    sums: Mapping[str, Bounds] | None, step: Mapping[str, Number] | None
) -> dict[str, Grid]:
    bounds, steps = (
        _read_mapping(sums, "sums", "(lower, upper)"),
        _read_mapping(step, "step", "step"),
    )
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


def _read_mapping(given: Any, name: str, value: str) -> dict[str, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(
            f"{name} must be a mapping, {name}={{'column': {value}}}, not {type(given).__name__}"
        )
    return dict(given or {})


def _read_metadata(metadata: Any) -> tuple[int | None, dict[str, Grid]]:
    """Return the number of rows and the grids that a table's metadata state."""
    sums = metadata.get("sums") if isinstance(metadata, dict) else None
    rows = metadata.get("rows") if isinstance(metadata, dict) else None
    if not isinstance(sums, dict) or type(rows) is not int:
        raise ValueError("table must have its metadata, or sums must be given")
    return rows, {name: _read_grid(description) for name, description in sums.items()}


def _read_grid(description: Any) -> Grid:
    """Return the grid that was exported; only the text that is exported for it is accepted."""
    try:
        grid = public_grid(description["bounds"], description["step"])
        parts = [*description["bounds"], description["step"]]
    except (KeyError, TypeError, ValueError):
        parts, grid = [], None
    if grid is None or parts != [*map(str, grid.bounds), str(grid.step)]:
        raise ValueError("table must have the bounds and the step of each sum in its metadata")
    return grid
