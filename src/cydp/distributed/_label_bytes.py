# SPDX-License-Identifier: MIT
"""Keys that are found in the rows, as bytes: what any engine can group by, byte for byte.

docs/distributed.md, "Keys that are not given".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Labels

__all__ = ["OTHER_KEYS", "Kinds", "decode", "encode", "kinds_of"]

Kinds: TypeAlias = tuple[str, ...]
"""Of each column of keys the dtype of its labels, or "text" or "bytes"."""

OTHER_KEYS = "table must have no other keys than the tallies of this run"
_STRINGS = "text", "bytes"
_NUMBER = 8  # bytes
_LENGTH = 4  # bytes, before those of a string


def kinds_of(columns: Sequence[Labels]) -> Kinds:
    """Return the kinds of columns of keys; only their types are looked at.

    Raises
    ------
    TypeError
        For labels that are no numbers, text, bytes, dates or times.

    Examples
    --------
    >>> kinds_of([Labels(np.array([7], np.int8), "a"), Labels(np.array(["b"]), "b")])
    ('<i8', 'text')

    """
    return tuple(map(_kind_of, columns))


def _kind_of(labels: Labels) -> str:
    kind = labels.type.kind if labels.dtype == object else labels.dtype.str
    if kind in _STRINGS or (labels.dtype != object and labels.keeps_dtype):
        return kind
    raise TypeError(
        f"{labels.name} must hold numbers, text, bytes, dates or times, and declare it, for keys "
        "that are not given in pieces of a table: take a table of Arrow, cast decimals and times "
        "of day, or give the keys"
    )


def encode(labels: Sequence[NDArray[Any]], kinds: Kinds) -> list[bytes]:
    """Return the bytes of each key: different ones of different keys.

    >>> encode([np.array([2, 3]), np.array(["a", ""], object)], ("<i8", "text"))[1].hex()
    '030000000000000000000000'
    """
    columns = [_encode_column(*each) for each in zip(labels, kinds, strict=True)]
    return list(map(b"".join, zip(*columns, strict=True)))


def _encode_column(labels: NDArray[Any], kind: str) -> list[bytes]:
    if kind in _STRINGS:
        held = map(_to_utf8, labels) if kind == "text" else labels
        return [len(each).to_bytes(_LENGTH, "little") + each for each in held]
    typed = labels.astype(kind)
    words = (typed.astype("<i8") if typed.dtype.kind == "b" else typed).tobytes()
    return [words[i : i + _NUMBER] for i in range(0, len(words), _NUMBER)]


def decode(keys: Sequence[bytes], kinds: Kinds) -> tuple[NDArray[Any], ...]:
    """Return the labels that `encode` has made keys of.

    Raises
    ------
    ValueError
        If they are no such keys.

    Examples
    --------
    >>> decode(encode([np.array([2, 3])], ("<i8",)), ("<i8",))[0].tolist()
    [2, 3]

    """
    columns = list[list[bytes]]([] for _ in kinds)
    for key in keys:
        end = 0
        for column, kind in zip(columns, kinds, strict=True):
            first, size = end, _NUMBER
            if kind in _STRINGS:
                first += _LENGTH
                size = int.from_bytes(key[end:first], "little")
            end = first + size
            column.append(key[first:end])
        if end != len(key):
            raise ValueError(OTHER_KEYS)
    return tuple(_decode_column(each, kind) for each, kind in zip(columns, kinds, strict=True))


def _decode_column(held: list[bytes], kind: str) -> NDArray[Any]:
    if kind in _STRINGS:
        found = np.empty(len(held), object)
        found[:] = [_from_utf8(each) for each in held] if kind == "text" else held
        return found
    dtype = np.dtype(kind)
    words = np.frombuffer(b"".join(held), "<i8" if dtype.kind == "b" else dtype)
    return words.astype(dtype)


def _to_utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _from_utf8(held: bytes) -> str:
    return held.decode("utf-8", "surrogatepass")
