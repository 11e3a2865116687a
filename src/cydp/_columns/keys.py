# SPDX-License-Identifier: MIT
"""Keys to look values up among, prepared once. docs/columns.md, "Key tables and lookup"."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from cydp import _core
from cydp._arguments import Column
from cydp._columns.source import open_source
from cydp._columns.strings import join_bytes

__all__ = ["Keys", "encode_strings"]

_MOST_KEYS = 2**32 - 4


class Keys:
    """Keys for `match_keys` and `value_counts`, prepared once for any number of columns.

    Any number of threads may use them, and pickle carries them.

    Parameters
    ----------
    keys : array_like of integers or strings
        Public and distinct.

    Raises
    ------
    TypeError, ValueError
        For other keys.

    Examples
    --------
    >>> from cydp.exact import value_counts
    >>> keys = Keys(["a", "b"])
    >>> [value_counts(piece, keys).tolist() for piece in (["b", "b"], ["a", "z"])]
    [[0, 2], [1, 0]]

    """

    __slots__ = ("_given", "_tables")

    def __init__(self, keys: Column | Keys) -> None:
        self.__setstate__(keys._given if isinstance(keys, Keys) else _distinct(keys))

    def _table(self, encoding: str) -> _core.KeyTable:
        """Return the table of the keys for columns whose values are bytes in an encoding.

        The encoding is "utf-8", "utf-32-le", "bytes" or "hex", or a dtype of integers by its
        kind and size, such as "u4". Raises a TypeError for keys of another kind.
        """
        table = self._tables.get(encoding)
        if table is None:  # two threads may both make it
            strings, _ = join_bytes(_encode(self._given, encoding), None)
            table = self._tables[encoding] = _core.KeyTable(strings.kernel())
        return table

    def __len__(self) -> int:
        return len(self._given)

    def __getstate__(self) -> list[Any]:
        return self._given

    def __setstate__(self, state: list[Any]) -> None:
        self._given = state
        self._tables: dict[str, _core.KeyTable] = {}

    def __repr__(self) -> str:
        return f"<Keys: {len(self)} of {type(self._given[0]).__name__}>"


def _distinct(keys: Any) -> list[Any]:
    """Return the keys as a list of Python's int, str or bytes, which are distinct."""
    given = open_source(keys, "keys").entries()
    if not set(map(type, given)) <= {int, str, bytes}:
        given = list(map(_plain, given))
    if not 1 <= len(given) <= _MOST_KEYS:
        raise ValueError(f"keys must be 1 to 2**32 - 4 keys, not {len(given)}")
    if set(map(type, given)) not in ({str}, {bytes}, {int}):
        raise TypeError("keys must be integers, or text, or bytes: all of one kind")
    if len(set(given)) < len(given):
        raise ValueError("keys must be distinct: some are given more than once")
    return given


def _plain(key: Any) -> Any:
    """Return a key of numpy or of an enumeration as Python's own type; any other as it is."""
    if isinstance(key, np.generic) and key.dtype.kind in "biuUS":
        key = key.item()
    if isinstance(key, int):
        return int.__int__(key)
    return str.__str__(key) if isinstance(key, str) else key


def _encode(keys: list[Any], encoding: str) -> list[bytes]:
    """Return the bytes that a value equal to each key has in a column of this encoding."""
    if encoding in ("utf-8", "utf-32-le", "bytes"):
        return encode_strings(keys, encoding)
    if not isinstance(keys[0], int):
        raise TypeError("keys must be integers, as the entries of x are")
    if encoding == "hex":
        return [b"%x" % key for key in keys]
    return _encode_integers(keys, encoding)


def encode_strings(keys: list[Any], encoding: str) -> list[bytes]:
    """Return the bytes of text or bytes in a column of this encoding, as `Keys` takes them."""
    if isinstance(keys[0], int):
        raise TypeError("keys must be text or bytes, as the entries of x are")
    if encoding != "utf-8" and isinstance(keys[0], bytes) != (encoding == "bytes"):
        kind = "bytes" if encoding == "bytes" else "text"
        raise TypeError(f"keys must be {kind}, as the entries of x are")
    encoded = [
        key.encode(encoding, "surrogatepass") if isinstance(key, str) else key for key in keys
    ]
    if encoding == "utf-8":
        return encoded
    # numpy's arrays drop zeros at the end, so no entry of x ends in a zero.
    ends = [key[-1:] in ("\0", b"\0") for key in keys]
    return [key if end else key.rstrip(b"\0") for key, end in zip(encoded, ends, strict=True)]


def _encode_integers(keys: list[int], dtype: str) -> list[bytes]:
    """Return the bytes of integers in native byte order, without zeros at the end."""
    size, signed = int(dtype[1:]), dtype[0] == "i"
    least, most = (-(2 ** (8 * size - 1)), 2 ** (8 * size - 1)) if signed else (0, 2 ** (8 * size))
    return [
        key.to_bytes(size, sys.byteorder, signed=signed).rstrip(b"\0")
        if least <= key < most
        else b"\0" * 8 + b"%x" % key  # longer than any entry
        for key in keys
    ]
