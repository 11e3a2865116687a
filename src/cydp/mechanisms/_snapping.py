# SPDX-License-Identifier: MIT
"""The snapping mechanism of Mironov."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Bounds, Integer, Number
from cydp._call_errors import copy_base_methods, require_names
from cydp._columns.declared import Declared
from cydp._columns.floats import read_floats
from cydp._generator import Generator
from cydp._numbers.bounds import read_bounds
from cydp._numbers.intervals import ln_bounds
from cydp._numbers.rational import as_exact, binary_literal_of, float_of, literal_of, read_positive
from cydp._sensitivity import relation_of
from cydp.accounting._loss import PureDP
from cydp.mechanisms._confidence import miss_of
from cydp.mechanisms._grid import ceil_log2, float_up
from cydp.mechanisms._grid_mechanism import RealMechanism
from cydp.mechanisms._sensitivity import norm_of, words_of

__all__ = ["Snapping", "ln", "uniform"]

_ETA = Fraction(1, 2**53)
_MOST_SCALES = 2**46  # from 0 to the bound
# To here float64 holds every integer, and in units every multiple of the unit: reading keeps
# neighbours as close as they are.
_WHOLE = 2.0**53
# How far numpy's logarithm and a product may be from the correctly rounded ones: 32 units in the
# last place, where less than 2 are seen.
_DOUBT = 2.0**-48
_MOST_ZEROS = 1021  # before the first one, of a double that is not subnormal


@copy_base_methods
@dataclass(frozen=True, slots=True, init=False, repr=False, match_args=False)
class Snapping(RealMechanism):
    """The snapping mechanism: Laplace noise in floating point, made private by rounding.

    Clamps to the bounds, adds scale * ln(U) with a random sign, rounds to a multiple of the least
    power of two that is at least the scale, and clamps again. For compatibility: `Laplace` has a
    finer grid for the same cost, and needs no bounds.

    Parameters
    ----------
    epsilon : number > 0
        Privacy cost of each entry released, in pure DP. The noise is that of a smaller one, since
        rounding costs, too.
    sensitivity : number > 0
        What one unit can change in an entry; rounded up to a power of two. One of
        `cydp.sensitivity` states the relation, and the loss is stated under it.
    bounds : (lower, upper)
        Mironov's are (-B, B). B, the larger of abs(lower) and abs(upper), must be more than the
        scale, and less than 2**46 of it; the noise grows a little with it. Values beyond 2**53 that
        are also beyond 2**53 rounded sensitivities are cut there, if the bounds are wider.

    Attributes
    ----------
    relation : str or None
        What the sensitivity, and so the loss, is stated under; None: nobody said.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter.

    Notes
    -----
    Mironov, "On significance of the least significant bits for differential privacy", 2012,
    theorem 1; docs/mechanisms/snapping.md says how its operations are done.

    Examples
    --------
    >>> Snapping(epsilon=1, sensitivity=1, bounds=(-1000, 1000)).step
    Fraction(2, 1)

    """

    epsilon: Fraction
    sensitivity: Fraction
    bounds: tuple[Fraction, Fraction]
    relation: str | None
    _unit: Fraction  # the sensitivity's power of two
    _unit_float: float
    _lower: float  # in units, and so are
    _upper: float  # these
    _scale: float
    _step: float

    @require_names
    def __init__(self, *, epsilon: Number, sensitivity: Number, bounds: Bounds) -> None:
        limit, norm = read_positive(epsilon, "epsilon"), norm_of(sensitivity)
        lower, upper = read_bounds(bounds)
        if lower == upper:
            raise ValueError("bounds=(lower, upper) must have lower < upper, not equal ones")
        unit = Fraction(2) ** ceil_log2(norm)
        if not Fraction(2) ** -900 <= unit <= Fraction(2) ** 900:
            raise ValueError("sensitivity must be from 2**-900 to 2**900")
        ends = float_of(lower / unit), float_of(upper / unit)
        most = max(-ends[0], ends[1])
        if limit <= 2 * _ETA:
            raise ValueError("epsilon must be greater than 2**-52")
        if not most < math.inf:
            raise ValueError("bounds must be less than 2**1024 sensitivities from 0")
        smaller = (limit - 2 * _ETA) / (1 + 12 * Fraction(most) * _ETA)
        scale = float_up(1 / smaller)
        if not scale < most < _MOST_SCALES * scale:
            raise ValueError(
                "bounds must have an end more than the scale from 0, which is about "
                f"{scale * float_of(unit):.6g}, and none 2**46 times as far"
            )
        values = (
            limit,
            norm,
            (lower, upper),
            relation_of(sensitivity),
            unit,
            float_of(unit),
            *ends,
            scale,
            2.0 ** ceil_log2(Fraction(scale)),
        )
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    @property
    def scale(self) -> Fraction:
        """Scale of the noise."""
        return as_exact(Fraction(self._scale) * self._unit)

    @property
    def step(self) -> Fraction:
        """The step of the grid: released numbers are multiples of it, or a bound."""
        return as_exact(Fraction(self._step) * self._unit)

    @property
    def loss(self) -> PureDP:
        """Privacy cost of each entry released."""
        return PureDP(self.epsilon, relation=self.relation)

    @property
    def variance(self) -> float:
        """About the variance of the noise before clamping: 2 scale**2 + step**2 / 12.

        >>> round(Snapping(epsilon=1, sensitivity=1, bounds=(-1000, 1000)).variance, 3)
        2.333
        """
        return float_of(2 * self.scale**2 + self.step**2 / 12)

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> float:
        """Half-width that `count` results are within of their values inside the bounds.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> round(Snapping(epsilon=1, sensitivity=1, bounds=(-1000, 1000)).error_bound(0.95), 3)
        3.996

        """
        scales = Fraction(-miss_of(confidence, count)) * (1 + Fraction(1, 2**40))
        return float_up(scales * self.scale + self.step / 2)

    def _drawing(self, given: Declared) -> tuple[int, Callable[[Generator], NDArray[np.float64]]]:
        return given.size, partial(self._noisy, given)

    def _noisy(self, given: Declared, generator: Generator) -> NDArray[np.float64]:
        values = read_floats(given, "value")
        with np.errstate(all="ignore"):  # a signalling NaN may warn
            units = values.reshape(-1) / self._unit_float
            units[np.isnan(units)] = 0
            most = max(_WHOLE, _WHOLE / self._unit_float)
            ends = (min(max(end, -most), most) for end in (self._lower, self._upper))
            np.clip(units, *ends, out=units)
        released = self._snapped(units, *_draw(generator, units.size))
        released *= self._unit_float
        return released.reshape(values.shape)

    def _snapped(
        self,
        x: NDArray[np.float64],
        u: NDArray[np.float64],
        halvings: NDArray[np.int64],
        sign: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        noise = sign * self._scale * np.log(u)
        steps = self._steps(x, noise * (1 - _DOUBT))
        doubtful = steps != self._steps(x, noise * (1 + _DOUBT))
        for i in np.flatnonzero(doubtful | (halvings > 0)):
            exactly = np.array([sign[i] * self._scale * ln(float(u[i]), int(halvings[i]))])
            steps[i] = self._steps(x[i : i + 1], exactly)[0]
        steps *= self._step
        return np.clip(steps, self._lower, self._upper, out=steps)

    def _steps(self, x: NDArray[np.float64], noise: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the nearest multiples of the step, ties upwards; grows with the noise."""
        places = (x + noise) / self._step
        below = np.floor(places)
        nearest: NDArray[np.float64] = below + (places - below >= 0.5)
        return nearest

    def __repr__(self) -> str:
        epsilon, norm = literal_of(self.epsilon), words_of(self.sensitivity, self.relation)
        lower, upper = map(binary_literal_of, self.bounds)
        return f"Snapping(epsilon={epsilon}, sensitivity={norm}, bounds=({lower}, {upper}))"


