# SPDX-License-Identifier: MIT
"""Contribution bounding: a random sample of each user's groups and rows."""

from collections.abc import Sequence
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp import _exact, threads
from cydp.exact._arrow import Strings, numbers, speaks_arrow, strings
from cydp.exact._columns import present_entries
from cydp.random import Generator, generator_or_default
from cydp.rational import index

Words: TypeAlias = NDArray[np.uint64]
_MOST = 2**63 - 1


def bound_contributions(
    users: ArrayLike,
    groups: ArrayLike,
    max_groups: SupportsIndex,
    max_rows_per_group: SupportsIndex = 1,
    rng: Generator | None = None,
) -> NDArray[np.bool_]:
    """Choose the rows that stay if each user may be in few groups, with few rows. NOT private.

    Of each user `max_groups` of his distinct groups stay, each as likely as the others, and of
    each of these `max_rows_per_group` rows. So a user changes at most that many groups of what is
    computed from the rows that stay, and privacy for rows becomes privacy for users.

    Parameters
    ----------
    users, groups : array_like of integers or strings, shape (n,)
        Who the rows belong to and what they count for. They are compared by value, never by a
        hash alone. Rows with a missing user or group (masked, None, NA) do not stay.
    max_groups, max_rows_per_group : int, at least 1
    rng : Generator, optional
        Where the sample's secret key comes from; default: this thread's generator.

    Returns
    -------
    ndarray of bool, shape (n,)
        True for the rows that stay. Which of a user's rows these are depends on the key and on
        his own rows and their order: not on other users, nor on where his rows stand.

    Raises
    ------
    TypeError, ValueError
        For columns of other types, of more dimensions or different lengths, or a bad parameter.

    Notes
    -----
    Under SipHash-2-4 with a fresh key (Aumasson, Bernstein 2012); see docs/exact.md.

    Examples
    --------
    >>> stays = bound_contributions(["ann", "ann", "bob"], ["x", "y", "x"], max_groups=1)
    >>> int(stays[:2].sum()), bool(stays[2])
    (1, True)

    """
    most_groups = _at_least_one(max_groups, "max_groups")
    most_rows = _at_least_one(max_rows_per_group, "max_rows_per_group")
    generator = generator_or_default(rng)
    identities = _identities(users, "users"), _identities(groups, "groups")
    n = len(identities[0][0])
    if len(identities[1][0]) != n:
        raise ValueError("users and groups must have the same length")
    present = [valid for _, valid in identities if valid is not None]
    valid = np.logical_and.reduce(present).view(np.uint8) if present else None
    key = np.frombuffer(generator.bytes(16), np.uint64)
    stays = np.zeros(n, np.bool_)
    (user, user_name), (group, group_name) = (_words(values, key) for values, _ in identities)
    number = threads.NUM_THREADS if n > threads.SHARED_ABOVE else 1
    _exact.bound_contributions(
        user, user_name, group, group_name, valid, most_groups, most_rows, key, number,
        stays.view(np.uint8),
    )  # fmt: skip
    return stays


def _at_least_one(value: SupportsIndex, name: str) -> int:
    number = index(value, name)
    if number < 1:
        raise ValueError(f"{name} must be at least 1, not {number}")
    return min(number, _MOST)


_Identities: TypeAlias = tuple[NDArray[Any] | Strings, NDArray[np.bool_] | None]


def _identities(x: ArrayLike, name: str) -> _Identities:
    """Return a column of integers or strings, and which of its entries are present."""
    valid: NDArray[np.bool_] | None = None
    if isinstance(x, list | tuple):
        return _of_objects(x, name)
    if speaks_arrow(x):
        text = strings(x, name)
        return numbers(x, name) if text is None else text
    if isinstance(x, np.ma.MaskedArray):
        valid = ~np.ma.getmaskarray(x)
        values = np.asarray(x.data)
    else:
        values = np.asarray(x)
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {values.ndim}")
    if values.dtype == object or values.dtype.kind == "T":
        if valid is not None:
            values = values.astype(object)  # a copy
            values[~valid] = None
        return _of_objects(values.tolist(), name)
    if values.dtype.kind not in "biuUS":
        raise TypeError(f"{name} must be of integers or strings, not {values.dtype.type.__name__}")
    return values, valid


def _of_objects(x: Sequence[Any], name: str) -> _Identities:
    """Return Python values as integers of 64 bits or as strings, whatever their length."""
    if any(issubclass(of, float) for of in set(map(type, x))):  # NaN is how pandas says null
        x = [None if isinstance(entry, float) and entry != entry else entry for entry in x]
    entries, present = present_entries(x)
    types = set(map(type, entries))
    if all(issubclass(of, str) for of in types):
        # A lone surrogate, which Python allows, is kept as it is.
        return _joined([entry.encode("utf-8", "surrogatepass") for entry in entries], present)
    if all(issubclass(of, bytes) for of in types):
        return _joined(entries, present)
    if all(issubclass(of, bool | np.bool) for of in types) or all(
        issubclass(of, int | np.integer) and of is not bool for of in types
    ):
        numbers = list(map(int, entries))
        if min(numbers) < -(2**63) or max(numbers) >= 2**63:
            return _joined([b"%d" % number for number in numbers], present)
        return _spread(np.array(numbers, np.int64), present), present
    raise TypeError(f"{name} must be of integers or of strings, all of one kind")


def _spread(values: NDArray[np.int64], present: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    """Return the values of the entries that are present, with 0 for the others."""
    if present is None:
        return values
    spread = np.zeros(len(present), np.int64)
    spread[present] = values
    return spread


def _joined(entries: Sequence[bytes], present: NDArray[np.bool_] | None) -> _Identities:
    lengths = _spread(np.fromiter(map(len, entries), np.int64, len(entries)), present)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return Strings(np.frombuffer(b"".join(entries), np.uint8), offsets), present


def _words(values: NDArray[Any] | Strings, key: Words) -> tuple[Words, Words]:
    """Return what tells the entries apart, and what is hashed of them."""
    if isinstance(values, Strings):
        code, name = _encoded(values.text, values.offsets, 0, len(values.offsets) - 1, key)
        return (code, name) if values.rows is None else (code[values.rows], name[values.rows])
    if values.dtype.kind in "US":
        native = values.astype(values.dtype.newbyteorder("="))
        text = np.frombuffer(native.tobytes(), np.uint8)
        return _encoded(text, None, values.dtype.itemsize, len(values), key)
    wide = np.uint64 if values.dtype.kind == "u" else np.int64
    numbers = np.ascontiguousarray(values, wide).view(np.uint64)
    return numbers, numbers


def _encoded(
    text: NDArray[np.uint8], offsets: NDArray[np.int64] | None, width: int, n: int, key: Words
) -> tuple[Words, Words]:
    code, name = np.empty(n, np.uint64), np.empty(n, np.uint64)
    _exact.encode(text, offsets, width, key, code, name)
    return code, name
