# SPDX-License-Identifier: MIT
"""The Laplace mechanism on integers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from cydp._arguments import Integer, Number
from cydp._call_errors import copy_base_methods, require_names
from cydp._core import Sampler
from cydp._numbers.rational import as_exact, float_of, format_number, literal_of, read_positive
from cydp._samplers import prepare_discrete_laplace
from cydp._sensitivity import relation_of
from cydp.accounting._dominating_pairs import Pairs, laplace_pairs
from cydp.accounting._loss import PureDP
from cydp.mechanisms._confidence import log_failure_probability
from cydp.mechanisms._fields import set_fields
from cydp.mechanisms._integer_mechanism import IntegerMechanism
from cydp.mechanisms._laplace_law import LaplaceLaw
from cydp.mechanisms._sensitivity import format_sensitivity, read_norm

__all__ = ["MOST_UNSATURATED_SCALE", "DiscreteLaplace"]

# Up to this scale, the 1,024 bits of a sample end before the noise reaches 2**62; beyond,
# a sample may end at 2**63 - 1.
MOST_UNSATURATED_SCALE = 2**52


@lru_cache(256)  # of integers, which have a hash at once; a Fraction computes its own at every call
def _noise_of(numerator: int, denominator: int) -> tuple[Sampler, bool]:
    """Return a sampler for a scale, and whether its noise may saturate."""
    scale = Fraction(numerator, denominator)
    return prepare_discrete_laplace(scale), scale > MOST_UNSATURATED_SCALE


@copy_base_methods
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
            scale=as_exact(norm / rate),
            relation=relation,
            _loss=PureDP(rate, relation=relation),
        )
        try:
            prepare_discrete_laplace(self.scale)
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
