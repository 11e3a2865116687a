# SPDX-License-Identifier: MIT
"""Contribution bounding: a random sample of each user's groups and rows."""

from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp import _exact, threads
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


def _identities(x: ArrayLike, name: str) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return a column of integers or strings, and which of its entries are present."""
    valid: NDArray[np.bool_] | None = None
    if isinstance(x, np.ma.MaskedArray):
        valid = ~np.ma.getmaskarray(x)
        values = np.asarray(x.data)
    elif isinstance(x, list | tuple):
        values = np.empty(len(x), object)
        values[:] = x
    else:
        values = np.asarray(x)
    if values.ndim != 1:
        raise ValueError(f"{name} must have one dimension, not {values.ndim}")
    if values.dtype == object or values.dtype.kind == "T":
        values, present = _of_objects(values.astype(object), valid, name)
        valid = present
    if values.dtype.kind not in "biuUS":
        raise TypeError(f"{name} must be of integers or strings, not {values.dtype.type.__name__}")
    return values, valid


_KINDS = (((str,), ""), ((bytes,), b""), ((bool, np.bool), False), ((int, np.integer), 0))


def _of_objects(
    values: NDArray[Any], valid: NDArray[np.bool_] | None, name: str
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the entries of an object array in a dtype that tells them apart."""
    present = np.array([not _is_missing(value) for value in values], np.bool_)
    if valid is not None:
        present &= valid
    types = {type(value) for value in values[present]}
    for kinds, missing in _KINDS:
        if all(issubclass(of, kinds) for of in types):
            filled = values.copy()
            filled[~present] = missing
            entries = filled.tolist()
            if kinds[0] in _END and any(map(_ends_in_zero, entries)):
                entries = [entry + _END[kinds[0]] for entry in entries]
            array = np.array(entries, None if entries else np.int64)
            if array.dtype.kind in "biuUS":  # no integers beyond 64 bits
                return array, present
    raise TypeError(f"{name} must be of integers up to 64 bits or of strings, all of one kind")


_END: dict[type, Any] = {str: ".", bytes: b"."}


def _ends_in_zero(entry: Any) -> bool:
    """Whether numpy would drop the end of a string."""
    return bool(entry) and entry[-1] in ("\0", 0)


def _is_missing(value: Any) -> bool:
    if value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def _words(values: NDArray[Any], key: Words) -> tuple[Words, Words]:
    """Return what tells the entries apart, and what is hashed of them."""
    n = len(values)
    if values.dtype.kind in "US":
        strings = np.ascontiguousarray(values, values.dtype.newbyteorder("="))
        code, name = np.empty(n, np.uint64), np.empty(n, np.uint64)
        _exact.encode(strings.view(np.uint8).reshape(n, values.dtype.itemsize), key, code, name)
        return code, name
    wide = np.uint64 if values.dtype.kind == "u" else np.int64
    numbers = np.ascontiguousarray(values, wide).view(np.uint64)
    return numbers, numbers
