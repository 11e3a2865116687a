# SPDX-License-Identifier: MIT
"""Digests of labels, by which a ledger and a session tell whether two questions are one."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from enum import Enum
from hashlib import sha256
from typing import Any

import numpy as np

from cydp._columns.canonical import canonical, label_bytes
from cydp._columns.entries import null_types, plain
from cydp._columns.pandas import is_series

__all__ = ["digest_argument", "digest_labels"]


def digest_argument(argument: Any) -> Any:
    """Return a public argument of a release, as a ledger compares it.

    Parameters
    ----------
    argument : object
        An array and a Series with a public index become digests, also in a dict; anything else is
        returned as it is.

    """
    if isinstance(argument, dict):
        return {name: digest_argument(each) for name, each in argument.items()}
    if is_series(argument):
        labels = [argument.name, *argument.index.tolist()]
        return ["index", str(argument.index.dtype), digest_labels(labels, "labels of rows")]
    if not isinstance(argument, np.ndarray):
        return argument
    return [argument.dtype.str, sha256(argument.tobytes()).hexdigest()]


def digest_labels(labels: Iterable[Any], name: str) -> str:
    """Return a digest of labels in their order, which no other labels have.

    It covers their types, the unit of times, and the values by which labels are compared.

    Parameters
    ----------
    labels : ndarray, or iterable of objects
        Null and NaN count as one label.
    name : str
        What to call them in an error.

    Raises
    ------
    TypeError
        For an object of a class of its own: only its methods know what is equal to it.

    Examples
    --------
    >>> seconds = np.array([0], "M8[s]")
    >>> digest_labels(seconds, "keys") == digest_labels(seconds.astype(int), "keys")
    False

    """
    digest = sha256()
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "biufmM":
        numbers = labels + 0.0 if labels.dtype.kind == "f" else labels  # -0.0 is 0
        digest.update(f"{numbers.dtype.str}{numbers.shape}".encode())
        digest.update(numbers.tobytes())
        return digest.hexdigest()
    for label in labels:
        part = _bytes_of(label, name)
        digest.update(b"%x:" % len(part) + part)
    return digest.hexdigest()


def _bytes_of(label: Any, name: str) -> bytes:
    label = plain(label)
    kind, value = type(label), canonical(label)
    is_nan = isinstance(label, float | Decimal) and label != label
    if value is None and not (null_types([kind]) or is_nan):
        raise TypeError(
            f"{name} must be numbers, text, bytes, dates, times, or tuples of these, for an answer "
            f"that is recorded: objects of {kind.__name__} cannot be compared with recorded ones"
        )
    if value is None:
        return b""
    part = kind.__qualname__.encode() + b" " + label_bytes(value)
    # The same member of another version of a program may stand for something else.
    return part + b" " + _bytes_of(label.value, name) if isinstance(label, Enum) else part
