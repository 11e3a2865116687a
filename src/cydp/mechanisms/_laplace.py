# SPDX-License-Identifier: MIT
"""The Laplace mechanism on real numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cydp._arguments import Integer, Number
from cydp._call_errors import copy_base_methods, require_names
from cydp._core import Sampler
from cydp._numbers.rational import as_exact, float_of, literal_of, read_integer, read_positive
from cydp._samplers import prepare_discrete_laplace
from cydp._sensitivity import relation_of
from cydp.accounting._dominating_pairs import Pairs, laplace_pairs
from cydp.accounting._loss import PureDP
from cydp.mechanisms._coordinates import coordinates_of
from cydp.mechanisms._discrete_laplace import MOST_UNSTOPPED_SCALE, DiscreteLaplace
from cydp.mechanisms._grid import default_exponent, float_up, given_exponent
from cydp.mechanisms._grid_mechanism import GridMechanism
from cydp.mechanisms._sensitivity import norm_of, words_of

__all__ = ["Laplace"]


@copy_base_methods
@dataclass(frozen=True, slots=True, init=False, repr=False, match_args=False)
class Laplace(GridMechanism):
    """The Laplace mechanism on real numbers, exact on a grid.

    A value is rounded to a grid of a power of two, discrete Laplace noise is added as an integer,
    and the sum is converted to float64 once. No output tells by its bits what the value was.

    Parameters
    ----------
    epsilon : number > 0
        Privacy cost of one `release`, in pure DP.
    sensitivity : number > 0
        L1 norm, over the whole array released, of what one unit can change. A float is read up;
        one of `cydp.sensitivity` states the relation, and the loss is stated under it.
    step : number, optional
        The step of the grid, a power of two. Default: the largest that makes the scale, which is
        sensitivity / epsilon and pays for the rounding, 2**40 steps or more, and at most 0.1 %
        larger for `coordinates` entries, or else for as many as are released. Where that would
        take more than 2**52 steps, the finest grid of no more; then `scale` shows what the
        rounding costs.
    coordinates : int >= 1, optional
        How many entries one unit can change; default all that are released. Rounding moves
        each of them by up to one step of the grid, and the scale pays for it.

    Attributes
    ----------
    relation : str or None
        What the sensitivity, and so the loss, is stated under; None: nobody said.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter, and if the scale is outside [1e-6, 2**52] steps of the grid. It is,
        on every grid, for 2**52 epsilon entries or more.

    Notes
    -----
    Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity", 2006; on grids: Mironov, "On
    significance of the least significant bits", 2012; docs/mechanisms/grid_noise.md.

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
    _fixed: bool  # the grid, by who made it
    _single: Fraction
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
        limit, norm = read_positive(epsilon, "epsilon"), norm_of(sensitivity)
        object.__setattr__(self, "epsilon", limit)
        object.__setattr__(self, "sensitivity", norm)
        object.__setattr__(self, "coordinates", coordinates_of(coordinates))
        object.__setattr__(self, "_fixed", step is not None)
        exponent = self._default(1) if step is None else given_exponent(step)
        object.__setattr__(self, "_log2_step", exponent)
        object.__setattr__(self, "_single", self._computed(1))
        object.__setattr__(self, "relation", relation_of(sensitivity))
        object.__setattr__(self, "_loss", PureDP(limit, relation=self.relation))
        prepare_discrete_laplace(self._single)

    def _exponent(self, entries: int) -> int:
        if self._fixed or entries <= 1 or self.coordinates is not None:
            return self._log2_step
        return self._default(entries)

    def _default(self, entries: int) -> int:
        count, scale = self.coordinates or entries, self.sensitivity / self.epsilon
        left = MOST_UNSTOPPED_SCALE - count / self.epsilon  # steps, beside those for the rounding
        if left <= 0:
            raise ValueError(
                f"epsilon must be larger than {count} / 2**52 for {count} entries, each of which "
                "is rounded to a grid: fewer coordinates need less"
            )
        return default_exponent(scale**2, (self.sensitivity / count) ** 2, (scale / left) ** 2)

    def _steps(self, entries: int) -> Fraction:
        """Return the scale in steps of the grid, for so many entries."""
        if entries <= 1 or self.coordinates is not None:
            return self._single
        return self._computed(entries)

    def _computed(self, entries: int) -> Fraction:
        count = self.coordinates or entries
        step = Fraction(2) ** self._exponent(entries)
        steps = (self.sensitivity / step + count) / self.epsilon
        if steps > MOST_UNSTOPPED_SCALE:
            raise ValueError(
                "scale must be at most 2**52 steps of the grid: the step is too fine, the "
                "sensitivity is less than a step, or the entries are too many"
            )
        return steps

    @property
    def scale(self) -> Fraction:
        """Scale of the noise, for `coordinates` entries, or else for one.

        Give ``coordinates=n`` to see, and to have, that of a release of n entries.
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
    def variance(self) -> float:
        """Variance of the noise.

        >>> round(Laplace(epsilon=1, sensitivity=1).variance, 6)
        2.0
        """
        return float_of(Fraction(self._discrete(1).variance) * self.step**2)

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
        >>> round(Laplace(epsilon=1, sensitivity=1).error_bound(0.95), 3)
        2.996

        """
        entries = read_integer(count, "count")
        steps = self._discrete(entries).error_bound(confidence, count=entries) + Fraction(1, 2)
        return float_up(steps * Fraction(2) ** self._exponent(entries))

    def _discrete(self, entries: int) -> DiscreteLaplace:
        return DiscreteLaplace(epsilon=1 / self._steps(entries), sensitivity=1)

    @property
    def _norm_order(self) -> int:
        return 1

    def _noise(self, entries: int) -> Sampler:
        return prepare_discrete_laplace(self._steps(entries))

    def __repr__(self) -> str:
        grid = f", step=2.0**{self._log2_step}" if self._fixed else ""
        rest = "" if self.coordinates is None else f", coordinates={self.coordinates}"
        norm = words_of(self.sensitivity, self.relation)
        return f"Laplace(epsilon={literal_of(self.epsilon)}, sensitivity={norm}{grid}{rest})"
