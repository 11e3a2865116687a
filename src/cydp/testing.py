# SPDX-License-Identifier: MIT
"""Things that must never guard real data: a seeded generator and the samplers' own bits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from cydp._random import Stream, chacha20_block, chacha20_keystream, map_discrete_laplace
from cydp.random import Generator, law_of
from cydp.rational import Number, positive

__all__ = ["MappedWords", "SeededGenerator", "chacha20_words", "map_words"]


class SeededGenerator(Generator):
    """A generator whose stream is the same for the same seed.

    For tests and research only: whoever knows the seed can subtract the noise. The stream may
    change in a minor release; the changelog says when. A forked child repeats the parent.

    Parameters
    ----------
    seed : int in [0, 2**256)
        The ChaCha20 key.

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

    def __init__(self, seed: SupportsIndex) -> None:
        if isinstance(seed, (bool, np.bool_)) or not hasattr(seed, "__index__"):
            raise TypeError(f"seed must be an integer, not {type(seed).__name__}")
        key = seed.__index__()
        if not 0 <= key < 2**256:
            raise ValueError("seed must be in [0, 2**256)")
        self._stream = Stream(np.frombuffer(key.to_bytes(32, "little"), np.uint32))

    def __repr__(self) -> str:
        return "<cydp.testing.SeededGenerator: predictable, not for real data>"


@dataclass(frozen=True)
class MappedWords:
    """What `map_words` returns: values, which of them the resolver finished, and its work."""

    values: NDArray[np.int64]
    undecided: NDArray[np.bool_]
    work: Mapping[str, int]


def map_words(
    scale: Number,
    words: NDArray[np.integer],
    extensions: NDArray[np.uint64] | None = None,
    *,
    prefix_bits: int = 0,
    resolve_all: bool = False,
) -> MappedWords:
    """Apply the discrete Laplace sampler to bits of your own: the code that serves `Generator`.

    Parameters
    ----------
    scale : number in [1e-6, 2**56]
    words : integers, shape (n,)
        One prefix word a sample: the sign in the lowest bit, the first bits of U above it.
    extensions : uint64, shape (n, 8 m), optional
        The bits behind each prefix, most significant first; by default m = 2 blocks of zeros.
    prefix_bits : int, default 0
        Bits of U in a word: 8 to 31, or 0 for the width that suits the scale.
    resolve_all : bool, default False
        Send everything to the exact resolver.

    Raises
    ------
    RuntimeError
        If the extensions given do not decide a sample.

    Examples
    --------
    >>> map_words(1, np.array([2**31, 2**31 + 1])).values
    array([ 1, -1])

    """
    law = law_of(positive(scale, "scale"), prefix_bits)
    width = np.dtype(np.uint64 if law.prefix_bits > 31 else np.uint32)
    prefixes = np.ascontiguousarray(words, width)
    n = len(prefixes)
    behind = np.zeros((n, 16), np.uint64) if extensions is None else extensions
    values, undecided = np.zeros(n, np.int64), np.zeros(n, np.uint8)
    work = map_discrete_laplace(
        law,
        prefixes.view(np.uint8),
        np.ascontiguousarray(behind, np.uint64),
        resolve_all,
        values,
        undecided,
    )
    return MappedWords(values, undecided.astype(bool), work)


def chacha20_words(
    key: NDArray[np.uint32], nonce: NDArray[np.uint32], counter: int, groups: int | None = None
) -> NDArray[np.uint32]:
    """Return keystream words of RFC 8439: one block, or groups of 16 interleaved blocks.

    In a group, word w of block b stands at 16 w + b.

    >>> zeros = np.zeros(8, np.uint32)
    >>> hex(chacha20_words(zeros, zeros[:3], 0)[0])
    '0xade0b876'
    """
    if groups is None:
        words = np.empty(16, np.uint32)
        chacha20_block(key, nonce, counter, words)
    else:
        words = np.empty(256 * groups, np.uint32)
        chacha20_keystream(key, nonce, counter, words)
    return words
