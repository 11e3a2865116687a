# SPDX-License-Identifier: MIT
"""Exact noise from a cryptographic generator."""

import math
import threading
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NoReturn, SupportsIndex, TypeAlias, cast, overload

import numpy as np
from numpy.typing import NDArray

from cydp._random import DiscreteLaplaceLaw, Stream
from cydp.rational import Number, index, positive, text

Size: TypeAlias = SupportsIndex | Sequence[SupportsIndex]

_LEAST_SCALE = Fraction(1, 10**6)
_LARGEST_SCALE = Fraction(2**56)


class Generator:
    """A source of exact noise, keyed by the operating system.

    The stream is ChaCha20 (RFC 8439) with fast key erasure: earlier noise cannot be computed
    from the generator's memory. Threads may share one. A forked child keys its copy afresh.
    It cannot be seeded, pickled or copied.

    Raises
    ------
    OSError
        If the operating system gives no random bytes, here or in a forked child's next call.

    Examples
    --------
    >>> g = Generator()
    >>> g.discrete_laplace(2, size=3).dtype
    dtype('int64')

    """

    __slots__ = ("__weakref__", "_stream")

    def __init__(self) -> None:
        self._stream = Stream()

    @overload
    def discrete_laplace(self, scale: Number, size: None = None, *, out: None = None) -> int: ...
    @overload
    def discrete_laplace(
        self, scale: Number, size: Size, *, out: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]: ...
    @overload
    def discrete_laplace(
        self, scale: Number, size: Size | None = None, *, out: NDArray[np.int64]
    ) -> NDArray[np.int64]: ...
    def discrete_laplace(
        self, scale: Number, size: Size | None = None, *, out: NDArray[np.int64] | None = None
    ) -> int | NDArray[np.int64]:
        """Draw integers with P(k) proportional to exp(-abs(k) / scale), exactly.

        Parameters
        ----------
        scale : number in [1e-6, 2**56]
            Sensitivity over epsilon; 0.1 means 1/10. Above 2**36 a sample takes microseconds.
        size : int or tuple of int, optional
            Shape of the result; None for a Python int.
        out : ndarray of int64, optional
            Filled and returned: contiguous, native byte order, writable, of shape `size`.

        Raises
        ------
        TypeError, ValueError
            For another scale, size or out, before anything is drawn.

        Notes
        -----
        Privacy cost: epsilon = sensitivity / scale when added to an integer query (Ghosh,
        Roughgarden, Sundararajan 2012). See docs/sampling.md for the proof of exactness.

        Examples
        --------
        >>> Generator().discrete_laplace("1/3", size=(2, 5)).shape
        (2, 5)

        """
        law = law_of(positive(scale, "scale"))
        if size is None and out is None:
            return self._stream.discrete_laplace(law)
        result = _output(size, out)
        self.fill_discrete_laplace(law, result)
        return result

    def fill_discrete_laplace(self, law: DiscreteLaplaceLaw, out: NDArray[np.int64]) -> None:
        """Fill a C-contiguous int64 array from a prepared law; for mechanisms."""
        if not out.flags.c_contiguous:  # else reshape would copy, and `out` get no noise
            raise ValueError("out must be C-contiguous")
        self._stream.fill_discrete_laplace(law, out.reshape(-1))

    def bytes(self, n: int) -> bytes:
        """Draw n uniform bytes.

        >>> len(Generator().bytes(16))
        16
        """
        length = _length(n, "n")
        buffer = bytearray(length)
        self._stream.fill_bytes(buffer)
        return bytes(buffer)

    def __reduce__(self) -> NoReturn:
        """Refuse: two copies would give the same noise."""
        raise TypeError(f"a {type(self).__name__} cannot be pickled or copied: noise would repeat")

    def __repr__(self) -> str:
        return f"<cydp.{type(self).__name__}: ChaCha20 keyed by the operating system>"


_thread = threading.local()


def default_generator() -> Generator:
    """Return this thread's own generator, made at its first use."""
    generator = cast("Generator | None", getattr(_thread, "generator", None))
    if generator is None:
        generator = _thread.generator = Generator()
    return generator


def generator_or_default(rng: Generator | None) -> Generator:
    """Return `rng`, or this thread's generator for None; anything else is a TypeError."""
    if rng is None:
        return default_generator()
    if not isinstance(rng, Generator):
        raise TypeError(f"rng must be a cydp.Generator or None, not {type(rng).__name__}")
    return rng


@overload
def discrete_laplace(scale: Number, size: None = None, *, out: None = None) -> int: ...
@overload
def discrete_laplace(
    scale: Number, size: Size, *, out: NDArray[np.int64] | None = None
) -> NDArray[np.int64]: ...
@overload
def discrete_laplace(
    scale: Number, size: Size | None = None, *, out: NDArray[np.int64]
) -> NDArray[np.int64]: ...
def discrete_laplace(
    scale: Number, size: Size | None = None, *, out: NDArray[np.int64] | None = None
) -> int | NDArray[np.int64]:
    """Draw exact discrete Laplace noise from this thread's default generator.

    Parameters, errors and privacy cost are those of `Generator.discrete_laplace`.

    Examples
    --------
    >>> discrete_laplace(1, 1000).shape
    (1000,)

    """
    generator = default_generator()
    if out is not None:
        return generator.discrete_laplace(scale, size, out=out)
    if size is not None:
        return generator.discrete_laplace(scale, size)
    return generator.discrete_laplace(scale)


@lru_cache(maxsize=256)
def law_of(scale: Fraction, prefix_bits: int = 0) -> DiscreteLaplaceLaw:
    """Prepare the law of a scale; prefix_bits as in cydp.h."""
    if not _LEAST_SCALE <= scale <= _LARGEST_SCALE:
        raise ValueError(f"scale must be between 1e-6 and 2**56, not {text(scale)}")
    return DiscreteLaplaceLaw(_limbs(scale.numerator), _limbs(scale.denominator), prefix_bits)


def _limbs(n: int) -> NDArray[np.uint64]:
    return np.frombuffer(n.to_bytes((n.bit_length() + 63) // 64 * 8, "little"), np.uint64)


def _length(n: SupportsIndex, name: str) -> int:
    length = index(n, name)
    if not 0 <= length < 2**60:
        raise ValueError(f"{name} must be from 0 to 2**60 - 1")
    return length


def _shape(size: Size) -> tuple[int, ...]:
    if isinstance(size, Sequence | np.ndarray):
        return tuple(_length(n, "each entry of size") for n in size)
    return (_length(size, "size"),)


def _output(size: Size | None, out: NDArray[np.int64] | None) -> NDArray[np.int64]:
    if out is None:
        shape = _shape(cast("Size", size))
        if math.prod(shape) > np.iinfo(np.intp).max // 8:
            raise ValueError("size must describe an array that memory can hold")
        return np.empty(shape, np.int64)
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise TypeError(f"out must be a numpy array of int64, not {type(out).__name__}")
    if out.dtype != np.int64 or not out.dtype.isnative:
        raise TypeError(f"out must have dtype int64 in native byte order, not {out.dtype.str}")
    if not (out.flags.c_contiguous and out.flags.aligned and out.flags.writeable):
        raise ValueError("out must be C-contiguous, aligned and writable")
    if size is not None and _shape(size) != out.shape:
        raise ValueError(f"size must equal the shape of out, {out.shape}, not {_shape(size)}")
    return out
