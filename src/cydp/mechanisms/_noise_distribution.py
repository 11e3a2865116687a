# SPDX-License-Identifier: MIT
"""The distribution of the noise that a mechanism adds, on the grid on which it is released."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp._numbers.rational import float_of, format_binary, read_binary
from cydp.mechanisms._noise_laws import NoiseLaw

__all__ = ["GridNoiseDistribution", "NoiseDistribution"]

Points: TypeAlias = NDArray[Any] | list[Any] | tuple[Any, ...]

_INT64 = np.iinfo(np.int64)
_MOST_FLOAT = 2**53  # integers up to it are floats
_MOST_EXACT = 2.0**62  # differences of int64 below it have not wrapped around


class NoiseDistribution(ABC):
    """The distribution of the noise of one entry, around a value.

    The integers that are added have it, in steps of the grid. A value is first rounded to the grid,
    as `release` does.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def _law(self) -> NoiseLaw:
        """The distribution of the noise in steps, for `coordinates` entries, or else for one."""

    @property
    @abstractmethod
    def _noise_exponent(self) -> int | None:
        """The logarithm to base 2 of the step; None if values are integers, in steps of 1."""

    @overload
    def pmf(self, x: Number, *, value: Number = 0) -> float: ...
    @overload
    def pmf(self, x: Points, *, value: Number = 0) -> NDArray[np.float64]: ...
    def pmf(self, x: Number | Points, *, value: Number = 0) -> float | NDArray[np.float64]:
        """Return the probability that value + noise is x: 0 for an x that is not on the grid.

        Parameters
        ----------
        x : number, or array of numbers
            Points of the grid. A float is read as its exact binary value.
        value : number, default 0
            What noise is added to, such as f(D). It is rounded to the grid, as in a release.
            Default: the noise alone.

        Returns
        -------
        float, or ndarray of float64
            An array if x is one. The relative error is below 2e-12 for probabilities
            above 1e-300.

        Raises
        ------
        TypeError, ValueError
            If x is not numbers, or NaN; if value is not finite, or no integer where the mechanism
            adds to integers.

        Examples
        --------
        >>> from cydp import DiscreteLaplace
        >>> DiscreteLaplace(epsilon=1, sensitivity=1).pmf([0, 1]).round(4)
        array([0.4621, 0.17  ])
        >>> round(DiscreteLaplace(epsilon="0.1", sensitivity=1).pmf(547, value=546), 4)
        0.0452

        """
        steps, is_point = self._read_points(x, value)
        return _unwrap(np.where(is_point, self._law.pmf(steps), 0.0))

    @overload
    def cdf(self, x: Number, *, value: Number = 0) -> float: ...
    @overload
    def cdf(self, x: Points, *, value: Number = 0) -> NDArray[np.float64]: ...
    def cdf(self, x: Number | Points, *, value: Number = 0) -> float | NDArray[np.float64]:
        """Return the probability that value + noise is at most x; parameters as in `pmf`.

        The chance of an interval, for a count of 8 and of its neighbour 7:

        >>> from cydp import Laplace
        >>> noise = Laplace(epsilon=1, sensitivity=1)
        >>> [round(noise.cdf(11.2, value=n) - noise.cdf(4.7, value=n), 3) for n in (8, 7)]
        [0.961, 0.942]
        """
        steps, _ = self._read_points(x, value)
        return _unwrap(self._law.cdf(steps))

    @overload
    def sf(self, x: Number, *, value: Number = 0) -> float: ...
    @overload
    def sf(self, x: Points, *, value: Number = 0) -> NDArray[np.float64]: ...
    def sf(self, x: Number | Points, *, value: Number = 0) -> float | NDArray[np.float64]:
        """Return the probability that value + noise is more than x; parameters as in `pmf`.

        It has a small relative error where 1 - cdf(x) has lost all digits:

        >>> from cydp import Laplace
        >>> f"{Laplace(epsilon=1, sensitivity=1).sf(100):.4g}"
        '1.86e-44'
        """
        steps, _ = self._read_points(x, value)
        return _unwrap(self._law.cdf(-steps - 1))

    @overload
    def ppf(self, q: Number, *, value: Number = 0) -> float: ...
    @overload
    def ppf(self, q: Points, *, value: Number = 0) -> NDArray[Any]: ...
    def ppf(self, q: Number | Points, *, value: Number = 0) -> float | NDArray[Any]:
        """Return the least point of the grid at which the cdf is at least q, exactly.

        Parameters
        ----------
        q : number, or array of numbers, between 0 and 1
            Probabilities; a float is read as its exact binary value.
        value : number, default 0
            As in `pmf`.

        Returns
        -------
        int, or ndarray of int64, where the mechanism adds to integers; else float, or ndarray
            Integers are clamped to int64, as released ones are; a point of the grid is rounded to
            float64. Each q takes about a millisecond, and Gaussian noise a second below 1e-300.

        Raises
        ------
        TypeError, ValueError
            If q is not between 0 and 1, or value is not allowed.

        Examples
        --------
        >>> from cydp import DiscreteLaplace, Laplace
        >>> DiscreteLaplace(epsilon=1, sensitivity=1).ppf([0.01, 0.5, 0.99])
        array([-4,  0,  4])
        >>> round(Laplace(epsilon=1, sensitivity=1).ppf("1e-1000"), 6)
        -2301.891946

        """
        return self._invert(self._law.ppf, q, value)

    @overload
    def isf(self, q: Number, *, value: Number = 0) -> float: ...
    @overload
    def isf(self, q: Points, *, value: Number = 0) -> NDArray[Any]: ...
    def isf(self, q: Number | Points, *, value: Number = 0) -> float | NDArray[Any]:
        """Return the least point of the grid at which `sf` is at most q: ppf(1 - q), exactly.

        >>> from cydp import DiscreteLaplace
        >>> DiscreteLaplace(epsilon=1, sensitivity=1).isf(1e-100)
        229
        """
        return self._invert(lambda chance: self._law.ppf(1 - chance), q, value)

    @property
    def mean(self) -> float:
        """Mean of the noise: 0, because it is symmetric."""
        return 0.0

    @property
    def median(self) -> float:
        """Median of the noise: 0, the only one."""
        return 0.0

    @property
    def mode(self) -> float:
        """Mode of the noise: 0, the only one."""
        return 0.0

    @property
    def variance(self) -> float:
        """Variance of the noise, in the square of the unit of the value.

        Discrete Laplace noise has 2 p / (1 - p)**2 with p = exp(-1 / scale), a little less than
        2 scale**2.

        >>> from cydp import DiscreteLaplace, Laplace
        >>> round(DiscreteLaplace(epsilon=1, sensitivity=1).variance, 4)
        1.8413
        >>> round(Laplace(epsilon="0.5", sensitivity=7).variance, 6)
        392.0
        """
        exponent = self._noise_exponent or 0
        return float_of(Fraction(self._law.variance) * Fraction(4) ** exponent)

    @property
    def skewness(self) -> float:
        """Skewness of the noise: 0, because it is symmetric."""
        return 0.0

    @property
    def kurtosis(self) -> float:
        """Excess kurtosis of the noise: 3 for Laplace noise in the limit, 0 for normal noise.

        >>> from cydp import DiscreteLaplace, Gaussian, Laplace
        >>> round(DiscreteLaplace(epsilon=1, sensitivity=1).kurtosis, 4)
        3.5431
        >>> Laplace(epsilon=1, sensitivity=1).kurtosis, Gaussian(rho=1, sensitivity=1).kurtosis
        (3.0, 0.0)
        """
        return self._law.kurtosis

    @property
    def entropy(self) -> float:
        """Entropy of the noise in nats: minus the mean of ln(pmf).

        On a grid, entropy + ln(step) is close to the differential entropy of textbooks:

        >>> from math import e, log
        >>> from cydp import Laplace
        >>> noise = Laplace(epsilon=1, sensitivity=3)
        >>> round(noise.entropy + log(noise.step), 9), round(log(2 * e * 3), 9)
        (2.791759469, 2.791759469)
        """
        return self._law.entropy

    def _read_points(self, x: Any, value: Any) -> tuple[Any, Any]:
        """Return how many whole steps x is from the value's point, and whether x is on the grid."""
        points, exponent = _read_reals(x, "x"), self._noise_exponent
        starts = _read_values(value, exponent is None)
        if points.dtype.kind == starts.dtype.kind == "i" and (exponent or 0) <= 0:
            far = points.astype(np.float64) - starts
            with np.errstate(over="ignore"):
                near = points - starts
                apart = np.where(np.abs(far) < _MOST_EXACT, near, far)
                return np.ldexp(apart, -(exponent or 0)), True
        if _is_beyond_floats(points) or _is_beyond_floats(starts):
            return _count_steps(points, starts, exponent or 0)
        given = points.astype(np.float64)
        with np.errstate(under="ignore", over="ignore"):
            units = np.ldexp(given, -(exponent or 0))
            start = np.rint(np.ldexp(starts.astype(np.float64), -(exponent or 0)))
        below = np.floor(units) - ((units == 0) & (given < 0))  # ldexp may underflow
        return below - start, (below == units) & ((units != 0) | (given == 0))

    def _invert(
        self, inverse: Callable[[Fraction], int], q: Any, value: Any
    ) -> float | NDArray[Any]:
        exponent = self._noise_exponent
        starts = _read_values(value, exponent is None).astype(object)

        def point(chance: Any, start: Any) -> Any:
            number = read_binary(chance, "q")
            if not 0 < number < 1:
                raise ValueError(f"q must be between 0 and 1, not {format_binary(number)}")
            steps = inverse(number)
            if exponent is None:
                return min(max(start + steps, _INT64.min), _INT64.max)
            step = Fraction(2) ** exponent
            return float_of((round(Fraction(start) / step) + steps) * step)

        found: Any = np.frompyfunc(point, 2, 1)(np.asarray(q, object), starts)
        if not isinstance(found, np.ndarray):
            return found  # type: ignore[no-any-return]
        return found.astype(np.int64 if exponent is None else np.float64)


