# SPDX-License-Identifier: MIT
"""Chooses a quantile by the exponential mechanism, for one column or for many groups."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import require_names
from cydp._core import choose_quantiles, choose_quantiles_between
from cydp._generator import Generator
from cydp._numbers.rational import as_exact, literal_of, read_positive, read_quantile
from cydp._samplers import prepare_quantile
from cydp._sensitivity import relation_of
from cydp._threads import threads_for
from cydp.accounting._dominating_pairs import BoundedRangePair, Pairs
from cydp.accounting._loss import PureDP
from cydp.accounting._loss_numbers import make_loss
from cydp.exact._counted_units import CountedUnits
from cydp.exact._sorted_units import SortedUnits
from cydp.mechanisms._noisy_max import ExponentialMechanism
from cydp.mechanisms._parameters import format_sensitivity, read_norm, set_fields

__all__ = ["SPREAD_BITS", "QuantileMechanism"]

SPREAD_BITS = 31
"""Of a place: each unit has 2**31, and no more than 2**32 numbers are ranked."""


@dataclass(frozen=True, slots=True, init=False, repr=False, match_args=False)
class QuantileMechanism:
    """The exponential mechanism for a quantile, exact.

    It chooses a grid point y with P(y) proportional to exp(-d(y) / scale), where d(y) =
    max(#{x < y} - q * n, q * n - #{x <= y}, 0) is how far q * n is from the ranks of y among n
    numbers x. A group without numbers gets a uniform grid point.

    Parameters
    ----------
    epsilon : number > 0
        Privacy cost in pure DP of one `choose`, which is one for all groups, in nats.
    sensitivity : number > 0
        The largest change that one unit can make in any score, -d(y), added up over the groups. For
        a unit of at most c rows in one group it is c * max(q, 1 - q) under "add-remove", and c if
        its rows may change; for a unit in at most L groups, with c rows in each, it is L * c *
        max(q, 1 - q), and twice that if rows may change. It is read as in `ExponentialMechanism`.
    q : number from 0 to 1
        Its denominator must be below 2**64.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    Attributes
    ----------
    relation : str or None
        The relation that the sensitivity, and with it the loss, is stated under.

    Notes
    -----
    A number x may be chosen, most of all one that many rows share: it is a point like any other,
    and rows act through d alone.

    Examples
    --------
    >>> QuantileMechanism(epsilon=1, sensitivity="1/2", q="1/2").scale
    Fraction(1, 1)

    """

    epsilon: Fraction
    sensitivity: Fraction
    q: Fraction
    relation: str | None

    @require_names
    def __init__(self, *, epsilon: Number, sensitivity: Number, q: Number) -> None:
        set_fields(
            self,
            epsilon=read_positive(epsilon, "epsilon"),
            sensitivity=read_norm(sensitivity),
            q=read_quantile(q),
            relation=relation_of(sensitivity),
        )

    @property
    def loss(self) -> PureDP:
        """Privacy cost of one `choose`, for all groups together."""
        return make_loss(PureDP, self.epsilon, self.epsilon**2 / 8, relation=self.relation)

    @property
    def _pairs(self) -> Pairs:
        return {BoundedRangePair(self.epsilon): 1}

    @property
    def scale(self) -> Fraction:
        """Scale of the noise, in ranks: 2 sensitivity / epsilon."""
        return as_exact(2 * self.sensitivity / self.epsilon)

    def error_bound(self, confidence: Number = 0.95, *, candidates: Integer) -> float:
        """Return the largest distance of the choice from the quantile, in ranks: its d(y).

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that it is.
        candidates : int >= 1
            The number of grid points.

        Raises
        ------
        TypeError, ValueError
            If confidence or candidates is outside its range.

        Examples
        --------
        >>> m = QuantileMechanism(epsilon=1, sensitivity="1/2", q="1/2")
        >>> round(m.error_bound(0.95, candidates=2**30), 1)
        23.8

        """
        same = ExponentialMechanism(epsilon=self.epsilon, sensitivity=self.sensitivity)
        return same.error_bound(confidence, candidates=candidates)

    def choose(self, records: SortedUnits | CountedUnits, rng: Generator) -> NDArray[np.int64]:
        """Choose a grid point for each group.

        Parameters
        ----------
        records : SortedUnits or CountedUnits
            By counts each grid point has a score: the same distribution, by other draws.
        rng : Generator
            It is asked for one key, whatever the records are. `fixed_work` has no effect: the work
            does not depend on the noise, except with a probability below 2**-62 for each group.

        Returns
        -------
        ndarray of int64, shape (n_groups,)
            In units of the records' grid.

        """
        if isinstance(records, CountedUnits):
            return self._choose_of_all(records, rng)
        grid, prepared = records.grid, prepare_quantile(self.q, 1 / self.scale)
        chosen = np.empty(len(records.offsets) - 1, np.int64)
        units, threads = records.units, threads_for(records.units.size + chosen.size)
        ends = grid.lowest, grid.highest
        choose_quantiles(prepared, rng._stream, units, records.offsets, *ends, chosen, threads)
        return chosen

    def _choose_of_all(self, records: CountedUnits, rng: Generator) -> NDArray[np.int64]:
        """Choose by the score of each grid point, times the denominator of q."""
        sensitivity = as_exact(self.sensitivity * self.q.denominator)
        same = ExponentialMechanism(epsilon=self.epsilon, sensitivity=sensitivity)
        places = same.release(-records.distances(self.q), rng=rng)
        return np.asarray(places) + records.grid.lowest

    def choose_between(
        self,
        records: SortedUnits,
        ranges: tuple[NDArray[np.int64], NDArray[np.int64]],
        ends: tuple[NDArray[np.int64], NDArray[np.int64]],
        rng: Generator,
        chosen: NDArray[np.int64],
        cuts: NDArray[np.int64],
    ) -> None:
        """Choose a place for a range of each group: units that are equal have places of their own.

        Places are counted from the grid's lowest unit.

        Parameters
        ----------
        records : SortedUnits
        ranges : pair of ndarrays of int64, shape (n_groups,)
            Where each range begins among the units, and behind which it ends.
        ends : pair of ndarrays of int64, shape (n_groups,)
            The lowest and the highest place of each; those of its units lie between.
        rng : Generator
            It is asked for one key, as in `choose`.
        chosen : ndarray of int64, shape (n_groups,)
            Where the places are written.
        cuts : ndarray of int64, shape (n_groups,)
            Where it is written behind which units of each range the chosen place lies.

        """
        prepared = prepare_quantile(self.q, 1 / self.scale)
        tied = records.units, records.offsets, records.grid.lowest, SPREAD_BITS
        threads = threads_for(records.units.size)
        choose_quantiles_between(
            prepared, rng._stream, *tied, *ranges, *ends, chosen, cuts, threads
        )

    def __repr__(self) -> str:
        norm = format_sensitivity(self.sensitivity, self.relation)
        return (
            f"QuantileMechanism(epsilon={literal_of(self.epsilon)}, sensitivity={norm}, "
            f"q={literal_of(self.q)})"
        )
