# SPDX-License-Identifier: MIT
"""Chooses the partitions of an unknown domain that may be released."""

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
from cydp.exact._data_bins import refuse_data_bins
from cydp.mechanisms._fields import set_fields
from cydp.mechanisms._integer_mechanism import declare_integers, read_int64
from cydp.mechanisms._keep_probability import MOST_COUNT, KeepTable, compute_table, draw_kept
from cydp.mechanisms._run import Budget, draw_array

__all__ = ["PartitionSelection"]

_BOOL = np.dtype(np.bool_)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class PartitionSelection:
    """Keeps each partition with the largest probability that privacy allows. Exact.

    It is for keys that are not known in advance, which would reveal who has them. The counts are
    numbers of distinct **users**, never of rows: a user with many rows in a partition counts once
    there. A user must be in at most `max_partitions` partitions, which
    `cydp.exact.bound_contributions` ensures. A partition without users is never kept.

    Parameters
    ----------
    epsilon, delta : number > 0, number between 0 and 1
        Privacy cost of one `release` of all partitions in approximate DP, epsilon in nats.
    max_partitions : int >= 1
        The largest number of partitions of one user.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        Unless it is "add-remove", one user may leave up to `max_partitions` partitions, and
        another user may enter up to `max_partitions`.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed, or if epsilon and delta are so small that a partition of
        10**6 users would not be kept with certainty.

    Notes
    -----
    docs/mechanisms/partition_selection.md has the proof.

    References
    ----------
    .. [1] Desfontaines, Voss, Gipson, Mandayam, "Differentially private partition selection", 2022.

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
        rate, failure = read_positive(epsilon, "epsilon"), read_exact(delta, "delta")
        if not 0 < failure < 1:
            raise ValueError(f"delta must be between 0 and 1, not {format_number(failure)}")
        most = read_integer(max_partitions, "max_partitions")
        if not 1 <= most < 2**63:
            given = format_number(Fraction(most))
            raise ValueError(f"max_partitions must be from 1 to 2**63 - 1, not {given}")
        set_fields(
            self,
            epsilon=rate,
            delta=failure,
            max_partitions=most,
            relation=check_relation(relation),
        )
        self._table()  # raises an error if it would be too long

    @property
    def loss(self) -> ApproxDP:
        """Privacy cost of one release of all partitions, under `relation`."""
        return ApproxDP(self.epsilon, self.delta, relation=self.relation)

    def _table(self) -> KeepTable:
        users = 1 if self.relation == "add-remove" else 2
        return compute_table(self.epsilon, self.delta, users * self.max_partitions)

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
        probabilities = table.floats[table.index(np.minimum(counts, MOST_COUNT))]
        return float(probabilities) if isinstance(n, (int, np.integer)) else probabilities

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
        """Return which partitions may be released; the loss covers the whole call.

        Parameters
        ----------
        counts : int, or array of any integer dtype and shape
            The number of distinct users, not of rows, in each partition. Negative counts mean 0.
        budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
            It is charged before counts are read. Its relation must be this one, or implied by it.
        rng : Generator, optional
            The source of randomness. Default: the calling thread's own generator.

        Returns
        -------
        bool, or ndarray of bool of the same shape
            True for the partitions that are kept.

        Raises
        ------
        TypeError, ValueError
            If counts does not hold integers, or is of bins that came from the data; if budget or
            rng is not allowed.
        PrivacyError
            If the budget refuses, or is kept under another relation. Then nothing is charged and
            the counts are not read.

        Notes
        -----
        Noisy counts of the kept partitions are a further release, with a loss of its own.

        Examples
        --------
        >>> PartitionSelection(epsilon=1, delta=1e-5, max_partitions=1).release([0, 1000])
        array([False,  True])

        """
        refuse_data_bins(counts, "counts")
        given = declare_integers(counts, "counts")
        draws, labels = partial(self._draw, given), labels_of(counts)
        kept = draw_array(self, draws, (given.shape, _BOOL), budget, rng, arguments=labels)
        is_number = isinstance(counts, (int, np.integer))
        return bool(kept.item()) if is_number else restore_labels(counts, kept)

    def _draw(self, given: Declared, generator: Generator) -> NDArray[np.bool_]:
        values = np.minimum(read_int64(given, "counts"), MOST_COUNT)
        return draw_kept(self._table(), values, generator.bytes)

    def __repr__(self) -> str:
        return (
            f"PartitionSelection(epsilon={literal_of(self.epsilon)}, "
            f"delta={literal_of(self.delta)}, max_partitions={self.max_partitions}, "
            f"relation={self.relation!r})"
        )
