# SPDX-License-Identifier: MIT
"""A source of exact noise, and the one that each thread has."""

from __future__ import annotations

import threading
from typing import Any, NoReturn, cast, overload

import numpy as np
from numpy.typing import NDArray

from cydp import _core, _samplers, _threads
from cydp._arguments import Number, Size
from cydp._call_errors import require_names
from cydp._core import NoisyMax, Sampler, Stream
from cydp._outputs import length, output

__all__ = ["Generator", "default_generator", "generator_or_default"]


class Generator:
    """A source of exact noise, keyed by the operating system.

    The stream is ChaCha20 (RFC 8439) with fast key erasure: earlier noise cannot be computed
    from the generator's memory. Threads may share one. A forked child keys its copy afresh.
    It cannot be seeded, pickled or copied.

    Parameters
    ----------
    fixed_work : bool, default False
        Hide from a clock which candidates took further bits to decide, but for an event of
        stated probability: see "Fixed work" in docs/sampling.md. Slower; the values of a stream
        are the same.

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

    __slots__ = ("__weakref__", "_lock", "_stream")

    _reproducible = False  # whether whoever knows a seed can draw the same

    @require_names
    def __init__(self, *, fixed_work: bool = False) -> None:
        self._start(None, fixed_work)

    def _start(self, key: NDArray[np.uint32] | None, fixed_work: bool) -> None:
        if not isinstance(fixed_work, bool):
            raise TypeError(f"fixed_work must be True or False, not {type(fixed_work).__name__}")
        self._stream = Stream(key, fixed_work)
        self._lock = threading.Lock()

    @property
    def capsule(self) -> object:
        """The source of bits that ``np.random.Generator(cydp.Generator())`` draws from.

        Its name is the one that numpy's BitGenerator protocol asks for. numpy's bits are then
        secure, but numpy's floating-point noise is not private.

        >>> np.random.Generator(Generator()).permutation(3).shape
        (3,)
        """
        return self._stream.capsule

    @property
    def lock(self) -> threading.Lock:
        """The lock that ``np.random.Generator`` holds while it draws.

        Its name is the one that numpy's BitGenerator protocol asks for.
        """
        return self._lock

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
            Sensitivity over epsilon; 0.1 means 1/10. Of a rational the numerator and the
            denominator may have 4,096 bits.
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
        return self._draw_integers(_samplers.laplace(scale), size, out)

    @overload
    def discrete_gaussian(
        self,
        sigma: Number | None = None,
        size: None = None,
        *,
        sigma2: Number | None = None,
        out: None = None,
    ) -> int: ...
    @overload
    def discrete_gaussian(
        self,
        sigma: Number | None,
        size: Size,
        *,
        sigma2: Number | None = None,
        out: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]: ...
    @overload
    def discrete_gaussian(
        self,
        sigma: Number | None = None,
        *,
        size: Size,
        sigma2: Number | None = None,
        out: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]: ...
    @overload
    def discrete_gaussian(
        self,
        sigma: Number | None = None,
        size: Size | None = None,
        *,
        sigma2: Number | None = None,
        out: NDArray[np.int64],
    ) -> NDArray[np.int64]: ...
    def discrete_gaussian(
        self,
        sigma: Number | None = None,
        size: Size | None = None,
        *,
        sigma2: Number | None = None,
        out: NDArray[np.int64] | None = None,
    ) -> int | NDArray[np.int64]:
        """Draw integers with P(k) proportional to exp(-k**2 / (2 sigma**2)), exactly.

        Parameters
        ----------
        sigma : number in [1e-3, 2**56]
            Parameter of the law: close to, but not, its standard deviation. Or give
        sigma2 : number in [1e-6, 2**112]
            its square, exactly.
        size, out
            As in `discrete_laplace`.

        Raises
        ------
        TypeError, ValueError
            For another or no sigma, or both, size or out, before anything is drawn.

        Notes
        -----
        Privacy cost: rho = sensitivity**2 / (2 sigma**2) in zCDP (Canonne, Kamath, Steinke 2020).

        Examples
        --------
        >>> Generator().discrete_gaussian(10, size=3).dtype
        dtype('int64')

        """
        return self._draw_integers(_samplers.gaussian(sigma, sigma2), size, out)

    @overload
    def bernoulli(self, p: Number, size: None = None, *, out: None = None) -> bool: ...
    @overload
    def bernoulli(
        self, p: Number, size: Size, *, out: NDArray[np.bool_] | None = None
    ) -> NDArray[np.bool_]: ...
    @overload
    def bernoulli(
        self, p: Number, size: Size | None = None, *, out: NDArray[np.bool_]
    ) -> NDArray[np.bool_]: ...
    def bernoulli(
        self, p: Number, size: Size | None = None, *, out: NDArray[np.bool_] | None = None
    ) -> bool | NDArray[np.bool_]:
        """Draw True with probability p, exactly, for a rational p.

        Parameters
        ----------
        p : number in [0, 1]
            Of a rational the numerator and the denominator may have 4,096 bits.
        size, out
            As in `discrete_laplace`, of bool.

        Raises
        ------
        TypeError, ValueError
            For another p, size or out, before anything is drawn.

        Examples
        --------
        >>> Generator().bernoulli("1/3", size=4).dtype
        dtype('bool')

        """
        return self._draw_booleans(_samplers.bernoulli(p), size, out)

    def _draw_integers(
        self, sampler: Sampler, size: Size | None, out: NDArray[np.int64] | None
    ) -> int | NDArray[np.int64]:
        """Draw from a prepared law of integers."""
        if size is None and out is None:
            return self._stream.one(sampler)
        result: NDArray[np.int64] = output(size, out, np.dtype(np.int64))
        self._fill(sampler, result)
        return result

    def _draw_booleans(
        self, sampler: Sampler, size: Size | None, out: NDArray[np.bool_] | None
    ) -> bool | NDArray[np.bool_]:
        """Draw from a prepared law of booleans."""
        if size is None and out is None:
            return bool(self._stream.one(sampler))
        result: NDArray[np.bool_] = output(size, out, np.dtype(np.bool_))
        self._fill(sampler, result)
        return result

    def _fill(self, sampler: Sampler, out: NDArray[Any]) -> None:
        """Fill a C-contiguous array of the sampler's dtype."""
        if not out.flags.c_contiguous:  # else reshape would copy, and `out` get no noise
            raise ValueError("out must be C-contiguous")
        self._stream.fill(sampler, out, _threads.threads_for(out.size))

    def _respond(
        self, shift: Sampler, uniform: Sampler, codes: NDArray[Any], reports: NDArray[Any]
    ) -> None:
        """Fill an array with the reports of codes; both C-contiguous, of one dtype and shape."""
        if not (codes.flags.c_contiguous and reports.flags.c_contiguous):
            raise ValueError("codes and reports must be C-contiguous")
        number = _threads.threads_for(codes.size)
        _core.randomize_responses(self._stream, shift, uniform, codes, reports, number)

    def _select(
        self,
        selection: NoisyMax,
        scores: NDArray[np.float64] | NDArray[np.int64],
        chosen: NDArray[np.int64],
    ) -> None:
        """Race C-contiguous rows of scores, one for each of `chosen`."""
        number = _threads.threads_for(scores.size)
        _core.report_noisy_max(selection, self._stream, scores, chosen, number)

    def bytes(self, n: int) -> bytes:
        """Draw n uniform bytes.

        >>> len(Generator().bytes(16))
        16
        """
        return self._stream.bytes(length(n, "n"))

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
        raise TypeError(f"rng must be a cydp.Generator or None, not {_named(type(rng))}")
    return rng


def _named(of: type) -> str:
    """Return a type's name, with its library: numpy has a Generator too."""
    library = of.__module__.partition(".")[0]
    return of.__name__ if library == "builtins" else f"{library}'s {of.__name__}"
