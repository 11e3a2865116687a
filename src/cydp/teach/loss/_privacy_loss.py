# SPDX-License-Identifier: MIT
"""The privacy loss of a mechanism, a loss or a plan, as a random variable."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import float_of, read_exact, read_integer
from cydp._numbers.rounding import words_above
from cydp.accounting import Cost, Plan
from cydp.teach.loss import _plots
from cydp.teach.loss._compose import compose
from cydp.teach.loss._continuous import LaplaceNoise, NormalNoise
from cydp.teach.loss._distribution_pair import DistributionPair, Floats, TablePair
from cydp.teach.loss._named_pairs import NamedPairs, add_up, bracketed, find_parts
from cydp.teach.meaning._curves import read_delta

__all__ = ["PrivacyLoss", "privacy_loss"]

_MOST_TIMES = 10**6
_MOST_DRAWN = 300  # epsilon: e**epsilon has an axis


class PrivacyLoss:
    """The privacy loss L(o) = ln(P(o) / Q(o)) of outputs o that are drawn from P.

    P has the outputs on a table D, and Q those on a neighbour D'. `privacy_loss` makes one.

    Attributes
    ----------
    name : str
        What the loss is of.
    neighbours : pair or None
        f(D) and f(D'), or another difference between the two tables; None where the pair of
        distributions stands for all neighbours.
    stated : PureDP, ApproxDP, ZCDP or None
        The cost that one release states; None for several releases.

    Notes
    -----
    Differential privacy bounds both directions: see `reverse`.

    References
    ----------
    .. [1] Dwork, Rothblum, "Concentrated differential privacy", 2016 (the loss as a variable).
    .. [2] Balle, Barthe, Gaboardi, "Privacy amplification by subsampling", 2018 (the hockey-stick
       divergence).

    Examples
    --------
    >>> from cydp import DiscreteGaussian
    >>> loss = privacy_loss(DiscreteGaussian(rho="1/2", sensitivity=1))
    >>> round(loss.delta(1), 6), round(loss.sf(1), 4)  # delta is not P(L > epsilon)
    (0.141351, 0.3005)

    """

    __slots__ = ("_named", "_pair", "name", "neighbours", "stated")

    def __init__(self, found: NamedPairs) -> None:
        self.name, self.neighbours, self.stated = found.title, found.neighbours, found.stated
        self._named = found
        self._pair: DistributionPair = compose(found.parts)

    @property
    def is_continuous(self) -> bool:
        """Whether `p` and `q` are densities, and `outputs` points of a picture."""
        return self._pair.is_continuous

    @property
    def outputs(self) -> Any:
        """The outputs, shape (n,): integers, codes or words; of several releases, their losses.

        Outputs of several releases that have one loss are merged: only their loss tells the tables
        apart. `beyond` has the probability of outputs that are not listed.
        """
        return self._pair.outputs

    @property
    def p(self) -> Floats:
        """Probability of each output under P, or its density, shape (n,)."""
        return self._pair.p

    @property
    def q(self) -> Floats:
        """Probability of each output under Q, or its density, shape (n,)."""
        return self._pair.q

    @property
    def losses(self) -> Floats:
        """Loss of each output in nats, shape (n,): infinite for outputs that Q never gives."""
        return self._pair.losses

    @property
    def beyond(self) -> float:
        """Probability under P of outputs that are not listed.

        For Laplace noise they have the largest and the least loss, and every number counts them.
        For Gaussian noise they are below 1e-290 together, and count as 0. For many releases they
        and all rounding of Fourier transforms are below `beyond`, and `delta` counts what it needs.

        >>> from cydp import DiscreteLaplace
        >>> privacy_loss(DiscreteLaplace(epsilon=1, sensitivity=1)).beyond < 1e-17
        True
        """
        if isinstance(self._pair, TablePair):
            return float(sum(p for p, _, _ in self._pair.rest)) + self._pair.slack
        return 0.0

    @property
    def rounding(self) -> float:
        """By how much the loss may be too high, in nats: 0 unless it was put on a grid.

        `delta(epsilon)` is at least the exact delta, and at most the one at epsilon - rounding.
        """
        return self._pair.rounding

    @property
    def mean(self) -> float:
        """Mean of the loss in nats: the Kullback-Leibler divergence of P from Q.

        >>> from cydp import DiscreteGaussian
        >>> round(privacy_loss(DiscreteGaussian(rho="1/2", sensitivity=1)).mean, 9)
        0.5
        """
        return self._pair.mean

    @property
    def variance(self) -> float:
        """Variance of the loss, in squares of nats; infinite where the loss can be.

        >>> from cydp import Gaussian
        >>> round(privacy_loss(Gaussian(rho="1/2", sensitivity=1)).variance, 9)
        1.0
        """
        return self._pair.variance

    @property
    def supremum(self) -> float:
        """The least number that the loss does not exceed, in nats: the epsilon of pure DP."""
        return self._pair.supremum

    @property
    def distinguishing(self) -> float:
        """Probability under P of the distinguishing event: outputs that Q never gives.

        >>> from cydp import ApproxDP
        >>> privacy_loss(ApproxDP(1, "0.01")).distinguishing
        0.01
        """
        return self._pair.p_only

    def loss_of(self, output: Any) -> float:
        """Return the loss of one output, in nats.

        Parameters
        ----------
        output : number or str
            One of `outputs`; for continuous noise any number.

        Returns
        -------
        float

        Raises
        ------
        TypeError, ValueError
            If output is no number or text, or is not listed.

        Examples
        --------
        >>> from cydp import DiscreteLaplace
        >>> loss = privacy_loss(DiscreteLaplace(epsilon=1, sensitivity=1))
        >>> loss.loss_of(-3), loss.loss_of(4)
        (1.0, -1.0)

        """
        if isinstance(self._pair, NormalNoise | LaplaceNoise):
            return float(self._pair.loss_at(float_of(read_exact(output, "output"))))
        if not isinstance(output, str):
            output = read_exact(output, "output")
        found = np.flatnonzero(np.asarray(self.outputs, object) == output)
        if not len(found):
            raise ValueError("output must be one of outputs, which are listed")
        return float(self.losses[found[0]])

    @overload
    def delta(self, epsilon: Number) -> float: ...
    @overload
    def delta(self, epsilon: NDArray[Any] | list[Any]) -> NDArray[np.float64]: ...
    def delta(self, epsilon: Number | ArrayLike) -> float | NDArray[np.float64]:
        """Return the hockey-stick divergence: the sum of max(p - e**epsilon q, 0) over outputs.

        It is the least delta for which P(A) <= e**epsilon Q(A) + delta for all events A.

        Parameters
        ----------
        epsilon : number >= 0, or array of them
            In nats.

        Returns
        -------
        float, or ndarray of float64 of the same shape

        Raises
        ------
        TypeError, ValueError
            For another epsilon.

        Notes
        -----
        It is one direction, of P from Q; ``reverse().delta(epsilon)`` is the other, which is the
        same for noise that is symmetric.

        Examples
        --------
        >>> from cydp import DiscreteLaplace, Gaussian
        >>> round(privacy_loss(Gaussian(rho="1/2", sensitivity=1)).delta(1), 4)
        0.1269
        >>> privacy_loss(DiscreteLaplace(epsilon=1, sensitivity=1)).delta([0, "1/2", 1]).round(4)
        array([0.4621, 0.2876, 0.    ])

        """
        at = _read_points(epsilon, "epsilon")
        if (at < 0).any():
            raise ValueError(f"epsilon must be at least 0, not {at.min():.6g}")
        deltas: float | NDArray[np.float64] = _map(self._pair.delta, at)
        return deltas

    def epsilon(self, delta: Number) -> float:
        """Return the least epsilon with `delta(epsilon)` of at most delta, in nats.

        Parameters
        ----------
        delta : number in [0, 1)

        Returns
        -------
        float
            Infinite if the distinguishing event is more likely, or the loss is unbounded and delta
            is 0. It is above the exact epsilon, by a share of 1e-13 at most, of many releases 1e-5.

        Raises
        ------
        TypeError, ValueError
            For another delta, and for one so small that floats do not follow.

        Examples
        --------
        >>> from cydp import Gaussian
        >>> round(privacy_loss(Gaussian(rho="1/2", sensitivity=1)).epsilon(1e-6), 4)
        4.8866

        """
        at = float_of(read_delta(delta))
        pair = self._pair
        if at == 0:
            return max(pair.supremum, 0.0)
        if at < pair.least_delta:
            raise ValueError(f"delta must be 0 or at least {pair.least_delta:.2g} for this loss")
        return math.inf if pair.p_only > at else pair.epsilon_at(at)

    @overload
    def sf(self, loss: Number) -> float: ...
    @overload
    def sf(self, loss: NDArray[Any] | list[Any]) -> NDArray[np.float64]: ...
    def sf(self, loss: Number | ArrayLike) -> float | NDArray[np.float64]:
        """Return P(L > loss). It is NOT delta, but at least as large.

        Parameters
        ----------
        loss : number, or array of numbers
            In nats.

        Returns
        -------
        float, or ndarray of float64 of the same shape

        Raises
        ------
        TypeError, ValueError
            If loss is not numbers.

        Examples
        --------
        >>> from cydp import PureDP
        >>> round(privacy_loss(PureDP(1)).sf(0), 4)
        0.7311

        """
        above: float | NDArray[np.float64] = _map(self._pair.sf, _read_points(loss, "loss"))
        return above

    @overload
    def cdf(self, loss: Number) -> float: ...
    @overload
    def cdf(self, loss: NDArray[Any] | list[Any]) -> NDArray[np.float64]: ...
    def cdf(self, loss: Number | ArrayLike) -> float | NDArray[np.float64]:
        """Return P(L <= loss); parameters as in `sf`.

        >>> from cydp import PureDP
        >>> round(privacy_loss(PureDP(1)).cdf(0), 4)
        0.2689
        """
        below: float | NDArray[np.float64] = 1 - _map(self._pair.sf, _read_points(loss, "loss"))
        return below

    def reverse(self) -> PrivacyLoss:
        """Return the loss with P and Q exchanged: ln(Q(o) / P(o)), o drawn from Q.

        A guarantee for all neighbours needs the larger delta of both.

        Examples
        --------
        >>> from cydp.mechanisms import PartitionSelection
        >>> select = PartitionSelection(epsilon=1, delta="0.01", max_partitions=1)
        >>> loss = privacy_loss(select, neighbours=(1, 0))
        >>> round(loss.delta(1), 4), loss.reverse().delta(1)
        (0.01, 0.0)

        """
        return PrivacyLoss(self._named.reverse())

    def __add__(self, other: PrivacyLoss) -> PrivacyLoss:
        """Return the loss of two releases with independent randomness: losses are added.

        Both must be stated under one relation of neighbours, if they state one.
        """
        if not isinstance(other, PrivacyLoss):
            return NotImplemented
        both = [(self._named, 1), (other._named, 1)]
        return PrivacyLoss(add_up(both, f"{self.name} + {other.name}"))

    def __mul__(self, count: Integer) -> PrivacyLoss:
        """Return the loss of `count` such releases, from 0 to 10**6."""
        times = read_integer(count, "count")
        if not 0 <= times <= _MOST_TIMES:
            raise ValueError(f"count must be from 0 to 10**6, not {times}")
        return PrivacyLoss(add_up([(self._named, times)], f"{times:,} x {bracketed(self.name)}"))

    __rmul__ = __mul__

    def __repr__(self) -> str:
        mean, top = f"mean {self.mean:.4g} nats", self.supremum
        if math.isfinite(self.variance):
            mean += f", standard deviation {math.sqrt(self.variance):.4g}"
        most = f"at most {words_above(top)}" if math.isfinite(top) else "no upper bound"
        at = 1
        other = self.reverse().delta(at)
        both = f"delta({at}) = {self.delta(at):.4g}, with P and Q exchanged {other:.4g}"
        grid = f"\n  on a grid: each loss at most {words_above(self.rounding)} too high"
        return (
            f"privacy loss of {self.name}\n  {self._named.words}\n"
            f"  {mean}, {most}; distinguishing event: probability {self.distinguishing:.4g}\n"
            f"  P(L > {at}) = {self.sf(at):.4g}; {both}{grid if self.rounding else ''}"
        )

    def plot(self, epsilon: Number | None = None, *, ax: Any = None) -> Any:
        """Draw the loss over all outputs, which lie side by side by their probability under P.

        Outputs with the largest loss are on the left. Where the curve is above the line at
        e**epsilon, the epsilon is exceeded: the width of the hatched part is P(L > epsilon), which
        is more than delta. `plot_area` draws delta.

        Parameters
        ----------
        epsilon : number >= 0, optional
            In nats. Default: the epsilon of the stated loss, or else 1.
        ax : matplotlib Axes, optional
            Default: axes of a new figure.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ImportError
            Without matplotlib (extra ``plot``).

        """
        return _plots.plot_loss(self, self._read_epsilon(epsilon), ax)

    def plot_area(self, epsilon: Number | None = None, *, ax: Any = None) -> Any:
        """Draw delta as an area: 1 - e**(epsilon - L) over the probability under P.

        Parameters, result and errors are as in `plot`.
        """
        return _plots.plot_area(self, self._read_epsilon(epsilon), ax)

    def plot_delta(self, epsilon: Number | None = None, *, ax: Any = None) -> Any:
        """Draw p and e**epsilon q over outputs: the area where p is above the other is delta.

        Parameters, result and errors are as in `plot`.
        """
        return _plots.plot_delta(self, self._read_epsilon(epsilon), ax)

    def plot_curve(self, *others: PrivacyLoss, ax: Any = None) -> Any:
        """Draw delta over epsilon, of this loss and of others.

        Parameters
        ----------
        *others : PrivacyLoss
            At most five.
        ax : matplotlib Axes, optional
            Default: axes of a new figure.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        TypeError, ValueError
            For others that are no PrivacyLoss, or too many.
        ImportError
            Without matplotlib (extra ``plot``).

        """
        return _plots.plot_curve((self, *others), ax)

    def _read_epsilon(self, epsilon: Number | None) -> float:
        if epsilon is None:
            epsilon = getattr(self.stated, "epsilon", 1)
        at = read_exact(epsilon, "epsilon")
        if not 0 <= at <= _MOST_DRAWN:
            raise ValueError(
                f"epsilon must be from 0 to {_MOST_DRAWN} for a picture, not {float_of(at):.6g}"
            )
        return float_of(at)


@explain_arguments
def privacy_loss(
    cost: Cost | Plan | list[Any] | tuple[Any, ...],
    *,
    neighbours: tuple[Any, Any] | None = None,
    scores: ArrayLike | None = None,
    other: ArrayLike | None = None,
) -> PrivacyLoss:
    """Return the privacy loss of a mechanism, a loss or a plan, as a random variable.

    Parameters
    ----------
    cost : mechanism, PureDP, ApproxDP, ZCDP, Plan, or a list of these
        Several are released with independent randomness, and their losses are added. A release
        counts by its loss.
    neighbours : (f(D), f(D')), optional
        For noise: two numbers, or two lists, that differ by at most the sensitivity. Default: 0 and
        the sensitivity, for one number. For `RandomizedResponse`: two codes, by default 0 and 1.
        For `PartitionSelection`: the numbers of users of each partition that one user is in, such
        as (1, 0). Default: what its epsilon and delta allow.
    scores, other : lists of numbers, shape (m,), optional
        For `ExponentialMechanism` and `PermuteAndFlip`: the scores of the candidates on D and D'.
        Default: what epsilon alone allows.

    Returns
    -------
    PrivacyLoss

    Raises
    ------
    TypeError, ValueError
        If cost is none of these, or has no law that is known (`Snapping`); if neighbours are
        farther apart than the sensitivity.
    RelationMismatchError
        If several are stated under different relations.

    Notes
    -----
    It reads no data and costs nothing. `Laplace` and `Gaussian` add noise on a fine grid, and are
    shown as the continuous noise that textbooks have.

    References
    ----------
    .. [1] Kairouz, Oh, Viswanath, "The composition theorem for differential privacy", 2015 (the
       pairs of losses).
    .. [2] Zhu, Dong, Wang, "Optimal accounting of differential privacy via characteristic
       function", 2022 (dominating pairs).

    Examples
    --------
    >>> from cydp import DiscreteLaplace, Plan
    >>> noise = DiscreteLaplace(epsilon="1/2", sensitivity=1)
    >>> privacy_loss(noise).supremum, privacy_loss(Plan([(noise, 3)])).supremum
    (0.5, 1.5)

    """
    if isinstance(cost, PrivacyLoss):
        raise TypeError("cost must be a mechanism, a loss or a plan: add privacy losses by +")
    return PrivacyLoss(find_parts(cost, neighbours, scores, other))


def _read_points(given: Any, name: str) -> Floats:
    """Return numbers as floats; each is read exactly, so that "1/2" and 0.1 mean what they say."""
    if isinstance(given, np.ndarray) and given.dtype.kind in "fiu":
        points = given.astype(np.float64)
    elif isinstance(given, list | tuple | np.ndarray):
        points = np.array(
            [float_of(read_exact(each, name)) for each in np.asarray(given, object).flat]
        ).reshape(np.shape(given))
    else:
        points = np.array(float_of(read_exact(given, name)))
    if not np.isfinite(points).all():
        wrong = points[~np.isfinite(points)][0]
        raise ValueError(f"{name} must be finite, not {wrong:.6g}")
    return points


def _map(function: Callable[[float], float], at: Floats) -> Any:
    if at.ndim == 0:
        return function(at.item())
    return np.array([function(each) for each in at.ravel().tolist()], float).reshape(at.shape)
