# SPDX-License-Identifier: MIT
"""From parameters, checked and exact, to prepared laws. What has been seen is kept."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._arguments import Number
from cydp._core import NoisyMax, Sampler
from cydp._numbers.rational import format_number, read_exact, read_positive

__all__ = [
    "bernoulli",
    "gaussian",
    "gaussian_of_square",
    "laplace",
    "laplace_of",
    "selection_of",
    "shift_of",
]

_KEPT = 256
_LEAST_SCALE, _LARGEST_SCALE = Fraction(1, 10**6), Fraction(2**56)
_LEAST_SIGMA, _LARGEST_SIGMA = Fraction(1, 10**3), Fraction(2**56)


def laplace(scale: Number) -> Sampler:
    """Prepare discrete Laplace noise; scale is checked."""
    return _laplace(_hashable(scale, "scale"))


def gaussian(sigma: Number | None, sigma2: Number | None = None) -> Sampler:
    """Prepare discrete Gaussian noise from exactly one of sigma and its square."""
    if (sigma is None) == (sigma2 is None):
        raise TypeError("exactly one of sigma and sigma2 must be given")
    if sigma is not None:
        return _gaussian(_hashable(sigma, "sigma"))
    return _gaussian_of_square(_hashable(cast("Number", sigma2), "sigma2"))


def bernoulli(p: Number) -> Sampler:
    """Prepare coins; p is checked."""
    return _bernoulli(_hashable(p, "p"))


@lru_cache(_KEPT)
def laplace_of(scale: Fraction, prefix_bits: int = 0) -> Sampler:
    """Prepare discrete Laplace noise of a scale of any length; prefix_bits as in cydp.h."""
    if not _LEAST_SCALE <= scale <= _LARGEST_SCALE:
        raise ValueError(f"scale must be between 1e-6 and 2**56, not {format_number(scale)}")
    limbs = _limbs(scale.numerator), _limbs(scale.denominator)
    return _core.discrete_laplace_sampler(*limbs, prefix_bits)


@lru_cache(_KEPT)
def gaussian_of_square(sigma2: Fraction) -> Sampler:
    """Prepare discrete Gaussian noise of a sigma squared of any length."""
    if not _LEAST_SIGMA**2 <= sigma2 <= _LARGEST_SIGMA**2:
        raise ValueError(f"sigma2 must be between 1e-6 and 2**112, not {format_number(sigma2)}")
    return _core.discrete_gaussian_sampler(_limbs(sigma2.numerator), _limbs(sigma2.denominator))


@lru_cache(_KEPT)
def shift_of(weight: Fraction, categories: int) -> Sampler:
    """Prepare shifts among categories: each but 0 with this probability, of any length."""
    return _core.category_offset_sampler(
        _limbs(weight.numerator), _limbs(weight.denominator), categories
    )


@lru_cache(_KEPT)
def selection_of(gumbel: bool, rate: Fraction) -> NoisyMax:
    """Prepare races at a positive rate whose numerator and denominator have up to 8,193 bits."""
    return NoisyMax(gumbel, _limbs(rate.numerator), _limbs(rate.denominator))


def _hashable(value: Number, name: str) -> Number:
    try:
        hash(value)
    except TypeError:
        read_exact(value, name)  # raises: no number is unhashable, but for Decimal's signalling NaN
    return value


# Typed, since True == 1 == 1.0, and the first is refused.
@lru_cache(_KEPT, typed=True)
def _laplace(scale: Number) -> Sampler:
    return laplace_of(read_positive(scale, "scale"))


@lru_cache(_KEPT, typed=True)
def _gaussian(sigma: Number) -> Sampler:
    value = read_positive(sigma, "sigma")
    if not _LEAST_SIGMA <= value <= _LARGEST_SIGMA:
        raise ValueError(f"sigma must be between 1e-3 and 2**56, not {format_number(value)}")
    return gaussian_of_square(value**2)


@lru_cache(_KEPT, typed=True)
def _gaussian_of_square(sigma2: Number) -> Sampler:
    return gaussian_of_square(read_positive(sigma2, "sigma2"))


@lru_cache(_KEPT, typed=True)
def _bernoulli(p: Number) -> Sampler:
    value = read_exact(p, "p")
    if not 0 <= value <= 1:
        raise ValueError(f"p must be between 0 and 1, not {format_number(value)}")
    return _core.bernoulli_sampler(_limbs(value.numerator), _limbs(value.denominator))


def _limbs(n: int) -> NDArray[np.uint64]:
    length = max(1, (n.bit_length() + 63) // 64)
    return np.frombuffer(n.to_bytes(8 * length, "little"), np.uint64)