class GridNoiseDistribution(NoiseDistribution):
    """The distribution of noise on a grid that stands for real numbers."""

    __slots__ = ()

    @overload
    def pdf(self, x: Number, *, value: Number = 0) -> float: ...
    @overload
    def pdf(self, x: Points, *, value: Number = 0) -> NDArray[np.float64]: ...
    def pdf(self, x: Number | Points, *, value: Number = 0) -> float | NDArray[np.float64]:
        """Return the density of value + noise that a figure shows; parameters as in `pmf`.

        It is the probability of the greatest point of the grid that is at most x, over the step.
        The density of the textbook's continuous noise has the same values, but for a relative error
        of about a step over the scale, 2**-40 by default.

        >>> from cydp import Laplace
        >>> Laplace(epsilon=1, sensitivity=1).pdf([0, 0.1, 1]).round(6)
        array([0.5     , 0.452419, 0.18394 ])
        """
        steps, _ = self._read_points(x, value)
        assert self._noise_exponent is not None
        return _unwrap(np.ldexp(self._law.pmf(steps), -self._noise_exponent))


def _read_reals(x: Any, name: str) -> NDArray[Any]:
    """Return integers as int64, other floats as float64, and what neither holds as objects."""
    numbers = np.asarray(x)
    if numbers.dtype.kind == "u":
        fits = numbers.dtype.itemsize < 8 or not (numbers > _INT64.max).any()
        return numbers.astype(np.int64 if fits else object)
    if numbers.dtype.kind == "O":  # such as fractions
        exact = [read_binary(each, name) for each in numbers.flat]
        if all(each == float_of(each) for each in exact):
            return np.array([float_of(each) for each in exact]).reshape(numbers.shape)
        held = np.empty(len(exact), object)
        held[:] = exact
        return held.reshape(numbers.shape)
    if numbers.dtype.kind not in "if":
        raise TypeError(f"{name} must be numbers, not of dtype {numbers.dtype}")
    if np.isnan(numbers).any():
        raise ValueError(f"{name} must not be NaN")
    return numbers.astype(np.int64 if numbers.dtype.kind == "i" else np.float64)


