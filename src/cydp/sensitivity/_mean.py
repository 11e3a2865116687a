# SPDX-License-Identifier: MIT
"""The sensitivity of a mean of clamped numbers."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from cydp._arguments import Integer, Number, OpenBounds
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import read_binary
from cydp._relations import check_relation
from cydp._sensitivity import (
    Sensitivity,
    Unbounded,
    check_missing,
    largest_sensitivity,
    sensitivity_of,
)
from cydp.sensitivity._open_bounds import make_unbounded, read_open_bounds
from cydp.sensitivity._rows import read_rows
from cydp.sensitivity._sum import sum

__all__ = ["mean"]


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
    docs/sensitivity.md has the proofs. (upper - lower) / n, with the n of the data at hand, is no
    global sensitivity if n is private.

    Examples
    --------
    >>> mean((0, 100), 50, relation="change-one")
    Sensitivity(2, relation='change-one')
    >>> mean((0, 7), empty=3.5), mean((0, 7), empty=0), mean((0, 7), n_at_least=13)
    ... # doctest: +NORMALIZE_WHITESPACE
    (Sensitivity(3.5, relation='add-remove'), Sensitivity(7, relation='add-remove'),
     Sensitivity(0.5, relation='add-remove'))

    """
    lower, upper = read_open_bounds(bounds)
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
        return make_unbounded(lower, upper, relation)
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
