# SPDX-License-Identifier: MIT
"""Arrays of noise, each drawn while the caller works."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.typing import DTypeLike, NDArray

from cydp import _core, _samplers, _threads
from cydp._arguments import Size
from cydp._core import Sampler, Stream
from cydp._outputs import prepare_output, read_shape

__all__ = ["Prefetch", "prefetch_integers"]

_INT64, _INT32 = np.dtype(np.int64), np.dtype(np.int32)


class Prefetch(Iterator[NDArray[Any]]):
    """An endless iterator of arrays of noise, made by a method of a generator.

    While the caller works, a thread draws the next array. It is the only thread of cydp that
    outlives a call; closing or deleting the iterator, or leaving its ``with``, stops it and wipes
    its draws.

    A fork waits until the thread has stopped, and wipes its draws: parent and child draw anew.
    Threads may share the iterator: each array is served once. It cannot be pickled or copied.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype
        The shape and dtype of the arrays.

    """

    __slots__ = ("__weakref__", "_arrays", "_closed", "dtype", "shape")

    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    def __init__(self, stream: Stream, sampler: Sampler, size: Size, dtype: np.dtype[Any]) -> None:
        self.shape, self.dtype = read_shape(size), dtype
        n = int(np.prod(self.shape, dtype=object))
        self._arrays = _core.ArraysAhead(stream, sampler, n, _threads.threads_for(n))
        self._closed = False

    def take(self, *, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return the next array.

        Parameters
        ----------
        out : ndarray, optional
            The array to fill and to return, of `shape` and `dtype`: C-contiguous, in native byte
            order, writable. Default: a new array.

        Returns
        -------
        ndarray of `shape` and `dtype`

        Raises
        ------
        TypeError, ValueError
            If out is not allowed; ValueError if the iterator is closed. Then no array is lost.
        OSError
            If the operating system gives no random bytes, in a forked child.

        Examples
        --------
        >>> from cydp import Generator
        >>> with Generator().discrete_gaussian_prefetch(10, 1000) as noise:
        ...     noise.take(out=np.empty(1000, np.int64)).shape
        (1000,)

        """
        if self._closed:
            raise ValueError("this iterator of noise is closed")
        result = prepare_output(self.shape, out, self.dtype)
        try:
            self._arrays.next_into(result)
        finally:
            if self._closed:  # meanwhile, by another thread: the next array may have been begun
                self._arrays.drop()
        if self._closed:
            raise ValueError("this iterator of noise is closed")
        return result

    def __next__(self) -> NDArray[Any]:
        return self.take()

    def close(self) -> None:
        """Stop the thread and wipe its draws; from now on, the next array is a ValueError."""
        self._closed = True
        self._arrays.drop()

    def __enter__(self) -> Prefetch:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        """Refuse: two copies would give the same noise."""
        raise TypeError("a Prefetch cannot be pickled or copied: its noise would repeat")

    def __repr__(self) -> str:
        closed = ", closed" if self._closed else ""
        return f"<cydp: an iterator of noise, {self.dtype} of shape {self.shape}{closed}>"


def prefetch_integers(stream: Stream, sampler: Sampler, size: Size, dtype: DTypeLike) -> Prefetch:
    """Return a prefetch of int64 or int32, or raise an error that names size or dtype."""
    try:
        read = np.dtype(dtype)
    except TypeError:
        read = None
    if dtype is None or read not in (_INT64, _INT32):
        raise TypeError("dtype must be int64 or int32")
    if read == _INT32:
        sampler = _samplers.narrow(sampler, "dtype must be")
    return Prefetch(stream, sampler, size, read)
