# SPDX-License-Identifier: MIT
"""The Gaussian mechanism on real numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from cydp._arguments import Integer, Number
from cydp._call_errors import copy_base_methods, require_names
from cydp._core import Sampler
from cydp._numbers.intervals import sqrt_bounds
from cydp._numbers.rational import as_exact, float_of, read_integer
from cydp._samplers import prepare_discrete_gaussian
from cydp._sensitivity import relation_of
from cydp.accounting._dominating_pairs import Pairs, gaussian_pairs
from cydp.accounting._loss import ZCDP, ApproxDP
from cydp.mechanisms import _discrete_gaussian_distribution as law
from cydp.mechanisms._confidence import miss_of
from cydp.mechanisms._gaussian_parameters import Given, read_given
from cydp.mechanisms._grid import FINEST, default_exponent, float_up, given_exponent
from cydp.mechanisms._grid_mechanism import GridMechanism
from cydp.mechanisms._sensitivity import words_of

__all__ = ["Gaussian"]


@copy_base_methods
@dataclass(frozen=True, slots=True, init=False, repr=False, match_args=False)
class Gaussian(GridMechanism):
    """The Gaussian mechanism on real numbers, exact on a grid.

    A value is rounded to a grid of a power of two, discrete Gaussian noise is added as an integer,
    and the sum is converted to float64 once. No output tells by its bits what the value was.

    Parameters
    ----------
    rho : number > 0
        Privacy cost of one `release` in zCDP: sigma = sensitivity / sqrt(2 rho). Or instead
    sigma, sigma2 : number > 0
        that sigma, or its square; or
    epsilon, delta : number > 0
        the cost in approximate DP, which sigma is found for.
    sensitivity : number > 0
        L2 norm, over the whole array released, of what one unit can change. A float is read up;
        one of `cydp.sensitivity` states the relation, and the loss is stated under it.
    step : number, optional
        The step of the grid, a power of two. Default: the largest that makes sigma, which pays for
        the rounding, 2**40 steps or more, and at most 0.1 % larger for `coordinates` entries, or
        else for as many as are released. Where that would take more than 2**52 steps, the finest
        grid of no more; then `sigma` shows what the rounding costs.
    coordinates : int >= 1, optional
        How many entries one unit can change; default all that are released. Rounding moves
        each of them by up to one step of the grid: the sigma in use is larger by as much.

    Attributes
    ----------
    relation : str or None
        What the sensitivity, and so the loss, is stated under; None: nobody said.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter, and if sigma is outside [1e-3, 2**56] steps of the grid.

    Notes
    -----
    As `DiscreteGaussian`, whose noise it adds; docs/mechanisms/gaussian.md.

    Examples
    --------
    >>> Gaussian(rho=0.5, sensitivity=1).step == Fraction(1, 2**40)
    True

    """

    _given: Given
    relation: str | None
    _log2_step: int
    _fixed: bool  # the grid, by who made it
    _single: Fraction
    _loss: ZCDP | ApproxDP

    @require_names
    def __init__(
        self,
        *,
        rho: Number | None = None,
        sigma: Number | None = None,
        sigma2: Number | None = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        sensitivity: Number,
        step: Number | None = None,
        coordinates: Integer | None = None,
    ) -> None:
        given = read_given(sensitivity, rho, sigma, sigma2, epsilon, delta, coordinates)
        object.__setattr__(self, "_given", given)
        object.__setattr__(self, "relation", relation_of(sensitivity))
        object.__setattr__(self, "_fixed", step is not None)
        exponent = self._default(1) if step is None else given_exponent(step)
        object.__setattr__(self, "_log2_step", exponent)
        object.__setattr__(self, "_single", _steps2(given, exponent, given.coordinates or 1))
        for entries in (1, 2):
            self._noise(entries)
        object.__setattr__(self, "_loss", given.loss(self.rho, self.relation))

    @property
    def _norm_order(self) -> int:
        return 2

    def _noise(self, entries: int) -> Sampler:
        try:
            return prepare_discrete_gaussian(self._steps2(entries))
        except ValueError:
            raise ValueError(
                "sigma must be between 1e-3 and 2**56 steps of the grid: the step is too "
                "fine or too coarse, the sensitivity is less than a step, or the entries are too "
                "many"
            ) from None

    def _exponent(self, entries: int) -> int:
        if self._fixed or entries <= 1 or self.coordinates is not None:
            return self._log2_step
        return self._default(entries)

    def _default(self, entries: int) -> int:
        norm2, sigma2 = self.sensitivity**2, self.sensitivity**2 * self._given.spread
        return default_exponent(sigma2, norm2 / (self.coordinates or entries), sigma2 / FINEST**2)

    def _steps2(self, entries: int) -> Fraction:
        """Return sigma squared in steps of the grid, for so many entries."""
        if entries <= 1 or self.coordinates is not None:
            return self._single
        return _steps2(self._given, self._exponent(entries), entries)

    @property
    def sensitivity(self) -> Fraction:
        """L2 norm of what one unit can change."""
        return self._given.sensitivity

    @property
    def coordinates(self) -> int | None:
        """How many entries one unit can change; None: all."""
        return self._given.coordinates

    @property
    def sigma2(self) -> Fraction:
        """Square of the noise's sigma, for `coordinates` entries, or else for one.

        Give ``coordinates=n`` to see, and to have, that of a release of n entries.
        """
        return as_exact(self._steps2(1) * self.step**2)

    @property
    def sigma(self) -> float:
        """The noise's sigma."""
        return math.sqrt(float_of(self.sigma2))

    @property
    def rho(self) -> Fraction:
        """What the sigma in use costs in zCDP, the rounding included, for any number of entries."""
        return self._given.shown(self._given.largest_rho(self._norm2 / (2 * self._steps2(1))))

    @property
    def _norm2(self) -> Fraction:
        return _norm(self._given, self._log2_step, self.coordinates or 1) ** 2

    @property
    def loss(self) -> ZCDP | ApproxDP:
        """Privacy cost of one release."""
        return self._loss

    @property
    def _pairs(self) -> Pairs | None:
        unknown = self.coordinates is None
        return gaussian_pairs(self._norm2, self._steps2(1), self.coordinates, or_more=unknown)

    @property
    def variance(self) -> float:
        """Variance of the noise.

        >>> round(Gaussian(sigma=3, sensitivity=1).variance, 6)
        9.0
        """
        return float_of(Fraction(law.variance(self._steps2(1))) * self.step**2)

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> float:
        """Half-width that `count` independent results are within of their values, all of them.

        The rounding to the grid is part of it, that of the result to float64 is not.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            Probability that they are, at least.
        count : int >= 1, default 1
            Without coordinates, as the entries of one release.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> round(Gaussian(sigma=1, sensitivity=1).error_bound(0.95), 3)
        1.96

        """
        log_miss, entries = miss_of(confidence, count), read_integer(count, "count")
        steps = law.reach(self._steps2(entries), log_miss) + Fraction(1, 2)
        return float_up(steps * Fraction(2) ** self._exponent(entries))

    def __repr__(self) -> str:
        given = self._given
        grid = f", step=2.0**{self._log2_step}" if self._fixed else ""
        rest = "" if given.coordinates is None else f", coordinates={given.coordinates}"
        norm = words_of(given.sensitivity, self.relation)
        return f"Gaussian({given.words}, sensitivity={norm}{grid}{rest})"


def _norm(given: Given, exponent: int, count: int) -> Fraction:
    """Return the L2 norm in steps of the grid; rounding adds one in each entry."""
    return given.sensitivity / Fraction(2) ** exponent + sqrt_bounds(Fraction(count))[1]


@lru_cache(256)
def _steps2(given: Given, exponent: int, count: int) -> Fraction:
    single = math.floor(given.sensitivity / Fraction(2) ** exponent) + 1
    return given.sigma2(_norm(given, exponent, count), count, single)
