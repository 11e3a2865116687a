# SPDX-License-Identifier: MIT
"""Labels as words: ids, which are equal only for equal labels, and keyed hashes of their values.

docs/columns.md, "Labels".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from cydp import _core, _threads
from cydp._columns.canonical import Canonical, canonical, label_bytes
from cydp._columns.masks import Mask
from cydp._columns.strings import Strings, fixed_width, join_bytes
from cydp.exact._label_sets import LabelSets

__all__ = ["Users", "Words", "hash_labels", "hash_rows", "identify", "identify_users", "mix_words"]


Words: TypeAlias = NDArray[np.uint64]

_SIGN_BIT, _HALF = np.uint64(63), np.uint64(32)
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio


def identify(values: NDArray[Any] | Strings, present: Mask, key: Words) -> tuple[Words, Words]:
    """Return ids, which are equal only for equal entries, and keyed hashes of the entries."""
    if isinstance(values, Strings):
        ids, hashes = np.empty(values.count, np.uint64), np.empty(values.count, np.uint64)
        strings = values.blank(present)
        _core.factorize(strings.kernel(), key, ids, hashes)
        if values.integers is not None:
            hashes = _hash_by_value(values.integers, hashes, key)
        return (ids, hashes) if values.rows is None else (ids[values.rows], hashes[values.rows])
    if values.dtype.kind in "US":
        ids, hashes = np.empty(len(values), np.uint64), np.empty(len(values), np.uint64)
        _core.factorize(fixed_width(values), key, ids, hashes)
        return ids, hashes
    if values.dtype.kind == "u":
        words = np.ascontiguousarray(values, np.uint64)
        if (words >> _SIGN_BIT).any():
            words = _mark_large(words, words >> _SIGN_BIT, key)
    else:
        words = np.ascontiguousarray(values, np.int64).view(np.uint64)
    return words, words  # the kernel hashes integers itself


class Users(NamedTuple):
    """Users as the kernel tells them apart: by strings, if there are any, else by ids.

    `strings` points into the column of users, which must live as long as this object.
    """

    ids: Words
    hashes: Words
    strings: _core.Strings | None


def identify_users(values: NDArray[Any] | Strings, present: Mask, key: Words) -> Users:
    """Return users as `identify` does, but strings, one for each row, by their hashes alone."""
    if not isinstance(values, Strings) or values.rows is not None or values.integers is not None:
        return Users(*identify(values, present, key), None)
    strings = values.blank(present).kernel()
    hashes = _hash_strings(strings, values.count, key)
    return Users(hashes, hashes, strings)


def _hash_strings(strings: _core.Strings, n: int, key: Words) -> Words:
    hashes = np.empty(n, np.uint64)
    _core.hash_strings(strings, key, _threads.threads_for(n), hashes)
    return hashes


def hash_labels(found: LabelSets, key: Words) -> Words:
    """Return a hash of each combination of labels."""
    words = [_hash_column(array, key) for array in found.arrays]
    return words[0] if len(words) == 1 else hash_rows(words, key)


def hash_rows(columns: Sequence[Words], key: Words) -> Words:
    """Return a keyed hash of the words of each row."""
    together = np.stack(columns, axis=1)
    width = together.itemsize * len(columns)
    strings = _core.Strings(len(together), together.reshape(-1).view(np.uint8), width=width)
    return _hash_strings(strings, len(together), key)


def mix_words(columns: Sequence[Words]) -> Words:
    """Return a word for the words of each row: equal for equal rows, and hardly for others."""
    words, *others = columns
    for each in others:
        words = words * _ODD
        words ^= words >> _HALF  # small numbers as floats have upper bits alone
        words += each
    return words


def _hash_column(labels: NDArray[Any], key: Words) -> Words:
    """Return a word for each label, by its value: the same one whatever the dtype."""
    if labels.dtype.kind in "biu":
        return identify(labels, None, key)[1]
    known = [cast("Canonical", canonical(label)) for label in list(labels)]
    strings, _ = join_bytes([label_bytes(label) for label in known], None)
    integers = tuple(label if isinstance(label, int) else None for label in known)
    return identify(replace(strings, integers=integers), None, key)[1]


def _mark_large(words: Words, is_large: Words, key: Words) -> Words:
    """Return integers modulo 2**64, so that integers from 2**63 on differ from negative ones.

    The large ones have `is_large` 1. All of their bits but the highest are changed by a secret that
    depends on the key. They stay distinct.
    """
    text = np.frombuffer(b"from 2**63 on", np.uint8)
    secret = _hash_strings(_core.Strings(1, text, width=len(text)), 1, key)
    marked: Words = words ^ (is_large * (secret & np.uint64(2**63 - 1)))
    return marked


def _hash_by_value(integers: tuple[int | None, ...], hashes: Words, key: Words) -> Words:
    """Return a word for each integer of any size; `hashes` are the hashes of their digits.

    Where there is None instead of an integer, the hash is kept. Integers beyond 64 bits keep that
    hash. The others get the word that they have in a column of integers of 64 bits, so that the
    sample of one user does not depend on another user's number.
    """
    n = len(integers)
    known = [2**64 if number is None else number for number in integers]  # 2**64 does not fit
    fits = np.fromiter((-(2**63) <= number < 2**64 for number in known), np.bool_, n)
    words = np.fromiter((number % 2**64 for number in known), np.uint64, n)
    is_large = np.fromiter((number >= 2**63 for number in known), np.uint64, n)
    return np.where(fits, _mark_large(words, is_large, key), hashes)
