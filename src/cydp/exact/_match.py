# SPDX-License-Identifier: MIT
"""Places of values among given keys."""

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp import _exact, threads
from cydp.exact._arrow import Strings
from cydp.exact._identities import fixed_width, identities

_MOST_KEYS = 2**32 - 4
_CHUNK_ROWS = 2**18  # whose codes stay in the cache, for each thread


def match_keys(x: ArrayLike, keys: ArrayLike) -> NDArray[np.uint32]:
    """Return the place of each value among the keys. NOT private.

    Parameters
    ----------
    x : array_like of integers or strings, shape (n,)
    keys : array_like of integers or strings, as in x
        Public and distinct. A categorical or dictionary column is matched by its categories.

    Returns
    -------
    ndarray of uint32, shape (n,)
        From 0 on; len(keys) for what is none of the keys, or missing. `bincount` counts them,
        `value_counts` at once.

    Raises
    ------
    TypeError, ValueError
        For keys that are not distinct, or of another kind than x; for columns of other types.

    Examples
    --------
    >>> match_keys(["b", "z", None, "a"], ["a", "b"])
    array([1, 2, 2, 0], dtype=uint32)

    """
    sought = _Sought(x, _distinct(keys))
    codes = np.empty(sought.rows, np.uint32)
    sought.fill(codes, 0)
    return codes


def value_counts(x: ArrayLike, keys: ArrayLike) -> NDArray[np.int64]:
    """Count how often each key occurs. NOT private.

    Parameters
    ----------
    x, keys : array_like
        As in `match_keys`.

    Returns
    -------
    ndarray of int64, shape (len(keys),)
        In the order of the keys. What is none of them, or missing, is left out.

    Raises
    ------
    TypeError, ValueError
        As in `match_keys`.

    Examples
    --------
    >>> value_counts(["b", "z", None, "a", "b"], ["a", "b"])
    array([1, 2])

    """
    given = _distinct(keys)
    sought = _Sought(x, given)
    counts = np.zeros(len(given) + 1, np.int64)
    # Each call of a kernel visits every count once, so let it have more rows.
    most = max(_CHUNK_ROWS * sought.threads, 4 * len(counts))
    codes = np.empty(min(most, sought.rows), np.uint32)
    for first in range(0, sought.rows, most):
        part = codes[: sought.rows - first]
        sought.fill(part, first)
        _exact.bincount(part, counts, sought.threads)
    return counts[:-1]


class _Sought:
    """A column whose values are sought among keys."""

    def __init__(self, x: ArrayLike, keys: list[Any]) -> None:
        self._none = len(keys)
        values, present = identities(x, "x")
        self.rows = len(values)
        self.threads = threads.NUM_THREADS if self.rows > threads.SHARED_ABOVE else 1
        self._present, self._values = present, values  # the latter: kernels read it
        self._places: NDArray[Any] | None = None
        if self.rows == 0 or (present is not None and not present.any()):
            self._words = np.full(1, self._none, np.uint32)
            self._places = np.zeros(self.rows, np.int8)
            return
        self._strings, wanted = _kernel(values, keys)
        offsets = np.cumsum([0, *map(len, wanted)], dtype=np.int64)
        text = np.frombuffer(b"".join(wanted), np.uint8)
        self._keys = _exact.Keys(_exact.Strings(len(wanted), text, offsets))
        if isinstance(values, Strings) and values.rows is not None:
            self._words, self._places = np.empty(values.count, np.uint32), values.rows
            _exact.match(self._keys, self._strings, 0, None, 1, self._words)

    def fill(self, codes: NDArray[np.uint32], first: int) -> None:
        """Set codes to those of the rows from the first on."""
        rows = slice(first, first + len(codes))
        present = None if self._present is None else self._present[rows]
        if self._places is None:
            valid = None if present is None else present.view(np.uint8)
            _exact.match(self._keys, self._strings, first, valid, self.threads, codes)
            return
        np.take(self._words, self._places[rows], out=codes, mode="clip")  # else it is buffered
        if present is not None:
            codes[~present] = self._none


def _kernel(values: NDArray[Any] | Strings, keys: list[Any]) -> tuple[_exact.Strings, list[bytes]]:
    """Return the values for a kernel, and the keys as bytes that equal theirs."""
    if isinstance(values, Strings):
        return values.kernel(), _decimal(keys) if values.decimal else _text(keys, "utf-8")
    if values.dtype.kind in "US":
        return fixed_width(values), _text(keys, "utf-32-le" if values.dtype.kind == "U" else None)
    native = np.ascontiguousarray(values, values.dtype.newbyteorder("="))
    strings = _exact.Strings(len(native), native.view(np.uint8), width=native.itemsize)
    return strings, _integers(keys, native.dtype)


def _distinct(keys: Any) -> list[Any]:
    """Return the keys as Python's values."""
    if isinstance(keys, str | bytes) or not isinstance(keys, Iterable):
        raise TypeError(f"keys must be a sequence, not {type(keys).__name__}")
    given = keys.to_pylist() if hasattr(keys, "to_pylist") else list(keys)
    given = [key.item() if isinstance(key, np.generic) else key for key in given]
    given = [int(key) if isinstance(key, int) else key for key in given]  # also of enumerations
    if not 1 <= len(given) <= _MOST_KEYS:
        raise ValueError(f"keys must be from 1 to 2**32 - 4, not {len(given)}")
    types = set(map(type, given))
    if types not in ({str}, {bytes}) and types != {int}:
        raise TypeError("keys must be integers or strings, all of one kind")
    if len(set(given)) < len(given):
        raise ValueError("keys must be distinct")
    return given


def _text(keys: list[Any], encoding: str | None) -> list[bytes]:
    """Return keys as the bytes that equal strings have; without an encoding they are bytes."""
    if isinstance(keys[0], int):
        raise TypeError("keys must be strings, as x is")
    if encoding != "utf-8" and isinstance(keys[0], bytes) != (encoding is None):
        raise TypeError(f"keys must be {'bytes' if encoding is None else 'str'}, as x is")
    encoded = [
        key.encode(encoding, "surrogatepass") if encoding and isinstance(key, str) else key
        for key in keys
    ]
    if encoding == "utf-8":
        return encoded
    # numpy's arrays drop zeros at the end, so no entry of x ends in one
    ends = [key[-1:] in ("\0", b"\0") for key in keys]
    return [key if end else key.rstrip(b"\0") for key, end in zip(encoded, ends, strict=True)]


def _decimal(keys: list[Any]) -> list[bytes]:
    if not isinstance(keys[0], int):
        raise TypeError("keys must be integers, as x is")
    return [b"%d" % key for key in keys]


def _integers(keys: list[Any], dtype: np.dtype[Any]) -> list[bytes]:
    """Return keys as the bytes that equal numbers have, without zeros at the end."""
    if not isinstance(keys[0], int):
        raise TypeError("keys must be integers, as x is")
    bits, signed = 8 * dtype.itemsize, dtype.kind == "i"
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if signed else (0, 2**bits)
    return [
        int(key).to_bytes(dtype.itemsize, sys.byteorder, signed=signed).rstrip(b"\0")
        if least <= key < most
        else b"\0" * 8 + b"%d" % key  # longer than any
        for key in keys
    ]