def _draw(
    generator: Generator, n: int
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Return n doubles in (0, 1), how often each is to be halved, and n signs.

    A halving is asked for where the number itself would be subnormal: once in 2**1022.
    """
    words = np.frombuffer(generator.bytes(16 * n), np.uint64).reshape(2, n)
    zeros = _trailing_zeros(words[0])
    rare = np.flatnonzero(zeros == 64)  # once in 2**64
    while len(rare):
        more = _trailing_zeros(np.frombuffer(generator.bytes(8 * len(rare)), np.uint64))
        zeros[rare] += more
        rare = rare[more == 64]
    sign = np.where(words[1] & np.uint64(1), -1.0, 1.0)
    halvings = np.maximum(zeros - _MOST_ZEROS, 0)
    return uniform(zeros - halvings, words[1]), halvings, sign


def _trailing_zeros(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return how many fair bits are 0 before the first 1; 64 if all are."""
    return np.bitwise_count(~words & (words - np.uint64(1))).astype(np.int64)


def uniform(zeros: NDArray[np.int64], bits: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return doubles in (0, 1), each with the probability of the reals that round down to it.

    `zeros`, at most 1,021, are how many of fair bits come before the first one; the upper 52 of
    `bits` come behind it.

    >>> uniform(np.array([0, 1]), np.array([0, 2**63], np.uint64)).tolist()
    [0.5, 0.375]
    """
    ones = (bits >> np.uint64(12)) | np.uint64(0x3FF << 52)
    u: NDArray[np.float64] = np.ldexp(ones.view(np.float64), -1 - zeros)
    return u


def ln(u: float, halvings: int = 0) -> float:
    """Return the float nearest to the logarithm of u / 2**halvings.

    >>> ln(0.5), round(ln(0.5, 1999) / ln(0.5))
    (-0.6931471805599453, 2000)
    """
    number, digits = Fraction(u) / 2**halvings, 40
    while True:
        low, high = ln_bounds(number, digits)
        if float(low) == float(high):  # fractions are rounded correctly
            return float(low)
        digits *= 2
