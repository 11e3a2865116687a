# SPDX-License-Identifier: MIT
"""The arguments of a call of a release, without the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

from cydp.releases._query import DataQuery
from cydp.releases._run import RELEASES

__all__ = ["arguments_of", "kind_of"]

_NOT_GIVEN = ("budget", "rng")


def kind_of(function: Any) -> type[DataQuery]:
    """Return the kind of query that a release makes.

    Raises
    ------
    TypeError
        If `function` is no release.

    """
    kind = RELEASES.get(function) if callable(function) else None
    if kind is None:
        raise TypeError(
            "function must be a release of cydp, such as cydp.count or cydp.histogram, not "
            f"{getattr(function, '__name__', type(function).__name__)}"
        )
    return kind


def arguments_of(
    function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], *, caller: str = "explain"
) -> dict[str, Any]:
    """Return the arguments of a call of a release by name, with its defaults, without the data.

    `caller` is what has taken them, for an error.

    Raises
    ------
    TypeError
        If `function` is no release, or does not take these arguments.

    Examples
    --------
    >>> from cydp.releases import sum
    >>> arguments_of(sum, [(0, 5)], {"epsilon": 1})["bounds"]
    (0, 5)

    """
    left_out = (kind_of(function).data, *_NOT_GIVEN)
    shape = signature(function)
    own = shape.replace(
        parameters=[each for name, each in shape.parameters.items() if name not in left_out]
    )
    try:
        bound = own.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(
            f"{error}: {caller} takes the arguments of {function.__name__} without "
            f"{', '.join(left_out)}"
        ) from None
    bound.apply_defaults()
    return dict(bound.arguments)
