# SPDX-License-Identifier: MIT
"""The privacy loss of a dominating pair, tilted: its moments, and its masses on a grid.

docs/accounting/plans.md, "Privacy loss distributions", has the proofs.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from cydp._numbers.rational import float_of
from cydp.accounting._dominating_pairs import (
    BoundedRangePair,
    GaussianPair,
    LaplacePair,
    NormalPair,
    Pair,
    ResponsePair,
    SampledPair,
)
from cydp.accounting._loss_grid import ROUNDING, Floats, Layers
from cydp.accounting._loss_points import (
    Moments,
    Points,
    Setting,
    least_exponent,
    multiples,
    nodes_between,
)

__all__ = ["PairLoss"]

_WIDE = 13.0  # standard deviations of normal noise, beyond which there is less than 1e-37
_FARTHEST = 38.0  # standard deviations, beyond which there is less than 1e-300
_SMALL = 4  # a sigma from which on normal noise tells the moments of discrete noise
_COARSE = 1 / 16  # standard deviations between points that tell moments
_MOST_MOVED = 200.0  # standard deviations by which a tilt may move sampled noise
_MOST_TILTED = 1600.0  # the same, where losses are bounded or the largest ones are left out
_RARE = 40.0  # -ln of a mass that is nothing beside others, in some 10**5 points
_LARGE = 30.0  # nats: 1 is nothing beside the likelihood ratio
_INTERVALS = 8  # in the radius within which an integrand changes by at most a factor e**2
_QUADRATURE = 1e-15  # relative error of the mass in an interval
_EVEN = 1e-3  # of a rate, times the range: such a density is nearly even


class PairLoss:
    """The privacy loss of a pair, in one direction.

    Let L be the loss of the pair (P, Q) without sampling, r = e**L and s = 1 - q + q r for a share
    q. A row that goes has the loss ln(s), with the mass Q s; a row that comes has -ln(s), with the
    mass Q. Tilted by exp(tilt * loss), both masses are Q s**power.

    Parameters
    ----------
    pair : Pair
    comes : bool
        Whether a row comes. It matters for sampled pairs only.
    cut : float
        The mass under P of losses that may be left out, if they are rare: the largest ones of
        sampled noise, when a row goes.
    is_lower : bool
        Whether all is rounded to where no delta is too large, instead of where none is too small.

    """

    __slots__ = ("_is_lower", "_log_share", "_pair", "_rest", "_share", "_sign", "_top")

    def __init__(
        self, pair: Pair, comes: bool, cut: float = 0.0, *, is_lower: bool = False
    ) -> None:
        self._share, self._is_lower = 1.0, is_lower
        if isinstance(pair, SampledPair):
            self._share, pair = _share_near(pair.share, is_lower), pair.pair
        self._sign = -1 if comes and self._share < 1 else 1
        self._log_share = math.log(self._share)
        self._rest = math.log1p(-self._share) if self._share < 1 else -math.inf
        self._pair = pair
        self._top = self._end_of(cut) if cut and self.is_rare else math.inf

    @property
    def is_rare(self) -> bool:
        """Whether there are rare losses, far beyond all others, which tilts would make likely."""
        return self._share < 1 and self._sign > 0 and not isinstance(self._pair, LaplacePair)

    @property
    def supremum(self) -> float:
        """A number that the loss does not exceed."""
        if self._sign < 0:
            return -self._rest * (1 + 8 * ROUNDING)
        if isinstance(self._pair, LaplacePair | ResponsePair | BoundedRangePair):
            return math.nextafter(float_of(self._pair.epsilon), math.inf)
        return math.inf

    def _end_of(self, cut: float) -> float:
        """Return the point beyond which the noise has a mass of `cut` at most, under P.

        Points are where the noise of P is around 0, and that of Q around -mu. Normal noise, on
        integers or not, is beyond z with a chance of e**(-z**2 / 2) at most.
        """
        mu, low, high = self._move, 0.0, _FARTHEST
        for _ in range(60):
            middle = (low + high) / 2
            beyond = self._share * math.exp(-(middle**2) / 2) + math.exp(-((middle + mu) ** 2) / 2)
            low, high = (low, middle) if beyond <= cut else (middle, high)
        return high

    @property
    def comes(self) -> bool:
        """Whether it is the loss of a row that comes, which differs from one that goes."""
        return self._sign < 0

    @property
    def is_normal(self) -> bool:
        """Whether normal noise stands for noise on a grid."""
        return isinstance(self._pair, NormalPair)

    @property
    def rho(self) -> Fraction:
        """At least what the pair costs in zCDP."""
        return self._pair.rho

    def most_tilt(self) -> float:
        """Return a tilt up to which the points of `on_grid` are not too many."""
        is_sampled = self._share < 1 and not isinstance(self._pair, LaplacePair)
        moved = _MOST_MOVED if self.is_rare and self._top == math.inf else _MOST_TILTED
        return moved / self._move if is_sampled else math.inf

    def moments(self, tilt: float) -> Moments:
        """Return the moments at a tilt, nearly."""
        if isinstance(self._pair, BoundedRangePair):
            return self._moments_of_range(tilt)
        return self._some_points(tilt).moments()

    @property
    def unit(self) -> float | None:
        """A number of which all losses are multiples, nearly; None if there is none.

        Of a lower end it is at most that number: no sum above 0 is too large by it.
        """
        pair = self._pair
        if self._share < 1 or isinstance(pair, NormalPair | BoundedRangePair):
            return None
        if isinstance(pair, LaplacePair):
            found = float_of(pair.epsilon / pair.steps)
        elif isinstance(pair, ResponsePair):
            found = float_of(pair.epsilon)
        else:
            found = float_of(pair.steps / (2 * pair.sigma2))
        return math.nextafter(found, 0) if self._is_lower else found

    def on_grid(self, fine: int, coarse: int, setting: Setting, most: float) -> Layers:
        """Return the loss in steps of unit * 2**fine, and of unit * 2**coarse where it is rare.

        At each end of a layer a mass of `most` may be cut off.
        """
        tilt, unit, near = setting.tilt, setting.unit, setting.near
        if isinstance(self._pair, BoundedRangePair):
            middle = self._largest
            fine = max(fine, least_exponent(np.array([-middle, middle]), unit, near))
        else:
            some = self._some_points(tilt)
            middle = float(some.losses[some.logs.argmax()])
            fine = max(fine, least_exponent(np.array([middle]), unit, near))
        if isinstance(self._pair, NormalPair):
            reach = setting.reach(fine)
            ends = middle - reach, middle + reach
            points, log_lost = self._normal_points_in(fine, coarse, ends, setting, most)
        elif isinstance(self._pair, BoundedRangePair):
            points, log_lost = self._range_points(fine, setting), -math.inf
        else:
            points, log_lost = self._integer_points(tilt)
        return points.in_layers(
            log_lost, (middle, fine, coarse), setting, most,
            are_multiples=self._is_lower and unit == self.unit,
        )  # fmt: skip

    def _some_points(self, tilt: float) -> Points:
        pair = self._pair
        if isinstance(pair, LaplacePair | ResponsePair) or (
            isinstance(pair, GaussianPair) and pair.sigma2 < _SMALL**2
        ):
            return self._integer_points(tilt)[0]
        return self._coarse_points(tilt)[0]

    def _range_points(self, exponent: int, setting: Setting) -> Points:
        """Return points that have the mass in each step of 2**exponent."""
        epsilon = self._largest
        count = math.ceil(_INTERVALS * max(epsilon, 1))
        ends = np.linspace(-epsilon, epsilon, count + 1)
        nodes, weights = nodes_between(
            np.unique(np.concatenate([multiples(exponent, -epsilon, epsilon, setting.near), ends]))
        )
        logs = np.log(weights) + (nodes - epsilon) / 2 - math.log(-2 * math.expm1(-epsilon))
        found = self._tilted(nodes, logs, setting.tilt)
        return Points(found.losses, found.logs, found.rounding + _QUADRATURE)

    def _moments_of_range(self, tilt: float) -> Moments:
        epsilon, rate = self._largest, tilt + 0.5
        wide = rate * epsilon
        log_scale = (
            wide
            - epsilon / 2
            - math.log(-2 * math.expm1(-epsilon))
            + math.log(-math.expm1(-2 * wide) / rate)
        )
        if wide < _EVEN:
            return Moments(log_scale, epsilon * wide / 3, epsilon**2 / 3)
        root = math.exp(-wide) / -math.expm1(-2 * wide)  # 1 / (2 sinh)
        mean = epsilon * (1 + 2 * math.exp(-wide) * root) - 1 / rate
        return Moments(log_scale, mean, 1 / rate**2 - (2 * epsilon * root) ** 2)

    @property
    def _largest(self) -> float:
        """The largest loss of a bounded range, rounded outwards: a larger one never costs less."""
        assert isinstance(self._pair, BoundedRangePair)
        end = 0.0 if self._is_lower else math.inf
        return math.nextafter(float_of(self._pair.epsilon), end)

    @property
    def _move(self) -> float:
        """How far normal noise of variance 1 is moved, rounded outwards."""
        outwards = -4 * ROUNDING if self._is_lower else 4 * ROUNDING
        return math.sqrt(2 * float_of(self._pair.rho)) * (1 + outwards)

    def _tilted(
        self, losses: Floats, logs: Floats, tilt: float, cancelled: Floats | float = 0.0
    ) -> Points:
        """Return tilted points of outputs with losses L, and logarithms of their masses under P.

        `cancelled` is the size of terms of L that may cancel each other.
        """
        sizes = np.abs(losses) + cancelled
        if self._share == 1:
            changed, spread = losses, sizes
        else:
            changed, spread = self._sampled(losses, sizes)
        spread = 16 * ROUNDING * spread
        under_p = changed - losses if self._sign > 0 else -losses
        tilted = logs + under_p + tilt * self._sign * changed
        sizes = np.abs(logs) + sizes + np.abs(tilted)
        return Points(
            self._sign * changed + (-spread if self._is_lower else spread),
            tilted,
            8 * ROUNDING * (8 + sizes) + 2 * (2 + tilt) * spread,
        )

    def _sampled(self, losses: Floats, terms: Floats) -> tuple[Floats, Floats]:
        """Return ln(1 - q + q e**losses), and sizes of numbers that were rounded on the way."""
        change = self._share * np.expm1(np.minimum(losses, _LARGE))
        near = (np.abs(change) < 0.5) & (losses < _LARGE)
        found = np.log1p(np.where(near, change, 0))
        sizes = np.abs(found) + terms * np.exp(np.minimum(self._log_share + losses - found, 0))
        far = ~near
        found[far] = np.logaddexp(self._rest, self._log_share + losses[far])
        sizes[far] = np.abs(found[far]) + terms[far] + abs(self._rest) + abs(self._log_share)
        return found, sizes

    def _range(self, tilt: float) -> tuple[float, float]:
        """Return points beyond which a tilted mass falls faster than exp(-_WIDE z)."""
        mu = self._move
        if self._share == 1:
            return tilt * mu - _WIDE, tilt * mu + _WIDE
        low = -mu - _WIDE
        if self._sign > 0:
            return low, min(tilt * mu + _WIDE, self._top)
        loss = np.array([mu * low + mu**2 / 2])
        slope = math.exp(
            min(self._log_share + float((loss - self._sampled(loss, loss)[0])[0]), 0.0)
        )
        return low - tilt * mu * slope, _WIDE - mu

    def _integer_points(self, tilt: float) -> tuple[Points, float]:
        """Return the points of noise on integers, and ln of a bound of the mass beyond them."""
        pair = self._pair
        if isinstance(pair, ResponsePair):
            epsilon, others = float_of(pair.epsilon), pair.n_categories - 1
            log_lie = -epsilon - math.log1p(others * math.exp(-epsilon))
            masses = [log_lie + epsilon, log_lie + math.log(others - 1), log_lie]
            return self._tilted(epsilon * np.array([1.0, 0, -1]), np.array(masses), tilt), -math.inf
        if isinstance(pair, LaplacePair):
            rate, steps = float_of(pair.epsilon / pair.steps), pair.steps
            moved = np.arange(steps + 1, dtype=np.float64)
            inside = math.log(-math.expm1(-rate))
            logs = -rate * moved + inside - math.log1p(math.exp(-rate))
            logs[[0, -1]] -= inside
            return self._tilted(rate * (steps - 2 * moved), logs, tilt), -math.inf
        assert isinstance(pair, GaussianPair)
        sigma, half = math.sqrt(float_of(pair.sigma2)), float_of(1 / (2 * pair.sigma2))
        low, high = self._range(tilt)
        at = np.arange(math.floor(low * sigma), math.ceil(high * sigma) + 1, dtype=np.float64)
        most = np.arange(1, math.ceil(_WIDE * sigma) + 1, dtype=np.float64)
        total = 1 + 2 * float(np.exp(-(most**2) * half).sum())
        points = self._tilted(
            pair.steps * (pair.steps + 2 * at) * half, -(at**2) * half - math.log(total), tilt
        )
        last = -math.inf if high == self._top else points.logs[-1]
        ends = float(np.logaddexp(points.logs[0], last))
        return points, ends + math.log1p(sigma / _WIDE)

    def _normal_points(self, z: Floats, weights: Floats | float, tilt: float) -> Points:
        mu = self._move
        logs = -(z**2) / 2 - math.log(2 * math.pi) / 2 + np.log(weights)
        return self._tilted(mu * z + mu**2 / 2, logs, tilt, np.abs(mu * z) + mu**2 / 2)

    def _coarse_points(self, tilt: float) -> tuple[Points, Floats]:
        """Return some points of normal noise, and where they are."""
        low, high = self._range(tilt)
        count = math.ceil((high - low) / _COARSE)
        z, step = np.linspace(low, high, count + 1, retstep=True)
        return self._normal_points(z, float(step), tilt), z

    def _steepness(self, z: Floats, tilt: float) -> float:
        """Return a bound of the slope of the logarithm of a tilted density."""
        if self._share == 1:
            return _WIDE
        power = 1 + tilt if self._sign > 0 else tilt
        return float(np.abs(z + self._move).max()) + power * self._move

    def _normal_points_in(
        self, fine: int, coarse: int, near: tuple[float, float], setting: Setting, most: float
    ) -> tuple[Points, float]:
        """Return points that have the mass in each step, and ln of a bound of the mass beyond."""
        tilt = setting.tilt
        points, z = self._coarse_points(tilt)
        top = float(points.logs.max())
        bound = np.exp(points.logs - top + self._steepness(z, tilt) * (z[1] - z[0]) / 2)
        cells = np.maximum(bound[1:], bound[:-1])  # more than the mass in each cell
        allowed = most * float(np.exp(points.logs - top).sum()) / 4
        first = int(np.searchsorted(np.cumsum(cells), allowed, side="right"))
        last = len(cells) - int(np.searchsorted(np.cumsum(cells[::-1]), allowed, side="right"))
        last_bound = 0.0 if z[-1] == self._top else bound[-1]
        beyond = (bound[0] + last_bound) / ((z[1] - z[0]) * _WIDE)
        lost = float(cells[:first].sum() + cells[last:].sum() + beyond)
        z = z[first : last + 1]
        low, high = np.sort(self._normal_points(z[[0, -1]], 1.0, tilt).losses)
        inside = max(low, near[0]), min(high, near[1])
        parts = (fine, inside), (coarse, (low, inside[0])), (coarse, (inside[1], high))
        losses = [multiples(exponent, *ends, setting.near) for exponent, ends in parts]
        nodes, weights = nodes_between(self._edges(z, np.concatenate([*losses, inside])))
        found = self._normal_points(nodes, weights, tilt)
        # A node is rounded, too.
        moved = 4 * ROUNDING * np.abs(nodes) * self._steepness(z, tilt) + _QUADRATURE
        log_lost = top + math.log(lost) if lost else -math.inf
        return Points(found.losses, found.logs, found.rounding + moved), log_lost

    def _edges(self, z: Floats, losses: Floats) -> Floats:
        """Return points between which no loss is one of these, and masses are smooth."""
        mu = self._move
        steepest = max(float(np.abs(z).max()) + 5 * mu, 1.0)  # of masses under P and under Q
        count = math.ceil(_INTERVALS * (z[-1] - z[0]) * steepest)
        losses = self._sign * losses
        if self._share < 1:
            losses = losses[losses > self._rest]
            grown = np.expm1(np.minimum(losses, _LARGE)) + self._share
            losses, grown = losses[grown > 0], grown[grown > 0]
            large = losses + np.log1p((self._share - 1) * np.exp(-np.maximum(losses, 1.0)))
            losses = np.where(losses < _LARGE, np.log(grown), large) - self._log_share
        found = np.concatenate([(losses - mu**2 / 2) / mu, np.linspace(z[0], z[-1], count + 1)])
        return np.unique(np.clip(found, z[0], z[-1]))


def _share_near(share: Fraction, is_lower: bool) -> float:
    """Return a share as a float, rounded up or down: a larger one never costs less."""
    found = float_of(share)
    if is_lower:
        return found if Fraction(found) <= share else math.nextafter(found, 0)
    return min(found if share <= Fraction(found) else math.nextafter(found, 1), 1.0)
