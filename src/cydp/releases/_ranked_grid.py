# SPDX-License-Identifier: MIT
"""The grid whose points are quantiles: the integers, if the column declares that it holds such."""

from __future__ import annotations

from typing import Any, cast

from cydp._arguments import Bounds, Number, TimeBounds
from cydp._columns.declared import Records
from cydp._numbers.bounds import read_bounds
from cydp._numbers.rational import format_binary, read_binary
from cydp.exact._grid import Grid, public_grid
from cydp.exact._time_grid import read_time_grid
from cydp.releases._missing import Missing, read_missing

__all__ = ["holds_integers", "moves_fractions", "ranked_grid", "rounds_numbers"]


def holds_integers(records: Any) -> bool:
    """Whether a column declares that it holds integers; no value is read."""
    return isinstance(records, Records) and records.has_integers


def moves_fractions(grid: Grid, *, integers: bool) -> bool:
    """Whether the grid is the integers, and the column does not declare that it holds such."""
    return type(grid) is Grid and grid.exponent == 0 and not integers


def rounds_numbers(grid: Grid, *, fractions: bool) -> bool:
    """Whether the grid may move numbers to the nearest of its points.

    Parameters
    ----------
    grid : Grid
        Of times: they are rounded down, which their own words say.
    fractions : bool
        What `moves_fractions` has found.

    """
    return type(grid) is Grid and (grid.exponent != 0 or fractions)


def ranked_grid(
    bounds: Bounds | TimeBounds,
    step: Number | None,
    missing: Missing,
    *,
    integers: bool,
    name: str = "bounds",
) -> tuple[Grid, int | None]:
    """Return the grid of quantiles, and what a missing number counts as, in its steps.

    Parameters
    ----------
    bounds, step, missing
        As in `quantile`.
    integers : bool
        Whether the column declares that it holds integers. Without a step the grid is then that of
        the integers, if the bounds and `missing` are such, unless its default step is larger.
    name : str
        The name of the bounds in an error.

    Raises
    ------
    TypeError, ValueError
        If bounds, step or missing is not allowed.

    Examples
    --------
    >>> ranked_grid((0, 120), None, "drop", integers=True)
    (Grid(exponent=0, lowest=0, highest=120), None)
    >>> ranked_grid((1, 5), 0.5, 3, integers=False)
    (Grid(exponent=-1, lowest=2, highest=10), 6)

    """
    times = read_time_grid(bounds, name)
    if times is not None:
        if step is not None:
            raise TypeError(f"step must be left out: {name} are times, and their unit is the step")
        return times, read_missing(missing, times)
    numbers = cast("Bounds", bounds)
    grid = public_grid(numbers, step, name)
    filled = read_missing(missing, grid)
    if step is not None:
        _check_multiples(numbers, missing, filled, grid, name)
        return grid, filled
    whole, ratio = grid.for_integers
    if not integers or (filled or 0) % ratio:
        return grid, filled
    return whole, None if filled is None else filled // ratio


def _check_multiples(
    bounds: Bounds, missing: Missing, filled: int | None, grid: Grid, name: str
) -> None:
    words = f"multiples of step={format_binary(grid.step)}"
    if read_bounds(bounds, name) != grid.bounds:
        raise ValueError(f"{name} must be {words}")
    if filled is not None and read_binary(cast("Number", missing), "missing") != filled * grid.step:
        raise ValueError(f"missing must be one of the {words}")
