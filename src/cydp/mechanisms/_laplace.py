# SPDX-License-Identifier: MIT
"""The Laplace mechanisms: on integers, and on real numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from cydp._arguments import Integer, Number
from cydp._call_errors import require_names
from cydp._core import Sampler
from cydp._numbers.rational import (
    Exact,
    as_exact,
    float_of,
    format_number,
    literal_of,
    read_positive,
)
from cydp._samplers import check_scale, prepare_discrete_laplace
from cydp._sensitivity import relation_of
from cydp.accounting._dominating_pairs import Pairs, laplace_pairs
from cydp.accounting._loss import PureDP
from cydp.mechanisms._grid_mechanism import GridMechanism
from cydp.mechanisms._grid_noise import default_exponent, read_exponent
from cydp.mechanisms._integer_mechanism import IntegerMechanism
from cydp.mechanisms._noise_laws import LaplaceLaw
from cydp.mechanisms._parameters import (
    format_sensitivity,
    log_failure_probability,
    read_coordinates,
    read_norm,
    set_fields,
)

__all__ = ["MOST_UNSATURATED_SCALE", "DiscreteLaplace", "Laplace"]

# Up to this scale, the 1,024 bits of a sample end before the noise reaches 2**62; beyond,
# a sample may end at 2**63 - 1.
MOST_UNSATURATED_SCALE = 2**52


@lru_cache(256)  # by integers: a Fraction would compute its hash at every call
def _noise_of(numerator: int, denominator: int) -> tuple[Sampler, bool]:
    """Return a sampler for a scale, and whether its noise may saturate."""
    scale = Fraction(numerator, denominator)
    return prepare_discrete_laplace(scale), scale > MOST_UNSATURATED_SCALE


@dataclass(frozen=True, slots=True, init=False, repr=False, match_args=False)
class DiscreteLaplace(IntegerMechanism):
    """The Laplace mechanism on integers, exact.

    It is for counts and other integers; `Laplace` is for real numbers. It adds noise with P(k)
    proportional to exp(-abs(k) / scale), where scale = sensitivity / epsilon.

    Parameters
    ----------
    epsilon : number > 0
        Privacy cost of one `release` in pure DP, in nats.
    sensitivity : number > 0
        L1 norm of the change that one unit can make in the whole array that is released. A float
        is read up. A sensitivity from `cydp.sensitivity` states its relation, and the loss is then
        stated under it.

    Attributes
    ----------
    scale : Fraction
        Scale of the noise: sensitivity / epsilon.
    relation : str or None
        The relation that sensitivity and loss are stated under, or None if none is stated.

    Raises
    ------
    TypeError, ValueError
        If either is not a positive number, or the scale is outside [1e-6, 2**56].

    References
    ----------
    .. [1] Ghosh, Roughgarden, Sundararajan, "Universally utility-maximizing privacy mechanisms",
       2012.

    Examples
    --------
    >>> DiscreteLaplace(epsilon=0.5, sensitivity=1).scale
    Fraction(2, 1)

    """

    epsilon: Fraction
    sensitivity: Fraction
    scale: Fraction
    relation: str | None
    _loss: PureDP

    @require_names
    def __init__(self, *, epsilon: Number, sensitivity: Number) -> None:
        rate, norm = read_positive(epsilon, "epsilon"), read_norm(sensitivity)
        relation = relation_of(sensitivity)
        set_fields(
            self,
            epsilon=rate,
            sensitivity=norm,
            # Twice as fast as norm / rate.
            scale=Exact(norm.numerator * rate.denominator, norm.denominator * rate.numerator),
            relation=relation,
            _loss=PureDP(rate, relation=relation),
        )
        try:
            check_scale(self.scale.numerator, self.scale.denominator)
        except ValueError:
            raise ValueError(
                "epsilon must give a scale, sensitivity / epsilon, between 1e-6 and 2**56, not "
                f"{format_number(self.scale)}"
            ) from None

    @property
    def loss(self) -> PureDP:
        """Privacy cost of one release."""
        return self._loss

    @property
    def _pairs(self) -> Pairs:
        return laplace_pairs(self.epsilon, self.sensitivity)

    @property
    def _law(self) -> LaplaceLaw:
        return LaplaceLaw(self.scale)

    @property
    def _rate(self) -> float:
        return float_of(1 / self.scale)

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> int:
        """Return the least h such that `count` independent draws all lie in [-h, h].

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that they do.
        count : int >= 1, default 1
            The number of entries for which the bound holds together.

        Returns
        -------
        int
            In units of the value; above the least h by at most a share of 2**-45.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> DiscreteLaplace(epsilon=1, sensitivity=1).error_bound(0.95)
        3

        """
        # For one draw P(|X| > h) = 2 p**(h + 1) / (1 + p), which must be at most the failure
        # probability. The factor covers the rounding of the logarithms: h is never too small.
        rate = self._rate
        log_failure = log_failure_probability(confidence, count)
        steps = (math.log(2) - math.log1p(math.exp(-rate)) - log_failure) / rate
        return max(math.ceil(steps * (1 + 2**-48)) - 1, 0)

    def _prepare_noise(self, entries: int) -> tuple[Sampler, bool]:
        return _noise_of(self.scale.numerator, self.scale.denominator)

    def __repr__(self) -> str:
        epsilon, norm = (
            literal_of(self.epsilon),
            format_sensitivity(self.sensitivity, self.relation),
        )
        return f"DiscreteLaplace(epsilon={epsilon}, sensitivity={norm})"


@dataclass(frozen=True, slots=True, init=False, repr=False, match_args=False)
class Laplace(GridMechanism):
    """The Laplace mechanism on real numbers, exact on a grid.

    It is for real numbers; `DiscreteLaplace` is for integers. A value is rounded to a grid of a
    power of two, discrete Laplace noise is added as an integer, and the sum is converted to
    float64 once. The lowest bits of a result reveal nothing about the value.

    Parameters
    ----------
    epsilon : number > 0
        Privacy cost of one `release` in pure DP, in nats.
    sensitivity : number > 0
        L1 norm of the change that one unit can make in the whole array that is released. A float
        is read up. A sensitivity from `cydp.sensitivity` states its relation, and the loss is then
        stated under it.
    step : number, optional
        The step of the grid, a power of two. Default: the largest step with which the scale is at
        least 2**40 steps, and at most 0.1 % larger than sensitivity / epsilon because of the
        rounding. If the scale would then be more than 2**52 steps, the step is larger, and `scale`
        shows what the rounding costs.
    coordinates : int >= 1, optional
        The number of entries that one unit can change. Default: all that are released. Rounding
        can move each of them by one step of the grid, which makes the scale larger.

    Attributes
    ----------
    relation : str or None
        The relation that sensitivity and loss are stated under, or None if none is stated.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed, or if the scale is outside [1e-6, 2**52] steps of the grid,
        as it is on every grid for 2**52 epsilon entries or more.

    References
    ----------
    .. [1] Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity in private data
       analysis", 2006.
    .. [2] Mironov, "On significance of the least significant bits for differential privacy", 2012.

    Examples
    --------
    >>> Laplace(epsilon=0.5, sensitivity=1).step == Fraction(1, 2**39)
    True

    """

    epsilon: Fraction
    sensitivity: Fraction
    _log2_step: int
    coordinates: int | None
    relation: str | None
    _fixed: bool  # whether the caller gave the step
    _single: Fraction  # scale in steps of the grid, for `coordinates` entries or else for one
    _loss: PureDP

    @require_names
    def __init__(
        self,
        *,
        epsilon: Number,
        sensitivity: Number,
        step: Number | None = None,
        coordinates: Integer | None = None,
    ) -> None:
        set_fields(
            self,
            epsilon=read_positive(epsilon, "epsilon"),
            sensitivity=read_norm(sensitivity),
            coordinates=read_coordinates(coordinates),
            _fixed=step is not None,
        )
        exponent = self._default_exponent(1) if step is None else read_exponent(step)
        set_fields(self, _log2_step=exponent)
        relation = relation_of(sensitivity)
        set_fields(
            self,
            relation=relation,
            _single=self._compute_steps(1),
            _loss=PureDP(self.epsilon, relation=relation),
        )
        check_scale(self._single.numerator, self._single.denominator)

    def _default_exponent(self, entries: int) -> int:
        count, scale = self.coordinates or entries, self.sensitivity / self.epsilon
        # What rounding adds to the scale is count / epsilon steps; the rest is for the scale.
        left = MOST_UNSATURATED_SCALE - count / self.epsilon
        if left <= 0:
            raise ValueError(
                f"epsilon must be larger than {count} / 2**52 for {count} entries, each of which "
                "is rounded to a grid: fewer coordinates need less"
            )
        return default_exponent(scale**2, (self.sensitivity / count) ** 2, (scale / left) ** 2)

    def _steps(self, entries: int) -> Fraction:
        """Return the scale in steps of the grid, for a release of this number of entries."""
        if entries <= 1 or self.coordinates is not None:
            return self._single
        return self._compute_steps(entries)

    def _compute_steps(self, entries: int) -> Fraction:
        count = self.coordinates or entries
        step = Fraction(2) ** self._exponent(entries)
        steps = (self.sensitivity / step + count) / self.epsilon
        if steps > MOST_UNSATURATED_SCALE:
            raise ValueError(
                "scale must be at most 2**52 steps of the grid: the step is too fine, the "
                "sensitivity is less than a step, or the entries are too many"
            )
        return steps

    @property
    def scale(self) -> Fraction:
        """Scale of the noise, for `coordinates` entries, or else for one.

        With ``coordinates=n`` it is the scale of a release of n entries.
        """
        return as_exact(self._steps(1) * self.step)

    @property
    def loss(self) -> PureDP:
        """Privacy cost of one release."""
        return self._loss

    @property
    def _pairs(self) -> Pairs:
        norm = self._steps(1) * self.epsilon
        return laplace_pairs(self.epsilon, norm, or_more=self.coordinates is None)

    @property
    def _law(self) -> LaplaceLaw:
        return LaplaceLaw(self._steps(1))

    def _bound_noise(self, confidence: Number, entries: int) -> int:
        return self._discrete(entries).error_bound(confidence, count=entries)

    def _discrete(self, entries: int) -> DiscreteLaplace:
        return DiscreteLaplace(epsilon=1 / self._steps(entries), sensitivity=1)

    @property
    def _norm_order(self) -> int:
        return 1

    def _prepare_noise(self, entries: int) -> Sampler:
        return prepare_discrete_laplace(self._steps(entries))

    def __repr__(self) -> str:
        grid = f", step=2.0**{self._log2_step}" if self._fixed else ""
        rest = "" if self.coordinates is None else f", coordinates={self.coordinates}"
        norm = format_sensitivity(self.sensitivity, self.relation)
        return f"Laplace(epsilon={literal_of(self.epsilon)}, sensitivity={norm}{grid}{rest})"
