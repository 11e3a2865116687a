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
from cydp._call_errors import require_names
from cydp._columns.declared import Declared
from cydp._columns.mechanism_inputs import read_floats
from cydp._generator import Generator
from cydp._numbers.bounds import read_bounds
from cydp._numbers.intervals import ln_bounds
from cydp._numbers.rational import as_exact, binary_literal_of, float_of, literal_of, read_positive
from cydp._sensitivity import relation_of
from cydp.accounting._loss import PureDP
from cydp.mechanisms._grid_mechanism import RealMechanism
from cydp.mechanisms._grid_noise import ceil_log2, float_up
from cydp.mechanisms._parameters import (
    format_sensitivity,
    log_failure_probability,
    read_norm,
    set_fields,
)
from cydp.mechanisms._run import fill_output

__all__ = ["Snapping", "assemble_uniform", "ln"]

_ROUNDING = Fraction(1, 2**53)  # the relative error of a float64 operation
_MOST_SCALES = 2**46  # from 0 to the larger bound
# Up to here float64 holds every integer, and every multiple of the unit if the value is in units.
# To read such a value does not increase its distance from a neighbouring one.
_LARGEST_EXACT = 2.0**53
# The relative distance of numpy's and of Python's logarithm, and of a product, from the correctly
# rounded ones is assumed to be at most 32 units in the last place. Less than 2 have been observed.
_UNCERTAINTY = 2.0**-48
_MOST_ZEROS = 1021  # bits 0 before the first 1, in a double that is not subnormal