def _read_values(value: Any, is_integer: bool) -> NDArray[Any]:
    """Return the values of a release, as `_read_reals` does; fractions as floats."""
    values = _read_reals(value, "value")
    if is_integer and values.dtype.kind != "i":
        raise TypeError("value must be integers of 64 bits, as in a release of this mechanism")
    if values.dtype.kind == "O":
        rounded = [x if x == int(x) else Fraction(float_of(x)) for x in values.flat]
        values.reshape(-1)[:] = rounded
    elif not np.isfinite(values).all():
        raise ValueError("value must be finite")
    return values


def _is_beyond_floats(numbers: NDArray[Any]) -> bool:
    """Whether float64 may not hold each of some numbers."""
    if numbers.dtype.kind == "i":
        return bool(((numbers > _MOST_FLOAT) | (numbers < -_MOST_FLOAT)).any())
    return numbers.dtype.kind == "O"


def _count_steps(points: NDArray[Any], starts: NDArray[Any], exponent: int) -> tuple[Any, Any]:
    """Return what `_read_points` does, by fractions."""
    step = Fraction(2) ** exponent

    def count(point: Any, start: Any) -> tuple[float, bool]:
        if not isinstance(point, int | Fraction) and not np.isfinite(point):
            return float(point), False
        units = Fraction(point) / step
        below = math.floor(units)
        return float_of(Fraction(below - round(Fraction(start) / step))), below == units

    below, on_grid = np.frompyfunc(count, 2, 2)(points.astype(object), starts.astype(object))
    return np.asarray(below, np.float64), np.asarray(on_grid, np.bool_)


def _unwrap(result: NDArray[np.float64]) -> float | NDArray[np.float64]:
    """Return a float for an array without dimensions."""
    return float(result) if np.ndim(result) == 0 else result
