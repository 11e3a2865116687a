# SPDX-License-Identifier: MIT
"""The weights by which a caller splits the privacy of a release among its parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeAlias

from cydp._arguments import Number
from cydp._numbers.rational import read_positive

__all__ = ["Split", "Weights", "read_split"]

Split: TypeAlias = Mapping[str, Number]
"""The weight of some parts by their names; the others have the weight 1."""

Weights: TypeAlias = tuple[tuple[str, Fraction], ...]


def read_split(split: Split | None, names: Iterable[str]) -> Weights:
    """Return the weights of parts, in the order of their names.

    Raises
    ------
    TypeError, ValueError
        If split is not a mapping, names a part that does not exist, or has a weight that is not
        positive.

    Examples
    --------
    >>> [(name, str(weight)) for name, weight in read_split({"sum": 3}, ["sum", "count"])]
    [('sum', '3'), ('count', '1')]

    """
    known = list(names)
    if split is None:
        return tuple((name, read_positive(1, "split")) for name in known)
    if not isinstance(split, Mapping):
        raise TypeError(
            f"split must be a dict of weights by part, such as {dict.fromkeys(known, 1)}, not "
            f"{type(split).__name__}"
        )
    for name in split:
        if name not in known:
            raise ValueError(f"split must have weights of {', '.join(known)}, not of {name!r}")
    return tuple(
        (name, read_positive(split.get(name, 1), f"the weight of {name} in split"))
        for name in known
    )
