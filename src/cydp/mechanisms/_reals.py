# SPDX-License-Identifier: MIT
"""Mechanisms that add noise to real numbers, on a power-of-two grid."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp import threads
from cydp._random import Sampler, add_grid_noise
from cydp.accounting.loss import Loss
from cydp.exact._sums import GridSum
from cydp.mechanisms._arrays import Declared, declare, is_real, like
from cydp.mechanisms._charge import Budget, paid
from cydp.mechanisms._integers import IntegerMechanism
from cydp.mechanisms._steps import read_steps
from cydp.mechanisms._sums import release_sum
from cydp.random import Generator
from cydp.rational import Number, binary, text

_SUMS = "Laplace and Gaussian"
FLOAT64 = np.dtype(np.float64)
_LEAST_EXPONENT, _MOST_EXPONENT = -1021, 896  # cydp.h
NOISE_BITS = 40  # of the scale of the noise in units of the grid


class RealMechanism(ABC):
    """Adds noise to real numbers."""

    __slots__ = ()

    @property
    @abstractmethod
    def loss(self) -> Loss:
        """Privacy cost."""

    @abstractmethod
    def _drawing(self, given: Declared) -> tuple[int, Callable[[Generator], NDArray[np.float64]]]:
        """Return how often the loss is paid, and what reads the value and adds noise."""

    def _release_sum(
        self, total: GridSum, budget: Budget | None, rng: Generator | None
    ) -> float | NDArray[np.float64]:
        raise TypeError(f"value must be of real numbers, not an exact sum, which {_SUMS} release")

    @overload
    def release(
        self, value: float, *, budget: Budget | None = None, rng: Generator | None = None
    ) -> float: ...
    @overload
    def release(
        self,
        value: ArrayLike | GridSum,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> float | NDArray[np.float64]: ...
    def release(
        self,
        value: ArrayLike | GridSum,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> float | NDArray[np.float64]:
        """Return the value plus noise.

        Of `Laplace` and `Gaussian`, `loss` covers the whole call; of `Snapping` it is paid for each
        entry.

        Parameters
        ----------
        value : float or int, or array of floats of up to 64 bits or integers, or column
            Of any shape. NaN, and a null in a column of pandas, polars or pyarrow, counts as 0.
            Integers of any size are as exact as floats. More than 2**113 steps of the grid from 0
            (or 2**53, if that is more), or Snapping's bound, is cut there. `Laplace` and `Gaussian`
            also take a `GridSum` of `cydp.exact`, to which they add noise on its own grid.
        budget : PrivacyFilter, BudgetLedger or blocks of one, optional
            Charged before the value is read.
        rng : Generator, optional
            Default: this thread's own.

        Returns
        -------
        float, or ndarray of float64 of the same shape; for a pandas Series one with its index
            Multiples of the grid, rounded to float64.

        Raises
        ------
        TypeError, ValueError
            If value is not of numbers, budget no budget, or rng not a Generator.
        PrivacyError
            If the budget refuses.

        Examples
        --------
        >>> from cydp import Laplace
        >>> Laplace(epsilon=1, sensitivity=0.5).release([0.25, 1]).dtype
        dtype('float64')

        """
        if isinstance(value, GridSum):
            return self._release_sum(value, budget, rng)
        given = declare_reals(value, "value")
        count, draw = self._drawing(given)
        released = paid(self, draw, given.shape, FLOAT64, budget, rng, count=count)
        number = released.ndim == 0 and not isinstance(value, np.ndarray)
        return float(released) if number else like(value, released)


class GridMechanism(RealMechanism):
    """Adds integer noise in units of a grid, so that the sum is exact."""

    __slots__ = ()

    exponent: int
    relation: str | None

    @abstractmethod
    def _noise(self, entries: int) -> Sampler:
        """Return the noise for so many entries, in steps of the grid."""

    @property
    @abstractmethod
    def sensitivity(self) -> Fraction:
        """What one unit can change."""

    @property
    @abstractmethod
    def _norm_order(self) -> int:
        """Whether the sensitivity is an L1 or an L2 norm."""

    @abstractmethod
    def _in_steps(self, step: Fraction) -> IntegerMechanism:
        """Return the mechanism for integers that count steps, at the same cost."""

    def _release_sum(
        self, total: GridSum, budget: Budget | None, rng: Generator | None
    ) -> float | NDArray[np.float64]:
        return release_sum(self, self._in_steps(total.step), total, budget, rng)

    @property
    def granularity(self) -> Fraction:
        """The step of the grid."""
        return Fraction(2) ** self.exponent

    def _drawing(self, given: Declared) -> tuple[int, Callable[[Generator], NDArray[np.float64]]]:
        return 1, partial(_noisy, given, self._noise(given.size), self.exponent)


def _noisy(
    given: Declared, sampler: Sampler, exponent: int, generator: Generator
) -> NDArray[np.float64]:
    values, rest = read_steps(given, exponent, "value")
    noise = np.empty(values.shape, np.int64)
    generator.fill(sampler, noise)
    if rest is not None:
        noise += rest
    many = threads.NUM_THREADS if values.size > threads.SHARED_ABOVE else 1
    add_grid_noise(values.reshape(-1), noise.reshape(-1), exponent, many)
    return noise.view(np.float64)


def declare_reals(value: Any, name: str) -> Declared:
    """Return what a number, or an array of numbers, says of itself; no value is read.

    Raises
    ------
    TypeError
        For anything else, by the dtype of an array and the types of a list's entries.

    """
    given = declare(value, name, "real numbers")
    if given.listed:
        if not all(map(is_real, given.value.flat)):
            raise TypeError(f"{name} must be of integers or floats")
    elif given.dtype is None:
        if not is_real(value):
            raise TypeError(f"{name} must be of real numbers, not {type(value).__name__}")
    elif given.dtype.kind not in "iuf" or given.dtype.itemsize > 8:
        raise TypeError(f"{name} must be of integers or floats of 64 bits, not {given.dtype}")
    return given


def read_reals(given: Declared, name: str) -> NDArray[np.float64]:
    """Return a contiguous array of float64; integers that it does not hold, rounded towards 0."""
    if given.listed:
        read = [_towards_zero(entry) for entry in given.value.flat]
        return np.array(read, np.float64).reshape(given.shape)
    if given.dtype is None:
        return np.array(_towards_zero(given.value), np.float64)
    array = given.read(name)
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        return _all_towards_zero(array)
    with np.errstate(all="ignore"):  # a signalling NaN may warn
        return np.require(array, np.float64, ["C", "ALIGNED"])


def _towards_zero(entry: Any) -> float:
    if not isinstance(entry, int | np.integer):
        return float(entry)
    size = abs(int(entry))
    extra = max(size.bit_length() - 53, 0)
    # Beyond the largest float64 there is no neighbour below: infinite.
    number = float(size >> extra << extra) if extra <= 1024 - 53 else math.inf
    return -number if entry < 0 else number


def _all_towards_zero(array: NDArray[Any]) -> NDArray[np.float64]:
    """Return what `_towards_zero` does of each 64-bit integer."""
    signed = array.dtype.kind == "i"
    native = np.require(array, array.dtype.newbyteorder("="), ["C", "ALIGNED"])
    size = np.abs(native).view(np.uint64) if signed else native
    # The upper 53 of 64 bits are a float64 exactly, so that its exponent counts them.
    upper = np.frexp((size >> np.uint64(11)).astype(np.float64))[1].astype(np.int64)
    extra = np.maximum(upper + 11 - 53, 0).astype(np.uint64)
    numbers: NDArray[np.float64] = (size >> extra << extra).astype(np.float64)
    return np.where(native < 0, -numbers, numbers)


def grid_exponent(width: Fraction, granularity: Number | None) -> int:
    """Return the exponent of the grid for noise of a width, or of the one that was given.

    Raises
    ------
    TypeError, ValueError
        For a granularity that is no power of two, and for a grid outside 2**-1021 to 2**896.

    """
    if granularity is None:
        exponent = ceil_log2(width) - NOISE_BITS
        if not _LEAST_EXPONENT <= exponent <= _MOST_EXPONENT:
            raise ValueError("scale must be between 2**-981 and 2**936 without a granularity")
        return exponent
    step = binary(granularity, "granularity")
    if step <= 0 or Fraction(2) ** (exponent := ceil_log2(step)) != step:
        raise ValueError(f"granularity must be a power of two, not {text(step)}")
    if not _LEAST_EXPONENT <= exponent <= _MOST_EXPONENT:
        raise ValueError(f"granularity must be from 2**-1021 to 2**896, not 2**{exponent}")
    return exponent


def ceil_log2(number: Fraction) -> int:
    """Return the least e with 2**e >= number > 0.

    >>> ceil_log2(Fraction(1, 4)), ceil_log2(Fraction(5))
    (-2, 3)
    """
    e = number.numerator.bit_length() - number.denominator.bit_length() - 1
    while Fraction(2) ** e < number:
        e += 1
    return e


def float_up(number: Fraction) -> float:
    """Return the least float at or above a number >= 0."""
    try:
        nearest = number.numerator / number.denominator
    except OverflowError:
        return math.inf
    return nearest if Fraction(nearest) >= number else math.nextafter(nearest, math.inf)