@dataclass(frozen=True, slots=True, init=False, repr=False, match_args=False)
class Snapping(RealMechanism):
    """The snapping mechanism: Laplace noise in floating point, made private by rounding.

    It is for compatibility with other implementations: `Laplace` has a finer grid for the same
    cost, and needs no bounds. A value is clamped to the bounds, scale * ln(U) is added with a
    random sign, and the sum is rounded to a multiple of the least power of two that is at least
    the scale, and clamped again.

    Parameters
    ----------
    epsilon : number > 0
        Privacy cost of each released entry in pure DP, in nats. The noise is for a smaller
        epsilon, because the rounding has a cost, too.
    sensitivity : number > 0
        The largest change that one unit can make in an entry. It is rounded up to a power of two.
        A sensitivity from `cydp.sensitivity` states its relation, and the loss is then stated
        under it.
    bounds : (lower, upper)
        Mironov's bounds are (-B, B). B, the larger of abs(lower) and abs(upper), must be more than
        the scale and less than 2**46 scales; the noise is slightly larger for a larger B. If the
        bounds are wider than 2**53 and than 2**53 rounded sensitivities, values are clamped to the
        larger of these two.

    Attributes
    ----------
    relation : str or None
        The relation that sensitivity and loss are stated under, or None if none is stated.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    Notes
    -----
    It is the mechanism of theorem 1 of [1]_. It has no `pmf` or `cdf`: what is added depends on the
    value, since the sum is rounded to a step as large as the scale and is clamped, and on the
    rounding of each operation of floats.

    References
    ----------
    .. [1] Mironov, "On significance of the least significant bits for differential privacy", 2012.

    Examples
    --------
    >>> Snapping(epsilon=1, sensitivity=1, bounds=(-1000, 1000)).step
    Fraction(2, 1)

    """

    epsilon: Fraction
    sensitivity: Fraction
    bounds: tuple[Fraction, Fraction]
    relation: str | None
    _unit: Fraction  # the sensitivity, rounded up to a power of two
    _unit_float: float
    _lower: float  # in units, as are upper, scale and step
    _upper: float
    _scale: float
    _step: float

    @require_names
    def __init__(self, *, epsilon: Number, sensitivity: Number, bounds: Bounds) -> None:
        rate, norm = read_positive(epsilon, "epsilon"), read_norm(sensitivity)
        lower, upper = read_bounds(bounds)
        if lower == upper:
            raise ValueError("bounds=(lower, upper) must have lower < upper, not equal ones")
        unit = Fraction(2) ** ceil_log2(norm)
        if not Fraction(2) ** -900 <= unit <= Fraction(2) ** 900:
            raise ValueError("sensitivity must be from 2**-900 to 2**900")
        low, high = float_of(lower / unit), float_of(upper / unit)
        largest = max(-low, high)
        if rate <= 2 * _ROUNDING:
            raise ValueError("epsilon must be greater than 2**-52")
        if not largest < math.inf:
            raise ValueError("bounds must be less than 2**1024 sensitivities from 0")
        smaller = (rate - 2 * _ROUNDING) / (1 + 12 * Fraction(largest) * _ROUNDING)
        scale = float_up(1 / smaller)
        if not scale < largest < _MOST_SCALES * scale:
            raise ValueError(
                "bounds must have an end more than the scale from 0, which is about "
                f"{scale * float_of(unit):.6g}, and none 2**46 times as far"
            )
        set_fields(
            self,
            epsilon=rate,
            sensitivity=norm,
            bounds=(lower, upper),
            relation=relation_of(sensitivity),
            _unit=unit,
            _unit_float=float_of(unit),
            _lower=low,
            _upper=high,
            _scale=scale,
            _step=2.0 ** ceil_log2(Fraction(scale)),
        )

    @property
    def scale(self) -> Fraction:
        """Scale of the noise."""
        return as_exact(Fraction(self._scale) * self._unit)

    @property
    def step(self) -> Fraction:
        """The step of the grid: released numbers are multiples of it, or one of the bounds."""
        return as_exact(Fraction(self._step) * self._unit)

    @property
    def loss(self) -> PureDP:
        """Privacy cost of each released entry."""
        return PureDP(self.epsilon, relation=self.relation)

    @property
    def variance(self) -> float:
        """Approximate variance of the noise before clamping: 2 scale**2 + step**2 / 12.

        >>> round(Snapping(epsilon=1, sensitivity=1, bounds=(-1000, 1000)).variance, 3)
        2.333
        """
        return float_of(2 * self.scale**2 + self.step**2 / 12)

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> float:
        """Return the distance within which `count` results are from their clamped values.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that all results are.
        count : int >= 1, default 1
            The number of results.

        Returns
        -------
        float
            In units of the value.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> round(Snapping(epsilon=1, sensitivity=1, bounds=(-1000, 1000)).error_bound(0.95), 3)
        3.996

        """
        log_failure = log_failure_probability(confidence, count)
        scales = Fraction(-log_failure) * (1 + Fraction(1, 2**40))
        return float_up(scales * self.scale + self.step / 2)

    def _plan_draw(
        self, given: Declared, out: NDArray[np.float64] | None
    ) -> tuple[int, Callable[[Generator], NDArray[np.float64]]]:
        return given.size, partial(self._add_noise, given, out)

    def _add_noise(
        self, given: Declared, out: NDArray[np.float64] | None, generator: Generator
    ) -> NDArray[np.float64]:
        values = read_floats(given, "value")
        with np.errstate(all="ignore"):  # a signalling NaN may warn
            units = values.reshape(-1) / self._unit_float
            units[np.isnan(units)] = 0
            largest = max(_LARGEST_EXACT, _LARGEST_EXACT / self._unit_float)
            bounds = (min(max(end, -largest), largest) for end in (self._lower, self._upper))
            np.clip(units, *bounds, out=units)
        released = self._snap(units, *_draw(generator, units.size))
        released *= self._unit_float
        shaped = released.reshape(values.shape)
        return shaped if out is None else fill_output(out, shaped)

    def _release_one(self, value: float, generator: Generator) -> float | None:
        if type(value) is int and abs(value) > _LARGEST_EXACT:
            return None
        largest = max(_LARGEST_EXACT, _LARGEST_EXACT / self._unit_float)
        lower, upper = max(self._lower, -largest), min(self._upper, largest)
        x = 0.0 if math.isnan(value) else min(max(value / self._unit_float, lower), upper)
        u, halvings, sign = _draw_one(generator)
        noise = sign * self._scale * math.log(u)
        steps = self._round_one(x, noise * (1 - _UNCERTAINTY))
        if halvings or steps != self._round_one(x, noise * (1 + _UNCERTAINTY)):
            steps = self._round_one(x, sign * self._scale * ln(u, halvings))
        return min(max(steps * self._step, self._lower), self._upper) * self._unit_float

    def _round_one(self, x: float, noise: float) -> float:
        steps = (x + noise) / self._step
        below = math.floor(steps)
        return float(below + (steps - below >= 0.5))

    def _snap(
        self,
        x: NDArray[np.float64],
        u: NDArray[np.float64],
        halvings: NDArray[np.int64],
        sign: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        noise = sign * self._scale * np.log(u)
        steps = self._round(x, noise * (1 - _UNCERTAINTY))
        uncertain = steps != self._round(x, noise * (1 + _UNCERTAINTY))
        for i in np.flatnonzero(uncertain | (halvings > 0)):
            exact_noise = np.array([sign[i] * self._scale * ln(float(u[i]), int(halvings[i]))])
            steps[i] = self._round(x[i : i + 1], exact_noise)[0]
        steps *= self._step
        return np.clip(steps, self._lower, self._upper, out=steps)

    def _round(self, x: NDArray[np.float64], noise: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return x + noise in steps, rounded with ties upwards. It increases with the noise."""
        steps = (x + noise) / self._step
        below = np.floor(steps)
        nearest: NDArray[np.float64] = below + (steps - below >= 0.5)
        return nearest

    def __repr__(self) -> str:
        epsilon, norm = (
            literal_of(self.epsilon),
            format_sensitivity(self.sensitivity, self.relation),
        )
        lower, upper = map(binary_literal_of, self.bounds)
        return f"Snapping(epsilon={epsilon}, sensitivity={norm}, bounds=({lower}, {upper}))"


def _draw(
    generator: Generator, n: int
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Return n doubles in (0, 1), how many times each is to be halved, and n signs.

    Halvings are needed only if the number itself would be subnormal: once in 2**1022.
    """
    words = np.frombuffer(generator.bytes(16 * n), np.uint64).reshape(2, n)
    zeros = _trailing_zeros(words[0])
    unfinished = np.flatnonzero(zeros == 64)  # once in 2**64
    while len(unfinished):
        more = _trailing_zeros(np.frombuffer(generator.bytes(8 * len(unfinished)), np.uint64))
        zeros[unfinished] += more
        unfinished = unfinished[more == 64]
    sign = np.where(words[1] & np.uint64(1), -1.0, 1.0)
    halvings = np.maximum(zeros - _MOST_ZEROS, 0)
    return assemble_uniform(zeros - halvings, words[1]), halvings, sign


def _draw_one(generator: Generator) -> tuple[float, int, float]:
    """Return what `_draw` returns for n = 1, by the same words."""
    words = generator.bytes(16)
    word, bits = int.from_bytes(words[:8], "little"), int.from_bytes(words[8:], "little")
    zeros = 0
    while word == 0:
        word, zeros = int.from_bytes(generator.bytes(8), "little"), zeros + 64
    zeros += (word & -word).bit_length() - 1
    halvings = max(zeros - _MOST_ZEROS, 0)
    u = math.ldexp(1 + (bits >> 12) * 2.0**-52, halvings - zeros - 1)
    return u, halvings, -1.0 if bits & 1 else 1.0


def _trailing_zeros(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the number of bits 0 below the lowest 1 of each word; 64 if there is no 1."""
    return np.bitwise_count(~words & (words - np.uint64(1))).astype(np.int64)


def assemble_uniform(zeros: NDArray[np.int64], bits: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return doubles in (0, 1), each with the probability of the reals that round down to it.

    Their binary digits are `zeros` (at most 1,021) digits 0, a 1, and the upper 52 of `bits`.

    >>> assemble_uniform(np.array([0, 1]), np.array([0, 2**63], np.uint64)).tolist()
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
