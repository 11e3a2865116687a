# SPDX-License-Identifier: MIT
"""Sensitivities of sums, means and extremes of bounded numbers. docs/sensitivity.md."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import TypeAlias

import numpy as np

from cydp._arguments import Integer, Number, OpenBounds
from cydp._call_errors import explain_arguments
from cydp._numbers.bounds import check_order, check_pair
from cydp._numbers.rational import read_binary, read_integer
from cydp._relations import check_relation
from cydp._sensitivity import (
    Sensitivity,
    Unbounded,
    check_missing,
    largest_sensitivity,
    sensitivity_of,
)

__all__ = ["is_infinite", "maximum", "mean", "minimum", "read_rows", "sum"]


_Pair: TypeAlias = tuple[Fraction | None, Fraction | None]


def read_rows(n: Integer, name: str) -> int:
    """Return a number of rows; a TypeError or a ValueError unless it is an integer >= 1."""
    rows = read_integer(n, name)
    if rows < 1:
        raise ValueError(f"{name} must be at least 1, not {rows}")
    return rows


def is_infinite(value: Number | None) -> bool:
    """Return whether a number is an infinite float."""
    return isinstance(value, float | np.floating) and math.isinf(value)


def _read_open_bounds(bounds: OpenBounds) -> _Pair:
    """Return the ends of bounds, None for an end that is missing or infinite."""
    if bounds is None:
        return None, None
    lower, upper = (
        None
        if end is None or is_infinite(end)
        else read_binary(end, f"{name} in bounds=(lower, upper)")
        for end, name in zip(check_pair(bounds), ("lower", "upper"), strict=True)
    )
    if lower is not None and upper is not None:
        check_order(lower, upper)
    return lower, upper


def _make_unbounded(
    lower: Fraction | None, upper: Fraction | None, relation: str | None
) -> Unbounded:
    """Return the infinite sensitivity that names the bounds that are missing."""
    names = [name for name, end in (("lower", lower), ("upper", upper)) if end is None]
    return Unbounded(" and ".join(names) + " bound", relation=relation)


@explain_arguments
def sum(
    bounds: OpenBounds, *, relation: str = "add-remove", missing: bool = True
) -> Sensitivity | Unbounded:
    """Return the sensitivity of a sum of numbers clamped to bounds.

    Parameters
    ----------
    bounds : (lower, upper)
        The ends that the numbers are clamped to. None or an infinity: there is no such bound.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        The relation of neighbours.
    missing : bool, default True
        Whether a record may have no number, and so add 0. It matters if a record may change.
        False is the caller's promise that no number is missing.

    Returns
    -------
    Sensitivity or Unbounded
        In the unit of the numbers. Add-remove: max(abs(lower), abs(upper)). Change-one: upper -
        lower; if numbers may be missing, the bounds are first widened to include 0.
        Add-remove-or-change: the larger of both. Infinity if a bound is missing.

    Raises
    ------
    TypeError, ValueError
        For bad bounds or another relation.

    Examples
    --------
    >>> sum((-2, 5)) == 5, sum((2, 5), relation="change-one") == 5
    (True, True)
    >>> sum((2, 5), relation="change-one", missing=False)
    Sensitivity(3, relation='change-one')

    """
    lower, upper = _read_open_bounds(bounds)
    check_relation(relation)
    check_missing(missing)
    if lower is None or upper is None:
        return _make_unbounded(lower, upper, relation)
    if relation == "add-remove-or-change":
        return largest_sensitivity(partial(sum, bounds, missing=missing))
    if relation == "add-remove":
        return sensitivity_of(max(abs(lower), abs(upper)), relation)
    if missing:
        lower, upper = min(lower, Fraction(0)), max(upper, Fraction(0))
    return sensitivity_of(upper - lower, relation)


@explain_arguments
def mean(
    bounds: OpenBounds,
    n: Integer | None = None,
    *,
    relation: str = "add-remove",
    empty: Number | None = None,
    n_at_least: Integer | None = None,
    missing: bool = True,
) -> Sensitivity | Unbounded:
    """Return the sensitivity of a mean of numbers clamped to bounds.

    Exactly one of `n`, `empty` and `n_at_least` says what the sum is divided by.

    Parameters
    ----------
    bounds : (lower, upper)
        The ends that the numbers are clamped to. None or an infinity: there is no such bound.
    n : int >= 1
        The sum is divided by n, the public number of all records, including those without a
        number. Only under "change-one": elsewhere the number of records is private.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        The relation of neighbours.
    empty : number
        The sum is divided by the number of numbers, and the mean of no numbers is `empty`, which
        is fixed in advance. The middle of the bounds is best.
    n_at_least : int >= 1
        The sum is divided by the number of numbers, and every table has at least `n_at_least`
        numbers. That is the caller's promise, and the guarantee holds only among tables that keep
        it.
    missing : bool, default True
        Whether a record may have no number. It matters if a record may change; with `n` such a
        record adds 0 to the sum. False is the caller's promise that no number is missing.

    Returns
    -------
    Sensitivity or Unbounded
        In the unit of the numbers. With `n`: the sensitivity of the sum, divided by n. With
        `empty`: max(upper - empty, empty - lower); under "change-one" at least upper - lower, and
        exactly that if no number is missing. With `n_at_least`: (upper - lower) / (n_at_least + 1);
        under "change-one" (upper - lower) / n_at_least. Under "add-remove-or-change" the larger of
        both. Infinity if a bound is missing.

    Raises
    ------
    TypeError, ValueError
        For bad parameters, and unless exactly one of `n`, `empty` and `n_at_least` is given.

    Notes
    -----
    (upper - lower) / n, with the n of the data at hand, is no global sensitivity if n is private.

    Examples
    --------
    >>> mean((0, 100), 50, relation="change-one")
    Sensitivity(2, relation='change-one')
    >>> mean((0, 7), empty=3.5), mean((0, 7), empty=0), mean((0, 7), n_at_least=13)
    ... # doctest: +NORMALIZE_WHITESPACE
    (Sensitivity(3.5, relation='add-remove'), Sensitivity(7, relation='add-remove'),
     Sensitivity(0.5, relation='add-remove'))

    """
    lower, upper = _read_open_bounds(bounds)
    check_relation(relation)
    check_missing(missing)
    if [n, empty, n_at_least].count(None) != 2:
        raise TypeError("exactly one of n, empty and n_at_least must be given")
    if n is not None:
        if relation != "change-one":
            raise ValueError(
                f"n is private under {relation!r}: give relation='change-one', or empty= or "
                "n_at_least= instead of n"
            )
        of_sum = sum(bounds, relation=relation, missing=missing)
        share = Fraction(1, read_rows(n, "n"))
        if isinstance(of_sum, Unbounded):
            return of_sum
        return sensitivity_of(of_sum * share, relation)
    rows = None if n_at_least is None else read_rows(n_at_least, "n_at_least")
    mean_of_none = None if empty is None else read_binary(empty, "empty")
    if lower is None or upper is None:
        return _make_unbounded(lower, upper, relation)
    if relation == "add-remove-or-change":
        return largest_sensitivity(
            partial(mean, bounds, empty=empty, n_at_least=n_at_least, missing=missing)
        )
    width = upper - lower
    if rows is not None:
        return sensitivity_of(width / (rows + (relation == "add-remove")), relation)
    assert mean_of_none is not None  # one of the three was given
    from_none = max(upper - mean_of_none, mean_of_none - lower)  # the only number comes or goes
    if relation == "add-remove" or (missing and from_none > width):
        return sensitivity_of(from_none, relation)
    return sensitivity_of(width, relation)


@explain_arguments
def minimum(
    bounds: OpenBounds,
    *,
    relation: str = "add-remove",
    empty: Number | None = None,
    missing: bool = True,
) -> Sensitivity | Unbounded:
    """Return the sensitivity of the least of numbers clamped to bounds.

    Parameters
    ----------
    bounds : (lower, upper)
        The ends that the numbers are clamped to. None or an infinity: there is no such bound.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        The relation of neighbours.
    empty : number, optional
        What the answer is for no numbers, fixed in advance. Default: any number within the bounds,
        such as one of them.
    missing : bool, default True
        Whether a record may have no number. It matters if a record may change, and `empty` lies
        outside the bounds. False is the caller's promise that no number is missing.

    Returns
    -------
    Sensitivity or Unbounded
        In the unit of the numbers: upper - lower under every relation. With `empty` outside the
        bounds it is the width of the bounds and `empty` together, but under "change-one" if no
        number is missing. Infinity if a bound is missing.

    Raises
    ------
    TypeError, ValueError
        For bad parameters.

    Examples
    --------
    >>> minimum((0, 100))
    Sensitivity(100, relation='add-remove')
    >>> minimum((10, 100), relation="change-one", empty=0)
    Sensitivity(100, relation='change-one')

    """
    lower, upper = _read_open_bounds(bounds)
    check_relation(relation)
    check_missing(missing)
    of_none = None if empty is None else read_binary(empty, "empty")
    if lower is None or upper is None:
        return _make_unbounded(lower, upper, relation)
    if of_none is not None and (missing or relation != "change-one"):
        lower, upper = min(lower, of_none), max(upper, of_none)
    return sensitivity_of(upper - lower, relation)


@explain_arguments
def maximum(
    bounds: OpenBounds,
    *,
    relation: str = "add-remove",
    empty: Number | None = None,
    missing: bool = True,
) -> Sensitivity | Unbounded:
    """Return the sensitivity of the largest of numbers clamped to bounds.

    Parameters
    ----------
    bounds : (lower, upper)
        The ends that the numbers are clamped to. None or an infinity: there is no such bound.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        The relation of neighbours.
    empty : number, optional
        What the answer is for no numbers, fixed in advance. Default: any number within the bounds,
        such as one of them.
    missing : bool, default True
        Whether a record may have no number. It matters if a record may change, and `empty` lies
        outside the bounds. False is the caller's promise that no number is missing.

    Returns
    -------
    Sensitivity or Unbounded
        In the unit of the numbers, the same as of `minimum`.

    Raises
    ------
    TypeError, ValueError
        For bad parameters.

    Examples
    --------
    >>> maximum((0, None))
    inf
    >>> maximum((0, 100), relation="add-remove-or-change")
    Sensitivity(100, relation='add-remove-or-change')

    """
    # Of -x the least is minus the largest, and widths stay.
    return minimum(bounds, relation=relation, empty=empty, missing=missing)
