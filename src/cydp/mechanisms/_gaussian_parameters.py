# SPDX-License-Identifier: MIT
"""What a Gaussian mechanism is given: exactly one of rho, sigma, sigma2, (epsilon, delta)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cydp._arguments import Integer, Number
from cydp._numbers.rational import as_exact, literal_of, read_positive
from cydp._numbers.rounding import decimal_above
from cydp.accounting._conversion import rho_of
from cydp.accounting._loss import ZCDP, ApproxDP
from cydp.mechanisms._coordinates import coordinates_of
from cydp.mechanisms._gaussian_calibration import least_sigma2, normal_spread
from cydp.mechanisms._sensitivity import norm_of

__all__ = ["Given", "read_given"]


@dataclass(frozen=True, slots=True)
class Given:
    """The parameters of a Gaussian mechanism, checked.

    Attributes
    ----------
    sensitivity : Fraction
        L2 norm of what one unit can change.
    coordinates : int or None
        How many entries it can change; None: all of those released.
    rho : Fraction
        What sigma = sensitivity / sqrt(2 rho) gives, for any number of coordinates.
    approximate : ApproxDP or None
        What was asked for instead, which a smaller sigma may give.
    words : str
        What was given, for a repr.

    """

    sensitivity: Fraction
    coordinates: int | None
    rho: Fraction
    approximate: ApproxDP | None
    words: str

    @property
    def range_error(self) -> ValueError:
        """What is wrong where sigma, in integers, is outside of what can be drawn."""
        name = self.words.partition("=")[0]
        if name == "sigma2":
            return ValueError("sigma2 must be between 1e-6 and 2**112")
        what = {
            "sigma": "sigma must be",
            "rho": "rho must give a sigma, sensitivity / sqrt(2 rho),",
            "epsilon": "epsilon and delta must give a sigma",
        }
        return ValueError(f"{what[name]} between 1e-3 and 2**56")

    @property
    def spread(self) -> Fraction:
        """About the variance, for `coordinates` entries or else for one, at L2 norm 1."""
        return self._normal(self.coordinates or 1) or 1 / (2 * self.rho)

    def sigma2(self, norm: Fraction, entries: int, steps: int) -> Fraction:
        """Return sigma squared for an L2 norm, in units of integers.

        Parameters
        ----------
        norm : Fraction
            Of what one unit can change in all entries together.
        entries : int
            How many are released.
        steps : int
            By how many one unit can change a single entry.

        """
        enough = norm**2 / (2 * self.rho)
        if self.approximate is None:
            return enough
        epsilon, delta = self.approximate.epsilon, self.approximate.delta
        return least_sigma2(epsilon, delta, norm, steps, self.coordinates or entries, enough)

    def largest_rho(self, single: Fraction) -> Fraction:
        """Return the largest rho of all numbers of entries, where the norm grows with them.

        Parameters
        ----------
        single : Fraction
            That of one entry, or of `coordinates`.

        """
        spread = None if self.coordinates is not None else self._normal(2)
        # norm**2 / (2 (spread norm**2 + 3)) grows with the norm, to this:
        return single if spread is None else max(single, 1 / (2 * spread))

    def _normal(self, entries: int) -> Fraction | None:
        if self.approximate is None:
            return None
        return normal_spread(self.approximate.epsilon, self.approximate.delta, entries)

    def loss(self, rho: Fraction, relation: str | None) -> ZCDP | ApproxDP:
        """Return the cost under a relation, where the sigma in use costs so much in zCDP."""
        if self.approximate is None:
            return ZCDP(self.rho, relation=relation)
        epsilon, delta = self.approximate.epsilon, self.approximate.delta
        return ApproxDP(epsilon, delta, rho=self.shown(rho), relation=relation)

    def shown(self, rho: Fraction) -> Fraction:
        """Return what the sigma in use costs in zCDP; six digits, rounded up, if it was found."""
        return as_exact(rho) if self.approximate is None else decimal_above(rho)


def read_given(
    sensitivity: Number,
    rho: Number | None,
    sigma: Number | None,
    sigma2: Number | None,
    epsilon: Number | None,
    delta: Number | None,
    coordinates: Integer | None,
) -> Given:
    """Check the parameters of a Gaussian mechanism.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter, and unless exactly one of rho, sigma, sigma2 and the pair of epsilon
        and delta is given.

    """
    norm = norm_of(sensitivity, 2)
    count = coordinates_of(coordinates)
    pair = None if epsilon is None and delta is None else (epsilon, delta)
    ways = {"rho": rho, "sigma": sigma, "sigma2": sigma2, "epsilon with delta": pair}
    given = [name for name, value in ways.items() if value is not None]
    if not given:
        raise TypeError("rho must be given, or sigma, or sigma2, or epsilon with delta")
    if len(given) > 1:
        raise TypeError(
            f"only one of {' and '.join(given)} must be given, because each sets the noise"
        )
    if rho is not None:
        cost = read_positive(rho, "rho")
        return Given(norm, count, cost, None, f"rho={literal_of(cost)}")
    if sigma is not None:
        width = read_positive(sigma, "sigma")
        return Given(norm, count, norm**2 / (2 * width**2), None, f"sigma={literal_of(width)}")
    if sigma2 is not None:
        square = read_positive(sigma2, "sigma2")
        return Given(norm, count, norm**2 / (2 * square), None, f"sigma2={literal_of(square)}")
    if epsilon is None or delta is None:
        missing, there = ("epsilon", "delta") if epsilon is None else ("delta", "epsilon")
        raise TypeError(f"{missing} must be given with {there}: Gaussian noise has no pure epsilon")
    limit, rest = read_positive(epsilon, "epsilon"), read_positive(delta, "delta")
    target = ApproxDP(limit, rest)
    words = f"epsilon={literal_of(limit)}, delta={literal_of(rest)}"
    return Given(norm, count, rho_of(limit, rest), target, words)
