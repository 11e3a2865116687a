# SPDX-License-Identifier: MIT
"""Which partitions of an unknown domain may be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import require_names
from cydp._columns.declared import Declared
from cydp._columns.pandas import labels_of, restore_labels
from cydp._generator import Generator
from cydp._numbers.rational import (
    format_number,
    literal_of,
    read_exact,
    read_integer,
    read_positive,
)
from cydp._relations import check_relation
from cydp.accounting._loss import ApproxDP
from cydp.mechanisms._charge import Budget, paid
from cydp.mechanisms._integer_mechanism import declare_integers, read_int64
from cydp.mechanisms._keep_probability import MOST_COUNTS, KeepTable, draw, keep_table

__all__ = ["PartitionSelection"]

_BOOL = np.dtype(np.bool_)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class PartitionSelection:
    """Keeps each partition with the largest probability that privacy allows. Exact.

    The counts are numbers of distinct **users**, never of rows: a user with many rows in a
    partition counts once there, and must be in at most `max_partitions` of them; bound that
    first (`cydp.exact.bound_contributions`). A partition without users is never kept.

    Parameters
    ----------
    epsilon : number > 0
    delta : number between 0 and 1
        Privacy cost of a `release` of all partitions, in approximate DP.
    max_partitions : int >= 1
        In how many partitions one user is at most.
    relation : {"add-remove", "change-one"}
        Under change-one a user leaves as many partitions, and another enters as many.

    Raises
    ------
    TypeError, ValueError
        If any is no such number, or so small that a partition of 10**6 users would not be sure
        to be kept.

    Notes
    -----
    Desfontaines, Voss, Gipson, Mandayam, "Differentially private partition selection", 2022.
    Proof: docs/mechanisms/partition_selection.md.

    Examples
    --------
    >>> select = PartitionSelection(epsilon=1, delta=1e-5, max_partitions=1)
    >>> select.probability([1, 10, 25]).round(5)
    array([1.0000e-05, 1.2818e-01, 1.0000e+00])

    """

    epsilon: Fraction
    delta: Fraction
    max_partitions: int
    relation: str

    @require_names
    def __init__(
        self,
        *,
        epsilon: Number,
        delta: Number,
        max_partitions: Integer,
        relation: str = "add-remove",
    ) -> None:
        value, rest = read_positive(epsilon, "epsilon"), read_exact(delta, "delta")
        if not 0 < rest < 1:
            raise ValueError(f"delta must be between 0 and 1, not {format_number(rest)}")
        most = read_integer(max_partitions, "max_partitions")
        if not 1 <= most < 2**63:
            shown = format_number(Fraction(most))
            raise ValueError(f"max_partitions must be from 1 to 2**63 - 1, not {shown}")
        object.__setattr__(self, "epsilon", value)
        object.__setattr__(self, "delta", rest)
        object.__setattr__(self, "max_partitions", most)
        object.__setattr__(self, "relation", check_relation(relation))
        self._table()  # refuses what would be too long

    @property
    def loss(self) -> ApproxDP:
        """Privacy cost of one release of all partitions, under `relation`."""
        return ApproxDP(self.epsilon, self.delta, relation=self.relation)

    def _table(self) -> KeepTable:
        twice = 2 if self.relation == "change-one" else 1
        return keep_table(self.epsilon, self.delta, twice * self.max_partitions)

    @overload
    def probability(self, n: int | np.integer) -> float: ...
    @overload
    def probability(self, n: NDArray[np.integer] | Sequence[Any]) -> NDArray[np.float64]: ...
    def probability(self, n: int | ArrayLike) -> float | NDArray[np.float64]:
        """Return the probability that a partition of n distinct users is kept.

        >>> PartitionSelection(epsilon=1, delta=0.01, max_partitions=1).probability(1)
        0.01
        """
        counts = read_int64(declare_integers(n, "n"), "n")
        table = self._table()
        chances = table.chances[table.places(np.minimum(counts, MOST_COUNTS))]
        return float(chances) if isinstance(n, (int, np.integer)) else chances

    @overload
    def release(
        self,
        counts: int | np.integer,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> bool: ...
    @overload
    def release(
        self,
        counts: NDArray[np.integer] | Sequence[Any],
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> NDArray[np.bool_]: ...
    def release(
        self,
        counts: int | ArrayLike,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> bool | NDArray[np.bool_]:
        """Return which partitions may be seen; `loss` covers the whole call.

        Parameters
        ----------
        counts : int, or array of any integer dtype and shape
            Distinct users, not rows, of each partition; below 0 is 0.
        budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
            Charged before counts are read; its relation must be this one's.
        rng : Generator, optional
            Default: this thread's own.

        Returns
        -------
        bool, or ndarray of bool of the same shape

        Raises
        ------
        TypeError
            If counts are not of integers, budget no budget, or rng not a Generator.
        PrivacyError
            If the budget refuses, or is kept under another relation.

        Notes
        -----
        Noisy counts of what is kept cost their own loss on top.

        Examples
        --------
        >>> PartitionSelection(epsilon=1, delta=1e-5, max_partitions=1).release([0, 1000])
        array([False,  True])

        """
        given = declare_integers(counts, "counts")

        draws, labels = partial(self._kept, given), labels_of(counts)
        kept = paid(self, draws, given.shape, _BOOL, budget, rng, arguments=labels)
        return (
            bool(kept.item())
            if isinstance(counts, (int, np.integer))
            else restore_labels(counts, kept)
        )

    def _kept(self, given: Declared, generator: Generator) -> NDArray[np.bool_]:
        values = np.minimum(read_int64(given, "counts"), MOST_COUNTS)
        return draw(self._table(), values, generator.bytes)

    def __repr__(self) -> str:
        return (
            f"PartitionSelection(epsilon={literal_of(self.epsilon)}, "
            f"delta={literal_of(self.delta)}, max_partitions={self.max_partitions}, "
            f"relation={self.relation!r})"
        )
