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

_MOST_KEYS = 2**32 - 2
_NEVER = b"\0" * 9  # no integer of 8 bytes, and no string without zeros at its end


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
        From 0 on; len(keys) for what is none of the keys, or missing. `bincount` counts them.

    Raises
    ------
    TypeError, ValueError
        For keys that are not distinct, or of another kind than x; for columns of other types.

    Examples
    --------
    >>> match_keys(["b", "z", None, "a"], ["a", "b"])
    array([1, 2, 2, 0], dtype=uint32)

    """
    given = _distinct(keys)
    values, present = identities(x, "x")
    if len(values) == 0 or (present is not None and not present.any()):
        return np.full(len(values), len(given), np.uint32)
    if isinstance(values, Strings):
        strings = values.kernel()
        wanted = _decimal(given) if values.decimal else _text(given, "utf-8")
    elif values.dtype.kind in "US":
        strings = fixed_width(values)
        wanted = _text(given, "utf-32-le" if values.dtype.kind == "U" else None)
    else:
        native = np.ascontiguousarray(values, values.dtype.newbyteorder("="))
        strings = _exact.Strings(len(native), native.view(np.uint8), width=native.itemsize)
        wanted = _integers(given, native.dtype)
    codes = _matched(wanted, strings)
    if isinstance(values, Strings) and values.rows is not None:
        codes = codes[values.rows]
    if present is not None:
        codes[~present] = len(given)
    return codes


def _matched(keys: list[bytes], strings: _exact.Strings) -> NDArray[np.uint32]:
    offsets = np.cumsum([0, *map(len, keys)], dtype=np.int64)
    given = _exact.Strings(len(keys), np.frombuffer(b"".join(keys), np.uint8), offsets)
    codes = np.empty(strings.count, np.uint32)
    number = threads.NUM_THREADS if strings.count > threads.SHARED_ABOVE else 1
    _exact.match(given, strings, number, codes)
    return codes


def _distinct(keys: Any) -> list[Any]:
    """Return the keys as Python's values."""
    if isinstance(keys, str | bytes) or not isinstance(keys, Iterable):
        raise TypeError(f"keys must be a sequence, not {type(keys).__name__}")
    given = keys.to_pylist() if hasattr(keys, "to_pylist") else list(keys)
    given = [key.item() if isinstance(key, np.generic) else key for key in given]
    if not 1 <= len(given) <= _MOST_KEYS:
        raise ValueError(f"keys must be from 1 to 2**32 - 2, not {len(given)}")
    types = set(map(type, given))
    if types not in ({str}, {bytes}) and not types <= {int, bool}:
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
    return [_NEVER if end else key.rstrip(b"\0") for key, end in zip(encoded, ends, strict=True)]


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
        else _NEVER
        for key in keys
    ]
