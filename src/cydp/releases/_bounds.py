# SPDX-License-Identifier: MIT
"""Private bounds of numbers of which nothing is known. docs/releases/bounds.md."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Bounds, Column, Integer, Number
from cydp._call_errors import explain_arguments
from cydp._generator import Generator
from cydp._numbers.bounds import read_bounds
from cydp.mechanisms._charge_and_draw import Budget
from cydp.mechanisms._confidence import read_level
from cydp.releases._bounds_release import BoundsRelease
from cydp.releases._histogram import HistogramRows, draw_counts
from cydp.releases._parts import Aggregate
from cydp.releases._privacy import read_privacy
from cydp.releases._query import Query
from cydp.releases._release import recorded
from cydp.releases._run import run
from cydp.releases._unit import UnitName, UserKey, read_unit, user_key

__all__ = ["BoundsQuery", "bounds", "bounds_query"]

_LEAST_EXPONENT = -960  # of numbers that are told from 0; a sum has a grid for such bounds
_MOST_EXPONENT = sys.float_info.max_exp - 1


@recorded
@dataclass(frozen=True, repr=False)
class BoundsQuery(Query):
    """Counts of numbers by sign and power of two.

    Attributes
    ----------
    confidence : Fraction
        The least probability that no bin without records is found.
    fallback : tuple of Fraction
        The bounds if no bin is found.

    """

    function: ClassVar[str] = "bounds"

    confidence: Fraction
    fallback: tuple[Fraction, Fraction]

    def aggregates(self) -> list[Aggregate]:
        """Return the counts."""
        return [Aggregate("counts", self.unit.change_each_partition(1, 1, self.cells))]

    @property
    def further(self) -> dict[str, Any]:
        """How bins are found."""
        return {
            "bins": {
                "count": self.cells,
                "confidence": str(self.confidence),
                "threshold": self.threshold,
                "fallback": list(map(str, self.fallback)),
            }
        }

    @property
    def edges(self) -> NDArray[np.float64]:
        """The edges of the bins; those next to 0 enclose the numbers that count as 0."""
        return _powers_of_two()

    @property
    def cells(self) -> int:
        """How many bins there are."""
        return len(self.edges) - 1

    @property
    def threshold(self) -> int:
        """The noisy count that a bin must exceed to be found."""
        return self.parts["counts"].noise.error_bound(self.confidence, count=self.cells)


@lru_cache(1)
def _powers_of_two() -> NDArray[np.float64]:
    """Return the powers of two of both signs, and infinity, in order."""
    powers = np.ldexp(1.0, np.arange(_LEAST_EXPONENT, _MOST_EXPONENT + 1))
    positive = np.append(powers, np.inf)
    edges: NDArray[np.float64] = np.concatenate([-positive[::-1], positive])
    edges.flags.writeable = False
    return edges


def bounds_query(
    confidence: Number,
    fallback: Bounds | None,
    epsilon: Number | None,
    rho: Number | None,
    delta: Number | None,
    relation: str,
    user: UserKey,
    unit: UnitName | None,
    max_partitions: Integer | None,
    max_rows_per_partition: Integer | None,
    max_rows_per_unit: Integer | None,
) -> BoundsQuery:
    """Return the query of `bounds`, whose parameters these are."""
    protected = read_unit(
        relation,
        user,
        unit,
        max_partitions=max_partitions,
        max_rows_per_partition=max_rows_per_partition,
        max_rows_per_unit=max_rows_per_unit,
        by_partition=True,
    )
    privacy = read_privacy(epsilon, rho, delta, relation)
    ends = read_bounds((0, 0) if fallback is None else fallback, "fallback")
    return BoundsQuery(privacy, protected, read_level(confidence), ends)


@explain_arguments
def bounds(
    x: Column,
    *,
    column: Hashable = None,
    confidence: Number = 0.999999,
    fallback: Bounds | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_partitions: Integer | None = None,
    max_rows_per_partition: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> BoundsRelease:
    """Find bounds of numbers privately, for data of which no public bounds are known.

    Numbers are counted by sign and power of two. The bounds enclose the bins that are found: those
    whose noisy count is above a threshold.

    Parameters
    ----------
    x, column
        As in `histogram`.
    confidence : number between 0 and 1, default 0.999999
        The least probability that no bin without records is found. The threshold follows from it.
    fallback : (lower, upper), optional
        Public bounds for the case that no bin is found, such as for a table of few records.
        Default: (0, 0), with which all numbers count as 0.
    epsilon, rho, delta, relation, user, unit, max_partitions, max_rows_per_partition
        As in `histogram`. A partition is a bin.
    max_rows_per_unit, budget, rng
        As in `histogram`.

    Returns
    -------
    BoundsRelease
        A pair (lower, upper), which can be passed as ``bounds=`` or ``range=`` of another release,
        as its `value` can. `found` says whether a bin was found.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Then nothing is charged and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Then nothing is charged and no data is
        read.

    Notes
    -----
    Public bounds cost nothing and are better. A bin is [2**k, 2**(k + 1)) or its negative, so that
    the upper bound of positive numbers is up to twice the largest number. Numbers closer to 0 than
    2**-960 count as 0, and infinite ones as the largest float. Bins of few records are not found;
    their numbers will be clamped. docs/releases/bounds.md has the proof.

    References
    ----------
    .. [1] Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo, Gipson, "Differentially private SQL
       with bounded user contribution", 2020, section 5.1.1.

    Examples
    --------
    >>> import cydp
    >>> incomes = [0.0, 21_000, 35_500.5, 90_000] * 100
    >>> release = bounds(incomes, epsilon=1)
    >>> release.value, release.found
    ((0.0, 131072.0), True)
    >>> cydp.sum(incomes, release, epsilon=1).query.grid.bounds[1] == 131072
    True

    """
    query = bounds_query(
        confidence, fallback, epsilon, rho, delta, relation, user_key(user), unit, max_partitions,
        max_rows_per_partition, max_rows_per_unit,
    )  # fmt: skip
    rows = HistogramRows(x, query.edges, None, column, None, None, user)
    draw = partial(draw_counts, query, rows)
    counts, payment = run(query, draw, budget, rng, columns=[column, user], nbytes=8 * query.cells)
    return BoundsRelease(query=query, counts=counts, payment=payment)
