# SPDX-License-Identifier: MIT
"""For tests and research, never for real data: a seeded generator, and samplers of given bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._core import Sampler, aes256_keystream, chacha20_block, chacha20_keystream
from cydp._core import map_bits as map_core
from cydp._generator import Generator
from cydp._numbers.rational import format_number, read_integer, read_positive
from cydp._samplers import (
    prepare_category_offset,
    prepare_discrete_laplace,
    read_bernoulli,
    read_discrete_gaussian,
)

__all__ = [
    "MappedBits",
    "SeededGenerator",
    "aes256_words",
    "bernoulli_sampler",
    "category_offset_sampler",
    "chacha20_words",
    "discrete_gaussian_sampler",
    "discrete_laplace_sampler",
    "map_bits",
]


def __dir__() -> list[str]:
    return __all__


class SeededGenerator(Generator):
    """A generator with the same stream for the same seed.

    It is for tests and research only: a person who knows the seed can subtract the noise, so
    budgets refuse it. The stream may change in a minor release; the changelog says when. A forked
    child repeats the parent's stream.

    Parameters
    ----------
    seed : int in [0, 2**256)
        The key.
    fixed_work : bool, default False
        As in `Generator`; the values are the same.
    stream : {"chacha20", "aes"}, default "chacha20"
        The cipher that expands the key. ChaCha20 gives the same values on every machine. AES gives
        other values, on machines that have it.

    Raises
    ------
    TypeError, ValueError
        If seed is not such an integer, fixed_work is not a bool, or stream is not allowed.
    RuntimeError
        If stream is "aes", and this CPU or the kernels in use have no instructions for it.

    Examples
    --------
    >>> SeededGenerator(1).discrete_laplace(10) == SeededGenerator(1).discrete_laplace(10)
    True

    """

    __slots__ = ()

    _reproducible = True

    def __init__(
        self,
        seed: Integer,
        *,
        fixed_work: bool = False,
        stream: Literal["aes", "chacha20"] = "chacha20",
    ) -> None:
        if isinstance(seed, (bool, np.bool_)) or not hasattr(seed, "__index__"):
            raise TypeError(f"seed must be an integer, not {type(seed).__name__}")
        key = seed.__index__()
        if not 0 <= key < 2**256:
            raise ValueError("seed must be in [0, 2**256)")
        if stream is None:
            raise TypeError("stream must be a string, not NoneType")
        self._start(np.frombuffer(key.to_bytes(32, "little"), np.uint32), fixed_work, stream)

    def __repr__(self) -> str:
        return "<cydp.testing.SeededGenerator: predictable, not for real data>"


def discrete_laplace_sampler(scale: Number, prefix_bits: int = 0) -> Sampler:
    """Prepare the sampler that `Generator.discrete_laplace` uses.

    Parameters
    ----------
    scale : number in [1e-6, 2**56]
    prefix_bits : int, default 0
        From 8 to 31: the inverse CDF is used, with this number of bits of U in a word of 32.
        0: the method that suits the scale is used, as in `Generator`.

    Returns
    -------
    Sampler
        Its `layout` says which words a candidate is made of.

    Raises
    ------
    TypeError, ValueError
        If scale or prefix_bits is not allowed.

    Examples
    --------
    >>> discrete_laplace_sampler(1).layout
    ((2, 0, 0), True)
    """
    bits = read_integer(prefix_bits, "prefix_bits")
    if bits and not 8 <= bits <= 31:
        raise ValueError(f"prefix_bits must be 0, or from 8 to 31, not {bits}")
    return prepare_discrete_laplace(read_positive(scale, "scale"), bits)


def discrete_gaussian_sampler(
    sigma: Number | None = None, *, sigma2: Number | None = None
) -> Sampler:
    """Prepare the sampler that `Generator.discrete_gaussian` uses.

    Parameters
    ----------
    sigma : number in [1e-3, 2**56], optional
        Exactly one of sigma and sigma2 must be given.
    sigma2 : number in [1e-6, 2**112], optional
        Square of sigma.

    Returns
    -------
    Sampler
        Its `layout` says which words a candidate is made of.

    Raises
    ------
    TypeError, ValueError
        If sigma or sigma2 is not allowed, or not exactly one of them is given.

    Examples
    --------
    >>> discrete_gaussian_sampler(100).layout
    ((2, 2, 2), False)
    """
    return read_discrete_gaussian(sigma, sigma2)


def bernoulli_sampler(p: Number) -> Sampler:
    """Prepare the sampler that `Generator.bernoulli` uses.

    Parameters
    ----------
    p : number in [0, 1]
        The probability of True.

    Returns
    -------
    Sampler
        Its `layout` says which words a candidate is made of.

    Raises
    ------
    TypeError, ValueError
        If p is not allowed.

    Examples
    --------
    >>> bernoulli_sampler("1/3").layout
    ((2, 0, 0), False)
    """
    return read_bernoulli(p)


def category_offset_sampler(p: Number, n_categories: int) -> Sampler:
    """Prepare category offsets, which randomized response adds to codes modulo n_categories.

    Parameters
    ----------
    p : number in [2**-900, 1 / n_categories]
        The probability of each offset from 1 to n_categories - 1; offset 0 has the rest.
    n_categories : int in [2, 2**31]

    Returns
    -------
    Sampler
        Its `layout` says which words a candidate is made of.

    Raises
    ------
    TypeError, ValueError
        If p or n_categories is not allowed.

    Examples
    --------
    >>> category_offset_sampler("1/3", 3).layout
    ((2, 0, 0), False)
    """
    probability, categories = read_positive(p, "p"), read_integer(n_categories, "n_categories")
    if not 2 <= categories <= _MOST_CATEGORIES:
        raise ValueError(f"n_categories must be from 2 to 2**31, not {categories}")
    if not _LEAST_PROBABILITY <= probability <= Fraction(1, categories):
        raise ValueError(
            f"p must be from 2**-900 to 1 / n_categories, not {format_number(probability)}"
        )
    return prepare_category_offset(probability, categories)


_MOST_CATEGORIES, _LEAST_PROBABILITY = 2**31, Fraction(1, 2**900)  # as in cydp.h
_DTYPES = {1: np.bool_, 2: np.uint16, 4: np.uint32, 8: np.int64}


@dataclass(frozen=True)
class MappedBits:
    """The values of a sampler from given bits, as `map_bits` returns them.

    Attributes
    ----------
    values : ndarray
        The values of the accepted candidates, in order.
    asked : ndarray of bool, shape (2, n)
        Whether extension bits were read, for decisions 1 and 2 of each candidate.
    work : dict
        The numbers of candidates, of decisions that the prefix left undecided, of second looks at
        64 bits, of exact comparisons, of exact comparisons for decision 2, and of levels of
        extension bits that were read.

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
        From `discrete_laplace_sampler` and the like. Its `layout` says which words make a
        candidate.
    planes : sequence of integer arrays, shape (n,)
        The words of the candidates, one array for each width in `layout`.
    signs : bool, shape (n,), optional
        The signs of the candidates, if `layout` says that they have some.
    extensions : uint64, shape (2, n, 8 m), optional
        The further bits of decisions 1 and 2, most significant first. Default: 2 levels, in which
        each word of 64 bits is a 1 followed by zeros.
    resolve_all : bool, default False
        Whether every decision is made by an exact comparison.
    fixed_work : bool, default False
        Whether there are as many second looks as with ``Generator(fixed_work=True)``.

    Returns
    -------
    MappedBits

    Raises
    ------
    TypeError, ValueError
        If planes, signs or extensions have other shapes, or words are too wide.
    RuntimeError
        If the given extensions do not decide a sample.

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
        The counter of the first block.
    groups : int, optional
        The number of groups. Word w of block b of a group has the index 16 w + b in it. Default:
        one block, without groups.

    Returns
    -------
    ndarray of uint32, shape (16,) or (256 * groups,)

    Raises
    ------
    TypeError, ValueError
        If key, nonce, counter or groups is not allowed.

    Examples
    --------
    >>> zeros = np.zeros(8, np.uint32)
    >>> hex(chacha20_words(zeros, zeros[:3], 0)[0])
    '0xade0b876'
    """
    _check_address(key, nonce, counter)
    if groups is not None and read_integer(groups, "groups") < 0:
        raise ValueError(f"groups must be at least 0, not {groups}")
    if groups is None:
        words = np.empty(16, np.uint32)
        chacha20_block(key, nonce, counter, words)
    else:
        words = np.empty(256 * groups, np.uint32)
        chacha20_keystream(key, nonce, counter, words)
    return words


def aes256_words(
    key: NDArray[np.uint32], nonce: NDArray[np.uint32], counter: int, groups: int = 1
) -> dict[str, NDArray[np.uint32]]:
    """Return keystream words of AES-256 in counter mode, by each version that runs here.

    Parameters
    ----------
    key : ndarray of uint32, shape (8,)
    nonce : ndarray of uint32, shape (3,)
        The first 12 bytes of the counter block, as they lie in memory.
    counter : int in [0, 2**32)
        The last 4 bytes of the first counter block, most significant byte first.
    groups : int, default 1
        The number of groups of 64 blocks.

    Returns
    -------
    dict of ndarray of uint32, shape (256 * groups,)
        The words by the version's name: "vaes512", "vaes", "aesni" or "armv8". It is empty if the
        CPU or the kernels in use have no AES.

    Raises
    ------
    TypeError, ValueError
        If key, nonce, counter or groups is not allowed, or the counter would pass 2**32.

    Examples
    --------
    >>> zeros = np.zeros(8, np.uint32)
    >>> {hex(words[0]) for words in aes256_words(zeros, zeros[:3], 0).values()} <= {"0x78c095dc"}
    True
    """
    _check_address(key, nonce, counter)
    if read_integer(groups, "groups") < 0:
        raise ValueError(f"groups must be at least 0, not {groups}")
    if counter + 64 * groups > 2**32:
        raise ValueError("counter must not pass 2**32 - 1")
    versions: dict[str, NDArray[np.uint32]] = {}
    while True:
        words = np.empty(256 * groups, np.uint32)
        name = aes256_keystream(len(versions), key, nonce, counter, words)
        if name is None:
            return versions
        versions[name] = words


def _check_address(key: NDArray[np.uint32], nonce: NDArray[np.uint32], counter: int) -> None:
    for name, array, length in (("key", key, 8), ("nonce", nonce, 3)):
        if not isinstance(array, np.ndarray) or array.dtype != np.uint32 or len(array) != length:
            raise TypeError(f"{name} must be an array of {length} uint32")
    if not 0 <= read_integer(counter, "counter") < 2**32:
        raise ValueError("counter must be from 0 to 2**32 - 1")
