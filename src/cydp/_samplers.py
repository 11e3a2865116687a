# SPDX-License-Identifier: MIT
"""Prepared samplers: parameters are checked and read exactly, tables are computed once and kept."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._arguments import Number
from cydp._core import NoisyMax, Quantile, Sampler
from cydp._numbers.rational import format_number, read_exact, read_positive

__all__ = [
    "check_scale",
    "check_sigma2",
    "narrow",
    "prepare_category_offset",
    "prepare_discrete_gaussian",
    "prepare_discrete_laplace",
    "prepare_noisy_max",
    "prepare_quantile",
    "read_bernoulli",
    "read_discrete_gaussian",
    "read_discrete_laplace",
    "reader_of_gaussian",
]

_KEPT = 256  # samplers of each kind
_LEAST_SIGMA, _LARGEST_SIGMA = Fraction(1, 10**3), Fraction(2**56)


def _keep(read: Callable[[Number], Sampler]) -> Callable[[Any], Sampler]:
    """Keep the samplers that a function has made, by the number that a caller wrote."""
    # Typed, since True == 1 == 1.0, and True is refused.
    kept = lru_cache(_KEPT, typed=True)(read)

    @wraps(read)
    def keeping(number: Number) -> Sampler:
        try:
            hash(number)
        except TypeError:  # no number, or Decimal's signalling NaN: both are refused
            return read(number)
        return kept(number)

    return keeping


@_keep
def read_discrete_laplace(scale: Number) -> Sampler:
    """Return a sampler of discrete Laplace noise, or raise an error that names the scale."""
    return prepare_discrete_laplace(read_positive(scale, "scale"))


def read_discrete_gaussian(sigma: Any, sigma2: Any = None) -> Sampler:
    """Return a sampler of discrete Gaussian noise, from exactly one of sigma and its square."""
    read, given = reader_of_gaussian(sigma, sigma2)
    return read(given)


def reader_of_gaussian(sigma: Any, sigma2: Any) -> tuple[Callable[[Any], Sampler], Any]:
    """Return how the given one of sigma and its square is read, and that one."""
    if (sigma is None) == (sigma2 is None):
        raise TypeError("exactly one of sigma and sigma2 must be given")
    return (_read_sigma2, sigma2) if sigma is None else (_read_sigma, sigma)


@_keep
def _read_sigma(sigma: Number) -> Sampler:
    value = read_positive(sigma, "sigma")
    if not _LEAST_SIGMA <= value <= _LARGEST_SIGMA:
        raise ValueError(f"sigma must be between 1e-3 and 2**56, not {format_number(value)}")
    return prepare_discrete_gaussian(value**2)


@_keep
def _read_sigma2(sigma2: Number) -> Sampler:
    return prepare_discrete_gaussian(read_positive(sigma2, "sigma2"))


@_keep
def read_bernoulli(p: Number) -> Sampler:
    """Return a sampler of booleans, or raise an error that names p."""
    value = read_exact(p, "p")
    if not 0 <= value <= 1:
        raise ValueError(f"p must be between 0 and 1, not {format_number(value)}")
    return _core.make_sampler("bernoulli", *_limbs_of(value))


def check_scale(n: int, d: int) -> None:
    """Raise a ValueError unless there is a sampler for a scale of n / d."""
    if not (d <= 10**6 * n and n <= 2**56 * d):
        given = format_number(Fraction(n, d))
        raise ValueError(f"scale must be between 1e-6 and 2**56, not {given}")


def prepare_discrete_laplace(scale: Fraction, prefix_bits: int = 0) -> Sampler:
    """Return a sampler for a scale of any length; prefix_bits as in cydp_testing.h."""
    return _discrete_laplace_of(scale.numerator, scale.denominator, prefix_bits)


@lru_cache(_KEPT)  # by integers: a Fraction would compute its hash at every call
def _discrete_laplace_of(n: int, d: int, prefix_bits: int) -> Sampler:
    check_scale(n, d)
    limbs = _words_of(n), _words_of(d)
    if prefix_bits:
        return _core.make_discrete_laplace_prefix(*limbs, prefix_bits)
    return _core.make_sampler("discrete_laplace", *limbs)


def check_sigma2(n: int, d: int) -> None:
    """Raise a ValueError unless there is a sampler for a square of sigma of n / d."""
    if not (d <= 10**6 * n and n <= 2**112 * d):
        given = format_number(Fraction(n, d))
        raise ValueError(f"sigma2 must be between 1e-6 and 2**112, not {given}")


def prepare_discrete_gaussian(sigma2: Fraction) -> Sampler:
    """Return a sampler for a square of sigma of any length."""
    return _discrete_gaussian_of(sigma2.numerator, sigma2.denominator)


@lru_cache(_KEPT)
def _discrete_gaussian_of(n: int, d: int) -> Sampler:
    check_sigma2(n, d)
    return _core.make_sampler("discrete_gaussian", _words_of(n), _words_of(d))


def narrow(sampler: Sampler, demand: str) -> Sampler:
    """Return a sampler of the same values as int32, or raise an error that names the limits.

    The error begins with the demand, such as "dtype must be".
    """
    try:
        return _core.make_int32(sampler)
    except ValueError:
        raise ValueError(
            f"{demand} int64, not int32, for a scale above 2**24 or a sigma above 2**27"
        ) from None


@lru_cache(_KEPT)
def prepare_category_offset(p: Fraction, categories: int) -> Sampler:
    """Return a sampler of offsets, each with probability p except 0; p may be of any length."""
    return _core.make_category_offset(*_limbs_of(p), categories)


@lru_cache(_KEPT)
def prepare_noisy_max(gumbel: bool, rate: Fraction) -> NoisyMax:
    """Return report noisy max, for a positive rate of at most 8,193 bits above and below the bar.

    The noise of rate * score is Gumbel noise or else exponential noise.
    """
    return NoisyMax(gumbel, *_limbs_of(rate))


@lru_cache(_KEPT)
def prepare_quantile(q: Fraction, rate: Fraction) -> Quantile:
    """Return a quantile for q from 0 to 1 of 64 bits, and a rate as in `prepare_noisy_max`."""
    return Quantile(q.numerator, q.denominator, *_limbs_of(rate))


def _limbs_of(number: Fraction) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return numerator and denominator in words of 64 bits, the lowest first."""
    return _words_of(number.numerator), _words_of(number.denominator)


def _words_of(n: int) -> NDArray[np.uint64]:
    length = max(1, (n.bit_length() + 63) // 64)
    return np.frombuffer(n.to_bytes(8 * length, "little"), np.uint64)
