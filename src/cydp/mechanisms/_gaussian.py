# SPDX-License-Identifier: MIT
"""The Gaussian mechanisms: on integers, and on real numbers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from cydp._arguments import Integer, Number
from cydp._call_errors import require_names
from cydp._core import Sampler
from cydp._numbers.intervals import sqrt_bounds
from cydp._numbers.rational import as_exact, float_of, read_integer
from cydp._samplers import check_sigma2, prepare_discrete_gaussian
from cydp._sensitivity import relation_of
from cydp.accounting._dominating_pairs import Pairs, gaussian_pairs
from cydp.accounting._loss import ZCDP, ApproxDP
from cydp.mechanisms import _discrete_gaussian_tails as tails
from cydp.mechanisms._gaussian_parameters import GaussianParameters, read_parameters
from cydp.mechanisms._grid_mechanism import GridMechanism
from cydp.mechanisms._grid_noise import MOST_STEPS, default_exponent, read_exponent
from cydp.mechanisms._integer_mechanism import IntegerMechanism
from cydp.mechanisms._noise_laws import GaussianLaw
from cydp.mechanisms._parameters import format_sensitivity, log_failure_probability, set_fields

__all__ = ["DiscreteGaussian", "Gaussian"]


class _GaussianMechanism(ABC):
    """What follows from the parameters of a Gaussian mechanism, on integers and on real numbers."""

    __slots__ = ()

    _parameters: GaussianParameters
    _loss: ZCDP | ApproxDP
    relation: str | None

    @property
    def sensitivity(self) -> Fraction:
        """L2 norm of the change that one unit can make."""
        return self._parameters.sensitivity

    @property
    def coordinates(self) -> int | None:
        """The number of entries that one unit can change; None if it can change all."""
        return self._parameters.coordinates

    @property
    def loss(self) -> ZCDP | ApproxDP:
        """Privacy cost of one release."""
        return self._loss

    @property
    @abstractmethod
    def sigma2(self) -> Fraction:
        """Square of sigma, for `coordinates` entries, or else for one."""

    @property
    def sigma(self) -> float:
        """The parameter sigma of the noise, close to its standard deviation."""
        return math.sqrt(float_of(self.sigma2))

    @property
    def _grid(self) -> str:
        """The step that the caller gave, as an argument."""
        return ""

    def __repr__(self) -> str:
        rest = "" if self.coordinates is None else f", coordinates={self.coordinates}"
        norm = format_sensitivity(self.sensitivity, self.relation)
        arguments = f"{self._parameters.arguments}, sensitivity={norm}{self._grid}{rest}"
        return f"{type(self).__name__}({arguments})"


@dataclass(frozen=True, slots=True, init=False, repr=False, match_args=False)
class DiscreteGaussian(_GaussianMechanism, IntegerMechanism):
    """The Gaussian mechanism on integers, exact.

    It is for counts and other integers; `Gaussian` is for real numbers. It adds noise with P(k)
    proportional to exp(-k**2 / (2 sigma**2)).

    Parameters
    ----------
    rho : number > 0
        Privacy cost of one `release` in zCDP: sigma = sensitivity / sqrt(2 rho). Exactly one of
        rho, sigma, sigma2 and the pair of epsilon and delta must be given.
    sigma, sigma2 : number > 0
        The parameter of the noise, or its square.
    epsilon, delta : number > 0
        Privacy cost of one `release` in approximate DP, epsilon in nats. A sigma is searched that
        is sufficient for it.
    sensitivity : number > 0
        L2 norm of the change that one unit can make in the whole array that is released. A float
        is read up. A sensitivity from `cydp.sensitivity` states its relation, and the loss is then
        stated under it.
    coordinates : int >= 1, optional
        The number of entries that one unit can change. Default: all that are released. With
        epsilon and delta, a single entry may need a smaller sigma.

    Attributes
    ----------
    sigma2 : Fraction
        Square of sigma, for `coordinates` entries, or else for one. With ``coordinates=n`` it is
        the square of sigma of a release of n entries.
    relation : str or None
        The relation that sensitivity and loss are stated under, or None if none is stated.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed, or if sigma is outside [1e-3, 2**56].

    Notes
    -----
    The loss in zCDP follows from theorem 4 and proposition 5 of [1]_ in any dimension, and
    (epsilon, delta) from theorem 7 for one coordinate. For any number of coordinates, (epsilon,
    delta) follows from corollary 13, or from normal noise [2]_ with a variance that is less by 3,
    which mostly gives a smaller sigma.

    References
    ----------
    .. [1] Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", 2020.
    .. [2] Balle, Wang, "Improving the Gaussian mechanism for differential privacy", 2018.

    Examples
    --------
    >>> DiscreteGaussian(rho=0.125, sensitivity=1).sigma2
    Fraction(4, 1)
    >>> DiscreteGaussian(epsilon=1, delta=1e-6, sensitivity=1).sigma < 4.3
    True

    """

    _parameters: GaussianParameters
    sigma2: Fraction
    relation: str | None
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
        coordinates: Integer | None = None,
    ) -> None:
        parameters = read_parameters(sensitivity, rho, sigma, sigma2, epsilon, delta, coordinates)
        set_fields(self, _parameters=parameters, relation=relation_of(sensitivity))
        set_fields(self, sigma2=as_exact(self._compute_sigma2(1)))
        set_fields(self, _loss=parameters.loss(self.rho, self.relation))
        try:
            for entries in (1, 2):
                square = self._sigma2(entries)
                check_sigma2(square.numerator, square.denominator)
        except ValueError:
            raise parameters.range_error from None

    def _sigma2(self, entries: int) -> Fraction:
        return self.sigma2 if entries <= 1 else self._compute_sigma2(entries)

    def _compute_sigma2(self, entries: int) -> Fraction:
        norm = self.sensitivity
        return self._parameters.sigma2(norm, entries, max(math.floor(norm), 1))

    @property
    def rho(self) -> Fraction:
        """Privacy cost of the sigma in use in zCDP, for any number of entries."""
        return self._parameters.round_rho(self.sensitivity**2 / (2 * self.sigma2))

    @property
    def _pairs(self) -> Pairs | None:
        more = self._sigma2(2) != self.sigma2
        return gaussian_pairs(self.sensitivity**2, self.sigma2, self.coordinates, or_more=more)

    @property
    def _law(self) -> GaussianLaw:
        return GaussianLaw(self.sigma2)

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> int:
        """Return the least h such that `count` independent draws all lie in [-h, h], or h + 1.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that they do.
        count : int >= 1, default 1
            The number of draws for which the bound holds together. If `coordinates` is not given,
            they are the entries of one release.

        Returns
        -------
        int
            In units of the value.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> DiscreteGaussian(sigma=10, sensitivity=1).error_bound(0.95)
        20

        """
        log_failure = log_failure_probability(confidence, count)
        return tails.error_bound(self._sigma2(read_integer(count, "count")), log_failure)

    def _prepare_noise(self, entries: int) -> tuple[Sampler, bool]:
        return prepare_discrete_gaussian(self._sigma2(entries)), False


@dataclass(frozen=True, slots=True, init=False, repr=False, match_args=False)
class Gaussian(_GaussianMechanism, GridMechanism):
    """The Gaussian mechanism on real numbers, exact on a grid.

    It is for real numbers; `DiscreteGaussian` is for integers. A value is rounded to a grid of a
    power of two, discrete Gaussian noise is added as an integer, and the sum is converted to
    float64 once. The lowest bits of a result reveal nothing about the value.

    Parameters
    ----------
    rho : number > 0
        Privacy cost of one `release` in zCDP: sigma = sensitivity / sqrt(2 rho). Exactly one of
        rho, sigma, sigma2 and the pair of epsilon and delta must be given.
    sigma, sigma2 : number > 0
        The sigma above, or its square, without what the rounding adds.
    epsilon, delta : number > 0
        Privacy cost of one `release` in approximate DP, epsilon in nats. A sigma is searched that
        is sufficient for it.
    sensitivity : number > 0
        L2 norm of the change that one unit can make in the whole array that is released. A float
        is read up. A sensitivity from `cydp.sensitivity` states its relation, and the loss is then
        stated under it.
    step : number, optional
        The step of the grid, a power of two. Default: the largest step with which sigma is at
        least 2**40 steps, and at most 0.1 % larger because of the rounding. If sigma would then be
        more than 2**52 steps, the step is larger, and `sigma` shows what the rounding costs.
    coordinates : int >= 1, optional
        The number of entries that one unit can change. Default: all that are released. Rounding
        can move each of them by one step of the grid, which makes sigma larger.

    Attributes
    ----------
    relation : str or None
        The relation that sensitivity and loss are stated under, or None if none is stated.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed, or if sigma is outside [1e-3, 2**56] steps of the grid.

    Notes
    -----
    It adds the noise of `DiscreteGaussian`, and has its loss: what rounding to the grid adds to the
    sensitivity is a part of sigma.

    Examples
    --------
    >>> Gaussian(rho=0.5, sensitivity=1).step == Fraction(1, 2**40)
    True

    """

    _parameters: GaussianParameters
    relation: str | None
    _log2_step: int
    _fixed: bool  # whether the caller gave the step
    _single: Fraction  # square of sigma in steps, for `coordinates` entries or else for one
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
        parameters = read_parameters(sensitivity, rho, sigma, sigma2, epsilon, delta, coordinates)
        set_fields(
            self,
            _parameters=parameters,
            relation=relation_of(sensitivity),
            _fixed=step is not None,
        )
        exponent = self._default_exponent(1) if step is None else read_exponent(step)
        set_fields(
            self,
            _log2_step=exponent,
            _single=_compute_steps2(parameters, exponent, self.coordinates or 1),
        )
        self._check_noise(1)
        # Two entries have at least the sigma of one, in steps, and at most twice as much.
        if self._single > 2**110:
            self._check_noise(2)
        set_fields(self, _loss=parameters.loss(self.rho, self.relation))

    @property
    def _norm_order(self) -> int:
        return 2

    def _prepare_noise(self, entries: int) -> Sampler:
        steps2 = self._single if entries <= 1 else self._check_noise(entries)
        return prepare_discrete_gaussian(steps2)

    def _check_noise(self, entries: int) -> Fraction:
        """Return the square of sigma in steps, or raise an error if no sampler takes it."""
        steps2 = self._steps2(entries)
        try:
            check_sigma2(steps2.numerator, steps2.denominator)
        except ValueError:
            raise ValueError(
                "sigma must be between 1e-3 and 2**56 steps of the grid: the step is too "
                "fine or too coarse, the sensitivity is less than a step, or the entries are too "
                "many"
            ) from None
        return steps2

    def _default_exponent(self, entries: int) -> int:
        norm2 = self.sensitivity**2
        sigma2 = norm2 * self._parameters.unit_variance
        rounding2, least2 = norm2 / (self.coordinates or entries), sigma2 / MOST_STEPS**2
        return default_exponent(sigma2, rounding2, least2)

    def _steps2(self, entries: int) -> Fraction:
        """Return the square of sigma in steps, for a release of this number of entries."""
        if entries <= 1 or self.coordinates is not None:
            return self._single
        return _compute_steps2(self._parameters, self._exponent(entries), entries)

    @property
    def sigma2(self) -> Fraction:
        """Square of sigma, for `coordinates` entries, or else for one.

        With ``coordinates=n`` it is the square of sigma of a release of n entries.
        """
        return as_exact(self._steps2(1) * self.step**2)

    @property
    def rho(self) -> Fraction:
        """Privacy cost in zCDP of sigma and of the rounding, for any number of entries."""
        single = self._norm2 / (2 * self._steps2(1))
        return self._parameters.round_rho(self._parameters.largest_rho(single))

    @property
    def _norm2(self) -> Fraction:
        return _change_in_steps(self._parameters, self._log2_step, self.coordinates or 1)[1] ** 2

    @property
    def _pairs(self) -> Pairs | None:
        unknown = self.coordinates is None
        return gaussian_pairs(self._norm2, self._steps2(1), self.coordinates, or_more=unknown)

    @property
    def _law(self) -> GaussianLaw:
        return GaussianLaw(self._steps2(1))

    def _bound_noise(self, confidence: Number, entries: int) -> int:
        log_failure = log_failure_probability(confidence, entries)
        return tails.error_bound(self._steps2(entries), log_failure)

    @property
    def _grid(self) -> str:
        return f", step=2.0**{self._log2_step}" if self._fixed else ""


def _change_in_steps(
    parameters: GaussianParameters, exponent: int, count: int
) -> tuple[int, Fraction]:
    """Return the largest change of an entry, and the L2 norm of the change, in steps of the grid.

    Rounding adds one step in each entry.
    """
    over, under = parameters.sensitivity.numerator, parameters.sensitivity.denominator
    exact = Fraction(over << max(-exponent, 0), under << max(exponent, 0))
    return math.floor(exact) + 1, exact + _root_above(count)


@lru_cache(256)
def _root_above(count: int) -> Fraction:
    return sqrt_bounds(Fraction(count))[1]


@lru_cache(256)
def _compute_steps2(parameters: GaussianParameters, exponent: int, count: int) -> Fraction:
    single, norm = _change_in_steps(parameters, exponent, count)
    return parameters.sigma2(norm, count, single)
