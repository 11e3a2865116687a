# SPDX-License-Identifier: MIT
"""Things that must never guard real data: a seeded generator and the samplers' own bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._core import Sampler, chacha20_block, chacha20_keystream
from cydp._core import map_bits as map_core
from cydp._generator import Generator
from cydp._numbers.rational import format_number, read_integer, read_positive
from cydp._samplers import bernoulli, gaussian, laplace_of, shift_of

__all__ = [
    "MappedBits",
    "SeededGenerator",
    "bernoulli_sampler",
    "chacha20_words",
    "discrete_gaussian_sampler",
    "discrete_laplace_sampler",
    "map_bits",
    "shift_sampler",
]


def __dir__() -> list[str]:
    return __all__


class SeededGenerator(Generator):
    """A generator whose stream is the same for the same seed.

    For tests and research only: whoever knows the seed can subtract the noise. The stream may
    change in a minor release; the changelog says when. A forked child repeats the parent.

    Parameters
    ----------
    seed : int in [0, 2**256)
        The ChaCha20 key.
    fixed_work : bool, default False
        As of `Generator`; the values are the same.

    Raises
    ------
    TypeError, ValueError
        If seed is not such an integer.

    Examples
    --------
    >>> SeededGenerator(1).discrete_laplace(10) == SeededGenerator(1).discrete_laplace(10)
    True

    """

    __slots__ = ()

    _reproducible = True

    def __init__(self, seed: Integer, *, fixed_work: bool = False) -> None:
        if isinstance(seed, (bool, np.bool_)) or not hasattr(seed, "__index__"):
            raise TypeError(f"seed must be an integer, not {type(seed).__name__}")
        key = seed.__index__()
        if not 0 <= key < 2**256:
            raise ValueError("seed must be in [0, 2**256)")
        self._start(np.frombuffer(key.to_bytes(32, "little"), np.uint32), fixed_work)

    def __repr__(self) -> str:
        return "<cydp.testing.SeededGenerator: predictable, not for real data>"


def discrete_laplace_sampler(scale: Number, prefix_bits: int = 0) -> Sampler:
    """Prepare the discrete Laplace law of a scale, as `Generator.discrete_laplace` does.

    Parameters
    ----------
    scale : number in [1e-6, 2**56]
    prefix_bits : int, default 0
        From 8 to 31: the logarithm's route is taken, with so few bits of U in a word of 32.
        0: the route that suits the scale, as `Generator` takes it.

    Returns
    -------
    Sampler
        Its `layout` tells of which words a candidate is made.

    Raises
    ------
    TypeError, ValueError
        For another scale or prefix_bits.

    Examples
    --------
    >>> discrete_laplace_sampler(1).layout
    ((2, 0, 0), True)
    """
    bits = read_integer(prefix_bits, "prefix_bits")
    if bits and not 8 <= bits <= 31:
        raise ValueError(f"prefix_bits must be 0, or from 8 to 31, not {bits}")
    return laplace_of(read_positive(scale, "scale"), bits)


def discrete_gaussian_sampler(
    sigma: Number | None = None, *, sigma2: Number | None = None
) -> Sampler:
    """Prepare the discrete Gaussian law, as `Generator.discrete_gaussian` does.

    Parameters
    ----------
    sigma : number in [1e-3, 2**56]
        Or give
    sigma2 : number in [1e-6, 2**112]
        its square, exactly.

    Returns
    -------
    Sampler
        Its `layout` tells of which words a candidate is made.

    Raises
    ------
    TypeError, ValueError
        For another or no sigma, or both.

    Examples
    --------
    >>> discrete_gaussian_sampler(100).layout
    ((2, 2, 2), False)
    """
    return gaussian(sigma, sigma2)


def bernoulli_sampler(p: Number) -> Sampler:
    """Prepare coins, as `Generator.bernoulli` does.

    Parameters
    ----------
    p : number in [0, 1]
        The probability of True.

    Returns
    -------
    Sampler
        Its `layout` tells of which words a candidate is made.

    Raises
    ------
    TypeError, ValueError
        For another p.

    Examples
    --------
    >>> bernoulli_sampler("1/3").layout
    ((2, 0, 0), False)
    """
    return bernoulli(p)


def shift_sampler(p: Number, n_categories: int) -> Sampler:
    """Prepare the shifts of randomized response: 1 to n_categories - 1 with probability p each.

    Parameters
    ----------
    p : number in [2**-900, 1 / n_categories]
        The probability of each shift but 0.
    n_categories : int in [2, 2**31]

    Returns
    -------
    Sampler
        Its `layout` tells of which words a candidate is made.

    Raises
    ------
    TypeError, ValueError
        For another p or n_categories.

    Examples
    --------
    >>> shift_sampler("1/3", 3).layout
    ((2, 0, 0), False)
    """
    weight, categories = read_positive(p, "p"), read_integer(n_categories, "n_categories")
    if not 2 <= categories <= _MOST_CATEGORIES:
        raise ValueError(f"n_categories must be from 2 to 2**31, not {categories}")
    if not _LEAST_WEIGHT <= weight <= Fraction(1, categories):
        raise ValueError(f"p must be from 2**-900 to 1 / n_categories, not {format_number(weight)}")
    return shift_of(weight, categories)


_MOST_CATEGORIES, _LEAST_WEIGHT = 2**31, Fraction(1, 2**900)  # those of cydp.h
_DTYPES = {1: np.bool_, 2: np.uint16, 4: np.uint32, 8: np.int64}


@dataclass(frozen=True)
class MappedBits:
    """What `map_bits` returns.

    Attributes
    ----------
    values : ndarray
        Of the candidates that were accepted, in order.
    asked : ndarray of bool, shape (2, n)
        Whether extension bits were read, for decision 1 and 2 of each candidate.
    work : dict
        Candidates; decisions that the prefix left undecided; second looks, at 64 bits; those
        that the resolver took, and of these those for decision 2; levels of extension bits read.

    """

    values: NDArray[Any]
    asked: NDArray[np.bool_]
    work: Mapping[str, int]


def map_bits(
    sampler: Sampler,
    planes: Sequence[NDArray[np.integer]],
    signs: NDArray[np.bool_] | None = None,
    extensions: NDArray[np.uint64] | None = None,
    *,
    resolve_all: bool = False,
    fixed_work: bool = False,
) -> MappedBits:
    """Apply a sampler to given bits, by the code that serves `Generator`.

    Parameters
    ----------
    sampler : Sampler
        Of `discrete_laplace_sampler` and the like; its `layout` tells what a candidate is made of.
    planes : sequence of integer arrays, shape (n,)
        One for each width in `layout`: the words of the candidates.
    signs : bool, shape (n,), optional
        Needed if `layout` says so.
    extensions : uint64, shape (2, n, 8 m), optional
        The bits behind decision 1 and 2, most significant first; default: 2 levels, each
        64 bits a 1 and zeros.
    resolve_all : bool, default False
        Send every decision to the exact resolver.
    fixed_work : bool, default False
        Look again as often as ``Generator(fixed_work=True)`` does.

    Raises
    ------
    TypeError, ValueError
        For planes, signs or extensions of other shapes, or words that are too wide.
    RuntimeError
        If the extensions given do not decide a sample.

    Examples
    --------
    >>> map_bits(discrete_laplace_sampler(1), [np.array([0x8000, 0x4000])], np.array([0, 1])).values
    array([ 1, -1])

    """
    if not isinstance(sampler, Sampler):
        raise TypeError(f"sampler must be a Sampler, not {type(sampler).__name__}")
    widths, has_signs = sampler.layout
    dtypes = [np.dtype(f"u{width}") for width in widths if width]
    if not isinstance(planes, list | tuple) or len(planes) != len(dtypes):
        raise ValueError(f"planes must be a list of {len(dtypes)}, as sampler.layout says")
    n = len(planes[0])
    bits = b"".join(map(_words, planes, dtypes))
    if has_signs:
        if signs is None or len(signs) != n:
            raise ValueError("signs must be given, one for each word of a plane")
        bits += np.packbits(np.asarray(signs, bool), bitorder="little").tobytes()
    if extensions is None:
        extensions = np.full((2, n, 16), 2**63, np.uint64)
    if extensions.ndim != 3 or extensions.shape[:2] != (2, n) or extensions.shape[2] % 8:
        raise ValueError(f"extensions must be of shape (2, {n}, 8 m), not {extensions.shape}")
    values: NDArray[Any] = np.zeros(n, _DTYPES[sampler.value_bytes])
    asked = np.zeros((2, n), np.uint8)
    accepted, work = map_core(
        sampler,
        np.frombuffer(bits, np.uint8),
        np.ascontiguousarray(extensions, np.uint64),
        resolve_all,
        fixed_work,
        values,
        asked,
    )
    return MappedBits(values[:accepted], asked.astype(bool), work)


def _words(plane: NDArray[np.integer], dtype: np.dtype[Any]) -> bytes:
    given = np.asarray(plane)
    words = given.astype(dtype)
    if not np.array_equal(words, given):
        raise ValueError(f"planes must hold words of {8 * dtype.itemsize} bits, as in their layout")
    return words.tobytes()


def chacha20_words(
    key: NDArray[np.uint32], nonce: NDArray[np.uint32], counter: int, groups: int | None = None
) -> NDArray[np.uint32]:
    """Return keystream words of RFC 8439: one block, or groups of 16 interleaved blocks.

    Parameters
    ----------
    key : ndarray of uint32, shape (8,)
    nonce : ndarray of uint32, shape (3,)
    counter : int in [0, 2**32)
        Of the first block.
    groups : int, optional
        How many groups; None: one block. In a group, word w of block b stands at 16 w + b.

    Returns
    -------
    ndarray of uint32, shape (16,) or (256 * groups,)

    Raises
    ------
    TypeError, ValueError
        For another key, nonce, counter or groups.

    Examples
    --------
    >>> zeros = np.zeros(8, np.uint32)
    >>> hex(chacha20_words(zeros, zeros[:3], 0)[0])
    '0xade0b876'
    """
    given = {"key": (key, 8), "nonce": (nonce, 3)}
    for name, (array, length) in given.items():
        if not isinstance(array, np.ndarray) or array.dtype != np.uint32 or len(array) != length:
            raise TypeError(f"{name} must be an array of {length} uint32")
    if not 0 <= read_integer(counter, "counter") < 2**32:
        raise ValueError("counter must be from 0 to 2**32 - 1")
    if groups is not None and read_integer(groups, "groups") < 0:
        raise ValueError(f"groups must be at least 0, not {groups}")
    if groups is None:
        words = np.empty(16, np.uint32)
        chacha20_block(key, nonce, counter, words)
    else:
        words = np.empty(256 * groups, np.uint32)
        chacha20_keystream(key, nonce, counter, words)
    return words
