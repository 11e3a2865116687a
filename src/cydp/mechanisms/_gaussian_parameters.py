# SPDX-License-Identifier: MIT
"""The parameters of Gaussian mechanisms: exactly one of rho, sigma, sigma2, (epsilon, delta)."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from cydp._arguments import Integer, Number
from cydp._numbers.rational import as_exact, literal_of, read_positive
from cydp._numbers.rounding import decimal_above
from cydp.accounting._conversion import rho_of
from cydp.accounting._loss import ZCDP, ApproxDP
from cydp.mechanisms._gaussian_calibration import least_sigma2, normal_variance
from cydp.mechanisms._parameters import read_coordinates, read_norm

__all__ = ["GaussianParameters", "read_parameters"]


@dataclass(frozen=True, slots=True)
class GaussianParameters:
    """The parameters of a Gaussian mechanism, checked.

    Attributes
    ----------
    sensitivity : Fraction
        L2 norm of the change that one unit can make.
    coordinates : int or None
        The number of entries that one unit can change, or None for all that are released.
    given_rho : Fraction or None
        The cost in zCDP of the sigma that was given.
    approximate : ApproxDP or None
        The loss that was given instead of rho or sigma; a smaller sigma may be sufficient for it.
    given : tuple of (str, Fraction)
        The parameters that set the noise, by name, as they were given.

    """

    sensitivity: Fraction
    coordinates: int | None
    given_rho: Fraction | None
    approximate: ApproxDP | None
    given: tuple[tuple[str, Fraction], ...] = field(hash=False)  # the others say enough

    @property
    def arguments(self) -> str:
        """The parameters that set the noise, as in a call."""
        return ", ".join(f"{name}={literal_of(number)}" for name, number in self.given)

    @property
    def rho(self) -> Fraction:
        """The cost in zCDP of sigma = sensitivity / sqrt(2 rho), which is always sufficient."""
        if self.approximate is None:
            assert self.given_rho is not None
            return self.given_rho
        return rho_of(self.approximate.epsilon, self.approximate.delta)

    @property
    def range_error(self) -> ValueError:
        """The error for a sigma, in integers, that no sampler takes."""
        name = self.given[0][0]
        if name == "sigma2":
            return ValueError("sigma2 must be between 1e-6 and 2**112")
        subjects = {
            "sigma": "sigma must be",
            "rho": "rho must give a sigma, sensitivity / sqrt(2 rho),",
            "epsilon": "epsilon and delta must give a sigma",
        }
        return ValueError(f"{subjects[name]} between 1e-3 and 2**56")

    @property
    def unit_variance(self) -> Fraction:
        """Approximate variance at L2 norm 1, for `coordinates` entries or else for one."""
        return self._normal_variance(self.coordinates or 1) or 1 / (2 * self.rho)

    def sigma2(self, norm: Fraction, entries: int, steps: int) -> Fraction:
        """Return the square of sigma, in integers.

        Parameters
        ----------
        norm : Fraction
            L2 norm of the change that one unit can make in all entries together.
        entries : int
            The number of entries that are released.
        steps : int
            The largest change that one unit can make in a single entry.

        """
        if self.approximate is None:
            return norm**2 / (2 * self.rho)
        epsilon, delta = self.approximate.epsilon, self.approximate.delta
        return least_sigma2(epsilon, delta, norm, steps, self.coordinates or entries)

    def largest_rho(self, single: Fraction) -> Fraction:
        """Return the largest rho that any number of entries has, if the norm grows with them.

        Parameters
        ----------
        single : Fraction
            The rho of one entry, or of `coordinates`.

        """
        variance = None if self.coordinates is not None else self._normal_variance(2)
        # norm**2 / (2 (variance norm**2 + 3)) increases with the norm, up to this limit.
        return single if variance is None else max(single, 1 / (2 * variance))

    def _normal_variance(self, entries: int) -> Fraction | None:
        if self.approximate is None:
            return None
        return normal_variance(self.approximate.epsilon, self.approximate.delta, entries)

    def loss(self, rho: Fraction, relation: str | None) -> ZCDP | ApproxDP:
        """Return the loss under a relation, if the sigma in use costs rho, rounded, in zCDP."""
        if self.approximate is None:
            return ZCDP(self.rho, relation=relation)
        epsilon, delta = self.approximate.epsilon, self.approximate.delta
        return ApproxDP(epsilon, delta, rho=rho, relation=relation)

    def round_rho(self, rho: Fraction) -> Fraction:
        """Return rho, rounded up to six digits if its sigma was found by a search."""
        return as_exact(rho) if self.approximate is None else decimal_above(rho)


def read_parameters(
    sensitivity: Number,
    rho: Number | None,
    sigma: Number | None,
    sigma2: Number | None,
    epsilon: Number | None,
    delta: Number | None,
    coordinates: Integer | None,
) -> GaussianParameters:
    """Check the parameters of a Gaussian mechanism.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed, or if not exactly one of rho, sigma, sigma2 and the pair of
        epsilon and delta is given.

    """
    norm = read_norm(sensitivity, 2)
    count = read_coordinates(coordinates)
    pair = None if epsilon is None and delta is None else (epsilon, delta)
    ways = {"rho": rho, "sigma": sigma, "sigma2": sigma2, "epsilon with delta": pair}
    ways_given = [name for name, value in ways.items() if value is not None]
    if not ways_given:
        raise TypeError("rho must be given, or sigma, or sigma2, or epsilon with delta")
    if len(ways_given) > 1:
        raise TypeError(
            f"only one of {' and '.join(ways_given)} must be given, because each sets the noise"
        )
    if rho is not None:
        cost = read_positive(rho, "rho")
        return GaussianParameters(norm, count, cost, None, (("rho", cost),))
    if sigma is not None:
        root = read_positive(sigma, "sigma")
        return GaussianParameters(norm, count, norm**2 / (2 * root**2), None, (("sigma", root),))
    if sigma2 is not None:
        square = read_positive(sigma2, "sigma2")
        return GaussianParameters(norm, count, norm**2 / (2 * square), None, (("sigma2", square),))
    if epsilon is None or delta is None:
        missing, other = ("epsilon", "delta") if epsilon is None else ("delta", "epsilon")
        raise TypeError(f"{missing} must be given with {other}: Gaussian noise has no pure epsilon")
    target = ApproxDP(read_positive(epsilon, "epsilon"), read_positive(delta, "delta"))
    given = ("epsilon", target.epsilon), ("delta", target.delta)
    return GaussianParameters(norm, count, None, target, given)
