# SPDX-License-Identifier: MIT
"""The generator of exact noise."""

from __future__ import annotations

import threading
from typing import Any, Literal, NoReturn, TypeVar, cast, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from cydp import _core, _samplers, _threads
from cydp._arguments import Number, Numbers, Size
from cydp._call_errors import require_names
from cydp._core import NoiseBlock, Sampler, Stream
from cydp._each_scale import are_several, draw_each_gaussian, draw_each_laplace
from cydp._outputs import INT64_OR_INT32, prepare_output, read_length
from cydp._prefetch import Prefetch, prefetch_integers

__all__ = ["Generator"]

_INT64, _INT32, _BOOL = np.dtype(np.int64), np.dtype(np.int32), np.dtype(np.bool_)
_STREAMS = {"aes": "AES-256", "chacha20": "ChaCha20"}
Whole = TypeVar("Whole", np.int64, np.int32)


class Generator:
    """A source of exact noise, keyed by the operating system.

    Make a generator to choose `fixed_work`, or to draw through numpy. Without one, mechanisms,
    releases and the functions `cydp.discrete_laplace`, `cydp.discrete_gaussian` and
    `cydp.random.bernoulli` draw from a generator that each thread has.

    The stream is AES-256 in counter mode where the CPU has instructions for it, and ChaCha20 (RFC
    8439) elsewhere, with fast key erasure: earlier noise cannot be computed from the generator's
    memory. Threads may share a generator. A forked child replaces the key of its copy. A
    generator cannot be seeded, pickled or copied.

    Parameters
    ----------
    fixed_work : bool, default False
        Whether to hide from a clock which candidates needed further bits. An event of stated
        probability remains visible. Drawing takes longer; the values of a stream are the same.
    stream : {"aes", "chacha20"}, optional
        The cipher that expands the key. Default: "aes" if the CPU has instructions for it, else
        "chacha20"; the environment variable `CYDP_STREAM` may name another.

    Raises
    ------
    TypeError, ValueError
        If fixed_work or stream is not allowed.
    RuntimeError
        If stream is "aes", and this CPU, or the kernels that `CYDP_FORCE_ISA` names, have no
        instructions for it.
    OSError
        If the operating system gives no random bytes, now or at a forked child's next call.

    Examples
    --------
    >>> g = Generator()
    >>> g.discrete_laplace(2, size=3).dtype
    dtype('int64')

    """

    __slots__ = ("__weakref__", "_lock", "_stream")

    _reproducible = False  # whether a seed determines what is drawn

    @require_names
    def __init__(
        self, *, fixed_work: bool = False, stream: Literal["aes", "chacha20"] | None = None
    ) -> None:
        self._start(None, fixed_work, stream)

    def _start(self, key: NDArray[np.uint32] | None, fixed_work: bool, stream: str | None) -> None:
        if not isinstance(fixed_work, bool):
            raise TypeError(f"fixed_work must be True or False, not {type(fixed_work).__name__}")
        if stream is not None and not isinstance(stream, str):
            raise TypeError(f"stream must be a string or None, not {type(stream).__name__}")
        name = "" if stream is None else str.__str__(stream)  # also for a subclass, such as numpy's
        if stream is not None and name not in _STREAMS:
            raise ValueError(f"stream must be 'aes' or 'chacha20', not {name!r}")
        if name == "aes" and (info := _core.build_info())["aes"] == "none":
            raise RuntimeError(
                "stream='aes' needs AES instructions, which this CPU or the kernels in use "
                f"({info['isa']}) have not"
            )
        self._stream = Stream(name, key, fixed_work)
        self._lock = threading.Lock()

    @property
    def stream(self) -> str:
        """The cipher that expands the key: "aes" or "chacha20".

        >>> Generator(stream="chacha20").stream
        'chacha20'
        """
        return self._stream.name

    @property
    def capsule(self) -> object:
        """The source of bits that ``np.random.Generator(cydp.Generator())`` draws from.

        numpy's BitGenerator protocol asks for this name. The bits that numpy draws are then
        secure, but numpy's floating-point noise is not private.

        >>> np.random.Generator(Generator()).permutation(3).shape
        (3,)
        """
        return self._stream.capsule

    @property
    def lock(self) -> threading.Lock:
        """The lock that ``np.random.Generator`` holds while it draws.

        numpy's BitGenerator protocol asks for this name.
        """
        return self._lock

    @overload
    def discrete_laplace(self, scale: Number, size: None = None, *, out: None = None) -> int: ...
    @overload
    def discrete_laplace(
        self, scale: Number | Numbers, size: Size, *, out: None = None
    ) -> NDArray[np.int64]: ...
    @overload
    def discrete_laplace(
        self, scale: Numbers, size: Size | None = None, *, out: None = None
    ) -> NDArray[np.int64]: ...
    @overload
    def discrete_laplace(
        self, scale: Number | Numbers, size: Size | None = None, *, out: NDArray[Whole]
    ) -> NDArray[Whole]: ...
    def discrete_laplace(
        self,
        scale: Number | Numbers,
        size: Size | None = None,
        *,
        out: NDArray[np.int64 | np.int32] | None = None,
    ) -> int | NDArray[np.int64 | np.int32]:
        """Draw integers with P(k) proportional to exp(-abs(k) / scale), exactly.

        Parameters
        ----------
        scale : number in [1e-6, 2**56], or list or array of such numbers
            Sensitivity over epsilon. A float means the decimal number that it is printed as: 0.1
            means 1/10. Numerator and denominator may have up to 4,096 bits. Of an array, each
            entry of the result has the scale in its place; scales must be public. A sampler is
            prepared for each distinct scale.
        size : int or tuple of int, optional
            Shape of the result, to which an array of scales is broadcast. Default: the shape of
            scale; for a number, one Python int is drawn.
        out : ndarray of int64 or int32, optional
            The array to fill and to return: C-contiguous, in native byte order, writable, and of
            shape `size` if both are given. int32, for a scale up to 2**24, gets the same values.

        Returns
        -------
        int, or ndarray of int64 or int32 of shape `size`

        Raises
        ------
        TypeError, ValueError
            If scale, size or out is not allowed. Then nothing is drawn.
        OSError, RuntimeError
            If the operating system gives no random bytes, or 1,024 bits do not decide a value.

        Notes
        -----
        Privacy cost: epsilon = sensitivity / scale if the noise is added to an integer query [1]_;
        of entries with scales of their own, the largest sum over the entries of change / scale.

        ``cydp.discrete_laplace`` is this method of the calling thread's own generator.

        References
        ----------
        .. [1] Ghosh, Roughgarden, Sundararajan, "Universally utility-maximizing privacy
           mechanisms", 2012.

        Examples
        --------
        >>> from cydp import Generator, discrete_laplace
        >>> discrete_laplace("1/3", size=(2, 5)).shape
        (2, 5)
        >>> discrete_laplace([1, 1000]).shape
        (2,)
        >>> Generator(fixed_work=True).discrete_laplace(10, out=np.empty(3, np.int32)).dtype
        dtype('int32')

        """
        if are_several(scale):
            return draw_each_laplace(self._stream, scale, size, out)
        sampler = _samplers.read_discrete_laplace(scale)
        if size is None and out is None:
            return self._stream.one(sampler)
        return self._draw_array(sampler, size, out, _INT64)

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
        sigma: Number | Numbers | None,
        size: Size,
        *,
        sigma2: Number | Numbers | None = None,
        out: None = None,
    ) -> NDArray[np.int64]: ...
    @overload
    def discrete_gaussian(
        self,
        sigma: Numbers,
        size: Size | None = None,
        *,
        sigma2: None = None,
        out: None = None,
    ) -> NDArray[np.int64]: ...
    @overload
    def discrete_gaussian(
        self, sigma: None = None, size: Size | None = None, *, sigma2: Numbers, out: None = None
    ) -> NDArray[np.int64]: ...
    @overload
    def discrete_gaussian(
        self,
        sigma: Number | Numbers | None = None,
        *,
        size: Size,
        sigma2: Number | Numbers | None = None,
        out: None = None,
    ) -> NDArray[np.int64]: ...
    @overload
    def discrete_gaussian(
        self,
        sigma: Number | Numbers | None = None,
        size: Size | None = None,
        *,
        sigma2: Number | Numbers | None = None,
        out: NDArray[Whole],
    ) -> NDArray[Whole]: ...
    def discrete_gaussian(
        self,
        sigma: Number | Numbers | None = None,
        size: Size | None = None,
        *,
        sigma2: Number | Numbers | None = None,
        out: NDArray[np.int64 | np.int32] | None = None,
    ) -> int | NDArray[np.int64 | np.int32]:
        """Draw integers with P(k) proportional to exp(-k**2 / (2 sigma**2)), exactly.

        Parameters
        ----------
        sigma : number in [1e-3, 2**56], or list or array of such numbers, optional
            Parameter of the distribution. It is close to the standard deviation, but not equal
            to it. Exactly one of sigma and sigma2 must be given. An array is as in
            `discrete_laplace`.
        sigma2 : number in [1e-6, 2**112], or list or array of such numbers, optional
            Square of sigma, for a sigma that is not rational.
        size, out
            As in `discrete_laplace`; int32 is for a sigma up to 2**27.

        Returns
        -------
        int, or ndarray of int64 or int32 of shape `size`

        Raises
        ------
        TypeError, ValueError, OSError, RuntimeError
            As in `discrete_laplace`, for sigma, sigma2, size and out.

        Notes
        -----
        Privacy cost: rho = sensitivity**2 / (2 sigma**2) in zCDP if the noise is added to an
        integer query [1]_; of entries with sigmas of their own, the largest sum over the entries of
        change**2 / (2 sigma**2).

        ``cydp.discrete_gaussian`` is this method of the calling thread's own generator.

        References
        ----------
        .. [1] Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy", 2020.

        Examples
        --------
        >>> from cydp import discrete_gaussian
        >>> discrete_gaussian(10, size=3).dtype
        dtype('int64')

        """
        if are_several(sigma) or are_several(sigma2):
            return draw_each_gaussian(self._stream, sigma, sigma2, size, out)
        sampler = _samplers.read_discrete_gaussian(sigma, sigma2)
        if size is None and out is None:
            return self._stream.one(sampler)
        return self._draw_array(sampler, size, out, _INT64)

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
        """Draw True with probability p, exactly.

        Parameters
        ----------
        p : number in [0, 1]
            A float means the decimal number that it is printed as. Numerator and denominator may
            have up to 4,096 bits.
        size, out
            As in `discrete_laplace`; the dtype is bool.

        Returns
        -------
        bool, or ndarray of bool of shape `size`

        Raises
        ------
        TypeError, ValueError, OSError, RuntimeError
            As in `discrete_laplace`, for p, size and out.

        Notes
        -----
        ``cydp.random.bernoulli`` is this method of the calling thread's own generator.

        Examples
        --------
        >>> Generator().bernoulli("1/3", size=4).dtype
        dtype('bool')

        """
        sampler = _samplers.read_bernoulli(p)
        if size is None and out is None:
            return bool(self._stream.one(sampler))
        return self._draw_array(sampler, size, out, _BOOL)

    def discrete_laplace_iter(self, scale: Number) -> NoiseBlock:
        """Return an iterator of the values of `discrete_laplace`, one at a time.

        It is for hosts that ask for the noise of one value in each call, such as a database that
        calls a function for each cell.

        Parameters
        ----------
        scale : number in [1e-6, 2**56]
            As in `discrete_laplace`.

        Returns
        -------
        iterator of int
            It has no end. It draws 4,096 values at a time, as
            ``discrete_laplace(scale, size=4096)`` does.

        Raises
        ------
        TypeError, ValueError
            If scale is not allowed, now.
        OSError
            If the operating system gives no random bytes, at a forked child's next value.

        Notes
        -----
        The noise of a block is drawn before it is asked for, and lies in memory until then. Each
        value is wiped as it is served, and the rest when the iterator is closed, by ``close`` or
        at the end of ``with``, or deleted. The next value of a closed one is a ValueError. A
        generator's `fixed_work` applies to the block: a clock sees which value is the first of a
        block, but that depends on how many were served alone.

        Threads may share the iterator: no value is served twice or lost. A forked child serves no
        value that its parent has drawn. It cannot be pickled or copied.

        Examples
        --------
        >>> with Generator().discrete_laplace_iter(10) as noise:
        ...     private = [count + next(noise) for count in (12, 7, 3)]

        """
        return NoiseBlock(self._stream, _samplers.read_discrete_laplace(scale))

    def discrete_gaussian_iter(
        self, sigma: Number | None = None, *, sigma2: Number | None = None
    ) -> NoiseBlock:
        """Return an iterator of the values of `discrete_gaussian`, one at a time.

        Parameters
        ----------
        sigma, sigma2 : number, optional
            As in `discrete_gaussian`.

        Returns
        -------
        iterator of int
            As in `discrete_laplace_iter`.

        Raises
        ------
        TypeError, ValueError, OSError
            As in `discrete_laplace_iter`.

        Examples
        --------
        >>> type(next(Generator().discrete_gaussian_iter(10)))
        <class 'int'>

        """
        return NoiseBlock(self._stream, _samplers.read_discrete_gaussian(sigma, sigma2))

    def bernoulli_iter(self, p: Number) -> NoiseBlock:
        """Return an iterator of the values of `bernoulli`, one at a time.

        Parameters
        ----------
        p : number in [0, 1]
            As in `bernoulli`.

        Returns
        -------
        iterator of bool
            As in `discrete_laplace_iter`.

        Raises
        ------
        TypeError, ValueError, OSError
            As in `discrete_laplace_iter`.

        Examples
        --------
        >>> type(next(Generator().bernoulli_iter("1/3")))
        <class 'bool'>

        """
        return NoiseBlock(self._stream, _samplers.read_bernoulli(p))

    def discrete_laplace_prefetch(
        self, scale: Number, size: Size, *, dtype: DTypeLike = "int64"
    ) -> Prefetch:
        """Return an iterator of arrays of `discrete_laplace`, each drawn while the caller works.

        It is for hosts that need much noise at every step and do other work in between, such as
        training on a GPU: a thread draws the next array meanwhile.

        Parameters
        ----------
        scale : number in [1e-6, 2**56]
            As in `discrete_laplace`.
        size : int or tuple of int
            Shape of each array.
        dtype : "int64" or "int32", default "int64"
            int32, for a scale up to 2**24, has the same values.

        Returns
        -------
        Prefetch
            An endless iterator of arrays. The k-th is what the k-th call of
            ``discrete_laplace(scale, size)`` gives, if nothing else draws from this generator, and
            no fork or error drops an array.

        Raises
        ------
        TypeError, ValueError
            If scale, size or dtype is not allowed, now. Then nothing is drawn.
        OSError
            If the operating system gives no random bytes, at a forked child's next array.

        Notes
        -----
        Drawing begins at once. One array is drawn ahead and lies in memory until it is asked for;
        arrays of up to 256 values are drawn when they are asked for. A generator's `fixed_work`
        applies.

        Examples
        --------
        >>> with Generator().discrete_laplace_prefetch(10, (200, 5)) as noise:
        ...     for step in range(3):
        ...         gradient = np.ones((200, 5), np.int64)  # the work
        ...         private = gradient + next(noise)

        """
        sampler = _samplers.read_discrete_laplace(scale)
        return prefetch_integers(self._stream, sampler, size, dtype)

    def discrete_gaussian_prefetch(
        self,
        sigma: Number | None = None,
        size: Size | None = None,
        *,
        sigma2: Number | None = None,
        dtype: DTypeLike = "int64",
    ) -> Prefetch:
        """Return an iterator of arrays of `discrete_gaussian`, each drawn while the caller works.

        Parameters
        ----------
        sigma, sigma2 : number, optional
            As in `discrete_gaussian`.
        size, dtype
            As in `discrete_laplace_prefetch`; int32 is for a sigma up to 2**27.

        Returns
        -------
        Prefetch
            As in `discrete_laplace_prefetch`.

        Raises
        ------
        TypeError, ValueError, OSError
            As in `discrete_laplace_prefetch`.

        Examples
        --------
        >>> with Generator().discrete_gaussian_prefetch(10, 1000, dtype=np.int32) as noise:
        ...     next(noise).dtype
        dtype('int32')

        """
        sampler = _samplers.read_discrete_gaussian(sigma, sigma2)
        return prefetch_integers(self._stream, sampler, cast("Size", size), dtype)

    def bernoulli_prefetch(self, p: Number, size: Size) -> Prefetch:
        """Return an iterator of arrays of `bernoulli`, each drawn while the caller works.

        Parameters
        ----------
        p : number in [0, 1]
            As in `bernoulli`.
        size : int or tuple of int
            Shape of each array.

        Returns
        -------
        Prefetch
            As in `discrete_laplace_prefetch`, of bool.

        Raises
        ------
        TypeError, ValueError, OSError
            As in `discrete_laplace_prefetch`.

        Examples
        --------
        >>> with Generator().bernoulli_prefetch("1/100", 5000) as sampled:
        ...     next(sampled).dtype
        dtype('bool')

        """
        return Prefetch(self._stream, _samplers.read_bernoulli(p), size, _BOOL)

    def _draw_array(
        self,
        sampler: Sampler,
        size: Size | None,
        out: NDArray[Any] | None,
        dtype: np.dtype[Any],
    ) -> NDArray[Any]:
        """Return a new array of samples, or `out` filled with them."""
        allowed = INT64_OR_INT32 if dtype is _INT64 else ""
        if dtype is _INT64 and isinstance(out, np.ndarray) and out.dtype == _INT32:
            sampler, dtype = _samplers.narrow(sampler, "out must have dtype"), _INT32
        result = prepare_output(size, out, dtype, allowed=allowed)
        self._fill(sampler, result)
        return result

    def _fill(self, sampler: Sampler, out: NDArray[Any]) -> None:
        """Fill a C-contiguous array of the sampler's dtype."""
        if not out.flags.c_contiguous:  # else reshape would copy, and `out` get no noise
            raise ValueError("out must be C-contiguous")
        self._stream.fill(sampler, out, _threads.threads_for(out.size))

    def bytes(self, n: int) -> bytes:
        """Draw n uniform bytes.

        >>> len(Generator().bytes(16))
        16
        """
        return self._stream.bytes(read_length(n, "n"))

    def __reduce__(self) -> NoReturn:
        """Refuse: two copies would give the same noise."""
        raise TypeError(f"a {type(self).__name__} cannot be pickled or copied: noise would repeat")

    def __repr__(self) -> str:
        return (
            f"<cydp.{type(self).__name__}: {_STREAMS[self.stream]} keyed by the operating system>"
        )
